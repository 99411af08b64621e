// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>
#include <string>

#include "impacts/impact_record.h"

namespace percuss::pipeline {

/// What heights make of what the impacts share.
struct HeightsExplained {
  double chi_square = 0.0;     ///< of the heights themselves
  Eigen::VectorXd change;      ///< of what is shared
  Eigen::MatrixXd covariance;  ///< of what is shared, after them
};

/// How high above the surface bodies were when they touched it, against what was to be expected:
///
///     height_i = t + by_i b + noise,
///
/// with the thickness t of the board that lay on the surface, 3 mm, and what the impacts share, b,
/// the same for all, and noise of 0.15 mm for each, since corners are round and surfaces not flat.
/// Sums over the impacts: of ten thousand they are no larger than of one.
struct ContactHeights {
  int num_impacts = 0;
  double lowest = std::numeric_limits<double>::infinity();    ///< [m]
  double highest = -std::numeric_limits<double>::infinity();  ///< [m]
  double squares = 0.0;         ///< of the heights, in units of their noise
  Eigen::VectorXd by_heights;   ///< sum x_i^T height_i with x_i = [1 by_i], in those units
  Eigen::MatrixXd information;  ///< sum x_i^T x_i, in those units

  void Add(double height, const Eigen::RowVectorXd& by_shared);
  /// An impact without sensitivities (one camera), or with other ones than the first, is left out.
  void Add(const impacts::ImpactRecord& impact);

  /// How many numbers the impacts share.
  Eigen::Index NumShared() const { return num_impacts > 0 ? by_heights.size() - 1 : 0; }
  /// With what the impacts share as uncertain as `bench_covariance` before. Of at least one impact.
  HeightsExplained Explain(const Eigen::MatrixXd& bench_covariance) const;
  double ChiSquare(const Eigen::MatrixXd& bench_covariance) const;
};

ContactHeights MeasureContactHeights(std::span<const impacts::ImpactRecord> impacts);

/// What to complain of where chance does not leave such heights once in a thousand times; else
/// empty.
std::string HeightComplaint(const ContactHeights& heights, const Eigen::MatrixXd& bench_covariance);

}  // namespace percuss::pipeline
