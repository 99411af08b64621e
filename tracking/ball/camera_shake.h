// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <string>
#include <vector>

#include "base/value_with_sigma.h"

namespace percuss::tracking {

/// Of a camera that nobody knows [px]: phones and compact cameras without zoom lie within it.
ValueWithSigma UsualFocal(const cv::Size& size);

/// By how much a hand-held camera was turned in each frame, from a reference.
///
/// A hand turns a camera by far more than it moves it: a point at the ray p = ((u - cx) / f, (v -
/// cy) / f, 1) of the reference is at the ray p + w x p of the frame. With small angles all that
/// the focal length does is how a turn bends at the picture's edge.
struct CameraShake {
  bool shakes = false;                               ///< else all turns are zero: it stood still
  std::vector<Eigen::Vector3d> turns;                ///< w of each frame [rad]
  double focal = 1.0;                                ///< that was assumed [px]
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();  ///< of the picture [px]
  double rms_px = 0.0;                               ///< of the shifts of the middle of the picture
  double most_px = 0.0;                              ///< of these, from their mean
  std::vector<int> lost;  ///< frames in which too little is as it is in the reference
  double sigma_px = 0.0;  ///< of one such shift

  /// Where a pixel of the reference is in a frame, and the way back.
  Eigen::Vector2d InFrame(int frame, const Eigen::Vector2d& reference) const;
  Eigen::Vector2d InReference(int frame, const Eigen::Vector2d& pixel) const;
};

/// Finds the turns of a camera from what stands still in its pictures: Gauss-Newton on the grey
/// values where the reference has edges, with an offset and a gain of the light, robust against
/// what moves; where these tell it to no 0.1 px, as those of a plain ground may not, also where it
/// has faint spots. The reference is the picture in the middle, then the median of the aligned
/// ones. Each picture starts from the turn of its neighbour, or from the shift at which phase
/// correlation finds it most like the reference, whichever ends with less misfit. A picture is lost
/// where the median residual is above half of what the edges differ by and three times what is
/// usual in the clip, or less than 0.3 of them are in it.
/// @param small pictures, shrunk by `shrink`; @param size of the frames
CameraShake FindShake(const std::vector<cv::Mat>& small, int shrink, const cv::Size& size);

/// A picture of a frame as the reference would see it, and the part of a reference picture that a
/// patch of a frame shows.
/// @param scale pixels of a frame per pixel of the pictures
cv::Mat ToReference(const CameraShake& shake, int frame, const cv::Mat& picture, int scale);
cv::Mat ToFrame(const CameraShake& shake, int frame, const cv::Mat& reference,
                const cv::Rect& patch);

}  // namespace percuss::tracking
