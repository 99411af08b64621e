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

ParameterInfo AcrossSlip(
    std::string_view meaning = "impulse ratio P_3/P_n, axis 3 = n x axis 2; 0 if left out") {
  return {.name = "f_3", .lower = -kInfinity, .typical = 0.0, .meaning = meaning};
}

// The law of the same Solve whose f_3 must be given.
LawInfo WithRatioAcrossSlip(LawInfo info, std::string_view name, std::string_view summary) {
  info.name = name;
  info.summary = summary;
  info.parameters.push_back(AcrossSlip("impulse ratio P_3/P_n, axis 3 = n x axis 2"));
  info.optional_parameters.clear();
  return info;
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

const LawInfo& Brach3dLaw::Info() {
  static const LawInfo info = WithRatioAcrossSlip(
      BrachLaw::Info(), "brach-3d", "brach with the ratio across the slip; can create energy");
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

const LawInfo& Ivanov3dLaw::Info() {
  static const LawInfo info = WithRatioAcrossSlip(
      IvanovLaw::Info(), "ivanov-3d",
      "ivanov with the ratio across the slip; may leave the contact approaching");
  return info;
}

}  // namespace percuss::solver
