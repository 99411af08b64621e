// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/sensor.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

namespace percuss::synthesis {
namespace {

// SplitMix64 (G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014).
std::uint64_t Mix(std::uint64_t* state) {
  *state += 0x9E3779B97F4A7C15U;
  std::uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

constexpr int kNumDeviates = 1 << 16;

// The standard normal distribution as equally likely values: its quantiles, scaled to variance 1.
const std::vector<float>& NormalDeviates() {
  static const std::vector<float> table = [] {
    std::vector<double> half;
    double x = 0.0, squares = 0.0;
    for (int k = 0; k < kNumDeviates / 2; ++k) {
      const double upper = 0.5 - (k + 0.5) / kNumDeviates;  // probability above x
      for (int step = 0; step < 60; ++step) {
        // Newton on log Q: Q is all but exponential far out, so this converges from below.
        const double tail = 0.5 * std::erfc(x / std::numbers::sqrt2);
        const double density = std::exp(-0.5 * x * x) / std::sqrt(2.0 * std::numbers::pi);
        const double change = tail / density * std::log(tail / upper);
        x += change;
        if (std::abs(change) < 1e-12) break;
      }
      half.push_back(x);
      squares += x * x;
    }
    const double scale = std::sqrt(0.5 * kNumDeviates / squares);
    std::vector<float> all;
    for (const double value : half) {
      all.push_back(static_cast<float>(scale * value));
      all.push_back(static_cast<float>(-scale * value));
    }
    return all;
  }();
  return table;
}

// Grey value (0 to 255, not rounded) of light 0 to 1, by a table that is exact to 1e-3.
class ToneCurve {
 public:
  explicit ToneCurve(capture::Tone::Kind tone) : table_(kSize + 2) {
    for (int k = 0; k < kSize + 2; ++k) {
      const double light = static_cast<double>(k) / kSize;
      const double srgb =
          light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
      table_[k] = static_cast<float>(255.0 * (tone == capture::Tone::Kind::kSrgb ? srgb : light));
    }
  }
  float operator()(float light) const {
    if (!(light > 0.0F)) return 0.0F;
    if (light >= 1.0F) return 255.0F;
    const float place = light * kSize;
    const auto k = static_cast<std::size_t>(place);
    return table_[k] + (place - static_cast<float>(k)) * (table_[k + 1] - table_[k]);
  }

 private:
  static constexpr int kSize = 1 << 14;
  std::vector<float> table_;
};

// An even disc; pixels on its rim count by their covered part.
cv::Mat DiscKernel(double diameter) {
  const int half = static_cast<int>(std::ceil(0.5 * diameter));
  constexpr int kSamples = 16;
  cv::Mat kernel = cv::Mat::zeros(2 * half + 1, 2 * half + 1, CV_32FC1);
  for (int y = -half; y <= half; ++y) {
    for (int x = -half; x <= half; ++x) {
      int inside = 0;
      for (int i = 0; i < kSamples * kSamples; ++i) {
        const double dx = x + (i % kSamples + 0.5) / kSamples - 0.5;
        const double dy = y + (i / kSamples + 0.5) / kSamples - 0.5;
        if (4.0 * (dx * dx + dy * dy) <= diameter * diameter) ++inside;
      }
      kernel.at<float>(y + half, x + half) = static_cast<float>(inside);
    }
  }
  return kernel / cv::sum(kernel)[0];
}

int Reach(double blur_px, double defocus_px) {
  return static_cast<int>(std::ceil(5.0 * blur_px + 0.5 * defocus_px)) + 2;
}

cv::Rect Grown(const cv::Rect& rect, int margin, const cv::Size& size) {
  const cv::Rect grown(rect.x - margin, rect.y - margin, rect.width + 2 * margin,
                       rect.height + 2 * margin);
  return grown & cv::Rect({0, 0}, size);
}

// The least rectangle of whole pixels, fineness parts each way, that holds one of parts.
cv::Rect WholePixels(const cv::Rect& parts, int fineness) {
  const int x = parts.x / fineness * fineness, y = parts.y / fineness * fineness;
  const int right = (parts.br().x + fineness - 1) / fineness * fineness;
  const int below = (parts.br().y + fineness - 1) / fineness * fineness;
  return {x, y, right - x, below - y};
}

// @param scale of the stored values to those of 8 bits
template <typename Grey>
void Expose(const cv::Mat& light, const std::optional<NoiseSpec>& noise, const ToneCurve& grey_of,
            float scale, std::uint64_t seed, cv::Mat* grey) {
  const std::vector<float>& deviates = NormalDeviates();
  const auto photon = static_cast<float>(noise ? 1.0 / noise->full_well : 0.0);
  const auto read = static_cast<float>(
      noise ? noise->read * noise->read / (noise->full_well * noise->full_well) : 0.0);
  std::uint64_t bits = 0;
  for (int y = 0; y < light.rows; ++y) {
    const auto* from = light.ptr<float>(y);
    auto* to = grey->ptr<Grey>(y);
    for (int x = 0; x < light.cols; ++x) {
      float value = from[x];
      if (noise) {
        bits = x % 4 == 0 ? Mix(&seed) : bits >> 16;
        value += std::sqrt(photon * std::max(value, 0.0F) + read) * deviates[bits & 0xFFFFU];
      }
      to[x] = static_cast<Grey>(scale * grey_of(value) + 0.5F);
    }
  }
}

}  // namespace

cv::Mat Blurred(const cv::Mat& light, double blur_px, double defocus_px) {
  cv::Mat result = light.clone();
  if (blur_px > 0.0) {
    const int side = 2 * static_cast<int>(std::ceil(5.0 * blur_px)) + 1;
    cv::GaussianBlur(result, result, {side, side}, blur_px, blur_px, cv::BORDER_REPLICATE);
  }
  if (defocus_px > 0.0) {
    cv::filter2D(result, result, CV_32F, DiscKernel(defocus_px), {-1, -1}, 0.0,
                 cv::BORDER_REPLICATE);
  }
  return result;
}

int Fineness(double blur_px) {
  // With a blur of 1.2 parts or more, edges keep their places to 0.0035 px. Beyond 4 parts, memory
  // grows for blurs that hardly differ from none.
  constexpr double kBlurInParts = 1.2;
  if (!(blur_px > 0.0)) return 1;
  return static_cast<int>(std::clamp(std::ceil(kBlurInParts / blur_px), 2.0, 4.0));
}

cv::Mat Pixels(const cv::Mat& parts, int fineness) {
  if (fineness == 1) return parts;
  cv::Mat pixels;
  cv::resize(parts, pixels, {parts.cols / fineness, parts.rows / fineness}, 0.0, 0.0,
             cv::INTER_AREA);
  return pixels;
}

cv::Mat Composed(const Layer& layer, const cv::Mat& sharp, const cv::Mat& picture, int fineness,
                 double blur_px, double defocus_px) {
  cv::Mat result = picture.clone();
  if (layer.area.empty()) return result;
  const int reach = fineness * Reach(blur_px, defocus_px);
  const cv::Rect changed = WholePixels(Grown(layer.area, reach, sharp.size()), fineness);
  const cv::Rect needed = Grown(changed, reach, sharp.size());
  cv::Mat part = sharp(needed).clone();
  cv::Mat place = part(layer.area - needed.tl());
  cv::Mat composed = layer.light + layer.uncovered.mul(place);
  composed.copyTo(place);
  // A copy, since filters look beyond the borders of a part of an image.
  const cv::Mat blurred = Blurred(part, fineness * blur_px, fineness * defocus_px);
  const cv::Rect pixels(changed.x / fineness, changed.y / fineness, changed.width / fineness,
                        changed.height / fineness);
  Pixels(blurred(changed - needed.tl()), fineness).copyTo(result(pixels));
  return result;
}

cv::Mat Photograph(const cv::Mat& light, const std::optional<NoiseSpec>& noise,
                   capture::Tone::Kind tone, std::uint64_t seed, int bits) {
  cv::Mat grey(light.size(), bits > 8 ? CV_16UC1 : CV_8UC1);
  if (bits > 8) {
    Expose<std::uint16_t>(light, noise, ToneCurve(tone),
                          static_cast<float>((1 << bits) - 1) / 255.0F, seed, &grey);
  } else {
    Expose<unsigned char>(light, noise, ToneCurve(tone), 1.0F, seed, &grey);
  }
  return grey;
}

std::uint64_t PictureSeed(std::uint32_t seed, std::uint64_t group, std::uint64_t camera,
                          std::uint64_t picture) {
  std::uint64_t state = seed;
  for (const std::uint64_t part : {group, camera, picture}) state = Mix(&state) ^ part;
  return Mix(&state);
}

}  // namespace percuss::synthesis
