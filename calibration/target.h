// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "capture/experiment.h"

namespace percuss::calibration {

std::vector<Eigen::Vector3d> TargetPoints(const capture::Board& board);

}  // namespace percuss::calibration
