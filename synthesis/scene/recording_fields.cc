// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/recording_fields.h"

#include <numbers>

namespace percuss::synthesis {

using Eigen::Vector3d;

void ReadNumber(const YamlField& field, const Range& range, double* value) {
  if (field.Given()) *value = field.Number(range);
}

void ReadDirection(const YamlField& field, const Range& range, Vector3d* direction) {
  ReadVector<3>(field, range, direction);
  if (!(direction->norm() > 0.0)) field.Throw("a direction, not zero");
  direction->normalize();
}

void ReadImageSize(const YamlField& field, std::array<int, 2>* size) {
  if (!field.Given()) return;
  static constexpr std::string_view kAllowed = "[width, height], even numbers from 64 to 8192";
  const std::vector<YamlField> items = field.Items(kAllowed);
  if (items.size() != 2) field.Throw(kAllowed);
  for (std::size_t i = 0; i < 2; ++i) {
    (*size)[i] = items[i].Integer(64, 8192);
    if ((*size)[i] % 2 != 0) items[i].Throw(kAllowed);
  }
}

void ReadCameraFields(const YamlField& field, const Range& place, CameraFields* fields) {
  if (!field.Given()) return;
  field.AllowKeys(
      {"position", "target", "roll_deg", "focal_length_px", "principal_point_px", "distortion"});
  ReadVector<3>(field["position"], place, &fields->position);
  ReadVector<3>(field["target"], place, &fields->target);
  ReadNumber(field["roll_deg"], {.lowest = -180.0, .highest = 180.0, .unit = "deg"},
             &fields->roll_deg);
  constexpr Range kFocal{.lowest = 10.0, .highest = 1e6, .unit = "px"};
  if (const YamlField focal = field["focal_length_px"]; focal.IsScalar()) {
    fields->focal_length.setConstant(focal.Number(kFocal));
  } else {
    ReadVector<2>(focal, kFocal, &fields->focal_length);
  }
  ReadVector<2>(field["principal_point_px"], {.lowest = -1e5, .highest = 1e5, .unit = "px"},
                &fields->principal_point);
  ReadVector<5>(field["distortion"], {.lowest = -10.0, .highest = 10.0}, &fields->distortion);
}

Camera CameraOf(const YamlField& field, const CameraFields& fields, const std::array<int, 2>& size,
                double margin) {
  if (!((fields.target - fields.position).head<2>().norm() > 1e-3))
    field["target"].Throw("a place that is not straight above or below the camera");
  Camera camera;
  camera.width = size[0];
  camera.height = size[1];
  camera.fx = fields.focal_length.x(), camera.fy = fields.focal_length.y();
  camera.cx = fields.principal_point.x(), camera.cy = fields.principal_point.y();
  const auto& lens = fields.distortion;
  camera.k1 = lens[0], camera.k2 = lens[1], camera.p1 = lens[2], camera.p2 = lens[3];
  camera.k3 = lens[4];
  camera.R_CW = LookAt(fields.position, fields.target, fields.roll_deg * std::numbers::pi / 180.0);
  camera.t_CW = -camera.R_CW * fields.position;
  for (const double x : {-0.5 - margin, camera.width - 0.5 + margin}) {
    for (const double y : {-0.5 - margin, camera.height - 0.5 + margin}) {
      if (!RayOf(camera, {x, y}))
        field["distortion"].Throw("a lens whose image fills the sensor to its corners");
    }
  }
  return camera;
}

void ReadTone(const YamlField& field, capture::Tone::Kind* tone) {
  if (!field.Given()) return;
  const std::string text = field.Text("srgb or linear");
  if (text != "srgb" && text != "linear") field.Throw("srgb or linear");
  *tone = text == "srgb" ? capture::Tone::Kind::kSrgb : capture::Tone::Kind::kLinear;
}

void ReadNoise(const YamlField& field, std::optional<NoiseSpec>* noise) {
  if (!field.Given()) return;
  if (!field.IsMap()) {
    static constexpr std::string_view kAllowed = "none, or a map with the keys full_well, read";
    if (field.Text(kAllowed) != "none") field.Throw(kAllowed);
    noise->reset();
    return;
  }
  field.AllowKeys({"full_well", "read"});
  if (!*noise) noise->emplace();
  ReadNumber(field["full_well"], {.lowest = 10.0, .highest = 1e9, .unit = "electrons"},
             &(*noise)->full_well);
  ReadNumber(field["read"], {.lowest = 0.0, .highest = 1e6, .unit = "electrons"}, &(*noise)->read);
}

void ReadCompression(const YamlField& field, std::optional<int>* crf) {
  if (!field.Given()) return;
  const std::string word = field.IsScalar() ? field.Text("lossless") : "";
  if (word == "lossless") {
    crf->reset();
    return;
  }
  if (word.empty() || word.find_first_not_of("0123456789") != std::string::npos)
    field.Throw("lossless, or a whole number from 1 (finest) to 51, the rate factor of H.264");
  *crf = field.Integer(1, 51);
}

}  // namespace percuss::synthesis
