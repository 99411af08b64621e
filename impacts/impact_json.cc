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
#include "base/text/json_stream.h"
#include "base/text/json_text.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "impacts/impact_readers.h"

namespace percuss::impacts {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kImpacts = "impacts";

JsonField Needed(const JsonField& object, const char* key) {
  if (!object.IsObject()) object.Fail("an object");
  const JsonField field = object[key];
  if (!field.Given()) throw InputError(fmt::format("{}{} is missing", object.Where(), key));
  return field;
}

std::vector<JsonField> Items(const JsonField& list, Eigen::Index count, const char* what) {
  if (!list.IsArray()) list.Fail(fmt::format(fmt::runtime(what), count));
  std::vector<JsonField> items = list.Elements();
  if (std::ssize(items) == count) return items;
  list.Fail(fmt::format("a list of {}", items.size()), fmt::format(fmt::runtime(what), count));
}

Eigen::VectorXd ReadVector(const JsonField& list, Eigen::Index size) {
  Eigen::VectorXd vector(size);
  Eigen::Index i = 0;
  for (const JsonField& item : Items(list, size, "a list of {} numbers"))
    vector[i++] = item.Number();
  return vector;
}

// columns < 0: as many as the first row has.
Eigen::MatrixXd ReadMatrix(const JsonField& list, Eigen::Index num_rows, Eigen::Index columns) {
  const std::vector<JsonField> rows = Items(list, num_rows, "{} rows");
  if (columns < 0) columns = rows.empty() ? 0 : std::ssize(rows.front().Elements());
  Eigen::MatrixXd matrix(num_rows, columns);
  for (Eigen::Index row = 0; row < num_rows; ++row) {
    matrix.row(row) = ReadVector(rows[row], columns).transpose();
  }
  return matrix;
}

Json RecordJson(const ImpactRecord& record) {
  Json json;
  json["trial"] = record.trial;
  json["time"] = record.time;
  json["time_sigma"] = record.time_sigma;
  json["position"] = JsonList(record.p_WB);
  json["orientation"] =
      JsonList(Eigen::Vector4d(record.q_WB.w(), record.q_WB.x(), record.q_WB.y(), record.q_WB.z()));
  json["contact_arm"] = JsonList(record.r);
  json["contact_arm_sigma"] = JsonList(record.r_sigma);
  json["normal"] = JsonList(record.normal);
  json["gravity"] = JsonList(record.gravity);
  json["v"] = JsonList(record.v);
  json["w"] = JsonList(record.w);
  json["v_post"] = JsonList(record.v_post);
  json["w_post"] = JsonList(record.w_post);
  if (record.covariance) json["covariance"] = JsonRows(*record.covariance);
  if (record.calibration_sensitivity.size() > 0) {
    json["calibration_sensitivity"] = JsonRows(record.calibration_sensitivity);
  }
  if (record.body_sensitivity.size() > 0)
    json["body_sensitivity"] = JsonRows(record.body_sensitivity);
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

ImpactRecord ReadRecord(const std::string& where, const JsonField& impact,
                        Eigen::Index calibration_parameters) {
  ImpactRecord record;
  const auto read_vector = [&](const char* key, bool needed, Eigen::Vector3d& vector) {
    if (needed || impact.Find(key)) vector = ReadVector(Needed(impact, key), 3);
  };
  record.trial = Needed(impact, "trial").Text();
  record.time = impact.NumberOr("time", record.time);
  record.time_sigma = impact.NumberOr("time_sigma", record.time_sigma);
  read_vector("position", false, record.p_WB);
  const Eigen::Vector4d q = ReadVector(Needed(impact, "orientation"), 4);
  record.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  read_vector("contact_arm", true, record.r);
  read_vector("contact_arm_sigma", false, record.r_sigma);
  read_vector("normal", false, record.normal);
  read_vector("gravity", false, record.gravity);
  read_vector("v", true, record.v);
  read_vector("w", true, record.w);
  read_vector("v_post", true, record.v_post);
  read_vector("w_post", true, record.w_post);
  CheckVector(where, "contact_arm", record.r, kMaxContactArm);
  CheckVector(where, "v", record.v, kMaxSpeed);
  CheckVector(where, "v_post", record.v_post, kMaxSpeed);
  CheckVector(where, "w", record.w, kMaxAngularVelocity);
  CheckVector(where, "w_post", record.w_post, kMaxAngularVelocity);
  if ((record.r_sigma.array() < 0.0).any()) {
    impact["contact_arm_sigma"].Fail(fmt::format("{}", record.r_sigma.minCoeff()), "0 or more");
  }
  if (const auto covariance = impact.Find("covariance")) {
    record.covariance = ReadMatrix(*covariance, kImpactDimension, kImpactDimension);
    const double least = record.covariance->diagonal().minCoeff();
    if (least < 0.0) covariance->Fail(fmt::format("a variance of {}", least), "0 or more");
  }
  if (const auto sensitivity = impact.Find("calibration_sensitivity")) {
    record.calibration_sensitivity =
        ReadMatrix(*sensitivity, kImpactDimension, calibration_parameters);
  }
  if (const auto sensitivity = impact.Find("body_sensitivity"))
    record.body_sensitivity = ReadMatrix(*sensitivity, kBodyDimension, calibration_parameters);
  if (const auto noise = impact.Find("pixel_noise_px")) {
    record.pixel_noise_px = noise->Number();
    if (!(record.pixel_noise_px > 0.0)) noise->Fail("above 0");
  }
  record.warnings = impact.TextsOrNone("warnings");
  if (const auto extra = impact.Find("extra")) {
    for (const auto& [key, value] : extra->Members()) record.extra[key] = value.Text();
  }
  CheckAndNormalize(where, record);
  return record;
}

Json SourceJson(const SharedSource& source) {
  Json json = {{"name", source.name}};
  if (!std::isnan(source.size)) json["size"] = source.size;
  json["unit"] = source.unit;
  json["stated"] = source.stated;
  json["root"] = JsonRows(source.root);
  return json;
}

SharedSource ReadSource(const JsonField& json, Eigen::Index parameters) {
  return {.name = Needed(json, "name").Text(),
          .size = json.NumberOr("size", kNaN),
          .unit = json.TextOr("unit", ""),
          .stated = Needed(json, "stated").Boolean(),
          .root = ReadMatrix(Needed(json, "root"), parameters, -1)};
}

}  // namespace

ImpactTable ReadImpactsJson(const std::filesystem::path& file) {
  const JsonField json = ReadFileWithout(file, kImpacts);
  const JsonField format = Needed(json, "format");
  if (format.Text() != kImpactFormat) format.Fail(kImpactFormat);
  ImpactTable table;
  if (const auto covariance = json.Find("calibration_covariance")) {
    const Eigen::Index size = std::ssize(covariance->Elements());
    table.calibration_covariance = ReadMatrix(*covariance, size, size);
    if (const auto sources = json.Find("sources")) {
      for (const JsonField& source : sources->Elements())
        table.sources.push_back(ReadSource(source, size));
    }
  }
  if (const auto inertia = json.Find("inertia")) table.inertia = ReadMatrix(*inertia, 3, 3);
  const Eigen::Index parameters =
      table.calibration_covariance.size() > 0 ? table.calibration_covariance.rows() : -1;
  Needed(json, kImpacts).Elements();
  std::set<std::string> names;
  ForEachElement(file, kImpacts, [&](std::size_t place, const JsonField& element) {
    const std::string where = fmt::format("{}: impact {}", file.string(), place + 1);
    const JsonField impact = element.Named(where);
    AddImpact(
        where + ": trial", Needed(impact, "trial").Text(),
        [&] { return ReadRecord(where, impact, parameters); }, &names, &table);
  });
  if (table.impacts.empty()) json[kImpacts].Fail("an empty list", "one impact or more");
  RequireUsableImpact(table);
  return table;
}

void WriteImpactsJson(const ImpactTable& table, const Provenance& provenance,
                      const std::filesystem::path& file) {
  AtomicFile written(file);
  JsonStream json([&](std::string_view text) { written.Write(text); });
  json.BeginObject();
  json.Fields(JsonHead(kImpactFormat, provenance));
  json.Field("error_order",
             "position, rotation (small vector in world axes), v, w, v_post, w_post");
  json.Key(kImpacts);
  json.BeginList();
  for (const ImpactRecord& record : table.impacts) json.Value(RecordJson(record));
  json.EndList();
  if (table.calibration_covariance.size() > 0) {
    json.Field("calibration_covariance", JsonRows(table.calibration_covariance));
    Json sources = Json::array();
    for (const SharedSource& source : table.sources) sources.push_back(SourceJson(source));
    if (!sources.empty()) json.Field("sources", sources);
  }
  if (table.inertia) json.Field("inertia", JsonRows(*table.inertia));
  json.EndObject();
  json.End();
  written.Commit();
}

}  // namespace percuss::impacts
