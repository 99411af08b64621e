// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/corner_refinement.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace percuss::calibration {
namespace {

// Order of the parameters: c (2), edge angles (2), s, a, g (2), b. The brightness a is that at the
// guess, so that pixels clear of both edges depend on the last four alone.
constexpr int kNumLevels = 4;
constexpr int kNumParameters = 9;
using Parameters = Eigen::Matrix<double, kNumParameters, 1>;
using Normal = Eigen::Matrix<double, kNumParameters, kNumParameters>;

constexpr double kLeastBlur = 0.05;  // [px]; sharper makes no difference after the pixels' average
// Where edges are as sharp as the pixels, s makes little difference. A weak pull to a usual value
// keeps the fit determined; it weighs as little as one pixel that is wrong by this part of the
// contrast.
constexpr double kUsualBlur = 0.4;
constexpr double kBlurPull = 0.1;

struct Sample {
  double x, y, light;  // place from the guess
};

struct Linearisation {
  Normal hessian = Normal::Zero();
  Parameters gradient = Parameters::Zero();
  double cost = 0.0;  // sum of squares
};

double Blur(const Parameters& p) { return std::max(std::abs(p[4]), kLeastBlur); }

// The step from -1 to 1 across a straight edge as the pixels see it: a Gaussian-blurred step,
// averaged over squares of 1 px. Along the edge's normal (x, y) a square is the convolution of two
// boxes of widths |x| and |y|, so the step and its derivatives are second differences of the
// integrals of erf. Tabulated once, since an image window asks for it hundreds of times.
class EdgeProfile {
 public:
  EdgeProfile(double angle, double blur)
      : wide_(std::max(std::abs(std::sin(angle)), kThinnest)),
        thin_(std::max(std::abs(std::cos(angle)), kThinnest)),
        blur_(blur),
        reach_(0.5 * (wide_ + thin_) + 5.0 * blur),
        spacing_(std::max(0.05, blur / 4.0)) {
    const int count = static_cast<int>(std::ceil(reach_ / spacing_)) + 2;
    table_.reserve(static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) table_.push_back(Exact(k * spacing_));
  }

  struct Value {
    double step;       // E(d), odd
    double slope;      // E'(d), even
    double curvature;  // E''(d), odd
  };

  Value At(double distance) const {
    const double size = std::abs(distance), sign = distance < 0.0 ? -1.0 : 1.0;
    if (size >= reach_) return {sign, 0.0, 0.0};
    const auto k = static_cast<std::size_t>(size / spacing_);
    const double t = size / spacing_ - static_cast<double>(k);
    const Value &at0 = table_[k], &at1 = table_[k + 1];
    return {sign * Hermite(t, at0.step, at0.slope, at1.step, at1.slope),
            Hermite(t, at0.slope, at0.curvature, at1.slope, at1.curvature),
            sign * (at0.curvature + t * (at1.curvature - at0.curvature))};
  }

 private:
  static constexpr double kThinnest = 0.01;  // keeps the differences away from rounding

  Value Exact(double d) const {
    Value value{0.0, 0.0, 0.0};
    for (const double wide_side : {-0.5, 0.5}) {
      for (const double thin_side : {-0.5, 0.5}) {
        const double x = d + wide_side * wide_ + thin_side * thin_;
        const double weight = (wide_side * thin_side > 0.0 ? 1.0 : -1.0) / (wide_ * thin_);
        const double error = std::erf(x / (std::numbers::sqrt2 * blur_));
        const double bell = blur_ * std::numbers::sqrt2 * std::numbers::inv_sqrtpi *
                            std::exp(-0.5 * x * x / (blur_ * blur_));
        value.step += weight * 0.5 * ((x * x + blur_ * blur_) * error + x * bell);
        value.slope += weight * (x * error + bell);
        value.curvature += weight * error;
      }
    }
    return value;
  }

  double Hermite(double t, double value0, double slope0, double value1, double slope1) const {
    const double u = 1.0 - t;
    return u * u * ((1.0 + 2.0 * t) * value0 + t * spacing_ * slope0) +
           t * t * ((1.0 + 2.0 * u) * value1 - u * spacing_ * slope1);
  }

  double wide_, thin_, blur_, reach_, spacing_;
  std::vector<Value> table_;
};

using LevelJacobian = Eigen::Matrix<double, kNumLevels, 1>;

// Pictures of one set of parameters, c counted from the guess.
class Model {
 public:
  explicit Model(const Parameters& p)
      : p_(p), edges_{EdgeProfile(p[2], Blur(p)), EdgeProfile(p[3], Blur(p))} {
    for (int k = 0; k < 2; ++k) along_[k] = {std::cos(p[2 + k]), std::sin(p[2 + k])};
  }

  // What a sample sees of the two edges.
  struct Seen {
    EdgeProfile::Value edge[2];
    double along[2];
    bool Flat() const { return edge[0].slope == 0.0 && edge[1].slope == 0.0; }
  };

  Seen See(const Sample& sample) const {
    const double dx = sample.x - p_[0], dy = sample.y - p_[1];
    Seen seen;
    for (int k = 0; k < 2; ++k) {
      seen.along[k] = along_[k].x() * dx + along_[k].y() * dy;
      seen.edge[k] = edges_[k].At(along_[k].x() * dy - along_[k].y() * dx);
    }
    return seen;
  }

  // By a, g and b.
  LevelJacobian ByLevels(const Sample& sample, const Seen& seen) const {
    return {1.0, sample.x, sample.y, seen.edge[0].step * seen.edge[1].step};
  }

  // By c, angles and s.
  Eigen::Matrix<double, kNumParameters - kNumLevels, 1> ByShape(const Seen& seen) const {
    const auto& edge = seen.edge;
    const double by_d0 = p_[8] * edge[0].slope * edge[1].step;
    const double by_d1 = p_[8] * edge[0].step * edge[1].slope;
    // Blurring is diffusion: dE/ds = s E''.
    const double by_blur =
        p_[8] * Blur(p_) * (edge[0].curvature * edge[1].step + edge[0].step * edge[1].curvature);
    return {by_d0 * along_[0].y() + by_d1 * along_[1].y(),
            -by_d0 * along_[0].x() - by_d1 * along_[1].x(), -by_d0 * seen.along[0],
            -by_d1 * seen.along[1], p_[4] > kLeastBlur ? by_blur : 0.0};
  }

 private:
  Parameters p_;
  EdgeProfile edges_[2];
  Eigen::Vector2d along_[2];
};

double BlurPull(const Parameters& p, double contrast) {
  return kBlurPull * contrast * (kUsualBlur - p[4]);
}

Linearisation Linearise(const Parameters& p, const std::vector<Sample>& samples, double contrast) {
  Linearisation result;
  Eigen::Matrix<double, kNumLevels, kNumLevels> flat_hessian =
      Eigen::Matrix<double, kNumLevels, kNumLevels>::Zero();
  LevelJacobian flat_gradient = LevelJacobian::Zero();
  // Rows of the Jacobian with the residual behind: their products are all the sums that are needed,
  // and of an even size the compiler makes pairs.
  using Row = Eigen::Matrix<double, kNumParameters + 1, 1>;
  using Products = Eigen::Matrix<double, kNumParameters + 1, kNumParameters + 1>;
  Row row;
  Products products = Products::Zero();
  const Model model(p);
  for (const Sample& sample : samples) {
    const Model::Seen seen = model.See(sample);
    const LevelJacobian by_levels = model.ByLevels(sample, seen);
    const double residual = sample.light - by_levels.dot(p.tail<kNumLevels>());
    // Most pixels are clear of both edges, and cheap.
    if (seen.Flat()) {
      flat_hessian += by_levels * by_levels.transpose();
      flat_gradient += residual * by_levels;
      result.cost += residual * residual;
    } else {
      row << model.ByShape(seen), by_levels, residual;
      products.noalias() += row * row.transpose();
    }
  }
  result.hessian = products.topLeftCorner<kNumParameters, kNumParameters>();
  result.gradient = products.topRightCorner<kNumParameters, 1>();
  result.cost += products(kNumParameters, kNumParameters);
  result.hessian.bottomRightCorner<kNumLevels, kNumLevels>() += flat_hessian;
  result.gradient.tail<kNumLevels>() += flat_gradient;
  result.hessian(4, 4) += kBlurPull * kBlurPull * contrast * contrast;
  result.gradient[4] += kBlurPull * contrast * BlurPull(p, contrast);
  result.cost += BlurPull(p, contrast) * BlurPull(p, contrast);
  return result;
}

// Pixels within the parallelogram spanned by the two steps, `half` squares to each side.
// Pixels beyond `clear` in both directions are left out.
std::vector<Sample> Window(const cv::Mat& light, const CornerGuess& guess, double half_x,
                           double half_y, const Eigen::Array2d& clear) {
  Eigen::Matrix2d steps;
  steps << guess.step_x, guess.step_y;
  const Eigen::Matrix2d squares_of_pixels = steps.inverse();
  const double reach_x = half_x * std::abs(guess.step_x.x()) + half_y * std::abs(guess.step_y.x());
  const double reach_y = half_x * std::abs(guess.step_x.y()) + half_y * std::abs(guess.step_y.y());
  const int x0 = std::max(0, static_cast<int>(std::ceil(guess.pixel.x() - reach_x)));
  const int y0 = std::max(0, static_cast<int>(std::ceil(guess.pixel.y() - reach_y)));
  const int x1 = std::min(light.cols - 1, static_cast<int>(std::floor(guess.pixel.x() + reach_x)));
  const int y1 = std::min(light.rows - 1, static_cast<int>(std::floor(guess.pixel.y() + reach_y)));
  std::vector<Sample> samples;
  for (int y = y0; y <= y1; ++y) {
    const auto* row = light.ptr<float>(y);
    for (int x = x0; x <= x1; ++x) {
      const Eigen::Vector2d square = squares_of_pixels * (Eigen::Vector2d(x, y) - guess.pixel);
      if (std::abs(square.x()) > half_x || std::abs(square.y()) > half_y) continue;
      if ((square.array().abs() > clear).all()) continue;
      samples.push_back({x - guess.pixel.x(), y - guess.pixel.y(), static_cast<double>(row[x])});
    }
  }
  return samples;
}

Parameters Start(const CornerGuess& guess, const std::vector<Sample>& samples) {
  Parameters p = Parameters::Zero();
  p[2] = std::atan2(guess.step_x.y(), guess.step_x.x());
  p[3] = std::atan2(guess.step_y.y(), guess.step_y.x());
  p[4] = guess.blur_px;
  // Brightness and contrast of the start are linear given the edges.
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  const Model model(p);
  for (const Sample& sample : samples) {
    const Eigen::Vector2d row(1.0, model.ByLevels(sample, model.See(sample))[3]);
    normal += row * row.transpose();
    right += row * sample.light;
  }
  const Eigen::Vector2d level = normal.ldlt().solve(right);
  p[5] = level[0];
  p[8] = level[1];
  return p;
}

}  // namespace

RefinedCorner RefineCorner(const cv::Mat& light, const CornerGuess& guess,
                           const CornerRefinementOptions& options) {
  RefinedCorner result;
  const double length_x = guess.step_x.norm(), length_y = guess.step_y.norm();
  if (!(length_x > 2.0) || !(length_y > 2.0)) return result;
  const double half_x = std::min(options.window_squares, options.max_half_window_px / length_x);
  const double half_y = std::min(options.window_squares, options.max_half_window_px / length_y);
  // 2 px for the blurred edge of what is drawn there, or 1 px where that leaves too little.
  constexpr double kGap = 2.0, kLeastGap = 1.0, kUsualClear = 1.5, kLeastClear = 0.6;  // [px]
  const Eigen::Array2d drawn_px = options.clear_squares * Eigen::Array2d(length_x, length_y);
  const Eigen::Array2d clear_px = (drawn_px - kGap).max((drawn_px - kLeastGap).min(kUsualClear));
  if (clear_px.minCoeff() < kLeastClear) return result;
  const std::vector<Sample> samples =
      Window(light, guess, half_x, half_y, clear_px / Eigen::Array2d(length_x, length_y));
  if (static_cast<int>(samples.size()) < 3 * kNumParameters) return result;

  Parameters p = Start(guess, samples);
  const double contrast = 2.0 * std::abs(p[8]);  // fixed, so that the cost is one function
  Linearisation at = Linearise(p, samples, contrast);
  constexpr double kLastStep = 1e-3;  // [px]
  double damping = 1e-3;
  for (int iteration = 0; iteration < options.max_iterations && damping < 1e8; ++iteration) {
    Normal damped = at.hessian;
    damped.diagonal() *= 1.0 + damping;
    const Parameters step = damped.ldlt().solve(at.gradient);
    if (!step.allFinite()) break;
    const Parameters trial = p + step;
    const Linearisation there = Linearise(trial, samples, contrast);
    if (there.cost < at.cost) {
      p = trial;
      at = there;
      damping *= 0.1;
      if (step.head<2>().norm() < kLastStep) break;
    } else {
      damping *= 10.0;
    }
  }

  const double degrees_of_freedom = static_cast<double>(samples.size()) - kNumParameters;
  const double variance = at.cost / degrees_of_freedom;
  const Normal covariance = at.hessian.ldlt().solve(Normal::Identity()) * variance;
  result.pixel = guess.pixel + p.head<2>();
  result.covariance = covariance.topLeftCorner<2, 2>();
  result.blur_px = Blur(p);
  result.contrast = 2.0 * std::abs(p[8]);
  result.residual = std::sqrt(variance);
  const double shift = p.head<2>().norm() / std::min(length_x, length_y);
  // A corner without contrast above the misfit, or blurred over its squares, is none.
  result.ok = p.allFinite() && result.covariance.allFinite() &&
              result.covariance.diagonal().minCoeff() > 0.0 && shift <= options.max_shift_squares &&
              result.contrast > 2.0 * result.residual &&
              result.blur_px < 0.5 * std::min(length_x, length_y);
  return result;
}

}  // namespace percuss::calibration
