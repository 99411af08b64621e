// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "fitting/model/error_model.h"
#include "fitting/model/impact_model.h"
#include "impacts/impact_files.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// One impact with all that follows from its measurement and the body alone, whatever the law.
struct Impact {
  /// Without its covariance and sensitivities: `errors` has what they said.
  impacts::ImpactRecord record;
  ImpactErrors errors;
  bool complete = false;  ///< usable, all values there and finite; else `geometry` is 0
  ImpactGeometry geometry = {};
  /// Why no law can be fitted to it (values missing or not finite, no approach, a covariance that
  /// is none); empty if one can.
  std::string reason_unusable = {};
};

/// The impacts of a table and the body: what fits, audits, budgets and diagrams start from.
struct PreparedImpacts {
  solver::Body body;
  std::vector<Impact> impacts;  ///< in the order of the table
  AssumedSigmas assumed = {};   ///< used where the table states none
  /// As in the table, but for their roots: by_k of ErrorModel.
  std::vector<impacts::SharedSource> sources = {};
};

Impact PrepareImpact(impacts::ImpactRecord record, ImpactErrors errors, const solver::Body& body);

/// @throws std::invalid_argument for an assumed sigma that is not above 0 and finite.
PreparedImpacts PrepareImpacts(impacts::ImpactTable table, const solver::Body& body,
                               const AssumedSigmas& assumed = {});

}  // namespace percuss::fitting
