// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/body_pose.h"

#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
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
  layout.first_corner = body.NumDots();
  for (int k = 0; k < static_cast<int>(body.markers.size()); ++k) {
    layout.p_BM.push_back(body.markers[k].p_BM);
    layout.normal_B.push_back(capture::MarkerNormal(body, k));
  }
  if (body.HasBands()) {
    layout.band_radius = solver::SupportPoint(body.body.shape, Eigen::Vector3d::UnitX()).x();
    std::ranges::fill(layout.normal_B, Eigen::Vector3d::Zero());
  }
  return layout;
}

std::optional<ProjectedPoint> ProjectMarker(const View& view, const MarkerLayout& layout,
                                            int marker, const BodyPose& pose) {
  const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[marker] + pose.p_WB;
  if (!layout.Banded()) {
    return ProjectDisc(view, p_W, pose.q_WB * layout.normal_B[marker], layout.Radius(marker));
  }
  const Eigen::Vector3d axis_W = pose.q_WB * Eigen::Vector3d::UnitZ();
  return ProjectPoint(view, BandImageCentre(p_W, axis_W, view.Centre(), layout.band_radius).place);
}

double AttitudeDistance(const MarkerLayout& layout, const Eigen::Quaterniond& a,
                        const Eigen::Quaterniond& b) {
  if (!layout.Banded()) return a.angularDistance(b);
  const Eigen::Vector3d x = a * Eigen::Vector3d::UnitZ(), y = b * Eigen::Vector3d::UnitZ();
  return std::atan2(x.cross(y).norm(), x.dot(y));
}

void HoldUnseenTurn(const BodyPose& before, BodyPose* pose) {
  const Eigen::Quaterniond turn = before.q_WB.conjugate() * pose->q_WB;
  const double about_axis = 2.0 * std::atan2(turn.z(), turn.w());
  pose->q_WB = pose->q_WB * Eigen::AngleAxisd(-about_axis, Eigen::Vector3d::UnitZ());
}

double MarkerFacing(const MarkerLayout& layout, int marker, const BodyPose& pose,
                    const View& view) {
  const Eigen::Vector3d p_W = pose.q_WB * layout.p_BM[marker] + pose.p_WB;
  const Eigen::Vector3d towards = (view.Centre() - p_W).normalized();
  if (layout.Banded()) return (pose.q_WB * Eigen::Vector3d::UnitZ()).cross(towards).norm();
  return (pose.q_WB * layout.normal_B[marker]).dot(towards);
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
      const auto projected =
          ProjectMarker(views[observation.side], layout, observation.marker, estimate.pose);
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
    if (layout.Banded()) {
      const Eigen::Vector3d axis_W = estimate.pose.q_WB * Eigen::Vector3d::UnitZ();
      information.bottomRightCorner<3, 3>() +=
          axis_W * axis_W.transpose() / (kUnseenTurnSigma * kUnseenTurnSigma);
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
