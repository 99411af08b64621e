// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "capture/experiment/experiment.h"
#include "pipeline/run_settings.h"
#include "pipeline/step_record.h"

// What the steps of a run share: how they name and hash their inputs.
namespace percuss::pipeline {

inline constexpr const char* kImpactsFormat = "percuss impacts 1";

/// @param step such as "fit" or "tracks/a-slide"
StepRecord RecordOf(const std::string& step, const RunSettings& settings);

/// Adds an input to a provenance, with its hash. Files of the run folder are named as seen from
/// there, others as seen from the folder of the experiment file: the same wherever both are, and
/// however they were typed.
void AddHash(const std::filesystem::path& file, const RunSettings& settings, StepRecord* record,
             Provenance* provenance);

/// Those of the trials that are drops: slides have no impact.
std::vector<capture::Trial> DropsOf(std::vector<capture::Trial> trials);
std::size_t CountDrops(const std::vector<capture::Trial>& trials);

/// The videos of a trial, or its tables of tracks, of poses or of markers.
std::vector<std::filesystem::path> InputsOf(const capture::Trial& trial);

/// The files that a video, a sequence of pictures or a table of poses consists of; none if they are
/// missing, which the tracker will say.
std::vector<std::filesystem::path> FilesOf(const std::filesystem::path& input);

/// Adds the hashes of all files of a trial.
/// @returns whether they are there.
bool AddTrialFiles(const capture::Trial& trial, const RunSettings& settings, StepRecord* record,
                   Provenance* provenance);

/// Of the experiment file only what it states for all trials and for this one.
void AddTrialEntry(const capture::Experiment& experiment, const capture::Trial& trial,
                   Provenance* provenance);

/// Of the experiment file only what it states for all trials: changes elsewhere change nothing.
void AddSharedEntries(const capture::Experiment& experiment, Provenance* provenance);

/// The key of a step: a hash of its format, of all its inputs, and of what else it depends on.
std::string KeyOf(const Provenance& provenance, const std::string& settings);

/// Removes files that have no successor.
void RemoveFiles(const std::filesystem::path& folder, std::initializer_list<const char*> names);

/// Does the work on one trial. @throws std::runtime_error naming the trial where memory is at its
/// end; what the work throws.
void OnTrial(const capture::Trial& trial, const std::function<void()>& work);

}  // namespace percuss::pipeline
