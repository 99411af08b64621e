// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/files/files.h"
#include "report/page/answer_html.h"
#include "report/page/base64.h"
#include "report/page/html_parts.h"
#include "report/page/viewer_html.h"

namespace percuss::report {
namespace {

std::string ToHtml(const Preformatted& text) {
  return fmt::format("<pre>{}</pre>\n", EscapeHtml(text.text));
}

std::string ToHtml(const Paragraph& paragraph) {
  return fmt::format("<p>{}</p>\n", EscapeHtml(paragraph.text));
}

std::string ToHtml(const LargeNumber& number) {
  return fmt::format(
      "<p class=\"large\"><span class=\"value\"><i>{}</i> = {}</span> <span "
      "class=\"detail\">{}</span></p>\n",
      EscapeHtml(number.name), EscapeHtml(number.value), EscapeHtml(number.detail));
}

std::string ToHtml(const Heading& heading) {
  const std::string id = heading.id.empty() ? "" : fmt::format(" id=\"{}\"", heading.id);
  return fmt::format("<h3{}>{}</h3>\n", id, EscapeHtml(heading.text));
}

std::string ToHtml(const Findings& findings) { return FindingsHtml(findings); }

std::string ToHtml(const Answer& answer) { return AnswerHtml(answer); }

std::string ToHtml(const Link& link) {
  return fmt::format("<p class=\"link\"><a href=\"{}\">{}</a></p>\n", UrlOf(link.file),
                     EscapeHtml(link.text));
}

std::string HeaderCell(const Column& column) {
  const std::string unit =
      column.IsNumber() ? fmt::format(" <span class=\"unit\">[{}]</span>", EscapeHtml(column.unit))
                        : "";
  return fmt::format("<th scope=\"col\"{}>{}{}</th>", column.IsNumber() ? " class=\"number\"" : "",
                     EscapeHtml(column.header), unit);
}

// The value is what the eye should find first.
std::string WithFaintSigma(std::string text, const Column& column) {
  const std::size_t at = text.find(" ± ");
  if (!column.IsNumber() || at == std::string::npos) return text;
  return text.substr(0, at) + "<span class=\"sigma\">" + text.substr(at) + "</span>";
}

// Many measured columns have room only with the sigmas below the values.
bool IsWide(const Table& table) {
  return std::count_if(table.columns.begin(), table.columns.end(),
                       [](const Column& column) { return column.has_sigma; }) > 4;
}

const char* ClassOf(const Column& column, const std::string& text) {
  constexpr std::size_t kLongText = 48;
  if (column.IsNumber()) return " class=\"number\"";
  return text.size() > kLongText && text.find(' ') != std::string::npos ? " class=\"long\"" : "";
}

std::string ToHtml(const Table& table) {
  std::string html = fmt::format(
      "<div class=\"table\" id=\"{}\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n<table{}>\n<caption>{}</caption>\n<thead><tr>",
      table.id, EscapeHtml(table.caption), IsWide(table) ? " class=\"wide\"" : "",
      EscapeHtml(table.caption));
  for (const Column& column : table.columns) html += HeaderCell(column);
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < NumShownRows(table); ++r) {
    const Row& row = table.rows[r];
    // Inside a group the first cell repeats the group's name: shown faintly.
    const bool repeats = r > 0 && !row.starts_group && !row.cells.empty() &&
                         !table.columns[0].IsNumber() &&
                         row.cells[0].text == table.rows[r - 1].cells[0].text;
    html += row.starts_group ? "<tr class=\"group\">" : "<tr>";
    for (std::size_t c = 0; c < row.cells.size(); ++c) {
      const Column& column = table.columns[c];
      const std::string text = WithFaintSigma(EscapeHtml(ShownText(column, row.cells[c])), column);
      if (c == 0) {
        const char* css_class = repeats             ? " class=\"repeat\""
                                : column.IsNumber() ? " class=\"number\""
                                                    : "";
        html += fmt::format("<th scope=\"row\"{}>{}</th>", css_class, text);
      } else {
        html += fmt::format("<td{}>{}</td>", ClassOf(column, row.cells[c].text), text);
      }
    }
    html += "</tr>\n";
  }
  html += "</tbody>\n</table>\n</div>\n";
  if (const std::string left_out = RowsLeftOut(table); !left_out.empty()) {
    html += fmt::format("<p class=\"reading\">{0} <a href=\"{1}\">{1}</a>.</p>\n", left_out,
                        CsvFileOf(table));
  }
  if (!table.note.empty()) {
    html += fmt::format("<p class=\"reading\">{}</p>\n", EscapeHtml(table.note));
  }
  return html + "</div>\n";
}

std::string ToHtml(const Figures& figures) {
  std::string html = "<div class=\"figures\">\n";
  for (const Figure& figure : figures.figures) html += FigureHtml(figure);
  return html + "</div>\n";
}

std::string ToHtml(const Viewer& viewer) { return ViewerHtml(viewer); }

std::string BlocksHtml(const std::vector<Block>& blocks);

// Buttons of a group of which one is on: the style sheet shows its panel, without any program.
std::string ToHtml(const Tabs& tabs) {
  std::string html = fmt::format("<div class=\"tabs\" role=\"group\" aria-label=\"{}\">\n",
                                 EscapeHtml(tabs.label));
  for (const Section& section : tabs.sections) {
    const bool first = &section == &tabs.sections.front();
    html += fmt::format(
        "<input type=\"radio\" name=\"{0}\" id=\"{1}-tab\"{2}><label for=\"{1}-tab\">{3}</label>\n"
        "<div class=\"panel\" id=\"{1}\">\n<h3>{3}</h3>\n{4}</div>\n",
        tabs.id, section.id, first ? " checked" : "", EscapeHtml(section.title),
        BlocksHtml(section.blocks));
  }
  return html + "</div>\n";
}

std::string BlocksHtml(const std::vector<Block>& blocks) {
  std::string html;
  for (const Block& block : blocks)
    html += std::visit([](const auto& content) { return ToHtml(content); }, block);
  return html;
}

// An address with the id of the section opens it, since that is of what is folded.
std::string SectionHtml(const Section& section) {
  const std::string blocks = BlocksHtml(section.blocks);
  if (section.folded) {
    return fmt::format(
        "<details><summary><h2>{}</h2></summary>\n"
        "<section id=\"{}\">\n{}</section>\n</details>\n",
        EscapeHtml(section.title), section.id, blocks);
  }
  const std::string title =
      section.title.empty() ? "" : fmt::format("<h2>{}</h2>\n", EscapeHtml(section.title));
  return fmt::format("<section id=\"{}\">\n{}{}</section>\n", section.id, title, blocks);
}

std::string BytesOfHex(const std::string& hex) {
  std::string bytes;
  for (std::size_t k = 0; k + 1 < hex.size(); k += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16));
  return bytes;
}

/// Lets that text alone be style or script, and none that a name brought in: Content Security
/// Policy Level 3, 2.3.1.
std::string SourceHash(const std::string& text) {
  return fmt::format("'sha256-{}'", Base64(BytesOfHex(HashText(text))));
}

/// Links to the sections; the titles of folded ones are their own table of contents.
std::string ContentsHtml(const Document& document) {
  if (std::ranges::any_of(document.sections, &Section::folded)) return "";
  std::string html = "<nav aria-label=\"Contents\">\n";
  for (const Section& section : document.sections) {
    if (section.title.empty()) continue;
    html += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, EscapeHtml(section.title));
  }
  return html + "</nav>\n";
}

}  // namespace

std::string ToHtml(const Document& document) {
  std::set<ViewerKind> viewers;
  ForEachBlock<Viewer>(document.sections,
                       [&](const Viewer& viewer) { viewers.insert(viewer.kind); });
  const bool has_viewer = !viewers.empty();
  const std::string script = has_viewer ? ViewerScript(viewers) : "";
  const std::string allowed = has_viewer ? "; script-src " + SourceHash(script) : "";
  const std::string style = std::string("\n") + PageStyle() + document.style;
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src {}; img-src data:{}{}; base-uri 'none'; "
      "form-action 'none'\">\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n"
      "<p class=\"subtitle\">{}</p>\n{}</header>\n<main>\n",
      SourceHash(style), document.has_picture_files ? " 'self'" : "", allowed,
      EscapeHtml(document.title), style, EscapeHtml(document.title), EscapeHtml(document.subtitle),
      ContentsHtml(document));
  for (const Section& section : document.sections) html += SectionHtml(section);
  html += "</main>\n";
  if (has_viewer) html += "<script>" + script + "</script>\n";
  return html + "</body>\n</html>\n";
}

}  // namespace percuss::report
