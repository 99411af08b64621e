// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "synthesis/scene/motion.h"
#include "synthesis/scene/renderer.h"

namespace percuss::synthesis {

/// One camera's video of a trial: frame k is exposed around start_time + k / frame_rate.
struct Clip {
  double start_time = 0.0;  ///< [s]
  int num_frames = 0;
};

/// Of each camera all frames, from its start, that end before the second contact.
std::vector<Clip> ClipsOf(const SceneSpec& spec, const TrialSpec& trial, const Motion& motion);

/// Share of the exposure around `time` that the flash lights.
double FlashShare(const SceneSpec& spec, double time);

/// truth.json with the keys of data/bar-drop (docs/synthesize.md): everything but the trials.
nlohmann::ordered_json ExperimentTruth(const SceneSpec& spec, const std::vector<BoardPose>& boards,
                                       const std::vector<std::string>& board_images);

/// One entry of its `trials`.
nlohmann::ordered_json TrialTruth(const SceneSpec& spec, const TrialSpec& trial,
                                  const Motion& motion);

}  // namespace percuss::synthesis
