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

struct Trial {
  enum class Kind {
    kDrop,   ///< flies, hits the surface, flies
    kSlide,  ///< lies on the surface, then slides down
  };
  std::string name;
  Kind kind = Kind::kDrop;
  std::filesystem::path left, right;  ///< videos, absolute or relative to the working directory;
                                      ///< no right one if planar
  /// Of left and right, in place of the videos: pixels that another program found, in the files
  /// that `left` and `right` name.
  std::array<std::optional<TrackSource>, 2> tracks;
  std::optional<TrialSurface> surface;
  std::optional<MotionSource> motion;                 ///< in place of the videos of two cameras
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< in W [m/s^2]
  /// What tells it from others, such as surface: steel; ends up as columns of the impacts.
  std::map<std::string, std::string> group;
  std::string entry = {};  ///< of the file, that states this trial: its text in canonical form

  /// Whether calibrated cameras filmed it, and the films are there.
  bool FromVideos() const { return !motion && !tracks[0]; }
};

}  // namespace percuss::capture
