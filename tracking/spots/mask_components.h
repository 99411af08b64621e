// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <opencv2/core/mat.hpp>
#include <vector>

namespace percuss::tracking {

/// Pixels x_begin to x_end - 1 of row y.
struct MaskRun {
  int y = 0;
  int x_begin = 0;
  int x_end = 0;
};

/// Pixels that touch each other, also by corners.
struct MaskComponent {
  cv::Rect box;
  int area = 0;               ///< pixels
  std::vector<MaskRun> runs;  ///< by rows, then columns
};

/// The runs of pixels that are not zero, by rows, then columns. @param mask CV_8UC1.
std::vector<MaskRun> RunsOf(const cv::Mat& mask);

/// The connected components of the pixels that are not zero, ordered by their first run. Meant for
/// masks that are empty nearly everywhere: beyond passing the zeros, time goes with the number of
/// runs.
/// @param mask CV_8UC1.
std::vector<MaskComponent> ComponentsOf(const cv::Mat& mask);

/// Those of the pixels of runs. @param runs by rows, then columns, none of which touches the next.
std::vector<MaskComponent> ComponentsOf(const std::vector<MaskRun>& runs);

}  // namespace percuss::tracking
