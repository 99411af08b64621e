// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "base/error.h"
#include "pipeline/run_steps.h"
#include "pipeline/step_inputs.h"
#include "tracking/layout/layout_files.h"

namespace percuss::pipeline {
namespace fs = std::filesystem;

std::optional<capture::Experiment> LayoutStep(const capture::Experiment& experiment,
                                              const calibration::RigCalibration& calibration,
                                              const fs::path& calibration_file,
                                              const RunSettings& settings, Progress* progress) {
  const fs::path json = settings.folder / "layout.json", yaml = settings.folder / "layout.yaml";
  if (!experiment.body.unplaced) {
    RemoveFiles(settings.folder, {"layout.json", "layout.yaml"});  // of another experiment file
    return {};
  }
  if (calibration.cameras.size() < 2) {
    throw InputError(
        fmt::format("{}: cameras: found {}, allowed for markers without places are 2 "
                    "or more",
                    calibration_file.string(), calibration.cameras.size()));
  }
  tracking::LayoutFinderOptions options;
  options.num_threads = settings.jobs;
  options.progress = [&](const std::string& step, double fraction) {
    progress->Update(step, fraction);
  };
  StepRecord record = RecordOf("layout", settings);
  Provenance provenance{tracking::kLayoutFormat, settings.command, {}};
  AddSharedEntries(experiment, &provenance);
  AddHash(calibration_file, settings, &record, &provenance);
  std::string entries;
  for (const capture::Trial& trial : tracking::TrialsForLayout(experiment, options)) {
    entries += trial.name + ": " + trial.entry + "\n";
    AddTrialFiles(trial, settings, &record, &provenance);
  }
  const std::string key = KeyOf(provenance, entries);
  if (!record.IsDone(key, {json, yaml})) {
    const tracking::FoundLayout found = tracking::FindLayout(experiment, calibration, options);
    record.Forget();
    tracking::WriteLayout(found, provenance, json);
    WriteFileAtomically(yaml, tracking::LayoutYaml(found));
    record.Finish(key);
    progress->Line(fmt::format("layout: {}; layout written to {}", tracking::DescribeLayout(found),
                               yaml.string()));
    for (const std::string& warning : found.warnings) progress->Line("layout: " + warning);
  } else {
    progress->Line("layout: unchanged");
  }
  capture::Experiment found = experiment;
  found.body = tracking::ReadLayout(json, experiment.body).body;  // always as a later run reads it
  found.shared_entries += "found layout: " + HashFile(yaml) + "\n";
  return found;
}

}  // namespace percuss::pipeline
