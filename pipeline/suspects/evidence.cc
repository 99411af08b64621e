// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/suspects/evidence.h"

#include <algorithm>

#include "base/error.h"

namespace percuss::pipeline {

bool IsLabelled(const tracking::TrialResult& trial) {
  return std::ranges::any_of(trial.tracked.frames,
                             [](const tracking::TrackedFrame& frame) { return frame.pose.found; });
}

Evidence GatherEvidence(const capture::Experiment& typed,
                        const calibration::RigCalibration& calibration, const Judgement& judgement,
                        Recordings* recordings) {
  Evidence evidence{typed, calibration, judgement, recordings, {}, {}};
  const tracking::Views views = tracking::ViewsOf(calibration);
  for (const tracking::TrialResult& result : judgement.trials) {
    tracking::MovingBody& moving = evidence.moving.emplace_back();
    FreeFall& fall = evidence.falls.emplace_back();
    if (IsLabelled(result)) fall = MeasureFreeFall(result.tracked.frames);
    // Among many markers some fit a wrong layout by chance; then the body does not fly.
    if (result.status == tracking::TrialResult::Status::kOk) continue;
    const capture::Trial& trial =
        *std::ranges::find(typed.trials, result.trial, &capture::Trial::name);
    try {
      moving =
          tracking::FindMovingBody(typed, trial, views, recordings->SpotsOf(typed, trial, views));
    } catch (const InputError&) {  // its video cannot be read, which its message says
    } catch (const DataError&) {   // its videos cannot be aligned, likewise
    }
  }
  return evidence;
}

int PlaceInFile(const capture::Experiment& experiment, const std::string& trial) {
  const YamlField root = YamlField::ReadFile(experiment.file);
  const std::vector<YamlField> items = root["trials"].Items("a list of trials");
  for (std::size_t i = 0; i < items.size(); ++i) {
    const YamlField name = items[i]["name"];
    if (name.Given() && name.IsScalar() && name.Text("a name") == trial) return static_cast<int>(i);
  }
  return -1;
}

std::vector<double> TypedNumbers(const std::filesystem::path& file,
                                 const std::vector<std::string>& path) {
  YamlField field = YamlField::ReadFile(file);
  for (const std::string& key : path) {
    if (!field.IsList()) {
      field = field[key];
    } else {
      field = field.Items("a list")[std::stoul(key)];
    }
  }
  std::vector<double> numbers;
  if (!field.IsList()) return numbers;
  for (const YamlField& item : field.Items("a list of numbers")) numbers.push_back(item.Number({}));
  return numbers;
}

}  // namespace percuss::pipeline
