// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/step_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <system_error>

#include "capture/pictures/mraw_file.h"

namespace percuss::pipeline {

namespace fs = std::filesystem;

std::vector<fs::path> FilesOf(const fs::path& input) {
  std::error_code error;  // such as a name that is too long
  if (fs::is_regular_file(input, error)) return capture::FilesOfRecording(input);
  const fs::path pattern = fs::is_directory(input, error) ? input / "*" : input;
  std::vector<fs::path> files = ExpandPattern(pattern);
  std::erase_if(files, [](const fs::path& file) { return !fs::is_regular_file(file); });
  return files;
}

std::vector<capture::Trial> DropsOf(std::vector<capture::Trial> trials) {
  std::erase_if(trials, [](const capture::Trial& trial) {
    return trial.kind != capture::Trial::Kind::kDrop;
  });
  return trials;
}

std::size_t CountDrops(const std::vector<capture::Trial>& trials) {
  return static_cast<std::size_t>(
      std::ranges::count(trials, capture::Trial::Kind::kDrop, &capture::Trial::kind));
}

std::vector<fs::path> InputsOf(const capture::Trial& trial) {
  if (trial.motion) return {trial.motion->file};
  if (!trial.tracks.empty()) {
    std::vector<fs::path> files;
    for (const std::optional<capture::TrackSource>& source : trial.tracks) {
      if (source) files.insert(files.end(), source->files.begin(), source->files.end());
    }
    return files;
  }
  std::vector<fs::path> videos = {trial.left};
  if (!trial.right.empty()) videos.push_back(trial.right);  // else one camera
  std::ranges::copy_if(trial.others, std::back_inserter(videos),
                       [](const fs::path& video) { return !video.empty(); });
  return videos;
}

bool AddTrialFiles(const capture::Trial& trial, const RunSettings& settings, StepRecord* record,
                   Provenance* provenance) {
  bool all_there = true;
  for (const fs::path& input : InputsOf(trial)) {
    const std::vector<fs::path> files = FilesOf(input);
    for (const fs::path& file : files) AddHash(file, settings, record, provenance);
    all_there = all_there && !files.empty();
  }
  return all_there;
}

StepRecord RecordOf(const std::string& step, const RunSettings& settings) {
  return {settings.folder / ".steps" / (step + ".json"), settings.force};
}

void AddHash(const fs::path& file, const RunSettings& settings, StepRecord* record,
             Provenance* provenance) {
  const std::string inside = NameFrom(settings.folder, file);
  provenance->input_hashes.emplace_back(
      inside.starts_with("../") ? NameFrom(settings.experiment.parent_path(), file) : inside,
      record->HashOf(file));
}

void AddTrialEntry(const capture::Experiment& experiment, const capture::Trial& trial,
                   Provenance* provenance) {
  provenance->input_hashes.emplace_back(
      experiment.file.filename().string() + " without other trials",
      HashText(experiment.shared_entries + "trial: " + trial.entry));
}

void AddSharedEntries(const capture::Experiment& experiment, Provenance* provenance) {
  provenance->input_hashes.emplace_back(experiment.file.filename().string() + " without trials",
                                        HashText(experiment.shared_entries));
}

std::string KeyOf(const Provenance& provenance, const std::string& settings) {
  std::string text = provenance.format + "\n" + ProgramVersion() + "\n" + settings + "\n";
  for (const auto& [file, hash] : provenance.input_hashes) text += file + " " + hash + "\n";
  return HashText(text);
}

void OnTrial(const capture::Trial& trial, const std::function<void()>& work) {
  const auto end = [&] {
    throw std::runtime_error(fmt::format(
        "trial {}: out of memory; fewer --jobs take less, and what is done is not done again",
        trial.name));
  };
  try {
    work();
  } catch (const std::bad_alloc&) {
    end();
  } catch (const cv::Exception& error) {
    if (error.code == cv::Error::StsNoMem) end();
    throw;
  }
}

void RemoveFiles(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) RemoveOutdated(folder / name);
}

}  // namespace percuss::pipeline
