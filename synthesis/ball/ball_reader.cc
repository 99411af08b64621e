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

void Take(const YamlField& field, const Range& range, double* value) {
  if (field.Given()) *value = field.Number(range);
}

void Take(const YamlField& field, bool* value) {
  if (field.Given()) *value = field.Flag();
}

template <int kSize>
void TakeVector(const YamlField& field, const Range& range,
                Eigen::Matrix<double, kSize, 1>* value) {
  if (!field.Given()) return;
  const std::vector<double> numbers = field.Numbers(kSize, range);
  for (int i = 0; i < kSize; ++i) (*value)[i] = numbers[i];
}

void TakeDirection(const YamlField& field, Vector3d* direction) {
  TakeVector<3>(field, kNear, direction);
  if (!(direction->norm() > 0.0)) field.Throw("a direction, not zero");
  direction->normalize();
}

// A word out of `allowed`, or nothing if the value is a map.
std::optional<std::string> WordOf(const YamlField& field, std::string_view allowed) {
  if (field.IsMap()) return {};
  return field.Text(allowed);
}

void ReadBallCamera(const YamlField& ball, BallSpec* spec) {
  std::array<int, 2> size = {1920, 1080};
  if (const YamlField field = ball["image_size"]; field.Given()) {
    static constexpr std::string_view kAllowed = "[width, height], even numbers from 64 to 8192";
    const std::vector<YamlField> items = field.Items(kAllowed);
    if (items.size() != 2) field.Throw(kAllowed);
    for (std::size_t i = 0; i < 2; ++i) {
      size[i] = items[i].Integer(64, 8192);
      if (size[i] % 2 != 0) items[i].Throw(kAllowed);
    }
  }
  Vector3d position(0.0, -1.2, 0.4);
  double roll_deg = 0.0;
  const double focal_length = 1500.0 * std::max(size[0], size[1]) / 1920.0;
  Vector2d focal_lengths(focal_length, focal_length);
  Vector2d principal_point(0.5 * (size[0] - 1), 0.5 * (size[1] - 1));
  Eigen::Matrix<double, 5, 1> lens = Eigen::Matrix<double, 5, 1>::Zero();
  const YamlField field = ball["camera"];
  if (field.Given()) {
    field.AllowKeys(
        {"position", "target", "roll_deg", "focal_length_px", "principal_point_px", "distortion"});
    TakeVector<3>(field["position"], kNear, &position);
    TakeVector<3>(field["target"], kNear, &spec->target);
    Take(field["roll_deg"], {.lowest = -180.0, .highest = 180.0, .unit = "deg"}, &roll_deg);
    constexpr Range kFocal{.lowest = 10.0, .highest = 1e6, .unit = "px"};
    if (const YamlField focal = field["focal_length_px"]; focal.IsScalar()) {
      focal_lengths = Vector2d::Constant(focal.Number(kFocal));
    } else {
      TakeVector<2>(focal, kFocal, &focal_lengths);
    }
    TakeVector<2>(field["principal_point_px"], {.lowest = -1e5, .highest = 1e5, .unit = "px"},
                  &principal_point);
    TakeVector<5>(field["distortion"], {.lowest = -10.0, .highest = 10.0}, &lens);
  }
  if (!((spec->target - position).head<2>().norm() > 1e-3))
    field["target"].Throw("a place that is not straight above or below the camera");
  if (!(spec->surface_normal.dot(position) > 1e-3))
    field["position"].Throw("a place above the surface");
  Camera& camera = spec->camera;
  camera = BallCamera(size[0], size[1], 1.0, position, spec->target, roll_deg * kDegree);
  camera.fx = focal_lengths.x();
  camera.fy = focal_lengths.y();
  camera.cx = principal_point.x();
  camera.cy = principal_point.y();
  camera.k1 = lens[0], camera.k2 = lens[1], camera.p1 = lens[2], camera.p2 = lens[3];
  camera.k3 = lens[4];
  // With a margin for the shake.
  const double margin = 0.5 + 6.0 * spec->shake.amplitude_px;
  for (const double x : {-margin, camera.width - 1.0 + margin}) {
    for (const double y : {-margin, camera.height - 1.0 + margin}) {
      if (!RayOf(camera, {x, y}))
        field["distortion"].Throw("a lens whose image fills the sensor to its corners");
    }
  }
}

void ReadBallRecording(const YamlField& ball, BallSpec* spec) {
  Take(ball["frame_rate"], {.lowest = 1.0, .highest = 1e4, .unit = "Hz"}, &spec->frame_rate);
  spec->exposure = std::min(spec->exposure, 0.5 / spec->frame_rate);
  Take(ball["exposure"], Above(1.0, "s"), &spec->exposure);
  if (!(spec->exposure * spec->frame_rate <= 1.0))
    ball["exposure"].Throw(fmt::format("{:g}", spec->exposure), "at most one frame");
  if (const YamlField shake = ball["shake"]; shake.Given()) {
    shake.AllowKeys({"amplitude_px", "rate"});
    Take(shake["amplitude_px"], From0To(50.0, "px"), &spec->shake.amplitude_px);
    Take(shake["rate"], Above(50.0, "Hz"), &spec->shake.rate);
  }
  if (const YamlField surface = ball["surface"]; surface.Given()) {
    surface.AllowKeys({"angle_deg", "axis"});
    double angle_deg = 0.0;
    Take(surface["angle_deg"], {.lowest = -60.0, .highest = 60.0, .unit = "deg"}, &angle_deg);
    const std::string axis = surface["axis"].Given() ? surface["axis"].Text("x or y") : "y";
    if (axis != "x" && axis != "y") surface["axis"].Throw("x or y");
    const Vector3d about = axis == "x" ? Vector3d::UnitX() : Vector3d::UnitY();
    spec->surface_normal = Eigen::AngleAxisd(angle_deg * kDegree, about) * Vector3d::UnitZ();
  }
  ReadBallCamera(ball, spec);
  Take(ball["line_time"], From0To(1.0, "s"), &spec->line_time);
  if (!(spec->line_time * spec->camera.height * spec->frame_rate <= 1.0))
    ball["line_time"].Throw("a time in which all rows are read within one frame [s]");
  if (const YamlField tone = ball["tone"]; tone.Given()) {
    const std::string word = tone.Text("srgb or linear");
    if (word != "srgb" && word != "linear") tone.Throw("srgb or linear");
    spec->tone = word == "srgb" ? capture::Tone::Kind::kSrgb : capture::Tone::Kind::kLinear;
  }
  Take(ball["blur_px"], From0To(20.0, "px"), &spec->blur_px);
  if (const YamlField noise = ball["noise"]; noise.Given()) {
    static constexpr std::string_view kAllowed = "none, or a map with the keys full_well, read";
    if (const auto word = WordOf(noise, kAllowed)) {
      if (*word != "none") noise.Throw(kAllowed);
      spec->noise.reset();
    } else {
      noise.AllowKeys({"full_well", "read"});
      Take(noise["full_well"], {.lowest = 10.0, .highest = 1e9, .unit = "electrons"},
           &spec->noise->full_well);
      Take(noise["read"], From0To(1e6, "electrons"), &spec->noise->read);
    }
  }
  if (const YamlField crf = ball["compression"]; crf.Given()) {
    const std::string word = crf.IsScalar() ? crf.Text("lossless") : "";
    if (word != "lossless" &&
        (word.empty() || word.find_first_not_of("0123456789") != std::string::npos))
      crf.Throw("lossless, or a whole number from 1 (finest) to 51, the rate factor of H.264");
    spec->crf = word == "lossless" ? std::nullopt : std::optional<int>(crf.Integer(1, 51));
  }
}

void ReadBallLight(const YamlField& field, BallLight* light) {
  if (!field.Given()) return;
  field.AllowKeys({"ground", "wall", "gradient", "texture", "texture_size", "wall_distance", "ball",
                   "lamp", "ambient", "shadow", "lamp_radius"});
  const std::pair<const char*, double*> parts[] = {
      {"ground", &light->ground},   {"wall", &light->wall}, {"gradient", &light->gradient},
      {"texture", &light->texture}, {"ball", &light->ball}, {"ambient", &light->ambient},
      {"shadow", &light->shadow}};
  for (const auto& [key, value] : parts) Take(field[key], kPart, value);
  Take(field["texture_size"], {.lowest = 1e-3, .highest = 10.0, .unit = "m"}, &light->texture_size);
  Take(field["wall_distance"], Above(100.0, "m"), &light->wall_distance);
  Take(field["lamp_radius"], From0To(1.0, "rad"), &light->lamp_radius);
  TakeDirection(field["lamp"], &light->lamp);
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
  Take(map[dots ? "diameter" : "width"], Above(1.0, "m"), &texture->diameter);
  Take(map["reflectance"], kPart, &texture->reflectance);
}

void ReadBallBody(const YamlField& ball, BallSpec* spec) {
  Take(ball["radius"], Above(1.0, "m"), &spec->radius);
  Take(ball["mass"], Above(100.0, "kg"), &spec->mass);
  Take(ball["inertia_factor"], Above(2.0 / 3.0 + 1e-3, ""), &spec->inertia_factor);
  ReadBallTexture(ball["texture"], &spec->texture);
  Take(ball["drag_coefficient"], From0To(10.0), &spec->drag_coefficient);
  Take(ball["air_density"], From0To(100.0, "kg/m^3"), &spec->air_density);
  Take(ball["lift"], &spec->lift);
  TakeVector<3>(ball["gravity"], {.lowest = -30.0, .highest = 30.0, .unit = "m/s^2"},
                &spec->gravity);
  if (!(spec->surface_normal.dot(spec->gravity) <= -0.5))
    ball["gravity"].Throw("a vector that points into the surface, by 0.5 m/s^2 or more");
  if (const YamlField start = ball["start"]; start.Given()) {
    start.AllowKeys({"position", "velocity", "angular_velocity", "hold"});
    TakeVector<3>(start["position"], kNear, &spec->start);
    TakeVector<3>(start["velocity"], {.lowest = -50.0, .highest = 50.0, .unit = "m/s"},
                  &spec->velocity);
    TakeVector<3>(start["angular_velocity"], {.lowest = -2e3, .highest = 2e3, .unit = "rad/s"},
                  &spec->angular_velocity);
    Take(start["hold"], From0To(20.0, "s"), &spec->hold);
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
    Take(e["speed_slope"], {.lowest = -1.0, .highest = 1.0, .unit = "s/m"}, &spec->e.speed_slope);
  } else if (e.Given()) {
    spec->e.values = ReadValuesOfE(e);
  }
  Take(ball["mu"], From0To(10.0), &spec->mu);
  Take(ball["contact_time"], From0To(0.1, "s"), &spec->contact_time);
  if (ball["duration"].Given() && ball["bounces"].Given())
    ball["bounces"].Throw("nothing where the duration is stated");
  Take(ball["duration"], {.lowest = 0.05, .highest = 60.0, .unit = "s"}, &spec->duration);
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
  Take(field["snr_db"], {.lowest = -40.0, .highest = 120.0, .unit = "dB"}, &sound.snr_db);
  Take(field["offset"], {.lowest = -5.0, .highest = 5.0, .unit = "s"}, &sound.offset);
  if (const YamlField click = field["click"]; click.Given()) {
    click.AllowKeys({"frequency", "decay"});
    Take(click["frequency"], Above(0.5 * sound.rate, "Hz"), &sound.click_frequency);
    Take(click["decay"], Above(1.0, "s"), &sound.click_decay);
  }
  if (const YamlField echo = field["echo"]; echo.Given()) {
    echo.AllowKeys({"delay", "gain"});
    Take(echo["delay"], From0To(5.0, "s"), &sound.echo_delay);
    Take(echo["gain"], From0To(1.0), &sound.echo_gain);
  }
  Take(field["voices"], &sound.voices);
  Take(field["music"], &sound.music);
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
                  "bounces",     "sound"});
  if (ball["name"].Given()) spec.name = ball["name"].PlainName();
  if (ball["seed"].Given())
    spec.seed =
        static_cast<std::uint32_t>(ball["seed"].Integer(0, std::numeric_limits<int>::max()));
  ReadBallRecording(ball, &spec);
  ReadBallLight(ball["light"], &spec.light);
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
