// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "tracking/flights/flight_segmentation.h"

namespace percuss::tracking {
namespace {

/// Mean angular velocity over up to five frame steps that end (or begin) at a frame, or up to where
/// they add up to a radian: over a longer turn the axis wanders.
Eigen::Vector3d AngularVelocityNear(std::span<const TrackedFrame> frames, int at, int towards) {
  const int step = towards > at ? 1 : -1;
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  const TrackedFrame* last = &frames[at];
  const double begin = last->time;
  for (int k = at + step; k != towards + step && std::abs(k - at) <= 5 && turn.norm() < 1.0;
       k += step) {
    const TrackedFrame& next = frames[k];
    if (!next.pose.found) continue;
    Eigen::Quaterniond q = (next.pose.pose.q_WB * last->pose.pose.q_WB.conjugate()).normalized();
    if (q.w() < 0.0) q.coeffs() *= -1.0;
    const Eigen::AngleAxisd part(q);
    turn += part.angle() * part.axis();
    last = &next;
  }
  if (last->time == begin) return Eigen::Vector3d::Zero();
  return turn / (last->time - begin);
}

double FrameInterval(std::span<const TrackedFrame> frames) {
  return (frames.back().time - frames.front().time) /
         std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
}

/// The impact between two neighbouring flights; `why` says why there is none.
std::optional<ImpactGuess> GuessBetween(std::span<const TrackedFrame> frames,
                                        const FlightArc& before, const FlightArc& after,
                                        const solver::Shape& shape, const Eigen::Vector3d& gravity,
                                        const SegmentationOptions& options, std::string* why) {
  const auto frame = [&](int k) -> const TrackedFrame& { return frames[k]; };
  const auto none = [&](const std::string& reason) -> std::optional<ImpactGuess> {
    *why = fmt::format("between left frames {} and {} {}", frame(before.last).left_frame,
                       frame(after.first).left_frame, reason);
    return std::nullopt;
  };
  const int gap_frames = after.first - before.last - 1;
  if (gap_frames > options.max_gap_frames) {
    return none(fmt::format("the flights are {} frames apart, allowed {}", gap_frames,
                            options.max_gap_frames));
  }
  // Both paths have the same curvature, so their difference is a straight line; closest approach
  // to zero.
  const double t_after = frame(after.first).time, shift = t_after - frame(before.first).time;
  const Eigen::Vector3d p_before = before.p_WB + shift * before.v + 0.5 * shift * shift * gravity;
  const Eigen::Vector3d v_before = before.v + shift * gravity;
  const Eigen::Vector3d gap = p_before - after.p_WB, closing = v_before - after.v;
  if (closing.norm() < 1e-3) return none("the velocity does not change");
  const double from_after = -gap.dot(closing) / closing.squaredNorm();
  ImpactGuess guess;
  guess.before = before;
  guess.after = after;
  guess.time = t_after + from_after;
  const double reach = 1.5 * FrameInterval(frames);
  if (guess.time < frame(before.last).time - reach || guess.time > t_after + reach)
    return none("the two flights do not meet");
  guess.state.p_WB = p_before + from_after * v_before + 0.5 * from_after * from_after * gravity;
  guess.state.v = v_before + from_after * gravity;
  guess.v_post = after.v + from_after * gravity;
  guess.state.w = AngularVelocityNear(frames, before.last, before.first);
  guess.w_post = AngularVelocityNear(frames, after.first, after.last);
  const Eigen::Vector3d turn = guess.state.w * (guess.time - frame(before.last).time);
  guess.state.q_WB =
      Eigen::Quaterniond(Eigen::AngleAxisd(
          turn.norm(), turn.norm() > 0 ? turn.normalized() : Eigen::Vector3d::UnitX())) *
      frame(before.last).pose.pose.q_WB;
  const double height = LowestHeight(shape, {guess.state.p_WB, guess.state.q_WB}, options.surface);
  if (options.surface.placed &&
      std::abs(height) > options.height_tolerance + 0.05 * solver::BoundingRadius(shape)) {
    return none(fmt::format(
        "the velocity changes, but the lowest point of the body is {:.1f} mm from the surface",
        1e3 * height));
  }
  if (!(options.surface.normal.dot(guess.v_post - guess.state.v) > 0.0))
    return none("the velocity changes towards the surface");
  return guess;
}

/// Acceleration along a direction over an arc, by a parabola through its mass centres.
double AccelerationAlong(const Eigen::Vector3d& direction, std::span<const TrackedFrame> frames,
                         const FlightArc& arc) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (int k = arc.first; k <= arc.last; ++k) {
    if (!frames[k].pose.found) continue;
    const double t = frames[k].time - frames[arc.first].time;
    const Eigen::Vector3d powers(1.0, t, 0.5 * t * t);
    normal += powers * powers.transpose();
    right += powers * direction.dot(frames[k].pose.pose.p_WB);
  }
  return normal.ldlt().solve(right)[2];
}

/// By how many times the frames must have followed each other faster than their times say for the
/// motion to be free fall: slow motion that a phone stored as 30 frames/s. Nothing if no whole
/// number from 2 to 40 makes two flights of it.
std::optional<int> SlowMotionFactor(std::span<const TrackedFrame> frames,
                                    const Eigen::Vector3d& gravity,
                                    const SegmentationOptions& options) {
  // Neighbouring numbers fit a short arc alike. The longest arc tells them apart by its
  // acceleration.
  const auto length = [](const FlightArc& arc) { return arc.last - arc.first; };
  std::optional<FlightArc> longest;
  for (int factor = 2; factor <= 40; ++factor) {
    const auto arcs = FindFlightArcs(frames, gravity / (factor * factor), options);
    if (arcs.size() < 2) continue;
    const FlightArc& best = *std::ranges::max_element(arcs, {}, length);
    if (!longest || length(best) > length(*longest)) longest = best;
  }
  if (!longest) return {};
  const double seen = AccelerationAlong(gravity.normalized(), frames, *longest);
  if (!(seen > 0.0)) return {};
  const double ratio = std::sqrt(gravity.norm() / seen);
  const int factor = static_cast<int>(std::round(ratio));
  if (factor < 2 || factor > 40 || std::abs(ratio / factor - 1.0) > 0.05) return {};
  return factor;
}

/// What is missing when there are not two flights.
std::string MissingFlight(std::span<const TrackedFrame> frames, std::span<const FlightArc> arcs,
                          const Eigen::Vector3d& gravity, const SegmentationOptions& options) {
  if (const auto factor =
          arcs.empty() ? SlowMotionFactor(frames, gravity, options) : std::nullopt) {
    const double rate = 1.0 / FrameInterval(frames);
    return fmt::format(
        "the body never flies freely at {:.4g} frames/s, but at {} times that it does: is this "
        "slow "
        "motion? Then write frame_rate: {:.0f}",
        rate, *factor, *factor * rate);
  }
  if (arcs.empty()) return "the body never flies freely";
  const FlightArc& arc = arcs.front();
  const auto behind = frames.subspan(static_cast<std::size_t>(arc.last) + 1);
  return fmt::format(
      "only one free flight, left frames {} to {}, and no second one to bounce into (behind it {} "
      "frames show the body, at least {} needed)",
      frames[arc.first].left_frame, frames[arc.last].left_frame,
      std::ranges::count_if(behind, [](const TrackedFrame& f) { return f.pose.found; }),
      options.min_clear_frames);
}

}  // namespace

std::vector<ImpactGuess> FindImpacts(std::span<const TrackedFrame> frames,
                                     std::span<const FlightArc> arcs, const solver::Shape& shape,
                                     const Eigen::Vector3d& gravity,
                                     const SegmentationOptions& options, std::string* reason) {
  std::vector<ImpactGuess> impacts;
  std::string why = arcs.size() < 2 ? MissingFlight(frames, arcs, gravity, options) : "";
  for (std::size_t i = 0; i + 1 < arcs.size(); ++i) {
    const auto guess = GuessBetween(frames, arcs[i], arcs[i + 1], shape, gravity, options, &why);
    if (guess) impacts.push_back(*guess);
  }
  if (impacts.empty()) *reason = "no impact found: " + why;
  return impacts;
}

}  // namespace percuss::tracking
