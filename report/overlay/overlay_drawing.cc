// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/overlay_drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "capture/video/tone.h"

namespace percuss::report {
namespace {

constexpr int kFractionBits = 4;
constexpr double kFraction = 1 << kFractionBits;
constexpr int kFont = cv::FONT_HERSHEY_SIMPLEX;
constexpr double kLetterSize = 0.45;
constexpr double kDash = 7;  // [px]

// A dark rim keeps letters readable on any picture.
void PutText(const std::string& text, cv::Point at, const cv::Scalar& colour, cv::Mat* picture) {
  cv::putText(*picture, text, at, kFont, kLetterSize, cv::Scalar::all(0), 3, cv::LINE_AA);
  cv::putText(*picture, text, at, kFont, kLetterSize, colour, 1, cv::LINE_AA);
}

void DrawLine(const std::vector<cv::Point>& points, bool closed, const cv::Scalar& colour,
              cv::Mat* picture) {
  if (points.size() < 2) return;
  cv::polylines(*picture, points, closed, colour, 1, cv::LINE_AA, kFractionBits);
}

// Every second kDash pixels of the way along the points.
void DrawDashes(const std::vector<cv::Point>& points, const cv::Scalar& colour, cv::Mat* picture) {
  constexpr double kNothing = 1e-6;  // [px] rounding must not leave a rest of a dash without end
  double way = 0;                    // [px] from the start of the dash or of the gap
  bool is_dash = true;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const cv::Point2d from = points[k - 1], step = cv::Point2d(points[k]) - from;
    const double length = cv::norm(step) / kFraction;
    for (double done = 0; done < length;) {
      const double next = std::min(length, done + kDash - way);
      if (is_dash) {
        DrawLine({from + step * (done / length), from + step * (next / length)}, false, colour,
                 picture);
      }
      way += next - done;
      done = next;
      if (way < kDash - kNothing) continue;
      way = 0;
      is_dash = !is_dash;
    }
  }
}

}  // namespace

OverlayPanel::OverlayPanel(const calibration::View& view, const cv::Mat& part, double scale)
    : view_(view), part_(part), scale_(scale) {}

cv::Point OverlayPanel::Place(const Eigen::Vector2d& pixel) const {
  // Pixel centres are at whole numbers on both scales.
  const Eigen::Vector2d place =
      ((pixel.array() + 0.5) * scale_ - 0.5).max(-10000.0).min(10000.0) * kFraction;
  return {static_cast<int>(std::lround(place.x())), static_cast<int>(std::lround(place.y()))};
}

std::optional<Eigen::Vector2d> OverlayPanel::PixelOf(const Eigen::Vector3d& p_W) const {
  const auto seen = calibration::ProjectPoint(view_, p_W);
  if (!seen || !seen->pixel.allFinite()) return {};
  return seen->pixel;
}

cv::Mat OverlayPanel::Sized(const cv::Mat& luma, const capture::GreyLevels& levels) const {
  cv::Mat sized;
  // Averaging whole areas is slow, and needed only where pixels would be left out.
  cv::resize(luma, sized, part_.size(), 0, 0, scale_ < 0.5 ? cv::INTER_AREA : cv::INTER_LINEAR);
  return capture::OnFullScale(sized, levels);
}

void OverlayPanel::DrawPicture(const cv::Mat& sized) {
  cv::cvtColor(sized, part_, cv::COLOR_GRAY2BGR);
}

void OverlayPanel::Draw(const Stroke& stroke) {
  std::vector<cv::Point> points;
  for (const Eigen::Vector2d& pixel : stroke.pixels) points.push_back(Place(pixel));
  if (!stroke.dashed) {
    DrawLine(points, stroke.closed, stroke.colour, &part_);
    return;
  }
  if (stroke.closed && !points.empty()) points.push_back(points.front());
  DrawDashes(points, stroke.colour, &part_);
}

void OverlayPanel::DrawRing(const Eigen::Vector2d& pixel, double radius_px,
                            const cv::Scalar& colour) {
  const int radius = static_cast<int>(std::lround(std::max(3.0, scale_ * radius_px) * kFraction));
  cv::circle(part_, Place(pixel), radius, colour, 1, cv::LINE_AA, kFractionBits);
}

void OverlayPanel::DrawText(const Eigen::Vector2d& pixel, const std::string& text,
                            const cv::Scalar& colour) {
  const cv::Point place = Place(pixel);
  PutText(text, {(place.x >> kFractionBits) + 8, (place.y >> kFractionBits) - 6}, colour, &part_);
}

void OverlayPanel::DrawAxes(const Flight& state, double length) {
  static const std::array<cv::Scalar, 3> colours = {
      cv::Scalar(167, 121, 204), cv::Scalar(115, 158, 0), cv::Scalar(66, 228, 240)};
  static const std::array<const char*, 3> letters = {"x", "y", "z"};
  const auto origin = PixelOf(state.p_WB);
  if (!origin) return;
  for (int axis = 0; axis < 3; ++axis) {
    const auto tip = PixelOf(state.p_WB + state.q_WB * (length * Eigen::Vector3d::Unit(axis)));
    if (!tip) continue;
    cv::line(part_, Place(*origin), Place(*tip), colours[axis], 2, cv::LINE_AA, kFractionBits);
    DrawText(*tip, letters[axis], colours[axis]);
  }
}

void DrawTexts(const std::vector<ColouredText>& texts, cv::Point start, cv::Mat* picture) {
  for (const ColouredText& one : texts) {
    cv::putText(*picture, one.text, start, kFont, kLetterSize, one.colour, 1, cv::LINE_AA);
    int baseline = 0;
    start.x += cv::getTextSize(one.text, kFont, kLetterSize, 1, &baseline).width;
  }
}

}  // namespace percuss::report
