// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <opencv2/core/mat.hpp>

#include "calibration/bundle/bundle.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// Two cameras with lens distortion 0.35 m apart that look at a 9 x 6 board of 25 mm squares, about
/// 0.9 m away and tilted in many ways; the last view is the board on the surface. Pixels are exact.
Bundle SyntheticBundle(int num_views, std::uint32_t seed);

/// The same with boards that are all parallel to each other.
Bundle ParallelBoards(int num_views, std::uint32_t seed);

/// Fills `pixels` and `used` of all images from cameras and poses.
void ProjectCorners(Bundle* bundle);

/// Adds normal noise to all pixels, relative_sigma times as much in each image.
void AddNoise(Bundle* bundle, double sigma_px, std::uint32_t seed);

/// Estimate minus truth in the order of ParameterPlaces, the last view taken as the surface.
Eigen::VectorXd ParameterError(const Bundle& estimate, const Bundle& truth);

/// The rig of a bundle, "left" and "right", the world as the last view has it.
/// @param covariance Of all shared parameters (BundleCovariance).
RigCalibration RigOf(const Bundle& bundle, const Eigen::MatrixXd& covariance);

inline constexpr double kSyntheticSquare = 0.025;

/// The picture of a board of columns x rows inner corners with a white margin on grey ground, as
/// 8-bit sRGB: each pixel averages the light over its square. Lens distortion is left out. With
/// `inverted`, black and white squares are exchanged.
cv::Mat RenderBoard(const Camera& camera, const Pose& board_from_camera, int columns, int rows,
                    bool inverted = false);

}  // namespace percuss::calibration
