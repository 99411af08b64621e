// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "capture/markers/marker_trajectories.h"

namespace percuss::capture {

/// Reads a TRC, C3D or CSV file; the content decides where it is unmistakable, else the name.
///  - TRC: columns separated by tabs or commas.
///  - C3D: integers or floats of Intel, DEC and MIPS machines. Times count from frame 1 at 0 s.
///    Points without a label are called unlabelled_N. Analog channels, and points that hold
///    angles, forces, moments or powers (lists of these names in the group POINT), are left out.
///  - CSV: the section "Trajectories" of a Vicon export, times counted as in C3D; or a line of
///  names
///    time_s,A_x,A_y,A_z,B_x,... and rows in seconds and metres; or tracks/TRIAL/markers.csv of
///    `percuss track`, frames without a row between others having no marker. The frame rate of the
///    latter two is that of the median interval, NaN for a single frame.
/// Units of the file (mm, cm, m) become metres; axes stay.
/// @throws InputError naming the file and its line, field or byte.
MarkerTrajectories ReadMarkers(const std::filesystem::path& file,
                               const ReadMarkersOptions& options = {});

/// True for the names that WriteMarkers takes: *.trc, *.c3d, *.csv in any case.
bool CanWriteMarkers(const std::filesystem::path& file);

/// Writes TRC (mm, six decimals), C3D (Intel floats, mm) or CSV (shortest numbers that read back
/// the same, metres), by the extension. C3D holds no times: it needs one frame per 1 / frame_rate,
/// the first at a multiple of it that is not negative (both to a hundredth of the interval).
/// @throws std::invalid_argument for another extension, trajectories that are not as described at
///   MarkerTrajectories, names or times that the format cannot hold.
/// @throws InputError if the file cannot be written.
void WriteMarkers(const MarkerTrajectories& trajectories, const std::filesystem::path& file);

/// Turns the world frame so that its axis `up`, 'x' or 'y', becomes z; 'z' changes nothing. A
/// rotation, about x by 90 degrees for 'y': (x, y, z) -> (x, -z, y); about the diagonal by -120
/// degrees for 'x': (x, y, z) -> (y, z, x).
/// @throws std::invalid_argument for another axis.
void TurnUpToZ(char up, MarkerTrajectories& trajectories);

}  // namespace percuss::capture
