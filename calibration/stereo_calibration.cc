// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/stereo_calibration.h"

namespace percuss::calibration {

StereoCalibration Perturbed(const StereoCalibration& calibration, const CalibrationVector& delta) {
  StereoCalibration result = calibration;
  for (int k = 0; k < kNumIntrinsics; ++k) {
    const auto place = static_cast<std::size_t>(k);
    result.left.intrinsics[place] += delta[k];
    result.right.intrinsics[place] += delta[kNumIntrinsics + k];
  }
  const auto move = [&](Pose& pose, int first) {
    pose.R = RotationFromVector(delta.segment<3>(first)) * pose.R;
    pose.t += delta.segment<3>(first + 3);
  };
  move(result.right_from_left, 2 * kNumIntrinsics);
  move(result.world_from_left, 2 * kNumIntrinsics + 6);
  return result;
}

}  // namespace percuss::calibration
