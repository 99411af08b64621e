// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/wrong_lines/wrong_lines.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/parallel.h"
#include "benchmarks/bench/wrong_lines/wrong_line_kinds.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// What an explanation of diagnosis.json makes of a file.
YAML::Node Mended(const YAML::Node& typed, const nlohmann::json& explanation) {
  YAML::Node root = YAML::Clone(typed);
  for (const nlohmann::json& edit : explanation.at("edits")) {
    const std::vector<std::string> path = edit.at("path");
    const std::string value = edit.at("value");
    YAML::Node node = root;
    const auto step = [](const YAML::Node& parent, const std::string& key) {
      YAML::Node mutable_parent = parent;
      return parent.IsSequence() ? mutable_parent[std::stoul(key)] : mutable_parent[key];
    };
    for (std::size_t i = 0; i + 1 < path.size(); ++i) node.reset(step(node, path[i]));
    if (!value.empty()) {
      step(node, path.back()) = YAML::Load(value);
    } else if (node.IsSequence()) {
      node.remove(std::stoul(path.back()));
    } else {
      node.remove(path.back());
    }
  }
  return root;
}

std::optional<double> NumberOf(const YAML::Node& node) {
  try {
    return node.as<double>();
  } catch (const YAML::Exception&) {
    return {};
  }
}

/// How far a number may be from the right one: 1 %, and what a ruler and a direction are good to.
double Tolerance(const std::string& place, double right) {
  double absolute = 0.0;
  if (place.starts_with("/body/size") || place.starts_with("/body/markers")) absolute = 0.0015;
  if (place.find("/gravity") != std::string::npos) absolute = 0.15;  // [m/s^2] one degree
  return std::max(absolute, (place.starts_with("/body/inertia") ? 0.05 : 0.01) * std::abs(right));
}

/// Where a file differs from a right one; empty if nowhere.
std::string Difference(const YAML::Node& file, const YAML::Node& right, const std::string& place) {
  if (file.Type() != right.Type()) return place;
  if (file.IsScalar()) {
    const auto a = NumberOf(file), b = NumberOf(right);
    const bool same = a && b ? std::abs(*a - *b) <= Tolerance(place, *b)
                             : file.as<std::string>() == right.as<std::string>();
    return same ? "" : place;
  }
  if (file.size() != right.size()) return place;
  if (file.IsMap()) {
    for (const auto& item : right) {
      const std::string key = item.first.as<std::string>();
      if (!file[key]) return place + "/" + key;
      const std::string other = Difference(file[key], item.second, place + "/" + key);
      if (!other.empty()) return other;
    }
  }
  for (std::size_t i = 0; file.IsSequence() && i < file.size(); ++i) {
    const std::string other = Difference(file[i], right[i], fmt::format("{}/{}", place, i));
    if (!other.empty()) return other;
  }
  return "";
}

std::string NameOf(const nlohmann::json& explanation) {
  std::string name;
  for (const std::string key : explanation.at("path")) name += (name.empty() ? "" : ".") + key;
  return name;
}

nlohmann::json ReadDiagnosis(const fs::path& out) {
  std::ifstream stream(out / "diagnosis.json");
  return stream ? nlohmann::json::parse(stream) : nlohmann::json::object();
}

/// Runs the program on a file. @returns diagnosis.json, {} where there is none
nlohmann::json RunFile(const YAML::Node& file, const fs::path& folder, double* seconds) {
  const fs::path experiment = folder / "experiment.yaml";
  std::ofstream(experiment) << YAML::Dump(file);
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", experiment.string(), "-o", (folder / "out").string(), "--jobs", "1"});
  *seconds = run.seconds;
  if (run.exit_code != 0 && run.exit_code != 3)
    fmt::print("percuss ended with {}: {}\n", run.exit_code, run.err);
  return ReadDiagnosis(folder / "out");
}

/// What is not as it should be; empty if the right line is named.
std::string Miss(const WrongLine& line, const nlohmann::json& diagnosis) {
  if (!diagnosis.contains("complaints")) return "nothing seemed wrong";
  const nlohmann::json& explanations = diagnosis.at("explanations");
  std::string all;
  for (const nlohmann::json& one : explanations)
    all += fmt::format("; {}: {}", NameOf(one), one.at("write").get<std::string>());
  if (explanations.empty()) {
    const nlohmann::json& complaints = diagnosis.at("complaints");
    return "no line named" + (complaints.empty() ? "" : ": " + complaints[0].get<std::string>());
  }
  if (diagnosis.at("same_impacts") != explanations.size()) return "several that disagree" + all;
  for (const nlohmann::json& one : explanations) {
    if (!line.named.empty()) {
      if (NameOf(one) == line.named) return "";
      continue;
    }
    const YAML::Node mended = Mended(line.typed, one);
    for (const YAML::Node& right : line.right) {
      if (Difference(mended, right, "").empty()) return "";
    }
  }
  return "another line named" + all;
}

unsigned SeedOf(const std::string& kind, int number) {
  unsigned seed = 20261125u + static_cast<unsigned>(number);
  for (const char letter : kind) seed = 31u * seed + static_cast<unsigned char>(letter);
  return seed;
}

/// One run to be made.
struct Case {
  const WrongLineKind* kind = nullptr;  ///< none: a good file
  int number = 0;                       ///< of the draw
};

constexpr int kOfEach = 3, kGood = 60;

/// "edge" asks for three draws, "edge 5" for the fifth alone, no kind for all.
std::vector<Case> CasesOf(const std::vector<std::string>& wanted) {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const WrongLineKind* kind, int count) {
    auto next = std::ranges::find(wanted, name);
    if (next != wanted.end()) {
      ++next;
    } else if (!wanted.empty()) {
      return;
    }
    for (; next != wanted.end() && std::atoi(next->c_str()) > 0; ++next, count = 0)
      cases.push_back({kind, std::atoi(next->c_str()) - 1});
    for (int k = 0; k < count; ++k) cases.push_back({kind, k});
  };
  for (const WrongLineKind& kind : WrongLineKinds()) add(kind.name, &kind, kOfEach);
  add("good", nullptr, kGood);
  return cases;
}

}  // namespace

std::vector<BoundSection> MeasureWrongLines(const fs::path& data,
                                            const std::vector<std::string>& kinds) {
  const std::vector<Case> cases = CasesOf(kinds);
  std::map<std::string, int> right, drawn;
  int named = 0, num_wrong = 0, alarms = 0, num_good = 0;
  std::mutex mutex;
  ParallelFor(static_cast<int>(cases.size()), AllCores(), [&](int i) {
    const Case& one = cases[i];
    const std::string name = one.kind ? one.kind->name : "good";
    std::mt19937 random(SeedOf(name, one.number));
    const testing::TemporaryFolder folder;
    const WrongLineDraw draw{fs::absolute(data), folder.Path(), one.number % kOfEach, &random};
    double seconds = 0.0;
    if (!one.kind) {
      const YAML::Node file = GoodFile(draw, one.number % 2 == 0 ? "bar-drop" : "cube-drop");
      const nlohmann::json diagnosis = RunFile(file, folder.Path(), &seconds);
      const bool alarm = diagnosis.contains("explanations") && !diagnosis["explanations"].empty();
      const std::lock_guard lock(mutex);
      ++num_good;
      alarms += alarm;
      fmt::print("good {:<15} {:5.0f} s  {}\n", one.number + 1, seconds,
                 diagnosis.contains("complaints") ? diagnosis.dump() : "nothing to complain of");
      std::fflush(stdout);
      return;
    }
    const WrongLine line = one.kind->draw(draw);
    const std::string miss = Miss(line, RunFile(line.typed, folder.Path(), &seconds));
    const std::lock_guard lock(mutex);
    ++num_wrong;
    named += miss.empty();
    ++drawn[name];
    right[name] += miss.empty();
    fmt::print("{:<20} {} {:<10} {:<24} {:5.0f} s  {}\n", name, one.number + 1, line.set, line.what,
               seconds, miss.empty() ? "named" : "MISSED: " + miss);
    std::fflush(stdout);
  });
  BoundSection section{"wrong lines, named with the right mending", {}, {}};
  const auto add = [&](const std::string& name, double measured, double lowest, double highest) {
    section.rows.push_back({name, "", measured, lowest, highest});
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  for (const WrongLineKind& kind : WrongLineKinds()) {
    if (drawn[kind.name] > 0)
      add(fmt::format("{}, of {}", kind.name, drawn[kind.name]), right[kind.name], -kNone, kNone);
  }
  // 57 of 60.
  if (num_wrong > 0) add(fmt::format("all, of {}", num_wrong), named, 0.95 * num_wrong, kNone);
  if (num_good > 0)
    add(fmt::format("lines named in good files, of {}", num_good), alarms, -kNone, 0.0);
  return {section};
}

}  // namespace percuss::benchmarks
