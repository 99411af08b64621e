// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/baselines/houbolt_states.h"

#include <ceres/jet.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "solver/body/scalar.h"
#include "tracking/labels/marker_triad.h"
#include "tracking/labels/sighting_times.h"

namespace percuss::tracking {
namespace {

constexpr int kSamples = 4, kMarkers = 3, kCoordinates = kSamples * kMarkers * 3;
using Jet = ceres::Jet<double, kCoordinates>;
template <typename T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <typename T>
using Samples = std::array<std::array<Vector3<T>, kMarkers>, kSamples>;

/// All markers of one frame that both cameras see; empty places for the others.
using FramePoints = std::vector<std::optional<TriangulatedPoint>>;

FramePoints TriangulateFrame(const TrackedFrame& frame, const Views& views, std::size_t num_markers,
                             double noise_scale) {
  std::vector<std::array<const MarkerObservation*, 2>> seen(num_markers, {nullptr, nullptr});
  for (const MarkerObservation& observation : frame.observations) {
    seen[observation.marker][observation.side] = &observation;
  }
  FramePoints points(num_markers);
  for (std::size_t m = 0; m < num_markers; ++m) {
    if (!seen[m][0] || !seen[m][1]) continue;
    points[m] = Triangulate(views, {seen[m][0]->pixel, seen[m][1]->pixel},
                            {seen[m][0]->covariance, seen[m][1]->covariance});
    if (points[m]) points[m]->covariance *= noise_scale * noise_scale;
  }
  return points;
}

/// The four frames next to the impact on one side, the nearest last; empty if there are fewer.
std::vector<const TrackedFrame*> NearestFrames(std::span<const TrackedFrame> frames,
                                               const ImpactFit& fit, bool before,
                                               double exclusion) {
  std::vector<const TrackedFrame*> side;
  for (const TrackedFrame& frame : frames) {
    const double since_impact = frame.time - fit.time;
    if (before ? since_impact < -exclusion && frame.left_frame >= fit.arcs[0].first_frame
               : since_impact > exclusion && frame.left_frame <= fit.arcs[1].last_frame) {
      side.push_back(&frame);
    }
  }
  if (side.size() < kSamples) return {};
  if (!before) std::reverse(side.begin(), side.end());
  return {side.end() - kSamples, side.end()};
}

/// The largest triangle of markers that are there in all frames and not nearly collinear.
std::optional<std::array<int, 3>> ChooseMarkers(const std::vector<FramePoints>& frames,
                                                const MarkerLayout& layout,
                                                double min_height_ratio) {
  std::vector<int> candidates;
  for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
    if (std::all_of(frames.begin(), frames.end(),
                    [m](const FramePoints& points) { return points[m].has_value(); })) {
      candidates.push_back(static_cast<int>(m));
    }
  }
  std::optional<std::array<int, 3>> best;
  double best_area = 0.0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      for (std::size_t k = j + 1; k < candidates.size(); ++k) {
        const Eigen::Vector3d& a = layout.p_BM[candidates[i]];
        const Eigen::Vector3d ab = layout.p_BM[candidates[j]] - a,
                              ac = layout.p_BM[candidates[k]] - a;
        const double twice_area = ab.cross(ac).norm();
        const double longest = std::max({ab.norm(), ac.norm(), (ac - ab).norm()});
        if (twice_area < min_height_ratio * longest * longest || twice_area <= best_area) continue;
        best_area = twice_area;
        best = {candidates[i], candidates[j], candidates[k]};
      }
    }
  }
  return best;
}

/// Axes of the thesis from those of W: y points down.
Eigen::Matrix3d ThesisFromWorld() {
  Eigen::Matrix3d R;
  R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return R;
}

/// Each angle within half a turn of the one before.
template <typename T>
void Unwrap(std::array<Vector3<T>, kSamples>* angles) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (std::size_t k = 1; k < kSamples; ++k) {
    for (int i = 0; i < 3; ++i) {
      const double jump = solver::Value((*angles)[k][i]) - solver::Value((*angles)[k - 1][i]);
      (*angles)[k][i] -= T(kTurn * std::round(jump / kTurn));
    }
  }
}

/// v of the mass centre and w at the last sample, in the axes of the samples (those of the thesis).
/// @param centre_in_triad from the centroid of the markers to the mass centre, in triad axes.
template <typename T>
Eigen::Matrix<T, 6, 1> Difference(const Samples<T>& markers, const Eigen::Vector3d& centre_in_triad,
                                  double step, double* cos_theta2) {
  std::array<Vector3<T>, kSamples> position, angles;
  *cos_theta2 = 1.0;
  for (std::size_t k = 0; k < kSamples; ++k) {
    const Eigen::Matrix<T, 3, 3> triad = MarkerTriad(markers[k]);
    position[k] = Centroid(markers[k]) + triad.transpose() * centre_in_triad.cast<T>();
    angles[k] = EulerAnglesFromTriad(triad);
    *cos_theta2 = std::min(*cos_theta2, std::cos(solver::Value(angles[k][1])));
  }
  Unwrap(&angles);
  Eigen::Matrix<T, 6, 1> out;
  const Vector3<T> rates = HouboltDerivative(angles, step);
  out.template head<3>() = HouboltDerivative(position, step);
  out.template tail<3>() = ReferenceSpinFromEulerRates(angles[kSamples - 1]) * rates;
  return out;
}

/// One side of the impact; `reason` says why there is nothing.
std::optional<SideStates> EstimateSide(const std::vector<FramePoints>& frames, double step,
                                       const std::array<int, 3>& chosen, const MarkerLayout& layout,
                                       const Eigen::Vector3d& gravity, double min_cos_theta2,
                                       std::string* reason) {
  const Eigen::Matrix3d R_TW = ThesisFromWorld();
  std::array<Eigen::Vector3d, kMarkers> p_BM;
  Samples<Jet> samples;
  Eigen::Matrix<double, kCoordinates, kCoordinates> noise;
  noise.setZero();
  for (std::size_t m = 0; m < kMarkers; ++m) {
    const auto marker = static_cast<std::size_t>(chosen[m]);
    p_BM[m] = layout.p_BM[marker];
    for (std::size_t k = 0; k < kSamples; ++k) {
      const TriangulatedPoint& point = *frames[k][marker];
      const int place = static_cast<int>(3 * (kMarkers * k + m));
      const Eigen::Vector3d p_T = R_TW * point.p_W;
      for (int i = 0; i < 3; ++i) samples[k][m][i] = Jet(p_T[i], place + i);
      noise.block<3, 3>(place, place) = R_TW * point.covariance * R_TW.transpose();
    }
  }
  const Eigen::Vector3d centre_in_triad = -(MarkerTriad(p_BM) * Centroid(p_BM));
  double cos_theta2 = 0.0;
  const Eigen::Matrix<Jet, 6, 1> differences =
      Difference(samples, centre_in_triad, step, &cos_theta2);
  if (!(cos_theta2 > min_cos_theta2)) {
    *reason = fmt::format(
        "the Euler angles of the markers are within {:.1f} degrees of their singularity, theta2 = "
        "+-90 degrees (the plane of the markers lies flat), where their rates mean nothing",
        std::asin(min_cos_theta2) * 180.0 / std::numbers::pi);
    return std::nullopt;
  }

  Eigen::Matrix<double, 6, 1> value;
  Eigen::Matrix<double, 6, kCoordinates> by_markers;
  for (int i = 0; i < 6; ++i) {
    value[i] = differences[i].a;
    by_markers.row(i) = differences[i].v.transpose();
  }
  Eigen::Matrix<double, 6, 6> R_WT = Eigen::Matrix<double, 6, 6>::Zero();
  R_WT.topLeftCorner<3, 3>() = R_WT.bottomRightCorner<3, 3>() = R_TW.transpose();
  value = R_WT * value;
  by_markers = R_WT * by_markers;
  SideStates side;
  side.v = value.head<3>() + 0.5 * step * gravity;  // (4.24)
  side.w = value.tail<3>();
  side.covariance = by_markers * noise * by_markers.transpose();
  return side;
}

}  // namespace

HouboltStates EstimateHouboltStates(std::span<const TrackedFrame> frames, const ImpactFit& fit,
                                    const MarkerLayout& layout, const Views& views,
                                    const Eigen::Vector3d& gravity, const HouboltOptions& options) {
  HouboltStates states;
  const double exclusion = options.impact_exclusion * options.exposure.value_or(0.0);
  const auto before = NearestFrames(frames, fit, true, exclusion);
  const auto after = NearestFrames(frames, fit, false, exclusion);
  if (before.empty() || after.empty()) {
    states.reason = "fewer than four frames of free flight before or after the impact";
    return states;
  }
  const double interval = (before.back()->time - before.front()->time) / (kSamples - 1);
  const double apart = std::abs(LargestTimeFromFrame(frames) / interval);
  if (apart > options.max_frames_apart) {
    states.reason = fmt::format(
        "sightings are up to {:.3f} frames away from the time of their frame, allowed {}: the "
        "formula takes all of a frame at one time (genlocked cameras, global shutter)",
        apart, options.max_frames_apart);
    return states;
  }
  std::vector<FramePoints> points;
  for (const auto* side : {&before, &after}) {
    for (const TrackedFrame* frame : *side) {
      points.push_back(TriangulateFrame(*frame, views, layout.p_BM.size(), options.noise_scale));
    }
  }
  const auto chosen = ChooseMarkers(points, layout, options.min_height_ratio);
  if (!chosen) {
    states.reason = fmt::format(
        "no three markers off one line are seen by both cameras in all of the left frames {} to {} "
        "and {} to {}",
        before.front()->left_frame, before.back()->left_frame, after.back()->left_frame,
        after.front()->left_frame);
    return states;
  }
  states.markers = *chosen;
  const auto estimate = [&](const std::vector<const TrackedFrame*>& side, std::size_t first) {
    const double step = (side.back()->time - side.front()->time) / (kSamples - 1);
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first);
    return EstimateSide({begin, begin + kSamples}, step, *chosen, layout, gravity,
                        options.min_cos_theta2, &states.reason);
  };
  const auto states_before = estimate(before, 0), states_after = estimate(after, kSamples);
  if (!states_before || !states_after) return states;
  states.before = *states_before;
  states.after = *states_after;
  states.usable = true;
  return states;
}

}  // namespace percuss::tracking
