// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/tracking/spots/spot_rendering.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace percuss::tracking {
namespace {

double NormalCdf(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

/// Integral of NormalCdf(t / sigma) up to t.
double IntegralOfCdf(double t, double sigma) {
  const double z = t / sigma;
  return t * NormalCdf(z) + sigma * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

void AddShare(const DrawnDisc& disc, double x, double y, double blur, double weight,
              Eigen::MatrixXd* share) {
  const double c = std::cos(disc.angle), s = std::sin(disc.angle);
  const double p = 1.0 / (disc.long_axis * disc.long_axis);
  const double q = 1.0 / (disc.short_axis * disc.short_axis);
  const double xx = c * c * p + s * s * q, yy = s * s * p + c * c * q, xy = c * s * (p - q);
  const double half = std::hypot(disc.long_axis * s, disc.short_axis * c);
  const int num_chords = 32 + static_cast<int>(24.0 * half);
  const Eigen::Index size = share->rows();
  Eigen::VectorXd along(size), across(size);
  for (int k = 0; k < num_chords; ++k) {
    const double angle = std::numbers::pi * ((k + 0.5) / num_chords - 0.5);
    const double v = half * std::sin(angle);
    const double height = half * std::cos(angle) * std::numbers::pi / num_chords;
    const double root = xy * xy * v * v - xx * (yy * v * v - 1.0);
    if (root <= 0.0) continue;
    const double middle = x - xy * v / xx, reach = std::sqrt(root) / xx;
    for (Eigen::Index i = 0; i < size; ++i) {
      const double pixel = static_cast<double>(i);
      const auto covered = [&](double end) {
        return IntegralOfCdf(pixel + 0.5 - end, blur) - IntegralOfCdf(pixel - 0.5 - end, blur);
      };
      along[i] = covered(middle - reach) - covered(middle + reach);
      across[i] = height * (NormalCdf((pixel + 0.5 - y - v) / blur) -
                            NormalCdf((pixel - 0.5 - y - v) / blur));
    }
    *share += weight * across * along.transpose();
  }
}

}  // namespace

Eigen::MatrixXd ShareOfDisc(const DrawnDisc& disc, int size, double blur) {
  Eigen::MatrixXd share = Eigen::MatrixXd::Zero(size, size);
  const double way = std::hypot(disc.motion_x, disc.motion_y);
  const int steps = way > 0.0 ? 1 + static_cast<int>(3.0 * way) : 1;
  for (int k = 0; k < steps; ++k) {
    const double part = (k + 0.5) / steps - 0.5;
    AddShare(disc, disc.x + part * disc.motion_x, disc.y + part * disc.motion_y, blur, 1.0 / steps,
             &share);
  }
  return share;
}

double GreyOfLight(double light) {  // IEC 61966-2-1
  return 255.0 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055);
}

cv::Mat Rounded(const Eigen::MatrixXd& grey) {
  cv::Mat image(static_cast<int>(grey.rows()), static_cast<int>(grey.cols()), CV_8UC1);
  for (int y = 0; y < image.rows; ++y) {
    for (int x = 0; x < image.cols; ++x) {
      image.at<uchar>(y, x) = static_cast<uchar>(std::clamp(std::lround(grey(y, x)), 0L, 255L));
    }
  }
  return image;
}

cv::Mat Noisy(const Eigen::MatrixXd& grey, double noise, std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, noise);
  return Rounded(grey.unaryExpr([&](double value) { return value + normal(*random); }));
}

}  // namespace percuss::tracking
