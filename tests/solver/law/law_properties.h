// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "solver/contact/impulse_space.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/law_derivatives.h"

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

/// The error of the derivatives of the impulse, contact velocity and works by autodiff, relative to
/// the largest derivative in that group of outputs (a single one may vanish, as slip does where the
/// contact sticks); see WorstDerivativeError. @param inputs places in Pack(contact, parameters)
inline double DerivativeError(std::string_view law, const Contact<double>& contact,
                              Parameters parameters, std::span<const int> inputs) {
  constexpr std::size_t kOutputs = 8;
  const auto outputs_of = []<typename T>(const ImpactResult<T>& result) {
    return std::array<T, kOutputs>{result.impulse[0],          result.impulse[1],
                                   result.impulse[2],          result.contact_velocity[0],
                                   result.contact_velocity[1], result.contact_velocity[2],
                                   result.energy.normal_work,  result.energy.friction_work};
  };
  const std::vector<double> x = Pack(contact, parameters);
  const ImpactResult<LawJet> here = SolvePacked(law, ToJets(x));
  const std::array<LawJet, kOutputs> exact = outputs_of(here);
  constexpr std::array<std::size_t, kOutputs> kGroup = {0, 0, 0, 1, 1, 1, 2, 2};
  std::array<double, 3> largest{};
  for (std::size_t m = 0; m < kOutputs; ++m) {
    largest[kGroup[m]] = std::max(largest[kGroup[m]], LargestDerivative(exact[m]));
  }
  std::array<double, kOutputs> scale;
  for (std::size_t m = 0; m < kOutputs; ++m) scale[m] = largest[kGroup[m]];
  using Outputs = std::optional<std::array<double, kOutputs>>;
  return WorstDerivativeError(x, inputs, exact, scale, [&](const auto& moved) -> Outputs {
    const ImpactResult<double> near = SolvePacked(law, moved);
    if (!(near.modes == here.modes)) return std::nullopt;
    return outputs_of(near);
  });
}

}  // namespace percuss::solver::properties
