// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <opencv2/core/mat.hpp>
#include <optional>

namespace percuss::tracking {

/// A part of a picture.
struct PicturePart {
  cv::Mat luma;                                      ///< CV_8UC1
  Eigen::Vector2d corner = Eigen::Vector2d::Zero();  ///< pixel of its top left one in the picture
};

/// Where the light steps from one level to another.
struct EdgePlace {
  double offset = 0.0;  ///< [px] from where it was looked for, along the normal
  double sigma = 0.0;   ///< [px] of the noise that the fit leaves
  double step = 0.0;    ///< of light: outside less inside
};

/// Finds the edge across a line of a picture, within `range` pixels to both sides of `pixel`: least
/// squares of
///     a + h Phi((x - x0) / s)
/// to the mean of light along the edge over three pixels. Phi is the normal distribution: optics,
/// the area of a pixel and motion during the exposure spread a step evenly to both sides, in light
/// as in no other scale of grey. Nothing where the step is no larger than six times what the fit
/// leaves, or another model would fit better: the edge lies in the outer third, is wider than half
/// the range, or leaves more than a tenth of the step.
std::optional<EdgePlace> FindEdge(const PicturePart& picture,
                                  const std::array<float, 256>& light_of_grey,
                                  const Eigen::Vector2d& pixel, const Eigen::Vector2d& normal,
                                  double range);

}  // namespace percuss::tracking
