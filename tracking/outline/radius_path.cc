// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/radius_path.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

Eigen::VectorXd TermsAt(const RadiusPath& path, double time, const Eigen::Vector2d& place) {
  const double t = time - path.begin;
  Eigen::VectorXd terms(3 + static_cast<Eigen::Index>(path.bounces.size()));
  terms.head<3>() << 1.0, t, path.down.dot(place) / path.usual;
  for (std::size_t k = 0; k < path.bounces.size(); ++k)
    terms[3 + static_cast<Eigen::Index>(k)] = std::max(0.0, t - path.bounces[k]);
  return terms;
}

}  // namespace

ValueWithSigma RadiusPath::At(double time, const Eigen::Vector2d& place) const {
  const Eigen::VectorXd terms = TermsAt(*this, time, place);
  const double radius = usual / terms.dot(by);
  const double known = radius / usual * std::sqrt(terms.dot(covariance * terms));
  return {radius, radius * std::hypot(known, scatter)};
}

std::optional<RadiusPath> FitRadii(std::span<const MeasuredRadius> outlines,
                                   std::span<const double> bounces, const Eigen::Vector2d& down) {
  constexpr std::size_t kLeastOutlines = 8;
  // Of what outlines of shaded balls are good to, of the radius; of levels, in radii; of changes
  // per time of the whole path: a ball does not come as near as to be half as large.
  constexpr double kFloor = 1e-3, kLevelSigma = 10.0, kChange = 0.5;
  if (outlines.size() < kLeastOutlines) return std::nullopt;
  RadiusPath path{.begin = outlines.front().time, .down = down};
  std::vector<double> radii;
  for (const MeasuredRadius& one : outlines) radii.push_back(one.radius);
  path.usual = Median(radii);
  for (const double time : bounces) path.bounces.push_back(time - path.begin);
  const double duration = outlines.back().time - path.begin;
  const auto count = 3 + static_cast<Eigen::Index>(bounces.size());
  Eigen::VectorXd prior = Eigen::VectorXd::Constant(count, std::pow(duration / kChange, 2));
  prior[0] = prior[2] = std::pow(kLevelSigma, -2);
  path.by = Eigen::VectorXd::Unit(count, 0);
  double scale = 1e3;
  for (int round = 0; round < 10; ++round) {
    Eigen::MatrixXd normal = prior.asDiagonal();
    Eigen::VectorXd right = -prior.cwiseProduct(path.by - Eigen::VectorXd::Unit(count, 0));
    std::vector<double> sizes;
    for (const MeasuredRadius& one : outlines) {
      const Eigen::VectorXd terms = TermsAt(path, one.time, one.place);
      const double sigma = std::hypot(one.sigma / path.usual, kFloor);
      const double residual = (path.usual / one.radius - path.by.dot(terms)) / sigma;
      sizes.push_back(std::abs(residual));
      const double z = residual / (2.0 * scale);
      const double weight = 1.0 / (1.0 + z * z) / (scale * scale * sigma * sigma);
      normal += weight * terms * terms.transpose();
      right += weight * sigma * residual * terms;
    }
    path.covariance = normal.ldlt().solve(Eigen::MatrixXd::Identity(count, count));
    path.by += path.covariance * right;
    scale = std::max(1.0, 1.4826 * Median(sizes));
  }
  path.scatter = scale * kFloor;
  if (!path.by.allFinite() || !path.covariance.allFinite()) return std::nullopt;
  return path;
}

}  // namespace percuss::tracking
