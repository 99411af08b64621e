// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/contact_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "solver/restitution/restitution_coefficients.h"

namespace percuss::fitting {
namespace {

using Eigen::Vector3d;
using impacts::ImpactRecord;

constexpr int kNumNumbers = 7;
using Numbers = Eigen::Matrix<double, kNumNumbers, 1>;
using Errors = Eigen::Matrix<double, kErrorDimension, 1>;
constexpr int kSlip = 1, kTangential = 4;  // places among the numbers

// To the contact point, or the middle of several.
Vector3d ContactArm(const Impact& impact) {
  const std::vector<Vector3d>& touching = impact.geometry.touching;
  if (touching.empty()) return impact.record.r;
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& arm : touching) sum += arm;
  return sum / static_cast<double>(touching.size());
}

Numbers NumbersOf(const Impact& impact, const Errors& error) {
  const ImpactRecord& record = impact.record;
  const ImpactGeometry& geometry = impact.geometry;
  const Vector3d r = ContactArm(impact) +
                     geometry.arm_per_rotation * error.segment<3>(impacts::kRotation) +
                     error.segment<3>(kArm);
  const auto velocity = [&](const Vector3d& v, const Vector3d& w, int at_v, int at_w) -> Vector3d {
    return geometry.frame.transpose() *
           (v + error.segment<3>(at_v) + (w + error.segment<3>(at_w)).cross(r));
  };
  const Vector3d before = velocity(record.v, record.w, impacts::kV, impacts::kW);
  const Vector3d after = velocity(record.v_post, record.w_post, impacts::kVPost, impacts::kWPost);
  const Vector3d impulse = geometry.mass * geometry.frame.transpose() *
                           (record.v_post - record.v + error.segment<3>(impacts::kVPost) -
                            error.segment<3>(impacts::kV));
  constexpr double kDegrees = 180.0 / std::numbers::pi;
  const double slip = before.head<2>().norm();
  Numbers numbers;
  numbers << -before.z(), slip, kDegrees * std::atan2(slip, -before.z()),
      solver::NewtonRestitution<double>(before, after),
      solver::TangentialRestitution<double>(before, after),
      solver::IvanovRestitution<double>(before, after, impulse),
      impulse.head<2>().norm() / impulse.z();
  return numbers;
}

/// Derivatives by the errors, one row for each number.
Eigen::Matrix<double, kNumNumbers, kErrorDimension> GradientOf(const Impact& impact) {
  constexpr double kStep = 1e-6;  // m/s, rad/s, rad; of the arm in metres
  Eigen::Matrix<double, kNumNumbers, kErrorDimension> gradient;
  for (int k = 0; k < kErrorDimension; ++k) {
    const Errors step = kStep * Errors::Unit(k);
    gradient.col(k) = (NumbersOf(impact, step) - NumbersOf(impact, -step)) / (2.0 * kStep);
  }
  return gradient;
}

ContactNumbers NumbersOf(const Impact& impact) {
  const Numbers values = NumbersOf(impact, Errors::Zero());
  const auto gradient = GradientOf(impact);
  const Numbers sigmas =
      (gradient * impact.errors.Total() * gradient.transpose()).diagonal().cwiseSqrt();
  // A velocity that nobody measured has this sigma or more.
  constexpr double kLargestShare = 0.1;
  const auto number = [&](int k) -> ValueWithSigma {
    if (!std::isfinite(values[k]) || !(sigmas[k] < kLargestShare * impacts::kUnmeasuredSigma))
      return {};
    return {values[k], sigmas[k]};
  };
  constexpr double kLeastSlip = 3.0;  // sigmas
  const bool slips = values[kSlip] > kLeastSlip * sigmas[kSlip];
  return {.trial = impact.record.trial,
          .approach = number(0),
          .slip = number(kSlip),
          .incidence_deg = number(2),
          .e_n = number(3),
          .e_t = slips ? number(kTangential) : ValueWithSigma{},
          .eta = number(5),
          .impulse_ratio = number(6),
          .points = std::max(1, static_cast<int>(impact.geometry.touching.size()))};
}

}  // namespace

std::vector<ContactNumbers> CalcContactNumbers(const PreparedImpacts& data) {
  std::vector<ContactNumbers> all;
  for (const Impact& impact : data.impacts) {
    if (impact.reason_unusable.empty()) all.push_back(NumbersOf(impact));
  }
  return all;
}

}  // namespace percuss::fitting
