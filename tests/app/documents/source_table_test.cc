// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The tables of docs/documents.md: each row is as its head says, names tests and data that are
// there, and the counts at the top are those of the rows.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "tests/app/documents/document.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
const fs::path kSourceTree = fs::path(PERCUSS_DATA_DIR) / "..";

struct SourceRow {
  std::string source;
  std::vector<std::string> cells;  // label, what it is, where, held by, state
};

std::string Trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<SourceRow> SourceRows() {
  std::istringstream lines(testing::TextOfRepository("docs/documents.md"));
  std::vector<SourceRow> rows;
  std::string source;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) source = line.substr(3);
    if (source.empty() || !line.starts_with("| ") || line.starts_with("| label")) continue;
    SourceRow& row = rows.emplace_back(SourceRow{source, {}});
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) row.cells.push_back(Trimmed(cell));
  }
  return rows;
}

/// Of a row's state, what stands before its colon.
std::string StateOf(const SourceRow& row) {
  return row.cells.back().substr(0, row.cells.back().find(':'));
}

TEST(SourceTables, RowsNameTestsThatExist) {
  std::string tests;
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / "tests")) {
    if (entry.path().extension() == ".cc") tests += ReadFile(entry.path());
  }
  const std::regex test_name("`([A-Z][A-Za-z0-9]+)[.]([A-Z][A-Za-z0-9]*)`"),
      data_name("`?(data/[A-Za-z0-9_./-]+[.][a-z]+)`");
  std::set<std::string> labels;
  for (const SourceRow& row : SourceRows()) {
    SCOPED_TRACE(row.source + " " + row.cells[0]);
    ASSERT_EQ(row.cells.size(), 5u);
    EXPECT_TRUE(labels.insert(row.source + row.cells[0]).second) << "twice";
    EXPECT_THAT(StateOf(row), ::testing::AnyOf("whole", "partly", "missing", "no number"));
    const std::string& held = row.cells[3];
    int names = 0;
    for (std::sregex_iterator at(held.begin(), held.end(), test_name), end; at != end; ++at) {
      ++names;
      const std::string declared = fmt::format("({}, {})", (*at)[1].str(), (*at)[2].str());
      EXPECT_NE(tests.find(declared), std::string::npos) << at->str();
    }
    if (StateOf(row) == "whole") EXPECT_GT(names, 0);
    if (names == 0) EXPECT_EQ(held, "-");
    for (std::sregex_iterator at(row.cells[2].begin(), row.cells[2].end(), data_name), end;
         at != end; ++at) {
      EXPECT_TRUE(fs::exists(kSourceTree / (*at)[1].str())) << at->str();
    }
  }
}

TEST(SourceTables, CountsAtTheTopAreThoseOfTheRows) {
  std::map<std::string, std::map<std::string, int>> counts;
  std::vector<std::string> sources;
  for (const SourceRow& row : SourceRows()) {
    if (counts.count(row.source) == 0) sources.push_back(row.source);
    for (const std::string& of : {row.source, std::string("all")}) {
      ++counts[of]["rows"];
      ++counts[of][StateOf(row)];
    }
  }
  ASSERT_EQ(sources.size(), 4u);
  const auto line = [&](const std::string& name, const std::string& of) {
    std::map<std::string, int>& count = counts[of];
    return fmt::format("\n| {} | {} | {} | {} | {} | {} |\n", name, count["rows"], count["whole"],
                       count["partly"], count["missing"], count["no number"]);
  };
  const std::string page = testing::TextOfRepository("docs/documents.md");
  for (const std::string& source : sources) {
    EXPECT_THAT(page, ::testing::HasSubstr(line(fmt::format("[{0}](#{0})", source), source)));
  }
  EXPECT_THAT(page, ::testing::HasSubstr(line("all", "all")));
}

}  // namespace
}  // namespace percuss
