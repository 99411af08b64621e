// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdio>

#include "pipeline/space/space_bounces.h"

namespace percuss::app {

/// Prints the bounces of a ball in space, their e, and what else tells lengths.
void PrintSpaceBounces(std::FILE* out, const pipeline::SpaceBounces& bounces);

}  // namespace percuss::app
