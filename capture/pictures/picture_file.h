// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "capture/pictures/grey_levels.h"

// Files of high-speed and scientific cameras, which hold their pictures one after the other.
namespace percuss::capture {

/// What such a file says of its pictures.
struct Recording {
  cv::Size size;
  int num_frames = 0;
  GreyLevels levels{};
  std::optional<double> frame_rate{};  ///< [Hz]; none: the file does not say
  std::vector<double> times{};  ///< [s] of each frame from the first, as the camera stamped it;
                                ///< empty: it did not, and the rate counts
  std::optional<double> exposure{};  ///< [s]
};

/// Pictures of one size that can be read in any order.
class PictureFile {
 public:
  virtual ~PictureFile() = default;
  const Recording& About() const { return about_; }
  /// CV_8UC1 or CV_16UC1, the caller's own.
  /// @throws InputError naming file and frame, where it cannot be read.
  virtual cv::Mat Read(int frame) = 0;

 protected:
  Recording about_;
};

}  // namespace percuss::capture
