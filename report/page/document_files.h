// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "report/page/document.h"

namespace percuss::report {

/// Writes report.html, report.md and, for each table, tables/<id>.csv and tables/<id>.json. Tables
/// of an earlier report that have no successor are removed.
/// @param provenance goes into the JSON files.
/// @return the files, in the order of the document
/// @throws InputError naming the file that cannot be written.
std::vector<std::filesystem::path> WriteDocument(const std::filesystem::path& folder,
                                                 const Document& document,
                                                 const Provenance& provenance, int num_threads = 1);

}  // namespace percuss::report
