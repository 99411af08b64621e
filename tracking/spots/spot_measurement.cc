// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/spot_measurement.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace percuss::tracking {
namespace {

constexpr int kMargin = 7;              // around the box of a candidate
constexpr double kReach = 3.5;          // how far beyond its half-way outline a spot is looked at
constexpr int kClearOfOthers = 2;       // pixels around another spot that count as its own
constexpr double kFarOff = 2.0;         // of a centroid from the middle of a core: no disc
constexpr double kCentroidError = 0.1;  // of a centroid, by uneven ground and cut-off edges
// All in px.

/// The neighbourhood of a candidate.
struct Window {
  cv::Rect area;                 ///< in the image
  cv::Mat_<std::uint16_t> grey;  ///< the part of the image
  /// Of each pixel: 0 below half way, -1 above half way, of the candidate and not yet taken, -2
  /// above half way and not of the candidate, else the number of its core.
  cv::Mat_<int> label;
  double surround = 0.0, peak = 0.0;  ///< light
};

/// What lies beyond half way from the surround to the peak, connected.
struct Core {
  int label = 0;
  double area = 0.0;
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();       ///< in the window
  Eigen::Matrix2d moments = Eigen::Matrix2d::Identity();  ///< second central ones [px^2]
  cv::Point low{std::numeric_limits<int>::max(),
                std::numeric_limits<int>::max()};  ///< in the window
  cv::Point high{-1, -1};

  double Elongation() const {
    const double mean = 0.5 * moments.trace();
    const double root = std::hypot(0.5 * (moments(0, 0) - moments(1, 1)), moments(0, 1));
    return std::sqrt((mean + root) / std::max(mean - root, 1e-3));
  }
};

bool IsCandidate(const SpotCandidate& candidate, int x, int y) {
  if (!candidate.box.contains({x, y})) return false;
  return candidate.mask.empty() ||
         candidate.mask.at<uchar>(y - candidate.box.y, x - candidate.box.x) != 0;
}

/// Median grey value at a distance of 3 and 4 pixels from the box.
std::optional<int> SurroundGrey(const cv::Mat_<std::uint16_t>& grey, const cv::Rect& box) {
  std::vector<std::uint16_t> values;
  values.reserve(static_cast<std::size_t>((box + cv::Size(8, 8)).area()));
  for (int y = std::max(box.y - 4, 0); y < std::min(box.br().y + 4, grey.rows); ++y) {
    const std::uint16_t* row = grey[y];
    const auto add = [&](int begin, int end) {
      begin = std::max(begin, 0);
      end = std::min(end, grey.cols);
      if (begin < end) values.insert(values.end(), row + begin, row + end);
    };
    if (y < box.y - 2 || y >= box.br().y + 2) {
      add(box.x - 4, box.br().x + 4);
    } else {
      add(box.x - 4, box.x - 2);
      add(box.br().x + 2, box.br().x + 4);
    }
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + (std::ssize(values) - 1) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Levels and the pixels beyond half way; nothing without a step from surround to peak.
std::optional<Window> WindowAround(const cv::Mat& luma, const ToneTables& tone,
                                   const SpotCandidate& candidate) {
  const cv::Rect& box = candidate.box;
  Window window;
  window.area = cv::Rect(box.x - kMargin, box.y - kMargin, box.width + 2 * kMargin,
                         box.height + 2 * kMargin) &
                cv::Rect({0, 0}, luma.size());
  luma(window.area).convertTo(window.grey, CV_16U);
  const auto surround = SurroundGrey(window.grey, box - window.area.tl());
  if (!surround) return std::nullopt;
  const bool bright = candidate.polarity == Polarity::kBright;
  int peak = *surround;
  for (int y = box.y; y < box.br().y; ++y) {
    for (int x = box.x; x < box.br().x; ++x) {
      if (!IsCandidate(candidate, x, y)) continue;
      const int grey = window.grey(y - window.area.y, x - window.area.x);
      peak = bright ? std::max(peak, grey) : std::min(peak, grey);
    }
  }
  window.surround = tone.Light(*surround);
  window.peak = tone.Light(peak);
  if (window.peak == window.surround) return std::nullopt;
  const double half = 0.5 * (window.surround + window.peak);
  // Light rises with grey values: the first beyond half way lies between these.
  int before = *surround, first = peak;
  while (std::abs(first - before) > 1) {
    const int between = (first + before) / 2;
    const bool beyond = bright ? tone.Light(between) > half : tone.Light(between) < half;
    (beyond ? first : before) = between;
  }
  window.label.create(window.area.size());
  for (int y = 0; y < window.area.height; ++y) {
    const std::uint16_t* row = window.grey[y];
    int* label = window.label[y];
    for (int x = 0; x < window.area.width; ++x)
      label[x] = (bright ? row[x] >= first : row[x] <= first) ? -2 : 0;
  }
  const cv::Point corner = box.tl() - window.area.tl();
  for (int y = 0; y < box.height; ++y) {
    const uchar* mask = candidate.mask.empty() ? nullptr : candidate.mask.ptr<uchar>(y);
    int* label = window.label[corner.y + y] + corner.x;
    for (int x = 0; x < box.width; ++x) {
      if (label[x] == -2 && (mask == nullptr || mask[x] != 0)) label[x] = -1;
    }
  }
  return window;
}

/// Takes the pixels of the candidate beyond half way that are connected with (x, y).
Core TakeCore(int x, int y, int label, Window* window) {
  Core core;
  core.label = label;
  Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
  std::vector<cv::Point> open = {{x, y}};
  window->label(y, x) = label;
  while (!open.empty()) {
    const cv::Point at = open.back();
    open.pop_back();
    const Eigen::Vector2d place(at.x, at.y);
    core.area += 1.0;
    core.centre += place;
    second += place * place.transpose();
    core.low = {std::min(core.low.x, at.x), std::min(core.low.y, at.y)};
    core.high = {std::max(core.high.x, at.x), std::max(core.high.y, at.y)};
    for (int v = std::max(at.y - 1, 0); v <= std::min(at.y + 1, window->area.height - 1); ++v) {
      for (int u = std::max(at.x - 1, 0); u <= std::min(at.x + 1, window->area.width - 1); ++u) {
        if (window->label(v, u) != -1) continue;
        window->label(v, u) = label;
        open.push_back({u, v});
      }
    }
  }
  core.centre /= core.area;
  // 1/12 is the spread of light inside one pixel.
  core.moments = second / core.area - core.centre * core.centre.transpose() +
                 Eigen::Matrix2d::Identity() / 12.0;
  return core;
}

/// Of each pixel of a window: 1 where one beyond half way that is not of this core is near.
cv::Mat_<uchar> NearOthers(const Window& window, int label) {
  cv::Mat_<uchar> near(window.area.size(), uchar{0});
  for (int y = 0; y < near.rows; ++y) {
    for (int x = 0; x < near.cols; ++x) {
      const int other = window.label(y, x);
      if (other == 0 || other == label) continue;
      for (int v = std::max(y - kClearOfOthers, 0);
           v <= std::min(y + kClearOfOthers, near.rows - 1); ++v) {
        const int u0 = std::max(x - kClearOfOthers, 0);
        const int u1 = std::min(x + kClearOfOthers, near.cols - 1);
        std::fill(near[v] + u0, near[v] + u1 + 1, uchar{1});
      }
    }
  }
  return near;
}

/// The part of a window inside the ellipse of the core's moments, widened by kReach, without what
/// belongs to other spots.
SpotPatch PatchAround(const Window& window, const Core& core, bool alone) {
  // A filled ellipse has the second moment (semi-axis / 2)^2. S^(1/2) of a 2 x 2 matrix is
  // (S + sqrt(det S) 1) / sqrt(trace S + 2 sqrt(det S)).
  const Eigen::Matrix2d shape = 4.0 * core.moments;
  const double root = std::sqrt(shape.determinant());
  const Eigen::Matrix2d axes =
      (shape + root * Eigen::Matrix2d::Identity()) / std::sqrt(shape.trace() + 2.0 * root) +
      kReach * Eigen::Matrix2d::Identity();
  const Eigen::Matrix2d to_circle = axes.inverse();
  const Eigen::Vector2d half = axes.rowwise().norm();
  const int x0 = std::max(0, static_cast<int>(std::floor(core.centre.x() - half.x())));
  const int x1 =
      std::min(window.area.width - 1, static_cast<int>(std::ceil(core.centre.x() + half.x())));
  const int y0 = std::max(0, static_cast<int>(std::floor(core.centre.y() - half.y())));
  const int y1 =
      std::min(window.area.height - 1, static_cast<int>(std::ceil(core.centre.y() + half.y())));
  SpotPatch patch;
  patch.area = cv::Rect(x0, y0, x1 - x0 + 1, y1 - y0 + 1) + window.area.tl();
  patch.surround = window.surround;
  patch.peak = window.peak;
  patch.core_centre = core.centre + Eigen::Vector2d(window.area.x, window.area.y);
  patch.core_moments = core.moments;
  const auto size = static_cast<std::size_t>(patch.area.area());
  patch.grey.resize(size);
  patch.of_spot.resize(size);
  const cv::Mat_<uchar> near_others = alone ? cv::Mat_<uchar>() : NearOthers(window, core.label);
  std::size_t k = 0;
  for (int y = y0; y <= y1; ++y) {
    const std::uint16_t* row = window.grey[y];
    for (int x = x0; x <= x1; ++x, ++k) {
      const bool inside = (to_circle * (Eigen::Vector2d(x, y) - core.centre)).squaredNorm() <= 1.0;
      const bool own = alone || window.label(y, x) == core.label || near_others(y, x) == 0;
      patch.grey[k] = row[x];
      patch.of_spot[k] = inside && own;
    }
  }
  return patch;
}

/// The pixels of a patch, with `origin` (in the image) as theirs.
SpotPixels PixelsOf(const SpotPatch& patch, const cv::Point& origin) {
  SpotPixels pixels;
  const auto n = static_cast<Eigen::Index>(std::ranges::count(patch.of_spot, 1));
  pixels.x.resize(n);
  pixels.y.resize(n);
  pixels.grey.resize(n);
  Eigen::Index i = 0;
  std::size_t k = 0;
  for (int y = patch.area.y; y < patch.area.br().y; ++y) {
    for (int x = patch.area.x; x < patch.area.br().x; ++x, ++k) {
      if (patch.of_spot[k] == 0) continue;
      const bool follows = i > 0 && pixels.runs.back().y == y - origin.y &&
                           pixels.runs.back().x + pixels.runs.back().count == x - origin.x;
      if (!follows) pixels.runs.push_back({x - origin.x, y - origin.y, 0});
      ++pixels.runs.back().count;
      pixels.x[i] = static_cast<float>(x - origin.x);
      pixels.y[i] = static_cast<float>(y - origin.y);
      pixels.grey[i++] = patch.grey[k];
    }
  }
  return pixels;
}

cv::Point OriginOf(const SpotPatch& patch) {
  return {static_cast<int>(std::lround(patch.core_centre.x())),
          static_cast<int>(std::lround(patch.core_centre.y()))};
}

/// Centroid of the light away from the surround, in the image, and its covariance from grey noise:
///     c = sum (L - b) x / S,  S = sum (L - b),  cov = sum sigma_L^2 (x - c)(x - c)^T / S^2
/// where sigma_L = sigma_grey dL/dgrey.
void MeasureCentroid(const SpotPatch& patch, const ToneTables& tone, Eigen::Vector2d* centre,
                     Eigen::Matrix2d* covariance) {
  const cv::Point origin = OriginOf(patch);
  const auto for_each_pixel = [&](const auto& visit) {
    std::size_t k = 0;
    for (int y = 0; y < patch.area.height; ++y) {
      for (int x = 0; x < patch.area.width; ++x, ++k) {
        if (patch.of_spot[k] == 0) continue;
        visit(Eigen::Vector2d(x + patch.area.x - origin.x, y + patch.area.y - origin.y),
              int{patch.grey[k]});
      }
    }
  };
  const auto light = [&](int grey) { return static_cast<double>(tone.Light(grey)); };
  double sum = 0.0;
  Eigen::Vector2d first = Eigen::Vector2d::Zero();
  for_each_pixel([&](const Eigen::Vector2d& place, int grey) {
    const double weight = light(grey) - patch.surround;
    sum += weight;
    first += weight * place;
  });
  const Eigen::Vector2d mean = first / sum;
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for_each_pixel([&](const Eigen::Vector2d& place, int grey) {
    const double noise = 0.5 * patch.grey_noise * (light(grey + 1) - light(grey - 1));
    const Eigen::Vector2d offset = place - mean;
    spread += noise * noise * offset * offset.transpose();
  });
  *centre = mean + Eigen::Vector2d(origin.x, origin.y);
  *covariance = spread / (sum * sum);
}

/// What the centroid says. Where it disagrees with the middle of the core, it is as uncertain.
CoarseSpot FirstLook(SpotPatch patch, const Core& core, const ToneTables& tone, Polarity polarity) {
  CoarseSpot spot;
  Blob& blob = spot.blob;
  blob.area = core.area;
  blob.elongation = core.Elongation();
  blob.polarity = polarity;
  blob.contrast = std::abs(patch.peak - patch.surround);
  MeasureCentroid(patch, tone, &blob.centre, &blob.covariance);
  const double unsure = (blob.centre - patch.core_centre).squaredNorm();
  blob.covariance += (kCentroidError * kCentroidError + unsure) * Eigen::Matrix2d::Identity();
  spot.patch = std::move(patch);
  return spot;
}

/// Centroid of s = (L - surround) / (peak - surround), no less than 0, and its covariance as above.
Blob BandCentroid(Blob blob, const SpotPatch& patch, const ToneTables& tone) {
  const cv::Point origin = OriginOf(patch);
  const SpotPixels pixels = PixelsOf(patch, origin);
  const double step = patch.peak - patch.surround;
  const auto share = [&](Eigen::Index i, int more) {
    return (tone.Light(static_cast<int>(pixels.grey[i]) + more) - patch.surround) / step;
  };
  double sum = 0.0;
  Eigen::Vector2d first = Eigen::Vector2d::Zero();
  for (Eigen::Index i = 0; i < pixels.grey.size(); ++i) {
    const double s = std::max(0.0, share(i, 0));
    sum += s;
    first += s * Eigen::Vector2d(pixels.x[i], pixels.y[i]);
  }
  const Eigen::Vector2d centre = first / sum;
  Eigen::Matrix2d spread = Eigen::Matrix2d::Zero();
  for (Eigen::Index i = 0; i < pixels.grey.size(); ++i) {
    if (share(i, 0) <= 0.0) continue;
    const double noise = 0.5 * patch.grey_noise * (share(i, 1) - share(i, -1));
    const Eigen::Vector2d offset = Eigen::Vector2d(pixels.x[i], pixels.y[i]) - centre;
    spread += noise * noise * offset * offset.transpose();
  }
  blob.centre = centre + Eigen::Vector2d(origin.x, origin.y);
  blob.covariance = spread / (sum * sum);
  return blob;
}

/// Whether an ellipse lies within the image.
bool Inside(const Eigen::Vector2d& centre, const Eigen::Matrix2d& shape, const cv::Size& image) {
  const Eigen::Vector2d half = shape.diagonal().cwiseSqrt();
  const Eigen::Vector2d low = centre - half, high = centre + half;
  return low.minCoeff() >= -0.5 && high.x() <= image.width - 0.5 && high.y() <= image.height - 0.5;
}

/// The blob, unless the border cuts it off or its place is not known well enough.
std::optional<Blob> Accepted(const Blob& blob, bool cut_off, const SpotLimits& limits,
                             std::vector<RejectedSpot>* rejected) {
  const double sigma = std::sqrt(0.5 * blob.covariance.trace());
  if (!cut_off && sigma < limits.max_centroid_sigma_px) return blob;
  if (rejected && cut_off) rejected->push_back({blob.centre, SpotFault::kAtBorder});
  if (rejected && !cut_off) {
    rejected->push_back({blob.centre, SpotFault::kUnsure, sigma, limits.max_centroid_sigma_px});
  }
  return std::nullopt;
}

/// What the limits have against a core; nothing if it may be a spot.
std::optional<RejectedSpot> FaultOf(const Core& core, const Eigen::Vector2d& centre,
                                    const SpotLimits& limits) {
  const double elongation = core.Elongation();
  if (core.area < limits.area[0])
    return RejectedSpot{centre, SpotFault::kTooSmall, core.area, limits.area[0]};
  if (core.area > limits.area[1])
    return RejectedSpot{centre, SpotFault::kTooLarge, core.area, limits.area[1]};
  if (elongation > limits.max_elongation)
    return RejectedSpot{centre, SpotFault::kNotRound, elongation, limits.max_elongation};
  return std::nullopt;
}

}  // namespace

void FindCoarseSpots(const cv::Mat& luma, const ToneTables& tone, double grey_noise,
                     const SpotCandidate& candidate, const SpotLimits& limits,
                     std::vector<CoarseSpot>* spots, std::vector<RejectedSpot>* rejected) {
  std::optional<Window> window = WindowAround(luma, tone, candidate);
  if (!window) return;
  std::vector<Core> cores;
  const cv::Rect box = candidate.box - window->area.tl();
  for (int y = box.y; y < box.br().y; ++y) {
    for (int x = box.x; x < box.br().x; ++x) {
      if (window->label(y, x) == -1)
        cores.push_back(TakeCore(x, y, static_cast<int>(cores.size()) + 1, &*window));
    }
  }
  const auto taken = [&](int label) { return label >= 0; };
  const bool alone =
      cores.size() == 1 && std::all_of(window->label.begin(), window->label.end(), taken);
  for (const Core& core : cores) {
    const Eigen::Vector2d centre = core.centre + Eigen::Vector2d(window->area.x, window->area.y);
    if (const auto fault = FaultOf(core, centre, limits)) {
      if (rejected) rejected->push_back(*fault);
      continue;
    }
    SpotPatch patch = PatchAround(*window, core, alone);
    patch.grey_noise = grey_noise;
    const cv::Point low = core.low + window->area.tl(), high = core.high + window->area.tl();
    patch.at_border =
        low.x <= 0 || low.y <= 0 || high.x >= luma.cols - 1 || high.y >= luma.rows - 1;
    CoarseSpot spot = FirstLook(std::move(patch), core, tone, candidate.polarity);
    if (cv::Rect2d(window->area).contains({spot.blob.centre.x(), spot.blob.centre.y()}))
      spots->push_back(std::move(spot));
  }
}

std::optional<Blob> RefineSpot(const CoarseSpot& spot, const ToneTables& tone,
                               const SpotLimits& limits, const cv::Size& image_size,
                               std::vector<RejectedSpot>* rejected) {
  const SpotPatch& patch = spot.patch;
  if (limits.bands)
    return Accepted(BandCentroid(spot.blob, patch, tone), patch.at_border, limits, rejected);
  // No fit would stay with a spot whose light lies elsewhere than its core.
  const double off = (spot.blob.centre - patch.core_centre).norm();
  if (off > std::max(kFarOff, 0.5 * std::sqrt(spot.blob.area)))
    return Accepted(spot.blob, patch.at_border, limits, rejected);
  const cv::Point origin = OriginOf(patch);
  const Eigen::Vector2d corner(origin.x, origin.y);
  const double step = patch.peak - patch.surround;
  SpotModel start;
  start.ellipse.centre = patch.core_centre - corner;
  start.ellipse.shape = 4.0 * patch.core_moments;
  start.background = patch.surround;
  start.contrast = 0.95 * step;  // the peak is one of noise, too
  const SpotFit fit = FitSpot(PixelsOf(patch, origin), tone, patch.grey_noise, start);
  Blob blob = spot.blob;
  blob.misfit = fit.misfit;
  bool cut_off = patch.at_border;
  if (fit.covariance.trace() > 0.0) {
    blob.centre = corner + fit.model.ellipse.centre;
    blob.covariance = fit.covariance;
    blob.contrast = std::abs(fit.model.contrast);
    // A fit that did not come to rest is as uncertain as it is away from the centroid.
    if (!fit.converged) {
      const double unsure = (blob.centre - spot.blob.centre).squaredNorm();
      blob.covariance +=
          (kCentroidError * kCentroidError + 0.5 * unsure) * Eigen::Matrix2d::Identity();
    }
    cut_off = cut_off && !Inside(blob.centre, fit.model.ellipse.shape, image_size);
  }
  return Accepted(blob, cut_off, limits, rejected);
}

}  // namespace percuss::tracking
