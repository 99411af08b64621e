// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <filesystem>
#include <list>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "tracking/trial.h"

namespace percuss::pipeline {

/// The spots of the videos of an experiment. Finding them is what costs time, and most of what is
/// typed does not change them: they are found once for all hypotheses, whichever videos these pair.
class Recordings {
 public:
  Recordings(int num_threads, tracking::Polarity polarity)
      : num_threads_(num_threads), polarity_(polarity) {}

  /// @throws InputError for a bad video, or frame sizes that differ from the calibration.
  const tracking::TrialSpots& SpotsOf(const capture::Experiment& experiment,
                                      const capture::Trial& trial, const tracking::Views& views);

  /// For what has no videos, such as a trial that was made up.
  void Insert(const capture::Experiment& experiment, const capture::Trial& trial,
              const tracking::Views& views, tracking::TrialSpots spots);

  /// What tracking::RecordTrial would give with markers of this polarity. Never throws for a bad
  /// trial: the message says so.
  tracking::TrialResult Label(const capture::Experiment& experiment, const capture::Trial& trial,
                              const calibration::RigCalibration& calibration);

 private:
  struct Found {
    std::string clock;
    std::array<std::filesystem::path, 2> videos;
    double diameter_px = 0.0;  ///< of the markers that were looked for
    tracking::TrialSpots spots;
  };
  const Found* Find(const std::string& clock, const std::filesystem::path& left,
                    const std::filesystem::path& right, double diameter_px) const;
  /// Of one video, whichever camera it was taken for.
  const tracking::VideoSpots* FindView(const std::string& clock, const std::filesystem::path& video,
                                       double diameter_px) const;

  int num_threads_;
  tracking::Polarity polarity_;
  std::list<Found> found_;  // of which references are given away
};

}  // namespace percuss::pipeline
