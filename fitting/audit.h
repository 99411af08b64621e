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

/// Momentum (angular against linear impulse through the contact arm), admissibility (kinetic energy
/// must not grow, the normal impulse must push) and reachability floor of every impact.
std::vector<AuditFinding> AuditImpacts(const tracking::ImpactTable& table,
                                       const solver::Body& body);

}  // namespace percuss::fitting
