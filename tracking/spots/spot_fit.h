// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <vector>

#include "tracking/spots/blurred_ellipse.h"

namespace percuss::tracking {

/// Light of grey values and the way back.
class ToneTables {
 public:
  struct GreyAndSlope {
    float grey = 0.0f;   ///< 0 to 255, not rounded
    float slope = 0.0f;  ///< derivative by light
  };

  /// @param light_of_grey capture::LightOfGrey or LightOfStudioGrey: rises from black to white, and
  /// is level outside.
  explicit ToneTables(const std::array<float, 256>& light_of_grey);

  float Light(unsigned char grey) const { return light_of_grey_[grey]; }
  /// Beyond white: white, with no slope.
  GreyAndSlope Grey(float light) const;
  /// Black and white for what is stored beyond them.
  float Within(float grey) const { return std::clamp<float>(grey, black_, white_); }

 private:
  static constexpr int kSize = 2048;
  std::array<float, 256> light_of_grey_;
  unsigned char black_ = 0, white_ = 255;
  std::vector<float> grey_;
};

/// Pixels of an image around one spot.
struct SpotPixels {
  std::vector<PixelRun> runs;  ///< [px], from any origin
  Eigen::ArrayXf x, y;         ///< of each pixel of the runs
  Eigen::ArrayXf grey;
};

/// What is seen of a spot: light(x) = background + (1 - s(x)) slope . (x - origin) + contrast s(x).
/// The marker hides the ground and with it what makes that uneven.
struct SpotModel {
  BlurredEllipse ellipse;
  double background = 0.0;                          ///< light, at the origin of the pixels
  double contrast = 0.0;                            ///< light; negative for a dark spot
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();  ///< [1/px]
};

struct SpotFit {
  /// Else the last step is in the covariance, or that is zero: the fit left the spot it began at.
  bool converged = false;
  SpotModel model;
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of ellipse.centre [px^2]
  double misfit = 0.0;  ///< mean squared residual over the noise variance, robust
};

/// Fits a SpotModel to grey values: maximum likelihood (Levenberg-Marquardt) for grey noise of
/// standard deviation `grey_noise` that acts after the tone curve, with pixels that belong to
/// something else (a neighbour, an edge, a highlight) weighed down by their residual.
///
/// All but slope and centre is even about the centre, so what the model gets wrong of shape, blur
/// and contrast moves the centre only in second order; in particular motion during the exposure,
/// which widens `blur` along its way, leaves the centre at mid exposure.
///
/// `grey_noise` weighs the pixels; the covariance is that of the noise that the residuals show,
/// which changes with level and compression.
SpotFit FitSpot(const SpotPixels& pixels, const ToneTables& tone, double grey_noise,
                const SpotModel& start);

}  // namespace percuss::tracking
