// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/bounces/bounce_facts.h"
#include "report/page/document.h"

namespace percuss::report {

/// Height of the ball above the surface over time: as seen, as fitted, contacts with their numbers.
/// @param width, height of the drawing [px]: the shape of the room that it has in the page.
Figure BounceHeightFigure(const BounceFacts& facts, int width, int height);

/// e of each bounce over the speed before it, with bars of 95 %; e of the clip with its band.
Figure BounceRestitutionFigure(const BounceFacts& facts);

}  // namespace percuss::report
