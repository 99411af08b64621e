// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "impacts/impact_record.h"
#include "tracking/arcs/impact_arcs.h"
#include "tracking/baselines/houbolt_states.h"
#include "tracking/baselines/rts_states.h"
#include "tracking/baselines/state_method.h"
#include "tracking/bench/bench.h"
#include "tracking/contact_point.h"
#include "tracking/flights/flight_segmentation.h"
#include "tracking/flights/motion_capture.h"
#include "tracking/flights/torque_free.h"
#include "tracking/labels/marker_scale.h"
#include "tracking/labels/marker_tracking.h"
#include "tracking/slides/slide.h"

namespace percuss::tracking {

struct TrialOptions {
  TrackingOptions tracking;
  SegmentationOptions segmentation;
  TorqueFreeOptions torque_free;
  ArcFitOptions arcs;
  ContactOptions contact;
  StateMethod states = StateMethod::kArcs;
  RtsOptions rts;          ///< noise_scale is set from the fit of the arcs
  HouboltOptions houbolt;  ///< likewise, and exposure from the experiment
};

/// One impact with all that led to it.
struct TrialImpact {
  impacts::ImpactRecord record;
  ImpactFit fit;
  ContactChoice contact;
  std::optional<RtsStates> rts;          ///< where options.states asks for it
  std::optional<HouboltStates> houbolt;  ///< likewise
};

/// What became of one trial.
struct TrialResult {
  enum class Status { kOk, kBadInput, kNoAnswer };
  std::string trial;
  capture::Trial::Kind kind = capture::Trial::Kind::kDrop;
  Status status = Status::kNoAnswer;
  std::string message = "not processed";  ///< one line when status is not kOk
  StateMethod states = StateMethod::kArcs;
  TrackedTrial tracked;
  /// Where the trial has no videos; its frames are in `tracked`.
  std::optional<MotionCapture> motion;
  std::vector<FlightArc> flights;
  std::vector<TrialImpact> impacts;
  std::optional<SlideEstimate> slide;  ///< of a trial of that kind, which has no flights
  MarkerScale marker_scale;
  std::vector<std::string> warnings;
};

/// All markers that both views see in the same frame; of a planar layout those that the one view
/// sees, in their planes.
std::vector<MarkerPoint> TriangulateMarkers(const TrackedTrial& tracked, const MarkerLayout& layout,
                                            const calibration::RigCalibration& calibration);

/// Puts the velocities that `options.states` finds into the record of an impact that has those of
/// the arcs, whose time and pose it keeps. Of the covariance, the blocks of (v, w) and (v_post,
/// w_post) are replaced, and all that ties them to each other and to the pose becomes zero; so do
/// their rows of the calibration sensitivity: the baselines state the noise of the pixels alone,
/// with the sigmas that the fit of the arcs found (noise_scale, and for rts correlation_inflation).
/// @return why the method has no answer, and the record is as it was; empty otherwise
std::string ReplaceStates(std::span<const TrackedFrame> frames, const MarkerLayout& layout,
                          const Views& views, const Eigen::Matrix3d& inertia_B,
                          const TrialOptions& options, TrialImpact* impact);

/// What was seen in a trial: TrackMarkers of its videos, TrackFromTracks, or ReadMotionCapture.
/// Never throws for a bad trial: the message says so, and other trials can go on.
/// @param calibration without cameras where the trial has no videos.
/// @param spots if given, takes what was found in the videos, also where the labels fail
TrialResult RecordTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                        const calibration::RigCalibration& calibration,
                        const TrialOptions& options = {}, TrialSpots* spots = nullptr);

/// Where line times are not stated: the labels again with those that the flights of this trial show
/// (FitLineTimes), where they move spots by what labels care for; under a shutter that is taken for
/// another, fast frames have no pose. Part of RecordTrial.
/// @param result labelled from these spots
void LabelWithLineTimes(const capture::Experiment& experiment, const capture::Trial& trial,
                        const calibration::RigCalibration& calibration, const TrialOptions& options,
                        const TrialSpots& spots, TrialResult* result);

/// From what was seen to the states just before and just after each impact: FindFlightArcs,
/// AddClearFlights (videos), KeepTorqueFree, FindImpacts, FitArcsAndClock, ReplaceStates,
/// ChooseContact. Of a slide EstimateSlide in place of all that. A recording that failed stays as
/// it is.
/// @param bench what the states are computed with; what is not known of it is part of their
///   covariance where two cameras saw the trial.
TrialResult EstimateTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                          const Bench& bench, TrialResult recorded,
                          const TrialOptions& options = {});

/// RecordTrial and EstimateTrial with the stated bench.
TrialResult ProcessTrial(const capture::Experiment& experiment, const capture::Trial& trial,
                         const calibration::RigCalibration& calibration,
                         const TrialOptions& options = {});

}  // namespace percuss::tracking
