// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/error_budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "fitting/model/impact_model.h"
#include "solver/body/inertia_errors.h"
#include "solver/body/shape_lengths.h"

namespace percuss::fitting {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using impacts::ImpactRecord;

double KineticEnergyOf(double mass, const Matrix3d& inertia_W, const Vector3d& v,
                       const Vector3d& w) {
  return 0.5 * (mass * v.squaredNorm() + w.dot(inertia_W * w));
}

// Record and body as they would be with one length read wrong.
BudgetValues ValuesWithGrownBody(const ImpactRecord& record, const solver::Body& body,
                                 int dimension, double change) {
  solver::Body grown = body;
  grown.shape = solver::Grown(body.shape, dimension, change);
  if (solver::HasUniformInertia(body))
    grown.inertia = solver::UniformInertia(grown.shape, grown.mass);
  ImpactRecord moved = record;
  const Vector3d down_B = -(record.q_WB.conjugate() * record.normal);
  moved.r += record.q_WB *
             (solver::SupportPoint(grown.shape, down_B) - solver::SupportPoint(body.shape, down_B));
  return CalcBudgetValues(moved, grown);
}

BudgetValues ValuesWithTilt(const ImpactRecord& record, const solver::Body& body,
                            const Vector3d& axis, double angle) {
  ImpactRecord tilted = record;
  tilted.normal = Eigen::AngleAxisd(angle, axis) * record.normal;
  return CalcBudgetValues(tilted, body);
}

BudgetValues ValuesWithMass(const ImpactRecord& record, const solver::Body& body, double change) {
  solver::Body heavier = body;
  heavier.mass += change;
  if (solver::HasUniformInertia(body)) heavier.inertia *= heavier.mass / body.mass;
  return CalcBudgetValues(record, heavier);
}

BudgetValues Slope(const std::function<BudgetValues(double)>& values, double step) {
  const BudgetValues above = values(step), below = values(-step);
  BudgetValues slope;
  for (size_t i = 0; i < slope.size(); ++i) slope[i] = (above[i] - below[i]) / (2.0 * step);
  return slope;
}

void AddInQuadrature(const BudgetValues& slope, double sigma, BudgetValues& total) {
  for (size_t i = 0; i < total.size(); ++i) total[i] = std::hypot(total[i], slope[i] * sigma);
}

// Effect of one error of each length, all independent.
BudgetValues DimensionSigma(const ImpactRecord& record, const solver::Body& body, double sigma) {
  BudgetValues total{};
  const double step = 1e-5 * solver::BoundingRadius(body.shape);
  for (int i = 0; i < solver::NumLengths(body.shape); ++i) {
    AddInQuadrature(
        Slope([&](double change) { return ValuesWithGrownBody(record, body, i, change); }, step),
        sigma, total);
  }
  return total;
}

BudgetValues TiltSigma(const ImpactRecord& record, const solver::Body& body, double sigma) {
  BudgetValues total{};
  const Matrix3d frame = solver::ContactFrame(record.normal);
  for (int i = 0; i < 2; ++i) {
    AddInQuadrature(
        Slope([&](double angle) { return ValuesWithTilt(record, body, frame.col(i), angle); },
              1e-5),
        sigma, total);
  }
  return total;
}

// Effect of an impact taken too early or too late: both velocities miss some free fall.
BudgetValues InstantSigma(const ImpactRecord& record, const BudgetGradient& gradient,
                          double sigma) {
  BudgetValues total{};
  for (int i = 0; i < kNumBudgetQuantities; ++i) {
    const auto column = gradient.col(i);
    total[i] = sigma * std::abs(record.gravity.dot(column.segment<3>(impacts::kV) +
                                                   column.segment<3>(impacts::kVPost)));
  }
  return total;
}

BudgetValues SourceSigma(const ImpactErrors& errors, const impacts::SharedSource& source,
                         const BudgetGradient& gradient) {
  const Eigen::MatrixXd moved = (gradient.transpose() * errors.shared) * source.root;
  BudgetValues sigma;
  for (int i = 0; i < kNumBudgetQuantities; ++i) sigma[i] = moved.row(i).norm();
  return sigma;
}

BudgetValues Scaled(BudgetValues values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

BudgetValues Unknown() {
  BudgetValues values;
  values.fill(kNaN);
  return values;
}

constexpr const char* kPixels = "pixels";
constexpr const char* kCalibration = "calibration";
constexpr const char* kBench = "bench: what the flights leave of it";
constexpr const char* kSharedPixels = "pixels of all trials, through cameras and body";
constexpr const char* kDefault = " (default, nobody stated it)";
constexpr const char* kContactPoint = "contact point";
constexpr const char* kMass = "mass";
constexpr const char* kDimensions = "dimensions";
constexpr const char* kTilt = "surface tilt";

// sun2017 4.3: sources and sizes as printed.
std::vector<ErrorBudgetRow> ThesisRows(const ImpactRecord& record, const solver::Body& body,
                                       const BudgetGradient& gradient, const BudgetValues& pixels,
                                       double pixel_noise_px) {
  const double third = 1.0 / std::sqrt(3.0);
  const double degree = std::numbers::pi / 180.0;
  const auto row = [](std::string source, double size, std::string unit, BudgetValues sigma,
                      std::string counterpart) {
    return ErrorBudgetRow{std::move(source),     size, std::move(unit), sigma, Unknown(),
                          std::move(counterpart)};
  };
  const auto pixel_row = [&](const char* source, double size) {
    return row(source, size, "px", Scaled(pixels, size * third / pixel_noise_px), kPixels);
  };
  return {
      row("angle ruler", 0.5, "deg", TiltSigma(record, body, 0.5 * degree * third), kTilt),
      row("laser level", 0.5, "division", Unknown(), kTilt),
      pixel_row("image resolution", 0.5),
      row("length ruler", 0.5, "mm", DimensionSigma(record, body, 5e-4 * third), kDimensions),
      row("frame time", 1.0 / 240.0, "s", InstantSigma(record, gradient, third / 240.0), kPixels),
      row("camera 1 reprojection", 0.4686, "px", Unknown(), kCalibration),
      row("camera 2 reprojection", 0.3992, "px", Unknown(), kCalibration),
      row("2D camera reprojection", 0.16, "px", Unknown(), kCalibration),
      pixel_row("blurred marker centroid", 1.5),
      row("overall position", 3.0, "mm", Unknown(), kCalibration),
      row("repeatability", 1.0, "%", Unknown(), ""),
      row("auto-focus", kNaN, "", Unknown(), kCalibration),
      row("object angle > 45 deg to camera plane", kNaN, "", Unknown(), kPixels),
  };
}

void SetShares(ErrorBudget& budget) {
  for (ErrorBudgetRow& row : budget.rows) {
    for (size_t i = 0; i < row.share.size(); ++i) {
      row.share[i] = row.sigma[i] == 0.0 ? 0.0 : std::pow(row.sigma[i] / budget.sigma[i], 2);
    }
  }
}

// Every number that is averaged, with the power of which the mean is taken.
void ForEachNumber(auto& budget, const auto& work) {
  for (auto& value : budget.value) work(value, 1.0);
  for (auto& sigma : budget.sigma) work(sigma, 2.0);
  for (auto& row : budget.rows) {
    work(row.size, 2.0);
    for (auto& sigma : row.sigma) work(sigma, 2.0);
  }
  for (auto& row : budget.thesis) {
    for (auto& sigma : row.sigma) work(sigma, 2.0);
  }
}

void CheckInput(const ImpactRecord& record, const ImpactErrors& errors,
                const BodyTolerances& tolerances) {
  const auto check = [](std::string_view field, double value, std::string_view unit) {
    if (value >= 0.0 && std::isfinite(value)) return;
    throw std::invalid_argument(
        fmt::format("{}: found {}, allowed 0 {} or more", field, value, unit));
  };
  check("mass tolerance", tolerances.mass, "kg");
  check("dimension tolerance", tolerances.dimension, "m");
  check("tilt", tolerances.tilt, "rad");
  if (record.pixel_noise_px <= 0.0) {
    throw std::invalid_argument(
        fmt::format("pixel_noise_px: found {}, allowed above 0", record.pixel_noise_px));
  }
  if (!errors.reason_unusable.empty()) {
    throw std::invalid_argument(
        fmt::format("errors of {}: {}", record.trial, errors.reason_unusable));
  }
  const double approach = record.normal.dot(record.v + record.w.cross(record.r));
  if (!(approach < 0.0)) {
    throw std::invalid_argument(fmt::format(
        "{}: the contact point moves at {:.4g} m/s along the normal before the impact, allowed "
        "below 0",
        record.trial, approach));
  }
}

}  // namespace

BudgetValues CalcBudgetValues(const ImpactRecord& record, const solver::Body& body) {
  const Vector3d u = record.v + record.w.cross(record.r);
  const Vector3d u_post = record.v_post + record.w_post.cross(record.r);
  const Vector3d dv = record.v_post - record.v;
  const double dv_n = record.normal.dot(dv);
  const Matrix3d inertia_W = InertiaInWorld(record.q_WB, body);
  const double before = KineticEnergyOf(body.mass, inertia_W, record.v, record.w);
  const double after = KineticEnergyOf(body.mass, inertia_W, record.v_post, record.w_post);
  BudgetValues values;
  values[kBudgetRestitution] = -record.normal.dot(u_post) / record.normal.dot(u);
  values[kBudgetImpulseRatio] = (dv - dv_n * record.normal).norm() / dv_n;
  values[kBudgetDissipation] = before - after;
  values[kBudgetDissipatedShare] = (before - after) / before;
  return values;
}

BudgetGradient CalcBudgetGradient(const ImpactRecord& record, const solver::Body& body) {
  using impacts::kRotation, impacts::kV, impacts::kVPost, impacts::kW, impacts::kWPost;
  const Vector3d& n = record.normal;
  const BudgetValues values = CalcBudgetValues(record, body);
  BudgetGradient gradient = BudgetGradient::Zero();

  // e = -u'_n / u_n, u_n = n.v + (r x n).w.
  const double u_n = n.dot(record.v + record.w.cross(record.r));
  const double e = values[kBudgetRestitution];
  const Vector3d lever = record.r.cross(n);
  auto restitution = gradient.col(kBudgetRestitution);
  restitution.segment<3>(kV) = -e / u_n * n;
  restitution.segment<3>(kW) = -e / u_n * lever;
  restitution.segment<3>(kVPost) = -1.0 / u_n * n;
  restitution.segment<3>(kWPost) = -1.0 / u_n * lever;
  restitution.segment<3>(kArm) = -1.0 / u_n * n.cross(record.w_post + e * record.w);

  // ratio = |dv_t| / dv_n.
  const Vector3d dv = record.v_post - record.v;
  const double dv_n = n.dot(dv);
  const Vector3d dv_t = dv - dv_n * n;
  auto ratio = gradient.col(kBudgetImpulseRatio);
  const bool has_direction = dv_t.norm() > 1e-12 * dv.norm();
  const Vector3d by_change =
      has_direction ? Vector3d((dv_t.normalized() - values[kBudgetImpulseRatio] * n) / dv_n)
                    : Vector3d::Constant(kNaN);
  ratio.segment<3>(kVPost) = by_change;
  ratio.segment<3>(kV) = -by_change;

  // T = m v^2 / 2 + w.I w / 2; the inertia turns with the body, dT = d.((I w) x w).
  const Matrix3d inertia_W = InertiaInWorld(record.q_WB, body);
  const double before = KineticEnergyOf(body.mass, inertia_W, record.v, record.w);
  const double after = KineticEnergyOf(body.mass, inertia_W, record.v_post, record.w_post);
  Eigen::Matrix<double, kErrorDimension, 1> of_before, of_after;
  of_before.setZero();
  of_after.setZero();
  of_before.segment<3>(kV) = body.mass * record.v;
  of_before.segment<3>(kW) = inertia_W * record.w;
  of_before.segment<3>(kRotation) = (inertia_W * record.w).cross(record.w);
  of_after.segment<3>(kVPost) = body.mass * record.v_post;
  of_after.segment<3>(kWPost) = inertia_W * record.w_post;
  of_after.segment<3>(kRotation) = (inertia_W * record.w_post).cross(record.w_post);
  const auto directions = solver::InertiaDirections(body.inertia);
  const Vector3d w_B = record.q_WB.conjugate() * record.w,
                 w_B_post = record.q_WB.conjugate() * record.w_post;
  for (int i = 0; i < 6; ++i) {
    of_before[kInertia + i] = 0.5 * w_B.dot(directions[i] * w_B);
    of_after[kInertia + i] = 0.5 * w_B_post.dot(directions[i] * w_B_post);
  }
  gradient.col(kBudgetDissipation) = of_before - of_after;
  gradient.col(kBudgetDissipatedShare) = (after / before * of_before - of_after) / before;

  gradient.middleRows<3>(kRotation) +=
      ContactArmPerRotation(record, body).transpose() * gradient.middleRows<3>(kArm);
  return gradient;
}

ErrorBudget CalcErrorBudget(const Impact& impact, const solver::Body& body,
                            const BodyTolerances& tolerances,
                            const std::vector<impacts::SharedSource>& sources_by_k) {
  const ImpactRecord& record = impact.record;
  const ImpactErrors& errors = impact.errors;
  CheckInput(record, errors, tolerances);
  const BudgetGradient gradient = CalcBudgetGradient(record, body);
  const ErrorCovariance own = errors.own.Full();
  BudgetValues pixels{}, calibration{}, contact_point{};
  for (int i = 0; i < kNumBudgetQuantities; ++i) {
    const auto state = gradient.col(i).head<impacts::kImpactDimension>();
    const auto arm = gradient.col(i).segment<3>(kArm);
    pixels[i] = std::sqrt(state.dot(
        own.topLeftCorner<impacts::kImpactDimension, impacts::kImpactDimension>() * state));
    calibration[i] = (errors.shared.transpose() * gradient.col(i)).norm();
    contact_point[i] = std::sqrt(arm.dot(own.block<3, 3>(kArm, kArm) * arm));
  }
  BudgetValues mass{};
  AddInQuadrature(
      Slope([&](double change) { return ValuesWithMass(record, body, change); }, 1e-5 * body.mass),
      tolerances.mass, mass);

  ErrorBudget budget;
  budget.value = CalcBudgetValues(record, body);
  const double arm_size = std::sqrt(own.block<3, 3>(kArm, kArm).trace() / 3.0);
  const auto add = [&](const std::string& source, double size, const std::string& unit,
                       const BudgetValues& sigma) {
    budget.rows.push_back({source, size, unit, sigma, {}, {}});
    for (size_t i = 0; i < sigma.size(); ++i) {
      budget.sigma[i] = std::hypot(budget.sigma[i], sigma[i]);
    }
  };
  add(errors.assumed ? "assumed sigmas of the velocities" : kPixels,
      errors.assumed ? kNaN : record.pixel_noise_px, "px", pixels);
  const bool whole_bench = errors.of_body;
  const auto named = [](const std::string& source, bool stated) {
    return source + (stated ? "" : kDefault);
  };
  if (whole_bench) {
    BudgetValues rest = calibration;
    for (const impacts::SharedSource& source : sources_by_k) {
      const BudgetValues sigma = SourceSigma(errors, source, gradient);
      for (size_t i = 0; i < rest.size(); ++i)
        rest[i] = std::sqrt(std::max(0.0, rest[i] * rest[i] - sigma[i] * sigma[i]));
      add(named(source.name, source.stated), source.size, source.unit, sigma);
    }
    add(sources_by_k.empty() ? kBench : kSharedPixels, kNaN, "", rest);
  } else {
    add(kCalibration, kNaN, "", calibration);
  }
  if (!whole_bench || arm_size > 0.0) add(kContactPoint, arm_size, "m", contact_point);
  add(named(kMass, tolerances.mass_stated), tolerances.mass, "kg", mass);
  if (!whole_bench) {
    add(named(kDimensions, tolerances.dimension_stated), tolerances.dimension, "m",
        DimensionSigma(record, body, tolerances.dimension));
  }
  add(named(kTilt, tolerances.tilt_stated), tolerances.tilt, "rad",
      TiltSigma(record, body, tolerances.tilt));
  SetShares(budget);
  budget.thesis = ThesisRows(record, body, gradient, errors.assumed ? Unknown() : pixels,
                             record.pixel_noise_px);
  return budget;
}

void MeanErrorBudget::Add(const ErrorBudget& budget) {
  if (num_impacts_ == 0) {
    first_ = budget;
    ForEachNumber(budget, [&](double, double) { known_.emplace_back(); });
  }
  if (budget.rows.size() != first_.rows.size()) return;
  ++num_impacts_;
  auto known = known_.begin();
  ForEachNumber(budget, [&](double number, double power) {
    if (!std::isnan(number)) {
      known->sum += std::pow(number, power);
      ++known->count;
    }
    ++known;
  });
}

std::optional<ErrorBudget> MeanErrorBudget::Mean() const {
  if (num_impacts_ == 0) return std::nullopt;
  ErrorBudget mean = first_;
  mean.num_impacts = num_impacts_;
  auto known = known_.begin();
  ForEachNumber(mean, [&](double& number, double power) {
    number = known->count > 0 ? std::pow(known->sum / known->count, 1.0 / power) : kNaN;
    ++known;
  });
  SetShares(mean);
  return mean;
}

std::optional<ErrorBudget> CalcErrorBudget(const LawFit& fit, const PreparedImpacts& data,
                                           const BodyTolerances& tolerances) {
  MeanErrorBudget mean;
  for (size_t i = 0; i < data.impacts.size() && i < fit.trials.size(); ++i) {
    if (!fit.trials[i].used || !data.impacts[i].errors.fully_measured) continue;
    mean.Add(CalcErrorBudget(data.impacts[i], data.body, tolerances, data.sources));
  }
  return mean.Mean();
}

}  // namespace percuss::fitting
