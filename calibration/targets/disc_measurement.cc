// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/disc_measurement.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/math/statistics.h"

namespace percuss::calibration {
namespace {

enum Kind { kGround, kDisc, kMixed };

struct Pixel {
  Eigen::Vector2d away;  // from the centre
  double light = 0.0;
  Kind kind = kMixed;
  bool weighed = false;  // belongs to the centroid
};

// Standard deviation of the light of ground and disc.
using Noise = std::array<double, 2>;

// The light around a disc, as in the equation of MeasureDiscs.
struct Levels {
  bool ok = false;
  std::array<double, 2> level = {0.0, 0.0};  // of ground and disc
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  Eigen::Matrix4d covariance_scale = Eigen::Matrix4d::Zero();  // inverse normal matrix

  double Strength(const Eigen::Vector2d& away) const { return 1.0 + slope.dot(away); }
  double Residual(const Pixel& pixel) const {
    return pixel.light - level[pixel.kind] * Strength(pixel.away);
  }
  Eigen::RowVector4d Jacobian(const Pixel& pixel) const {
    Eigen::RowVector4d row = Eigen::RowVector4d::Zero();
    row[pixel.kind] = Strength(pixel.away);
    row.tail<2>() = level[pixel.kind] * pixel.away.transpose();
    return row;
  }
};

struct Work {
  DiscPatch patch;
  Levels levels;
  Noise noise{};  // of this disc
  MeasuredDisc result;
};

// Distance of a point from the outline of an ellipse [px], roughly; negative inside.
double Distance(const Eigen::Matrix2d& inverse_moments, const Eigen::Vector2d& away) {
  // A filled ellipse has the second moment (semi-axis / 2)^2.
  const double ratio = 0.5 * std::sqrt(away.dot(inverse_moments * away));
  if (ratio < 1e-9) return -2.0 / std::sqrt(inverse_moments.trace());
  return away.norm() * (1.0 - 1.0 / ratio);
}

// The pixels around a disc. `gap` [px] is what lies between it and the nearest other disc.
std::vector<Pixel> PixelsAround(const cv::Mat& light, const DiscPatch& patch,
                                const std::vector<DiscPatch>& neighbours, double gap) {
  constexpr double kRing = 3.0;  // [px]
  const double major = 2.0 * std::sqrt(patch.moments.trace());
  const double minor = 2.0 * std::sqrt(patch.moments.determinant() / patch.moments.trace());
  const double clear = std::clamp(0.4 * gap, 1.0, std::max(2.5, 0.2 * minor));
  const double reach = std::clamp(0.5 * gap, 1.0, std::max(3.5, 0.3 * minor));
  // A small disc has no place that is clear of its outline: its middle has to do.
  const double inside = -std::min(clear, 0.6 * minor);
  const double extent = major + std::max(reach, clear + kRing);
  const int x0 = std::max(0, static_cast<int>(std::floor(patch.centre.x() - extent)));
  const int y0 = std::max(0, static_cast<int>(std::floor(patch.centre.y() - extent)));
  const int x1 = std::min(light.cols - 1, static_cast<int>(std::ceil(patch.centre.x() + extent)));
  const int y1 = std::min(light.rows - 1, static_cast<int>(std::ceil(patch.centre.y() + extent)));
  const Eigen::Matrix2d inverse = patch.moments.inverse();
  std::vector<Eigen::Matrix2d> inverses;
  for (const DiscPatch& other : neighbours) inverses.push_back(other.moments.inverse());
  const auto near_other = [&](const Eigen::Vector2d& place) {
    for (std::size_t k = 0; k < neighbours.size(); ++k) {
      if (Distance(inverses[k], place - neighbours[k].centre) < clear) return true;
    }
    return false;
  };
  std::vector<Pixel> pixels;
  for (int y = y0; y <= y1; ++y) {
    const auto* row = light.ptr<float>(y);
    for (int x = x0; x <= x1; ++x) {
      Pixel pixel{.away = Eigen::Vector2d(x, y) - patch.centre,
                  .light = static_cast<double>(row[x])};
      const double distance = Distance(inverse, pixel.away);
      pixel.weighed = distance <= reach;
      if (distance <= inside) pixel.kind = kDisc;
      if (distance >= clear && distance <= clear + kRing && !near_other({x, y})) {
        pixel.kind = kGround;
      }
      if (pixel.weighed || pixel.kind != kMixed) pixels.push_back(pixel);
    }
  }
  return pixels;
}

// Weighted least squares by Gauss-Newton; the problem is bilinear and nearly linear.
Levels FitLevels(const std::vector<Pixel>& pixels, const Noise& noise) {
  Levels levels;
  std::array<int, 2> count = {0, 0};
  for (const Pixel& pixel : pixels) {
    if (pixel.kind == kMixed) continue;
    levels.level[pixel.kind] += pixel.light;
    ++count[pixel.kind];
  }
  if (count[kGround] < 8 || count[kDisc] < 1) return levels;
  for (const Kind kind : {kGround, kDisc}) levels.level[kind] /= count[kind];
  for (int iteration = 0; iteration < 3; ++iteration) {
    Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
    Eigen::Vector4d right = Eigen::Vector4d::Zero();
    for (const Pixel& pixel : pixels) {
      if (pixel.kind == kMixed) continue;
      const Eigen::RowVector4d row = levels.Jacobian(pixel) / noise[pixel.kind];
      normal += row.transpose() * row;
      right += row.transpose() * levels.Residual(pixel) / noise[pixel.kind];
    }
    levels.covariance_scale = normal.inverse();
    const Eigen::Vector4d step = levels.covariance_scale * right;
    levels.level[kGround] += step[0];
    levels.level[kDisc] += step[1];
    levels.slope += step.tail<2>();
  }
  levels.ok = levels.covariance_scale.allFinite() && levels.slope.allFinite() &&
              levels.level[kGround] != levels.level[kDisc];
  return levels;
}

// Pixels of the ground that do not look like it, such as print, are left out.
void DropStrangers(const Levels& levels, std::vector<Pixel>* pixels) {
  constexpr double kSigmas = 5.0, kSigmaOfMedian = 1.4826;
  std::vector<double> sizes;
  for (const Pixel& pixel : *pixels) {
    if (pixel.kind == kGround) sizes.push_back(std::abs(levels.Residual(pixel)));
  }
  const double bound = kSigmas * kSigmaOfMedian * Median(sizes) +
                       0.01 * std::abs(levels.level[kDisc] - levels.level[kGround]);
  for (Pixel& pixel : *pixels) {
    if (pixel.kind == kGround && std::abs(levels.Residual(pixel)) > bound) pixel.kind = kMixed;
  }
}

Noise Misfit(const std::vector<Pixel>& pixels, const Levels& levels) {
  std::array<double, 2> sum = {0.0, 0.0};
  std::array<int, 2> count = {0, 0};
  for (const Pixel& pixel : pixels) {
    if (pixel.kind == kMixed) continue;
    const double residual = levels.Residual(pixel);
    sum[pixel.kind] += residual * residual;
    ++count[pixel.kind];
  }
  // One level each, and two slopes shared out by the number of pixels.
  const double used_by_slope = 2.0 / (count[kGround] + count[kDisc]);
  Noise noise;
  for (const Kind kind : {kGround, kDisc}) {
    const double degrees_of_freedom = count[kind] * (1.0 - used_by_slope) - 1.0;
    noise[kind] = degrees_of_freedom > 0.5 ? std::sqrt(sum[kind] / degrees_of_freedom) : 0.0;
  }
  return noise;
}

double Share(const Levels& levels, const Pixel& pixel) {
  return (pixel.light / levels.Strength(pixel.away) - levels.level[kGround]) /
         (levels.level[kDisc] - levels.level[kGround]);
}

struct Centroid {
  Eigen::Vector2d away = Eigen::Vector2d::Zero();
  double area = 0.0;  // [px^2]
};

Centroid CentroidOf(const std::vector<Pixel>& pixels, const Levels& levels) {
  Centroid centroid;
  for (const Pixel& pixel : pixels) {
    if (!pixel.weighed) continue;
    const double share = Share(levels, pixel);
    centroid.area += share;
    centroid.away += share * pixel.away;
  }
  centroid.away /= centroid.area;
  return centroid;
}

// First order, from the light of each pixel to the centroid: directly and through the levels.
Eigen::Matrix2d Covariance(const std::vector<Pixel>& pixels, const Levels& levels,
                           const Centroid& centroid, const Noise& noise) {
  const double step = levels.level[kDisc] - levels.level[kGround];
  Eigen::Matrix<double, 2, 4> by_levels = Eigen::Matrix<double, 2, 4>::Zero();
  for (const Pixel& pixel : pixels) {
    if (!pixel.weighed) continue;
    const double share = Share(levels, pixel), strength = levels.Strength(pixel.away);
    Eigen::RowVector4d by;
    by << (share - 1.0) / step, -share / step,
        -pixel.light / (strength * strength * step) * pixel.away.transpose();
    by_levels += (pixel.away - centroid.away) * by / centroid.area;
  }
  const Eigen::Matrix<double, 2, 4> through_levels = by_levels * levels.covariance_scale;
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
  for (const Pixel& pixel : pixels) {
    Eigen::Vector2d by_light = Eigen::Vector2d::Zero();
    if (pixel.weighed) {
      by_light =
          (pixel.away - centroid.away) / (levels.Strength(pixel.away) * step * centroid.area);
    }
    double variance = 0.0;
    if (pixel.kind == kMixed) {
      const double share = std::clamp(Share(levels, pixel), 0.0, 1.0);
      variance =
          (1.0 - share) * noise[kGround] * noise[kGround] + share * noise[kDisc] * noise[kDisc];
    } else {
      variance = noise[pixel.kind] * noise[pixel.kind];
      by_light += through_levels * levels.Jacobian(pixel).transpose() / variance;
    }
    covariance += by_light * variance * by_light.transpose();
  }
  return covariance;
}

// One round: levels, centroid and area around the patch as it stands; moves the patch there.
void Measure(const cv::Mat& light, const std::vector<DiscPatch>& neighbours, double gap,
             const Noise& noise, Work* work) {
  constexpr double kMostShift = 0.3;  // of the smaller semi-axis
  work->result.ok = false;
  std::vector<Pixel> pixels = PixelsAround(light, work->patch, neighbours, gap);
  work->levels = FitLevels(pixels, noise);
  if (!work->levels.ok) return;
  DropStrangers(work->levels, &pixels);
  work->levels = FitLevels(pixels, noise);
  if (!work->levels.ok) return;
  work->noise = Misfit(pixels, work->levels);
  const Centroid centroid = CentroidOf(pixels, work->levels);
  const double expected_area =
      4.0 * std::numbers::pi * std::sqrt(work->patch.moments.determinant());
  const double minor =
      2.0 * std::sqrt(work->patch.moments.determinant() / work->patch.moments.trace());
  const double contrast = std::abs(work->levels.level[kDisc] - work->levels.level[kGround]);
  if (!(centroid.area > 0.4 * expected_area && centroid.area < 1.8 * expected_area) ||
      !(centroid.away.norm() < std::max(1.0, kMostShift * minor)) ||
      !(contrast > 4.0 * std::max(work->noise[kGround], work->noise[kDisc]))) {
    return;
  }
  work->result = {.ok = true,
                  .centroid = work->patch.centre + centroid.away,
                  .covariance = Covariance(pixels, work->levels, centroid, noise)};
  work->patch.centre = work->result.centroid;
  work->patch.moments *= centroid.area / expected_area;
}

Noise MedianNoise(const std::vector<Work>& all) {
  Noise noise = {1.0, 1.0};
  for (const Kind kind : {kGround, kDisc}) {
    std::vector<double> values;
    for (const Work& work : all) {
      // Even a picture without noise is rounded.
      const double least = 1e-4 * std::abs(work.levels.level[kDisc] - work.levels.level[kGround]);
      if (work.result.ok) values.push_back(std::max(work.noise[kind], least));
    }
    if (!values.empty()) noise[kind] = Median(values);
  }
  return noise;
}

// The discs whose outlines come near, and the gap to the nearest of them.
struct Surround {
  std::vector<DiscPatch> neighbours;
  double gap = 0.0;
};

Surround SurroundOf(const std::vector<DiscPatch>& discs, std::size_t k) {
  Surround surround{.neighbours = {}, .gap = std::numeric_limits<double>::infinity()};
  const Eigen::Matrix2d inverse = discs[k].moments.inverse();
  const double size = 2.0 * std::sqrt(discs[k].moments.trace());
  for (std::size_t other = 0; other < discs.size(); ++other) {
    if (other == k) continue;
    const Eigen::Vector2d away = discs[other].centre - discs[k].centre;
    if (away.norm() > 6.0 * size + 20.0) continue;
    surround.neighbours.push_back(discs[other]);
    surround.gap = std::min(surround.gap, Distance(inverse, away) - away.norm() +
                                              Distance(discs[other].moments.inverse(), away));
  }
  return surround;
}

}  // namespace

std::vector<MeasuredDisc> MeasureDiscs(const cv::Mat& light, const std::vector<DiscPatch>& discs) {
  constexpr int kRounds = 3;
  std::vector<Work> all;
  std::vector<Surround> surrounds;
  for (std::size_t k = 0; k < discs.size(); ++k) {
    all.push_back({.patch = discs[k], .levels = {}, .result = {}});
    surrounds.push_back(SurroundOf(discs, k));
  }
  Noise noise = {1.0, 1.0};
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t k = 0; k < discs.size(); ++k) {
      Measure(light, surrounds[k].neighbours, surrounds[k].gap, noise, &all[k]);
    }
    noise = MedianNoise(all);
  }
  std::vector<MeasuredDisc> results;
  for (const Work& work : all) results.push_back(work.result);
  return results;
}

}  // namespace percuss::calibration
