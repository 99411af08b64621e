// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/bounces/bounce_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "base/text/numbers.h"
#include "capture/video/video_writer.h"
#include "report/bounces/bounce_drawing.h"

namespace percuss::report {
namespace {

constexpr double kPicturesPerSecond = 25;
constexpr int kBounceCrf = 26;
constexpr int kMargin = 12;  // frames: half a second of the overlay
constexpr double kLongestSide = 1280, kShortestLongSide = 640;  // [px]
constexpr int kStripLines = 3;
const cv::Scalar kUnused(170, 170, 170);

/// Frames that are shown.
struct FrameRange {
  int first = std::numeric_limits<int>::min(), last = std::numeric_limits<int>::max();
};

FrameRange RangeOf(const BounceFacts& facts) {
  FrameRange range;
  bool is_first = true;
  for (const BallFact& ball : facts.balls) {
    if (!ball.used) continue;
    if (is_first) range.first = ball.frame - kMargin;
    range.last = ball.frame + kMargin;
    is_first = false;
  }
  return range;
}

/// Height of the strip below a picture of this size.
int StripHeight(cv::Size picture) {
  const double letter = std::max(picture.width, picture.height) / 70.0;
  return 2 * static_cast<int>(std::lround(letter * (kStripLines + 0.25)));
}

double VideoScale(cv::Size size) {
  const double scale = ScaleBetween(size, kShortestLongSide, kLongestSide);
  const cv::Size scaled(static_cast<int>(std::lround(scale * size.width)),
                        static_cast<int>(std::lround(scale * size.height)));
  const double with_strip = scaled.height + StripHeight(scaled);
  return scale * std::min(1.0, (kLongestSide - 2) / with_strip);
}

std::string TimeLine(const BounceFacts& facts, int frame, double time) {
  std::string line = fmt::format("frame {}   {:.4f} s", frame, time);
  const double slower = facts.frame_rate / kPicturesPerSecond;
  if (slower > 1.05) line += fmt::format("   {:.3g} times slower", slower);
  return line;
}

std::string BounceLine(const BounceFacts& facts, double time) {
  const BounceFact* last = nullptr;
  for (const BounceFact& bounce : facts.bounces) {
    if (bounce.time.value <= time) last = &bounce;
  }
  if (last == nullptr) return "no bounce yet";
  const std::string sigma = last->e.sigma > 0 ? " +- " + FormatSigma(last->e.sigma) : std::string();
  const std::string e = std::isfinite(last->e.value)
                            ? "e = " + FormatValue(last->e.value, last->e.sigma) + sigma
                            : std::string("no e");
  return fmt::format("bounce {}: {}", last->number, e);
}

class BounceFilm {
 public:
  BounceFilm(const BounceFacts& facts, const std::filesystem::path& file)
      : facts_(facts), file_(file), range_(RangeOf(facts)) {}

  void Add(int frame, double time, const cv::Mat& luma) {
    if (frame < range_.first || frame > range_.last) return;
    if (!writer_) Begin(luma);
    if (luma.size() != size_) throw std::invalid_argument("the frames of a clip differ in size");
    BounceCanvas canvas = MakeCanvas(luma, scale_);
    DrawSurface(facts_, &canvas);
    DrawBalls(frame, &canvas);
    std::vector<PlacedText> happened;
    for (std::size_t k = 0; k < texts_.size(); ++k) {
      if (facts_.bounces[k].time.value <= time) happened.push_back(texts_[k]);
    }
    DrawBounces(happened, &canvas);
    canvas.picture.copyTo(picture_.rowRange(0, canvas.picture.rows));
    DrawStrip(frame, time, canvas.picture.rows);
    writer_->Write(picture_);
  }

  void Finish() {
    if (writer_) writer_->Finish();
  }

 private:
  void Begin(const cv::Mat& luma) {
    size_ = luma.size();
    scale_ = VideoScale(size_);
    const BounceCanvas canvas = MakeCanvas(luma, scale_);
    texts_ = PlaceBounceTexts(facts_, canvas);
    picture_.create(canvas.picture.rows + StripHeight(canvas.picture.size()), canvas.picture.cols,
                    CV_8UC3);
    writer_ = std::make_unique<capture::VideoWriter>(file_, picture_.size(), kPicturesPerSecond,
                                                     kBounceCrf, capture::PictureKind::kColour);
  }

  void DrawBalls(int frame, BounceCanvas* canvas) const {
    const BallFact* before = nullptr;
    for (const BallFact& ball : facts_.balls) {
      if (ball.frame > frame) break;
      if (ball.frame == frame) {
        DrawOutline(ball.pixel, ball.radius_px, cv::Scalar::all(0), 2, canvas);
        DrawOutline(ball.pixel, ball.radius_px, ball.used ? FlightColour(ball.flight) : kUnused, 0,
                    canvas);
      }
      if (!ball.used || !ball.pixel.allFinite()) continue;
      if (before != nullptr && before->flight == ball.flight) {
        cv::line(canvas->picture, canvas->Place(before->pixel), canvas->Place(ball.pixel),
                 FlightColour(ball.flight), canvas->line, cv::LINE_AA);
      }
      before = &ball;
    }
  }

  void DrawStrip(int frame, double time, int top) {
    BounceCanvas strip{.picture = picture_.rowRange(top, picture_.rows)};
    strip.picture.setTo(cv::Scalar::all(0));
    const double line = static_cast<double>(strip.picture.rows) / (kStripLines + 0.25);
    int number = 0;
    for (const std::string& text : {TimeLine(facts_, frame, time), BounceLine(facts_, time),
                                    "clip: " + RestitutionText(facts_)}) {
      double letter = 0.5 * line;
      letter *= std::min(1.0, (picture_.cols - line) / TextSize(text, letter, 1).width);
      DrawRimmedText(text,
                     {static_cast<int>(0.5 * line), static_cast<int>((++number - 0.15) * line)},
                     letter, cv::Scalar::all(230), &strip);
    }
  }

  const BounceFacts& facts_;
  std::filesystem::path file_;
  FrameRange range_;
  cv::Size size_;
  double scale_ = 1;
  std::vector<PlacedText> texts_;
  cv::Mat picture_;
  std::unique_ptr<capture::VideoWriter> writer_;
};

}  // namespace

void WriteBounceVideo(const BounceFacts& facts,
                      const std::function<void(const FrameVisitor&)>& frames,
                      const std::filesystem::path& file) {
  BounceFilm film(facts, file);
  frames([&](int frame, double time, const cv::Mat& luma) { film.Add(frame, time, luma); });
  film.Finish();
}

}  // namespace percuss::report
