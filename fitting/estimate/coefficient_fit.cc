// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/coefficient_fit.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/math/statistics.h"
#include "base/parallel.h"
#include "fitting/estimate/bootstrap.h"
#include "fitting/estimate/comparison.h"
#include "fitting/estimate/cross_validation.h"
#include "fitting/estimate/estimator.h"
#include "fitting/estimate/scatter.h"
#include "fitting/estimate/static_friction.h"
#include "fitting/estimate/usable_trials.h"
#include "fitting/model/search_grid.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

// Inverse of the whitened normal matrix on the directions that the data see. Parameters that have a
// part in the others are reported as unseen and get no variance.
struct ParameterCovariance {
  Eigen::MatrixXd covariance;
  std::vector<bool> seen;
};

ParameterCovariance InvertNormalMatrix(const Eigen::MatrixXd& whitened_jacobian,
                                       const Eigen::VectorXd& scale) {
  constexpr double kUnseen = 1e-12;  // of the largest eigenvalue, for parameters in their own scale
  const Eigen::MatrixXd scaled = whitened_jacobian * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled.transpose() * scaled);
  const double largest = eigen.eigenvalues().size() > 0 ? eigen.eigenvalues().maxCoeff() : 0.0;
  Eigen::VectorXd inverse = Eigen::VectorXd::Zero(scale.size());
  std::vector<bool> seen(scale.size(), true);
  for (Eigen::Index k = 0; k < inverse.size(); ++k) {
    if (eigen.eigenvalues()[k] > kUnseen * largest && largest > 0.0) {
      inverse[k] = 1.0 / eigen.eigenvalues()[k];
      continue;
    }
    for (Eigen::Index i = 0; i < inverse.size(); ++i) {
      if (std::abs(eigen.eigenvectors()(i, k)) > 1e-6) seen[i] = false;
    }
  }
  Eigen::MatrixXd root =
      scale.asDiagonal() * eigen.eigenvectors() * inverse.cwiseSqrt().asDiagonal();
  for (Eigen::Index i = 0; i < inverse.size(); ++i) {
    if (!seen[i]) root.row(i).setZero();
  }
  return {root * root.transpose(), std::move(seen)};
}

Eigen::VectorXd CoefficientScale(const CoefficientModel& model) {
  Eigen::VectorXd scale(model.num_coefficients());
  for (Eigen::Index i = 0; i < scale.size(); ++i) {
    scale[i] = model.coefficients()[i].scale;
  }
  return scale;
}

// Status, value and interval of one parameter from the walk along its profile.
ParameterEstimate Judge(const Coefficient& info, const ProfileInterval& profile, double best,
                        double sigma) {
  ParameterEstimate estimate{.name = info.name, .best = best};
  estimate.ci95 = profile.ends;
  const auto [low, high] = profile.ends;
  // An estimate that is well determined but lies near a finite limit, e = 0.99 +- 0.01, has an
  // interval that the limit cuts; that is no one-sided answer.
  const auto cut_by_limit = [&](double limit) {
    return std::isfinite(limit) && std::abs(limit - best) <= 2.0 * 1.96 * sigma;
  };
  const bool both = profile.closed[0] && profile.closed[1];
  if (both || (profile.closed[0] && cut_by_limit(high)) ||
      (profile.closed[1] && cut_by_limit(low))) {
    estimate.status = ParameterStatus::kIdentified;
    estimate.value = best;
    // Beside a coefficient that lies at its limit the curvature at the minimum knows only one side.
    constexpr double kFarWider = 2.0;
    const double by_interval = (high - low) / (2.0 * 1.96);
    estimate.sigma = by_interval > kFarWider * sigma || !std::isfinite(sigma) ? by_interval : sigma;
  } else if (profile.closed[0]) {
    estimate.status = ParameterStatus::kLowerBound;
    estimate.value = low;
  } else if (profile.closed[1]) {
    estimate.status = ParameterStatus::kUpperBound;
    estimate.value = high;
  }
  return estimate;
}

std::string Message(const LawFit& fit, size_t num_trials, bool assumed, bool converged) {
  const auto given =
      std::ranges::count(fit.parameters, ParameterStatus::kGiven, &ParameterEstimate::status);
  std::string message =
      fmt::format("{} of {} trials used; chi-square {:.4g} for {} degrees of freedom", fit.num_used,
                  num_trials, fit.cost, fit.dof);
  if (fit.dof == 0) {
    message += "; as many numbers as coefficients: no misfit can show";
    if (assumed) message += ", and the intervals rest on sigmas that are only assumed";
  } else if (assumed) {
    message += "; the table states no sigmas, so the scatter of the data sets the intervals";
  } else if (fit.interval_scale > 1.0 && fit.cost_probability < 0.05) {
    message += fmt::format(" (probability {:.2g}): ", fit.cost_probability);
    if (given == std::ssize(fit.parameters)) {
      message += "the law with the given values, or the sigmas, do not explain the data";
    } else {
      message +=
          fmt::format("law or sigmas do not explain the data, intervals widened {:.3g} times",
                      fit.interval_scale);
    }
  }
  if (!converged) message += "; the search stopped before it converged";
  return message;
}

// Mean of a power of the values that are there.
double MeanOf(const std::vector<double>& values, double (*of)(double)) {
  double sum = 0.0;
  int count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += of(value);
    ++count;
  }
  return count == 0 ? kNaN : sum / count;
}

double Mean(const std::vector<double>& values) {
  return MeanOf(values, [](double value) { return value; });
}

double RootMeanSquare(const std::vector<double>& values) {
  return std::sqrt(MeanOf(values, [](double value) { return value * value; }));
}

// What is said without an estimate: all trials with the reasons why they were not used.
LawFit NoAnswer(const solver::LawInfo& law, const PreparedImpacts& data,
                const std::vector<std::string>& reasons, const std::string& message) {
  LawFit fit;
  fit.law = law.name;
  fit.message = message;
  for (size_t i = 0; i < data.impacts.size(); ++i) {
    fit.trials.push_back(UnusedTrial(data.impacts[i].record, reasons[i]));
  }
  for (const solver::ParameterInfo& info : law.parameters) {
    fit.parameters.push_back({.name = std::string(info.name)});
  }
  return fit;
}

// The answer without any usable trial.
LawFit FitOfNothing(const solver::LawInfo& law, const PreparedImpacts& data,
                    const std::vector<std::string>& reasons) {
  std::string message = "no trial can be used";
  for (size_t i = 0; i < std::min<size_t>(3, reasons.size()); ++i) {
    message += fmt::format("; {}: {}", data.impacts[i].record.trial, reasons[i]);
  }
  return NoAnswer(law, data, reasons, message);
}

// Why there are too few impacts for the coefficients of a law, or empty.
std::string ReasonTooFew(const SharedLawProblem& problem) {
  const Eigen::Index wanted = problem.num_parameters();
  if (std::ssize(problem.impacts()) > wanted) return "";
  const Eigen::VectorXd typical = problem.model().CoefficientsOf(TypicalParameters(problem.law()));
  const Eigen::Index numbers = problem.CalcWhitening(typical).rows();
  if (numbers >= wanted) return "";
  return fmt::format(
      "too few impacts: {} of them give {} numbers, {} coefficients need as many or more",
      problem.impacts().size(), numbers, wanted);
}

// A solution with the profiles of all its coefficients.
struct Solution {
  WeightedMinimum fitted;
  ParameterCovariance covariance;
  std::vector<ProfileInterval> profiles;
};

// Sets cost, dof and interval_scale of the fit. A walk along a profile can come upon a better
// minimum; then it starts again from there.
Solution Solve(const SharedLawProblem& problem, bool assumed, Loss loss, LawFit& fit) {
  Solution solution{FitWithPropagatedWeights(problem, loss), {}, {}};
  const auto num_parameters = problem.num_parameters();
  const auto set_cost = [&] {
    fit.cost = solution.fitted.minimum.cost;
    fit.dof = static_cast<int>(solution.fitted.whitening.rows() - num_parameters);
    const double reduced = fit.dof > 0 ? fit.cost / fit.dof : 1.0;
    fit.interval_scale = std::sqrt(assumed ? reduced : std::max(1.0, reduced));
  };
  if (num_parameters == 0) {
    set_cost();
    return solution;
  }
  const Eigen::VectorXd scale = CoefficientScale(problem.model());
  constexpr int kMaxRestarts = 4;
  for (int restart = 0; restart <= kMaxRestarts; ++restart) {
    const WeightedMinimum& fitted = solution.fitted;
    const Minimum& minimum = fitted.minimum;
    Eigen::MatrixXd jacobian;
    problem.CalcResiduals(minimum.parameters, &jacobian);
    solution.covariance = InvertNormalMatrix(fitted.whitening.Apply(jacobian), scale);
    set_cost();
    double threshold = kChiSquare95;
    if (assumed && fit.dof > 0) threshold = std::pow(StudentTwoSidedQuantile(0.95, fit.dof), 2);
    threshold *= fit.interval_scale * fit.interval_scale;

    solution.profiles.clear();
    std::optional<WeightedMinimum> better;
    for (int i = 0; i < static_cast<int>(num_parameters) && !better; ++i) {
      solution.profiles.push_back(WalkProfile(problem, fitted.whitening, minimum, i,
                                              solution.covariance.covariance, threshold));
      const Minimum& best = solution.profiles.back().best;
      constexpr double kWorthwhile = 1e-3;  // of the threshold
      if (restart == kMaxRestarts || best.cost > minimum.cost - kWorthwhile * threshold) continue;
      WeightedMinimum other = FitWithPropagatedWeights(problem, best.parameters, loss);
      if (other.deviance < fitted.deviance) better = std::move(other);
    }
    if (!better) break;
    solution.fitted = std::move(*better);
  }
  return solution;
}

// An estimate of a parameter that was measured elsewhere.
ParameterEstimate GivenEstimate(const std::string& name, const ValueWithSigma& given) {
  return {.name = name,
          .value = given.value,
          .sigma = given.sigma,
          .ci95 = {given.value - 1.96 * given.sigma, given.value + 1.96 * given.sigma},
          .status = ParameterStatus::kGiven,
          .best = given.value};
}

// A parameter of which only a product with others counts.
ParameterEstimate UnknownFactor(const solver::LawInfo& law,
                                const CoefficientModel::Product& product, const std::string& name,
                                const Eigen::VectorXd& parameters) {
  constexpr double kOpen = std::numeric_limits<double>::infinity();
  const auto place = std::ranges::find(law.parameters, name, &solver::ParameterInfo::name);
  return {.name = name,
          .ci95 = {-kOpen, kOpen},
          .best = parameters[place - law.parameters.begin()],
          .reason = fmt::format("velocities depend on {} by {} [{}] alone; they are told apart by "
                                "{}, or by --fix of all but one",
                                fmt::join(product.parameters, " and "), product.info->name,
                                product.info->unit, product.info->apart)};
}

void ReportCoefficients(const SharedLawProblem& problem, const Solution& solution,
                        const FittedLaw& fitted, LawFit& fit) {
  const Minimum& minimum = solution.fitted.minimum;
  fit.covariance = CalcParameterCovariance(fitted);
  for (Eigen::Index i = 0; i < problem.num_parameters(); ++i) {
    const bool seen = solution.covariance.seen[i];
    const double sigma = seen ? std::sqrt(fit.covariance(i, i)) : kNaN;
    if (!seen) {
      fit.covariance.row(i).setConstant(kNaN);
      fit.covariance.col(i).setConstant(kNaN);
    }
    fit.parameters.push_back(Judge(problem.model().coefficients()[i], solution.profiles[i],
                                   minimum.parameters[i], sigma));
    const double wider = fit.parameters.back().sigma / sigma;
    if (!(wider > 1.0 && std::isfinite(wider))) continue;
    fit.covariance.row(i) *= wider;
    fit.covariance.col(i) *= wider;
  }
  for (const CoefficientModel::Given& given : problem.model().given()) {
    fit.parameters.push_back(GivenEstimate(given.name, given.value));
  }
  const Eigen::VectorXd in_first = problem.CalcLawParameters(minimum.parameters, 0);
  for (const CoefficientModel::Product& product : problem.model().products()) {
    for (const std::string& name : product.parameters) {
      fit.parameters.push_back(UnknownFactor(problem.law(), product, name, in_first));
    }
  }
}

// What the impacts say of the given parameters themselves.
std::optional<Agreement> CompareWithGiven(const LawFit& freely, const GivenParameters& given) {
  if (!freely.converged) return {};
  Agreement agreement{.fitted = freely.parameters};
  std::vector<Eigen::Index> places;
  std::vector<ValueWithSigma> values;
  for (std::size_t i = 0; i < freely.parameters.size(); ++i) {
    const auto found = given.find(freely.parameters[i].name);
    const bool identified = freely.parameters[i].status == ParameterStatus::kIdentified;
    if (found == given.end() || !identified) continue;
    places.push_back(static_cast<Eigen::Index>(i));
    values.push_back(found->second);
  }
  if (places.empty()) return agreement;
  Eigen::MatrixXd covariance = freely.covariance(places, places);
  Eigen::VectorXd difference(std::ssize(places));
  for (Eigen::Index k = 0; k < difference.size(); ++k) {
    covariance(k, k) += values[k].sigma * values[k].sigma;
    difference[k] = freely.parameters[places[k]].value - values[k].value;
  }
  if (!covariance.allFinite()) return agreement;
  agreement.chi_square = difference.dot(covariance.ldlt().solve(difference));
  agreement.dof = static_cast<int>(places.size());
  agreement.probability = ChiSquareSurvival(agreement.chi_square, agreement.dof);
  return agreement;
}

void ReportTrials(const PreparedImpacts& data, const std::vector<std::string>& reasons,
                  std::vector<TrialComparison> used, LawFit& fit) {
  std::vector<double> velocity_errors, energy_errors, floors, best_of_law;
  for (size_t i = 0, next = 0; i < data.impacts.size(); ++i) {
    if (!reasons[i].empty()) {
      fit.trials.push_back(UnusedTrial(data.impacts[i].record, reasons[i]));
      continue;
    }
    const TrialComparison& trial = used[next++];
    velocity_errors.push_back(trial.velocity_error);
    energy_errors.push_back(trial.dissipation_predicted.value - trial.dissipation_measured.value);
    floors.push_back(trial.reachability_floor);
    best_of_law.push_back(trial.best_of_law);
    fit.num_energy_gains += trial.energy_grows;
    fit.trials.push_back(trial);
  }
  fit.velocity_error_mean = Mean(velocity_errors);
  fit.error_split.data = Mean(floors);
  fit.error_split.law = Mean(best_of_law) - fit.error_split.data;
  fit.error_split.parameters = fit.velocity_error_mean - Mean(best_of_law);
  fit.energy_error_rms = RootMeanSquare(energy_errors);
}

LawFit FitLaw(const solver::LawInfo& law, const PreparedImpacts& data, const FitOptions& options) {
  std::vector<std::string> reasons = ReasonsUnusable(law, data, options.grouping.column,
                                                     ColumnsOf(ModelsOfLaw(law, options.models)));
  std::vector<const Impact*> used;
  std::vector<const impacts::ImpactRecord*> records;
  for (size_t i = 0; i < reasons.size(); ++i) {
    if (!reasons[i].empty()) continue;
    used.push_back(&data.impacts[i]);
    records.push_back(&data.impacts[i].record);
  }
  if (used.empty()) return FitOfNothing(law, data, reasons);
  const bool assumed =
      std::ranges::any_of(used, [](const Impact* impact) { return impact->errors.assumed; });

  LawFit fit;
  fit.law = law.name;
  fit.num_used = static_cast<int>(used.size());
  fit.models = ModelsOfLaw(law, options.models);
  const GivenParameters given = GivenOfLaw(law, options.given);
  const auto problem_with = [&](const GivenParameters& known) {
    SharedLawProblem problem(
        law, used,
        CoefficientModel(law, fit.models, known, GroupingOfLaw(law, options.grouping), records));
    problem.SetThreads(options.num_threads);
    return problem;
  };
  const SharedLawProblem problem = problem_with(given);
  if (const std::string too_few = ReasonTooFew(problem); !too_few.empty()) {
    for (std::string& reason : reasons) {
      if (reason.empty()) reason = too_few;
    }
    return NoAnswer(law, data, reasons, too_few);
  }
  const Loss loss = options.robust ? Loss::kHuber : Loss::kSquare;
  const Solution solution = Solve(problem, assumed, loss, fit);
  const WeightedMinimum& fitted = solution.fitted;
  fit.converged = fitted.minimum.converged;
  fit.cost_probability = fit.dof > 0 ? ChiSquareSurvival(fit.cost, fit.dof) : kNaN;
  const FittedLaw fitted_law{problem,
                             fitted.whitening,
                             fitted.minimum.parameters,
                             solution.covariance.covariance,
                             fit.interval_scale,
                             assumed,
                             options.split_error};
  ReportCoefficients(problem, solution, fitted_law, fit);
  const double k = static_cast<double>(problem.num_parameters());
  const double spare = fit.dof - 1.0;  // N - k - 1
  fit.aicc = spare > 0.0 ? fit.cost + fitted.whitening.log_determinant() + 2.0 * k +
                               2.0 * k * (k + 1.0) / spare
                         : kNaN;
  ReportTrials(data, reasons, CompareTrials(fitted_law), fit);
  const CrossValidationOptions folds{options.num_folds, options.num_threads};
  if (options.cross_validate && NumFolds(problem, folds) > 0) {
    const HeldOutErrors held = CrossValidate(problem, fitted, loss, folds);
    fit.cross_validated_velocity_error_mean = Mean(held.velocity);
    fit.cross_validated_energy_error_rms = RootMeanSquare(held.energy);
  }
  if (options.scatter) {
    fit.scatter =
        EstimateScatter(problem, fitted.minimum.parameters, options.cross_validate, folds);
  }
  if (options.num_bootstraps > 0 && problem.num_parameters() > 0) {
    const auto intervals = BootstrapIntervals(
        problem, fitted,
        {.num_replicates = options.num_bootstraps, .num_threads = options.num_threads});
    for (size_t i = 0; i < intervals.size(); ++i) fit.parameters[i].bootstrap95 = intervals[i];
  }
  const bool has_static_friction = TakesParameter(law, "mu_s") && !given.contains("mu_s");
  if (options.static_friction && has_static_friction && problem.num_parameters() > 0) {
    fit.static_friction = EstimateStaticFriction(problem, fitted, loss, [&](double mu_s) {
      GivenParameters known = given;
      known["mu_s"] = {mu_s, 0.0};
      return problem_with(known);
    });
  }
  FitOptions freely = options;  // but optional parameters, which no fit estimates, stay given
  std::erase_if(freely.given, [&](const auto& entry) { return HasParameter(law, entry.first); });
  if (freely.given.size() < options.given.size()) {
    freely.cross_validate = freely.scatter = freely.split_error = freely.static_friction = false;
    freely.num_bootstraps = 0;
    fit.agreement = CompareWithGiven(FitLaw(law, data, freely), given);
  }
  fit.message = Message(fit, data.impacts.size(), assumed, fit.converged);
  return fit;
}

}  // namespace

FitOptions ValidatedFitOptions(const FitOptions& options) {
  const auto require = [](bool good, const std::string& message) {
    if (!good) throw std::invalid_argument(message);
  };
  require(!options.laws.empty(), "laws: found none, allowed one or more");
  for (const std::string& law : options.laws) solver::FindLaw(law);
  require(options.num_folds >= 2,
          fmt::format("num_folds: found {}, allowed 2 or more", options.num_folds));
  const auto require_parameter = [&](const char* field, const std::string& name) {
    require(
        std::ranges::any_of(
            options.laws,
            [&](const std::string& law) { return HasParameter(solver::FindLaw(law), name); }),
        fmt::format("{}: found {}, allowed a parameter of the laws that are fitted", field, name));
  };
  for (const auto& [name, model] : options.models) require_parameter("models", name);
  for (const std::string& name : options.grouping.parameters) require_parameter("grouping", name);
  for (const auto& [name, given] : options.given) {
    require(std::ranges::any_of(options.laws,
                                [&, name = name](const std::string& law) {
                                  return TakesParameter(solver::FindLaw(law), name);
                                }),
            fmt::format("given: found {}, allowed a parameter of the laws that are fitted", name));
    require(
        !options.models.contains(name) && std::ranges::find(options.grouping.parameters, name) ==
                                              options.grouping.parameters.end(),
        fmt::format("given: found {}, which has a model or groups; allowed one of both", name));
    require(std::isfinite(given.sigma) && given.sigma >= 0.0,
            fmt::format("given: {}: sigma: found {}, allowed >= 0", name, given.sigma));
    for (const std::string& law : options.laws) {
      const solver::LawInfo& fitted = solver::FindLaw(law);
      for (const auto* infos : {&fitted.parameters, &fitted.optional_parameters}) {
        for (const solver::ParameterInfo& info : *infos) {
          if (info.name != name) continue;
          require(given.value >= info.lower && given.value <= info.upper,
                  fmt::format("given: {}: found {}, allowed {} to {} in the law {}", name,
                              given.value, info.lower, info.upper, law));
        }
      }
    }
  }
  require(options.num_bootstraps >= 0,
          fmt::format("num_bootstraps: found {}, allowed 0 or more", options.num_bootstraps));
  require(options.num_threads >= 1,
          fmt::format("num_threads: found {}, allowed 1 or more", options.num_threads));
  return options;
}

namespace {

/// The law that this one is on these impacts; empty: none.
std::string_view SameAs(const solver::LawInfo& law, const PreparedImpacts& data) {
  if (!law.several_points) return law.same_as;
  const bool any_several = std::ranges::any_of(
      data.impacts, [&](const Impact& impact) { return TakesSeveral(law.name, impact.geometry); });
  return any_several ? "" : "stronge";
}

/// The place of the law of the fit that is the same as this one, its own if there is none. A given
/// optional parameter, which only one of the two has, makes them differ.
int PlaceOfSame(const FitOptions& options, const PreparedImpacts& data, int place) {
  const solver::LawInfo& law = solver::FindLaw(options.laws[place]);
  const std::string_view same = SameAs(law, data);
  if (same.empty()) return place;
  const auto other = std::ranges::find(options.laws, same);
  if (other == options.laws.end()) return place;
  const bool differ = std::ranges::any_of(options.given, [&](const auto& given) {
    return TakesParameter(law, given.first) != TakesParameter(solver::FindLaw(same), given.first);
  });
  return differ ? place : static_cast<int>(other - options.laws.begin());
}

LawFit CopyFor(const std::string& law, const LawFit& same) {
  LawFit fit = same;
  fit.law = law;
  fit.same_as = same.law;
  if (!TakesParameter(solver::FindLaw(law), "mu_s")) fit.static_friction.reset();
  return fit;
}

}  // namespace

std::vector<LawFit> FitCoefficients(const PreparedImpacts& data, const FitOptions& options) {
  const FitOptions valid = ValidatedFitOptions(options);
  std::vector<LawFit> fits(valid.laws.size());
  std::vector<int> own;
  for (int i = 0; i < std::ssize(fits); ++i) {
    if (PlaceOfSame(valid, data, i) == i) own.push_back(i);
  }
  const auto law_of = [&](int place) -> const solver::LawInfo& {
    return solver::FindLaw(valid.laws[place]);
  };
  // Laws that take long come last. The weights of thousands of impacts take as much memory as all
  // else: they are there for one law at a time.
  constexpr std::size_t kMany = 1000;
  const bool together = data.impacts.size() < kMany;
  std::ranges::stable_sort(own, {}, [&](int place) { return law_of(place).integrated; });
  const auto num_quick =
      std::ranges::count(own, false, [&](int place) { return law_of(place).integrated; });
  // Quick laws share the threads, one that takes long has them all.
  FitOptions of_one = valid;
  if (num_quick > 1 && together) of_one.num_threads = 1;
  std::mutex one_call;
  int done = 0;
  const auto fit_law = [&](int k, const FitOptions& how) {
    fits[own[k]] = FitLaw(law_of(own[k]), data, how);
    const std::lock_guard lock(one_call);
    ++done;
    if (valid.on_law) valid.on_law(fits[own[k]], done, static_cast<int>(own.size()));
  };
  ParallelFor(static_cast<int>(num_quick), together ? valid.num_threads : 1,
              [&](int k) { fit_law(k, of_one); });
  for (int k = static_cast<int>(num_quick); k < std::ssize(own); ++k) fit_law(k, valid);
  for (int i = 0; i < std::ssize(fits); ++i) {
    const int same = PlaceOfSame(valid, data, i);
    if (same != i) fits[i] = CopyFor(valid.laws[i], fits[same]);
  }
  return fits;
}

std::vector<LawFit> FitCoefficients(const impacts::ImpactTable& table, const solver::Body& body,
                                    const FitOptions& options) {
  return FitCoefficients(PrepareImpacts(table, body), options);
}

}  // namespace percuss::fitting
