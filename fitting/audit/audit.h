// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/text/table_columns.h"
#include "fitting/model/prepared_impacts.h"
#include "fitting/result/findings.h"
#include "fitting/result/fit_result.h"

namespace percuss::fitting {

struct AuditOptions {
  /// Where the impacts came from, so that corrections are given as lines for the description.
  const TableColumns* columns = nullptr;
  /// The sigmas were estimated from the momentum defects themselves (EstimateSigmas): their size
  /// then says nothing, only what explains them.
  bool estimated_sigmas = false;
  /// Law fits, to check impulses against an identified mu.
  const std::vector<LawFit>* fits = nullptr;
};

/// Checks of the impacts themselves, without any impact law:
///   - momentum: the angular impulse I dw against r x (m dv), 3 components per trial against their
///     covariance; over all trials its regression by velocity axis and, where they disagree, the
///     single correction that explains it best (TestCorrections), its probability, what to write,
///     and the floor with it;
///   - admissibility: kinetic energy must not grow and the normal impulse must push; beside the
///     recomputed loss the one that the table reports, if any;
///   - floor: the least error any impulse through the contact point could leave, also with energy
///     that does not grow; not ok where it is twice what the sigmas explain, or above 10 %;
///   - outlier: trials that stand out, with the reason;
///   - mass: where it is, a body that weighs more than any material in its volume.
/// A finding is not ok below a probability of 1 % shared by all trials. Where the table states no
/// covariance the default sigmas of FitOptions are assumed, and the text says so.
///
/// With `fits`, also whether the ratio of tangential to normal impulse exceeds an identified mu
/// that is the same in all impacts, of a law that keeps to its friction cone.
std::vector<AuditFinding> AuditImpacts(const PreparedImpacts& data,
                                       const AuditOptions& options = {});

}  // namespace percuss::fitting
