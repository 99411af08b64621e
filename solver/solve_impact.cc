// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/solve_impact.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include "solver/law_registry.h"

namespace percuss::solver {
namespace {

bool IsFinite(const Contact<double>& contact, std::span<const double> parameters) {
  double sum = contact.inverse_mass.sum() + contact.velocity.sum();
  for (const double value : parameters) sum += value;
  return std::isfinite(sum);
}

}  // namespace

const std::vector<LawInfo>& Laws() {
  static const std::vector<LawInfo> laws =
      std::apply([](const auto&... law) { return std::vector<LawInfo>{law.Info()...}; }, AllLaws{});
  return laws;
}

void ThrowUnknownLaw(std::string_view name) {
  std::string known;
  for (const LawInfo& law : Laws()) known += (known.empty() ? "" : ", ") + std::string(law.name);
  throw std::invalid_argument("law is \"" + std::string(name) + "\"; allowed are " + known);
}

const LawInfo& FindLaw(std::string_view name) {
  for (const LawInfo& law : Laws()) {
    if (law.name == name) return law;
  }
  ThrowUnknownLaw(name);
}

LawFunction FindLawFunction(std::string_view name) {
  return VisitLaw(name, []<class Law>(const Law&) -> LawFunction {
    return [](const Contact<double>& contact, std::span<const double> parameters) {
      if (!IsFinite(contact, parameters)) return NoAnswer<double>();
      return Law{}.template Solve<double>(contact, parameters);
    };
  });
}

ImpactResult<double> SolveImpact(std::string_view law, const Contact<double>& contact,
                                 std::span<const double> parameters) {
  const LawInfo& info = FindLaw(law);
  ValidateParameters(info, parameters);
  ValidateContact(contact);
  ValidateDomain(info, contact);
  return FindLawFunction(law)(contact, parameters);
}

}  // namespace percuss::solver
