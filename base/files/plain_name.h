// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace percuss {

/// Letters, digits, dot, underscore, hyphen; no leading dot: safe as file name and table cell.
bool IsPlainName(std::string_view name);
inline constexpr std::string_view kPlainNameText =
    "a plain name of letters, digits, dot, underscore or hyphen that does not start with a dot";

}  // namespace percuss
