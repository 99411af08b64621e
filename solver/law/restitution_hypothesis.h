// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace percuss::solver {

/// What ends restitution; subscripts c and r are the stages of compression and restitution.
enum class RestitutionHypothesis {
  kNewton,   ///< u_n' = -e u_n
  kPoisson,  ///< P_r = e P_c
  kStronge   ///< W_r = e^2 |W_c|, W = int u_n dP_n
};

}  // namespace percuss::solver
