// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/board_track.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "calibration/targets/target.h"
#include "capture/video/tone.h"
#include "capture/video/video.h"

namespace percuss::calibration {
namespace {

constexpr double kLookRate = 15.0;    // [Hz]; what a hand does takes a tenth of a second or more
constexpr int kLeastLooked = 200;     // frames of a short video, if it has them
constexpr double kSearchWidth = 960;  // [px]

// Finds the board in frames of one video.
class FrameFinder {
 public:
  explicit FrameFinder(const BoardVideo& video)
      : board_(video.board),
        light_of_full_(capture::LightOfGrey(video.tone)),
        light_of_studio_(capture::LightOfStudioGrey(video.tone)) {}

  BoardCorners Find(const capture::StoredFrame& frame, const FindBoardOptions& options) const {
    return Find(frame.luma, frame.levels, options);
  }

  // At about kSearchWidth; points and covariances are those of the full frame.
  BoardCorners FindSmall(const capture::StoredFrame& frame) const {
    const int longer = std::max(frame.luma.cols, frame.luma.rows);
    const int shrink = static_cast<int>(std::lround(longer / kSearchWidth));
    if (shrink <= 1) return Find(frame.luma, frame.levels, {.brief = true});
    cv::Mat small;
    cv::resize(frame.luma, small, {frame.luma.cols / shrink, frame.luma.rows / shrink}, 0.0, 0.0,
               cv::INTER_AREA);
    BoardCorners corners = Find(small, frame.levels, {.brief = true});
    const Eigen::Array2d scale(static_cast<double>(frame.luma.cols) / small.cols,
                               static_cast<double>(frame.luma.rows) / small.rows);
    for (Eigen::Vector2d& pixel : corners.pixels) pixel = (pixel.array() + 0.5) * scale - 0.5;
    for (Eigen::Matrix2d& covariance : corners.covariances_px2) {
      covariance = scale.matrix().asDiagonal() * covariance * scale.matrix().asDiagonal();
    }
    return corners;
  }

 private:
  BoardCorners Find(const cv::Mat& stored, const capture::GreyLevels& levels,
                    const FindBoardOptions& options) const {
    const bool studio_range = levels == capture::kStudioRange;
    const cv::Mat grey = studio_range ? stored : capture::OnFullScale(stored, levels);
    const cv::Mat light =
        capture::Linearise(grey, studio_range ? light_of_studio_ : light_of_full_);
    return FindTarget(grey, light, board_, options);
  }

  capture::Board board_;
  std::array<float, 256> light_of_full_, light_of_studio_;
};

int StepOf(const capture::VideoReader& reader) {
  int step = static_cast<int>(std::lround(reader.FrameRate() / kLookRate));
  if (reader.FrameCount() > 0) step = std::min(step, reader.FrameCount() / kLeastLooked);
  return std::max(step, 1);
}

std::string MostFrequent(const std::map<std::string, int>& reasons) {
  const auto most = std::ranges::max_element(
      reasons, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == reasons.end() ? "" : most->first;
}

}  // namespace

double BoardTrack::Interval() const {
  return times.size() < 2 ? 0.0
                          : (times.back() - times.front()) / static_cast<double>(times.size() - 1);
}

BoardTrack FollowBoard(const BoardVideo& video, int least,
                       const std::function<void(double)>& progress) {
  capture::VideoReader reader(video.file, video.clock);
  const FrameFinder finder(video);
  BoardTrack track{.file = video.file,
                   .width = reader.FrameSize().width,
                   .height = reader.FrameSize().height,
                   .times = {},
                   .step = StepOf(reader),
                   .sightings = {},
                   .reason = {}};
  std::map<std::string, int> reasons;
  while (const std::optional<capture::StoredFrame> frame = reader.NextStored()) {
    track.times.push_back(frame->time);
    if (frame->index % track.step != 0) continue;
    ++track.num_looked;
    BoardCorners corners = finder.FindSmall(*frame);
    if (corners.found) {
      track.sightings.push_back({frame->index, frame->time, std::move(corners)});
    } else {
      ++reasons[corners.reason];
    }
    if (progress && reader.FrameCount() > 0) {
      progress(std::min(1.0, static_cast<double>(frame->index) / reader.FrameCount()));
    }
  }
  track.reason = MostFrequent(reasons);
  if (std::ssize(track.sightings) >= least) return track;
  throw DataError(fmt::format(
      "{}: the board is found in {} of {} frames, at least {} are needed (most of the others: {}); "
      "wave it slowly, whole in the picture and in focus",
      video.file.string(), track.sightings.size(), track.num_looked, least, track.reason));
}

std::map<int, BoardSighting> MeasureFrames(const BoardVideo& video, const std::vector<int>& frames,
                                           const std::function<void(double)>& progress) {
  capture::VideoReader reader(video.file, video.clock);
  const FrameFinder finder(video);
  std::map<int, BoardSighting> found;
  std::size_t done = 0;
  for (const int wanted : frames) {
    reader.SkipTo(wanted);
    const std::optional<capture::StoredFrame> frame = reader.NextStored();
    if (!frame) break;
    BoardCorners corners = finder.Find(*frame, {.brief = true});
    if (corners.found) found[wanted] = {wanted, frame->time, std::move(corners)};
    if (progress) progress(static_cast<double>(++done) / static_cast<double>(frames.size()));
  }
  return found;
}

SampledFrames SampleFrames(const BoardVideo& video, int count) {
  capture::VideoReader reader(video.file, video.clock);
  const FrameFinder finder(video);
  SampledFrames sampled{.width = reader.FrameSize().width,
                        .height = reader.FrameSize().height,
                        .sightings = {},
                        .reason = {}};
  constexpr int kUsualStep = 10;  // where the file does not say how many frames it has
  const int step = reader.FrameCount() > 0 ? std::max(1, reader.FrameCount() / count) : kUsualStep;
  std::map<std::string, int> reasons;
  for (int k = 0; k < count; ++k) {
    reader.SkipTo(k * step);
    const std::optional<capture::StoredFrame> frame = reader.NextStored();
    if (!frame) break;
    BoardCorners corners = finder.Find(*frame, {.brief = true});
    if (corners.found) {
      sampled.sightings.push_back({frame->index, frame->time, std::move(corners)});
    } else {
      ++reasons[corners.reason];
    }
  }
  sampled.reason = MostFrequent(reasons);
  // The thorough search takes seconds where there is nothing to be found: one frame must do.
  if (sampled.sightings.empty()) {
    capture::VideoReader again(video.file, video.clock);
    const std::optional<capture::StoredFrame> frame = again.NextStored();
    BoardCorners corners = frame ? finder.Find(*frame, {}) : BoardCorners{};
    if (corners.found) sampled.sightings.push_back({0, frame->time, std::move(corners)});
  }
  return sampled;
}

}  // namespace percuss::calibration
