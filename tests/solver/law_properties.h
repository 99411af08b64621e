// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "solver/impulse_space.h"
#include "tests/solver/law_jets.h"

// Properties that any impact law can be held to, by its name (chatterjee1997 digest 3.5). Each
// expectation reports through GoogleTest.
namespace percuss::solver::properties {

using Parameters = std::span<const double>;

/// What LawInfo promises: momentum, P_n > 0, separation, the cone and dissipation where the law
/// claims them; the works add up to the change of energy, and compression and restitution to P_n.
/// @param tolerance relative, times the condition of A where the law inverts it
inline void ExpectLawsOfNature(std::string_view law, const Contact<double>& contact,
                               Parameters parameters, double tolerance) {
  const LawInfo& info = FindLaw(law);
  const ImpactResult<double> result = SolveImpact(law, contact, parameters);
  const Eigen::Vector3d& P = result.impulse;
  const Eigen::Vector3d after = contact.velocity + contact.inverse_mass * P;
  const double speed = contact.velocity.norm() + contact.inverse_mass.norm() * P.norm();
  const double energy = LocalEnergy(contact, contact.velocity);
  ASSERT_TRUE(P.allFinite());
  ASSERT_LT((result.contact_velocity - after).norm(), tolerance * speed);
  ASSERT_GT(P[2], 0.0);
  ASSERT_GE(after[2], -tolerance * speed);
  if (info.coulomb) {
    ASSERT_LE(FrictionConeExcess(P, parameters[0]), tolerance * P.norm());
  }
  const double change = EnergyChange(contact, P);
  if (info.dissipative) {
    ASSERT_LE(change, tolerance * energy);
  }
  ASSERT_NEAR(result.energy.normal_work + result.energy.friction_work, change,
              tolerance * (energy + std::abs(change)));
  if (std::isfinite(result.compression_impulse)) {
    ASSERT_NEAR(result.compression_impulse + result.restitution_impulse, P[2], tolerance * P[2]);
  }
}

/// P(k u, A) = k P(u, A) and P(u, A / k) = k P(u, A).
inline void ExpectHomogeneous(std::string_view law, const Contact<double>& contact,
                              Parameters parameters, double tolerance) {
  const Eigen::Vector3d P = SolveImpact(law, contact, parameters).impulse;
  const Contact<double> scaled{contact.inverse_mass * 3e5, contact.velocity * 7e-4};
  const Eigen::Vector3d Q = SolveImpact(law, scaled, parameters).impulse;
  ASSERT_LT((Q * (3e5 / 7e-4) - P).norm(), tolerance * P.norm());
}

/// Turning and mirroring the tangent axes turns and mirrors the impulse. For planar laws the
/// contact stays in its plane.
inline void ExpectFrameInvariant(std::string_view law, const Contact<double>& contact, double angle,
                                 Parameters parameters, double tolerance) {
  const Eigen::Vector3d P = SolveImpact(law, contact, parameters).impulse;
  Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitZ()).toRotationMatrix();
  for (const double handedness : {1.0, -1.0}) {
    turn.col(1) *= handedness;
    const Contact<double> turned{turn * contact.inverse_mass * turn.transpose(),
                                 turn * contact.velocity};
    ASSERT_LT((SolveImpact(law, turned, parameters).impulse - turn * P).norm(),
              tolerance * P.norm());
  }
}

/// Without friction every definition of restitution is Newton's: P = -(1 + e) u_n / A_nn along n.
/// `parameters` must have mu = 0.
inline void ExpectNewtonWithoutFriction(std::string_view law, const Contact<double>& contact,
                                        double e, Parameters parameters, double tolerance) {
  const double expected = -(1.0 + e) * contact.velocity[2] / contact.inverse_mass(2, 2);
  const Eigen::Vector3d P = SolveImpact(law, contact, parameters).impulse;
  ASSERT_LT((P - expected * Eigen::Vector3d::UnitZ()).norm(), tolerance * expected);
}

/// Inputs are u (3), the lower triangle of A by rows (6) and the parameters. The error of the
/// derivatives of the impulse, contact velocity and works by autodiff against
/// central differences of fourth order, relative to the largest derivative in that group of outputs
/// (a single one may vanish, as slip does where the contact sticks); the best of several steps, so
/// that neither truncation nor rounding decides. Negative if the differences cross a border between
/// modes, where no derivative exists.
inline double DerivativeError(std::string_view law, const Contact<double>& contact,
                              Parameters parameters, std::span<const int> inputs) {
  using Jet = LawJet;
  constexpr int kOutputs = 8;
  const std::size_t count = 9 + parameters.size();
  std::vector<double> x = {contact.velocity[0], contact.velocity[1], contact.velocity[2]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) x.push_back(contact.inverse_mass(i, j));
  }
  x.insert(x.end(), parameters.begin(), parameters.end());
  ModeSequence modes;
  const auto solve = [&]<typename T>(const std::vector<T>& at) {
    Contact<T> moved;
    std::size_t k = 0;
    for (int i = 0; i < 3; ++i) moved.velocity[i] = at[k++];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j <= i; ++j) moved.inverse_mass(i, j) = moved.inverse_mass(j, i) = at[k++];
    }
    const ImpactResult<T> result = SolveByName(law, moved, std::span<const T>(at).subspan(9));
    modes = result.modes;
    return std::array<T, kOutputs>{result.impulse[0],          result.impulse[1],
                                   result.impulse[2],          result.contact_velocity[0],
                                   result.contact_velocity[1], result.contact_velocity[2],
                                   result.energy.normal_work,  result.energy.friction_work};
  };
  std::vector<Jet> jets;
  for (std::size_t k = 0; k < count; ++k) jets.emplace_back(x[k], static_cast<int>(k));
  const auto exact = solve(jets);
  const ModeSequence here = modes;
  constexpr std::array<std::size_t, kOutputs> kGroup = {0, 0, 0, 1, 1, 1, 2, 2};
  std::array<double, 3> scale{};
  for (std::size_t m = 0; m < kOutputs; ++m) {
    scale[kGroup[m]] = std::max(scale[kGroup[m]], exact[m].v.cwiseAbs().maxCoeff());
  }
  double worst = 0.0;
  for (const int k : inputs) {
    double best = std::numeric_limits<double>::infinity();
    for (const double h : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
      bool border = false;
      const auto at = [&](double steps) {
        std::vector<double> moved = x;
        moved[static_cast<std::size_t>(k)] += steps * h;
        const auto y = solve(moved);
        border = border || !(modes == here);
        return y;
      };
      const auto p2 = at(2), p1 = at(1), m1 = at(-1), m2 = at(-2);
      if (border) return -1.0;
      double error = 0.0;
      for (std::size_t m = 0; m < kOutputs; ++m) {
        const double difference = (8.0 * (p1[m] - m1[m]) - (p2[m] - m2[m])) / (12.0 * h);
        error = std::max(error, std::abs(difference - exact[m].v[k]) / scale[kGroup[m]]);
      }
      best = std::min(best, error);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

}  // namespace percuss::solver::properties
