// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/step_inputs.h"

#include <system_error>

namespace percuss::pipeline {

namespace fs = std::filesystem;

StepRecord RecordOf(const std::string& step, const RunSettings& settings) {
  return {settings.folder / ".steps" / (step + ".json"), settings.force};
}

void AddHash(const fs::path& file, const RunSettings& settings, StepRecord* record,
             Provenance* provenance) {
  const fs::path inside = file.lexically_relative(settings.folder);
  const bool is_inside = !inside.empty() && *inside.begin() != "..";
  provenance->input_hashes.emplace_back((is_inside ? inside : file).generic_string(),
                                        record->HashOf(file));
}

void AddSharedEntries(const capture::Experiment& experiment, Provenance* provenance) {
  provenance->input_hashes.emplace_back(experiment.file.generic_string() + " without trials",
                                        HashText(experiment.shared_entries));
}

std::string KeyOf(const Provenance& provenance, const std::string& settings) {
  std::string text = provenance.format + "\n" + ProgramVersion() + "\n" + settings + "\n";
  for (const auto& [file, hash] : provenance.input_hashes) text += file + " " + hash + "\n";
  return HashText(text);
}

void RemoveFiles(const fs::path& folder, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::error_code ignored;
    fs::remove(folder / name, ignored);
  }
}

}  // namespace percuss::pipeline
