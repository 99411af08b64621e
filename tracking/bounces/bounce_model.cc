// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bounces/bounce_model.h"

#include <algorithm>
#include <cmath>

#include "base/nan.h"

namespace percuss::tracking {
namespace {

/// Air changes a velocity by a part in 10^2 in so short a time: a fourth-order step, and a
/// polynomial of the fifth order between its ends, are then right to 10^-9 of the way.
constexpr double kMostFlightStep = 0.005;  // [s]
constexpr double kLongestFlight = 20.0;    // [s]

struct MovingImage {
  BallImage image;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< of its centre [px/s]
};

/// Without the shutter.
MovingImage StillImage(const calibration::Camera& camera, const BallState& state) {
  const Eigen::Vector3d& place = state.place;
  const double z2 = place.z() * place.z() - 1.0;
  const Eigen::Vector3d centre(place.x() * place.z() / z2, place.y() * place.z() / z2, 1.0);
  const double long_axis = std::sqrt(place.squaredNorm() - 1.0) / z2;
  const double short_axis = 1.0 / std::sqrt(z2);
  const calibration::Projection projected = calibration::ProjectWithDerivatives(camera, centre);
  const double area = std::abs(projected.by_point.leftCols<2>().determinant());
  return {{projected.pixel, std::sqrt(long_axis * short_axis * area)},
          projected.by_point * state.velocity / place.z()};
}

BallImage GrownImage(const MovingImage& still, const Eigen::Vector2d& line_time) {
  return {still.image.centre, still.image.radius / std::sqrt(1.0 - line_time.dot(still.velocity))};
}

}  // namespace

BallImage ImageOfBall(const calibration::Camera& camera, const Eigen::Vector3d& place) {
  return StillImage(camera, {place, Eigen::Vector3d::Zero()}).image;
}

BallImage ImageOfBall(const calibration::Camera& camera, const BallState& state,
                      const Eigen::Vector2d& line_time) {
  return GrownImage(StillImage(camera, state), line_time);
}

double BallMotionModel::Height(const BallState& state) const {
  return ball_.normal.dot(state.place - ball_.first_contact);
}

Eigen::Vector3d BallMotionModel::Acceleration(const Eigen::Vector3d& velocity,
                                              const Eigen::Vector3d& spin) const {
  const Eigen::Vector3d slowed = ball_.gravity - ball_.drag * velocity.norm() * velocity;
  if (ball_.lift == 0.0 || spin.isZero(0.0) || velocity.isZero(0.0)) return slowed;
  const Eigen::Vector3d across = spin.cross(velocity);
  return slowed + ball_.lift / (2.022 * across.norm() / velocity.squaredNorm() + 0.981) * across;
}

BallState BallMotionModel::Step(const BallState& state, const Eigen::Vector3d& spin,
                                double dt) const {
  const Eigen::Vector3d &v1 = state.velocity, a1 = Acceleration(v1, spin);
  const Eigen::Vector3d v2 = v1 + 0.5 * dt * a1, a2 = Acceleration(v2, spin);
  const Eigen::Vector3d v3 = v1 + 0.5 * dt * a2, a3 = Acceleration(v3, spin);
  const Eigen::Vector3d v4 = v1 + dt * a3, a4 = Acceleration(v4, spin);
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
  for (const BallState& node : flight.nodes)
    flight.accelerations.push_back(Acceleration(node.velocity, flight.spin));
  return flight;
}

BallState BallMotionModel::Within(const Flight& flight, double time) const {
  const double place = (time - flight.begin) / flight.step;
  const std::size_t last = flight.nodes.size() - 1;
  if (!(place > 0.0)) return Step(flight.nodes.front(), flight.spin, time - flight.begin);
  if (place >= static_cast<double>(last)) {
    const double end = flight.begin + static_cast<double>(last) * flight.step;
    return Step(flight.nodes.back(), flight.spin, time - end);
  }
  // The polynomial that has place, velocity and acceleration of the nodes on both sides.
  const auto node = static_cast<std::size_t>(place);
  const double s = place - static_cast<double>(node), h = flight.step;
  const BallState &from = flight.nodes[node], &to = flight.nodes[node + 1];
  const Eigen::Vector3d v = h * from.velocity, a = h * h * flight.accelerations[node];
  const Eigen::Vector3d off = to.place - from.place - v - 0.5 * a;
  const Eigen::Vector3d off_v = h * to.velocity - v - a;
  const Eigen::Vector3d off_a = h * h * flight.accelerations[node + 1] - a;
  const Eigen::Vector3d c3 = 10.0 * off - 4.0 * off_v + 0.5 * off_a;
  const Eigen::Vector3d c4 = -15.0 * off + 7.0 * off_v - off_a;
  const Eigen::Vector3d c5 = 6.0 * off - 3.0 * off_v + 0.5 * off_a;
  return {from.place + s * (v + s * (0.5 * a + s * (c3 + s * (c4 + s * c5)))),
          from.velocity + s / h * (a + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))};
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
  const Eigen::Vector2d& tau = ball_.line_time;
  MovingImage shown = StillImage(ball_.camera, At(time));
  if (tau.isZero(0.0)) return shown.image;
  // The row of the centre is exposed when the ball is there: Newton's steps, a frame off at first.
  constexpr int kSteps = 2;
  const Eigen::Vector2d middle(0.5 * (ball_.camera.width - 1), 0.5 * (ball_.camera.height - 1));
  double at = time;
  for (int step = 0; step < kSteps; ++step) {
    const double late = at - time - tau.dot(shown.image.centre - middle);
    at -= late / (1.0 - tau.dot(shown.velocity));
    shown = StillImage(ball_.camera, At(at));
  }
  return GrownImage(shown, tau);
}

}  // namespace percuss::tracking
