// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/math/geometry.h"
#include "tracking/arcs/clock_fit.h"
#include "tracking/arcs/line_time_fit.h"
#include "tracking/labels/sighting_times.h"
#include "tracking/reference/reference_check.h"
#include "tracking/slides/slide_trial.h"
#include "tracking/tracks/track_trial.h"
#include "tracking/trial_checks.h"

namespace percuss::tracking {

using calibration::SurfacePlane;
using enum impacts::ImpactIndex;

namespace {

void FillRecord(const capture::Trial& trial, const Eigen::Vector3d& gravity,
                const calibration::SurfacePlane& surface, TrialImpact* impact) {
  impacts::ImpactRecord& record = impact->record;
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
  record.gravity = gravity;
  record.normal = surface.normal;
  record.covariance = fit.covariance;
  record.calibration_sensitivity = fit.calibration_sensitivity;
  record.pixel_noise_px = PixelNoise(fit);
}

void SetVelocities(const SideStates& before, const SideStates& after,
                   impacts::ImpactRecord* record) {
  record->v = before.v;
  record->w = before.w;
  record->v_post = after.v;
  record->w_post = after.w;
  impacts::ImpactCovariance covariance = impacts::ImpactCovariance::Zero();
  if (record->covariance) {
    covariance.topLeftCorner<kV, kV>() = record->covariance->topLeftCorner<kV, kV>();
  }
  covariance.block<6, 6>(kV, kV) = before.covariance;
  covariance.block<6, 6>(kVPost, kVPost) = after.covariance;
  record->covariance = covariance;
  if (record->calibration_sensitivity.size() > 0) {
    record->calibration_sensitivity.bottomRows<impacts::kImpactDimension - kV>().setZero();
  }
}

}  // namespace

std::string ReplaceStates(std::span<const TrackedFrame> frames, const MarkerLayout& layout,
                          const Views& views, const Eigen::Matrix3d& inertia_B,
                          const TrialOptions& options, TrialImpact* impact) {
  impacts::ImpactRecord& record = impact->record;
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

namespace {

/// What stands in the place of triangulation where there is one view.
std::vector<MarkerPoint> MarkersInPlane(const TrackedTrial& tracked, const MarkerLayout& layout,
                                        const View& view) {
  std::vector<MarkerPoint> points;
  for (std::size_t k = 0; k < tracked.frames.size(); ++k) {
    for (const MarkerObservation& seen : tracked.frames[k].observations) {
      MarkerObservation at_frame = seen;
      if (!TakeToFrameTime(tracked.frames, k, &at_frame)) continue;
      const double y = layout.p_BM[seen.marker].y();
      if (const auto point = PointInPlane(view, at_frame.pixel, seen.covariance, y))
        points.push_back({static_cast<int>(k), seen.marker, *point});
    }
  }
  return points;
}

}  // namespace

std::vector<MarkerPoint> TriangulateMarkers(const TrackedTrial& tracked, const MarkerLayout& layout,
                                            const calibration::RigCalibration& calibration) {
  const Views views = ViewsOf(calibration);
  if (layout.planar) return MarkersInPlane(tracked, layout, views[0]);
  std::vector<MarkerPoint> points;
  if (!calibration.Triangulates()) return points;
  for (std::size_t k = 0; k < tracked.frames.size(); ++k) {
    const auto& observations = tracked.frames[k].observations;
    for (std::size_t i = 0; i + 1 < observations.size(); ++i) {
      // Observations are sorted by marker, left before right.
      MarkerObservation left = observations[i], right = observations[i + 1];
      if (left.marker != right.marker || left.side != 0 || right.side != 1) continue;
      if (!TakeToFrameTime(tracked.frames, k, &left) || !TakeToFrameTime(tracked.frames, k, &right))
        continue;
      const auto point =
          Triangulate(views, {left.pixel, right.pixel}, {left.covariance, right.covariance});
      if (point) points.push_back({static_cast<int>(k), left.marker, *point});
    }
  }
  return points;
}

namespace {

/// What all steps of one trial share.
struct Setting {
  const capture::Experiment& experiment;
  const capture::Trial& trial;
  const Bench& bench;
  Eigen::Vector3d gravity;
  SurfacePlane surface;
  TrialOptions options;
  MarkerLayout layout;
  Views views;  ///< none where the trial has no videos
};

/// With what the experiment says.
TrialOptions CompletedOptions(TrialOptions options, const capture::Experiment& experiment) {
  for (std::optional<double>* own : {&options.arcs.exposure, &options.houbolt.exposure}) {
    if (!*own) *own = experiment.exposure;
  }
  options.arcs.planar = options.contact.planar = experiment.planar;
  return options;
}

/// The options of the fit as the trial's kind of data asks for them.
TrialOptions OptionsFor(const TrialOptions& given, const capture::Experiment& experiment,
                        const capture::Trial& trial, const Bench& bench,
                        const TrialResult& result) {
  if (!trial.motion) {
    TrialOptions options = CompletedOptions(given, experiment);
    // What was typed of the markers' places is for the bench to mend.
    options.arcs.max_rms_px =
        std::hypot(options.arcs.max_rms_px,
                   3.0 * TypedPlaceSigma(ViewsOf(bench.calibration), experiment.body));
    options.arcs.min_frames =
        std::min(options.arcs.min_frames, options.segmentation.min_clear_frames);
    if (!trial.tracks.empty()) {
      options.arcs.max_rms_px =
          std::hypot(options.arcs.max_rms_px, 3.0 * TypicalSigma(result.tracked.frames));
      // Who named a point says that it is seen, be it a corner of the body.
      options.arcs.min_facing = -2.0;
    }
    return options;
  }
  TrialOptions options = given;
  options.arcs.planar = options.contact.planar = result.motion->planar;
  options.arcs.smeared = true;
  return options;
}

/// Of the bench as one trial sees it. A single view tells distance and lean by small differences of
/// the places of markers, so that errors of centroids which stay from frame to frame do not average
/// out: each marker lies kCentroidFloorPx elsewhere than it is. Two views have their parallax.
Eigen::MatrixXd CovarianceInTrial(const Setting& setting) {
  Eigen::MatrixXd covariance = setting.bench.covariance;
  if (setting.views.size() != 1) return covariance;
  const BenchParameters places = setting.bench.Parameters();
  const double sigma = kCentroidFloorPx / ExpectedMarkerDiameter(setting.views, 1.0);
  for (int k = 0; k < places.num_markers; ++k)
    covariance.diagonal().segment<3>(places.Marker(k)).array() += sigma * sigma;
  return covariance;
}

Eigen::Vector3d MeanPlace(const capture::MarkedBody& body) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const capture::Marker& marker : body.markers) sum += marker.p_BM;
  return sum / std::max<double>(1.0, static_cast<double>(body.markers.size()));
}

/// Times of sightings and poses of single frames as the bench has them, not as they were recorded:
/// the poses follow the mass centre, from which the markers lie elsewhere than was typed.
void FollowBench(const Setting& setting, TrackedTrial* tracked) {
  const Bench& bench = setting.bench;
  capture::PerCamera<double> further = bench.line_time;
  for (std::size_t c = 0; c < further.size(); ++c) further[c] -= tracked->line_time[c];
  ShiftRowTimes(further, setting.views, &tracked->frames);
  tracked->line_time = bench.line_time;
  const Eigen::Vector3d place = MeanPlace(bench.body);
  const Eigen::Vector3d shift =
      place - tracked->mean_marker.value_or(MeanPlace(setting.experiment.body));
  for (TrackedFrame& frame : tracked->frames) frame.pose.pose.p_WB -= frame.pose.pose.q_WB * shift;
  tracked->mean_marker = place;
}

void CheckMarkers(const Setting& setting, TrialResult* result) {
  for (std::string& warning : MissingMarkerWarnings(setting.bench.body, setting.layout,
                                                    setting.views, result->tracked.frames)) {
    result->warnings.push_back(std::move(warning));
  }
  result->marker_scale = MeasureMarkerScale(
      TriangulateMarkers(result->tracked, setting.layout, setting.bench.calibration),
      setting.layout, setting.bench.calibration);
  const std::string warning = MarkerScaleWarning(result->marker_scale);
  if (!warning.empty()) result->warnings.push_back(warning);
}

std::vector<ImpactGuess> FindFlightsAndImpacts(const Setting& setting, TrialResult* result,
                                               std::string* reason) {
  const std::vector<TrackedFrame>& frames = result->tracked.frames;
  const solver::Body& body = setting.bench.body.body;
  result->flights = FindFlightArcs(frames, setting.gravity, setting.options.segmentation);
  // Filtered trajectories have no clean frames so near an impact.
  if (!setting.trial.motion) {
    AddClearFlights(frames, body.shape, setting.gravity, setting.options.segmentation,
                    &result->flights);
  }
  // In a plane w is constant, which is how a body turns whose moments of inertia are equal.
  const Eigen::Matrix3d inertia_B =
      setting.options.arcs.planar ? Eigen::Matrix3d::Identity() : body.inertia;
  for (const std::string& note : KeepTorqueFree(frames, inertia_B, setting.gravity,
                                                setting.options.torque_free, &result->flights)) {
    result->warnings.push_back(note);
  }
  if (setting.trial.motion) {
    RaiseSigmasToFlights(*setting.trial.motion, result->flights, inertia_B, setting.gravity,
                         &*result->motion, &result->tracked.frames);
  }
  return FindImpacts(frames, result->flights, body.shape, setting.gravity,
                     setting.options.segmentation, reason);
}

/// What is estimated of a trial starts from this.
Setting MakeSetting(const capture::Experiment& experiment, const capture::Trial& trial,
                    const Bench& bench, const TrialOptions& options, const TrialResult& result) {
  const bool planar = trial.motion ? result.motion->planar : experiment.planar;
  Setting setting{experiment,
                  trial,
                  bench,
                  trial.gravity + bench.gravity_change,
                  bench.SurfaceOf(trial),
                  OptionsFor(options, experiment, trial, bench, result),
                  LayoutOf(bench.body, planar),
                  trial.motion ? Views{} : ViewsOf(bench.calibration)};
  setting.options.segmentation.surface = setting.surface;
  if (setting.layout.Banded() && !planar && !trial.motion) {
    const capture::MarkedBody& body = bench.body;
    setting.options.arcs.spin = UnseenSpin{.shape = body.body.shape,
                                           .mass = body.body.mass,
                                           .normal = setting.surface.normal,
                                           .before_sigma = body.sigma.spin};
  }
  return setting;
}

}  // namespace

void LabelWithLineTimes(const capture::Experiment& experiment, const capture::Trial& trial,
                        const calibration::RigCalibration& calibration, const TrialOptions& options,
                        const TrialSpots& spots, TrialResult* result) {
  const Bench bench = StatedBench(experiment, calibration);
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    TrackedTrial& tracked = result->tracked;
    TrialResult flights;
    flights.tracked = tracked;
    const Setting setting = MakeSetting(experiment, trial, bench, options, flights);
    std::string reason;
    const std::vector<ImpactGuess> guesses = FindFlightsAndImpacts(setting, &flights, &reason);
    const LineTimes further = FitLineTimes(
        tracked.frames, guesses, setting.layout, bench.body.body.inertia, setting.gravity,
        calibration, experiment.synchronisation, tracked.alignment, setting.options.arcs);
    if (!further.found) return;
    TrackingOptions with = options.tracking;
    with.line_time = tracked.line_time;
    bool matters = false;
    for (std::size_t side = 0; side < setting.views.size(); ++side) {
      (*with.line_time)[side] += further.value[side];
      // A fiftieth of a frame from the first row to the last, as for clocks.
      const double readout = further.value[side] * setting.views[side].camera.height;
      const capture::FrameTiming& timing =
          side < 2 ? tracked.timing[side] : tracked.further.at(side - 2).timing;
      matters = matters || std::abs(readout) > 0.02 * timing.interval;
    }
    tracked.line_time_sigma = further.sigma;
    if (!matters) return;
    TrackedTrial again = LabelTrialSpots(experiment, trial, setting.views, spots, with, &reason);
    if (!reason.empty()) return;
    again.line_time_sigma = further.sigma;
    tracked = std::move(again);
  }
}

namespace {

/// CheckReferencePoints against the cameras as calibrated, lengths in proportion to the squares of
/// the board in doubt: no flight has a say in it.
void AddReferenceCheck(const capture::Experiment& experiment,
                       const calibration::RigCalibration& calibration, const TrialSpots& spots,
                       TrackedTrial* tracked) {
  if (experiment.reference_points.empty()) return;
  const Bench bench = StatedBench(experiment, calibration);
  const int num_rig = bench.Parameters().NumRig();
  std::vector<std::vector<StillSpot>> still;
  for (std::size_t side = 0; side < calibration.cameras.size(); ++side)
    still.push_back(FindStillSpots(side < 2 ? spots.views[side] : spots.others.at(side - 2)));
  tracked->reference =
      CheckReferencePoints(experiment.reference_points, calibration,
                           bench.covariance.topLeftCorner(num_rig, num_rig), still);
  const std::vector<std::string>& warnings = tracked->reference->warnings;
  tracked->warnings.insert(tracked->warnings.end(), warnings.begin(), warnings.end());
}

/// Why a trial failed, and what its reference points say.
std::string WithFinding(const std::string& message, const TrackedTrial& tracked) {
  if (!tracked.reference || tracked.reference->finding.empty()) return message;
  return message + "; " + tracked.reference->finding;
}

/// The frames of a trial, from its videos or its trajectories.
void ReadFrames(const capture::Experiment& experiment, const capture::Trial& trial,
                const calibration::RigCalibration& calibration, const TrialOptions& options,
                TrialSpots* found, TrialResult* result) {
  if (experiment.body.HasBands() && options.states != StateMethod::kArcs) {
    throw InputError(fmt::format(
        "trial {}: states: found {}, allowed where markers are bands on the axis is arcs",
        trial.name, StateMethodName(options.states)));
  }
  if (options.states == StateMethod::kHoubolt && experiment.OneCamera() && !experiment.planar) {
    throw InputError(fmt::format(
        "trial {}: states: found houbolt, allowed with one camera are arcs and rts: nothing "
        "triangulates single markers",
        trial.name));
  }
  if (!trial.tracks.empty()) {
    TrialSpots own;
    TrialSpots& spots = found ? *found : own;
    TrialOptions with = options;
    result->tracked = TrackFromTracks(experiment, trial, calibration, &with.tracking, &spots);
    result->warnings = result->tracked.warnings;
    return;
  }
  if (!trial.motion) {
    TrialSpots own;
    TrialSpots& spots = found ? *found : own;
    try {
      result->tracked = TrackMarkers(experiment, trial, calibration, options.tracking, &spots);
    } catch (const DataError& error) {
      AddReferenceCheck(experiment, calibration, spots, &result->tracked);
      result->warnings = result->tracked.warnings;
      throw DataError(WithFinding(error.what(), result->tracked));
    }
    // A single view cannot tell its shutter from the motion.
    if (trial.kind == capture::Trial::Kind::kDrop && !experiment.OneCamera())
      LabelWithLineTimes(experiment, trial, calibration, options, spots, result);
    AddReferenceCheck(experiment, calibration, spots, &result->tracked);
    result->warnings = result->tracked.warnings;
    return;
  }
  if (options.states != StateMethod::kArcs) {
    throw InputError(fmt::format("trial {}: states: found {}, allowed without videos is arcs",
                                 trial.name, StateMethodName(options.states)));
  }
  result->motion = ReadMotionCapture(*trial.motion, experiment.body);
  result->tracked.frames = std::move(result->motion->frames);
  result->warnings = result->motion->warnings;
}

void ChooseAndCheckContact(const Setting& setting, TrialImpact* impact) {
  impacts::ImpactRecord& record = impact->record;
  impact->contact = ChooseContact(record, setting.bench.body.body, setting.options.contact);
  const ContactCandidate& chosen = impact->contact.candidates.front();
  record.r = chosen.r;
  if (setting.options.contact.bench_covariance.size() > 0) {
    record.body_sensitivity =
        BodySensitivity(record, setting.bench.body.body, record.r, setting.options.contact);
  }
  if (impact->contact.ambiguous) {
    record.warnings.push_back(
        "two corners are almost equally low and the momentum balance does not tell which one "
        "touched; the lower one is taken");
  }
  // Chi-square with 1 or 3 degrees of freedom is beyond it once in a thousand times.
  const bool planar = setting.options.contact.planar;
  if (chosen.momentum_chi2 > (planar ? 10.8 : 16.3)) {
    record.warnings.push_back(
        fmt::format("angular and linear momentum do not fit one contact point (chi-square {:.1f} "
                    "with {} of freedom): {}a second contact, a wrong inertia or wrong {}",
                    chosen.momentum_chi2, planar ? "1 degree" : "3 degrees",
                    impact->contact.candidates.size() > 1
                        ? "several corners that struck together, as the audit of the fit says, "
                        : "",
                    setting.trial.motion ? "shape" : "marker positions"));
  }
}

/// Room for what is not known of the surfaces of trials, and that of this one. A law sees the
/// states from the surface, so where that is turned by a small d, they are turned by -d.
void AddTilt(const Setting& setting, impacts::ImpactRecord* record) {
  const auto& surfaces = setting.bench.surfaces;
  if (surfaces.empty() || !record->covariance) return;
  const Eigen::MatrixXd shared = setting.bench.ImpactCovariance();
  Eigen::MatrixXd by_shared = Eigen::MatrixXd::Zero(impacts::kImpactDimension, shared.rows());
  by_shared.leftCols(record->calibration_sensitivity.cols()) = record->calibration_sensitivity;
  const auto own = std::ranges::find(surfaces, setting.surface.name, &SurfacePlane::name);
  if (own != surfaces.end()) {
    *record->covariance -= by_shared * shared * by_shared.transpose();
    Eigen::Matrix<double, impacts::kImpactDimension, 3> by_tilt;
    by_tilt << Eigen::Matrix3d::Zero(), -Eigen::Matrix3d::Identity(), Skew(record->v),
        Skew(record->w), Skew(record->v_post), Skew(record->w_post);
    const Eigen::Index from_end = 3 * (surfaces.end() - own);
    by_shared.middleCols<3>(shared.rows() - from_end) += by_tilt;
    if (own->tilt_by_rig.size() > 0)
      by_shared.leftCols(own->tilt_by_rig.cols()) += by_tilt * own->tilt_by_rig;
    *record->covariance += by_shared * shared * by_shared.transpose();
  }
  record->calibration_sensitivity = by_shared;
}

/// From a guess to a record with states, contact and warnings. Returns why not, or nothing.
std::string EstimateImpact(const Setting& setting, const TrackedTrial& tracked,
                           const ImpactGuess& guess, TrialImpact* impact) {
  std::vector<TrackedFrame> frames = tracked.frames;
  const Eigen::Matrix3d& inertia_B = setting.bench.body.body.inertia;
  const Eigen::Vector3d& gravity = setting.gravity;
  impact->fit =
      FitArcsAndClock(frames, guess, setting.layout, inertia_B, gravity, setting.bench.calibration,
                      setting.experiment.synchronisation, tracked.alignment, setting.options.arcs);
  if (!impact->fit.usable) return impact->fit.reason;
  const double frame_interval = (frames.back().time - frames.front().time) /
                                std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
  if (setting.trial.motion) {
    const std::string doubt = NoFlight(impact->fit, gravity);
    if (!doubt.empty()) return doubt;
  }
  if (IsSecondImpact(impact->fit, frame_interval)) {
    return fmt::format("between left frames {} and {} there is more than one impact: {}",
                       impact->fit.arcs[0].last_frame, impact->fit.arcs[1].first_frame,
                       PoseJumpText(impact->fit.pose_jump));
  }
  FillRecord(setting.trial, gravity, setting.surface, impact);
  ShiftClocks(impact->fit.clock_offset, &frames);
  const std::string failure =
      ReplaceStates(frames, setting.layout, setting.views, inertia_B, setting.options, impact);
  if (!failure.empty()) return failure;
  AddTilt(setting, &impact->record);
  ChooseAndCheckContact(setting, impact);
  if (!PoseContinues(impact->fit.pose_jump)) {
    impact->record.warnings.push_back(
        fmt::format("{}: marker positions or calibration", PoseJumpText(impact->fit.pose_jump)));
  }
  if (const std::string warning = PlaneWarning(impact->fit.out_of_plane); !warning.empty())
    impact->record.warnings.push_back(warning);
  for (std::size_t arc = 0; arc < 2; ++arc) {
    const std::string warning =
        GravityWarning(impact->fit.arcs[arc], arc == 0 ? "before" : "after", gravity);
    if (!warning.empty()) impact->record.warnings.push_back(warning);
  }
  return {};
}

void EstimateSlideOf(const Setting& setting, TrialResult* result) {
  result->slide = EstimateSlide(result->tracked.frames, setting.bench,
                                {.gravity = setting.gravity,
                                 .surface = setting.surface,
                                 .planar = setting.layout.planar,
                                 .has_pixels = !setting.trial.motion});
  const SlideEstimate& slide = *result->slide;
  result->warnings.insert(result->warnings.end(), slide.warnings.begin(), slide.warnings.end());
  if (slide.usable()) {
    result->status = TrialResult::Status::kOk;
  } else {
    result->message = fmt::format("trial {}: {}", setting.trial.name, slide.reason);
  }
}

}  // namespace

TrialResult RecordTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                        const calibration::RigCalibration& calibration, const TrialOptions& options,
                        TrialSpots* spots) {
  TrialResult result;
  result.trial = trial.name;
  result.kind = trial.kind;
  result.states = options.states;
  result.message.clear();
  try {
    ReadFrames(experiment, trial, calibration, options, spots, &result);
  } catch (const InputError& error) {
    result.status = TrialResult::Status::kBadInput;
    result.message = error.what();
  } catch (const DataError& error) {
    result.message = error.what();
  }
  return result;
}

TrialResult EstimateTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Bench& bench, TrialResult result, const TrialOptions& options) {
  result.kind = trial.kind;
  if (!result.message.empty()) return result;
  Setting setting = MakeSetting(experiment, trial, bench, options, result);
  if (!setting.surface.reason.empty()) {
    result.status = TrialResult::Status::kBadInput;
    result.message = fmt::format("trial {}: surface {}: {}", trial.name, setting.surface.name,
                                 setting.surface.reason);
    return result;
  }
  setting.options.contact.surface_shift = bench.body.surface_shift;
  if (!trial.motion && !setting.layout.planar) {
    setting.options.arcs.bench_covariance = CovarianceInTrial(setting);
    setting.options.contact.bench_covariance = bench.covariance;
    setting.options.contact.parameters = bench.Parameters();
  }
  if (!trial.motion) {
    FollowBench(setting, &result.tracked);
    CheckMarkers(setting, &result);
  }
  if (trial.kind == capture::Trial::Kind::kSlide) {
    EstimateSlideOf(setting, &result);
    return result;
  }
  std::string reason;
  for (const ImpactGuess& guess : FindFlightsAndImpacts(setting, &result, &reason)) {
    TrialImpact impact;
    if (const std::string failure = EstimateImpact(setting, result.tracked, guess, &impact);
        !failure.empty()) {
      // The first impact after the throw is what a trial is about.
      if (reason.empty()) reason = failure;
      result.warnings.push_back(failure);
      continue;
    }
    if (!result.impacts.empty()) {
      impact.record.trial = fmt::format("{}-{}", trial.name, result.impacts.size() + 1);
    }
    result.warnings.insert(result.warnings.end(), impact.record.warnings.begin(),
                           impact.record.warnings.end());
    result.impacts.push_back(std::move(impact));
  }
  if (result.impacts.empty()) {
    result.message = WithFinding(fmt::format("trial {}: {}", trial.name, reason), result.tracked);
    return result;
  }
  result.status = TrialResult::Status::kOk;
  result.message.clear();
  return result;
}

TrialResult ProcessTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                         const calibration::RigCalibration& calibration,
                         const TrialOptions& options) {
  return EstimateTrial(experiment, trial, StatedBench(experiment, calibration),
                       RecordTrial(experiment, trial, calibration, options), options);
}

}  // namespace percuss::tracking
