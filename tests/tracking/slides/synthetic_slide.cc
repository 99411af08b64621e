// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/tracking/slides/synthetic_slide.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

constexpr double kGravity = 9.80665;
constexpr double kVerletStep = 1e-4;  // of Verlet's steps [s]

/// Acceleration of the way on a plate that turns evenly, by Newton's law in the frame of the plate
/// with centrifugal and Coriolis force; x, z from the axis.
double WayAcceleration(const SyntheticSlide& slide, double turn, double x, double z, double s,
                       double v) {
  const double w = slide.tilt_rate;
  const double along = kGravity * std::sin(turn) + w * w * x;
  const double normal = kGravity * std::cos(turn) - w * w * z - 2.0 * w * v;
  return along - (slide.mu_k + slide.mu_change * (s / 0.2 - 0.5)) * normal;
}

double TurnAt(const SyntheticSlide& slide, double time) {
  return slide.tilt_rate > 0.0 ? slide.tilt_rate * std::max(0.0, time - 0.1) : slide.angle;
}

}  // namespace

Eigen::Vector3d SyntheticSlide::Gravity() const {
  const double tilt = tilt_rate > 0.0 ? 0.0 : angle;
  return kGravity * Eigen::Vector3d(std::sin(tilt), 0.0, -std::cos(tilt));
}

double StartOfTilt(const SyntheticSlide& slide, double height) {
  const double x = slide.x_start - slide.axis.x(), z = height - slide.axis.y(),
               square = slide.tilt_rate * slide.tilt_rate;
  double time = 0.1;
  while (true) {
    const double turn = TurnAt(slide, time);
    if (kGravity * std::sin(turn) + square * x >
        slide.mu_s * (kGravity * std::cos(turn) - square * z))
      return time;
    time += 1e-5;
  }
}

SyntheticMotion SyntheticSlide::Motion(const capture::MarkedBody& body) const {
  const double height = solver::SupportPoint(body.body.shape, Eigen::Vector3d(0.0, 0.0, 1.0)).z();
  const bool tilts = tilt_rate > 0.0;
  const double begin = tilts ? StartOfTilt(*this, height) : start;
  const double x = tilts ? x_start - axis.x() : 0.0, z = tilts ? height - axis.y() : 0.0;
  auto ways = std::make_shared<std::vector<double>>();
  double s = 0.0, v = start_speed;
  for (double time = begin; time < begin + 4.0; time += kVerletStep) {
    ways->push_back(std::min(s, stop));
    v += 0.5 * kVerletStep * WayAcceleration(*this, TurnAt(*this, time), x + s, z, s, v);
    if (v < 0.0) v = 0.0;
    s += kVerletStep * v;
    v += 0.5 * kVerletStep *
         WayAcceleration(*this, TurnAt(*this, time + kVerletStep), x + s, z, s, v);
    if (v < 0.0) v = 0.0;
  }
  SyntheticMotion motion;
  const SyntheticSlide slide = *this;
  motion.pieces.push_back({-1e9, [=](double time) {
                             const double place = std::max(0.0, (time - begin) / kVerletStep);
                             const auto k =
                                 std::min(static_cast<std::size_t>(place), ways->size() - 2);
                             const double share = place - static_cast<double>(k);
                             const double way = (1.0 - share) * (*ways)[k] + share * (*ways)[k + 1];
                             State state;
                             state.p_WB = {slide.x_start + way, 0.0, height};
                             if (slide.tilt_rate > 0.0) {
                               const Eigen::Vector3d c(slide.axis.x(), 0.0, slide.axis.y());
                               state.q_WB =
                                   Eigen::AngleAxisd(TurnAt(slide, time), Eigen::Vector3d::UnitY());
                               state.p_WB = c + state.q_WB * (state.p_WB - c);
                             }
                             return state;
                           }});
  return motion;
}

std::vector<TrackedFrame> ObserveSlide(const SyntheticSlide& slide, const SyntheticTrial& setting,
                                       const ObservationOptions& options, std::mt19937* random) {
  return Observe(slide.Motion(setting.body), setting.body, setting.calibration, setting.calibration,
                 options, random);
}

}  // namespace percuss::tracking
