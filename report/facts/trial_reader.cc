// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/text/json_field.h"
#include "report/facts/csv.h"
#include "report/facts/run_folder.h"

namespace percuss::report {
namespace {

MeasuredVector Combine(const std::array<double, 3>& values, const std::array<double, 3>& sigmas) {
  return {Measured{values[0], sigmas[0]}, Measured{values[1], sigmas[1]},
          Measured{values[2], sigmas[2]}};
}

std::optional<ArcFacts> ReadArc(const JsonField& impact, std::string_view side) {
  const auto arcs = impact.Find("arcs");
  const auto field = arcs ? arcs->Find(side) : std::nullopt;
  if (!field) return std::nullopt;
  return ArcFacts{
      .first_frame = field->At("first_frame").Integer(),
      .last_frame = field->At("last_frame").Integer(),
      .frames = field->At("frames").Integer(),
      .observations = field->IntegerOr("observations", 0),
      .rms_px = field->At("rms_px").Number(),
      .gravity = Combine(field->Vector3OrNaN("gravity"), field->Vector3OrNaN("gravity_sigma"))};
}

std::array<double, 2> ReadObliquity(const JsonField& impact) {
  std::array<double, 2> medians = {kNaN, kNaN};
  const auto views = impact.Find("obliquity");
  if (!views) return medians;
  std::size_t view = 0;
  for (const JsonField& field : views->Elements()) {
    if (view < medians.size()) medians[view++] = field.NumberOr("median_deg", kNaN);
  }
  return medians;
}

TrialImpactFacts ReadTrialImpact(const JsonField& field) {
  const JsonField impact = field.At("impact");
  return {.time = {impact.At("time").Number(), impact.NumberOr("time_sigma", kNaN)},
          .frame = impact.NumberOr("frame", kNaN),
          .before = ReadArc(field, "before"),
          .after = ReadArc(field, "after"),
          .stated_gravity = field.Vector3OrNaN("gravity"),
          .obliquity = ReadObliquity(field)};
}

std::vector<InnovationFacts> ReadInnovations(const JsonField& root) {
  std::vector<InnovationFacts> facts;
  const auto innovations = root.Find("innovations");
  if (!innovations) return facts;
  for (const char* side : {"before", "after"}) {
    const auto field = innovations->Find(side);
    if (!field) continue;
    facts.push_back({.side = side,
                     .mean_square = field->NumberOr("mean_square", kNaN),
                     .low = field->NumberOr("low", kNaN),
                     .high = field->NumberOr("high", kNaN)});
  }
  return facts;
}

Measured ReadMarkerScale(const JsonField& root) {
  const auto scale = root.Find("marker_scale");
  if (!scale) return {kNaN, kNaN};
  return {scale->NumberOr("scale", kNaN), scale->NumberOr("sigma", kNaN)};
}

double Length(const std::array<double, 3>& v) { return std::hypot(v[0], v[1], v[2]); }

std::vector<ReferenceFacts> ReadReferencePoints(const JsonField& root) {
  std::vector<ReferenceFacts> points;
  const auto check = root.Find("reference_points");
  if (!check) return points;
  for (const JsonField& field : check->At("points").Elements()) {
    ReferenceFacts& point = points.emplace_back();
    point.name = field.At("name").Text();
    const std::vector<JsonField> cameras = field.At("cameras").Elements();
    for (std::size_t k = 0; k < std::min(cameras.size(), point.off_px.size()); ++k) {
      const std::vector<JsonField> residual = cameras[k].At("residual_px").Elements(2);
      point.off_px[k] = std::hypot(residual[0].Number(), residual[1].Number());
    }
    if (const auto place = field.Find("in_world")) {
      point.error = Combine(place->Vector3OrNaN("error"), place->Vector3OrNaN("sigma"));
      point.p = place->At("p").Number();
    }
    if (const auto place = field.Find("in_camera"))
      point.share = Length(place->Vector3OrNaN("error")) / Length(place->Vector3OrNaN("stated"));
  }
  return points;
}

// A trial with several impacts lists them all; the first also stands at the top level.
std::vector<TrialImpactFacts> ReadTrialImpacts(const JsonField& root) {
  std::vector<TrialImpactFacts> impacts;
  if (const auto all = root.Find("impacts")) {
    for (const JsonField& impact : all->Elements()) impacts.push_back(ReadTrialImpact(impact));
  } else if (root.Find("impact")) {
    impacts.push_back(ReadTrialImpact(root));
  }
  return impacts;
}

/// Names of the cameras that have a column NAME + ending, in the order of the columns.
std::vector<std::string> CamerasOf(const CsvTable& table, std::string_view ending) {
  std::vector<std::string> names;
  for (const std::string& column : table.header) {
    if (column.size() > ending.size() && column.ends_with(ending))
      names.push_back(column.substr(0, column.size() - ending.size()));
  }
  return names;
}

std::vector<PoseFacts> PosesOf(const CsvTable& table) {
  const int frame = table.Require("frame"), time = table.Require("time"),
            phase = table.Require("phase"), x = table.Require("x"), y = table.Require("y"),
            z = table.Require("z"), rms = table.Require("rms_px");
  const std::array orientation = {table.Require("qw"), table.Require("qx"), table.Require("qy"),
                                  table.Require("qz")};
  // The frame of the left camera is that of the pose.
  std::vector<std::pair<int, int>> exposed = {{frame, table.Find("left_time")}};
  for (const std::string& camera : CamerasOf(table, "_frame"))
    exposed.emplace_back(table.Find(camera + "_frame"), table.Find(camera + "_time"));
  std::vector<PoseFacts> poses;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    poses.push_back(
        {.frame = static_cast<int>(table.Number(row, frame)),
         .time = table.Number(row, time),
         .phase = table.Text(row, phase),
         .x = table.Number(row, x),
         .y = table.Number(row, y),
         .z = table.Number(row, z),
         .orientation = {table.Number(row, orientation[0]), table.Number(row, orientation[1]),
                         table.Number(row, orientation[2]), table.Number(row, orientation[3])},
         .rms_px = table.Number(row, rms)});
    PoseFacts& pose = poses.back();
    for (const auto& [number_column, time_column] : exposed) {
      ExposureFacts& picture = pose.exposed.emplace_back();
      picture.time = table.Number(row, time_column);
      const double number = table.Number(row, number_column);
      if (std::isfinite(picture.time) && std::isfinite(number))
        picture.frame = static_cast<int>(number);
    }
  }
  return poses;
}

void AddMarkers(const std::filesystem::path& file, std::vector<PoseFacts>& poses) {
  const CsvTable table = ReadCsv(file);
  const int time = table.Require("time"), marker = table.Require("marker"), z = table.Require("z");
  const std::array place = {table.Find("x"), table.Find("y"), z};
  table.Require("left_x_px");
  std::vector<std::array<int, 2>> pixel;
  for (const std::string& camera : CamerasOf(table, "_x_px"))
    pixel.push_back({table.Require(camera + "_x_px"), table.Require(camera + "_y_px")});
  std::map<double, PoseFacts*> at;  // several instants may have one left frame
  for (PoseFacts& pose : poses) at[pose.time] = &pose;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto found = at.find(table.Number(row, time));
    if (found == at.end()) continue;
    PoseFacts& pose = *found->second;
    pose.lowest_marker = std::fmin(pose.lowest_marker, table.Number(row, z));
    SightingFacts& seen = pose.sightings.emplace_back();
    seen.marker = table.Text(row, marker);
    for (int k = 0; k < 3; ++k) seen.place[k] = table.Number(row, place[k]);
    for (const auto& [x, y] : pixel)
      seen.pixel.push_back({table.Number(row, x), table.Number(row, y)});
  }
}

/// A message names its trial, as on stderr; in a report the name already stands before it.
std::string WithoutName(const std::string& message, const std::string& name) {
  const std::string start = "trial " + name + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

}  // namespace

TrialFacts ReadTrialFacts(const std::filesystem::path& trial_folder) {
  return ReadTrialFacts(JsonField::ReadFile(trial_folder / "trial.json"), trial_folder);
}

TrialFacts ReadTrialFacts(const JsonField& root, const std::filesystem::path& trial_folder) {
  TrialFacts trial{.folder = trial_folder,
                   .name = root.At("trial").Text(),
                   .status = root.At("status").Text(),
                   .message = WithoutName(root.TextOr("message", ""), root.At("trial").Text()),
                   .frames = root.IntegerOr("frames", 0),
                   .is_motion_capture = root.Find("motion_capture").has_value(),
                   .ball = root.Find("ball") ? root.At("ball").At("source").Text() : "",
                   .impacts = ReadTrialImpacts(root),
                   .states = root.TextOr("states", "arcs"),
                   .innovations = ReadInnovations(root),
                   .marker_scale = ReadMarkerScale(root),
                   .reference_points = ReadReferencePoints(root),
                   .warnings = root.TextsOrNone("warnings")};
  if (trial.status != "ok" && trial.status != "bad_input" && trial.status != "no_answer") {
    root.At("status").Fail("ok, bad_input or no_answer");
  }
  if (const auto flash = root.Find("flash")) {
    trial.flash = FlashFacts{.left_frame = flash->At("left_frame").Integer(),
                             .right_frame = flash->At("right_frame").Integer()};
    trial.alignment = AlignmentFacts{flash->At("lag_frames").Number(), {"flash"}};
  }
  if (const auto alignment = root.Find("alignment")) {
    trial.alignment =
        AlignmentFacts{alignment->At("lag_frames").Number(), alignment->TextsOrNone("rests_on")};
  }
  return trial;
}

std::vector<PoseFacts> ReadPoses(const std::filesystem::path& trial_folder) {
  const auto file = trial_folder / "poses.csv";
  return std::filesystem::exists(file) ? PosesOf(ReadCsv(file)) : std::vector<PoseFacts>();
}

void ReadShownFacts(TrialFacts* trial) {
  if (auto poses = ReadPoses(trial->folder); !poses.empty()) trial->poses = std::move(poses);
  const auto markers = trial->folder / "markers.csv";
  if (std::filesystem::exists(markers)) AddMarkers(markers, trial->poses);
  const auto pictures = trial->folder / "pictures" / "pictures.json";
  if (std::filesystem::exists(pictures)) trial->pictures = ReadPictures(pictures);
  const auto film = trial->folder / "film.json";
  if (std::filesystem::exists(film)) trial->film = ReadFilm(film);
  const std::string folder = "tracks/" + trial->folder.filename().string();
  if (std::filesystem::exists(trial->folder / "overlay.mp4"))
    trial->overlay_video = folder + "/overlay.mp4";
  if (std::filesystem::exists(trial->folder / "report.html")) trial->page = folder + "/report.html";
}

bool HasMarkerImages(const TrialFacts& trial) {
  return !trial.is_motion_capture && trial.ball.empty();
}

}  // namespace percuss::report
