// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/page/document.h"

namespace percuss::report {

/// The scene and a sentence for who allows no scripts; ViewerScript makes the rest.
std::string ViewerHtml(const Viewer& viewer);

/// The program of all viewers of a page.
const char* ViewerScript();

}  // namespace percuss::report
