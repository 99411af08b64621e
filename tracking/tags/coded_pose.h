// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tracking/pose/body_pose.h"
#include "tracking/spots/spot_measurement.h"

namespace percuss::tracking {

/// Pose of a body from spots that know their markers (Blob::marker): one tag in one view is enough.
/// Of the poses that each tag of each view allows by itself (T. Collins, A. Bartoli, Infinitesimal
/// Plane-Based Pose Estimation, IJCV 109, 2014: two for four points of a plane), improved with all
/// such spots of both views, the one that most of them agree with, then the one with the smallest
/// residual.
/// @param near a pose that is preferred to others that explain the spots as well, or nullptr: one
///   small tag looks about the same from two sides
/// @return nothing where fewer than four such spots agree
std::optional<BodyPose> PoseFromCodes(const Views& views, const MarkerLayout& layout,
                                      const std::array<std::vector<Blob>, 2>& blobs,
                                      const BodyPose* near);

}  // namespace percuss::tracking
