// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/table.h"

// Set-ups of chatterjee1997, which gives the mass matrix M, not its inverse, and has the normal as
// axis 1 and the tangents as axes 2 and 3.
namespace percuss::solver {

/// Columns: its axes in our contact frame (t1, t2, n), turned about the normal by an angle.
inline Eigen::Matrix3d ChatterjeeAxes(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Eigen::Matrix3d axes;
  axes << 0, c, -s, 0, s, c, 1, 0, 0;
  return axes;
}

/// The same for contacts that are not turned, angle = 0: (t1, t2, n) = (2, 3, 1).
inline Eigen::Vector3d FromChatterjee(double one, double two, double three = 0.0) {
  return {two, three, one};
}

/// An angle like any other, for laws that must not depend on it.
inline constexpr double kSomeTurn = 0.7;

/// A contact from M and the velocity in its axes.
inline Contact<double> ContactOf(const Eigen::Matrix3d& mass, const Eigen::Vector3d& velocity,
                                 double angle = kSomeTurn) {
  const Eigen::Matrix3d axes = ChatterjeeAxes(angle);
  const Eigen::Matrix3d a = axes * mass.inverse() * axes.transpose();
  return {0.5 * (a + a.transpose()), axes * velocity};
}

/// A planar set-up: axis 3 is uncoupled.
inline Contact<double> PlanarContactOf(double m11, double m12, double m22, double v1, double v2,
                                       double angle = kSomeTurn) {
  Eigen::Matrix3d mass;
  mass << m11, m12, 0, m12, m22, 0, 0, 0, 0.8;
  return ContactOf(mass, {v1, v2, 0.0}, angle);
}

/// The pendulum of Table 7.1, which hits an obstacle: M = diag(1, lambda) turned by pi/10, u of
/// unit length.
inline Contact<double> ChatterjeePendulum(double lambda, double angle = kSomeTurn) {
  const double s = std::sin(0.1 * std::numbers::pi), c = std::cos(0.1 * std::numbers::pi);
  Eigen::Matrix3d a = Eigen::Matrix3d::Identity();  // by itself, for the digits of a large lambda
  a(0, 0) = s * s + c * c / lambda;
  a(1, 1) = c * c + s * s / lambda;
  a(0, 1) = a(1, 0) = s * c * (1.0 - 1.0 / lambda);
  const Eigen::Matrix3d axes = ChatterjeeAxes(angle);
  a = (axes * a * axes.transpose()).eval();
  return {0.5 * (a + a.transpose()), axes * Eigen::Vector3d(-s, -c, 0.0)};
}

/// An impact in its axes.
struct ChatterjeeOutcome {
  Eigen::Vector3d impulse, velocity;
  double energy_change = 0.0;
};

inline ChatterjeeOutcome OutcomeOf(std::string_view law, const Contact<double>& contact,
                                   const std::vector<double>& parameters,
                                   double angle = kSomeTurn) {
  const ImpactResult<double> result = SolveImpact(law, contact, parameters);
  const Eigen::Matrix3d axes = ChatterjeeAxes(angle);
  return {axes.transpose() * result.impulse, axes.transpose() * result.contact_velocity,
          result.energy.normal_work + result.energy.friction_work};
}

/// A row of derived_law_reference_cases.csv, not turned.
struct ChatterjeeCase {
  std::string name;
  Contact<double> contact;
  double mu, e, e_t, nu;
  Eigen::Vector3d impulse, velocity;
  double energy_change;
  bool planar;
};

inline std::vector<ChatterjeeCase> ChatterjeeCases(const std::string& law) {
  const Table table(std::string(PERCUSS_DATA_DIR) +
                    "/chatterjee1997/derived_law_reference_cases.csv");
  std::vector<ChatterjeeCase> cases;
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (table.Text(row, "law") != law) continue;
    const bool planar = table.Text(row, "dim") == "2";
    const auto number = [&](const char* column) { return table.Number(row, column); };
    const auto out_of_plane = [&](const char* column) { return planar ? 0.0 : number(column); };
    Eigen::Matrix3d mass;
    mass << number("M11"), number("M12"), out_of_plane("M13"), number("M12"), number("M22"),
        out_of_plane("M23"), out_of_plane("M13"), out_of_plane("M23"), planar ? 1.0 : number("M33");
    cases.push_back(
        {.name = table.Text(row, "case"),
         .contact = ContactOf(mass, {number("Vi1"), number("Vi2"), out_of_plane("Vi3")}, 0.0),
         .mu = number("mu"),
         .e = number("e_or_rn"),
         .e_t = number("et_or_rt"),
         .nu = number("nu"),
         .impulse = FromChatterjee(number("P1"), number("P2"), out_of_plane("P3")),
         .velocity = FromChatterjee(number("Vf1"), number("Vf2"), out_of_plane("Vf3")),
         .energy_change = number("delta_KE"),
         .planar = planar});
  }
  return cases;
}

}  // namespace percuss::solver
