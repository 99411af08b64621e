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

/// What stands out of a picture at full size.
struct StandingOut {
  cv::Mat contrast;           ///< CV_8UC1, by how much [grey]; of the runs alone, else undefined
  std::vector<MaskRun> runs;  ///< by rows, then columns
};

/// Looks at full size, smoothed by (1 2 1)/4 both ways, at what stood out at half size.
class CloserLook {
 public:
  /// @param opened at half size; @param sign +1 for bright, -1 for dark.
  CloserLook(const cv::Mat& luma, const cv::Mat& opened, int sign, double min_contrast_grey)
      : luma_(luma),
        opened_(opened),
        sign_(sign),
        threshold_(static_cast<int>(std::ceil(16.0 * min_contrast_grey))),
        columns_(static_cast<std::size_t>(luma.cols) + 4) {
    out_.contrast.create(luma.size(), CV_8UC1);
  }

  /// The runs of one row at half size, from `begin` on.
  void AddRow(const MaskRun* begin, const MaskRun* end) {
    for (int y = 2 * begin->y; y < std::min(2 * begin->y + 2, luma_.rows); ++y) {
      for (const MaskRun* run = begin; run != end; ++run)
        AddPixels(y, 2 * run->x_begin, std::min(2 * run->x_end, luma_.cols));
    }
  }

  StandingOut Found() && { return std::move(out_); }

 private:
  void AddPixels(int y, int begin, int end) {
    const uchar *above = luma_.ptr<uchar>(std::max(y - 1, 0)), *row = luma_.ptr<uchar>(y),
                *below = luma_.ptr<uchar>(std::min(y + 1, luma_.rows - 1));
    // Of column x at x - begin + 1: one more on both sides, the border's own where there is none.
    int* const columns = columns_.data();
    for (int x = begin - 1; x <= end; ++x) {
      const int inside = std::clamp(x, 0, luma_.cols - 1);
      columns[x - begin + 1] = above[inside] + 2 * row[inside] + below[inside];
    }
    const uchar* level = opened_.ptr<uchar>(y / 2);
    uchar* contrast = out_.contrast.ptr<uchar>(y);
    bool goes_on = false;
    for (int x = begin; x < end; ++x) {
      const int* column = columns + (x - begin);
      const int beyond = sign_ * (column[0] + 2 * column[1] + column[2] - 16 * int{level[x / 2]});
      if (beyond < threshold_) {
        goes_on = false;
        continue;
      }
      contrast[x] = static_cast<uchar>(std::clamp(beyond / 16, 1, 255));
      if (!goes_on) out_.runs.push_back({y, x, x});
      out_.runs.back().x_end = x + 1;
      goes_on = true;
    }
  }

  const cv::Mat &luma_, &opened_;
  int sign_, threshold_;
  std::vector<int> columns_;
  StandingOut out_;
};

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
    uchar* row = mask.ptr<uchar>(run.y - part.box.y) - part.box.x;
    std::fill(row + run.x_begin, row + run.x_end, uchar{255});
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
std::vector<MaskComponent> SmallComponents(const StandingOut& found, int least, int widest) {
  const cv::Mat& contrast = found.contrast;
  std::vector<MaskComponent> small;
  std::vector<MaskComponent> open = ComponentsOf(found.runs);
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

  CloserLook look(luma, opened, bright ? 1 : -1, options.min_contrast_grey);
  const std::vector<MaskRun> runs = RunsOf(beyond);
  for (auto begin = runs.begin(); begin != runs.end();) {
    const auto end =
        std::find_if(begin, runs.end(), [&](const MaskRun& run) { return run.y != begin->y; });
    look.AddRow(&*begin, &*begin + (end - begin));
    begin = end;
  }
  const StandingOut found = std::move(look).Found();

  std::vector<SpotCandidate> candidates;
  for (const MaskComponent& part :
       SmallComponents(found, static_cast<int>(options.min_contrast_grey), 6 * opening)) {
    candidates.push_back({part.box, options.polarity, MaskOf(part), Peak(part, found.contrast)});
  }
  std::ranges::stable_sort(candidates, std::greater<>{}, &SpotCandidate::contrast_grey);
  if (candidates.size() > options.max_candidates) candidates.resize(options.max_candidates);
  return candidates;
}

}  // namespace percuss::tracking
