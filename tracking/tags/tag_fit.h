// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <opencv2/core/mat.hpp>
#include <string>

#include "tracking/spots/spot_fit.h"
#include "tracking/tags/blurred_tag.h"

namespace percuss::tracking {

struct TagFit {
  bool found = false;
  std::string reason;  ///< why not
  /// Of the black square at mid exposure [px]: clockwise from the top left one of the print.
  std::array<Eigen::Vector2d, 4> corners;
  /// Of each corner [px^2], so that corners taken as independent of each other say no more of the
  /// place, turn and affine shape of the tag than the picture does.
  std::array<Eigen::Matrix2d, 4> covariances;
  Eigen::Matrix2d blur = Eigen::Matrix2d::Zero();  ///< of its edges, with the pixel [px^2]
  double contrast = 0.0;                           ///< white less black, in light (0 to 1)
  double misfit = 0.0;  ///< mean squared residual over the noise variance, robust
};

/// Fits the whole print of a tag to the grey values of its picture and of half a cell around it:
/// light(x) = (white + (black - white) s(p(x))) (1 + slope . (x - middle)), with s the ink of a
/// BlurredTag and p the projective map that takes the four corners to those of the print; maximum
/// likelihood (Levenberg-Marquardt) for grey noise that acts after the tone curve, with pixels that
/// belong to something else (a finger, a highlight) weighed down by their residual.
///
/// Unknown are the corners, the blur, white, black and slope. A straight edge that moves during the
/// exposure has a profile that is even about its place at mid exposure, so that motion, which
/// widens `blur` along its way, leaves the corners there in first order. Where rows are exposed one
/// after the other, each corner is seen when its own row is.
///
/// @param luma CV_8UC1 @param grey_noise standard deviation
/// @param start corners to a pixel or two, in the order of the result
TagFit FitTag(const cv::Mat& luma, const ToneTables& tone, double grey_noise, const BlurredTag& tag,
              const std::array<Eigen::Vector2d, 4>& start);

}  // namespace percuss::tracking
