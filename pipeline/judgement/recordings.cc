// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/judgement/recordings.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/error.h"

namespace percuss::pipeline {
namespace {

std::string KeyOf(const capture::Experiment& experiment, const std::filesystem::path& left,
                  const std::filesystem::path& right) {
  const capture::VideoClock& clock = experiment.clock;
  return fmt::format("{}\n{}\n{} {}", left.string(), right.string(), clock.frame_rate.value_or(0.0),
                     static_cast<int>(clock.time_base));
}

}  // namespace

Recordings::Found* Recordings::Find(const std::string& key, double diameter_px) {
  // A search for discs finds those of a quarter of the area up to five times it.
  constexpr double kAsGood = 1.5;
  const auto [begin, end] = found_.equal_range(key);
  for (auto found = begin; found != end; ++found) {
    if (std::abs(std::log(found->second.diameter_px / diameter_px)) < std::log(kAsGood))
      return &found->second;
  }
  return nullptr;
}

void Recordings::Insert(const capture::Experiment& experiment, const capture::Trial& trial,
                        const tracking::Views& views, tracking::TrialSpots spots) {
  const double diameter_px =
      tracking::ExpectedMarkerDiameter(views, experiment.body.marker_diameter);
  found_.emplace(KeyOf(experiment, trial.left, trial.right), Found{diameter_px, std::move(spots)});
}

const tracking::TrialSpots& Recordings::SpotsOf(const capture::Experiment& experiment,
                                                const capture::Trial& trial,
                                                const tracking::Views& views) {
  const double diameter_px =
      tracking::ExpectedMarkerDiameter(views, experiment.body.marker_diameter);
  const std::string key = KeyOf(experiment, trial.left, trial.right);
  if (const Found* found = Find(key, diameter_px)) return found->spots;
  if (const Found* swapped = Find(KeyOf(experiment, trial.right, trial.left), diameter_px)) {
    tracking::TrialSpots spots = swapped->spots;
    std::swap(spots.views[0], spots.views[1]);
    Insert(experiment, trial, views, std::move(spots));
  } else {
    tracking::TrackingOptions options;
    options.num_threads = num_threads_;
    options.detection.polarity = polarity_;
    Insert(experiment, trial, views, tracking::FindTrialSpots(experiment, trial, views, options));
  }
  return Find(key, diameter_px)->spots;
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
    if (result.message.empty())
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
