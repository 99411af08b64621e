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

// Y', Cb and Cr of ITU-R BT.601, studio range, of blue, green and red.
cv::Scalar StudioColour(const cv::Scalar& colour) {
  const double luma = 0.114 * colour[0] + 0.587 * colour[1] + 0.299 * colour[2];
  return {16.0 + 219.0 / 255.0 * luma, 128.0 + 224.0 / 255.0 * (colour[0] - luma) / 1.772,
          128.0 + 224.0 / 255.0 * (colour[2] - luma) / 1.402};
}

// Draws on each plane: draw(plane, value, pixels of the picture per pixel of the plane).
void OnPlanes(const cv::Scalar& colour, capture::LookPlanes* picture, const auto& draw) {
  const cv::Scalar studio = StudioColour(colour);
  draw(&picture->luma, studio[0], 1);
  draw(&picture->blue, studio[1], 2);
  draw(&picture->red, studio[2], 2);
}

// A place with kFractionBits in a plane: there, too, centres of pixels are at whole numbers.
cv::Point InPlane(cv::Point place, int step) {
  if (step == 1) return place;
  const int half_pixel = 1 << (kFractionBits - 1);
  return {(place.x - half_pixel) >> 1, (place.y - half_pixel) >> 1};
}

// A dark rim keeps letters readable on any picture.
void PutText(const std::string& text, cv::Point at, const cv::Scalar& colour, bool rim,
             capture::LookPlanes* picture) {
  const auto put = [&](const cv::Scalar& ink, int thickness) {
    OnPlanes(ink, picture, [&](cv::Mat* plane, double value, int step) {
      cv::putText(*plane, text, at / step, kFont, kLetterSize / step, value,
                  (thickness + step - 1) / step, cv::LINE_AA);
    });
  };
  if (rim) put(cv::Scalar::all(0), 3);
  put(colour, 1);
}

void DrawLine(const std::vector<cv::Point>& points, bool closed, const cv::Scalar& colour,
              capture::LookPlanes* picture) {
  if (points.size() < 2) return;
  std::vector<cv::Point> in_plane(points.size());
  OnPlanes(colour, picture, [&](cv::Mat* plane, double value, int step) {
    std::ranges::transform(points, in_plane.begin(),
                           [&](cv::Point place) { return InPlane(place, step); });
    cv::polylines(*plane, in_plane, closed, value, 1, cv::LINE_AA, kFractionBits);
  });
}

// Every second kDash pixels of the way along the points.
void DrawDashes(const std::vector<cv::Point>& points, const cv::Scalar& colour,
                capture::LookPlanes* picture) {
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

capture::LookPlanes PartOf(const capture::LookPlanes& picture, const cv::Rect& part) {
  const cv::Rect half(part.x / 2, part.y / 2, part.width / 2, part.height / 2);
  return {picture.luma(part), picture.blue(half), picture.red(half)};
}

void Fill(double grey, capture::LookPlanes* picture) {
  OnPlanes(cv::Scalar::all(grey), picture,
           [](cv::Mat* plane, double value, int) { plane->setTo(value); });
}

OverlayPanel::OverlayPanel(const calibration::View& view, const capture::LookPlanes& part,
                           double scale)
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

void OverlayPanel::Size(const cv::Mat& luma, const capture::GreyLevels& levels,
                        cv::Mat* sized) const {
  const bool as_stored = luma.depth() == CV_8U && levels == capture::kStudioRange;
  cv::Mat other;
  cv::Mat& stored = as_stored ? *sized : other;
  // Averaging whole areas is slow, and needed only where pixels would be left out.
  cv::resize(luma, stored, part_.luma.size(), 0, 0,
             scale_ < 0.5 ? cv::INTER_AREA : cv::INTER_LINEAR);
  if (!as_stored)
    capture::OnFullScale(stored, levels).convertTo(*sized, CV_8U, 219.0 / 255.0, 16.0);
}

void OverlayPanel::DrawPicture(const cv::Mat& sized) {
  sized.copyTo(part_.luma);
  part_.blue.setTo(128);
  part_.red.setTo(128);
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
  OnPlanes(colour, &part_, [&](cv::Mat* plane, double value, int step) {
    cv::circle(*plane, InPlane(Place(pixel), step), radius / step, value, 1, cv::LINE_AA,
               kFractionBits);
  });
}

void OverlayPanel::DrawText(const Eigen::Vector2d& pixel, const std::string& text,
                            const cv::Scalar& colour) {
  const cv::Point place = Place(pixel);
  PutText(text, {(place.x >> kFractionBits) + 8, (place.y >> kFractionBits) - 6}, colour, true,
          &part_);
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
    OnPlanes(colours[axis], &part_, [&](cv::Mat* plane, double value, int step) {
      cv::line(*plane, InPlane(Place(*origin), step), InPlane(Place(*tip), step), value, 2 / step,
               cv::LINE_AA, kFractionBits);
    });
    DrawText(*tip, letters[axis], colours[axis]);
  }
}

void DrawTexts(const std::vector<ColouredText>& texts, cv::Point start,
               capture::LookPlanes* picture) {
  for (const ColouredText& one : texts) {
    PutText(one.text, start, one.colour, false, picture);
    int baseline = 0;
    start.x += cv::getTextSize(one.text, kFont, kLetterSize, 1, &baseline).width;
  }
}

}  // namespace percuss::report
