// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numbers>
#include <vector>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/numbers.h"
#include "calibration/calibrate.h"
#include "calibration/quality/verdict.h"
#include "capture/experiment/experiment.h"
#include "pipeline/progress.h"
#include "pipeline/run_steps.h"
#include "report/calibration/calibration_page.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

struct CalibrateArguments {
  std::string experiment;
  std::string output;
  int jobs = 2;
  bool json = false;
};

std::vector<fs::path> InputFiles(const capture::Experiment& experiment) {
  const capture::CalibrationImages& images = experiment.calibration;
  std::vector<fs::path> files = {experiment.file};
  files.insert(files.end(), images.file.files.begin(), images.file.files.end());
  for (const capture::CalibrationCamera& camera : images.cameras) {
    files.insert(files.end(), camera.images.begin(), camera.images.end());
    if (!camera.surface.empty()) files.push_back(camera.surface);
  }
  return files;
}

void PrintCamera(const calibration::CalibratedCamera& calibrated, const Eigen::VectorXd& sigma) {
  const calibration::Camera& camera = calibrated.camera;
  const auto& c = camera.intrinsics;
  const auto number = [&](std::size_t k) { return FormatWithSigma(c[k], sigma[k]); };
  fmt::print("{:<6} fx {}  fy {}  cx {}  cy {} px\n", calibrated.name, number(0), number(1),
             number(2), number(3));
  fmt::print("      ");
  std::size_t place = 4;
  for (const std::string_view name : calibration::DistortionNames(camera.lens))
    fmt::print(" {} {} ", name, number(place++));
  fmt::print("\n");
}

void PrintPose(const calibration::RigCalibration& result, std::size_t camera) {
  const calibration::Pose& pose = result.cameras[camera].from_first;
  const double cosine = std::clamp(0.5 * (pose.R.trace() - 1.0), -1.0, 1.0);
  fmt::print("{} to {}: baseline {} mm, angle {:.3f} deg\n", result.cameras[0].name,
             result.cameras[camera].name,
             FormatWithSigma(1e3 * pose.t.norm(), 1e3 * calibration::BaselineSigma(result, camera)),
             std::acos(cosine) * 180.0 / std::numbers::pi);
}

void PrintBoard(const calibration::BoardEstimate& board) {
  fmt::print("board bent by {} mm along columns, {} mm along rows\n",
             FormatWithSigma(1e3 * board.shape.warp.x(), 1e3 * board.warp_sigma.x()),
             FormatWithSigma(1e3 * board.shape.warp.y(), 1e3 * board.warp_sigma.y()));
  if (board.scale_sigma > 0.0) {
    fmt::print("board larger than stated by a factor {}\n",
               FormatWithSigma(board.shape.scale, board.scale_sigma));
  }
}

void PrintSummary(const calibration::RigCalibration& result) {
  const Eigen::VectorXd sigma = result.covariance.diagonal().cwiseSqrt();
  const calibration::ParameterPlaces places = result.Places();
  for (int c = 0; c < places.num_cameras; ++c) {
    PrintCamera(result.cameras[c],
                sigma.segment<calibration::kNumIntrinsics>(places.Intrinsics(c)));
  }
  for (std::size_t c = 1; c < result.cameras.size(); ++c) PrintPose(result, c);
  if (!result.source.empty()) {
    fmt::print("cameras of {}; board on the surface: corners {} used, {} rejected; rms {:.3f} px\n",
               result.source, result.num_corners, result.quality.num_rejected_corners,
               result.rms_px);
    for (const std::string& note : result.notes) fmt::print("note: {}\n", note);
  } else {
    PrintBoard(result.board);
    fmt::print("corners {} used, {} rejected, {} of {} views; rms {:.3f} px, held out {:.3f} px\n",
               result.num_corners, result.quality.num_rejected_corners, result.quality.num_views,
               result.views.size(), result.rms_px, result.quality.held_out.rms_px);
  }
  for (const calibration::ViewReport& view : result.views) {
    if (view.reason.empty()) continue;
    fmt::print("{} {}: {}\n", view.used ? "view" : "left out", calibration::FilesOf(view),
               view.reason);
  }
  const calibration::PredictedError& predicted = result.quality.predicted;
  if (std::isfinite(predicted.point_sigma_worst)) {
    fmt::print(
        "a marker in the working volume is placed to {:.3f} mm (median), {:.3f} mm (worst)\n",
        1e3 * predicted.point_sigma_median, 1e3 * predicted.point_sigma_worst);
  }
  if (std::isfinite(result.quality.half_split.rms_px)) {
    fmt::print("even against odd views {:.3f} px, from corner noise alone {:.3f} px\n",
               result.quality.half_split.rms_px, result.quality.half_split.predicted_rms_px);
  }
  for (const std::string& finding : result.quality.pattern.findings) {
    fmt::print("note: {}\n", finding);
  }
  if (!result.quality.next_view.text.empty()) {
    fmt::print("best next picture (sigmas {:.0f} % smaller): {}\n",
               100.0 * (1.0 - result.quality.next_view.sigma_ratio), result.quality.next_view.text);
  }
  fmt::print("verdict {}\n", result.verdict);
  for (const std::string& reason : result.verdict_reasons) fmt::print("  - {}\n", reason);
}

/// calibration.html for calibration.json.
fs::path PageBeside(const fs::path& output) {
  fs::path page = output;
  page.replace_extension(".html");
  if (page == output) {
    throw InputError(fmt::format(
        "--output: found {}, allowed is a name that does not end in .html: a page with that name "
        "is written beside it",
        output.string()));
  }
  return page;
}

std::vector<std::vector<report::CornerFacts>> ByCamera(
    const std::vector<calibration::MeasuredResidual>& corners, std::size_t num_cameras) {
  std::vector<std::vector<report::CornerFacts>> by_camera(num_cameras);
  for (const calibration::MeasuredResidual& corner : corners) {
    by_camera[corner.camera].push_back(
        {corner.pixel.x(), corner.pixel.y(), corner.residual.x(), corner.residual.y()});
  }
  return by_camera;
}

int RunCalibrate(const CalibrateArguments& arguments, const CommonOptions& common) {
  const capture::Experiment experiment =
      capture::ReadExperiment(arguments.experiment, capture::ExperimentNeeds::kCalibration);
  if (!experiment.HasVideos() && experiment.calibration.cameras.empty()) {
    throw InputError(fmt::format(
        "{}: calibration: found nothing, and nothing to calibrate: all trials are poses or markers",
        experiment.file.string()));
  }
  const fs::path page = PageBeside(arguments.output);
  for (const fs::path& output : {fs::path(arguments.output), page})
    RefuseInputAsOutput(output, InputFiles(experiment));
  pipeline::Progress progress;
  std::vector<calibration::MeasuredResidual> corners;
  const calibration::RigCalibration result = calibration::CalibrateRig(
      experiment,
      {.num_threads = arguments.jobs,
       .progress = [&](const std::string& step,
                       double fraction) { progress.Update("calibrate: " + step, fraction); }},
      &corners);
  const Provenance provenance = pipeline::CalibrationProvenance(experiment, common.command_line);
  calibration::WriteCalibration(result, provenance, arguments.output);
  report::WriteCalibrationPage(page, experiment.name, result,
                               ByCamera(corners, result.cameras.size()));

  // Exit 0 means that every image that was listed was used.
  bool all_used = true;
  for (const calibration::ViewReport& view : result.views) {
    // Frames of a video are the program's own choice.
    if (view.used || experiment.calibration.FromVideos()) continue;
    all_used = false;
    progress.Line("percuss: calibrate: " + pipeline::LeftOutLine(view));
  }
  for (const calibration::SurfacePlane& surface : result.surfaces)
    progress.Line("calibrate: " + pipeline::SurfaceLine(surface, result.covariance));
  if (arguments.json) {
    fmt::print("{}", calibration::CalibrationJson(result, provenance));
  } else {
    PrintSummary(result);
    fmt::print("Page: {}\n", page.string());
  }
  return all_used ? kExitOk : kExitNoAnswer;
}

}  // namespace

Command MakeCalibrateCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "calibrate", "Board images in, stereo calibration with surface frame and sigmas out.");
  const auto arguments = std::make_shared<CalibrateArguments>();
  AddExperiment(subcommand, &arguments->experiment);
  subcommand->add_option("-o,--output", arguments->output, "Where to write the calibration")
      ->required()
      ->type_name("calibration.json");
  AddJobs(subcommand, &arguments->jobs);
  subcommand->add_flag("--json", arguments->json,
                       "Print the calibration file instead of a summary");
  subcommand->footer(
      "Example:  percuss calibrate data/bar-drop/experiment.yaml -o calibration.json\n"
      "calibration.html beside it shows what the boards covered, what is left of their corners and "
      "how sure the calibration is over the pictures.\n"
      "The file needs no body and no trials. calibration.left and .right may be videos of a waved "
      "board; calibration.file takes the cameras of another program.\n"
      "Exit 0: every listed image was used. Exit 3: the calibration is written, but some views "
      "were "
      "left out (named on stderr); or nothing could be computed. Exit 2: bad input.");
  return {subcommand, [arguments, common] { return RunCalibrate(*arguments, common); }};
}

}  // namespace percuss::app
