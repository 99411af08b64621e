// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/restitution_ratios.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>

#include "solver/body/inertia_errors.h"

namespace percuss::impacts {
namespace {

using Vector18d = Eigen::Matrix<double, kImpactDimension, 1>;

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr double kSigmasAboveZero = 3.0;
constexpr double kRoundingShare = 1e-9;

/// A quantity with its derivatives by the error vector and by the inertia (solver::InertiaError).
struct Derived {
  double value = kNaN;
  Vector18d by_state = Vector18d::Zero();
  solver::InertiaError by_inertia = solver::InertiaError::Zero();
};

class ErrorPropagation {
 public:
  ErrorPropagation(const ImpactRecord& record, const Eigen::MatrixXd& shared) : record_(record) {
    const Eigen::Index size = shared.rows();
    if (size == 0 || record.body_sensitivity.cols() != size) return;
    const Eigen::MatrixXd by_inertia = record.body_sensitivity.bottomRows<6>();
    const Eigen::MatrixXd spread = shared * by_inertia.transpose();
    inertia_ = by_inertia * spread;
    if (record.calibration_sensitivity.cols() == size) {
      state_and_inertia_ = record.calibration_sensitivity * spread;
    }
  }

  /// NaN without a covariance.
  double SigmaOf(const Derived& derived) const {
    if (!record_.covariance) return kNaN;
    const double variance = derived.by_state.dot(*record_.covariance * derived.by_state) +
                            2.0 * derived.by_state.dot(state_and_inertia_ * derived.by_inertia) +
                            derived.by_inertia.dot(inertia_ * derived.by_inertia);
    return std::sqrt(std::max(0.0, variance));
  }

  ValueWithSigma Of(const Derived& derived) const { return {derived.value, SigmaOf(derived)}; }

  /// Whether one can divide by it: it differs from zero by more than errors and rounding.
  bool IsAboveZero(const Derived& derived, double scale) const {
    const double sigma = SigmaOf(derived);
    const double least = kRoundingShare * scale;
    return derived.value > (std::isnan(sigma) ? least : std::max(least, kSigmasAboveZero * sigma));
  }

 private:
  const ImpactRecord& record_;
  Eigen::Matrix<double, 6, 6> inertia_ = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, kImpactDimension, 6> state_and_inertia_ =
      Eigen::Matrix<double, kImpactDimension, 6>::Zero();
};

Derived Component(const Eigen::Vector3d& velocity, const Eigen::Vector3d& direction, int index) {
  Derived derived{.value = velocity.dot(direction)};
  derived.by_state.segment<3>(index) = direction;
  return derived;
}

/// a / b with their derivatives.
Derived Ratio(const Derived& a, const Derived& b) {
  const double value = a.value / b.value;
  return {.value = value,
          .by_state = (a.by_state - value * b.by_state) / b.value,
          .by_inertia = (a.by_inertia - value * b.by_inertia) / b.value};
}

/// Kinetic energy [J]: m |v|^2 / 2 + w.I w / 2, I in world axes.
Derived Energy(const ImpactRecord& record, const solver::Body& body, const Eigen::Vector3d& v,
               const Eigen::Vector3d& w, int v_index, int w_index) {
  const Eigen::Matrix3d R = record.q_WB.toRotationMatrix();
  const Eigen::Vector3d w_B = R.transpose() * w;
  const Eigen::Vector3d momentum = R * (body.inertia * w_B);
  Derived derived{.value = 0.5 * (body.mass * v.squaredNorm() + w.dot(momentum))};
  derived.by_state.segment<3>(v_index) = body.mass * v;
  derived.by_state.segment<3>(w_index) = momentum;
  // w.([d]x I - I [d]x) w / 2 = d.(I w x w)
  derived.by_state.segment<3>(kRotation) = momentum.cross(w);
  if (record.body_sensitivity.size() == 0) return derived;
  const auto directions = solver::InertiaDirections(body.inertia);
  for (int k = 0; k < 6; ++k) derived.by_inertia[k] = 0.5 * w_B.dot(directions[k] * w_B);
  return derived;
}

/// The velocity, with NaN for components that nobody measured.
Eigen::Vector3d Measured(const ImpactRecord& record, const Eigen::Vector3d& velocity, int index) {
  Eigen::Vector3d measured = velocity;
  if (!record.covariance) return measured;
  for (int axis = 0; axis < 3; ++axis) {
    const double variance = (*record.covariance)(index + axis, index + axis);
    if (std::sqrt(variance) > 0.5 * kUnmeasuredSigma) measured[axis] = kNaN;
  }
  return measured;
}

/// Direction of the velocity along the surface; where there is none, that in which it is known
/// worst, whose sigma is then that of any small velocity at most.
Eigen::Vector3d TangentOf(const ImpactRecord& record, const Eigen::Vector3d& along) {
  const double size = along.norm();
  if (size > 0.0 || std::isnan(size)) return along / size;
  const Eigen::Vector3d n = record.normal;
  Eigen::Vector3d worst = n.unitOrthogonal();
  if (!record.covariance) return worst;
  const Eigen::Vector3d other = n.cross(worst);
  const Eigen::Matrix3d covariance = record.covariance->block<3, 3>(kV, kV);
  const double angle =
      0.5 * std::atan2(2.0 * worst.dot(covariance * other),
                       worst.dot(covariance * worst) - other.dot(covariance * other));
  return std::cos(angle) * worst + std::sin(angle) * other;
}

double NumberIn(const ImpactRecord& record, const std::string& column) {
  const auto found = record.extra.find(column);
  if (found == record.extra.end()) return kNaN;
  const std::string& cell = found->second;
  double number = kNaN;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  return error == std::errc() && end == cell.data() + cell.size() ? number : kNaN;
}

}  // namespace

RestitutionRatios CalcRestitutionRatios(const ImpactRecord& record, const solver::Body& body,
                                        const Eigen::MatrixXd& shared) {
  const Eigen::Vector3d n = record.normal;
  const Eigen::Vector3d v = Measured(record, record.v, kV), w = Measured(record, record.w, kW);
  const Eigen::Vector3d v_post = Measured(record, record.v_post, kVPost);
  const Eigen::Vector3d w_post = Measured(record, record.w_post, kWPost);
  const Eigen::Vector3d along = v - v.dot(n) * n;
  const Eigen::Vector3d t = TangentOf(record, along);
  const Derived approach = Component(v, -n, kV), slide = Component(v, t, kV);
  const Derived before = Component(v, v.normalized(), kV);
  const Derived after = Component(v_post, v_post.normalized(), kVPost);
  const ErrorPropagation errors(record, shared);

  RestitutionRatios ratios;
  if (!(before.value > 0.0)) return ratios;
  ratios.impact_speed = errors.Of(before);
  const Derived angle{
      .value = kDegrees * std::atan2(approach.value, slide.value),
      .by_state = kDegrees * (slide.value * approach.by_state - approach.value * slide.by_state) /
                  v.squaredNorm()};
  ratios.impact_angle_deg = errors.Of(angle);
  if (errors.IsAboveZero(approach, before.value)) {
    ratios.normal = errors.Of(Ratio(Component(v_post, n, kVPost), approach));
  }
  if (errors.IsAboveZero(slide, before.value)) {
    Derived kept = Component(v_post, t, kVPost);
    // t turns with v: what v' has across it counts.
    const Eigen::Vector3d across = v_post - v_post.dot(n) * n - v_post.dot(t) * t;
    kept.by_state.segment<3>(kV) = across / slide.value;
    ratios.tangential = errors.Of(Ratio(kept, slide));
  }
  if (errors.IsAboveZero(before, before.value)) ratios.speed = errors.Of(Ratio(after, before));
  if (body.mass > 0.0) {
    const Derived energy = Energy(record, body, v, w, kV, kW);
    if (errors.IsAboveZero(energy, 0.0)) {
      ratios.energy =
          errors.Of(Ratio(Energy(record, body, v_post, w_post, kVPost, kWPost), energy));
    }
  }
  for (const RatioColumn& column : kRatioColumns) {
    ValueWithSigma& ratio = ratios.*column.value;
    if (std::isnan(ratio.value)) ratio.sigma = kNaN;
  }
  return ratios;
}

RestitutionRatios StatedRatios(const ImpactRecord& record) {
  RestitutionRatios ratios;
  for (const RatioColumn& column : kRatioColumns) {
    ratios.*column.value = {NumberIn(record, column.name),
                            NumberIn(record, std::string("sigma_") + column.name)};
  }
  return ratios;
}

}  // namespace percuss::impacts
