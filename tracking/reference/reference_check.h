// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/nan.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "tracking/reference/place_error.h"
#include "tracking/reference/still_spots.h"

namespace percuss::tracking {

/// A reference point in the picture of one camera.
struct ReferenceSight {
  std::string reason;                                          ///< why it was not found, or empty
  Eigen::Vector2d pixel = Eigen::Vector2d::Constant(kNaN);     ///< where it stands still
  Eigen::Vector2d residual = Eigen::Vector2d::Constant(kNaN);  ///< from where it should [px]
  Eigen::Vector2d sigma = Eigen::Vector2d::Constant(kNaN);     ///< of `residual`, all in all [px]
  int frames = 0;
};

struct ReferencePlace {
  std::string name;
  std::vector<ReferenceSight> sights;   ///< [camera]
  std::optional<PlaceError> in_world;   ///< where all cameras see it; one camera: y is not found
  std::optional<PlaceError> in_camera;  ///< the same in the axes of the first camera, as sun2017
};

/// Residuals of one camera by themselves.
struct CameraResiduals {
  std::string name;  ///< of the camera
  int points = 0;    ///< that it sees
  double rms_px = kNaN;
  double chi2 = 0.0, p = 1.0;
};

/// What the points that rest while the body drops say of the cameras (sun2017, 4.3).
struct ReferenceCheck {
  std::vector<ReferencePlace> points;
  std::vector<CameraResiduals> cameras;
  double chi2 = 0.0;  ///< of all residuals of all cameras
  int dof = 0;
  double p = 1.0;
  std::string finding;                ///< what is wrong, where p is below 0.001; or empty
  std::vector<std::string> warnings;  ///< points that were not found, then `finding`
};

/// Looks for each point near where it should be seen and compares the places.
///
/// In a picture a point belongs to the nearest still spot, each spot to one point, that is within
/// the gate of its projection, 2 % of the width of the picture or four sigmas, and has 0.1 to 2.5
/// times the area of its disc seen face on. The residuals r (seen less projected from the stated
/// place) of all points have the covariance
///
///     V = pixels + J_p S J_p^T + J_theta C J_theta^T,
///
/// S of the stated places, C of the calibration, common to all. Of pixels: StillSpot::covariance,
/// and (f a^2 / (2 z^2))^2 / 3 each way for a disc of radius a at the depth z that faces anywhere
/// (DiscImageCentre). If chi-square of r is beyond what chance gives once in 1000 times, each cause
/// by itself is fitted to r by least squares with V: that one camera turned about its centre (with
/// one point, its picture shifted), or that one point lies elsewhere. The causes that leave less
/// than that are what `finding` names; with none it says so.
///
/// @param rig_covariance of the rig's parameters (calibration::NumRigParameters squared)
/// @param still [camera]
ReferenceCheck CheckReferencePoints(std::span<const capture::ReferencePoint> points,
                                    const calibration::RigCalibration& rig,
                                    const Eigen::MatrixXd& rig_covariance,
                                    std::span<const std::vector<StillSpot>> still);

}  // namespace percuss::tracking
