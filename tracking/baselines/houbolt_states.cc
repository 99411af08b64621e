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
#include "tracking/baselines/marker_samples.h"
#include "tracking/labels/marker_triad.h"

namespace percuss::tracking {
namespace {

template <typename T>
using Vector3 = Eigen::Matrix<T, 3, 1>;
template <typename T>
using Vector6 = Eigen::Matrix<T, 6, 1>;
/// By time, then by marker.
template <typename T, std::size_t kMarkers>
using Places = std::array<std::array<Vector3<T>, kMarkers>, kSamples>;

/// Of the markers that are there on both sides, the three with the largest triangle that is not
/// nearly flat; in a plane the two farthest apart. Empty if there are none.
std::vector<int> ChooseMarkers(const std::array<SideSamples, 2>& sides, const MarkerLayout& layout,
                               double min_height_ratio) {
  std::vector<int> candidates;
  for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
    if (sides[0].markers[m] && sides[1].markers[m]) candidates.push_back(static_cast<int>(m));
  }
  std::vector<int> best;
  double best_size = 0.0;
  const auto keep_larger = [&](double size, std::vector<int> markers) {
    if (size <= best_size) return;
    best_size = size;
    best = std::move(markers);
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      const Eigen::Vector3d& a = layout.p_BM[candidates[i]];
      const Eigen::Vector3d ab = layout.p_BM[candidates[j]] - a;
      if (layout.planar) keep_larger(std::hypot(ab.x(), ab.z()), {candidates[i], candidates[j]});
      for (std::size_t k = j + 1; k < candidates.size() && !layout.planar; ++k) {
        const Eigen::Vector3d ac = layout.p_BM[candidates[k]] - a;
        const double twice_area = ab.cross(ac).norm();
        const double longest = std::max({ab.norm(), ac.norm(), (ac - ab).norm()});
        if (twice_area >= min_height_ratio * longest * longest)
          keep_larger(twice_area, {candidates[i], candidates[j], candidates[k]});
      }
    }
  }
  return best;
}

/// Each angle within half a turn of the one before.
template <typename X>
void Unwrap(std::array<X, kSamples>* angles) {
  constexpr double kTurn = 2.0 * std::numbers::pi;
  for (std::size_t k = 1; k < kSamples; ++k) {
    for (int i = 0; i < (*angles)[k].size(); ++i) {
      const double jump = solver::Value((*angles)[k][i]) - solver::Value((*angles)[k - 1][i]);
      (*angles)[k][i] -= kTurn * std::round(jump / kTurn);
    }
  }
}

/// Axes of the thesis from those of W: y points down.
Eigen::Matrix3d ThesisFromWorld() {
  Eigen::Matrix3d R;
  R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return R;
}

/// Velocity of the mass centre and spin at the last sample, from three markers.
class TriadChain {
 public:
  static constexpr std::size_t kMarkers = 3;

  explicit TriadChain(const std::array<Eigen::Vector3d, kMarkers>& p_BM)
      : centre_in_triad_(-(MarkerTriad(p_BM) * Centroid(p_BM))) {}

  template <typename T>
  Vector6<T> Difference(const Places<T, kMarkers>& p_W, double step) {
    const Eigen::Matrix<T, 3, 3> R_TW = ThesisFromWorld().cast<T>();
    std::array<Vector3<T>, kSamples> position, angles;
    for (std::size_t k = 0; k < kSamples; ++k) {
      std::array<Vector3<T>, kMarkers> markers;
      for (std::size_t m = 0; m < kMarkers; ++m) markers[m] = R_TW * p_W[k][m];
      const Eigen::Matrix<T, 3, 3> triad = MarkerTriad(markers);
      position[k] = Centroid(markers) + triad.transpose() * centre_in_triad_.cast<T>();
      angles[k] = EulerAnglesFromTriad(triad);
      cos_theta2_ = std::min(cos_theta2_, std::cos(solver::Value(angles[k][1])));
    }
    Unwrap(&angles);
    const Vector3<T> rates = HouboltDerivative(angles, step);
    Vector6<T> out;
    out.template head<3>() = R_TW.transpose() * HouboltDerivative(position, step);
    out.template tail<3>() =
        R_TW.transpose() * (ReferenceSpinFromEulerRates(angles[kSamples - 1]) * rates);
    return out;
  }

  double cos_theta2() const { return cos_theta2_; }  ///< the smallest so far

 private:
  Eigen::Vector3d centre_in_triad_;
  double cos_theta2_ = 1.0;
};

/// The same in the plane y = 0 of W, from two markers: x along the line between them, z across.
class SegmentChain {
 public:
  static constexpr std::size_t kMarkers = 2;

  explicit SegmentChain(const std::array<Eigen::Vector3d, kMarkers>& p_BM) {
    const Eigen::Vector3d along = Along(p_BM), middle = 0.5 * (p_BM[0] + p_BM[1]);
    centre_along_ = -middle.dot(along);
    centre_across_ = -middle.dot(Across(along));
  }

  template <typename T>
  Vector6<T> Difference(const Places<T, kMarkers>& p_W, double step) {
    using std::atan2;
    std::array<Vector3<T>, kSamples> position;
    std::array<Eigen::Matrix<T, 1, 1>, kSamples> angle;
    for (std::size_t k = 0; k < kSamples; ++k) {
      const Vector3<T> along = Along(p_W[k]);
      position[k] = (p_W[k][0] + p_W[k][1]) / T(2) + along * T(centre_along_) +
                    Across(along) * T(centre_across_);
      angle[k][0] = atan2(-along[2], along[0]);  // a turn about y takes x to -z
    }
    Unwrap(&angle);
    Vector6<T> out = Vector6<T>::Constant(T(0));
    out.template head<3>() = HouboltDerivative(position, step);
    out[1] = T(0);
    out[4] = HouboltDerivative(angle, step)[0];
    return out;
  }

 private:
  template <typename T>
  static Vector3<T> Along(const std::array<Vector3<T>, kMarkers>& markers) {
    Vector3<T> along = markers[1] - markers[0];
    along[1] = T(0);
    return along / along.norm();
  }
  template <typename T>
  static Vector3<T> Across(const Vector3<T>& along) {
    return {-along[2], T(0), along[0]};
  }

  double centre_along_, centre_across_;
};

/// The states that a chain finds on one side, with the covariance of its samples.
/// @param step of time from sample to sample, negative after the impact.
template <typename Chain>
SideStates EstimateSide(const SideSamples& samples, double step, const std::vector<int>& chosen,
                        const Eigen::Vector3d& gravity, Chain* chain) {
  constexpr int kBlock = 3 * kSamples, kCoordinates = kBlock * Chain::kMarkers;
  using Jet = ceres::Jet<double, kCoordinates>;
  Places<Jet, Chain::kMarkers> p_W;
  for (std::size_t m = 0; m < Chain::kMarkers; ++m) {
    for (std::size_t k = 0; k < kSamples; ++k) {
      const Eigen::Vector3d& value = samples.markers[chosen[m]]->p_W[k];
      const int place = kBlock * static_cast<int>(m) + 3 * static_cast<int>(k);
      for (int i = 0; i < 3; ++i) p_W[k][m][i] = Jet(value[i], place + i);
    }
  }
  const Vector6<Jet> rates = chain->Difference(p_W, step);
  Vector6<double> value;
  Eigen::Matrix<double, 6, kCoordinates> by_places;
  for (int i = 0; i < 6; ++i) {
    value[i] = rates[i].a;
    by_places.row(i) = rates[i].v.transpose();
  }
  SideStates side;
  side.v = value.head<3>() + std::copysign(samples.half_frame, step) * gravity;  // (4.24)
  side.w = value.tail<3>();
  for (std::size_t m = 0; m < Chain::kMarkers; ++m) {
    const auto by_marker = by_places.template middleCols<kBlock>(kBlock * static_cast<int>(m));
    side.covariance += by_marker * samples.markers[chosen[m]]->covariance * by_marker.transpose();
  }
  return side;
}

template <typename Chain>
Chain EstimateBothSides(const std::array<SideSamples, 2>& sides, const MarkerLayout& layout,
                        const Eigen::Vector3d& gravity, HouboltStates* states) {
  std::array<Eigen::Vector3d, Chain::kMarkers> p_BM;
  for (std::size_t m = 0; m < p_BM.size(); ++m) p_BM[m] = layout.p_BM[states->markers[m]];
  Chain chain(p_BM);
  states->before = EstimateSide(sides[0], sides[0].step, states->markers, gravity, &chain);
  states->after = EstimateSide(sides[1], -sides[1].step, states->markers, gravity, &chain);
  return chain;
}

}  // namespace

HouboltStates EstimateHouboltStates(std::span<const TrackedFrame> frames, const ImpactFit& fit,
                                    const MarkerLayout& layout, const Views& views,
                                    const Eigen::Vector3d& gravity, const HouboltOptions& options) {
  HouboltStates states;
  const SampleOptions sampling{
      .impact_time = fit.time,
      .exclusion = options.impact_exclusion * options.exposure.value_or(0.0),
      .left_frames = {fit.arcs[0].first_frame, fit.arcs[1].last_frame},
      .noise_scale = options.noise_scale};
  std::array<SideSamples, 2> sides;
  for (const std::size_t side : {0u, 1u}) {
    auto samples = SampleMarkers(frames, side == 0, layout, views, sampling);
    if (!samples) {
      states.reason = fmt::format("fewer than four frames of free flight {} the impact",
                                  side == 0 ? "before" : "after");
      return states;
    }
    sides[side] = *std::move(samples);
  }
  states.markers = ChooseMarkers(sides, layout, options.min_height_ratio);
  if (states.markers.empty()) {
    states.reason =
        fmt::format("no {} in all of the left frames {} to {} and {} to {}",
                    layout.planar ? "two markers are seen"
                                  : "three markers off one line are seen by both cameras",
                    sides[0].left_frames[0], sides[0].left_frames[1], sides[1].left_frames[0],
                    sides[1].left_frames[1]);
    return states;
  }
  if (layout.planar) {
    EstimateBothSides<SegmentChain>(sides, layout, gravity, &states);
  } else {
    const TriadChain chain = EstimateBothSides<TriadChain>(sides, layout, gravity, &states);
    if (!(chain.cos_theta2() > options.min_cos_theta2)) {
      states.reason = fmt::format(
          "the Euler angles of the markers are within {:.1f} degrees of their singularity, theta2 "
          "= +-90 degrees (the plane of the markers lies flat), where their rates mean nothing",
          std::asin(options.min_cos_theta2) * 180.0 / std::numbers::pi);
      return states;
    }
  }
  states.usable = true;
  return states;
}

}  // namespace percuss::tracking
