// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/camera_shake.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace percuss::synthesis {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kPhases = 1024;  // of the interpolation between two parts

// Weights of four neighbours, the second of which is `phase` before the place.
const std::vector<std::array<float, 4>>& CubicWeights() {
  static const std::vector<std::array<float, 4>> table = [] {
    std::vector<std::array<float, 4>> weights;
    for (int k = 0; k < kPhases; ++k) {
      const double x = (k + 0.5) / kPhases;
      weights.push_back({static_cast<float>(0.5 * x * (-1.0 + x * (2.0 - x))),
                         static_cast<float>(1.0 + 0.5 * x * x * (-5.0 + 3.0 * x)),
                         static_cast<float>(0.5 * x * (1.0 + x * (4.0 - 3.0 * x))),
                         static_cast<float>(0.5 * x * x * (x - 1.0))});
    }
    return weights;
  }();
  return table;
}

}  // namespace

CameraShake::CameraShake(const BallSpec& spec) {
  const Camera& camera = spec.camera;
  std::mt19937 random(spec.seed ^ 0x5EEDU);
  const auto share = [&] { return static_cast<double>(random()) / 4294967296.0; };
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < kSines; ++k) {
      rate_[axis][k] = 2.0 * std::numbers::pi * spec.shake.rate * (0.2 + 0.8 * share());
      phase_[axis][k] = 2.0 * std::numbers::pi * share();
    }
  }
  const double each = spec.shake.amplitude_px * std::sqrt(2.0 / kSines);
  size_ = {each / camera.fy, each / camera.fx,
           each / (0.5 * std::max(camera.width, camera.height))};
}

Vector3d CameraShake::TurnAt(double t) const {
  Vector3d turn = Vector3d::Zero();
  for (int axis = 0; axis < 3; ++axis) {
    for (int k = 0; k < kSines; ++k) turn[axis] += std::sin(rate_[axis][k] * t + phase_[axis][k]);
  }
  return turn.cwiseProduct(size_);
}

Vector2d PixelBeforeTurn(const Camera& camera, const Camera& turned, const Vector2d& pixel) {
  // The ray of a pixel is that of the lens, however the camera is turned.
  const Vector2d ray = RayOf(camera, pixel).value_or(Vector2d::Constant(NAN));
  const Vector3d along = camera.R_CW * turned.R_CW.transpose() * Vector3d(ray.x(), ray.y(), 1.0);
  return ProjectInCamera(camera, along).value_or(Vector2d::Constant(NAN));
}

cv::Mat TurnedPicture(const Camera& camera, const Camera& turned, const cv::Mat& seen, int fineness,
                      int margin) {
  constexpr int kStep = 16;
  const int columns = (camera.width + kStep - 1) / kStep + 1;
  const int rows = (camera.height + kStep - 1) / kStep + 1;
  // Places in `seen`: part i of the picture with its margin is at (i + 0.5) / fineness - 0.5 -
  // margin.
  std::vector<Vector2d> places;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      Vector2d pixel(std::min(kStep * i, camera.width - 1), std::min(kStep * j, camera.height - 1));
      Vector2d place = PixelBeforeTurn(camera, turned, pixel);
      // Beyond the last pixel the shift of that one goes on.
      place += Vector2d(kStep * i, kStep * j) - pixel;
      places.push_back(fineness * (place.array() + 0.5 + margin) - 0.5 - 0.5 * (fineness - 1));
    }
  }
  const std::vector<std::array<float, 4>>& weights = CubicWeights();
  cv::Mat picture(camera.height, camera.width, CV_32FC1);
  for (int y = 0; y < camera.height; ++y) {
    auto* to = picture.ptr<float>(y);
    const int j = y / kStep;
    const double v = static_cast<double>(y % kStep) / kStep;
    for (int i = 0; i * kStep < camera.width; ++i) {
      const Vector2d* const corner = &places[static_cast<std::size_t>(j * columns + i)];
      const Vector2d left = (1.0 - v) * corner[0] + v * corner[columns];
      const Vector2d right = (1.0 - v) * corner[1] + v * corner[columns + 1];
      const Vector2d step = (right - left) / kStep;
      Vector2d place = left;
      const int last = std::min((i + 1) * kStep, camera.width);
      for (int x = i * kStep; x < last; ++x, place += step) {
        const double a = std::clamp(place.x(), 1.0, seen.cols - 3.001);
        const double b = std::clamp(place.y(), 1.0, seen.rows - 3.001);
        const int column = static_cast<int>(a), row = static_cast<int>(b);
        const auto& across = weights[static_cast<std::size_t>((a - column) * kPhases)];
        const auto& down = weights[static_cast<std::size_t>((b - row) * kPhases)];
        float sum = 0.0F;
        for (int k = 0; k < 4; ++k) {
          const float* from = seen.ptr<float>(row - 1 + k) + column - 1;
          sum += down[k] * (across[0] * from[0] + across[1] * from[1] + across[2] * from[2] +
                            across[3] * from[3]);
        }
        to[x] = sum;
      }
    }
  }
  return picture;
}

}  // namespace percuss::synthesis
