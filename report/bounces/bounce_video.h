// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <opencv2/core/mat.hpp>

#include "report/bounces/bounce_facts.h"

namespace percuss::report {

/// Gets one frame of a clip: its index, its time [s] and its luma (CV_8UC1 on the full scale).
using FrameVisitor = std::function<void(int frame, double time, const cv::Mat& luma)>;

/// A video to look at what was found: frame by frame the outline of the ball (grey where the frame
/// was not used), its way so far with a colour per flight, the surface, and each bounce with number
/// and e once it has happened; time and numbers in a strip below.
///
/// Frames from 12 before the first in which the ball was used to 12 after the last; where none was,
/// all. 25 pictures a second, one per frame, so that a clip of a higher rate is slow motion. At
/// most 1280 px on each side, at least 640 on the long one; even numbers. The same input gives the
/// same bytes.
/// @param frames hands all frames in their order to the visitor, which reads the picture only
///   during the call. Nothing is written where there are none.
/// @param file appears when it is complete.
/// @throws std::invalid_argument for pictures of another kind or of different sizes; InputError as
///   VideoWriter; what `frames` throws.
void WriteBounceVideo(const BounceFacts& facts,
                      const std::function<void(const FrameVisitor&)>& frames,
                      const std::filesystem::path& file);

}  // namespace percuss::report
