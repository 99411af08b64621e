// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/flights/motion_capture.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.h"
#include "base/math/statistics.h"
#include "capture/markers/marker_file.h"
#include "tracking/flights/pose_table.h"
#include "tracking/flights/torque_free.h"

namespace percuss::tracking {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

constexpr double kMinPositionSigma = 1e-6;  // [m], of data without noise: digits of the file
constexpr double kMinAngleSigma = 1e-5;     // [rad]

/// Standard deviations of white noise on the coordinates (first) and angles (second) that third
/// differences show: of white noise they have 1 + 9 + 9 + 1 = 20 times its variance.
std::pair<double, double> ThirdDifferenceSigmas(std::span<const PoseSample> samples, bool planar) {
  std::vector<double> positions, angles;
  const double scale = 0.6745 * std::sqrt(20.0);
  for (std::size_t k = 0; k + 3 < samples.size(); ++k) {
    const auto four = samples.subspan(k, 4);
    if (!std::ranges::all_of(four, [](const auto& s) { return s.pose.has_value(); })) continue;
    const double step = (four[3].time - four[0].time) / 3.0;
    const bool even = std::abs(four[1].time - four[0].time - step) < 0.05 * step &&
                      std::abs(four[2].time - four[1].time - step) < 0.05 * step;
    if (!even) continue;
    const auto p = [&](std::size_t i) { return four[i].pose->p_WB; };
    const auto turn = [&](std::size_t i) {
      return RotationVector(four[i + 1].pose->q_WB * four[i].pose->q_WB.conjugate());
    };
    const Eigen::Vector3d dp = p(3) - 3.0 * p(2) + 3.0 * p(1) - p(0);
    const Eigen::Vector3d dq = turn(2) - 2.0 * turn(1) + turn(0);
    for (int i = 0; i < 3; ++i) {
      if (!planar || i != 1) positions.push_back(std::abs(dp[i]) / scale);
      if (!planar || i == 1) angles.push_back(std::abs(dq[i]) / scale);
    }
  }
  const auto at_least = [](double value, double least) { return value > least ? value : least; };
  return {at_least(Median(std::move(positions)), kMinPositionSigma),
          at_least(Median(std::move(angles)), kMinAngleSigma)};
}

Matrix6 PoseCovariance(double position_sigma, double angle_sigma) {
  Matrix6 covariance = Matrix6::Zero();
  covariance.diagonal().head<3>().setConstant(position_sigma * position_sigma);
  covariance.diagonal().tail<3>().setConstant(angle_sigma * angle_sigma);
  return covariance;
}

MotionCapture ReadPoses(const capture::MotionSource& source) {
  const PoseTable table = ReadPoseTable(source);
  MotionCapture motion;
  motion.planar = table.planar;
  const auto [position_sigma, angle_sigma] = ThirdDifferenceSigmas(table.samples, table.planar);
  motion.position_sigma = source.position_sigma.value_or(position_sigma);
  motion.angle_sigma = source.angle_sigma.value_or(angle_sigma);
  const Matrix6 covariance = PoseCovariance(motion.position_sigma, motion.angle_sigma);
  for (const PoseSample& sample : table.samples) {
    TrackedFrame& frame = motion.frames.emplace_back();
    frame.left_frame = frame.right_frame = sample.frame;
    frame.time = sample.time;
    if (!sample.pose) continue;
    frame.pose.found = true;
    frame.pose.pose = *sample.pose;
    frame.pose.covariance = covariance;
    frame.pose_observation.emplace();
    frame.pose_observation->pose = *sample.pose;
    frame.pose_observation->covariance = covariance;
  }
  return motion;
}

/// Place in the file of each marker of the body; -1 if it is not there.
std::vector<int> MatchNames(const capture::MarkedBody& body, const std::vector<std::string>& names,
                            const std::string& file, std::vector<std::string>* warnings) {
  const auto short_name = [](const std::string& name) {
    return name.substr(name.find_last_of(':') == std::string::npos ? 0
                                                                   : name.find_last_of(':') + 1);
  };
  std::vector<int> places;
  std::vector<std::string> missing, unknown;
  for (const capture::Marker& marker : body.markers) {
    auto found = std::ranges::find(names, marker.name);
    if (found == names.end()) {
      found = std::ranges::find_if(
          names, [&](const std::string& name) { return short_name(name) == marker.name; });
    }
    places.push_back(found == names.end() ? -1 : static_cast<int>(found - names.begin()));
    if (found == names.end()) missing.push_back(marker.name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!std::ranges::count(places, static_cast<int>(i))) unknown.push_back(names[i]);
  }
  if (body.markers.size() - missing.size() < 3) {
    throw InputError(fmt::format(
        "{}: found {} of the body's markers, allowed at least 3: missing {}; markers of "
        "the file: {}",
        file, body.markers.size() - missing.size(), fmt::join(missing, ", "),
        fmt::join(names, ", ")));
  }
  if (!missing.empty()) {
    warnings->push_back(fmt::format("{}: markers of the body that are not there: {}", file,
                                    fmt::join(missing, ", ")));
  }
  if (!unknown.empty()) {
    warnings->push_back(fmt::format("{}: markers that the body does not have, left out: {}", file,
                                    fmt::join(unknown, ", ")));
  }
  return places;
}

/// The pose that fits the points best, its covariance for a sigma of 1 m; the sum of the squared
/// distances goes to `squares`.
PoseEstimate AlignPose(const capture::MarkedBody& body, std::span<const PointObservation> points,
                       double* squares) {
  PoseEstimate estimate;
  if (points.size() < 3) return estimate;
  std::vector<Eigen::Vector3d> p_B, p_W;
  for (const PointObservation& point : points) {
    p_B.push_back(body.markers[point.marker].p_BM);
    p_W.push_back(point.p_W);
  }
  estimate.pose = AlignPoints(p_B, p_W);
  Matrix6 information = Matrix6::Zero();
  *squares = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d arm = estimate.pose.q_WB * p_B[i];
    *squares += (p_W[i] - arm - estimate.pose.p_WB).squaredNorm();
    Eigen::Matrix<double, 3, 6> J;  // of the point by position and rotation: d x arm
    J << Eigen::Matrix3d::Identity(), Eigen::Matrix3d::Zero();
    J.col(3) = Eigen::Vector3d::UnitX().cross(arm);
    J.col(4) = Eigen::Vector3d::UnitY().cross(arm);
    J.col(5) = Eigen::Vector3d::UnitZ().cross(arm);
    information += J.transpose() * J;
  }
  // Markers on one line leave the rotation about it open.
  const Matrix6 covariance = information.ldlt().solve(Matrix6::Identity());
  const double reach = solver::BoundingRadius(body.body.shape);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> rotation(
      covariance.bottomRightCorner<3, 3>(), Eigen::EigenvaluesOnly);
  const double worst = rotation.eigenvalues().maxCoeff();
  estimate.found = std::isfinite(worst) && rotation.eigenvalues().minCoeff() > 0.0 &&
                   worst * reach * reach < 1e4;
  estimate.covariance = covariance;
  return estimate;
}

MotionCapture ReadMarkers(const capture::MotionSource& source, const capture::MarkedBody& body) {
  const capture::MarkerTrajectories trajectories = capture::ReadMarkers(source.file);
  MotionCapture motion;
  const std::vector<int> places =
      MatchNames(body, trajectories.markers, source.file.string(), &motion.warnings);
  std::vector<double> variances;
  for (std::size_t k = 0; k < trajectories.times.size(); ++k) {
    TrackedFrame& frame = motion.frames.emplace_back();
    frame.left_frame = frame.right_frame = static_cast<int>(k);
    frame.time =
        source.frame_rate ? static_cast<double>(k) / *source.frame_rate : trajectories.times[k];
    for (std::size_t m = 0; m < places.size(); ++m) {
      if (places[m] < 0) continue;
      const Eigen::Vector3d& p_F = trajectories.positions[k][places[m]];
      if (capture::IsMissing(p_F)) continue;
      PointObservation& point = frame.points.emplace_back();
      point.marker = static_cast<int>(m);
      point.p_W = source.R_WF * (p_F - source.origin_F);
    }
    double squares = 0.0;
    frame.pose = AlignPose(body, frame.points, &squares);
    const double freedom = 3.0 * static_cast<double>(frame.points.size()) - 6.0;
    if (frame.pose.found) variances.push_back(squares / freedom);
  }
  const double estimated = std::sqrt(Median(std::move(variances)));
  motion.position_sigma =
      source.position_sigma.value_or(estimated > kMinPositionSigma ? estimated : kMinPositionSigma);
  const double variance = motion.position_sigma * motion.position_sigma;
  for (TrackedFrame& frame : motion.frames) {
    frame.pose.covariance *= variance;
    for (PointObservation& point : frame.points) {
      point.covariance = variance * Eigen::Matrix3d::Identity();
    }
  }
  return motion;
}

/// Variances of a coordinate and an angle about a flight that was fitted to them.
struct FlightVariance {
  double position = 0.0, angle = 0.0;
};

FlightVariance VarianceOf(std::span<const TrackedFrame> frames, const FlightArc& flight,
                          const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity,
                          bool planar) {
  // Sums of a straight line through the path less what gravity does.
  double n = 0.0, t1 = 0.0, t2 = 0.0, y2 = 0.0;
  Eigen::Vector3d y1 = Eigen::Vector3d::Zero(), ty = Eigen::Vector3d::Zero();
  const TrackedFrame& start = frames[flight.first];
  for (int k = flight.first; k <= flight.last; ++k) {
    const TrackedFrame& frame = frames[k];
    if (!frame.pose.found) continue;
    const double t = frame.time - start.time;
    const Eigen::Vector3d y = frame.pose.pose.p_WB - start.pose.pose.p_WB - 0.5 * t * t * gravity;
    n += 1.0, t1 += t, t2 += t * t, y2 += y.squaredNorm();
    y1 += y, ty += t * y;
  }
  const Eigen::Vector3d slope = (n * ty - t1 * y1) / (n * t2 - t1 * t1);
  const Eigen::Vector3d offset = (y1 - t1 * slope) / n;
  const double squares = std::max(0.0, y2 - offset.dot(y1) - slope.dot(ty));
  // Weights that are all alike drop out of the fit.
  const RotationFit rotation =
      FitTorqueFreeRotation(frames, flight.first, flight.last, inertia_B, 0.0, 1.0);
  const double coordinates = planar ? 2.0 : 3.0, turns = planar ? 1.0 : 3.0;
  return {squares / (coordinates * std::max(1.0, n - 2.0)),
          rotation.chi2 / (turns * std::max(1.0, n - 2.0))};
}

}  // namespace

MotionCapture ReadMotionCapture(const capture::MotionSource& source,
                                const capture::MarkedBody& body) {
  return source.kind == capture::MotionSource::Kind::kPoses ? ReadPoses(source)
                                                            : ReadMarkers(source, body);
}

void RaiseSigmasToFlights(const capture::MotionSource& source, std::span<const FlightArc> flights,
                          const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity,
                          MotionCapture* motion, std::vector<TrackedFrame>* frames) {
  if (source.kind != capture::MotionSource::Kind::kPoses) return;
  std::vector<double> positions, angles;
  for (const FlightArc& flight : flights) {
    const FlightVariance variance = VarianceOf(*frames, flight, inertia_B, gravity, motion->planar);
    positions.push_back(std::sqrt(variance.position));
    angles.push_back(std::sqrt(variance.angle));
  }
  const auto raise = [](double* sigma, double to) { *sigma = to > *sigma ? to : *sigma; };
  if (!source.position_sigma) raise(&motion->position_sigma, Median(std::move(positions)));
  if (!source.angle_sigma) raise(&motion->angle_sigma, Median(std::move(angles)));
  const Matrix6 covariance = PoseCovariance(motion->position_sigma, motion->angle_sigma);
  for (TrackedFrame& frame : *frames) {
    if (!frame.pose_observation) continue;
    frame.pose.covariance = frame.pose_observation->covariance = covariance;
  }
}

}  // namespace percuss::tracking
