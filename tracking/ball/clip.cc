// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ball/clip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

#include "base/error.h"
#include "capture/video/video.h"
#include "tracking/ball/moving_things.h"

namespace percuss::tracking {
namespace {

constexpr std::size_t kGroundFrames = 25;
constexpr int kSmallWidth = 480;  // [px], about

/// Frames evenly spread over a clip of unknown length: when there are twice as many as wanted,
/// every second one goes, and from then on half as many come.
struct SpreadFrames {
  std::vector<std::pair<int, cv::Mat>> pictures;
  int every = 1;

  void Offer(int index, const cv::Mat& picture) {
    if (index % every != 0) return;
    pictures.emplace_back(index, picture.clone());
    if (pictures.size() < 2 * kGroundFrames) return;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < pictures.size(); k += 2) pictures[kept++] = pictures[k];
    pictures.resize(kept);
    every *= 2;
  }
};

struct KeptFrames {
  std::vector<double> times;
  std::vector<cv::Mat> luma;
  bool complete = false, too_many = false;
};

}  // namespace

ClipFrames FramesOf(const std::filesystem::path& file, const capture::VideoClock& clock,
                    std::size_t memory_bytes) {
  const auto kept = std::make_shared<KeptFrames>();
  return [=](const VisitFrame& visit) {
    if (kept->complete) {
      for (std::size_t k = 0; k < kept->luma.size(); ++k)
        visit(static_cast<int>(k), kept->times[k], kept->luma[k]);
      return;
    }
    capture::VideoReader reader(file, clock);
    std::size_t bytes = 0;
    while (const auto frame = reader.Next()) {
      visit(frame->index, frame->time, frame->luma);
      bytes += frame->luma.total();
      if (bytes > memory_bytes) kept->too_many = true;
      if (kept->too_many) {
        kept->luma.clear();
        continue;
      }
      kept->times.push_back(frame->time);
      kept->luma.push_back(frame->luma.clone());
    }
    kept->complete = !kept->too_many;
  };
}

ClipSurvey SurveyClip(const ClipFrames& frames) {
  constexpr std::size_t kLeastFrames = 8;
  ClipSurvey survey;
  SpreadFrames spread;
  frames([&](int index, double time, const cv::Mat& luma) {
    if (index == 0) {
      survey.size = luma.size();
      survey.shrink = std::max(
          1, static_cast<int>(std::lround(std::max(luma.cols, luma.rows) / double{kSmallWidth})));
    }
    if (luma.size() != survey.size)
      throw InputError(fmt::format("frame {}: size {} x {}, allowed {} x {} as before", index,
                                   luma.cols, luma.rows, survey.size.width, survey.size.height));
    survey.times.push_back(time);
    cv::Mat small;
    const cv::Size whole(luma.cols / survey.shrink * survey.shrink,
                         luma.rows / survey.shrink * survey.shrink);
    cv::resize(luma(cv::Rect({0, 0}, whole)), small,
               {whole.width / survey.shrink, whole.height / survey.shrink}, 0, 0, cv::INTER_AREA);
    // Converters and phones fill up a frame rate so. Noise alone makes larger steps than that.
    constexpr double kSame = 1.0;
    if (index > 0 && cv::norm(small, survey.small.back(), cv::NORM_INF) <= kSame)
      survey.repeats.push_back(index);
    survey.small.push_back(small);
    spread.Offer(index, luma);
  });
  if (survey.times.size() < kLeastFrames)
    throw InputError(
        fmt::format("found {} frames, allowed at least {}", survey.times.size(), kLeastFrames));
  survey.shake = FindShake(survey.small, survey.shrink, survey.size);
  if (survey.shake.shakes) {
    for (std::size_t k = 0; k < survey.small.size(); ++k)
      survey.small[k] =
          ToReference(survey.shake, static_cast<int>(k), survey.small[k], survey.shrink);
    for (auto& [index, picture] : spread.pictures)
      picture = ToReference(survey.shake, index, picture, 1);
  }
  std::vector<cv::Mat> some;
  for (const auto& [index, picture] : spread.pictures) some.push_back(picture);
  survey.ground = MedianPicture(some);
  survey.kept = std::move(spread.pictures);
  some.clear();
  const std::size_t every = 1 + survey.small.size() / (2 * kGroundFrames);
  for (std::size_t k = 0; k < survey.small.size(); k += every) some.push_back(survey.small[k]);
  survey.small_ground = MedianPicture(some);
  return survey;
}

}  // namespace percuss::tracking
