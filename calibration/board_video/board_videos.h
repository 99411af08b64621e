// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "calibration/targets/board_images.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// Adds what videos of an experiment's board show to its pictures: views from the videos in which
/// it is waved, before the surface view, and the surface view where that is a video.
///
/// The two videos are paired by the board's motion (PairVideos). Of the frames of the first camera
/// those are taken that are sharp, at rest and different (ChooseViews); the other camera's corners
/// are interpolated to their instants (PointsAt). A stated line_time is accounted for: each corner
/// counts at the time of its row.
/// @param progress Called with the share done, from one thread at a time; may be empty.
/// @throws InputError as VideoReader, or for a video of another size than the pictures of its
/// camera. @throws DataError where the board is found in too few frames, the videos cannot be
/// paired, or the board on the surface moves.
void AddBoardVideos(const capture::Experiment& experiment, int num_threads,
                    const std::function<void(double)>& progress, BoardImages* images);

}  // namespace percuss::calibration
