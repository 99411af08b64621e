// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <opencv2/core/mat.hpp>

#include "report/bounces/bounce_facts.h"

namespace percuss::report {

/// The whole clip in one picture: the outline of the ball in its frames, with a colour per flight
/// and faint where the frame was not used; the way of its centre; the surface; each contact with
/// its number and e; e of the clip in the corner that the ball comes to least. Outlines that would
/// hide each other are left out.
///
/// Small pictures are enlarged to 960 px on the long side, large ones reduced to 1920.
/// @param ground CV_8UC1 on the full scale: the still picture without the ball.
/// @return CV_8UC3, blue green red
/// @throws std::invalid_argument for another kind of picture, or an empty one.
cv::Mat DrawBouncePicture(const BounceFacts& facts, const cv::Mat& ground);

/// The same as a file. @param file ends in .jpg or .png.
/// @throws std::invalid_argument for another ending; InputError naming a file that cannot be
///   written.
void WriteBouncePicture(const BounceFacts& facts, const cv::Mat& ground,
                        const std::filesystem::path& file);

}  // namespace percuss::report
