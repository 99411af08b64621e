// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "report/bounces/bounce_facts.h"

namespace percuss::report {

// Colours of Okabe and Ito (2008), blue green red.
inline const cv::Scalar kEvenFlightColour(233, 180, 86);  // sky blue
inline const cv::Scalar kOddFlightColour(0, 159, 230);    // orange
inline const cv::Scalar kSurfaceColour(66, 228, 240);     // yellow
inline const cv::Scalar kContactColour(167, 121, 204);    // reddish purple

/// Neighbouring flights differ.
const cv::Scalar& FlightColour(int flight);

/// A picture of the clip, enlarged or reduced, to draw on. Widths of lines and sizes of letters
/// follow its size, so that they stay readable when a page shows it smaller.
struct BounceCanvas {
  cv::Mat picture;     ///< CV_8UC3
  double scale = 1.0;  ///< its pixels per pixel of the clip
  int line = 1;        ///< width of lines [px]
  double letter = 0;   ///< height of a capital [px]

  /// Of a pixel of the clip. Centres of pixels are whole numbers on both scales.
  cv::Point2d Place(const Eigen::Vector2d& pixel) const;
};

/// @param luma CV_8UC1 on the full scale. @param scale as above.
/// @throws std::invalid_argument for another kind of picture or an empty one.
BounceCanvas MakeCanvas(const cv::Mat& luma, double scale);
/// The factor that brings the long side of a picture to between these lengths [px].
double ScaleBetween(cv::Size size, double shortest, double longest);

/// A circle, `wider` than a line of the canvas [px]; nothing where its numbers are not finite.
void DrawOutline(const Eigen::Vector2d& pixel, double radius_px, const cv::Scalar& colour,
                 int wider, BounceCanvas* canvas);
/// The line where the ball touches, to both edges of the picture: dashed; nothing where it is not
/// known.
void DrawSurface(const BounceFacts& facts, BounceCanvas* canvas);

/// Words with their place in the picture.
struct PlacedText {
  std::string text;
  cv::Rect box;          ///< in which the letters lie
  cv::Point2d anchor;    ///< the point they speak of
  bool is_away = false;  ///< so far that a line must lead there
};

/// What is written at each bounce, number and e, in the order of the bounces. Texts lie below the
/// surface where there is room, and do not cover each other.
std::vector<PlacedText> PlaceBounceTexts(const BounceFacts& facts, const BounceCanvas& canvas);
/// The contact points as filled dots, with their texts.
void DrawBounces(const std::vector<PlacedText>& bounces, BounceCanvas* canvas);

/// "e = 0.8123 (95 %: 0.808 to 0.816)"; "no e" where there is none.
std::string RestitutionText(const BounceFacts& facts);

cv::Size TextSize(const std::string& text, double letter, int line);
/// With a dark rim. @param corner the lower left one of the letters.
void DrawRimmedText(const std::string& text, cv::Point corner, double letter,
                    const cv::Scalar& colour, BounceCanvas* canvas);

}  // namespace percuss::report
