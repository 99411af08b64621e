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

void WritePicture(const cv::Mat& picture, const std::filesystem::path& file) {
  std::vector<uchar> bytes;
  cv::imencode(file.extension().string(), picture, bytes);
  WriteFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// The grey picture for a page, where it need not be wider than a window.
void WriteSmall(const cv::Mat& grey, const std::filesystem::path& file) {
  constexpr int kWidest = 1280, kQuality = 80;
  cv::Mat small = grey;
  if (grey.cols > kWidest) {
    cv::resize(grey, small, {kWidest, grey.rows * kWidest / grey.cols}, 0, 0, cv::INTER_AREA);
  }
  std::vector<uchar> bytes;
  cv::imencode(".jpg", small, bytes, {cv::IMWRITE_JPEG_QUALITY, kQuality});
  WriteFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void WriteVideo(const std::filesystem::path& video, const capture::VideoClock& clock,
                const std::map<int, const InspectedView*>& pictured, std::size_t view,
                double diameter_px, Polarity polarity, const std::filesystem::path& folder) {
  capture::VideoReader reader(video, clock);
  while (const std::optional<capture::Frame> frame = reader.Next()) {
    const auto seen = pictured.find(frame->index);
    if (seen == pictured.end()) continue;
    std::vector<PlaceName> names;
    for (const InspectedSpot& spot : seen->second->spots) {
      if (!spot.marker.empty()) names.push_back({spot.pixel, spot.marker});
    }
    const cv::Mat above = AboveSurround(frame->luma, diameter_px, polarity);
    const cv::Mat binary = BinaryPicture(above, MarkerThreshold(above));
    const std::string start = (folder / PictureName(view, frame->index)).string();
    WriteSmall(frame->luma, start + ".jpg");
    WritePicture(frame->luma, start + "-grey.png");
    WritePicture(binary, start + "-binary.png");
    WritePicture(OutlinedPicture(frame->luma, binary, names), start + "-outline.png");
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

std::string PictureName(std::size_t view, int frame) {
  return fmt::format("{}/{:06}", view == 0 ? "left" : "right", frame);
}

void WriteEnhanced(const capture::Trial& trial, const capture::VideoClock& clock,
                   const std::vector<InspectedFrame>& frames, double diameter_px, Polarity polarity,
                   const std::filesystem::path& folder) {
  const std::array<std::filesystem::path, 2> videos = {trial.left, trial.right};
  for (std::size_t view = 0; view < videos.size(); ++view) {
    std::map<int, const InspectedView*> pictured;
    for (const InspectedFrame& frame : frames) {
      if (frame.pictured && frame.views[view].frame)
        pictured[*frame.views[view].frame] = &frame.views[view];
    }
    if (pictured.empty()) continue;
    std::filesystem::create_directories((folder / PictureName(view, 0)).parent_path());
    WriteVideo(videos[view], clock, pictured, view, diameter_px, polarity, folder);
  }
}

}  // namespace percuss::tracking
