// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/rts_states.h"

#include <ceres/jet.h>
#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <cmath>
#include <optional>

#include "calibration/camera.h"

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;
using Error = Eigen::Matrix<double, kFlightDimension, 1>;
constexpr int kP = 0, kR = 3, kV = 6, kW = 9;

Eigen::Matrix3d Skew(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

State Moved(const State& state, const Error& step) {
  const Eigen::Quaterniond turn(calibration::RotationFromVector(step.segment<3>(kR)));
  return {state.p_WB + step.segment<3>(kP), (turn * state.q_WB).normalized(),
          state.v + step.segment<3>(kV), state.w + step.segment<3>(kW)};
}

/// The error vector that moves `from` to `to`.
Error Between(const State& from, const State& to) {
  const Eigen::AngleAxisd turn(to.q_WB * from.q_WB.conjugate());
  Error error;
  error << to.p_WB - from.p_WB, turn.angle() * turn.axis(), to.v - from.v, to.w - from.w;
  return error;
}

/// A flight of `duration` (negative: back in time).
/// @param by_start d(error at the end) / d(error at the start)
State Propagate(const State& start, const Eigen::Matrix3d& inertia_B,
                const Eigen::Vector3d& gravity, double duration, FlightCovariance* by_start) {
  using Jet = ceres::Jet<double, kFlightDimension>;
  using Vector3 = Eigen::Matrix<Jet, 3, 1>;
  const auto variable = [](const Eigen::Vector3d& value, int place) {
    return Vector3(Jet(value[0], place), Jet(value[1], place + 1), Jet(value[2], place + 2));
  };
  const Vector3 half_turn = Jet(0.5) * variable(Eigen::Vector3d::Zero(), kR);
  solver::FlightState<Jet> moved;
  moved.p_WB = variable(start.p_WB, kP);
  moved.q_WB = Eigen::Quaternion<Jet>(Jet(1), half_turn[0], half_turn[1], half_turn[2]) *
               start.q_WB.cast<Jet>();
  moved.v = variable(start.v, kV);
  moved.w = variable(start.w, kW);
  const solver::FlightState<Jet> end =
      solver::PropagateFlight<Jet>(moved, inertia_B, gravity.cast<Jet>(), Jet(duration));

  State state;
  const auto take = [&](const Vector3& from, int place, double factor, Eigen::Vector3d* value) {
    for (int i = 0; i < 3; ++i) {
      (*value)[i] = from[i].a;
      by_start->row(place + i) = factor * from[i].v.transpose();
    }
  };
  take(end.p_WB, kP, 1.0, &state.p_WB);
  take(end.v, kV, 1.0, &state.v);
  take(end.w, kW, 1.0, &state.w);
  state.q_WB = Eigen::Quaterniond(end.q_WB.w().a, end.q_WB.x().a, end.q_WB.y().a, end.q_WB.z().a);
  const Eigen::Quaternion<Jet> turn = end.q_WB * state.q_WB.conjugate().cast<Jet>();
  Eigen::Vector3d half_angle;
  take(turn.vec(), kR, 2.0, &half_angle);
  return state;
}

/// Covariance that white accelerations add over a flight (Y. Bar-Shalom, X. Li, T. Kirubarajan,
/// Estimation with Applications to Tracking and Navigation, 2001, 6.2.2); backwards in time the
/// signs of position and velocity errors differ.
FlightCovariance ProcessNoise(const RtsOptions& options, double duration) {
  const double dt = std::abs(duration);
  FlightCovariance noise = FlightCovariance::Zero();
  const auto add = [&](int place, int rate, double density) {
    const double q = density * density;
    noise.block<3, 3>(place, place).diagonal().setConstant(q * dt * dt * dt / 3.0);
    noise.block<3, 3>(place, rate).diagonal().setConstant(0.5 * q * dt * duration);
    noise.block<3, 3>(rate, place).diagonal().setConstant(0.5 * q * dt * duration);
    noise.block<3, 3>(rate, rate).diagonal().setConstant(q * dt);
  };
  add(kP, kV, options.acceleration_noise);
  add(kR, kW, options.angular_acceleration_noise);
  return noise;
}

/// Sightings against a state: measured minus projected pixels, their derivative, and their noise.
struct Sightings {
  Eigen::VectorXd innovation;
  Eigen::MatrixXd by_state, noise;
};

Sightings Stack(const std::vector<Sightings>& parts) {
  const auto rows = static_cast<Eigen::Index>(2 * parts.size());
  Sightings all{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, kFlightDimension),
                Eigen::MatrixXd::Zero(rows, rows)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(2 * i);
    all.innovation.segment<2>(row) = parts[i].innovation;
    all.by_state.middleRows<2>(row) = parts[i].by_state;
    all.noise.block<2, 2>(row, row) = parts[i].noise;
  }
  return all;
}

/// Everything that stays the same over one flight.
struct Setting {
  const MarkerLayout& layout;
  const StereoViews& views;
  const RtsOptions& options;
};

std::optional<Sightings> Compare(const Setting& setting, const MarkerObservation& observation,
                                 const State& state) {
  const auto m = static_cast<std::size_t>(observation.marker);
  const View& view = setting.views[static_cast<std::size_t>(observation.side)];
  const Eigen::Vector3d arm = state.q_WB * setting.layout.p_BM[m],
                        normal = state.q_WB * setting.layout.normal_B[m];
  const auto projected =
      ProjectDisc(view, arm + state.p_WB, normal, 0.5 * setting.layout.marker_diameter);
  if (!projected) return std::nullopt;
  Eigen::MatrixXd by_state = Eigen::MatrixXd::Zero(2, kFlightDimension);
  by_state.middleCols<3>(kP) = projected->by_point;
  by_state.middleCols<3>(kR) = -projected->by_point * Skew(arm);
  const double scale = setting.options.noise_scale;
  return Sightings{observation.pixel - projected->pixel, by_state,
                   scale * scale * observation.covariance};
}

/// Corrects a predicted state by the sightings of its frame. Returns the normalised innovation
/// squared and the number of coordinates in it.
std::pair<double, int> Correct(const Setting& setting, const TrackedFrame& frame, bool first,
                               FlightEstimate* estimate, int* rejected) {
  std::vector<Sightings> kept;
  const BodyPose pose{estimate->state.p_WB, estimate->state.q_WB};
  for (const MarkerObservation& observation : frame.observations) {
    const View& view = setting.views[static_cast<std::size_t>(observation.side)];
    if (MarkerFacing(setting.layout, observation.marker, pose, view) < setting.options.min_facing)
      continue;
    const auto sighting = Compare(setting, observation, estimate->state);
    if (!sighting) continue;
    // The first state is the pose of this very frame: the prior would let any outlier pass.
    Eigen::Matrix2d spread = sighting->noise;
    if (!first)
      spread += sighting->by_state * estimate->covariance * sighting->by_state.transpose();
    const double square = sighting->innovation.dot(spread.inverse() * sighting->innovation);
    if (square > setting.options.reject_sigmas * setting.options.reject_sigmas) {
      ++*rejected;
    } else {
      kept.push_back(*sighting);
    }
  }
  if (kept.empty()) return {0.0, 0};
  const Sightings all = Stack(kept);
  const FlightCovariance& P = estimate->covariance;
  const Eigen::LDLT<Eigen::MatrixXd> spread(all.by_state * P * all.by_state.transpose() +
                                            all.noise);
  const Eigen::MatrixXd gain = spread.solve(all.by_state * P).transpose();
  const FlightCovariance left = FlightCovariance::Identity() - gain * all.by_state;
  estimate->state = Moved(estimate->state, gain * all.innovation);
  // Joseph's form keeps the covariance positive where the prior is far wider than the sightings.
  estimate->covariance =
      FlightCovariance(left * P * left.transpose() + gain * all.noise * gain.transpose());
  return {all.innovation.dot(spread.solve(all.innovation)), static_cast<int>(kept.size()) * 2};
}

/// @param by_start d(error at `time`) / d(error of `from`)
FlightEstimate Predict(const FlightEstimate& from, double time, const Eigen::Matrix3d& inertia_B,
                       const Eigen::Vector3d& gravity, const RtsOptions& options,
                       FlightCovariance* by_start) {
  const double duration = time - from.time;
  FlightEstimate to{time, Propagate(from.state, inertia_B, gravity, duration, by_start), {}};
  to.covariance =
      *by_start * from.covariance * by_start->transpose() + ProcessNoise(options, duration);
  return to;
}

FlightEstimate Start(const TrackedFrame& first, const TrackedFrame& second,
                     const Eigen::Vector3d& gravity) {
  const BodyPose &a = first.pose.pose, &b = second.pose.pose;
  const double dt = second.time - first.time;
  const Eigen::AngleAxisd turn(b.q_WB * a.q_WB.conjugate());
  FlightEstimate start;
  start.time = first.time;
  start.state = {a.p_WB, a.q_WB, (b.p_WB - a.p_WB) / dt - 0.5 * dt * gravity,
                 turn.angle() / dt * turn.axis()};
  Error sigma;
  sigma << Eigen::Vector3d::Constant(0.05), Eigen::Vector3d::Constant(0.5),
      Eigen::Vector3d::Constant(5.0), Eigen::Vector3d::Constant(50.0);
  start.covariance = sigma.cwiseAbs2().asDiagonal();
  return start;
}

/// Rauch, Tung and Striebel's backward pass over filtered estimates.
/// @param predicted estimate k from estimate k - 1, before the sightings of its frame
void SmoothBackwards(const std::vector<FlightEstimate>& predicted,
                     const std::vector<FlightCovariance>& by_previous,
                     std::vector<FlightEstimate>* estimates) {
  for (std::size_t k = estimates->size() - 1; k-- > 0;) {
    FlightEstimate& now = (*estimates)[k];
    const FlightEstimate &next = (*estimates)[k + 1], &expected = predicted[k + 1];
    const FlightCovariance gain =
        expected.covariance.ldlt().solve(by_previous[k + 1] * now.covariance).transpose();
    now.state = Moved(now.state, gain * Between(expected.state, next.state));
    now.covariance += gain * (next.covariance - expected.covariance) * gain.transpose();
    now.covariance = FlightCovariance(0.5 * (now.covariance + now.covariance.transpose()));
  }
}

SideStates SideOf(const FlightEstimate& estimate) {
  return {estimate.state.v, estimate.state.w, estimate.covariance.bottomRightCorner<6, 6>()};
}

}  // namespace

FlightEstimate Fly(const FlightEstimate& from, double time, const Eigen::Matrix3d& inertia_B,
                   const Eigen::Vector3d& gravity, const RtsOptions& options) {
  FlightCovariance by_start;
  return Predict(from, time, inertia_B, gravity, options, &by_start);
}

SmoothedFlight SmoothFlight(std::span<const TrackedFrame> frames, const MarkerLayout& layout,
                            const StereoViews& views, const Eigen::Matrix3d& inertia_B,
                            const Eigen::Vector3d& gravity, const RtsOptions& options) {
  SmoothedFlight flight;
  std::vector<const TrackedFrame*> used;
  for (const TrackedFrame& frame : frames) {
    if (frame.pose.found) used.push_back(&frame);
  }
  if (static_cast<int>(used.size()) < std::max(options.min_frames, 2)) {
    flight.reason = fmt::format("{} frames with a pose, at least {} needed", used.size(),
                                std::max(options.min_frames, 2));
    return flight;
  }
  const Setting setting{layout, views, options};
  std::vector<FlightEstimate> predicted;
  std::vector<FlightCovariance> by_previous;
  double sum = 0.0;
  for (std::size_t k = 0; k < used.size(); ++k) {
    if (k == 0) {
      predicted.push_back(Start(*used[0], *used[1], gravity));
      by_previous.push_back(FlightCovariance::Identity());
    } else {
      by_previous.emplace_back();
      predicted.push_back(Predict(flight.estimates.back(), used[k]->time, inertia_B, gravity,
                                  options, &by_previous.back()));
    }
    FlightEstimate estimate = predicted.back();
    const auto [square, count] = Correct(setting, *used[k], k == 0, &estimate, &flight.rejected);
    flight.estimates.push_back(estimate);
    if (k < 2) continue;
    sum += square;
    flight.innovations.count += count;
  }
  SmoothBackwards(predicted, by_previous, &flight.estimates);
  for (const FlightEstimate& estimate : flight.estimates) {
    if (!estimate.covariance.allFinite() || !(estimate.covariance.diagonal().minCoeff() > 0.0)) {
      flight.reason = "the frames do not determine the flight";
      return flight;
    }
  }
  if (flight.innovations.count > 0) {
    flight.innovations.mean_square = sum / flight.innovations.count;
    const double half_width = 1.96 * std::sqrt(2.0 / flight.innovations.count);
    flight.innovations.low = 1.0 - half_width;
    flight.innovations.high = 1.0 + half_width;
  }
  flight.usable = true;
  return flight;
}

RtsStates EstimateRtsStates(std::span<const TrackedFrame> frames, const ImpactFit& fit,
                            const MarkerLayout& layout, const StereoViews& views,
                            const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity,
                            const RtsOptions& options) {
  RtsStates states;
  const auto smooth = [&](const ArcSummary& arc, const char* name) {
    std::vector<TrackedFrame> flight;
    for (const TrackedFrame& frame : frames) {
      if (frame.left_frame >= arc.first_frame && frame.left_frame <= arc.last_frame)
        flight.push_back(frame);
    }
    SmoothedFlight smoothed = SmoothFlight(flight, layout, views, inertia_B, gravity, options);
    if (!smoothed.usable)
      states.reason = fmt::format("flight {} the impact: {}", name, smoothed.reason);
    return smoothed;
  };
  states.flight_before = smooth(fit.arcs[0], "before");
  states.flight_after = smooth(fit.arcs[1], "after");
  if (!states.flight_before.usable || !states.flight_after.usable) return states;
  const auto fly = [&](const FlightEstimate& nearest) {
    return SideOf(Fly(nearest, fit.time, inertia_B, gravity, options));
  };
  states.before = fly(states.flight_before.estimates.back());
  states.after = fly(states.flight_after.estimates.front());
  states.usable = true;
  return states;
}

}  // namespace percuss::tracking
