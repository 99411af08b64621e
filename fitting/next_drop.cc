// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/next_drop.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <variant>

#include "fitting/estimate/estimator.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

constexpr double kRadians = std::numbers::pi / 180.0;

void RequireGrid(const DropGrid& grid) {
  const auto require = [](const char* field, const std::vector<double>& values, double above,
                          double below) {
    if (values.empty()) {
      throw std::invalid_argument(fmt::format("{}: found none, allowed one or more", field));
    }
    for (const double value : values) {
      if (value > above && value < below) continue;
      throw std::invalid_argument(
          fmt::format("{}: found {}, allowed above {} and below {}", field, value, above, below));
    }
  };
  require("pitch_deg", grid.pitch_deg, -180.0, 180.0);
  require("roll_deg", grid.roll_deg, -180.0, 180.0);
  require("incidence_deg", grid.incidence_deg, -90.0, 90.0);
  require("speed", grid.speed, 0.0, 1000.0);
}

bool IsPlanar(const solver::Body& body) {
  return std::holds_alternative<solver::Ellipse>(body.shape);
}

/// Mean over the impacts that were used, and the scale that the fit found.
ImpactErrors TypicalErrors(const LawFit& fit, const PreparedImpacts& data) {
  ImpactErrors typical;
  int count = 0;
  for (std::size_t i = 0; i < data.impacts.size() && i < fit.trials.size(); ++i) {
    if (!fit.trials[i].used) continue;
    typical.own += data.impacts[i].errors.Total();
    ++count;
  }
  typical.own *= fit.interval_scale * fit.interval_scale / std::max(count, 1);
  typical.shared = ErrorSensitivity::Zero(kErrorDimension, 0);
  return typical;
}

/// Where a parameter may lie.
struct Range {
  double low, high;
};

Range RangeOf(const ParameterEstimate& estimate, const solver::ParameterInfo& info) {
  double low = std::max(estimate.ci95[0], info.lower);
  double high = std::min(estimate.ci95[1], info.upper);
  if (!std::isfinite(low)) low = std::isfinite(info.lower) ? info.lower : 0.0;
  if (!std::isfinite(high)) {
    high =
        std::isfinite(info.upper) ? info.upper : low + std::max({std::abs(low), info.typical, 0.1});
  }
  return {low, high};
}

/// Covariance of the parameters before the drop, an open one as even over its range, and the values
/// at which the information is averaged.
struct Prior {
  Eigen::MatrixXd covariance;
  std::vector<Eigen::VectorXd> values;
};

Prior PriorOf(const LawFit& fit, const solver::LawInfo& law) {
  constexpr int kValues = 5;  // of each open parameter
  const auto count = static_cast<Eigen::Index>(fit.parameters.size());
  Prior prior;
  prior.covariance = Eigen::MatrixXd::Zero(count, count);
  prior.values = {Eigen::VectorXd(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const ParameterEstimate& estimate = fit.parameters[i];
    const bool known = estimate.status == ParameterStatus::kIdentified && estimate.sigma > 0.0;
    if (known) {
      for (Eigen::Index j = 0; j < count; ++j) {
        const ParameterEstimate& other = fit.parameters[j];
        if (other.status == ParameterStatus::kIdentified && other.sigma > 0.0) {
          prior.covariance(i, j) = fit.covariance(i, j);
        }
      }
      for (Eigen::VectorXd& value : prior.values) value[i] = estimate.value;
      continue;
    }
    const Range range = RangeOf(estimate, law.parameters[i]);
    const double width = range.high - range.low;
    prior.covariance(i, i) = width * width / 12.0;
    std::vector<Eigen::VectorXd> values;
    for (const Eigen::VectorXd& value : prior.values) {
      for (int k = 0; k < kValues; ++k) {
        values.push_back(value);
        values.back()[i] = range.low + (k + 0.5) / kValues * width;
      }
    }
    prior.values = std::move(values);
  }
  return prior;
}

/// Fills in what the drop would tell.
/// @return false where it would be no impact
bool Evaluate(const solver::LawInfo& law, const solver::Body& body, const ImpactErrors& errors,
              const Prior& prior, NextDrop* drop) {
  const Impact impact = PrepareImpact(DropImpact(body, *drop), errors, body);
  const solver::Contact<double>& contact = impact.geometry.contact;
  if (!(contact.velocity.z() < 0.0)) return false;
  const SharedLawProblem problem(law, {&impact});
  const Eigen::Index count = prior.covariance.rows();
  const Eigen::MatrixXd prior_information = prior.covariance.inverse();
  Eigen::VectorXd factors = Eigen::VectorXd::Zero(count);
  drop->information = 0.0;
  for (const Eigen::VectorXd& value : prior.values) {
    Eigen::MatrixXd derivatives;
    problem.CalcResiduals(value, &derivatives);
    const JointWhitening whitening = problem.CalcWhitening(value);
    if (!derivatives.allFinite() || !whitening.singular_trials().empty()) return false;
    const Eigen::MatrixXd J = whitening.Apply(derivatives);
    const Eigen::MatrixXd covariance = (prior_information + J.transpose() * J).inverse();
    drop->information -= 0.5 * std::log((prior_information * covariance).determinant());
    factors +=
        (covariance.diagonal().array() / prior.covariance.diagonal().array()).sqrt().matrix();
  }
  const auto draws = static_cast<double>(prior.values.size());
  drop->information /= draws;
  factors /= draws;
  for (Eigen::Index i = 0; i < count; ++i) {
    drop->interval_factors.emplace_back(law.parameters[i].name, factors[i]);
  }
  const Eigen::VectorXd& middle = prior.values[prior.values.size() / 2];
  const solver::ImpactResult<double> result =
      solver::FindLawFunction(law.name)(contact, AsSpan(middle));
  for (const solver::ContactMode mode : result.modes) {
    drop->modes.emplace_back(solver::ModeName(mode));
  }
  return true;
}

}  // namespace

ImpactRecord DropImpact(const solver::Body& body, const NextDrop& drop) {
  ImpactRecord record;
  record.q_WB = Eigen::AngleAxisd(drop.pitch_deg * kRadians, Eigen::Vector3d::UnitY()) *
                Eigen::AngleAxisd(drop.roll_deg * kRadians, Eigen::Vector3d::UnitX());
  record.r =
      record.q_WB * solver::SupportPoint(body.shape, -(record.q_WB.conjugate() * record.normal));
  record.p_WB = -record.r.z() * record.normal;
  const double incidence = drop.incidence_deg * kRadians;
  record.v = drop.speed * Eigen::Vector3d(std::sin(incidence), 0.0, -std::cos(incidence));
  return record;
}

NextDropAdvice AdviseNextDrop(const LawFit& fit, const PreparedImpacts& data,
                              const DropGrid& grid) {
  const solver::Body& body = data.body;
  RequireGrid(grid);
  NextDropAdvice advice;
  advice.law = fit.law;
  if (!fit.converged || fit.num_used == 0) {
    advice.reason = "without a fit there is nothing to improve";
    return advice;
  }
  const solver::LawInfo& law = solver::FindLaw(fit.law);
  if (std::ranges::count(fit.parameters, ParameterStatus::kGiven, &ParameterEstimate::status) > 0) {
    advice.reason = "advice is for parameters that are all fitted";
    return advice;
  }
  if (!fit.models.empty() || fit.parameters.size() != law.parameters.size()) {
    advice.reason = "advice is for parameters that are constant and shared by all trials";
    return advice;
  }
  const ImpactErrors errors = TypicalErrors(fit, data);
  const Prior prior = PriorOf(fit, law);
  const std::vector<double> rolls = IsPlanar(body) ? std::vector<double>{0.0} : grid.roll_deg;

  std::vector<NextDrop> drops;
  for (const double pitch : grid.pitch_deg) {
    for (const double roll : rolls) {
      for (const double incidence : grid.incidence_deg) {
        for (const double speed : grid.speed) {
          NextDrop drop{pitch, roll, incidence, speed, {}, 0.0, {}};
          if (Evaluate(law, body, errors, prior, &drop)) drops.push_back(std::move(drop));
        }
      }
    }
  }
  if (drops.empty()) {
    advice.reason = "no drop of the grid is an impact that the law can answer";
    return advice;
  }
  advice.usable = true;
  advice.d_optimal = *std::ranges::max_element(drops, {}, &NextDrop::information);
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    advice.per_parameter.emplace_back(
        fit.parameters[i].name, *std::ranges::min_element(drops, {}, [i](const NextDrop& drop) {
          return drop.interval_factors[i].second;
        }));
  }
  return advice;
}

}  // namespace percuss::fitting
