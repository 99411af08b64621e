// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/blurred_ellipse.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace percuss::tracking {
namespace {

constexpr float kFar = 4.0f;          // standard deviations, beyond which a normal density is 0
constexpr double kLongestStep = 1.3;  // along the outline, standard deviations of the blur

/// Normal distribution and density by linear interpolation, right to 5e-5 within kFar.
class NormalTable {
 public:
  NormalTable() {
    for (int i = 0; i <= kSize; ++i) {
      const double z = static_cast<double>(i) / kPerUnit - kFar;
      at_[i] = {static_cast<float>(0.5 * std::erfc(-z / std::numbers::sqrt2)),
                static_cast<float>(std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi))};
    }
  }
  /// @param z within kFar of 0.
  void Evaluate(float z, float* distribution, float* density) const {
    const float place = (z + kFar) * kPerUnit;
    const auto i = static_cast<int>(place);
    const float part = place - static_cast<float>(i);
    *distribution = at_[i].distribution + part * (at_[i + 1].distribution - at_[i].distribution);
    *density = at_[i].density + part * (at_[i + 1].density - at_[i].density);
  }

 private:
  static constexpr int kPerUnit = 32, kSize = static_cast<int>(2.0f * kFar * kPerUnit);
  struct Entry {
    float distribution = 0.0f, density = 0.0f;
  };
  std::array<Entry, kSize + 2> at_{};
};

/// Per pixel: D oint N {n_x, n_y, n_x^2, n_x n_y} dt, D oint N n_y^2 dt and the share. `before` is
/// a share of this pixel and of all before it in its run.
struct alignas(16) Sums {
  std::array<float, 4> first{};
  float n_yy = 0.0f, share = 0.0f, before = 0.0f, unused = 0.0f;
};

/// A place on the outline.
struct Node {
  float x = 0.0f, y = 0.0f;  ///< from the centre
  float n_x = 0.0f, n_y = 0.0f;
};

std::vector<Node> OutlineOf(const Eigen::Matrix2d& shape, const Eigen::Matrix2d& per_blur) {
  const Eigen::Matrix2d root = shape.llt().matrixL();
  const Eigen::Matrix2d whitened = root.transpose() * per_blur * root;
  const double mean = 0.5 * whitened.trace();
  const double fastest =
      std::sqrt(mean + std::hypot(0.5 * (whitened(0, 0) - whitened(1, 1)), whitened(0, 1)));
  const int count =
      std::max(16, static_cast<int>(std::ceil(2.0 * std::numbers::pi * fastest / kLongestStep)));
  const Eigen::Matrix2d to_normal = root.transpose().inverse();
  const double angle = 2.0 * std::numbers::pi / count;
  Eigen::Matrix2d turn;
  turn << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  std::vector<Node> nodes(static_cast<std::size_t>(count));
  Eigen::Vector2d unit(1.0, 0.0);
  for (Node& node : nodes) {
    const Eigen::Vector2f r = (root * unit).cast<float>(), n = (to_normal * unit).cast<float>();
    node = {r.x(), r.y(), n.x(), n.y()};
    unit = turn * unit;
  }
  return nodes;
}

/// N(u, v) = density(v / sigma_y) / sigma_y density(z) / sigma_x, z = (u - lean v) / sigma_x.
struct Density {
  float sigma_y = 1.0f, lean = 0.0f, sigma_x = 1.0f;

  explicit Density(const Eigen::Matrix2d& blur)
      : sigma_y(static_cast<float>(std::sqrt(blur(1, 1)))),
        lean(static_cast<float>(blur(0, 1) / blur(1, 1))),
        sigma_x(static_cast<float>(std::sqrt(blur(0, 0) - blur(0, 1) * blur(0, 1) / blur(1, 1)))) {}
};

/// Adds what one node gives to the pixels of a run. @param u, v from the run's first pixel to it.
void AddNode(const NormalTable& normal, const Node& node, const Density& density, float u, float v,
             float weight, const PixelRun& run, Sums* sums) {
  const float per_x = 1.0f / density.sigma_x, per_y = 1.0f / density.sigma_y;
  const float z0 = (u - density.lean * v) * per_x;
  // The first pixels with z < kFar and z < -kFar.
  const auto first_below = [&](float z) {
    const float place = (z0 - z) * density.sigma_x;
    return place < 0.0f ? 0 : std::min(static_cast<int>(place) + 1, run.count);
  };
  const int begin = first_below(kFar), end = first_below(-kFar);
  if (end == 0) return;
  float distribution = 0.0f, peak = 0.0f;
  normal.Evaluate(v * per_y, &distribution, &peak);
  weight *= peak * per_y;
  const float along = weight * node.n_x;
  if (begin > 0) sums[begin - 1].before += along;
  weight *= per_x;
  const Eigen::Array4f first =
      weight * Eigen::Array4f(node.n_x, node.n_y, node.n_x * node.n_x, node.n_x * node.n_y);
  const float n_yy = weight * node.n_y * node.n_y;
  for (int i = begin; i < end; ++i) {
    normal.Evaluate(z0 - static_cast<float>(i) * per_x, &distribution, &peak);
    Eigen::Map<Eigen::Array4f, Eigen::Aligned16> four(sums[i].first.data());
    four += peak * first;
    sums[i].n_yy += peak * n_yy;
    sums[i].share += distribution * along;
  }
}

}  // namespace

void EvaluateEllipse(const BlurredEllipse& ellipse, const std::vector<PixelRun>& runs,
                     std::vector<EllipseShare>* result) {
  static const NormalTable normal;
  const Eigen::Matrix2d per_blur = ellipse.blur.inverse();
  const std::vector<Node> nodes = OutlineOf(ellipse.shape, per_blur);
  const Density density(ellipse.blur);
  const auto weight =
      static_cast<float>(2.0 * std::numbers::pi / static_cast<double>(nodes.size()) *
                         std::sqrt(ellipse.shape.determinant()));
  const float reach = 0.999f * kFar * density.sigma_y;
  const Eigen::Matrix2f B = per_blur.cast<float>();
  const Eigen::Matrix2f BS = (per_blur * ellipse.shape).cast<float>();
  std::size_t size = 0;
  for (const PixelRun& run : runs) size += static_cast<std::size_t>(run.count);
  result->resize(size);
  EllipseShare* at_run = result->data();
  std::vector<Sums> sums;
  for (const PixelRun& run : runs) {
    const auto x = static_cast<float>(ellipse.centre.x() - run.x);
    const auto y = static_cast<float>(ellipse.centre.y() - run.y);
    sums.assign(static_cast<std::size_t>(run.count), {});
    for (const Node& node : nodes) {
      if (std::abs(y + node.y) < reach)
        AddNode(normal, node, density, x + node.x, y + node.y, weight, run, sums.data());
    }
    float before = 0.0f;
    for (int i = run.count - 1; i >= 0; --i) {
      const Sums& sum = sums[static_cast<std::size_t>(i)];
      before += sum.before;
      const auto [n_x, n_y, n_xx, n_xy] = sum.first;
      const float n_yy = sum.n_yy, dx = static_cast<float>(i) - x, dy = -y;
      // blur^-1 (d n^T - shape n n^T), d = x - centre
      const float d_x = B(0, 0) * dx + B(0, 1) * dy, d_y = B(1, 0) * dx + B(1, 1) * dy;
      at_run[i].share = sum.share + before;
      at_run[i].by << n_x, n_y, 0.5f * n_xx, n_xy, 0.5f * n_yy,
          0.5f * (d_x * n_x - BS(0, 0) * n_xx - BS(0, 1) * n_xy),
          d_x * n_y - BS(0, 0) * n_xy - BS(0, 1) * n_yy,
          0.5f * (d_y * n_y - BS(1, 0) * n_xy - BS(1, 1) * n_yy);
    }
    at_run += run.count;
  }
}

}  // namespace percuss::tracking
