// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <system_error>
#include <vector>

#include "app/command.h"
#include "app/progress.h"
#include "app/run_steps.h"
#include "calibration/calibrate.h"
#include "calibration/verdict.h"
#include "capture/error.h"
#include "capture/experiment.h"
#include "capture/files.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::string experiment;
  std::string output;
  int jobs = 2;
  bool json = false;
};

std::vector<fs::path> InputFiles(const capture::Experiment& experiment) {
  const capture::CalibrationImages& images = experiment.calibration;
  std::vector<fs::path> files = {experiment.file};
  files.insert(files.end(), images.left.begin(), images.left.end());
  files.insert(files.end(), images.right.begin(), images.right.end());
  files.push_back(images.surface_left);
  files.push_back(images.surface_right);
  return files;
}

void CheckOutput(const fs::path& output, const std::vector<fs::path>& inputs) {
  for (const fs::path& input : inputs) {
    std::error_code no_such_file;
    if (!fs::equivalent(output, input, no_such_file)) continue;
    throw InputError(fmt::format("--output: found {}, which is an input; allowed is another file",
                                 output.string()));
  }
}

void PrintCamera(const char* name, const calibration::Camera& camera,
                 const Eigen::Matrix<double, calibration::kNumIntrinsics, 1>& sigma) {
  const auto& c = camera.intrinsics;
  fmt::print(
      "{:<6} fx {:9.2f} +- {:.2f}  fy {:9.2f} +- {:.2f}  cx {:7.2f} +- {:.2f}  cy {:7.2f} "
      "+- {:.2f} px\n",
      name, c[0], sigma[0], c[1], sigma[1], c[2], sigma[2], c[3], sigma[3]);
  fmt::print(
      "       k1 {:.4f} +- {:.4f}  k2 {:.4f} +- {:.4f}  p1 {:.5f}  p2 {:.5f}  k3 {:.4f} +- "
      "{:.4f}\n",
      c[4], sigma[4], c[5], sigma[5], c[6], c[7], c[8], sigma[8]);
}

void PrintSummary(const calibration::StereoCalibration& result) {
  const Eigen::VectorXd sigma = result.covariance.diagonal().cwiseSqrt();
  PrintCamera("left", result.left, sigma.head<calibration::kNumIntrinsics>());
  PrintCamera("right", result.right,
              sigma.segment<calibration::kNumIntrinsics>(calibration::kNumIntrinsics));
  const double cosine = std::clamp(0.5 * (result.right_from_left.R.trace() - 1.0), -1.0, 1.0);
  fmt::print("stereo baseline {:.3f} +- {:.3f} mm, angle {:.3f} deg\n",
             1e3 * result.right_from_left.t.norm(), 1e3 * calibration::BaselineSigma(result),
             std::acos(cosine) * 180.0 / std::numbers::pi);
  fmt::print("corners {} used, {} rejected, {} of {} views; rms {:.3f} px, held out {:.3f} px\n",
             result.num_corners, result.quality.num_rejected_corners, result.quality.num_views,
             result.views.size(), result.rms_px, result.rms_px_heldout);
  for (const calibration::ViewReport& view : result.views) {
    if (view.reason.empty()) continue;
    fmt::print("{} {}, {}: {}\n", view.used ? "view" : "left out", view.left, view.right,
               view.reason);
  }
  fmt::print("verdict {}\n", result.verdict);
  for (const std::string& reason : result.verdict_reasons) fmt::print("  - {}\n", reason);
}

int Run(const Arguments& arguments, const CommonOptions& common) {
  const capture::Experiment experiment = capture::ReadExperiment(arguments.experiment);
  CheckOutput(arguments.output, InputFiles(experiment));
  Progress progress;
  const calibration::StereoCalibration result = calibration::CalibrateStereo(
      experiment,
      {.num_threads = arguments.jobs, .progress = [&](const std::string& step, double fraction) {
         progress.Update("calibrate: " + step, fraction);
       }});
  const capture::Provenance provenance = CalibrationProvenance(experiment, common.command_line);
  calibration::WriteCalibration(result, provenance, arguments.output);

  // Exit 0 means that every image that was listed was used.
  bool all_used = true;
  for (const calibration::ViewReport& view : result.views) {
    if (view.used) continue;
    all_used = false;
    progress.Line("percuss: calibrate: " + LeftOutLine(view));
  }
  if (arguments.json) {
    fmt::print("{}", calibration::CalibrationJson(result, provenance));
  } else {
    PrintSummary(result);
  }
  return all_used ? kExitOk : kExitNoAnswer;
}

}  // namespace

Command MakeCalibrateCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "calibrate", "Board images in, stereo calibration with surface frame and sigmas out.");
  const auto arguments = std::make_shared<Arguments>();
  subcommand->add_option("experiment", arguments->experiment, "The experiment file")
      ->required()
      ->type_name("EXPERIMENT.yaml");
  subcommand->add_option("-o,--output", arguments->output, "Where to write the calibration")
      ->required()
      ->type_name("calibration.json");
  subcommand->add_option("--jobs", arguments->jobs, "Threads")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  subcommand->add_flag("--json", arguments->json,
                       "Print the calibration file instead of a summary");
  subcommand->footer(
      "Example:  percuss calibrate data/bar-drop/experiment.yaml -o calibration.json\n"
      "Exit 0: every listed image was used. Exit 3: the calibration is written, but some views "
      "were "
      "left out (named on stderr); or nothing could be computed. Exit 2: bad input.");
  return {subcommand, [arguments, common] { return Run(*arguments, common); }};
}

}  // namespace percuss::app
