// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

#include "base/nan.h"
#include "base/value_with_sigma.h"

namespace percuss::tracking {

/// The graduation of a ruler in a picture.
struct FoundRuler {
  std::string reason = "no picture was searched for a ruler";  ///< why there is none; empty: it is
  /// The first and the last mark [px], on a line across the shortest ones.
  Eigen::Vector2d from = Eigen::Vector2d::Constant(kNaN);
  Eigen::Vector2d to = Eigen::Vector2d::Constant(kNaN);
  int intervals = 0;     ///< between marks, from the first to the last
  double share = 0.0;    ///< of all marks between them that are seen
  ValueWithSigma pitch;  ///< mean distance of neighbours: that of the ends over `intervals` [px]
  /// Of `to` from the plane of the camera, over that of `from`: what makes marks farther away lie
  /// closer together.
  ValueWithSigma depth_ratio;
  std::vector<int> longer;      ///< {5, 10}: every 5th mark is longer, every 10th longer still
  double mark_distance = kNaN;  ///< what the long marks say that a pitch is [m]; NaN: nothing
};

/// Finds the row of marks of a ruler, in any direction: at least 20 strokes at even distances (in
/// perspective) of 2.6 px or more, whose lengths may be different. Of several rows it takes
/// the first whose long marks tell its unit, else the one with the most marks; of rows that lie in
/// each other (each millimetre, each fifth) the finest.
///
/// Lines of a spectrum of tiles (FindPeriodicPlaces) are followed mark by mark (FollowMarks), each
/// mark at the phase of one pitch of the picture. Sigmas are those of the least squares by its
/// residuals, and 0.003 px of each end for what pixels do to phases; 0.005 of the depth ratio, as
/// much as distortion of an ordinary lens seems to be.
/// @param grey CV_8UC1; what moves is not in it
FoundRuler FindRuler(const cv::Mat& grey);

}  // namespace percuss::tracking
