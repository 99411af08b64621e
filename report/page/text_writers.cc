// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/text_writers.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/text/csv_rows.h"
#include "base/text/json_stream.h"
#include "base/text/json_text.h"

namespace percuss::report {
namespace {

// Text from files must not turn into markup, HTML included, or break a table row.
std::string EscapeMarkdown(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::string_view("\\`*_[]<>#|&~").find(c) != std::string_view::npos) escaped += '\\';
    escaped += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return escaped;
}

const char* WordOf(Level level) {
  switch (level) {
    case Level::kOk:
      return "ok";
    case Level::kNote:
      return "note";
    case Level::kWarning:
      return "WARNING";
    case Level::kFailure:
      return "FAILED";
  }
  return "note";
}

std::string ToText(const Preformatted& text) {
  // Longer than any row of the same sign inside, which would end the text.
  std::string fence = "```";
  while (text.text.find(fence) != std::string::npos) fence += '`';
  return fmt::format("{0}\n{1}{2}{0}\n\n", fence, text.text, text.text.ends_with('\n') ? "" : "\n");
}
std::string ToText(const Paragraph& paragraph) { return EscapeMarkdown(paragraph.text) + "\n\n"; }

std::string ToText(const Link& link) {
  return fmt::format("[{}]({})\n\n", EscapeMarkdown(link.text), UrlOf(link.file));
}

std::string ToText(const LargeNumber& number) {
  return fmt::format("**{} = {}** {}\n\n", EscapeMarkdown(number.name),
                     EscapeMarkdown(number.value), EscapeMarkdown(number.detail));
}

std::string ToText(const Answer& answer) {
  std::string text =
      fmt::format("- {}: {}\n\n", WordOf(answer.level), EscapeMarkdown(answer.verdict));
  for (const Coefficient& one : answer.coefficients) {
    const std::string sigma = one.sigma.empty() ? "" : " ± " + one.sigma;
    text += fmt::format("**{} = {}** {}: {}\n\n", EscapeMarkdown(one.symbol),
                        EscapeMarkdown(one.value + sigma), EscapeMarkdown(one.meaning),
                        EscapeMarkdown(one.interval));
  }
  if (!answer.advice.empty()) text += EscapeMarkdown(answer.advice) + "\n\n";
  return text;
}

std::string ToText(const Heading& heading) {
  return "### " + EscapeMarkdown(heading.text) + "\n\n";
}

std::string ToText(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings.findings) {
    const std::string subject =
        finding.subject.empty() ? "" : EscapeMarkdown(finding.subject) + ": ";
    text +=
        fmt::format("- {}: {}{}\n", WordOf(finding.level), subject, EscapeMarkdown(finding.text));
  }
  return text + "\n";
}

std::string ToText(const Table& table) {
  std::string text = fmt::format("**{}**\n\n|", EscapeMarkdown(table.caption));
  std::string rule = "|";
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", EscapeMarkdown(ShownHeader(column)));
    rule += column.IsNumber() ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (std::size_t r = 0; r < NumShownRows(table); ++r) {
    const Row& row = table.rows[r];
    text += "|";
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      text += fmt::format(" {} |", EscapeMarkdown(ShownText(table.columns[c], row.cells[c])));
    }
    text += "\n";
  }
  text += "\n";
  if (const std::string left_out = RowsLeftOut(table); !left_out.empty()) {
    text += fmt::format("{0} [{1}]({1}).\n\n", left_out, CsvFileOf(table));
  }
  if (!table.note.empty()) text += EscapeMarkdown(table.note) + "\n\n";
  return text;
}

std::string ToText(const Figures& figures) {
  std::string text;
  for (const Figure& figure : figures.figures) {
    text +=
        fmt::format("- Plot: {} {}\n", EscapeMarkdown(figure.caption),
                    figure.problem.empty() ? "See report.html." : EscapeMarkdown(figure.problem));
  }
  return text + "\n";
}

std::string ToText(const Viewer&) {
  return "The page report.html shows it, and turns it by hand.\n\n";
}

std::string ToText(const std::vector<Block>& blocks);

std::string ToText(const Tabs& tabs) {
  std::string text;
  for (const Section& section : tabs.sections)
    text += ToText(Heading{.text = section.title}) + ToText(section.blocks);
  return text;
}

std::string ToText(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks)
    text += std::visit([](const auto& content) { return ToText(content); }, block);
  return text;
}

}  // namespace

std::string ToMarkdown(const Document& document) {
  std::string text = fmt::format("# {}\n\n{}\n\n", EscapeMarkdown(document.title),
                                 EscapeMarkdown(document.subtitle));
  for (const Section& section : document.sections) {
    if (!section.title.empty()) text += "## " + EscapeMarkdown(section.title) + "\n\n";
    text += ToText(section.blocks);
  }
  return text;
}

std::string CsvField(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  const bool looks_like_a_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text[0]) != std::string::npos;
  return CsvText(looks_like_a_formula && !is_number ? "'" + text : text);
}

void WriteCsv(const Table& table, const TextSink& sink) {
  std::string line;
  for (const Column& column : table.columns) {
    line += (line.empty() ? "" : ",") + CsvField(column.key);
    if (column.has_sigma) line += ",sigma_" + column.key;
  }
  sink(line + "\n");
  ForEachRow(table, [&](const Row& row) {
    line.clear();
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Column& column = table.columns[c];
      const Cell& cell = row.cells[c];
      if (c > 0) line += ",";
      line += column.IsNumber() ? CsvNumber(cell.value) : CsvField(cell.text);
      if (column.has_sigma) line += "," + CsvNumber(cell.sigma);
    }
    sink(line += "\n");
  });
}

void WriteJson(const Table& table, const Provenance& provenance, const TextSink& sink) {
  using Json = nlohmann::ordered_json;
  JsonStream json(sink);
  json.BeginObject();
  json.Fields(JsonHead(provenance.format, provenance));
  json.Field("table", table.id);
  json.Field("caption", table.caption);
  json.Key("rows");
  json.BeginList();
  ForEachRow(table, [&](const Row& row) {
    Json entry = Json::object();
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Column& column = table.columns[c];
      const Cell& cell = row.cells[c];
      entry[column.key] = column.IsNumber() ? Json(cell.value) : Json(cell.text);
      if (column.has_sigma) entry["sigma_" + column.key] = cell.sigma;
    }
    json.Value(entry);
  });
  json.EndList();
  json.EndObject();
  json.End();
}

}  // namespace percuss::report
