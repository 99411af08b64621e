// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/value_with_sigma.h"

namespace percuss::app {

/// Columns of a table in a terminal.
inline constexpr std::size_t kTerminalWidth = 100;

/// "slip, stick"; "-" for none.
std::string JoinedModes(const std::vector<std::string>& modes);

/// "0.8012 ± 0.0021, 95 % interval [0.7971, 0.8053]".
std::string ValueAndInterval(const ValueWithSigma& value);

/// Words of `text` in lines of at most kTerminalWidth columns, the first and the further ones
/// behind their indents.
void PrintWrapped(std::FILE* out, const std::string& first_indent, const std::string& indent,
                  const std::string& text);

}  // namespace percuss::app
