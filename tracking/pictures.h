// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <vector>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "tracking/trial.h"

namespace percuss::tracking {

struct PictureOptions {
  double interval = 0.01;  ///< from the impact to the pictures before and after it [s]
  double margin = 0.25;    ///< around the body, as a share of its size in the picture
  int max_width = 480;     ///< [px] of a picture; larger ones are reduced
  int max_impacts = 4;     ///< of one trial
  int jpeg_quality = 80;   ///< 0 to 100
};

/// Saves what people want to see of an impact: for each camera the frames before, at and after it,
/// cut to the body, as folder/1-left-before.jpg and so on, and folder/pictures.json
/// (docs/file-formats.md) with what is needed to draw markers and body over them. Goes straight to
/// these frames (VideoReader::SkipTo). Replaces what was there; a trial without videos leaves the
/// last file alone, one without an impact nothing.
/// @throws InputError as VideoReader.
void WritePictures(const capture::Experiment& experiment, const capture::Trial& trial,
                   const TrialResult& result, const calibration::RigCalibration& calibration,
                   const Provenance& provenance, const std::filesystem::path& folder,
                   const PictureOptions& options = {});

}  // namespace percuss::tracking
