// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_knowledge.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/text/numbers.h"
#include "capture/sound/ball_flight.h"
#include "tracking/ball/camera_shake.h"

namespace percuss::pipeline {

Eigen::Vector2d RollOf(const cv::Size& size, const capture::PictureTurn& turn) {
  if (turn.stated) return capture::RowDirection(turn);
  return size.width >= size.height ? Eigen::Vector2d::UnitY() : Eigen::Vector2d::UnitX();
}

capture::RecordedCamera CameraOfClip(const capture::VideoReader& reader,
                                     const capture::VideoClock& clock) {
  capture::RecordedCamera camera = reader.Camera();
  const std::string note = reader.ClockNote("--fps ");
  if (!clock.frame_rate && !note.empty()) camera.warnings.push_back(note);
  return camera;
}

ValueWithSigma FocalOf35mm(double focal_35mm, const cv::Size& size) {
  constexpr double kFilmDiagonal = 43.267, kCrop = 1.05, kCropSigma = 0.1;  // [mm]
  const double longer = std::max(size.width, size.height);
  const double shorter = std::max<double>(std::min(size.width, size.height), 0.75 * longer);
  const double focal = kCrop * focal_35mm / kFilmDiagonal * std::hypot(longer, shorter);
  return {focal, kCropSigma * focal};
}

FocalPrior FocalBefore(const cv::Size& size, const std::optional<calibration::Camera>& lens,
                       const BounceOptions& options) {
  // Calibrations of phones are good to a few thousandths; outlines ask for no more.
  constexpr double kLens = 0.003;
  if (lens) return {{lens->intrinsics[0], kLens * lens->intrinsics[0]}, "the calibration"};
  if (options.focal_35mm)
    return {FocalOf35mm(*options.focal_35mm, size),
            fmt::format("--focal-35mm {:g}", *options.focal_35mm)};
  if (options.camera.focal_35mm)
    return {FocalOf35mm(*options.camera.focal_35mm, size),
            fmt::format("{:g} mm (of 35 mm film) in the file", *options.camera.focal_35mm)};
  return {tracking::UsualFocal(size), "what is usual"};
}

std::string FocalLine(const FocalPrior& before, const ValueWithSigma& after) {
  if (after.sigma == 0.0)
    return fmt::format("focal length {:.0f} px, by {}", after.value, before.source);
  return fmt::format("focal length {} px, by outlines and motion; before them {} px, by {}",
                     FormatWithSigma(after), FormatWithSigma(before.focal), before.source);
}

namespace {

Eigen::Index PlaceOfE(Eigen::Index bounce) {
  return bounce * tracking::kNumBounceNumbers + tracking::kBounceE;
}

struct RestitutionOfBounces {
  Eigen::VectorXd values, speeds;
  Eigen::MatrixXd covariance;
};

RestitutionOfBounces RestitutionOf(const tracking::BounceFit& fit) {
  const auto n = static_cast<Eigen::Index>(fit.bounces.size());
  RestitutionOfBounces e{Eigen::VectorXd(n), Eigen::VectorXd(n), Eigen::MatrixXd(n, n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    e.values[i] = fit.bounces[i].e;
    e.speeds[i] = fit.bounces[i].normal_before;
    for (Eigen::Index j = 0; j < n; ++j)
      e.covariance(i, j) = fit.covariance(PlaceOfE(i), PlaceOfE(j));
  }
  return e;
}

}  // namespace

double RateOf(const std::vector<double>& times) {
  return static_cast<double>(times.size() - 1) / (times.back() - times.front());
}

std::optional<ValueWithSigma> DragOf(const BounceOptions& options) {
  if (!options.mass || !options.scale.diameter) return std::nullopt;
  const ValueWithSigma &mass = *options.mass, &diameter = *options.scale.diameter;
  ValueWithSigma drag = capture::DragOfBall(diameter.value, mass.value);
  drag.sigma = std::hypot(drag.sigma, drag.value * mass.sigma / mass.value,
                          2.0 * drag.value * diameter.sigma / diameter.value);
  return drag;
}

CommonValue MeanOfBounces(const tracking::BounceFit& fit) {
  const RestitutionOfBounces e = RestitutionOf(fit);
  return FitCommonValue(e.values, e.covariance, e.speeds);
}

Eigen::VectorXd SharedErrorsOfMean(const tracking::BounceFit& fit) {
  if (fit.shared.size() == 0) return Eigen::VectorXd::Zero(tracking::kNumSharedErrors);
  RestitutionOfBounces e = RestitutionOf(fit);
  // The weights of the mean.
  const double scatter = FitCommonValue(e.values, e.covariance, e.speeds).scatter;
  e.covariance.diagonal().array() += scatter * scatter;
  const Eigen::VectorXd weights = e.covariance.ldlt().solve(Eigen::VectorXd::Ones(e.values.size()));
  Eigen::VectorXd shared = Eigen::VectorXd::Zero(tracking::kNumSharedErrors);
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    shared += weights[i] / weights.sum() * fit.shared.row(PlaceOfE(i)).transpose();
  return shared;
}

}  // namespace percuss::pipeline
