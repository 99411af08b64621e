// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>

namespace percuss::calibration {

/// Where a corner of a chessboard is expected and how its squares lie around it.
struct CornerGuess {
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Vector2d step_x = Eigen::Vector2d::Zero();  ///< to the next corner along a row [px]
  Eigen::Vector2d step_y = Eigen::Vector2d::Zero();  ///< to the next corner along a column [px]
  double blur_px = 0.4;  ///< of its edges; near corners of the picture tell it, and save steps
};

struct CornerRefinementOptions {
  /// Half size of the window in squares: it is a parallelogram along the two steps, so that it
  /// reaches equally far into all four squares however the board is tilted.
  double window_squares = 0.5;
  double max_half_window_px = 15.0;  ///< beyond it lens distortion bends the edges
  /// How far from both edges, in squares, something else than the four squares is drawn (markers).
  /// Pixels beyond in both directions, or up to 2 px before, are left out: a cross along the edges
  /// remains. It must be wider than 1.6 px.
  double clear_squares = 1.0;
  double max_shift_squares = 0.35;  ///< a corner that moves further from its guess is refused
  int max_iterations = 30;
};

struct RefinedCorner {
  bool ok = false;
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of `pixel`, from image noise [px^2]
  double blur_px = 0.0;                                  ///< standard deviation of the edge profile
  double contrast = 0.0;  ///< grey value of a white square minus that of a black one
  double residual = 0.0;  ///< rms of image minus model, in grey values
};

/// Fits the image of two crossing straight edges,
///
///     light(x) = a + g . (x - c) + b E(n1 . (x - c)) E(n2 . (x - c)),   E(d) = erf(d / (sqrt2 s)),
///
/// to the pixels around one corner by Levenberg-Marquardt in the corner c, the directions of the
/// two edges, the blur s, the brightness a with its slope g, and the contrast b.
///
/// The blur includes the pixel itself (at least 1/sqrt(12) px). A chessboard corner looks the same
/// turned by half a turn, so its centre of symmetry c is not biased by the shape of the edge
/// profile as long as the samples are dense. On sharp pictures they are not: a pixel averages
/// *light*, and fitting encoded grey values then pulls corners of boards aligned with the pixel
/// rows by up to 0.3 px. So give it light.
/// @param light CV_32FC1, proportional to radiance, any scale.
RefinedCorner RefineCorner(const cv::Mat& light, const CornerGuess& guess,
                           const CornerRefinementOptions& options = {});

}  // namespace percuss::calibration
