// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace percuss {

/// At most 200 letters, digits, dots, underscores, hyphens; no leading dot: safe as file name, also
/// with an ending (file systems end at 255), and as table cell.
bool IsPlainName(std::string_view name);
inline constexpr std::string_view kPlainNameText =
    "a plain name of at most 200 letters, digits, dot, underscore or hyphen that does not start "
    "with a dot";

}  // namespace percuss
