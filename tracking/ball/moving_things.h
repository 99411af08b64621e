// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <vector>

namespace percuss::tracking {

/// Something in a picture that is not the still ground; lengths in pixels of that picture.
struct MovingThing {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();
  double area = 0.0;
  double long_axis = 0.0, short_axis = 0.0;  ///< semi-axes of the ellipse of its second moments
  Eigen::Vector2d along = Eigen::Vector2d::UnitX();  ///< unit vector of the long one
  double fill = 0.0;  ///< its area over that of the ellipse: 1 of a disc and of a smeared one
  double step = 0.0;  ///< mean |difference to the ground|, grey values
  bool at_border = false;

  /// 1 of a disc, less of what is long or ragged.
  double Roundness() const { return fill * short_axis / long_axis; }
};

/// The median picture of some pictures of one size, CV_8UC1.
cv::Mat MedianPicture(const std::vector<cv::Mat>& pictures);

/// Standard deviation of what pictures differ from the ground where nothing moves: 1.4826 times the
/// median of the absolute differences, at least 0.5 grey values.
double GroundNoise(const std::vector<cv::Mat>& pictures, const cv::Mat& ground);

/// Connected regions whose grey values differ from the ground by more than `threshold`, holes
/// filled, of at least `least_area` pixels, the largest 20. Of a region whose strong part is
/// rounder, only that.
std::vector<MovingThing> FindMovingThings(const cv::Mat& picture, const cv::Mat& ground,
                                          double threshold, double least_area);

/// The same, with what is fainter beside it, by up to 0.6 of the threshold; two regions that make
/// up a rounder whole are one. A ball that is brighter than what is behind one half of it, and
/// darker than what is behind the other, is in parts otherwise. But where much else moves, as
/// before a camera in the hand, the ball is parted better from that by what is strong.
std::vector<MovingThing> FindWholeThings(const cv::Mat& picture, const cv::Mat& ground,
                                         double threshold, double least_area);

}  // namespace percuss::tracking
