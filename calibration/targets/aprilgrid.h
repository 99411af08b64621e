// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

#include "calibration/targets/target_points.h"

namespace percuss::calibration {

/// Finds an AprilGrid as Kalibr prints it (J. Maye, P. Furgale, R. Siegwart, IEEE Intelligent
/// Vehicles Symposium 2013): tags in columns and rows, numbered along the rows from the bottom left
/// one, with a small black square at each corner of each tag. Its points are the corners of the
/// tags, where two black squares touch: each looks like the corner of a chessboard, and is measured
/// as one (RefineCorner), between the small squares and the cells of the code.
///
/// Part of a board is enough: two tags. Tags that do not lie where the board has them are taken for
/// strangers. The order is always known. Whether the dictionary's prints are turned against those
/// of the board, by quarter turns, is read from the picture.
/// @throws std::invalid_argument as FindTarget: needs spacing above 0 and below 1, and a known
/// dictionary with enough tags.
BoardCorners FindAprilGrid(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                           const FindBoardOptions& options = {});

/// What AprilGrid of the same dictionary the picture shows, for messages.
std::optional<std::string> DescribeOtherAprilGrid(const cv::Mat& grey, const capture::Board& board);

}  // namespace percuss::calibration
