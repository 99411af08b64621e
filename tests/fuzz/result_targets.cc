// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of what runs leave behind, and of motions that other systems measured.

#include "fitting/result/fit_files.h"
#include "pipeline/space/centre_table.h"
#include "report/facts/run_folder.h"
#include "tests/fuzz/target.h"
#include "tracking/flights/pose_table.h"
#include "tracking/label_files.h"
#include "tracking/layout/layout_files.h"
#include "tracking/sighting_files.h"
#include "tracking/track_files.h"

namespace percuss::fuzz {
namespace {

namespace fs = std::filesystem;

// Without times of its own it needs the rate.
void ReadPoses(const fs::path& file) {
  capture::MotionSource source{.file = file};
  source.frame_rate = 500.0;
  tracking::ReadPoseTable(source);
}

void ReadSlide(const fs::path& file) { report::ReadSlideFacts(file.parent_path()); }

void ReadRun(const fs::path& file) { report::ReadRunFolder(file.parent_path()); }

constexpr Target kTargets[] = {
    {"poses", "poses", "table.csv", ReadPoses},
    {"centres", "centres", "centres.csv",
     [](const fs::path& f) { pipeline::ReadCentreTable(pipeline::PlainCentres(f)); }},
    {"sightings", "sightings", "sightings.json",
     [](const fs::path& f) { tracking::ReadSightings(f); }},
    {"labels", "labels", "labels.json", [](const fs::path& f) { tracking::ReadLabels(f); }},
    {"layout", "layout", "layout.json", [](const fs::path& f) { tracking::ReadLayout(f, {}); }},
    {"trial", "trial", "trial.json", [](const fs::path& f) { tracking::ReadTrialSummary(f); }},
    {"slide", "slide", "slide/trial.json", ReadSlide},
    {"run", "run", "whole/run.json", ReadRun},
    {"fit", "fit", "fit.json", [](const fs::path& f) { fitting::ReadFit(f); }},
};

}  // namespace

std::span<const Target> Targets() { return kTargets; }

}  // namespace percuss::fuzz
