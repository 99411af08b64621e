// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "tracking/ruler/periodic_places.h"

namespace percuss::tracking {

/// Where a mark of a row is.
struct RowMark {
  double place = 0.0;  ///< along the row [px]
  bool seen = false;   ///< and where it is expected
};

/// Marks as a camera sees those of a ruler: mark n at
///     origin + s_n along,  s_n = (a + b n) / (1 + c n),
/// which is exact for even marks on a straight line and a lens without distortion. n counts from
/// `first`, which may be negative.
struct RowOfMarks {
  Eigen::Vector2d origin = Eigen::Vector2d::Zero();   ///< [px]
  Eigen::Vector2d along = Eigen::Vector2d::UnitX();   ///< of the row, unit
  Eigen::Vector2d stroke = Eigen::Vector2d::UnitY();  ///< of the marks, unit
  Eigen::Vector3d abc = Eigen::Vector3d::Zero();
  Eigen::MatrixXd covariance;  ///< of abc, by the residuals
  int first = 0;
  std::vector<RowMark> marks;
  double half_height = 1.0;  ///< of the stretch of the marks that is looked at [px]
  double sign = -1.0;        ///< of marks: -1 darker than what is between, 1 brighter
  double amplitude = 0.0;    ///< median, of the first harmonic [grey values]
  double rms = 0.0;          ///< of the places of marks that are seen [px]

  int Last() const { return first + static_cast<int>(marks.size()) - 1; }
  double PlaceOf(double n) const { return (abc[0] + abc[1] * n) / (1.0 + abc[2] * n); }
  double PitchAt(double n) const {
    return (abc[1] - abc[0] * abc[2]) / ((1.0 + abc[2] * n) * (1.0 + abc[2] * n));
  }
  Eigen::Vector2d PixelOf(double n) const { return origin + PlaceOf(n) * along; }
  double ShareSeen() const;
};

/// The same with what is between marks taken for marks, and one less: in coarse pictures the two
/// look alike, but only marks are longer at every fifth.
RowOfMarks WithGapsForMarks(RowOfMarks row);

/// The complex amplitude of one pitch of the picture about a place [grey values], averaged over
/// `half_height` both ways along the stroke; its phase is that of the mark.
/// (real, imaginary); NaN outside of the picture
Eigen::Vector2d PitchHarmonic(const cv::Mat& grey, const Eigen::Vector2d& place,
                              const RowOfMarks& row, double pitch, double half_height);

/// Follows the marks of a row from a place where the picture repeats itself, to both sides as far
/// as four of five are there. Nothing where fewer than 20 or less than 80 % of them are seen, or
/// they are not even (rms of more than 8 % of the pitch).
std::optional<RowOfMarks> FollowMarks(const cv::Mat& grey, const PeriodicPlace& place);

}  // namespace percuss::tracking
