// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/spot_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace percuss::tracking {
namespace {

enum Parameter { kBackground = kNumEllipseParameters, kContrast, kSlopeX, kSlopeY, kNumParameters };
using Parameters = Eigen::Matrix<double, kNumParameters, 1>;
using Normal = Eigen::Matrix<double, kNumParameters, kNumParameters>;
using Gain = Eigen::Matrix<double, kNumParameters, 2>;

// What is known before: lenses blur by about a pixel, ground is about even (and that about a bright
// marker as even as light of a third of its contrast: it is lit by other things). The covariance of
// the blur is that of the pixel square, 1/12, and of the lens.
constexpr double kUsualBlur = 0.5, kBlurSigma = 1.0;  // [px^2]
constexpr double kSlopeSigma = 0.0007;                // of the ground per pixel
// Of the contrast that the peak shows: blur hides some of it, and trades it for width in small
// spots.
constexpr double kContrastSigma = 1.0;
// Lenses and shutters do not blur by a Gaussian, and markers are not quite even: standard deviation
// and largest size of what is wrong with the modelled light half way up the edge, of the contrast.
constexpr float kModelError = 0.006f, kLargestModelError = 0.1f;
constexpr double kRounding = 0.2887;                    // noise of whole grey values
constexpr double kLeastBlur = 0.12, kLeastShape = 0.1;  // [px^2]

/// One pixel of the linearised model, in units of what noise and model error leave.
struct Row {
  Eigen::Array<float, kNumParameters, 1> by;  ///< derivatives of the modelled grey value
  float residual = 0.0f;
  float model_error = 0.0f;  ///< standard deviation in units of the noise, of the present model
  // Those of the last weighing:
  float noise = 1.0f;      ///< standard deviation in the units of the row, at most 1
  float tolerance = 0.0f;  ///< kLargestModelError in the same units
  float weight = 1.0f;     ///< robust
};

/// Everything of the rows but what weighs them.
void Linearise(const SpotPixels& pixels, const ToneTables& tone, double grey_noise,
               const SpotModel& model, std::vector<EllipseShare>* shares, std::vector<Row>* rows) {
  EvaluateEllipse(model.ellipse, pixels.runs, shares);
  rows->resize(shares->size());
  const auto background = static_cast<float>(model.background);
  const auto contrast = static_cast<float>(model.contrast);
  const Eigen::Vector2f slope = model.slope.cast<float>();
  const auto per_noise = static_cast<float>(1.0 / grey_noise);
  for (std::size_t k = 0; k < rows->size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    const auto& [by_ellipse, share] = (*shares)[k];
    const float x = pixels.x[i], y = pixels.y[i], of_ground = 1.0f - share;
    const float uneven = slope.x() * x + slope.y() * y;
    const auto [grey, grey_by_light] =
        tone.Grey(background + uneven * of_ground + contrast * share);
    Row& row = (*rows)[k];
    row.model_error =
        4.0f * kModelError * std::abs(contrast) * grey_by_light * per_noise * share * of_ground;
    row.residual = (tone.Within(pixels.grey[i]) - grey) * per_noise * row.noise;
    const float by_light = grey_by_light * per_noise * row.noise;
    row.by.head<kNumEllipseParameters>() = (contrast - uneven) * by_light * by_ellipse;
    // One by one: a vector put together in memory is waited for when it is read back.
    row.by[kBackground] = by_light;
    row.by[kContrast] = by_light * share;
    row.by[kSlopeX] = by_light * of_ground * x;
    row.by[kSlopeY] = by_light * of_ground * y;
  }
}

/// Units that allow for the errors of the present model, and weights that leave noise alone and
/// take the influence of all else back to nothing. Between two weighings neither changes, so that
/// costs of several models can be compared.
void Weigh(std::vector<Row>* rows) {
  constexpr float kFree = 3.0f;
  std::vector<float> sizes;
  sizes.reserve(rows->size());
  for (Row& row : *rows) {
    const float noise = 1.0f / std::sqrt(1.0f + row.model_error * row.model_error);
    const float finer = noise / row.noise;
    row.noise = noise;
    row.tolerance = kLargestModelError / kModelError * row.model_error * noise;
    row.residual *= finer;
    row.by *= finer;
    sizes.push_back(std::abs(row.residual));
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const float bound = kFree * std::max(1.0f, 1.4826f * *middle);
  for (Row& row : *rows) {
    const float free = bound + row.tolerance;
    const float ratio = free / std::max(std::abs(row.residual), free);
    row.weight = ratio * ratio * ratio;
  }
}

/// Four rows and columns of the normal matrix: small enough to stay in registers.
template <int kRow, int kColumn>
void SetBlock(const std::vector<Row>& rows, Normal* normal) {
  Eigen::Array4f first = Eigen::Array4f::Zero(), second = first, third = first, fourth = first;
  for (const Row& row : rows) {
    const Eigen::Array4f right = row.weight * row.by.segment<4>(4 * kColumn);
    first += row.by[4 * kRow] * right;
    second += row.by[4 * kRow + 1] * right;
    third += row.by[4 * kRow + 2] * right;
    fourth += row.by[4 * kRow + 3] * right;
  }
  Eigen::Matrix4f block;
  block << first.matrix(), second.matrix(), third.matrix(), fourth.matrix();
  normal->block<4, 4>(4 * kColumn, 4 * kRow) = block.cast<double>();
  normal->block<4, 4>(4 * kRow, 4 * kColumn) = block.transpose().cast<double>();
}

/// J^T W J and J^T W r.
void SetNormalEquations(const std::vector<Row>& rows, Normal* normal, Parameters* right) {
  static_assert(kNumParameters == 12);
  SetBlock<0, 0>(rows, normal);
  SetBlock<0, 1>(rows, normal);
  SetBlock<0, 2>(rows, normal);
  SetBlock<1, 1>(rows, normal);
  SetBlock<1, 2>(rows, normal);
  SetBlock<2, 2>(rows, normal);
  Eigen::Array<float, kNumParameters, 1> sum = Eigen::Array<float, kNumParameters, 1>::Zero();
  for (const Row& row : rows) sum += row.weight * row.residual * row.by;
  *right = sum.matrix().cast<double>();
}

/// Sums of the weights, of the weighted squares of the residuals and of the noise.
struct Totals {
  double weight = 0.0, residual = 0.0, noise = 0.0;

  explicit Totals(const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      weight += static_cast<double>(row.weight);
      residual += static_cast<double>(row.weight * row.residual * row.residual);
      noise += static_cast<double>(row.weight * row.noise * row.noise);
    }
  }
  /// Mean squared residual over the noise variance. The noise of this place is another one than
  /// that of the image (level, compression): taken from the pixels where the model is sure.
  double Misfit() const {
    return residual / (noise * (1.0 - std::min(0.5, double{kNumParameters} / weight)));
  }
};

/// Covariance of the centre: what the noise alone makes of a linear estimate whose weights allow
/// for more than noise. @param gain the columns of the centre of the inverse normal matrix.
Eigen::Matrix2d NoiseCovariance(const std::vector<Row>& rows, const Gain& gain) {
  const Eigen::Array<float, kNumParameters, 2> of_centre = gain.cast<float>();
  Eigen::Matrix2f sum = Eigen::Matrix2f::Zero();
  for (const Row& row : rows) {
    const Eigen::Vector2f by_residual(row.weight * row.noise * (row.by * of_centre.col(0)).sum(),
                                      row.weight * row.noise * (row.by * of_centre.col(1)).sum());
    sum += by_residual * by_residual.transpose();
  }
  return sum.cast<double>();
}

/// The residuals of a spot by their places.
struct ResidualImage {
  using Image = Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  int x = 0, y = 0;  ///< of the first column and row
  Image residual;    ///< in units of the noise
  Image weight;      ///< 0 outside the spot, small where the model is not sure
};

ResidualImage ImageOf(const SpotPixels& pixels, const std::vector<Row>& rows) {
  const auto first = [](const PixelRun& run) { return run.x; };
  const auto end = [](const PixelRun& run) { return run.x + run.count; };
  ResidualImage image;
  image.x = std::ranges::min(pixels.runs, {}, first).x;
  image.y = pixels.runs.front().y;
  image.residual.setZero(pixels.runs.back().y + 1 - image.y,
                         end(std::ranges::max(pixels.runs, {}, end)) - image.x);
  image.weight.setZero(image.residual.rows(), image.residual.cols());
  std::size_t k = 0;
  for (const PixelRun& run : pixels.runs) {
    for (int i = 0; i < run.count; ++i, ++k) {
      const Row& row = rows[k];
      image.residual(run.y - image.y, run.x + i - image.x) = row.residual / row.noise;
      image.weight(run.y - image.y, run.x + i - image.x) = row.weight * row.noise * row.noise;
    }
  }
  return image;
}

/// Weighted mean of squares.
struct MeanSquare {
  double sum = 0.0, weights = 0.0, squared_weights = 0.0;

  void Add(float value, float weight) {
    sum += static_cast<double>(weight * value * value);
    weights += static_cast<double>(weight);
    squared_weights += static_cast<double>(weight * weight);
  }
  double Value() const { return sum / weights; }  ///< NaN of nothing
  double Count() const { return weights * weights / squared_weights; }
};

/// Noise variance from what the residuals are more on one side of the centre than on the other.
///
/// Each is compared with the one at its mirror image c + (c - x), interpolated between four pixels.
/// All mirror images lie at the same place within their pixels, so that the difference has 1 + q
/// times the variance of one residual, with q = sum of the squared interpolation weights.
double OddVariance(const ResidualImage& image, const Eigen::Vector2d& centre) {
  constexpr double kOddParameters = 4.0;  // centre and slope of the ground
  const Eigen::Array2d mirrored_first(2.0 * centre.x() - image.x, 2.0 * centre.y() - image.y);
  const Eigen::Array2d whole = mirrored_first.floor();
  const auto x0 = static_cast<Eigen::Index>(whole.x()) - image.x;
  const auto y0 = static_cast<Eigen::Index>(whole.y()) - image.y;
  const Eigen::Array2f right = (mirrored_first - whole).cast<float>(), left = 1.0f - right;
  Eigen::Matrix2f share;
  share << left.y() * left.x(), left.y() * right.x(), right.y() * left.x(), right.y() * right.x();
  MeanSquare odd;
  for (Eigen::Index y = 0; y < image.weight.rows(); ++y) {
    for (Eigen::Index x = 0; x < image.weight.cols(); ++x) {
      const Eigen::Index u = x0 - x, v = y0 - y;
      if (u < 0 || v < 0 || u + 1 >= image.weight.cols() || v + 1 >= image.weight.rows()) continue;
      const float mirrored = image.residual.block<2, 2>(v, u).matrix().cwiseProduct(share).sum();
      odd.Add(image.residual(y, x) - mirrored,
              std::min(image.weight(y, x), image.weight.block<2, 2>(v, u).minCoeff()));
    }
  }
  const double pairs = 0.5 * odd.Count();  // each is there twice
  return odd.Value() / (1.0 + static_cast<double>(share.squaredNorm())) /
         (1.0 - std::min(0.5, kOddParameters / pairs));
}

/// Noise variance from how far residuals are from the mean of their four neighbours.
double RoughVariance(const ResidualImage& image) {
  const ResidualImage::Image &r = image.residual, &w = image.weight;
  MeanSquare rough;
  for (Eigen::Index y = 1; y + 1 < w.rows(); ++y) {
    for (Eigen::Index x = 1; x + 1 < w.cols(); ++x) {
      const float around = 0.25f * (r(y - 1, x) + r(y + 1, x) + r(y, x - 1) + r(y, x + 1));
      const float least = std::min({w(y - 1, x), w(y + 1, x), w(y, x - 1), w(y, x + 1)});
      rough.Add(r(y, x) - around, std::min(w(y, x), least));
    }
  }
  return rough.Value() / 1.25;
}

/// Variance of what moves the centre, in units of the assumed noise. What a model of shape and blur
/// gets wrong by a smooth and even amount, such as the ends of a smear, is in the misfit but leaves
/// the centre where it is: it is the same on both sides. What it gets wrong from pixel to pixel, as
/// under a lens sharper than the pixels, does not cancel, and is rough.
double VarianceThatMoves(const SpotPixels& pixels, const std::vector<Row>& rows,
                         const Eigen::Vector2d& centre, double misfit) {
  const ResidualImage image = ImageOf(pixels, rows);
  const double variance = std::max(OddVariance(image, centre), RoughVariance(image));
  return std::isfinite(variance) ? variance : misfit;
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

/// The entries of a symmetric matrix within a step, and the way back.
Eigen::Matrix2d MatrixAt(const Parameters& step, int first) {
  Eigen::Matrix2d matrix;
  matrix << step[first], step[first + 1], step[first + 1], step[first + 2];
  return matrix;
}
Eigen::Vector3d EntriesOf(const Eigen::Matrix2d& matrix) {
  return {matrix(0, 0), matrix(0, 1), matrix(1, 1)};
}

SpotModel Moved(const SpotModel& model, const Parameters& step) {
  SpotModel moved = model;
  moved.ellipse.centre += step.segment<2>(kCentreX);
  moved.ellipse.shape = AtLeast(model.ellipse.shape + MatrixAt(step, kShapeXX), kLeastShape);
  moved.ellipse.blur = AtLeast(model.ellipse.blur + MatrixAt(step, kBlurXX), kLeastBlur);
  moved.background += step[kBackground];
  moved.contrast += step[kContrast];
  moved.slope += step.segment<2>(kSlopeX);
  return moved;
}

/// A step to the minimum, kept within bounds. Where shape or blur would become less than the least,
/// they go just that far and the rest takes the step that is best with them: edges sharper than the
/// model's are common, and a step cut short otherwise leads nowhere.
Parameters WithinBounds(const Parameters& step, const Normal& normal, const Parameters& right,
                        const SpotModel& model) {
  Normal held = normal;
  Parameters pulled = right;
  bool at_bound = false;
  const auto hold = [&](int first, const Eigen::Matrix2d& matrix, double least) {
    const Eigen::Matrix2d wanted = matrix + MatrixAt(step, first), allowed = AtLeast(wanted, least);
    if (allowed == wanted) return;
    at_bound = true;
    const Eigen::Vector3d stiffness = 1e8 * normal.diagonal().segment<3>(first);
    held.diagonal().segment<3>(first) += stiffness;
    pulled.segment<3>(first) += stiffness.cwiseProduct(EntriesOf(allowed - matrix));
  };
  hold(kShapeXX, model.ellipse.shape, kLeastShape);
  hold(kBlurXX, model.ellipse.blur, kLeastBlur);
  return at_bound ? held.llt().solve(pulled) : step;
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
        1.0 / (kSlopeSigma * std::max(std::abs(model.background), 0.3 * std::abs(start_contrast)));
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

/// Whether a fit has left the spot it began at, for another one or for no spot at all.
bool IsLost(const SpotModel& model, const SpotModel& start) {
  const double radius = std::pow(start.ellipse.shape.determinant(), 0.25);
  const double contrast = model.contrast / start.contrast;
  return !((model.ellipse.centre - start.ellipse.centre).norm() < std::max(0.7, 0.3 * radius) &&
           contrast > 0.4 && contrast < 4.0);
}

}  // namespace

ToneTables::ToneTables(std::span<const float> light_of_grey)
    : light_of_grey_(light_of_grey.begin(), light_of_grey.end()),
      last_(static_cast<int>(light_of_grey.size()) - 1) {
  // Eight steps for each stored value, as long as they stay in the cache.
  constexpr int kMostSteps = 1 << 15;
  const int size = std::min(8 * (last_ + 1), kMostSteps);
  size_ = static_cast<float>(size);
  int black = 0, white = last_;
  while (light_of_grey_[black + 1] <= light_of_grey_.front()) ++black;
  while (light_of_grey_[white - 1] >= light_of_grey_.back()) --white;
  black_ = static_cast<float>(black);
  white_ = static_cast<float>(white);
  grey_.resize(size + 1);
  int below = black;
  for (int i = 0; i <= size; ++i) {
    const float light = static_cast<float>(i) / size_;
    while (below + 1 < white && light_of_grey_[below + 1] <= light) ++below;
    const float step = light_of_grey_[below + 1] - light_of_grey_[below];
    const float part = std::clamp((light - light_of_grey_[below]) / step, 0.0f, 1.0f);
    grey_[i] = static_cast<float>(below) + part;
  }
}

ToneTables::GreyAndSlope ToneTables::Grey(float light) const {
  const float place = light * size_;
  if (place >= size_) return {white_, 0.0f};
  const auto i = static_cast<std::size_t>(std::max(place, 0.0f));
  const float slope = grey_[i + 1] - grey_[i];
  return {grey_[i] + slope * (place - static_cast<float>(i)), slope * size_};
}

SpotFit FitSpot(const SpotPixels& pixels, const ToneTables& tone, double grey_noise,
                const SpotModel& start) {
  // Weights follow the residuals at first; from then on they stay, so that the fit comes to rest.
  constexpr int kSettled = 5, kMaxIterations = 14;
  constexpr double kHopeless = 8.0;  // [px^2], of a centre: there is no disc
  SpotFit fit;
  fit.model = start;
  if (pixels.x.size() < 2 * kNumParameters) return fit;
  std::vector<EllipseShare> shares;
  std::vector<Row> rows;
  SpotModel tried = start;
  Normal normal;
  Parameters right;
  Gain gain;
  double cost = 0.0, predicted = 0.0, damping = 0.0;
  bool close = false;
  Eigen::Vector2d shift = Eigen::Vector2d::Zero(), centre = shift;  // of the rows
  for (int iteration = 0; iteration < kMaxIterations && !fit.converged; ++iteration) {
    Linearise(pixels, tone, grey_noise, tried, &shares, &rows);
    centre = tried.ellipse.centre;
    const Prior prior(tried, start.contrast);
    const double gained = cost - Totals(rows).residual - prior.Cost();
    // Where the model is wrong by far more than noise, full steps go to and fro about the minimum.
    if (iteration > 0 && gained < 0.25 * predicted) {
      damping = std::max(4.0 * damping, 0.3);
    } else if (gained > 0.5 * predicted) {
      damping = damping < 0.1 ? 0.0 : 0.1 * damping;
    }
    Parameters step;
    if (iteration == 0 || gained >= -0.001 * cost) {
      fit.model = tried;
      if (iteration > 1 && IsLost(tried, start)) break;
      if (iteration < kSettled) Weigh(&rows);
      const Totals totals(rows);
      cost = totals.residual + prior.Cost();
      SetNormalEquations(rows, &normal, &right);
      prior.AddTo(&normal, &right);
      const Eigen::LLT<Normal> solver(normal);
      gain = solver.solve(Normal::Identity().leftCols<2>());
      step = WithinBounds(solver.solve(right), normal, right, fit.model);
      shift = step.segment<2>(kCentreX);
      fit.misfit = totals.Misfit();
      const double variance = gain.topRows<2>().trace() * std::max(1.0, fit.misfit);
      close = shift.squaredNorm() < 0.03 * variance && step.dot(right) < 0.1 * totals.residual;
      fit.converged = iteration > 0 && close;
      if (iteration > 1 && variance > kHopeless) break;
    } else {
      fit.converged = close;  // there is nothing better nearby
    }
    if (damping > 0.0) {
      Normal damped = normal;
      damped.diagonal() *= 1.0 + damping;
      step = WithinBounds(damped.llt().solve(right), damped, right, fit.model);
    }
    if (!step.allFinite()) return fit;
    constexpr double kLongest = 1.0;  // [px], the linear range
    step *= std::min(1.0, kLongest / std::max(step.segment<2>(kCentreX).norm(), 1e-12));
    tried = Moved(fit.model, step);
    predicted = step.dot(2.0 * right - normal * step);
  }
  // The last step was less than a fifth of a sigma: what it leaves is far less.
  if (fit.converged) fit.model = tried;
  if (IsLost(fit.model, start)) return fit;
  const double least = kRounding * kRounding / (grey_noise * grey_noise);
  fit.covariance = NoiseCovariance(rows, gain) *
                   std::max(VarianceThatMoves(pixels, rows, centre, fit.misfit), least);
  if (!fit.converged) fit.covariance += shift * shift.transpose();
  return fit;
}

}  // namespace percuss::tracking
