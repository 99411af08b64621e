// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>
#include <vector>

#include "capture/experiment/motion_source.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// A row of a table of poses, in W.
struct PoseSample {
  int frame = 0;
  double time = 0.0;             ///< [s]
  std::optional<BodyPose> pose;  ///< none where a cell is empty
};

struct PoseTable {
  std::vector<PoseSample> samples;
  bool planar = false;  ///< orientation is an angle about y
};

/// Reads a table of poses as ReadMotionCapture says, and throws as it does.
PoseTable ReadPoseTable(const capture::MotionSource& source);

}  // namespace percuss::tracking
