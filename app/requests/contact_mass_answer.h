// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

namespace percuss::app {

/// What `percuss impact` says of the mass that a contact has (docs/file-formats.md): `matrix` M
/// [kg], its `eigenvalues`, the smallest first, and `inverse` [1/kg]; P = M (u' - u) in the rows
/// (t1, t2, n), or (t, n). Without the first two where the point of a system cannot be moved in
/// every direction.
nlohmann::ordered_json ContactMassOf(const Eigen::MatrixXd& inverse_mass);

/// The same with `axes`: t1, t2, n in W, the columns of `frame`.
nlohmann::ordered_json ContactMassOf(const Eigen::MatrixXd& inverse_mass,
                                     const Eigen::Matrix3d& frame);

}  // namespace percuss::app
