// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/bounces/bounce_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "base/text/numbers.h"

namespace percuss::report {
namespace {

constexpr int kCircleBits = 4;  // of fraction, as OpenCV draws
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kCapital = 21;  // [px] height of a capital of the font at size 1
constexpr double kFar = 10000;   // [px] what lies beyond is not in any picture
constexpr double kGround = 0.7;  // the picture is darkened: colours must stand out on white too
const cv::Scalar kLetters(240, 240, 240);

cv::Point Fixed(const cv::Point2d& place) {
  const auto whole = [](double x) {
    return static_cast<int>(std::lround(std::clamp(x, -kFar, kFar) * (1 << kCircleBits)));
  };
  return {whole(place.x), whole(place.y)};
}

int TextWidth(double letter) { return std::max(1, static_cast<int>(std::lround(letter / 9))); }

/// From the centre of the ball to the surface, length 1.
cv::Point2d TowardsSurface(const BounceFacts& facts, const Eigen::Vector2d& ball) {
  const Eigen::Vector2d along = facts.surface_to - facts.surface_from;
  if (!along.allFinite() || along.norm() < 1e-9) return {0, 1};
  Eigen::Vector2d normal(-along.y(), along.x());
  normal.normalize();
  if (normal.dot(facts.surface_from - ball) < 0) normal = -normal;
  return {normal.x(), normal.y()};
}

std::string BounceText(const BounceFact& bounce) {
  return fmt::format("{}: {}", bounce.number,
                     std::isfinite(bounce.e.value) ? FormatValue(bounce.e.value, bounce.e.sigma)
                                                   : std::string("no e"));
}

/// Where a text of this size lies best: near the wanted centre, in the picture, off the others.
cv::Rect FreePlace(cv::Size size, const cv::Point2d& wanted, const cv::Point2d& down,
                   cv::Size picture, const std::vector<PlacedText>& others) {
  constexpr int kReach = 12;  // steps to each side
  cv::Rect best;
  double least = std::numeric_limits<double>::infinity();
  for (int row = -kReach; row <= kReach; ++row) {
    for (int column = -kReach; column <= kReach; ++column) {
      const cv::Point2d step(0.5 * column * size.width, 1.1 * row * size.height);
      const cv::Point2d centre = wanted + step;
      const cv::Rect box(std::clamp(static_cast<int>(centre.x) - size.width / 2, 0,
                                    std::max(0, picture.width - size.width)),
                         std::clamp(static_cast<int>(centre.y) - size.height / 2, 0,
                                    std::max(0, picture.height - size.height)),
                         size.width, size.height);
      const bool is_covered = std::ranges::any_of(
          others, [&](const PlacedText& other) { return (other.box & box).area() > 0; });
      const cv::Point2d moved = cv::Point2d(box.tl() + box.br()) * 0.5 - wanted;
      // Over the surface it would cover the path.
      const double above = std::max(0.0, -moved.dot(down));
      const double cost = cv::norm(moved) + above + (is_covered ? kFar : 0);
      if (cost < least) {
        least = cost;
        best = box;
      }
    }
  }
  return best;
}

/// From the contact to its text, to the side that it is on.
void DrawLeader(const PlacedText& bounce, BounceCanvas* canvas) {
  const cv::Point2d middle = cv::Point2d(bounce.box.tl() + bounce.box.br()) * 0.5;
  const bool is_beside = std::abs(middle.x - bounce.anchor.x) > 0.5 * bounce.box.width;
  const double side = bounce.anchor.x > middle.x ? bounce.box.br().x : bounce.box.x;
  const cv::Point2d end = is_beside ? cv::Point2d(side, middle.y) : middle;
  cv::line(canvas->picture, Fixed(bounce.anchor), Fixed(end), kContactColour, canvas->line,
           cv::LINE_AA, kCircleBits);
}

}  // namespace

const cv::Scalar& FlightColour(int flight) {
  return flight % 2 == 0 ? kEvenFlightColour : kOddFlightColour;
}

cv::Point2d BounceCanvas::Place(const Eigen::Vector2d& pixel) const {
  return {(pixel.x() + 0.5) * scale - 0.5, (pixel.y() + 0.5) * scale - 0.5};
}

double ScaleBetween(cv::Size size, double shortest, double longest) {
  const double side = std::max({size.width, size.height, 1});
  return std::clamp(side, shortest, longest) / side;
}

BounceCanvas MakeCanvas(const cv::Mat& luma, double scale) {
  if (luma.empty() || luma.type() != CV_8UC1) {
    throw std::invalid_argument("a picture to draw bounces on must be grey, 8 bit, and not empty");
  }
  BounceCanvas canvas{.picture = {}, .scale = scale};
  cv::Mat sized;
  const cv::Size size(std::max(2, 2 * static_cast<int>(std::lround(0.5 * scale * luma.cols))),
                      std::max(2, 2 * static_cast<int>(std::lround(0.5 * scale * luma.rows))));
  cv::resize(luma, sized, size, 0, 0, scale < 0.5 ? cv::INTER_AREA : cv::INTER_LINEAR);
  sized.convertTo(sized, -1, kGround);
  cv::cvtColor(sized, canvas.picture, cv::COLOR_GRAY2BGR);
  const double side = std::max(size.width, size.height);
  canvas.line = std::max(1, static_cast<int>(std::lround(side / 600)));
  // A page shows a picture that stands at a smaller scale than one that lies.
  canvas.letter = side / (size.height > size.width ? 40 : 50);
  return canvas;
}

void DrawOutline(const Eigen::Vector2d& pixel, double radius_px, const cv::Scalar& colour,
                 int wider, BounceCanvas* canvas) {
  if (!pixel.allFinite() || !(radius_px > 0) || !std::isfinite(radius_px)) return;
  const double radius = std::clamp(radius_px * canvas->scale, 1.0, kFar);
  cv::circle(canvas->picture, Fixed(canvas->Place(pixel)),
             static_cast<int>(std::lround(radius * (1 << kCircleBits))), colour,
             canvas->line + wider, cv::LINE_AA, kCircleBits);
}

void DrawSurface(const BounceFacts& facts, BounceCanvas* canvas) {
  if (!facts.surface_from.allFinite() || !facts.surface_to.allFinite()) return;
  const cv::Point2d from = canvas->Place(facts.surface_from);
  const cv::Point2d along = canvas->Place(facts.surface_to) - from;
  const double length = cv::norm(along);
  if (length < 1e-9) return;
  const cv::Point2d unit = along / length;
  const double reach = canvas->picture.cols + canvas->picture.rows + cv::norm(from);
  const double dash = std::max(canvas->letter, 4.0);
  for (double at = -reach; at < reach; at += 2 * dash) {
    cv::line(canvas->picture, Fixed(from + at * unit), Fixed(from + (at + dash) * unit),
             kSurfaceColour, canvas->line, cv::LINE_AA, kCircleBits);
  }
}

std::vector<PlacedText> PlaceBounceTexts(const BounceFacts& facts, const BounceCanvas& canvas) {
  std::vector<PlacedText> texts;
  for (const BounceFact& bounce : facts.bounces) {
    const Eigen::Vector2d pixel = bounce.pixel.allFinite() ? bounce.pixel : Eigen::Vector2d::Zero();
    const double radius = std::isfinite(bounce.radius_px) ? bounce.radius_px * canvas.scale : 0.0;
    const cv::Point2d down = TowardsSurface(facts, pixel);
    PlacedText text{
        .text = BounceText(bounce), .box = {}, .anchor = canvas.Place(pixel) + radius * down};
    const cv::Size letters = TextSize(text.text, canvas.letter, canvas.line);
    const int beside = static_cast<int>(std::lround(0.7 * canvas.letter));
    const int rim = static_cast<int>(std::lround(0.35 * canvas.letter));
    const cv::Size size(letters.width + 2 * beside, letters.height + 2 * rim);
    const double half = 0.5 * (std::abs(down.x) * size.width + std::abs(down.y) * size.height);
    const cv::Point2d wanted = text.anchor + (half + 0.4 * canvas.letter) * down;
    text.box = FreePlace(size, wanted, down, canvas.picture.size(), texts);
    const cv::Point2d moved = cv::Point2d(text.box.tl() + text.box.br()) * 0.5 - wanted;
    text.is_away = cv::norm(moved) > size.height;
    text.box = {text.box.x + beside, text.box.y + rim, letters.width, letters.height};
    texts.push_back(text);
  }
  return texts;
}

void DrawBounces(const std::vector<PlacedText>& bounces, BounceCanvas* canvas) {
  for (const PlacedText& bounce : bounces) {
    if (bounce.is_away) DrawLeader(bounce, canvas);
  }
  for (const PlacedText& bounce : bounces) {
    const int radius = static_cast<int>(std::lround(0.25 * canvas->letter * (1 << kCircleBits)));
    cv::circle(canvas->picture, Fixed(bounce.anchor), radius + (canvas->line << kCircleBits),
               cv::Scalar::all(0), cv::FILLED, cv::LINE_AA, kCircleBits);
    cv::circle(canvas->picture, Fixed(bounce.anchor), radius, kContactColour, cv::FILLED,
               cv::LINE_AA, kCircleBits);
    DrawRimmedText(bounce.text, {bounce.box.x, bounce.box.br().y}, canvas->letter, kLetters,
                   canvas);
  }
}

std::string RestitutionText(const BounceFacts& facts) {
  const ValueWithSigma& e = facts.e;
  if (!std::isfinite(e.value)) return "no e";
  const std::string value = "e = " + FormatValue(e.value, e.sigma);
  if (!(e.sigma > 0) || !std::isfinite(e.sigma)) return value;
  return fmt::format("{} (95 %: {} to {})", value,
                     FormatValue(e.value - kSigmasOf95 * e.sigma, e.sigma),
                     FormatValue(e.value + kSigmasOf95 * e.sigma, e.sigma));
}

cv::Size TextSize(const std::string& text, double letter, int line) {
  int base_line = 0;
  return cv::getTextSize(text, kFont, letter / kCapital, std::max(line, TextWidth(letter)),
                         &base_line);
}

void DrawRimmedText(const std::string& text, cv::Point corner, double letter,
                    const cv::Scalar& colour, BounceCanvas* canvas) {
  const int width = TextWidth(letter);
  const double size = letter / kCapital;
  cv::putText(canvas->picture, text, corner, kFont, size, cv::Scalar::all(0), 3 * width + 1,
              cv::LINE_AA);
  cv::putText(canvas->picture, text, corner, kFont, size, colour, width, cv::LINE_AA);
}

}  // namespace percuss::report
