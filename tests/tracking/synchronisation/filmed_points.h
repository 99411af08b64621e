// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include "tests/tracking/arcs/synthetic_trial.h"

namespace percuss::tracking {

/// Points that move as a function of the time, and how they are filmed by the cameras of
/// MakeSyntheticTrial.
struct FilmedPoints {
  std::function<std::vector<Eigen::Vector3d>(double time)> points;
  double frame_rate = 120.0;
  double noise_px = 0.1;
  double hidden_fraction = 0.1;   ///< of points, at random in each picture
  int false_spots = 0;            ///< in each picture, at random
  std::array<double, 2> start{};  ///< time of the first frame of each video [s]
  std::array<int, 2> num_frames = {120, 120};
};

inline std::array<VideoSpots, 2> Film(const FilmedPoints& film, std::mt19937* random) {
  static const SyntheticTrial kCameras = MakeSyntheticTrial();
  std::normal_distribution<double> noise(0.0, film.noise_px);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::array<VideoSpots, 2> videos;
  for (std::size_t side = 0; side < 2; ++side) {
    for (int k = 0; k < film.num_frames[side]; ++k) {
      FrameBlobs frame;
      frame.time = k / film.frame_rate;
      const auto add = [&](const Eigen::Vector2d& pixel) {
        frame.blobs.emplace_back();
        frame.blobs.back().centre = pixel;
      };
      for (const Eigen::Vector3d& p_W : film.points(film.start[side] + frame.time)) {
        if (uniform(*random) < film.hidden_fraction) continue;
        add(OpenCvPixel(kCameras.calibration, static_cast<int>(side), p_W) +
            Eigen::Vector2d(noise(*random), noise(*random)));
      }
      for (int i = 0; i < film.false_spots; ++i)
        add({1280.0 * uniform(*random), 720.0 * uniform(*random)});
      videos[side].frames.push_back(frame);
      videos[side].mean_grey.push_back(60.0);
    }
  }
  return videos;
}

/// Both videos without their first frames, and their times from the new first one on.
inline std::array<VideoSpots, 2> WithoutFirstFrames(std::array<VideoSpots, 2> videos,
                                                    std::array<int, 2> first) {
  for (std::size_t side = 0; side < 2; ++side) {
    auto& [frames, mean_grey, timing, note, crowded, sound, rejected] = videos[side];
    frames.erase(frames.begin(), frames.begin() + first[side]);
    mean_grey.erase(mean_grey.begin(), mean_grey.begin() + first[side]);
    const double start = frames.front().time;
    for (FrameBlobs& frame : frames) frame.time -= start;
  }
  return videos;
}

}  // namespace percuss::tracking
