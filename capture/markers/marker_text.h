// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "capture/markers/marker_file.h"

namespace percuss::capture {

/// Reads a table in a file of text line by line. Cells have no surrounding blanks or quotation
/// marks. Every message names the file and the line.
class TextTable {
 public:
  /// `content` must outlive the table.
  TextTable(std::filesystem::path file, std::string_view content, char separator,
            const ReadMarkersOptions& options);

  /// Goes to the next line; false after the last one. A last line without line break may be cut off
  /// within a number: an InputError, or with options.partial the end of the file.
  bool NextLine();

  /// Goes to the next line, which must be there. `what` names it in the message.
  void RequireLine(std::string_view what);

  const std::vector<std::string_view>& Cells() const { return cells_; }
  /// Empty where the line has fewer cells.
  std::string_view Cell(std::size_t column) const;
  bool IsBlank() const;  ///< all cells are empty

  /// Cell as a finite number, a positive one, a positive whole one. `field` is for the message.
  double Number(std::size_t column, std::string_view field) const;
  double PositiveNumber(std::size_t column, std::string_view field) const;
  double Count(std::size_t column, std::string_view field) const;

  /// Three cells as a position; NaN if all three are empty or "nan".
  Eigen::Vector3d Position(std::size_t first_column, std::string_view marker) const;

  /// At least `num_cells` cells, those after them empty.
  void RequireCells(std::size_t num_cells) const;

  [[noreturn]] void Throw(std::string_view field, std::string_view found,
                          std::string_view allowed) const;

 private:
  std::filesystem::path file_;
  std::string_view rest_;
  char separator_;
  ReadMarkersOptions options_;
  int line_ = 0;
  std::vector<std::string_view> cells_;
};

/// @throws std::invalid_argument for a name with a comma, quotation mark or control character,
///   which a table of text cannot hold, or with blanks around it.
void RequireTextNames(const std::vector<std::string>& markers);

}  // namespace percuss::capture
