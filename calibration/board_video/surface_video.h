// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/board_video/board_track.h"

namespace percuss::calibration {

/// A board at rest in a video.
struct RestingBoard {
  BoardCorners corners;  ///< means over the frames used; not found: with the reason
  int width = 0, height = 0;
  int num_used = 0;  ///< frames
};

/// The board in some fifteen frames over the whole video, each point at its mean over the frames in
/// which the board stands as it does in most: a hand that starts the camera shakes it.
/// @throws InputError as VideoReader. @throws DataError where it is not at rest in most of them.
RestingBoard MeasureRestingBoard(const BoardVideo& video);

}  // namespace percuss::calibration
