// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/solver/law/sliding.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& SlidingLaw::Info() {
  static const LawInfo info{
      .name = "sliding",
      .summary = "friction against the incoming slip to the end; can create energy",
      .source = "docs/impact-laws.md",
      .parameters = {FrictionCoefficient(), KinematicRestitution()},
      .domain = LawDomain::kDiagonal,
      .dissipative = false};
  return info;
}

}  // namespace percuss::solver
