// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

// The 13 real stereo pairs of data/stereo_chessboard_opencv: what every calibration of them is
// judged by.
namespace percuss::benchmarks {

inline constexpr int kNumFolds = 5;  // view v belongs to fold v mod 5

/// The pairs 01 to 13 (there is no 10) as views and 14 as the surface pair.
capture::Experiment Photographs(const std::filesystem::path& data);

/// The corners that our detector finds, in the order of the experiment, surface pair last; poses
/// and cameras are open.
calibration::Bundle OurCorners(const capture::Experiment& experiment, int num_threads);

/// Cameras and board shape of `rig` with the corners of `corners`; the pose of each board is fitted
/// to its corners with a Huber loss.
calibration::Bundle WithCameras(const calibration::Bundle& corners,
                                const calibration::RigCalibration& rig, double huber_px);

/// Fits the pose of each board to its corners, cameras and shape held, with a Huber loss.
void FitPoses(calibration::Bundle* bundle, double huber_px);

/// Distances of all measured corners from their projections.
std::vector<double> AllDistances(const calibration::Bundle& bundle);

/// Root mean square of all corners of one image, nothing left out.
double RmsOfImage(const calibration::Bundle& bundle, std::size_t view, int camera);

/// The median of RmsOfImage over all images of all cameras.
double MedianRmsOfImages(const calibration::Bundle& bundle);

}  // namespace percuss::benchmarks
