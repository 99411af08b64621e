// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/layout/edge_profile.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace percuss::tracking {
namespace {

/// Bilinear; NaN outside.
double LightAt(const PicturePart& picture, const std::array<float, 256>& light,
               const Eigen::Vector2d& pixel) {
  const Eigen::Vector2d p = pixel - picture.corner;
  const double x = std::floor(p.x()), y = std::floor(p.y());
  if (!(x >= 0.0 && y >= 0.0 && x + 1.0 < picture.luma.cols && y + 1.0 < picture.luma.rows))
    return std::numeric_limits<double>::quiet_NaN();
  const double fx = p.x() - x, fy = p.y() - y;
  const auto* upper = picture.luma.ptr<unsigned char>(static_cast<int>(y)) + static_cast<int>(x);
  const auto* lower =
      picture.luma.ptr<unsigned char>(static_cast<int>(y) + 1) + static_cast<int>(x);
  return (1.0 - fy) * ((1.0 - fx) * light[upper[0]] + fx * light[upper[1]]) +
         fy * ((1.0 - fx) * light[lower[0]] + fx * light[lower[1]]);
}

struct Profile {
  Eigen::VectorXd x, light;
};

std::optional<Profile> ReadProfile(const PicturePart& picture, const std::array<float, 256>& light,
                                   const Eigen::Vector2d& pixel, const Eigen::Vector2d& normal,
                                   double range) {
  constexpr double kStep = 0.5;
  const Eigen::Vector2d along(-normal.y(), normal.x());
  const int half = static_cast<int>(std::lround(range / kStep));
  Profile profile{Eigen::VectorXd(2 * half + 1), Eigen::VectorXd(2 * half + 1)};
  for (int k = -half; k <= half; ++k) {
    double sum = 0.0;
    for (const double beside : {-1.0, 0.0, 1.0})
      sum += LightAt(picture, light, pixel + k * kStep * normal + beside * along);
    profile.x[k + half] = k * kStep;
    profile.light[k + half] = sum / 3.0;
  }
  if (!profile.light.allFinite()) return std::nullopt;
  return profile;
}

/// Where the profile first passes half-way between its ends, from the middle outwards.
double HalfWay(const Profile& profile, double inside, double outside) {
  const double half = 0.5 * (inside + outside);
  double best = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k + 1 < profile.x.size(); ++k) {
    const double a = profile.light[k] - half, b = profile.light[k + 1] - half;
    if (a * b > 0.0 || a == b || (b - a) * (outside - inside) < 0.0) continue;
    const double x = profile.x[k] + a / (a - b) * (profile.x[k + 1] - profile.x[k]);
    if (std::abs(x) < std::abs(best)) best = x;
  }
  return best;
}

}  // namespace

std::optional<EdgePlace> FindEdge(const PicturePart& picture,
                                  const std::array<float, 256>& light_of_grey,
                                  const Eigen::Vector2d& pixel, const Eigen::Vector2d& normal,
                                  double range) {
  const auto profile = ReadProfile(picture, light_of_grey, pixel, normal, range);
  if (!profile) return std::nullopt;
  const Eigen::Index count = profile->x.size(), quarter = count / 4;
  const double inside = profile->light.head(quarter).mean();
  const double outside = profile->light.tail(quarter).mean();
  Eigen::Vector4d fit(inside, outside - inside, HalfWay(*profile, inside, outside), 1.0);
  if (!fit.allFinite()) return std::nullopt;
  double sum = std::numeric_limits<double>::infinity();
  Eigen::Vector4d best = fit, step = Eigen::Vector4d::Zero();
  Eigen::Matrix4d information = Eigen::Matrix4d::Identity();
  constexpr int kMaxSteps = 15;
  for (int k = 0; k < kMaxSteps; ++k) {
    Eigen::Matrix4d normal_matrix = Eigen::Matrix4d::Zero();
    Eigen::Vector4d gradient = Eigen::Vector4d::Zero();
    double cost = 0.0;
    for (Eigen::Index i = 0; i < count; ++i) {
      const double z = (profile->x[i] - fit[2]) / fit[3];
      const double cdf = 0.5 * std::erfc(-z / std::numbers::sqrt2);
      const double pdf = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
      const Eigen::Vector4d by(1.0, cdf, -fit[1] * pdf / fit[3], -fit[1] * pdf * z / fit[3]);
      const double residual = profile->light[i] - fit[0] - fit[1] * cdf;
      normal_matrix += by * by.transpose();
      gradient += residual * by;
      cost += residual * residual;
    }
    if (cost > sum) {
      step *= 0.5;
      if (step.norm() < 1e-4) break;
    } else {
      const bool rests = sum - cost < 1e-6 * cost;
      sum = cost;
      best = fit;
      information = normal_matrix;
      if (rests) break;
      step = normal_matrix.ldlt().solve(gradient);
      step[2] = std::clamp(step[2], -1.0, 1.0);
    }
    fit = best + step;
    fit[3] = std::clamp(fit[3], 0.25, range);
    if (!fit.allFinite()) return std::nullopt;
  }
  // Half a pixel apart and averaged over the area of pixels: two samples say what one does.
  const double rest = std::sqrt(sum / static_cast<double>(count - 4));
  const Eigen::Matrix4d covariance = 2.0 * rest * rest * information.inverse();
  EdgePlace edge{best[2], std::sqrt(covariance(2, 2)), best[1]};
  constexpr double kMinSteps = 6.0, kMaxRest = 0.1;
  const bool clear =
      std::abs(edge.step) > kMinSteps * rest && rest < kMaxRest * std::abs(edge.step);
  if (!clear || !std::isfinite(edge.sigma) || std::abs(edge.offset) > 0.67 * range ||
      best[3] > 0.5 * range) {
    return std::nullopt;
  }
  return edge;
}

}  // namespace percuss::tracking
