// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <set>
#include <string>

#include "report/page/document.h"

namespace percuss::report {

/// The scene and a sentence for who allows no scripts; ViewerScript makes the rest.
std::string ViewerHtml(const Viewer& viewer);

/// The program of the viewers of a page, for what they show.
std::string ViewerScript(const std::set<ViewerKind>& kinds);

// Its parts: what all viewers share, and one for each kind.
const char* StageScript();
const char* DropsScript();
const char* MotionScript();

}  // namespace percuss::report
