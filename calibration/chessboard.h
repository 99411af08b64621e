// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibration/corner_refinement.h"
#include "capture/experiment.h"

namespace percuss::calibration {

/// The inner corners of a chessboard in one image.
///
/// Corner (i, j), i along the columns, is at place j * columns + i. The rows run clockwise from the
/// columns as seen from the printed side. Which corner is first is fixed by colour where colour can
/// tell (columns + rows odd): the board square diagonally outside the first corner is black. On a
/// board of odd columns and even rows, held with its two black corner squares on the left, that is
/// the top-left corner. Where colour cannot tell, order_known is false and the order may be turned
/// by half a turn (by quarter turns if the board is square).
struct BoardCorners {
  bool found = false;
  std::string reason;  ///< why it was not found
  bool order_known = false;
  std::vector<Eigen::Vector2d> pixels;  ///< empty unless found; NaN where refinement failed
  std::vector<double> sigmas_px;  ///< per coordinate, from image noise; NaN where refinement failed
};

/// Size of a chessboard, in inner corners, the longer side first.
struct GridSize {
  int columns = 0, rows = 0;
};

struct FindBoardOptions {
  CornerRefinementOptions refinement = {};
  /// Only the detector that takes a tenth of a second whatever the picture shows; the others take
  /// some seconds where they find nothing.
  bool quick = false;
};

/// Finds all inner corners of the described board and refines each to sub-pixel precision.
/// A board with more corners than described is refused: the ring of squares around the outermost
/// described ones must not go on with the pattern.
/// @param grey CV_8UC1.
/// @param light The same image in light (capture::Linearise), CV_32FC1: see RefineCorner.
/// @throws std::invalid_argument for other image types, different sizes, or fewer than 3 columns or
/// rows.
BoardCorners FindBoard(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                       const FindBoardOptions& options = {});

/// The size of whatever chessboard the picture shows, for error messages; nothing if none is seen.
std::optional<GridSize> FindGridSize(const cv::Mat& grey, const cv::Mat& light);

}  // namespace percuss::calibration
