// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/impact_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "capture/error.h"
#include "tracking/impact_readers.h"

namespace percuss::tracking {

ImpactTable ReadImpacts(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv") return ReadImpactsCsv(file);
  if (ending == ".json") return ReadImpactsJson(file);
  throw InputError(fmt::format("{}: found the ending \"{}\", allowed .csv or .json", file.string(),
                               file.extension().string()));
}

}  // namespace percuss::tracking
