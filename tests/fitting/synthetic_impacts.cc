// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fitting/synthetic_impacts.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>

#include "base/math/geometry.h"
#include "fitting/model/impact_model.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

double Uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Eigen::Vector3d UniformVector(std::mt19937& random, double size) {
  return {Uniform(random, -size, size), Uniform(random, -size, size), Uniform(random, -size, size)};
}

solver::Body HomogeneousBox(const Eigen::Vector3d& size, double mass) {
  solver::Body body{.shape = solver::Box{size}, .mass = mass};
  body.inertia = solver::UniformInertia(body.shape, body.mass);
  return body;
}

solver::ImpactResult<double> Solve(const ImpactGeometry& geometry, double mu, double e) {
  return solver::SolveImpact("stronge", geometry.contact, std::array{mu, e});
}

}  // namespace

solver::Body Bar() { return HomogeneousBox({0.3065, 0.0515, 0.0125}, 0.185); }

ImpactRecord ExactImpact(std::mt19937& random, const std::string& trial, double mu, double e) {
  const solver::Body body = Bar();
  ImpactRecord record;
  record.trial = trial;
  record.time = 0.3;
  do {
    // Two draws in one call would come in the order that the compiler likes.
    const Eigen::Vector3d axis = UniformVector(random, 1.0).normalized();
    record.q_WB = Eigen::Quaterniond(Eigen::AngleAxisd(Uniform(random, 0.0, 3.0), axis));
    record.r =
        record.q_WB * solver::SupportPoint(body.shape, record.q_WB.conjugate() * (-record.normal));
    record.v = Eigen::Vector3d(0.0, 0.0, -2.0) + 0.8 * UniformVector(random, 1.0);
    record.w = UniformVector(random, 4.0);
  } while (CalcGeometry(record, body).contact.velocity.z() > -0.5);
  record.p_WB = Eigen::Vector3d(0.1, -0.05, -record.r.z());
  const ImpactGeometry geometry = CalcGeometry(record, body);
  const Vector6d after =
      geometry.before + geometry.velocity_per_impulse * Solve(geometry, mu, e).impulse;
  record.v_post = after.head<3>();
  record.w_post = after.tail<3>();
  return record;
}

ImpactRecord ExactImpactInMode(std::mt19937& random, const std::string& trial, double mu, double e,
                               solver::ContactMode mode) {
  while (true) {
    const ImpactRecord record = ExactImpact(random, trial, mu, e);
    const auto modes = Solve(CalcGeometry(record, Bar()), mu, e).modes;
    // Sticking impacts begin with slip that stops.
    if (mode == solver::ContactMode::kStick
            ? modes.back() == mode
            : std::ranges::all_of(modes, [&](auto m) { return m == mode; })) {
      return record;
    }
  }
}

impacts::ImpactCovariance TrackerCovariance(std::mt19937& random) {
  Eigen::VectorXd sigma(impacts::kImpactDimension);
  sigma << Eigen::Vector3d::Constant(2e-4), Eigen::Vector3d::Constant(5e-4),
      Eigen::Vector3d::Constant(3e-3), Eigen::Vector3d::Constant(3e-2),
      Eigen::Vector3d::Constant(3e-3), Eigen::Vector3d::Constant(3e-2);
  impacts::ImpactCovariance mix = impacts::ImpactCovariance::Identity();
  std::normal_distribution<double> normal(0.0, 0.2);
  for (double& entry : mix.reshaped()) entry += normal(random);
  return sigma.asDiagonal() * mix * mix.transpose() * sigma.asDiagonal();
}

Eigen::MatrixXd CalibrationSensitivity(const ImpactRecord& record) {
  Eigen::MatrixXd sensitivity = Eigen::MatrixXd::Zero(impacts::kImpactDimension, 30);
  sensitivity.col(0) << record.p_WB, Eigen::Vector3d::Zero(), record.v, Eigen::Vector3d::Zero(),
      record.v_post, Eigen::Vector3d::Zero();
  sensitivity.block<3, 3>(impacts::kPosition, 1) = -Skew(record.p_WB);
  sensitivity.block<3, 3>(impacts::kRotation, 1).setIdentity();
  sensitivity.block<3, 3>(impacts::kV, 1) = -Skew(record.v);
  sensitivity.block<3, 3>(impacts::kW, 1) = -Skew(record.w);
  sensitivity.block<3, 3>(impacts::kVPost, 1) = -Skew(record.v_post);
  sensitivity.block<3, 3>(impacts::kWPost, 1) = -Skew(record.w_post);
  return sensitivity;
}

Eigen::MatrixXd CalibrationCovariance() {
  Eigen::VectorXd variance = Eigen::VectorXd::Constant(30, 1e-6);
  variance[0] = 1e-3 * 1e-3;
  variance.segment<3>(1).setConstant(1.5e-3 * 1.5e-3);
  return variance.asDiagonal();
}

Eigen::VectorXd DrawNormal(std::mt19937& random, const Eigen::MatrixXd& covariance) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd unit(covariance.rows());
  for (double& entry : unit) entry = normal(random);
  return covariance.llt().matrixL() * unit;
}

void AddError(const Eigen::VectorXd& error, ImpactRecord& record) {
  record.p_WB += error.segment<3>(impacts::kPosition);
  const Eigen::Vector3d turn = error.segment<3>(impacts::kRotation);
  if (turn.norm() > 0.0) {
    const Eigen::Quaterniond q(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
    record.q_WB = (q * record.q_WB).normalized();
    record.r = q * record.r;
  }
  record.v += error.segment<3>(impacts::kV);
  record.w += error.segment<3>(impacts::kW);
  record.v_post += error.segment<3>(impacts::kVPost);
  record.w_post += error.segment<3>(impacts::kWPost);
}

impacts::ImpactTable NoisySlidingTable(std::mt19937& random, double mu, double e, int num_trials,
                                       bool with_calibration) {
  return NoisyTable(random, mu, e, num_trials, with_calibration, solver::ContactMode::kSlip);
}

impacts::ImpactTable NoisyTable(std::mt19937& random, double mu, double e, int num_trials,
                                bool with_calibration, solver::ContactMode mode) {
  impacts::ImpactTable table;
  const Eigen::MatrixXd calibration = CalibrationCovariance();
  const Eigen::VectorXd calibration_error = DrawNormal(random, calibration);
  if (with_calibration) table.calibration_covariance = calibration;
  for (int i = 0; i < num_trials; ++i) {
    ImpactRecord record = ExactImpactInMode(random, "t" + std::to_string(i), mu, e, mode);
    const impacts::ImpactCovariance pixels = TrackerCovariance(random);
    Eigen::VectorXd error = DrawNormal(random, pixels);
    record.covariance = pixels;
    if (with_calibration) {
      record.calibration_sensitivity = CalibrationSensitivity(record);
      *record.covariance +=
          record.calibration_sensitivity * calibration * record.calibration_sensitivity.transpose();
      error += record.calibration_sensitivity * calibration_error;
    }
    AddError(error, record);
    table.impacts.push_back(record);
  }
  return table;
}

solver::Body Carton() { return HomogeneousBox({0.08, 0.06, 0.05}, 0.2); }

namespace {

// With some of its corners level and lowest, and on its way down.
ImpactRecord ExactLanding(std::mt19937& random, const std::string& trial, double mu, double e,
                          int num_points) {
  const solver::Body body = Carton();
  ImpactRecord record;
  record.trial = trial;
  record.time = 0.3;
  const int axis = static_cast<int>(random() % 3);
  const double side = random() % 2 == 0 ? 1.0 : -1.0;
  Eigen::Vector3d down = side * Eigen::Vector3d::Unit(axis);
  // Steep enough that no other corner is near.
  if (num_points < 4) down[(axis + 1) % 3] += Uniform(random, 0.3, 1.0);
  if (num_points < 2) down[(axis + 2) % 3] += Uniform(random, 0.3, 1.0);
  const auto to_surface = Eigen::Quaterniond::FromTwoVectors(down, -Eigen::Vector3d::UnitZ());
  const Eigen::AngleAxisd heading(Uniform(random, 0.0, 6.28), Eigen::Vector3d::UnitZ());
  record.q_WB = heading * to_surface;
  const Eigen::Vector3d down_B = record.q_WB.conjugate() * -Eigen::Vector3d::UnitZ();
  const std::vector<Eigen::Vector3d> corners = solver::SupportCandidates(body.shape, down_B, 1e-6);
  ImpactGeometry geometry;
  do {
    record.v = Eigen::Vector3d(0.0, 0.0, -2.0) + UniformVector(random, 0.8);
    record.w = UniformVector(random, 3.0);
    record.r = record.q_WB * corners.back();
    geometry = CalcGeometry(record, body);
    // The first of several is their middle.
    for (std::size_t k = num_points > 1 ? 1 : 0; num_points > 1 && k < corners.size(); ++k)
      geometry.touching.push_back(record.q_WB * corners[k]);
  } while (geometry.contact.velocity.z() > -0.5);
  record.p_WB = Eigen::Vector3d(0.1, -0.05, -record.r.z());
  const Vector6d after =
      geometry.before + SolveLaw("multi-point", geometry, std::array{mu, e}).jump;
  record.v_post = after.head<3>();
  record.w_post = after.tail<3>();
  return record;
}

}  // namespace

impacts::ImpactTable NoisyLandings(std::mt19937& random, double mu, double e, int num_trials,
                                   int num_points) {
  impacts::ImpactTable table;
  for (int i = 0; i < num_trials; ++i) {
    ImpactRecord record = ExactLanding(random, "t" + std::to_string(i), mu, e, num_points);
    const impacts::ImpactCovariance pixels = TrackerCovariance(random);
    record.covariance = pixels;
    AddError(DrawNormal(random, pixels), record);
    const Eigen::Vector3d down_B = record.q_WB.conjugate() * -Eigen::Vector3d::UnitZ();
    record.r = record.q_WB * solver::SupportPoint(Carton().shape, down_B);
    table.impacts.push_back(record);
  }
  return table;
}

}  // namespace percuss::fitting
