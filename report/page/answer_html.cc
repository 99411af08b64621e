// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/page/answer_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/page/html_parts.h"

namespace percuss::report {
namespace {

/// What a strip of intervals shows: all values and what of the intervals is not far off.
struct StripRange {
  double low = 0, high = 1;

  /// Per cent of the width, within it.
  double At(double value) const {
    return std::clamp(100 * (value - low) / (high - low), 0.0, 100.0);
  }
};

StripRange RangeOf(const std::vector<NamedInterval>& intervals) {
  double low = kNaN, high = kNaN, widest = 0;
  for (const NamedInterval& one : intervals) {
    if (!std::isfinite(one.value)) continue;
    low = std::fmin(low, one.value);
    high = std::fmax(high, one.value);
    if (std::isfinite(one.high - one.low)) widest = std::max(widest, one.high - one.low);
  }
  for (const NamedInterval& one : intervals) {
    low = std::fmin(low, std::fmax(one.low, low - 2 * widest));
    high = std::fmax(high, std::fmin(one.high, high + 2 * widest));
  }
  if (!(low <= high)) return {};
  const double margin = std::max(0.08 * (high - low), 1e-6);
  return {low - margin, high + margin};
}

std::string StripHtml(const std::vector<NamedInterval>& intervals) {
  const bool known = std::ranges::any_of(
      intervals, [](const NamedInterval& one) { return std::isfinite(one.value); });
  if (!known) return "";
  const StripRange range = RangeOf(intervals);
  std::string html = "<div class=\"strip-of-intervals\">\n";
  for (const NamedInterval& one : intervals) {
    const bool first = &one == &intervals.front();
    const double from = range.At(std::isnan(one.low) ? one.value : one.low);
    const double to = range.At(std::isnan(one.high) ? one.value : one.high);
    html += fmt::format(
        "<span class=\"law{}\">{}</span><svg class=\"interval\" role=\"img\" "
        "aria-label=\"95 % interval {:.4g} to {:.4g}\">",
        first ? " best" : "", EscapeHtml(one.name), one.low, one.high);
    if (std::isfinite(one.value)) {
      html += fmt::format(
          "<line class=\"axis\" x1=\"0\" x2=\"100%\" y1=\"50%\" y2=\"50%\"/>"
          "<line class=\"bar\" x1=\"{:.2f}%\" x2=\"{:.2f}%\" y1=\"50%\" y2=\"50%\"/>"
          "<circle cx=\"{:.2f}%\" cy=\"50%\" r=\"{}\"/>",
          from, to, range.At(one.value), first ? 5 : 3.5);
    }
    html += "</svg>\n";
  }
  return html + "</div>\n";
}

std::string CoefficientHtml(const Coefficient& coefficient) {
  const std::string sigma =
      coefficient.sigma.empty()
          ? ""
          : fmt::format(" <span class=\"sigma\">± {}</span>", EscapeHtml(coefficient.sigma));
  return fmt::format(
      "<div class=\"coefficient\"><p class=\"meaning\">{}</p>\n"
      "<p class=\"value\"><i>{}</i> = {}{}</p>\n<p class=\"between\">{}</p>\n{}</div>\n",
      EscapeHtml(coefficient.meaning), EscapeHtml(coefficient.symbol),
      EscapeHtml(coefficient.value), sigma, EscapeHtml(coefficient.interval),
      StripHtml(coefficient.intervals));
}

}  // namespace

std::string AnswerHtml(const Answer& answer) {
  std::string html = "<div class=\"answer\">\n<div class=\"numbers\">\n";
  html += FindingsHtml({{{answer.level, "", answer.verdict}}});
  for (const Coefficient& coefficient : answer.coefficients) html += CoefficientHtml(coefficient);
  if (!answer.advice.empty())
    html += fmt::format("<p class=\"advice\">{}</p>\n", EscapeHtml(answer.advice));
  html += "</div>\n<div class=\"sights\">\n";
  for (const Figure& figure : answer.figures) html += FigureHtml(figure);
  return html + "</div>\n</div>\n";
}

}  // namespace percuss::report
