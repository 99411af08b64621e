// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "base/text/json_field.h"

namespace percuss::report {

/// The `format`, `program`, `command` and `inputs` of a JSON file, without the rest, which may be
/// hundreds of megabytes: where they come first, as in all that we write, it is not even read.
/// @throws InputError as JsonField::ReadFile, for what is read.
JsonField ReadFileHead(const std::filesystem::path& file);

}  // namespace percuss::report
