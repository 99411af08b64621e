// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "app/command.h"
#include "app/robots/robot_model.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "capture/markers/marker_file.h"
#include "report/gltf/run_gltf.h"

namespace percuss::app {
namespace {

struct ConvertArguments {
  std::string input;
  std::string output;
  std::string up = "z";
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
  const RobotModel robot = urdf ? ReadUrdf(arguments.input) : ReadMjcf(arguments.input);
  WriteFileAtomically(arguments.output, SceneText(robot, arguments.input));
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
  if (!arguments.output.ends_with(".glb")) {
    throw InputError(fmt::format("{}: found another extension, allowed .glb from a run folder",
                                 arguments.output));
  }
  const std::string scene = report::RunGltf(std::filesystem::path(arguments.input));
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

int RunConvert(const ConvertArguments& arguments) {
  if (std::filesystem::is_directory(arguments.input)) return RunScene(arguments);
  const bool urdf = arguments.input.ends_with(".urdf");
  if (urdf || arguments.input.ends_with(".xml")) return RunRobot(arguments, urdf);
  if (!capture::CanWriteMarkers(arguments.output)) {
    throw InputError(
        fmt::format("{}: found another extension, allowed .trc, .c3d or .csv", arguments.output));
  }
  capture::MarkerTrajectories trajectories =
      capture::ReadMarkers(arguments.input, {.partial = arguments.partial});
  capture::TurnUpToZ(arguments.up.front(), trajectories);
  try {
    capture::WriteMarkers(trajectories, arguments.output);
  } catch (const std::invalid_argument& error) {  // what that format cannot hold
    throw InputError(fmt::format("{}: {}: {}", arguments.input, arguments.output, error.what()));
  }
  PrintSummary(trajectories, arguments);
  return kExitOk;
}

}  // namespace

Command MakeConvertCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand = program.add_subcommand(
      "convert",
      "Marker trajectories, tracked or of motion-capture systems, from one format to another; "
      "models of robots as scenes; a run as a scene of glTF");
  const auto arguments = std::make_shared<ConvertArguments>();
  subcommand
      ->add_option("input", arguments->input,
                   "TRC, C3D, or CSV (Vicon export, ours, or a tracks/TRIAL/markers.csv); URDF, "
                   "MJCF; or a run "
                   "folder or its tracks/TRIAL")
      ->required()
      ->type_name("IN.trc|c3d|csv|urdf|xml|FOLDER");
  subcommand
      ->add_option("output", arguments->output,
                   "TRC and C3D in mm, CSV in m; .yaml of a robot; .glb of a run, for Blender")
      ->required()
      ->type_name("OUT.trc|c3d|csv|yaml|glb");
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
      "CSV: time_s, then NAME_x, NAME_y, NAME_z [m] of each marker; empty where it was not seen.\n"
      "Analog channels are not kept. Exit 2: bad input.");
  return {subcommand, [arguments]() { return RunConvert(*arguments); }};
}

}  // namespace percuss::app
