// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "tracking/labels/marker_tracking.h"

namespace percuss::pipeline {

/// Of the pictures of a trial that should show a marker well, those with a spot in its place,
/// whether or not that could be told from others and got its name. While the body rests, all
/// pictures are one.
struct MarkerPresence {
  std::array<int, 2> expected = {0, 0}, there = {0, 0};  ///< of each camera

  int NumExpected() const { return expected[0] + expected[1]; }
  int NumThere() const { return there[0] + there[1]; }
  /// In either camera less than a fifth, of which a spot of something else may be.
  bool IsSeldomThere() const;
};

/// Of each marker of the body. It should be seen where its face is turned to the camera by less
/// than 60 degrees, and is there if a spot is so near that the sigma of its place leaves it further
/// off once in a thousand times.
std::vector<MarkerPresence> MeasurePresence(const capture::MarkedBody& body,
                                            const tracking::Views& views,
                                            std::span<const tracking::TrackedFrame> frames,
                                            const tracking::TrialSpots& spots);

/// The first trial from which on a marker is missing: it is seldom there in any of them (what came
/// off does not come back), in neither camera, and among as many pictures of all markers in these
/// trials chance (Fisher's exact test) picks so few once in a thousand times, whichever trial is
/// the first.
/// @param trials presence of all markers in each, in their order; empty where nothing is known
std::optional<std::size_t> MissingFrom(std::span<const std::vector<MarkerPresence>> trials,
                                       std::size_t marker);

}  // namespace percuss::pipeline
