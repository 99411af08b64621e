// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/tags/blurred_tag.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::tracking {
namespace {

/// Normal integrals from all lines of one direction to a place, with their derivatives by it.
struct Steps {
  int first = 0, last = 0;  ///< lines [first, last) are within reach; before them all is 1
  // Orders 0 to 4 of the derivative.
  Eigen::Array<double, 5, 12> of = Eigen::Array<double, 5, 12>::Zero();

  Steps(double place, double sigma, int num_lines) {
    constexpr double kReach = 4.5;  // [sigmas], 3e-6 of a step
    first = std::clamp(static_cast<int>(std::ceil(place - kReach * sigma)), 0, num_lines);
    last = std::clamp(static_cast<int>(std::floor(place + kReach * sigma)) + 1, first, num_lines);
    for (int i = first; i < last; ++i) {
      const double z = (place - i) / sigma;
      const double bell =
          std::exp(-0.5 * z * z) * 0.5 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi / sigma;
      of(0, i) = 0.5 * std::erfc(-z / std::numbers::sqrt2);
      of(1, i) = bell;
      of(2, i) = -z * bell / sigma;
      of(3, i) = (z * z - 1.0) * bell / (sigma * sigma);
      of(4, i) = -(z * z * z - 3.0 * z) * bell / (sigma * sigma * sigma);
    }
  }
};

}  // namespace

BlurredTag::BlurredTag(const Eigen::MatrixXd& cells) : cells_(cells) {
  const int n = static_cast<int>(cells.rows());
  const auto ink = [&](int x, int y) {
    return x < 0 || y < 0 || x >= n || y >= n ? 0.0 : 1.0 - cells(y, x);
  };
  differences_.resize(n + 1, n + 1);
  for (int x = 0; x <= n; ++x) {
    for (int y = 0; y <= n; ++y)
      differences_(x, y) = ink(x, y) - ink(x - 1, y) - ink(x, y - 1) + ink(x - 1, y - 1);
  }
}

BlurredTag::Share BlurredTag::At(const Eigen::Vector2d& place, const Eigen::Matrix2d& blur) const {
  const int lines = static_cast<int>(differences_.rows());
  const Steps x(place.x(), std::sqrt(blur(0, 0)), lines),
      y(place.y(), std::sqrt(blur(1, 1)), lines);
  // sums(a, b) is the derivative of order a by x and b by y, without C_xy.
  Eigen::Matrix<double, 5, 5> sums = Eigen::Matrix<double, 5, 5>::Zero();
  for (int i = 0; i < x.last; ++i) {
    const bool whole_x = i < x.first;
    Eigen::Matrix<double, 1, 5> row = Eigen::Matrix<double, 1, 5>::Zero();
    for (int j = 0; j < y.first; ++j) row[0] += differences_(i, j);
    for (int j = y.first; j < y.last; ++j)
      row += differences_(i, j) * y.of.col(j).matrix().transpose();
    if (whole_x) {
      sums.row(0) += row;
    } else {
      sums += x.of.col(i).matrix() * row;
    }
  }
  const double c = blur(0, 1);
  Share share;
  share.ink = sums(0, 0) + c * (sums(1, 1) + 0.5 * c * sums(2, 2));
  share.by_place = {sums(1, 0) + c * (sums(2, 1) + 0.5 * c * sums(3, 2)),
                    sums(0, 1) + c * (sums(1, 2) + 0.5 * c * sums(2, 3))};
  share.by_place_2 << sums(2, 0) + c * sums(3, 1), sums(1, 1) + c * sums(2, 2),
      sums(1, 1) + c * sums(2, 2), sums(0, 2) + c * sums(1, 3);
  return share;
}

}  // namespace percuss::tracking
