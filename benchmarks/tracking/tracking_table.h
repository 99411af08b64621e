// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Impact states of the rendered sets in DATA against their truth, by every method.
std::vector<BoundSection> MeasureRenderedStates(const std::filesystem::path& data);

/// Offset between cameras that run free, on synthetic trials.
std::vector<BoundSection> MeasureSynchronisation(const std::filesystem::path& data);

/// Labels of the rendered sets against their truth, with hidden markers, among clutter, and how
/// hopeless trials end.
std::vector<BoundSection> MeasureLabels(const std::filesystem::path& data);

/// Wall time from two videos to labelled markers against that of decoding them, on the rendered
/// sets in DATA. Bounded where the program ffmpeg is installed.
std::vector<BoundSection> MeasureTrackingSpeed(const std::filesystem::path& data);

/// Centres of rendered spots against the Cramer-Rao bound, their bias, stated sigma and time.
std::vector<BoundSection> MeasureCentroid(const std::filesystem::path& data);

/// Centres in dark videos of 12 bits against those in 8 bits of the same electrons.
std::vector<BoundSection> MeasureDepth(const std::filesystem::path& data);

/// Intervals and covariances of simulated impacts against their truth.
/// @param trials of each section; the bounds widen where there are fewer.
std::vector<BoundSection> MeasureCoverage(const std::filesystem::path& data, int trials = 300);
std::vector<BoundSection> MeasureOneCamera(const std::filesystem::path& data, int trials = 300);
std::vector<BoundSection> MeasureFourCameras(const std::filesystem::path& data, int trials = 300);

/// mu_k and mu_s of rendered videos of slides against their truth.
std::vector<BoundSection> MeasureSlideVideos(const std::filesystem::path& data);

/// Recorded poses of other motion-capture systems (cube_toss, planar_square_drops): impacts found,
/// their sigmas, gravity as the flights show it. No bounds: there is no truth.
std::vector<BoundSection> MeasureMotionCapture(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
