// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/plots/dissipation_scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/facts/numbers.h"
#include "report/page/html_parts.h"
#include "report/plots/plot_parts.h"

namespace percuss::report {
namespace {

constexpr double kToPercent = 100;
constexpr double kWidth = 460, kHeight = 300;  // of the drawing
constexpr double kLeft = 56, kRight = 14, kTop = 10, kBottom = 46;

/// Both axes show the same range, so that what is predicted right lies on the diagonal.
struct Axes {
  double low = 0, high = 1;

  double X(double value) const {
    return kLeft + (kWidth - kLeft - kRight) * (value - low) / (high - low);
  }
  double Y(double value) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * (value - low) / (high - low);
  }
};

double Reach(const Measured& one) {
  return std::isfinite(one.sigma) ? kToPercent * kSigmasOf95 * one.sigma : 0.0;
}

Axes AxesOf(const std::vector<TrialComparison>& trials) {
  Extent extent;
  for (const TrialComparison& trial : trials) {
    for (const Measured& one : {trial.dissipation_measured, trial.dissipation_predicted}) {
      extent.Include(kToPercent * one.value - Reach(one));
      extent.Include(kToPercent * one.value + Reach(one));
    }
  }
  const double margin = std::max(0.06 * extent.Length(), 0.5);
  return {extent.low - margin, extent.high + margin};
}

std::string GridSvg(const Axes& axes) {
  const double step = NiceStep(axes.high - axes.low);
  std::string svg;
  for (double at = step * std::ceil(axes.low / step); at <= axes.high; at += step) {
    const std::string text = fmt::format("{:.6g}", std::abs(at) < 1e-9 * step ? 0.0 : at);
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>",
        axes.X(at), kTop, kHeight - kBottom, kHeight - kBottom + 16, text);
    svg += fmt::format(
        "<line class=\"grid\" x1=\"{1:.1f}\" x2=\"{2:.1f}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/>"
        "<text x=\"{3:.1f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
        axes.Y(at), kLeft, kWidth - kRight, kLeft - 6, axes.Y(at) + 4, text);
  }
  return svg +
         fmt::format(
             "<line class=\"same\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n"
             "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">dissipated, measured [%]"
             "</text><text transform=\"translate(13 {:.1f}) rotate(-90)\" "
             "text-anchor=\"middle\">predicted [%]</text>\n",
             axes.X(axes.low), axes.Y(axes.low), axes.X(axes.high), axes.Y(axes.high),
             0.5 * (kLeft + kWidth - kRight), kHeight - 10, 0.5 * (kTop + kHeight - kBottom));
}

/// The mark of one trial: a way to its pictures, and what to say of it.
std::string MarkSvg(const Axes& axes, const TrialComparison& trial, const std::string& place) {
  const Measured &measured = trial.dissipation_measured, &predicted = trial.dissipation_predicted;
  const double m = kToPercent * measured.value, p = kToPercent * predicted.value;
  const std::string says = fmt::format("{}: measured {} %, predicted {} %", trial.trial,
                                       FormatWithSigma(m, kToPercent * measured.sigma),
                                       FormatWithSigma(p, kToPercent * predicted.sigma));
  return fmt::format(
      "<a{}{}><title>{}</title>"
      "<line class=\"bar\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
      "<line class=\"bar\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
      "<circle class=\"point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/></a>\n",
      place.empty() ? "" : fmt::format(" href=\"{}\"", place),
      trial.used ? "" : " class=\"unused\"", EscapeHtml(says), axes.X(m - Reach(measured)),
      axes.X(m + Reach(measured)), axes.Y(p), axes.Y(p), axes.X(m), axes.X(m),
      axes.Y(p - Reach(predicted)), axes.Y(p + Reach(predicted)), axes.X(m), axes.Y(p));
}

}  // namespace

Figure DissipationScatter(const LawFit& law, const PlaceOfTrial& place_of) {
  Figure figure{.id = "dissipation-scatter",
                .caption = fmt::format(
                    "Energy dissipated by each impact: on the line {} predicts what was measured. "
                    "Bars: 95 %, where wider than the mark.",
                    law.law)};
  std::vector<TrialComparison> trials = law.trials;
  std::erase_if(trials, [](const TrialComparison& trial) {
    return !std::isfinite(trial.dissipation_measured.value) ||
           !std::isfinite(trial.dissipation_predicted.value);
  });
  if (trials.empty()) {
    figure.problem = kNoNumbers;
    return figure;
  }
  const Axes axes = AxesOf(trials);
  figure.svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"group\" aria-label=\"Predicted against "
      "measured dissipation\">\n{}",
      kWidth, kHeight, GridSvg(axes));
  for (const TrialComparison& trial : trials)
    figure.svg += MarkSvg(axes, trial, place_of(trial.trial));
  figure.svg += "</svg>\n";
  return figure;
}

}  // namespace percuss::report
