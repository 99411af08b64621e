// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "base/nan.h"

/// The camera calibration of the Sun thesis (sun2017 2.9 and 4.2.2), kept as a baseline: each
/// camera alone, Zhang's closed form (Zhang 2000), then Levenberg-Marquardt over intrinsics, two
/// radial terms and all poses. The joint adjustment of both cameras does not use it.
///
/// Everything is in the row-vector form of the thesis' tables,
///
///     w [x y 1] = [X Y Z 1] [R; t] K,     K = [f_x 0 0; s f_y 0; c_x c_y 1],
///
/// so R and K are the transposes of the usual ones. Metres, pixels; pixel (0,0) is the centre of
/// the top-left pixel.
namespace percuss::calibration::thesis {

/// One camera's lens. In camera axes (x right, y down, z forward) with x = X/Z, y = Y/Z,
/// rho^2 = x^2 + y^2:
///     x_d = x (1 + k1 rho^2 + k2 rho^4), y_d the same;
///     pixel = (f_x x_d + skew y_d + c_x, f_y y_d + c_y).
struct Intrinsics {
  double f_x = kNaN, f_y = kNaN, skew = kNaN, c_x = kNaN, c_y = kNaN;  ///< [px]
  double k1 = kNaN, k2 = kNaN;
};

/// The lower triangular K.
Eigen::Matrix3d RowMatrix(const Intrinsics& intrinsics);

/// Camera from target (or world), rows: x_C = x_G R + t, t in metres.
struct Pose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Constant(kNaN);
  Eigen::RowVector3d t = Eigen::RowVector3d::Constant(kNaN);
};

struct ImageSize {
  int width = 0, height = 0;  ///< [px]
};

/// Points of the flat target in its plane [m].
using Target = std::vector<Eigen::Vector2d>;
/// One view: a measured pixel per point of the target, NaN where there is none.
using View = std::vector<Eigen::Vector2d>;

struct Options {
  bool skew = true;  ///< otherwise skew = 0, as all K in the thesis' tables
};

/// What the closed form gives: no distortion (k1 = k2 = 0).
struct ClosedForm {
  Intrinsics intrinsics;    ///< NaN if there is a reason
  std::vector<Pose> poses;  ///< one per view; NaN where the view was of no use
  std::string reason;       ///< why there are no intrinsics; empty if there are
};

/// Zhang's closed form. Each view with four or more points in general position gives a homography
/// (normalised direct linear transform, then least squares on the pixels) [h1 h2 h3]; each
/// homography two linear equations
///     h1' B h2 = 0,   h1' B h1 = h2' B h2
/// for the image B of the absolute conic; its Cholesky factor is the inverse of K.
/// Needs three views, or two without skew, whose planes are not parallel.
/// @throws std::invalid_argument if a view's size is not that of the target or the image is empty.
ClosedForm ClosedFormIntrinsics(const Target& target, const std::vector<View>& views,
                                ImageSize image, const Options& options = {});

/// Mean reprojection error below which the thesis accepts a calibration [px].
inline constexpr double kAcceptedMeanErrorPx = 1.0;

struct Calibration {
  Intrinsics intrinsics;                ///< NaN if there is a reason
  Intrinsics sigma;                     ///< of each, from the residuals; 0 for a skew not estimated
  std::vector<Pose> poses;              ///< one per view; NaN where the view was of no use
  std::vector<double> mean_error_px;    ///< mean distance of measured and projected, per view
  double overall_mean_error_px = kNaN;  ///< over all points of all views used
  double pixel_sigma_px = kNaN;         ///< per coordinate: sqrt(sum of squares / redundancy)
  bool accepted = false;                ///< overall_mean_error_px < 1 px
  std::string reason;                   ///< why there is no calibration; empty if there is
};

/// The thesis' calibration of one camera: closed form, then least squares on all pixels by
/// Levenberg-Marquardt over intrinsics, k1, k2 (from 0) and the poses. A focal length with a
/// sigma of more than 10 % and a principal point outside of the image (boards nearly parallel) are
/// reasons too.
/// @throws std::invalid_argument as ClosedFormIntrinsics.
Calibration Calibrate(const Target& target, const std::vector<View>& views, ImageSize image,
                      const Options& options = {});

/// The rotation nearest to a matrix (Frobenius norm).
Eigen::Matrix3d NearestRotation(const Eigen::Matrix3d& matrix);

}  // namespace percuss::calibration::thesis
