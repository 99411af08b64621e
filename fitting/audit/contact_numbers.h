// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "fitting/model/prepared_impacts.h"
#include "fitting/result/findings.h"

namespace percuss::fitting {

/// What measured impacts say of themselves, by no law: ContactNumbers of each that is complete, in
/// the order of the table. With u, u' the velocity of the contact point before and after, and
/// P = m (v' - v), in the contact frame (chatterjee1997 3.4.3, 5.1.4, 6.2):
///
///     e_n = -u_n' / u_n          e_t = -u_t' . u_t / |u_t|^2       eta = -P . u' / (P . u)
///     impulse ratio = |P_t| / P_n      incidence = atan(|u_t| / -u_n)
///
/// Sigmas are of first order in all errors of the state and of the contact arm; NaN with the value
/// where a number is not defined, or a velocity that it needs was not measured. e_t needs a slip
/// above three of its sigmas.
std::vector<ContactNumbers> CalcContactNumbers(const PreparedImpacts& data);

}  // namespace percuss::fitting
