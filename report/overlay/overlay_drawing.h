// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "calibration/rig/triangulation.h"
#include "capture/pictures/grey_levels.h"
#include "capture/video/video_writer.h"
#include "report/overlay/body_drawing.h"

namespace percuss::report {

// Colours of Okabe and Ito (2008), blue green red.
inline const cv::Scalar kMarkerColour(0, 159, 230);     // orange
inline const cv::Scalar kMeasuredColour(233, 180, 86);  // sky blue
inline const cv::Scalar kPredictedColour(0, 94, 213);   // vermillion
inline const cv::Scalar kTextColour(230, 230, 230);

/// A line through pixels of a camera.
struct Stroke {
  std::vector<Eigen::Vector2d> pixels{};
  cv::Scalar colour{};
  bool dashed = false;
  bool closed = false;
};

/// A part of a picture; even coordinates.
capture::LookPlanes PartOf(const capture::LookPlanes& picture, const cv::Rect& part);

/// All of one grey value of the full scale.
void Fill(double grey, capture::LookPlanes* picture);

/// The part of an overlay that shows one view. Everything is given in pixels of the camera or in W;
/// what lies outside the part is cut off.
class OverlayPanel {
 public:
  /// @param part shared with the whole picture. @param scale its pixels per camera pixel.
  OverlayPanel(const calibration::View& view, const capture::LookPlanes& part, double scale);

  /// A picture of the camera in the size of the part, in studio range: a copy, CV_8UC1, in the
  /// memory that `sized` has, if it is as large.
  void Size(const cv::Mat& luma, const capture::GreyLevels& levels, cv::Mat* sized) const;
  /// Fills the part with such a picture.
  void DrawPicture(const cv::Mat& sized);
  void Draw(const Stroke& stroke);
  void DrawRing(const Eigen::Vector2d& pixel, double radius_px, const cv::Scalar& colour);
  void DrawText(const Eigen::Vector2d& pixel, const std::string& text, const cv::Scalar& colour);
  /// The axes of the body with their letters. @param length [m]
  void DrawAxes(const Flight& state, double length);

  const calibration::View& View() const { return view_; }
  /// Nothing for a point that the camera cannot see.
  std::optional<Eigen::Vector2d> PixelOf(const Eigen::Vector3d& p_W) const;

 private:
  /// In the part, with kFractionBits of fraction, as OpenCV draws.
  cv::Point Place(const Eigen::Vector2d& pixel) const;

  calibration::View view_;
  capture::LookPlanes part_;
  double scale_;
};

/// Words from left to right, each in its colour, starting at a pixel of the base line.
struct ColouredText {
  std::string text{};
  cv::Scalar colour{};
};
void DrawTexts(const std::vector<ColouredText>& texts, cv::Point start,
               capture::LookPlanes* picture);

}  // namespace percuss::report
