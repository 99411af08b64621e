// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/residual_pattern.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/nan.h"
#include "calibration/quality/pattern_fit.h"

namespace percuss::calibration {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

Pattern Columns(const Triplets& entries, const WhitenedResiduals& data, Eigen::Index num_columns) {
  Pattern C(data.weight.size(), num_columns);
  C.setFromTriplets(entries.begin(), entries.end());
  return C;
}

ImagePattern OverImage(const ResidualSet& set, const WhitenedResiduals& data, int camera,
                       const PatternOptions& options) {
  const int columns = options.raster_columns, rows = options.raster_rows;
  ImagePattern pattern;
  pattern.mean_x_px = pattern.mean_y_px = Eigen::MatrixXd::Zero(rows, columns);
  pattern.count = Eigen::MatrixXi::Zero(rows, columns);
  Triplets entries;
  double information = 0.0;
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    const MeasuredResidual& corner = set.corners[i];
    if (corner.camera != camera) continue;
    // Pixel (0,0) is the centre of a pixel: the image begins at -0.5.
    const Eigen::Vector2d share =
        (corner.pixel.array() + 0.5) / set.image_sizes[camera].cast<double>().array();
    const int column =
        std::clamp(static_cast<int>(std::floor(share.x() * columns)), 0, columns - 1);
    const int row = std::clamp(static_cast<int>(std::floor(share.y() * rows)), 0, rows - 1);
    pattern.mean_x_px(row, column) += corner.residual.x();
    pattern.mean_y_px(row, column) += corner.residual.y();
    pattern.count(row, column) += 1;
    const double weight = data.weight[2 * i];
    for (int axis = 0; axis < 2; ++axis) {
      entries.emplace_back(2 * i + axis, 2 * (row * columns + column) + axis, weight);
    }
    information += weight * weight;
  }
  const Eigen::ArrayXXd count = pattern.count.cast<double>().array();  // 0/0 = NaN is meant
  pattern.mean_x_px.array() /= count;
  pattern.mean_y_px.array() /= count;
  pattern.test =
      FitPattern(data, Columns(entries, data, 2 * rows * columns), information, options).test;
  return pattern;
}

RadiusPattern OverRadius(const ResidualSet& set, const WhitenedResiduals& data, int camera,
                         const PatternOptions& options) {
  const int bins = options.radius_bins;
  const Eigen::Vector2d centre = 0.5 * (set.image_sizes[camera].cast<double>().array() - 1.0);
  const double width = 0.5 * set.image_sizes[camera].cast<double>().norm() / bins;
  RadiusPattern pattern;
  pattern.radius_px = Eigen::VectorXd::LinSpaced(bins, 0.5 * width, (bins - 0.5) * width);
  pattern.mean_px = Eigen::VectorXd::Zero(bins);
  pattern.count = Eigen::VectorXi::Zero(bins);
  Triplets entries;
  double information = 0.0;
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    const MeasuredResidual& corner = set.corners[i];
    const double radius = (corner.pixel - centre).norm();
    if (corner.camera != camera || !(radius > 0.0)) continue;
    const Eigen::Vector2d outwards = (corner.pixel - centre) / radius;
    const int bin = std::min(static_cast<int>(radius / width), bins - 1);
    pattern.mean_px[bin] += outwards.dot(corner.residual);
    pattern.count[bin] += 1;
    const double weight = data.weight[2 * i];
    for (int axis = 0; axis < 2; ++axis) {
      entries.emplace_back(2 * i + axis, bin, weight * outwards[axis]);
    }
    information += weight * weight;
  }
  pattern.mean_px.array() /= pattern.count.cast<double>().array();
  pattern.test = FitPattern(data, Columns(entries, data, bins), information, options).test;
  return pattern;
}

// Noise-corrected rms length per point of the amplitudes of `axes` columns per point.
double RmsAmplitude(const PatternFit& fit, int axes) {
  double square = 0.0, count = 0.0;
  for (Eigen::Index k = 0; k < fit.amplitude.size(); ++k) {
    if (std::isnan(fit.amplitude[k])) continue;
    square += fit.amplitude[k] * fit.amplitude[k] - fit.variance[k];
    count += 1.0 / axes;
  }
  return count > 0.0 ? std::sqrt(std::max(square, 0.0) / count) : kNaN;
}

TargetPattern OverTarget(const ResidualSet& set, const WhitenedResiduals& data,
                         const PatternOptions& options) {
  int num_points = 0;
  for (const auto& corner : set.corners) num_points = std::max(num_points, corner.point + 1);
  Triplets print_entries, bend_entries;
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    const MeasuredResidual& corner = set.corners[i];
    for (int axis = 0; axis < 2; ++axis) {
      const Eigen::RowVector3d row = data.weight[2 * i] * corner.pixel_by_target.row(axis);
      print_entries.emplace_back(2 * i + axis, 2 * corner.point, row[0]);
      print_entries.emplace_back(2 * i + axis, 2 * corner.point + 1, row[1]);
      bend_entries.emplace_back(2 * i + axis, corner.point, row[2]);
    }
  }
  const double information = 0.5 * data.weight.squaredNorm();
  const PatternFit print =
      FitPattern(data, Columns(print_entries, data, 2 * num_points), information, options);
  const PatternFit bend =
      FitPattern(data, Columns(bend_entries, data, num_points), information, options);
  TargetPattern pattern;
  pattern.print = print.test;
  pattern.bend = bend.test;
  pattern.displacement.resize(3, num_points);
  for (int k = 0; k < num_points; ++k) {
    pattern.displacement.col(k) << print.amplitude.segment<2>(2 * k), bend.amplitude[k];
  }
  pattern.print_rms = RmsAmplitude(print, 2);
  pattern.bend_rms = RmsAmplitude(bend, 1);
  return pattern;
}

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

void AddNeighbours(const ResidualSet& set, const std::vector<std::size_t>& picture, Pairs* pairs) {
  constexpr double kReach = 1.5;
  const auto distance = [&](std::size_t a, std::size_t b) {
    return (set.corners[a].pixel - set.corners[b].pixel).norm();
  };
  std::vector<double> nearest;
  for (const std::size_t a : picture) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t b : picture) {
      if (a != b) least = std::min(least, distance(a, b));
    }
    nearest.push_back(least);
  }
  const auto middle = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
  std::nth_element(nearest.begin(), middle, nearest.end());
  for (std::size_t i = 0; i < picture.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (distance(picture[i], picture[j]) < kReach * *middle) {
        pairs->emplace_back(picture[i], picture[j]);
      }
    }
  }
}

// q = w'A w, the sum over pairs of w_i . w_j. Without a pattern q / r'r does not depend on r'r, and
// with noise^2 = r'r / n the mean of q / noise^2 is tr(A Q), Q = I - B B', and its variance
// 2 (n tr(A Q A Q) - tr(A Q)^2) / (n + 2).
NeighbourCorrelation BetweenNeighbours(const ResidualSet& set, const WhitenedResiduals& data,
                                       const PatternOptions& options) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> pictures;
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    pictures[{set.corners[i].image, set.corners[i].camera}].push_back(i);
  }
  Pairs pairs;
  for (const auto& [key, picture] : pictures) AddNeighbours(set, picture, &pairs);
  NeighbourCorrelation result;
  result.num_pairs = static_cast<int>(pairs.size());
  if (pairs.empty() || data.redundancy < 1) return result;

  Triplets entries;
  for (const auto& [a, b] : pairs) {
    for (int axis = 0; axis < 2; ++axis) {
      entries.emplace_back(2 * a + axis, 2 * b + axis, 0.5);
      entries.emplace_back(2 * b + axis, 2 * a + axis, 0.5);
    }
  }
  Pattern A(data.weight.size(), data.weight.size());
  A.setFromTriplets(entries.begin(), entries.end());
  const Eigen::MatrixXd AB = A * data.B;
  const Eigen::MatrixXd BAB = data.B.transpose() * AB;
  const double num_products = 2.0 * static_cast<double>(pairs.size());
  const double mean = -BAB.trace();
  const double square = A.squaredNorm() - 2.0 * AB.squaredNorm() + BAB.squaredNorm();
  const double n = data.redundancy;
  const double variance = 2.0 * (n * square - mean * mean) / (n + 2.0);
  const double noise2 = data.sum_of_squares / data.redundancy;
  const double q = data.residual.dot(A * data.residual) / noise2;
  result.correlation = (q - mean) / num_products;
  result.sigma = std::sqrt(variance) / num_products;
  result.p_value = 0.5 * std::erfc(result.correlation / result.sigma / std::sqrt(2.0));
  const double pixel2 = static_cast<double>(data.weight.size()) / data.weight.squaredNorm();
  result.rms_px = std::sqrt(2.0 * std::max(result.correlation, 0.0) * noise2 * pixel2);
  result.notable =
      result.p_value < options.significant_p_value && result.rms_px > options.notable_rms_px;
  return result;
}

std::vector<std::string> Findings(const ResidualPattern& pattern) {
  std::vector<std::string> findings;
  for (std::size_t camera = 0; camera < pattern.image.size(); ++camera) {
    const PatternTest& image = pattern.image[camera].test;
    const PatternTest& radius = pattern.radius[camera].test;
    if (image.notable) {
      findings.push_back(
          fmt::format("camera {}: residuals of {:.2f} px rms depend on the place in "
                      "the image: the lens is not described",
                      camera + 1, image.rms_px));
    }
    if (radius.notable) {
      findings.push_back(
          fmt::format("camera {}: residuals of {:.2f} px rms depend on the distance "
                      "from the image centre: a radial term is missing",
                      camera + 1, radius.rms_px));
    }
  }
  const TargetPattern& target = pattern.target;
  if (target.print.notable) {
    findings.push_back(
        fmt::format("target: residuals of {:.2f} px rms as if points were displaced "
                    "by {:.3f} mm rms in its plane: misprinted or stretched",
                    target.print.rms_px, 1e3 * target.print_rms));
  }
  if (target.bend.notable) {
    findings.push_back(
        fmt::format("target: residuals of {:.2f} px rms as if points stood {:.3f} mm "
                    "rms out of its plane: not flat",
                    target.bend.rms_px, 1e3 * target.bend_rms));
  }
  if (pattern.neighbours.notable) {
    findings.push_back(
        fmt::format("neighbouring corners share {:.2f} px rms of their residuals "
                    "(correlation {:.2f})",
                    pattern.neighbours.rms_px, pattern.neighbours.correlation));
  }
  return findings;
}

void Check(const ResidualSet& set, const PatternOptions& options) {
  const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
  const Eigen::Index num_rows = 2 * static_cast<Eigen::Index>(set.corners.size());
  if (set.jacobian.cols() > 0 && set.jacobian.rows() != num_rows) {
    refuse(fmt::format("ResidualSet.jacobian: {} rows for {} residuals", set.jacobian.rows(),
                       num_rows));
  }
  if (!set.jacobian.allFinite()) refuse("ResidualSet.jacobian: an element is not finite");
  for (std::size_t i = 0; i < set.corners.size(); ++i) {
    const MeasuredResidual& corner = set.corners[i];
    if (corner.camera < 0 || corner.camera >= static_cast<int>(set.image_sizes.size())) {
      refuse(fmt::format("ResidualSet.corners[{}]: camera = {}, allowed 0 to {}", i, corner.camera,
                         static_cast<int>(set.image_sizes.size()) - 1));
    }
    if (corner.point < 0) {
      refuse(
          fmt::format("ResidualSet.corners[{}]: point = {}, allowed 0 or more", i, corner.point));
    }
    if (!(corner.sigma_px > 0.0)) {
      refuse(fmt::format("ResidualSet.corners[{}]: sigma_px = {}, allowed above 0", i,
                         corner.sigma_px));
    }
    if (!corner.pixel.allFinite() || !corner.residual.allFinite() ||
        !corner.pixel_by_target.allFinite()) {
      refuse(fmt::format("ResidualSet.corners[{}]: a value is not finite", i));
    }
  }
  for (const auto& size : set.image_sizes) {
    if (size.minCoeff() < 1) {
      refuse(fmt::format("ResidualSet.image_sizes: {} x {}, at least 1 x 1 is needed", size.x(),
                         size.y()));
    }
  }
  if (std::min({options.raster_columns, options.raster_rows, options.radius_bins}) < 1) {
    refuse(fmt::format("PatternOptions: raster {} x {}, {} bins, allowed 1 or more",
                       options.raster_columns, options.raster_rows, options.radius_bins));
  }
}

}  // namespace

ResidualPattern FindResidualPattern(const ResidualSet& set, const PatternOptions& options) {
  Check(set, options);
  const WhitenedResiduals data = Whiten(set);
  ResidualPattern pattern;
  pattern.redundancy = data.redundancy;
  if (data.redundancy > 0) {
    pattern.noise_px =
        std::sqrt(data.sum_of_squares / data.redundancy * static_cast<double>(data.weight.size()) /
                  data.weight.squaredNorm());
  }
  for (int camera = 0; camera < static_cast<int>(set.image_sizes.size()); ++camera) {
    pattern.image.push_back(OverImage(set, data, camera, options));
    pattern.radius.push_back(OverRadius(set, data, camera, options));
  }
  pattern.target = OverTarget(set, data, options);
  pattern.neighbours = BetweenNeighbours(set, data, options);
  pattern.findings = Findings(pattern);
  return pattern;
}

}  // namespace percuss::calibration
