// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "base/text/yaml_field.h"
#include "synthesis/ball/ball_motion.h"
#include "synthesis/scene/recording_fields.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr Range kPart{.lowest = 0.0, .highest = 1.0};
constexpr Range kNear{.lowest = -20.0, .highest = 20.0, .unit = "m"};
constexpr double kDegree = std::numbers::pi / 180.0;

Range Above(double highest, std::string_view unit) {
  return {.lowest = 0.0, .highest = highest, .lowest_included = false, .unit = unit};
}
Range From0To(double highest, std::string_view unit = "") {
  return {.lowest = 0.0, .highest = highest, .unit = unit};
}

void ReadFlag(const YamlField& field, bool* value) {
  if (field.Given()) *value = field.Flag();
}

// A word out of `allowed`, or nothing if the value is a map.
std::optional<std::string> WordOf(const YamlField& field, std::string_view allowed) {
  if (field.IsMap()) return {};
  return field.Text(allowed);
}

void ReadBallCamera(const YamlField& ball, BallSpec* spec) {
  std::array<int, 2> size = {1920, 1080};
  ReadImageSize(ball["image_size"], &size);
  CameraFields fields{.position = {0.0, -1.2, 0.4}, .target = spec->target};
  fields.focal_length.setConstant(1500.0 * std::max(size[0], size[1]) / 1920.0);
  fields.principal_point = {0.5 * (size[0] - 1), 0.5 * (size[1] - 1)};
  const YamlField field = ball["camera"];
  ReadCameraFields(field, kNear, &fields);
  if (!(spec->surface_normal.dot(fields.position) > 1e-3))
    field["position"].Throw("a place above the surface");
  spec->target = fields.target;
  // With a margin for the shake.
  spec->camera = CameraOf(field, fields, size, 6.0 * spec->shake.amplitude_px);
}

void ReadBallRecording(const YamlField& ball, BallSpec* spec) {
  ReadNumber(ball["frame_rate"], {.lowest = 1.0, .highest = 1e4, .unit = "Hz"}, &spec->frame_rate);
  spec->exposure = std::min(spec->exposure, 0.5 / spec->frame_rate);
  ReadNumber(ball["exposure"], Above(1.0, "s"), &spec->exposure);
  if (!(spec->exposure * spec->frame_rate <= 1.0))
    ball["exposure"].Throw(fmt::format("{:g}", spec->exposure), "at most one frame");
  if (const YamlField shake = ball["shake"]; shake.Given()) {
    shake.AllowKeys({"amplitude_px", "rate"});
    ReadNumber(shake["amplitude_px"], From0To(50.0, "px"), &spec->shake.amplitude_px);
    ReadNumber(shake["rate"], Above(50.0, "Hz"), &spec->shake.rate);
  }
  if (const YamlField surface = ball["surface"]; surface.Given()) {
    surface.AllowKeys({"angle_deg", "axis"});
    double angle_deg = 0.0;
    ReadNumber(surface["angle_deg"], {.lowest = -60.0, .highest = 60.0, .unit = "deg"}, &angle_deg);
    const std::string axis = surface["axis"].Given() ? surface["axis"].Text("x or y") : "y";
    if (axis != "x" && axis != "y") surface["axis"].Throw("x or y");
    const Vector3d about = axis == "x" ? Vector3d::UnitX() : Vector3d::UnitY();
    spec->surface_normal = Eigen::AngleAxisd(angle_deg * kDegree, about) * Vector3d::UnitZ();
  }
  ReadBallCamera(ball, spec);
  ReadNumber(ball["line_time"], From0To(1.0, "s"), &spec->line_time);
  if (!(spec->line_time * spec->camera.height * spec->frame_rate <= 1.0))
    ball["line_time"].Throw("a time in which all rows are read within one frame [s]");
  ReadTone(ball["tone"], &spec->tone);
  ReadNumber(ball["blur_px"], From0To(20.0, "px"), &spec->blur_px);
  ReadNoise(ball["noise"], &spec->noise);
  ReadCompression(ball["compression"], &spec->crf);
}

void ReadBallLight(const YamlField& field, BallLight* light) {
  if (!field.Given()) return;
  field.AllowKeys({"ground", "wall", "gradient", "texture", "texture_size", "wall_distance", "ball",
                   "lamp", "ambient", "shadow", "lamp_radius"});
  const std::pair<const char*, double*> parts[] = {
      {"ground", &light->ground},   {"wall", &light->wall}, {"gradient", &light->gradient},
      {"texture", &light->texture}, {"ball", &light->ball}, {"ambient", &light->ambient},
      {"shadow", &light->shadow}};
  for (const auto& [key, value] : parts) ReadNumber(field[key], kPart, value);
  ReadNumber(field["texture_size"], {.lowest = 1e-3, .highest = 10.0, .unit = "m"},
             &light->texture_size);
  ReadNumber(field["wall_distance"], Above(100.0, "m"), &light->wall_distance);
  ReadNumber(field["lamp_radius"], From0To(1.0, "rad"), &light->lamp_radius);
  ReadDirection(field["lamp"], kNear, &light->lamp);
}

void ReadRuler(const YamlField& field, const Vector3d& eye, std::optional<RulerSpec>* ruler) {
  if (!field.Given()) return;
  static constexpr std::string_view kAllowed = "none, or a map", kUnits = "mm or inch";
  if (const auto word = WordOf(field, kAllowed)) {
    if (*word != "none") field.Throw(kAllowed);
    return;
  }
  field.AllowKeys({"position", "direction", "length", "unit", "face", "mark"});
  RulerSpec& spec = ruler->emplace();
  ReadVector<3>(field["position"], kNear, &spec.position);
  ReadDirection(field["direction"], kNear, &spec.direction);
  ReadNumber(field["length"], {.lowest = 0.02, .highest = 10.0, .unit = "m"}, &spec.length);
  ReadNumber(field["face"], kPart, &spec.face);
  ReadNumber(field["mark"], kPart, &spec.mark);
  if (field["unit"].Given()) {
    const std::string unit = field["unit"].Text(kUnits);
    if (unit != "mm" && unit != "inch") field["unit"].Throw(kUnits);
    if (unit == "inch") spec.unit = RulerSpec::Unit::kInch;
  }
  try {
    FaceOf(spec, eye);
  } catch (const std::invalid_argument&) {
    field["direction"].Throw("a direction that does not point at the camera");
  }
}

void ReadBallTexture(const YamlField& field, BallTexture* texture) {
  if (!field.Given()) return;
  static constexpr std::string_view kAllowed =
      "none, dots, seams, or a map with the key dots or seams";
  YamlField map = field;
  std::string kind;
  if (const auto word = WordOf(field, kAllowed)) {
    kind = *word;
  } else {
    field.AllowKeys({"dots", "seams"});
    if (field["dots"].Given() == field["seams"].Given()) field.Throw(kAllowed);
    kind = field["dots"].Given() ? "dots" : "seams";
    map = field[kind];
  }
  if (kind == "none") return;
  if (kind != "dots" && kind != "seams") field.Throw(kAllowed);
  const bool dots = kind == "dots";
  texture->kind = dots ? BallTexture::Kind::kDots : BallTexture::Kind::kSeams;
  if (!map.IsMap()) return;
  map.AllowKeys(dots ? std::vector<std::string_view>{"count", "diameter", "reflectance"}
                     : std::vector<std::string_view>{"width", "reflectance"});
  if (dots && map["count"].Given()) texture->count = map["count"].Integer(1, 200);
  ReadNumber(map[dots ? "diameter" : "width"], Above(1.0, "m"), &texture->diameter);
  ReadNumber(map["reflectance"], kPart, &texture->reflectance);
}

void ReadBallBody(const YamlField& ball, BallSpec* spec) {
  ReadNumber(ball["radius"], Above(1.0, "m"), &spec->radius);
  ReadNumber(ball["mass"], Above(100.0, "kg"), &spec->mass);
  ReadNumber(ball["inertia_factor"], Above(2.0 / 3.0 + 1e-3, ""), &spec->inertia_factor);
  ReadBallTexture(ball["texture"], &spec->texture);
  ReadNumber(ball["drag_coefficient"], From0To(10.0), &spec->drag_coefficient);
  ReadNumber(ball["air_density"], From0To(100.0, "kg/m^3"), &spec->air_density);
  ReadFlag(ball["lift"], &spec->lift);
  ReadVector<3>(ball["gravity"], {.lowest = -30.0, .highest = 30.0, .unit = "m/s^2"},
                &spec->gravity);
  if (!(spec->surface_normal.dot(spec->gravity) <= -0.5))
    ball["gravity"].Throw("a vector that points into the surface, by 0.5 m/s^2 or more");
  if (const YamlField start = ball["start"]; start.Given()) {
    start.AllowKeys({"position", "velocity", "angular_velocity", "hold"});
    ReadVector<3>(start["position"], kNear, &spec->start);
    ReadVector<3>(start["velocity"], {.lowest = -50.0, .highest = 50.0, .unit = "m/s"},
                  &spec->velocity);
    ReadVector<3>(start["angular_velocity"], {.lowest = -2e3, .highest = 2e3, .unit = "rad/s"},
                  &spec->angular_velocity);
    ReadNumber(start["hold"], From0To(20.0, "s"), &spec->hold);
  }
}

std::vector<double> ReadValuesOfE(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "a number from 0 to 1, a list of them, or a map with the keys e, speed_slope";
  if (!field.IsList()) return {field.Number(kPart)};
  std::vector<double> values;
  for (const YamlField& item : field.Items(kAllowed)) values.push_back(item.Number(kPart));
  if (values.empty()) field.Throw(kAllowed);
  return values;
}

void ReadBallBounces(const YamlField& ball, BallSpec* spec) {
  if (const YamlField e = ball["e"]; e.IsMap()) {
    e.AllowKeys({"e", "speed_slope"});
    if (e["e"].Given()) spec->e.values = ReadValuesOfE(e["e"]);
    ReadNumber(e["speed_slope"], {.lowest = -1.0, .highest = 1.0, .unit = "s/m"},
               &spec->e.speed_slope);
  } else if (e.Given()) {
    spec->e.values = ReadValuesOfE(e);
  }
  ReadNumber(ball["mu"], From0To(10.0), &spec->mu);
  ReadNumber(ball["contact_time"], From0To(0.1, "s"), &spec->contact_time);
  if (ball["duration"].Given() && ball["bounces"].Given())
    ball["bounces"].Throw("nothing where the duration is stated");
  ReadNumber(ball["duration"], {.lowest = 0.05, .highest = 60.0, .unit = "s"}, &spec->duration);
  if (ball["bounces"].Given()) spec->bounces = ball["bounces"].Integer(1, 100);
}

void ReadBallSound(const YamlField& field, BallSpec* spec) {
  if (!field.Given()) return;
  static constexpr std::string_view kAllowed = "none, or a map";
  if (const auto word = WordOf(field, kAllowed)) {
    if (*word != "none") field.Throw(kAllowed);
    return;
  }
  field.AllowKeys({"rate", "snr_db", "offset", "click", "echo", "voices", "music", "file"});
  BallSound& sound = spec->sound.emplace();
  sound.rate = field["rate"].Given() ? field["rate"].Integer(4000, 192000) : sound.rate;
  ReadNumber(field["snr_db"], {.lowest = -40.0, .highest = 120.0, .unit = "dB"}, &sound.snr_db);
  ReadNumber(field["offset"], {.lowest = -5.0, .highest = 5.0, .unit = "s"}, &sound.offset);
  if (const YamlField click = field["click"]; click.Given()) {
    click.AllowKeys({"frequency", "decay"});
    ReadNumber(click["frequency"], Above(0.5 * sound.rate, "Hz"), &sound.click_frequency);
    ReadNumber(click["decay"], Above(1.0, "s"), &sound.click_decay);
  }
  if (const YamlField echo = field["echo"]; echo.Given()) {
    echo.AllowKeys({"delay", "gain"});
    ReadNumber(echo["delay"], From0To(5.0, "s"), &sound.echo_delay);
    ReadNumber(echo["gain"], From0To(1.0), &sound.echo_gain);
  }
  ReadFlag(field["voices"], &sound.voices);
  ReadFlag(field["music"], &sound.music);
  if (const YamlField file = field["file"]; file.Given()) {
    static constexpr std::string_view kFiles = "clip, wav or both";
    const std::string word = file.Text(kFiles);
    if (word != "clip" && word != "wav" && word != "both") file.Throw(kFiles);
    sound.in_clip = word != "wav";
    sound.in_wav = word != "clip";
  }
}

}  // namespace

bool IsBallSpec(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  return root.IsMap() && root["ball"].Given();
}

BallSpec ReadBallSpec(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  root.AllowKeys({"ball"});
  const YamlField ball = root["ball"];
  BallSpec spec;
  ball.AllowKeys({"name",        "seed",           "image_size",
                  "frame_rate",  "exposure",       "line_time",
                  "tone",        "blur_px",        "noise",
                  "compression", "camera",         "shake",
                  "light",       "radius",         "mass",
                  "texture",     "inertia_factor", "drag_coefficient",
                  "air_density", "lift",           "gravity",
                  "surface",     "start",          "e",
                  "mu",          "contact_time",   "duration",
                  "bounces",     "sound",          "ruler"});
  if (ball["name"].Given()) spec.name = ball["name"].PlainName();
  if (ball["seed"].Given())
    spec.seed =
        static_cast<std::uint32_t>(ball["seed"].Integer(0, std::numeric_limits<int>::max()));
  ReadBallRecording(ball, &spec);
  ReadBallLight(ball["light"], &spec.light);
  ReadRuler(ball["ruler"], spec.camera.Position(), &spec.ruler);
  ReadBallBody(ball, &spec);
  ReadBallBounces(ball, &spec);
  ReadBallSound(ball["sound"], &spec);
  if (!(spec.surface_normal.dot(spec.start) >= spec.radius))
    ball["start"]["position"].Throw(
        fmt::format("a place at least the radius, {:g} m, above the surface", spec.radius));
  try {
    const BallMotion motion(spec);
  } catch (const std::invalid_argument& error) {
    ball.Throw(error.what(), "a ball that bounces");
  }
  return spec;
}

}  // namespace percuss::synthesis
