// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "calibration/camera.h"
#include "capture/files.h"

namespace percuss::calibration {

/// Order of StereoCalibration::covariance (30 x 30):
///   0..8   left fx fy cx cy k1 k2 p1 p2 k3
///   9..17  right, the same
///   18..20 right_from_left rotation: small vector d with R = exp([d]x) R_estimated
///   21..23 right_from_left t [m]
///   24..26 world_from_left rotation, the same convention
///   27..29 world_from_left t [m]
inline constexpr int kNumCalibrationParameters = 30;
using CalibrationCovariance =
    Eigen::Matrix<double, kNumCalibrationParameters, kNumCalibrationParameters>;
using CalibrationVector = Eigen::Matrix<double, kNumCalibrationParameters, 1>;

/// One pair of board images and what became of it.
struct ViewReport {
  std::string left, right;  ///< file names
  bool used = false;
  std::string reason;  ///< why it was not used, or what is wrong with it; empty if nothing
  double rms_left_px = std::numeric_limits<double>::quiet_NaN();
  double rms_right_px = std::numeric_limits<double>::quiet_NaN();
};

/// What the verdict rests on, beside rms and sigmas.
struct CalibrationQuality {
  int num_views = 0;             ///< used, with the surface pair
  int num_rejected_corners = 0;  ///< outliers and corners too blurred to be measured
  double coverage_left = 0.0;    ///< share of the cells of a 6 x 4 raster of the image with corners
  double coverage_right = 0.0;
  double tilt_range_deg = 0.0;  ///< largest angle between the normals of two boards
  double heldout_median_px = std::numeric_limits<double>::quiet_NaN();  ///< of point distances
  double heldout_p90_px = std::numeric_limits<double>::quiet_NaN();  ///< 90th percentile of these
};

struct StereoCalibration {
  Camera left, right;
  Pose right_from_left;  ///< p_R = X * p_L
  Pose world_from_left;  ///< p_W = X * p_L
  CalibrationCovariance covariance = CalibrationCovariance::Zero();
  double rms_px =
      std::numeric_limits<double>::quiet_NaN();  ///< of point distances over the used corners
  double rms_px_heldout =
      std::numeric_limits<double>::quiet_NaN();  ///< the same corners in views left out of the fit
  double corner_sigma_px =
      std::numeric_limits<double>::quiet_NaN();  ///< per coordinate, estimated from the residuals
  int num_corners = 0;
  std::vector<ViewReport> views;  ///< as listed; the surface pair is the last
  CalibrationQuality quality;
  std::string verdict = "poor";  ///< "ok" or "poor"
  std::vector<std::string> verdict_reasons;
};

/// The calibration with its parameters moved by `delta` (order as above; rotations by left
/// multiplication).
StereoCalibration Perturbed(const StereoCalibration& calibration, const CalibrationVector& delta);

/// calibration.json (docs/calibration-file.md) as text, and written to a file.
std::string CalibrationJson(const StereoCalibration& calibration,
                            const capture::Provenance& provenance);
void WriteCalibration(const StereoCalibration& calibration, const capture::Provenance& provenance,
                      const std::filesystem::path& file);
/// @throws InputError naming file, field and value for anything missing, of a wrong shape or not
/// finite, a rotation
///   that is not one, a focal length that is not positive, or an unknown format version.
StereoCalibration ReadCalibration(const std::filesystem::path& file);

}  // namespace percuss::calibration
