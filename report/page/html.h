// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/page/document.h"

namespace percuss::report {

/// One self-contained page: no scripts but that of the viewer, nothing loaded from anywhere but
/// pictures beside it (Document::has_picture_files).
std::string ToHtml(const Document& document);

/// The style sheet of the page: light, dark, narrow and print.
const char* PageStyle();

}  // namespace percuss::report
