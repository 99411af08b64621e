// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ruler/periodic_places.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace percuss::tracking {
namespace {

using Eigen::Vector2d;

constexpr int kTile = 64;
constexpr double kLowest = 0.1, kHighest = 1.0 / 2.6;  // [1/px]

cv::Mat TileWindow() {
  cv::Mat window(kTile, kTile, CV_32FC1);
  const auto hann = [](int k) {
    return std::pow(std::sin(std::numbers::pi * (k + 0.5) / kTile), 2);
  };
  for (int y = 0; y < kTile; ++y) {
    for (int x = 0; x < kTile; ++x) window.at<float>(y, x) = static_cast<float>(hann(x) * hann(y));
  }
  return window;
}

/// Power of a tile over frequencies (x, y) in steps of 1/64 per pixel, both of either sign.
class TileSpectrum {
 public:
  TileSpectrum(const cv::Mat& tile, const cv::Mat& window) {
    cv::Mat light;
    tile.convertTo(light, CV_32FC1);
    light = (light - cv::mean(light)[0]).mul(window);
    cv::dft(light, spectrum_, cv::DFT_COMPLEX_OUTPUT);
  }
  double Power(int x, int y) const {
    const auto& value = spectrum_.at<cv::Vec2f>((y + kTile) % kTile, (x + kTile) % kTile);
    return value[0] * value[0] + value[1] * value[1];
  }

 private:
  cv::Mat spectrum_;
};

/// Where between bins a peak is, by a parabola through the logarithms.
double PeakOffset(double before, double at, double after) {
  const double a = std::log(before + 1e-9), b = std::log(at + 1e-9), c = std::log(after + 1e-9);
  const double bend = a - 2.0 * b + c;
  return bend < 0.0 ? std::clamp(0.5 * (a - c) / bend, -0.5, 0.5) : 0.0;
}

/// A frequency of a tile.
struct Bin {
  int x = 0, y = 0;
  double square = 0.0;  ///< [1/px^2]
};

/// Those that rulers may have.
std::vector<Bin> BinsOfMarks() {
  std::vector<Bin> bins;
  for (int y = -kTile / 2 + 1; y < kTile / 2; ++y) {
    for (int x = 0; x < kTile / 2; ++x) {
      const double square = static_cast<double>(x * x + y * y) / (kTile * kTile);
      if (square >= kLowest * kLowest && square <= kHighest * kHighest)
        bins.push_back({x, y, square});
    }
  }
  return bins;
}

/// The strongest line of a tile; contrast 0 where none stands out.
PeriodicPlace LineOf(const TileSpectrum& spectrum, const std::vector<Bin>& bins) {
  std::vector<double> powers;
  powers.reserve(bins.size());
  double most = 0.0;
  int at_x = 0, at_y = 0;
  for (const Bin& bin : bins) {
    const double power = spectrum.Power(bin.x, bin.y);
    powers.push_back(power);
    // By r^2: spectra of edges and textures fall with frequency.
    if (power * bin.square <= most) continue;
    most = power * bin.square;
    at_x = bin.x;
    at_y = bin.y;
  }
  std::ranges::nth_element(powers, powers.begin() + static_cast<std::ptrdiff_t>(powers.size() / 2));
  const double median = powers[powers.size() / 2], peak = spectrum.Power(at_x, at_y);
  const auto beside = [&](double factor) {
    return spectrum.Power(static_cast<int>(std::lround(factor * at_x)),
                          static_cast<int>(std::lround(factor * at_y)));
  };
  constexpr double kContrast = 30.0, kAlong = 6.0;
  PeriodicPlace line;
  if (peak < kContrast * median || peak < kAlong * beside(0.7) || peak < kAlong * beside(1.3))
    return line;
  line.contrast = peak / (median + 1e-9);
  line.frequency =
      Vector2d(
          at_x + PeakOffset(spectrum.Power(at_x - 1, at_y), peak, spectrum.Power(at_x + 1, at_y)),
          at_y + PeakOffset(spectrum.Power(at_x, at_y - 1), peak, spectrum.Power(at_x, at_y + 1))) /
      kTile;
  return line;
}

}  // namespace

std::vector<PeriodicPlace> FindPeriodicPlaces(const cv::Mat& grey) {
  const cv::Mat window = TileWindow();
  const std::vector<Bin> bins = BinsOfMarks();
  std::vector<PeriodicPlace> places;
  cv::Mat picture = grey;
  for (int shrink = 1; std::min(picture.cols, picture.rows) >= kTile; shrink *= 2) {
    for (int y = 0; y + kTile <= picture.rows; y += kTile / 2) {
      for (int x = 0; x + kTile <= picture.cols; x += kTile / 2) {
        const TileSpectrum spectrum(picture(cv::Rect(x, y, kTile, kTile)), window);
        PeriodicPlace line = LineOf(spectrum, bins);
        if (!(line.contrast > 0.0)) continue;
        const Vector2d middle = Vector2d(x, y).array() + 0.5 * (kTile - 1);
        line.place = shrink * (middle.array() + 0.5) - 0.5;
        line.frequency /= shrink;
        line.reach = 0.5 * kTile * shrink;
        places.push_back(line);
      }
    }
    cv::Mat half;
    cv::resize(picture, half, {picture.cols / 2, picture.rows / 2}, 0.0, 0.0, cv::INTER_AREA);
    picture = half;
  }
  std::ranges::sort(places, std::greater{}, &PeriodicPlace::contrast);
  return places;
}

}  // namespace percuss::tracking
