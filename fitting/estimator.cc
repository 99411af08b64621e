// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimator.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace percuss::fitting {
namespace {

using tracking::ImpactRecord;

std::span<const double> AsSpan(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<size_t>(vector.size())};
}

// All whitened residuals as one Ceres cost; one block per parameter, so that each can be held.
class WhitenedCost final : public ceres::CostFunction {
 public:
  WhitenedCost(const SharedLawProblem& problem, const JointWhitening& whitening)
      : problem_(problem), whitening_(whitening) {
    set_num_residuals(static_cast<int>(whitening.rows()));
    mutable_parameter_block_sizes()->assign(static_cast<size_t>(problem.num_parameters()), 1);
  }

  bool Evaluate(double const* const* parameters, double* residuals,
                double** jacobians) const override {
    Eigen::VectorXd values(problem_.num_parameters());
    for (Eigen::Index i = 0; i < values.size(); ++i) values[i] = *parameters[i];
    Eigen::MatrixXd derivatives;
    const Eigen::VectorXd raw =
        problem_.CalcResiduals(values, jacobians == nullptr ? nullptr : &derivatives);
    if (!raw.allFinite()) return false;
    Eigen::Map<Eigen::VectorXd>(residuals, whitening_.rows()) = whitening_.Apply(raw);
    if (jacobians == nullptr) return true;
    if (!derivatives.allFinite()) return false;
    const Eigen::MatrixXd whitened = whitening_.Apply(derivatives);
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      if (jacobians[i] == nullptr) continue;
      Eigen::Map<Eigen::VectorXd>(jacobians[i], whitening_.rows()) = whitened.col(i);
    }
    return true;
  }

 private:
  const SharedLawProblem& problem_;
  const JointWhitening& whitening_;
};

double CalcCost(const SharedLawProblem& problem, const JointWhitening& whitening,
                const Eigen::VectorXd& parameters) {
  const double cost = whitening.Apply(problem.CalcResiduals(parameters)).squaredNorm();
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

Eigen::VectorXd TypicalParameters(const solver::LawInfo& law) {
  Eigen::VectorXd parameters(static_cast<Eigen::Index>(law.parameters.size()));
  for (Eigen::Index i = 0; i < parameters.size(); ++i) parameters[i] = law.parameters[i].typical;
  return parameters;
}

// Values that a search tries for one parameter: even steps inside finite bounds, growing ones where
// there is no upper bound.
std::vector<double> GridValues(const solver::ParameterInfo& info, bool coarse) {
  const bool bounded = std::isfinite(info.lower) && std::isfinite(info.upper);
  std::vector<double> values;
  if (bounded) {
    for (const double part : coarse ? std::vector<double>{0.2, 0.5, 0.8}
                                    : std::vector<double>{0.1, 0.3, 0.5, 0.7, 0.9}) {
      values.push_back(info.lower + part * (info.upper - info.lower));
    }
  } else {
    const double origin = std::isfinite(info.lower) ? info.lower : 0.0;
    for (const double factor : coarse ? std::vector<double>{0.25, 0.75, 2.0}
                                      : std::vector<double>{0.1, 0.25, 0.5, 1.0, 2.0, 4.0}) {
      values.push_back(std::min(origin + factor * std::max(info.typical, 0.1), info.upper));
    }
  }
  return values;
}

std::vector<Eigen::VectorXd> GridPoints(const solver::LawInfo& law) {
  constexpr size_t kMaxVaried = 5;  // 3^5 points; further parameters start at their typical value
  std::vector<Eigen::VectorXd> points = {TypicalParameters(law)};
  for (size_t i = 0; i < std::min(law.parameters.size(), kMaxVaried); ++i) {
    std::vector<Eigen::VectorXd> next;
    for (const Eigen::VectorXd& point : points) {
      for (const double value : GridValues(law.parameters[i], law.parameters.size() > 2)) {
        next.push_back(point);
        next.back()[static_cast<Eigen::Index>(i)] = value;
      }
    }
    points = std::move(next);
  }
  return points;
}

// Profile cost at x. Starts from the neighbouring point, which is moved along, and lets the other
// parameters follow as they would for a parabola.
double ProfileCost(const SharedLawProblem& problem, const JointWhitening& whitening, int parameter,
                   double x, const Eigen::VectorXd& others_per_parameter, Minimum& neighbour) {
  Eigen::VectorXd start =
      neighbour.parameters + others_per_parameter * (x - neighbour.parameters[parameter]);
  start[parameter] = x;
  if (problem.num_parameters() == 1) {
    neighbour = {start, CalcCost(problem, whitening, start), true};
  } else {
    neighbour = MinimizeFrom(problem, whitening, start, parameter);
  }
  return neighbour.cost;
}

}  // namespace

SharedLawProblem::SharedLawProblem(const solver::LawInfo& law, const solver::Body& body,
                                   std::vector<const ImpactRecord*> records,
                                   std::vector<const ImpactErrors*> errors)
    : law_(&law), body_(&body), records_(std::move(records)), errors_(std::move(errors)) {
  for (const ImpactRecord* record : records_) geometry_.push_back(CalcGeometry(*record, body));
}

Eigen::VectorXd SharedLawProblem::CalcResiduals(const Eigen::VectorXd& parameters,
                                                Eigen::MatrixXd* derivatives) const {
  const auto rows = 6 * static_cast<Eigen::Index>(records_.size());
  Eigen::VectorXd residuals(rows);
  if (derivatives != nullptr) derivatives->resize(rows, num_parameters());
  for (size_t i = 0; i < records_.size(); ++i) {
    const ImpactGeometry& geometry = geometry_[i];
    const auto row = 6 * static_cast<Eigen::Index>(i);
    Eigen::Vector3d impulse;
    if (derivatives == nullptr) {
      impulse = LawImpulse(law_->name, geometry.contact, AsSpan(parameters));
    } else {
      const LawDerivatives by_law =
          DifferentiateLawByParameters(law_->name, geometry.contact, AsSpan(parameters));
      impulse = by_law.impulse;
      derivatives->middleRows<6>(row) = -geometry.velocity_per_impulse * by_law.parameters;
    }
    Vector6d measured;
    measured << records_[i]->v_post, records_[i]->w_post;
    residuals.segment<6>(row) =
        measured - geometry.before - geometry.velocity_per_impulse * impulse;
  }
  return residuals;
}

std::vector<SharedLawProblem::ErrorJacobian> SharedLawProblem::CalcErrorJacobians(
    const Eigen::VectorXd& parameters) const {
  std::vector<ErrorJacobian> jacobians;
  for (const ImpactRecord* record : records_) {
    const ImpactLinearization model =
        LinearizeImpact(law_->name, *record, *body_, AsSpan(parameters));
    ErrorJacobian jacobian = ErrorJacobian::Zero();
    jacobian.middleCols<3>(tracking::kRotation) = -model.rotation;
    jacobian.middleCols<3>(tracking::kV) = -model.v;
    jacobian.middleCols<3>(tracking::kW) = -model.w;
    jacobian.middleCols<3>(kArm) = -model.arm;
    jacobian.middleCols<6>(tracking::kVPost).setIdentity();
    jacobians.push_back(jacobian);
  }
  return jacobians;
}

JointWhitening SharedLawProblem::CalcWhitening(const std::vector<ErrorJacobian>& jacobians) const {
  std::vector<Eigen::Matrix<double, 6, 6>> own;
  std::vector<Eigen::Matrix<double, 6, Eigen::Dynamic>> shared;
  for (size_t i = 0; i < records_.size(); ++i) {
    own.push_back(jacobians[i] * errors_[i]->own * jacobians[i].transpose());
    shared.push_back(jacobians[i] * errors_[i]->shared);
  }
  return JointWhitening(own, shared);
}

JointWhitening SharedLawProblem::CalcWhitening(const Eigen::VectorXd& parameters) const {
  return CalcWhitening(CalcErrorJacobians(parameters));
}

Minimum MinimizeFrom(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& start, int fixed) {
  Eigen::VectorXd values = start;
  ceres::Problem::Options ownership;
  ownership.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  WhitenedCost cost(problem, whitening);
  ceres::Problem ceres_problem(ownership);
  std::vector<double*> blocks;
  for (Eigen::Index i = 0; i < values.size(); ++i) blocks.push_back(&values[i]);
  ceres_problem.AddResidualBlock(&cost, nullptr, blocks);
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const solver::ParameterInfo& info = problem.law().parameters[static_cast<size_t>(i)];
    if (i == fixed) {
      ceres_problem.SetParameterBlockConstant(blocks[static_cast<size_t>(i)]);
      continue;
    }
    values[i] = std::clamp(values[i], info.lower, info.upper);
    if (std::isfinite(info.lower)) {
      ceres_problem.SetParameterLowerBound(blocks[static_cast<size_t>(i)], 0, info.lower);
    }
    if (std::isfinite(info.upper)) {
      ceres_problem.SetParameterUpperBound(blocks[static_cast<size_t>(i)], 0, info.upper);
    }
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  options.function_tolerance = 1e-9;
  options.parameter_tolerance = 1e-9;
  options.gradient_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &ceres_problem, &summary);
  return {.parameters = values,
          .cost = CalcCost(problem, whitening, values),
          .converged = summary.termination_type == ceres::CONVERGENCE};
}

Minimum MinimizeFromGrid(const SharedLawProblem& problem, const JointWhitening& whitening) {
  constexpr size_t kNumStarts = 3;
  std::vector<std::pair<double, Eigen::VectorXd>> points;
  for (const Eigen::VectorXd& point : GridPoints(problem.law())) {
    points.emplace_back(CalcCost(problem, whitening, point), point);
  }
  std::ranges::sort(points, {}, &std::pair<double, Eigen::VectorXd>::first);
  Minimum best;
  for (size_t i = 0; i < std::min(kNumStarts, points.size()); ++i) {
    const Minimum candidate = MinimizeFrom(problem, whitening, points[i].second);
    if (candidate.cost < best.cost || best.parameters.size() == 0) best = candidate;
  }
  return best;
}

WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         const Eigen::VectorXd* start) {
  const Eigen::VectorXd first = start == nullptr ? TypicalParameters(problem.law()) : *start;
  JointWhitening whitening = problem.CalcWhitening(first);
  Minimum minimum = start == nullptr ? MinimizeFromGrid(problem, whitening)
                                     : MinimizeFrom(problem, whitening, first);
  constexpr int kMaxReweightings = 4;
  constexpr double kSettled = 1e-4;  // of the parameters' own scale
  for (int i = 0; i < kMaxReweightings; ++i) {
    const Eigen::VectorXd before = minimum.parameters;
    whitening = problem.CalcWhitening(before);
    minimum = MinimizeFrom(problem, whitening, before);
    const double step =
        ((minimum.parameters - before).array().abs() / (before.array().abs() + 0.01)).maxCoeff();
    if (!(step > kSettled)) break;
  }
  return {std::move(minimum), std::move(whitening)};
}

ProfileInterval WalkProfile(const SharedLawProblem& problem, const JointWhitening& whitening,
                            const Minimum& minimum, int parameter,
                            const Eigen::MatrixXd& covariance, double threshold) {
  const solver::ParameterInfo& info = problem.law().parameters[static_cast<size_t>(parameter)];
  const double centre = minimum.parameters[parameter];
  const double scale = std::max({std::abs(centre), std::abs(info.typical), 1e-3});
  const double variance = covariance(parameter, parameter);
  const double sigma = std::sqrt(variance * threshold);
  Eigen::VectorXd others_per_parameter = Eigen::VectorXd::Zero(problem.num_parameters());
  if (variance > 0.0) others_per_parameter = covariance.col(parameter) / variance;
  ProfileInterval interval;
  interval.best = minimum;
  const auto excess = [&](Minimum& at, double x) {
    const double cost = ProfileCost(problem, whitening, parameter, x, others_per_parameter, at);
    if (cost < interval.best.cost) interval.best = at;
    return cost - minimum.cost;
  };
  for (const int side : {0, 1}) {
    const double direction = side == 0 ? -1.0 : 1.0;
    const double bound = side == 0 ? info.lower : info.upper;
    // Ten times any reasonable value stands for infinity.
    const double limit = std::isfinite(bound) ? bound : centre + direction * 10.0 * scale;
    Minimum inside = minimum;
    double x_inside = centre;
    double excess_inside = 0.0;
    double step = sigma > 0.0 && std::isfinite(sigma) ? std::min(1.02 * sigma, scale) : 0.1 * scale;
    interval.ends[side] = bound;
    while (direction * (limit - x_inside) > 0.0) {
      double x_outside = x_inside + direction * step;
      if (direction * (limit - x_outside) < 0.0) x_outside = limit;
      Minimum outside = inside;
      double excess_outside = excess(outside, x_outside);
      if (excess_outside <= threshold) {
        inside = outside;
        x_inside = x_outside;
        excess_inside = excess_outside;
        step *= 1.7;
        continue;
      }
      // Root of sqrt(excess) between the two, nearly linear where the cost is a parabola: regula
      // falsi, every third step a bisection so that a kink cannot hold it up.
      const double target = std::sqrt(threshold);
      for (int i = 0; i < 60; ++i) {
        const double width = std::abs(x_outside - x_inside);
        if (width <= 1e-9 * scale) break;
        const double f_inside = std::sqrt(std::max(excess_inside, 0.0)) - target;
        const double f_outside = std::sqrt(excess_outside) - target;
        if (f_outside < 2e-3 * target || -f_inside < 2e-3 * target) break;
        const double part = i % 3 == 2 || !std::isfinite(f_outside)
                                ? 0.5
                                : std::clamp(-f_inside / (f_outside - f_inside), 0.02, 0.98);
        const double x = x_inside + part * (x_outside - x_inside);
        Minimum middle = inside;
        const double excess_middle = excess(middle, x);
        if (excess_middle <= threshold) {
          inside = middle;
          x_inside = x;
          excess_inside = excess_middle;
        } else {
          x_outside = x;
          excess_outside = excess_middle;
        }
      }
      const double f_inside = target - std::sqrt(std::max(excess_inside, 0.0));
      const double f_outside = std::sqrt(excess_outside) - target;
      const double part = std::isfinite(f_outside) && f_inside + f_outside > 0.0
                              ? f_inside / (f_inside + f_outside)
                              : 0.0;
      interval.ends[side] = x_inside + part * (x_outside - x_inside);
      interval.closed[side] = true;
      break;
    }
  }
  return interval;
}

}  // namespace percuss::fitting
