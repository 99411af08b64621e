// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/arc_sightings.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "base/math/geometry.h"

namespace percuss::tracking {
namespace {

/// Measured minus expected, and the derivatives of what is expected.
struct Difference {
  SightingVector value;
  Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6> by_pose;
};

/// d(pixel) / d(rig parameters) of a point seen by one camera.
Eigen::MatrixXd PixelByCalibration(const SightingModel& model, int side, const Eigen::Vector3d& p_W,
                                   const calibration::Projection& projection) {
  const calibration::RigCalibration& rig = model.calibration;
  const calibration::ParameterPlaces places = rig.Places();
  Eigen::MatrixXd by_rig = Eigen::MatrixXd::Zero(2, model.NumShared());
  by_rig.middleCols<calibration::kNumIntrinsics>(places.Intrinsics(side)) =
      projection.by_intrinsics;
  // p_W = exp(d) (R p_first) + t + dt   =>   p_first = R^T exp(-d) (p_W - t - dt)
  const calibration::Pose& X_WF = rig.world_from_first;
  const Eigen::Vector3d from_first_W = p_W - X_WF.t;
  Eigen::Matrix<double, 3, 6> by_world;
  by_world << X_WF.R.transpose() * Skew(from_first_W), -X_WF.R.transpose();
  const calibration::Pose& X_CF = rig.cameras[side].from_first;
  by_rig.middleCols<6>(places.World()) = projection.by_point * X_CF.R * by_world;
  if (side > 0) {
    // p_C = exp(d) (R p_first) + t + dt
    Eigen::Matrix<double, 3, 6> by_pose;
    by_pose << -Skew(X_CF.R * (X_WF.R.transpose() * from_first_W)), Eigen::Matrix3d::Identity();
    by_rig.middleCols<6>(places.CameraPose(side)) = projection.by_point * by_pose;
  }
  return by_rig;
}

Difference PixelDifference(const SightingModel& model, const MarkerObservation& observation,
                           const BodyPose& pose, Eigen::MatrixXd* by_shared) {
  const auto m = static_cast<std::size_t>(observation.marker);
  const View& view = model.views[observation.side];
  const Eigen::Vector3d arm = pose.q_WB * model.layout.p_BM[m],
                        normal = pose.q_WB * model.layout.normal_B[m];
  const Eigen::Matrix3d& R_CW = view.camera_from_world.R;
  const Eigen::Vector3d centre_C = view.camera_from_world * (arm + pose.p_WB),
                        normal_C = R_CW * normal;
  Difference difference{SightingVector::Constant(2, std::numeric_limits<double>::quiet_NaN()),
                        Eigen::MatrixXd::Zero(2, 6)};
  if (by_shared)
    by_shared->setConstant(2, model.NumShared(), std::numeric_limits<double>::quiet_NaN());
  if (!(centre_C.z() > 1e-6)) return difference;
  calibration::Projection projection;
  Eigen::Matrix<double, 2, 3> by_place, by_turn;  // of the marker, W axes
  Eigen::Vector2d by_radius = Eigen::Vector2d::Zero();
  if (model.layout.Banded()) {
    const Eigen::Vector3d axis = pose.q_WB * Eigen::Vector3d::UnitZ();
    const BandImage band =
        BandImageCentre(arm + pose.p_WB, axis, view.Centre(), model.layout.band_radius);
    projection =
        calibration::ProjectWithDerivatives(view.camera, view.camera_from_world * band.place);
    by_place = projection.by_point * R_CW * band.by_point;
    by_turn = -projection.by_point * R_CW * band.by_axis * Skew(axis);
    by_radius = projection.by_point * R_CW * band.by_radius;
  } else {
    const double radius = model.layout.Radius(observation.marker);
    projection = calibration::ProjectWithDerivatives(
        view.camera, DiscImageCentre<double>(centre_C, normal_C, radius));
    // The shift of a disc's centre is microns: only its turning with the body counts.
    const Eigen::Matrix3d shift_by_normal =
        radius * radius / centre_C.z() *
        (normal_C.z() * Eigen::Matrix3d::Identity() + normal_C * Eigen::RowVector3d(0, 0, 1));
    by_place = projection.by_point * R_CW;
    by_turn = -projection.by_point * shift_by_normal * R_CW * Skew(normal);
  }
  difference.value = observation.pixel - projection.pixel;
  difference.by_pose << by_place, by_turn - by_place * Skew(arm);
  if (by_shared) {
    *by_shared = PixelByCalibration(model, observation.side, arm + pose.p_WB, projection);
    if (model.has_body) {
      by_shared->middleCols<3>(model.parameters.Marker(observation.marker)) =
          by_place * pose.q_WB.toRotationMatrix();
      // The first length of a round body is its diameter.
      if (model.layout.Banded()) by_shared->col(model.parameters.Length()) = 0.5 * by_radius;
    }
  }
  return difference;
}

Difference PointDifference(const SightingModel& model, const PointObservation& observation,
                           const BodyPose& pose) {
  const Eigen::Vector3d arm = pose.q_WB * model.layout.p_BM[observation.marker];
  Difference difference{observation.p_W - arm - pose.p_WB, Eigen::MatrixXd(3, 6)};
  difference.by_pose << Eigen::Matrix3d::Identity(), -Skew(arm);
  return difference;
}

Difference PoseDifference(const PoseObservation& observation, const BodyPose& pose) {
  const Eigen::AngleAxisd turn(observation.pose.q_WB * pose.q_WB.conjugate());
  Difference difference{SightingVector(6), Eigen::MatrixXd::Identity(6, 6)};
  difference.value << observation.pose.p_WB - pose.p_WB, turn.angle() * turn.axis();
  // log(exp(r) exp(-d)) = r - (1 + [r]x / 2 + [r]x^2 / 12) d, to second order in r.
  const Eigen::Matrix3d half = Skew(0.5 * difference.value.tail<3>());
  difference.by_pose.bottomRightCorner<3, 3>() += half + half * half / 3.0;
  return difference;
}

template <typename Observation>
void Add(const Observation& observation, const TrackedFrame& tracked,
         const ArcFrameOptions& options, ArcFrame* frame) {
  const double time = std::isnan(observation.time) ? tracked.time : observation.time;
  const double since_impact = time - options.impact_time;
  if (std::abs(since_impact) < options.exclusion || (since_impact < 0.0 ? 0 : 1) != frame->arc)
    return;
  const auto dimension = observation.covariance.rows();
  const SightingMatrix factor = observation.covariance.llt().matrixL();
  const SightingMatrix identity = SightingMatrix::Identity(dimension, dimension);
  frame->sightings.push_back({observation, time - tracked.time,
                              factor.template triangularView<Eigen::Lower>().solve(identity), 1.0});
}

}  // namespace

int SourceOf(const Sighting& sighting) {
  if (const auto* pixel = std::get_if<MarkerObservation>(&sighting.observation)) return pixel->side;
  return std::holds_alternative<PointObservation>(sighting.observation) ? kPointSource
                                                                        : kPoseSource;
}

int MarkerOf(const Sighting& sighting) {
  if (const auto* pixel = std::get_if<MarkerObservation>(&sighting.observation))
    return pixel->marker;
  const auto* point = std::get_if<PointObservation>(&sighting.observation);
  return point ? point->marker : -1;
}

SightingModel::SightingModel(const MarkerLayout& marker_layout,
                             const calibration::RigCalibration& rig,
                             const Eigen::MatrixXd* bench_covariance)
    : layout(marker_layout),
      calibration(rig),
      covariance(bench_covariance ? *bench_covariance : rig.covariance),
      has_body(bench_covariance != nullptr) {
  parameters.num_cameras = static_cast<int>(rig.cameras.size());
  parameters.num_markers = static_cast<int>(marker_layout.p_BM.size());
  for (std::size_t camera = 0; camera < rig.cameras.size(); ++camera)
    views.push_back({rig.cameras[camera].camera, rig.CameraFromWorld(camera)});
}

ArcFrame MakeArcFrame(const SightingModel& model, std::span<const TrackedFrame> frames, int k,
                      int arc, const ArcFrameOptions& options) {
  const TrackedFrame& tracked = frames[k];
  ArcFrame frame{k, tracked.time, arc, {}};
  for (const MarkerObservation& observation : tracked.observations) {
    const View& view = model.views[observation.side];
    if (MarkerFacing(model.layout, observation.marker, tracked.pose.pose, view) >=
        options.min_facing) {
      Add(observation, tracked, options, &frame);
    }
  }
  for (const PointObservation& point : tracked.points) Add(point, tracked, options, &frame);
  if (tracked.pose_observation) Add(*tracked.pose_observation, tracked, options, &frame);
  return frame;
}

SightingResidual Compare(const SightingModel& model, const Sighting& sighting, const BodyPose& pose,
                         Eigen::MatrixXd* by_shared) {
  Difference difference;
  if (const auto* pixel = std::get_if<MarkerObservation>(&sighting.observation)) {
    difference = PixelDifference(model, *pixel, pose, by_shared);
  } else if (const auto* point = std::get_if<PointObservation>(&sighting.observation)) {
    difference = PointDifference(model, *point, pose);
  } else {
    difference = PoseDifference(std::get<PoseObservation>(sighting.observation), pose);
  }
  if (by_shared) {
    if (std::holds_alternative<MarkerObservation>(sighting.observation)) {
      *by_shared = -sighting.whitening * *by_shared;
    } else {
      by_shared->setZero(difference.value.size(), model.NumShared());
    }
  }
  return {sighting.whitening * difference.value, -sighting.whitening * difference.by_pose};
}

}  // namespace percuss::tracking
