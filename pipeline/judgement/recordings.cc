// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace percuss::pipeline {
namespace {

std::string ClockOf(const capture::Experiment& experiment) {
  const capture::VideoClock& clock = experiment.clock;
  return fmt::format("{} {} {}", clock.frame_rate.value_or(0.0), static_cast<int>(clock.time_base),
                     clock.bit_depth.value_or(0));
}

/// A search for discs finds those of a quarter of the area up to five times it.
bool IsAsGood(double diameter_px, double other_px) {
  constexpr double kAsGood = 1.5;
  return std::abs(std::log(diameter_px / other_px)) < std::log(kAsGood);
}

/// As tracking::FindTrialSpots puts them together.
tracking::TrialSpots Together(const std::array<const tracking::VideoSpots*, 2>& views,
                              const std::array<std::filesystem::path, 2>& videos,
                              tracking::Polarity polarity) {
  tracking::TrialSpots spots{.views = {*views[0], *views[1]}, .polarity = polarity};
  for (std::size_t side = 0; side < 2 && spots.reason.empty(); ++side) {
    std::ranges::move(tracking::VideoWarnings(spots.views[side], videos[side]),
                      std::back_inserter(spots.warnings));
    if (!tracking::HasSpots(spots.views[side])) spots.reason = spots.warnings.back();
  }
  return spots;
}

}  // namespace

const Recordings::Found* Recordings::Find(const std::string& clock,
                                          const std::filesystem::path& left,
                                          const std::filesystem::path& right,
                                          double diameter_px) const {
  for (const Found& found : found_) {
    if (found.clock == clock && found.videos[0] == left && found.videos[1] == right &&
        IsAsGood(found.diameter_px, diameter_px))
      return &found;
  }
  return nullptr;
}

const tracking::VideoSpots* Recordings::FindView(const std::string& clock,
                                                 const std::filesystem::path& video,
                                                 double diameter_px) const {
  for (const Found& found : found_) {
    if (found.clock != clock || !IsAsGood(found.diameter_px, diameter_px)) continue;
    for (std::size_t side = 0; side < 2; ++side) {
      if (found.videos[side] == video) return &found.spots.views[side];
    }
  }
  return nullptr;
}

void Recordings::Insert(const capture::Experiment& experiment, const capture::Trial& trial,
                        const tracking::Views& views, tracking::TrialSpots spots) {
  const double diameter_px =
      tracking::ExpectedMarkerDiameter(views, experiment.body.marker_diameter);
  found_.push_back({ClockOf(experiment), {trial.left, trial.right}, diameter_px, std::move(spots)});
}

const tracking::TrialSpots& Recordings::SpotsOf(const capture::Experiment& experiment,
                                                const capture::Trial& trial,
                                                const tracking::Views& views) {
  const double diameter_px =
      tracking::ExpectedMarkerDiameter(views, experiment.body.marker_diameter);
  const std::string clock = ClockOf(experiment);
  if (const Found* found = Find(clock, trial.left, trial.right, diameter_px)) return found->spots;
  const tracking::VideoSpots* left = FindView(clock, trial.left, diameter_px);
  const tracking::VideoSpots* right = FindView(clock, trial.right, diameter_px);
  if (left && right) {
    Insert(experiment, trial, views, Together({left, right}, {trial.left, trial.right}, polarity_));
  } else {
    tracking::TrackingOptions options;
    options.num_threads = num_threads_;
    options.detection.polarity = polarity_;
    Insert(experiment, trial, views, tracking::FindTrialSpots(experiment, trial, views, options));
  }
  return found_.back().spots;
}

tracking::TrialResult Recordings::Label(const capture::Experiment& experiment,
                                        const capture::Trial& trial,
                                        const calibration::RigCalibration& calibration) {
  tracking::TrialResult result;
  result.trial = trial.name;
  result.message.clear();
  try {
    const tracking::Views views = tracking::ViewsOf(calibration);
    tracking::TrialOptions options;
    options.tracking.num_threads = num_threads_;
    options.tracking.detection.polarity = polarity_;
    const tracking::TrialSpots& spots = SpotsOf(experiment, trial, views);
    result.tracked = tracking::LabelTrialSpots(experiment, trial, views, spots, options.tracking,
                                               &result.message);
    if (result.message.empty() && !experiment.OneCamera())
      tracking::LabelWithLineTimes(experiment, trial, calibration, options, spots, &result);
    result.warnings = result.tracked.warnings;
  } catch (const InputError& error) {
    result.status = tracking::TrialResult::Status::kBadInput;
    result.message = error.what();
  } catch (const DataError& error) {
    result.message = error.what();
  }
  return result;
}

}  // namespace percuss::pipeline
