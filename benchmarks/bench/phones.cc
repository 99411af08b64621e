// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/phones.h"

#include <fmt/core.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>

#include "base/text/json_field.h"
#include "benchmarks/bench/slow_motion.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "tests/app/documents/document.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tracking/experiment_bench.h"
#include "tracking/label_files.h"
#include "tracking/trial.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

testing::ProgramRun RunOrThrow(const std::vector<std::string>& words) {
  testing::ProgramRun run = testing::RunPercuss(words);
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  return run;
}

struct Coefficient {
  double value = 0.0, sigma = 0.0;
};

Coefficient Read(const fs::path& out, const char* name) {
  const JsonField one =
      JsonField::ReadFile(out / "fit.json").At("laws").At("stronge").At("parameters").At(name);
  return {one.At("value").Number(), one.At("sigma").Number()};
}

/// What bench.json says of the line time of a camera.
double LineTimeOf(const fs::path& out, const std::string& camera) {
  for (const JsonField& row : JsonField::ReadFile(out / "bench.json").At("quantities").Elements()) {
    if (row.At("name").Text() == "line time of the " + camera + " camera")
      return row.At("estimate").Number();
  }
  return 0.0;
}

/// Runs an experiment beside the others of the folder.
fs::path RunAs(const fs::path& folder, const std::string& name, const YAML::Node& experiment) {
  const fs::path file = folder / (name + ".yaml"), out = folder / (name + "-out");
  std::ofstream(file) << YAML::Dump(experiment);
  RunOrThrow({"run", file.string(), "-o", out.string()});
  return out;
}

}  // namespace

std::vector<BoundSection> MeasurePhones() {
  const testing::TemporaryFolder temporary;
  const std::string tutorial = testing::TextOfRepository("docs/tutorial.md");
  std::string text;
  for (const testing::FencedBlock& block : testing::FencedBlocks(tutorial)) {
    if (block.language == "yaml" && text.empty()) text = block.text;
  }
  std::ofstream(temporary / "phones.yaml") << text;
  const fs::path folder = temporary / "phones";
  RunOrThrow({"synthesize", (temporary / "phones.yaml").string(), "-o", folder.string()});
  const double line_time = YAML::Load(text)["line_time"].as<double>();
  const JsonField truth = JsonField::ReadFile(folder / "truth.json");

  YAML::Node experiment = YAML::LoadFile((folder / "experiment.yaml").string());
  const fs::path stated = RunAs(folder, "stated", experiment);
  experiment.remove("line_time");
  const fs::path unknown = RunAs(folder, "unknown", experiment);

  BoundSection section{"two phones of the tutorial, line_time deleted", {}, {}};
  const auto add = [](BoundSection* to, const std::string& name, const char* unit, double measured,
                      double highest) {
    BoundRow row{name, unit, measured};
    row.highest = highest;
    to->rows.push_back(row);
  };
  for (const char* camera : {"left", "right"}) {
    const double error = std::abs(LineTimeOf(unknown, camera) - line_time);
    add(&section, fmt::format("error of the line time, {}", camera), "%", 100.0 * error / line_time,
        2.0);
  }
  for (const char* name : {"mu", "e"}) {
    const double exact = truth.At(name).Number();
    const Coefficient with = Read(stated, name), without = Read(unknown, name);
    // An error below the sigma is chance; no ratio of such means anything.
    add(&section, fmt::format("error of {}, over that with line_time or its sigma", name), "",
        std::abs(without.value - exact) / std::max(std::abs(with.value - exact), with.sigma), 2.0);
    add(&section, fmt::format("sigma of {}, over that with line_time", name), "",
        without.sigma / with.sigma, 2.0);
    section.remarks.push_back(fmt::format("{}: {:.6f} +- {:.6f} stated, {:.6f} +- {:.6f} without",
                                          name, with.value, with.sigma, without.value,
                                          without.sigma));
  }

  constexpr int kStoredRate = 30;
  const int factor = experiment["frame_rate"].as<int>() / kStoredRate;
  for (auto trial : experiment["trials"]) {
    for (const char* side : {"left", "right"}) {
      const std::string video = trial[side].as<std::string>();
      const std::string slow = fmt::format("{}-{}-slow.mp4", trial["name"].as<std::string>(), side);
      WriteSlower(folder / video, folder / slow, factor);
      trial[side] = slow;
    }
  }
  const fs::path slow = RunAs(folder, "slow", experiment);
  BoundSection motion{fmt::format("the same, stored as {} frames a second", kStoredRate), {}, {}};
  for (const char* name : {"mu", "e"}) {
    const Coefficient fast = Read(unknown, name), one = Read(slow, name);
    add(&motion, fmt::format("difference of {}, over its sigma", name), "",
        std::abs(one.value - fast.value) / fast.sigma, 0.1);
  }
  return {section, motion};
}

std::vector<BoundSection> MeasureBenchTime(const fs::path& data) {
  std::vector<BoundSection> sections;
  for (const char* set : {"bar-drop", "cube-drop"}) {
    const testing::TemporaryFolder folder;
    const fs::path out = folder / "out";
    const testing::ProgramRun run =
        RunOrThrow({"run", (data / set / "experiment.yaml").string(), "-o", out.string()});
    const capture::Experiment experiment = capture::ReadExperiment(data / set / "experiment.yaml");
    const calibration::RigCalibration calibration =
        calibration::ReadCalibration(out / "calibration.json");
    const auto recorded = [&](const capture::Trial& trial) {
      tracking::TrialResult result;
      result.trial = trial.name;
      result.message.clear();
      result.tracked = tracking::ReadLabels(out / "tracks" / trial.name / "labels.json",
                                            experiment.body.markers.size());
      return result;
    };
    const std::clock_t start = std::clock();
    const tracking::BenchEstimate estimate = tracking::EstimateBenchOf(
        experiment, tracking::StatedBench(experiment, calibration), experiment.trials, recorded);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (!estimate.converged) throw std::runtime_error("the bench does not come to rest");
    const auto trials = static_cast<double>(experiment.trials.size());
    BoundSection section{fmt::format("{}: processor time for a trial", set), {}, {}};
    section.rows.push_back({"run with the bench", "s", run.cpu_seconds / trials});
    section.rows.push_back({"run without", "s", (run.cpu_seconds - seconds) / trials});
    BoundRow added{"the bench", "s", seconds / trials};
    added.highest = 0.3;
    section.rows.push_back(added);
    sections.push_back(section);
  }
  return sections;
}

}  // namespace percuss::benchmarks
