// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/disc_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace percuss::tracking {
namespace {

constexpr int kPattern = 6;  // terms of the ball's light: its shade, then a slope
constexpr int kGains = 7;    // of the ground's

enum DiscParameter {
  kCx,
  kCy,
  kR,
  kSweepX,
  kSweepY,
  kBlur,
  kStretchA,
  kStretchB,
  kInside,
  kGround = kInside + kPattern,
  kNumDisc = kGround + kGains
};
using DiscVector = Eigen::Matrix<double, kNumDisc, 1>;
using DiscMatrix = Eigen::Matrix<double, kNumDisc, kNumDisc>;

constexpr double kWithin = 6.0;       // [px] of the ball that count, inside of its outline
constexpr double kBeyond = 4.0;       // standard deviations of the blur outside, and 2 px
constexpr double kGainSigma = 0.1;    // of the ground's gain
constexpr double kLevelSigma = 0.3;   // of the ball's slope without a shade, of full light
constexpr double kShadeSigma = 0.1;   // of the factor of the shade
constexpr double kSlopeSigma = 0.01;  // of the slope beside a shade, before the picture says more
constexpr double kLeastScatter = 0.0005;  // of slopes and gains: what the model is good to
constexpr double kMostScatter = 1.0;
constexpr double kKnownStretch = 1e-6;
constexpr std::size_t kLeastPixels = 3 * std::size_t{kNumDisc};
constexpr double kLeastDiscBlur = 0.3, kMostDiscBlur = 6.0;  // [px]
constexpr int kSectors = 36;           // in which the outline is seen, or is not
constexpr double kModelShare = 0.006;  // of the contrast: as of markers (spot_fit.cc)

struct DiscPixel {
  double x = 0.0, y = 0.0;
  double grey = 0.0, ground = 0.0;  ///< grey value; light of the ground
  double residual = 0.0, weight = 1.0, unit = 1.0;
};

using PatternVector = Eigen::Matrix<double, kPattern, 1>;
using GainVector = Eigen::Matrix<double, kGains, 1>;

PatternVector PatternAt(double x, double y, double shade) {
  PatternVector terms;
  terms << shade, 1.0, x, y, x * x - y * y, 2.0 * x * y;
  return terms;
}

GainVector GainsAt(double x, double y) {
  const double r = std::max(std::hypot(x, y), 1e-9), c = x / r, s = y / r;
  const double c2 = c * c - s * s, s2 = 2.0 * c * s;
  GainVector terms;
  terms << 1.0, c, s, c2, s2, c2 * c - s2 * s, s2 * c + c2 * s;
  return terms;
}

std::vector<DiscPixel> PixelsNear(const DiscPicture& picture, const SweptDisc& disc) {
  const auto& [luma, ground, tone, noise, most] = picture;
  const double reach = disc.radius * (1.0 + disc.stretch.norm()) + kBeyond * disc.blur + 2.0;
  const Eigen::Array2d half = reach + 0.5 * disc.sweep.array().abs();
  const Eigen::Array2d low = disc.centre.array() - half, high = disc.centre.array() + half;
  std::vector<DiscPixel> pixels;
  for (int y = std::max(0, static_cast<int>(low.y())); y <= std::min(luma.rows - 1.0, high.y());
       ++y) {
    for (int x = std::max(0, static_cast<int>(low.x())); x <= std::min(luma.cols - 1.0, high.x());
         ++x) {
      const Eigen::Vector2d depths = DepthsAt(disc, {x, y});
      if (depths[0] < -kBeyond * disc.blur - 2.0 || depths[1] > kWithin + disc.blur) continue;
      DiscPixel& pixel = pixels.emplace_back();
      pixel.x = x;
      pixel.y = y;
      pixel.grey = static_cast<double>(tone.Within(luma.at<unsigned char>(y, x)));
      pixel.ground = static_cast<double>(tone.Light(ground.at<unsigned char>(y, x)));
    }
  }
  if (pixels.size() <= most) return pixels;
  const std::size_t every = (pixels.size() + most - 1) / most;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < pixels.size(); k += every) pixels[kept++] = pixels[k];
  pixels.resize(kept);
  return pixels;
}

/// One pixel of the linearised model.
struct DiscRow {
  DiscVector by = DiscVector::Zero();  ///< derivatives of the modelled grey value
  double grey = 0.0;                   ///< modelled
  double share = 0.0;
  double step = 0.0;              ///< grey values from ground to ball, here
  double by_light = 0.0;          ///< slope of the tone curve
  int first = 0, end = kNumDisc;  ///< derivatives outside of these are 0
};

DiscRow RowAt(const DiscPixel& pixel, const SweptDisc& disc, const DiscLevels& levels,
              const ToneTables& tone, const BallShade* shade) {
  const SweptShare s = ShareAt(disc, {pixel.x, pixel.y}, shade != nullptr ? &shade->lamp : nullptr);
  const double share = s.share.value;
  const double x = (pixel.x - disc.centre.x()) / disc.radius;
  const double y = (pixel.y - disc.centre.y()) / disc.radius;
  // Light of the ball: per share, and what the lamp adds.
  double even = 0.0;
  if (shade != nullptr)
    even = shade->even + shade->rest.dot(ShadeTerms(s.normal / std::max(share, 1e-6)));
  const double factor = levels.inside[0];
  PatternVector pattern = share * PatternAt(x, y, even);
  pattern[0] += s.lit.value;
  const double per_share = levels.inside.dot(PatternAt(x, y, even));
  const GainVector of_ground = GainsAt(x, y);
  const double ground = pixel.ground * levels.gain.dot(of_ground);
  const double light = (1.0 - share) * ground + levels.inside.dot(pattern);
  const auto [grey, slope] = tone.Grey(static_cast<float>(light));
  const double by_light = static_cast<double>(slope);
  const double by_share = (per_share - ground) * by_light, by_lit = factor * by_light;
  DiscRow row;
  row.grey = static_cast<double>(grey);
  row.share = share;
  row.by_light = by_light;
  row.step = share > 1e-6 ? (levels.inside.dot(pattern) / share - ground) * by_light : by_share;
  row.by.segment<2>(kCx) = by_share * s.share.by_centre + by_lit * s.lit.by_centre;
  row.by[kR] = by_share * s.share.by_radius + by_lit * s.lit.by_radius;
  row.by.segment<2>(kSweepX) = by_share * s.share.by_sweep + by_lit * s.lit.by_sweep;
  row.by[kBlur] = by_share * s.share.by_blur + by_lit * s.lit.by_blur;
  row.by.segment<2>(kStretchA) = by_share * s.share.by_stretch + by_lit * s.lit.by_stretch;
  row.by.segment<kPattern>(kInside) = by_light * pattern;
  row.by.segment<kGains>(kGround) = by_light * (1.0 - share) * pixel.ground * of_ground;
  constexpr double kNone = 1e-9;
  if (share < kNone) row.first = kGround;
  if (share > 1.0 - kNone) row.end = kGround;
  return row;
}

// By plain loops and matrices of any size: those of a fixed size are compiled anew for each.
void AddSquare(const DiscRow& row, double weight, DiscMatrix* sum) {
  for (int j = row.first; j < row.end; ++j) {
    const double scaled = weight * row.by[j];
    for (int i = j; i < row.end; ++i) (*sum)(i, j) += scaled * row.by[i];
  }
}

void MirrorLower(DiscMatrix* matrix) {
  for (int j = 0; j < kNumDisc; ++j) {
    for (int i = 0; i < j; ++i) (*matrix)(i, j) = (*matrix)(j, i);
  }
}

Eigen::MatrixXd Solved(const Eigen::MatrixXd& matrix, const Eigen::MatrixXd& right) {
  return matrix.ldlt().solve(right);
}

LevelScatter StartScatter(const DiscPrior& prior) {
  const LevelScatter& known = prior.scatter;
  const double slope =
      prior.shade != nullptr ? std::max(kSlopeSigma, prior.shade->scatter) : kLevelSigma;
  return {.slope = known.slope > 0.0 ? known.slope : slope,
          .gain = known.gain > 0.0 ? known.gain : kGainSigma};
}

/// Where a shade is known, that; else the slope that explains the covered pixels best, even where
/// nothing says otherwise.
DiscLevels StartLevels(const std::vector<DiscPixel>& pixels, const SweptDisc& disc,
                       const ToneTables& tone, const BallShade* shade) {
  DiscLevels levels;
  if (shade != nullptr) {
    levels.inside[0] = 1.0;
    return levels;
  }
  Eigen::MatrixXd normal = 1e-6 * Eigen::MatrixXd::Identity(kPattern, kPattern);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(kPattern, 1);
  normal.diagonal().tail(kPattern - 2).array() += 1.0;
  for (const DiscPixel& pixel : pixels) {
    const double share = ShareAt(disc, {pixel.x, pixel.y}).share.value;
    if (share < 0.3) continue;
    const double light = static_cast<double>(tone.Light(static_cast<unsigned char>(pixel.grey)));
    const PatternVector pattern = share * PatternAt((pixel.x - disc.centre.x()) / disc.radius,
                                                    (pixel.y - disc.centre.y()) / disc.radius, 0.0);
    normal += pattern * pattern.transpose();
    right += (light - (1.0 - share) * pixel.ground) * pattern;
  }
  levels.inside = Solved(normal, right);
  return levels;
}

SweptDisc MovedDisc(SweptDisc disc, const DiscVector& step) {
  disc.centre += step.segment<2>(kCx);
  disc.radius = std::max(1.0, disc.radius + step[kR]);
  disc.sweep += step.segment<2>(kSweepX);
  disc.stretch += step.segment<2>(kStretchA);
  disc.blur = std::clamp(disc.blur + step[kBlur], kLeastDiscBlur, kMostDiscBlur);
  return disc;
}

int SectorOf(const DiscPixel& pixel, const SweptDisc& disc) {
  const double angle = std::atan2(pixel.y - disc.centre.y(), pixel.x - disc.centre.x());
  return static_cast<int>(
      std::clamp((angle / (2.0 * std::numbers::pi) + 0.5) * kSectors, 0.0, kSectors - 1.0));
}

/// Share of directions in which the ground beside the ball is darker or brighter than without it,
/// more than in others.
double ShadowedShare(const DiscPicture& picture, const std::vector<DiscPixel>& pixels,
                     const SweptDisc& disc) {
  constexpr double kShadow = 0.05, kChance = 4.0;  // of the light of the ground; sigmas
  struct Sector {
    double light = 0.0, ground = 0.0, variance = 0.0;
  };
  std::vector<Sector> sectors(kSectors);
  for (const DiscPixel& pixel : pixels) {
    if (DepthsAt(disc, {pixel.x, pixel.y})[0] > -2.5 * disc.blur) continue;
    Sector& sector = sectors[SectorOf(pixel, disc)];
    const auto grey = static_cast<unsigned char>(std::min(254.0, pixel.grey));
    const auto light = static_cast<double>(picture.tone.Light(grey));
    const double by_grey = static_cast<double>(picture.tone.Light(grey + 1)) - light;
    sector.light += light;
    sector.ground += pixel.ground;
    sector.variance += std::pow(by_grey * picture.grey_noise, 2);
  }
  std::erase_if(sectors, [](const Sector& sector) { return !(sector.ground > 0.0); });
  if (sectors.empty()) return 0.0;
  const auto middle = sectors.begin() + static_cast<std::ptrdiff_t>(sectors.size() / 2);
  const auto gain = [](const Sector& sector) { return sector.light / sector.ground; };
  std::ranges::nth_element(sectors, middle, {}, gain);
  const double usual = gain(*middle);
  const auto off = std::ranges::count_if(sectors, [&](const Sector& sector) {
    const double ground = usual * sector.ground;
    return std::abs(sector.light - ground) >
           std::max(kShadow * ground, kChance * std::sqrt(sector.variance));
  });
  return static_cast<double>(off) / kSectors;
}

/// Robust weights; leaves what noise and small faults of the model make alone.
void WeighPixels(std::vector<DiscPixel>* pixels) {
  std::vector<double> sizes;
  sizes.reserve(pixels->size());
  for (const DiscPixel& pixel : *pixels) sizes.push_back(std::abs(pixel.residual));
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const double bound = 3.0 * std::max(1.0, 1.4826 * *middle);
  for (DiscPixel& pixel : *pixels) {
    const double ratio = bound / std::max(bound, std::abs(pixel.residual));
    pixel.weight = ratio * ratio;
  }
}

/// Share of directions in which pixels near the outline are there and fit.
double VisibleShare(const std::vector<DiscPixel>& pixels, const SweptDisc& disc) {
  std::vector<double> good(kSectors, 0.0);
  for (const DiscPixel& pixel : pixels) {
    const int sector = SectorOf(pixel, disc);
    if (std::abs(DepthsAt(disc, {pixel.x, pixel.y})[0]) < 2.0 * disc.blur + 1.0)
      good[sector] += pixel.weight > 0.3 ? 1.0 : -1.0;
  }
  return static_cast<double>(std::ranges::count_if(good, [](double g) { return g > 0.0; })) /
         kSectors;
}

/// The normal equations of a step, with what is known before.
struct DiscSystem {
  DiscMatrix normal = DiscMatrix::Zero();
  DiscVector right = DiscVector::Zero();
  double cost = 0.0;

  /// @param residual of a parameter from what is known of it; @param sigma 0: nothing is
  void Know(int parameter, double residual, double sigma) {
    if (!(sigma > 0.0)) return;
    const double weight = 1.0 / (sigma * sigma);
    normal(parameter, parameter) += weight;
    right[parameter] += weight * residual;
    cost += weight * residual * residual;
  }
};

/// Of the terms of the ball's light, the first that scatters about 0.
int FirstSlope(const DiscPrior& prior) { return prior.shade != nullptr ? 1 : 2; }

/// What is known of disc and levels, about the start of the fit.
void AddPrior(const SweptDisc& disc, const DiscLevels& levels, const LevelScatter& scatter,
              const SweptDisc& start, const DiscPrior& prior, DiscSystem* system) {
  system->Know(kSweepX, start.sweep.x() - disc.sweep.x(), prior.sweep);
  system->Know(kSweepY, start.sweep.y() - disc.sweep.y(), prior.sweep);
  const double stretch = std::max(prior.stretch, kKnownStretch);
  system->Know(kStretchA, start.stretch.x() - disc.stretch.x(), stretch);
  system->Know(kStretchB, start.stretch.y() - disc.stretch.y(), stretch);
  system->Know(kR, prior.radius_at - disc.radius, prior.radius);
  system->Know(kBlur, start.blur - disc.blur, prior.blur);
  const bool shaded = prior.shade != nullptr;
  system->Know(kInside, (shaded ? 1.0 : 0.0) - levels.inside[0], kShadeSigma);
  for (int i = FirstSlope(prior); i < kPattern; ++i)
    system->Know(kInside + i, -levels.inside[i], scatter.slope);
  system->Know(kGround, 1.0 - levels.gain[0], kGainSigma);
  for (int i = 1; i < kGains; ++i) system->Know(kGround + i, -levels.gain[i], scatter.gain);
}

/// What a step says of the scatter that the fit took as known.
void LookAtScatter(const DiscMatrix& inverse, const DiscVector& step, const DiscLevels& levels,
                   const DiscPrior& prior, DiscFit* fit) {
  const int slopes = kPattern - FirstSlope(prior), gains = kGains - 1;
  const int slope = kInside + FirstSlope(prior), gain = kGround + 1;
  fit->slope_says =
      EvidenceOf(fit->scatter.slope, levels.inside.tail(slopes) + step.segment(slope, slopes),
                 inverse.diagonal().segment(slope, slopes));
  fit->gain_says =
      EvidenceOf(fit->scatter.gain, levels.gain.tail(gains) + step.segment(gain, gains),
                 inverse.diagonal().segment(gain, gains));
}

/// @param data  the linearised picture without what is known before
void LearnScatter(const DiscSystem& data, const SweptDisc& disc, const DiscLevels& levels,
                  const SweptDisc& start, const DiscPrior& prior, DiscFit* fit) {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    DiscSystem system = data;
    AddPrior(disc, levels, fit->scatter, start, prior, &system);
    const DiscMatrix inverse = Solved(system.normal, DiscMatrix::Identity());
    const DiscVector step = inverse * system.right;
    if (!step.allFinite()) return;
    LookAtScatter(inverse, step, levels, prior, fit);
    fit->scatter = LikelierScatter(fit->scatter, fit->slope_says, fit->gain_says);
  }
}

/// Linearises all pixels about disc and levels; their residuals, units and, if asked for, weights
/// are set anew.
DiscSystem SystemAt(const DiscPicture& picture, const SweptDisc& disc, const DiscLevels& levels,
                    const BallShade* shade, bool weigh, std::vector<DiscPixel>* pixels) {
  std::vector<DiscRow> rows;
  rows.reserve(pixels->size());
  for (DiscPixel& pixel : *pixels) {
    const DiscRow& row = rows.emplace_back(RowAt(pixel, disc, levels, picture.tone, shade));
    const double model = 4.0 * kModelShare * row.step * row.share * (1.0 - row.share);
    pixel.unit = std::hypot(picture.grey_noise, model);
    pixel.residual = (pixel.grey - row.grey) / pixel.unit;
  }
  if (weigh) WeighPixels(pixels);
  DiscSystem system;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const DiscPixel& pixel = (*pixels)[k];
    const double weight = pixel.weight / (pixel.unit * pixel.unit);
    AddSquare(rows[k], weight, &system.normal);
    system.right += weight * pixel.unit * pixel.residual * rows[k].by;
    system.cost += pixel.weight * pixel.residual * pixel.residual;
  }
  MirrorLower(&system.normal);
  return system;
}

/// A step, shortened to what the linearisation bears.
DiscVector StepOf(const DiscSystem& system, double damping, double radius) {
  DiscMatrix damped = system.normal;
  damped.diagonal() *= 1.0 + damping;
  DiscVector step = Solved(damped, system.right);
  const double longest = std::max(1.0, 0.15 * radius);
  const double length = std::max(step.segment<2>(kCx).norm(), std::abs(step[kR]));
  if (length > longest) step *= longest / length;
  return step;
}

/// Covariances for the noise that the residuals show, the radius that this picture shows by itself,
/// and how much of the outline is seen.
/// @param system of the last step
void Conclude(const DiscPicture& picture, const std::vector<DiscPixel>& pixels,
              const DiscSystem& system, const DiscPrior& prior, DiscFit* fit) {
  double squares = 0.0, weights = 0.0;
  DiscMatrix spread = DiscMatrix::Zero();
  for (const DiscPixel& pixel : pixels) {
    const double in_noise = pixel.residual * pixel.unit / picture.grey_noise;
    const double calm = picture.grey_noise / pixel.unit;  // small where the model is not sure
    squares += pixel.weight * calm * in_noise * in_noise;
    weights += pixel.weight * calm;
    AddSquare(RowAt(pixel, fit->disc, fit->levels, picture.tone, prior.shade),
              std::pow(pixel.weight / (pixel.unit * pixel.unit), 2), &spread);
  }
  MirrorLower(&spread);
  const double misfit = squares / std::max(1.0, weights - static_cast<double>(kNumDisc));
  const double noise = picture.grey_noise * picture.grey_noise * std::max(1.0, misfit);
  const Eigen::MatrixXd inverse = Solved(system.normal, DiscMatrix::Identity());
  const Eigen::MatrixXd wide = inverse * spread * inverse;
  fit->covariance = noise * wide.topLeftCorner<3, 3>();
  fit->stretch_sigma =
      std::sqrt(noise * std::max(wide(kStretchA, kStretchA), wide(kStretchB, kStretchB)));
  fit->own_radius = {fit->disc.radius, std::sqrt(fit->covariance(2, 2))};
  if (prior.radius > 0.0) {
    // One step of the same equations without the line that knows the radius.
    const double known = 1.0 / (prior.radius * prior.radius);
    DiscSystem own = system;
    own.normal(kR, kR) -= known;
    own.right[kR] -= known * (prior.radius_at - fit->disc.radius);
    const Eigen::MatrixXd unit = Solved(own.normal, DiscVector::Unit(kR));
    fit->own_radius.value += own.right.dot(DiscVector(unit));
    fit->own_radius.sigma = std::sqrt(noise * unit.col(0).dot(spread * unit.col(0)));
  }
  LookAtScatter(inverse, inverse * system.right, fit->levels, prior, fit);
  fit->visible = VisibleShare(pixels, fit->disc);
  fit->shadowed = ShadowedShare(picture, pixels, fit->disc);
}

}  // namespace

LevelScatter LikelierScatter(const LevelScatter& scatter, const ScatterEvidence& slope_says,
                             const ScatterEvidence& gain_says) {
  return {.slope = std::min(LikelierSigma(scatter.slope, slope_says, kLeastScatter), kMostScatter),
          .gain = std::min(LikelierSigma(scatter.gain, gain_says, kLeastScatter), kMostScatter)};
}

DiscFit FitDisc(const DiscPicture& picture, const SweptDisc& start, const DiscPrior& prior) {
  // Weights follow the residuals at first; from then on they stay, so that costs can be compared.
  constexpr int kMostIterations = 15, kLookAgain = 3;
  const int weighings = prior.levels != nullptr ? 2 : 6;
  constexpr double kAtRest = 2e-3, kMostDamping = 10.0;
  DiscFit fit{.disc = start};
  std::vector<DiscPixel> pixels = PixelsNear(picture, start);
  if (pixels.size() < kLeastPixels) return fit;
  SweptDisc disc = start;
  DiscLevels levels = prior.levels != nullptr
                          ? *prior.levels
                          : StartLevels(pixels, start, picture.tone, prior.shade);
  DiscLevels best = levels;
  fit.scatter = StartScatter(prior);
  DiscSystem last;
  double damping = 0.0, least = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    if (iteration == kLookAgain && prior.levels == nullptr) {
      // The start may have been off by a few pixels: look where the outline is now.
      pixels = PixelsNear(picture, disc);
      if (pixels.size() < kLeastPixels) return fit;
    }
    DiscSystem system =
        SystemAt(picture, disc, levels, prior.shade, iteration < weighings, &pixels);
    if (prior.learn_scatter && iteration < weighings)
      LearnScatter(system, disc, levels, start, prior, &fit);
    AddPrior(disc, levels, fit.scatter, start, prior, &system);
    if (iteration >= weighings && system.cost > least * (1.0 + 1e-9)) {
      // Back, and a shorter step.
      if (damping > kMostDamping) break;
      damping = std::max(0.1, 10.0 * damping);
      disc = fit.disc;
      levels = best;
      least = std::numeric_limits<double>::infinity();
      continue;
    }
    least = system.cost;
    last = system;
    fit.disc = disc;
    best = levels;
    const DiscVector step = StepOf(system, damping, disc.radius);
    if (!step.allFinite()) return fit;
    disc = MovedDisc(disc, step);
    levels.inside += step.segment<kPattern>(kInside);
    levels.gain += step.segment<kGains>(kGround);
    if (iteration >= weighings - 1 && step.head<3>().norm() < kAtRest) break;
  }
  fit.levels = best;
  Conclude(picture, pixels, last, prior, &fit);
  constexpr double kMostVariance = 25.0;  // [px^2]
  const double moved = (fit.disc.centre - start.centre).norm();
  const double ratio = fit.disc.radius / start.radius;
  fit.found = moved < std::max(4.0, 0.7 * start.radius) && ratio > 0.5 && ratio < 2.0 &&
              fit.covariance.allFinite() && fit.covariance.trace() < kMostVariance;
  return fit;
}

ShadeEquations ShadeEquationsOf(const DiscPicture& picture, const DiscFit& fit,
                                const SweptDisc& start, const DiscPrior& prior) {
  constexpr int kShade = BallShade::kNumbers;
  ShadeEquations equations;
  std::vector<DiscPixel> pixels = PixelsNear(picture, fit.disc);
  DiscSystem own = SystemAt(picture, fit.disc, fit.levels, prior.shade, true, &pixels);
  AddPrior(fit.disc, fit.levels, fit.scatter, start, prior, &own);
  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(kNumDisc, kShade);
  for (const DiscPixel& pixel : pixels) {
    const DiscRow row = RowAt(pixel, fit.disc, fit.levels, picture.tone, prior.shade);
    const SweptShare s = ShareAt(fit.disc, {pixel.x, pixel.y}, &prior.shade->lamp);
    const double share = s.share.value;
    Eigen::VectorXd by(kShade);
    by << share, s.lit_normal, share * ShadeTerms(s.normal / std::max(share, 1e-6));
    by *= row.by_light * fit.levels.inside[0];
    const double weight = pixel.weight / (pixel.unit * pixel.unit);
    equations.normal += weight * by * by.transpose();
    equations.right += weight * pixel.unit * pixel.residual * by;
    both += weight * row.by * by.transpose();
  }
  const Eigen::MatrixXd eliminated = Solved(own.normal, both);
  equations.normal -= both.transpose() * eliminated;
  equations.right -= eliminated.transpose() * Eigen::VectorXd(own.right);
  return equations;
}

}  // namespace percuss::tracking
