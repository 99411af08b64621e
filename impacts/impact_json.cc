// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/Core>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/nan.h"
#include "base/text/json_field.h"
#include "base/text/json_text.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "impacts/impact_readers.h"

namespace percuss::impacts {
namespace {

using Json = nlohmann::ordered_json;

Json NumberJson(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json VectorJson(const Eigen::Ref<const Eigen::VectorXd>& vector) {
  Json json = Json::array();
  for (const double value : vector) json.push_back(NumberJson(value));
  return json;
}

Json MatrixJson(const Eigen::Ref<const Eigen::MatrixXd>& matrix) {
  Json json = Json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    json.push_back(VectorJson(matrix.row(row).transpose()));
  }
  return json;
}

// Reads fields of one JSON object; every complaint names file, place and field.
class JsonReader {
 public:
  JsonReader(std::string where, const Json& json) : where_(std::move(where)), json_(json) {
    if (!json_.is_object()) {
      throw InputError(fmt::format("{}: found {}, allowed an object", where_, json_.type_name()));
    }
  }

  bool Has(const char* field) const { return json_.contains(field) && !json_.at(field).is_null(); }

  const Json& At(const char* field) const {
    if (!json_.contains(field)) throw InputError(fmt::format("{}: {} is missing", where_, field));
    return json_.at(field);
  }

  std::string Text(const char* field) const {
    const Json& json = At(field);
    if (!json.is_string()) Complain(field, json.dump(), "a text");
    return json.get<std::string>();
  }

  double Number(const char* field) const { return ToNumber(field, At(field)); }

  Eigen::VectorXd Vector(const char* field, Eigen::Index size) const {
    const Json& json = At(field);
    if (!json.is_array() || static_cast<Eigen::Index>(json.size()) != size) {
      Complain(field, Shape(json), fmt::format("a list of {} numbers", size));
    }
    Eigen::VectorXd vector(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      vector[i] = ToNumber(field, json.at(static_cast<size_t>(i)));
    }
    return vector;
  }

  // columns < 0: as many as the first row has.
  Eigen::MatrixXd Matrix(const char* field, Eigen::Index rows, Eigen::Index columns) const {
    const Json& json = At(field);
    if (!json.is_array() || static_cast<Eigen::Index>(json.size()) != rows) {
      Complain(field, Shape(json), fmt::format("{} rows", rows));
    }
    if (columns < 0) {
      columns =
          rows > 0 && json.at(0).is_array() ? static_cast<Eigen::Index>(json.at(0).size()) : 0;
    }
    Eigen::MatrixXd matrix(rows, columns);
    for (Eigen::Index row = 0; row < rows; ++row) {
      const Json& values = json.at(static_cast<size_t>(row));
      if (!values.is_array() || static_cast<Eigen::Index>(values.size()) != columns) {
        Complain(field, fmt::format("row {} with {}", row + 1, Shape(values)),
                 fmt::format("{} numbers in each row", columns));
      }
      for (Eigen::Index column = 0; column < columns; ++column) {
        matrix(row, column) = ToNumber(field, values.at(static_cast<size_t>(column)));
      }
    }
    return matrix;
  }

  [[noreturn]] void Complain(const char* field, const std::string& found,
                             const std::string& allowed) const {
    throw InputError(fmt::format("{}: {}: found {}, allowed {}", where_, field, found, allowed));
  }

 private:
  static std::string Shape(const Json& json) {
    return json.is_array() ? fmt::format("a list of {}", json.size()) : json.dump();
  }

  double ToNumber(const char* field, const Json& json) const {
    if (json.is_null()) return kNaN;
    if (!json.is_number()) Complain(field, json.dump(), "a number");
    return json.get<double>();
  }

  std::string where_;
  const Json& json_;
};

Json RecordJson(const ImpactRecord& record) {
  Json json;
  json["trial"] = record.trial;
  json["time"] = NumberJson(record.time);
  json["time_sigma"] = NumberJson(record.time_sigma);
  json["position"] = VectorJson(record.p_WB);
  json["orientation"] = VectorJson(
      Eigen::Vector4d(record.q_WB.w(), record.q_WB.x(), record.q_WB.y(), record.q_WB.z()));
  json["contact_arm"] = VectorJson(record.r);
  json["contact_arm_sigma"] = VectorJson(record.r_sigma);
  json["normal"] = VectorJson(record.normal);
  json["gravity"] = VectorJson(record.gravity);
  json["v"] = VectorJson(record.v);
  json["w"] = VectorJson(record.w);
  json["v_post"] = VectorJson(record.v_post);
  json["w_post"] = VectorJson(record.w_post);
  if (record.covariance) json["covariance"] = MatrixJson(*record.covariance);
  if (record.calibration_sensitivity.size() > 0) {
    json["calibration_sensitivity"] = MatrixJson(record.calibration_sensitivity);
  }
  if (std::isfinite(record.pixel_noise_px)) json["pixel_noise_px"] = record.pixel_noise_px;
  json["warnings"] = record.warnings;
  if (!record.extra.empty()) json["extra"] = record.extra;
  return json;
}

void CheckVector(const std::string& where, const char* field, const Eigen::Vector3d& value,
                 double limit) {
  for (int axis = 0; axis < 3; ++axis) {
    CheckMagnitude(where, fmt::format("{}[{}]", field, axis), value[axis], limit);
  }
}

ImpactRecord ReadRecord(const std::string& where, const Json& json,
                        Eigen::Index calibration_parameters) {
  const JsonReader reader(where, json);
  ImpactRecord record;
  record.trial = reader.Text("trial");
  if (reader.Has("time")) record.time = reader.Number("time");
  if (reader.Has("time_sigma")) record.time_sigma = reader.Number("time_sigma");
  if (reader.Has("position")) record.p_WB = reader.Vector("position", 3);
  const Eigen::Vector4d q = reader.Vector("orientation", 4);
  record.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  record.r = reader.Vector("contact_arm", 3);
  if (reader.Has("contact_arm_sigma")) record.r_sigma = reader.Vector("contact_arm_sigma", 3);
  if (reader.Has("normal")) record.normal = reader.Vector("normal", 3);
  if (reader.Has("gravity")) record.gravity = reader.Vector("gravity", 3);
  record.v = reader.Vector("v", 3);
  record.w = reader.Vector("w", 3);
  record.v_post = reader.Vector("v_post", 3);
  record.w_post = reader.Vector("w_post", 3);
  CheckVector(where, "contact_arm", record.r, kMaxContactArm);
  CheckVector(where, "v", record.v, kMaxSpeed);
  CheckVector(where, "v_post", record.v_post, kMaxSpeed);
  CheckVector(where, "w", record.w, kMaxAngularVelocity);
  CheckVector(where, "w_post", record.w_post, kMaxAngularVelocity);
  if ((record.r_sigma.array() < 0.0).any()) {
    reader.Complain("contact_arm_sigma", fmt::format("{}", record.r_sigma.minCoeff()), "0 or more");
  }
  if (reader.Has("covariance")) {
    record.covariance = reader.Matrix("covariance", kImpactDimension, kImpactDimension);
    const double least = record.covariance->diagonal().minCoeff();
    if (least < 0.0)
      reader.Complain("covariance", fmt::format("a variance of {}", least), "0 or more");
  }
  if (reader.Has("calibration_sensitivity")) {
    record.calibration_sensitivity =
        reader.Matrix("calibration_sensitivity", kImpactDimension, calibration_parameters);
  }
  if (reader.Has("pixel_noise_px")) {
    record.pixel_noise_px = reader.Number("pixel_noise_px");
    if (!(record.pixel_noise_px > 0.0))
      reader.Complain("pixel_noise_px", fmt::format("{}", record.pixel_noise_px), "above 0");
  }
  if (reader.Has("warnings")) {
    for (const Json& warning : reader.At("warnings")) {
      if (!warning.is_string()) reader.Complain("warnings", warning.dump(), "a list of texts");
      record.warnings.push_back(warning.get<std::string>());
    }
  }
  if (reader.Has("extra")) {
    if (!reader.At("extra").is_object()) {
      reader.Complain("extra", reader.At("extra").dump(), "an object of texts");
    }
    for (const auto& [key, value] : reader.At("extra").items()) {
      if (!value.is_string()) reader.Complain("extra", value.dump(), "an object of texts");
      record.extra[key] = value.get<std::string>();
    }
  }
  CheckAndNormalize(where, record);
  return record;
}

}  // namespace

ImpactTable ReadImpactsJson(const std::filesystem::path& file) {
  const Json json = ParseJson(file.string(), ReadFile(file));
  const JsonReader reader(file.string(), json);
  const std::string format = reader.Text("format");
  if (format != kImpactFormat) reader.Complain("format", "\"" + format + "\"", kImpactFormat);
  ImpactTable table;
  if (reader.Has("calibration_covariance")) {
    const auto size = static_cast<Eigen::Index>(reader.At("calibration_covariance").size());
    table.calibration_covariance = reader.Matrix("calibration_covariance", size, size);
  }
  const Json& impacts = reader.At("impacts");
  if (!impacts.is_array() || impacts.empty()) {
    reader.Complain("impacts", impacts.is_array() ? "an empty list" : impacts.dump(),
                    "one impact or more");
  }
  std::set<std::string> names;
  for (size_t i = 0; i < impacts.size(); ++i) {
    const std::string where = fmt::format("{}: impact {}", file.string(), i + 1);
    const Eigen::Index parameters =
        table.calibration_covariance.size() > 0 ? table.calibration_covariance.rows() : -1;
    const Json& impact = impacts.at(i);
    AddImpact(
        where + ": trial", JsonReader(where, impact).Text("trial"),
        [&] { return ReadRecord(where, impact, parameters); }, &names, &table);
  }
  RequireUsableImpact(table);
  return table;
}

std::string ImpactsJson(const ImpactTable& table, const Provenance& provenance) {
  Json json;
  json["format"] = kImpactFormat;
  json["program"] = "percuss " + ProgramVersion();
  json["command"] = provenance.command;
  json["inputs"] = Json::array();
  for (const auto& [input, hash] : provenance.input_hashes) {
    json["inputs"].push_back({{"file", input}, {"sha256", hash}});
  }
  json["error_order"] = "position, rotation (small vector in world axes), v, w, v_post, w_post";
  json["impacts"] = Json::array();
  for (const ImpactRecord& record : table.impacts) json["impacts"].push_back(RecordJson(record));
  if (table.calibration_covariance.size() > 0) {
    json["calibration_covariance"] = MatrixJson(table.calibration_covariance);
  }
  return JsonText(json, 1);
}

void WriteImpactsJson(const ImpactTable& table, const Provenance& provenance,
                      const std::filesystem::path& file) {
  WriteFileAtomically(file, ImpactsJson(table, provenance));
}

}  // namespace percuss::impacts
