// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/step_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/experiment_summary.h"
#include "capture/error.h"
#include "capture/files.h"

namespace percuss::app {
namespace {

constexpr const char* kFormat = "percuss run 1";

}  // namespace

StepRecord::StepRecord(std::filesystem::path folder, const capture::Experiment& experiment,
                       std::string command, bool force)
    : folder_(std::move(folder)),
      experiment_name_(experiment.name),
      experiment_(SummariseExperiment(experiment).dump()),
      command_(std::move(command)) {
  if (force || !std::filesystem::exists(folder_ / "run.json")) return;
  const auto document = nlohmann::json::parse(capture::ReadFile(folder_ / "run.json"), nullptr,
                                              /*allow_exceptions=*/false);
  if (!document.is_object() || document.value("format", "") != kFormat ||
      document.value("program", "") != "percuss " + capture::ProgramVersion()) {
    return;
  }
  const auto steps = document.find("steps");
  if (steps == document.end() || !steps->is_object()) return;
  for (const auto& [step, key] : steps->items()) {
    if (key.is_string()) keys_[step] = key.get<std::string>();
  }
}

bool StepRecord::IsDone(const std::string& step, const std::string& key,
                        const std::vector<std::filesystem::path>& outputs) const {
  const std::lock_guard lock(mutex_);
  const auto recorded = keys_.find(step);
  return recorded != keys_.end() && recorded->second == key &&
         std::all_of(outputs.begin(), outputs.end(),
                     [](const auto& file) { return std::filesystem::exists(file); });
}

void StepRecord::Finish(const std::string& step, const std::string& key) {
  const std::lock_guard lock(mutex_);
  keys_[step] = key;
  Write();
}

void StepRecord::Forget(const std::string& step) {
  const std::lock_guard lock(mutex_);
  if (keys_.erase(step) > 0) Write();
}

void StepRecord::Write() const {
  const nlohmann::json document = {{"format", kFormat},
                                   {"program", "percuss " + capture::ProgramVersion()},
                                   {"name", experiment_name_},
                                   {"command", command_},
                                   {"experiment", nlohmann::json::parse(experiment_)},
                                   {"steps", keys_}};
  capture::WriteFileAtomically(folder_ / "run.json", document.dump(1) + "\n");
}

}  // namespace percuss::app
