// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "solver/law/impact_law.h"

namespace percuss::solver {

/// All that WhyOutside can say.
inline constexpr std::array<std::string_view, 4> kReasonsOutside = {
    "the contact does not approach", "not finite", "the motion is not planar",
    "tangent and normal are coupled"};

/// Why a contact is outside the domain of a law; empty where it is inside. For many contacts: what
/// ValidateContact and ValidateDomain throw, without the numbers.
std::string_view WhyOutside(LawDomain domain, const Contact<double>& contact);

}  // namespace percuss::solver
