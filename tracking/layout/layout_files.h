// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <string>

#include "base/files/files.h"
#include "tracking/layout/find_layout.h"

namespace percuss::tracking {

inline constexpr const char* kLayoutFormat = "percuss layout 1";

/// layout.yaml: the places as lines for the experiment file, under `body:`.
std::string LayoutYaml(const FoundLayout& found);

/// layout.json (docs/file-formats.md): the same with the covariance.
void WriteLayout(const FoundLayout& found, const Provenance& provenance,
                 const std::filesystem::path& file);

/// The layout as a later run reads it. @param stated the body without places
/// @throws InputError naming file and field.
FoundLayout ReadLayout(const std::filesystem::path& file, const capture::MarkedBody& stated);

/// What was found, in one line.
std::string DescribeLayout(const FoundLayout& found);

}  // namespace percuss::tracking
