// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fitting/model/error_model.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// Why no law can be fitted to an impact (values missing or not finite, no approach, a covariance
/// that is none), or empty.
std::string ReasonUnusable(const impacts::ImpactRecord& record, const ImpactErrors& errors,
                           const solver::Body& body);

/// Why an impact cannot be used with this law: outside its domain, as a spatial one for a planar
/// law, or with a singular covariance of the residual at typical parameters. Empty if it can.
std::string ReasonUnusableWithLaw(const solver::LawInfo& law, const impacts::ImpactRecord& record,
                                  const ImpactErrors& errors, const solver::Body& body);

}  // namespace percuss::fitting
