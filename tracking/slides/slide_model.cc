// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_model.h"

#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

struct WayAndSpeed {
  double s = 0.0, v = 0.0;
};

/// Acceleration of the way.
double Acceleration(const SlideModel& model, const Eigen::VectorXd& x, double time,
                    const WayAndSpeed& at) {
  const double from_axis = model.Turns() ? x[model.Place()] + at.s : 0.0;
  const double above_axis = model.Turns() ? x[model.Place() + 1] : 0.0;
  const SlideForces forces = ForcesAt(PlateAt(model, x, time), from_axis, above_axis, at.v);
  double mu = x[model.Friction()];
  if (model.changes) mu += x[model.Change()] * (at.s / model.path - 0.5);
  return forces.tangential - mu * forces.normal;
}

WayAndSpeed Step(const SlideModel& model, const Eigen::VectorXd& x, double time, double step,
                 const WayAndSpeed& at) {
  const auto slope = [&](double after, const WayAndSpeed& state) {
    return WayAndSpeed{state.v, Acceleration(model, x, time + after, state)};
  };
  const auto moved = [&](const WayAndSpeed& by, double duration) {
    return WayAndSpeed{at.s + duration * by.s, at.v + duration * by.v};
  };
  const WayAndSpeed k1 = slope(0.0, at), k2 = slope(0.5 * step, moved(k1, 0.5 * step)),
                    k3 = slope(0.5 * step, moved(k2, 0.5 * step)),
                    k4 = slope(step, moved(k3, step));
  return {at.s + step / 6.0 * (k1.s + 2.0 * k2.s + 2.0 * k3.s + k4.s),
          at.v + step / 6.0 * (k1.v + 2.0 * k2.v + 2.0 * k3.v + k4.v)};
}

}  // namespace

PlateState PlateAt(const SlideModel& model, const Eigen::VectorXd& x, double time) {
  PlateState plate;
  if (model.Turns()) {
    const double half = 0.5 * (model.last_time - model.first_time);
    const double tau = (time - model.first_time) / half - 1.0;
    // Horner's scheme, with both derivatives.
    for (int k = model.turn_order; k >= 0; --k) {
      plate.acceleration = plate.acceleration * tau + 2.0 * plate.rate;
      plate.rate = plate.rate * tau + plate.turn;
      plate.turn = plate.turn * tau + x[model.Turn(k)];
    }
    plate.rate /= half;
    plate.acceleration /= half * half;
  }
  const double sine = std::sin(plate.turn), cosine = std::cos(plate.turn);
  const double g_u = model.gravity.dot(model.axes.u), g_n = -model.gravity.dot(model.axes.n);
  plate.along = g_u * cosine + g_n * sine;
  plate.normal = g_n * cosine - g_u * sine;
  return plate;
}

SlideForces ForcesAt(const PlateState& plate, double x, double z, double speed) {
  const double square = plate.rate * plate.rate;
  return {plate.along + x * square - z * plate.acceleration,
          plate.normal - 2.0 * speed * plate.rate - x * plate.acceleration - z * square};
}

std::vector<double> SlideWays(const SlideModel& model, const Eigen::VectorXd& x,
                              std::span<const double> times) {
  WayAndSpeed at{0.0, model.knocked ? x[model.StartSpeed()] : 0.0};
  double time = model.StartTimeOf(x);
  bool stopped = false;
  std::vector<double> ways;
  for (const double next : times) {
    const double step = next - time;
    if (step > 0.0 && !stopped) {
      const WayAndSpeed there = Step(model, x, time, step, at);
      // What would turn back comes to rest on the way, as far as the mean deceleration lets it.
      stopped = there.v < 0.0 || (there.v == 0.0 && at.v == 0.0);
      at = stopped
               ? WayAndSpeed{at.s + 0.5 * at.v * at.v * step / std::max(1e-12, at.v - there.v), 0.0}
               : there;
      time = next;
    }
    ways.push_back(at.s);
  }
  return ways;
}

Eigen::VectorXd Predict(const SlideModel& model, const Eigen::VectorXd& x,
                        std::span<const double> times) {
  const std::vector<double> ways = SlideWays(model, x, times);
  Eigen::VectorXd seen(model.PerFrame() * static_cast<Eigen::Index>(times.size()));
  for (std::size_t k = 0; k < times.size(); ++k) {
    if (!model.Turns()) {
      seen[static_cast<Eigen::Index>(k)] = x[model.Place()] + ways[k];
      continue;
    }
    const double turn = PlateAt(model, x, times[k]).turn;
    const double along = x[model.Place()] + ways[k], above = x[model.Place() + 1];
    seen.segment<3>(3 * static_cast<Eigen::Index>(k))
        << x[model.Axis()] + along * std::cos(turn) + above * std::sin(turn),
        x[model.Axis() + 1] - along * std::sin(turn) + above * std::cos(turn), turn;
  }
  return seen;
}

}  // namespace percuss::tracking
