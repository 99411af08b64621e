// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <opencv2/core/types.hpp>
#include <optional>
#include <vector>

#include "base/math/common_value.h"
#include "base/value_with_sigma.h"
#include "pipeline/bounces/bounce_options.h"
#include "tracking/bounces/bounce_fit.h"

namespace percuss::pipeline {

/// A shutter rolls along the short side of the sensor: down the picture of a camera held level, and
/// across that of one held upright.
Eigen::Vector2d RollOf(const cv::Size& size);

/// Of frames, or of rows of a table, at these times [Hz].
double RateOf(const std::vector<double>& times);

/// k of the deceleration k v^2 [1/m], where diameter and mass are known.
std::optional<ValueWithSigma> DragOf(const BounceOptions& options);

/// e of all bounces by their covariance.
CommonValue MeanOfBounces(const tracking::BounceFit& fit);

}  // namespace percuss::pipeline
