// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/html_parts.h"

#include <fmt/format.h>

namespace percuss::report {
namespace {

struct Mark {
  const char* css_class;
  const char* sign;
  const char* word;  // read out, so that neither colour nor sign is needed
};

Mark MarkOf(Level level) {
  switch (level) {
    case Level::kOk:
      return {"ok", "✓", "ok"};
    case Level::kNote:
      return {"note", "i", "note"};
    case Level::kWarning:
      return {"warning", "!", "warning"};
    case Level::kFailure:
      return {"failure", "✗", "failed"};
  }
  return {"note", "i", "note"};
}

}  // namespace

std::string FindingsHtml(const Findings& findings) {
  std::string html = "<ul class=\"findings\">\n";
  for (const Finding& finding : findings.findings) {
    const Mark mark = MarkOf(finding.level);
    const std::string subject =
        finding.subject.empty() ? ""
                                : fmt::format("<strong>{}:</strong> ", EscapeHtml(finding.subject));
    html += fmt::format(
        "<li class=\"{}\"><span class=\"sign\" role=\"img\" aria-label=\"{}\">{}</span>"
        "<span>{}{}</span></li>\n",
        mark.css_class, mark.word, mark.sign, subject, EscapeHtml(finding.text));
  }
  return html + "</ul>\n";
}

std::string FigureHtml(const Figure& figure) {
  const std::string content =
      figure.svg.empty() ? fmt::format("<p class=\"no-plot\">{}</p>\n", EscapeHtml(figure.problem))
                         : figure.svg;
  return fmt::format("<figure id=\"{}\"{}>\n{}<figcaption>{}</figcaption>\n</figure>\n", figure.id,
                     figure.wide ? " class=\"wide-figure\"" : "", content,
                     EscapeHtml(figure.caption));
}

std::string EscapeHtml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_control = (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
        if (is_control) {
          escaped += "\xEF\xBF\xBD";
        } else {
          escaped += c;
        }
      }
    }
  }
  return escaped;
}

}  // namespace percuss::report
