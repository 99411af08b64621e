// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/page/document.h"

namespace percuss::report {

/// Text for element content and quoted attributes. Control characters, which no HTML may hold,
/// become U+FFFD.
std::string EscapeHtml(const std::string& text);

std::string FindingsHtml(const Findings& findings);
std::string FigureHtml(const Figure& figure);

}  // namespace percuss::report
