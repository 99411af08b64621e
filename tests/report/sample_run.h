// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace percuss::report {

using Json = nlohmann::ordered_json;

/// The files of a run with made-up but plausible numbers, to be changed by a test and written.
/// Nothing here comes from the stages that write the real files.
struct SampleRun {
  Json calibration, fit, impulses, run;
  std::vector<Json> trials;
  std::string impacts_csv, corners_csv;

  SampleRun();

  void Write(const std::filesystem::path& folder) const;
};

/// trial.json of a trial that failed.
Json FailedTrial(const std::string& name, const std::string& status, const std::string& message);

/// A new empty folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& Path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string ReadText(const std::filesystem::path& file);
void WriteText(const std::filesystem::path& file, const std::string& text);

}  // namespace percuss::report
