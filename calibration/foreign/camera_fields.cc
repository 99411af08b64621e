// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/foreign/camera_fields.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

#include "base/math/geometry.h"

namespace percuss::calibration {

std::vector<double> FlatNumbers(const JsonField& field) {
  std::vector<double> numbers;
  if (!field.IsArray()) return {field.FiniteNumber()};
  for (const JsonField& entry : field.Elements()) {
    if (!entry.IsArray()) {
      numbers.push_back(entry.FiniteNumber());
      continue;
    }
    for (const JsonField& inner : entry.Elements()) numbers.push_back(inner.FiniteNumber());
  }
  return numbers;
}

Eigen::MatrixXd MatrixOf(const JsonField& field, int rows, int columns) {
  const std::vector<double> numbers = FlatNumbers(field);
  if (std::ssize(numbers) != rows * columns) {
    field.Fail(fmt::format("{} numbers", numbers.size()),
               fmt::format("{} x {} numbers", rows, columns));
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(numbers.data(), rows, columns);
}

Eigen::Vector3d Vector3Of(const JsonField& field) { return MatrixOf(field, 3, 1); }

void SetPinhole(const JsonField& field, double fx, double fy, double cx, double cy,
                Camera* camera) {
  constexpr double kLargest = 1e6;  // [px]; far above any lens
  for (const double focal : {fx, fy}) {
    if (!(focal > 0.0 && focal <= kLargest)) {
      field.Fail(fmt::format("a focal length of {}", focal),
                 fmt::format("focal lengths above 0 and at most {:g} px", kLargest));
    }
  }
  for (const double centre : {cx, cy}) {
    if (!(std::abs(centre) <= kLargest)) {
      field.Fail(fmt::format("a principal point at {}", centre),
                 fmt::format("one within {:g} px", kLargest));
    }
  }
  camera->intrinsics[0] = fx;
  camera->intrinsics[1] = fy;
  camera->intrinsics[2] = cx;
  camera->intrinsics[3] = cy;
}

void SetPinhole(const JsonField& field, const Eigen::Matrix3d& K, Camera* camera) {
  if (K(0, 1) != 0.0)
    field.Fail(fmt::format("a skew of {}", K(0, 1)), "a camera matrix without skew");
  if (K(1, 0) != 0.0 || K(2, 0) != 0.0 || K(2, 1) != 0.0 || K(2, 2) != 1.0)
    field.Fail("[[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  SetPinhole(field, K(0, 0), K(1, 1), K(0, 2), K(1, 2), camera);
}

void SetDistortion(const JsonField& field, const std::vector<double>& coefficients, bool fisheye,
                   Camera* camera) {
  static constexpr std::string_view kNames[] = {"s1", "s2", "s3", "s4", "tau_x", "tau_y"};
  const std::size_t size = coefficients.size();
  const auto place = camera->intrinsics.begin() + 4;
  std::fill(place, camera->intrinsics.end(), 0.0);
  if (fisheye) {
    if (size != 4 && size != 0) {
      field.Fail(fmt::format("{} coefficients of a fisheye lens", size), "4: k1 k2 k3 k4");
    }
    camera->lens = LensModel::kFisheye;
    std::copy(coefficients.begin(), coefficients.end(), place);
    return;
  }
  if (size != 0 && size != 2 && size != 4 && size != 5 && size != 8 && size != 12 && size != 14) {
    field.Fail(fmt::format("{} coefficients", size),
               "0, 2, 4, 5 or 8: k1 k2 p1 p2 k3 k4 k5 k6, as OpenCV orders them");
  }
  for (std::size_t k = 8; k < size; ++k) {
    if (coefficients[k] == 0.0) continue;
    field.Fail(fmt::format("{} = {}", kNames[k - 8], coefficients[k]),
               "0 there: thin prisms and tilted sensors are not described by our lens models");
  }
  camera->lens = size >= 8 ? LensModel::kRational : LensModel::kBrown;
  std::copy_n(coefficients.begin(), std::min<std::size_t>(size, 8), place);
}

void SetSize(const JsonField& field, double width, double height, Camera* camera) {
  constexpr double kLargest = 100000.0;
  for (const double length : {width, height}) {
    if (!(length >= 1.0 && length <= kLargest) || length != std::floor(length)) {
      field.Fail(fmt::format("an image of {} x {} px", width, height),
                 fmt::format("whole numbers from 1 to {:g}", kLargest));
    }
  }
  camera->width = static_cast<int>(width);
  camera->height = static_cast<int>(height);
}

Eigen::Matrix3d RotationOf(const JsonField& field, const Eigen::Matrix3d& R) {
  constexpr double kRounded = 1e-3;
  const double error = (R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= kRounded) || R.determinant() < 0.0) {
    field.Fail(fmt::format("a matrix with R R^T - 1 up to {:.3g} and determinant {:.3g}", error,
                           R.determinant()),
               "a rotation matrix");
  }
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(Eigen::MatrixXd(R),
                                              Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU() * svd.matrixV().transpose();
}

Eigen::Vector3d VectorOf(const Eigen::Matrix3d& R) {
  // Through a quaternion: exact at small angles and at half a turn.
  Eigen::Quaterniond q(R);
  if (q.w() < 0.0) q.coeffs() *= -1.0;
  const double sine = q.vec().norm();
  if (sine == 0.0) return Eigen::Vector3d::Zero();
  return 2.0 * std::atan2(sine, q.w()) / sine * q.vec();
}

std::span<const double> DistortionOf(const Camera& camera) {
  return std::span(camera.intrinsics).subspan(4, DistortionNames(camera.lens).size());
}

}  // namespace percuss::calibration
