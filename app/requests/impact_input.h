// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/table_columns.h"
#include "capture/experiment/experiment.h"
#include "impacts/impact_files.h"
#include "impacts/pose_prior.h"
#include "solver/body/rigid_body.h"

namespace percuss::app {

/// Impacts with their body, from impacts.csv or .json and --body, or from a table description.
struct ImpactInput {
  impacts::ImpactTable table;
  solver::Body body;
  capture::BodySigmas body_sigma;
  capture::Coefficients coefficients;         ///< that the file of the body states
  std::optional<TableColumns> columns;        ///< of a table description
  std::optional<impacts::PosePriors> priors;  ///< of a table description
  bool estimated_sigmas = false;
  std::string note;  ///< rows left out, sigmas estimated; empty if there is nothing to say
  std::vector<std::pair<std::string, std::string>> input_hashes;
};

struct ImpactArguments {
  std::string impacts;
  std::string body;
};

/// @throws InputError; std::invalid_argument for a missing --body; DataError where sigmas cannot be
/// estimated.
ImpactInput ReadImpactInput(const ImpactArguments& arguments);

}  // namespace percuss::app
