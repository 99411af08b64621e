// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "app/commands/shared_options.h"
#include "app/robots/robot_model.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "calibration/foreign/foreign_files.h"
#include "calibration/rig/rig_calibration.h"
#include "capture/markers/marker_file.h"
#include "report/gltf/run_gltf.h"

namespace percuss::app {
namespace {

namespace fs = std::filesystem;

struct ConvertArguments {
  std::vector<std::string> input;  ///< more than one: the files of a calibration
  std::string output;
  std::string to;
  std::string unit;
  std::vector<int> size;
  std::string up = "z";
  bool nearest = false;
  bool partial = false;
  bool json = false;
};

void PrintSummary(const capture::MarkerTrajectories& trajectories,
                  const ConvertArguments& arguments) {
  std::size_t num_missing = 0;
  for (const auto& frame : trajectories.positions) {
    for (const auto& position : frame) num_missing += capture::IsMissing(position) ? 1 : 0;
  }
  const std::size_t num_frames = trajectories.times.size();
  const std::size_t num_markers = trajectories.markers.size();
  const double missing =
      static_cast<double>(num_missing) / static_cast<double>(num_frames * num_markers);
  if (arguments.json) {
    // A rate that is not known is null.
    const nlohmann::ordered_json result = {{"output", arguments.output},
                                           {"markers", trajectories.markers},
                                           {"frames", num_frames},
                                           {"frame_rate", trajectories.frame_rate},
                                           {"start", trajectories.times.front()},
                                           {"end", trajectories.times.back()},
                                           {"missing_fraction", missing}};
    fmt::print("{}", JsonText(result, 2));
    return;
  }
  const std::string rate = std::isfinite(trajectories.frame_rate)
                               ? fmt::format(" at {:.6g} Hz", trajectories.frame_rate)
                               : "";
  fmt::print(
      "{}: {} markers, {} frames{}, from {:.6g} to {:.6g} s; {:.2f} % of the positions missing\n",
      arguments.output, num_markers, num_frames, rate, trajectories.times.front(),
      trajectories.times.back(), 100.0 * missing);
}

/// A model of a robot, .urdf or MuJoCo's .xml, becomes a scene.
int RunRobot(const ConvertArguments& arguments, bool urdf) {
  if (!arguments.output.ends_with(".yaml")) {
    throw InputError(fmt::format("{}: found another extension, allowed .yaml from .urdf and .xml",
                                 arguments.output));
  }
  const std::string& input = arguments.input.front();
  const RobotModel robot = urdf ? ReadUrdf(input) : ReadMjcf(input);
  WriteFileAtomically(arguments.output, SceneText(robot, input));
  if (arguments.json) {
    fmt::print("{}", JsonText(nlohmann::ordered_json{{"output", arguments.output},
                                                     {"left_out", robot.left_out}},
                              2));
    return kExitOk;
  }
  fmt::print("{}: a scene for percuss simulate\n", arguments.output);
  for (const std::string& line : robot.left_out) fmt::print("left out: {}\n", line);
  return kExitOk;
}

/// The folder of a run, or of one of its trials, becomes a scene for Blender.
int RunScene(const ConvertArguments& arguments) {
  const std::string scene = report::RunGltf(fs::path(arguments.input.front()));
  WriteFileAtomically(arguments.output, scene);
  if (arguments.json) {
    fmt::print(
        "{}",
        JsonText(nlohmann::ordered_json{{"output", arguments.output}, {"bytes", scene.size()}}, 2));
  } else {
    fmt::print("{}: a scene in glTF 2.0, {} kB\n", arguments.output, (scene.size() + 999) / 1000);
  }
  return kExitOk;
}

double MetresOf(const std::string& unit) {
  static const std::map<std::string, double> kUnits = {
      {"m", 1.0}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}};
  const auto known = kUnits.find(unit);
  if (known != kUnits.end()) return known->second;
  double metres = 0.0;
  const auto [end, error] = std::from_chars(unit.data(), unit.data() + unit.size(), metres);
  if (error == std::errc() && end == unit.data() + unit.size() && metres > 0.0 && metres <= 1e3)
    return metres;
  throw InputError(fmt::format(
      "--unit: found {}, allowed m, cm, mm, in, or the metres of one unit of length", unit));
}

calibration::ForeignOptions ForeignOptionsOf(const ConvertArguments& arguments) {
  calibration::ForeignOptions options;
  if (!arguments.unit.empty()) options.unit = MetresOf(arguments.unit);
  if (arguments.size.empty()) return options;
  const std::array size = {arguments.size[0], arguments.size[1]};
  if (size[0] < 1 || size[1] < 1)
    throw InputError(
        fmt::format("--size: found {} {}, allowed width and height in px", size[0], size[1]));
  options.size = size;
  return options;
}

/// Cameras of a calibration, ours or of another program, into another format.
int RunRig(const ConvertArguments& arguments, const CommonOptions& common) {
  const std::vector<fs::path> files(arguments.input.begin(), arguments.input.end());
  calibration::ForeignRig rig = calibration::ReadForeignRig(files, ForeignOptionsOf(arguments));
  for (const calibration::ForeignCamera& camera : rig.cameras) {
    if (camera.camera.width > 0) continue;
    throw InputError(
        fmt::format("{}: {}: found no size of the pictures, allowed with --size WIDTH HEIGHT",
                    arguments.input.front(), camera.name));
  }
  std::vector<fs::path> written;
  if (arguments.to.empty() && arguments.output.ends_with(".json")) {
    Provenance provenance{calibration::kCalibrationFormat, common.command_line, {}};
    for (const fs::path& file : files) {
      if (fs::is_regular_file(file))
        provenance.input_hashes.emplace_back(file.generic_string(), HashFile(file));
      RefuseInputAsOutput(arguments.output, {file});
    }
    calibration::WriteCalibration(calibration::CalibrationOf(rig), provenance, arguments.output);
    written.emplace_back(arguments.output);
  } else {
    const std::string format = arguments.to.empty()
                                   ? std::string(calibration::FormatOfName(arguments.output))
                                   : arguments.to;
    if (format.empty()) {
      throw InputError(fmt::format(
          "{}: found no format, allowed with --to {}; or .json, .toml, .cameramodel, .csv",
          arguments.output, fmt::join(calibration::WritableFormats(), ", ")));
    }
    if (arguments.nearest) rig = calibration::WithNearestLenses(std::move(rig), format);
    try {
      for (const calibration::NamedText& text :
           calibration::ForeignTexts(rig, format, arguments.output)) {
        RefuseInputAsOutput(text.file, files);
        WriteFileAtomically(text.file, text.text);
        written.push_back(text.file);
      }
    } catch (const std::invalid_argument& error) {
      throw InputError(fmt::format("{}: {}", arguments.input.front(), error.what()));
    }
  }
  if (arguments.json) {
    nlohmann::ordered_json result = {{"output", nlohmann::ordered_json::array()},
                                     {"cameras", nlohmann::ordered_json::array()},
                                     {"notes", rig.notes}};
    for (const fs::path& file : written) result["output"].push_back(file.string());
    for (const calibration::ForeignCamera& camera : rig.cameras)
      result["cameras"].push_back(camera.name);
    fmt::print("{}", JsonText(result, 2));
    return kExitOk;
  }
  for (const fs::path& file : written)
    fmt::print("{}: {} camera{} of {}\n", file.string(), rig.cameras.size(),
               rig.cameras.size() == 1 ? "" : "s", rig.format);
  for (const std::string& note : rig.notes) fmt::print("note: {}\n", note);
  return kExitOk;
}

int RunConvert(ConvertArguments arguments, const CommonOptions& common) {
  // As cp does: the last name is where to, unless -o says it.
  if (arguments.output.empty() && arguments.input.size() > 1) {
    arguments.output = arguments.input.back();
    arguments.input.pop_back();
  }
  if (arguments.output.empty()) {
    throw InputError("output: found nothing, allowed a file behind the input, or --output");
  }
  const std::string& input = arguments.input.front();
  if (arguments.output.ends_with(".glb")) return RunScene(arguments);
  if (fs::is_directory(input) && !fs::exists(fs::path(input) / "cameras.txt")) {
    throw InputError(fmt::format(
        "{}: found another extension, allowed .glb from the folder of a run (a folder of COLMAP "
        "has cameras.txt)",
        arguments.output));
  }
  const bool urdf = input.ends_with(".urdf");
  const bool rig = !urdf && calibration::IsForeignRig(input);
  if (arguments.input.size() > 1 && !rig) {
    throw InputError(fmt::format("{}: found {} inputs, allowed one, or the files of a calibration",
                                 input, arguments.input.size()));
  }
  if (rig) return RunRig(arguments, common);
  if (urdf || input.ends_with(".xml")) return RunRobot(arguments, urdf);
  if (!capture::CanWriteMarkers(arguments.output)) {
    throw InputError(
        fmt::format("{}: found another extension, allowed .trc, .c3d or .csv", arguments.output));
  }
  capture::MarkerTrajectories trajectories =
      capture::ReadMarkers(input, {.partial = arguments.partial});
  capture::TurnUpToZ(arguments.up.front(), trajectories);
  try {
    capture::WriteMarkers(trajectories, arguments.output);
  } catch (const std::invalid_argument& error) {  // what that format cannot hold
    throw InputError(fmt::format("{}: {}: {}", input, arguments.output, error.what()));
  }
  PrintSummary(trajectories, arguments);
  return kExitOk;
}

}  // namespace

Command MakeConvertCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "convert",
      "Marker trajectories, tracked or of motion-capture systems, from one format to another; "
      "calibrations of cameras from and to other programs; models of robots as scenes; a run as a "
      "scene of glTF");
  const auto arguments = std::make_shared<ConvertArguments>();
  subcommand
      ->add_option(
          "input", arguments->input,
          "TRC, C3D, or CSV (Vicon export, ours, or a tracks/TRIAL/markers.csv); calibrations: "
          "calibration.json, OpenCV, Kalibr, mrcal, COLMAP, MATLAB, Anipose, Pose2Sim, Qualisys, "
          "DLT, one file or those that belong together; URDF, MJCF; a run folder or its "
          "tracks/TRIAL. "
          "Behind them the output")
      ->required()
      ->type_name("IN... OUT");
  subcommand
      ->add_option(
          "-o,--output", arguments->output,
          "Where to write, if not the last name: TRC and C3D in mm, CSV in m; .json, "
          ".toml, .cameramodel, .csv or what --to says of cameras; .yaml of a robot; .glb of a "
          "run, for Blender")
      ->type_name("OUT");
  subcommand
      ->add_option("--to", arguments->to,
                   "Format of cameras, where the name leaves it open (.yaml, a folder)")
      ->type_name("opencv|kalibr|mrcal|colmap|anipose|pose2sim|dlt")
      ->check(CLI::IsMember({"opencv", "kalibr", "mrcal", "colmap", "anipose", "pose2sim", "dlt"}));
  subcommand
      ->add_option("--unit", arguments->unit,
                   "Unit of length of cameras of other programs [what the format says, else m]")
      ->type_name("m|cm|mm|in|METRES");
  subcommand
      ->add_option("--size", arguments->size, "Pictures of cameras whose file does not say it [px]")
      ->type_name("WIDTH HEIGHT")
      ->expected(2);
  subcommand->add_flag("--nearest", arguments->nearest,
                       "Write the nearest lens where the format has no place for a coefficient");
  subcommand
      ->add_option("--up", arguments->up,
                   "The vertical axis of the input, turned to z (a rotation) [z]")
      ->type_name("x|y|z")
      ->check(CLI::IsMember({"x", "y", "z"}));
  subcommand->add_flag("--partial", arguments->partial,
                       "Take the complete frames of a file that is cut off");
  subcommand->add_flag("--json", arguments->json, "Print what was written as JSON");
  subcommand->footer(
      "Examples:  percuss convert data/mocap_c3d_pyomeca/markers_analogs.c3d out/markers.csv\n"
      "           percuss convert out/bar-drop/tracks/a-slide/markers.csv out/a-slide.c3d\n"
      "           percuss convert out/bar-drop bar-drop.glb\n"
      "           percuss convert robot.urdf robot.yaml && percuss simulate robot.yaml -o "
      "poses.csv\n"
      "           percuss convert calibration.json rig.toml --to anipose\n"
      "           percuss convert left.cameramodel right.cameramodel -o calibration.json\n"
      "CSV: time_s, then NAME_x, NAME_y, NAME_z [m] of each marker; empty where it was not seen.\n"
      "Analog channels are not kept. Exit 2: bad input.");
  return {subcommand, [arguments, common]() { return RunConvert(*arguments, common); }};
}

}  // namespace percuss::app
