// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <vector>

namespace percuss::tracking {

/// A place where a picture repeats itself along one direction.
struct PeriodicPlace {
  Eigen::Vector2d place = Eigen::Vector2d::Zero();      ///< [px]
  Eigen::Vector2d frequency = Eigen::Vector2d::Zero();  ///< [1/px]; may be a harmonic
  double reach = 0.0;     ///< how far from the place what repeats may be [px]
  double contrast = 0.0;  ///< power of the line over the median of such frequencies
};

/// Spectra of tiles of 64 x 64 pixels, half a tile apart, of the picture and of it at a half, a
/// quarter, ... of its size: tiles with a line between 2.6 and 10 px of period that stands out of
/// what is around it along its direction, as no edge does. Best first.
/// @param grey CV_8UC1
std::vector<PeriodicPlace> FindPeriodicPlaces(const cv::Mat& grey);

}  // namespace percuss::tracking
