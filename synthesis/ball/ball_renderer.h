// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core/mat.hpp>

#include "synthesis/ball/ball_motion.h"
#include "synthesis/ball/ball_scene.h"
#include "synthesis/ball/ball_spec.h"
#include "synthesis/ball/ball_surface.h"
#include "synthesis/camera/coarse_rays.h"
#include "synthesis/scene/renderer.h"

namespace percuss::synthesis {

/// The outline of a ball in a picture: of the cone of rays that touch it.
struct BallOutline {
  bool in_front = false;  ///< all of it has an image; otherwise nothing else says anything
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< centroid of its area [px]
  double area = 0.0;                                 ///< [px^2]
  Eigen::Vector2d lowest = Eigen::Vector2d::Zero(), highest = Eigen::Vector2d::Zero();  ///< [px]
};
BallOutline OutlineOfBall(const Camera& camera, const Eigen::Vector3d& centre_C, double radius);

/// What one picture is made of.
struct BallScene {
  const BallSpec& spec;
  const BallMotion& motion;
  const BallScenery& scenery;
  const BallPattern& pattern;
  const CoarseRays& rays;
  Camera camera;    ///< as it is turned
  Shutter shutter;  ///< parts: the fineness
};

/// Rectangles in parts of pixels, cut off at the picture: what ball and shadow may cover at any
/// time of the picture. Empty where there is nothing.
cv::Rect BallArea(const BallScene& scene);
cv::Rect ShadowArea(const BallScene& scene);

/// Takes the light of the shadow, averaged over the exposure, out of the scenery.
/// @param light what `area` shows, in parts of pixels
void DrawShadow(const BallScene& scene, const cv::Rect& area, cv::Mat* light);

/// The ball averaged over the exposure, each row of pixels at its time. Parts of pixels on the
/// outline count by their covered share, in closed form for a straight edge at its exact distance,
/// less the mean bend of the outline over a part.
void DrawBall(const BallScene& scene, const cv::Rect& area, cv::Mat* light);

}  // namespace percuss::synthesis
