// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/corner_refinement.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace percuss::calibration {
namespace {

// Order of the parameters: c (2), edge angles (2), blur before the pixels s0, a, g (2), b.
constexpr int kNumParameters = 9;
// A pixel averages over its square, whose variance along any direction is 1/12 px^2; so the edge
// profile cannot be sharper than that.
constexpr double kPixelVariance = 1.0 / 12.0;
// Where edges are as sharp as the pixels, s0 makes no difference. A weak pull to a usual value
// keeps the fit determined; it weighs as little as one pixel that is wrong by this part of the
// contrast.
constexpr double kUsualBlur = 0.4;
constexpr double kBlurPull = 0.1;
using Parameters = Eigen::Matrix<double, kNumParameters, 1>;
using Normal = Eigen::Matrix<double, kNumParameters, kNumParameters>;

struct Sample {
  double x, y, light;
};

struct Linearisation {
  Normal hessian = Normal::Zero();
  Parameters gradient = Parameters::Zero();
  double cost = 0.0;  // sum of squares
};

double Blur(const Parameters& p) { return std::sqrt(p[4] * p[4] + kPixelVariance); }

double Model(const Parameters& p, const Sample& sample, Parameters* jacobian) {
  const double dx = sample.x - p[0], dy = sample.y - p[1];
  const double s = Blur(p);
  double edge[2], edge_slope[2], along[2], normal_x[2], normal_y[2], distance[2];
  for (int k = 0; k < 2; ++k) {
    const double cosine = std::cos(p[2 + k]), sine = std::sin(p[2 + k]);
    normal_x[k] = -sine;
    normal_y[k] = cosine;
    distance[k] = normal_x[k] * dx + normal_y[k] * dy;
    along[k] = cosine * dx + sine * dy;
    const double z = distance[k] / (std::numbers::sqrt2 * s);
    edge[k] = std::erf(z);
    edge_slope[k] = std::exp(-z * z) * 2.0 * std::numbers::inv_sqrtpi / (std::numbers::sqrt2 * s);
  }
  const double value = p[5] + p[6] * dx + p[7] * dy + p[8] * edge[0] * edge[1];
  if (jacobian != nullptr) {
    const double by_d0 = p[8] * edge_slope[0] * edge[1];
    const double by_d1 = p[8] * edge[0] * edge_slope[1];
    (*jacobian)[0] = -p[6] - by_d0 * normal_x[0] - by_d1 * normal_x[1];
    (*jacobian)[1] = -p[7] - by_d0 * normal_y[0] - by_d1 * normal_y[1];
    (*jacobian)[2] = -by_d0 * along[0];
    (*jacobian)[3] = -by_d1 * along[1];
    (*jacobian)[4] = -(by_d0 * distance[0] + by_d1 * distance[1]) * p[4] / (s * s);
    (*jacobian)[5] = 1.0;
    (*jacobian)[6] = dx;
    (*jacobian)[7] = dy;
    (*jacobian)[8] = edge[0] * edge[1];
  }
  return value;
}

double BlurPull(const Parameters& p, double contrast) {
  return kBlurPull * contrast * (kUsualBlur - p[4]);
}

double Cost(const Parameters& p, const std::vector<Sample>& samples, double contrast) {
  double cost = BlurPull(p, contrast) * BlurPull(p, contrast);
  for (const Sample& sample : samples) {
    const double residual = sample.light - Model(p, sample, nullptr);
    cost += residual * residual;
  }
  return cost;
}

Linearisation Linearise(const Parameters& p, const std::vector<Sample>& samples, double contrast) {
  Linearisation result;
  Parameters jacobian;
  for (const Sample& sample : samples) {
    const double residual = sample.light - Model(p, sample, &jacobian);
    result.hessian.selfadjointView<Eigen::Lower>().rankUpdate(jacobian);
    result.gradient += residual * jacobian;
    result.cost += residual * residual;
  }
  result.hessian = Normal(result.hessian.selfadjointView<Eigen::Lower>());
  result.hessian(4, 4) += kBlurPull * kBlurPull * contrast * contrast;
  result.gradient[4] += kBlurPull * contrast * BlurPull(p, contrast);
  result.cost += BlurPull(p, contrast) * BlurPull(p, contrast);
  return result;
}

// Pixels within the parallelogram spanned by the two steps, `half` squares to each side.
std::vector<Sample> Window(const cv::Mat& light, const CornerGuess& guess, double half_x,
                           double half_y) {
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
      samples.push_back(
          {static_cast<double>(x), static_cast<double>(y), static_cast<double>(row[x])});
    }
  }
  return samples;
}

Parameters Start(const CornerGuess& guess, const std::vector<Sample>& samples) {
  Parameters p = Parameters::Zero();
  p[0] = guess.pixel.x();
  p[1] = guess.pixel.y();
  p[2] = std::atan2(guess.step_x.y(), guess.step_x.x());
  p[3] = std::atan2(guess.step_y.y(), guess.step_y.x());
  p[4] = kUsualBlur;
  p[8] = 1.0;
  // Brightness and contrast of the start are linear given the edges.
  Eigen::Matrix2d normal = Eigen::Matrix2d::Zero();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  for (const Sample& sample : samples) {
    const Eigen::Vector2d row(1.0, Model(p, sample, nullptr));
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
  const std::vector<Sample> samples = Window(light, guess, half_x, half_y);
  if (static_cast<int>(samples.size()) < 3 * kNumParameters) return result;

  Parameters p = Start(guess, samples);
  const double contrast = 2.0 * std::abs(p[8]);  // fixed, so that the cost is one function
  Linearisation at = Linearise(p, samples, contrast);
  double damping = 1e-3;
  for (int iteration = 0; iteration < options.max_iterations && damping < 1e8; ++iteration) {
    Normal damped = at.hessian;
    damped.diagonal() *= 1.0 + damping;
    const Parameters step = damped.ldlt().solve(at.gradient);
    if (!step.allFinite()) break;
    const Parameters trial = p + step;
    if (Cost(trial, samples, contrast) < at.cost) {
      p = trial;
      at = Linearise(p, samples, contrast);
      damping *= 0.1;
      if (step.head<2>().norm() < 1e-4) break;
    } else {
      damping *= 10.0;
    }
  }

  const double degrees_of_freedom = static_cast<double>(samples.size()) - kNumParameters;
  const double variance = at.cost / degrees_of_freedom;
  const Normal covariance = at.hessian.ldlt().solve(Normal::Identity()) * variance;
  result.pixel = p.head<2>();
  result.covariance = covariance.topLeftCorner<2, 2>();
  result.blur_px = Blur(p);
  result.contrast = 2.0 * std::abs(p[8]);
  result.residual = std::sqrt(variance);
  const double shift = (result.pixel - guess.pixel).norm() / std::min(length_x, length_y);
  // A corner without contrast above the misfit, or blurred over its squares, is none.
  result.ok = p.allFinite() && result.covariance.allFinite() &&
              result.covariance.diagonal().minCoeff() > 0.0 && shift <= options.max_shift_squares &&
              result.contrast > 2.0 * result.residual &&
              result.blur_px < 0.5 * std::min(length_x, length_y);
  return result;
}

}  // namespace percuss::calibration
