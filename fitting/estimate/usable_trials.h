// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fitting/model/prepared_impacts.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// Why a usable impact cannot be used with this law: outside its domain, as a spatial one for a
/// planar law, or with a singular covariance of the residual at typical parameters. Empty if it
/// can.
std::string ReasonUnusableWithLaw(const solver::LawInfo& law, const Impact& impact);

}  // namespace percuss::fitting
