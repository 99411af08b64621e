// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/suspects/moving_body.h"

#include <array>

#include "base/error.h"
#include "pipeline/judgement/changed_calibration.h"

namespace percuss::pipeline {
namespace {

constexpr std::size_t kEnough = 4;  // markers: fewer keep their distances by chance

tracking::MovingBody FindWith(const capture::Experiment& experiment, const capture::Trial& trial,
                              const calibration::RigCalibration& calibration,
                              Recordings* recordings) {
  try {
    const tracking::Views views = tracking::ViewsOf(calibration);
    return tracking::FindMovingBody(experiment, trial, views,
                                    recordings->SpotsOf(experiment, trial, views));
  } catch (const InputError&) {  // its video cannot be read, which its message says
  } catch (const DataError&) {   // its videos cannot be aligned, likewise
  }
  return {};
}

/// Spots that are so many times as wide, which are nearer or larger.
tracking::MovingBody FindSized(const capture::Experiment& typed, const capture::Trial& trial,
                               const calibration::RigCalibration& calibration, double factor,
                               Recordings* recordings) {
  // All is nearer: the distances of the cameras, and of all that they see, are smaller.
  tracking::MovingBody nearer =
      FindWith(typed, trial, Scaled(calibration, 1.0 / factor), recordings);
  nearer.group.distances *= factor;
  nearer.diameter_ratio *= factor;
  if (nearer.group.tracks.size() >= kEnough) return nearer;
  capture::Experiment larger = typed;
  larger.body.marker_diameter *= factor;
  tracking::MovingBody moving = FindWith(larger, trial, calibration, recordings);
  moving.diameter_ratio *= factor;
  return moving;
}

}  // namespace

std::vector<tracking::MovingBody> FindMovingBodies(const capture::Experiment& typed,
                                                   const calibration::RigCalibration& calibration,
                                                   const Judgement& judgement,
                                                   Recordings* recordings) {
  std::vector<tracking::MovingBody> bodies;
  // A search finds spots of a quarter to twice the diameter.
  constexpr std::array kFactors = {4.0, 0.25, 10.0, 0.1, 25.0, 0.04, 0.01};
  double known = 0.0;  // in one trial, the same in all
  bool searched = false;
  for (const tracking::TrialResult& result : judgement.trials) {
    tracking::MovingBody& moving = bodies.emplace_back();
    // Among many markers some fit a wrong layout by chance; then the body does not fly.
    if (result.status == tracking::TrialResult::Status::kOk) continue;
    const capture::Trial& trial =
        *std::ranges::find(typed.trials, result.trial, &capture::Trial::name);
    moving = FindWith(typed, trial, calibration, recordings);
    if (moving.group.tracks.size() >= kEnough) continue;
    if (known > 0.0) {
      moving = FindSized(typed, trial, calibration, known, recordings);
    } else if (!searched) {
      searched = true;
      for (const double factor : kFactors) {
        tracking::MovingBody other = FindSized(typed, trial, calibration, factor, recordings);
        if (other.group.tracks.size() < kEnough) continue;
        moving = std::move(other);
        known = factor;
        break;
      }
    }
  }
  return bodies;
}

}  // namespace percuss::pipeline
