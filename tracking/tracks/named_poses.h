// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "tracking/pose/tracked_frame.h"

namespace percuss::tracking {

struct NamedPoseOptions {
  /// A sighting this far from the body's pose is of something else [px], or this many of its own
  /// sigmas, whichever is more.
  double reject_px = 1.0;
  double reject_sigmas = 5.0;
};

/// Poses of a body whose sightings have names, each frame by itself. The pose starts from the three
/// markers (two in a plane) whose places in space agree best with all others, in the median, so
/// that names which were swapped or put on something else do no harm; then from the pose before.
/// Sightings that the pose contradicts lose their labels, and so do all of a frame without a pose.
/// @param frames with their observations, sorted by marker, left before right
void FindNamedPoses(const Views& views, const MarkerLayout& layout, const NamedPoseOptions& options,
                    std::vector<TrackedFrame>* frames);

}  // namespace percuss::tracking
