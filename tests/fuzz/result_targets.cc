// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of what tracking leaves behind, for a later step or run.

#include "tests/fuzz/target.h"
#include "tracking/label_files.h"
#include "tracking/layout/layout_files.h"
#include "tracking/sighting_files.h"
#include "tracking/track_files.h"

namespace percuss::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr Target kTargets[] = {
    {"sightings", "sightings", "sightings.json",
     [](const fs::path& f) { tracking::ReadSightings(f); }},
    {"labels", "labels", "labels.json", [](const fs::path& f) { tracking::ReadLabels(f, 6); }},
    {"layout", "layout", "layout.json", [](const fs::path& f) { tracking::ReadLayout(f, {}); }},
    {"trial", "trial-summary", "trial.json",
     [](const fs::path& f) { tracking::ReadTrialSummary(f); }},
};

}  // namespace

std::span<const Target> Targets() { return kTargets; }

}  // namespace percuss::fuzz
