// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/toss/toss_data.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <variant>

#include "benchmarks/timing.h"
#include "capture/experiment/experiment.h"
#include "tracking/arcs/arc_noise.h"
#include "tracking/flights/pose_table.h"

namespace percuss::benchmarks {
namespace {

using Eigen::Vector3d;

constexpr int kDimension = tracking::kFlightDimension;

// Of a cube whose middle is there.
double LowestHeight(const TossPose& pose, double edge) {
  return pose.p.z() - 0.5 * edge * pose.q.toRotationMatrix().row(2).cwiseAbs().sum();
}

// Least squares of a flight to its poses: start, and gravity if it is free.
struct FlightFit {
  solver::FlightState<double> start;
  Vector3d gravity;
  Eigen::MatrixXd information;                         // of (start error, gravity), sigmas as given
  std::vector<Eigen::Matrix<double, 6, 1>> residuals;  // [m], [rad]
};

FlightFit FitFlight(const Toss& toss, const TossCube& cube, const Vector3d& gravity,
                    bool free_gravity, double position_sigma, double angle_sigma) {
  FlightFit fit;
  fit.gravity = gravity;
  std::vector<TossPose> poses(toss.poses.begin(), toss.poses.begin() + toss.num_flight);
  for (TossPose& pose : poses) pose.p += pose.q * cube.mass_centre;
  fit.start.p_WB = poses.front().p;
  fit.start.q_WB = poses.front().q;
  const TossPose& second = poses[1];
  fit.start.v = (second.p - fit.start.p_WB) / toss.interval;
  const Eigen::AngleAxisd turn(second.q * fit.start.q_WB.conjugate());
  fit.start.w = turn.angle() * turn.axis() / toss.interval;
  const Eigen::Matrix3d inertia = Eigen::Matrix3d::Identity() * cube.inertia;
  const int size = kDimension + (free_gravity ? 3 : 0);
  Eigen::Matrix<double, 6, 1> weight;
  weight << Vector3d::Constant(1.0 / position_sigma), Vector3d::Constant(1.0 / angle_sigma);
  for (int iteration = 0; iteration < 10; ++iteration) {
    fit.information = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    fit.residuals.clear();
    for (int k = 0; k < toss.num_flight; ++k) {
      const tracking::FlightEnd end =
          tracking::FlyWithDerivatives(fit.start, inertia, fit.gravity, k * toss.interval);
      solver::FlightState<double> seen = end.state;
      seen.p_WB = poses[k].p;
      seen.q_WB = poses[k].q;
      fit.residuals.emplace_back(tracking::Between(end.state, seen).head<6>());
      Eigen::MatrixXd jacobian(6, size);
      jacobian.leftCols<kDimension>() = end.by_start.topRows<6>();
      if (free_gravity) jacobian.rightCols<3>() = end.by_gravity.topRows<6>();
      jacobian = weight.asDiagonal() * jacobian;
      fit.information += jacobian.transpose() * jacobian;
      right += jacobian.transpose() * weight.cwiseProduct(fit.residuals.back());
    }
    const Eigen::VectorXd step = fit.information.ldlt().solve(right);
    fit.start = tracking::Moved(fit.start, step.head<kDimension>());
    if (free_gravity) fit.gravity += step.tail<3>();
    if (step.norm() < 1e-10) break;
  }
  return fit;
}

}  // namespace

TossSet ReadTosses(const std::filesystem::path& experiment_file, double clearance,
                   int clear_samples) {
  const capture::Experiment experiment = capture::ReadExperiment(experiment_file);
  const auto* box = std::get_if<solver::Box>(&experiment.body.body.shape);
  if (box == nullptr) throw std::invalid_argument("body.shape must be a box");
  TossSet set;
  set.cube.edge = box->size.x();
  set.cube.mass = experiment.body.body.mass;
  set.cube.inertia = experiment.body.body.inertia(0, 0);
  set.gravity = experiment.trials.front().gravity.norm();
  for (const capture::Trial& trial : experiment.trials) {
    const tracking::PoseTable table = tracking::ReadPoseTable(*trial.motion);
    Toss toss;
    toss.name = trial.name;
    for (const tracking::PoseSample& sample : table.samples) {
      toss.poses.push_back({sample.pose->p_WB, sample.pose->q_WB});
    }
    toss.interval = (table.samples.back().time - table.samples.front().time) /
                    (static_cast<double>(toss.poses.size()) - 1.0);
    const auto touch = std::find_if(
        toss.poses.begin(), toss.poses.end(),
        [&](const TossPose& pose) { return LowestHeight(pose, set.cube.edge) <= clearance; });
    // Two samples have a velocity, three an error.
    toss.num_flight = std::max(3, static_cast<int>(touch - toss.poses.begin()) - clear_samples);
    set.tosses.push_back(std::move(toss));
  }
  return set;
}

TossSurroundings EstimateSurroundings(const TossSet& set, const std::vector<int>& tosses) {
  TossSurroundings out;
  out.position_sigma = 1e-4;
  out.angle_sigma = 1e-3;
  Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
  Vector3d sum = Vector3d::Zero();
  std::vector<tracking::ArcResidual> residuals;
  Eigen::Vector2d squares = Eigen::Vector2d::Zero();
  Eigen::Vector2d freedom = Eigen::Vector2d::Zero();
  for (std::size_t k = 0; k < tosses.size(); ++k) {
    const FlightFit fit = FitFlight(set.tosses[tosses[k]], set.cube, {0, 0, -set.gravity}, true,
                                    out.position_sigma, out.angle_sigma);
    const Eigen::Matrix3d covariance =
        fit.information.ldlt().solve(Eigen::MatrixXd::Identity(15, 15)).bottomRightCorner<3, 3>();
    information += covariance.inverse();
    sum += covariance.inverse() * fit.gravity;
    for (std::size_t frame = 0; frame < fit.residuals.size(); ++frame) {
      const auto& r = fit.residuals[frame];
      squares += Eigen::Vector2d(r.head<3>().squaredNorm(), r.tail<3>().squaredNorm());
      tracking::ArcResidual residual;
      residual.frame = static_cast<int>(frame);
      residual.arc = static_cast<int>(k);
      residual.value = r;
      residual.value.head<3>() /= out.position_sigma;
      residual.value.tail<3>() /= out.angle_sigma;
      residuals.push_back(residual);
    }
    // The places have gravity to fit besides their start.
    freedom += Eigen::Vector2d::Constant(3.0 * static_cast<double>(fit.residuals.size()));
    freedom -= Eigen::Vector2d(9.0, 6.0);
  }
  out.gravity = information.ldlt().solve(sum);
  out.position_sigma = std::sqrt(squares[0] / freedom[0]);
  out.angle_sigma = std::sqrt(squares[1] / freedom[1]);
  out.inflation = tracking::InflationOverFrames(residuals);
  out.scale = out.gravity.norm() / set.gravity;
  std::vector<double> heights;
  for (const int k : tosses) heights.push_back(set.tosses[k].poses.back().p.z());
  out.surface = Quantile(heights, 0.5) - 0.5 * out.scale * set.cube.edge;
  return out;
}

TossCube RecordedCube(const TossCube& cube, const TossSurroundings& surroundings) {
  TossCube recorded = cube;
  recorded.edge *= surroundings.scale;
  recorded.inertia *= surroundings.scale * surroundings.scale;
  recorded.mass_centre *= surroundings.scale;
  return recorded;
}

tracking::FlightEstimate FitStart(const Toss& toss, const TossCube& cube,
                                  const TossSurroundings& surroundings) {
  const FlightFit fit = FitFlight(toss, cube, surroundings.gravity, false,
                                  surroundings.position_sigma, surroundings.angle_sigma);
  tracking::FlightEstimate start;
  start.state = fit.start;
  start.covariance =
      surroundings.inflation *
      fit.information.ldlt().solve(Eigen::MatrixXd::Identity(kDimension, kDimension));
  return start;
}

TossThrow ThrowOf(const Toss& toss, const solver::FlightState<double>& start, const TossCube& cube,
                  const TossSurroundings& surroundings) {
  TossThrow out;
  out.pose = {start.p_WB, start.q_WB};
  out.pose.p.z() -= surroundings.surface;
  const TossPose middle{out.pose.p - out.pose.q * cube.mass_centre, out.pose.q};
  out.pose.p.z() -= std::min(0.0, LowestHeight(middle, cube.edge));
  out.v = start.v;
  out.w = start.w;
  out.gravity = surroundings.gravity;
  out.count = static_cast<int>(toss.poses.size());
  out.interval = toss.interval;
  return out;
}

}  // namespace percuss::benchmarks
