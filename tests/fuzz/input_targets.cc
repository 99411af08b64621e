// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers of what a user writes, films and records, of tables, and of what is shown of a run.

#include "base/error.h"
#include "calibration/foreign/foreign_files.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "capture/experiment/mesh_file.h"
#include "capture/markers/marker_file.h"
#include "capture/tracks/pixel_tracks.h"
#include "capture/video/sound_reader.h"
#include "capture/video/video.h"
#include "fitting/result/fit_files.h"
#include "fitting/result/impulse_files.h"
#include "impacts/impact_files.h"
#include "impacts/table_description.h"
#include "pipeline/space/centre_table.h"
#include "report/facts/run_folder.h"
#include "tests/fuzz/target.h"
#include "tracking/flights/pose_table.h"

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

// The format is what the damaged header says; then as each camera and with axes turned over.
void ReadTracks(const fs::path& file) {
  capture::TrackSource source{.files = {file}, .camera = "1", .y_up = true};
  source.first_pixel = Eigen::Vector2d(0.5, 719.5);
  capture::ReadPixelTracks(source, 120.0, {1280, 720});
}

void ReadCameras(const fs::path& file) {
  calibration::ReadForeignRig({file}, {.size = {{1280, 720}}});
}

// Its reason is not an exception, for a video can be measured without its sound.
void ReadSound(const fs::path& file) {
  const capture::SoundTrack sound = capture::ReadSound(file);
  if (!sound.reason.empty()) throw InputError(file.string() + ": " + sound.reason);
}

// Without times of its own it needs the rate.
void ReadPoses(const fs::path& file) {
  capture::MotionSource source{.file = file, .frame_rate = 500.0};
  source.table.table = file;
  tracking::ReadPoseTable(source);
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
    {"tracks", "tracks", "tracks.csv", ReadTracks},
    {"tracks-hdf5", "tracks-hdf5", "tracks.h5", ReadTracks, true},
    {"calibration", "calibration", "calibration.json",
     [](const fs::path& f) { calibration::ReadCalibration(f); }},
    {"cameras-opencv", "cameras-opencv", "stereo.yml", ReadCameras},
    {"cameras-opencv-xml", "cameras-opencv-xml", "stereo.xml", ReadCameras},
    {"cameras-kalibr", "cameras-kalibr", "camchain.yaml", ReadCameras},
    {"cameras-mrcal", "cameras-mrcal", "left.cameramodel", ReadCameras},
    {"cameras-colmap", "cameras-colmap", "colmap-cameras/cameras.txt", ReadCameras},
    {"cameras-colmap-images", "cameras-colmap-images", "colmap-images/images.txt", ReadCameras},
    {"cameras-matlab", "cameras-matlab", "stereo.json", ReadCameras},
    {"cameras-toml", "cameras-toml", "rig.toml", ReadCameras},
    {"cameras-qualisys", "cameras-qualisys", "rig.qca.txt", ReadCameras},
    {"cameras-dlt", "cameras-dlt", "dltCoefs.csv", ReadCameras},
    {"video", "video", "left.mkv", ReadVideo},
    {"sound", "sound", "left.wav", ReadSound},
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
    {"poses", "poses", "table.csv", ReadPoses},
    {"centres", "centres", "centres.csv",
     [](const fs::path& f) { pipeline::ReadCentreTable(pipeline::PlainCentres(f)); }},
    {"fit", "fit", "fit.json", [](const fs::path& f) { fitting::ReadFit(f); }},
    {"impulses", "impulses", "impulses.json",
     [](const fs::path& f) { fitting::ReadImpulseDiagrams(f); }},
    {"shown-pictures", "pictures", "pictures.json",
     [](const fs::path& f) { report::ReadPictures(f); }},
    {"shown-film", "film", "film.json", [](const fs::path& f) { report::ReadFilm(f); }},
    {"shown-trial", "trial", "shown/trial.json",
     [](const fs::path& f) { report::ReadTrialFacts(f.parent_path()); }},
    {"slide", "slide", "slide/trial.json",
     [](const fs::path& f) { report::ReadSlideFacts(f.parent_path()); }},
    {"run", "run", "whole/run.json",
     [](const fs::path& f) { report::ReadRunFolder(f.parent_path()); }},
};

}  // namespace

std::span<const Target> Targets() { return kTargets; }

}  // namespace percuss::fuzz
