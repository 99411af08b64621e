// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>
#include <nlohmann/json.hpp>

#include "calibration/stereo_calibration.h"
#include "capture/error.h"

namespace percuss::calibration {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "percuss calibration 1";
constexpr int kRig = 2 * kNumIntrinsics, kWorld = kRig + 6;

// Numbers that are not known are null in the file.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

template <typename Derived>
Json Rows(const Eigen::MatrixBase<Derived>& matrix) {
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    Json row = Json::array();
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) row.push_back(Number(matrix(r, c)));
    rows.push_back(std::move(row));
  }
  return rows;
}

template <typename Derived>
Json List(const Eigen::MatrixBase<Derived>& vector) {
  Json list = Json::array();
  for (Eigen::Index k = 0; k < vector.size(); ++k) list.push_back(Number(vector[k]));
  return list;
}

Json CameraJson(const Camera& camera, const Eigen::VectorXd& sigma) {
  const auto& c = camera.intrinsics;
  Json json;
  json["image_size"] = {camera.width, camera.height};
  json["K"] = {{c[0], 0.0, c[2]}, {0.0, c[1], c[3]}, {0.0, 0.0, 1.0}};
  json["distortion"] = {c[4], c[5], c[6], c[7], c[8]};
  json["sigma"] = {{"fx", Number(sigma[0])},
                   {"fy", Number(sigma[1])},
                   {"cx", Number(sigma[2])},
                   {"cy", Number(sigma[3])},
                   {"distortion", List(sigma.tail<5>())}};
  return json;
}

Json PoseJson(const Pose& pose, const Eigen::VectorXd& sigma) {
  return {{"R", Rows(pose.R)},
          {"t", List(pose.t)},
          {"sigma", {{"rotation", List(sigma.head<3>())}, {"t", List(sigma.tail<3>())}}}};
}

Json ViewJson(const ViewReport& view) {
  return {{"left", view.left},
          {"right", view.right},
          {"used", view.used},
          {"reason", view.reason},
          {"rms_left_px", Number(view.rms_left_px)},
          {"rms_right_px", Number(view.rms_right_px)}};
}

Json QualityJson(const CalibrationQuality& quality) {
  return {{"views_used", quality.num_views},
          {"corners_rejected", quality.num_rejected_corners},
          {"coverage_left", quality.coverage_left},
          {"coverage_right", quality.coverage_right},
          {"tilt_range_deg", quality.tilt_range_deg},
          {"heldout_median_px", Number(quality.heldout_median_px)},
          {"heldout_p90_px", Number(quality.heldout_p90_px)}};
}

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

Camera ReadCamera(const Field& field) {
  Camera camera;
  const std::vector<Field> size = field["image_size"].Items(2);
  camera.width = size[0].Count();
  camera.height = size[1].Count();
  if (camera.width < 1 || camera.height < 1) field["image_size"].Throw("a positive size");
  const Eigen::Matrix3d k = field["K"].Matrix<3, 3>();
  if (!(k(0, 0) > 0.0) || !(k(1, 1) > 0.0)) field["K"].Throw("positive focal lengths");
  if (k(0, 1) != 0.0 || k(1, 0) != 0.0 || k.row(2) != Eigen::RowVector3d(0.0, 0.0, 1.0)) {
    field["K"].Throw("[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  }
  const std::vector<Field> distortion = field["distortion"].Items(5);
  camera.intrinsics = {k(0, 0), k(1, 1), k(0, 2), k(1, 2)};
  for (std::size_t d = 0; d < 5; ++d) camera.intrinsics[4 + d] = distortion[d].Finite();
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

CalibrationCovariance ReadCovariance(const Field& field) {
  CalibrationCovariance covariance =
      field.Matrix<kNumCalibrationParameters, kNumCalibrationParameters>();
  const Eigen::VectorXd sigma = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  for (int r = 0; r < kNumCalibrationParameters; ++r) {
    for (int c = 0; c <= r; ++c) {
      const double bound = sigma[r] * sigma[c];
      const bool symmetric = std::abs(covariance(r, c) - covariance(c, r)) <= 1e-9 * bound;
      const bool in_bound = std::abs(covariance(r, c)) <= bound * (1.0 + 1e-9);
      if (!symmetric || !in_bound || covariance(r, r) < 0.0) {
        field.Items()[static_cast<std::size_t>(r)].Items()[static_cast<std::size_t>(c)].Throw(
            "an entry of a symmetric matrix, not larger than its two sigmas multiplied");
      }
    }
  }
  return covariance;
}

}  // namespace

std::string CalibrationJson(const StereoCalibration& calibration,
                            const capture::Provenance& provenance) {
  const Eigen::VectorXd sigma = calibration.covariance.diagonal().cwiseSqrt();
  Json json;
  json["format"] = kFormat;
  json["program"] = "percuss " + capture::ProgramVersion();
  json["command"] = provenance.command;
  json["inputs"] = Json::array();
  for (const auto& [file, hash] : provenance.input_hashes) {
    json["inputs"].push_back({{"file", file}, {"sha256", hash}});
  }
  json["verdict"] = calibration.verdict;
  json["verdict_reasons"] = calibration.verdict_reasons;
  json["cameras"] = {
      {"left", CameraJson(calibration.left, sigma.head<kNumIntrinsics>())},
      {"right", CameraJson(calibration.right, sigma.segment<kNumIntrinsics>(kNumIntrinsics))}};
  json["right_from_left"] = PoseJson(calibration.right_from_left, sigma.segment<6>(kRig));
  json["world_from_left"] = PoseJson(calibration.world_from_left, sigma.segment<6>(kWorld));
  json["rms_px"] = Number(calibration.rms_px);
  json["rms_px_heldout"] = Number(calibration.rms_px_heldout);
  json["corner_sigma_px"] = Number(calibration.corner_sigma_px);
  json["corners"] = calibration.num_corners;
  json["quality"] = QualityJson(calibration.quality);
  json["views"] = Json::array();
  for (const ViewReport& view : calibration.views) json["views"].push_back(ViewJson(view));
  json["covariance_order"] =
      "left fx fy cx cy k1 k2 p1 p2 k3, right the same, right_from_left rotation (d with R = "
      "exp([d]x) R_estimated) and t, world_from_left rotation and t";
  json["covariance"] = Rows(calibration.covariance);
  return json.dump(1) + "\n";
}

void WriteCalibration(const StereoCalibration& calibration, const capture::Provenance& provenance,
                      const std::filesystem::path& file) {
  capture::WriteFileAtomically(file, CalibrationJson(calibration, provenance));
}

StereoCalibration ReadCalibration(const std::filesystem::path& file) {
  const std::string text = capture::ReadFile(file);
  Json json;
  try {
    json = Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(fmt::format("{}: byte {}: not valid JSON, allowed is a calibration file",
                                 file.string(), error.byte));
  }
  const Field root(file, "file", &json);
  if (root["format"].Text() != kFormat) root["format"].Throw(fmt::format("\"{}\"", kFormat));

  StereoCalibration calibration;
  calibration.left = ReadCamera(root["cameras"]["left"]);
  calibration.right = ReadCamera(root["cameras"]["right"]);
  calibration.right_from_left = ReadPose(root["right_from_left"]);
  calibration.world_from_left = ReadPose(root["world_from_left"]);
  calibration.covariance = ReadCovariance(root["covariance"]);
  calibration.rms_px = root["rms_px"].NumberOrNull();
  calibration.rms_px_heldout = root["rms_px_heldout"].NumberOrNull();
  calibration.corner_sigma_px = root["corner_sigma_px"].NumberOrNull();
  calibration.num_corners = root["corners"].Count();
  const Field quality = root["quality"];
  calibration.quality = {.num_views = quality["views_used"].Count(),
                         .num_rejected_corners = quality["corners_rejected"].Count(),
                         .coverage_left = quality["coverage_left"].Finite(),
                         .coverage_right = quality["coverage_right"].Finite(),
                         .tilt_range_deg = quality["tilt_range_deg"].Finite(),
                         .heldout_median_px = quality["heldout_median_px"].NumberOrNull(),
                         .heldout_p90_px = quality["heldout_p90_px"].NumberOrNull()};
  for (const Field& view : root["views"].Items()) {
    calibration.views.push_back({.left = view["left"].Text(),
                                 .right = view["right"].Text(),
                                 .used = view["used"].Flag(),
                                 .reason = view["reason"].Text(),
                                 .rms_left_px = view["rms_left_px"].NumberOrNull(),
                                 .rms_right_px = view["rms_right_px"].NumberOrNull()});
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
