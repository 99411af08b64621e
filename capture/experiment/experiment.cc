// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/experiment.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <variant>

#include "base/error.h"
#include "base/files/files.h"
#include "base/files/plain_name.h"
#include "base/text/yaml_field.h"
#include "capture/experiment/ball_trials.h"
#include "capture/experiment/calibration_images.h"
#include "capture/experiment/coefficients.h"
#include "capture/experiment/experiment_body.h"

namespace percuss::capture {
namespace fs = std::filesystem;
using Eigen::Vector3d;

namespace {

// The bounds are wide; they are there to catch millimetres, grams and swapped signs.
constexpr Range kExposure{.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "s"};
constexpr Range kOffset{.lowest = -1.0, .highest = 1.0, .unit = "s"};
constexpr Range kOffsetSigma{.lowest = 0.0, .highest = 1.0, .unit = "s"};
// A sensor read from bottom to top has a negative one.
constexpr Range kLineTime{.lowest = -1e-3, .highest = 1e-3, .unit = "s"};
constexpr Range kLineTimeSigma{.lowest = 0.0, .highest = 1e-3, .unit = "s"};
constexpr Range kGamma{.lowest = 1.0, .highest = 4.0};
constexpr double kMinGravity = 1.5;   // [m/s^2]; the Moon has 1.6
constexpr double kMaxGravity = 30.0;  // [m/s^2]; Jupiter has 25
constexpr int kMinMarkers = 3;        // for a pose

Vector3d ReadGravity(const YamlField& field, bool planar) {
  if (field.IsScalar())
    field.Throw("three numbers [m/s^2], as [0, 0, -9.81] where the surface is level");
  const Vector3d gravity = ReadVector3(field, {.unit = "m/s^2"});
  const double size = gravity.norm();
  if (!(size >= kMinGravity && size <= kMaxGravity)) {
    field.Throw(fmt::format("a vector of length {:g}", size),
                fmt::format("a length from {:g} to {:g} [m/s^2]", kMinGravity, kMaxGravity));
  }
  if (gravity.z() > 0.0) {
    field.Throw("gravity away from the surface",
                "a z component of at most 0 (z points out of the surface)");
  }
  if (planar && gravity.y() != 0.0) {
    field.Throw(fmt::format("a y component of {:g}", gravity.y()),
                "a y component of 0 where planar is true");
  }
  return gravity;
}

Tone ReadTone(const YamlField& field) {
  if (!field.Given()) return {};
  const std::string text = field.Text("srgb, linear, or a gamma from 1 to 4");
  if (text == "srgb") return {.kind = Tone::Kind::kSrgb};
  if (text == "linear") return {.kind = Tone::Kind::kLinear};
  if (text.find_first_not_of("+-.0123456789eE") != std::string::npos) {
    field.Throw("srgb, linear, or a gamma from 1 to 4");
  }
  return {.kind = Tone::Kind::kGamma, .gamma = field.Number(kGamma)};
}

Synchronisation ReadSynchronisation(const YamlField& field) {
  Synchronisation known;
  if (!field.Given()) return known;
  field.AllowKeys({"genlocked", "offset", "sigma"});
  known.genlocked = field["genlocked"].Given() && field["genlocked"].Flag();
  if (field["offset"].Given()) {
    if (known.genlocked) field["offset"].Throw("an offset with genlocked: true", "one of them");
    known.offset = field["offset"].Number(kOffset);
  }
  if (field["sigma"].Given()) {
    if (!known.offset) field["sigma"].Throw("sigma alone", "the sigma of a given offset");
    known.offset_sigma = field["sigma"].Number(kOffsetSigma);
  }
  return known;
}

// One number for all cameras, or a map; of one camera nothing is estimated unless a sigma says so.
void ReadLineTime(const YamlField& field, std::span<const std::string> cameras,
                  Experiment* experiment) {
  if (!field.Given()) {
    experiment->line_time_sigma = cameras.size() == 1 ? 0.0 : kUnstatedLineTime;
  } else if (!field.IsMap()) {
    std::fill_n(experiment->line_time.begin(), std::min(cameras.size(), kMostCameras),
                field.Number(kLineTime));
  } else {
    std::vector<std::string_view> keys = {"left", "right", "sigma"};
    keys.insert(keys.end(), cameras.begin(), cameras.end());
    field.AllowKeys(keys);
    const auto read = [&](std::string_view key, const Range& range) {
      return field[key].Given() ? field[key].Number(range) : 0.0;
    };
    for (std::size_t c = 0; c < std::min(cameras.size(), kMostCameras); ++c)
      experiment->line_time[c] = read(cameras[c], kLineTime);
    experiment->line_time_sigma = read("sigma", kLineTimeSigma);
  }
}

// `group: {surface: steel, body: rod}`, or one word for a column named group. The names become
// columns of impacts.csv beside those that are there.
std::map<std::string, std::string> ReadGroup(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "a name, or a map of names such as {surface: steel, body: rod}";
  if (!field.Given()) return {};
  if (!field.IsMap()) return {{"group", field.PlainName()}};
  static constexpr std::string_view kTaken[] = {"trial", "time", "time_sigma", "warnings"};
  std::map<std::string, std::string> group;
  for (const auto& [name, value] : field.Entries(kAllowed)) {
    const bool letters = std::ranges::all_of(
        name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; });
    if (!letters || name.size() < 3 || name.starts_with("sigma_") || name.ends_with("_post") ||
        std::ranges::find(kTaken, name) != std::end(kTaken)) {
      value.Throw("the name " + name,
                  "a name of three letters or more that is no column of impacts.csv, such as "
                  "surface");
    }
    group[name] = value.PlainName();
  }
  if (group.empty()) field.Throw(kAllowed);
  return group;
}

Trial::Kind ReadKind(const YamlField& field) {
  if (!field.Given()) return Trial::Kind::kDrop;
  static constexpr std::string_view kAllowed = "drop or slide";
  const std::string word = field.Text(kAllowed);
  if (word != "drop" && word != "slide") field.Throw(kAllowed);
  return word == "slide" ? Trial::Kind::kSlide : Trial::Kind::kDrop;
}

/// The cameras that record the trials with videos, and what they see.
struct Recording {
  bool planar = false;  ///< one camera, a motion in a plane
  bool ball = false;
  std::vector<std::string> cameras = {};

  bool OneCamera() const { return cameras.size() == 1; }
  std::span<const std::string> Others() const {
    return std::span(cameras).subspan(std::min<std::size_t>(2, cameras.size()));
  }
};

// Left and right find the body, whose markers the others see where it is.
void CheckCameras(const YamlField& field, std::span<const std::string> names) {
  if (names.size() < 3) return;
  if (names[0] != "left" || names[1] != "right") {
    field.Throw(fmt::format("{} and {} first", names[0], names[1]),
                "left and right first, which find the body, then the others by any name");
  }
  if (names.size() > kMostCameras)
    field.Throw(fmt::format("{} cameras", names.size()), fmt::format("at most {}", kMostCameras));
  for (const std::string& name : names) CheckCameraName(field[name], name);
}

// Videos of the cameras after left and right; one may have missed the trial.
void ReadOtherVideos(const YamlField& field, std::span<const std::string> names, Trial* trial) {
  for (const std::string& name : names) {
    std::filesystem::path& video = trial->others.emplace_back();
    if (!field[name].Given()) continue;
    video = Resolve(field, field[name].Text("a video file"));
    const bool again = video == trial->left || video == trial->right ||
                       std::ranges::count(trial->others, video) > 1;
    if (again) field[name].Throw(video.string() + " again", "another video than other cameras");
  }
}

Trial ReadTrial(const YamlField& field, const Vector3d& gravity, const Recording& recording) {
  const bool planar = recording.planar;
  static constexpr std::string_view kAllowed = "a video file, or a map with tracks";
  Trial trial;
  trial.name = field["name"].PlainName();
  trial.kind = ReadKind(field["kind"]);
  trial.gravity = field["gravity"].Given() ? ReadGravity(field["gravity"], planar) : gravity;
  trial.group = ReadGroup(field["group"]);
  trial.surface = ReadTrialSurface(field, planar, recording.cameras);
  if (recording.OneCamera() && field["right"].Given()) {
    field["right"].Throw(planar ? "no right video where planar is true"
                                : "no right video, or images of that camera as calibration.right");
  }
  const bool tracks = std::ranges::any_of(
      recording.cameras, [&](const std::string& name) { return field[name].IsMap(); });
  if (tracks) {
    if (!field["left"].IsMap())
      field["left"].Throw("tracks of the other camera as well: a map with tracks");
    if (!recording.OneCamera() && !field["right"].Given())
      field["right"].Throw("a map with tracks");
    trial.tracks = ReadTrackSources(field, recording.cameras);
    for (std::size_t c = 0; c < trial.tracks.size(); ++c) {
      const std::filesystem::path file =
          trial.tracks[c] ? trial.tracks[c]->files.front() : std::filesystem::path();
      if (c > 1)
        trial.others.push_back(file);
      else
        (c == 0 ? trial.left : trial.right) = file;
    }
    return trial;
  }
  trial.left = Resolve(field, field["left"].Text(kAllowed));
  if (recording.OneCamera()) return trial;
  trial.right =
      Resolve(field, field["right"].Text(recording.ball
                                             ? "a video file; the video of one camera alone is clip"
                                             : kAllowed));
  if (trial.left == trial.right) {
    field["right"].Throw(trial.right.string() + " again", "another video than left");
  }
  ReadOtherVideos(field, recording.Others(), &trial);
  return trial;
}

// The trials that one entry stands for: one with videos, or those of a motion-capture system or of
// clips.
std::vector<Trial> ReadTrials(const YamlField& field, const Vector3d& gravity,
                              const Recording& recording) {
  const bool planar = recording.planar;
  const auto given = [&](const char* key) { return field.IsMap() && field[key].Given(); };
  const bool motion = given("poses") || given("markers") || given("clip");
  const bool videos = given("left") || given("right");
  if (motion && videos) {
    field[given("poses")     ? "poses"
          : given("markers") ? "markers"
                             : "clip"]
        .Throw(given("clip") ? "clip beside left or right" : "videos and trajectories in one trial",
               "left and right, or poses, or markers, or clip");
  }
  std::vector<std::string_view> keys(std::begin(kTrialKeys), std::end(kTrialKeys));
  if (!motion) {
    keys.insert(keys.end(), {"left", "right"});
    keys.insert(keys.end(), recording.Others().begin(), recording.Others().end());
  }
  if (!videos) keys.insert(keys.end(), std::begin(kMotionKeys), std::end(kMotionKeys));
  field.AllowKeys(keys);
  if (!motion) return {ReadTrial(field, gravity, recording)};
  std::vector<Trial> trials;
  for (NamedMotion& source : ReadMotionSources(field, recording.ball)) {
    Trial& trial = trials.emplace_back();
    trial.name = source.name;
    trial.kind = ReadKind(field["kind"]);
    trial.gravity = field["gravity"].Given() ? ReadGravity(field["gravity"], planar) : gravity;
    trial.group = ReadGroup(field["group"]);
    trial.surface = ReadTrialSurface(field, planar, {});
    trial.motion = std::move(source.source);
  }
  return trials;
}

// Markers on one line say nothing of the turn about it. Of a rod that is known otherwise.
void CheckTurn(const YamlField& field, const Experiment& experiment) {
  const std::vector<Marker>& markers = experiment.body.markers;
  const auto marked = [](const Trial& trial) {
    return trial.motion && trial.motion->kind == MotionSource::Kind::kMarkers;
  };
  if (experiment.body.HasBands()) {
    if (std::ranges::any_of(experiment.trials, marked)) {
      field.Throw("all markers on the axis, with trials of other motion capture",
                  "that with videos alone, where they are bands of tape");
    }
    return;
  }
  constexpr double kSpread = 0.01;  // of the longest distance
  const Vector3d first = markers.front().p_BM;
  Vector3d along = Vector3d::Zero();
  for (const Marker& marker : markers) {
    if ((marker.p_BM - first).norm() > along.norm()) along = marker.p_BM - first;
  }
  const bool on_line = std::ranges::all_of(markers, [&](const Marker& marker) {
    return (marker.p_BM - first).cross(along).norm() <= kSpread * along.squaredNorm();
  });
  if (on_line) {
    field.Throw("markers on one line, which leave the turn about it open",
                "one at least beside the line; on a rod, tape wound round it, its places on the "
                "axis");
  }
}

// The search for spots is made for the size of the body's markers, and finds them up to twice as
// large.
Range ReferenceDiameterRange(double marker_diameter) {
  if (marker_diameter == 0.0) return kLength;
  return {.lowest = 0.5 * marker_diameter, .highest = 2.0 * marker_diameter, .unit = "m"};
}

std::vector<ReferencePoint> ReadReferencePoints(const YamlField& field, double marker_diameter) {
  static constexpr std::string_view kAllowed =
      "a map of names to points, such as O1: {position: [0.1, -0.2, 0.045]}";
  constexpr Range kPlace{.lowest = -10.0, .highest = 10.0, .unit = "m"};
  constexpr Range kSigma{.lowest = 0.0, .highest = 0.1, .unit = "m"};
  constexpr double kRuler = 0.0005;
  if (!field.Given()) return {};
  std::vector<ReferencePoint> points;
  for (const auto& [name, entry] : field.Entries(kAllowed)) {
    if (!IsPlainName(name)) entry.Throw("the name " + name, kPlainNameText);
    entry.AllowKeys({"position", "sigma", "diameter"});
    const YamlField sigma = entry["sigma"], diameter = entry["diameter"];
    const bool own_size = diameter.Given() || marker_diameter == 0.0;
    points.push_back({.name = name,
                      .p_W = ReadVector3(entry["position"], kPlace),
                      .sigma = sigma.Given() ? sigma.Number(kSigma) : kRuler,
                      .diameter = own_size
                                      ? diameter.Number(ReferenceDiameterRange(marker_diameter))
                                      : marker_diameter});
    for (const ReferencePoint& other : std::span(points).first(points.size() - 1)) {
      if (other.p_W == points.back().p_W)
        entry["position"].Throw("the place of " + other.name, "one place for each point");
    }
  }
  if (points.empty()) field.Throw(kAllowed);
  return points;
}

// What videos need, which trajectories can do without.
void ReadRig(const YamlField& root, Experiment* experiment) {
  const bool videos = experiment->HasVideos();
  const auto filmed = [](const Trial& trial) { return trial.FromVideos(); };
  const bool no_trials = experiment->trials.empty();  // the file is there for its calibration
  if (videos || no_trials || root["board"].Given()) experiment->board = ReadBoard(root["board"]);
  if (videos || no_trials || root["calibration"].Given()) {
    experiment->calibration = ReadCalibrationImages(root["calibration"], experiment->planar);
  }
  const YamlField body = root["body"];
  const bool markers = std::ranges::any_of(experiment->trials, [&](const Trial& trial) {
    return trial.motion ? trial.motion->kind == MotionSource::Kind::kMarkers
                        : !IsBallTrial(trial, experiment->body);
  });
  if (experiment->body.unplaced) {
    static constexpr std::string_view kPlaces = "a map of names to places, A1: [x, y, z]";
    if (experiment->planar) body["markers"].Throw("no places, with planar: true", kPlaces);
    if (experiment->calibration.cameras.size() == 1)
      body["markers"].Throw("no places, with one camera", kPlaces);
    if (!std::ranges::all_of(experiment->trials, filmed)) {
      body["markers"].Throw("no places, with trials of other motion capture or of tracks", kPlaces);
    }
  } else if (markers && experiment->body.markers.size() < kMinMarkers) {
    body["markers"].Throw(
        fmt::format("{} markers", experiment->body.markers.size()),
        fmt::format("at least {}: a map of names to places, A1: [x, y, z]; or {{count: 6}}, whose "
                    "places the videos show",
                    kMinMarkers));
  } else if (videos && markers && !experiment->planar) {
    CheckTurn(body["markers"], *experiment);
  }
  const bool films = std::ranges::any_of(experiment->trials, filmed);
  const bool dots = experiment->body.unplaced || experiment->body.NumDots() > 0;
  if (films && markers && dots && !body["marker_diameter"].Given()) {
    body["marker_diameter"].Number(MarkerDiameterRange(experiment->body.body.shape));
  }
}

VideoClock ReadVideoClock(const YamlField& root) {
  VideoClock clock;
  if (root["frame_rate"].Given()) clock.frame_rate = root["frame_rate"].Number(kFrameRate);
  if (root["bit_depth"].Given()) clock.bit_depth = root["bit_depth"].Integer(9, 16);
  if (!root["time_base"].Given()) return clock;
  const std::string word = root["time_base"].Text("container or stated");
  if (word != "container" && word != "stated") root["time_base"].Throw("container or stated");
  clock.time_base = word == "stated" ? TimeBase::kStated : TimeBase::kContainer;
  if (clock.time_base == TimeBase::kStated && !clock.frame_rate) {
    root["time_base"].Throw("stated only with frame_rate");
  }
  return clock;
}

// What the file states for all trials.
constexpr std::string_view kSharedKeys[] = {
    "frame_rate", "time_base",     "bit_depth", "exposure",        "synchronisation",
    "line_time",  "tone",          "board",     "planar",          "calibration",
    "gravity",    "gravity_sigma", "body",      "reference_points"};

std::string SharedEntries(const YamlField& root) {
  std::string text;
  for (const std::string_view key : kSharedKeys)
    text += fmt::format("{}: {}\n", key, root[key].CanonicalText());
  if (root["body"].IsMap() && root["body"]["file"].Given()) {  // a mesh
    const YamlField mesh = root["body"]["file"];
    text += "mesh " + HashFile(Resolve(mesh, mesh.Text("a file"))) + "\n";
  }
  return text;
}

}  // namespace

bool Experiment::OfBall() const { return !trials.empty() && IsBallTrial(trials.front(), body); }

bool Experiment::HasVideos() const {
  return std::ranges::any_of(trials, [](const Trial& trial) { return !trial.motion; });
}

std::vector<TrialSurface> Experiment::OwnSurfaces() const {
  std::vector<TrialSurface> surfaces;
  for (const Trial& trial : trials) {
    if (!trial.surface) continue;
    const auto same = [&](const TrialSurface& other) { return other.name == trial.surface->name; };
    if (std::ranges::none_of(surfaces, same)) surfaces.push_back(*trial.surface);
  }
  return surfaces;
}

namespace {

/// What people type in its place.
void RequireExperimentFile(const fs::path& file) {
  std::error_code error;
  if (fs::is_directory(file, error)) {
    const fs::path inside = file / "experiment.yaml";
    throw InputError(fmt::format("{}: found a folder, allowed an experiment file{}", file.string(),
                                 fs::exists(inside, error) ? ": " + inside.string() : ""));
  }
  if (IsVideoName(file) && fs::exists(file, error)) {
    throw InputError(
        fmt::format("{0}: found a video, allowed an experiment file that names the videos of its "
                    "trials; a clip of a ball alone: percuss bounce {0}",
                    file.string()));
  }
}

}  // namespace

Experiment ReadExperiment(const fs::path& file, ExperimentNeeds needs,
                          std::span<const YamlEdit> edits) {
  RequireExperimentFile(file);
  const YamlField root = YamlField::ReadFile(file, edits);
  std::vector<std::string_view> keys = {"name"};
  keys.insert(keys.end(), std::begin(kSharedKeys), std::end(kSharedKeys));
  keys.insert(keys.end(), {"coefficients", "trials"});
  root.AllowKeys(keys);

  Experiment experiment;
  experiment.file = file;
  experiment.edits.assign(edits.begin(), edits.end());
  experiment.name = root["name"].Given() ? root["name"].Text("a name") : file.stem().string();
  experiment.clock = ReadVideoClock(root);
  if (root["exposure"].Given()) {
    experiment.exposure = root["exposure"].Number(kExposure);
    const std::optional<double> rate = experiment.clock.frame_rate;
    if (rate && *experiment.exposure * *rate > 1.0) {
      root["exposure"].Throw(
          fmt::format("at most one frame, 1 / frame_rate = {:.4g} [s]", 1.0 / *rate));
    }
  }
  experiment.synchronisation = ReadSynchronisation(root["synchronisation"]);
  experiment.tone = ReadTone(root["tone"]);
  experiment.planar = root["planar"].Given() && root["planar"].Flag();
  const bool calibration_alone = needs == ExperimentNeeds::kCalibration;
  if (root["body"].Given() || !calibration_alone) experiment.body = ReadBody(root["body"]);
  experiment.reference_points =
      ReadReferencePoints(root["reference_points"], experiment.body.marker_diameter);
  experiment.shared_entries = SharedEntries(root);
  experiment.coefficients = ReadCoefficients(root["coefficients"]);

  experiment.gravity_sigma_stated = root["gravity_sigma"].Given();
  if (experiment.gravity_sigma_stated) {
    experiment.gravity_sigma =
        root["gravity_sigma"].Number({.lowest = 0.0, .highest = 1.0, .unit = "m/s^2"});
  }
  const Vector3d gravity = root["gravity"].Given() ? ReadGravity(root["gravity"], experiment.planar)
                                                   : Vector3d(0.0, 0.0, -9.80665);
  std::set<std::string> names;
  const bool trials = root["trials"].Given() || !calibration_alone;
  const bool ball = IsBall(experiment.body);
  Recording recording{.planar = experiment.planar, .ball = ball};
  recording.cameras = experiment.planar ? std::vector<std::string>{"left"}
                      : ball            ? std::vector<std::string>{"left", "right"}
                                        : CameraNames(root["calibration"]);
  ReadLineTime(root["line_time"], recording.cameras, &experiment);
  std::vector<YamlField> entries;
  for (const YamlField& item :
       trials ? root["trials"].Items("a list of trials") : std::vector<YamlField>()) {
    for (Trial& trial : ReadTrials(item, gravity, recording)) {
      if (!names.insert(trial.name).second) {
        const char* key = item["name"].Given()    ? "name"
                          : item["poses"].Given() ? "poses"
                          : item["clip"].Given()  ? "clip"
                                                  : "markers";
        item[key].Throw(trial.name + " a second time", "each name once");
      }
      if (trial.motion) trial.motion->p_PB = experiment.body.p_PB;
      trial.entry = item.CanonicalText();
      experiment.trials.push_back(std::move(trial));
      entries.push_back(item);
    }
  }
  if (trials && experiment.trials.empty()) root["trials"].Throw("at least one trial");
  CheckBallTrials(root, entries, experiment.trials, experiment.body);
  if (experiment.HasVideos()) CheckCameras(root["calibration"]["cameras"], recording.cameras);
  ReadRig(root, &experiment);
  return experiment;
}

Experiment ReadChanged(const Experiment& stated, std::span<const YamlEdit> edits) {
  std::vector<YamlEdit> all = stated.edits;
  all.insert(all.end(), edits.begin(), edits.end());
  Experiment changed = ReadExperiment(stated.file, ExperimentNeeds::kAll, all);
  std::erase_if(changed.trials, [&](const Trial& trial) {
    return std::ranges::find(stated.trials, trial.name, &Trial::name) == stated.trials.end();
  });
  return changed;
}

}  // namespace percuss::capture
