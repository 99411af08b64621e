// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "impacts/impact_record.h"

namespace percuss::impacts {

/// The two readers behind ReadImpacts, whatever the ending of the file; contract and complaints are
/// those of ReadImpacts.
ImpactTable ReadImpactsCsv(const std::filesystem::path& file);
ImpactTable ReadImpactsJson(const std::filesystem::path& file);

/// Adds what `read` returns to a table; if it throws an InputError, an impact of the name
/// `trial` that is unusable for that reason.
///
/// @param where the place of the name, for complaints
/// @param names of the impacts that are there already
/// @throws InputError for no name, or one that is there
void AddImpact(const std::string& where, const std::string& trial,
               const std::function<ImpactRecord()>& read, std::set<std::string>* names,
               ImpactTable* table);

/// @throws InputError with the first reason, if no impact of a table is usable
void RequireUsableImpact(const ImpactTable& table);

}  // namespace percuss::impacts
