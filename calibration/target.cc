// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/target.h"

namespace percuss::calibration {

std::vector<Eigen::Vector3d> TargetPoints(const capture::Board& board) {
  std::vector<Eigen::Vector3d> corners;
  for (int j = 0; j < board.rows; ++j) {
    for (int i = 0; i < board.columns; ++i) {
      corners.emplace_back(board.square * i, -board.square * j, 0.0);
    }
  }
  return corners;
}

}  // namespace percuss::calibration
