// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "synthesis/scene/motion.h"

namespace percuss::synthesis {
namespace {

using Eigen::Vector3d;

constexpr double kWayStep = 1e-4;  // [s]

/// Along and against the normal of a plate that has turned by an angle, per mass.
struct Pull {
  double along = 0.0, normal = 0.0;
};

/// Gravity with the centrifugal and the Coriolis force of an even turn; x and z from its axis.
Pull PullOn(const SlideSpec& slide, const Vector3d& gravity, const Vector3d& downhill, double turn,
            double x, double z, double speed) {
  const double g_u = gravity.dot(downhill), g_n = -gravity.z(), w = slide.tilt_rate;
  return {g_u * std::cos(turn) + g_n * std::sin(turn) + w * w * x,
          g_n * std::cos(turn) - g_u * std::sin(turn) - w * w * z - 2.0 * w * speed};
}

}  // namespace

void Motion::PlanSlide(const SlideSpec& slide, double frame_rate, double earliest) {
  slide_ = slide;
  impact_time = release = second_contact = std::numeric_limits<double>::infinity();
  height_ =
      -(at_rest_ * solver::SupportPoint(body_.shape, at_rest_.conjugate() * -Vector3d::UnitZ()))
           .z();
  const bool tilts = slide.tilt_rate > 0.0;
  const Vector3d level(gravity_.x(), gravity_.y(), 0.0);
  if (!tilts && level.norm() > 1e-9) downhill_ = level.normalized();
  actuator_start = std::max(slide.start, earliest);
  const double x = tilts ? slide.place.x() - slide.axis.x() : 0.0, z = height_ - slide.axis.y();
  const auto pull = [&](double time, double way, double speed) {
    const double turn = slide.tilt_rate * (time - actuator_start);
    return PullOn(slide, gravity_, downhill_, turn, x + way, z, speed);
  };
  slide_start = actuator_start;
  constexpr double kLongestTilt = 60.0;  // [s]
  while (tilts) {
    const Pull at = pull(slide_start, 0.0, 0.0);
    if (at.along > slide.mu_s * at.normal) break;
    slide_start += kWayStep;
    if (slide_start > actuator_start + kLongestTilt)
      throw std::invalid_argument("a plate that is tilted far enough within 60 s");
  }
  double way = 0.0, speed = slide.start_speed, time = slide_start;
  ways_ = {0.0};
  const auto acceleration = [&](double at, double s, double v) {
    const Pull forces = pull(at, s, v);
    return forces.along - slide.mu_k * forces.normal;
  };
  while (way < slide.way && time < slide_start + slide.longest) {
    // Heun's step.
    const double first = acceleration(time, way, speed);
    const double second =
        acceleration(time + kWayStep, way + kWayStep * speed, speed + kWayStep * first);
    const double next = std::max(0.0, speed + 0.5 * kWayStep * (first + second));
    way += 0.5 * kWayStep * (speed + next);
    speed = next;
    time += kWayStep;
    ways_.push_back(way);
  }
  end = time - 1.0 / frame_rate;
  if (!(way > 0.005)) {
    throw std::invalid_argument(
        fmt::format("a slide of {:.1f} mm, of at least 5 mm: friction holds it", 1e3 * way));
  }
}

State Motion::Sliding(double time) const {
  const double place = std::max(0.0, (time - slide_start) / kWayStep);
  const auto k = std::min(static_cast<std::size_t>(place), ways_.size() - 2);
  const double share = std::min(1.0, place - static_cast<double>(k));
  const double way = (1.0 - share) * ways_[k] + share * ways_[k + 1];
  State state;
  state.v = place > 0.0 && share < 1.0 ? Vector3d((ways_[k + 1] - ways_[k]) / kWayStep * downhill_)
                                       : Vector3d(Vector3d::Zero());
  state.w.setZero();
  state.q_WB = at_rest_;
  state.p_WB = Vector3d(slide_->place.x(), slide_->place.y(), height_) + way * downhill_;
  if (slide_->tilt_rate > 0.0) {
    const double turn = slide_->tilt_rate * std::max(0.0, time - actuator_start);
    const Vector3d axis(slide_->axis.x(), 0.0, slide_->axis.y());
    const Eigen::Quaterniond tilt(Eigen::AngleAxisd(turn, Vector3d::UnitY()));
    if (time > actuator_start) state.w = slide_->tilt_rate * Vector3d::UnitY();
    state.q_WB = tilt * state.q_WB;
    state.v = tilt * state.v + state.w.cross(tilt * (state.p_WB - axis));
    state.p_WB = axis + tilt * (state.p_WB - axis);
  }
  return state;
}

}  // namespace percuss::synthesis
