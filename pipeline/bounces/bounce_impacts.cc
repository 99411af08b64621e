// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_impacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/math/covariance_root.h"

namespace percuss::pipeline {
namespace {

using impacts::ImpactRecord;

/// The numbers of a bounce that an impact takes with their errors, in the error vector, with signs.
struct Taken {
  tracking::BounceNumber number;
  int place;
  double sign;
};
constexpr std::array<Taken, 3> kTaken = {{{tracking::kTangentialBefore, impacts::kV, 1.0},
                                          {tracking::kNormalBefore, impacts::kV + 2, -1.0},
                                          {tracking::kNormalAfter, impacts::kVPost + 2, 1.0}}};
constexpr Eigen::Index kNumTaken = std::ssize(kTaken);
/// Of the variances: widens sigmas by 0.005 %, and is far above rounding.
constexpr double kOwnShare = 1e-4;

/// A root of the covariance of the taken numbers of all bounces [m/s], bounce by bounce.
Eigen::MatrixXd RootOfClip(const ClipBounces& clip) {
  const auto count = std::ssize(clip.fit->bounces);
  Eigen::MatrixXd select = Eigen::MatrixXd::Zero(kNumTaken * count, clip.fit->covariance.cols());
  for (Eigen::Index k = 0; k < count; ++k) {
    for (Eigen::Index i = 0; i < kNumTaken; ++i) {
      select(k * kNumTaken + i, k * tracking::kNumBounceNumbers + kTaken[i].number) =
          kTaken[i].sign * clip.radius.value;
    }
  }
  return CovarianceRoot(select * clip.fit->covariance * select.transpose());
}

ImpactRecord RecordOf(const ClipBounces& clip, std::size_t k) {
  const tracking::BounceFit& fit = *clip.fit;
  const tracking::BounceEstimate& bounce = fit.bounces[k];
  const double radius = clip.radius.value;
  const Eigen::Matrix3d axes = tracking::BounceAxes(fit.contacts[k], fit.ball.normal);
  ImpactRecord record;
  record.trial = fmt::format("{}-{}", clip.name, k + 1);
  record.time = bounce.time;
  record.time_sigma = fit.Sigma(k, tracking::kBounceTime);
  record.p_WB = {0.0, 0.0, radius};
  record.r = {0.0, 0.0, -radius};
  record.v = radius * Eigen::Vector3d(bounce.tangential_before, 0.0, -bounce.normal_before);
  record.v_post =
      radius * Eigen::Vector3d(bounce.tangential_after, axes.row(1).dot(fit.contacts[k].after),
                               bounce.normal_after);
  record.gravity = radius * axes * fit.ball.gravity;
  record.extra = {{"clip", clip.name}, {"bounce", fmt::format("{}", k + 1)}};
  return record;
}

/// Errors of what the pictures leave open.
void AddOpen(const ClipBounces& clip, std::size_t k, const ImpactRecord& record,
             impacts::ImpactCovariance* covariance) {
  const double along = clip.radius.value * clip.fit->Sigma(k, tracking::kTangentialBefore);
  const double spin = record.v.norm() / clip.radius.value;
  auto variances = covariance->diagonal();
  variances[impacts::kV + 1] = along * along;
  variances.segment<3>(impacts::kW).setConstant(spin * spin);
  const double open = impacts::kUnmeasuredSigma * impacts::kUnmeasuredSigma;
  variances.segment<2>(impacts::kVPost).setConstant(open);
  variances.segment<3>(impacts::kWPost).setConstant(open);
}

void AddClip(const ClipBounces& clip, Eigen::Index num_shared, Eigen::Index first,
             Eigen::Index scale, impacts::ImpactTable* table) {
  const Eigen::MatrixXd root = RootOfClip(clip);
  for (std::size_t k = 0; k < clip.fit->bounces.size(); ++k) {
    ImpactRecord record = RecordOf(clip, k);
    Eigen::MatrixXd& shared = record.calibration_sensitivity;
    shared = Eigen::MatrixXd::Zero(impacts::kImpactDimension, num_shared);
    const std::array<double, 3> speeds = {record.v.x(), record.v.z(), record.v_post.z()};
    for (Eigen::Index i = 0; i < kNumTaken; ++i) {
      const auto row = static_cast<Eigen::Index>(k) * kNumTaken + i;
      shared.block(kTaken[i].place, first, 1, root.cols()) = root.row(row);
    }
    // The scale is left out of that: e does not have its error, and must not get a part of it.
    impacts::ImpactCovariance covariance = kOwnShare * shared * shared.transpose();
    for (Eigen::Index i = 0; i < kNumTaken; ++i)
      shared(kTaken[i].place, scale) = speeds[i] * clip.radius.sigma / clip.radius.value;
    covariance += shared * shared.transpose();
    AddOpen(clip, k, record, &covariance);
    record.covariance = covariance;
    table->impacts.push_back(std::move(record));
  }
}

}  // namespace

impacts::ImpactTable ImpactsOfBounces(std::span<const ClipBounces> clips, bool one_scale) {
  Eigen::Index num_shared = one_scale ? 1 : std::ssize(clips);
  const Eigen::Index num_scales = num_shared;
  for (const ClipBounces& clip : clips) {
    if (!(clip.radius.value > 0.0 && std::isfinite(clip.radius.value)))
      throw std::invalid_argument(
          fmt::format("radius of the ball of {}: found {}, allowed above 0 and finite [m]",
                      clip.name, clip.radius.value));
    num_shared += RootOfClip(clip).cols();
  }
  impacts::ImpactTable table;
  table.calibration_covariance = Eigen::MatrixXd::Identity(num_shared, num_shared);
  Eigen::Index first = num_scales;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    const Eigen::Index scale = one_scale ? 0 : static_cast<Eigen::Index>(c);
    AddClip(clips[c], num_shared, first, scale, &table);
    first += RootOfClip(clips[c]).cols();
  }
  return table;
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
