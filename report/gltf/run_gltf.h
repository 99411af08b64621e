// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "report/facts/run_folder.h"

namespace percuss::report {

/// The drops of a run as a binary glTF 2.0 file, for Blender and other programs that show scenes.
///
/// Its nodes: `world`, which turns W (z up) to glTF's axes (y up), (x, y, z) to (x, z, -y); in it
/// `surface` (z = 0), the cameras, and for each trial with poses a node of its name with its `path`
/// and the `body`, moved by an animation of the trial's name with the times and poses of poses.csv.
/// The body is the hull of its outline, in body axes, with its markers as small octahedra at their
/// mean place. So all numbers are those of the files of the run, metres and seconds, as float32.
///
/// Times begin at 0 where poses.csv begins before: `extras.time_offset` [s] is what was added.
/// A camera has yfov = 2 atan(height / (2 fy)) and looks along -z of its node; `extras` has the
/// principal point and the lens, which glTF has no place for.
/// @throws DataError if no trial has both a pose and an outline.
std::string RunGltf(const RunFolder& run);

/// RunGltf of a run folder, or of the folder of one of its trials (tracks/TRIAL).
/// @throws InputError as ReadRunFolder; DataError.
std::string RunGltf(const std::filesystem::path& folder);

}  // namespace percuss::report
