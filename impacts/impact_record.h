// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "base/nan.h"

namespace percuss::impacts {

/// Order of the error vector of an impact: position of the mass centre, rotation (small vector d, W
/// axes, with R_WB = exp([d]x) R_estimated), v, w, v_post, w_post.
inline constexpr int kImpactDimension = 18;
enum ImpactIndex { kPosition = 0, kRotation = 3, kV = 6, kW = 9, kVPost = 12, kWPost = 15 };
inline constexpr int kBodyDimension = 9;  ///< contact arm, inertia: ImpactRecord::body_sensitivity
using ImpactCovariance = Eigen::Matrix<double, kImpactDimension, kImpactDimension>;

/// Standard deviation of a velocity after the impact that nobody measured: its residual then has no
/// weight.
inline constexpr double kUnmeasuredSigma = 1.0e6;  // [m/s, rad/s]

/// One impact: states of the body just before and just after it; W axes, SI (one row of
/// impacts.csv).
struct ImpactRecord {
  std::string trial;
  double time = kNaN;        ///< [s] on the left camera's clock
  double time_sigma = kNaN;  ///< [s]
  Eigen::Vector3d p_WB = Eigen::Vector3d::Constant(kNaN);
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
  Eigen::Vector3d r = Eigen::Vector3d::Zero();        ///< mass centre to contact point
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< of the surface, into the body
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  Eigen::Vector3d v_post = Eigen::Vector3d::Zero();
  Eigen::Vector3d w_post = Eigen::Vector3d::Zero();
  Eigen::Vector3d gravity = Eigen::Vector3d(0, 0, -9.80665);
  /// Total covariance (pixels and calibration), kImpactDimension rows; absent where the source gave
  /// none.
  std::optional<Eigen::MatrixXd> covariance;
  /// d(error vector) / d(what all trials share), 18 rows; parameters in the order of
  /// tracking::BenchParameters (cameras, markers, inertia, gravity, surface, lengths) or of the
  /// cameras alone. The errors of trials are correlated through it. Empty where nothing is shared.
  Eigen::MatrixXd calibration_sensitivity;
  /// d(contact arm [m], inertia (solver::InertiaError)) / d(the same parameters), 9 rows: what the
  /// law sees of them beside the states. Empty where none of them is uncertain.
  Eigen::MatrixXd body_sensitivity;
  /// Standard deviation [m] of the contact arm beyond what the rotation explains (a contact point
  /// that was measured, not computed from shape and pose); independent of all other errors.
  Eigen::Vector3d r_sigma = Eigen::Vector3d::Zero();
  /// rms residual of one pixel coordinate of a marker in the flights behind the states [px]; NaN
  /// where they do not come from pixels.
  double pixel_noise_px = kNaN;
  std::vector<std::string> warnings;
  /// Why a row of a table cannot be used (row and column); empty when fine. Not written to files.
  std::string reason_unusable;
  /// Columns of a table that Percuss does not know, kept as they were.
  std::map<std::string, std::string> extra;

  /// Whether the body hit the surface of the calibration, not one that the trial has of its own.
  bool OnCalibratedSurface() const { return normal == Eigen::Vector3d::UnitZ(); }
};

/// A part of the errors that all trials share, by where it comes from: what somebody typed.
struct SharedSource {
  std::string name;    ///< "places of markers", "mass centre", ...
  double size = kNaN;  ///< standard deviation as typed; NaN where it is not one number
  std::string unit;
  bool stated = true;    ///< else a default
  Eigen::MatrixXd root;  ///< root root^T: its part of ImpactTable::calibration_covariance
};

/// A set of impacts, as in impacts.csv and impacts.json (docs/file-formats.md).
struct ImpactTable {
  std::vector<ImpactRecord> impacts;
  Eigen::MatrixXd calibration_covariance;  ///< of those parameters, or empty
  /// Independent parts of that covariance; what they leave comes from the pixels of all trials.
  std::vector<SharedSource> sources = {};
  /// Of the body as the flights show it, where they do; else what the body's file says [kg m^2].
  std::optional<Eigen::Matrix3d> inertia = {};
};

}  // namespace percuss::impacts
