// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/thesis/thesis_stereo.h"

#include <fmt/core.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace percuss::calibration::thesis {
namespace {

// Where the distorted radius has its maximum: first positive zero of 1 + 3 k1 z + 5 k2 z^2 in
// z = rho^2. Infinite if it always grows.
double FoldRadius(double k1, double k2) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double discriminant = 9.0 * k1 * k1 - 20.0 * k2;
  if (discriminant < 0.0) return kInfinity;
  // 2 c / (-b -+ root): no division by k2, which may be zero.
  double z = kInfinity;
  for (const double root : {std::sqrt(discriminant), -std::sqrt(discriminant)}) {
    const double denominator = -3.0 * k1 + root;
    if (denominator > 0.0) z = std::min(z, 2.0 / denominator);
  }
  return std::sqrt(z);
}

// The radius that is shown at distorted_radius: bisection, kept below the fold, made sharp by
// Newton's steps.
double UndistortedRadius(double k1, double k2, double distorted_radius) {
  const auto distorted = [&](double r) { return r * (1.0 + r * r * (k1 + r * r * k2)); };
  double low = 0.0, high = FoldRadius(k1, k2);
  if (std::isinf(high)) {
    high = distorted_radius;
    while (distorted(high) < distorted_radius) high = 2.0 * high;
  }
  if (!(distorted_radius <= distorted(high))) return kNaN;
  double r = std::min(distorted_radius, high);
  constexpr int kMaxIterations = 100;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const double error = distorted(r) - distorted_radius;
    (error > 0.0 ? high : low) = r;
    const double slope = 1.0 + r * r * (3.0 * k1 + 5.0 * r * r * k2);
    double next = r - error / slope;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (std::abs(next - r) <= 1e-15 * (1.0 + r)) return next;
    r = next;
  }
  return r;
}

struct ProjectedPoint {
  Eigen::Vector2d pixel;
  Eigen::Matrix<double, 2, 3> jacobian;  // by the point of the world
};

ProjectedPoint ProjectWithJacobian(const Camera& camera, const Eigen::RowVector3d& point) {
  const Intrinsics& c = camera.intrinsics;
  const Eigen::RowVector3d p = point * camera.pose.R + camera.pose.t;
  const Eigen::Vector2d x = p.head<2>().transpose() / p.z();
  const double z = x.squaredNorm();
  const double radial = 1.0 + z * (c.k1 + z * c.k2);
  Eigen::Matrix2d K;  // column form
  K << c.f_x, c.skew, 0.0, c.f_y;
  Eigen::Matrix<double, 2, 3> ray_by_p;
  ray_by_p << 1.0 / p.z(), 0.0, -x.x() / p.z(), 0.0, 1.0 / p.z(), -x.y() / p.z();
  const Eigen::Matrix2d distortion =
      radial * Eigen::Matrix2d::Identity() + 2.0 * (c.k1 + 2.0 * z * c.k2) * x * x.transpose();
  return {.pixel = radial * (K * x) + Eigen::Vector2d(c.c_x, c.c_y),
          .jacobian = K * distortion * ray_by_p * camera.pose.R.transpose()};
}

// Least-squares solution of the four linear equations; NaN if the rays are parallel.
Eigen::RowVector3d LinearPoint(const std::array<Camera, 2>& cameras,
                               const std::array<Eigen::Vector2d, 2>& undistorted) {
  Eigen::Matrix<double, 4, 4> equations;  // equations [X Y Z 1]' = 0
  for (int i = 0; i < 2; ++i) {
    Eigen::Matrix<double, 4, 3> P;
    P << cameras[i].pose.R, cameras[i].pose.t;
    P = P * RowMatrix(cameras[i].intrinsics);
    for (int k = 0; k < 2; ++k) {
      equations.row(2 * i + k) = (P.col(k) - undistorted[i][k] * P.col(2)).transpose();
    }
  }
  Eigen::ColPivHouseholderQR<Eigen::Matrix<double, 4, 3>> qr(equations.leftCols<3>());
  qr.setThreshold(1e-9);  // about the angle between the rays [rad]
  if (qr.rank() < 3) return Eigen::RowVector3d::Constant(kNaN);
  return -qr.solve(equations.col(3)).transpose();
}

// Gauss-Newton on the squared distances in both images. @returns Whether it converged.
bool Refine(const std::array<Camera, 2>& cameras, const std::array<Eigen::Vector2d, 2>& pixels,
            Eigen::RowVector3d* point) {
  constexpr int kMaxIterations = 50;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    Eigen::Matrix<double, 4, 3> J;
    Eigen::Vector4d residuals;
    for (int i = 0; i < 2; ++i) {
      const ProjectedPoint projected = ProjectWithJacobian(cameras[i], *point);
      J.middleRows<2>(2 * i) = projected.jacobian;
      residuals.segment<2>(2 * i) = pixels[i] - projected.pixel;
    }
    const Eigen::Vector3d step = J.colPivHouseholderQr().solve(residuals);
    *point += step.transpose();
    if (!point->allFinite()) return false;
    if (step.norm() <= 1e-12 * point->norm()) return true;
  }
  return false;
}

std::string MatrixLines(const std::string& label, const Eigen::MatrixXd& matrix, int decimals) {
  std::string text;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    text += fmt::format("  {:<12}", row == 0 ? label : "");
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      text += fmt::format(" {:>11.{}f}", matrix(row, column), decimals);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Pose RelativePose(const Pose& camera1_from_target, const Pose& camera2_from_target) {
  const Eigen::Matrix3d R = camera1_from_target.R.transpose() * camera2_from_target.R;
  return {.R = R, .t = camera2_from_target.t - camera1_from_target.t * R};
}

RelativePoses RelativePosesOfViews(const std::vector<Pose>& camera1_from_target,
                                   const std::vector<Pose>& camera2_from_target) {
  if (camera1_from_target.size() != camera2_from_target.size()) {
    throw std::invalid_argument(fmt::format("RelativePosesOfViews: {} poses of camera 1, {} of 2",
                                            camera1_from_target.size(),
                                            camera2_from_target.size()));
  }
  RelativePoses result;
  Eigen::Matrix3d sum_R = Eigen::Matrix3d::Zero();
  Eigen::RowVector3d sum_t = Eigen::RowVector3d::Zero();
  double count = 0.0;
  for (std::size_t v = 0; v < camera1_from_target.size(); ++v) {
    result.views.push_back(RelativePose(camera1_from_target[v], camera2_from_target[v]));
    const Pose& pose = result.views.back();
    if (!pose.R.allFinite() || !pose.t.allFinite()) continue;
    if (count == 0.0) result.first = pose;
    sum_R += pose.R;
    sum_t += pose.t;
    count += 1.0;
  }
  if (count == 0.0) return result;
  result.mean = {.R = NearestRotation(sum_R), .t = sum_t / count};
  double square_angle = 0.0, square_distance = 0.0;
  for (const Pose& pose : result.views) {
    if (!pose.R.allFinite() || !pose.t.allFinite()) continue;
    // |R - mean| = 2 sqrt(2) sin(angle / 2): exact for small angles, unlike the trace.
    const double chord = (pose.R - result.mean.R).norm() / (2.0 * std::sqrt(2.0));
    const double angle = 2.0 * std::asin(std::min(chord, 1.0));
    square_angle += angle * angle;
    square_distance += (pose.t - result.mean.t).squaredNorm();
  }
  result.rotation_spread = std::sqrt(square_angle / count);
  result.translation_spread = std::sqrt(square_distance / count);
  return result;
}

Eigen::Vector2d Project(const Camera& camera, const Eigen::RowVector3d& point) {
  const double depth = point * camera.pose.R.col(2) + camera.pose.t.z();
  if (!(depth > 0.0)) return {kNaN, kNaN};
  return ProjectWithJacobian(camera, point).pixel;
}

Eigen::Vector2d Undistorted(const Intrinsics& c, const Eigen::Vector2d& pixel) {
  Eigen::Vector2d ray;
  ray.y() = (pixel.y() - c.c_y) / c.f_y;
  ray.x() = (pixel.x() - c.c_x - c.skew * ray.y()) / c.f_x;
  const double radius = ray.norm();
  if (radius > 0.0) ray *= UndistortedRadius(c.k1, c.k2, radius) / radius;
  return {c.f_x * ray.x() + c.skew * ray.y() + c.c_x, c.f_y * ray.y() + c.c_y};
}

Triangulation Triangulate(const std::array<Camera, 2>& cameras,
                          const std::array<Eigen::Vector2d, 2>& pixels) {
  Triangulation result;
  std::array<Eigen::Vector2d, 2> undistorted;
  for (int i = 0; i < 2; ++i) {
    undistorted[i] = Undistorted(cameras[i].intrinsics, pixels[i]);
    if (!undistorted[i].allFinite()) {
      result.reason = fmt::format("camera {} shows nothing at pixel ({:.1f}, {:.1f})", i + 1,
                                  pixels[i].x(), pixels[i].y());
      return result;
    }
  }
  const Eigen::RowVector3d linear = LinearPoint(cameras, undistorted);
  if (!linear.allFinite()) {
    result.reason = "the two rays are parallel";
    return result;
  }
  Eigen::RowVector3d point = linear;
  if (!Refine(cameras, pixels, &point)) {
    result.reason = "the refinement of the point did not converge";
    return result;
  }
  double error = 0.0;
  for (int i = 0; i < 2; ++i) error += 0.5 * (Project(cameras[i], point) - pixels[i]).norm();
  if (!std::isfinite(error)) {
    result.reason = "the two rays meet behind a camera";
    return result;
  }
  result.linear = linear;
  result.point = point;
  result.reprojection_error_px = error;
  return result;
}

std::string CameraTable(const std::string& name, const Camera& camera) {
  return fmt::format("{}: w [x y 1] = [X Y Z 1] [R; t] K\n", name) +
         MatrixLines("K [px]", RowMatrix(camera.intrinsics), 2) +
         MatrixLines("R", camera.pose.R, 4) + MatrixLines("t [mm]", 1e3 * camera.pose.t, 2);
}

std::string StereoTable(const std::array<Intrinsics, 2>& intrinsics,
                        const std::array<double, 2>& mean_errors_px, const Pose& relative) {
  const std::array<Pose, 2> poses = {
      Pose{.R = Eigen::Matrix3d::Identity(), .t = Eigen::RowVector3d::Zero()}, relative};
  std::string text;
  for (int i = 0; i < 2; ++i) {
    text += fmt::format("Camera {}\n", i + 1) +
            MatrixLines("k1, k2", Eigen::RowVector2d(intrinsics[i].k1, intrinsics[i].k2), 4) +
            MatrixLines("error [px]", Eigen::Matrix<double, 1, 1>(mean_errors_px[i]), 4) +
            MatrixLines("R", poses[i].R, 4) + MatrixLines("t [mm]", 1e3 * poses[i].t, 2);
  }
  return text;
}

}  // namespace percuss::calibration::thesis
