// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core/mat.hpp>
#include <vector>

#include "synthesis/ball/ball_clip.h"
#include "tracking/ball/clip.h"

namespace percuss::testing {

/// A clip in memory.
struct MadeClip {
  std::vector<double> times;  ///< [s]
  std::vector<cv::Mat> pictures;

  /// It must live as long as these.
  tracking::ClipFrames Frames() const;
  /// Frames first to last, whose times begin anew, as an editor on a phone cuts a clip.
  MadeClip Cut(int first, int last) const;
};

/// A ball of 40 mm, some 21 px wide, before a camera of 640 x 360 at 60 frames/s: three flights of
/// 1.2 s.
synthesis::BallSpec SmallBall();

MadeClip Rendered(const synthesis::BallSpec& spec);

/// Two clips of one camera and one scenery in one, as long as the shorter: the light of both, but
/// where both differ from what stands still the second hides the first.
MadeClip Together(const MadeClip& one, const MadeClip& other);

/// What a camera sees that turns in each frame by so many pixels of its middle, to the right and
/// down; `large` is what one of a larger picture sees that stands still, of the same focal length.
MadeClip Turned(const MadeClip& large, double focal, const cv::Size& size,
                const std::function<Eigen::Vector2d(double time)>& shift);

}  // namespace percuss::testing
