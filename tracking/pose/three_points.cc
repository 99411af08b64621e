// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/three_points.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

namespace percuss::tracking {
namespace {

/// Real parts of the roots of c[0] + c[1] x + ... + c[4] x^4 that are nearly real: double roots,
/// where two poses meet, have rounding for an imaginary part.
std::vector<double> NearlyRealRoots(const std::array<double, 5>& c) {
  constexpr double kNearlyReal = 1e-3;
  std::vector<double> roots;
  if (!(std::abs(c[4]) > 1e-12)) return roots;
  Eigen::Matrix4d companion = Eigen::Matrix4d::Zero();
  companion.bottomLeftCorner<3, 3>().setIdentity();
  for (int k = 0; k < 4; ++k) companion(k, 3) = -c[k] / c[4];
  const Eigen::Vector4cd values = companion.eigenvalues();
  for (const std::complex<double>& value : values) {
    if (std::abs(value.imag()) < kNearlyReal * (1.0 + std::abs(value.real())))
      roots.push_back(value.real());
  }
  return roots;
}

double Squared(double x) { return x * x; }

}  // namespace

std::vector<BodyPose> PosesOfThreePoints(const std::array<Eigen::Vector3d, 3>& directions,
                                         const std::array<Eigen::Vector3d, 3>& p_B) {
  std::vector<BodyPose> poses;
  const double a2 = (p_B[1] - p_B[2]).squaredNorm(), b2 = (p_B[0] - p_B[2]).squaredNorm(),
               c2 = (p_B[0] - p_B[1]).squaredNorm();
  const double area = (p_B[1] - p_B[0]).cross(p_B[2] - p_B[0]).norm();
  if (!(area > 1e-3 * std::max({a2, b2, c2}))) return poses;
  const double alpha = directions[1].dot(directions[2]), beta = directions[0].dot(directions[2]),
               gamma = directions[0].dot(directions[1]);
  const double p = (a2 - c2) / b2, q = (a2 + c2) / b2, r = c2 / b2, t = a2 / b2;
  const std::array<double, 5> quartic = {
      Squared(1.0 + p) - 4.0 * t * Squared(gamma),
      4.0 * (-p * (1.0 + p) * beta + 2.0 * t * Squared(gamma) * beta - (1.0 - q) * alpha * gamma),
      2.0 * (Squared(p) - 1.0 + 2.0 * Squared(p * beta) + 2.0 * (1.0 - r) * Squared(alpha) -
             4.0 * q * alpha * beta * gamma + 2.0 * (1.0 - t) * Squared(gamma)),
      4.0 * (p * (1.0 - p) * beta - (1.0 - q) * alpha * gamma + 2.0 * r * Squared(alpha) * beta),
      Squared(p - 1.0) - 4.0 * r * Squared(alpha)};
  for (const double v : NearlyRealRoots(quartic)) {
    const double below = 2.0 * (gamma - v * alpha);
    const double u = ((p - 1.0) * v * v - 2.0 * p * beta * v + 1.0 + p) / below;
    const double s1 = std::sqrt(b2 / (1.0 + v * v - 2.0 * v * beta));
    if (!(v > 0.0 && u > 0.0 && std::isfinite(u) && s1 > 0.0)) continue;
    poses.push_back(
        AlignPoints(p_B, std::array<Eigen::Vector3d, 3>{s1 * directions[0], u * s1 * directions[1],
                                                        v * s1 * directions[2]}));
  }
  return poses;
}

}  // namespace percuss::tracking
