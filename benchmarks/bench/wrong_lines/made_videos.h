// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>

#include "calibration/rig/camera.h"

namespace percuss::benchmarks {

/// The lens of a camera of a data set: `side` is "left" or "right".
calibration::Camera CameraOf(const std::filesystem::path& data, const std::string& side);

/// A picture as the camera would have taken it, had it been turned by a rotation vector in its axes
/// [rad]: exact, as nothing shifts before the lens. Where it saw nothing, the edge goes on.
void TurnPicture(const std::filesystem::path& from, const calibration::Camera& camera,
                 const Eigen::Vector3d& turn, const std::filesystem::path& to);
/// The same for all frames of a video.
void TurnVideo(const std::filesystem::path& from, const calibration::Camera& camera,
               const Eigen::Vector3d& turn, const std::filesystem::path& to);

/// A video of a trial of a data set in which a marker came off before the frame `first`: a disc of
/// twice its diameter as dark as the body around it.
void TakeMarkerOff(const std::filesystem::path& data, const std::string& trial,
                   const std::string& side, const std::string& marker, int first,
                   const std::filesystem::path& to);

}  // namespace percuss::benchmarks
