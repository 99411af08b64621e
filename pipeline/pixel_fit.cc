// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/pixel_fit.h"

#include <ceres/ceres.h>
#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <memory>

#include "base/math/covariance_root.h"
#include "fitting/model/impact_model.h"
#include "solver/solve_impact.h"

namespace percuss::pipeline {
namespace {

using impacts::ImpactRecord;
using tracking::ArcUnknowns;

/// time, position, quaternion, v, w, clocks and their rates: as Ceres holds the unknowns of one
/// trial.
constexpr int kClocks = 14, kRates = kClocks + capture::kMostCameras;
constexpr int kAmbient = kRates + capture::kMostCameras;

ArcUnknowns Unpacked(const double* values) {
  const Eigen::Map<const Eigen::Matrix<double, kAmbient, 1>> x(values);
  ArcUnknowns unknowns;
  unknowns.time = x[0];
  unknowns.before.p_WB = x.segment<3>(1);
  unknowns.before.q_WB = Eigen::Quaterniond(x[4], x[5], x[6], x[7]);
  unknowns.before.v = x.segment<3>(8);
  unknowns.before.w = x.segment<3>(11);
  std::copy_n(values + kClocks, capture::kMostCameras, unknowns.clock.begin());
  std::copy_n(values + kRates, capture::kMostCameras, unknowns.clock_rate.begin());
  return unknowns;
}

void Pack(const ArcUnknowns& unknowns, double* values) {
  Eigen::Map<Eigen::Matrix<double, kAmbient, 1>> x(values);
  const Eigen::Quaterniond& q = unknowns.before.q_WB;
  x.head<kClocks>() << unknowns.time, unknowns.before.p_WB, q.w(), q.x(), q.y(), q.z(),
      unknowns.before.v, unknowns.before.w;
  std::ranges::copy(unknowns.clock, values + kClocks);
  std::ranges::copy(unknowns.clock_rate, values + kRates);
}

/// Steps of one trial's unknowns, along the columns of ArcProblem that are before the impact. The
/// derivatives are by the step itself, padded to the ambient size, as the cost gives them.
class TrialManifold final : public ceres::Manifold {
 public:
  explicit TrialManifold(std::vector<int> columns) : columns_(std::move(columns)) {}
  int AmbientSize() const override { return kAmbient; }
  int TangentSize() const override { return static_cast<int>(columns_.size()); }

  bool Plus(const double* x, const double* delta, double* x_plus_delta) const override {
    const Eigen::Map<const Eigen::VectorXd> step(delta, TangentSize());
    Pack(tracking::Stepped(Unpacked(x), columns_, step), x_plus_delta);
    return true;
  }
  bool PlusJacobian(const double*, double* jacobian) const override {
    Eigen::Map<Eigen::Matrix<double, kAmbient, Eigen::Dynamic, Eigen::RowMajor>> J(
        jacobian, kAmbient, TangentSize());
    J.setZero();
    J.topRows(TangentSize()).setIdentity();
    return true;
  }
  // Only evaluation of covariances in the ambient space would need these.
  bool Minus(const double*, const double*, double*) const override { return false; }
  bool MinusJacobian(const double*, double*) const override { return false; }

 private:
  std::vector<int> columns_;
};

/// What all trials share.
struct Shared {
  const solver::LawInfo& law;
  const solver::Body& body;
  const tracking::SightingModel& model;
  Eigen::MatrixXd calibration_root;
};

/// The contact arm after the body has turned away from the pose of the record.
Eigen::Vector3d ContactArm(const ImpactRecord& record, const solver::Body& body,
                           const Eigen::Quaterniond& q_WB) {
  const Eigen::AngleAxisd turn(q_WB * record.q_WB.conjugate());
  return record.r + fitting::ContactArmPerRotation(record, body) * (turn.angle() * turn.axis());
}

/// The sightings of one trial against the law. Parameter blocks: the trial, the calibration's k,
/// the parameters of the law.
class TrialCost final : public ceres::CostFunction {
 public:
  TrialCost(const Shared& shared, const PixelTrial& trial)
      : shared_(shared),
        trial_(trial),
        problem_(tracking::ProblemOf(trial.arcs, shared.model, shared.body.inertia,
                                     trial.record.gravity)) {
    for (const int column : problem_.unknowns) {
      if (!IsAfter(column)) columns_.push_back(column);
    }
    const tracking::Linearisation start =
        tracking::Linearise(problem_, trial.arcs.frames, trial.arcs.solution);
    free_cost_ = start.residuals.squaredNorm() / trial.arcs.variance;
    if (trial.record.body_sensitivity.size() > 0 && UsesCalibration())
      body_by_k_ = trial.record.body_sensitivity * shared_.calibration_root;
    set_num_residuals(static_cast<int>(start.residuals.size()));
    *mutable_parameter_block_sizes() = {kAmbient, NumCalibration(), NumParameters()};
  }

  const std::vector<int>& Columns() const { return columns_; }
  double FreeCost() const { return free_cost_; }
  /// How many numbers the law replaces.
  int NumAfter() const {
    return static_cast<int>(std::ranges::count_if(problem_.unknowns, IsAfter));
  }

  bool Evaluate(double const* const* blocks, double* residuals, double** jacobians) const override {
    ArcUnknowns x = Unpacked(blocks[0]);
    const Eigen::Map<const Eigen::VectorXd> k(blocks[1], NumCalibration());
    const std::span<const double> parameters(blocks[2], static_cast<std::size_t>(NumParameters()));

    ImpactRecord record = trial_.record;
    record.q_WB = x.before.q_WB;
    record.v = x.before.v;
    record.w = x.before.w;
    record.r = ContactArm(trial_.record, shared_.body, record.q_WB);
    const Eigen::VectorXd body_error =
        UsesBody() ? Eigen::VectorXd(body_by_k_ * k) : Eigen::VectorXd();
    if (UsesBody()) record.r += body_error.head<3>();
    fitting::ImpactGeometry geometry = fitting::CalcGeometry(record, shared_.body);
    const Eigen::Quaterniond turn = record.q_WB * trial_.record.q_WB.conjugate();
    for (const Eigen::Vector3d& arm : trial_.touching) {
      geometry.touching.push_back(turn * arm);
      if (UsesBody()) geometry.touching.back() += body_error.head<3>();
    }
    if (!(geometry.contact.velocity.z() < 0.0)) return false;
    const fitting::ImpactLinearization impact =
        fitting::LinearizeImpact(shared_.law.name, record, geometry, parameters);
    if (!impact.after.allFinite()) return false;
    fitting::Vector6d after = impact.after;
    if (UsesBody()) after += impact.inertia * body_error.tail<6>();
    x.v_post = after.head<3>();
    x.w_post = after.tail<3>();

    const tracking::Linearisation linear = tracking::Linearise(problem_, trial_.arcs.frames, x);
    const double scale = 1.0 / std::sqrt(trial_.arcs.variance);
    Eigen::MatrixXd by_k = UsesCalibration()
                               ? Eigen::MatrixXd(linear.by_calibration * shared_.calibration_root)
                               : Eigen::MatrixXd();
    Eigen::Map<Eigen::VectorXd> out(residuals, num_residuals());
    out = scale * linear.residuals;
    if (UsesCalibration()) out += scale * by_k * k;  // the law follows k by itself
    if (!out.allFinite()) return false;
    if (jacobians == nullptr) return true;

    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    constexpr int kAfter = tracking::kImpactColumn + impacts::kVPost;
    const auto by_after = linear.jacobian.middleCols<6>(kAfter);
    if (UsesBody()) {
      by_k += by_after *
              (impact.arm * body_by_k_.topRows<3>() + impact.inertia * body_by_k_.bottomRows<6>());
    }
    if (jacobians[0] != nullptr) {
      Eigen::MatrixXd J = linear.jacobian;
      J.middleCols<3>(tracking::kImpactColumn + impacts::kRotation) += by_after * impact.rotation;
      J.middleCols<3>(tracking::kImpactColumn + impacts::kV) += by_after * impact.v;
      J.middleCols<3>(tracking::kImpactColumn + impacts::kW) += by_after * impact.w;
      Eigen::Map<RowMajor> block(jacobians[0], num_residuals(), kAmbient);
      block.setZero();
      block.leftCols(static_cast<Eigen::Index>(columns_.size())) = scale * J(Eigen::all, columns_);
    }
    if (jacobians[1] != nullptr) {
      Eigen::Map<RowMajor> block(jacobians[1], num_residuals(), NumCalibration());
      block.setZero();
      if (UsesCalibration()) block = scale * by_k;
    }
    if (jacobians[2] != nullptr) {
      Eigen::Map<RowMajor>(jacobians[2], num_residuals(), NumParameters()) =
          scale * by_after * impact.parameters;
    }
    return true;
  }

 private:
  static bool IsAfter(int column) {
    constexpr int kFirst = tracking::kImpactColumn + impacts::kVPost;
    return column >= kFirst && column < kFirst + 6;
  }
  bool UsesCalibration() const { return shared_.calibration_root.size() > 0; }
  bool UsesBody() const { return body_by_k_.size() > 0; }
  int NumCalibration() const {  // Ceres has no empty blocks
    return std::max(1, static_cast<int>(shared_.calibration_root.cols()));
  }
  int NumParameters() const { return static_cast<int>(shared_.law.parameters.size()); }

  const Shared& shared_;
  const PixelTrial& trial_;
  tracking::ArcProblem problem_;
  std::vector<int> columns_;
  Eigen::MatrixXd body_by_k_;  ///< contact arm and inertia by the directions of the shared errors
  double free_cost_ = 0.0;
};

/// k itself: its prior.
class UnitPrior final : public ceres::CostFunction {
 public:
  explicit UnitPrior(int count) {
    set_num_residuals(count);
    mutable_parameter_block_sizes()->push_back(count);
  }
  bool Evaluate(double const* const* blocks, double* residuals, double** jacobians) const override {
    std::copy_n(blocks[0], num_residuals(), residuals);
    if (jacobians != nullptr && jacobians[0] != nullptr) {
      Eigen::Map<Eigen::MatrixXd>(jacobians[0], num_residuals(), num_residuals()).setIdentity();
    }
    return true;
  }
};

struct Unknowns {
  std::vector<std::array<double, kAmbient>> trials;
  Eigen::VectorXd k, parameters;
};

/// Information on the parameters when everything else is free: Schur complement of the normal
/// matrix.
Eigen::MatrixXd ParameterInformation(const std::vector<const TrialCost*>& costs,
                                     const Unknowns& x) {
  const Eigen::Index num_k = x.k.size(), num_parameters = x.parameters.size();
  Eigen::MatrixXd shared = Eigen::MatrixXd::Zero(num_k + num_parameters, num_k + num_parameters);
  shared.topLeftCorner(num_k, num_k).setIdentity();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const auto rows = static_cast<Eigen::Index>(costs[i]->num_residuals());
    Eigen::VectorXd residuals(rows);
    RowMajor by_trial(rows, kAmbient), by_k(rows, num_k), by_parameters(rows, num_parameters);
    const std::array<const double*, 3> blocks = {x.trials[i].data(), x.k.data(),
                                                 x.parameters.data()};
    std::array<double*, 3> jacobians = {by_trial.data(), by_k.data(), by_parameters.data()};
    if (!costs[i]->Evaluate(blocks.data(), residuals.data(), jacobians.data())) continue;
    const Eigen::MatrixXd J =
        by_trial.leftCols(static_cast<Eigen::Index>(costs[i]->Columns().size()));
    Eigen::MatrixXd G(rows, num_k + num_parameters);
    G << by_k, by_parameters;
    const Eigen::MatrixXd cross = J.transpose() * G;
    shared += G.transpose() * G - cross.transpose() * (J.transpose() * J).ldlt().solve(cross);
  }
  const Eigen::MatrixXd cross = shared.topRightCorner(num_k, num_parameters);
  return shared.bottomRightCorner(num_parameters, num_parameters) -
         cross.transpose() * shared.topLeftCorner(num_k, num_k).ldlt().solve(cross);
}

void SetIntervals(const Eigen::MatrixXd& information, const Eigen::VectorXd& values,
                  const solver::LawInfo& law, fitting::PixelFit* fit) {
  const Eigen::Index count = values.size();
  std::vector<int> seen;
  for (int i = 0; i < count; ++i) {
    if (information(i, i) > 0.0) seen.push_back(i);
  }
  fit->covariance = Eigen::MatrixXd::Constant(count, count, kNaN);
  const Eigen::MatrixXd part = information(seen, seen);
  fit->covariance(seen, seen) = fit->interval_scale * fit->interval_scale * part.inverse();
  for (Eigen::Index i = 0; i < count; ++i) {
    const solver::ParameterInfo& info = law.parameters[i];
    fitting::ParameterEstimate estimate;
    estimate.name = info.name;
    estimate.best = values[i];
    if (fit->covariance(i, i) > 0.0) {
      estimate.value = values[i];
      estimate.sigma = std::sqrt(fit->covariance(i, i));
      estimate.ci95 = {std::max(info.lower, values[i] - 1.96 * estimate.sigma),
                       std::min(info.upper, values[i] + 1.96 * estimate.sigma)};
      estimate.status = fitting::ParameterStatus::kIdentified;
    }
    fit->parameters.push_back(estimate);
  }
}

}  // namespace

fitting::PixelFit FitPixels(const std::vector<PixelTrial>& trials, std::string_view law_name,
                            const Eigen::VectorXd& start, const solver::Body& body,
                            const tracking::MarkerLayout& layout,
                            const calibration::RigCalibration& calibration,
                            const Eigen::MatrixXd* bench_covariance) {
  const solver::LawInfo& law = solver::FindLaw(law_name);
  fitting::PixelFit fit;
  fit.law = law.name;
  fit.num_trials = static_cast<int>(trials.size());
  if (trials.empty()) {
    fit.message = "no trial has sightings";
    return fit;
  }
  const tracking::SightingModel model(layout, calibration, bench_covariance);
  const Shared shared{law, body, model, CovarianceRoot(model.covariance)};

  Unknowns x;
  x.trials.resize(trials.size());
  x.k = Eigen::VectorXd::Zero(std::max<Eigen::Index>(1, shared.calibration_root.cols()));
  x.parameters = start;

  ceres::Problem problem;
  std::vector<const TrialCost*> costs;
  double free_cost = 0.0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Pack(trials[i].arcs.solution, x.trials[i].data());
    auto cost = std::make_unique<TrialCost>(shared, trials[i]);
    free_cost += cost->FreeCost();
    fit.dof += cost->NumAfter();
    costs.push_back(cost.get());
    problem.AddResidualBlock(cost.release(), nullptr, x.trials[i].data(), x.k.data(),
                             x.parameters.data());
    problem.SetManifold(x.trials[i].data(), new TrialManifold(costs.back()->Columns()));
  }
  problem.AddResidualBlock(new UnitPrior(static_cast<int>(x.k.size())), nullptr, x.k.data());
  for (int i = 0; i < x.parameters.size(); ++i) {
    const solver::ParameterInfo& info = law.parameters[i];
    if (std::isfinite(info.lower)) {
      problem.SetParameterLowerBound(x.parameters.data(), i, info.lower);
    }
    if (std::isfinite(info.upper)) {
      problem.SetParameterUpperBound(x.parameters.data(), i, info.upper);
    }
  }

  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  for (auto& trial : x.trials) options.linear_solver_ordering->AddElementToGroup(trial.data(), 0);
  // A group each: within one they would be ordered by their addresses, not the same in each run.
  options.linear_solver_ordering->AddElementToGroup(x.k.data(), 1);
  options.linear_solver_ordering->AddElementToGroup(x.parameters.data(), 2);
  options.max_num_iterations = 50;
  options.function_tolerance = 1e-12;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  fit.converged = summary.IsSolutionUsable() && summary.termination_type == ceres::CONVERGENCE;
  if (!fit.converged) {
    fit.message = "the fit to the pixels did not converge: " + summary.message;
    return fit;
  }

  // Each trial's six velocities after the impact became functions of the parameters.
  fit.dof -= static_cast<int>(x.parameters.size());
  fit.misfit = std::max(0.0, 2.0 * summary.final_cost - free_cost);
  fit.interval_scale = fit.dof > 0 ? std::sqrt(std::max(1.0, fit.misfit / fit.dof)) : 1.0;
  fit.calibration_shift = std::sqrt(x.k.squaredNorm() / static_cast<double>(x.k.size()));
  SetIntervals(ParameterInformation(costs, x), x.parameters, law, &fit);
  fit.message = fmt::format("{} trials, all sightings at once", trials.size());
  return fit;
}

}  // namespace percuss::pipeline
