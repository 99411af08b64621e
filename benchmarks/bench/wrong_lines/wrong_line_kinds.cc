// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/wrong_lines/wrong_line_kinds.h"

#include <fmt/core.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "benchmarks/bench/ruler_errors.h"
#include "benchmarks/bench/wrong_lines/made_videos.h"
#include "tracking/layout/shape_symmetry.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;

constexpr const char* kBar = "bar-drop";
constexpr const char* kCube = "cube-drop";

std::string Alternating(const WrongLineDraw& draw) { return draw.number % 2 == 0 ? kBar : kCube; }

double Even(const WrongLineDraw& draw, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(*draw.random);
}
double Signed(const WrongLineDraw& draw, double low, double high) {
  const double size = Even(draw, low, high);
  return Even(draw, -1.0, 1.0) < 0.0 ? -size : size;
}
int Whole(const WrongLineDraw& draw, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(*draw.random);
}

void Put(YAML::Node node, double value) { node = fmt::format("{:.8g}", value); }
void Multiply(YAML::Node node, double factor) {
  if (node.IsScalar()) return Put(node, factor * node.as<double>());
  for (auto item : node) Multiply(node.IsMap() ? item.second : item, factor);
}
void Exchange(YAML::Node a, YAML::Node b) {
  const YAML::Node first = YAML::Clone(a);
  a = YAML::Clone(b);
  b = first;
}

/// A right file and its copy to be spoilt.
WrongLine Begin(const WrongLineDraw& draw, const std::string& set) {
  WrongLine line{.set = set, .typed = GoodFile(draw, set), .right = {}};
  line.right.push_back(YAML::Clone(line.typed));
  return line;
}

/// Layouts that look the same on this body, and so are as right.
void AddSymmetries(WrongLine* line) {
  const std::string set = line->set;
  const Vector3d size = set == kBar ? Vector3d(0.3065, 0.0515, 0.0125) : Vector3d(0.07, 0.07, 0.07);
  const std::vector<Eigen::Matrix3d> rotations =
      tracking::ShapeRotations(solver::Box{.size = size});
  const YAML::Node as_it_is = line->right.front();
  for (const Eigen::Matrix3d& R : rotations) {
    if (R.isIdentity()) continue;
    YAML::Node turned = YAML::Clone(as_it_is);
    for (auto marker : turned["body"]["markers"]) {
      const Vector3d p = R * Vector3d(marker.second[0].as<double>(), marker.second[1].as<double>(),
                                      marker.second[2].as<double>());
      for (std::size_t axis = 0; axis < 3; ++axis)
        Put(marker.second[axis], p[static_cast<Eigen::Index>(axis)]);
    }
    line->right.push_back(turned);
  }
}

WrongLine Square(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const double factor = 1.0 + Signed(draw, 0.02, 0.12);
  Multiply(line.typed["board"]["square"], factor);
  line.what = fmt::format("{:+.1f} %", 100.0 * (factor - 1.0));
  return line;
}

WrongLine BoardUnit(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const double factor = std::array{1.0 / 0.0254, 0.1, 10.0}[draw.number];
  Multiply(line.typed["board"]["square"], factor);
  line.what = fmt::format("x {:.4g}", factor);
  return line;
}

WrongLine BodyUnit(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const double factor = std::array{1.0 / 2.54, 10.0, 0.1}[draw.number];
  for (const char* key : {"size", "markers", "marker_diameter"})
    Multiply(line.typed["body"][key], factor);
  line.what = fmt::format("x {:.4g}", factor);
  return line;
}

WrongLine Mirrored(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const int axis = Whole(draw, 0, 2);
  for (auto marker : line.typed["body"]["markers"]) Multiply(marker.second[axis], -1.0);
  AddSymmetries(&line);
  line.what = fmt::format("{}", "xyz"[axis]);
  return line;
}

WrongLine ExchangedAxes(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const int kept = draw.number, first = (kept + 1) % 3, second = (kept + 2) % 3;
  for (auto marker : line.typed["body"]["markers"])
    Exchange(marker.second[first], marker.second[second]);
  AddSymmetries(&line);
  line.what = fmt::format("{} and {}", "xyz"[first], "xyz"[second]);
  return line;
}

void ExchangeVideos(YAML::Node trials, std::size_t trial) {
  Exchange(trials[trial]["left"], trials[trial]["right"]);
}

WrongLine CalibrationCameras(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  for (YAML::Node node : {line.typed["calibration"], line.typed["calibration"]["surface"]})
    Exchange(node["left"], node["right"]);
  YAML::Node other = YAML::Clone(line.typed);
  for (std::size_t k = 0; k < other["trials"].size(); ++k) ExchangeVideos(other["trials"], k);
  line.right.push_back(other);
  return line;
}

WrongLine TrialCameras(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const std::size_t count = line.typed["trials"].size();
  // One, one, all of them.
  const int one = Whole(draw, 0, static_cast<int>(count) - 1);
  for (std::size_t k = 0; k < count; ++k) {
    if (draw.number == 2 || static_cast<int>(k) == one) ExchangeVideos(line.typed["trials"], k);
  }
  line.what = draw.number == 2 ? "all trials" : fmt::format("trial {}", one + 1);
  if (draw.number == 2) {
    YAML::Node other = YAML::Clone(line.typed);
    for (YAML::Node node : {other["calibration"], other["calibration"]["surface"]})
      Exchange(node["left"], node["right"]);
    line.right.push_back(other);
  }
  return line;
}

WrongLine MixedTrials(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  YAML::Node trials = line.typed["trials"];
  const int first = line.set == kBar ? Whole(draw, 0, 1) : 0, second = first + 1;
  YAML::Node other = YAML::Clone(line.typed);
  Exchange(trials[first]["right"], trials[second]["right"]);
  // What each of them is called is no matter where the same gravity holds.
  Exchange(other["trials"][first]["left"], other["trials"][second]["left"]);
  Exchange(other["trials"][first]["right"], other["trials"][second]["right"]);
  line.right.push_back(other);
  line.what = fmt::format("trials {} and {}", first + 1, second + 1);
  return line;
}

WrongLine BoardCounts(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const std::array<int, 2> counts =
      std::vector<std::array<int, 2>>{{10, 7}, {8, 6}, {9, 5}}[draw.number];
  line.typed["board"]["columns"] = counts[0];
  line.typed["board"]["rows"] = counts[1];
  line.what = fmt::format("{} x {}", counts[0], counts[1]);
  return line;
}

WrongLine Diameter(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const double factor = std::array{2.0, 2.0, 0.5}[draw.number];
  Multiply(line.typed["body"]["marker_diameter"], factor);
  line.what = fmt::format("x {:.4g}", factor);
  return line;
}

WrongLine Edge(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const int axis = Whole(draw, 0, 2);
  YAML::Node edge = line.typed["body"]["size"][axis];
  const double typed = edge.as<double>();
  double change = Signed(draw, 0.007, 0.013);
  if (typed + change < 0.006) change = -change;
  Put(edge, typed + change);
  line.what = fmt::format("{} {:+.1f} mm", "xyz"[axis], 1e3 * change);
  return line;
}

WrongLine EdgeOrder(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, kBar);  // all edges of the cube are the same
  YAML::Node size = line.typed["body"]["size"];
  Exchange(size[draw.number], size[(draw.number + 1) % 3]);
  line.what = fmt::format("{} and {}", "xyz"[draw.number], "xyz"[(draw.number + 1) % 3]);
  return line;
}

WrongLine Gravity(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  if (draw.number == 2) {
    line.typed["trials"][3].remove("gravity");
    line.what = "slope forgotten";
    return line;
  }
  const int down = Whole(draw, 0, 1);
  for (std::size_t axis = 0; axis < 3; ++axis)
    line.typed["gravity"][axis] = static_cast<int>(axis) == down ? "-9.80665" : "0";
  line.what = fmt::format("along {}", "xyz"[down]);
  return line;
}

WrongLine FrameRate(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  YAML::Node stated = YAML::Clone(line.typed);
  stated["time_base"] = "stated";
  YAML::Node without = YAML::Clone(line.typed);
  without.remove("frame_rate");
  line.right.push_back(stated);
  line.right.push_back(without);
  const int rate = std::array{240, 480, 60}[draw.number];
  line.typed["frame_rate"] = rate;
  if (draw.number == 2) line.typed["time_base"] = "stated";
  line.what = fmt::format("{}", rate);
  return line;
}

WrongLine LineTime(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  YAML::Node zero = YAML::Clone(line.typed);
  zero["line_time"] = 0;
  line.right.push_back(zero);
  const double time = Signed(draw, 8e-6, 2e-5);
  Put(line.typed["line_time"], time);
  line.what = fmt::format("{:.1f} us", 1e6 * time);
  return line;
}

/// A turn of a camera that was knocked.
Vector3d Knock(const WrongLineDraw& draw) {
  const double degree = M_PI / 180.0;
  return degree * Vector3d(Signed(draw, 0.5, 1.5), Signed(draw, 0.5, 1.5), Signed(draw, 0.0, 0.7));
}

WrongLine SurfacePair(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  line.right.clear();
  line.named = "calibration.surface";
  YAML::Node surface = line.typed["calibration"]["surface"];
  const fs::path data = draw.data / line.set;
  if (draw.number < 2) {  // the board as it was held for another picture
    const int picture = Whole(draw, 0, 11);
    for (const char* side : {"left", "right"})
      surface[side] = (data / "calibration" / side / fmt::format("{:02}.png", picture)).string();
    line.what = fmt::format("pair {}", picture);
  } else {  // one of the cameras stood otherwise
    const fs::path turned = draw.folder / "surface.png";
    TurnPicture(surface["right"].as<std::string>(), CameraOf(data, "right"), Knock(draw), turned);
    surface["right"] = turned.string();
    line.what = "right camera turned";
  }
  return line;
}

WrongLine CameraMoved(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const std::string side = draw.number == 1 ? "left" : "right";
  const fs::path data = draw.data / line.set;
  YAML::Node trials = line.typed["trials"];
  YAML::Node fewer = line.right.front();
  const std::size_t count = trials.size();
  const std::size_t first = count == 2 ? 1 : Whole(draw, 1, static_cast<int>(count) - 1);
  const Vector3d knock = Knock(draw);
  for (std::size_t k = count; k-- > first;) {
    const fs::path turned = draw.folder / fmt::format("{}-{}.mp4", k, side);
    TurnVideo(trials[k][side].as<std::string>(), CameraOf(data, side), knock, turned);
    trials[k][side] = turned.string();
    fewer["trials"].remove(k);
  }
  line.what = fmt::format("{} from trial {}", side, first + 1);
  return line;
}

WrongLine MarkerPlace(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const fs::path data = draw.data / line.set;
  YAML::Node markers = line.typed["body"]["markers"];
  const int which = Whole(draw, 0, static_cast<int>(markers.size()) - 1);
  int k = 0;
  for (auto marker : markers) {
    if (k++ != which) continue;
    // Along the face that it is on.
    int axis = Whole(draw, 0, 1);
    const std::string name = marker.first.as<std::string>();
    if (line.set == kCube) {
      const int normal = name[0] == 'F' || name[0] == 'B'   ? 1
                         : name[0] == 'L' || name[0] == 'R' ? 0
                                                            : 2;
      axis = (normal + 1 + axis) % 3;
    }
    const double change = Signed(draw, 0.010, 0.020);
    Put(marker.second[axis], marker.second[axis].as<double>() + change);
    line.what = fmt::format("{} {} {:+.1f} mm", name, "xyz"[axis], 1e3 * change);
  }
  return line;
}

WrongLine MarkerOff(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  const fs::path data = draw.data / line.set;
  const std::string marker = line.set == kBar ? fmt::format("A{}", Whole(draw, 1, 6))
                                              : fmt::format("F{}", Whole(draw, 1, 5));
  line.right.front()["body"]["markers"].remove(marker);
  YAML::Node trials = line.typed["trials"];
  const nlohmann::json truth = nlohmann::json::parse(std::ifstream(data / "truth.json"));
  // Before a trial; in the third case in the middle of one, at the impact.
  const std::size_t first = line.set == kBar ? Whole(draw, 0, 2) : Whole(draw, 0, 1);
  for (std::size_t k = first; k < trials.size(); ++k) {
    const std::string name = trials[k]["name"].as<std::string>();
    for (const char* side : {"left", "right"}) {
      const double impact = truth.at("trials").at(name).at("cameras").at(side).at("impact_frame");
      const int from = draw.number == 2 && k == first ? static_cast<int>(impact) : 0;
      const fs::path without = draw.folder / fmt::format("{}-{}.mp4", k, side);
      TakeMarkerOff(data, name, side, marker, from, without);
      trials[k][side] = without.string();
    }
  }
  for (std::size_t k = first; k < trials.size(); ++k)
    line.right.front()["trials"][k] = YAML::Clone(trials[k]);
  line.what = fmt::format("{} from trial {}", marker, first + 1);
  return line;
}

WrongLine Inertia(const WrongLineDraw& draw) {
  WrongLine line = Begin(draw, Alternating(draw));
  YAML::Node body = line.right.front()["body"];
  const double mass = body["mass"].as<double>();
  std::array<double, 3> square{};
  for (std::size_t i = 0; i < 3; ++i) square[i] = std::pow(body["size"][i].as<double>(), 2);
  YAML::Node stated = YAML::Clone(line.right.front());
  for (std::size_t i = 0; i < 3; ++i) {
    const double moment = mass * (square[(i + 1) % 3] + square[(i + 2) % 3]) / 12.0;
    stated["body"]["inertia"].push_back(fmt::format("{:.6g}", moment));
  }
  line.right.push_back(stated);
  line.typed = YAML::Clone(stated);
  YAML::Node inertia = line.typed["body"]["inertia"];
  if (draw.number == 2) {
    Exchange(inertia[0], inertia[1]);
    line.what = "first two exchanged";
  } else {
    const double factor = draw.number == 0 ? Even(draw, 1.3, 2.5) : Even(draw, 0.4, 0.8);
    Multiply(inertia, factor);
    line.what = fmt::format("x {:.2f}", factor);
  }
  return line;
}

}  // namespace

YAML::Node GoodFile(const WrongLineDraw& draw, const std::string& set) {
  return DrawExperiment(draw.data / set, {}, draw.random);
}

const std::vector<WrongLineKind>& WrongLineKinds() {
  static const std::vector<WrongLineKind> kinds = {{"square", &Square},
                                                   {"board-unit", &BoardUnit},
                                                   {"body-unit", &BodyUnit},
                                                   {"mirrored", &Mirrored},
                                                   {"axes", &ExchangedAxes},
                                                   {"calibration-cameras", &CalibrationCameras},
                                                   {"trial-cameras", &TrialCameras},
                                                   {"mixed-trials", &MixedTrials},
                                                   {"counts", &BoardCounts},
                                                   {"diameter", &Diameter},
                                                   {"edge", &Edge},
                                                   {"edge-order", &EdgeOrder},
                                                   {"gravity", &Gravity},
                                                   {"frame-rate", &FrameRate},
                                                   {"line-time", &LineTime},
                                                   {"surface", &SurfacePair},
                                                   {"camera-moved", &CameraMoved},
                                                   {"marker", &MarkerPlace},
                                                   {"marker-off", &MarkerOff},
                                                   {"inertia", &Inertia}};
  return kinds;
}

}  // namespace percuss::benchmarks
