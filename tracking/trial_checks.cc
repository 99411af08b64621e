// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/trial_checks.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::tracking {

std::string GravityWarning(const ArcSummary& arc, const char* name,
                           const Eigen::Vector3d& gravity) {
  const Eigen::Vector3d error = arc.gravity - gravity;
  const double chi2 = error.dot(arc.gravity_covariance.ldlt().solve(error));
  if (!(chi2 > 25.0)) return {};
  return fmt::format(
      "the flight {} the impact shows a gravity of ({:.3f}, {:.3f}, {:.3f}) m/s^2 where ({:.3f}, "
      "{:.3f}, {:.3f}) is stated "
      "(chi-square {:.0f} with {} degrees of freedom): check frame rate, board size and surface "
      "frame",
      name, arc.gravity.x(), arc.gravity.y(), arc.gravity.z(), gravity.x(), gravity.y(),
      gravity.z(), chi2, (arc.gravity_covariance.diagonal().array() > 0.0).count());
}

std::vector<std::string> MissingMarkerWarnings(const capture::MarkedBody& body,
                                               const MarkerLayout& layout, const Views& views,
                                               const std::vector<TrackedFrame>& frames) {
  std::vector<std::string> warnings;
  for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
    const int marker = static_cast<int>(m);
    int expected = 0, seen = 0;
    for (const TrackedFrame& frame : frames) {
      if (!frame.pose.found) continue;
      for (int side = 0; side < static_cast<int>(views.size()); ++side) {
        const View& view = views[side];
        if (MarkerFacing(layout, marker, frame.pose.pose, view) < 0.5) continue;
        const auto projected =
            ProjectPoint(view, frame.pose.pose.q_WB * layout.p_BM[m] + frame.pose.pose.p_WB);
        if (!projected || projected->pixel.minCoeff() < 0.0 ||
            projected->pixel.x() > view.camera.width - 1 ||
            projected->pixel.y() > view.camera.height - 1) {
          continue;
        }
        ++expected;
        seen += std::any_of(
            frame.observations.begin(), frame.observations.end(),
            [&](const MarkerObservation& o) { return o.marker == marker && o.side == side; });
      }
    }
    if (expected >= 20 && seen < 0.2 * expected) {
      warnings.push_back(
          fmt::format("marker {} was found in {} of {} images that should show it: check its "
                      "position in the experiment file",
                      body.markers[m].name, seen, expected));
    }
  }
  return warnings;
}

bool PoseContinues(const PoseJump& jump) {
  return !(jump.chi2 > (jump.degrees_of_freedom == 2 ? 13.8 : 20.5));
}

std::string PoseJumpText(const PoseJump& jump) {
  return fmt::format(
      "before and after the impact the two flights are {:.2f} mm and {:.2f} degrees apart "
      "(chi-square {:.0f} with {} degrees of freedom)",
      1e3 * jump.position.norm(), jump.rotation.norm() * 180.0 / std::numbers::pi, jump.chi2,
      jump.degrees_of_freedom);
}

bool IsSecondImpact(const ImpactFit& fit, double frame_interval) {
  if (PoseContinues(fit.pose_jump)) return false;
  const double later = 0.1 * frame_interval;
  return fit.pose_jump.position.norm() > later * (fit.v_post - fit.before.v).norm() ||
         fit.pose_jump.rotation.norm() > later * (fit.w_post - fit.before.w).norm();
}

std::string NoFlight(const ImpactFit& fit, const Eigen::Vector3d& gravity) {
  for (const ArcSummary& arc : fit.arcs) {
    const double share = arc.gravity.dot(gravity) / gravity.squaredNorm();
    if (arc.observations >= ArcFitOptions{}.min_frames && std::abs(share - 1.0) < 0.5) continue;
    if (!std::isfinite(share)) {
      return fmt::format("no impact at {:.4f} s: frames {} to {} do not tell whether they fall",
                         fit.time, arc.first_frame, arc.last_frame);
    }
    return fmt::format(
        "no impact at {:.4f} s: frames {} to {} do not fall as a free flight does ({:.0f} % of the "
        "stated gravity)",
        fit.time, arc.first_frame, arc.last_frame, 100.0 * share);
  }
  return {};
}

}  // namespace percuss::tracking
