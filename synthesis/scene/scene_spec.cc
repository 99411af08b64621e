// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

BoardExtent BoardExtentOf(const capture::Board& board) {
  if (board.type != capture::Board::Type::kAprilGrid)
    return {{board.columns - 1.0, board.rows - 1.0}, 2.0};
  const Eigen::Vector2d tags(0.5 * board.columns, 0.5 * board.rows);
  return {(1.0 + board.spacing) * tags - Eigen::Vector2d::Constant(board.spacing),
          2.0 * board.spacing};
}

Eigen::Matrix3d WorldFromSurface(const TrialSpec& trial) {
  if (!trial.slope) return Eigen::Matrix3d::Identity();
  return Eigen::AngleAxisd(trial.slope->angle, trial.slope->axis).toRotationMatrix();
}

SceneSpec FromSurface(SceneSpec spec, const TrialSpec& trial) {
  const Eigen::Matrix3d R_WS = WorldFromSurface(trial);
  for (Camera& camera : spec.cameras) camera.R_CW = camera.R_CW * R_WS;
  spec.light.lamp = R_WS.transpose() * spec.light.lamp;
  for (ReferenceMarker& marker : spec.reference_markers) {
    marker.position = R_WS.transpose() * marker.position;
    marker.normal = R_WS.transpose() * marker.normal;
  }
  return spec;
}

}  // namespace percuss::synthesis
