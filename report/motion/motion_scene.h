// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/motion/motion_facts.h"

namespace percuss::report {

/// What the viewer shows of a motion, as JSON: the hulls and poses of the bodies, of each surface a
/// patch as wide as the motion before it, joints, springs, impacts, energy.
std::string MotionScene(const MotionFacts& motion);

}  // namespace percuss::report
