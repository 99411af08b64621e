// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "calibration/board_video/corner_instants.h"

namespace percuss::calibration {

/// The board as rays (x, y) = (X/Z, Y/Z) of one camera, frame by frame.
struct RayTrack {
  std::vector<TimedPoints> frames;
  double focal_px = 0.0;  ///< pixels per unit of a ray
  double max_gap = 0.0;   ///< between two frames that a place may be interpolated from [s]
};

/// How the times of two videos belong together: `right time` shows what `left time` shows.
struct VideoPairing {
  bool found = false;
  std::string reason;
  double offset = 0.0;        ///< [s] right times are left times minus this at `middle`
  double offset_sigma = 0.0;  ///< [s]
  double rate = 0.0;          ///< by how much more than the right clock the left one runs
  double middle = 0.0;        ///< left time of the middle of what both saw [s]
  double misfit_px = 0.0;     ///< root mean square distance of points from epipolar lines
  int num_pairs = 0;

  double RightTime(double left_time) const {
    return left_time - offset - rate * (left_time - middle);
  }
};

/// Finds the offset of two videos of one moving board from its motion, without any knowledge of
/// how the cameras stand to each other.
///
/// Two rays x, x' of one point fulfil x'^T E x = 0 with one matrix E for all points of all pairs of
/// frames (H. Longuet-Higgins, 1981), if and only if the frames are of the same instants. For each
/// offset E is estimated linearly (R. Hartley, In defense of the eight-point algorithm, 1997) and
/// judged by the distances of the points from their epipolar lines (Sampson's), over the same
/// distances where the same frames are paired in another order: a board at rest fits at any offset,
/// and no better than in any order. The best offset is refined to parts of a frame, with the rate
/// of the clocks where it shows.
/// @returns found = false with the reason where no offset stands out.
VideoPairing PairVideos(const RayTrack& left, const RayTrack& right);

}  // namespace percuss::calibration
