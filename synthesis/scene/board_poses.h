// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/scene/renderer.h"
#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

/// Poses of the board for the calibration pairs: spread over the left picture, a fifth to two
/// fifths of its width in size, turned and tilted at random, whole in all pictures. The same seed
/// gives the same poses.
/// @throws std::invalid_argument if the cameras have too little view in common.
std::vector<BoardPose> PlaceBoards(const std::vector<Camera>& cameras, const capture::Board& board,
                                   int count, std::uint32_t seed);

}  // namespace percuss::synthesis
