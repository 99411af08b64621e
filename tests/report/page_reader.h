// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <vector>

namespace percuss::report {

/// Text of the cells, row by row, header first; entities decoded.
using TableText = std::vector<std::vector<std::string>>;

/// Table of the page inside the element with this id; fails the test if there is none.
TableText ReadHtmlTable(const std::string& html, const std::string& id);
/// All pipe tables of a Markdown text by caption (the bold line above).
std::map<std::string, TableText> ReadMarkdownTables(const std::string& markdown);
/// A CSV without embedded line ends.
TableText ReadCsvTable(const std::string& csv);

/// Why the page is not well formed (open or crossed elements, an id used twice); empty if it is.
std::string FindMarkupFault(const std::string& html);

/// The cell in the row whose first cells are `row` and the column whose header starts with
/// `column`.
std::string CellOf(const TableText& table, const std::vector<std::string>& row,
                   const std::string& column);

/// A number as shown, with the sigma if there is one, and half a unit of its last digit.
struct ShownNumber {
  double value, sigma, half_unit;
};
ShownNumber ReadShownNumber(const std::string& text);

}  // namespace percuss::report
