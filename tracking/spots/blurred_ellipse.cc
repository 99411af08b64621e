// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/blurred_ellipse.h"

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

/// Normal density and distribution by linear interpolation, right to 5e-5 within kFar.
class NormalTable {
 public:
  static constexpr int kPerUnit = 32;

  NormalTable() {
    const auto value = [](int i) {
      const double z = static_cast<double>(i) / kPerUnit - kFar;
      const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
      const double distribution = 0.5 * std::erfc(-z / std::numbers::sqrt2);
      return Eigen::Array4d(density, distribution, 0.0, 0.0).cast<float>().eval();
    };
    for (int i = 0; i <= kSize + 1; ++i) {
      Entry& entry = at_[i];
      entry.value = value(i);
      entry.step = value(i + 1) - entry.value;
    }
  }
  /// Where in the table a value stands. @param z within kFar of 0.
  static float PlaceOf(float z) { return (z + kFar) * kPerUnit; }
  float Density(float place) const { return Evaluate(place)[0]; }
  /// Density, distribution, 0, 0.
  Eigen::Array4f Evaluate(float place) const {
    const auto i = static_cast<int>(place);
    const Entry& entry = at_[i];
    return entry.value + (place - static_cast<float>(i)) * entry.step;
  }

 private:
  static constexpr int kSize = static_cast<int>(2.0f * kFar * kPerUnit);
  struct Entry {
    Eigen::Array4f value, step;  ///< step to the next entry
  };
  std::array<Entry, kSize + 2> at_{};
};

/// Per pixel: D oint N {n_x, n_y, n_x^2, n_x n_y} dt and {D oint N n_y^2 dt, share, 0, 0}. `before`
/// is a share of this pixel and of all before it in its run.
struct Sums {
  Eigen::Array4f first = Eigen::Array4f::Zero(), second = Eigen::Array4f::Zero();
  float before = 0.0f;
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
  std::vector<Node> nodes(count);
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

/// Adds what one node gives to the pixels of a run. @param u, v from the run's first pixel to it;
/// @param weight of the node
void AddNode(const NormalTable& normal, const Node& node, const Density& density, float u, float v,
             float weight, int count, Sums* sums) {
  const float per_x = 1.0f / density.sigma_x, per_y = 1.0f / density.sigma_y;
  const float u0 = u - density.lean * v;
  // The first pixels with z < kFar and z < -kFar.
  const auto first_below = [&](float place) {
    return place < 0.0f ? 0 : std::min(static_cast<int>(place) + 1, count);
  };
  const float reach = kFar * density.sigma_x;
  const int begin = first_below(u0 - reach), end = first_below(u0 + reach);
  if (end == 0) return;
  weight *= normal.Density(NormalTable::PlaceOf(v * per_y)) * per_y;
  const float along = weight * node.n_x;
  if (begin > 0) sums[begin - 1].before += along;
  weight *= per_x;
  const float by_x = weight * node.n_x, by_y = weight * node.n_y;
  const Eigen::Array4f first(by_x, by_y, by_x * node.n_x, by_x * node.n_y);
  const Eigen::Array4f second(by_y * node.n_y, along, 0.0f, 0.0f);
  const float step = per_x * NormalTable::kPerUnit;
  const float place = NormalTable::PlaceOf(u0 * per_x);
  for (int i = begin; i < end; ++i) {
    const Eigen::Array4f value = normal.Evaluate(place - static_cast<float>(i) * step);
    sums[i].first += value[0] * first;
    sums[i].second += value * second;
  }
}

/// Sums of all pixels of the runs.
void AddNodes(const BlurredEllipse& ellipse, const Eigen::Matrix2d& per_blur,
              const std::vector<PixelRun>& runs, std::vector<Sums>* sums) {
  static const NormalTable normal;
  const std::vector<Node> nodes = OutlineOf(ellipse.shape, per_blur);
  const Density density(ellipse.blur);
  const auto weight =
      static_cast<float>(2.0 * std::numbers::pi / static_cast<double>(nodes.size()) *
                         std::sqrt(ellipse.shape.determinant()));
  const float reach = 0.999f * kFar * density.sigma_y;
  // Of one node and the next, the runs within reach are nearly the same.
  std::size_t begin = 0;
  Sums* at_begin = sums->data();
  for (const Node& node : nodes) {
    const double x = ellipse.centre.x() + node.x, y = ellipse.centre.y() + node.y;
    const auto below = [&](const PixelRun& run) { return run.y <= y - reach; };
    while (begin > 0 && !below(runs[begin - 1])) at_begin -= runs[--begin].count;
    while (begin < runs.size() && below(runs[begin])) at_begin += runs[begin++].count;
    Sums* at_run = at_begin;
    for (std::size_t k = begin; k < runs.size(); ++k) {
      const PixelRun& run = runs[k];
      const auto u = static_cast<float>(x - run.x), v = static_cast<float>(y - run.y);
      if (v <= -reach) break;
      AddNode(normal, node, density, u, v, weight, run.count, at_run);
      at_run += run.count;
    }
  }
}

}  // namespace

void EvaluateEllipse(const BlurredEllipse& ellipse, const std::vector<PixelRun>& runs,
                     std::vector<EllipseShare>* result) {
  const Eigen::Matrix2d per_blur = ellipse.blur.inverse();
  const Eigen::Matrix2f B = per_blur.cast<float>();
  const Eigen::Matrix2f BS = (per_blur * ellipse.shape).cast<float>();
  std::size_t size = 0;
  for (const PixelRun& run : runs) size += static_cast<std::size_t>(run.count);
  result->resize(size);
  std::vector<Sums> sums(size);
  AddNodes(ellipse, per_blur, runs, &sums);
  EllipseShare* at_run = result->data();
  const Sums* sums_of_run = sums.data();
  for (const PixelRun& run : runs) {
    const auto x = static_cast<float>(ellipse.centre.x() - run.x);
    const auto dy = static_cast<float>(run.y - ellipse.centre.y());
    float before = 0.0f;
    for (int i = run.count - 1; i >= 0; --i) {
      const Sums& sum = sums_of_run[i];
      before += sum.before;
      const float n_x = sum.first[0], n_y = sum.first[1], n_xx = sum.first[2], n_xy = sum.first[3],
                  n_yy = sum.second[0], share = sum.second[1];
      const float dx = static_cast<float>(i) - x;
      // blur^-1 (d n^T - shape n n^T), d = x - centre
      const float d_x = B(0, 0) * dx + B(0, 1) * dy, d_y = B(1, 0) * dx + B(1, 1) * dy;
      at_run[i].share = share + before;
      at_run[i].by << n_x, n_y, 0.5f * n_xx, n_xy, 0.5f * n_yy,
          0.5f * (d_x * n_x - BS(0, 0) * n_xx - BS(0, 1) * n_xy),
          d_x * n_y - BS(0, 0) * n_xy - BS(0, 1) * n_yy,
          0.5f * (d_y * n_y - BS(1, 0) * n_xy - BS(1, 1) * n_yy);
    }
    at_run += run.count;
    sums_of_run += run.count;
  }
}

}  // namespace percuss::tracking
