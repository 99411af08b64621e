// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/bundle/bundle.h"
#include "calibration/quality/residual_pattern.h"

namespace percuss::calibration {

/// All used points of an adjusted bundle, `image` counting its views.
std::vector<MeasuredResidual> UsedCorners(const Bundle& bundle);

/// The residuals of an adjusted bundle, used points only, as the tests for patterns take them. Of
/// more than max_views views as many are taken, evenly over the list: the tests cost the square of
/// their number.
ResidualSet ResidualSetOf(const Bundle& bundle, std::size_t max_views = 40);

}  // namespace percuss::calibration
