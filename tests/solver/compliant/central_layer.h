// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "solver/restitution/restitution_curves.h"

namespace percuss::solver::closed_form {

/// A central contact (A_tn = 0) in a boundary layer, in closed form and in the units of
/// BoundaryLayerModel: approach velocity, 1/A_nn, layer width.
/// Source: natsiavas (39)-(44), corrected.
struct CentralLayerMotion {
  double gap = 1.0;       ///< x(t)
  double velocity = 0.0;  ///< dx/dt
  double force = 0.0;     ///< F_n
};

/// The motion at a time after the gap reached the layer: with s = kappa damping t,
///     dw/dt = kappa t phi(s) - exp(-s),   w = ln x = kappa t^2 (1 - phi(s)) / s - t phi(s),
///     phi(s) = (1 - exp(-s)) / s.
inline CentralLayerMotion MotionInCentralLayer(double stiffness, double damping, double time) {
  const double s = stiffness * damping * time;
  const double phi = s == 0.0 ? 1.0 : -std::expm1(-s) / s;
  const double rest = s < 1e-3 ? 0.5 - s / 6.0 + s * s / 24.0 - s * s * s / 120.0 : (1.0 - phi) / s;
  const double rate = stiffness * time * phi - std::exp(-s);
  const double log_gap = stiffness * time * time * rest - time * phi;
  return {std::exp(log_gap), std::exp(log_gap) * rate,
          stiffness * std::exp(-log_gap) * (1.0 - damping * rate)};
}

/// Gauss's rule of five points on equal pieces of [0, end].
template <class Function>
double IntegralUpTo(double end, const Function& f) {
  constexpr int kPieces = 400;
  constexpr double kNodes[] = {-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                               0.9061798459386640};
  constexpr double kWeights[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                 0.4786286704993665, 0.2369268850561891};
  const double half = 0.5 * end / kPieces;
  double sum = 0.0;
  for (int piece = 0; piece < kPieces; ++piece) {
    for (int k = 0; k < 5; ++k) sum += kWeights[k] * f(half * (2 * piece + 1 + kNodes[k]));
  }
  return sum * half;
}

struct CentralLayerImpact {
  double restitution = 1.0;     ///< e, by the damping alone
  double duration = 0.0;        ///< (1 + e) / kappa
  double smallest_gap = 1.0;    ///< where compression ends
  double force_impulse = 2.0;   ///< int F_n dt
  double impulse_factor = 1.0;  ///< R = force_impulse / (1 + e), above 1: for the same mu friction
                                ///< takes R times what it takes of `stronge`
};

inline CentralLayerImpact SolveCentralLayer(double stiffness, double damping) {
  CentralLayerImpact impact;
  impact.restitution = RestitutionOfNonlinearDashpot(damping);
  impact.duration = (1.0 + impact.restitution) / stiffness;
  const double turn = (damping == 0.0 ? 1.0 : std::log1p(damping) / damping) / stiffness;
  impact.smallest_gap = MotionInCentralLayer(stiffness, damping, turn).gap;
  impact.force_impulse = IntegralUpTo(impact.duration, [&](double time) {
    return MotionInCentralLayer(stiffness, damping, time).force;
  });
  impact.impulse_factor = impact.force_impulse / (1.0 + impact.restitution);
  return impact;
}

/// Where A is diagonal, slip keeps to u_2 / u_2(0) = (u_1 / u_1(0))^(A_22/A_11), and takes the
/// friction impulse
///     K = 1/A_11 int_0^{u_1(0)} sqrt(1 + (u_2/u_1)^2) du_1
/// to stop, whatever the normal force does: it stops before the contact ends for mu above K over
/// the impulse of the normal force. Source: natsiavas 4.
/// @param mobility (A_11, A_22). @param slip u(0), not zero.
inline double FrictionImpulseToStop(const Eigen::Vector2d& mobility, const Eigen::Vector2d& slip) {
  // u_i falls as exp(-A_ii l) where dl = dJ / |u|; x = exp(-A_slow l) = y^4 is smooth to the end.
  const int slow = mobility[0] <= mobility[1] ? 0 : 1;
  const double ratio = mobility[1 - slow] / mobility[slow];
  const auto speed = [&](double y) {
    const double x = y * y * y * y;
    return 4.0 * y * y * y * std::hypot(slip[slow], slip[1 - slow] * std::pow(x, ratio - 1.0));
  };
  return IntegralUpTo(1.0, speed) / mobility[slow];
}

}  // namespace percuss::solver::closed_form
