// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <vector>

#include "synthesis/ball/ball_spec.h"
#include "synthesis/camera/coarse_rays.h"

namespace percuss::synthesis {

/// What a ray sees of what does not move.
struct SceneryPoint {
  double light = 0.0;
  double ground = 0.0;  ///< share of the ground in it: between 0 and 1 at its edge to the wall
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< on the ground, W [m]
};

/// Ground (the plane of the surface) and wall, with their textures, and a ruler before them.
class BallScenery {
 public:
  explicit BallScenery(const BallSpec& spec);

  /// @param direction in W, of length 1 along the camera's axis
  /// @param part distance between neighbouring rays at that length, over which edges are smooth
  SceneryPoint See(const Eigen::Vector3d& direction, double part) const;

 private:
  double Spots(double a, double b) const;
  double Gradient(double a, double b) const;
  double Texture(double a, double b) const;

  BallLight light_;
  std::optional<RulerFace> ruler_;
  Eigen::Vector3d eye_, normal_, heading_, aside_, ground_x_, ground_y_;
  double eye_height_, wall_ahead_;
  std::vector<float> lattice_;
};

/// Light of the scenery in parts of pixels, without the ball: `area` counts parts from the corner
/// of the picture, `fineness` each way to the pixel.
/// @param R_CW of the camera, as it is turned
cv::Mat RenderScenery(const BallScenery& scenery, const CoarseRays& rays, const Camera& camera,
                      const cv::Rect& area, int fineness);

/// The part of the ground's light that the ball takes at a place, without BallLight::shadow: 1 in
/// the middle of a sharp shadow. The lamp is a disc: the edge of the shadow is as soft as it is
/// far.
double ShadowAt(const BallSpec& spec, const Eigen::Vector3d& centre, const Eigen::Vector3d& place);

}  // namespace percuss::synthesis
