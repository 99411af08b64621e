// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "capture/experiment/motion_source.h"
#include "capture/experiment/tracks/track_source.h"
#include "capture/experiment/trial_surface.h"

namespace percuss::capture {

/// Of one experiment, at most.
inline constexpr std::size_t kMostCameras = 8;
/// One value for each camera, in the order of the calibration; those beyond its cameras mean
/// nothing.
template <typename T>
using PerCamera = std::array<T, kMostCameras>;

struct Trial {
  enum class Kind {
    kDrop,   ///< flies, hits the surface, flies
    kSlide,  ///< lies on the surface, then slides down
  };
  std::string name;
  Kind kind = Kind::kDrop;
  std::filesystem::path left, right;  ///< videos, absolute or relative to the working directory;
                                      ///< no right one if planar
  /// Videos of the cameras after these two, in the order of the calibration; empty where a camera
  /// took none.
  std::vector<std::filesystem::path> others = {};
  /// Of each camera, in place of its video: pixels that another program found, in the files that
  /// `left`, `right` and `others` name; empty where there are videos.
  std::vector<std::optional<TrackSource>> tracks;
  std::optional<TrialSurface> surface;
  std::optional<MotionSource> motion;                 ///< in place of the videos of two cameras
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in W [m/s^2]
  /// What tells it from others, such as surface: steel; ends up as columns of the impacts.
  std::map<std::string, std::string> group;
  std::string entry = {};  ///< of the file, that states this trial: its text in canonical form

  const std::filesystem::path& Video(std::size_t camera) const {
    return camera == 0 ? left : camera == 1 ? right : others.at(camera - 2);
  }

  /// Whether calibrated cameras filmed it, and the films are there.
  bool FromVideos() const { return !motion && tracks.empty(); }
};

}  // namespace percuss::capture
