// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of what a user writes, films and records, and of tables and what is shown of a run.

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "capture/experiment/mesh_file.h"
#include "capture/markers/marker_file.h"
#include "capture/video/video.h"
#include "fitting/result/impulse_files.h"
#include "impacts/impact_files.h"
#include "impacts/table_description.h"
#include "report/facts/run_folder.h"
#include "tests/fuzz/target.h"

namespace percuss::fuzz {
namespace {

namespace fs = std::filesystem;

void ReadVideo(const fs::path& file) {
  constexpr int kMostFrames = 20;  // a damaged header may promise millions
  capture::VideoReader reader(file, {100.0});
  for (int k = 0; k < kMostFrames && reader.Next(); ++k) {
  }
}

void ReadDescription(const fs::path& file) {
  impacts::ReadDescribedImpacts(impacts::ReadTableDescription(file));
}

// The same table as everyone's impacts, and by a description that reads some of its columns.
void ReadLabTable(const fs::path& file) {
  impacts::ReadDescribedImpacts(
      impacts::ReadTableDescription(file.parent_path() / "lab_table.yaml"));
}

constexpr Target kTargets[] = {
    {"experiment", "experiment", "experiment.yaml",
     [](const fs::path& f) { capture::ReadExperiment(f); }},
    {"body", "body", "body.yaml", [](const fs::path& f) { capture::ReadBody(f); }},
    {"mesh", "mesh", "mesh.obj", [](const fs::path& f) { capture::ReadConvexMesh(f); }},
    {"markers-csv", "markers-csv", "markers.csv",
     [](const fs::path& f) { capture::ReadMarkers(f); }},
    {"markers-trc", "markers-trc", "markers.trc",
     [](const fs::path& f) { capture::ReadMarkers(f); }},
    {"markers-c3d", "markers-c3d", "markers.c3d",
     [](const fs::path& f) { capture::ReadMarkers(f); }},
    {"markers-partial", "markers-c3d", "markers.c3d",
     [](const fs::path& f) { capture::ReadMarkers(f, {.partial = true}); }},
    {"calibration", "calibration", "calibration.json",
     [](const fs::path& f) { calibration::ReadCalibration(f); }},
    {"video", "video", "left.mkv", ReadVideo},
    {"cine", "cine", "left.cine", ReadVideo},
    {"mraw", "mraw", "bare.mraw", ReadVideo},
    {"cih", "cih", "headed.cih", ReadVideo},
    {"cihx", "cihx", "xml.cihx", ReadVideo},
    {"tiff", "tiff", "left.tif", ReadVideo},
    {"table-description", "table-description", "table.yaml", ReadDescription},
    {"lab-table", "lab-table", "lab_table.csv", ReadLabTable},
    {"impacts-csv", "impacts-csv", "impacts.csv",
     [](const fs::path& f) { impacts::ReadImpacts(f); }},
    {"impacts-json", "impacts-json", "impacts.json",
     [](const fs::path& f) { impacts::ReadImpacts(f); }},
    {"impulses", "impulses", "impulses.json",
     [](const fs::path& f) { fitting::ReadImpulseDiagrams(f); }},
    {"shown-pictures", "pictures", "pictures.json",
     [](const fs::path& f) { report::ReadPictures(f); }},
    {"shown-film", "film", "film.json", [](const fs::path& f) { report::ReadFilm(f); }},
    {"shown-trial", "trial", "shown/trial.json",
     [](const fs::path& f) { report::ReadTrialFacts(f.parent_path()); }},
};

}  // namespace

std::span<const Target> Targets() { return kTargets; }

}  // namespace percuss::fuzz
