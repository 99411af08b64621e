// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/swept_disc.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace percuss::tracking {
namespace {

/// Distribution and density of a standard normal variable, right to 2e-7 (cubic interpolation).
class EdgeTable {
 public:
  static constexpr double kEnd = 5.0;

  EdgeTable() {
    for (int i = 0; i <= kSize; ++i) {
      const double z = static_cast<double>(i) / kPerUnit - kEnd;
      cdf_[i] = 0.5 * std::erfc(-z / std::numbers::sqrt2);
      pdf_[i] = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    }
  }
  /// @param z within kEnd of 0
  void Evaluate(double z, double* cdf, double* pdf) const {
    const double place = (z + kEnd) * kPerUnit;
    const auto i = std::min(static_cast<int>(place), kSize - 1);
    const double h = 1.0 / kPerUnit, t = (place - i) * h;
    // Taylor from the nearer node on: cdf' = pdf, pdf' = -z pdf.
    const double z0 = static_cast<double>(i) * h - kEnd;
    const double p = pdf_[i];
    *cdf = cdf_[i] + p * t * (1.0 - t * (z0 / 2.0 - t * (z0 * z0 - 1.0) / 6.0));
    *pdf = p * (1.0 - t * (z0 - t * (z0 * z0 - 1.0) / 2.0));
  }

 private:
  static constexpr int kPerUnit = 64;
  static constexpr int kSize = static_cast<int>(2.0 * kEnd) * kPerUnit;
  std::array<double, kSize + 1> cdf_{}, pdf_{};
};

/// g(z) and g'(z) of ShareAt, by quadrature of w = sqrt(z + u).
class RootTable {
 public:
  RootTable() {
    constexpr double kStep = 0.01;
    for (int i = 0; i <= kSize; ++i) {
      const double z = static_cast<double>(i) / kPerUnit - EdgeTable::kEnd;
      double sum = 0.0, slope = 0.0;
      for (int k = 0; k <= 400; ++k) {
        const double w = k * kStep, u = w * w - z;
        const double density = std::exp(-0.5 * u * u) / std::sqrt(2.0 * std::numbers::pi);
        const double weight = k == 0 ? 0.5 * kStep : kStep;
        sum += weight * 2.0 * w * w * density;
        slope += weight * density;
      }
      g_[i] = sum;
      slope_[i] = slope;
    }
  }
  void Evaluate(double z, double* g, double* slope) const {
    if (z >= EdgeTable::kEnd - 1.0) {
      *g = std::sqrt(z) * (1.0 - 0.125 / (z * z));
      *slope = (0.5 + 0.1875 / (z * z)) / std::sqrt(z);
      return;
    }
    const double place = (z + EdgeTable::kEnd) * kPerUnit;
    const auto i = std::min(static_cast<int>(place), kSize - 1);
    const double t = place - i, h = 1.0 / kPerUnit;
    *slope = (1.0 - t) * slope_[i] + t * slope_[i + 1];
    *g = g_[i] + h * t * (slope_[i] + 0.5 * t * (slope_[i + 1] - slope_[i]));
  }

 private:
  static constexpr int kPerUnit = 32;
  static constexpr int kSize = static_cast<int>(2.0 * EdgeTable::kEnd) * kPerUnit;
  std::array<double, kSize + 1> g_{}, slope_{};
};

/// What one instant of the exposure adds to a value that depends on the distance to the centre.
void AddInstant(double value, double by_depth, double by_radius, double by_blur,
                const Eigen::Vector2d& outwards, double distance, double t, DiscValue* sum) {
  sum->value += value;
  sum->by_centre += by_depth * outwards;
  sum->by_sweep += t * by_depth * outwards;
  sum->by_radius += by_depth + by_radius;
  sum->by_blur += by_blur;
  const double x = outwards.x(), y = outwards.y();
  sum->by_stretch += by_depth * distance * Eigen::Vector2d(x * x - y * y, 2.0 * x * y);
}

/// What the stretch makes of a vector: lengths in it are those of the round disc.
Eigen::Vector2d Rounded(const SweptDisc& disc, const Eigen::Vector2d& v) {
  const double a = disc.stretch.x(), b = disc.stretch.y();
  return {v.x() * (1.0 - a) - v.y() * b, v.y() * (1.0 + a) - v.x() * b};
}

}  // namespace

SweptShare ShareAt(const SweptDisc& disc, const Eigen::Vector2d& x, const Eigen::Vector3d* lamp) {
  static const EdgeTable edge;
  static const RootTable root;
  const double R = disc.radius, per_blur = 1.0 / disc.blur;
  const double lower = 0.5 * disc.blur / R;
  SweptShare sum;
  const Eigen::Vector2d depths = DepthsAt(disc, x) * per_blur;
  if (depths[0] - lower <= -EdgeTable::kEnd) return sum;
  int steps = std::max(1, static_cast<int>(std::ceil(disc.sweep.norm() * per_blur)));
  // Where the edge never comes, the light changes slowly: three points by Gauss are enough.
  static constexpr int kGauss = 3;
  static constexpr double kGaussPlaces[] = {-0.3872983346207417, 0.0, 0.3872983346207417};
  static constexpr double kGaussWeights[] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  const bool covered = steps > kGauss && depths[1] - lower >= EdgeTable::kEnd;
  if (covered) steps = kGauss;
  const Eigen::Vector2d offset = Rounded(disc, x - disc.centre), sweep = Rounded(disc, disc.sweep);
  for (int i = 0; i < steps; ++i) {
    const double t = covered ? kGaussPlaces[i] : (i + 0.5) / steps - 0.5;
    const double weight = covered ? kGaussWeights[i] : 1.0 / steps;
    const Eigen::Vector2d d = offset - t * sweep;
    const double distance = d.norm();
    const double depth = R - distance, z = depth * per_blur - lower;
    if (z <= -EdgeTable::kEnd) continue;
    const Eigen::Vector2d outwards = d / std::max(distance, 1e-9);
    double cdf = 1.0, pdf = 0.0;
    if (z < EdgeTable::kEnd) edge.Evaluate(z, &cdf, &pdf);
    cdf *= weight;
    const double density = weight * pdf * per_blur;
    AddInstant(cdf, density, density * lower * disc.blur / R, -density * (z + 2.0 * lower),
               outwards, distance, t, &sum.share);
    if (lamp == nullptr) continue;
    double g = 0.0, slope = 0.0;
    root.Evaluate(z, &g, &slope);
    g *= weight;
    slope *= weight;
    const double scale = std::sqrt(disc.blur / R), rest = std::sqrt(std::max(2.0 - depth / R, 0.1));
    const double facing = scale * g * rest;
    const Eigen::Vector3d normal(cdf * d.x() / R, cdf * d.y() / R, facing);
    sum.normal += normal;
    const double across = lamp->head<2>().dot(d) / R;
    if (!(across * cdf + lamp->z() * facing > 0.0)) continue;
    sum.lit_normal += normal;
    AddInstant(
        across * cdf + lamp->z() * facing,
        across * density + lamp->z() * scale * (slope * per_blur * rest - 0.5 * g / (R * rest)),
        across * (density * lower * disc.blur - cdf) / R +
            lamp->z() * scale * g * (0.5 * depth / (R * R * rest) - 0.5 * rest / R),
        -across * density * (z + 2.0 * lower) +
            lamp->z() * scale * rest * per_blur * (0.5 * g - slope * (z + 2.0 * lower)),
        outwards, distance, t, &sum.lit);
    // The normal at a point changes as the centre moves.
    const Eigen::Vector2d turn = cdf / R * lamp->head<2>();
    sum.lit.by_centre -= turn;
    sum.lit.by_sweep -= t * turn;
  }
  for (DiscValue* value : {&sum.share, &sum.lit}) {
    // `Rounded` is symmetric, so that its transpose is itself.
    value->by_centre = Rounded(disc, value->by_centre);
    value->by_sweep = Rounded(disc, value->by_sweep);
  }
  return sum;
}

Eigen::Vector2d DepthsAt(const SweptDisc& disc, const Eigen::Vector2d& x) {
  const Eigen::Vector2d offset = Rounded(disc, x - disc.centre), sweep = Rounded(disc, disc.sweep);
  const double square = sweep.squaredNorm();
  const double nearest = square > 0.0 ? std::clamp(offset.dot(sweep) / square, -0.5, 0.5) : 0.0;
  const double least = (offset - nearest * sweep).norm();
  const double most = std::max((offset - 0.5 * sweep).norm(), (offset + 0.5 * sweep).norm());
  return {disc.radius - least, disc.radius - most};
}

}  // namespace percuss::tracking
