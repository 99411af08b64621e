// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers that need the impact laws or the estimators.

#include "app/requests/impact_request.h"
#include "app/requests/measure_readings.h"
#include "app/sweep/sweep_spec.h"
#include "base/files/files.h"
#include "fitting/result/fit_files.h"
#include "synthesis/scene/scene_reader.h"
#include "tests/fuzz/target.h"
#include "tracking/sighting_files.h"
#include "tracking/track_files.h"

namespace percuss::fuzz {
namespace {

namespace fs = std::filesystem;

void ReadRequest(const fs::path& file) { app::ReadImpactRequests(ReadFile(file), file.string()); }

void ReadReadings(const fs::path& file) {
  std::vector<std::string> left_out;
  app::ReadReadings(file.string(), "incline", {}, 9.81, left_out);
}

constexpr Target kTargets[] = {
    {"impact-request", "impact-request", "request.json", ReadRequest},
    {"sweep", "sweep", "spec.yaml", [](const fs::path& f) { app::ReadSweep(f); }},
    {"scene", "scene", "scene.yaml", [](const fs::path& f) { synthesis::ReadSceneSpec(f); }},
    {"readings", "readings", "readings.csv", ReadReadings},
    {"sightings", "sightings", "sightings.json",
     [](const fs::path& f) { tracking::ReadSightings(f); }},
    {"trial", "trial", "trial.json", [](const fs::path& f) { tracking::ReadTrialSummary(f); }},
    {"fit", "fit", "fit.json", [](const fs::path& f) { fitting::ReadFit(f); }},
};

}  // namespace

std::span<const Target> Targets() { return kTargets; }

}  // namespace percuss::fuzz
