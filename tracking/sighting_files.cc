// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/sighting_files.h"

#include <nlohmann/json.hpp>

#include "base/text/json_field.h"
#include "base/text/json_text.h"

namespace percuss::tracking {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFormat = "percuss sightings 1";

template <class Vector>
Json ToJson(const Vector& vector) {
  Json list = Json::array();
  for (Eigen::Index i = 0; i < vector.size(); ++i) list.push_back(vector[i]);
  return list;
}

Json ToJson(const Eigen::Quaterniond& q) { return Json::array({q.w(), q.x(), q.y(), q.z()}); }

/// The lower triangle, row by row.
Json TriangleJson(const SightingMatrix& matrix) {
  Json list = Json::array();
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column <= row; ++column) list.push_back(matrix(row, column));
  }
  return list;
}

Json SightingJson(const Sighting& sighting) {
  Json json;
  if (const auto* pixel = std::get_if<MarkerObservation>(&sighting.observation)) {
    json["marker"] = pixel->marker;
    json["camera"] = pixel->side;
    json["pixel"] = ToJson(pixel->pixel);
  } else if (const auto* point = std::get_if<PointObservation>(&sighting.observation)) {
    json["marker"] = point->marker;
    json["position"] = ToJson(point->p_W);
  } else {
    const BodyPose& pose = std::get<PoseObservation>(sighting.observation).pose;
    json["position"] = ToJson(pose.p_WB);
    json["orientation"] = ToJson(pose.q_WB);
  }
  json["after_frame"] = sighting.after_frame;
  json["whitening"] = TriangleJson(sighting.whitening);
  json["weight"] = sighting.weight;
  return json;
}

Json ImpactJson(const FittedArcs& arcs) {
  const ArcUnknowns& x = arcs.solution;
  Json json = {{"guess_time", arcs.guess_time},
               {"variance", arcs.variance},
               {"planar", arcs.planar},
               {"unknowns", arcs.unknowns},
               {"clock_sigma", arcs.clock_sigma},  // null: unknown beforehand
               {"time", x.time},
               {"position", ToJson(x.before.p_WB)},
               {"orientation", ToJson(x.before.q_WB)},
               {"v", ToJson(x.before.v)},
               {"w", ToJson(x.before.w)},
               {"v_post", ToJson(x.v_post)},
               {"w_post", ToJson(x.w_post)},
               {"clock", x.clock},
               {"clock_rate", x.clock_rate},
               {"shared_offsets", Json::array()},
               {"frames", Json::array()}};
  for (const SharedOffset& offset : arcs.shared_offsets) {
    json["shared_offsets"].push_back(
        {{"sigma_px", offset.sigma_px}, {"correlation_time", offset.correlation_time}});
  }
  for (const ArcFrame& frame : arcs.frames) {
    Json sightings = Json::array();
    for (const Sighting& sighting : frame.sightings) sightings.push_back(SightingJson(sighting));
    json["frames"].push_back({{"frame", frame.frame},
                              {"time", frame.time},
                              {"arc", frame.arc},
                              {"sightings", std::move(sightings)}});
  }
  return json;
}

Eigen::Vector3d ReadVector(const JsonField& field) {
  const std::array<double, 3> values = field.Vector3();
  return {values[0], values[1], values[2]};
}

Eigen::Quaterniond ReadQuaternion(const JsonField& field) {
  const std::vector<JsonField> q = field.Elements(4);
  const Eigen::Quaterniond quaternion(q[0].FiniteNumber(), q[1].FiniteNumber(), q[2].FiniteNumber(),
                                      q[3].FiniteNumber());
  if (!(std::abs(quaternion.norm() - 1.0) < 1e-6)) field.Fail("a quaternion of length 1");
  return quaternion;
}

Sighting ReadSighting(const JsonField& field) {
  Sighting sighting;
  Eigen::Index size = 6;
  if (const auto pixel = field.Find("pixel")) {
    MarkerObservation observation;
    observation.marker = field.At("marker").Count();
    observation.side = field.At("camera").Count();
    const std::vector<JsonField> xy = pixel->Elements(2);
    observation.pixel = {xy[0].FiniteNumber(), xy[1].FiniteNumber()};
    sighting.observation = observation;
    size = 2;
  } else if (field.Find("orientation")) {
    PoseObservation observation;
    observation.pose = {ReadVector(field.At("position")), ReadQuaternion(field.At("orientation"))};
    sighting.observation = observation;
  } else {
    PointObservation observation;
    observation.marker = field.At("marker").Count();
    observation.p_W = ReadVector(field.At("position"));
    sighting.observation = observation;
    size = 3;
  }
  sighting.after_frame = field.At("after_frame").FiniteNumber();
  sighting.weight = field.At("weight").FiniteNumber();
  sighting.whitening = SightingMatrix::Zero(size, size);
  const std::vector<JsonField> triangle =
      field.At("whitening").Elements(static_cast<std::size_t>(size * (size + 1) / 2));
  auto entry = triangle.begin();
  for (Eigen::Index row = 0; row < size; ++row) {
    for (Eigen::Index column = 0; column <= row; ++column) {
      sighting.whitening(row, column) = (entry++)->FiniteNumber();
    }
  }
  return sighting;
}

ArcFrame ReadArcFrame(const JsonField& field) {
  ArcFrame frame;
  frame.frame = field.At("frame").Count();
  frame.time = field.At("time").FiniteNumber();
  frame.arc = field.At("arc").Count();
  if (frame.arc > 1) field.At("arc").Fail("0 (before) or 1 (after)");
  for (const JsonField& sighting : field.At("sightings").Elements()) {
    frame.sightings.push_back(ReadSighting(sighting));
  }
  return frame;
}

SharedOffset ReadSharedOffset(const JsonField& field) {
  const SharedOffset offset{field.At("sigma_px").FiniteNumber(),
                            field.At("correlation_time").FiniteNumber()};
  if (!(offset.sigma_px >= 0.0)) field.At("sigma_px").Fail("a number, 0 or above");
  if (!(offset.correlation_time > 0.0)) field.At("correlation_time").Fail("a positive number");
  return offset;
}

FittedArcs ReadImpact(const JsonField& field) {
  FittedArcs arcs;
  arcs.guess_time = field.At("guess_time").FiniteNumber();
  arcs.variance = field.At("variance").FiniteNumber();
  if (!(arcs.variance > 0.0)) field.At("variance").Fail("a positive number");
  arcs.planar = field.At("planar").Boolean();
  for (const JsonField& column : field.At("unknowns").Elements()) {
    arcs.unknowns.push_back(column.Count());
    if (arcs.unknowns.back() >= kNumArcColumns) column.Fail("the number of a column of the fit");
  }
  if (const auto sigma = field.Find("clock_sigma")) arcs.clock_sigma = sigma->Number();
  arcs.solution.time = field.At("time").FiniteNumber();
  arcs.solution.before = {ReadVector(field.At("position")), ReadQuaternion(field.At("orientation")),
                          ReadVector(field.At("v")), ReadVector(field.At("w"))};
  arcs.solution.v_post = ReadVector(field.At("v_post"));
  arcs.solution.w_post = ReadVector(field.At("w_post"));
  arcs.solution.clock = field.At("clock").FiniteNumber();
  arcs.solution.clock_rate = field.At("clock_rate").FiniteNumber();
  if (const auto offsets = field.Find("shared_offsets")) {
    for (const JsonField& offset : offsets->Elements())
      arcs.shared_offsets.push_back(ReadSharedOffset(offset));
  }
  for (const JsonField& frame : field.At("frames").Elements()) {
    arcs.frames.push_back(ReadArcFrame(frame));
  }
  return arcs;
}

}  // namespace

void WriteSightings(const std::vector<FittedArcs>& impacts, const Provenance& provenance,
                    const std::filesystem::path& file) {
  Json json = JsonHead(provenance.format, provenance);
  json["impacts"] = Json::array();
  for (const FittedArcs& arcs : impacts) json["impacts"].push_back(ImpactJson(arcs));
  WriteFileAtomically(file, JsonText(json, -1));
}

std::vector<FittedArcs> ReadSightings(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kFormat) root.At("format").Fail(kFormat);
  std::vector<FittedArcs> impacts;
  for (const JsonField& impact : root.At("impacts").Elements()) {
    impacts.push_back(ReadImpact(impact));
  }
  return impacts;
}

}  // namespace percuss::tracking
