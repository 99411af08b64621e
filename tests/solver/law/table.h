// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace percuss {

/// A CSV file by column name; an empty cell is NaN. A cell in quotes may hold commas.
class Table {
 public:
  explicit Table(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> names = Split(line);
    while (std::getline(file, line)) {
      const std::vector<std::string> cells = Split(line);
      std::map<std::string, std::string>& row = rows_.emplace_back();
      for (std::size_t k = 0; k < names.size() && k < cells.size(); ++k) row[names[k]] = cells[k];
    }
  }

  std::size_t size() const { return rows_.size(); }
  const std::string& Text(std::size_t row, const std::string& column) const {
    return rows_.at(row).at(column);
  }
  double Number(std::size_t row, const std::string& column) const {
    const std::string& text = Text(row, column);
    return text.empty() ? std::numeric_limits<double>::quiet_NaN()
                        : std::strtod(text.c_str(), nullptr);
  }

 private:
  static std::vector<std::string> Split(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
      if (cell.starts_with('"')) {
        for (std::string more; !cell.ends_with('"') && std::getline(stream, more, ',');)
          cell += ',' + more;
        cell = cell.substr(1, cell.size() - 2);
      }
      if (!cell.empty() && cell.back() == '\r') cell.pop_back();
      cells.push_back(cell);
    }
    if (line.ends_with(',')) cells.emplace_back();
    return cells;
  }

  std::vector<std::map<std::string, std::string>> rows_;
};

}  // namespace percuss
