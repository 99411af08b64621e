// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/scene_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/files/plain_name.h"
#include "base/text/yaml_field.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "synthesis/scene/board_poses.h"
#include "synthesis/scene/motion.h"
#include "synthesis/scene/recording_fields.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr Range kShare{.lowest = 0.0, .highest = 1.0};
constexpr Range kPositive{.lowest = 0.0, .lowest_included = false};
constexpr Range kPlace{.lowest = -10.0, .highest = 10.0, .unit = "m"};
constexpr Range kShort{.lowest = 0.0, .highest = 2.0, .lowest_included = false, .unit = "s"};

void ReadLight(const YamlField& field, LightSpec* light) {
  if (!field.Given()) return;
  field.AllowKeys({"ground", "gradient", "texture", "body", "marker", "post", "lamp", "ambient"});
  ReadNumber(field["ground"], kShare, &light->ground);
  ReadNumber(field["gradient"], kShare, &light->gradient);
  ReadNumber(field["texture"], kShare, &light->texture);
  ReadNumber(field["body"], kShare, &light->body);
  ReadNumber(field["marker"], kShare, &light->marker);
  ReadNumber(field["post"], kShare, &light->post);
  ReadNumber(field["ambient"], kShare, &light->ambient);
  ReadDirection(field["lamp"], kPlace, &light->lamp);
}

/// @param camera focal lengths, and principal point from the middle, for a width of 1280 px
Camera ReadCamera(const YamlField& field, const std::array<int, 2>& size, const Camera& camera,
                  const Vector3d& position, const Vector3d& target) {
  const double scale = size[0] / 1280.0;  // the same view on any sensor
  CameraFields fields{.position = position, .target = target};
  fields.focal_length = scale * Vector2d(camera.fx, camera.fy);
  fields.principal_point = {0.5 * (size[0] - 1) + scale * camera.cx,
                            0.5 * (size[1] - 1) + scale * camera.cy};
  fields.distortion << camera.k1, camera.k2, camera.p1, camera.p2, camera.k3;
  ReadCameraFields(field, kPlace, &fields);
  if (!(fields.position.z() > 0.0))
    field["position"].Throw("a place above the surface, z above 0 [m]");
  return CameraOf(field, fields, size);
}

void ReadCameras(const YamlField& root, SceneSpec* spec) {
  std::array<int, 2> size = {1280, 720};
  ReadImageSize(root["image_size"], &size);
  const YamlField cameras = root["cameras"];
  Camera left, right;
  left.fx = 1060.4, left.fy = 1061.2, left.cx = 15.8, left.cy = -11.9;
  left.k1 = -0.236, left.k2 = 0.097, left.p1 = 0.0011, left.p2 = -0.0007;
  right.fx = 990.7, right.fy = 989.8, right.cx = -16.6, right.cy = 11.9;
  right.k1 = -0.142, right.k2 = 0.058, right.p1 = -0.0006, right.p2 = 0.0009;
  if (spec->planar) {
    if (cameras.Given()) cameras.AllowKeys({"left"});
    spec->camera_names = {"left"};
    spec->cameras = {
        ReadCamera(cameras["left"], size, left, {0.02, -1.0, 0.18}, {0.02, 0.0, 0.16})};
    return;
  }
  const Vector3d target(0.09, -0.05, 0.13);
  spec->camera_names = {"left", "right"};
  spec->cameras = {ReadCamera(cameras["left"], size, left, {-0.085, -0.885, 0.525}, target),
                   ReadCamera(cameras["right"], size, right, {0.265, -0.885, 0.525}, target)};
  if (!cameras.Given()) return;
  for (const auto& [name, field] : cameras.Entries("a map of names to cameras")) {
    if (name == "left" || name == "right") continue;
    capture::CheckCameraName(field, name);
    if (!field.IsMap() || !field["position"].Given()) {
      const std::string_view nearest = NearestWord(name, {"left", "right"});
      field["position"].Throw("3 numbers [m], of a camera beside left and right" +
                              (nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest)));
    }
    spec->camera_names.push_back(name);
    spec->cameras.push_back(ReadCamera(field, size, left, Vector3d::Zero(), target));
  }
}

void ReadBoard(const YamlField& field, capture::Board* board) {
  *board = {.columns = 9, .rows = 6, .square = 0.023};
  if (!field.Given()) return;
  static constexpr std::string_view kTypes = "chessboard or aprilgrid";
  const std::string type = field["type"].Given() ? field["type"].Text(kTypes) : "chessboard";
  if (type == "aprilgrid") {
    *board = capture::ReadBoard(field);
    return;
  }
  if (type != "chessboard") field["type"].Throw(kTypes);
  field.AllowKeys({"type", "columns", "rows", "square"});
  if (field["columns"].Given()) board->columns = field["columns"].Integer(3, 99);
  if (field["rows"].Given()) board->rows = field["rows"].Integer(4, 98);
  ReadNumber(field["square"],
             {.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "m"},
             &board->square);
  // The surface picture then tells the first corner as README.md's frame of W wants it.
  if (board->columns % 2 == 0) field["columns"].Throw("an odd number of inner corners");
  if (board->rows % 2 == 1) field["rows"].Throw("an even number of inner corners");
}

void ReadFlash(const YamlField& field, double frame_rate, FlashSpec* flash) {
  flash->time = 9.0 / frame_rate;
  flash->duration = 1.0 / frame_rate;
  if (!field.Given()) return;
  field.AllowKeys({"time", "duration", "gain"});
  ReadNumber(field["time"], {.lowest = 0.0, .highest = 10.0, .unit = "s"}, &flash->time);
  ReadNumber(field["duration"], kShort, &flash->duration);
  ReadNumber(field["gain"], {.lowest = 1.0, .highest = 100.0}, &flash->gain);
}

capture::MarkedBody DefaultBody() {
  capture::MarkedBody bar;
  bar.body.shape = solver::Box{{0.3065, 0.0515, 0.0125}};
  bar.body.mass = 0.185;
  bar.body.inertia = solver::UniformInertia(bar.body.shape, bar.body.mass);
  const Vector2d places[] = {{-0.139, 0.0125}, {-0.087, -0.014}, {-0.0215, 0.0155},
                             {0.034, -0.011},  {0.0985, 0.0135}, {0.1375, -0.015}};
  for (const Vector2d& place : places) {
    bar.markers.push_back({.name = fmt::format("A{}", bar.markers.size() + 1),
                           .p_BM = {place.x(), place.y(), 0.00625}});
  }
  bar.marker_diameter = 0.008;
  return bar;
}

/// A rod that drops in the x-z plane, its markers on the side of the camera.
capture::MarkedBody DefaultPlanarBody() {
  capture::MarkedBody rod;
  rod.body.shape = solver::Box{{0.30, 0.012, 0.016}};
  rod.body.mass = 0.16;
  rod.body.inertia = solver::UniformInertia(rod.body.shape, rod.body.mass);
  for (const double x : {-0.14, -0.05, 0.065, 0.135}) {
    rod.markers.push_back(
        {.name = fmt::format("A{}", rod.markers.size() + 1), .p_BM = {x, -0.006, 0.0}});
  }
  rod.marker_diameter = 0.008;
  return rod;
}

void ReadBody(const YamlField& field, bool planar, capture::MarkedBody* body) {
  *body = planar ? DefaultPlanarBody() : DefaultBody();
  if (!field.Given()) return;
  *body = capture::ReadBody(field);
  if (std::holds_alternative<solver::Ellipse>(body->body.shape)) {
    field["shape"].Throw("a solid: sphere, box, cylinder, capsule, ellipsoid or mesh");
  }
  if (body->markers.size() < 3) field["markers"].Throw("at least 3 markers");
  if (body->NumDots() > 0 && !(body->marker_diameter > 0.0))
    field["marker_diameter"].Throw("a number above 0 [m]");
}

Vector3d ReadGravity(const YamlField& field, Vector3d gravity) {
  ReadVector<3>(field, {.unit = "m/s^2"}, &gravity);
  if (!(gravity.norm() >= 1.5 && gravity.norm() <= 30.0 && gravity.z() <= 0.0)) {
    field.Throw("a vector of length 1.5 to 30 [m/s^2] with a z component of at most 0");
  }
  return gravity;
}

/// `law` and `parameters` of the file or of a trial; the values of `usual` where they say nothing.
void ReadLaw(const YamlField& map, TrialSpec* trial) {
  if (const YamlField law = map["law"]; law.Given()) {
    const std::string name = law.Text("a law from percuss laws");
    std::vector<std::string_view> known;
    for (const solver::LawInfo& info : solver::Laws()) known.push_back(info.name);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string_view nearest = NearestWord(name, known);
      law.Throw(nearest.empty() ? name : fmt::format("{} (did you mean {}?)", name, nearest),
                "a law from percuss laws");
    }
    if (name != trial->law) trial->parameters.clear();
    trial->law = name;
  }
  const solver::LawInfo& info = solver::FindLaw(trial->law);
  const YamlField field = map["parameters"];
  if (!field.Given() && !trial->parameters.empty()) return;
  std::vector<std::string_view> names;
  for (const solver::ParameterInfo& parameter : info.parameters) names.push_back(parameter.name);
  if (field.Given()) field.AllowKeys(names);
  std::vector<double> values;
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    const solver::ParameterInfo& parameter = info.parameters[k];
    double value = k < trial->parameters.size() ? trial->parameters[k] : parameter.typical;
    ReadNumber(field[parameter.name], {.lowest = parameter.lower, .highest = parameter.upper},
               &value);
    values.push_back(value);
  }
  trial->parameters = values;
}

std::optional<PostSpec> ReadPost(const YamlField& field) {
  if (!field.Given()) return {};
  field.AllowKeys({"position", "radius", "height"});
  PostSpec post;
  ReadVector<2>(field["position"], kPlace, &post.position);
  ReadNumber(field["radius"],
             {.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "m"}, &post.radius);
  ReadNumber(field["height"],
             {.lowest = 0.0, .highest = 10.0, .lowest_included = false, .unit = "m"}, &post.height);
  return post;
}

SlideSpec ReadSlide(const YamlField& field) {
  field.AllowKeys(
      {"mu_k", "mu_s", "start", "start_speed", "tilt_rate_deg", "axis", "place", "way", "longest"});
  SlideSpec slide;
  constexpr Range kFriction{.lowest = 0.0, .highest = 10.0};
  ReadNumber(field["mu_k"], kFriction, &slide.mu_k);
  ReadNumber(field["mu_s"], kFriction, &slide.mu_s);
  ReadNumber(field["start"], {.lowest = 0.0, .highest = 60.0, .unit = "s"}, &slide.start);
  ReadNumber(field["start_speed"], {.lowest = 0.0, .highest = 50.0, .unit = "m/s"},
             &slide.start_speed);
  double tilt_deg = 0.0;
  ReadNumber(field["tilt_rate_deg"], {.lowest = 0.0, .highest = 180.0, .unit = "deg/s"}, &tilt_deg);
  slide.tilt_rate = tilt_deg * std::numbers::pi / 180.0;
  ReadVector<2>(field["axis"], kPlace, &slide.axis);
  ReadVector<2>(field["place"], kPlace, &slide.place);
  ReadNumber(field["way"], {.lowest = 0.005, .highest = 10.0, .unit = "m"}, &slide.way);
  ReadNumber(field["longest"], {.lowest = 0.05, .highest = 60.0, .unit = "s"}, &slide.longest);
  return slide;
}

// Frame 0 of each camera after left frame 0, in frames: all different, with fractions.
std::vector<double> DefaultStarts(std::size_t num_cameras) {
  constexpr double kLongest = 8.0;  // the flash of frame 9 is in all videos
  std::vector<double> starts = {0.0, 5.0};
  for (std::size_t c = 2; c < num_cameras; ++c) {
    const double turns = std::numbers::phi * static_cast<double>(c);
    starts.push_back(0.1 * std::round(10.0 * kLongest * (turns - std::floor(turns))));
  }
  starts.resize(num_cameras);
  return starts;
}

void ReadStarts(const YamlField& field, const SceneSpec& spec, TrialSpec* trial) {
  constexpr Range kFrames{.lowest = -100.0, .highest = 100.0, .unit = "frames"};
  if (spec.planar) return;
  const YamlField right = field["right_start_frames"], starts = field["start_frames"];
  if (right.Given()) trial->start_frames[1] = right.Number(kFrames);
  if (!starts.Given()) return;
  const std::vector<std::string_view> others(spec.camera_names.begin() + 1,
                                             spec.camera_names.end());
  starts.AllowKeys(others);
  if (right.Given() && starts["right"].Given())
    starts["right"].Throw("right_start_frames as well", "one of them");
  for (std::size_t c = 1; c < spec.cameras.size(); ++c)
    ReadNumber(starts[spec.camera_names[c]], kFrames, &trial->start_frames[c]);
}

void ReadTurns(const YamlField& field, const SceneSpec& spec, TrialSpec* trial) {
  if (!field.Given()) return;
  field.AllowKeys({spec.camera_names.begin(), spec.camera_names.end()});
  for (std::size_t c = 0; c < spec.cameras.size(); ++c) {
    Vector3d& turn = trial->camera_turn[c];
    ReadVector<3>(field[spec.camera_names[c]], {.lowest = -180.0, .highest = 180.0, .unit = "deg"},
                  &turn);
    turn *= std::numbers::pi / 180.0;
  }
}

TrialSpec ReadTrial(const YamlField& field, const TrialSpec& usual, const SceneSpec& spec) {
  field.AllowKeys({"name", "velocity", "angular_velocity", "orientation", "contact_point",
                   "flight_time", "post_flight", "gravity", "law", "parameters",
                   "right_start_frames", "start_frames", "occluder", "slope", "camera_turn_deg",
                   "slide"});
  TrialSpec trial = usual;
  trial.name = field["name"].Given() ? field["name"].PlainName()
                                     : fmt::format("trial-{}", spec.trials.size() + 1);
  ReadVector<3>(field["velocity"], {.lowest = -50.0, .highest = 50.0, .unit = "m/s"},
                &trial.velocity);
  ReadVector<3>(field["angular_velocity"], {.lowest = -500.0, .highest = 500.0, .unit = "rad/s"},
                &trial.angular_velocity);
  Eigen::Matrix<double, 4, 1> q(trial.orientation.w(), trial.orientation.x(), trial.orientation.y(),
                                trial.orientation.z());
  ReadVector<4>(field["orientation"], {.lowest = -1.001, .highest = 1.001}, &q);
  if (!(std::abs(q.norm() - 1.0) <= 1e-3)) {
    field["orientation"].Throw("a quaternion [w, x, y, z] of length 1 (within 0.001)");
  }
  trial.orientation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  ReadVector<2>(field["contact_point"], kPlace, &trial.contact_point);
  ReadNumber(field["flight_time"], kShort, &trial.flight_time);
  ReadNumber(field["post_flight"], kShort, &trial.post_flight);
  trial.gravity = ReadGravity(field["gravity"], trial.gravity);
  if (field["slope"].Given()) {
    trial.slope = capture::ReadTrialSurface(field, spec.planar, {})->slope;
    trial.gravity = WorldFromSurface(trial).transpose() * trial.gravity;
  }
  ReadLaw(field, &trial);
  ReadStarts(field, spec, &trial);
  ReadTurns(field["camera_turn_deg"], spec, &trial);
  if (field["occluder"].Given()) trial.occluder = ReadPost(field["occluder"]);
  if (field["slide"].Given()) {
    trial.slide = ReadSlide(field["slide"]);
    if (!field["orientation"].Given()) trial.orientation.setIdentity();
  }
  return trial;
}

std::vector<ReferenceMarker> ReadReferenceMarkers(const YamlField& field, double diameter) {
  std::vector<ReferenceMarker> markers;
  if (!field.Given()) return markers;
  if (diameter == 0.0) diameter = ReferenceMarker{}.diameter;  // of a body with tags alone
  for (const auto& [name, entry] : field.Entries("a map of names to markers")) {
    if (!IsPlainName(name)) entry.Throw("the name " + name, kPlainNameText);
    entry.AllowKeys({"position", "normal", "diameter"});
    ReferenceMarker& marker = markers.emplace_back();
    marker.name = name;
    marker.diameter = diameter;
    if (!entry["position"].Given()) entry["position"].Throw("3 numbers [m]");
    ReadVector<3>(entry["position"], kPlace, &marker.position);
    ReadVector<3>(entry["normal"], kPlace, &marker.normal);
    if (!(marker.normal.norm() > 0.0)) entry["normal"].Throw("a direction, not zero");
    marker.normal.normalize();
    // The experiment file takes no others.
    ReadNumber(entry["diameter"],
               {.lowest = 0.5 * diameter, .highest = 2.0 * diameter, .unit = "m"},
               &marker.diameter);
  }
  return markers;
}

/// A trial of the planar experiment stays in the plane y = 0.
void RequirePlanar(const YamlField& field, const TrialSpec& trial) {
  const auto require = [&](bool stays, const char* key, const char* allowed) {
    if (!stays) field[key].Throw(allowed);
  };
  require(trial.velocity.y() == 0.0, "velocity", "y = 0 where planar is true");
  require(trial.gravity.y() == 0.0, "gravity", "y = 0 where planar is true");
  require(trial.contact_point.y() == 0.0, "contact_point", "y = 0 where planar is true");
  const Vector3d& w = trial.angular_velocity;
  require(w.x() == 0.0 && w.z() == 0.0, "angular_velocity", "about y alone where planar is true");
  const Eigen::Quaterniond& q = trial.orientation;
  require(q.x() == 0.0 && q.z() == 0.0, "orientation", "a turn about y where planar is true");
  for (const char* key : {"right_start_frames", "start_frames"})
    require(!field[key].Given(), key, "nothing where planar is true: there is no right camera");
}

void ReadTrials(const YamlField& root, SceneSpec* spec) {
  TrialSpec usual;
  usual.start_frames = DefaultStarts(spec->cameras.size());
  usual.camera_turn.assign(spec->cameras.size(), Vector3d::Zero());
  usual.law = "stronge";
  usual.parameters = {0.26, 0.55};  // mu, e
  usual.gravity = ReadGravity(root["gravity"], {0.0, 0.0, -9.80665});
  ReadLaw(root, &usual);
  if (spec->planar) {
    usual.velocity = {1.2, 0.0, -2.1};
    usual.angular_velocity = {0.0, 3.0, 0.0};
    usual.orientation = Eigen::AngleAxisd(1.2, Vector3d::UnitY());
    usual.contact_point = {0.1, 0.0};
  }
  const auto add = [&](const YamlField& field, TrialSpec trial) {
    if (spec->planar) RequirePlanar(field, trial);
    for (const TrialSpec& other : spec->trials) {
      if (other.name == trial.name) {
        field["name"].Throw(trial.name + " a second time", "each name once");
      }
    }
    try {
      PlanMotion(*spec, trial);  // says now what would be found out after minutes
    } catch (const std::invalid_argument& error) {
      field.Throw(error.what(),
                  trial.slide ? "a body that slides" : "a drop that reaches the surface once");
    }
    spec->trials.push_back(std::move(trial));
  };
  const YamlField trials = root["trials"];
  if (!trials.Given()) {
    usual.name = "trial-1";
    add(root, usual);
    return;
  }
  for (const YamlField& item : trials.Items("a list of trials")) {
    add(item, ReadTrial(item, usual, *spec));
  }
  if (spec->trials.empty()) trials.Throw("at least one trial");
}

void ReadBitDepth(const YamlField& root, SceneSpec* spec) {
  if (!root["bit_depth"].Given()) return;
  spec->bit_depth = root["bit_depth"].Integer(8, 12);
  if (spec->bit_depth == 8) return;
  if (spec->bit_depth != 12) root["bit_depth"].Throw("8 or 12");
  if (root["compression"].Given() && spec->crf)
    root["compression"].Throw("lossless with a bit_depth of 12");
  spec->crf.reset();
}

}  // namespace

SceneSpec ReadSceneSpec(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  root.AllowKeys(
      {"name",        "seed",      "frame_rate",        "exposure",   "line_time",
       "image_size",  "tone",      "blur_px",           "defocus_px", "noise",
       "compression", "bit_depth", "cameras",           "board",      "calibration_pairs",
       "light",       "flash",     "carry_time",        "gravity",    "law",
       "parameters",  "body",      "reference_markers", "trials",     "planar"});
  SceneSpec spec;
  spec.planar = root["planar"].Given() && root["planar"].Flag();
  if (spec.planar) spec.flash.gain = 1.0;  // nothing to synchronise
  spec.name = root["name"].Given() ? root["name"].PlainName() : "synthetic";
  if (root["seed"].Given()) {
    spec.seed = static_cast<std::uint32_t>(root["seed"].Integer(0, 2147483647));
  }
  ReadNumber(root["frame_rate"], {.lowest = 1.0, .highest = 1e5, .unit = "Hz"}, &spec.frame_rate);
  ReadNumber(root["exposure"], kShort, &spec.exposure);
  if (!(spec.exposure * spec.frame_rate <= 1.0)) {
    root["exposure"].Throw(fmt::format("{:g}", spec.exposure), "at most one frame");
  }
  ReadCameras(root, &spec);
  ReadNumber(root["line_time"], {.lowest = 0.0, .highest = 1.0, .unit = "s"}, &spec.line_time);
  if (!(spec.line_time * spec.cameras[0].height * spec.frame_rate <= 1.0)) {
    root["line_time"].Throw("a time in which all rows are read within one frame [s]");
  }
  ReadTone(root["tone"], &spec.tone);
  ReadNumber(root["blur_px"], {.lowest = 0.0, .highest = 20.0, .unit = "px"}, &spec.blur_px);
  ReadNumber(root["defocus_px"], {.lowest = 0.0, .highest = 50.0, .unit = "px"}, &spec.defocus_px);
  spec.noise = NoiseSpec{};
  spec.crf = 12;
  ReadNoise(root["noise"], &spec.noise);
  ReadCompression(root["compression"], &spec.crf);
  ReadBitDepth(root, &spec);
  ReadBoard(root["board"], &spec.board);
  if (root["calibration_pairs"].Given()) {
    spec.calibration_pairs = root["calibration_pairs"].Integer(1, 999);
  }
  ReadLight(root["light"], &spec.light);
  ReadFlash(root["flash"], spec.frame_rate, &spec.flash);
  ReadNumber(root["carry_time"], kShort, &spec.carry_time);
  try {
    PlaceBoards(spec.cameras, spec.board, spec.calibration_pairs, spec.seed);
  } catch (const std::invalid_argument& error) {
    root["calibration_pairs"].Throw(error.what(), fmt::format("{}", spec.calibration_pairs));
  }
  ReadBody(root["body"], spec.planar, &spec.body);
  spec.reference_markers =
      ReadReferenceMarkers(root["reference_markers"], spec.body.marker_diameter);
  ReadTrials(root, &spec);
  return spec;
}

}  // namespace percuss::synthesis
