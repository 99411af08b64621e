// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/spot_scan.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "tracking/spots/mask_components.h"

namespace percuss::tracking {
namespace {

/// 16 times the grey value at x of row y, smoothed by (1 2 1)/4 both ways.
class SmoothedRow {
 public:
  SmoothedRow(const cv::Mat& luma, int y)
      : above_(luma.ptr<uchar>(std::max(y - 1, 0))),
        row_(luma.ptr<uchar>(y)),
        below_(luma.ptr<uchar>(std::min(y + 1, luma.rows - 1))),
        last_(luma.cols - 1) {}

  int At16(int x) const {
    return Column(std::max(x - 1, 0)) + 2 * Column(x) + Column(std::min(x + 1, last_));
  }

 private:
  int Column(int x) const { return above_[x] + 2 * row_[x] + below_[x]; }
  const uchar *above_, *row_, *below_;
  int last_;
};

/// How far pixels of a part of the picture stand out [grey].
struct Contrast {
  cv::Rect area;  ///< in the picture
  cv::Mat grey;   ///< CV_8U, of `area`
};

/// Looks at full size at what stood out at half size: zero where it is not by more than the
/// contrast asked for, and beside the component.
/// @param opened at half size; @param sign +1 for bright, -1 for dark.
Contrast StandingOut(const cv::Mat& luma, const cv::Mat& opened, const MaskComponent& component,
                     int sign, double min_contrast_grey) {
  const cv::Rect& half = component.box;
  Contrast out;
  out.area = cv::Rect(2 * half.x, 2 * half.y, 2 * half.width, 2 * half.height) &
             cv::Rect({0, 0}, luma.size());
  out.grey = cv::Mat::zeros(out.area.size(), CV_8UC1);
  const int threshold = static_cast<int>(std::ceil(16.0 * min_contrast_grey));
  for (const MaskRun& run : component.runs) {
    const uchar* level = opened.ptr<uchar>(run.y);
    for (int y = 2 * run.y; y < std::min(2 * run.y + 2, luma.rows); ++y) {
      const SmoothedRow smooth(luma, y);
      uchar* contrast = out.grey.ptr<uchar>(y - out.area.y) - out.area.x;
      for (int x = 2 * run.x_begin; x < std::min(2 * run.x_end, luma.cols); ++x) {
        const int above = sign * (smooth.At16(x) - 16 * level[x / 2]);
        if (above >= threshold) contrast[x] = static_cast<uchar>(std::clamp(above / 16, 1, 255));
      }
    }
  }
  return out;
}

int Peak(const MaskComponent& part, const cv::Mat& contrast) {
  int peak = 0;
  for (const MaskRun& run : part.runs) {
    const uchar* row = contrast.ptr<uchar>(run.y);
    peak = std::max<int>(peak, *std::max_element(row + run.x_begin, row + run.x_end));
  }
  return peak;
}

cv::Mat MaskOf(const MaskComponent& part) {
  cv::Mat mask = cv::Mat::zeros(part.box.size(), CV_8UC1);
  for (const MaskRun& run : part.runs) {
    mask.row(run.y - part.box.y)
        .colRange(run.x_begin - part.box.x, run.x_end - part.box.x)
        .setTo(255);
  }
  return mask;
}

/// The parts of a component that a higher contrast leaves.
std::vector<MaskComponent> PartsAbove(const MaskComponent& whole, const cv::Mat& contrast,
                                      int level) {
  cv::Mat left = cv::Mat::zeros(whole.box.size(), CV_8UC1);
  for (const MaskRun& run : whole.runs) {
    const uchar* from = contrast.ptr<uchar>(run.y);
    uchar* to = left.ptr<uchar>(run.y - whole.box.y);
    for (int x = run.x_begin; x < run.x_end; ++x) {
      if (from[x] >= level) to[x - whole.box.x] = 255;
    }
  }
  std::vector<MaskComponent> parts = ComponentsOf(left);
  for (MaskComponent& part : parts) {
    part.box += whole.box.tl();
    for (MaskRun& run : part.runs) {
      run.y += whole.box.y;
      run.x_begin += whole.box.x;
      run.x_end += whole.box.x;
    }
  }
  return parts;
}

/// Components no wider than `widest`: what is wider, such as a body before a darker ground with the
/// markers on it, is taken apart by asking for more and more contrast. What that leaves must rise
/// by `least` above it, as a marker does above the ground.
std::vector<MaskComponent> SmallComponents(const cv::Mat& contrast, int least, int widest) {
  std::vector<MaskComponent> small;
  std::vector<MaskComponent> open = ComponentsOf(contrast);
  for (int level = 0; !open.empty();) {
    const int next_level = std::max(level, least) + std::max(2, level / 3);
    std::vector<MaskComponent> next;
    for (MaskComponent& part : open) {
      if (part.area < 4) continue;
      if (std::max(part.box.width, part.box.height) > widest) {
        if (next_level > 255) continue;
        std::ranges::move(PartsAbove(part, contrast, next_level), std::back_inserter(next));
      } else if (level == 0 || Peak(part, contrast) >= level + least) {
        small.push_back(std::move(part));
      }
    }
    open = std::move(next);
    level = next_level;
  }
  return small;
}

}  // namespace

cv::Mat HalvedPicture(const cv::Mat& luma) {
  cv::Mat even = luma;
  if (luma.rows % 2 != 0 || luma.cols % 2 != 0) {
    cv::copyMakeBorder(luma, even, 0, luma.rows % 2, 0, luma.cols % 2, cv::BORDER_REPLICATE);
  }
  // Cameras have a thread each. OpenCV would hand a whole picture to threads of its own, and they
  // would wait in turns; a band of 2^16 pixels it halves itself.
  cv::Mat halved(even.size() / 2, even.type());
  const int band = std::max(1, (1 << 16) / std::max(1, halved.cols));
  for (int y = 0; y < halved.rows; y += band) {
    const int end = std::min(y + band, halved.rows);
    cv::Mat part = halved.rowRange(y, end);
    cv::resize(even.rowRange(2 * y, 2 * end), part, part.size(), 0.0, 0.0, cv::INTER_AREA);
  }
  return halved;
}

ScanPicture PictureToScan(const cv::Mat& luma, const cv::Mat& halved) {
  if (luma.depth() == CV_8U) return {luma, halved};
  constexpr double kMargin = 2.0;  // for the noise of single pixels
  double darkest = 0.0, brightest = 0.0;
  cv::minMaxLoc(halved, &darkest, &brightest);
  ScanPicture scan;
  scan.step = std::max(1.0, (brightest - darkest) / (255.0 - 2.0 * kMargin));
  const double offset = kMargin - darkest / scan.step;
  luma.convertTo(scan.luma, CV_8U, 1.0 / scan.step, offset);
  halved.convertTo(scan.halved, CV_8U, 1.0 / scan.step, offset);
  return scan;
}

std::vector<SpotCandidate> ScanForSpots(const cv::Mat& luma, const cv::Mat& halved,
                                        const ScanOptions& options) {
  const bool bright = options.polarity == Polarity::kBright;
  const int radius = std::max(1, static_cast<int>(std::lround(0.55 * options.diameter_px + 0.25)));
  const int opening = 2 * radius + 1;
  cv::Mat opened, beyond;
  cv::morphologyEx(halved, opened, bright ? cv::MORPH_OPEN : cv::MORPH_CLOSE,
                   cv::getStructuringElement(cv::MORPH_RECT, {opening, opening}));
  cv::subtract(bright ? halved : opened, bright ? opened : halved, beyond);
  cv::subtract(beyond, cv::Scalar(std::floor(0.5 * options.min_contrast_grey)), beyond);

  std::vector<SpotCandidate> candidates;
  for (const MaskComponent& component : ComponentsOf(beyond)) {
    const Contrast contrast =
        StandingOut(luma, opened, component, bright ? 1 : -1, options.min_contrast_grey);
    for (const MaskComponent& part :
         SmallComponents(contrast.grey, static_cast<int>(options.min_contrast_grey), 6 * opening)) {
      candidates.push_back({part.box + contrast.area.tl(), options.polarity, MaskOf(part),
                            Peak(part, contrast.grey)});
    }
  }
  std::ranges::stable_sort(candidates, std::greater<>{}, &SpotCandidate::contrast_grey);
  if (candidates.size() > options.max_candidates) candidates.resize(options.max_candidates);
  return candidates;
}

}  // namespace percuss::tracking
