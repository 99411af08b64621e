// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <vector>

#include "calibration/rig/camera.h"
#include "calibration/rig/rig_parameters.h"

namespace percuss::calibration {

/// What one camera sees of the target in one view. Both lists are empty where it does not see it.
struct TargetImage {
  std::vector<Eigen::Vector2d> pixels;     ///< one per target point; NaN where not measured
  std::vector<char> used;                  ///< points that count; never one with NaN
  std::vector<Eigen::Vector2d> centroids;  ///< of discs (CorrectDiscImages); empty for corners
  double relative_sigma = 1.0;             ///< of its coordinates, over Bundle::pixel_sigma_px
};

/// The target held still before all cameras at once.
struct TargetView {
  std::vector<TargetImage> images;  ///< one per camera
  Pose board_from_first;            ///< p_G = X * p_first
};

/// Two points a known distance apart, seen by two cameras or more.
struct KnownDistance {
  /// [camera][end]: pixels, NaN where not seen.
  std::vector<std::array<Eigen::Vector2d, 2>> pixels;
  double distance = 0.0;                        ///< [m]
  double sigma = 0.0;                           ///< [m]
  std::array<Eigen::Vector3d, 2> p_first = {};  ///< both ends in axes of the first camera [m]
};

/// Which of the many parameters the measurements may move, and what is known beforehand.
struct BundleModel {
  bool free_warp = true;
  /// Standard deviation of the board's scale about 1: 0 keeps it at 1, infinity leaves it to the
  /// known distances.
  double scale_sigma = 0.0;
  /// What lenses are like, where corners do not tell: the standard deviation that each distortion
  /// coefficient of higher order than k2 has beforehand, as its effect on the position of the
  /// farthest image corner relative to its distance from the centre (ten times as much for the
  /// coefficients of a denominator).
  double distortion_sigma = 0.1;
};

/// Everything that one joint bundle adjustment moves, and the measurements.
struct Bundle {
  std::vector<Eigen::Vector3d> board;  ///< target points as described, in board axes [m]
  BoardShape shape;
  double disc_radius = 0.0;  ///< [m]; 0 for targets with corners
  std::vector<Camera> cameras;
  std::vector<Pose> camera_from_first;  ///< the first is the identity
  std::vector<TargetView> views;        ///< the surface view is the last
  std::vector<KnownDistance> distances;
  BundleModel model;
  /// Standard deviation of one pixel coordinate, in the mean over the pictures: the weight of the
  /// pixels against what is known beforehand.
  double pixel_sigma_px = 0.1;
};

/// (xi^2 - mean, eta^2 - mean) of each point: BoardShape.
std::vector<Eigen::Vector2d> BendShapes(const std::vector<Eigen::Vector3d>& board);

/// Target points where they are, in board axes [m].
std::vector<Eigen::Vector3d> ShapedBoard(const Bundle& bundle);

/// Measured minus projected pixels of all points in one image; NaN where not measured or behind
/// the camera; empty where the camera does not see the target.
std::vector<Eigen::Vector2d> Residuals(const Bundle& bundle, const TargetView& view, int camera);

/// Standard deviation of one pixel coordinate in a picture.
inline double PixelSigma(const Bundle& bundle, const TargetImage& image) {
  return image.relative_sigma * bundle.pixel_sigma_px;
}

/// Standard deviations known beforehand of the intrinsics of a camera: infinite where nothing is
/// known, 0 for places that the model does not have (BundleModel::distortion_sigma).
std::array<double, kNumIntrinsics> IntrinsicsPrior(const Camera& camera, double distortion_sigma);

/// Moves the pixels of discs from the centroids of their images to the images of their centres, as
/// far as the current estimate of cameras and poses tells (DiscCentroidOffset). Does nothing for
/// corners.
void CorrectDiscImages(Bundle* bundle);

/// @throws std::invalid_argument if sizes do not agree or a used pixel is not finite.
void CheckBundle(const Bundle& bundle);

}  // namespace percuss::calibration
