// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/body_pose.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <cmath>

#include "base/math/geometry.h"

namespace percuss::tracking {
namespace {

/// As many rows and columns as a pose has unknowns.
using PoseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

}  // namespace

MarkerLayout LayoutOf(const capture::MarkedBody& body, bool planar) {
  MarkerLayout layout;
  layout.planar = planar;
  layout.marker_diameter = body.marker_diameter;
  for (const capture::Marker& marker : body.markers) {
    layout.p_BM.push_back(marker.p_BM);
    layout.normal_B.push_back(solver::OutwardNormal(body.body.shape, marker.p_BM));
  }
  return layout;
}

double MarkerFacing(const MarkerLayout& layout, int marker, const BodyPose& pose,
                    const View& view) {
  const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[marker] + pose.p_WB;
  return (pose.q_WB * layout.normal_B[marker]).dot((view.Centre() - p_W).normalized());
}

PoseEstimate EstimatePose(const Views& views, const MarkerLayout& layout,
                          std::span<const MarkerObservation> observations, const BodyPose& start,
                          double huber_px) {
  PoseEstimate estimate;
  estimate.pose = start;
  const std::vector<int> unknowns =
      layout.planar ? std::vector<int>{0, 2, 4} : std::vector<int>{0, 1, 2, 3, 4, 5};
  const int free = layout.NumPoseUnknowns();
  estimate.degrees_of_freedom = static_cast<int>(2 * observations.size()) - free;
  if (estimate.degrees_of_freedom < 0) return estimate;
  constexpr int kMaxIterations = 30;
  for (int iteration = 0; iteration <= kMaxIterations; ++iteration) {
    Eigen::Matrix<double, 6, 6> information = Eigen::Matrix<double, 6, 6>::Zero();
    Eigen::Matrix<double, 6, 1> gradient = Eigen::Matrix<double, 6, 1>::Zero();
    double sum_squared = 0.0;
    estimate.error_px.clear();
    for (const MarkerObservation& observation : observations) {
      const Eigen::Vector3d arm = estimate.pose.q_WB * layout.p_BM[observation.marker];
      const View& view = views[observation.side];
      const Eigen::Vector3d normal = estimate.pose.q_WB * layout.normal_B[observation.marker];
      const auto projected =
          ProjectDisc(view, arm + estimate.pose.p_WB, normal, 0.5 * layout.marker_diameter);
      if (!projected) return estimate;
      Eigen::Matrix<double, 2, 6> by_pose;
      by_pose << projected->by_point, -projected->by_point * Skew(arm);
      const Eigen::Vector2d error = observation.pixel - projected->pixel;
      const double distance = error.norm();
      const double robust = huber_px > 0.0 && distance > huber_px ? huber_px / distance : 1.0;
      const Eigen::Matrix2d weight = robust * observation.covariance.inverse();
      information += by_pose.transpose() * weight * by_pose;
      gradient += by_pose.transpose() * weight * error;
      sum_squared += distance * distance;
      estimate.error_px.push_back(distance);
    }
    estimate.rms_px = std::sqrt(sum_squared / static_cast<double>(observations.size()));
    const Eigen::LDLT<PoseMatrix> solver(information(unknowns, unknowns));
    if (solver.info() != Eigen::Success || solver.rcond() < 1e-14) return estimate;
    Eigen::Matrix<double, 6, 1> step = Eigen::Matrix<double, 6, 1>::Zero();
    PoseMatrix free_step(free, 1);
    for (int i = 0; i < free; ++i) free_step(i, 0) = gradient[unknowns[i]];
    free_step = solver.solve(free_step).eval();
    for (int i = 0; i < free; ++i) step[unknowns[i]] = free_step(i, 0);
    if (!step.allFinite()) return estimate;
    if (step.head<3>().norm() < 1e-9 && step.tail<3>().norm() < 1e-8) {
      const PoseMatrix covariance = solver.solve(PoseMatrix::Identity(free, free));
      estimate.covariance(unknowns, unknowns) = covariance;
      estimate.found = true;
      return estimate;
    }
    // A rotation step beyond half a radian leaves the linear range.
    const double shorten = std::min(1.0, 0.5 / std::max(step.tail<3>().norm(), 1e-12));
    estimate.pose.p_WB += shorten * step.head<3>();
    estimate.pose.q_WB =
        (RotationFromVector(shorten * step.tail<3>()) * estimate.pose.q_WB).normalized();
  }
  return estimate;
}

BodyPose AlignPoints(std::span<const Eigen::Vector3d> p_B, std::span<const Eigen::Vector3d> p_W) {
  const double count = static_cast<double>(p_B.size());
  Eigen::Vector3d mean_B = Eigen::Vector3d::Zero(), mean_W = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < p_B.size(); ++i) {
    mean_B += p_B[i] / count;
    mean_W += p_W[i] / count;
  }
  Eigen::Matrix3d cross = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < p_B.size(); ++i)
    cross += (p_W[i] - mean_W) * (p_B[i] - mean_B).transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(cross, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d signs = Eigen::Vector3d::Ones();
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0.0) signs[2] = -1.0;
  const Eigen::Matrix3d R = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  return {mean_W - R * mean_B, Eigen::Quaterniond(R)};
}

BodyPose AlignPointsInPlane(std::span<const Eigen::Vector3d> p_B,
                            std::span<const Eigen::Vector3d> p_W) {
  const double count = static_cast<double>(p_B.size());
  Eigen::Vector3d mean_B = Eigen::Vector3d::Zero(), mean_W = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < p_B.size(); ++i) {
    mean_B += p_B[i] / count;
    mean_W += p_W[i] / count;
  }
  // Sum of b . w and of (b x w) . y: cosine and sine of the turn, times one length.
  double cosine = 0.0, sine = 0.0;
  for (std::size_t i = 0; i < p_B.size(); ++i) {
    const Eigen::Vector3d b = p_B[i] - mean_B, w = p_W[i] - mean_W;
    cosine += b.x() * w.x() + b.z() * w.z();
    sine += b.z() * w.x() - b.x() * w.z();
  }
  const Eigen::Quaterniond q_WB(
      Eigen::AngleAxisd(std::atan2(sine, cosine), Eigen::Vector3d::UnitY()));
  Eigen::Vector3d p_WB = mean_W - q_WB * mean_B;
  p_WB.y() = 0.0;
  return {p_WB, q_WB};
}

}  // namespace percuss::tracking
