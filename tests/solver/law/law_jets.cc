// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/solver/law/law_jets.h"

#include "solver/law_registry.h"

namespace percuss::solver {

ImpactResult<LawJet> SolveByName(std::string_view law, const Contact<LawJet>& contact,
                                 std::span<const LawJet> parameters) {
  return VisitLaw(
      law, [&](const auto& chosen) { return chosen.template Solve<LawJet>(contact, parameters); });
}

}  // namespace percuss::solver
