// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bounces/bounce_model.h"

#include <algorithm>
#include <cmath>

#include "base/nan.h"

namespace percuss::tracking {
namespace {

/// Drag changes a velocity by a part in 10^2 in so short a time: a fourth-order step is then right
/// to 10^-9 of the way.
constexpr double kMostFlightStep = 0.005;  // [s]
constexpr double kLongestFlight = 20.0;    // [s]

}  // namespace

BallImage ImageOfBall(const calibration::Camera& camera, const Eigen::Vector3d& place) {
  const double z2 = place.z() * place.z() - 1.0;
  const Eigen::Vector3d centre(place.x() * place.z() / z2, place.y() * place.z() / z2, 1.0);
  const double long_axis = std::sqrt(place.squaredNorm() - 1.0) / z2;
  const double short_axis = 1.0 / std::sqrt(z2);
  const calibration::Projection projected = calibration::ProjectWithDerivatives(camera, centre);
  const double area = std::abs(projected.by_point.leftCols<2>().determinant());
  return {projected.pixel, std::sqrt(long_axis * short_axis * area)};
}

BallImage ImageOfBall(const calibration::Camera& camera, const BallState& state,
                      const Eigen::Vector2d& line_time) {
  BallImage image = ImageOfBall(camera, state.place);
  const calibration::Projection projected =
      calibration::ProjectWithDerivatives(camera, state.place);
  image.radius /= std::sqrt(1.0 - line_time.dot(projected.by_point * state.velocity));
  return image;
}

double BallMotionModel::Height(const BallState& state) const {
  return ball_.normal.dot(state.place - ball_.first_contact);
}

BallState BallMotionModel::Step(const BallState& state, const Eigen::Vector3d& spin,
                                double dt) const {
  const bool lifts = ball_.lift != 0.0 && !spin.isZero(0.0);
  if (ball_.drag == 0.0 && !lifts) {
    return {state.place + dt * state.velocity + 0.5 * dt * dt * ball_.gravity,
            state.velocity + dt * ball_.gravity};
  }
  const auto acceleration = [&](const Eigen::Vector3d& v) -> Eigen::Vector3d {
    const Eigen::Vector3d slowed = ball_.gravity - ball_.drag * v.norm() * v;
    if (!lifts || v.isZero(0.0)) return slowed;
    const Eigen::Vector3d across = spin.cross(v);
    return slowed + ball_.lift / (2.022 * across.norm() / v.squaredNorm() + 0.981) * across;
  };
  const Eigen::Vector3d &v1 = state.velocity, a1 = acceleration(v1);
  const Eigen::Vector3d v2 = v1 + 0.5 * dt * a1, a2 = acceleration(v2);
  const Eigen::Vector3d v3 = v1 + 0.5 * dt * a2, a3 = acceleration(v3);
  const Eigen::Vector3d v4 = v1 + dt * a3, a4 = acceleration(v4);
  return {state.place + dt / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4),
          v1 + dt / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)};
}

BallMotionModel::Flight BallMotionModel::Integrate(std::size_t number, const BallState& start,
                                                   double begin, double end) const {
  const double length = std::clamp(end - begin, -kLongestFlight, kLongestFlight);
  const auto count = std::max(1, static_cast<int>(std::ceil(std::abs(length) / kMostFlightStep)));
  Flight flight{.begin = begin, .step = length / count, .nodes = {start}};
  if (number < ball_.spins.size()) flight.spin = ball_.spins[number];
  for (int i = 0; i < count; ++i)
    flight.nodes.push_back(Step(flight.nodes.back(), flight.spin, flight.step));
  return flight;
}

BallState BallMotionModel::Within(const Flight& flight, double time) const {
  const double place = (time - flight.begin) / flight.step;
  const auto last = static_cast<double>(flight.nodes.size()) - 1.0;
  const double node = std::clamp(std::round(place), 0.0, last);
  return Step(flight.nodes[static_cast<std::size_t>(node)], flight.spin,
              time - flight.begin - node * flight.step);
}

BallMotionModel::BallMotionModel(const BouncingBall& ball, double begin, double end) : ball_(ball) {
  BallState state{ball_.first_contact, ball_.before};
  flights_.push_back(
      Integrate(0, state, ball_.first_time, std::min(begin, ball_.first_time - 1e-3)));
  double time = ball_.first_time;
  bool reached = true;
  for (std::size_t k = 0; k < ball_.after.size(); ++k) {
    const Eigen::Vector3d& after = ball_.after[k];
    if (!reached) {
      const Eigen::Vector3d none = Eigen::Vector3d::Constant(kNaN);
      contacts_.push_back({kNaN, none, none, after});
      continue;
    }
    contacts_.push_back({time, state.place, state.velocity, after});
    const Eigen::Vector3d mean = 0.5 * (state.velocity + after);
    state.place += ball_.dwell * (mean - ball_.normal * ball_.normal.dot(mean));
    state.velocity = after;
    time += ball_.dwell;
    // Without drag it is back after 2 v_n / g_n; with drag a little earlier.
    const double fall = -ball_.normal.dot(ball_.gravity), rise = ball_.normal.dot(after);
    const bool last = k + 1 == ball_.after.size();
    const double back = rise > 0.0 && fall > 0.0 ? 2.0 * rise / fall : 0.0;
    reached = back > 0.0;
    Flight flight =
        Integrate(k + 1, state, time, std::max(time + back, last || !reached ? end : time) + 1e-3);
    if (reached) {
      double at = time + back;
      BallState landed = Within(flight, at);
      for (int round = 0; round < 30; ++round) {
        const double speed = ball_.normal.dot(landed.velocity);
        const double step = -Height(landed) / std::min(speed, -1e-3 * rise);
        at = std::clamp(at + step, time + 0.2 * back, time + 1.5 * back);
        landed = Within(flight, at);
        if (std::abs(step) < 1e-13 * (1.0 + std::abs(at))) break;
      }
      state = landed;
      time = at;
      if (last) landing_ = at;
    }
    flights_.push_back(std::move(flight));
  }
}

BallState BallMotionModel::At(double time) const {
  std::size_t k = 0;
  while (k < contacts_.size() && contacts_[k].time <= time) ++k;
  return Within(flights_[std::min(k, flights_.size() - 1)], time);
}

BallImage BallMotionModel::ImageAt(double time) const {
  const Eigen::Vector2d middle(0.5 * (ball_.camera.width - 1), 0.5 * (ball_.camera.height - 1));
  BallImage image = ImageOfBall(ball_.camera, At(time).place);
  if (ball_.line_time.isZero(0.0)) return image;
  for (int round = 0; round < 3; ++round) {
    const BallState shown = At(time + ball_.line_time.dot(image.centre - middle));
    image = ImageOfBall(ball_.camera, shown, ball_.line_time);
  }
  return image;
}

}  // namespace percuss::tracking
