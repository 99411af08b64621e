// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/bounces/bounce_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "base/files/files.h"
#include "report/bounces/bounce_drawing.h"

namespace percuss::report {
namespace {

constexpr double kShortest = 960, kLongest = 1920;  // [px] of the long side
constexpr int kRim = 2;                             // [px] of both sides of a line
constexpr double kFaint = 0.4;                      // of a colour's full strength
constexpr double kApart = 0.7;                      // radii between outlines that are drawn

/// Of a filmed second of slow motion only some: else they would merge to a band.
std::vector<const BallFact*> BallsApart(const BounceFacts& facts, bool used) {
  std::vector<const BallFact*> apart;
  for (const BallFact& ball : facts.balls) {
    if (ball.used != used || !ball.pixel.allFinite()) continue;
    const bool is_near = !apart.empty() && apart.back()->flight == ball.flight &&
                         (apart.back()->pixel - ball.pixel).norm() < kApart * ball.radius_px;
    if (!is_near) apart.push_back(&ball);
  }
  return apart;
}

void DrawOutlines(const std::vector<const BallFact*>& balls, BounceCanvas* canvas) {
  // All rims first: a rim must not cover the outline before.
  for (const BallFact* ball : balls)
    DrawOutline(ball->pixel, ball->radius_px, cv::Scalar::all(0), kRim, canvas);
  for (const BallFact* ball : balls)
    DrawOutline(ball->pixel, ball->radius_px, FlightColour(ball->flight), 0, canvas);
}

void DrawWay(const BounceFacts& facts, BounceCanvas* canvas) {
  const BallFact* last = nullptr;
  for (const BallFact& ball : facts.balls) {
    if (!ball.used || !ball.pixel.allFinite()) continue;
    if (last != nullptr && last->flight == ball.flight) {
      cv::line(canvas->picture, canvas->Place(last->pixel), canvas->Place(ball.pixel),
               FlightColour(ball.flight), canvas->line, cv::LINE_AA);
    }
    last = &ball;
  }
}

/// The lower left corner of a text in that corner of the picture where fewest balls are.
cv::Point QuietCorner(const BounceFacts& facts, cv::Size text, const BounceCanvas& canvas) {
  const int margin = static_cast<int>(std::lround(canvas.letter));
  const int right = std::max(margin, canvas.picture.cols - text.width - margin);
  const int low = canvas.picture.rows - margin, high = text.height + margin;
  const std::array<cv::Point, 4> corners = {
      {{margin, high}, {right, high}, {margin, low}, {right, low}}};
  const auto balls = [&](const cv::Point& corner) {
    return std::ranges::count_if(facts.balls, [&](const BallFact& ball) {
      const cv::Point2d place = canvas.Place(ball.pixel);
      const double near = ball.radius_px * canvas.scale;
      return place.x > corner.x - near && place.x < corner.x + text.width + near &&
             place.y > corner.y - text.height - near && place.y < corner.y + near;
    });
  };
  return *std::ranges::min_element(corners, {}, balls);
}

}  // namespace

cv::Mat DrawBouncePicture(const BounceFacts& facts, const cv::Mat& ground) {
  BounceCanvas canvas = MakeCanvas(ground, ScaleBetween(ground.size(), kShortest, kLongest));
  DrawSurface(facts, &canvas);
  BounceCanvas faint = canvas;
  faint.picture = canvas.picture.clone();
  DrawOutlines(BallsApart(facts, false), &faint);
  cv::addWeighted(faint.picture, kFaint, canvas.picture, 1 - kFaint, 0, canvas.picture);
  DrawOutlines(BallsApart(facts, true), &canvas);
  DrawWay(facts, &canvas);
  DrawBounces(PlaceBounceTexts(facts, canvas), &canvas);

  // The interval is left out where there is no room for it.
  const double room = canvas.picture.cols - 2 * canvas.letter;
  std::string text = RestitutionText(facts);
  double letter = 1.25 * canvas.letter;
  if (TextSize(text, letter, canvas.line).width > room) text = text.substr(0, text.find(" ("));
  letter *= std::min(1.0, room / TextSize(text, letter, canvas.line).width);
  const cv::Size size = TextSize(text, letter, canvas.line);
  DrawRimmedText(text, QuietCorner(facts, size, canvas), letter, cv::Scalar::all(240), &canvas);
  return canvas.picture;
}

void WriteBouncePicture(const BounceFacts& facts, const cv::Mat& ground,
                        const std::filesystem::path& file) {
  const std::string ending = file.extension().string();
  if (ending != ".jpg" && ending != ".jpeg" && ending != ".png") {
    throw std::invalid_argument("a picture's file must end in .jpg or .png, not: " + ending);
  }
  std::vector<unsigned char> bytes;
  constexpr int kQuality = 88;
  std::vector<int> settings;
  if (ending != ".png") settings = {cv::IMWRITE_JPEG_QUALITY, kQuality};
  if (!cv::imencode(ending, DrawBouncePicture(facts, ground), bytes, settings)) {
    throw std::runtime_error("the picture of the bounces cannot be encoded");
  }
  WriteFileAtomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace percuss::report
