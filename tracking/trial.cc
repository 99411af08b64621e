// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/trial.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "capture/error.h"

namespace percuss::tracking {
namespace {

/// Size and direction of measured gravity against the known one, as a sentence; empty while it is
/// within four sigmas.
std::string GravityWarning(const ArcSummary& arc, const char* name,
                           const Eigen::Vector3d& gravity) {
  const Eigen::Vector3d error = arc.gravity - gravity;
  const double chi2 = error.dot(arc.gravity_covariance.ldlt().solve(error));
  if (!(chi2 > 25.0)) return {};
  return fmt::format(
      "the flight {} the impact shows a gravity of ({:.3f}, {:.3f}, {:.3f}) m/s^2 where ({:.3f}, "
      "{:.3f}, {:.3f}) is stated "
      "(chi-square {:.0f} with 3 degrees of freedom): check frame rate, board size and surface "
      "frame",
      name, arc.gravity.x(), arc.gravity.y(), arc.gravity.z(), gravity.x(), gravity.y(),
      gravity.z(), chi2);
}

/// Markers that should have been seen well in many frames and were labelled in hardly any: their
/// stated places are wrong, or they fell off. The rest may still give the right states, so this is
/// a warning.
std::vector<std::string> MissingMarkerWarnings(const capture::MarkedBody& body,
                                               const MarkerLayout& layout, const StereoViews& views,
                                               const std::vector<TrackedFrame>& frames) {
  std::vector<std::string> warnings;
  for (std::size_t m = 0; m < layout.p_BM.size(); ++m) {
    const int marker = static_cast<int>(m);
    int expected = 0, seen = 0;
    for (const TrackedFrame& frame : frames) {
      if (!frame.pose.found) continue;
      for (int side = 0; side < 2; ++side) {
        const View& view = views[static_cast<std::size_t>(side)];
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

void FillRecord(const capture::Trial& trial, TrialImpact* impact) {
  ImpactRecord& record = impact->record;
  const ImpactFit& fit = impact->fit;
  record.trial = trial.name;
  record.time = fit.time;
  record.time_sigma = fit.time_sigma;
  record.p_WB = fit.before.p_WB;
  record.q_WB = fit.before.q_WB;
  record.v = fit.before.v;
  record.w = fit.before.w;
  record.v_post = fit.v_post;
  record.w_post = fit.w_post;
  record.gravity = trial.gravity;
  record.covariance = fit.covariance;
  record.calibration_sensitivity = fit.calibration_sensitivity;
}

void SetVelocities(const SideStates& before, const SideStates& after, ImpactRecord* record) {
  record->v = before.v;
  record->w = before.w;
  record->v_post = after.v;
  record->w_post = after.w;
  ImpactCovariance covariance = ImpactCovariance::Zero();
  if (record->covariance) {
    covariance.topLeftCorner<kV, kV>() = record->covariance->topLeftCorner<kV, kV>();
  }
  covariance.block<6, 6>(kV, kV) = before.covariance;
  covariance.block<6, 6>(kVPost, kVPost) = after.covariance;
  record->covariance = covariance;
  if (record->calibration_sensitivity.size() > 0) {
    record->calibration_sensitivity.bottomRows<kImpactDimension - kV>().setZero();
  }
}

}  // namespace

std::string ReplaceStates(std::span<const TrackedFrame> frames, const MarkerLayout& layout,
                          const StereoViews& views, const Eigen::Matrix3d& inertia_B,
                          const TrialOptions& options, TrialImpact* impact) {
  ImpactRecord& record = impact->record;
  const double noise_scale = std::max(1.0, impact->fit.noise_scale);
  if (options.states == StateMethod::kRts) {
    RtsOptions rts = options.rts;
    rts.noise_scale = noise_scale;
    impact->rts =
        EstimateRtsStates(frames, impact->fit, layout, views, inertia_B, record.gravity, rts);
    if (!impact->rts->usable) return "states rts: " + impact->rts->reason;
    // Errors that frames share average out no better here than in the fit of the arcs.
    for (SideStates* side : {&impact->rts->before, &impact->rts->after})
      side->covariance *= impact->fit.correlation_inflation;
    SetVelocities(impact->rts->before, impact->rts->after, &record);
  } else if (options.states == StateMethod::kHoubolt) {
    HouboltOptions houbolt = options.houbolt;
    houbolt.noise_scale = noise_scale;
    impact->houbolt =
        EstimateHouboltStates(frames, impact->fit, layout, views, record.gravity, houbolt);
    if (!impact->houbolt->usable) return "states houbolt: " + impact->houbolt->reason;
    SetVelocities(impact->houbolt->before, impact->houbolt->after, &record);
  }
  return {};
}

std::vector<MarkerPoint> TriangulateMarkers(const TrackedTrial& tracked,
                                            const calibration::RigCalibration& calibration) {
  const StereoViews views = ViewsOf(calibration);
  std::vector<MarkerPoint> points;
  for (std::size_t k = 0; k < tracked.frames.size(); ++k) {
    const auto& observations = tracked.frames[k].observations;
    for (std::size_t i = 0; i + 1 < observations.size(); ++i) {
      // Observations are sorted by marker, left before right.
      const MarkerObservation &left = observations[i], &right = observations[i + 1];
      if (left.marker != right.marker || left.side != 0 || right.side != 1) continue;
      const auto point =
          Triangulate(views, {left.pixel, right.pixel}, {left.covariance, right.covariance});
      if (point) points.push_back({static_cast<int>(k), left.marker, *point});
    }
  }
  return points;
}

TrialResult ProcessTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                         const calibration::RigCalibration& calibration,
                         const TrialOptions& options) {
  TrialResult result;
  result.trial = trial.name;
  result.states = options.states;
  try {
    result.tracked = TrackMarkers(experiment, trial, calibration, options.tracking);
  } catch (const InputError& error) {
    result.status = TrialResult::Status::kBadInput;
    result.message = error.what();
    return result;
  } catch (const DataError& error) {
    result.message = error.what();
    return result;
  }

  const MarkerLayout layout = LayoutOf(experiment.body);
  const std::vector<TrackedFrame>& frames = result.tracked.frames;
  const StereoViews views = ViewsOf(calibration);
  result.warnings = MissingMarkerWarnings(experiment.body, layout, views, frames);
  result.marker_scale =
      MeasureMarkerScale(TriangulateMarkers(result.tracked, calibration), layout, calibration);
  if (const std::string warning = MarkerScaleWarning(result.marker_scale); !warning.empty()) {
    result.warnings.push_back(warning);
  }
  result.flights = FindFlightArcs(frames, trial.gravity, options.segmentation);
  std::string reason;
  const std::vector<ImpactGuess> guesses =
      FindImpacts(frames, result.flights, experiment.body.body.shape, trial.gravity,
                  options.segmentation, &reason);
  ArcFitOptions arc_options = options.arcs;
  if (!arc_options.exposure) arc_options.exposure = experiment.exposure;
  TrialOptions state_options = options;
  if (!state_options.houbolt.exposure) state_options.houbolt.exposure = experiment.exposure;
  for (const ImpactGuess& guess : guesses) {
    TrialImpact impact;
    impact.fit = FitImpactArcs(frames, guess, layout, experiment.body.body.inertia, trial.gravity,
                               calibration, arc_options);
    if (!impact.fit.usable) {
      reason = impact.fit.reason;
      result.warnings.push_back(reason);
      continue;
    }
    FillRecord(trial, &impact);
    if (const std::string failure = ReplaceStates(
            frames, layout, views, experiment.body.body.inertia, state_options, &impact);
        !failure.empty()) {
      reason = failure;
      result.warnings.push_back(reason);
      continue;
    }
    ImpactRecord& record = impact.record;
    if (!result.impacts.empty())
      record.trial = fmt::format("{}-{}", trial.name, result.impacts.size() + 1);
    impact.contact = ChooseContact(record, experiment.body.body, options.contact);
    record.r = impact.contact.candidates.front().r;
    if (impact.contact.ambiguous) {
      record.warnings.push_back(
          "two corners are almost equally low and the momentum balance does not tell which one "
          "touched; the lower one is taken");
    }
    // 16.3: chi-square with 3 degrees of freedom is beyond it once in a thousand times.
    if (impact.contact.candidates.front().momentum_chi2 > 16.3) {
      record.warnings.push_back(
          fmt::format("angular and linear momentum do not fit one contact point (chi-square {:.1f} "
                      "with 3 degrees of freedom): a second "
                      "contact, a wrong inertia or wrong marker positions",
                      impact.contact.candidates.front().momentum_chi2));
    }
    for (std::size_t arc = 0; arc < 2; ++arc) {
      const std::string warning =
          GravityWarning(impact.fit.arcs[arc], arc == 0 ? "before" : "after", trial.gravity);
      if (!warning.empty()) record.warnings.push_back(warning);
    }
    for (const std::string& warning : record.warnings) result.warnings.push_back(warning);
    result.impacts.push_back(std::move(impact));
  }
  if (result.impacts.empty()) {
    result.message = fmt::format("trial {}: {}", trial.name, reason);
    return result;
  }
  result.status = TrialResult::Status::kOk;
  result.message.clear();
  return result;
}

}  // namespace percuss::tracking
