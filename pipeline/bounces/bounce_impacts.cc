// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_impacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/math/covariance_root.h"
#include "impacts/joined_tables.h"

namespace percuss::pipeline {
namespace {

using impacts::ImpactRecord;

/// The numbers of a bounce that an impact takes with their errors, in the error vector, with signs.
struct Taken {
  tracking::BounceNumber number;
  int place;
  double sign;
};
/// The last one only where the spins are known.
constexpr std::array<Taken, 4> kTaken = {{{tracking::kTangentialBefore, impacts::kV, 1.0},
                                          {tracking::kNormalBefore, impacts::kV + 2, -1.0},
                                          {tracking::kNormalAfter, impacts::kVPost + 2, 1.0},
                                          {tracking::kTangentialAfter, impacts::kVPost, 1.0}}};
constexpr Eigen::Index kNumTaken = std::ssize(kTaken);
/// Of the variances: widens sigmas by 0.005 %, and is far above rounding.
constexpr double kOwnShare = 1e-4;

/// Metres per length of the fit.
ValueWithSigma UnitOf(const ClipBounces& clip) {
  return clip.metric ? ValueWithSigma{1.0, 0.0} : clip.radius;
}

bool SpinsAreKnown(const ClipBounces& clip, std::size_t k) {
  return k + 1 < clip.spins.size() && clip.spins[k].reason.empty() &&
         clip.spins[k + 1].reason.empty();
}

/// The taken numbers of all bounces [m/s], bounce by bounce: what they share with other clips, and
/// a root of the covariance of the rest.
struct ClipErrors {
  Eigen::MatrixXd shared, own;
};

ClipErrors ErrorsOfClip(const ClipBounces& clip) {
  const auto count = std::ssize(clip.fit->bounces);
  Eigen::MatrixXd select = Eigen::MatrixXd::Zero(kNumTaken * count, clip.fit->covariance.cols());
  for (Eigen::Index k = 0; k < count; ++k) {
    for (Eigen::Index i = 0; i < kNumTaken; ++i) {
      select(k * kNumTaken + i, k * tracking::kNumBounceNumbers + kTaken[i].number) =
          kTaken[i].sign * UnitOf(clip).value;
    }
  }
  ClipErrors errors{.shared = Eigen::MatrixXd::Zero(select.rows(), tracking::kNumSharedErrors),
                    .own = {}};
  if (clip.fit->shared.size() > 0) errors.shared = select * clip.fit->shared;
  errors.own = CovarianceRoot(select * clip.fit->covariance * select.transpose() -
                              errors.shared * errors.shared.transpose());
  return errors;
}

ImpactRecord RecordOf(const ClipBounces& clip, std::size_t k, const Eigen::Matrix3d& axes) {
  const tracking::BounceFit& fit = *clip.fit;
  const tracking::BounceEstimate& bounce = fit.bounces[k];
  const double radius = clip.radius.value, unit = UnitOf(clip).value;
  ImpactRecord record;
  record.trial = fmt::format("{}-{}", clip.name, k + 1);
  record.time = bounce.time;
  record.time_sigma = fit.Sigma(k, tracking::kBounceTime);
  record.p_WB = {0.0, 0.0, radius};
  record.r = {0.0, 0.0, -radius};
  record.v = unit * Eigen::Vector3d(bounce.tangential_before, 0.0, -bounce.normal_before);
  record.v_post =
      unit * Eigen::Vector3d(bounce.tangential_after, axes.row(1).dot(fit.contacts[k].after),
                             bounce.normal_after);
  record.gravity = unit * axes * fit.ball.gravity;
  record.extra = {{"clip", clip.name}, {"bounce", fmt::format("{}", k + 1)}};
  if (SpinsAreKnown(clip, k)) {
    record.w = axes * clip.spins[k].omega;
    record.w_post = axes * clip.spins[k + 1].omega;
    record.r_sigma = {0.0, 0.0, clip.radius.sigma};
  }
  return record;
}

/// Errors of the numbers that are not taken.
void AddOpen(const ClipBounces& clip, std::size_t k, const ImpactRecord& record,
             impacts::ImpactCovariance* covariance) {
  const double unit = UnitOf(clip).value;
  const double before = unit * clip.fit->Sigma(k, tracking::kTangentialBefore);
  auto variances = covariance->diagonal();
  variances[impacts::kV + 1] = before * before;
  if (SpinsAreKnown(clip, k)) {
    const double after = unit * clip.fit->Sigma(k, tracking::kTangentialAfter);
    variances[impacts::kVPost + 1] = after * after;
    return;
  }
  const double spin = record.v.norm() / clip.radius.value;
  variances.segment<3>(impacts::kW).setConstant(spin * spin);
  const double open = impacts::kUnmeasuredSigma * impacts::kUnmeasuredSigma;
  variances.segment<2>(impacts::kVPost).setConstant(open);
  variances.segment<3>(impacts::kWPost).setConstant(open);
}

/// Of one clip: parameters are those that all clips share, the scale, its own of ErrorsOfClip, and
/// three for the spin of each flight.
impacts::ImpactTable TableOfClip(const ClipBounces& clip) {
  if (!(clip.radius.value > 0.0 && std::isfinite(clip.radius.value)))
    throw std::invalid_argument(
        fmt::format("radius of the ball of {}: found {}, allowed above 0 and finite [m]", clip.name,
                    clip.radius.value));
  const ClipErrors errors = ErrorsOfClip(clip);
  constexpr Eigen::Index kScale = tracking::kNumSharedErrors;
  const Eigen::Index first_spin = kScale + 1 + errors.own.cols(),
                     size = first_spin + 3 * std::ssize(clip.spins);
  const ValueWithSigma unit = UnitOf(clip);
  impacts::ImpactTable table;
  table.calibration_covariance = Eigen::MatrixXd::Identity(size, size);
  for (std::size_t k = 0; k < clip.fit->bounces.size(); ++k) {
    const Eigen::Matrix3d axes = tracking::BounceAxes(clip.fit->contacts[k], clip.fit->ball.normal);
    const bool spins = SpinsAreKnown(clip, k);
    ImpactRecord record = RecordOf(clip, k, axes);
    Eigen::MatrixXd& shared = record.calibration_sensitivity;
    shared = Eigen::MatrixXd::Zero(impacts::kImpactDimension, size);
    const std::array<double, 4> speeds = {record.v.x(), record.v.z(), record.v_post.z(),
                                          record.v_post.x()};
    const Eigen::Index taken = spins ? kNumTaken : kNumTaken - 1;
    for (Eigen::Index i = 0; i < taken; ++i) {
      const auto row = static_cast<Eigen::Index>(k) * kNumTaken + i;
      shared.block(kTaken[i].place, 0, 1, kScale) = errors.shared.row(row);
      shared.block(kTaken[i].place, kScale + 1, 1, errors.own.cols()) = errors.own.row(row);
    }
    for (std::size_t side = 0; spins && side < 2; ++side) {
      const int place = side == 0 ? impacts::kW : impacts::kWPost;
      const Eigen::MatrixXd by = axes * CovarianceRoot(clip.spins[k + side].covariance);
      shared.block(place, first_spin + 3 * static_cast<Eigen::Index>(k + side), 3, by.cols()) = by;
    }
    // The scale is left out of that: e does not have its error, and must not get a part of it.
    impacts::ImpactCovariance covariance = kOwnShare * shared * shared.transpose();
    for (Eigen::Index i = 0; i < taken; ++i)
      shared(kTaken[i].place, kScale) = speeds[i] * unit.sigma / unit.value;
    covariance += shared * shared.transpose();
    AddOpen(clip, k, record, &covariance);
    record.covariance = covariance;
    table.impacts.push_back(std::move(record));
  }
  return table;
}

}  // namespace

impacts::ImpactTable ImpactsOfBounces(std::span<const ClipBounces> clips, bool one_scale) {
  std::vector<impacts::ImpactTable> tables;
  for (const ClipBounces& clip : clips) tables.push_back(TableOfClip(clip));
  return impacts::JoinTables(tables, tracking::kNumSharedErrors + (one_scale ? 1 : 0));
}

solver::Body BodyOfBall(double radius, const BallBody& ball) {
  const double inertia = ball.inertia_factor.value * ball.mass.value * radius * radius;
  return {.shape = solver::Sphere{radius},
          .mass = ball.mass.value,
          .inertia = inertia * Eigen::Matrix3d::Identity()};
}

std::string BodyYaml(const ValueWithSigma& radius, const BallBody& ball) {
  const double inertia = BodyOfBall(radius.value, ball).inertia(0, 0);
  // A file of a body allows no more than half of a moment, all of a mass and of a length.
  const double relative = std::min(0.5, ball.inertia_factor.sigma / ball.inertia_factor.value);
  return fmt::format(
      "# The ball of {0}: percuss fit {0} --body {1}\n"
      "body:\n  shape: sphere\n  radius: {2:.9g}\n  mass: {3:.9g}\n"
      "  inertia: [{4:.9g}, {4:.9g}, {4:.9g}]\n"
      "  sigma: {{length: {5:.6g}, mass: {6:.6g}, inertia: {7:.6g}}}\n",
      kImpactsFile, kBodyFile, radius.value, ball.mass.value, inertia,
      std::min(radius.sigma, radius.value), std::min(ball.mass.sigma, ball.mass.value), relative);
}

}  // namespace percuss::pipeline
