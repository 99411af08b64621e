// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "calibration/rig/camera.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// How a board is held before the first camera: BoardInFront of these.
struct BoardHold {
  double turn = 0.0;                                 ///< [rad]
  Eigen::Vector3d tilt = Eigen::Vector3d::Zero();    ///< [rad]
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< [m]
};

/// A board that a hand carries from hold to hold, with a rest and a tremor at each.
struct Waving {
  std::vector<BoardHold> holds;
  double period = 0.9;     ///< from hold to hold [s]
  double rest = 0.35;      ///< of it at the hold [s]
  double tremor = 0.0004;  ///< amplitude [m]; in radians four times as much

  BoardHold At(double time) const;
  double Duration() const { return period * static_cast<double>(holds.size()); }
};

/// Holds at random over what both cameras see at about this distance [m].
std::vector<BoardHold> RandomHolds(int count, double distance, std::uint32_t seed);

/// Two cameras with lens distortion a hand's width or two apart that look at about 0.8 m.
struct WavedRig {
  capture::Board board = {.columns = 9, .rows = 6, .square = 0.025};
  std::array<Camera, 2> cameras;
  std::array<Pose, 2> camera_from_first;
};
WavedRig MakeWavedRig(int width, int height);

/// How a video is taken. Frame k of camera c is exposed about start[c] + k / rate[c].
struct Filming {
  std::array<double, 2> start = {0.0, 0.0};   ///< [s]
  std::array<double, 2> rate = {30.0, 30.0};  ///< [Hz]
  double exposure = 1.0 / 250.0;              ///< [s]
  double line_time = 0.0;                     ///< [s]
  double blur_px = 0.6;                       ///< of the lens
  double noise_grey = 1.0;
  std::optional<int> crf = 14;  ///< rate factor; none: lossless
};

/// The picture of the board by one camera, the middle of its exposure at `time`.
cv::Mat FilmFrame(const WavedRig& rig, std::size_t camera, const Waving& waving,
                  const Filming& filming, double time, std::uint32_t seed);

void FilmBoard(const WavedRig& rig, std::size_t camera, const Waving& waving,
               const Filming& filming, int num_frames, const std::filesystem::path& file);

}  // namespace percuss::calibration
