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
#include <optional>
#include <stdexcept>
#include <variant>

#include "fitting/estimate/estimator.h"
#include "fitting/estimate/static_friction.h"
#include "solver/rigid/sliding_friction.h"
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
  ErrorCovariance sum = ErrorCovariance::Zero();
  int count = 0;
  for (std::size_t i = 0; i < data.impacts.size() && i < fit.trials.size(); ++i) {
    if (!fit.trials[i].used) continue;
    sum += data.impacts[i].errors.Total();
    ++count;
  }
  ImpactErrors typical;
  typical.own = ErrorCovariance(fit.interval_scale * fit.interval_scale / std::max(count, 1) * sum);
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

/// Every drop of the grid.
std::vector<NextDrop> DropsOf(const solver::Body& body, const DropGrid& grid) {
  std::vector<NextDrop> drops;
  for (const double pitch : grid.pitch_deg) {
    for (const double roll : IsPlanar(body) ? std::vector<double>{0.0} : grid.roll_deg) {
      for (const double incidence : grid.incidence_deg) {
        for (const double speed : grid.speed)
          drops.push_back({pitch, roll, incidence, speed, {}, 0.0, {}});
      }
    }
  }
  return drops;
}

/// The corners of a face or an edge that is exactly on the floor; none of a single point.
std::vector<Eigen::Vector3d> PointsOnFloor(const ImpactRecord& record, const solver::Body& body) {
  constexpr double kLevel = 1e-9;  // [m]
  std::vector<Eigen::Vector3d> arms =
      solver::SupportCandidates(body.shape, -(record.q_WB.conjugate() * record.normal), kLevel);
  arms.erase(arms.begin());  // their middle
  if (arms.size() < 2) return {};
  for (Eigen::Vector3d& arm : arms) arm = record.q_WB * arm;
  return arms;
}

/// A law of several points also tries faces and edges.
DropGrid WithFacesAndEdges(DropGrid grid) {
  for (const double angle : {0.0, 90.0}) {
    if (std::ranges::count(grid.pitch_deg, angle) == 0) grid.pitch_deg.push_back(angle);
  }
  if (std::ranges::count(grid.roll_deg, 0.0) == 0) grid.roll_deg.push_back(0.0);
  return grid;
}

/// Fills in what the drop would tell.
/// @return false where it would be no impact
bool Evaluate(const solver::LawInfo& law, const solver::Body& body, const ImpactErrors& errors,
              const Prior& prior, NextDrop* drop) {
  Impact impact = PrepareImpact(DropImpact(body, *drop), errors, body);
  if (law.several_points) impact.geometry.touching = PointsOnFloor(impact.record, body);
  if (!(impact.geometry.contact.velocity.z() < 0.0)) return false;
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
  for (const solver::ContactMode mode : SolveLaw(law.name, impact.geometry, AsSpan(middle)).modes) {
    drop->modes.emplace_back(solver::ModeName(mode));
  }
  return true;
}

/// One without a value is taken at its best one.
double ValueOf(const LawFit& fit, std::string_view name) {
  for (const ParameterEstimate& estimate : fit.parameters) {
    if (estimate.name == name) return IsKnown(estimate) ? estimate.value : estimate.best;
  }
  return kNaN;
}

/// What is known of mu_s: given, or from the impacts.
std::optional<ParameterEstimate> KnownStaticFriction(const LawFit& fit) {
  for (const ParameterEstimate& estimate : fit.parameters) {
    if (estimate.name == "mu_s") return estimate;
  }
  return fit.static_friction;
}

/// Nine more between neighbours.
std::vector<double> Finer(const std::vector<double>& values) {
  std::vector<double> finer;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    for (int k = 0; k < 10; ++k) finer.push_back(values[i] + 0.1 * k * (values[i + 1] - values[i]));
  }
  finer.push_back(values.back());
  return finer;
}

struct DropThatAsks {
  NextDrop drop;
  Impact impact;
  double critical = 0.0;
};

/// Those whose answer depends on where mu_s is between the two.
std::vector<DropThatAsks> DropsThatAsk(const solver::LawInfo& law, const Eigen::VectorXd& slips,
                                       const solver::Body& body, const ImpactErrors& errors,
                                       const DropGrid& grid, const Range& between) {
  std::vector<DropThatAsks> drops;
  for (const NextDrop& drop : DropsOf(body, grid)) {
    Impact impact = PrepareImpact(DropImpact(body, drop), errors, body);
    const solver::Contact<double>& contact = impact.geometry.contact;
    if (!(contact.velocity.z() < 0.0) || !AsksForStaticFriction(law, contact, slips)) continue;
    const double critical = solver::CriticalFriction(contact);
    if (critical <= between.low || critical >= between.high) continue;
    drops.push_back({drop, std::move(impact), critical});
  }
  return drops;
}

/// By how many sigmas the velocities after the impact differ where the contact holds or slips on.
double CalcContrast(const solver::LawInfo& law, const Impact& impact,
                    const Eigen::VectorXd& slips) {
  const SharedLawProblem problem(law, {&impact});
  const JointWhitening whitening = problem.CalcWhitening(slips);
  if (!whitening.singular_trials().empty()) return 0.0;
  const solver::Contact<double>& contact = impact.geometry.contact;
  const Eigen::Vector3d difference =
      LawImpulse(law.name, contact, AsSpan(WithStaticFriction(slips, kHoldsAnyContact))) -
      LawImpulse(law.name, contact, AsSpan(slips));
  return whitening.Apply(impact.geometry.velocity_per_impulse * difference).norm();
}

std::optional<StaticFrictionDrop> AdviseStaticFriction(const LawFit& fit,
                                                       const solver::LawInfo& law,
                                                       const PreparedImpacts& data, DropGrid grid) {
  const std::optional<ParameterEstimate> known = KnownStaticFriction(fit);
  const auto info =
      std::ranges::find(law.optional_parameters, "mu_s", &solver::ParameterInfo::name);
  if (!known || info == law.optional_parameters.end()) return {};
  Eigen::VectorXd slips(std::ssize(law.parameters));
  for (Eigen::Index i = 0; i < slips.size(); ++i) slips[i] = ValueOf(fit, law.parameters[i].name);
  if (!slips.allFinite()) return {};
  Range between = RangeOf(*known, *info);
  between.low = std::max(between.low, ValueOf(fit, "mu"));
  StaticFrictionDrop advice{.between = {between.low, between.high},
                            .open_above = !std::isfinite(known->ci95[1])};
  if (!(between.high > between.low)) {
    advice.reason = fmt::format("mu_s is taken as exactly {:.3g}", between.high);
    return advice;
  }
  grid.pitch_deg = Finer(grid.pitch_deg);
  std::vector<DropThatAsks> drops =
      DropsThatAsk(law, slips, data.body, TypicalErrors(fit, data), grid, between);
  const double middle = 0.5 * (between.low + between.high);
  std::ranges::stable_sort(
      drops, {}, [&](const DropThatAsks& drop) { return std::abs(drop.critical - middle); });
  constexpr double kTells = 2.0 * 1.96;
  double most = kTells;
  for (const DropThatAsks& drop : drops) {
    if (advice.usable && drop.critical != advice.critical_friction) break;
    const double contrast = CalcContrast(law, drop.impact, slips);
    if (contrast < most) continue;
    most = contrast;
    advice.usable = true;
    advice.critical_friction = drop.critical;
    advice.drop = drop.drop;
    const double below = (drop.critical - between.low) / (between.high - between.low);
    advice.drop.information = -below * std::log(below) - (1.0 - below) * std::log(1.0 - below);
    advice.drop.interval_factors = {{"mu_s", below * below + (1.0 - below) * (1.0 - below)}};
    const Eigen::VectorXd holds = WithStaticFriction(slips, kHoldsAnyContact);
    advice.drop.modes.clear();
    for (const solver::ContactMode mode :
         solver::FindLawFunction(law.name)(drop.impact.geometry.contact, AsSpan(holds)).modes) {
      advice.drop.modes.emplace_back(solver::ModeName(mode));
    }
  }
  if (advice.usable) return advice;
  const std::string where = fmt::format(
      "a critical friction from {:.3g} to {:.3g}, where mu_s may be", between.low, between.high);
  advice.reason = drops.empty() ? "no drop of the grid stops with " + where
                                : "drops of the grid stop with " + where +
                                      ", but whether they hold is too little to be measured";
  return advice;
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
  advice.static_friction = AdviseStaticFriction(fit, law, data, grid);
  if (std::ranges::count(fit.parameters, ParameterStatus::kGiven, &ParameterEstimate::status) > 0) {
    advice.reason = "advice is for parameters that are all fitted";
    return advice;
  }
  if (!law.products.empty()) {
    advice.reason =
        fmt::format("advice is not for laws that depend on {} alone", law.products.front().name);
    return advice;
  }
  if (!fit.models.empty() || fit.parameters.size() != law.parameters.size()) {
    advice.reason = "advice is for parameters that are constant and shared by all trials";
    return advice;
  }
  const ImpactErrors errors = TypicalErrors(fit, data);
  const Prior prior = PriorOf(fit, law);
  std::vector<NextDrop> drops;
  for (NextDrop& drop : DropsOf(body, law.several_points ? WithFacesAndEdges(grid) : grid))
    if (Evaluate(law, body, errors, prior, &drop)) drops.push_back(std::move(drop));
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
