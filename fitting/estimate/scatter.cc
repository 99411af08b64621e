// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/estimate/scatter.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>

#include "base/math/statistics.h"

namespace percuss::fitting {
namespace {

using ErrorJacobian = SharedLawProblem::ErrorJacobian;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

// Derivatives by the parameters that every fit has; optional ones do not scatter, nor do those of
// which only a product counts.
Eigen::MatrixXd ByRequired(const SharedLawProblem& problem,
                           const SharedLawProblem::TrialResidual& residual) {
  const std::vector<solver::ParameterInfo>& infos = problem.law().parameters;
  Eigen::MatrixXd derivatives = residual.by_law_parameters.leftCols(std::ssize(infos));
  for (const CoefficientModel::Product& product : problem.model().products()) {
    for (const std::string& name : product.parameters) {
      const auto place = std::ranges::find(infos, name, &solver::ParameterInfo::name);
      derivatives.col(place - infos.begin()).setZero();
    }
  }
  return derivatives;
}

// One trial with its own noise whitened: columns [J S r], and D.
struct WhitenedTrial {
  Eigen::MatrixXd columns;
  Eigen::MatrixXd by_law_parameters;
};

// The mixed model at one linearization.
class MixedModel {
 public:
  MixedModel(const SharedLawProblem& problem, const Eigen::VectorXd& coefficients)
      : size_(problem.num_parameters()) {
    const std::vector<ErrorJacobian> jacobians = problem.CalcErrorJacobians(coefficients);
    const JointWhitening whitening = problem.CalcWhitening(coefficients, jacobians);
    num_shared_ = problem.num_shared();
    for (size_t i = 0; i < jacobians.size(); ++i) {
      const SharedLawProblem::TrialResidual raw = problem.CalcTrialResidual(coefficients, i);
      Eigen::Matrix<double, 6, Eigen::Dynamic> columns(6, size_ + num_shared_ + 1);
      columns << raw.by_coefficients, problem.CalcSharedSensitivity(coefficients, jacobians[i], i),
          raw.value;
      trials_.push_back(
          {whitening.ApplyOwn(i, columns), whitening.ApplyOwn(i, ByRequired(problem, raw))});
    }
  }

  struct Solution {
    double criterion = 0.0;      // -2 ln L_R
    Eigen::VectorXd step;        // of the coefficients to their best
    Eigen::MatrixXd covariance;  // of the coefficients, zero where unseen
  };

  Solution Solve(const Eigen::VectorXd& tau, double scale) const {
    const Eigen::Index width = size_ + num_shared_ + 1;
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(width, width);
    double log_determinant = 0.0;
    const Eigen::VectorXd variance = tau.cwiseAbs2();
    for (const WhitenedTrial& trial : trials_) {
      SmallMatrix own =
          trial.by_law_parameters * variance.asDiagonal() * trial.by_law_parameters.transpose();
      own.diagonal().array() += scale * scale;
      const Eigen::LLT<SmallMatrix> llt(own);
      const Eigen::MatrixXd whitened = llt.matrixL().solve(trial.columns);
      gram.selfadjointView<Eigen::Lower>().rankUpdate(whitened.transpose());
      log_determinant += 2.0 * llt.matrixLLT().diagonal().array().log().sum();
    }
    gram.triangularView<Eigen::StrictlyUpper>() = gram.transpose();
    return Eliminate(gram, log_determinant);
  }

  // Law parameters whose scatter the impacts see at all.
  std::vector<bool> Seen() const {
    Eigen::VectorXd squares = Eigen::VectorXd::Zero(trials_.front().by_law_parameters.cols());
    for (const WhitenedTrial& trial : trials_) {
      squares += trial.by_law_parameters.colwise().squaredNorm().transpose();
    }
    std::vector<bool> seen;
    for (const double square : squares) seen.push_back(square > 1e-6);
    return seen;
  }

 private:
  Solution Eliminate(const Eigen::MatrixXd& gram, double log_determinant) const {
    Eigen::MatrixXd rest(size_ + 1, size_ + 1);
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < size_; ++i) kept.push_back(i);
    kept.push_back(size_ + num_shared_);
    rest = gram(kept, kept);
    if (num_shared_ > 0) {
      const auto middle = Eigen::seqN(size_, num_shared_);
      const Eigen::MatrixXd prior = Eigen::MatrixXd::Identity(num_shared_, num_shared_);
      const Eigen::LLT<Eigen::MatrixXd> llt(prior + gram(middle, middle));
      const Eigen::MatrixXd cross = gram(middle, kept);
      rest -= cross.transpose() * llt.solve(cross);
      log_determinant += 2.0 * llt.matrixLLT().diagonal().array().log().sum();
    }
    // Directions of the coefficients that the impacts do not see stay where they are.
    const Eigen::VectorXd root = rest.diagonal().head(size_).cwiseMax(0.0).cwiseSqrt();
    const Eigen::VectorXd inverse_root =
        root.unaryExpr([](double value) { return value > 0.0 ? 1.0 / value : 0.0; });
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
        inverse_root.asDiagonal() * rest.topLeftCorner(size_, size_) * inverse_root.asDiagonal());
    constexpr double kUnseen = 1e-10;
    Eigen::VectorXd inverse = Eigen::VectorXd::Zero(size_);
    for (Eigen::Index k = 0; k < size_; ++k) {
      if (!(eigen.eigenvalues()[k] > kUnseen)) continue;
      inverse[k] = 1.0 / eigen.eigenvalues()[k];
      log_determinant += std::log(eigen.eigenvalues()[k]);
    }
    for (const double value : root) log_determinant += value > 0.0 ? 2.0 * std::log(value) : 0.0;
    const Eigen::MatrixXd half =
        inverse_root.asDiagonal() * eigen.eigenvectors() * inverse.cwiseSqrt().asDiagonal();
    Solution solution;
    solution.covariance = half * half.transpose();
    solution.step = -solution.covariance * rest.topRightCorner(size_, 1);
    solution.criterion = rest(size_, size_) +
                         rest.topRightCorner(size_, 1).col(0).dot(solution.step) + log_determinant;
    return solution;
  }

  Eigen::Index size_;
  Eigen::Index num_shared_ = 0;
  std::vector<WhitenedTrial> trials_;
};

// Least value of a function with one valley in [low, high], by golden sections.
double MinimizeOnInterval(const std::function<double(double)>& function, double low, double high,
                          double tolerance) {
  const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
  double left = high - golden * (high - low);
  double right = low + golden * (high - low);
  double at_left = function(left);
  double at_right = function(right);
  while (high - low > tolerance) {
    if (at_left <= at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - golden * (high - low);
      at_left = function(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + golden * (high - low);
      at_right = function(right);
    }
  }
  return at_left <= at_right ? left : right;
}

// tau of each law parameter, and the noise scale last.
struct Limits {
  Eigen::VectorXd lower, upper;
};

Limits CalcLimits(const SharedLawProblem& problem, const std::vector<bool>& seen) {
  const std::vector<solver::ParameterInfo>& infos = problem.law().parameters;
  const auto size = std::ssize(infos);
  const bool assumed = std::ranges::any_of(
      problem.impacts(), [](const Impact* impact) { return impact->errors.assumed; });
  constexpr double kMostScale = 100.0;
  Limits limits{Eigen::VectorXd::Zero(size + 1), Eigen::VectorXd::Zero(size + 1)};
  for (Eigen::Index p = 0; p < size; ++p) {
    const solver::ParameterInfo& info = infos[p];
    const double range = std::isfinite(info.upper - info.lower)
                             ? info.upper - info.lower
                             : 2.0 * std::max(std::abs(info.typical), 0.1);
    limits.upper[p] = seen[p] ? range : 0.0;
  }
  limits.lower[size] = assumed ? 1e-3 : 1.0;
  limits.upper[size] = kMostScale;
  return limits;
}

double Criterion(const MixedModel& model, const Eigen::VectorXd& x) {
  return model.Solve(x.head(x.size() - 1), x[x.size() - 1]).criterion;
}

// Cyclic searches along the coordinates, the scale in logarithms; one of them may be held.
void MinimizeCriterion(const MixedModel& model, const Limits& limits, Eigen::Index held,
                       Eigen::VectorXd& x, double settled, int first_sweep = 0) {
  constexpr int kMaxSweeps = 12;
  double before = Criterion(model, x);
  for (int sweep = first_sweep; sweep < kMaxSweeps; ++sweep) {
    for (Eigen::Index k = 0; k < x.size(); ++k) {
      if (k == held || !(limits.upper[k] > limits.lower[k])) continue;
      const bool scale = k == x.size() - 1;
      const auto set = [&](double value) { x[k] = scale ? std::exp(value) : value; };
      const double now = scale ? std::log(x[k]) : x[k];
      const double lowest = scale ? std::log(limits.lower[k]) : limits.lower[k];
      const double highest = scale ? std::log(limits.upper[k]) : limits.upper[k];
      const double reach = (sweep == 0 ? 1.0 : std::pow(0.4, sweep)) * (highest - lowest);
      const double low = std::max(lowest, now - reach);
      const double high = std::min(highest, now + reach);
      const auto at = [&](double value) {
        set(value);
        return Criterion(model, x);
      };
      double best = MinimizeOnInterval(at, low, high, 2e-3 * (high - low));
      if (low == lowest && at(lowest) <= at(best)) best = lowest;
      set(best);
    }
    const double after = Criterion(model, x);
    if (before - after < settled) break;
    before = after;
  }
}

struct Fitted {
  ScatterFit fit;
  Limits limits;
  Eigen::VectorXd x;  // tau and scale
};

// @param near a fit to nearly the same impacts, from which narrow searches are enough; or null.
Fitted Fit(const SharedLawProblem& problem, const Eigen::VectorXd& start,
           const ScatterFit* near = nullptr) {
  constexpr int kNarrow = 2;
  constexpr int kMaxLinearizations = 5;
  constexpr double kSettled = 1e-3;  // of the criterion; intervals are where it rises by 3.8
  Fitted fitted;
  fitted.fit.coefficients = start;
  MixedModel model(problem, start);
  const std::vector<bool> seen = model.Seen();
  fitted.limits = CalcLimits(problem, seen);
  fitted.x = 0.1 * fitted.limits.upper;
  fitted.x.tail<1>().setOnes();
  if (near != nullptr) {
    for (Eigen::Index p = 0; p < near->tau.size(); ++p) {
      if (!std::isnan(near->tau[p])) fitted.x[p] = near->tau[p];
    }
    fitted.x.tail<1>().setConstant(near->noise_scale);
  }
  const std::vector<Coefficient>& infos = problem.model().coefficients();
  for (int i = 0; i < kMaxLinearizations; ++i) {
    MinimizeCriterion(model, fitted.limits, -1, fitted.x, kSettled,
                      i > 0 || near != nullptr ? kNarrow : 0);
    const auto size = fitted.x.size() - 1;
    const MixedModel::Solution solution = model.Solve(fitted.x.head(size), fitted.x[size]);
    fitted.fit.covariance = solution.covariance;
    Eigen::VectorXd next = fitted.fit.coefficients + solution.step;
    for (Eigen::Index k = 0; k < next.size(); ++k) {
      const Coefficient& info = infos[k];
      next[k] = std::clamp(next[k], info.lower, info.upper);
    }
    const Eigen::VectorXd step = next - fitted.fit.coefficients;
    const Eigen::ArrayXd sigma = solution.covariance.diagonal().array().cwiseSqrt() + 1e-9;
    if (!((step.array().abs() / sigma).maxCoeff() > 0.02)) break;
    fitted.fit.coefficients = next;
    model = MixedModel(problem, next);
  }
  fitted.fit.noise_scale = fitted.x[fitted.x.size() - 1];
  fitted.fit.tau = fitted.x.head(fitted.x.size() - 1);
  for (Eigen::Index p = 0; p < fitted.fit.tau.size(); ++p) {
    if (!seen[p]) fitted.fit.tau[p] = std::numeric_limits<double>::quiet_NaN();
  }
  return fitted;
}

// Where the profile of the criterion leaves its minimum by the threshold; the limit if it does not.
double WalkScatter(const MixedModel& model, const Fitted& fitted, Eigen::Index parameter,
                   double least, double end) {
  double inside = fitted.x[parameter];
  double outside = end;
  Eigen::VectorXd x = fitted.x;
  const auto excess = [&](double value) {
    x[parameter] = value;
    MinimizeCriterion(model, fitted.limits, parameter, x, 0.02, 2);
    return Criterion(model, x) - least;
  };
  if (excess(end) <= kChiSquare95) return end;
  // A first step in proportion: the far end may be very far.
  for (int i = 0; i < 12 && std::abs(outside - inside) > 0.01 * fitted.x[parameter] + 1e-6; ++i) {
    const double middle = outside > inside && outside > 3.0 * inside && inside > 0.0
                              ? 1.5 * inside
                              : 0.5 * (inside + outside);
    (excess(middle) <= kChiSquare95 ? inside : outside) = middle;
  }
  return 0.5 * (inside + outside);
}

// Squared length of the whitened residual, its rows, and how many components lie in their interval.
struct HeldOut {
  int inside = 0;
  int components = 0;
  double chi_square = 0.0;
};

HeldOut CheckHeldOut(const SharedLawProblem& all, size_t trial, const ScatterFit& fit) {
  const SharedLawProblem single(all.law(), {all.impacts()[trial]}, all.model());
  const ErrorJacobian G = single.CalcErrorJacobians(fit.coefficients).front();
  const SharedLawProblem::TrialResidual raw = single.CalcTrialResidual(fit.coefficients, 0);
  const Eigen::Matrix<double, 6, Eigen::Dynamic> shared_errors =
      single.CalcSharedSensitivity(fit.coefficients, G, 0);
  const Eigen::VectorXd variance =
      fit.tau.unaryExpr([](double tau) { return std::isnan(tau) ? 0.0 : tau * tau; });
  Eigen::Matrix<double, 6, 6> covariance =
      fit.noise_scale * fit.noise_scale * G * all.impact(trial).errors.own.Full() * G.transpose();
  covariance += shared_errors * shared_errors.transpose();
  covariance += raw.by_coefficients * fit.covariance * raw.by_coefficients.transpose();
  const Eigen::MatrixXd by_required = ByRequired(all, raw);
  covariance += by_required * variance.asDiagonal() * by_required.transpose();
  HeldOut held;
  constexpr double kNormal95 = 1.959963984540054;
  for (int row = 0; row < 6; ++row) {
    const double sigma = std::sqrt(covariance(row, row));
    if (!(sigma > kExactSigma) || sigma > 0.1 * impacts::kUnmeasuredSigma) continue;
    ++held.components;
    held.inside += std::abs(raw.value[row]) <= kNormal95 * sigma;
  }
  const JointWhitening whitening(1, [&](std::size_t) {
    return ResidualErrors{covariance, Eigen::Matrix<double, 6, Eigen::Dynamic>(6, 0)};
  });
  held.chi_square = whitening.Apply(raw.value).squaredNorm();
  return held;
}

void CrossValidateScatter(const SharedLawProblem& all, const ScatterFit& of_all,
                          const CrossValidationOptions& options, ScatterReport& report) {
  std::vector<HeldOut> held(all.impacts().size());
  ForEachFold(all, options, [&](const SharedLawProblem& rest, const std::vector<int>& left_out) {
    const ScatterFit fit = FitScatter(rest, of_all.coefficients, &of_all);
    for (const int i : left_out) {
      held[i] = CheckHeldOut(all, static_cast<size_t>(i), fit);
    }
  });
  int components = 0, inside = 0, impacts = 0, inside_impacts = 0;
  for (const HeldOut& one : held) {
    if (one.components == 0) continue;
    components += one.components;
    inside += one.inside;
    ++impacts;
    inside_impacts += one.chi_square <= ChiSquareQuantile(0.95, one.components);
  }
  if (impacts == 0) return;
  report.held_out_components = static_cast<double>(inside) / components;
  report.held_out_impacts = static_cast<double>(inside_impacts) / impacts;
}

}  // namespace

ScatterFit FitScatter(const SharedLawProblem& problem, const Eigen::VectorXd& start,
                      const ScatterFit* near) {
  return Fit(problem, start, near).fit;
}

ScatterReport EstimateScatter(const SharedLawProblem& problem, const Eigen::VectorXd& start,
                              bool cross_validate, const CrossValidationOptions& options) {
  const Fitted fitted = Fit(problem, start);
  const MixedModel model(problem, fitted.fit.coefficients);
  const double least = Criterion(model, fitted.x);
  ScatterReport report;
  report.noise_scale = fitted.fit.noise_scale;
  report.coefficients = fitted.fit.coefficients;
  report.covariance = fitted.fit.covariance;

  // Law parameters and their derivatives at the mean of the impacts.
  const auto num_law = fitted.fit.tau.size();
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(num_law);
  Eigen::MatrixXd by_coefficients = Eigen::MatrixXd::Zero(num_law, problem.num_parameters());
  const double share = 1.0 / static_cast<double>(problem.impacts().size());
  for (size_t i = 0; i < problem.impacts().size(); ++i) {
    const CoefficientModel::Values values = problem.model().Evaluate(
        fitted.fit.coefficients, problem.impact(i).geometry.contact.velocity, problem.group(i),
        problem.columns(i));
    mean += share * values.parameters.head(num_law);
    by_coefficients += share * values.by_coefficients.topRows(num_law);
    const SharedLawProblem::TrialResidual raw =
        problem.CalcTrialResidual(fitted.fit.coefficients, i);
    const Eigen::VectorXd variance =
        fitted.fit.tau.unaryExpr([](double tau) { return std::isnan(tau) ? 0.0 : tau * tau; });
    const Eigen::MatrixXd by_required = ByRequired(problem, raw);
    const Eigen::Matrix<double, 6, 6> covariance =
        by_required * variance.asDiagonal() * by_required.transpose() +
        raw.by_coefficients * fitted.fit.covariance * raw.by_coefficients.transpose();
    const Vector6d sigma = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    report.next_impacts.push_back(
        {problem.impact(i).record.trial, sigma.head<3>(), sigma.tail<3>()});
  }
  const Eigen::MatrixXd covariance =
      by_coefficients * fitted.fit.covariance * by_coefficients.transpose();
  for (Eigen::Index p = 0; p < num_law; ++p) {
    const solver::ParameterInfo& info = problem.law().parameters[p];
    ScatterEstimate estimate{
        .parameter = std::string(info.name), .value = fitted.fit.tau[p], .mean = mean[p]};
    if (!std::isnan(estimate.value)) {
      estimate.ci95 = {WalkScatter(model, fitted, p, least, 0.0),
                       WalkScatter(model, fitted, p, least, fitted.limits.upper[p])};
      estimate.compatible_with_zero = estimate.ci95[0] == 0.0;
      const double half =
          std::sqrt(kChiSquare95 * (covariance(p, p) + estimate.value * estimate.value));
      estimate.next95 = {std::max(info.lower, mean[p] - half),
                         std::min(info.upper, mean[p] + half)};
    }
    report.parameters.push_back(std::move(estimate));
  }
  if (cross_validate && NumFolds(problem, options) > 0) {
    CrossValidateScatter(problem, fitted.fit, options, report);
  }
  return report;
}

}  // namespace percuss::fitting
