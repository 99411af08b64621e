// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/camera/coarse_rays.h"

#include <fmt/format.h>

#include <stdexcept>

namespace percuss::synthesis {

CoarseRays::CoarseRays(const Camera& camera, int margin)
    : first_(-0.5 - margin),
      columns_((camera.width + 2 * margin + kStep - 1) / kStep + 1),
      rows_((camera.height + 2 * margin + kStep - 1) / kStep + 1) {
  rays_.reserve(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
  for (int j = 0; j < rows_; ++j) {
    for (int i = 0; i < columns_; ++i) {
      const Eigen::Vector2d pixel(first_ + kStep * i, first_ + kStep * j);
      const auto ray = RayOf(camera, pixel);
      if (!ray) {
        throw std::invalid_argument(
            fmt::format("CoarseRays: found no ray for the pixel ({:g}, {:g}), allowed a lens whose "
                        "image fills the sensor",
                        pixel.x(), pixel.y()));
      }
      rays_.push_back(*ray);
    }
  }
}

}  // namespace percuss::synthesis
