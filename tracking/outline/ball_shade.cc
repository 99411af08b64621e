// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/ball_shade.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

constexpr std::size_t kMostShadePixels = 20000;

/// A pixel that the ball covers at all times.
struct ShadePixel {
  static constexpr int kInstants = 5;
  std::array<Eigen::Vector3d, kInstants> n_camera;  ///< its normals there during the exposure
  Eigen::Vector3d n;                                ///< their mean, in axes of the disc
  double light = 0.0;
};

std::vector<ShadePixel> ShadePixels(std::span<const BallPicture> pictures, const ToneTables& tone) {
  std::vector<ShadePixel> all;
  for (const BallPicture& picture : pictures) {
    const SweptDisc& disc = picture.disc;
    const double least = 2.0 * disc.blur + 0.5;
    for (int y = 0; y < picture.luma.rows; ++y) {
      for (int x = 0; x < picture.luma.cols; ++x) {
        if (DepthsAt(disc, {x, y})[1] < least) continue;
        ShadePixel pixel;
        pixel.n.setZero();
        for (int i = 0; i < ShadePixel::kInstants; ++i) {
          const double t = (i + 0.5) / ShadePixel::kInstants - 0.5;
          const Eigen::Vector2d at =
              (Eigen::Vector2d(x, y) - disc.centre - t * disc.sweep) / disc.radius;
          const Eigen::Vector3d n(at.x(), at.y(), std::sqrt(std::max(0.0, 1.0 - at.squaredNorm())));
          pixel.n += n / ShadePixel::kInstants;
          pixel.n_camera[i] = picture.camera_from_disc * n;
        }
        pixel.light = static_cast<double>(tone.Light(picture.luma.at<unsigned char>(y, x)));
        all.push_back(pixel);
      }
    }
  }
  if (all.size() <= kMostShadePixels) return all;
  std::vector<ShadePixel> some;
  const double every = static_cast<double>(all.size()) / kMostShadePixels;
  for (double at = 0.0; at < static_cast<double>(all.size()); at += every)
    some.push_back(all[static_cast<std::size_t>(at)]);
  return some;
}

}  // namespace

Eigen::Matrix<double, BallShade::kTerms, 1> ShadeTerms(const Eigen::Vector3d& n) {
  Eigen::Matrix<double, BallShade::kTerms, 1> terms;
  const double x = n.x(), y = n.y(), z = n.z();
  terms << x, y, x * x - y * y, 2.0 * x * y, z, x * z, y * z, z * z, y * (x * x + y * y);
  return terms;
}

Eigen::Matrix3d CameraFromDisc(const Eigen::Vector2d& pixel, const Eigen::Vector2d& middle,
                               double focal) {
  const Eigen::Vector2d ray = (pixel - middle) / focal;
  const Eigen::Vector3d towards(-ray.x(), -ray.y(), 1.0);
  return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), towards).toRotationMatrix();
}

BallShade BallShade::SeenBy(const Eigen::Matrix3d& camera_from_disc) const {
  BallShade seen = *this;
  seen.lamp = camera_from_disc.transpose() * lamp;
  return seen;
}

BallShade FitShade(std::span<const BallPicture> pictures, const ToneTables& tone) {
  BallShade shade;
  const std::vector<ShadePixel> pixels = ShadePixels(pictures, tone);
  if (pixels.size() < 20 * BallShade::kNumbers) return shade;
  std::vector<double> lights;
  for (const ShadePixel& pixel : pixels) lights.push_back(pixel.light);
  shade.even = Median(lights);
  double scale = 1.0;
  for (int round = 0; round < 15; ++round) {
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(BallShade::kNumbers, BallShade::kNumbers);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(BallShade::kNumbers), by(BallShade::kNumbers);
    std::vector<double> sizes;
    for (const ShadePixel& pixel : pixels) {
      const Eigen::Matrix<double, BallShade::kTerms, 1> terms = ShadeTerms(pixel.n);
      // What the lamp gives, and its derivative: at the start no side is dark.
      double shine = 0.0;
      Eigen::Vector3d by_lamp = Eigen::Vector3d::Zero();
      for (const Eigen::Vector3d& n : pixel.n_camera) {
        const double instant = shade.lamp.dot(n) / ShadePixel::kInstants;
        if (instant > 0.0 || shade.lamp.isZero(0.0)) {
          shine += instant;
          by_lamp += n / ShadePixel::kInstants;
        }
      }
      const double residual = pixel.light - shade.even - shine - shade.rest.dot(terms);
      sizes.push_back(std::abs(residual));
      const double z = residual / (3.0 * scale);
      const double w = 1.0 / (1.0 + z * z);
      by[0] = 1.0;
      by.segment<3>(1) = by_lamp;
      by.tail<BallShade::kTerms>() = terms;
      normal += w * by * by.transpose();
      right += w * residual * by;
    }
    // The lamp explains before the smooth terms do.
    const double little = 1e-4 * static_cast<double>(pixels.size());
    normal.diagonal().tail<BallShade::kTerms>().array() += 10.0 * little;
    right.tail<BallShade::kTerms>() -= 10.0 * little * shade.rest;
    normal.diagonal().array() += 1e-6 * static_cast<double>(pixels.size());
    const Eigen::VectorXd step = normal.ldlt().solve(right);
    if (!step.allFinite()) return BallShade{.even = Median(lights)};
    shade.even += step[0];
    shade.lamp += step.segment<3>(1);
    shade.rest += step.tail<BallShade::kTerms>();
    scale = std::max(1e-3, 1.4826 * Median(sizes));
    if (round > 3 && step.norm() < 1e-5) break;
  }
  shade.scatter = scale;
  return shade;
}

}  // namespace percuss::tracking
