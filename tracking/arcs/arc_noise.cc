// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/arc_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace percuss::tracking {
namespace {

/// Median of a chi-square.
double MedianChiSquare(Eigen::Index degrees_of_freedom) {
  constexpr std::array<double, 7> kMedians = {0.0,     0.45494, 1.38629436, 2.36597,
                                              3.35669, 4.35146, 5.34812};
  return kMedians[degrees_of_freedom];
}

/// Residual pairs of one kind: their mean product over their mean square.
struct Correlation {
  double products = 0.0, squares = 0.0, numbers = 0.0;
  int pairs = 0;
  void Add(const SightingVector& a, const SightingVector& b) {
    products += a.dot(b);
    squares += 0.5 * (a.squaredNorm() + b.squaredNorm());
    numbers += static_cast<double>(a.size());
    ++pairs;
  }
  /// 0 where there are too few pairs to tell, or where chance explains it.
  double Value() const {
    if (pairs < 20 || squares == 0.0) return 0.0;
    const double value = products / squares;
    return std::abs(value) < 2.0 / std::sqrt(numbers) ? 0.0 : value;
  }
};

double InflationOverMarkers(std::span<const ArcResidual> residuals) {
  std::map<std::array<int, 3>, std::vector<const SightingVector*>>
      images;  // frame, arc, source -> residuals
  for (const ArcResidual& r : residuals) {
    if (r.weight >= 1.0) images[{r.frame, r.arc, r.source}].push_back(&r.value);
  }
  Correlation between_markers;
  double sightings = 0.0;
  for (const auto& [key, image] : images) {
    sightings += static_cast<double>(image.size());
    for (std::size_t a = 0; a < image.size(); ++a) {
      for (std::size_t b = a + 1; b < image.size(); ++b) between_markers.Add(*image[a], *image[b]);
    }
  }
  const double mean_number = sightings / std::max<double>(1.0, static_cast<double>(images.size()));
  return 1.0 + std::max(0.0, mean_number - 1.0) * std::max(0.0, between_markers.Value());
}

}  // namespace

double TypicalSquare(std::span<const ArcResidual> residuals) {
  std::vector<double> squares;
  for (const ArcResidual& r : residuals)
    squares.push_back(r.value.squaredNorm() / MedianChiSquare(r.value.size()));
  if (squares.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return *middle;
}

double SizeInSigmas(const ArcResidual& residual, double noise_scale) {
  // More degrees of freedom move the far tail of a chi-square about as far as its median.
  const double shift = MedianChiSquare(residual.value.size()) - MedianChiSquare(2);
  const double square = residual.value.squaredNorm() / (noise_scale * noise_scale);
  return std::sqrt(std::max(0.0, square - shift));
}

double NoiseScale(std::span<const ArcResidual> residuals, int num_unknowns) {
  double sum = 0.0, count = -num_unknowns;
  for (const ArcResidual& r : residuals) {
    sum += r.weight * r.weight * r.value.squaredNorm();
    if (r.weight > 0.0) count += static_cast<double>(r.value.size());
  }
  return std::sqrt(sum / std::max(count, 1.0));
}

double CorrelationInflation(std::span<const ArcResidual> residuals) {
  return InflationOverFrames(residuals) * InflationOverMarkers(residuals);
}

double InflationOverFrames(std::span<const ArcResidual> residuals) {
  constexpr int kMaxLag = 8;
  std::map<std::array<int, 3>, std::map<int, const SightingVector*>>
      series;  // arc, marker, source -> frame -> residual
  for (const ArcResidual& r : residuals) {
    if (r.weight >= 1.0) series[{r.arc, r.marker, r.source}][r.frame] = &r.value;
  }
  double inflation = 1.0;
  for (int lag = 1; lag <= kMaxLag; ++lag) {
    Correlation at_lag;
    for (const auto& [key, values] : series) {
      for (const auto& [frame, value] : values) {
        const auto later = values.find(frame + lag);
        if (later != values.end()) at_lag.Add(*value, *later->second);
      }
    }
    if (at_lag.Value() <= 0.0) break;
    inflation += 2.0 * at_lag.Value();
  }
  return inflation;
}

}  // namespace percuss::tracking
