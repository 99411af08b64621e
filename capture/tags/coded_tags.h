// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

namespace percuss::capture {

/// A square tag with a code (ArUco, AprilTag) as it was read in a picture.
struct SeenTag {
  int id = 0;
  /// Of the black square [px], to about a pixel: clockwise from the top left one of the print.
  std::array<Eigen::Vector2d, 4> corners;

  Eigen::Vector2d Centre() const {
    return 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
  }
};

struct TagReading {
  std::vector<SeenTag> tags;
  int num_rejected = 0;  ///< quadrilaterals that are no tags of the dictionary
};

/// All tags of one of OpenCV's dictionaries in a picture, with as many bits corrected as the
/// dictionary can bear: a caller that knows more (where tags are printed, which ids there are)
/// finds out a wrong one. Black squares of a perimeter of 48 px and more are looked at.
/// @param grey CV_8UC1
/// @throws std::invalid_argument for an unknown dictionary.
TagReading ReadTags(const cv::Mat& grey, const std::string& dictionary);

/// What is printed of a tag, with its black border one cell wide: cells row by row from the top
/// left one, 1 white, 0 black.
/// @throws std::invalid_argument for an unknown dictionary or an id outside of it.
Eigen::MatrixXd TagCells(const std::string& dictionary, int id);

}  // namespace percuss::capture
