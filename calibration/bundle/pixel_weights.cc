// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/pixel_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/bundle/outliers.h"

namespace percuss::calibration {

void WeighPixels(Bundle* bundle) {
  constexpr double kFinest = 1e-6;       // [px]; exact synthetic corners have no spread to measure
  constexpr double kLeastSpread = 1e-6;  // the same for all practical purposes
  const SquaredDistances all = UsedDistances(*bundle);
  const int parameters = NumFreeParameters(*bundle);
  const int freedom = 2 * all.count - parameters;
  if (freedom < 1) {
    throw DataError(
        fmt::format("calibration: {} corners for {} parameters leave nothing to judge them by; "
                    "needed are more views",
                    all.count, parameters));
  }
  bundle->pixel_sigma_px = std::max(std::sqrt(all.sum / freedom), kFinest);

  struct Picture {
    TargetImage* image;
    double variance, freedom;
  };
  std::vector<Picture> pictures;
  double sum_of_logs = 0.0, sum_of_chance = 0.0;
  for (TargetView& view : bundle->views) {
    for (std::size_t c = 0; c < view.images.size(); ++c) {
      const SquaredDistances own = UsedDistances(*bundle, view, static_cast<int>(c));
      if (own.count == 0) continue;
      const double own_freedom = static_cast<double>(own.count) * freedom / all.count;
      const double variance = std::max(own.sum / own_freedom, kFinest * kFinest);
      pictures.push_back({&view.images[c], variance, own_freedom});
      sum_of_logs += std::log(variance);
      sum_of_chance += 1.0 / own_freedom;
    }
  }
  const double count = static_cast<double>(pictures.size());
  const double chance = sum_of_chance / count, mean_log = sum_of_logs / count;
  double spread = 0.0;  // of the logarithms
  for (const Picture& picture : pictures) {
    spread += std::pow(std::log(picture.variance) - mean_log, 2) / std::max(count - 1.0, 1.0);
  }
  const double usual = std::exp(mean_log + chance);
  const double usual_freedom = 2.0 / std::max(spread - 2.0 * chance, kLeastSpread);
  for (const Picture& picture : pictures) {
    const double variance = (usual_freedom * usual + picture.freedom * picture.variance) /
                            (usual_freedom + picture.freedom);
    picture.image->relative_sigma = std::sqrt(variance) / bundle->pixel_sigma_px;
  }
}

}  // namespace percuss::calibration
