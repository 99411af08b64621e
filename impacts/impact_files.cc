// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/impact_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "base/error.h"
#include "impacts/impact_readers.h"

namespace percuss::impacts {

ImpactTable ReadImpacts(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv") return ReadImpactsCsv(file);
  if (ending == ".json") return ReadImpactsJson(file);
  throw InputError(fmt::format("{}: found the ending \"{}\", allowed .csv or .json", file.string(),
                               file.extension().string()));
}

void AddImpact(const std::string& where, const std::string& trial,
               const std::function<ImpactRecord()>& read, std::set<std::string>* names,
               ImpactTable* table) {
  if (trial.empty()) throw InputError(fmt::format("{}: found nothing, allowed a name", where));
  if (!names->insert(trial).second) {
    throw InputError(fmt::format("{}: found \"{}\" again, allowed each name once", where, trial));
  }
  ImpactRecord record;
  try {
    record = read();
  } catch (const InputError& error) {
    record.trial = trial;
    record.reason_unusable = error.what();
  }
  table->impacts.push_back(std::move(record));
}

void RequireUsableImpact(const ImpactTable& table) {
  const auto is_usable = [](const ImpactRecord& record) { return record.reason_unusable.empty(); };
  if (std::ranges::none_of(table.impacts, is_usable)) {
    throw InputError(table.impacts.front().reason_unusable);
  }
}

}  // namespace percuss::impacts
