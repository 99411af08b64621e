// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string>

#include "synthesis/camera/pixel_sampling.h"
#include "synthesis/scene/motion.h"
#include "synthesis/scene/scene_spec.h"

// Pictures in light (1 is the white of the sensor), CV_32FC1, before the blur of the lens. All is
// traced by rays; nothing casts shadows.
namespace percuss::synthesis {

/// The board in W: p_W = R p + t, corner (i, j) at (i, -j, 0) squares, z out of the printed side.
struct BoardPose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d t = Eigen::Vector3d::Zero();
};

/// The ground with its gradient and texture, markers that rest and, if given, the post, which hides
/// them. Above the horizon the ground is even.
cv::Mat RenderGround(const Camera& camera, const PixelRays& rays, const LightSpec& light,
                     const std::optional<PostSpec>& post,
                     const std::vector<ReferenceMarker>& markers = {});

/// The board with a white margin (BoardExtentOf), as a layer over a picture of the ground.
Layer RenderBoard(const Camera& camera, const PixelRays& rays, const capture::Board& board,
                  const BoardPose& pose);

/// When a frame is exposed: the middle of the exposure of the middle row at `time`, of row y
/// line_time (y - (height - 1) / 2) later.
struct Shutter {
  double time = 0.0;
  double exposure = 0.0;
  double line_time = 0.0;
  int parts = 1;  ///< rows of the rendered picture that are one row of pixels: exposed together

  /// Of pixels, not of parts of them.
  double RowTime(double y, int height) const { return time + line_time * (y - 0.5 * (height - 1)); }
};

/// The body with its markers, averaged over the exposure; the post where it hides the body.
/// @param state_at State of the body at a time [s].
Layer RenderBody(const Camera& camera, const PixelRays& rays, const SceneSpec& spec,
                 const std::optional<PostSpec>& post, const Shutter& shutter,
                 const std::function<State(double)>& state_at);

/// How a marker stands to a camera.
struct MarkerSight {
  std::optional<Eigen::Vector2d> pixel;  ///< of its centre
  double facing = 0.0;                   ///< cosine of its normal to the direction of the camera
  bool covered = false;  ///< any part is behind the post or another part of the body
};
MarkerSight LookAtMarker(const Camera& camera, const SceneSpec& spec,
                         const std::optional<PostSpec>& post, const State& state,
                         std::size_t marker, bool* covered_by_post);

}  // namespace percuss::synthesis
