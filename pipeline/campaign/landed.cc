// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/campaign/landed.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/files/files.h"
#include "base/files/plain_name.h"
#include "base/text/json_text.h"
#include "base/text/yaml_field.h"
#include "pipeline/step_inputs.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;

/// A path with the name of its trial taken out: the texts before, between and after it.
using Pieces = std::vector<std::string>;

/// Where those of a trial are; nothing for the right camera where there is one alone.
struct Naming {
  Pieces left, right;
  auto operator<=>(const Naming&) const = default;
};

bool IsWordAt(const std::string& path, std::size_t at, std::size_t size) {
  const auto ends_word = [&](std::size_t i) {
    return i >= path.size() || std::isalnum(static_cast<unsigned char>(path[i])) == 0;
  };
  return (at == 0 || ends_word(at - 1)) && ends_word(at + size);
}

/// One piece where the name is not in the path.
Pieces PiecesAround(const std::string& path, const std::string& name) {
  Pieces pieces;
  std::size_t begin = 0, at = path.find(name);
  while (at != std::string::npos) {
    if (IsWordAt(path, at, name.size())) {
      pieces.push_back(path.substr(begin, at - begin));
      begin = at + name.size();
    }
    at = path.find(name, at + name.size());
  }
  pieces.push_back(path.substr(begin));
  return pieces;
}

std::string Joined(const Pieces& pieces, const std::string& name) {
  return fmt::format("{}", fmt::join(pieces, name));
}

/// Adds the names of which there is such a file, in the order of ExpandPattern.
void AddNames(const Pieces& pieces, const fs::path& base, std::vector<std::string>* names) {
  if (pieces.empty()) return;
  const std::string prefix = (base / pieces.front()).string();
  const std::size_t around = Joined(pieces, "").size() - pieces.front().size() + prefix.size();
  for (const fs::path& file : ExpandPattern(base / Joined(pieces, "*"))) {
    const std::string path = file.string();
    if (path.size() <= around) continue;
    const std::string name =
        path.substr(prefix.size(), (path.size() - around) / (pieces.size() - 1));
    if ((base / Joined(pieces, name)).string() == path) names->push_back(name);
  }
}

fs::path RelativeTo(const fs::path& base, const fs::path& path) {
  const fs::path inside = base.empty() ? path : path.lexically_relative(base);
  return inside.empty() ? path : inside;
}

std::set<Naming> NamingsOf(const capture::Experiment& stated, const fs::path& base) {
  std::set<Naming> by_name, beside;
  for (const capture::Trial& trial : stated.trials) {
    if (!trial.FromVideos() || IsPattern(trial.left) || IsPattern(trial.right)) continue;
    const fs::path left = RelativeTo(base, trial.left), right = RelativeTo(base, trial.right);
    Naming naming{PiecesAround(left.string(), trial.name), {}};
    Naming plain{{(left.parent_path() / "").string(), "-left" + left.extension().string()}, {}};
    bool named = naming.left.size() > 1;
    if (!trial.right.empty()) {
      naming.right = PiecesAround(right.string(), trial.name);
      plain.right = {(right.parent_path() / "").string(), "-right" + right.extension().string()};
      named = named && naming.right.size() > 1;
    }
    if (named) by_name.insert(std::move(naming));
    beside.insert(std::move(plain));
  }
  return by_name.empty() ? beside : by_name;
}

/// The lines that a user would add to the file for what has landed. Names that are not allowed go
/// to `waiting`.
std::vector<YamlEdit> NewLines(const capture::Experiment& stated,
                               std::vector<WaitingTrial>* waiting) {
  const fs::path base = stated.file.parent_path().lexically_normal();
  std::set<std::string> names;
  std::set<fs::path> videos;
  for (const capture::Trial& trial : stated.trials) {
    names.insert(trial.name);
    videos.insert({trial.left.lexically_normal(), trial.right.lexically_normal()});
  }
  std::size_t line = YamlField::ReadFile(stated.file)["trials"].Items("a list of trials").size();
  std::vector<YamlEdit> lines;
  for (const Naming& naming : NamingsOf(stated, base)) {
    std::vector<std::string> found;
    AddNames(naming.left, base, &found);
    AddNames(naming.right, base, &found);
    for (const std::string& name : found) {
      nlohmann::ordered_json entry = {{"name", name}, {"left", Joined(naming.left, name)}};
      if (!naming.right.empty()) entry["right"] = Joined(naming.right, name);
      const auto is_stated = [&](const char* side) {
        return entry.contains(side) &&
               videos.contains((base / entry[side].get<std::string>()).lexically_normal());
      };
      if (is_stated("left") || is_stated("right") || !names.insert(name).second) continue;
      if (!IsPlainName(name)) {
        waiting->push_back(
            {name, fmt::format("rename its videos: a trial needs {}", kPlainNameText)});
        continue;
      }
      lines.push_back({{"trials", std::to_string(line++)}, JsonText(entry, -1)});
    }
  }
  return lines;
}

/// Nothing to wait for: no reason.
WaitingTrial WaitOf(const capture::Trial& trial, bool calibration_waits, const fs::path& base) {
  for (const fs::path& input : InputsOf(trial)) {
    const std::string name = RelativeTo(base, input).string();
    if (FilesOf(input).empty()) return {trial.name, name + " is not there yet"};
    if (!IsAtRest(input)) return {trial.name, name + " is still being written", true};
  }
  if (trial.surface && !std::ranges::all_of(trial.surface->pictures, IsAtRest))
    return {trial.name, "the pictures of its surface are still being written", true};
  if (calibration_waits && !trial.motion)
    return {trial.name, "pictures of the calibration are still being written", true};
  return {};
}

}  // namespace

bool IsAtRest(const fs::path& input) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = [&](const timespec& time) {
    return std::chrono::duration<double>(now).count() -
           (static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec));
  };
  return std::ranges::all_of(FilesOf(input), [&](const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return true;
    // The clock of another machine may be ahead: what it wrote long ago is not of tomorrow for
    // ever.
    return std::abs(age(status.st_mtim)) >= kRest && std::abs(age(status.st_ctim)) >= kRest;
  });
}

LandedExperiment ReadLanded(const fs::path& file) {
  LandedExperiment landed{.experiment = capture::ReadExperiment(file), .waiting = {}};
  const std::vector<YamlEdit> lines = NewLines(landed.experiment, &landed.waiting);
  if (!lines.empty())
    landed.experiment = capture::ReadExperiment(file, capture::ExperimentNeeds::kAll, lines);
  landed.calibration_waits =
      !std::ranges::all_of(landed.experiment.calibration.file.files, IsAtRest);
  for (const capture::CalibrationCamera& camera : landed.experiment.calibration.cameras) {
    landed.calibration_waits = landed.calibration_waits || !IsAtRest(camera.surface) ||
                               !std::ranges::all_of(camera.images, IsAtRest);
  }
  const fs::path base = file.parent_path().lexically_normal();
  std::erase_if(landed.experiment.trials, [&](const capture::Trial& trial) {
    WaitingTrial wait = WaitOf(trial, landed.calibration_waits, base);
    if (wait.reason.empty()) return false;
    landed.waiting.push_back(std::move(wait));
    return true;
  });
  return landed;
}

}  // namespace percuss::pipeline
