// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/baselines/rts_states.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/math/geometry.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using State = solver::FlightState<double>;
using Error = FlightError;
constexpr int kPasses = 4;  // Gauss-Newton: the last one moves nothing by a thousandth of its sigma

/// Sightings against a state: measured minus projected pixels, their derivative, and their noise.
struct Sightings {
  Eigen::VectorXd error;
  Eigen::MatrixXd by_state, noise;
};

Sightings Stack(const std::vector<Sightings>& parts) {
  const auto rows = static_cast<Eigen::Index>(2 * parts.size());
  Sightings all{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, kFlightDimension),
                Eigen::MatrixXd::Zero(rows, rows)};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(2 * i);
    all.error.segment<2>(row) = parts[i].error;
    all.by_state.middleRows<2>(row) = parts[i].by_state;
    all.noise.block<2, 2>(row, row) = parts[i].noise;
  }
  return all;
}

/// Everything that stays the same over one flight.
struct Setting {
  const MarkerLayout& layout;
  const Views& views;
  const Eigen::Matrix3d& inertia_B;
  const Eigen::Vector3d& gravity;
  const RtsOptions& options;

  FlightCovariance NoiseOver(double duration) const {
    FlightCovariance noise = ProcessNoise(options.Noise(), duration);
    if (layout.planar) HoldInPlane(&noise);
    return noise;
  }
};

/// @param at_frame the state at the time of the frame.
/// @param after_frame seconds later at which the sighting was made; process noise in between does
/// not count.
std::optional<Sightings> Compare(const Setting& setting, const MarkerObservation& observation,
                                 const State& at_frame, double after_frame) {
  FlightEnd flown{at_frame, FlightCovariance::Identity(), {}, {}};
  if (after_frame != 0.0) {
    flown = FlyWithDerivatives(at_frame, setting.inertia_B, setting.gravity, after_frame);
  }
  const State& state = flown.state;
  const auto m = static_cast<std::size_t>(observation.marker);
  const View& view = setting.views[observation.side];
  const Eigen::Vector3d arm = state.q_WB * setting.layout.p_BM[m];
  const auto projected =
      ProjectMarker(view, setting.layout, observation.marker, {state.p_WB, state.q_WB});
  if (!projected) return std::nullopt;
  Eigen::MatrixXd by_state = Eigen::MatrixXd::Zero(2, kFlightDimension);
  by_state.middleCols<3>(kPosition) = projected->by_point;
  by_state.middleCols<3>(kRotation) = -projected->by_point * Skew(arm);
  const double scale = setting.options.noise_scale;
  return Sightings{observation.pixel - projected->pixel, by_state * flown.by_start,
                   scale * scale * observation.covariance};
}

Error PriorSigmas() {
  Error sigmas;
  sigmas << Eigen::Vector3d::Constant(0.05), Eigen::Vector3d::Constant(0.5),
      Eigen::Vector3d::Constant(5.0), Eigen::Vector3d::Constant(50.0);
  return sigmas;
}

/// The filter at one frame, as errors of a nominal state.
struct Estimate {
  Error error = Error::Zero();
  FlightCovariance covariance = FlightCovariance::Zero();
};

/// What one frame says of the error of a nominal state, outliers left out.
Sightings SightingsOf(const Setting& setting, const TrackedFrame& frame, const State& nominal,
                      int* rejected) {
  std::vector<Sightings> kept;
  const BodyPose pose{nominal.p_WB, nominal.q_WB};
  const double limit = setting.options.reject_sigmas * setting.options.reject_sigmas;
  for (const MarkerObservation& observation : frame.observations) {
    const View& view = setting.views[observation.side];
    if (MarkerFacing(setting.layout, observation.marker, pose, view) < setting.options.min_facing)
      continue;
    const auto sighting =
        Compare(setting, observation, nominal,
                std::isnan(observation.time) ? 0.0 : observation.time - frame.time);
    if (!sighting) continue;
    const Eigen::Vector2d& error = sighting->error;
    if (error.dot(sighting->noise.inverse() * error) > limit) {
      ++*rejected;
    } else {
      kept.push_back(*sighting);
    }
  }
  return Stack(kept);
}

/// Corrects a predicted estimate. Returns the normalised innovation squared.
double Correct(const Sightings& sightings, Estimate* estimate) {
  if (sightings.error.size() == 0) return 0.0;
  const Eigen::MatrixXd& H = sightings.by_state;
  const FlightCovariance P = estimate->covariance;
  const Eigen::VectorXd innovation = sightings.error - H * estimate->error;
  const Eigen::LDLT<Eigen::MatrixXd> spread(H * P * H.transpose() + sightings.noise);
  const Eigen::MatrixXd gain = spread.solve(H * P).transpose();
  const FlightCovariance left = FlightCovariance::Identity() - gain * H;
  estimate->error += gain * innovation;
  // Joseph's form keeps the covariance positive where the prior is far wider than the sightings.
  estimate->covariance = left * P * left.transpose() + gain * sightings.noise * gain.transpose();
  return innovation.dot(spread.solve(innovation));
}

/// Each frame's own pose, with the velocities that its neighbours show: where the first pass is
/// linearised.
std::vector<FlightEstimate> NominalFlight(const std::vector<const TrackedFrame*>& frames) {
  std::vector<FlightEstimate> nominal;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const TrackedFrame& earlier = *frames[k == 0 ? 0 : k - 1];
    const TrackedFrame& later = *frames[std::min(k + 1, frames.size() - 1)];
    const BodyPose &a = earlier.pose.pose, &b = later.pose.pose, &now = frames[k]->pose.pose;
    const double dt = later.time - earlier.time;
    const Eigen::AngleAxisd turn(b.q_WB * a.q_WB.conjugate());
    nominal.push_back(
        {frames[k]->time,
         {now.p_WB, now.q_WB, (b.p_WB - a.p_WB) / dt, turn.angle() / dt * turn.axis()},
         FlightCovariance::Zero()});
  }
  return nominal;
}

/// What the filter expects of a frame before it looks at it.
struct Filtered {
  Estimate predicted;
  FlightCovariance by_previous;  ///< d(error here) / d(error one frame earlier)
};

/// The backward pass: corrected estimates become smoothed ones.
void SmoothBackwards(const Setting& setting, const std::vector<FlightEstimate>& nominal,
                     const std::vector<Filtered>& filtered, std::vector<Estimate>* corrected) {
  for (std::size_t k = corrected->size() - 1; k-- > 0;) {
    Estimate& now = (*corrected)[k];
    const Estimate& next = (*corrected)[k + 1];
    const auto& [expected, F] = filtered[k + 1];
    const FlightCovariance gain = expected.covariance.ldlt().solve(F * now.covariance).transpose();
    now.error += gain * (next.error - expected.error);
    // P + G (P_next - P_expected) G^T, written as a sum of squares like Joseph's form.
    const FlightCovariance left = FlightCovariance::Identity() - gain * F;
    const FlightCovariance noise =
        next.covariance + setting.NoiseOver(nominal[k + 1].time - nominal[k].time);
    now.covariance = FlightCovariance(left * now.covariance * left.transpose() +
                                      gain * noise * gain.transpose());
  }
}

/// One filter and smoother pass, linearised at `flight->estimates`, which it improves.
void Pass(const Setting& setting, const std::vector<const TrackedFrame*>& frames,
          SmoothedFlight* flight) {
  std::vector<Filtered> filtered;
  std::vector<Estimate> corrected;
  flight->rejected = flight->innovations.count = 0;
  double sum = 0.0;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const FlightEstimate& nominal = flight->estimates[k];
    FlightCovariance F = FlightCovariance::Identity();
    Estimate estimate;
    if (k == 0) {
      estimate.covariance.diagonal() = PriorSigmas().cwiseAbs2();
      if (setting.layout.planar) HoldInPlane(&estimate.covariance);
    } else {
      const FlightEstimate& last = flight->estimates[k - 1];
      const double duration = nominal.time - last.time;
      const FlightEnd flown =
          FlyWithDerivatives(last.state, setting.inertia_B, setting.gravity, duration);
      F = flown.by_start;
      estimate.error = F * corrected.back().error + Between(nominal.state, flown.state);
      estimate.covariance =
          F * corrected.back().covariance * F.transpose() + setting.NoiseOver(duration);
    }
    filtered.push_back({estimate, F});
    const Sightings sightings = SightingsOf(setting, *frames[k], nominal.state, &flight->rejected);
    const double square = Correct(sightings, &estimate);
    corrected.push_back(estimate);
    if (k < 2) continue;
    sum += square;
    flight->innovations.count += static_cast<int>(sightings.error.size());
  }
  flight->innovations = SummariseInnovations(sum, flight->innovations.count);

  SmoothBackwards(setting, flight->estimates, filtered, &corrected);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    flight->estimates[k].state = Moved(flight->estimates[k].state, corrected[k].error);
    flight->estimates[k].covariance =
        0.5 * (corrected[k].covariance + corrected[k].covariance.transpose());
  }
}

SideStates SideOf(const FlightEstimate& estimate) {
  return {estimate.state.v, estimate.state.w, estimate.covariance.bottomRightCorner<6, 6>()};
}

}  // namespace

SmoothedFlight SmoothFlight(std::span<const TrackedFrame> frames, const MarkerLayout& layout,
                            const Views& views, const Eigen::Matrix3d& inertia_B,
                            const Eigen::Vector3d& gravity, const RtsOptions& options) {
  SmoothedFlight flight;
  std::vector<const TrackedFrame*> used;
  for (const TrackedFrame& frame : frames) {
    if (frame.pose.found) used.push_back(&frame);
  }
  const int needed = std::max(options.min_frames, 3);
  if (static_cast<int>(used.size()) < needed) {
    flight.reason = fmt::format("{} frames with a pose, at least {} needed", used.size(), needed);
    return flight;
  }
  const Eigen::Matrix3d flight_inertia_B = FlightInertia(inertia_B, layout.planar);
  const Setting setting{layout, views, flight_inertia_B, gravity, options};
  flight.estimates = NominalFlight(used);
  for (int pass = 0; pass < kPasses; ++pass) Pass(setting, used, &flight);
  for (const FlightEstimate& estimate : flight.estimates) {
    const Error sigmas = estimate.covariance.diagonal().cwiseSqrt();
    // Wider than this, the prior has a say of a hundredth.
    if (!(sigmas.cwiseQuotient(PriorSigmas()).maxCoeff() < 0.1)) {
      flight.reason = "the frames do not determine the flight";
      return flight;
    }
  }
  flight.usable = true;
  return flight;
}

RtsStates EstimateRtsStates(std::span<const TrackedFrame> frames, const ImpactFit& fit,
                            const MarkerLayout& layout, const Views& views,
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
    FlightEstimate flown =
        Fly(nearest, fit.time, FlightInertia(inertia_B, layout.planar), gravity, options.Noise());
    if (layout.planar) HoldInPlane(&flown.covariance);
    return SideOf(flown);
  };
  states.before = fly(states.flight_before.estimates.back());
  states.after = fly(states.flight_after.estimates.front());
  states.usable = true;
  return states;
}

}  // namespace percuss::tracking
