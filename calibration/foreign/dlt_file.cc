// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "base/files/files.h"
#include "calibration/foreign/camera_fields.h"
#include "calibration/foreign/formats.h"
#include "calibration/foreign/lens_fit.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;
using Matrix34 = Eigen::Matrix<double, 3, 4>;
constexpr int kNumDlt = 11;
constexpr double kFirstPixel = 1.0;  // its centre, as MATLAB counts

using Table = std::vector<std::vector<double>>;

Table ReadTable(const fs::path& file) {
  Table rows;
  std::istringstream text(ReadFile(file));
  std::string content;
  for (int line = 1; std::getline(text, content); ++line) {
    for (char& c : content) {
      if (c == ',' || c == ';' || c == '\r') c = ' ';
    }
    std::istringstream words(content);
    std::vector<double> row;
    for (std::string word; words >> word;) {
      double value = 0.0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
        throw InputError(
            fmt::format("{}: line {}: found {}, allowed a number", file.string(), line, word));
      }
      row.push_back(value);
    }
    if (row.empty()) continue;
    if (!rows.empty() && row.size() != rows.front().size()) {
      throw InputError(fmt::format("{}: line {}: found {} numbers, allowed {} as in the first line",
                                   file.string(), line, row.size(), rows.front().size()));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// One column of eleven for each camera; a file of rows of eleven is turned.
Table CoefficientsOf(const fs::path& file) {
  Table rows = ReadTable(file);
  const std::size_t num_rows = rows.size(), num_columns = rows.empty() ? 0 : rows[0].size();
  if (num_rows != kNumDlt && num_columns == kNumDlt) return rows;
  if (num_rows != kNumDlt) {
    throw InputError(
        fmt::format("{}: found {} rows of {} numbers, allowed {} rows, a column for "
                    "each camera",
                    file.string(), num_rows, num_columns, kNumDlt));
  }
  Table cameras(num_columns, std::vector<double>(kNumDlt));
  for (std::size_t c = 0; c < num_columns; ++c) {
    for (int k = 0; k < kNumDlt; ++k) cameras[c][k] = rows[k][c];
  }
  return cameras;
}

/// Pixels of a raster over the picture as points of the camera at three depths about `depth`, and
/// the pixels that a skew would give them.
struct SkewedPoints {
  std::vector<Eigen::Vector3d> points;
  std::vector<Eigen::Vector2d> pixels;
};
SkewedPoints RasterWithSkew(const Camera& camera, double skew, double depth) {
  constexpr int kColumns = 9, kRows = 7;
  const auto& c = camera.intrinsics;
  const double width = camera.width > 0 ? camera.width : 2.0 * c[2],
               height = camera.height > 0 ? camera.height : 2.0 * c[3];
  SkewedPoints raster;
  for (const double share : {0.7, 1.0, 1.3}) {
    for (int k = 0; k < kColumns * kRows; ++k) {
      const Eigen::Vector2d pixel(width * (k % kColumns) / (kColumns - 1.0),
                                  height * (k / kColumns) / (kRows - 1.0));
      const double y = (pixel.y() - c[3]) / c[1];
      const double x = (pixel.x() - c[2] - skew * y) / c[0];
      raster.points.push_back(share * depth * Eigen::Vector3d(x, y, 1.0));
      raster.pixels.push_back(pixel);
    }
  }
  return raster;
}

/// P = K [R | t] up to its scale, which the frame's origin before the camera fixes. What is left of
/// a skew goes into the nearest camera without one.
void Decompose(const fs::path& file, const Matrix34& P, ForeignCamera* result,
               std::vector<std::string>* notes) {
  const JsonField where =
      JsonField::Parse(fmt::format("{}: {}", file.string(), result->name), "{}");
  const Eigen::RowVector3d m1 = P.block<1, 3>(0, 0), m2 = P.block<1, 3>(1, 0),
                           m3 = P.block<1, 3>(2, 0);
  const double scale = m3.norm();
  if (!(scale > 0.0)) where.Fail("L9 = L10 = L11 = 0", "a camera at a finite distance");
  const Eigen::RowVector3d r3 = m3 / scale;
  const double cx = m1.dot(r3) / scale, cy = m2.dot(r3) / scale;
  const Eigen::RowVector3d along_y = m2 / scale - cy * r3;
  const double fy = along_y.norm();
  const Eigen::RowVector3d r2 = along_y / fy;
  const double skew = m1.dot(r2) / scale;
  const Eigen::RowVector3d along_x = m1 / scale - skew * r2 - cx * r3;
  const double fx = along_x.norm();
  SetPinhole(where, fx, fy, cx, cy, &result->camera);
  Pose& pose = result->camera_from_frame;
  pose.R << along_x / fx, r2, r3;
  const Eigen::Vector3d p4 = P.col(3) / scale;
  const double y = (p4.y() - cy * p4.z()) / fy;
  pose.t = {(p4.x() - skew * y - cx * p4.z()) / fx, y, p4.z()};
  if (!pose.R.allFinite() || !pose.t.allFinite() || !(fx > 0.0))
    where.Fail("coefficients of no camera", "those of one");
  pose.R = RotationOf(where, pose.R);

  constexpr double kRounding = 1e-9, kWorst = 2.0;  // [px]
  const double height = result->camera.height > 0 ? result->camera.height : 2.0 * cy;
  if (std::abs(skew) * height <= kRounding * fy) return;
  const SkewedPoints raster = RasterWithSkew(result->camera, skew, pose.t.z());
  static constexpr int kFree[] = {0, 1, 2, 3};
  Pose turn;
  const double left = FitLens(raster.points, raster.pixels, kFree, true, &result->camera, &turn);
  if (!(left <= kWorst)) {
    where.Fail(fmt::format("a skew of {:.4g} px, which no camera without skew comes nearer than "
                           "{:.2g} px",
                           skew, left),
               fmt::format("at most {:g} px: calibrate with more points", kWorst));
  }
  pose = turn * pose;
  notes->push_back(fmt::format(
      "{}: the coefficients have a skew of {:.4g} px; the nearest camera without differs by up to "
      "{:.2g} px",
      result->name, skew, left));
}

}  // namespace

ForeignRig ReadDltRig(const Paths& files, const ForeignOptions& options) {
  ForeignRig rig{.format = "DLT"};
  for (const fs::path& file : files) {
    const Table cameras = CoefficientsOf(file);
    for (const std::vector<double>& L : cameras) {
      ForeignCamera& camera = rig.cameras.emplace_back();
      camera.name = fmt::format("cam{}", rig.cameras.size());
      if (options.size) {
        camera.camera.width = (*options.size)[0];
        camera.camera.height = (*options.size)[1];
      }
      Matrix34 P;
      P << L[0], L[1], L[2], L[3], L[4], L[5], L[6], L[7], L[8], L[9], L[10], 1.0;
      if (P.leftCols<3>().determinant() < 0.0) {  // y counts upwards
        if (!options.size) {
          throw InputError(fmt::format(
              "{}: {}: found y that counts upwards, allowed with the size of the pictures",
              file.string(), camera.name));
        }
        P.row(1) = (camera.camera.height + kFirstPixel) * P.row(2) - P.row(1);
      }
      P.topRows<2>() -= kFirstPixel * Eigen::Vector2d::Ones() * P.row(2);
      Decompose(file, P, &camera, &rig.notes);
    }
  }
  return rig;
}

std::string DltText(const ForeignRig& rig) {
  std::vector<Matrix34> cameras;
  for (const ForeignCamera& foreign : rig.cameras) {
    const auto& c = foreign.camera.intrinsics;
    Eigen::Matrix3d K;
    K << c[0], 0.0, c[2] + kFirstPixel, 0.0, c[1], c[3] + kFirstPixel, 0.0, 0.0, 1.0;
    Matrix34 pose;
    pose << foreign.camera_from_frame.R, foreign.camera_from_frame.t;
    if (!(pose(2, 3) > 0.0)) {
      throw std::invalid_argument(
          fmt::format("dlt: {}: found the origin behind the camera, allowed before it (its "
                      "coefficients are relative to that of the origin)",
                      foreign.name));
    }
    cameras.push_back(K * pose / pose(2, 3));
  }
  std::string text;
  for (int k = 0; k < kNumDlt; ++k) {
    for (std::size_t c = 0; c < cameras.size(); ++c)
      text += fmt::format("{}{}", c == 0 ? "" : ",", cameras[c](k / 4, k % 4));
    text += "\n";
  }
  return text;
}

}  // namespace percuss::calibration
