// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/impulse_direction_laws.h"

#include <limits>

namespace percuss::solver {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ParameterInfo AgainstSlip() {
  return {.name = "f_2",
          .lower = -kInfinity,
          .typical = 0.2,
          .meaning = "impulse ratio P_2/P_n, axis 2 against the incoming slip"};
}

ParameterInfo AcrossSlip() {
  return {.name = "f_3",
          .lower = -kInfinity,
          .typical = 0.0,
          .meaning = "impulse ratio P_3/P_n, axis 3 = n x axis 2; 0 if left out"};
}

}  // namespace

const LawInfo& BrachLaw::Info() {
  static const LawInfo info{
      .name = "brach",
      .summary = "given impulse ratios, kinematic restitution; can create energy",
      .source = "chatterjee1997 5.1.1 (Brach 1989)",
      .parameters = {{.name = "e",
                      .typical = 0.5,
                      .meaning = "ratio of normal velocities, -u_n'/u_n; may exceed 1"},
                     AgainstSlip()},
      .optional_parameters = {AcrossSlip()},
      .dissipative = false,
      .coulomb = false};
  return info;
}

const LawInfo& IvanovLaw::Info() {
  static const LawInfo info{
      .name = "ivanov",
      .summary = "given impulse ratios, restitution of energy; may leave the contact approaching",
      .source = "chatterjee1997 3.3, 10.5, (10.8), (10.9)",
      .parameters = {{.name = "eta",
                      .lower = -1.0,
                      .upper = 1.0,
                      .typical = 0.5,
                      .meaning = "eta^2 = share of the energy that this direction can take"
                                 " away which is kept; 1 dissipates nothing"},
                     AgainstSlip()},
      .optional_parameters = {AcrossSlip()},
      .coulomb = false};
  return info;
}

}  // namespace percuss::solver
