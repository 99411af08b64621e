// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bound_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace percuss::benchmarks {

bool BoundRow::Bounded() const { return std::isfinite(lowest) || std::isfinite(highest); }
bool BoundRow::Ok() const { return !Bounded() || (measured >= lowest && measured <= highest); }

namespace {

std::string BoundText(const BoundRow& row) {
  if (!row.Bounded()) return "-";
  if (std::isinf(row.lowest)) return fmt::format("<= {:.4g}", row.highest);
  if (std::isinf(row.highest)) return fmt::format(">= {:.4g}", row.lowest);
  return fmt::format("{:.4g} .. {:.4g}", row.lowest, row.highest);
}

}  // namespace

bool PrintBoundTable(const std::vector<BoundSection>& sections) {
  fmt::print("{:<71} {:>14} {:>9}\n", "", "bound", "measured");
  for (const BoundSection& section : sections) {
    fmt::print("{}\n", section.heading);
    for (const BoundRow& row : section.rows) {
      const char* verdict = !row.Bounded() ? "" : row.Ok() ? "ok" : "MISSED";
      fmt::print("  {:<69} {:>14} {:>9.4g}  {:<6} {}\n", row.name, BoundText(row), row.measured,
                 row.unit, verdict);
    }
  }
  for (const BoundSection& section : sections) {
    for (const std::string& remark : section.remarks) fmt::print("\n{}\n", remark);
  }
  return std::ranges::all_of(sections, [](const BoundSection& section) {
    return std::ranges::all_of(section.rows, &BoundRow::Ok);
  });
}

}  // namespace percuss::benchmarks
