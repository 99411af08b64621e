// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <vector>

namespace percuss::calibration {

/// A disc as it looks in the image: roughly an ellipse.
struct DiscPatch {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();   ///< [px]
  Eigen::Matrix2d moments = Eigen::Matrix2d::Zero();  ///< second central moments of its area [px^2]
};

struct MeasuredDisc {
  bool ok = false;
  Eigen::Vector2d centroid = Eigen::Vector2d::Zero();    ///< [px]
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of it, from image noise [px^2]
};

/// Centroids of discs of one reflectance on a ground of another one, under light whose strength
/// varies linearly around each disc:
///
///     light(x) = (ground + (disc - ground) s(x)) (1 + g . (x - c)),    c = sum s x / sum s,
///
/// with s the share of the disc in each pixel. Ground, disc and g are fitted to the pixels that lie
/// clear of the outline, outside and inside; pixels near another disc of the list are left out.
/// Without g, light that falls off by 1 % per pixel would move a centroid by 0.01 r^2/4 px.
/// No pixel is cut by a threshold inside the blurred outline.
///
/// The covariance is that of the whole chain from grey noise to c, with the noise of bright and
/// dark pixels taken from the misfit of the same pixels (the median over all discs).
/// @param light CV_32FC1, proportional to radiance, any scale.
std::vector<MeasuredDisc> MeasureDiscs(const cv::Mat& light, const std::vector<DiscPatch>& discs);

}  // namespace percuss::calibration
