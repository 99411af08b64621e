// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/report/page_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace percuss::report {
namespace {

std::string Decoded(std::string text) {
  const std::pair<const char*, const char*> entities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [from, to] : entities) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; ++at) {
      text.replace(at, std::string(from).size(), to);
    }
  }
  return text;
}

std::string WithoutTags(const std::string& html) {
  std::string text;
  bool in_tag = false;
  for (const char c : html) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>') in_tag = false;
  }
  return Decoded(text);
}

// Every piece between `open` (up to its '>') and `close`.
std::vector<std::string> Elements(const std::string& html, const std::string& name) {
  std::vector<std::string> elements;
  const std::string close = "</" + name + ">";
  for (std::size_t at = 0; (at = html.find("<" + name, at)) != std::string::npos;) {
    const char after = html[at + name.size() + 1];
    const std::size_t start = html.find('>', at) + 1, end = html.find(close, at);
    if (after == ' ' || after == '>') elements.push_back(html.substr(start, end - start));
    at = after == ' ' || after == '>' ? end : start;
  }
  return elements;
}

std::vector<std::string> CellsOf(std::string row) {
  for (const std::string tag : {"th", "td"}) {  // header cells of both kinds in one pass
    for (const std::string& mark : {"<" + tag + " ", "<" + tag + ">"}) {
      for (std::size_t at = 0; (at = row.find(mark, at)) != std::string::npos;) {
        row.replace(at, 3, "<c");
      }
    }
    for (std::size_t at = 0; (at = row.find("</" + tag + ">", at)) != std::string::npos;) {
      row.replace(at, 5, "</c>");
    }
  }
  std::vector<std::string> cells;
  for (const std::string& cell : Elements(row, "c")) cells.push_back(WithoutTags(cell));
  return cells;
}

std::vector<std::string> SplitMarkdownRow(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      cell += line[++i];
    } else if (line[i] == '|') {
      cells.push_back(cell.substr(1, cell.size() - 2));
      cell.clear();
    } else {
      cell += line[i];
    }
  }
  return cells;
}

}  // namespace

TableText ReadHtmlTable(const std::string& html, const std::string& id) {
  const std::size_t at = html.find("<div class=\"table\" id=\"" + id + "\">");
  EXPECT_NE(at, std::string::npos) << "no table " << id;
  if (at == std::string::npos) return {};
  TableText table;
  for (const std::string& row : Elements(html.substr(at, html.find("</table>", at) - at), "tr")) {
    table.push_back(CellsOf(row));
  }
  return table;
}

std::map<std::string, TableText> ReadMarkdownTables(const std::string& markdown) {
  std::map<std::string, TableText> tables;
  std::istringstream lines(markdown);
  std::string caption;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("**")) caption = line.substr(2, line.size() - 4);
    if (line.starts_with("| ---")) continue;
    if (line.starts_with("|")) tables[caption].push_back(SplitMarkdownRow(line));
  }
  return tables;
}

TableText ReadCsvTable(const std::string& csv) {
  TableText table;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    }
    table.push_back(cells);
  }
  return table;
}

std::string FindMarkupFault(const std::string& html) {
  static const std::set<std::string> kVoid = {"meta", "img", "input", "!DOCTYPE"};
  std::vector<std::string> open;
  std::set<std::string> ids;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "a tag that does not end";
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
    for (const char quote : {'"', '\''}) {
      const std::size_t id = tag.find(std::string(" id=") + quote);
      if (id == std::string::npos) continue;
      const std::string value = tag.substr(id + 5, tag.find(quote, id + 5) - id - 5);
      if (!ids.insert(value).second) return "the id " + value + " is used twice";
    }
    if (tag.front() == '/') {
      if (open.empty() || open.back() != tag.substr(1))
        return "</" + tag.substr(1) + "> is crossed";
      open.pop_back();
    } else if (tag.back() != '/' && !kVoid.contains(name)) {
      open.push_back(name);
    }
    at = end;
    // What a script holds is no markup: all of it up to the end tag (HTML, 13.2.5.4).
    if (name == "script") {
      at = html.find("</script>", end);
      if (at == std::string::npos) return "a script that does not end";
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> is left open";
}

std::string CellOf(const TableText& table, const std::vector<std::string>& row,
                   const std::string& column) {
  for (std::size_t c = 0; !table.empty() && c < table[0].size(); ++c) {
    if (!table[0][c].starts_with(column)) continue;
    for (std::size_t r = 1; r < table.size(); ++r) {
      if (std::equal(row.begin(), row.end(), table[r].begin())) return table[r].at(c);
    }
  }
  ADD_FAILURE() << "no cell " << column << " of " << row.front();
  return "";
}

ShownNumber ReadShownNumber(const std::string& text) {
  const std::string plus_minus = " ± ";
  const std::size_t at = text.find(plus_minus);
  const std::string value = text.substr(0, at);
  const std::size_t point = value.find('.');
  const auto decimals = point == std::string::npos ? 0 : static_cast<int>(value.size() - point - 1);
  const double sigma = at == std::string::npos ? std::numeric_limits<double>::quiet_NaN()
                                               : std::stod(text.substr(at + plus_minus.size()));
  return {std::stod(value), sigma, 0.5 * std::pow(10.0, -decimals) * (1 + 1e-9)};
}

}  // namespace percuss::report
