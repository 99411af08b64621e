// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>
#include <nlohmann/json.hpp>

#include "calibration/rig_calibration.h"
#include "calibration/uncertainty.h"
#include "capture/error.h"

namespace percuss::calibration {
namespace {

using Json = nlohmann::ordered_json;

std::string Short(const Json& value) {
  std::string text = value.dump();
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

// One place in the file with its name, so that every message can say where.
class Field {
 public:
  Field(const std::filesystem::path& file, std::string name, const Json* value)
      : file_(file), name_(std::move(name)), value_(value) {}

  [[noreturn]] void Throw(const std::string& allowed) const {
    throw InputError(fmt::format("{}: {}: found {}, allowed {}", file_.string(), name_,
                                 value_ == nullptr ? "nothing" : Short(*value_), allowed));
  }
  Field operator[](const std::string& key) const {
    if (value_ == nullptr || !value_->is_object()) Throw("an object");
    const auto place = value_->find(key);
    const std::string name = name_ == "file" ? key : name_ + "." + key;
    return {file_, name, place == value_->end() ? nullptr : &*place};
  }
  std::vector<Field> Items() const {
    if (value_ == nullptr || !value_->is_array()) Throw("a list");
    std::vector<Field> items;
    for (std::size_t k = 0; k < value_->size(); ++k) {
      items.emplace_back(file_, fmt::format("{}[{}]", name_, k), &(*value_)[k]);
    }
    return items;
  }
  std::vector<Field> Items(std::size_t count) const {
    std::vector<Field> items = Items();
    if (items.size() != count) Throw(fmt::format("a list of {}", count));
    return items;
  }
  bool Has(const std::string& key) const {
    return value_ != nullptr && value_->is_object() && value_->contains(key);
  }
  std::vector<std::pair<std::string, Field>> Entries() const {
    if (value_ == nullptr || !value_->is_object()) Throw("an object");
    std::vector<std::pair<std::string, Field>> entries;
    for (const auto& [key, value] : value_->items()) {
      entries.emplace_back(key, Field(file_, name_ + "." + key, &value));
    }
    return entries;
  }
  double Finite() const {
    if (value_ == nullptr || !value_->is_number() || !std::isfinite(value_->get<double>())) {
      Throw("a finite number");
    }
    return value_->get<double>();
  }
  double NumberOrNull() const {
    if (value_ != nullptr && value_->is_null()) return std::numeric_limits<double>::quiet_NaN();
    return Finite();
  }
  int Count() const {
    if (value_ == nullptr || !value_->is_number_integer() || value_->get<double>() < 0.0 ||
        value_->get<double>() > 1e9) {
      Throw("a whole number from 0 to 1e9");
    }
    return value_->get<int>();
  }
  std::string Text() const {
    if (value_ == nullptr || !value_->is_string()) Throw("a text");
    return value_->get<std::string>();
  }
  bool Flag() const {
    if (value_ == nullptr || !value_->is_boolean()) Throw("true or false");
    return value_->get<bool>();
  }
  template <int kRows, int kColumns>
  Eigen::Matrix<double, kRows, kColumns> Matrix() const {
    if (value_ == nullptr || !value_->is_array() || value_->size() != kRows) {
      Throw(fmt::format("{} rows of {} numbers", kRows, kColumns));
    }
    Eigen::Matrix<double, kRows, kColumns> matrix;
    int r = 0;
    for (const Field& row : Items()) {
      int c = 0;
      for (const Field& entry : row.Items(kColumns)) matrix(r, c++) = entry.Finite();
      ++r;
    }
    return matrix;
  }
  Eigen::Vector3d Vector3() const {
    Eigen::Vector3d vector;
    int k = 0;
    for (const Field& entry : Items(3)) vector[k++] = entry.Finite();
    return vector;
  }

 private:
  const std::filesystem::path& file_;
  std::string name_;
  const Json* value_;
};

LensModel ReadLens(const Field& field) {
  for (const capture::LensModelName& entry : capture::kLensModelNames) {
    if (field.Text() == entry.name) return entry.lens;
  }
  field.Throw("brown, rational or fisheye");
}

Camera ReadCamera(const Field& field) {
  Camera camera;
  const std::vector<Field> size = field["image_size"].Items(2);
  camera.width = size[0].Count();
  camera.height = size[1].Count();
  if (camera.width < 1 || camera.height < 1) field["image_size"].Throw("a positive size");
  camera.lens = ReadLens(field["lens"]);
  const Eigen::Matrix3d k = field["K"].Matrix<3, 3>();
  if (!(k(0, 0) > 0.0) || !(k(1, 1) > 0.0)) field["K"].Throw("positive focal lengths");
  if (k(0, 1) != 0.0 || k(1, 0) != 0.0 || k.row(2) != Eigen::RowVector3d(0.0, 0.0, 1.0)) {
    field["K"].Throw("[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  }
  camera.intrinsics = {k(0, 0), k(1, 1), k(0, 2), k(1, 2)};
  std::size_t place = 4;
  for (const Field& entry : field["distortion"].Items(DistortionNames(camera.lens).size())) {
    camera.intrinsics[place++] = entry.Finite();
  }
  return camera;
}

Pose ReadPose(const Field& field) {
  Pose pose{.R = field["R"].Matrix<3, 3>(), .t = field["t"].Vector3()};
  constexpr double kTolerance = 1e-6;
  const Eigen::Matrix3d error = pose.R * pose.R.transpose() - Eigen::Matrix3d::Identity();
  if (error.cwiseAbs().maxCoeff() > kTolerance || pose.R.determinant() < 0.0) {
    field["R"].Throw("a rotation matrix");
  }
  return pose;
}

// The rows and columns of the named parameters; those of all others are 0.
Eigen::MatrixXd ReadCovariance(const Field& field, const std::vector<std::string>& names) {
  const std::vector<int> places = NamedPlaces(names);
  const auto size = static_cast<Eigen::Index>(names.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(size, size);
  std::size_t r = 0;
  for (const Field& row : field.Items(places.size())) {
    std::size_t c = 0;
    for (const Field& entry : row.Items(places.size())) {
      covariance(places[r], places[c++]) = entry.Finite();
    }
    ++r;
  }
  for (std::size_t a = 0; a < places.size(); ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      const int i = places[a], j = places[b];
      const double bound =
          std::sqrt(std::max(0.0, covariance(i, i)) * std::max(0.0, covariance(j, j)));
      const bool symmetric = std::abs(covariance(i, j) - covariance(j, i)) <= 1e-9 * bound;
      const bool in_bound = std::abs(covariance(i, j)) <= bound * (1.0 + 1e-9);
      if (!symmetric || !in_bound || covariance(i, i) < 0.0) {
        field.Items()[a].Items()[b].Throw(
            "an entry of a symmetric matrix, not larger than its two sigmas multiplied");
      }
    }
  }
  return covariance;
}

void CheckOrder(const Field& field, const std::vector<std::string>& names) {
  const std::vector<int> places = NamedPlaces(names);
  const std::vector<Field> items = field.Items(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::string& name = names[static_cast<std::size_t>(places[k])];
    if (items[k].Text() != name) items[k].Throw(fmt::format("\"{}\"", name));
  }
}

BoardEstimate ReadBoard(const Field& field) {
  const auto pair = [](const Field& list) {
    const std::vector<Field> items = list.Items(2);
    return Eigen::Vector2d(items[0].Finite(), items[1].Finite());
  };
  return {.shape = {.scale = field["scale"].Finite(), .warp = pair(field["warp"])},
          .scale_sigma = field["sigma"]["scale"].Finite(),
          .warp_sigma = pair(field["sigma"]["warp"])};
}

std::vector<CalibratedCamera> ReadCameras(const Field& root) {
  std::vector<CalibratedCamera> cameras;
  for (const auto& [name, camera] : root["cameras"].Entries()) {
    cameras.push_back({.name = name, .camera = ReadCamera(camera), .from_first = {}});
    const std::string& first = cameras.front().name;
    if (cameras.size() > 1) cameras.back().from_first = ReadPose(root[name + "_from_" + first]);
  }
  if (cameras.empty()) root["cameras"].Throw("at least one camera");
  return cameras;
}

ThesisComparison ReadThesis(const Field& field) {
  ThesisComparison thesis{
      .rows = {}, .tables = field["tables"].Text(), .reason = field["reason"].Text()};
  for (const Field& row : field["comparison"].Items()) {
    thesis.rows.push_back({.quantity = row["quantity"].Text(),
                           .thesis = row["thesis"].NumberOrNull(),
                           .joint = row["joint"].NumberOrNull()});
  }
  return thesis;
}

ViewReport ReadView(const Field& field, const std::vector<CalibratedCamera>& cameras) {
  ViewReport view{.images = {}, .used = field["used"].Flag(), .reason = field["reason"].Text()};
  for (const CalibratedCamera& camera : cameras) {
    view.images.push_back({.file = field[camera.name].Text(),
                           .num_measured = field["measured_" + camera.name].Count(),
                           .num_used = field["used_" + camera.name].Count(),
                           .rms_px = field[fmt::format("rms_{}_px", camera.name)].NumberOrNull()});
  }
  return view;
}

std::vector<ImageMap> ReadMaps(const Field& field, const std::vector<CalibratedCamera>& cameras) {
  std::vector<ImageMap> maps;
  if (field.Entries().empty()) return maps;
  for (const CalibratedCamera& camera : cameras) {
    const Field of_camera = field[camera.name];
    const ImageMap raster = RasterOf(camera.camera);
    ImageMap map{.columns = of_camera["columns"].Count(),
                 .rows = of_camera["rows"].Count(),
                 .pixels = raster.pixels,
                 .values = {}};
    if (map.columns != raster.columns || map.rows != raster.rows) {
      of_camera["columns"].Throw(fmt::format("{} columns, {} rows", raster.columns, raster.rows));
    }
    for (const Field& value : of_camera["values"].Items(map.pixels.size())) {
      map.values.push_back(value.NumberOrNull());
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

PredictedError ReadPredicted(const Field& field, const std::vector<CalibratedCamera>& cameras) {
  return {.projection_sigma_px = ReadMaps(field["projection_sigma_px"], cameras),
          .point_sigma_median = field["point_sigma_median"].NumberOrNull(),
          .point_sigma_worst = field["point_sigma_worst"].NumberOrNull(),
          .volume_lowest = field["volume"]["lowest"].Vector3(),
          .volume_highest = field["volume"]["highest"].Vector3()};
}

HalfSplit ReadHalves(const Field& field, const std::vector<CalibratedCamera>& cameras) {
  return {.difference_px = ReadMaps(field["difference_px"], cameras),
          .rms_px = field["rms_px"].NumberOrNull(),
          .predicted_rms_px = field["predicted_rms_px"].NumberOrNull()};
}

PatternSummary ReadPattern(const Field& field, const std::vector<CalibratedCamera>& cameras) {
  PatternSummary pattern;
  for (const CalibratedCamera& camera : cameras) {
    if (!field.Has(camera.name)) break;  // not tested
    pattern.image_rms_px.push_back(field[camera.name]["image_rms_px"].NumberOrNull());
    pattern.radius_rms_px.push_back(field[camera.name]["radius_rms_px"].NumberOrNull());
  }
  pattern.print_rms = field["print_rms"].NumberOrNull();
  pattern.bend_rms = field["bend_rms"].NumberOrNull();
  pattern.neighbour_correlation = field["neighbour_correlation"].NumberOrNull();
  for (const Field& finding : field["findings"].Items()) pattern.findings.push_back(finding.Text());
  return pattern;
}

CalibrationQuality ReadQuality(const Field& field, const std::vector<CalibratedCamera>& cameras) {
  CalibrationQuality quality;
  quality.num_views = field["views_used"].Count();
  quality.num_rejected_corners = field["corners_rejected"].Count();
  for (const CalibratedCamera& camera : cameras) {
    quality.coverage.push_back(field["coverage_" + camera.name].Finite());
  }
  quality.tilt_range_deg = field["tilt_range_deg"].Finite();
  quality.held_out.median_px = field["heldout_median_px"].NumberOrNull();
  quality.held_out.p90_px = field["heldout_p90_px"].NumberOrNull();
  quality.predicted = ReadPredicted(field["predicted"], cameras);
  quality.half_split = ReadHalves(field["halves"], cameras);
  quality.pattern = ReadPattern(field["pattern"], cameras);
  quality.next_view = {.text = field["next_view"]["text"].Text(),
                       .sigma_ratio = field["next_view"]["sigma_ratio"].Finite()};
  return quality;
}

}  // namespace

RigCalibration ReadCalibration(const std::filesystem::path& file) {
  const std::string text = capture::ReadFile(file);
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(fmt::format("{}: byte {}: not valid JSON, allowed is a calibration file",
                                 file.string(), error.byte));
  }
  const Field root(file, "file", &json);
  if (root["format"].Text() != kCalibrationFormat)
    root["format"].Throw(fmt::format("\"{}\"", kCalibrationFormat));

  RigCalibration calibration;
  calibration.cameras = ReadCameras(root);
  calibration.world_from_first = ReadPose(root["world_from_" + calibration.cameras.front().name]);
  const std::vector<std::string> names = ParameterNames(calibration);
  CheckOrder(root["covariance_order"], names);
  calibration.covariance = ReadCovariance(root["covariance"], names);
  calibration.board = ReadBoard(root["board"]);
  calibration.rms_px = root["rms_px"].NumberOrNull();
  calibration.corner_sigma_px = root["corner_sigma_px"].NumberOrNull();
  calibration.num_corners = root["corners"].Count();
  calibration.quality = ReadQuality(root["quality"], calibration.cameras);
  calibration.quality.held_out.rms_px = root["rms_px_heldout"].NumberOrNull();
  calibration.thesis = ReadThesis(root["thesis_chain"]);
  for (const Field& view : root["views"].Items()) {
    calibration.views.push_back(ReadView(view, calibration.cameras));
  }
  calibration.verdict = root["verdict"].Text();
  if (calibration.verdict != "ok" && calibration.verdict != "poor") {
    root["verdict"].Throw(R"("ok" or "poor")");
  }
  calibration.verdict_reasons.clear();
  for (const Field& reason : root["verdict_reasons"].Items()) {
    calibration.verdict_reasons.push_back(reason.Text());
  }
  return calibration;
}

}  // namespace percuss::calibration
