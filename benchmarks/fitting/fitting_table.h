// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "benchmarks/bound_table.h"

namespace percuss::benchmarks {

/// Tables of other labs in the folder `data`: what the audit finds and the fits reach.
std::vector<BoundSection> MeasureTables(const std::filesystem::path& data);

/// Tables 4.4 to 4.9 of the thesis of Sun, whose poses are not published, predicted with its own
/// coefficients: how many of its numbers lie in the intervals.
std::vector<BoundSection> MeasureSun2017(const std::filesystem::path& data);

/// How often intervals hold the truth, on synthetic experiments.
std::vector<BoundSection> MeasureCoverage(const std::filesystem::path& data);

/// The same of boxes that land on a face or an edge, with the law of several points.
std::vector<BoundSection> MeasureLandings(const std::filesystem::path& data);

/// Constants of a layer's material from drops of several speeds, and what a rigid law makes of
/// them.
std::vector<BoundSection> MeasureRates(const std::filesystem::path& data);

/// From recorded trajectories to coefficients, with the audit of gravity.
std::vector<BoundSection> MeasureMotion(const std::filesystem::path& data);

/// Coefficients of rendered experiments against their truth, by the program itself.
std::vector<BoundSection> MeasureVideos(const std::filesystem::path& data);

/// Time of fits to the 856 impacts of data/planar_ellipse_impacts.
std::vector<BoundSection> MeasureSpeed(const std::filesystem::path& data);
/// Minutes a law where one is integrated.
std::vector<BoundSection> MeasureAllLaws(const std::filesystem::path& data);
/// Of 24 impacts in space, where the laws of springs are integrated over time.
std::vector<BoundSection> MeasureAllLawsInSpace(const std::filesystem::path& data);

}  // namespace percuss::benchmarks
