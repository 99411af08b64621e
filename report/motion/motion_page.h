// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/motion/motion_facts.h"
#include "report/page/document.h"

namespace percuss::report {

/// The motion in three dimensions over time, and its impacts as a table. Names may hold anything.
Document MotionDocument(const MotionFacts& motion);

}  // namespace percuss::report
