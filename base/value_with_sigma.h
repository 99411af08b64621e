// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/nan.h"

namespace percuss {

/// A quantity and its standard deviation in the same unit; NaN where unknown.
struct ValueWithSigma {
  double value = kNaN;
  double sigma = kNaN;
};

}  // namespace percuss
