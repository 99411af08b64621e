// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include "impacts/impact_record.h"

namespace percuss::pipeline {

/// How high above the surface bodies were when they touched it, and what of it was to be expected.
struct ContactHeights {
  Eigen::VectorXd height;      ///< of the point that touched, of each impact [m]
  Eigen::MatrixXd by_bench;    ///< their derivatives by what the impacts share
  Eigen::MatrixXd covariance;  ///< of what is not shared, and of the thickness of the board
  /// With what the impacts share as uncertain as `bench_covariance`.
  double ChiSquare(const Eigen::MatrixXd& bench_covariance) const;
};

/// Of impacts with sensitivities (two cameras); the others are left out. Corners are round and
/// surfaces not flat: 0.15 mm each; the board that lay on the surface has a thickness, 3 mm, the
/// same for all.
ContactHeights MeasureContactHeights(std::span<const impacts::ImpactRecord> impacts);

/// What to complain of where chance does not leave such heights once in a thousand times; else
/// empty.
std::string HeightComplaint(const ContactHeights& heights, const Eigen::MatrixXd& bench_covariance);

}  // namespace percuss::pipeline
