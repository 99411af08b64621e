// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace percuss::capture {

/// The sound of a video, all channels together.
struct SoundTrack {
  std::string reason = {};  ///< why there is none; empty where there is
  double rate = 0.0;        ///< samples per second
  double start = 0.0;       ///< of the first sample, from the first picture of the file on [s]
  std::vector<float> samples =
      {};  ///< mean of the channels, -1 to 1; 0 where the file leaves a gap
};

}  // namespace percuss::capture
