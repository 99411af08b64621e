// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/nan.h"

namespace percuss::report {

/// Something that was looked at in a picture, and what became of it.
struct FrameSpot {
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  std::string marker{};  ///< whose image it is; empty: it was rejected
  std::string fault{};   ///< why, the same words for all such spots
  std::string reason{};  ///< why, with the numbers of this one
  bool common = false;   ///< of a kind that pictures are full of: drawn and counted, not listed
};

struct FrameView {
  std::optional<int> frame{};  ///< of its video; nothing where it has none of this time
  bool repeats = false;        ///< the picture before
  std::string
      picture{};  ///< what names of its pictures begin with, seen from the page; empty: none
  std::vector<FrameSpot> spots{};
};

struct FrameFacts {
  double time = kNaN;                ///< [s]
  std::array<FrameView, 2> views{};  ///< left, right
  double rms_px = kNaN;              ///< of the labelled spots about the body's pose
  std::string motion{};              ///< what the labels took it for
  bool in_flight = false;
};

/// What was found in each frame of a trial, and what was left out.
struct TrialFrames {
  struct Camera {
    std::string name{};
    int width = 0, height = 0;  ///< [px]
  };
  std::string trial{};
  std::string failure{};             ///< why it has no labels; empty if it has
  std::vector<std::string> notes{};  ///< what else is to be said of its videos
  std::size_t num_markers = 0;
  std::vector<Camera> cameras{};  ///< one or two
  std::vector<FrameFacts> frames{};
};

}  // namespace percuss::report
