// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/coefficient_fit.h"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "fitting/comparison.h"
#include "fitting/estimator.h"
#include "fitting/statistics.h"

namespace percuss::fitting {
namespace {

using tracking::ImpactRecord;
using tracking::ImpactTable;

void ParallelFor(int count, int num_threads, const std::function<void(int)>& body) {
  std::atomic<int> next = 0;
  const auto work = [&] {
    for (int i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < std::min(num_threads, count); ++i) helpers.emplace_back(work);
  work();
}

// Inverse of the whitened normal matrix on the directions that the data see; the others get no
// variance there and are reported as unseen.
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
  std::vector<bool> seen(static_cast<size_t>(scale.size()), true);
  for (Eigen::Index k = 0; k < inverse.size(); ++k) {
    if (eigen.eigenvalues()[k] > kUnseen * largest && largest > 0.0) {
      inverse[k] = 1.0 / eigen.eigenvalues()[k];
      continue;
    }
    for (Eigen::Index i = 0; i < inverse.size(); ++i) {
      if (std::abs(eigen.eigenvectors()(i, k)) > 1e-6) seen[static_cast<size_t>(i)] = false;
    }
  }
  const Eigen::MatrixXd root =
      scale.asDiagonal() * eigen.eigenvectors() * inverse.cwiseSqrt().asDiagonal();
  return {root * root.transpose(), std::move(seen)};
}

Eigen::VectorXd ParameterScale(const solver::LawInfo& law) {
  Eigen::VectorXd scale(static_cast<Eigen::Index>(law.parameters.size()));
  for (Eigen::Index i = 0; i < scale.size(); ++i) {
    scale[i] = std::max(std::abs(law.parameters[static_cast<size_t>(i)].typical), 1e-3);
  }
  return scale;
}

// Status, value and interval of one parameter from the walk along its profile.
ParameterEstimate Judge(const solver::ParameterInfo& info, const ProfileInterval& profile,
                        double best, double sigma) {
  ParameterEstimate estimate{.name = std::string(info.name), .best = best};
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
    estimate.sigma = std::isfinite(sigma) ? sigma : (high - low) / (2.0 * 1.96);
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
  std::string message =
      fmt::format("{} of {} trials used; chi-square {:.4g} for {} degrees of freedom", fit.num_used,
                  num_trials, fit.cost, fit.dof);
  if (assumed) {
    message += "; the table states no sigmas, so the scatter of the data sets the intervals";
  } else if (fit.interval_scale > 1.0 && fit.cost_probability < 0.05) {
    message += fmt::format(
        " (probability {:.2g}): law or sigmas do not explain the data, intervals widened {:.3g} "
        "times",
        fit.cost_probability, fit.interval_scale);
  }
  if (!converged) message += "; the search stopped before it converged";
  return message;
}

double Mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? kNaN : sum / static_cast<double>(values.size());
}

double RootMeanSquare(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return values.empty() ? kNaN : std::sqrt(sum / static_cast<double>(values.size()));
}

// Errors on trials that were not in the fit. One trial is left out at a time; of more than
// kMaxFolds trials, every kMaxFolds-th together.
void CrossValidate(const SharedLawProblem& all, const Eigen::VectorXd& solution, int num_threads,
                   LawFit& fit) {
  constexpr int kMaxFolds = 50;
  const int num_trials = static_cast<int>(all.records().size());
  if (num_trials < 2) return;
  const int num_folds = std::min(num_trials, kMaxFolds);
  std::vector<double> velocity_errors(static_cast<size_t>(num_trials));
  std::vector<double> energy_errors(static_cast<size_t>(num_trials));
  ParallelFor(num_folds, num_threads, [&](int fold) {
    std::vector<const ImpactRecord*> records;
    std::vector<const ImpactErrors*> errors;
    for (int i = 0; i < num_trials; ++i) {
      if (i % num_folds == fold) continue;
      records.push_back(all.records()[static_cast<size_t>(i)]);
      errors.push_back(all.errors()[static_cast<size_t>(i)]);
    }
    const SharedLawProblem rest(all.law(), all.body(), records, errors);
    // Few trials can leave a parameter free; then a start at the solution of all trials would let
    // the left-out one speak. Many trials cannot, and the short way is taken.
    const bool few = num_trials <= kMaxFolds;
    const WeightedMinimum fitted = FitWithPropagatedWeights(rest, few ? nullptr : &solution);
    for (int i = fold; i < num_trials; i += num_folds) {
      const auto [velocity, energy] = CalcPredictionErrors(all, i, fitted.minimum.parameters);
      velocity_errors[static_cast<size_t>(i)] = velocity;
      energy_errors[static_cast<size_t>(i)] = energy;
    }
  });
  fit.cross_validated_velocity_error_mean = Mean(velocity_errors);
  fit.cross_validated_energy_error_rms = RootMeanSquare(energy_errors);
}

// Why a trial cannot be used, or empty.
std::string ReasonUnusable(const ImpactRecord& record, const ImpactErrors& errors,
                           const solver::Body& body) {
  const std::pair<const char*, Eigen::Vector3d> vectors[] = {
      {"r", record.r}, {"n", record.normal},      {"v", record.v},
      {"w", record.w}, {"v_post", record.v_post}, {"w_post", record.w_post}};
  for (const auto& [name, vector] : vectors) {
    if (!vector.allFinite()) return fmt::format("{} has a value that is missing", name);
  }
  if (!record.q_WB.coeffs().allFinite()) return "the orientation is missing";
  if (!errors.reason_unusable.empty()) return errors.reason_unusable;
  const double approach = CalcGeometry(record, body).contact.velocity.z();
  if (!(approach < 0.0)) {
    return fmt::format(
        "the contact point does not approach the surface before the impact (normal velocity "
        "{:+.3g} "
        "m/s)",
        approach);
  }
  return "";
}

// Reason of a trial whose residual covariance is singular, judged at typical parameters.
std::string ReasonSingular(const solver::LawInfo& law, const solver::Body& body,
                           const ImpactRecord& record, const ImpactErrors& errors) {
  const SharedLawProblem single(law, body, {&record}, {&errors});
  Eigen::VectorXd typical(single.num_parameters());
  for (Eigen::Index i = 0; i < typical.size(); ++i) {
    typical[i] = law.parameters[static_cast<size_t>(i)].typical;
  }
  const JointWhitening whitening = single.CalcWhitening(typical);
  if (whitening.rows() == 0) return "its covariance is zero: nothing to weight it with";
  if (!whitening.singular_trials().empty()) return "its covariance is singular";
  return "";
}

// Reason of a trial that the law is not made for, as a spatial one for a planar law.
std::string ReasonOutsideDomain(const solver::LawInfo& law, const solver::Body& body,
                                const ImpactRecord& record) {
  try {
    solver::ValidateDomain(law, CalcGeometry(record, body).contact);
  } catch (const std::invalid_argument& outside) {
    return outside.what();
  }
  return "";
}

LawFit FitLaw(const std::string& law_name, const ImpactTable& table,
              const std::vector<ImpactErrors>& errors, std::vector<std::string> reasons,
              const solver::Body& body, const FitOptions& options) {
  const solver::LawInfo& law = solver::FindLaw(law_name);
  LawFit fit;
  fit.law = law_name;
  std::vector<const ImpactRecord*> used_records;
  std::vector<const ImpactErrors*> used_errors;
  bool assumed = false;
  for (size_t i = 0; i < table.impacts.size(); ++i) {
    if (reasons[i].empty()) reasons[i] = ReasonOutsideDomain(law, body, table.impacts[i]);
    if (reasons[i].empty()) reasons[i] = ReasonSingular(law, body, table.impacts[i], errors[i]);
    if (!reasons[i].empty()) continue;
    used_records.push_back(&table.impacts[i]);
    used_errors.push_back(&errors[i]);
    assumed = assumed || errors[i].assumed;
  }
  fit.num_used = static_cast<int>(used_records.size());
  if (used_records.empty()) {
    fit.message = "no trial can be used";
    for (size_t i = 0; i < table.impacts.size(); ++i) {
      if (i < 3) {
        fit.message += fmt::format("; {}: {}", table.impacts[i].trial, reasons[i]);
      }
      fit.trials.push_back(UnusedTrial(table.impacts[i], reasons[i]));
    }
    for (const solver::ParameterInfo& info : law.parameters) {
      fit.parameters.push_back({.name = std::string(info.name)});
    }
    return fit;
  }

  const SharedLawProblem problem(law, body, used_records, used_errors);
  WeightedMinimum fitted = FitWithPropagatedWeights(problem);
  const auto num_parameters = problem.num_parameters();
  const Eigen::VectorXd scale = ParameterScale(law);

  // A walk along a profile can come upon a better minimum; then it starts again from there.
  constexpr int kMaxRestarts = 4;
  std::vector<ProfileInterval> profiles;
  ParameterCovariance covariance;
  for (int restart = 0; restart <= kMaxRestarts; ++restart) {
    const Minimum minimum = fitted.minimum;
    Eigen::MatrixXd jacobian;
    problem.CalcResiduals(minimum.parameters, &jacobian);
    covariance = InvertNormalMatrix(fitted.whitening.Apply(jacobian), scale);
    fit.cost = minimum.cost;
    fit.dof = static_cast<int>(fitted.whitening.rows() - num_parameters);
    const double reduced = fit.dof > 0 ? fit.cost / fit.dof : 1.0;
    fit.interval_scale = std::sqrt(assumed ? reduced : std::max(1.0, reduced));
    double threshold = kChiSquare95;
    if (assumed && fit.dof > 0) threshold = std::pow(StudentTwoSidedQuantile(0.95, fit.dof), 2);
    threshold *= fit.interval_scale * fit.interval_scale;

    Minimum best = minimum;
    profiles.clear();
    for (int i = 0; i < static_cast<int>(num_parameters); ++i) {
      profiles.push_back(
          WalkProfile(problem, fitted.whitening, minimum, i, covariance.covariance, threshold));
      if (profiles.back().best.cost < best.cost) best = profiles.back().best;
    }
    const double worthwhile = 1e-3 * threshold;
    if (best.cost > minimum.cost - worthwhile || restart == kMaxRestarts) break;
    fitted = FitWithPropagatedWeights(problem, &best.parameters);
  }

  fit.converged = fitted.minimum.converged;
  fit.cost_probability = fit.dof > 0 ? ChiSquareSurvival(fit.cost, fit.dof) : kNaN;
  fit.covariance = fit.interval_scale * fit.interval_scale * covariance.covariance;
  for (Eigen::Index i = 0; i < num_parameters; ++i) {
    const auto index = static_cast<size_t>(i);
    const bool seen = covariance.seen[index];
    const double sigma = seen ? std::sqrt(fit.covariance(i, i)) : kNaN;
    if (!seen) {
      fit.covariance.row(i).setConstant(kNaN);
      fit.covariance.col(i).setConstant(kNaN);
    }
    fit.parameters.push_back(
        Judge(law.parameters[index], profiles[index], fitted.minimum.parameters[i], sigma));
  }
  const double k = static_cast<double>(num_parameters);
  const double spare = fit.dof - 1.0;  // N - k - 1
  fit.aicc = spare > 0.0 ? fit.cost + fitted.whitening.log_determinant() + 2.0 * k +
                               2.0 * k * (k + 1.0) / spare
                         : kNaN;

  const std::vector<TrialComparison> used =
      CompareTrials({problem, fitted.whitening, fitted.minimum.parameters, covariance.covariance,
                     fit.interval_scale, assumed});
  std::vector<double> velocity_errors;
  std::vector<double> energy_errors;
  for (size_t i = 0, next = 0; i < table.impacts.size(); ++i) {
    if (!reasons[i].empty()) {
      fit.trials.push_back(UnusedTrial(table.impacts[i], reasons[i]));
      continue;
    }
    const TrialComparison& trial = used[next++];
    velocity_errors.push_back(trial.velocity_error);
    energy_errors.push_back(trial.dissipation_predicted.value - trial.dissipation_measured.value);
    fit.trials.push_back(trial);
  }
  fit.velocity_error_mean = Mean(velocity_errors);
  fit.energy_error_rms = RootMeanSquare(energy_errors);
  if (options.cross_validate) {
    CrossValidate(problem, fitted.minimum.parameters, options.num_threads, fit);
  }
  fit.message = Message(fit, table.impacts.size(), assumed, fit.converged);
  return fit;
}

}  // namespace

std::string_view StatusName(ParameterStatus status) {
  switch (status) {
    case ParameterStatus::kIdentified:
      return "identified";
    case ParameterStatus::kLowerBound:
      return "lower_bound";
    case ParameterStatus::kUpperBound:
      return "upper_bound";
    case ParameterStatus::kUnidentified:
      return "unidentified";
  }
  return "";
}

FitOptions ValidatedFitOptions(const FitOptions& options) {
  const auto require = [](bool good, const std::string& message) {
    if (!good) throw std::invalid_argument(message);
  };
  require(!options.laws.empty(), "laws: found none, allowed one or more");
  for (const std::string& law : options.laws) solver::FindLaw(law);
  const std::pair<const char*, double> sigmas[] = {
      {"default_velocity_sigma", options.default_velocity_sigma},
      {"default_angular_velocity_sigma", options.default_angular_velocity_sigma}};
  for (const auto& [name, value] : sigmas) {
    require(value > 0.0 && std::isfinite(value),
            fmt::format("{}: found {}, allowed above 0 and finite", name, value));
  }
  require(options.num_threads >= 1,
          fmt::format("num_threads: found {}, allowed 1 or more", options.num_threads));
  return options;
}

std::vector<LawFit> FitCoefficients(const ImpactTable& table, const solver::Body& body,
                                    const FitOptions& options) {
  const FitOptions valid = ValidatedFitOptions(options);
  const std::vector<ImpactErrors> errors =
      CalcImpactErrors(table, {valid.default_velocity_sigma, valid.default_angular_velocity_sigma});
  std::vector<std::string> reasons;
  for (size_t i = 0; i < table.impacts.size(); ++i) {
    reasons.push_back(ReasonUnusable(table.impacts[i], errors[i], body));
  }
  std::vector<LawFit> fits;
  for (const std::string& law : valid.laws) {
    fits.push_back(FitLaw(law, table, errors, reasons, body, valid));
  }
  return fits;
}

}  // namespace percuss::fitting
