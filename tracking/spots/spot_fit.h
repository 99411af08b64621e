// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <span>
#include <vector>

#include "tracking/spots/blurred_ellipse.h"

namespace percuss::tracking {

/// Light of grey values and the way back.
class ToneTables {
 public:
  struct GreyAndSlope {
    float grey = 0.0f;   ///< on the scale of the stored values, not rounded
    float slope = 0.0f;  ///< derivative by light
  };

  /// @param light_of_grey capture::LightOfLevels (LightOfGrey, LightOfStudioGrey), of each stored
  /// value from 0 on: rises from black to white, and is level outside, or goes on below black.
  explicit ToneTables(std::span<const float> light_of_grey);

  /// Of a stored value; of one outside the table that of the nearest.
  float Light(int grey) const {
    return light_of_grey_[static_cast<std::size_t>(std::clamp(grey, 0, last_))];
  }
  /// Beyond white: white, with no slope.
  GreyAndSlope Grey(float light) const;
  /// The ends of the rise for what is stored beyond them.
  float Within(float grey) const { return std::clamp(grey, black_, white_); }

 private:
  std::vector<float> light_of_grey_;
  int last_ = 0;
  float black_ = 0.0f, white_ = 0.0f;
  float size_ = 0.0f;        ///< steps of light from 0 to 1, a whole number
  std::vector<float> grey_;  ///< of each
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

/// Fits a SpotModel to grey values, in units of the stored ones: maximum likelihood
/// (Levenberg-Marquardt) for grey noise of standard deviation `grey_noise` that acts after the tone
/// curve, with pixels that belong to something else (a neighbour, an edge, a highlight) weighed
/// down by their residual.
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
