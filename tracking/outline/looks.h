// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "tracking/outline/ball_shade.h"
#include "tracking/outline/disc_fit.h"
#include "tracking/outline/lookouts.h"
#include "tracking/outline/outline_shape.h"
#include "tracking/outline/radius_path.h"

namespace percuss::tracking {

/// The ball in one frame.
struct Look {
  Lookout lookout;
  SweptDisc start;  ///< in the patch
  Eigen::Matrix3d camera_from_disc = Eigen::Matrix3d::Identity();
  cv::Rect patch;
  cv::Mat luma, ground;
  DiscFit fit;          ///< in the patch
  bool shaded = false;  ///< that fit knew the shade of the ball

  Eigen::Vector2d Corner() const { return {patch.x, patch.y}; }
  /// Enough of the outline.
  bool Seen() const;
  /// The edge of a shadow, as that of the ball near the ground, is taken for the outline.
  bool Shadowed() const;
};

/// What is the same in all fits.
struct OutlineBench {
  ToneTables tone;
  double noise = 0.0;           ///< of grey values
  double frame_interval = 0.0;  ///< [s]
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  Eigen::Vector2d roll = Eigen::Vector2d::UnitY();
  std::vector<double> bounces;  ///< times between flights [s]
  Eigen::Vector2d down = Eigen::Vector2d::UnitY();
  int jobs = 1;
  std::size_t most_pixels = std::numeric_limits<std::size_t>::max();

  DiscPicture PictureOf(const Look& look) const {
    return {look.luma, look.ground, tone, noise, most_pixels};
  }
};

/// What a round of fits takes as known.
struct BallKnowledge {
  BallShade shade;
  bool shaded = false;    ///< else the ball is nearly even
  double exposure = 0.0;  ///< [s]
  bool exposed = false;   ///< else the exposure is a guess
  OutlineShape shape;
  double free_stretch = 0.0;  ///< about that of the shape
  std::optional<RadiusPath> radii;
  LevelScatter scatter;
  bool learn_scatter = false;
};

/// Where a fit begins, and what it knows before.
struct LookPrior {
  SweptDisc start;
  DiscPrior prior;
  BallShade seen;  ///< the prior's shade
};

/// @return prior.shade is left to the caller, at his copy of `seen`
LookPrior PriorOf(const OutlineBench& bench, const BallKnowledge& known, const Look& look);

/// GrowthOf the outline of a look. @param place from the middle of the picture [px]
double GrowthIn(const OutlineBench& bench, const OutlineShape& shape, const Look& look,
                const Eigen::Vector2d& place);

/// The radius that other outlines tell of this one [px].
ValueWithSigma RadiusIn(const OutlineBench& bench, const BallKnowledge& known, const Look& look,
                        const Eigen::Vector2d& place);

/// Fits the outlines of all looks (FitDisc), each from where it was found before.
void FitLooks(const OutlineBench& bench, const BallKnowledge& known, std::vector<Look>* looks);

/// Where most are shadowed it is something else that changes the ground.
bool MostlyShadowed(const std::vector<Look>& looks);

/// Cuts the patches of all lookouts out of a clip; the noise of its grey values goes to the bench.
std::vector<Look> LooksOf(const ClipFrames& frames, const ClipSurvey& survey,
                          const std::vector<Lookout>& lookouts, const cv::Mat& ground,
                          OutlineBench* bench);

}  // namespace percuss::tracking
