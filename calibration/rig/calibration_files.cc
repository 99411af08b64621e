// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/LU>
#include <cmath>

#include "base/error.h"
#include "base/text/json_schema.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {
namespace {

using Json = nlohmann::ordered_json;
using Cameras = std::vector<CalibratedCamera>;

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

template <int kRows, int kColumns>
Eigen::Matrix<double, kRows, kColumns> ReadMatrix(const JsonField& field) {
  Eigen::Matrix<double, kRows, kColumns> matrix;
  int r = 0;
  for (const JsonField& row : field.Elements(kRows)) {
    int c = 0;
    for (const JsonField& entry : row.Elements(kColumns)) matrix(r, c++) = entry.FiniteNumber();
    ++r;
  }
  return matrix;
}

Eigen::Vector3d ReadVector3(const JsonField& field) {
  Eigen::Vector3d vector;
  int k = 0;
  for (const JsonField& entry : field.Elements(3)) vector[k++] = entry.FiniteNumber();
  return vector;
}

LensModel ReadLens(const JsonField& field) {
  for (const capture::LensModelName& entry : capture::kLensModelNames) {
    if (field.Text() == entry.name) return entry.lens;
  }
  field.Fail("brown, rational or fisheye");
}

Camera ReadCamera(const JsonField& field) {
  Camera camera;
  const std::vector<JsonField> size = field.At("image_size").Elements(2);
  camera.width = size[0].Count();
  camera.height = size[1].Count();
  if (camera.width < 1 || camera.height < 1) field.At("image_size").Fail("a positive size");
  camera.lens = ReadLens(field.At("lens"));
  const Eigen::Matrix3d k = ReadMatrix<3, 3>(field.At("K"));
  if (!(k(0, 0) > 0.0) || !(k(1, 1) > 0.0)) field.At("K").Fail("positive focal lengths");
  if (k(0, 1) != 0.0 || k(1, 0) != 0.0 || k.row(2) != Eigen::RowVector3d(0.0, 0.0, 1.0)) {
    field.At("K").Fail("[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  }
  camera.intrinsics = {k(0, 0), k(1, 1), k(0, 2), k(1, 2)};
  std::size_t place = 4;
  for (const JsonField& entry :
       field.At("distortion").Elements(DistortionNames(camera.lens).size())) {
    camera.intrinsics[place++] = entry.FiniteNumber();
  }
  return camera;
}

Pose ReadPose(const JsonField& field) {
  Pose pose{.R = ReadMatrix<3, 3>(field.At("R")), .t = ReadVector3(field.At("t"))};
  constexpr double kTolerance = 1e-6;
  const Eigen::Matrix3d error = pose.R * pose.R.transpose() - Eigen::Matrix3d::Identity();
  if (error.cwiseAbs().maxCoeff() > kTolerance || pose.R.determinant() < 0.0) {
    field.At("R").Fail("a rotation matrix");
  }
  return pose;
}

// The rows and columns of the named parameters; those of all others are 0.
Eigen::MatrixXd ReadCovariance(const JsonField& field, const std::vector<std::string>& names) {
  const std::vector<int> places = NamedPlaces(names);
  const auto size = static_cast<Eigen::Index>(names.size());
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(size, size);
  std::size_t r = 0;
  for (const JsonField& row : field.Elements(places.size())) {
    std::size_t c = 0;
    for (const JsonField& entry : row.Elements(places.size())) {
      covariance(places[r], places[c++]) = entry.FiniteNumber();
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
        field.Elements()[a].Elements()[b].Fail(
            "an entry of a symmetric matrix, not larger than its two sigmas multiplied");
      }
    }
  }
  return covariance;
}

void CheckOrder(const JsonField& field, const std::vector<std::string>& names) {
  const std::vector<int> places = NamedPlaces(names);
  const std::vector<JsonField> items = field.Elements(places.size());
  for (std::size_t k = 0; k < places.size(); ++k) {
    const std::string& name = names[places[k]];
    if (items[k].Text() != name) items[k].Fail(fmt::format("\"{}\"", name));
  }
}

std::vector<CalibratedCamera> ReadCameras(const JsonField& root) {
  std::vector<CalibratedCamera> cameras;
  for (const auto& [name, camera] : root.At("cameras").Members()) {
    cameras.push_back({.name = name, .camera = ReadCamera(camera), .from_first = {}});
    const std::string& first = cameras.front().name;
    if (cameras.size() > 1) cameras.back().from_first = ReadPose(root.At(name + "_from_" + first));
  }
  if (cameras.empty()) root.At("cameras").Fail("at least one camera");
  return cameras;
}

void DescribeCount(auto& file, std::string_view key, auto& count) {
  file(key, count);
  file.Require(count >= 0, key, "a whole number that is not negative");
}

void DescribeView(auto& file, MaybeConst<ViewReport> auto& view, const Cameras& cameras) {
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads) view.images.resize(cameras.size());
  for (std::size_t c = 0; c < cameras.size(); ++c) file(cameras[c].name, view.images[c].file);
  file("used", view.used);
  file("reason", view.reason);
  for (std::size_t c = 0; c < cameras.size(); ++c) {
    auto& image = view.images[c];
    DescribeCount(file, "measured_" + cameras[c].name, image.num_measured);
    DescribeCount(file, "used_" + cameras[c].name, image.num_used);
    file(fmt::format("rms_{}_px", cameras[c].name), image.rms_px);
  }
  file.If(view.board.has_value(), "board", view.board);
  if (view.board) {
    file.Require(std::ranges::all_of(*view.board, [](const auto& p) { return p.allFinite(); }),
                 "board", "finite numbers");
  }
}

// None, or one per camera. The raster reaches from the centre of the first to that of the last
// pixel (RasterOf).
void DescribeMaps(auto& file, std::string_view key, MaybeConst<std::vector<ImageMap>> auto& maps,
                  const Cameras& cameras) {
  file.Group(key, [&](auto& group) {
    constexpr bool kReads = std::remove_cvref_t<decltype(file)>::kReads;
    if constexpr (kReads) {
      if (!group.Has(cameras.front().name)) return;
      for (const CalibratedCamera& camera : cameras) maps.push_back(RasterOf(camera.camera));
    }
    for (std::size_t c = 0; c < maps.size(); ++c) {
      group.Group(cameras[c].name, [&](auto& map) {
        int columns = maps[c].columns, rows = maps[c].rows;
        map("columns", columns);
        map("rows", rows);
        map.Require(columns == maps[c].columns && rows == maps[c].rows, "columns",
                    fmt::format("{} columns, {} rows", maps[c].columns, maps[c].rows));
        if constexpr (kReads) maps[c].values.clear();
        map("values", maps[c].values);
        map.Require(maps[c].values.size() == maps[c].pixels.size(), "values",
                    fmt::format("a list of {}", maps[c].pixels.size()));
      });
    }
  });
}

void DescribePattern(auto& file, MaybeConst<PatternSummary> auto& pattern, const Cameras& cameras) {
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads) {
    const std::size_t num_tested = file.Has(cameras.front().name) ? cameras.size() : 0;
    pattern.image_rms_px.resize(num_tested);
    pattern.radius_rms_px.resize(num_tested);
  }
  for (std::size_t c = 0; c < pattern.image_rms_px.size(); ++c) {
    file.Group(cameras[c].name, [&](auto& group) {
      group("image_rms_px", pattern.image_rms_px[c]);
      group("radius_rms_px", pattern.radius_rms_px[c]);
    });
  }
  file("print_rms", pattern.print_rms);
  file("bend_rms", pattern.bend_rms);
  file("neighbour_correlation", pattern.neighbour_correlation);
  file("findings", pattern.findings);
}

void DescribeQuality(auto& file, MaybeConst<CalibrationQuality> auto& quality,
                     const Cameras& cameras) {
  DescribeCount(file, "views_used", quality.num_views);
  DescribeCount(file, "corners_rejected", quality.num_rejected_corners);
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads)
    quality.coverage.resize(cameras.size());
  for (std::size_t c = 0; c < cameras.size(); ++c)
    file.Finite("coverage_" + cameras[c].name, quality.coverage[c]);
  file.Finite("tilt_range_deg", quality.tilt_range_deg);
  file("heldout_median_px", quality.held_out.median_px);
  file("heldout_p90_px", quality.held_out.p90_px);
  file.Group("predicted", [&](auto& group) {
    group("point_sigma_median", quality.predicted.point_sigma_median);
    group("point_sigma_worst", quality.predicted.point_sigma_worst);
    group.Group("volume", [&](auto& volume) {
      volume.Finite("lowest", quality.predicted.volume_lowest);
      volume.Finite("highest", quality.predicted.volume_highest);
    });
    DescribeMaps(group, "projection_sigma_px", quality.predicted.projection_sigma_px, cameras);
  });
  file.Group("halves", [&](auto& group) {
    group("rms_px", quality.half_split.rms_px);
    group("predicted_rms_px", quality.half_split.predicted_rms_px);
    DescribeMaps(group, "difference_px", quality.half_split.difference_px, cameras);
  });
  file.Group("pattern", [&](auto& group) { DescribePattern(group, quality.pattern, cameras); });
  file.Group("next_view", [&](auto& group) {
    group("text", quality.next_view.text);
    group.Finite("sigma_ratio", quality.next_view.sigma_ratio);
  });
}

void DescribeVerdict(auto& file, MaybeConst<RigCalibration> auto& calibration) {
  file("verdict", calibration.verdict);
  file.Require(calibration.verdict == "ok" || calibration.verdict == "poor", "verdict",
               R"("ok" or "poor")");
  file("verdict_reasons", calibration.verdict_reasons);
  file.If(!calibration.source.empty(), "source", calibration.source);
  file.If(!calibration.notes.empty(), "notes", calibration.notes);
}

}  // namespace

void Describe(auto& file, MaybeConst<BoardEstimate> auto& board) {
  file.Finite("scale", board.shape.scale);
  file.Finite("warp", board.shape.warp);
  file.Group("sigma", [&](auto& sigma) {
    sigma.Finite("scale", board.scale_sigma);
    sigma.Finite("warp", board.warp_sigma);
  });
}

void Describe(auto& file, MaybeConst<ThesisComparison::Row> auto& row) {
  file("quantity", row.quantity);
  file("thesis", row.thesis);
  file("joint", row.joint);
}

void Describe(auto& file, MaybeConst<ThesisComparison> auto& thesis) {
  file("reason", thesis.reason);
  file("comparison", thesis.rows);
  file("tables", thesis.tables);
}

void Describe(auto& file, MaybeConst<SurfacePlane> auto& surface) {
  file("name", surface.name);
  file("reason", surface.reason);
  file.Finite("normal", surface.normal);
  file.Finite("point", surface.point);
  file.Finite("tilt_covariance", surface.tilt_covariance);
  std::array<Eigen::VectorXd, 3> rows;
  for (Eigen::Index i = 0; i < surface.tilt_by_rig.rows(); ++i)
    rows[i] = surface.tilt_by_rig.row(i);
  file("tilt_by_calibration", rows);
  if constexpr (std::remove_cvref_t<decltype(file)>::kReads) {
    const Eigen::Index columns = rows[0].size();
    file.Require(rows[1].size() == columns && rows[2].size() == columns, "tilt_by_calibration",
                 "three lists of one length");
    surface.tilt_by_rig.resize(3, columns);
    for (Eigen::Index i = 0; i < 3; ++i) surface.tilt_by_rig.row(i) = rows[i];
    if (columns == 0) surface.tilt_by_rig.resize(0, 0);
  }
}

namespace {

// What stands between the cameras and the covariance.
void DescribeResults(auto& file, MaybeConst<RigCalibration> auto& calibration) {
  file("board", calibration.board);
  file.If(!calibration.surfaces.empty(), "surfaces", calibration.surfaces);
  file("rms_px", calibration.rms_px);
  file("rms_px_heldout", calibration.quality.held_out.rms_px);
  file("corner_sigma_px", calibration.corner_sigma_px);
  DescribeCount(file, "corners", calibration.num_corners);
  file.Group("quality", [&](auto& group) {
    DescribeQuality(group, calibration.quality, calibration.cameras);
  });
  file("thesis_chain", calibration.thesis);
}

}  // namespace

std::string CalibrationJson(const RigCalibration& calibration, const Provenance& provenance) {
  const Eigen::VectorXd sigma = calibration.covariance.diagonal().cwiseSqrt();
  const ParameterPlaces places = calibration.Places();
  const std::vector<std::string> names = ParameterNames(calibration);
  const std::vector<int> named = NamedPlaces(names);
  return JsonDocument(JsonHead(kCalibrationFormat, provenance), 1, [&](JsonWriter& file) {
    DescribeVerdict(file, calibration);
    const std::string& first = calibration.cameras.front().name;
    file.Group("cameras", [&](JsonWriter& cameras) {
      for (int c = 0; c < places.num_cameras; ++c) {
        const CalibratedCamera& camera = calibration.cameras[c];
        cameras(camera.name,
                CameraJson(camera.camera, sigma.segment<kNumIntrinsics>(places.Intrinsics(c))));
      }
    });
    for (int c = 1; c < places.num_cameras; ++c) {
      const CalibratedCamera& camera = calibration.cameras[c];
      file(fmt::format("{}_from_{}", camera.name, first),
           PoseJson(camera.from_first, sigma.segment<6>(places.CameraPose(c))));
    }
    if (places.num_cameras == 1) file("planar", calibration.planar);
    file("world_from_" + first,
         PoseJson(calibration.world_from_first, sigma.segment<6>(places.World())));
    DescribeResults(file, calibration);
    file.List("views", calibration.views, [&](JsonWriter& one, const ViewReport& view) {
      DescribeView(one, view, calibration.cameras);
    });
    std::vector<std::string> order;
    for (const int place : named) order.push_back(names[place]);
    file("covariance_order", order);
    file("covariance", Eigen::MatrixXd(calibration.covariance(named, named)));
  });
}

void WriteCalibration(const RigCalibration& calibration, const Provenance& provenance,
                      const std::filesystem::path& file) {
  WriteFileAtomically(file, CalibrationJson(calibration, provenance));
}

RigCalibration ReadCalibration(const std::filesystem::path& file) {
  const JsonField root = JsonField::ReadFile(file);
  if (root.At("format").Text() != kCalibrationFormat) {
    root.At("format").Fail(fmt::format("\"{}\"", kCalibrationFormat));
  }

  RigCalibration calibration;
  calibration.cameras = ReadCameras(root);
  // Files that do not say it are of times when one camera was for motion in a plane.
  calibration.planar =
      calibration.cameras.size() == 1 && (!root.Find("planar") || root.At("planar").Boolean());
  calibration.world_from_first =
      ReadPose(root.At("world_from_" + calibration.cameras.front().name));
  const std::vector<std::string> names = ParameterNames(calibration);
  CheckOrder(root.At("covariance_order"), names);
  calibration.covariance = ReadCovariance(root.At("covariance"), names);
  JsonReader reader(root);
  DescribeResults(reader, calibration);
  const int num_parameters = NumRigParameters(calibration.Places().num_cameras);
  for (const SurfacePlane& surface : calibration.surfaces) {
    const bool fits =
        surface.tilt_by_rig.cols() == num_parameters && surface.tilt_by_rig.allFinite();
    reader.Require(fits || !surface.reason.empty(), "surfaces",
                   fmt::format("tilt_by_calibration of three lists of {} numbers", num_parameters));
    reader.Require(std::abs(surface.normal.norm() - 1.0) < 1e-6, "surfaces", "normals of length 1");
  }
  for (const JsonField& field : root.At("views").Elements()) {
    JsonReader view(field);
    DescribeView(view, calibration.views.emplace_back(), calibration.cameras);
  }
  DescribeVerdict(reader, calibration);
  return calibration;
}

}  // namespace percuss::calibration
