// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "tracking/trial.h"

namespace percuss::tracking {

/// Writes folder/markers.csv, folder/poses.csv, of a slide folder/slide.csv, and folder/trial.json
/// (docs/file-formats.md), trial.json last: where it is, the others are. A trial whose videos could
/// not be tracked leaves trial.json alone, and tables of an earlier run are removed. There is no
/// markers.csv of poses.
/// @param calibration without cameras where the trial has no videos.
void WriteTrial(const TrialResult& result, const capture::MarkedBody& body,
                const calibration::RigCalibration& calibration, const Provenance& provenance,
                const std::filesystem::path& folder);

/// What later steps need of a trial.json.
struct TrialSummary {
  struct Gravity {
    std::string arc;  ///< before | after
    Eigen::Vector3d measured = Eigen::Vector3d::Zero();
    Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  };
  std::string trial;
  TrialResult::Status status = TrialResult::Status::kNoAnswer;
  std::string message;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< as stated
  std::vector<Gravity> measured_gravity;
  std::vector<std::string> warnings;
  std::optional<SlideEstimate> slide;  ///< without its points
};

/// @throws InputError naming file and field.
TrialSummary ReadTrialSummary(const std::filesystem::path& file);

std::string StatusName(TrialResult::Status status);  ///< ok | bad_input | no_answer

}  // namespace percuss::tracking
