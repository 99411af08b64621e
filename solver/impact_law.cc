// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/impact_law.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "solver/law_registry.h"

namespace percuss::solver {
namespace {

template <class... Parts>
[[noreturn]] void Reject(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

}  // namespace

std::string_view ModeName(ContactMode mode) {
  switch (mode) {
    case ContactMode::kSlip:
      return "slip";
    case ContactMode::kStick:
      return "stick";
    case ContactMode::kReverseSlip:
      return "reverse-slip";
  }
  return "";
}

const std::vector<LawInfo>& Laws() {
  static const std::vector<LawInfo> laws =
      std::apply([](const auto&... law) { return std::vector<LawInfo>{law.Info()...}; }, AllLaws{});
  return laws;
}

void ThrowUnknownLaw(std::string_view name) {
  std::string known;
  for (const LawInfo& law : Laws()) known += (known.empty() ? "" : ", ") + std::string(law.name);
  Reject("law is \"", name, "\"; allowed are ", known);
}

const LawInfo& FindLaw(std::string_view name) {
  for (const LawInfo& law : Laws()) {
    if (law.name == name) return law;
  }
  ThrowUnknownLaw(name);
}

void ValidateContact(const Contact<double>& contact) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      if (!std::isfinite(a(i, j))) {
        Reject("inverse_mass[", i, "][", j, "] is ", a(i, j), "; it must be finite");
      }
      if (std::abs(a(i, j) - a(j, i)) > 1e-9 * a.cwiseAbs().maxCoeff()) {
        Reject("inverse_mass[", i, "][", j, "] is ", a(i, j), " and [", j, "][", i, "] is ",
               a(j, i), "; the matrix must be symmetric");
      }
    }
    if (!std::isfinite(contact.velocity[i])) {
      Reject("velocity[", i, "] is ", contact.velocity[i], "; it must be finite");
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(a, Eigen::EigenvaluesOnly);
  const double smallest = eigen.eigenvalues()[0];
  if (!(smallest > 1e-14 * eigen.eigenvalues()[2])) {
    Reject("inverse_mass has the eigenvalue ", smallest,
           " 1/kg; it must be positive definite (every eigenvalue above 0)");
  }
  if (!(contact.velocity[2] < 0.0)) {
    Reject("normal contact velocity is ", contact.velocity[2],
           " m/s; it must be below 0 (approaching)");
  }
}

void ValidateParameters(const LawInfo& law, std::span<const double> parameters) {
  if (parameters.size() != law.parameters.size()) {
    Reject("law ", law.name, " takes ", law.parameters.size(), " parameters, not ",
           parameters.size());
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const ParameterInfo& info = law.parameters[k];
    const double value = parameters[k];
    if (value >= info.lower && value <= info.upper && std::isfinite(value)) continue;
    std::ostringstream range;
    range << "at least " << info.lower;
    if (std::isfinite(info.upper)) range << " and at most " << info.upper;
    Reject(info.name, " is ", value, "; it must be ", range.str());
  }
}

ImpactResult<double> SolveImpact(std::string_view law, const Contact<double>& contact,
                                 std::span<const double> parameters) {
  ValidateParameters(FindLaw(law), parameters);
  ValidateContact(contact);
  return VisitLaw(
      law, [&](const auto& chosen) { return chosen.template Solve<double>(contact, parameters); });
}

}  // namespace percuss::solver
