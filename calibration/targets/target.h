// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

#include "calibration/targets/target_points.h"

namespace percuss::calibration {

/// Finds the described target and measures each of its points to sub-pixel precision:
/// FindBoard, FindCharuco, FindAprilGrid or FindCircleGrid.
/// @param grey CV_8UC1.
/// @param light The same image in light (capture::Linearise), CV_32FC1.
/// @throws std::invalid_argument for other image types, different sizes, or a board with too few
/// rows or columns, or lengths that do not fit its type.
BoardCorners FindTarget(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                        const FindBoardOptions& options = {});

/// Another target of the described type.
struct OtherTarget {
  std::string description;  ///< "9 x 6 inner corners", for messages
  /// Of a chessboard: inner corners along the longer and the shorter side.
  std::optional<std::array<int, 2>> counts = {};
};

/// What another target of this type the picture shows; nothing if none is seen.
std::optional<OtherTarget> FindOtherTarget(const cv::Mat& grey, const cv::Mat& light,
                                           const capture::Board& board);

}  // namespace percuss::calibration
