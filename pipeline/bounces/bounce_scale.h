// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "base/value_with_sigma.h"
#include "tracking/bounces/bounce_fit.h"
#include "tracking/ruler/find_ruler.h"

namespace percuss::pipeline {

/// Two places in the picture whose distance is known, as far away as the ball.
struct KnownLength {
  ValueWithSigma length;                           ///< [m]
  Eigen::Vector2d from = Eigen::Vector2d::Zero();  ///< [px]
  Eigen::Vector2d to = Eigen::Vector2d::Zero();
  double picked = 0.7;  ///< sigma of the distance between the two [px]: a person picks them
  /// How far away `to` is over how far `from` is, their mean as far as the ball.
  ValueWithSigma depth_ratio = {1.0, 0.0};
};

/// What was typed about the scale of a clip.
struct TypedScale {
  std::optional<ValueWithSigma> diameter;  ///< of the ball [m]
  std::optional<KnownLength> length;
  std::optional<KnownLength> ruler;       ///< found by itself (LengthOfRuler)
  std::optional<ValueWithSigma> gravity;  ///< [m/s^2]
};

/// The radius of the ball as one way of knowing the scale gives it.
struct ScaleReading {
  std::string source;     ///< "diameter", "length", "ruler", "gravity"
  ValueWithSigma radius;  ///< [m]
  bool typed = false;     ///< else gravity as it is usual on Earth: a check, not a scale
};

/// The scale of a clip.
struct BounceScale {
  std::vector<ScaleReading> readings;
  ValueWithSigma radius;  ///< [m], of all that was typed; NaN: speeds are in pixels
  /// File time over true time that makes gravity agree with the other readings, and its sigma; NaN
  /// where there is no other reading.
  ValueWithSigma slowdown;
  std::vector<std::string> warnings;
};

/// Metres per radius of the ball:
///     diameter: D / 2;
///     gravity: g / |g in radii|, which needs the true frame rate;
///     length, ruler: L / |p_1 - p_2| with p_i the places of the pixels, the mean of whose depths
///     is that of the ball.
/// All that were typed are joined by their sigmas; where two differ by more than 3.3 sigmas a
/// warning names both. The time base is tested by gravity: with a frame rate that is wrong by the
/// factor c it seems to be g / c^2.
/// @param frame_rate that the times of the frames have; @param says who says so: "the file says"
BounceScale ScaleOf(const TypedScale& typed, const tracking::BounceFit& fit, double frame_rate,
                    const std::string& says = "the file says");

/// What `--ruler` asks for.
struct RulerRequest {
  std::optional<ValueWithSigma> mark_distance;  ///< of its marks [m]; else its long marks tell
};

/// A ruler as a known length. The scale printed on it has a sigma of 0.1 %, if none is stated.
/// @return nothing where none was found or its unit is not known; then a warning says why
std::optional<KnownLength> LengthOfRuler(const tracking::FoundRuler& ruler,
                                         const RulerRequest& request,
                                         std::vector<std::string>* warnings);

/// One line: which marks were found where, or that --ruler would take them; empty where there is
/// nothing to say.
std::string RulerLine(const tracking::FoundRuler& ruler, const TypedScale& typed);

/// The usual rate of cameras within 4 % of a number [Hz]; the number itself where there is none.
double NearestUsualRate(double rate);

}  // namespace percuss::pipeline
