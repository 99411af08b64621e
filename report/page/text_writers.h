// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/files/files.h"
#include "report/page/document.h"

namespace percuss::report {

/// The same document for a terminal, a mail or a wiki.
std::string ToMarkdown(const Document& document);

/// One field, quoted where RFC 4180 asks for it. Text that a spreadsheet would take for a formula
/// (=, +, -, @ in front, and not a number) gets an apostrophe in front.
std::string CsvField(const std::string& text);

/// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// A table with all digits, in the units of its column names: text columns as they are, number
/// columns as numbers that read back the same, `sigma_<column>` after each column that has sigmas.
void WriteCsv(const Table& table, const TextSink& sink);

/// The same as JSON: the provenance, `table`, `caption`, `rows`, each an object with the names of
/// the CSV's columns.
void WriteJson(const Table& table, const Provenance& provenance, const TextSink& sink);

}  // namespace percuss::report
