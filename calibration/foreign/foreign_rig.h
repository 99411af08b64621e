// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "calibration/rig/camera.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {

/// A camera as another program calibrated it.
struct ForeignCamera {
  std::string name;
  Camera camera;           ///< width and height are 0 where the file does not state them
  Pose camera_from_frame;  ///< p_camera = X * p_frame, of the frame that the file has; metres
};

/// The cameras of a file, or of several that belong together, of another program. The frame is
/// whatever that program took: the first camera, a board, the floor.
struct ForeignRig {
  std::string format;  ///< as people call it: "Kalibr"
  std::vector<ForeignCamera> cameras = {};
  double unit = 1.0;                    ///< metres of one unit of length of the file
  std::vector<std::string> notes = {};  ///< what could not be taken over exactly, one line each
  /// Of a file of ours: NumRigParameters squared, in the order of ParameterPlaces.
  Eigen::MatrixXd covariance = {};
};

/// What a reader needs to know beside the file.
struct ForeignOptions {
  /// Metres of one unit of length of the file; where it is not given, what the format says.
  std::optional<double> unit = {};
  /// Width and height of the pictures [px], for cameras whose file does not state them.
  std::optional<std::array<int, 2>> size = {};
};

/// The cameras alone, in the frame W of a calibration.
ForeignRig ForeignRigOf(const RigCalibration& calibration);

/// The cameras as a calibration whose W is the frame of the file. Nothing is known of its errors:
/// the covariance is 0 and the verdict "poor" says so.
RigCalibration CalibrationOf(const ForeignRig& rig);

}  // namespace percuss::calibration
