// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "solver/contact.h"
#include "tests/solver/table.h"

namespace percuss::solver {

/// chatterjee1997 has the normal as axis 1 and the tangents as axes 2 and 3. A third of a turn
/// takes its (1, 2, 3) to ours: (t1, t2, n) = (2, 3, 1).
inline Eigen::Vector3d FromChatterjee(double one, double two, double three = 0.0) {
  return {two, three, one};
}

/// A contact of that source from the upper triangle of M; in the plane M_33 = 1 and uncoupled.
inline Contact<double> ChatterjeeContact(double m11, double m12, double m22,
                                         const Eigen::Vector3d& velocity, double m13 = 0.0,
                                         double m23 = 0.0, double m33 = 1.0) {
  Eigen::Matrix3d mass;
  mass << m22, m23, m12, m23, m33, m13, m12, m13, m11;
  const Eigen::Matrix3d inverse = mass.inverse();
  return {0.5 * (inverse + inverse.transpose()), velocity};
}

/// The pendulum of its Table 7.1: M = diag(1, lambda) turned by pi/10, u of unit length.
inline Contact<double> ChatterjeePendulum(double lambda) {
  const double angle = std::acos(-1.0) / 10.0;
  const double s = std::sin(angle), c = std::cos(angle);
  Contact<double> contact;
  contact.inverse_mass =
      Eigen::Vector3d(c * c + s * s / lambda, 1.0, s * s + c * c / lambda).asDiagonal();
  contact.inverse_mass(0, 2) = contact.inverse_mass(2, 0) = s * c * (1.0 - 1.0 / lambda);
  contact.velocity = FromChatterjee(-s, -c);
  return contact;
}

/// A row of derived_law_reference_cases.csv.
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
    const auto number = [&](const char* column) { return table.Number(row, column); };
    const bool planar = table.Text(row, "dim") == "2";
    const auto vector = [&](const std::array<const char*, 3>& columns) {
      return FromChatterjee(number(columns[0]), number(columns[1]),
                            planar ? 0.0 : number(columns[2]));
    };
    cases.push_back(
        {.name = table.Text(row, "case"),
         .contact = ChatterjeeContact(number("M11"), number("M12"), number("M22"),
                                      vector({"Vi1", "Vi2", "Vi3"}), planar ? 0.0 : number("M13"),
                                      planar ? 0.0 : number("M23"), planar ? 1.0 : number("M33")),
         .mu = number("mu"),
         .e = number("e_or_rn"),
         .e_t = number("et_or_rt"),
         .nu = number("nu"),
         .impulse = vector({"P1", "P2", "P3"}),
         .velocity = vector({"Vf1", "Vf2", "Vf3"}),
         .energy_change = number("delta_KE"),
         .planar = planar});
  }
  return cases;
}

}  // namespace percuss::solver
