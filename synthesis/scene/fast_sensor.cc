// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/fast_sensor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>

namespace percuss::synthesis {
namespace {

constexpr int kLightSteps = 1 << 15;
constexpr std::size_t kDeviateCount = std::size_t{1} << 19;
constexpr std::size_t kLongestRow = 1 << 14;

// SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014).
std::uint64_t NextBits(std::uint64_t* state) {
  *state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

// Deviates of variance 1/2 (Box and Muller), those of the first row once more at the end.
const std::vector<float>& HalfDeviates() {
  static const std::vector<float> table = [] {
    std::vector<float> values;
    values.reserve(kDeviateCount + kLongestRow);
    std::uint64_t state = 20;
    while (values.size() < kDeviateCount) {
      const double u = (static_cast<double>(NextBits(&state) >> 11) + 0.5) * 0x1.0p-53;
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(NextBits(&state) >> 11) * 0x1.0p-53;
      const double size = std::sqrt(-std::log(u));
      values.push_back(static_cast<float>(size * std::cos(angle)));
      values.push_back(static_cast<float>(size * std::sin(angle)));
    }
    for (std::size_t k = 0; k < kLongestRow; ++k) values.push_back(values[k]);
    return values;
  }();
  return table;
}

}  // namespace

FastSensor::FastSensor(const std::optional<NoiseSpec>& noise, capture::Tone::Kind tone)
    : noise_(noise) {
  grey_of_.reserve(kLightSteps + 1);
  for (int k = 0; k <= kLightSteps; ++k) {
    const double light = static_cast<double>(k) / kLightSteps;
    const double srgb =
        light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
    const double value = tone == capture::Tone::Kind::kSrgb ? srgb : light;
    grey_of_.push_back(static_cast<unsigned char>(255.0 * value + 0.5));
  }
}

cv::Mat FastSensor::Sigma(const cv::Mat& light) const {
  if (!noise_) return {};
  cv::Mat sigma = cv::max(light, 0.0) / noise_->full_well;
  sigma += std::pow(noise_->read / noise_->full_well, 2);
  cv::sqrt(sigma, sigma);
  return sigma;
}

void FastSensor::Expose(const cv::Mat& light, const cv::Mat& sigma, std::uint64_t seed,
                        cv::Mat* grey) const {
  const std::vector<float>& deviates = HalfDeviates();
  constexpr auto kScale = static_cast<float>(kLightSteps);
  std::vector<int> steps(static_cast<std::size_t>(light.cols));
  for (int y = 0; y < light.rows; ++y) {
    const auto* from = light.ptr<float>(y);
    int* const step = steps.data();
    if (noise_) {
      const std::uint64_t bits = NextBits(&seed);
      const float* a = &deviates[bits % kDeviateCount];
      const float* b = &deviates[(bits >> 32) % kDeviateCount];
      const auto* width = sigma.ptr<float>(y);
      for (int x = 0; x < light.cols; ++x) {
        const float value = kScale * (from[x] + width[x] * (a[x] + b[x])) + 0.5F;
        step[x] = static_cast<int>(std::min(std::max(value, 0.0F), kScale));
      }
    } else {
      for (int x = 0; x < light.cols; ++x) {
        step[x] = static_cast<int>(std::min(std::max(kScale * from[x] + 0.5F, 0.0F), kScale));
      }
    }
    auto* to = grey->ptr<unsigned char>(y);
    for (int x = 0; x < light.cols; ++x) to[x] = grey_of_[static_cast<std::size_t>(step[x])];
  }
}

}  // namespace percuss::synthesis
