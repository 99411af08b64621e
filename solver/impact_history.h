// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "solver/compliant/point_contact_model.h"
#include "solver/contact/contact.h"
#include "solver/contact/contact_peaks.h"

namespace percuss::solver {

/// Whether a law says how the contact force runs over time: those with a normal element.
/// @throws std::invalid_argument for a name that is no law.
bool HasHistory(std::string_view law);

/// The impact over time, from touch to the end of contact.
/// @param stiffness k of the normal element [N/m; N/m^n where the law has F = k d^n], positive; of
/// the law `boundary-layer` it sets the width, |u_n| sqrt(kappa / (A_nn k)). Laws that have a
/// parameter k take that.
/// @throws std::invalid_argument as SolveImpact; for a law without a history; for the stiffness.
ContactHistory FollowContact(std::string_view law, const Contact<double>& contact,
                             std::span<const double> parameters, double stiffness);

/// The same without any checks, of a contact that the law has solved; a law without a history has
/// no samples.
ContactHistory FollowSolvedContact(std::string_view law, const Contact<double>& contact,
                                   std::span<const double> parameters, double stiffness);

/// NaN for a history without samples. Contact ends and turns at samples, so that all but the force
/// of a dashpot, which is largest between two, is as exact as the integration.
ContactPeaks PeaksOf(const ContactHistory& history);

}  // namespace percuss::solver
