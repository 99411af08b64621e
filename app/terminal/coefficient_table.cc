// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/coefficient_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "app/terminal/advice_table.h"
#include "app/terminal/pose_prediction_table.h"
#include "app/terminal/wrapped_text.h"
#include "base/text/numbers.h"
#include "report/sections/words.h"

namespace percuss::app {
namespace {

using fitting::LawFit;
using fitting::ParameterEstimate;
using fitting::ParameterStatus;
using fitting::TrialComparison;

constexpr const char* kNone = "–";

std::string ValueText(const ParameterEstimate& parameter) {
  const bool bound = parameter.status == ParameterStatus::kLowerBound ||
                     parameter.status == ParameterStatus::kUpperBound;
  return bound ? report::ValueInWords(parameter)
               : FormatWithSigma(parameter.value, parameter.sigma);
}

std::string_view StatusText(const ParameterEstimate& parameter) {
  return fitting::IsWeaklyIdentified(parameter) ? "weakly identified" : NameOf(parameter.status);
}

std::string IntervalText(const ParameterEstimate& parameter) {
  const auto [low, high] = parameter.ci95;
  if (std::isnan(low) || std::isnan(high)) return kNone;
  const auto number = [&](double end) { return FormatValue(end, parameter.sigma); };
  return fmt::format("{}{}, {}{}", std::isinf(low) ? "(" : "[", number(low), number(high),
                     std::isinf(high) ? ")" : "]");
}

// A fraction as a percentage with its sigma.
std::string Percent(const ValueWithSigma& fraction) {
  return FormatWithSigma(100.0 * fraction.value, 100.0 * fraction.sigma);
}

std::string Percent(double fraction) {
  return std::isnan(fraction) ? kNone : fmt::format("{:.2f}", 100.0 * fraction);
}

std::string Shortened(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 2) + "..";
}

void PrintScatter(std::FILE* out, const fitting::ScatterReport& scatter) {
  for (const fitting::ScatterEstimate& one : scatter.parameters) {
    if (std::isnan(one.value)) {
      PrintWrapped(out, "  ", "  ",
                   fmt::format("scatter of {} from trial to trial: the impacts do not see it",
                               one.parameter));
      continue;
    }
    const auto number = [sigma = (one.ci95[1] - one.ci95[0]) / 4.0](double value) {
      return FormatValue(value, sigma);
    };
    PrintWrapped(
        out, "  ", "  ",
        fmt::format("scatter of {} from trial to trial: {} [{}, {}]{}; next drop: {} in [{}, {}]",
                    one.parameter, number(one.value), number(one.ci95[0]), number(one.ci95[1]),
                    one.compatible_with_zero ? ", compatible with none" : "", one.parameter,
                    number(one.next95[0]), number(one.next95[1])));
  }
  std::string noise =
      fmt::format("noise beside the scatter: {:.3g} times the sigmas", scatter.noise_scale);
  if (std::isfinite(scatter.held_out_components)) {
    noise += fmt::format(
        "; of the left-out trials {:.1f} % of the velocities lie in their predictive 95 % interval",
        100.0 * scatter.held_out_components);
  }
  PrintWrapped(out, "  ", "  ", noise);
}

void PrintEstimate(std::FILE* out, const std::string& name, const ParameterEstimate& parameter) {
  fmt::print(out, "{:<20}{:<15}{:>22}{:>24}  {}\n", name, Shortened(parameter.name, 14),
             ValueText(parameter), IntervalText(parameter), StatusText(parameter));
}

// One line each, the first with the name.
void PrintEstimates(std::FILE* out, std::string name,
                    const std::vector<ParameterEstimate>& parameters) {
  for (const ParameterEstimate& parameter : parameters) {
    PrintEstimate(out, name, parameter);
    name.clear();
    if (!std::isfinite(parameter.bootstrap95[0])) continue;
    ParameterEstimate bootstrap = parameter;
    bootstrap.ci95 = parameter.bootstrap95;
    fmt::print(out, "{:<57}{:>24}  {}\n", "", IntervalText(bootstrap), "trial bootstrap");
  }
}

// What the impacts themselves say of parameters that were given.
void PrintAgreement(std::FILE* out, const LawFit& law) {
  PrintEstimates(out, "  all fitted:", law.agreement->fitted);
  if (!std::isfinite(law.agreement->probability)) return;
  PrintWrapped(
      out, "  ", "  ",
      fmt::format("given against fitted: chi-square {:.4g} for {} degrees of freedom "
                  "(probability {:.2g}){}",
                  law.agreement->chi_square, law.agreement->dof, law.agreement->probability,
                  law.agreement->probability < 0.05 ? ": they disagree" : ""));
}

// Why parameters have no value, each reason once.
void PrintReasons(std::FILE* out, const std::vector<ParameterEstimate>& parameters) {
  std::string_view last;
  for (const ParameterEstimate& parameter : parameters) {
    if (!parameter.reason.empty() && parameter.reason != last)
      PrintWrapped(out, "  ", "  ", parameter.reason);
    last = parameter.reason;
  }
}

void PrintCoefficients(std::FILE* out, const std::vector<LawFit>& laws) {
  fmt::print(out, "{:<20}{:<15}{:>22}{:>24}  {}\n", "Law", "Parameter", "Value ± sigma",
             "95 % interval", "Status");
  for (const LawFit& law : laws) {
    PrintEstimates(out, Shortened(law.law, 19), law.parameters);
    if (law.static_friction && law.static_friction->status != ParameterStatus::kUnidentified)
      PrintEstimate(out, "", *law.static_friction);
    PrintWrapped(out, "  ", "  ", law.message);
    PrintReasons(out, law.parameters);
    if (law.agreement) PrintAgreement(out, law);
    if (law.scatter) PrintScatter(out, *law.scatter);
  }
}

void PrintPixelFits(std::FILE* out, const std::vector<fitting::PixelFit>& fits) {
  for (const fitting::PixelFit& fit : fits) {
    PrintEstimates(out, Shortened(fit.law, 10) + " (pixels)", fit.parameters);
    PrintWrapped(out, "  ", "  ", fit.message);
  }
}

// Where the error of each law comes from, and what it is worth on trials it has not seen.
void PrintLaws(std::FILE* out, const std::vector<LawFit>& laws) {
  fmt::print(out, "\n{:<20}{:^46}{:^20}{:>12}\n", "", "Velocity error [%], mean",
             "Energy error [%]", "Trials that");
  fmt::print(out, "{:<20}{:>7} ={:>7} +{:>7} +{:>11}{:>10}{:>10}{:>10}{:>12}\n", "Law", "all",
             "data", "law", "parameters", "left out", "rms", "left out", "gain energy");
  for (const LawFit& law : laws) {
    if (law.num_used == 0) continue;
    const fitting::ErrorSplit& split = law.error_split;
    fmt::print(out, "{:<20}{:>7} ={:>7} +{:>7} +{:>11}{:>10}{:>10}{:>10}{:>12}\n",
               Shortened(law.law, 19), Percent(law.velocity_error_mean), Percent(split.data),
               Percent(split.law), Percent(split.parameters),
               Percent(law.cross_validated_velocity_error_mean), Percent(law.energy_error_rms),
               Percent(law.cross_validated_energy_error_rms), law.num_energy_gains);
  }
  PrintWrapped(out, "  ", "  ",
               "data: what no law could explain, since no push at the contact point turns the "
               "measured velocities before into those after; law: what this law adds with the "
               "parameters that suit each impact best; parameters: what comes of sharing them.");
  for (const LawFit& law : laws) {
    if (!law.same_as.empty())
      fmt::print(out, "  {} gives the impulses of {}\n", law.law, law.same_as);
  }
}

void PrintComparison(std::FILE* out, const LawFit& law) {
  fmt::print(out, "\n{:<33}{:^47}{:>20}\n", law.law, "Dissipated [% of kinetic energy]",
             "Velocity error [%]");
  fmt::print(out, "{:<14}{:<19}{:>17}{:>17}{:>17}{:>8}{:>8}\n", "Trial", "Mode", "measured",
             "predicted", "difference", "all", "data");
  constexpr std::size_t kMaxRows = 40;  // a table of hundreds of impacts belongs into a file
  std::size_t shown = 0;
  for (const TrialComparison& trial : law.trials) {
    if (!trial.used) {
      PrintWrapped(out, fmt::format("{:<14}not used: ", Shortened(trial.trial, 13)),
                   std::string(14, ' '), trial.reason);
      continue;
    }
    if (shown++ == kMaxRows) {
      fmt::print(out, "(further trials: fit.json)\n");
    }
    if (shown > kMaxRows) continue;
    const std::string difference = Percent(trial.dissipation_difference);
    const bool more = trial.dissipation_difference.value >= 0.0;
    fmt::print(out, "{:<14}{:<19}{:>17}{:>17}{:>17}{:>8}{:>8}\n", Shortened(trial.trial, 13),
               Shortened(JoinedModes(trial.modes), 18), Percent(trial.dissipation_measured),
               Percent(trial.dissipation_predicted), more ? "+" + difference : difference,
               Percent(trial.velocity_error), Percent(trial.reachability_floor));
  }
  fmt::print(out, "{:<67}{:>17}{:>8}\n", "all: rms of the difference, mean of the error",
             Percent(law.energy_error_rms), Percent(law.velocity_error_mean));
  if (std::isfinite(law.cross_validated_velocity_error_mean)) {
    fmt::print(out, "{:<67}{:>17}{:>8}\n", "on trials left out of the fit",
               Percent(law.cross_validated_energy_error_rms),
               Percent(law.cross_validated_velocity_error_mean));
  }
}

// Whether anything could be fitted. Of impacts without a pose all there is to say are predictions.
bool IsFitted(const fitting::FitReport& report) {
  return report.over_poses.empty() ||
         std::ranges::any_of(report.laws, [](const LawFit& law) { return law.num_used > 0; });
}

// The findings that are not in order, those of all trials together first, as many as there is room
// for.
void PrintSuspects(std::FILE* out, std::vector<fitting::AuditFinding> findings, std::size_t most) {
  if (findings.empty()) return;
  const std::size_t all = findings.size();
  std::erase_if(findings, [](const fitting::AuditFinding& finding) { return finding.ok; });
  if (findings.empty()) {
    fmt::print(out, "\nAudit: {} checks, all in order\n", all);
    return;
  }
  fmt::print(out, "\nAudit: {} of {} checks are suspect\n", findings.size(), all);
  std::stable_partition(findings.begin(), findings.end(),
                        [](const fitting::AuditFinding& finding) { return finding.trial.empty(); });
  const std::size_t shown = std::min(most, findings.size());
  const std::size_t left_out = findings.size() - shown;
  findings.resize(shown);
  PrintAudit(out, findings);
  if (left_out > 0) fmt::print(out, "{} more: --verbose\n", left_out);
}

}  // namespace

void PrintContactNumbers(std::FILE* out, const std::vector<fitting::ContactNumbers>& impacts) {
  if (impacts.empty()) return;
  constexpr std::size_t kMostRows = 40;
  const auto row = [&](const std::string& trial, const std::array<std::string, 6>& cells) {
    fmt::print(out, "{:<14}", Shortened(trial, 13));
    for (std::size_t k = 0; k < cells.size(); ++k) {
      constexpr int kNarrow = 9, kWide = 19;
      fmt::print(out, "{:>{}}", cells[k], k < 2 ? kNarrow : kWide);
    }
    fmt::print(out, "\n");
  };
  row("Impact", {"m/s", "deg", "e_n", "e_t", "eta", "P_t / P_n"});
  for (std::size_t k = 0; k < std::min(impacts.size(), kMostRows); ++k) {
    const fitting::ContactNumbers& one = impacts[k];
    row(one.trial,
        {FormatValue(one.approach.value, one.approach.sigma),
         FormatValue(one.incidence_deg.value, one.incidence_deg.sigma), FormatWithSigma(one.e_n),
         FormatWithSigma(one.e_t), FormatWithSigma(one.eta), FormatWithSigma(one.impulse_ratio)});
  }
  fmt::print(out, "\n");
}

void PrintAudit(std::FILE* out, const std::vector<fitting::AuditFinding>& findings) {
  for (const fitting::AuditFinding& finding : findings) {
    PrintWrapped(out,
                 fmt::format("{:<8}{:<15}{:<15} ", finding.ok ? "ok" : "SUSPECT", finding.check,
                             finding.trial.empty() ? "all trials" : Shortened(finding.trial, 15)),
                 std::string(39, ' '), finding.text);
  }
}

void PrintBestLaw(std::FILE* out, const fitting::FitReport& report) {
  const LawFit& best = BestLaw(report.laws);
  const fitting::FitReport shown = OfLaw(report, best.law);
  const bool alone = report.laws.size() == 1;
  if (IsFitted(report)) {
    PrintCoefficients(out, shown.laws);
    PrintPixelFits(out, shown.pixels);
    if (best.converged) PrintWrapped(out, "  ", "  ", report::LawInVerdict(best, alone).text);
    fmt::print(
        out, "  {}: --verbose\n",
        alone ? "Trial by trial" : fmt::format("All {} laws, trial by trial", report.laws.size()));
  }
  PrintPosePredictions(out, shown.over_poses);
  constexpr std::size_t kFew = 5;
  PrintSuspects(out, report.audit, kFew);
}

void PrintAllLaws(std::FILE* out, const fitting::FitReport& report) {
  if (IsFitted(report)) {
    PrintCoefficients(out, report.laws);
    PrintPixelFits(out, report.pixels);
    PrintLaws(out, report.laws);
    for (const LawFit& law : report.laws) {
      if (law.num_used > 0) PrintComparison(out, law);
    }
    PrintNextDrop(out, report.next_drop);
  }
  PrintPosePredictions(out, report.over_poses);
  PrintSuspects(out, report.audit, report.audit.size());
}

}  // namespace percuss::app
