// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "calibration/bundle/bundle.h"

namespace percuss::calibration {

/// Standard deviation of one pixel coordinate in each image, robustly: the median of the point
/// distances over sqrt(2 ln 2), which is the sigma of two normal coordinates. NaN for images that
/// do not see the target.
struct ImageSpread {
  std::vector<std::vector<double>> sigma_px;  ///< [view][camera]
  double median_px = 0.0;                     ///< over all images

  double Widest(std::size_t view) const;  ///< over the cameras that see it
};
ImageSpread MeasureSpread(const Bundle& bundle);

/// The view whose points as a whole fit worst, if some image spreads six times wider than the
/// median one: a board that moved between the shots, pictures that belong to other views, a mirror.
/// Only the worst, since it also bends the others.
std::optional<std::size_t> OutlierView(const ImageSpread& spread);

/// Uses the points within five sigmas of their image's spread (none is taken to be better than the
/// median one; 4e-6 of good points lie beyond). True if this changed anything.
bool ReviseUsedPoints(const ImageSpread& spread, Bundle* bundle);

/// Number of views in which every image spreads by less than a bound.
int CountFitting(const Bundle& bundle, double worst_px);

/// Sum of squared distances of used points, of one image or of all.
struct SquaredDistances {
  double sum = 0.0;
  int count = 0;
  double Rms() const;
};
SquaredDistances UsedDistances(const Bundle& bundle, const TargetView& view, int camera);
SquaredDistances UsedDistances(const Bundle& bundle);

int CountUsed(const TargetImage& image);
int CountMeasured(const TargetImage& image);

}  // namespace percuss::calibration
