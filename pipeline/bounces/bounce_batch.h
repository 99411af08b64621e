// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/bounces/bounce_clip.h"

// Several clips of one ball.
namespace percuss::pipeline {

/// What is kept of one clip of several.
struct BatchClip {
  std::filesystem::path file;
  std::string name;    ///< of its folder: the stem of the file; with -2, -3 where that is taken
  std::string reason;  ///< why there is nothing; empty if there is
  int exit_code = 0;   ///< that the clip alone would give
  tracking::BounceFit fit;
  BounceScale scale;
  CommonValue mean;
  std::vector<std::string> warnings;
  std::string csv;   ///< its bounces.csv
  std::string json;  ///< its bounce.json
};

struct BounceBatch {
  std::vector<BatchClip> clips;  ///< in the order asked for
  CommonValue mean;              ///< of the clips; NaN where none gave an answer
  BallBody body;
  bool one_scale = false;    ///< a stated diameter: its error is common to all clips
  SpeedDependenceOfE speed;  ///< of all bounces of all clips
  int exit_code = 0;         ///< 0: every clip was measured; else the worst of them
};

/// The clips of a list in which folders stand for the videos in them, by name.
/// @throws InputError for a folder without videos.
std::vector<std::filesystem::path> ClipsOf(const std::vector<std::string>& clips_and_folders);

/// One e for clips of one ball on one bench: FitCommonValue of the means of the clips, each of
/// which has the covariance and the scatter of its bounces in its sigma. Where clips differ by more
/// than that, they scatter.
/// @param means of the clips; along: their mean normal speeds
/// @param shared SharedErrorsOfMean of each, which all have in common; none: they are independent
CommonValue MeanOfClips(const std::vector<ValueWithSigma>& means, const std::vector<double>& along,
                        const std::vector<Eigen::VectorXd>& shared = {});

/// Measures each clip (MeasureBounces) and writes it to FOLDER/NAME (WriteBounces); then of all
/// clips FOLDER/batch.json (what became of each, and e), FOLDER/bounces.csv, with a first column
/// `clip`, and impacts.json and body.yaml of those with a scale. A clip that fails has its reason;
/// the others go on.
/// @param folder empty: nothing is written
BounceBatch MeasureBatch(const std::vector<std::filesystem::path>& clips,
                         const BounceOptions& options, const std::filesystem::path& folder,
                         const std::string& command, Progress* progress);

/// The tables of all clips as one, with a first column `clip`.
std::string BatchCsv(const BounceBatch& batch);
/// A list of what `percuss bounce --json` gives of each clip; of one that failed {clip, reason}.
std::string BatchJson(const BounceBatch& batch);

}  // namespace percuss::pipeline
