// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "tracking/impact_files.h"

namespace percuss::tracking {

/// The two readers behind ReadImpacts, whatever the ending of the file; contract and complaints are
/// those of ReadImpacts.
ImpactTable ReadImpactsCsv(const std::filesystem::path& file);
ImpactTable ReadImpactsJson(const std::filesystem::path& file);

}  // namespace percuss::tracking
