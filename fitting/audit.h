// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fitting/coefficient_fit.h"

namespace percuss::fitting {

/// One plain-language finding about the data (DESIGN.md section 7).
struct AuditFinding {
  std::string check;  ///< gravity | momentum | admissibility | floor
  std::string trial;  ///< empty: all trials together
  bool ok = true;
  double probability =
      kNaN;          ///< of seeing at least this under the stated sigmas, if the data were right
  std::string text;  ///< one sentence with numbers and units
};

/// Checks of the impacts themselves, without any impact law:
///   - momentum: the angular impulse I dw against r x (m dv), 3 components per trial against their
///     covariance; over all trials, where they disagree, what single correction (a mirrored axis,
///     another inertia) would explain it;
///   - admissibility: kinetic energy must not grow and the normal impulse must push;
///   - floor: the least error any impulse through the contact point could leave.
/// A finding is not ok below a probability of 1 % shared by all trials. Where the table states no
/// covariance the default sigmas of FitOptions are assumed, and the text says so.
///
/// With `fits`, also whether the ratio of tangential to normal impulse exceeds an identified mu.
std::vector<AuditFinding> AuditImpacts(const tracking::ImpactTable& table, const solver::Body& body,
                                       const std::vector<LawFit>& fits = {});

}  // namespace percuss::fitting
