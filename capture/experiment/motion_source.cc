// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/motion_source.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <system_error>

#include "base/error.h"
#include "base/files/files.h"
#include "base/files/plain_name.h"
#include "capture/experiment/experiment_body.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;

constexpr Range kOrigin{.lowest = -1000.0, .highest = 1000.0, .unit = "m"};
constexpr Range kPositionSigma{
    .lowest = 0.0, .highest = 0.1, .lowest_included = false, .unit = "m"};
constexpr Range kAngleSigma{.lowest = 0.0, .highest = 1.0, .lowest_included = false, .unit = "rad"};

// Rows: the axes of W in those of the file, as [x, -z, y].
Eigen::Matrix3d ReadAxes(const YamlField& field) {
  static constexpr std::string_view kAllowed =
      "x, y, z of the surface frame in axes of the file, such as [x, -z, y]: each of x, y, z once, "
      "right-handed";
  const std::vector<YamlField> items = field.Items(kAllowed);
  if (items.size() != 3) field.Throw(kAllowed);
  Eigen::Matrix3d axes = Eigen::Matrix3d::Zero();
  for (int row = 0; row < 3; ++row) {
    std::string word = items[row].Text(kAllowed);
    const double sign = word.starts_with('-') ? -1.0 : 1.0;
    if (word.starts_with('-') || word.starts_with('+')) word.erase(0, 1);
    const std::size_t axis = std::string_view("xyz").find(word);
    if (word.size() != 1 || axis == std::string_view::npos) field.Throw(kAllowed);
    axes(row, static_cast<int>(axis)) = sign;
  }
  const double determinant = axes.determinant();
  if (determinant == 0.0) field.Throw(kAllowed);
  if (determinant < 0.0) field.Throw("left-handed axes, which mirror the motion", kAllowed);
  return axes;
}

void ReadSigma(const YamlField& field, MotionSource* source) {
  if (!field.Given()) return;
  if (source->kind == MotionSource::Kind::kCentres) {
    field.Throw("one for all centres of a ball, which the residuals show",
                "none, or columns sigma or sx, sy, sz of the table");
  }
  const bool poses = source->kind == MotionSource::Kind::kPoses;
  if (poses) {
    field.AllowKeys({"position", "angle"});
    source->angle_sigma = field["angle"].Number(kAngleSigma);
  } else {
    field.AllowKeys({"position"});
  }
  source->position_sigma = field["position"].Number(kPositionSigma);
}

// A text as a plain name: what is not allowed in one becomes an underscore.
std::string AsPlainName(std::string text) {
  for (char& c : text) {
    if (!IsPlainName(std::string(1, c)) && c != '.') c = '_';
  }
  if (text.empty() || text.front() == '.') text.insert(text.begin(), '_');
  return text;
}

std::vector<fs::path> ReadFiles(const YamlField& field) {
  static constexpr std::string_view kAllowed = "a file, or a pattern such as tosses/*.csv";
  const fs::path path = Resolve(field, field.Text(kAllowed));
  if (!IsPattern(path)) return {path};  // opened with its trial, so that the others can go on
  return ReadPattern(field, kAllowed);
}

// One source for each value of the column, in the order in which they come.
std::vector<NamedMotion> Split(const YamlField& field, const MotionSource& source) {
  const std::string column = field.Text("the name of a column");
  std::vector<CsvRow> rows = ParseCsv(source.file, ReadFile(source.file));
  const CsvRow header = rows.empty() ? CsvRow{} : rows.front();
  const auto found = std::ranges::find(header.cells, column);
  if (found == header.cells.end()) {
    field.Throw(fmt::format("{}, which {} does not have", column, source.file.string()),
                fmt::format("one of its columns: {}", fmt::join(header.cells, ", ")));
  }
  const std::size_t place = found - header.cells.begin();
  std::vector<std::pair<std::string, std::shared_ptr<std::vector<CsvRow>>>> parts;
  std::map<std::string, std::size_t> part_of;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].cells.size() != header.cells.size()) {
      throw InputError(fmt::format("{}: line {}: found {} cells, allowed {} as in the header",
                                   source.file.string(), rows[i].line, rows[i].cells.size(),
                                   header.cells.size()));
    }
    const std::string value = rows[i].cells[place];
    const auto [part, is_new] = part_of.try_emplace(value, parts.size());
    if (is_new) parts.emplace_back(value, std::make_shared<std::vector<CsvRow>>(1, header));
    parts[part->second].second->push_back(std::move(rows[i]));
  }
  if (parts.empty()) field.Throw(source.file.string() + " without rows", "a table with rows");
  std::vector<NamedMotion> motions;
  for (auto& [value, part_rows] : parts) {
    NamedMotion& motion = motions.emplace_back(NamedMotion{AsPlainName(value), source});
    motion.source.rows = std::move(part_rows);
  }
  return motions;
}

/// Whether poses of a ball are its centres alone: neither the stated columns nor those of the table
/// have an orientation.
bool AreCentres(const YamlField& trial, const std::vector<fs::path>& tables) {
  static constexpr std::array<const char*, 5> kOrientation = {"qw", "qx", "qy", "qz", "angle"};
  const YamlField columns = trial["columns"];
  const auto has = [&](const auto& named) { return std::ranges::any_of(kOrientation, named); };
  if (columns.IsMap() && has([&](const char* name) { return columns[name].Given(); })) return false;
  for (const fs::path& table : tables) {
    std::error_code error;
    if (!fs::is_regular_file(table, error)) continue;  // said when its trial is processed
    const std::vector<CsvRow> rows = ParseCsv(table, ReadFile(table));
    const CsvRow header = rows.empty() ? CsvRow{} : rows.front();
    return !has([&](const char* name) { return std::ranges::count(header.cells, name) > 0; });
  }
  return true;
}

/// The key of the trial that says what its motion is; there is one alone.
const char* MotionKey(const YamlField& trial) {
  const char* key = nullptr;
  for (const char* one : {"poses", "markers", "clip"}) {
    if (!trial[one].Given()) continue;
    if (key != nullptr) trial[one].Throw(fmt::format("both {} and {}", key, one), "one of them");
    key = one;
  }
  return key;
}

void RefuseKeys(const YamlField& trial, std::initializer_list<const char*> keys,
                std::string_view found, std::string_view allowed) {
  for (const char* key : keys) {
    if (trial[key].Given()) trial[key].Throw(found, allowed);
  }
}

}  // namespace

TableColumns AllColumns(const MotionSource& source, const std::vector<std::string>& header) {
  TableColumns columns = source.table;
  const auto add = [&](std::string_view quantity, std::string_view name) {
    if (columns.Find(quantity) || !std::ranges::count(header, name)) return;
    columns.columns.push_back({.quantity = std::string(quantity), .from = {std::string(name)}});
  };
  const bool centres = source.kind == MotionSource::Kind::kCentres;
  for (const TableQuantity& quantity : centres ? std::span<const TableQuantity>(kCentreQuantities)
                                               : std::span<const TableQuantity>(kPoseQuantities)) {
    // Beside a quaternion, which comes first in the list, an angle is something else.
    if (quantity.name == "angle" && columns.Find("qw")) continue;
    add(quantity.name, quantity.name);
  }
  add("time", "t");
  return columns;
}

std::vector<NamedMotion> ReadMotionSources(const YamlField& trial, bool ball) {
  MotionSource source;
  const std::string key = MotionKey(trial);
  const YamlField files = trial[key];
  const std::vector<fs::path> paths = ReadFiles(files);
  source.kind = key == "clip"                      ? MotionSource::Kind::kClip
                : key == "markers"                 ? MotionSource::Kind::kMarkers
                : ball && AreCentres(trial, paths) ? MotionSource::Kind::kCentres
                                                   : MotionSource::Kind::kPoses;
  if (key == "poses") {
    if (trial["columns"].Given()) {
      source.table.columns = source.kind == MotionSource::Kind::kCentres
                                 ? ReadColumnMap(trial["columns"], kCentreQuantities)
                                 : ReadColumnMap(trial["columns"], kPoseQuantities);
    }
    if (trial["keep"].Given()) source.table.keep = ReadRowFilters(trial["keep"]);
  } else {
    RefuseKeys(trial, {"columns", "keep", "split"}, "a key of tables of poses", "none with " + key);
  }
  if (key == "clip") {
    RefuseKeys(trial, {"axes", "origin", "sigma"}, "a key of trajectories", "none with clip");
  }
  if (trial["ball"].Given()) {
    if (key != "clip") trial["ball"].Throw("a pixel that the ball passes", "that with clip");
    const std::vector<double> pixel =
        trial["ball"].Numbers(2, {.lowest = 0.0, .highest = 1e5, .unit = "px"});
    source.ball = Eigen::Vector2d(pixel[0], pixel[1]);
  }
  if (trial["frame_rate"].Given()) source.frame_rate = trial["frame_rate"].Number(kFrameRate);
  if (trial["axes"].Given()) source.R_WF = ReadAxes(trial["axes"]);
  if (trial["origin"].Given()) source.origin_F = ReadVector3(trial["origin"], kOrigin);
  ReadSigma(trial["sigma"], &source);

  const YamlField split = trial["split"];
  const std::string prefix = trial["name"].Given() ? trial["name"].PlainName() : "";
  const bool single = paths.size() == 1 && !IsPattern(files.Text("")) && !split.Given();
  std::vector<NamedMotion> motions;
  for (const fs::path& path : paths) {
    source.file = source.table.table = path;
    const std::string stem = AsPlainName(path.stem().string());
    if (!split.Given()) {
      motions.push_back({stem, source});
      continue;
    }
    for (NamedMotion& part : Split(split, source)) {
      if (paths.size() > 1) part.name = stem + "-" + part.name;
      motions.push_back(std::move(part));
    }
  }
  for (NamedMotion& motion : motions) {
    if (!prefix.empty()) motion.name = single ? prefix : prefix + "-" + motion.name;
    if (!IsPlainName(motion.name)) trial.Throw("the name " + motion.name, kPlainNameText);
  }
  return motions;
}

}  // namespace percuss::capture
