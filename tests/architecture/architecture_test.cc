// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// docs/architecture.md against the folders and the includes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace percuss {
namespace {

namespace fs = std::filesystem;

const fs::path& Root() {
  static const fs::path root = fs::path(PERCUSS_DATA_DIR).parent_path();
  return root;
}

std::string TextOf(const fs::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> Matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

using Graph = std::map<std::string, std::set<std::string>>;

// The table "Parts" of the document: each part and the parts that it uses.
const Graph& StatedParts() {
  static const Graph parts = [] {
    const std::string text = TextOf(Root() / "docs/architecture.md");
    const std::string table = text.substr(text.find("## Parts"));
    const std::regex row("\n\\| `([a-z/]+)` \\|[^|\n]*\\|([^|\n]*)\\|"), name("`([a-z/]+)`");
    Graph stated;
    const std::string rows = table.substr(0, table.find("## Where"));
    for (std::sregex_iterator match(rows.begin(), rows.end(), row), end; match != end; ++match) {
      const std::vector<std::string> used = Matches((*match)[2], name);
      stated[(*match)[1]] = {used.begin(), used.end()};
    }
    return stated;
  }();
  return parts;
}

// The part that a file belongs to: the longest one whose folder it is in. Empty for tests.
std::string PartOf(const std::string& file) {
  std::string longest;
  for (const auto& [part, used] : StatedParts()) {
    if (file.starts_with(part + "/") && part.size() > longest.size()) longest = part;
  }
  return longest;
}

// Sources and headers of the library and the program, relative to the root, and their includes.
const std::map<std::string, std::vector<std::string>>& Includes() {
  static const auto includes = [] {
    const std::regex include("(?:^|\n)#include \"([^\"]+)\"");
    std::map<std::string, std::vector<std::string>> all;
    std::set<std::string> tops;
    for (const auto& [part, used] : StatedParts()) tops.insert(part.substr(0, part.find('/')));
    for (const std::string& top : tops) {
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(Root() / top)) {
        const std::string extension = entry.path().extension();
        if (extension != ".h" && extension != ".cc") continue;
        all[fs::relative(entry.path(), Root()).generic_string()] =
            Matches(TextOf(entry.path()), include);
      }
    }
    return all;
  }();
  return includes;
}

// One circle of the graph as "a -> b -> a"; empty if there is none.
std::string FindCircle(const Graph& graph) {
  std::map<std::string, int> state;  // 1: on the way, 2: done
  std::vector<std::string> way;
  std::string circle;
  const std::function<void(const std::string&)> visit = [&](const std::string& node) {
    if (!circle.empty() || state[node] == 2) return;
    way.push_back(node);
    if (state[node] == 1) {
      for (auto at = std::ranges::find(way, node); at != way.end(); ++at) {
        circle += (circle.empty() ? "" : " -> ") + *at;
      }
      return;
    }
    state[node] = 1;
    if (const auto next = graph.find(node); next != graph.end()) {
      for (const std::string& other : next->second) visit(other);
    }
    state[node] = 2;
    way.pop_back();
  };
  for (const auto& [node, next] : graph) visit(node);
  return circle;
}

// The includes between what `group` makes of files.
Graph IncludeGraph(const std::function<std::string(const fs::path&)>& group) {
  Graph graph;
  for (const auto& [file, included] : Includes()) {
    for (const std::string& other : included) {
      const std::string from = group(file), to = group(other);
      if (from != to) graph[from].insert(to);
    }
  }
  return graph;
}

TEST(Architecture, FindsACircle) {
  EXPECT_EQ(FindCircle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"d"}}}), "");
  EXPECT_EQ(FindCircle({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}), "b -> c -> b");
}

TEST(Architecture, PartsUseWhatTheDocumentSays) {
  ASSERT_GE(StatedParts().size(), 10u);
  ASSERT_GE(Includes().size(), 500u);
  Graph used;
  for (const auto& [file, included] : Includes()) {
    const std::string part = PartOf(file);
    EXPECT_NE(part, "") << file << " is in no part of docs/architecture.md";
    for (const std::string& other : included) {
      const std::string target = PartOf(other);
      EXPECT_NE(target, "") << file << " includes " << other;
      if (target == part || target.empty()) continue;
      used[part].insert(target);
      EXPECT_TRUE(StatedParts().at(part).contains(target))
          << file << " includes " << other << ", but " << part << " does not use " << target
          << " in docs/architecture.md";
    }
  }
  for (const auto& [part, stated] : StatedParts()) {
    EXPECT_EQ(stated, used[part]) << "what " << part << " uses";
  }
}

TEST(Architecture, HasNoCircles) {
  EXPECT_EQ(FindCircle(StatedParts()), "");
  EXPECT_EQ(
      FindCircle(IncludeGraph([](fs::path file) { return file.replace_extension().string(); })),
      "");
  EXPECT_EQ(FindCircle(IncludeGraph([](const fs::path& f) { return f.parent_path().string(); })),
            "");
}

TEST(Architecture, RoomsCanBeSeenAtAGlance) {
  std::map<std::string, int> files;
  for (const char* top : {"tests", "benchmarks"}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(Root() / top)) {
      const std::string extension = entry.path().extension();
      if (extension == ".h" || extension == ".cc") ++files[entry.path().parent_path()];
    }
  }
  for (const auto& [file, included] : Includes()) ++files[fs::path(file).parent_path()];
  for (const auto& [folder, count] : files) EXPECT_LE(count, 20) << folder;
}

// Every path that the document names is there.
TEST(Architecture, NamesFilesThatExist) {
  const std::string text = TextOf(Root() / "docs/architecture.md");
  for (const std::string& path : Matches(text, std::regex("`([a-z_]+/[a-z_/.]+)`"))) {
    EXPECT_TRUE(fs::exists(Root() / path)) << path;
  }
}

}  // namespace
}  // namespace percuss
