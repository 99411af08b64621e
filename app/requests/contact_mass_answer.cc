// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/contact_mass_answer.h"

#include <Eigen/Eigenvalues>
#include <nlohmann/json.hpp>

namespace percuss::app {
namespace {

using nlohmann::ordered_json;

ordered_json RowsOf(const Eigen::MatrixXd& matrix) {
  ordered_json rows = ordered_json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    ordered_json row = ordered_json::array();
    for (const double entry : matrix.row(i)) row.push_back(entry);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

ordered_json ContactMassOf(const Eigen::MatrixXd& inverse_mass) {
  ordered_json out;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> own(inverse_mass);
  const Eigen::VectorXd& values = own.eigenvalues();  // the smallest first
  constexpr double kSingular = 1e-14;
  if (own.info() == Eigen::Success && values[0] > kSingular * values[values.size() - 1]) {
    const Eigen::MatrixXd& axes = own.eigenvectors();
    out["matrix"] = RowsOf(axes * values.cwiseInverse().asDiagonal() * axes.transpose());
    out["eigenvalues"] = ordered_json::array();
    for (Eigen::Index k = values.size(); k-- > 0;) out["eigenvalues"].push_back(1.0 / values[k]);
  }
  out["inverse"] = RowsOf(inverse_mass);
  return out;
}

ordered_json ContactMassOf(const Eigen::MatrixXd& inverse_mass, const Eigen::Matrix3d& frame) {
  ordered_json out = ContactMassOf(inverse_mass);
  out["axes"] = RowsOf(frame.transpose());
  return out;
}

}  // namespace percuss::app
