// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/central_layer.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "solver/restitution/restitution_curves.h"

namespace percuss::solver {

namespace {

void Require(bool holds, const char* field, double value, const char* bound) {
  if (holds && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(field) + " is " + std::to_string(value) + ", must be " +
                              bound);
}

void RequireLayer(double stiffness, double damping) {
  Require(stiffness > 0.0, "stiffness", stiffness, "positive");
  Require(damping >= 0.0, "damping", damping, "not negative");
}

// (1 - exp(-s)) / s and (1 - that) / s.
double Phi(double s) { return s == 0.0 ? 1.0 : -std::expm1(-s) / s; }
double PhiRest(double s) {
  return s < 1e-3 ? 0.5 - s / 6.0 + s * s / 24.0 - s * s * s / 120.0 : (1.0 - Phi(s)) / s;
}

// Gauss's rule of five points on equal pieces of [0, end].
template <class Function>
double Integral(const Function& f, double end) {
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

}  // namespace

CentralLayerMotion MotionInCentralLayer(double stiffness, double damping, double time) {
  RequireLayer(stiffness, damping);
  Require(time >= 0.0, "time", time, "not negative");
  const double s = stiffness * damping * time;
  const double rate = stiffness * time * Phi(s) - std::exp(-s);
  const double log_gap = stiffness * time * time * PhiRest(s) - time * Phi(s);
  return {std::exp(log_gap), std::exp(log_gap) * rate,
          stiffness * std::exp(-log_gap) * (1.0 - damping * rate)};
}

CentralLayerImpact SolveCentralLayer(double stiffness, double damping) {
  RequireLayer(stiffness, damping);
  CentralLayerImpact impact;
  impact.restitution = RestitutionOfNonlinearDashpot(damping);
  impact.duration = (1.0 + impact.restitution) / stiffness;
  const double turn = (damping == 0.0 ? 1.0 : std::log1p(damping) / damping) / stiffness;
  impact.smallest_gap = MotionInCentralLayer(stiffness, damping, turn).gap;
  impact.force_impulse =
      Integral([&](double time) { return MotionInCentralLayer(stiffness, damping, time).force; },
               impact.duration);
  impact.impulse_factor = impact.force_impulse / (1.0 + impact.restitution);
  return impact;
}

double CentralLayerDamping(double restitution) {
  Require(restitution > 0.0 && restitution <= 1.0, "restitution", restitution, "in (0, 1]");
  if (restitution == 1.0) return 0.0;
  // 1 / damping lies between e and infinity; restitution falls with damping.
  double low = 0.0, high = 1.0 / restitution;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (RestitutionOfNonlinearDashpot(middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double FrictionImpulseToStop(const Eigen::Vector2d& mobility, const Eigen::Vector2d& slip) {
  Require(mobility.minCoeff() > 0.0, "mobility", mobility.minCoeff(), "positive");
  Require(slip.norm() > 0.0, "slip", slip.norm(), "above zero");
  // u_i falls as exp(-A_ii l) where dl = dJ / |u|; x = exp(-A_slow l) = y^4 is smooth to the end.
  const int slow = mobility[0] <= mobility[1] ? 0 : 1;
  const double ratio = mobility[1 - slow] / mobility[slow];
  const auto speed = [&](double y) {
    const double x = y * y * y * y;
    return 4.0 * y * y * y * std::hypot(slip[slow], slip[1 - slow] * std::pow(x, ratio - 1.0));
  };
  return Integral(speed, 1.0) / mobility[slow];
}

}  // namespace percuss::solver
