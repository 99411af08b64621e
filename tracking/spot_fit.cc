// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spot_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>

namespace percuss::tracking {
namespace {

enum Parameter { kBackground = kNumEllipseParameters, kContrast, kSlopeX, kSlopeY, kNumParameters };
using Parameters = Eigen::Matrix<double, kNumParameters, 1>;
using Normal = Eigen::Matrix<double, kNumParameters, kNumParameters>;
using Jacobian = Eigen::Matrix<float, Eigen::Dynamic, kNumParameters>;

// What is known before: lenses blur by about a pixel, ground is about even. The covariance of the
// blur is that of the pixel square, 1/12, and of the lens.
constexpr double kUsualBlur = 0.5, kBlurSigma = 1.0;  // [px^2]
constexpr double kSlopeSigma = 0.0003;                // of the light per pixel
// Of the contrast that the peak shows: blur hides some of it, and trades it for width in small
// spots.
constexpr double kContrastSigma = 1.0;
// Lenses and shutters do not blur by a Gaussian, and markers are not quite even: standard deviation
// and largest size of what is wrong with the modelled light half way up the edge, of the contrast.
constexpr float kModelError = 0.01f, kLargestModelError = 0.1f;
constexpr double kRounding = 0.2887;                    // noise of whole grey values
constexpr double kLeastBlur = 0.12, kLeastShape = 0.1;  // [px^2]

/// Residuals and Jacobian of the modelled grey values in units of what noise and model error leave.
struct Linearised {
  Eigen::ArrayXf residual;
  Eigen::ArrayXf noise;      ///< standard deviation in the same units, at most 1
  Eigen::ArrayXf tolerance;  ///< kLargestModelError in the same units
  Jacobian jacobian;
};

void Linearise(const SpotPixels& pixels, const ToneTables& tone, double grey_noise,
               const SpotModel& model, EllipseShare* share, Linearised* result) {
  EvaluateEllipse(model.ellipse, pixels.runs, share);
  const auto contrast = static_cast<float>(model.contrast);
  const Eigen::ArrayXf of_ground = 1.0f - share->share;
  const Eigen::ArrayXf uneven = static_cast<float>(model.slope.x()) * pixels.x +
                                static_cast<float>(model.slope.y()) * pixels.y;
  const Eigen::ArrayXf light =
      static_cast<float>(model.background) + uneven * of_ground + contrast * share->share;
  const Eigen::Index n = light.size();
  Eigen::ArrayXf by_light(n);
  result->residual.resize(n);
  const auto per_noise = static_cast<float>(1.0 / grey_noise);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto [grey, slope] = tone.Grey(light[i]);
    result->residual[i] = (tone.Within(pixels.grey[i]) - grey) * per_noise;
    by_light[i] = slope * per_noise;
  }
  const Eigen::ArrayXf model_error =
      (4.0f * kModelError * std::abs(contrast)) * by_light * share->share * of_ground;
  const Eigen::ArrayXf per_sigma = (1.0f + model_error.square()).rsqrt();
  result->noise = per_sigma;
  result->residual *= per_sigma;
  by_light *= per_sigma;
  result->tolerance = kLargestModelError / kModelError * model_error * per_sigma;
  result->jacobian.resize(n, kNumParameters);
  const Eigen::ArrayXf by_share = (contrast - uneven) * by_light;
  for (int k = 0; k < kNumEllipseParameters; ++k) {
    result->jacobian.col(k) = by_share * share->by.col(k);
  }
  result->jacobian.col(kBackground) = by_light;
  result->jacobian.col(kContrast) = by_light * share->share;
  result->jacobian.col(kSlopeX) = by_light * of_ground * pixels.x;
  result->jacobian.col(kSlopeY) = by_light * of_ground * pixels.y;
}

/// Weights that leave noise alone and take the influence of all else back to nothing.
Eigen::ArrayXf RobustWeights(const Eigen::ArrayXf& residual, const Eigen::ArrayXf& tolerance) {
  constexpr float kFree = 3.0f;
  Eigen::ArrayXf sizes = residual.abs();
  const auto middle = sizes.data() + sizes.size() / 2;
  std::nth_element(sizes.data(), middle, sizes.data() + sizes.size());
  const float bound = kFree * std::max(1.0f, 1.4826f * *middle);
  const Eigen::ArrayXf free = bound + tolerance;
  const Eigen::ArrayXf ratio = free / residual.abs().max(free);
  return ratio * ratio * ratio;
}

/// Covariance of the centre: what the noise alone makes of a linear estimate whose weights allow
/// for more than noise. @param gain the columns of the centre of the inverse normal matrix.
Eigen::Matrix2d NoiseCovariance(const Jacobian& weighted, const Eigen::ArrayXf& noise,
                                const Eigen::Matrix<double, kNumParameters, 2>& gain) {
  Eigen::Matrix<float, Eigen::Dynamic, 2> by_residual = weighted * gain.cast<float>();
  by_residual.array().colwise() *= noise;
  return (by_residual.transpose() * by_residual).cast<double>();
}

Eigen::Matrix2d AtLeast(const Eigen::Matrix2d& matrix, double least) {
  const double mean = 0.5 * matrix.trace();
  const double root = std::hypot(0.5 * (matrix(0, 0) - matrix(1, 1)), matrix(0, 1));
  if (mean - root >= least) return matrix;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
  eigen.computeDirect(matrix);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(least).asDiagonal() *
         eigen.eigenvectors().transpose();
}

SpotModel Moved(const SpotModel& model, const Parameters& step) {
  SpotModel moved = model;
  moved.ellipse.centre += step.segment<2>(kCentreX);
  const auto add = [&](int first, Eigen::Matrix2d* matrix) {
    (*matrix)(0, 0) += step[first];
    (*matrix)(0, 1) += step[first + 1];
    (*matrix)(1, 0) += step[first + 1];
    (*matrix)(1, 1) += step[first + 2];
  };
  add(kShapeXX, &moved.ellipse.shape);
  add(kBlurXX, &moved.ellipse.blur);
  moved.ellipse.shape = AtLeast(moved.ellipse.shape, kLeastShape);
  moved.ellipse.blur = AtLeast(moved.ellipse.blur, kLeastBlur);
  moved.background += step[kBackground];
  moved.contrast += step[kContrast];
  moved.slope += step.segment<2>(kSlopeX);
  return moved;
}

/// What is known before, as residuals in units of their sigmas.
struct Prior {
  struct Term {
    int parameter = 0;
    double residual = 0.0, per_sigma = 0.0;  ///< residual = (known - model) per_sigma
  };
  std::array<Term, 6> terms;

  Prior(const SpotModel& model, double start_contrast) {
    const double per_blur = 1.0 / kBlurSigma;
    const double per_contrast = 1.0 / (kContrastSigma * std::abs(start_contrast));
    const double per_slope =
        1.0 / (kSlopeSigma * std::max(std::abs(model.background), std::abs(start_contrast)));
    const BlurredEllipse& ellipse = model.ellipse;
    terms = {{{kBlurXX, (kUsualBlur - ellipse.blur(0, 0)) * per_blur, per_blur},
              {kBlurXY, -ellipse.blur(0, 1) * per_blur, per_blur},
              {kBlurYY, (kUsualBlur - ellipse.blur(1, 1)) * per_blur, per_blur},
              {kContrast, (start_contrast - model.contrast) * per_contrast, per_contrast},
              {kSlopeX, -model.slope.x() * per_slope, per_slope},
              {kSlopeY, -model.slope.y() * per_slope, per_slope}}};
  }
  double Cost() const {
    double cost = 0.0;
    for (const Term& term : terms) cost += term.residual * term.residual;
    return cost;
  }
  void AddTo(Normal* normal, Parameters* right) const {
    for (const Term& term : terms) {
      (*normal)(term.parameter, term.parameter) += term.per_sigma * term.per_sigma;
      (*right)[term.parameter] += term.residual * term.per_sigma;
    }
  }
};

}  // namespace

ToneTables::ToneTables(const std::array<float, 256>& light_of_grey)
    : light_of_grey_(light_of_grey), grey_(kSize + 1) {
  while (light_of_grey[black_ + 1u] <= light_of_grey.front()) ++black_;
  while (light_of_grey[white_ - 1u] >= light_of_grey.back()) --white_;
  std::size_t below = black_;
  for (int i = 0; i <= kSize; ++i) {
    const float light = static_cast<float>(i) / kSize;
    while (below + 1 < white_ && light_of_grey[below + 1] <= light) ++below;
    const float step = light_of_grey[below + 1] - light_of_grey[below];
    const float part = std::clamp((light - light_of_grey[below]) / step, 0.0f, 1.0f);
    grey_[static_cast<std::size_t>(i)] = static_cast<float>(below) + part;
  }
}

ToneTables::GreyAndSlope ToneTables::Grey(float light) const {
  const float place = light * kSize;
  if (place >= kSize) return {static_cast<float>(white_), 0.0f};
  const auto i = static_cast<std::size_t>(std::max(place, 0.0f));
  const float slope = grey_[i + 1] - grey_[i];
  return {grey_[i] + slope * (place - static_cast<float>(i)), slope * kSize};
}

SpotFit FitSpot(const SpotPixels& pixels, const ToneTables& tone, double grey_noise,
                const SpotModel& start) {
  // Weights follow the residuals at first; from then on they stay, so that the fit comes to rest.
  constexpr int kSettled = 5, kMaxIterations = 14;
  SpotFit fit;
  fit.model = start;
  if (pixels.x.size() < 2 * kNumParameters) return fit;
  EllipseShare share;
  Linearised at;
  Eigen::ArrayXf weight;
  SpotModel tried = start;
  Normal normal;
  Parameters right;
  Eigen::Matrix<double, kNumParameters, 2> gain;
  Eigen::Matrix2d noise_covariance = Eigen::Matrix2d::Zero();
  double cost = 0.0, damping = 0.0;
  Eigen::Vector2d shift = Eigen::Vector2d::Zero();
  for (int iteration = 0; iteration < kMaxIterations && !fit.converged; ++iteration) {
    Linearise(pixels, tone, grey_noise, tried, &share, &at);
    const Prior prior(tried, start.contrast);
    const auto cost_of = [&] {
      return static_cast<double>((weight * at.residual.square()).sum()) + prior.Cost();
    };
    if (iteration == 0 || cost_of() <= 1.001 * cost) {
      const double before = fit.misfit;
      fit.model = tried;
      damping = damping < 1e-3 ? 0.0 : 0.1 * damping;
      if (iteration < kSettled) weight = RobustWeights(at.residual, at.tolerance);
      cost = cost_of();
      const Jacobian weighted = at.jacobian.array().colwise() * weight;
      normal = (weighted.transpose() * at.jacobian).cast<double>();
      right = (weighted.transpose() * at.residual.matrix()).cast<double>();
      prior.AddTo(&normal, &right);
      gain = normal.ldlt().solve(Normal::Identity().leftCols<2>());
      noise_covariance = NoiseCovariance(weighted, at.noise, gain);
      // The noise of this place is another one than that of the image (level, compression): taken
      // from the pixels where the model is sure.
      const double used = static_cast<double>((weight * at.noise.square()).sum());
      const double count = weight.sum(), free = 1.0 - std::min(0.5, double{kNumParameters} / count);
      fit.misfit = static_cast<double>((weight * at.residual.square()).sum()) / (used * free);
      const double variance = gain.topRows<2>().trace() * std::max(1.0, fit.misfit);
      shift = gain.transpose() * right;
      fit.converged = iteration > 0 && shift.squaredNorm() < 0.01 * variance &&
                      std::abs(fit.misfit - before) < 0.1 * fit.misfit;
    } else {
      damping = std::max(10.0 * damping, 0.01);
    }
    Normal damped = normal;
    damped.diagonal() *= 1.0 + damping;
    const Parameters step = damped.ldlt().solve(right);
    if (!step.allFinite()) return fit;
    constexpr double kLongest = 1.0;  // [px], the linear range
    const double length = step.segment<2>(kCentreX).norm();
    tried = Moved(fit.model, std::min(1.0, kLongest / std::max(length, 1e-12)) * step);
  }
  // What is left to go is less than a tenth of a sigma, or known to be uncertain.
  if (fit.converged) fit.model = tried;
  const double least = kRounding * kRounding / (grey_noise * grey_noise);
  fit.covariance = noise_covariance * std::max(fit.misfit, least);
  if (!fit.converged) fit.covariance += shift * shift.transpose();
  return fit;
}

}  // namespace percuss::tracking
