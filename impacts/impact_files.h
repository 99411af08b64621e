// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "impacts/impact_record.h"

namespace percuss::solver {
struct Body;
}

namespace percuss::impacts {

/// impacts.csv: two comment lines (`#`) of provenance, then the interchange columns, nx..nz,
/// sigma_<column> where any impact has a covariance (rotations as sigma_rot_x.. [rad], about the W
/// axes), time, time_sigma, warnings, with a body also the ratios of RestitutionRatios, which are
/// empty where they are not defined, with their sigmas (kRatioColumns), and the extra columns. A
/// CSV cannot hold correlations, gravity and calibration: impacts.json does.
///
/// @param body what was dropped; its inertia is that of the table where that has one. Null: no
/// ratios.
void WriteImpactsCsv(const ImpactTable& table, const Provenance& provenance,
                     const std::filesystem::path& file, const solver::Body* body = nullptr);
/// impacts.json: the same with full covariances, calibration sensitivities and provenance. Reading
/// it back gives the same table to the last bit.
void WriteImpactsJson(const ImpactTable& table, const Provenance& provenance,
                      const std::filesystem::path& file);

/// Reads either, by the file's ending.
///
/// A CSV must have trial, rz, vz and vz_post; a column that is left out is zero (planar tables),
/// the rotation the identity and the normal (0, 0, 1). A velocity column needs its partner (vx and
/// vx_post). sigma_<column> entries give a diagonal covariance; a column without one is taken as
/// exact, and no sigma column at all means no covariance. Extra columns are kept. A number that is
/// empty or `nan` is a missing measurement: it is read as NaN, and the fit lists the trial as not
/// used.
///
/// @throws InputError naming file, row, column, value and what is allowed: missing or repeated
/// columns, text where a number is due, infinite numbers, a quaternion or normal that is not of
/// unit norm (within 1e-3), speeds above 1000 m/s, angular velocities above 1e5 rad/s, a contact
/// arm above 100 m, a negative sigma, an empty or repeated trial name, a row of another length, no
/// row. An impact with such a fault of its own is kept with that sentence as its reason_unusable,
/// as long as it has a name and others are sound.
ImpactTable ReadImpacts(const std::filesystem::path& file);

}  // namespace percuss::impacts
