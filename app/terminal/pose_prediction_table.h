// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <vector>

#include "fitting/result/findings.h"

namespace percuss::app {

/// What each law predicts of impacts whose pose nobody measured: dissipation, then velocities. At
/// most 100 columns.
void PrintPosePredictions(std::FILE* out, const std::vector<fitting::LawPosePredictions>& laws);

}  // namespace percuss::app
