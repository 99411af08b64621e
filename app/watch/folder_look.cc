// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/watch/folder_look.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/error.h"
#include "base/files/files.h"
#include "capture/experiment/calibration_images.h"
#include "pipeline/bounces/bounce_batch.h"
#include "pipeline/step_inputs.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

/// Changes with the content of a file, or of each file of a folder or pattern.
std::string StampOf(const fs::path& input) {
  std::string stamp;
  for (const fs::path& file : pipeline::FilesOf(input)) {
    std::error_code error;
    stamp +=
        fmt::format("{} {} {:.6f}\n", file.string(), fs::file_size(file, error), ChangedAt(file));
  }
  return stamp;
}

void LookAtCampaign(const fs::path& file, FolderLook* look) {
  look->name = file.string();
  try {
    pipeline::LandedExperiment landed = pipeline::ReadLanded(file);
    const capture::Experiment& experiment = landed.experiment;
    look->name = experiment.name;
    look->waiting = std::move(landed.waiting);
    look->fingerprint = HashFile(file) + "\n";
    const auto& cameras = experiment.calibration.cameras;
    for (const fs::path& file : experiment.calibration.file.files) {
      look->calibration_changed_at =
          std::max(look->calibration_changed_at.value_or(0.0), ChangedAt(file));
      look->fingerprint += StampOf(file);
    }
    for (const capture::CalibrationCamera& camera : cameras) {
      std::vector<fs::path> pictures = camera.images;
      pictures.push_back(camera.surface);
      for (const fs::path& picture : pictures) {
        look->calibration_changed_at =
            std::max(look->calibration_changed_at.value_or(0.0), ChangedAt(picture));
        look->fingerprint += StampOf(picture);
      }
    }
    for (const capture::Trial& trial : experiment.trials) {
      LandedTrial& one = look->landed.emplace_back();
      one = {trial.name, fs::path("tracks") / trial.name, 0.0};
      look->fingerprint += trial.name + "\n";
      for (const fs::path& input : pipeline::InputsOf(trial)) {
        one.changed_at = std::max(one.changed_at, ChangedAt(input));
        look->fingerprint += StampOf(input);
      }
      if (trial.surface) {
        for (const fs::path& picture : trial.surface->pictures)
          look->fingerprint += StampOf(picture);
      }
    }
    if (!look->landed.empty()) {
      look->command = {"run", file.string(), "--landed"};
    } else if (!cameras.empty() && !landed.calibration_waits) {
      look->command = {"run", file.string(), "--only", "calibrate"};
    }
  } catch (const InputError& error) {
    look->problem = error.what();
  }
}

void LookAtClips(const fs::path& folder, FolderLook* look) {
  look->clips = true;
  look->name = fs::absolute(folder / "").lexically_normal().parent_path().filename().string();
  std::vector<fs::path> clips;
  try {
    clips = pipeline::ClipsOf({folder.string()});
  } catch (const InputError&) {
    look->problem =
        fmt::format("{} holds neither experiment.yaml nor a clip of a ball yet", folder.string());
    return;
  }
  for (const fs::path& clip : clips) {
    if (!pipeline::IsAtRest(clip)) {
      look->waiting.push_back(
          {clip.filename().string(), clip.filename().string() + " is still being written", true});
      continue;
    }
    look->landed.push_back({clip.filename().string(), clip.stem(), ChangedAt(clip)});
    look->fingerprint += StampOf(clip);
  }
  if (!look->landed.empty()) look->command = {"bounce", folder.string(), "--landed"};
}

}  // namespace

double ChangedAt(const fs::path& input) {
  double newest = 0.0;
  for (const fs::path& file : pipeline::FilesOf(input)) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    for (const timespec& time : {status.st_mtim, status.st_ctim}) {
      newest = std::max(
          newest, static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec));
    }
  }
  return newest;
}

FolderLook LookAt(const fs::path& watched) {
  FolderLook look;
  std::error_code error;
  if (fs::is_regular_file(watched, error)) {
    LookAtCampaign(watched, &look);
    return look;
  }
  if (!fs::is_directory(watched, error)) {
    throw InputError(
        fmt::format("{}: found no such folder, allowed one with experiment.yaml or "
                    "with clips of a ball, or an experiment file",
                    watched.string()));
  }
  for (const char* name : {"experiment.yaml", "experiment.yml", "experiment.json"}) {
    if (!fs::exists(watched / name, error)) continue;
    LookAtCampaign(watched / name, &look);
    return look;
  }
  LookAtClips(watched, &look);
  return look;
}

}  // namespace percuss::app
