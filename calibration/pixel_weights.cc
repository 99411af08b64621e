// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/pixel_weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "calibration/bundle_adjustment.h"
#include "calibration/outliers.h"
#include "capture/error.h"

namespace percuss::calibration {

void WeighPixels(Bundle* bundle) {
  constexpr double kFinest = 1e-6;  // [px]; exact synthetic corners have no spread to measure
  constexpr double kCommonFreedom = 10.0;
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
  for (TargetView& view : bundle->views) {
    for (std::size_t c = 0; c < view.images.size(); ++c) {
      const SquaredDistances own = UsedDistances(*bundle, view, static_cast<int>(c));
      const double own_freedom = static_cast<double>(own.count) * freedom / all.count;
      const double squares = own.sum / std::pow(bundle->pixel_sigma_px, 2);
      view.images[c].relative_sigma =
          std::sqrt((kCommonFreedom + squares) / (kCommonFreedom + own_freedom));
    }
  }
}

}  // namespace percuss::calibration
