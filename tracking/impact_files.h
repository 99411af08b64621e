// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <vector>

#include "capture/files.h"
#include "tracking/impact_record.h"

namespace percuss::tracking {

/// A set of impacts, as in impacts.csv and impacts.json (DESIGN.md section 5).
struct ImpactTable {
  std::vector<ImpactRecord> impacts;
  Eigen::MatrixXd calibration_covariance;  ///< 30 x 30, or empty
};

/// impacts.csv: the interchange columns, nx..nz, sigma_<column>; then time and warnings.
void WriteImpactsCsv(const ImpactTable& table, const capture::Provenance& provenance,
                     const std::filesystem::path& file);
/// impacts.json: the same with full covariances, calibration sensitivities and provenance.
void WriteImpactsJson(const ImpactTable& table, const capture::Provenance& provenance,
                      const std::filesystem::path& file);

/// Reads either, by the file's ending. A CSV may leave out what is zero (planar tables), sigma
/// columns, normals, and may have extra columns. sigma_<column> entries give a diagonal covariance.
/// @throws InputError naming file, row and column: missing columns, text where a number is due,
/// NaN, a quaternion that
///   is not of unit norm (within 1e-3), speeds above 1000 m/s, a negative sigma, a repeated trial
///   name, no row.
ImpactTable ReadImpacts(const std::filesystem::path& file);

}  // namespace percuss::tracking
