// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_trial.h"

#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "base/math/covariance_root.h"
#include "base/math/geometry.h"
#include "base/text/numbers.h"
#include "tracking/flights/flight_segmentation.h"
#include "tracking/labels/sighting_times.h"
#include "tracking/slides/slide_fit.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector3d;

/// Beyond this chance comes once in a thousand times (two-sided).
constexpr double kBeyondChance = 3.29;

bool IsBeyondChance(const SlideNumber& number) {
  return std::abs(number.value) > kBeyondChance * number.Sigma();
}

/// The frames with the poses that this bench gives their sightings.
std::vector<TrackedFrame> WithPoses(std::span<const TrackedFrame> frames, const Bench& bench,
                                    bool planar) {
  const Views views = ViewsOf(bench.calibration);
  const MarkerLayout layout = LayoutOf(bench.body, planar);
  std::vector<TrackedFrame> posed(frames.begin(), frames.end());
  std::vector<MarkerObservation> at_frame;
  for (std::size_t k = 0; k < posed.size(); ++k) {
    PoseEstimate& pose = posed[k].pose;
    if (!pose.found) continue;
    at_frame.clear();
    for (MarkerObservation seen : posed[k].observations) {
      if (TakeToFrameTime(frames, k, &seen)) at_frame.push_back(seen);
    }
    pose = EstimatePose(views, layout, at_frame, pose.pose, 1.0);
  }
  return posed;
}

/// Places of the bench on which poses and gravity rest.
std::vector<Eigen::Index> PlacesThatCount(const BenchParameters& places, bool has_pixels) {
  std::vector<Eigen::Index> kept;
  const auto add = [&](Eigen::Index first, Eigen::Index count) {
    for (Eigen::Index i = first; i < first + count; ++i) kept.push_back(i);
  };
  if (has_pixels) {
    add(0, places.NumRig());
    add(places.Marker(0), 3 * Eigen::Index{places.num_markers});
  }
  add(places.Gravity(), 3);
  add(places.Tilt(0), 3 * Eigen::Index{places.num_surfaces});
  return kept;
}

/// Adds the squares of what a change makes of each number.
void AddChange(const SlideValues& changed, const SlideEstimate& estimate, SlideValues* variances) {
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const double change = changed[i] - (estimate.*kSlideNumbers[i]).value;
    if (std::isfinite(change)) (*variances)[i] += change * change;
  }
}

/// Variances of all numbers by what the trials share.
SlideValues SharedVariances(const SlideFit& fit, std::span<const TrackedFrame> posed,
                            const Bench& bench, const SlideSurroundings& surroundings,
                            const SlideSetting& setting) {
  SlideValues variances{};
  const BenchParameters places = bench.Parameters();
  const std::vector<Eigen::Index> kept = PlacesThatCount(places, surroundings.has_pixels);
  const Eigen::MatrixXd root = CovarianceRoot(bench.covariance(kept, kept));
  std::vector<TrackedFrame> used;  // the others stay where they are
  for (Eigen::Index i = 0; i < root.cols(); ++i) {
    Eigen::VectorXd change = Eigen::VectorXd::Zero(places.Size());
    change(kept) = root.col(i);
    SlideSetting moved = setting;
    moved.gravity += change.segment<3>(places.Gravity());
    for (const calibration::SurfacePlane& surface : Moved(bench, change).surfaces) {
      if (surface.name == surroundings.surface.name) moved.normal = surface.normal;
    }
    change.tail(places.Size() - places.Tilt(0)).setZero();
    change.segment<3>(places.Gravity()).setZero();
    const bool poses_move = surroundings.has_pixels && !change.isZero(0.0);
    const auto again =
        poses_move
            ? RefitSlide(fit, WithPoses(posed, Moved(bench, change), surroundings.planar), moved)
            : RefitSlide(fit, posed, moved);
    AddChange(again, fit.estimate, &variances);
  }
  const Vector3d across = setting.normal.unitOrthogonal();
  for (const Vector3d& axis : {across, Vector3d(setting.normal.cross(across))}) {
    SlideSetting tilted = setting;
    tilted.gravity = RotationFromVector(bench.body.sigma.tilt * axis) * setting.gravity;
    AddChange(RefitSlide(fit, posed, tilted), fit.estimate, &variances);
  }
  return variances;
}

void AddWarnings(const SlideFit& fit, double lowest, SlideEstimate* slide) {
  constexpr double kOffSurface = 0.003;  // [m]
  if (std::abs(lowest) > kOffSurface) {
    slide->warnings.push_back(fmt::format(
        "in the first frame the lowest point of the body is {:.1f} mm {} the surface: the plate "
        "lies elsewhere than the surface picture shows it, or the markers do on the body",
        1e3 * std::abs(lowest), lowest > 0.0 ? "above" : "below"));
  }
  if (IsBeyondChance(slide->direction)) {
    slide->warnings.push_back(
        fmt::format("the path is {} deg off the direction in which gravity pulls: the slope is "
                    "not as stated, or the body was pushed sideways",
                    FormatWithSigma(slide->direction.value / kSlideDegree,
                                    slide->direction.Sigma() / kSlideDegree)));
  }
  if (IsBeyondChance(slide->friction_change)) {
    slide->warnings.push_back(fmt::format(
        "friction changes along the way, or with the speed: mu_k grows by {} from start "
        "to end; the number is a mean",
        FormatWithSigma(slide->friction_change.value, slide->friction_change.Sigma())));
  }
  constexpr double kSpin = 3.0 * kSlideDegree;
  if (std::abs(fit.run.spin) > kSpin) {
    slide->warnings.push_back(
        fmt::format("the body turns by {:.1f} deg about the normal while it slides: a contact that "
                    "turns has less friction along the way",
                    fit.run.spin / kSlideDegree));
  }
}

std::string NumberText(const SlideNumber& number) {
  return FormatWithSigma(number.value, number.Sigma());
}

}  // namespace

SlideEstimate EstimateSlide(std::span<const TrackedFrame> frames, const Bench& bench,
                            const SlideSurroundings& surroundings) {
  const std::vector<TrackedFrame> posed =
      surroundings.has_pixels ? WithPoses(frames, bench, surroundings.planar)
                              : std::vector<TrackedFrame>(frames.begin(), frames.end());
  const Vector3d& n = surroundings.surface.normal;
  SlideSetting setting{.gravity = surroundings.gravity, .normal = n};
  double lowest = 0.0;
  for (const TrackedFrame& frame : posed) {
    if (!frame.pose.found) continue;
    const auto& [p_WB, q_WB] = frame.pose.pose;
    const Vector3d arm = q_WB * solver::SupportPoint(bench.body.body.shape, q_WB.conjugate() * -n);
    setting.centre_height = -n.dot(arm);
    if (surroundings.surface.placed) lowest = surroundings.surface.Height(p_WB + arm);
    break;
  }
  SlideFit fit = FitSlide(posed, setting);
  SlideEstimate& slide = fit.estimate;
  if (!slide.usable()) return slide;
  const SlideValues shared = SharedVariances(fit, posed, bench, surroundings, setting);
  for (std::size_t i = 0; i < shared.size(); ++i)
    (slide.*kSlideNumbers[i]).shared_sigma = std::sqrt(shared[i]);
  if (slide.mu_s_reason.empty()) slide.mu_s = slide.start_ratio;
  AddWarnings(fit, lowest, &slide);
  return slide;
}

std::string SlideLine(const SlideEstimate& slide) {
  if (!slide.usable()) return slide.reason;
  std::string line = fmt::format(
      "mu_k {}, {}: {} from {:.4f} s over {:.0f} mm in {} frames, slope {:.2f} deg, rms {:.3f} mm",
      NumberText(slide.mu_k),
      slide.mu_s_reason.empty() ? "mu_s " + NumberText(slide.mu_s) : "no mu_s",
      SlideStartName(slide.start), slide.start_time.value, 1e3 * slide.path, slide.frames,
      slide.angle.value / kSlideDegree, 1e3 * slide.rms);
  if (!slide.mu_s_reason.empty()) line += "; " + slide.mu_s_reason;
  return line;
}

}  // namespace percuss::tracking
