// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/sliding_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "tracking/flights/torque_free.h"
#include "tracking/slides/slide_model.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector3d;

constexpr double kPlateTurns = 1.5 * kSlideDegree;  ///< less is noise, or a plate that gives way
constexpr double kFastTurn = 2.0;                   ///< of a body that falls over an edge [rad/s]
constexpr double kShortestWay = 0.005;              ///< [m]
constexpr std::size_t kFewestFrames = 8;

double PositionSigma(const TrackedFrame& frame) {
  return std::sqrt(frame.pose.covariance.topLeftCorner<3, 3>().trace());
}

double RotationSigma(const TrackedFrame& frame) {
  return std::sqrt(frame.pose.covariance.bottomRightCorner<3, 3>().trace());
}

/// Whether the velocity changes between a frame and its neighbours by more than friction can.
bool IsStruck(const TrackedFrame& before, const TrackedFrame& at, const TrackedFrame& after,
              double gravity) {
  const double first = at.time - before.time, second = after.time - at.time;
  const Vector3d change = (after.pose.pose.p_WB - at.pose.pose.p_WB) / second -
                          (at.pose.pose.p_WB - before.pose.pose.p_WB) / first;
  const double noise =
      PositionSigma(at) * std::hypot(1.0 / first, 1.0 / second, 1.0 / first + 1.0 / second);
  // Gravity and a friction of as much, at right angles.
  return change.norm() > 1.42 * gravity * 0.5 * (first + second) + 8.0 * noise;
}

bool TurnsFast(const TrackedFrame& from, const TrackedFrame& to) {
  const double angle = RotationVector(to.pose.pose.q_WB * from.pose.pose.q_WB.conjugate()).norm();
  return angle > kFastTurn * (to.time - from.time) + 8.0 * RotationSigma(to);
}

/// Runs of frames without a blow, and if asked for, without a fast turn.
std::vector<std::vector<int>> CalmRuns(std::span<const TrackedFrame> frames, double gravity,
                                       bool may_turn_fast) {
  std::vector<int> places;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (frames[k].pose.found) places.push_back(static_cast<int>(k));
  }
  std::vector<std::vector<int>> runs(1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto frame = [&](std::size_t j) -> const TrackedFrame& { return frames[places[j]]; };
    const bool first = runs.back().empty();
    if (!first && !may_turn_fast && TurnsFast(frame(i - 1), frame(i))) runs.emplace_back();
    const bool inside = runs.back().size() > 1 && i + 1 < places.size();
    runs.back().push_back(places[i]);
    if (inside && IsStruck(frame(i - 1), frame(i), frame(i + 1), gravity)) runs.emplace_back();
  }
  return runs;
}

Vector3d Displacement(std::span<const TrackedFrame> frames, const std::vector<int>& run) {
  if (run.size() < 2) return Vector3d::Zero();
  const std::size_t ends = std::min<std::size_t>(3, run.size() / 2);
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < ends; ++i) {
    sum += frames[run[run.size() - 1 - i]].pose.pose.p_WB - frames[run[i]].pose.pose.p_WB;
  }
  return sum / static_cast<double>(ends);
}

/// Largest turn, the mean of five frames each, about an axis in the plate.
double LargestTilt(const std::vector<Vector3d>& turns, const Vector3d& normal) {
  double largest = 0.0;
  for (std::size_t i = 0; i + 5 <= turns.size(); ++i) {
    Vector3d mean = Vector3d::Zero();
    for (std::size_t j = i; j < i + 5; ++j) mean += turns[j] / 5.0;
    largest = std::max(largest, InPlate(mean, normal).norm());
  }
  return largest;
}

/// Whether the attitude turns with the way over the height of the mass centre, and the mass centre
/// stays at its height: by at least half of that. A tilted plate lifts the body or carries it on.
bool Rolls(std::span<const TrackedFrame> frames, const std::vector<int>& run,
           const std::vector<Vector3d>& turns, const SlideSetting& setting) {
  if (!(setting.centre_height > 0.0)) return false;
  const Vector3d n = setting.normal, p_first = frames[run.front()].pose.pose.p_WB;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const double turned = InPlate(turns[i], n).norm();
    const Vector3d moved = frames[run[i]].pose.pose.p_WB - p_first;
    const double way = InPlate(moved, n).norm();
    if (turned < 10.0 * kSlideDegree || way < 0.01) continue;
    const Vector3d axis = n.cross(moved);
    return std::abs(n.dot(moved)) < 0.3 * way && axis.dot(turns[i]) > 0.9 * axis.norm() * turned &&
           turned * setting.centre_height > 0.5 * way;
  }
  return false;
}

/// Cuts where the body leaves a plate at rest: upwards, or over its edge.
void CutLifted(std::span<const TrackedFrame> frames, const Vector3d& normal,
               std::vector<int>* run) {
  const Vector3d p_first = frames[run->front()].pose.pose.p_WB;
  const auto lifted = [&](int place) {
    const Vector3d moved = frames[place].pose.pose.p_WB - p_first;
    // The stated normal may be off by some degrees.
    return std::abs(normal.dot(moved)) >
           0.002 + 0.08 * InPlate(moved, normal).norm() + 6.0 * PositionSigma(frames[place]);
  };
  run->erase(std::find_if(run->begin(), run->end(), lifted), run->end());
}

/// Cuts the frames after the body came to rest.
void CutRestAtEnd(std::span<const TrackedFrame> frames, std::vector<int>* run) {
  constexpr std::size_t kPlateau = 5;
  if (run->size() < kPlateau) return;
  const Vector3d p_last = frames[run->back()].pose.pose.p_WB;
  const auto away = [&](int place) {
    return (frames[place].pose.pose.p_WB - p_last).norm() >
           2e-4 + 6.0 * PositionSigma(frames[place]);
  };
  const auto last = std::find_if(run->rbegin(), run->rend(), away);
  if (last == run->rend()) return;  // it never moved
  if (last - run->rbegin() >= static_cast<std::ptrdiff_t>(kPlateau))
    run->erase(last.base(), run->end());
}

SlidingRun Refused(std::string reason) { return {.reason = std::move(reason), .frames = {}}; }

}  // namespace

std::vector<Vector3d> TurnsOf(std::span<const TrackedFrame> frames,
                              const std::vector<int>& places) {
  std::vector<Vector3d> turns;
  const Eigen::Quaterniond q_BW = frames[places.front()].pose.pose.q_WB.conjugate();
  for (const int place : places)
    turns.push_back(RotationVector(frames[place].pose.pose.q_WB * q_BW));
  return turns;
}

SlidingRun FindSlidingRun(std::span<const TrackedFrame> frames, const SlideSetting& setting) {
  const Vector3d& n = setting.normal;
  const double gravity = setting.gravity.norm();
  const auto way = [&](const std::vector<int>& run) {
    return InPlate(Displacement(frames, run), n).norm();
  };
  for (const std::vector<int>& run : CalmRuns(frames, gravity, true)) {
    if (run.empty() || !Rolls(frames, run, TurnsOf(frames, run), setting)) continue;
    return Refused(
        "the attitude turns with the way: the body rolls or tips over, which is no slide");
  }
  const std::vector<std::vector<int>> runs = CalmRuns(frames, gravity, false);
  std::size_t longest = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const bool farther = way(runs[i]) > std::max(kShortestWay, way(runs[longest]));
    const bool none_moves = way(runs[longest]) <= kShortestWay;
    if (farther || (none_moves && runs[i].size() > runs[longest].size())) longest = i;
  }
  SlidingRun found{.reason = {}, .frames = runs[longest]};
  // A knock that starts the slide parts it from the rest before it.
  for (std::size_t i = longest; i > 0 && runs[i - 1].size() > 2 && way(runs[i - 1]) < 0.001; --i)
    found.frames.insert(found.frames.begin(), runs[i - 1].begin(), runs[i - 1].end());
  if (found.frames.size() < kFewestFrames) {
    return Refused(fmt::format("the body lies on the plate in {} frames, of at least {}",
                               found.frames.size(), kFewestFrames));
  }
  std::vector<Vector3d> turns = TurnsOf(frames, found.frames);
  found.tilting = LargestTilt(turns, n) > kPlateTurns;
  if (!found.tilting) {
    CutLifted(frames, n, &found.frames);
    CutRestAtEnd(frames, &found.frames);
    if (found.frames.size() < kFewestFrames) {
      return Refused(fmt::format("the body lies on the plate in {} frames, of at least {}",
                                 found.frames.size(), kFewestFrames));
    }
  }
  if (!(way(found.frames) > kShortestWay)) {
    return Refused(fmt::format("the body moves by {:.1f} mm along the plate, of at least {:g} mm",
                               1e3 * way(found.frames), 1e3 * kShortestWay));
  }
  turns.resize(found.frames.size());
  found.spin = n.dot(turns.back());
  return found;
}

}  // namespace percuss::tracking
