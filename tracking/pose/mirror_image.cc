// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pose/mirror_image.h"

#include <Eigen/Eigenvalues>

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

struct MarkerPlane {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitZ();
};

MarkerPlane PlaneOf(const MarkerLayout& layout, std::span<const int> markers) {
  MarkerPlane plane;
  for (const int m : markers) plane.middle += layout.p_BM[m] / static_cast<double>(markers.size());
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (const int m : markers) {
    const Eigen::Vector3d from_middle = layout.p_BM[m] - plane.middle;
    scatter += from_middle * from_middle.transpose();
  }
  plane.normal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(scatter).eigenvectors().col(0);
  return plane;
}

Eigen::Vector3d SightOf(const View& view, const State& state, const Eigen::Vector3d& place_B) {
  return (state.p_WB + state.q_WB * place_B - view.Centre()).normalized();
}

/// Turned to another rotation with the mirrored rates, while the middle of the markers goes on as
/// it did.
State WithMirroredRates(const State& state, const Eigen::Quaterniond& q_WB,
                        const Eigen::Vector3d& sight, const Eigen::Vector3d& middle_B) {
  const Eigen::Vector3d w = 2.0 * sight.dot(state.w) * sight - state.w;
  const Eigen::Vector3d old_arm = state.q_WB * middle_B, arm = q_WB * middle_B;
  return {state.p_WB + old_arm - arm, q_WB, state.v + state.w.cross(old_arm) - w.cross(arm), w};
}

State RatesMirrored(const View& view, const MarkerLayout& layout, std::span<const int> markers,
                    const State& state) {
  const Eigen::Vector3d middle = PlaneOf(layout, markers).middle;
  return WithMirroredRates(state, state.q_WB, SightOf(view, state, middle), middle);
}

}  // namespace

State MirrorImage(const View& view, const MarkerLayout& layout, std::span<const int> markers,
                  const State& state) {
  const auto [middle, m] = PlaneOf(layout, markers);
  const Eigen::Vector3d s = SightOf(view, state, middle);
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  const Eigen::Matrix3d R = (one - 2.0 * s * s.transpose()) * state.q_WB.toRotationMatrix() *
                            (one - 2.0 * m * m.transpose());
  return WithMirroredRates(state, Eigen::Quaterniond(R).normalized(), s, middle);
}

std::vector<ImpactMotion> MirroredMotions(const View& view, const MarkerLayout& layout,
                                          std::span<const int> before, std::span<const int> after,
                                          const ImpactMotion& motion) {
  std::vector<ImpactMotion> motions;
  for (const bool pose : {false, true}) {
    for (const bool in : {false, true}) {
      for (const bool out : {false, true}) {
        if (!pose && !in && !out) continue;
        ImpactMotion& mirrored = motions.emplace_back(motion);
        if (pose) {
          mirrored.before = MirrorImage(view, layout, before, mirrored.before);
          mirrored.after = MirrorImage(view, layout, before, mirrored.after);
        }
        if (in) mirrored.before = RatesMirrored(view, layout, before, mirrored.before);
        if (out) mirrored.after = RatesMirrored(view, layout, after, mirrored.after);
      }
    }
  }
  return motions;
}

}  // namespace percuss::tracking
