// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/algebraic/chatterjee_laws.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {
namespace {

std::vector<ParameterInfo> Parameters() {
  return {FrictionCoefficient(),
          NormalRestitution("normal restitution r_n"),
          {.name = "e_t",
           .lower = -1.0,
           .upper = 1.0,
           .typical = 0.0,
           .meaning = "tangential restitution r_t; -1 takes friction away, 1 turns slip round"}};
}

std::vector<ParameterInfo> CombinedParameters() {
  std::vector<ParameterInfo> parameters = Parameters();
  parameters.push_back({.name = "s_1", .upper = 1.0, .typical = 0.3, .meaning = "share of law I"});
  parameters.push_back({.name = "s_2",
                        .upper = 1.0,
                        .typical = 0.4,
                        .meaning = "share of law II; what s_1 + s_2 leave of 1 is law III"});
  return parameters;
}

}  // namespace

const LawInfo& FirstChatterjeeLaw::Info() {
  static const LawInfo info{.name = "chatterjee-1",
                            .summary = "Chatterjee's law I: impulse from the velocity",
                            .source = "chatterjee1997 6.5.1, 6.7.2",
                            .parameters = Parameters()};
  return info;
}

const LawInfo& SecondChatterjeeLaw::Info() {
  static const LawInfo info{
      .name = "chatterjee-2",
      .summary = "Chatterjee's law II: impulse from the momentum; kinematic restitution",
      .source = "chatterjee1997 6.5.2, 6.7.3, (6.7)",
      .parameters = Parameters()};
  return info;
}

const LawInfo& ThirdChatterjeeLaw::Info() {
  static const LawInfo info{.name = "chatterjee-3",
                            .summary = "Chatterjee's law III: velocity after from velocity before",
                            .source = "chatterjee1997 6.5.3, 6.7.4",
                            .parameters = Parameters()};
  return info;
}

const LawInfo& CombinedChatterjeeLaw::Info() {
  static const LawInfo info{.name = "chatterjee-combined",
                            .summary = "weighted mean of Chatterjee's laws I, II and III",
                            .source = "chatterjee1997 6.6",
                            .parameters = CombinedParameters()};
  return info;
}

}  // namespace percuss::solver
