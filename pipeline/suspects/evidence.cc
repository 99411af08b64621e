// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/suspects/evidence.h"

#include <algorithm>

#include "pipeline/suspects/moving_body.h"
#include "tracking/experiment_bench.h"

namespace percuss::pipeline {

bool IsLabelled(const tracking::TrialResult& trial) {
  return std::ranges::any_of(trial.tracked.frames,
                             [](const tracking::TrackedFrame& frame) { return frame.pose.found; });
}

Evidence GatherEvidence(const capture::Experiment& typed,
                        const calibration::RigCalibration& calibration, const Judgement& judgement,
                        Recordings* recordings) {
  Evidence evidence{typed, calibration, judgement, recordings, {}, {}};
  evidence.moving = FindMovingBodies(typed, calibration, judgement, recordings);
  for (const tracking::TrialResult& result : judgement.trials) {
    FreeFall& fall = evidence.falls.emplace_back();
    if (IsLabelled(result)) fall = MeasureFreeFall(result.tracked.frames);
  }
  return evidence;
}

bool HasImpact(const tracking::TrialResult& trial) {
  return trial.status == tracking::TrialResult::Status::kOk;
}

tracking::BenchEstimate LooseEstimate(const Evidence& evidence, const Eigen::VectorXd& sigmas) {
  tracking::Bench loose = evidence.judgement.stated;
  loose.covariance.diagonal() += sigmas.cwiseAbs2();
  std::vector<capture::Trial> trials;
  for (const capture::Trial& trial : evidence.typed.trials) {
    if (trial.FromVideos()) trials.push_back(trial);
  }
  return tracking::EstimateBenchOf(evidence.typed, loose, trials, [&](const capture::Trial& trial) {
    tracking::TrialResult labelled;
    const auto found =
        std::ranges::find(evidence.judgement.trials, trial.name, &tracking::TrialResult::trial);
    labelled.trial = trial.name;
    labelled.tracked = found->tracked;
    labelled.message = IsLabelled(*found) ? "" : found->message;
    return labelled;
  });
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
