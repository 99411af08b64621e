// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/json_text.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {
namespace {

using Json = nlohmann::ordered_json;

Json CameraJson(const Camera& camera, const Eigen::VectorXd& sigma) {
  const auto& c = camera.intrinsics;
  const auto num_distortion = static_cast<std::ptrdiff_t>(DistortionNames(camera.lens).size());
  Json json;
  json["image_size"] = {camera.width, camera.height};
  json["lens"] = capture::Name(camera.lens);
  json["K"] = {{c[0], 0.0, c[2]}, {0.0, c[1], c[3]}, {0.0, 0.0, 1.0}};
  json["distortion"] = std::vector<double>(c.begin() + 4, c.begin() + 4 + num_distortion);
  json["sigma"] = {{"fx", sigma[0]},
                   {"fy", sigma[1]},
                   {"cx", sigma[2]},
                   {"cy", sigma[3]},
                   {"distortion", JsonList(sigma.segment(4, num_distortion))}};
  return json;
}

Json PoseJson(const Pose& pose, const Eigen::VectorXd& sigma) {
  return {{"R", JsonRows(pose.R)},
          {"t", JsonList(pose.t)},
          {"sigma", {{"rotation", JsonList(sigma.head<3>())}, {"t", JsonList(sigma.tail<3>())}}}};
}

Json ViewJson(const ViewReport& view, const std::vector<CalibratedCamera>& cameras) {
  Json json;
  for (std::size_t c = 0; c < cameras.size(); ++c) json[cameras[c].name] = view.images[c].file;
  json["used"] = view.used;
  json["reason"] = view.reason;
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    const ViewImageReport& image = view.images[c];
    json["measured_" + cameras[c].name] = image.num_measured;
    json["used_" + cameras[c].name] = image.num_used;
    json[fmt::format("rms_{}_px", cameras[c].name)] = image.rms_px;
  }
  return json;
}

Json NumberList(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(value);
  return list;
}

// The raster reaches from the centre of the first to that of the last pixel (RasterOf).
Json MapsJson(const std::vector<ImageMap>& maps, const std::vector<CalibratedCamera>& cameras) {
  Json json = Json::object();
  for (std::size_t c = 0; c < maps.size(); ++c) {
    json[cameras[c].name] = {{"columns", maps[c].columns},
                             {"rows", maps[c].rows},
                             {"values", NumberList(maps[c].values)}};
  }
  return json;
}

Json PredictedJson(const PredictedError& predicted, const std::vector<CalibratedCamera>& cameras) {
  return {{"point_sigma_median", predicted.point_sigma_median},
          {"point_sigma_worst", predicted.point_sigma_worst},
          {"volume",
           {{"lowest", JsonList(predicted.volume_lowest)},
            {"highest", JsonList(predicted.volume_highest)}}},
          {"projection_sigma_px", MapsJson(predicted.projection_sigma_px, cameras)}};
}

Json HalvesJson(const HalfSplit& halves, const std::vector<CalibratedCamera>& cameras) {
  return {{"rms_px", halves.rms_px},
          {"predicted_rms_px", halves.predicted_rms_px},
          {"difference_px", MapsJson(halves.difference_px, cameras)}};
}

Json PatternJson(const PatternSummary& pattern, const std::vector<CalibratedCamera>& cameras) {
  Json json = Json::object();
  for (std::size_t c = 0; c < pattern.image_rms_px.size(); ++c) {
    json[cameras[c].name] = {{"image_rms_px", pattern.image_rms_px[c]},
                             {"radius_rms_px", pattern.radius_rms_px[c]}};
  }
  json["print_rms"] = pattern.print_rms;
  json["bend_rms"] = pattern.bend_rms;
  json["neighbour_correlation"] = pattern.neighbour_correlation;
  json["findings"] = pattern.findings;
  return json;
}

Json QualityJson(const CalibrationQuality& quality, const std::vector<CalibratedCamera>& cameras) {
  Json json = {{"views_used", quality.num_views},
               {"corners_rejected", quality.num_rejected_corners}};
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    json["coverage_" + cameras[c].name] = quality.coverage[c];
  }
  json["tilt_range_deg"] = quality.tilt_range_deg;
  json["heldout_median_px"] = quality.held_out.median_px;
  json["heldout_p90_px"] = quality.held_out.p90_px;
  json["predicted"] = PredictedJson(quality.predicted, cameras);
  json["halves"] = HalvesJson(quality.half_split, cameras);
  json["pattern"] = PatternJson(quality.pattern, cameras);
  json["next_view"] = {{"text", quality.next_view.text},
                       {"sigma_ratio", quality.next_view.sigma_ratio}};
  return json;
}

Json BoardJson(const BoardEstimate& board) {
  return {{"scale", board.shape.scale},
          {"warp", JsonList(board.shape.warp)},
          {"sigma", {{"scale", board.scale_sigma}, {"warp", JsonList(board.warp_sigma)}}}};
}

Json ThesisJson(const ThesisComparison& thesis) {
  Json json = {{"reason", thesis.reason}, {"comparison", Json::array()}, {"tables", thesis.tables}};
  for (const ThesisComparison::Row& row : thesis.rows) {
    json["comparison"].push_back(
        {{"quantity", row.quantity}, {"thesis", row.thesis}, {"joint", row.joint}});
  }
  return json;
}

}  // namespace

std::string CalibrationJson(const RigCalibration& calibration, const Provenance& provenance) {
  const Eigen::VectorXd sigma = calibration.covariance.diagonal().cwiseSqrt();
  const ParameterPlaces places = calibration.Places();
  const std::vector<std::string> names = ParameterNames(calibration);
  const std::vector<int> named = NamedPlaces(names);
  Json json = JsonHead(kCalibrationFormat, provenance);
  json["verdict"] = calibration.verdict;
  json["verdict_reasons"] = calibration.verdict_reasons;
  const std::string& first = calibration.cameras.front().name;
  for (int c = 0; c < places.num_cameras; ++c) {
    const CalibratedCamera& camera = calibration.cameras[c];
    json["cameras"][camera.name] =
        CameraJson(camera.camera, sigma.segment<kNumIntrinsics>(places.Intrinsics(c)));
  }
  for (int c = 1; c < places.num_cameras; ++c) {
    const CalibratedCamera& camera = calibration.cameras[c];
    json[fmt::format("{}_from_{}", camera.name, first)] =
        PoseJson(camera.from_first, sigma.segment<6>(places.CameraPose(c)));
  }
  json["world_from_" + first] =
      PoseJson(calibration.world_from_first, sigma.segment<6>(places.World()));
  json["board"] = BoardJson(calibration.board);
  json["rms_px"] = calibration.rms_px;
  json["rms_px_heldout"] = calibration.quality.held_out.rms_px;
  json["corner_sigma_px"] = calibration.corner_sigma_px;
  json["corners"] = calibration.num_corners;
  json["quality"] = QualityJson(calibration.quality, calibration.cameras);
  json["thesis_chain"] = ThesisJson(calibration.thesis);
  json["views"] = Json::array();
  for (const ViewReport& view : calibration.views) {
    json["views"].push_back(ViewJson(view, calibration.cameras));
  }
  json["covariance_order"] = Json::array();
  for (const int place : named) {
    json["covariance_order"].push_back(names[place]);
  }
  json["covariance"] = JsonRows(Eigen::MatrixXd(calibration.covariance(named, named)));
  return JsonText(json, 1);
}

void WriteCalibration(const RigCalibration& calibration, const Provenance& provenance,
                      const std::filesystem::path& file) {
  WriteFileAtomically(file, CalibrationJson(calibration, provenance));
}

}  // namespace percuss::calibration
