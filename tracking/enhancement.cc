// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/enhancement.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <vector>

#include "base/files/files.h"
#include "capture/video/video.h"

namespace percuss::tracking {
namespace {

using Histogram = std::array<double, 256>;

Histogram HistogramOf(const cv::Mat& grey) {
  Histogram histogram{};
  for (int y = 0; y < grey.rows; ++y) {
    const uchar* row = grey.ptr<uchar>(y);
    for (int x = 0; x < grey.cols; ++x) ++histogram[row[x]];
  }
  return histogram;
}

int MedianOf(const Histogram& histogram, double count) {
  double below = 0.0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    below += histogram[value];
    if (2.0 * below >= count) return static_cast<int>(value);
  }
  return 255;
}

/// The last grey value of the dark class; the middle of those that part the pixels equally well.
int OtsuThreshold(const Histogram& histogram) {
  double count = 0.0, sum = 0.0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    count += histogram[value];
    sum += static_cast<double>(value) * histogram[value];
  }
  double dark = 0.0, dark_sum = 0.0, best = -1.0;
  int first = 0, last = 0;
  for (std::size_t value = 0; value < histogram.size(); ++value) {
    dark += histogram[value];
    dark_sum += static_cast<double>(value) * histogram[value];
    const double bright = count - dark;
    if (dark == 0.0 || bright == 0.0) continue;
    const double apart = dark_sum / dark - (sum - dark_sum) / bright;
    const double between = dark * bright * apart * apart;
    if (between < best) continue;
    last = static_cast<int>(value);
    if (between > best) first = last;
    best = between;
  }
  return (first + last) / 2;
}

/// What is known of one frame of a video: the labelled sightings.
using NamesOfFrame = std::map<int, std::vector<PlaceName>>;

NamesOfFrame NamesOf(const capture::MarkedBody& body, const TrackedTrial& tracked, int side) {
  NamesOfFrame names;
  for (const TrackedFrame& frame : tracked.frames) {
    for (const MarkerObservation& seen : frame.observations) {
      if (seen.side != side) continue;
      names[side == 0 ? frame.left_frame : frame.right_frame].push_back(
          {seen.pixel, body.markers[seen.marker].name});
    }
  }
  return names;
}

void WritePicture(const cv::Mat& picture, const std::filesystem::path& file) {
  std::vector<uchar> bytes;
  cv::imencode(file.extension().string(), picture, bytes);
  WriteFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void WriteVideo(const std::filesystem::path& video, const capture::VideoClock& clock,
                const NamesOfFrame& names, double diameter_px, Polarity polarity, int every,
                const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  capture::VideoReader reader(video, clock);
  while (const std::optional<capture::Frame> frame = reader.Next()) {
    if (frame->index % every != 0) continue;
    const cv::Mat above = AboveSurround(frame->luma, diameter_px, polarity);
    const cv::Mat binary = BinaryPicture(above, MarkerThreshold(above));
    const auto named = names.find(frame->index);
    const std::filesystem::path start = folder / fmt::format("{:06}", frame->index);
    WritePicture(frame->luma, start.string() + "-grey.png");
    WritePicture(binary, start.string() + "-binary.png");
    WritePicture(OutlinedPicture(frame->luma, binary,
                                 named == names.end() ? std::span<const PlaceName>{}
                                                      : std::span<const PlaceName>(named->second)),
                 start.string() + "-outline.png");
  }
}

}  // namespace

cv::Mat AboveSurround(const cv::Mat& grey, double diameter_px, Polarity polarity) {
  const int width = 2 * std::max(2, static_cast<int>(std::lround(diameter_px))) + 1;
  cv::Mat above;
  cv::morphologyEx(grey, above,
                   polarity == Polarity::kBright ? cv::MORPH_TOPHAT : cv::MORPH_BLACKHAT,
                   cv::getStructuringElement(cv::MORPH_RECT, {width, width}));
  return above;
}

std::optional<int> MarkerThreshold(const cv::Mat& above_surround, double min_contrast_grey) {
  const Histogram all = HistogramOf(above_surround);
  const int median = MedianOf(all, static_cast<double>(above_surround.total()));
  Histogram counted{};
  double count = 0.0;
  for (int value = 0; value < 256; ++value) {
    if (value - median < min_contrast_grey) continue;
    counted[value] = all[value];
    count += all[value];
  }
  if (count == 0.0) return std::nullopt;
  counted[median] = count;
  return OtsuThreshold(counted);
}

cv::Mat BinaryPicture(const cv::Mat& above_surround, std::optional<int> threshold) {
  if (!threshold) return cv::Mat::zeros(above_surround.size(), CV_8UC1);
  return above_surround > *threshold;
}

cv::Mat OutlinedPicture(const cv::Mat& grey, const cv::Mat& binary,
                        std::span<const PlaceName> names) {
  const cv::Scalar outline(80, 80, 255), label(120, 255, 120);  // blue, green, red
  cv::Mat picture;
  cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  std::vector<std::vector<cv::Point>> contours;
  cv::findContours(binary, contours, cv::RETR_EXTERNAL, cv::CHAIN_APPROX_NONE);
  cv::drawContours(picture, contours, -1, outline);
  for (const PlaceName& place : names) {
    const cv::Point at(static_cast<int>(std::lround(place.pixel.x())) + 10,
                       static_cast<int>(std::lround(place.pixel.y())) - 6);
    cv::putText(picture, place.name, at, cv::FONT_HERSHEY_SIMPLEX, 0.5, label, 1, cv::LINE_AA);
  }
  return picture;
}

void WriteEnhanced(const capture::Experiment& experiment, const capture::Trial& trial,
                   const TrackedTrial& tracked, double diameter_px, Polarity polarity, int every,
                   const std::filesystem::path& folder) {
  if (every < 1)
    throw std::invalid_argument(fmt::format("WriteEnhanced: every: found {}, allowed > 0", every));
  const auto write = [&](int side, const std::filesystem::path& video, const char* name) {
    WriteVideo(video, experiment.clock, NamesOf(experiment.body, tracked, side), diameter_px,
               polarity, every, folder / name);
  };
  write(0, trial.left, "left");
  if (!trial.right.empty()) write(1, trial.right, "right");
}

}  // namespace percuss::tracking
