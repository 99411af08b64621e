// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace percuss::capture {

/// The answer of work that may crash, or never end: it is done in a copy of this process (fork),
/// the end of which harms nobody. What it prints on stderr is dropped.
/// @param longest of computing [s]; in whole seconds
/// @return nothing if it ended by a signal or by that limit
/// @throws InputError of the same text if the work throws one.
std::optional<std::string> WorkApart(const std::function<std::string()>& work, int longest);

}  // namespace percuss::capture
