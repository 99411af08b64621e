// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "base/text/table_columns.h"
#include "impacts/impact_files.h"
#include "impacts/pose_prior.h"
#include "solver/body/rigid_body.h"

namespace percuss::impacts {

/// Standard deviations that a description states for every row.
struct StatedSigmas {
  double velocity = 0.0;          ///< [m/s]
  double angular_velocity = 0.0;  ///< [rad/s]
  double contact_arm = 0.0;       ///< [m]
  double rotation = 0.0;          ///< [rad]
};

/// A table.yaml of `kind: impacts` (docs/table-description.md).
struct TableDescription {
  TableColumns columns;
  solver::Body body;
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  std::optional<StatedSigmas> sigma;
  bool estimate_sigma = false;  ///< `sigma: estimate`: from what no impulse explains
  /// `prior`: nobody measured in which pose the bodies touched. The contact is then the lowest
  /// point in whatever pose, which rows have as unmeasured.
  std::optional<PosePriors> prior = {};
};

/// The key of ImpactRecord::extra under which a share of lost energy that the table itself reports
/// is kept, as a fraction.
inline constexpr char kReportedDissipation[] = "reported_dissipation";

/// @throws InputError naming file, field and line, as YamlField.
TableDescription ReadTableDescription(const std::filesystem::path& file);

/// The impacts of the table. A quantity that is not mapped is zero, the rotation the identity. The
/// contact arm, where it is not mapped, goes from the centre to the point of the body that is
/// farthest along -normal. Quantities that are `unmeasured` get kUnmeasuredSigma (a contact arm the
/// radius of the body). A row with a missing or impossible value (CheckMagnitude, norms) keeps its
/// place with ImpactRecord::reason_unusable, naming row and column.
///
/// @throws InputError as ReadMappedTable; also if every row, or more than half of a
/// column, is impossible, or a trial's name is repeated.
ImpactTable ReadDescribedImpacts(const TableDescription& description);

/// Whether a file is a table description, by its ending .yaml or .yml.
bool IsTableDescription(const std::filesystem::path& file);

}  // namespace percuss::impacts
