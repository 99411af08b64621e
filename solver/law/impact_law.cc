// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/law/impact_law.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "solver/contact/planar_contact.h"

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

double ParameterNamed(const LawInfo& law, std::string_view name,
                      std::span<const double> parameters) {
  std::size_t place = 0;
  for (const std::vector<ParameterInfo>* infos : {&law.parameters, &law.optional_parameters}) {
    for (const ParameterInfo& info : *infos) {
      if (place == parameters.size()) break;
      if (info.name == name) return parameters[place];
      ++place;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
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

void ValidateDomain(const LawInfo& law, const Contact<double>& contact) {
  if (law.domain == LawDomain::kSpatial) return;
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const Eigen::Vector3d& u = contact.velocity;
  if (!PlaneOf(contact)) {
    Reject("law ", law.name, " is planar, but with the inverse_mass coupling (", a(0, 2), ", ",
           a(1, 2), ") and the slip velocity (", u[0], ", ", u[1],
           ") the motion leaves every plane through the normal");
  }
  const double coupling = a.topRightCorner<2, 1>().norm();
  if (law.domain == LawDomain::kDiagonal && coupling > 1e-9 * a.norm()) {
    Reject("law ", law.name, " needs tangential and normal motion uncoupled, but the inverse_mass ",
           "coupling is ", coupling, " 1/kg; it must be 0");
  }
}

void ValidateParameters(const LawInfo& law, std::span<const double> parameters) {
  const std::size_t required = law.parameters.size();
  const std::size_t most = required + law.optional_parameters.size();
  if (parameters.size() < required || parameters.size() > most) {
    std::ostringstream number;
    number << required;
    if (most > required) number << " to " << most;
    Reject("law ", law.name, " takes ", number.str(), " parameters, not ", parameters.size());
  }
  double mu = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const ParameterInfo& info =
        k < required ? law.parameters[k] : law.optional_parameters[k - required];
    const double value = parameters[k];
    if (!(value >= info.lower && value <= info.upper && std::isfinite(value))) {
      std::ostringstream range;
      range << "at least " << info.lower;
      if (std::isfinite(info.upper)) range << " and at most " << info.upper;
      Reject(info.name, " is ", value, "; it must be ", range.str());
    }
    if (info.name == "mu") mu = value;
    if (info.name == "mu_s" && value < mu) {
      Reject("mu_s is ", value, "; it must be at least mu, which is ", mu);
    }
  }
}

}  // namespace percuss::solver
