// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/inspection/trial_page.h"

#include "report/frames/frame_page.h"
#include "tracking/enhancement.h"
#include "tracking/inspection/trial_inspection.h"

namespace percuss::pipeline {
namespace {

std::string MotionOf(const tracking::InspectedFrame& frame) {
  std::string motion = frame.in_flight ? "flight" : "";
  const auto add = [&](bool holds, const char* words) {
    if (holds) motion += (motion.empty() ? "" : ", ") + std::string(words);
  };
  add(frame.changed, "the motion changes");
  add(frame.searched, "the layout was searched");
  return motion;
}

report::FrameView ViewOf(const tracking::InspectedView& seen, std::size_t view, bool pictured) {
  report::FrameView facts{.frame = seen.frame, .repeats = seen.repeats};
  if (pictured && seen.frame) facts.picture = tracking::PictureName(view, *seen.frame);
  for (const tracking::InspectedSpot& spot : seen.spots)
    facts.spots.push_back({spot.pixel, spot.marker, spot.fault, spot.reason, spot.common});
  return facts;
}

}  // namespace

std::filesystem::path WriteTrialPage(const capture::Experiment& experiment,
                                     const capture::Trial& trial,
                                     const calibration::RigCalibration& calibration,
                                     const tracking::TrialResult& result,
                                     const tracking::TrialSpots& spots, int every,
                                     const Provenance& provenance,
                                     const std::filesystem::path& folder) {
  const std::vector<tracking::InspectedFrame> frames =
      tracking::InspectTrial(experiment.body, spots, result.tracked, every);
  tracking::WriteEnhanced(
      trial, experiment.clock, frames,
      tracking::ExpectedMarkerDiameter(tracking::PairOf(tracking::ViewsOf(calibration)),
                                       experiment.body.marker_diameter),
      spots.polarity, folder);
  report::TrialFrames page{.trial = trial.name,
                           .failure = result.message,
                           .notes = result.warnings,
                           .num_markers = experiment.body.markers.size()};
  for (std::size_t c = 0; c < std::min<std::size_t>(2, calibration.cameras.size()); ++c) {
    const calibration::CalibratedCamera& camera = calibration.cameras[c];
    page.cameras.push_back({camera.name, camera.camera.width, camera.camera.height});
  }
  for (const tracking::InspectedFrame& frame : frames) {
    page.frames.push_back({.time = frame.time,
                           .views = {ViewOf(frame.views[0], 0, frame.pictured),
                                     ViewOf(frame.views[1], 1, frame.pictured)},
                           .rms_px = frame.rms_px,
                           .motion = MotionOf(frame),
                           .in_flight = frame.in_flight});
  }
  return report::WriteFramesPage(folder, page, provenance);
}

}  // namespace percuss::pipeline
