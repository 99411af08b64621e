// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/nan.h"
#include "base/text/csv_rows.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "impacts/impact_readers.h"
#include "impacts/restitution_ratios.h"

namespace percuss::impacts {
namespace {

// What the header of a table says about each cell.
struct CsvHeader {
  enum class Kind { kTrial, kValue, kSigma, kTime, kTimeSigma, kWarnings, kExtra };
  struct Entry {
    Kind kind = Kind::kExtra;
    std::string name;
    const ImpactColumn* column = nullptr;  // kValue
    int error_index = 0;                   // kSigma, as in ImpactSigmaColumn
  };
  std::vector<Entry> entries;

  bool Has(std::string_view name) const {
    return std::ranges::any_of(entries, [&](const Entry& entry) { return entry.name == name; });
  }
};

CsvHeader ReadHeader(const std::filesystem::path& file, const CsvRow& row) {
  using Kind = CsvHeader::Kind;
  const std::vector<ImpactSigmaColumn> sigma_columns = ImpactSigmaColumns();
  CsvHeader header;
  for (const std::string& name : row.cells) {
    if (!name.empty() && header.Has(name)) {
      throw InputError(
          fmt::format("{}: line {}: found column {} twice", file.string(), row.line, name));
    }
    CsvHeader::Entry entry{.kind = Kind::kExtra, .name = name};
    const auto sigma = std::ranges::find_if(
        sigma_columns, [&](const ImpactSigmaColumn& column) { return column.name == name; });
    static const std::map<std::string_view, Kind> kOthers = {{"trial", Kind::kTrial},
                                                             {"time", Kind::kTime},
                                                             {"time_sigma", Kind::kTimeSigma},
                                                             {"warnings", Kind::kWarnings}};
    if (const auto other = kOthers.find(name); other != kOthers.end()) {
      entry.kind = other->second;
    } else if (const ImpactColumn* column = FindImpactColumn(name)) {
      entry.kind = Kind::kValue;
      entry.column = column;
    } else if (sigma != sigma_columns.end()) {
      entry.kind = Kind::kSigma;
      entry.error_index = sigma->error_index;
    } else if (name == "sigma_qw" || name == "sigma_qx" || name == "sigma_qy" ||
               name == "sigma_qz") {
      throw InputError(fmt::format(
          "{}: line {}: found column {}, allowed sigma_rot_x, sigma_rot_y, sigma_rot_z (rotation "
          "about the world axes, rad)",
          file.string(), row.line, name));
    }
    header.entries.push_back(entry);
  }
  for (const std::string_view required : {"trial", "rz", "vz", "vz_post"}) {
    if (!header.Has(required)) {
      throw InputError(
          fmt::format("{}: line {}: column {} is missing; trial, rz, vz and vz_post are needed",
                      file.string(), row.line, required));
    }
  }
  for (const std::string_view before : {"vx", "vy", "wx", "wy", "wz"}) {
    const std::string after = fmt::format("{}_post", before);
    if (header.Has(before) != header.Has(after)) {
      throw InputError(fmt::format("{}: line {}: column {} is missing although {} is there",
                                   file.string(), row.line,
                                   header.Has(before) ? after : std::string(before),
                                   header.Has(before) ? std::string(before) : after));
    }
  }
  const auto has = [&](std::string_view name) { return header.Has(name); };
  const std::vector<std::vector<std::string_view>> groups = {{"qw", "qx", "qy", "qz"},
                                                             {"nx", "ny", "nz"}};
  for (const auto& group : groups) {
    const auto missing = std::ranges::find_if_not(group, has);
    if (missing == group.end() || std::ranges::none_of(group, has)) continue;
    throw InputError(
        fmt::format("{}: line {}: column {} is missing although others of its group are there",
                    file.string(), row.line, *missing));
  }
  return header;
}

ImpactRecord ReadRow(const std::string& where, const CsvHeader& header, const CsvRow& row) {
  using Kind = CsvHeader::Kind;
  if (row.cells.size() != header.entries.size()) {
    throw InputError(fmt::format("{}: found {} cells, allowed {} as in the header", where,
                                 row.cells.size(), header.entries.size()));
  }
  ImpactRecord record;
  ImpactCovariance covariance = ImpactCovariance::Zero();
  bool states_a_sigma = false;
  for (std::size_t i = 0; i < header.entries.size(); ++i) {
    const CsvHeader::Entry& entry = header.entries[i];
    const std::string& cell = row.cells[i];
    switch (entry.kind) {
      case Kind::kTrial:
        record.trial = cell;
        break;
      case Kind::kValue: {
        const double value = ParseCsvNumber(where, entry.name, cell);
        CheckMagnitude(where, entry.name, value, entry.column->limit);
        entry.column->Set(value, record);
        break;
      }
      case Kind::kSigma: {
        const double sigma = ParseCsvNumber(where, entry.name, cell);
        if (sigma < 0.0) {
          throw InputError(
              fmt::format("{}, column {}: found {}, allowed 0 or more", where, entry.name, cell));
        }
        if (entry.error_index >= 0) {
          covariance(entry.error_index, entry.error_index) = sigma * sigma;
          states_a_sigma |= !cell.empty();
        } else if (!cell.empty()) {
          record.r_sigma[-1 - entry.error_index] = sigma;
        }
        break;
      }
      case Kind::kTime:
        record.time = ParseCsvNumber(where, entry.name, cell);
        break;
      case Kind::kTimeSigma:
        record.time_sigma = ParseCsvNumber(where, entry.name, cell);
        break;
      case Kind::kWarnings: {
        std::size_t begin = 0;
        while (begin < cell.size()) {
          const std::size_t end = std::min(cell.find("; ", begin), cell.size());
          record.warnings.push_back(cell.substr(begin, end - begin));
          begin = end + 2;
        }
        break;
      }
      case Kind::kExtra:
        record.extra[entry.name] = cell;
        break;
    }
  }
  if (states_a_sigma) record.covariance = covariance;
  CheckAndNormalize(where, record);
  return record;
}

// The name of a row that may be broken elsewhere, or empty.
std::string TrialCell(const CsvHeader& header, const CsvRow& row) {
  for (std::size_t i = 0; i < std::min(header.entries.size(), row.cells.size()); ++i) {
    if (header.entries[i].kind == CsvHeader::Kind::kTrial) return row.cells[i];
  }
  return "";
}

/// Names of the columns that WriteImpactsCsv adds where it knows the body.
std::vector<std::string> RatioColumnNames(bool has_covariance) {
  std::vector<std::string> names;
  for (const RatioColumn& column : kRatioColumns) {
    names.emplace_back(column.name);
    if (has_covariance) names.push_back(std::string("sigma_") + column.name);
  }
  return names;
}

std::string RatioCells(const RestitutionRatios& ratios, bool has_covariance) {
  std::string cells;
  for (const RatioColumn& column : kRatioColumns) {
    const ValueWithSigma& ratio = ratios.*column.value;
    cells += "," + CsvNumber(ratio.value);
    if (has_covariance) cells += "," + CsvNumber(ratio.sigma);
  }
  return cells;
}

}  // namespace

ImpactTable ReadImpactsCsv(const std::filesystem::path& file) {
  const std::vector<CsvRow> rows = ParseCsv(file, ReadFile(file));
  if (rows.empty()) {
    throw InputError(fmt::format("{}: found no header line, allowed a table that starts with one",
                                 file.string()));
  }
  const CsvHeader header = ReadHeader(file, rows.front());
  ImpactTable table;
  std::set<std::string> names;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    const std::string where = fmt::format("{}: row {} (line {})", file.string(), i, row.line);
    AddImpact(
        where + ", column trial", TrialCell(header, row),
        [&] { return ReadRow(where, header, row); }, &names, &table);
  }
  if (table.impacts.empty()) {
    throw InputError(
        fmt::format("{}: found no row below the header, allowed one or more", file.string()));
  }
  RequireUsableImpact(table);
  return table;
}

void WriteImpactsCsv(const ImpactTable& table, const Provenance& provenance,
                     const std::filesystem::path& file, const solver::Body* body) {
  const bool has_covariance = std::ranges::any_of(
      table.impacts, [](const ImpactRecord& record) { return record.covariance.has_value(); });
  const bool has_arm_sigma = std::ranges::any_of(
      table.impacts, [](const ImpactRecord& record) { return record.r_sigma.norm() > 0.0; });
  std::vector<ImpactSigmaColumn> sigma_columns = ImpactSigmaColumns();
  std::erase_if(sigma_columns, [&](const ImpactSigmaColumn& column) {
    return column.error_index < 0 ? !has_arm_sigma : !has_covariance;
  });
  std::set<std::string> extra;
  for (const ImpactRecord& record : table.impacts) {
    for (const auto& [name, value] : record.extra) extra.insert(name);
  }
  std::optional<solver::Body> measured_body;
  std::vector<std::string> ratios;
  if (body != nullptr) {
    measured_body = *body;
    if (table.inertia) measured_body->inertia = *table.inertia;
    ratios = RatioColumnNames(has_covariance);
    // A table that was read from such a file has them as columns of its own.
    for (const std::string& name : ratios) extra.erase(name);
  }
  std::string text =
      fmt::format("# {}, percuss {}: {}\n#", kImpactFormat, ProgramVersion(), provenance.command);
  for (const auto& [input, hash] : provenance.input_hashes) {
    text += fmt::format(" {} sha256:{}", input, hash);
  }
  text += "\ntrial";
  for (const ImpactColumn& column : ImpactColumns()) text += fmt::format(",{}", column.name);
  for (const ImpactSigmaColumn& column : sigma_columns) text += "," + column.name;
  text += ",time,time_sigma,warnings";
  for (const std::string& name : ratios) text += "," + name;
  for (const std::string& name : extra) text += "," + CsvText(name);
  text += "\n";
  for (const ImpactRecord& record : table.impacts) {
    text += CsvText(record.trial);
    for (const ImpactColumn& column : ImpactColumns()) text += "," + CsvNumber(column.Of(record));
    for (const ImpactSigmaColumn& column : sigma_columns) {
      double sigma = kNaN;
      if (column.error_index < 0) {
        sigma = record.r_sigma[-1 - column.error_index];
      } else if (record.covariance) {
        sigma = std::sqrt((*record.covariance)(column.error_index, column.error_index));
      }
      text += "," + CsvNumber(sigma);
    }
    text += fmt::format(",{},{},{}", CsvNumber(record.time), CsvNumber(record.time_sigma),
                        CsvText(fmt::format("{}", fmt::join(record.warnings, "; "))));
    if (measured_body) {
      text +=
          RatioCells(CalcRestitutionRatios(record, *measured_body, table.calibration_covariance),
                     has_covariance);
    }
    for (const std::string& name : extra) {
      const auto found = record.extra.find(name);
      text += "," + (found == record.extra.end() ? std::string() : CsvText(found->second));
    }
    text += "\n";
  }
  WriteFileAtomically(file, text);
}

}  // namespace percuss::impacts
