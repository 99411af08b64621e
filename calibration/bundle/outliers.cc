// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/outliers.h"

#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"

namespace percuss::calibration {
namespace {

constexpr double kOutlierSigmas = 5.0;
constexpr double kOutlierViewRatio = 6.0;

double RobustSigma(const std::vector<Eigen::Vector2d>& residuals) {
  std::vector<double> distances;
  for (const Eigen::Vector2d& residual : residuals) {
    if (residual.allFinite()) distances.push_back(residual.norm());
  }
  return Median(std::move(distances)) / std::sqrt(2.0 * std::log(2.0));
}

}  // namespace

double ImageSpread::Widest(std::size_t view) const {
  double widest = 0.0;
  for (const double sigma : sigma_px[view]) {
    if (sigma > widest) widest = sigma;
  }
  return widest;
}

ImageSpread MeasureSpread(const Bundle& bundle) {
  ImageSpread spread;
  std::vector<double> all;
  for (const TargetView& view : bundle.views) {
    std::vector<double>& sigma = spread.sigma_px.emplace_back();
    for (std::size_t c = 0; c < view.images.size(); ++c) {
      sigma.push_back(RobustSigma(Residuals(bundle, view, static_cast<int>(c))));
      // A target wholly behind the camera it was seen by fits as badly as can be.
      if (!view.images[c].pixels.empty() && std::isnan(sigma.back())) {
        sigma.back() = std::numeric_limits<double>::infinity();
      }
      if (!std::isnan(sigma.back())) all.push_back(sigma.back());
    }
  }
  spread.median_px = Median(std::move(all));
  return spread;
}

std::optional<std::size_t> OutlierView(const ImageSpread& spread) {
  std::optional<std::size_t> worst;
  double worst_sigma = kOutlierViewRatio * spread.median_px;
  for (std::size_t v = 0; v < spread.sigma_px.size(); ++v) {
    const double sigma = spread.Widest(v);
    if (sigma > worst_sigma) {
      worst = v;
      worst_sigma = sigma;
    }
  }
  return worst;
}

bool ReviseUsedPoints(const ImageSpread& spread, Bundle* bundle) {
  bool changed = false;
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    for (std::size_t c = 0; c < bundle->cameras.size(); ++c) {
      const std::vector<Eigen::Vector2d> residuals =
          Residuals(*bundle, bundle->views[v], static_cast<int>(c));
      const double bound = kOutlierSigmas * std::max(spread.sigma_px[v][c], spread.median_px);
      std::vector<char>& used = bundle->views[v].images[c].used;
      for (std::size_t k = 0; k < residuals.size(); ++k) {
        const auto use = static_cast<char>(residuals[k].norm() <= bound);  // never for NaN
        changed = changed || use != used[k];
        used[k] = use;
      }
    }
  }
  return changed;
}

int CountFitting(const Bundle& bundle, double worst_px) {
  const ImageSpread spread = MeasureSpread(bundle);
  int count = 0;
  for (std::size_t v = 0; v < bundle.views.size(); ++v) count += spread.Widest(v) < worst_px;
  return count;
}

double SquaredDistances::Rms() const { return std::sqrt(sum / count); }

SquaredDistances UsedDistances(const Bundle& bundle, const TargetView& view, int camera) {
  SquaredDistances squares;
  const std::vector<Eigen::Vector2d> residuals = Residuals(bundle, view, camera);
  const std::vector<char>& used = view.images[camera].used;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (used[k] == 0) continue;
    squares.sum += residuals[k].squaredNorm();
    ++squares.count;
  }
  return squares;
}

SquaredDistances UsedDistances(const Bundle& bundle) {
  SquaredDistances squares;
  for (const TargetView& view : bundle.views) {
    for (int camera = 0; camera < static_cast<int>(bundle.cameras.size()); ++camera) {
      const SquaredDistances part = UsedDistances(bundle, view, camera);
      squares.sum += part.sum;
      squares.count += part.count;
    }
  }
  return squares;
}

int CountUsed(const TargetImage& image) {
  return static_cast<int>(std::count(image.used.begin(), image.used.end(), 1));
}

int CountMeasured(const TargetImage& image) {
  return static_cast<int>(
      std::count_if(image.pixels.begin(), image.pixels.end(),
                    [](const Eigen::Vector2d& pixel) { return pixel.allFinite(); }));
}

}  // namespace percuss::calibration
