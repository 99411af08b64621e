// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <random>

namespace percuss::tracking {

/// Pictures of discs for tests and benchmarks, by other formulas than those of the measurement.

struct DrawnDisc {
  double x = 0.0, y = 0.0;  ///< centre [px]
  double long_axis = 4.0;   ///< semi-axis [px]
  double short_axis = 4.0;  ///< semi-axis [px]
  double angle = 0.0;       ///< of the long axis
  double motion_x = 0.0,
         motion_y = 0.0;  ///< way during the exposure, the centre in its middle [px]
};

/// Share of the disc in each pixel of a square picture after a Gaussian blur of standard deviation
/// `blur`: the disc as chords along x, each exact over the width of the pixel, summed over y by the
/// trapezoidal rule in the angle of an ellipse.
Eigen::MatrixXd ShareOfDisc(const DrawnDisc& disc, int size, double blur);

/// Grey value of light by the sRGB curve, not rounded.
double GreyOfLight(double light);

/// Adds Gaussian noise to grey values and rounds to 8 bits.
cv::Mat Noisy(const Eigen::MatrixXd& grey, double noise, std::mt19937* random);
cv::Mat Rounded(const Eigen::MatrixXd& grey);

}  // namespace percuss::tracking
