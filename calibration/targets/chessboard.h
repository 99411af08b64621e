// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>

#include "calibration/targets/target_points.h"

namespace percuss::calibration {

/// Size of a chessboard, in inner corners, the longer side first.
struct GridSize {
  int columns = 0, rows = 0;
};

/// Finds all inner corners of the described chessboard and refines each to sub-pixel precision.
/// A board with more corners than described is refused: the ring of squares around the outermost
/// described ones must not go on with the pattern.
///
/// Which corner is first is fixed by colour where colour can tell (columns + rows odd): the board
/// square diagonally outside the first corner is black. On a board of odd columns and even rows,
/// held with its two black corner squares on the left, that is the top-left corner. Otherwise the
/// board looks the same after half a turn (with as many rows as columns: after a quarter turn if
/// both are even; if both are odd the square outside the first corner is black); then order_known
/// is false.
/// @throws std::invalid_argument as FindTarget; needs at least 3 columns and rows.
BoardCorners FindBoard(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                       const FindBoardOptions& options = {});

/// The size of whatever chessboard the picture shows, for error messages; nothing if none is seen.
std::optional<GridSize> FindGridSize(const cv::Mat& grey, const cv::Mat& light);

}  // namespace percuss::calibration
