// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_spin.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace percuss::pipeline {
namespace {

std::array<ValueWithSigma, 3> SpinIn(const BounceFriction& axes, const tracking::BallSpin& spin) {
  std::array<ValueWithSigma, 3> parts;
  int i = 0;
  for (const Eigen::Vector3d& axis : {axes.normal, axes.along, axes.across}) {
    if (spin.reason.empty())
      parts[i] = {axis.dot(spin.omega), std::sqrt(axis.dot(spin.covariance * axis))};
    ++i;
  }
  return parts;
}

/// A velocity of the contact point along t and b, in radii per second, and the sigma of both.
struct ContactVelocity {
  Eigen::Vector2d u;
  double sigma = 0.0;
};

/// n x omega = omega_t b - omega_b t.
ContactVelocity ContactVelocityOf(const BounceFriction& axes, const Eigen::Vector3d& v,
                                  double v_sigma, const std::array<ValueWithSigma, 3>& spin) {
  return {{v.dot(axes.along) - spin[2].value, v.dot(axes.across) + spin[1].value},
          std::hypot(v_sigma, std::max(spin[1].sigma, spin[2].sigma))};
}

SlideKind KindOf(const ContactVelocity& before, const ContactVelocity& after) {
  constexpr double kSure = 3.0;
  const double speed = before.u.norm();
  if (!(speed > kSure * before.sigma)) return SlideKind::kUnknown;
  const Eigen::Vector2d way = before.u / speed;
  const double on = way.dot(after.u);
  const double aside = std::abs(way.x() * after.u.y() - way.y() * after.u.x());
  // Between both a contact may have stopped at the very end.
  if (on > kSure * after.sigma && aside < std::max(kSure * after.sigma, 0.2 * on))
    return SlideKind::kSlides;
  if (on < kSure * after.sigma && after.sigma < 0.1 * speed) return SlideKind::kSticks;
  return SlideKind::kUnknown;
}

}  // namespace

const char* SlideName(SlideKind kind) {
  switch (kind) {
    case SlideKind::kSlides:
      return "slides";
    case SlideKind::kSticks:
      return "sticks";
    case SlideKind::kUnknown:
      break;
  }
  return "unknown";
}

BounceFriction FrictionOf(const tracking::BounceFit& fit, std::size_t k,
                          const tracking::BallSpin& before, const tracking::BallSpin& after) {
  BounceFriction friction;
  const tracking::BallContact& contact = fit.contacts[k];
  const Eigen::Matrix3d axes = tracking::BounceAxes(contact, fit.ball.normal);
  friction.along = axes.row(0);
  friction.across = axes.row(1);
  friction.normal = axes.row(2);
  friction.spin_before = SpinIn(friction, before);
  friction.spin_after = SpinIn(friction, after);

  const tracking::BounceEstimate& bounce = fit.bounces[k];
  const auto first = static_cast<Eigen::Index>(k * tracking::kNumBounceNumbers);
  const Eigen::MatrixXd covariance =
      fit.covariance.block(first, first, tracking::kNumBounceNumbers, tracking::kNumBounceNumbers);
  const double normal = bounce.normal_before + bounce.normal_after;
  const double change = bounce.tangential_after - bounce.tangential_before;
  double cosine = 1.0;
  if (before.reason.empty() && after.reason.empty()) {
    const ContactVelocity in = ContactVelocityOf(
        friction, contact.before, fit.Sigma(k, tracking::kTangentialBefore), friction.spin_before);
    const ContactVelocity out = ContactVelocityOf(
        friction, contact.after, fit.Sigma(k, tracking::kTangentialAfter), friction.spin_after);
    // Of an impulse that is mostly across, the part along t says little.
    const double share = std::abs(in.u.x()) / in.u.norm();
    if (share > 0.5) {
      friction.kind = KindOf(in, out);
      if (friction.kind == SlideKind::kSlides) cosine = share;
    }
  }
  Eigen::VectorXd slope = Eigen::VectorXd::Zero(tracking::kNumBounceNumbers);
  const double ratio = std::abs(change) / (normal * cosine);
  const double sign = change < 0.0 ? -1.0 : 1.0;
  slope[tracking::kTangentialAfter] = sign / (normal * cosine);
  slope[tracking::kTangentialBefore] = -sign / (normal * cosine);
  slope[tracking::kNormalBefore] = slope[tracking::kNormalAfter] = -ratio / normal;
  friction.mu = {ratio, std::sqrt(std::max(0.0, slope.dot(covariance * slope)))};
  return friction;
}

std::vector<tracking::BallSpin> SpinsOfFlights(const tracking::ClipFrames& frames,
                                               const tracking::CameraShake& shake,
                                               const tracking::MeasuredBall& ball,
                                               const tracking::BounceFit& fit,
                                               const std::array<float, 256>& light_of_grey,
                                               int jobs) {
  auto flights =
      tracking::LooksOfFlights(frames, shake, fit.ball, ball.sightings, fit.used, light_of_grey);
  tracking::DivideOutShade(ball.shade.lamp, &flights);
  std::vector<tracking::BallSpin> spins(flights.size());
  ParallelFor(static_cast<int>(flights.size()), jobs,
              [&](int k) { spins[k] = tracking::EstimateSpin(flights[k]); });
  return spins;
}

std::string SpinLine(const std::vector<tracking::BallSpin>& spins) {
  const auto known = std::ranges::count_if(
      spins, [](const tracking::BallSpin& spin) { return spin.reason.empty(); });
  if (known == static_cast<std::ptrdiff_t>(spins.size()))
    return fmt::format("spin measured in all {} flights, from the pattern of the ball", known);
  const auto unknown = std::ranges::find_if(
      spins, [](const tracking::BallSpin& spin) { return !spin.reason.empty(); });
  if (known == 0) return fmt::format("spin not measured: {}", unknown->reason);
  return fmt::format("spin measured in {} of {} flights; flight {}: {}", known, spins.size(),
                     unknown - spins.begin() + 1, unknown->reason);
}

}  // namespace percuss::pipeline
