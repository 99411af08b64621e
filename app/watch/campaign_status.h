// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "app/watch/folder_look.h"

namespace percuss::app {

/// What the program that processes the folder does, and how it ended the last time.
struct WorkState {
  bool running = false;
  bool settled = false;        ///< it has ended, and nothing has changed since it began
  std::string activity = {};   ///< what it said last
  std::string complaint = {};  ///< why it did not reach its end, in one line; empty if it did
};

struct TrialStatus {
  enum class State { kFailed, kWorking, kWaiting, kDone };
  std::string name;
  State state = State::kWaiting;
  std::string text;  ///< the reason, or what was found
  std::string link;  ///< a file below OUT that shows it; empty if there is none
};

struct StepStatus {
  enum class State { kOpen, kWorking, kDone };
  std::string name;
  State state = State::kOpen;
  std::string text;  ///< such as "3 of 5 trials"
};

struct CoefficientStatus {
  std::string name, meaning;
  std::string value;  ///< or what is known instead: "≥ 0.26", "not known"
  std::string sigma;  ///< empty where there is none
};

/// What the page shows.
struct CampaignStatus {
  std::string name = {};
  bool running = false;
  std::string activity = {};
  std::string problem = {};  ///< of the folder or of the run as a whole; empty if there is none
  std::vector<StepStatus> steps = {};
  std::vector<TrialStatus> trials =
      {};  ///< failures first, then what goes on, what waits, what is done
  std::vector<CoefficientStatus> coefficients = {};
  std::string law = {};         ///< of the coefficients; empty for bounces of a ball
  std::string report = {};      ///< below OUT; empty while there is none
  double report_written = 0.0;  ///< ChangedAt
};

/// Reads results below OUT, each file again only where it has changed.
class ResultReader {
 public:
  explicit ResultReader(std::filesystem::path out) : out_(std::move(out)) {}

  CampaignStatus StatusOf(const FolderLook& look, const WorkState& work);

 private:
  struct Result {
    double changed_at = 0.0;
    bool ok = false;
    std::string text;
  };
  struct Fit {
    double changed_at = 0.0;
    std::string law;
    std::vector<CoefficientStatus> coefficients;
  };
  struct Batch {
    double changed_at = 0.0;
    std::map<std::string, Result> clips;  ///< by file name
    std::vector<CoefficientStatus> coefficients;
  };

  TrialStatus TrialOf(const LandedTrial& trial, const WorkState& work);
  TrialStatus ClipOf(const LandedTrial& clip, const WorkState& work);
  std::vector<StepStatus> StepsOf(const FolderLook& look, const WorkState& work,
                                  const CampaignStatus& status) const;
  const Result& TrialResult(const std::filesystem::path& file);
  void ReadFit();
  void ReadBatch();

  std::filesystem::path out_;
  std::map<std::filesystem::path, Result> results_;
  Fit fit_;
  Batch batch_;
};

/// status.json.
std::string StatusJson(const CampaignStatus& status);

}  // namespace percuss::app
