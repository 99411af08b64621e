// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

#include "calibration/targets/target_points.h"

namespace percuss::calibration {

/// Finds the inner corners of the described ChArUco board that lie next to a marker that was read,
/// and refines each to sub-pixel precision.
///
/// Found are at least 6 corners that are not on one line; the others are NaN. The order is always
/// known: columns and rows run along those of the markers, which are numbered row by row.
///
/// Where the rows of squares are even, two boards are in use: since OpenCV 4.6 the first square is
/// black, before it held marker 0. If Board::legacy_pattern does not say which one it is, it is the
/// one that makes more markers fit together. A part of a board may fit both: if only markers of one
/// row are read, or, where the columns of squares are odd, no first marker of a row that begins
/// with one. Then it counts as not found, so that no corner is silently taken for its neighbour.
/// Likewise markers that do not lie where the described board has them are taken for strangers.
/// @throws std::invalid_argument as FindTarget: needs at least 2 columns and rows, `marker` above 0
/// and below `square`, and a known dictionary with enough markers.
BoardCorners FindCharuco(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                         const FindBoardOptions& options = {});

/// What ChArUco board of the same dictionary the picture shows, for messages: how many columns of
/// inner corners make its markers fit together.
std::optional<std::string> DescribeOtherCharuco(const cv::Mat& grey, const capture::Board& board);

}  // namespace percuss::calibration
