// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/estimator.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/math/statistics.h"
#include "fitting/model/search_grid.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

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
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const Coefficient& info = problem_.model().coefficients()[i];
      values[i] = *parameters[i];
      if (values[i] < info.lower || values[i] > info.upper) {
        left_bounds_ = true;
        return false;
      }
    }
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

  /// Whether an evaluation was asked for outside the bounds of the law; there is none.
  bool left_bounds() const { return left_bounds_; }

 private:
  const SharedLawProblem& problem_;
  const JointWhitening& whitening_;
  mutable bool left_bounds_ = false;
};

double CalcCost(const SharedLawProblem& problem, const JointWhitening& whitening,
                const Eigen::VectorXd& parameters) {
  const double cost = whitening.Apply(problem.CalcResiduals(parameters)).squaredNorm();
  return std::isfinite(cost) ? cost : std::numeric_limits<double>::infinity();
}

enum class Bounds { kUnseen, kKept };

struct Found {
  Minimum minimum;
  bool left_bounds = false;  // some step was refused since it led out of the bounds
};

Found Search(const SharedLawProblem& problem, const JointWhitening& whitening,
             const Eigen::VectorXd& start, const std::vector<bool>& held, double tolerance,
             Bounds bounds) {
  Eigen::VectorXd values = start;
  ceres::Problem::Options ownership;
  ownership.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  WhitenedCost cost(problem, whitening);
  ceres::Problem ceres_problem(ownership);
  std::vector<double*> blocks;
  for (Eigen::Index i = 0; i < values.size(); ++i) blocks.push_back(&values[i]);
  ceres_problem.AddResidualBlock(&cost, nullptr, blocks);
  for (int i = 0; i < static_cast<int>(blocks.size()); ++i) {
    const Coefficient& info = problem.model().coefficients()[i];
    if (held[i]) {
      ceres_problem.SetParameterBlockConstant(blocks[i]);
      continue;
    }
    values[i] = std::clamp(values[i], info.lower, info.upper);
    if (bounds == Bounds::kUnseen) continue;
    if (std::isfinite(info.lower)) {
      ceres_problem.SetParameterLowerBound(blocks[i], 0, info.lower);
    }
    if (std::isfinite(info.upper)) {
      ceres_problem.SetParameterUpperBound(blocks[i], 0, info.upper);
    }
  }
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.max_num_iterations = 100;
  options.function_tolerance = tolerance;
  options.parameter_tolerance = 1e-9;
  options.gradient_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &ceres_problem, &summary);
  const bool evaluated = summary.final_cost >= 0.0 && std::isfinite(summary.final_cost);
  return {{.parameters = values,
           .cost = evaluated ? 2.0 * summary.final_cost : std::numeric_limits<double>::infinity(),
           .converged = summary.termination_type == ceres::CONVERGENCE},
          cost.left_bounds()};
}

// -1 for a coefficient near its lower bound, 1 near its upper one, else 0.
std::vector<int> BoundsNear(const CoefficientModel& model, const Eigen::VectorXd& parameters,
                            const std::vector<bool>& held) {
  constexpr double kNear = 0.01;  // of the coefficient's own scale
  std::vector<int> near(held.size(), 0);
  for (size_t i = 0; i < held.size(); ++i) {
    const Coefficient& info = model.coefficients()[i];
    const double value = parameters[static_cast<Eigen::Index>(i)];
    if (held[i]) continue;
    if (!(value - info.lower > kNear * info.scale)) near[i] = -1;
    if (!(info.upper - value > kNear * info.scale)) near[i] = 1;
  }
  return near;
}

// Whether the cost rises from each of these bounds into what is allowed.
bool RisesFromBounds(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& parameters, const std::vector<int>& bounds) {
  Eigen::MatrixXd derivatives;
  const Eigen::VectorXd residuals = problem.CalcResiduals(parameters, &derivatives);
  if (!residuals.allFinite() || !derivatives.allFinite()) return false;
  const Eigen::VectorXd slope =
      whitening.Apply(derivatives).transpose() * whitening.Apply(residuals);
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] * slope[static_cast<Eigen::Index>(i)] > 0.0) return false;
  }
  return true;
}

// The minimum with the coefficients near a bound held there, if it is one without holding them too.
std::optional<Minimum> MinimizeOnBounds(const SharedLawProblem& problem,
                                        const JointWhitening& whitening, Eigen::VectorXd start,
                                        std::vector<bool> held, const std::vector<int>& bounds,
                                        double tolerance) {
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (bounds[i] == 0) continue;
    const Coefficient& info = problem.model().coefficients()[i];
    start[static_cast<Eigen::Index>(i)] = bounds[i] < 0 ? info.lower : info.upper;
    held[i] = true;
  }
  const Found found = Search(problem, whitening, start, held, tolerance, Bounds::kUnseen);
  if (found.left_bounds || !found.minimum.converged) return std::nullopt;
  if (!RisesFromBounds(problem, whitening, found.minimum.parameters, bounds)) return std::nullopt;
  return found.minimum;
}

// Points over the parameters of the law; coefficients that make them depend on something start
// where they do not.
std::vector<Eigen::VectorXd> GridPoints(const solver::LawInfo& law, const CoefficientModel& model) {
  std::vector<Eigen::VectorXd> points = SearchGrid(law);
  for (Eigen::VectorXd& point : points) point = model.CoefficientsOf(point);
  return points;
}

// Changes that do not show in a profile.
double ProfileTolerance(const JointWhitening& whitening) {
  constexpr double kNegligible = 1e-3;  // of the mean of a residual
  return kNegligible / static_cast<double>(whitening.rows());
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
    neighbour = MinimizeFrom(problem, whitening, start, parameter, ProfileTolerance(whitening));
  }
  return neighbour.cost;
}

// Enough to tell which of several valleys may be the deepest: where a law explains little, steps
// shorten by less than half, and the cost falls by a few times the last of them.
constexpr double kRoughTolerance = 1e-4;
constexpr double kRoughError = 1e-3;  // of the cost of a search that rests so early

bool IsSameValley(const CoefficientModel& model, const Minimum& a, const Minimum& b) {
  // Along a parameter that decides nothing a valley is long, and level.
  if (std::abs(a.cost - b.cost) <= kRoughTolerance * b.cost) return true;
  for (Eigen::Index i = 0; i < a.parameters.size(); ++i) {
    constexpr double kNear = 0.01;  // of the coefficient's own scale
    const double scale = model.coefficients()[i].scale;
    if (!(std::abs(a.parameters[i] - b.parameters[i]) <= kNear * scale)) return false;
  }
  return true;
}

// Whether the cost falls all the way from a point to a minimum, looked at in some places: then it
// is a point of that valley.
bool LeadsDownTo(const SharedLawProblem& problem, const JointWhitening& whitening,
                 const Eigen::VectorXd& from, const Minimum& to) {
  double before = CalcCost(problem, whitening, from);
  for (const double share : {0.1, 0.3, 0.6}) {
    const double cost = CalcCost(problem, whitening, from + share * (to.parameters - from));
    if (!(cost <= before)) return false;
    before = cost;
  }
  return to.cost <= before;
}

// Roughly the lowest points of the valleys below the best few points of a grid, the deepest first.
std::vector<Minimum> ValleysOfGrid(const SharedLawProblem& problem, const JointWhitening& whitening,
                                   int fixed, double value) {
  constexpr size_t kNumStarts = 9;
  std::vector<std::pair<double, Eigen::VectorXd>> points;
  for (Eigen::VectorXd point : GridPoints(problem.law(), problem.model())) {
    if (fixed >= 0) point[fixed] = value;
    const bool twice =
        std::ranges::any_of(points, [&](const auto& other) { return other.second == point; });
    if (!twice) points.emplace_back(CalcCost(problem, whitening, point), point);
  }
  std::ranges::sort(points, {}, &std::pair<double, Eigen::VectorXd>::first);
  points.resize(std::min(kNumStarts, points.size()));
  std::vector<Minimum> valleys;
  for (const auto& [cost, start] : points) {
    // Where an impact is integrated over time, looking costs much less than another search.
    const bool known = problem.law().integrated &&
                       std::ranges::any_of(valleys, [&, &from = start](const Minimum& valley) {
                         return LeadsDownTo(problem, whitening, from, valley);
                       });
    if (known) continue;
    Minimum found = MinimizeFrom(problem, whitening, start, fixed, kRoughTolerance);
    const auto same = std::ranges::find_if(valleys, [&](const Minimum& valley) {
      return IsSameValley(problem.model(), found, valley);
    });
    if (same == valleys.end()) {
      valleys.push_back(std::move(found));
    } else if (found.cost < same->cost) {
      *same = std::move(found);
    }
  }
  std::ranges::stable_sort(valleys, {}, &Minimum::cost);
  return valleys;
}

// Starts in all valleys that may be the deepest: where they are, and roughly how deep, shows in
// part of the trials. Without the valley of `known`, if there is one.
std::vector<Minimum> FindValleys(const SharedLawProblem& problem, const JointWhitening& whitening,
                                 const Minimum* known, int fixed, double value) {
  constexpr size_t kMinTrials = 100;
  constexpr double kDepthError = 0.1;  // of a cost, told from a part
  const size_t step = std::max<size_t>(1, problem.impacts().size() / kMinTrials);
  std::vector<const Impact*> impacts;
  for (size_t i = 0; i < problem.impacts().size(); i += step)
    impacts.push_back(problem.impacts()[i]);
  SharedLawProblem part(problem.law(), impacts, problem.model());
  part.SetThreads(problem.num_threads());
  const JointWhitening part_whitening = step == 1 ? whitening : whitening.EveryOwn(step);
  std::vector<Minimum> valleys = ValleysOfGrid(part, part_whitening, fixed, value);
  double least = valleys.front().cost;
  if (known != nullptr) {
    const Minimum here =
        MinimizeFrom(part, part_whitening, known->parameters, fixed, kRoughTolerance);
    least = std::min(least, here.cost);
    std::erase_if(valleys, [&](const Minimum& valley) {
      return IsSameValley(problem.model(), valley, here);
    });
  }
  std::erase_if(valleys, [&](const Minimum& valley) {
    return !(valley.cost <= (1.0 + kDepthError) * least);
  });
  return valleys;
}

double CalcDeviance(const Minimum& minimum, const JointWhitening& whitening) {
  const auto rows = static_cast<double>(whitening.rows());
  const double reduced = minimum.cost / rows;
  const double deviance =
      rows * (reduced > 1.0 ? 1.0 + std::log(reduced) : reduced) + whitening.log_determinant();
  return std::isnan(deviance) ? std::numeric_limits<double>::infinity() : deviance;
}

// Weights of Loss::kHuber.
Eigen::VectorXd HuberWeights(const SharedLawProblem& problem,
                             const std::vector<SharedLawProblem::ErrorJacobian>& jacobians,
                             const Eigen::VectorXd& parameters) {
  const Eigen::VectorXd residuals = problem.CalcResiduals(parameters);
  std::vector<Eigen::Matrix<double, 6, 6>> total;
  bool assumed = false;
  for (size_t i = 0; i < jacobians.size(); ++i) {
    total.push_back(jacobians[i] * problem.impact(i).errors.Total() * jacobians[i].transpose());
    assumed = assumed || problem.impact(i).errors.assumed;
  }
  const JointWhitening whitening(total.size(), [&](std::size_t i) {
    return ResidualErrors{total[i], Eigen::Matrix<double, 6, Eigen::Dynamic>(6, 0)};
  });
  Eigen::VectorXd lengths(std::ssize(total));  // relative to the 95 % quantile
  std::vector<double> scales;
  for (size_t i = 0; i < total.size(); ++i) {
    const Eigen::VectorXd whitened =
        whitening.ApplyOwn(i, residuals.segment<6>(6 * static_cast<Eigen::Index>(i)));
    const auto rows = static_cast<int>(whitened.size());
    const double squared = whitened.squaredNorm();
    lengths[static_cast<Eigen::Index>(i)] = std::sqrt(squared / ChiSquareQuantile(0.95, rows));
    scales.push_back(squared / ChiSquareQuantile(0.5, rows));
  }
  const auto middle = scales.begin() + std::ssize(scales) / 2;
  std::ranges::nth_element(scales, middle);
  const double scale = std::sqrt(assumed ? *middle : std::max(1.0, *middle));
  return lengths.unaryExpr([&](double length) { return std::min(1.0, scale / length); });
}

// When a search with repeated weights rests: relative changes of the cost within a search, of the
// parameters from one to the next.
struct Rest {
  double cost, parameters;
};
constexpr Rest kRoughRest{kRoughTolerance, 1e-2};
constexpr Rest kFullRest{kTolerance, 1e-4};

// The minimum near a start, with weights that rest. The first search is rough: its weights do not
// last.
WeightedMinimum Reweight(const SharedLawProblem& problem, const Eigen::VectorXd& start, Loss loss,
                         const Rest& rest) {
  std::optional<JointWhitening> whitening = problem.CalcWhitening(start);
  Minimum minimum = MinimizeFrom(problem, *whitening, start, -1, kRoughTolerance);
  Eigen::VectorXd trial_weights;
  const bool robust = loss == Loss::kHuber;
  const int max_reweightings = robust ? 30 : 4;
  for (int i = 0; i < max_reweightings; ++i) {
    const Eigen::VectorXd before = minimum.parameters;
    const std::vector<SharedLawProblem::ErrorJacobian> jacobians =
        problem.CalcErrorJacobians(before);
    if (robust) trial_weights = HuberWeights(problem, jacobians, before);
    whitening.reset();  // of thousands of trials there is no room for two
    whitening = problem.CalcWhitening(before, jacobians, trial_weights);
    minimum = MinimizeFrom(problem, *whitening, before, -1, rest.cost);
    const double step =
        ((minimum.parameters - before).array().abs() / (before.array().abs() + 0.01)).maxCoeff();
    if (!(step > rest.parameters)) break;
  }
  const double deviance = CalcDeviance(minimum, *whitening);
  return {std::move(minimum), std::move(*whitening), std::move(trial_weights), deviance};
}

}  // namespace

Minimum MinimizeFrom(const SharedLawProblem& problem, const JointWhitening& whitening,
                     const Eigen::VectorXd& start, int fixed, double tolerance) {
  std::vector<bool> held(start.size(), false);
  if (fixed >= 0) held[fixed] = true;
  // Within bounds Ceres takes many evaluations a step. A search that cannot see them is as good
  // unless it ends at some of them; then one along these mostly is.
  const Found found = Search(problem, whitening, start, held, tolerance, Bounds::kUnseen);
  if (!found.left_bounds) return found.minimum;
  const std::vector<int> bounds = BoundsNear(problem.model(), found.minimum.parameters, held);
  if (std::ranges::all_of(bounds, [](int bound) { return bound == 0; })) return found.minimum;
  const auto on_bounds =
      MinimizeOnBounds(problem, whitening, found.minimum.parameters, held, bounds, tolerance);
  if (on_bounds && on_bounds->cost <= found.minimum.cost) return *on_bounds;
  return Search(problem, whitening, start, held, tolerance, Bounds::kKept).minimum;
}

Minimum MinimizeFromGrid(const SharedLawProblem& problem, const JointWhitening& whitening,
                         const Minimum& known, int fixed, double value) {
  Minimum best = known;
  for (const Minimum& valley : FindValleys(problem, whitening, &known, fixed, value)) {
    if (LeadsDownTo(problem, whitening, valley.parameters, best)) continue;
    Minimum found = MinimizeFrom(problem, whitening, valley.parameters, fixed, kRoughTolerance);
    if (found.cost > (1.0 + kRoughError) * best.cost) continue;
    if (LeadsDownTo(problem, whitening, found.parameters, best)) continue;
    found = MinimizeFrom(problem, whitening, found.parameters, fixed, ProfileTolerance(whitening));
    if (found.cost < best.cost) best = std::move(found);
  }
  return best;
}

WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem, Loss loss) {
  if (problem.num_parameters() == 0) {  // all are given
    const Eigen::VectorXd none;
    JointWhitening whitening = problem.CalcWhitening(none);
    Minimum minimum{none, CalcCost(problem, whitening, none), true};
    const double deviance = CalcDeviance(minimum, whitening);
    return {std::move(minimum), std::move(whitening), {}, deviance};
  }
  const Eigen::VectorXd typical = problem.model().CoefficientsOf(TypicalParameters(problem.law()));
  const std::vector<Minimum> valleys =
      FindValleys(problem, problem.CalcWhitening(typical), nullptr, -1, 0.0);
  if (valleys.size() == 1) {
    return FitWithPropagatedWeights(problem, valleys.front().parameters, loss);
  }
  std::vector<WeightedMinimum> rough;
  for (const Minimum& valley : valleys) {
    const bool known = std::ranges::any_of(rough, [&](const WeightedMinimum& other) {
      return LeadsDownTo(problem, other.whitening, valley.parameters, other.minimum);
    });
    if (!known) rough.push_back(Reweight(problem, valley.parameters, loss, kRoughRest));
  }
  std::ranges::sort(rough, {}, &WeightedMinimum::deviance);
  // Weights move along: ten times what the cost alone may change.
  const double margin = 10.0 * kRoughError * static_cast<double>(rough.front().whitening.rows());
  std::optional<WeightedMinimum> best;
  for (const WeightedMinimum& valley : rough) {
    if (valley.deviance > rough.front().deviance + margin) break;
    const Eigen::VectorXd& start = valley.minimum.parameters;
    if (best && LeadsDownTo(problem, best->whitening, start, best->minimum)) continue;
    WeightedMinimum found = FitWithPropagatedWeights(problem, start, loss);
    if (!best || found.deviance < best->deviance) best = std::move(found);
  }
  return *best;
}

WeightedMinimum FitWithPropagatedWeights(const SharedLawProblem& problem,
                                         const Eigen::VectorXd& start, Loss loss) {
  return Reweight(problem, start, loss, kFullRest);
}

ProfileInterval WalkProfile(const SharedLawProblem& problem, const JointWhitening& whitening,
                            const Minimum& minimum, int parameter,
                            const Eigen::MatrixXd& covariance, double threshold) {
  const Coefficient& info = problem.model().coefficients()[parameter];
  const double centre = minimum.parameters[parameter];
  const double scale = std::max({std::abs(centre), info.scale, 1e-3});
  const double variance = covariance(parameter, parameter);
  const double sigma = std::sqrt(variance * threshold);
  Eigen::VectorXd others_per_parameter;
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
    others_per_parameter.setZero(problem.num_parameters());
    if (variance > 0.0) others_per_parameter = covariance.col(parameter) / variance;
    Minimum inside = minimum;
    double x_inside = centre;
    double excess_inside = 0.0;
    double step = sigma > 0.0 && std::isfinite(sigma) ? std::min(1.02 * sigma, scale) : 0.1 * scale;
    int escapes_left = problem.num_parameters() > 1 ? 10 : 0;
    bool aimed = false;
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
        if (!aimed) {
          // Just beyond the end of a parabola through this point, once.
          const double gone = std::abs(x_inside - centre);
          const double to_end = gone * (std::sqrt(threshold / excess_inside) - 1.0) + 0.02 * gone;
          if (to_end > 0.0) step = std::min(step, to_end);
          aimed = true;
        }
        continue;
      }
      // Root of sqrt(excess) between the two, nearly linear where the cost is a parabola: regula
      // falsi, every third step a bisection so that a kink cannot hold it up.
      constexpr double kFineEnd = 1e-4;  // of the distance: the cost may jump
      const double target = std::sqrt(threshold);
      for (int i = 0; i < 60; ++i) {
        const double width = std::abs(x_outside - x_inside);
        if (width <= std::max(1e-9 * scale, kFineEnd * std::abs(x_inside - centre))) break;
        const double f_inside = std::sqrt(std::max(excess_inside, 0.0)) - target;
        const double f_outside = std::sqrt(excess_outside) - target;
        if (f_outside < 0.03 * target || -f_inside < 2e-3 * target) break;
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
          outside = middle;
          x_outside = x;
          excess_outside = excess_middle;
        }
      }
      const double f_inside = target - std::sqrt(std::max(excess_inside, 0.0));
      const double f_outside = std::sqrt(excess_outside) - target;
      const double part = std::isfinite(f_outside) && f_inside + f_outside > 0.0
                              ? f_inside / (f_inside + f_outside)
                              : 0.0;
      // The others may have been caught at the border of a mode, with a lower cost beyond it.
      if (escapes_left-- > 0) {
        const Minimum beyond = MinimizeFromGrid(problem, whitening, outside, parameter, x_outside);
        if (beyond.cost < interval.best.cost) interval.best = beyond;
        if (beyond.cost - minimum.cost <= threshold) {
          inside = beyond;
          x_inside = x_outside;
          excess_inside = beyond.cost - minimum.cost;
          others_per_parameter.setZero();  // the line leads astray
          continue;
        }
      }
      interval.ends[side] = x_inside + part * (x_outside - x_inside);
      interval.closed[side] = true;
      break;
    }
  }
  return interval;
}

}  // namespace percuss::fitting
