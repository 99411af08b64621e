// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/advice_table.h"

#include <fmt/core.h>

#include <cmath>
#include <string>

#include "app/terminal/wrapped_text.h"
#include "base/text/numbers.h"
#include "report/sections/words.h"

namespace percuss::app {
namespace {

using fitting::ErrorBudgetRow;
using fitting::NextDrop;

void PrintDrop(std::FILE* out, const std::string& purpose, const NextDrop& drop) {
  std::string factors;
  for (const auto& [name, factor] : drop.interval_factors) {
    factors += fmt::format("{}{} {:.2f}", factors.empty() ? "" : ", ", name, factor);
  }
  fmt::print(out, "{:<14}{:>11.0f}{:>11.0f}{:>16.0f}{:>12.3g}  {:<14}{}\n", purpose, drop.pitch_deg,
             drop.roll_deg, drop.incidence_deg, drop.speed, JoinedModes(drop.modes), factors);
}

std::string StaticFrictionText(const fitting::StaticFrictionDrop& advice) {
  if (!advice.usable) return "mu_s: " + advice.reason;
  return fmt::format(
      "mu_s may be {:.3g} {}: the contact of that drop stops, and holds if mu_s is {:.3g} or more; "
      "else it slips on.",
      advice.between[0],
      advice.open_above ? "or more" : fmt::format("to {:.3g}", advice.between[1]),
      advice.critical_friction);
}

std::string Number(double value, double scale = 1.0) { return FormatSignificant(scale * value, 2); }

void PrintRow(std::FILE* out, const ErrorBudgetRow& row, bool shares) {
  using namespace fitting;
  const std::string size = std::isnan(row.size) ? "" : fmt::format("{:.3g} {}", row.size, row.unit);
  const auto cell = [&](BudgetQuantity quantity, double scale) {
    const std::string share = shares && !std::isnan(row.share[quantity])
                                  ? fmt::format(" {:>3.0f} %", 100.0 * row.share[quantity])
                                  : std::string(shares ? 6 : 0, ' ');
    return Number(row.sigma[quantity], scale) + share;
  };
  fmt::print(out, "{:<39}{:>13}{:>16}{:>16}{:>16}\n", row.source, size, cell(kBudgetRestitution, 1),
             cell(kBudgetImpulseRatio, 1), cell(kBudgetDissipatedShare, 100.0));
}

}  // namespace

void PrintNextDropInWords(std::FILE* out, const fitting::FitReport& report) {
  const std::string words = report::NextDropInWords(report, BestLaw(report.laws));
  if (!words.empty()) PrintWrapped(out, "", "", words);
}

void PrintNextDrop(std::FILE* out, const std::vector<fitting::NextDropAdvice>& advice) {
  for (const fitting::NextDropAdvice& law : advice) {
    fmt::print(out, "\nNext drop, law {}\n", law.law);
    if (!law.usable) PrintWrapped(out, "  ", "  ", "no advice: " + law.reason);
    const auto& of_static = law.static_friction;
    if (law.usable || (of_static && of_static->usable)) {
      fmt::print(out, "{:<14}{:>11}{:>11}{:>16}{:>12}  {:<14}{}\n", "Best for", "Pitch [deg]",
                 "Roll [deg]", "Incidence [deg]", "Speed [m/s]", "Mode", "Sigma times");
    }
    for (const auto& [parameter, drop] : law.per_parameter) PrintDrop(out, parameter, drop);
    if (law.usable) PrintDrop(out, "all together", law.d_optimal);
    if (of_static && of_static->usable) PrintDrop(out, "mu_s", of_static->drop);
    if (of_static) PrintWrapped(out, "  ", "  ", StaticFrictionText(*of_static));
  }
  if (advice.empty()) return;
  PrintWrapped(
      out, "  ", "  ",
      "Of a body whose axes are those of the surface frame: roll about x first, then pitch about "
      "y. Incidence: between velocity and surface normal, towards x. Speed at the impact; a plain "
      "drop (incidence 0) has 1 m/s from 0.05 m, 2 m/s from 0.20 m, 3 m/s from 0.46 m.");
}

void PrintErrorBudget(std::FILE* out, const fitting::ErrorBudget& budget) {
  using namespace fitting;
  fmt::print(out, "\nError budget of one impact (mean of {}), one standard deviation\n",
             budget.num_impacts);
  fmt::print(out, "{:<39}{:>13}{:>16}{:>16}{:>16}\n", "Source, share of the variance", "size",
             "restitution", "impulse ratio", "dissipated [%]");
  for (const ErrorBudgetRow& row : budget.rows) PrintRow(out, row, true);
  PrintRow(out,
           {.source = "together",
            .size = NAN,
            .unit = {},
            .sigma = budget.sigma,
            .share = {NAN, NAN, NAN, NAN},
            .counterpart = {}},
           true);
  fmt::print(out, "As the thesis of Sun lists them (4.3), carried through these impacts\n");
  for (const ErrorBudgetRow& row : budget.thesis) PrintRow(out, row, false);
}

}  // namespace percuss::app
