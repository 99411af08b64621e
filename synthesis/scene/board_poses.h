// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "synthesis/scene/renderer.h"
#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

/// Poses of the board for the calibration pairs: spread over the left picture (of more than two
/// cameras over each in turn), a fifth to two fifths of its width in size, turned and tilted at
/// random, whole in all pictures and seen from its front. Where more than two cameras have too
/// little view in common, each board is placed for two that are neighbours in the list or its last
/// and first, by turns, and the others may see it or not. The same seed gives the same poses.
/// @throws std::invalid_argument if the cameras, two by two, have too little view in common.
std::vector<BoardPose> PlaceBoards(const std::vector<Camera>& cameras, const capture::Board& board,
                                   int count, std::uint32_t seed);

}  // namespace percuss::synthesis
