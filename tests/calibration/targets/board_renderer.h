// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <opencv2/core/mat.hpp>

#include "calibration/rig/camera.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// What a rendered picture shows beside the board itself.
struct Scene {
  double blur_px = 0.6;       ///< standard deviation of the lens blur
  double noise_grey = 1.0;    ///< standard deviation of the noise of grey values
  double falloff = 0.0;       ///< relative change of the light per pixel, along x
  double ground = 0.2;        ///< reflectance around the board
  double margin = 1.0;        ///< of white around the print, in units of Board::square
  bool bright_discs = false;  ///< bright discs on a dark board
  int tag_turn = 0;           ///< quarters by which the tags of an AprilGrid are turned
  bool legacy = false;        ///< ChArUco as OpenCV printed it before 4.6
  std::uint32_t seed = 1;     ///< of the noise
};

/// Reflectance of a place in board axes [m], and what surrounds the board.
using Print = std::function<double(const Eigen::Vector2d& p_G)>;
Print PrintOf(const capture::Board& board, const Scene& scene);

/// The light of the print through the whole lens model, averaged over each pixel and blurred,
/// CV_32FC1.
cv::Mat RenderLight(const Camera& camera, const Pose& camera_from_board, const Print& print,
                    const Scene& scene);

/// A picture of it in 8 bit, sRGB or linear, with normal noise of this standard deviation in grey
/// values.
cv::Mat Photograph(const cv::Mat& light, double noise_grey, std::uint32_t seed,
                   capture::Tone::Kind tone = capture::Tone::Kind::kSrgb);

/// Both.
cv::Mat RenderPrint(const Camera& camera, const Pose& camera_from_board, const Print& print,
                    const Scene& scene = {});

/// The board in front of a camera, its printed side (z) towards it: turned in its plane, then
/// tilted about the camera's axes, its middle at `centre` [m].
Pose BoardInFront(const capture::Board& board, double turn, const Eigen::Vector3d& tilt,
                  const Eigen::Vector3d& centre);

}  // namespace percuss::calibration
