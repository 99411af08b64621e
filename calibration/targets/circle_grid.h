// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

#include "calibration/targets/target_points.h"

namespace percuss::calibration {

/// Finds all discs of the described grid of circles, symmetric or asymmetric, dark on bright or
/// bright on dark, and measures the centroid of each (see MeasureDiscs). Discs must look at least
/// about 6 px wide.
///
/// Candidates are round patches that differ from the mean of their surround. From one of them a
/// lattice is grown step by step, each next disc looked for where the steps around it point, so
/// that perspective and lens distortion do not matter and strangers beside the grid are left out.
/// The board is found if its layout, and no larger one, is filled without gaps.
///
/// The order is known if the layout looks different after half a turn: for asymmetric circles with
/// an odd number of rows, whose even rows are those that begin and end further against x. It does
/// not for asymmetric circles with an even number of rows and for symmetric circles (with as many
/// rows as columns not even after a quarter turn).
/// @throws std::invalid_argument as FindTarget; needs at least 3 rows and 3 columns (2 for
/// asymmetric circles).
BoardCorners FindCircleGrid(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board);

/// The size of whatever grid of this type the picture shows, for messages.
std::optional<std::string> DescribeOtherCircleGrid(const cv::Mat& grey,
                                                   const capture::Board& board);

}  // namespace percuss::calibration
