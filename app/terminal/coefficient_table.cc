// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/terminal/coefficient_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/terminal/advice_table.h"
#include "app/terminal/pose_prediction_table.h"
#include "app/terminal/wrapped_text.h"
#include "fitting/estimate/scatter.h"

namespace percuss::app {
namespace {

using fitting::LawFit;
using fitting::ParameterEstimate;
using fitting::ParameterStatus;
using fitting::TrialComparison;

// Decimals that show two digits of sigma.
int DecimalsFor(double sigma) {
  constexpr int kWithoutSigma = 4;
  constexpr int kMost = 7;
  if (!(sigma > 0.0) || !std::isfinite(sigma)) return kWithoutSigma;
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(sigma))), 1, kMost);
}

std::string Number(double value, int decimals) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, decimals);
}

std::string ValueText(const ParameterEstimate& parameter) {
  const std::string number = Number(parameter.value, DecimalsFor(parameter.sigma));
  switch (parameter.status) {
    case ParameterStatus::kLowerBound:
      return "≥ " + number;
    case ParameterStatus::kUpperBound:
      return "≤ " + number;
    case ParameterStatus::kIdentified:
    case ParameterStatus::kUnidentified:
    case ParameterStatus::kGiven:
      break;
  }
  return number;
}

std::string_view StatusText(const ParameterEstimate& parameter) {
  return fitting::IsWeaklyIdentified(parameter) ? "weakly identified" : NameOf(parameter.status);
}

std::string IntervalText(const ParameterEstimate& parameter) {
  const auto [low, high] = parameter.ci95;
  if (std::isnan(low) || std::isnan(high)) return "-";
  const int decimals = DecimalsFor(parameter.sigma);
  const std::string from = std::isinf(low) ? "(-inf" : "[" + Number(low, decimals);
  const std::string to = std::isinf(high) ? "inf)" : Number(high, decimals) + "]";
  return from + ", " + to;
}

// A fraction as a percentage with its sigma.
std::string Percent(const ValueWithSigma& fraction) {
  if (std::isnan(fraction.value)) return "-";
  const double sigma = 100.0 * fraction.sigma;
  const int decimals = std::clamp(DecimalsFor(sigma), 1, 4);
  if (!std::isfinite(sigma)) return Number(100.0 * fraction.value, decimals);
  return fmt::format("{:.{}f} ± {:.{}f}", 100.0 * fraction.value, decimals, sigma, decimals);
}

std::string Percent(double fraction) {
  return std::isnan(fraction) ? "-" : fmt::format("{:.2f}", 100.0 * fraction);
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
    const int decimals = DecimalsFor((one.ci95[1] - one.ci95[0]) / 4.0);
    PrintWrapped(
        out, "  ", "  ",
        fmt::format("scatter of {} from trial to trial: {:.{}f} [{:.{}f}, {:.{}f}]{}; next drop: "
                    "{} in [{:.{}f}, {:.{}f}]",
                    one.parameter, one.value, decimals, one.ci95[0], decimals, one.ci95[1],
                    decimals, one.compatible_with_zero ? ", compatible with none" : "",
                    one.parameter, one.next95[0], decimals, one.next95[1], decimals));
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

// What the impacts themselves say of parameters that were given.
void PrintAgreement(std::FILE* out, const LawFit& law) {
  std::string name = "  all fitted:";
  for (const ParameterEstimate& parameter : law.agreement->fitted) {
    fmt::print(out, "{:<20}{:<15}{:>12}{:>10}{:>24}  {}\n", name, Shortened(parameter.name, 14),
               ValueText(parameter), Number(parameter.sigma, DecimalsFor(parameter.sigma)),
               IntervalText(parameter), StatusText(parameter));
    name.clear();
  }
  if (!std::isfinite(law.agreement->probability)) return;
  PrintWrapped(
      out, "  ", "  ",
      fmt::format("given against fitted: chi-square {:.4g} for {} degrees of freedom "
                  "(probability {:.2g}){}",
                  law.agreement->chi_square, law.agreement->dof, law.agreement->probability,
                  law.agreement->probability < 0.05 ? ": they disagree" : ""));
}

void PrintCoefficients(std::FILE* out, const std::vector<LawFit>& laws) {
  fmt::print(out, "{:<20}{:<15}{:>12}{:>10}{:>24}  {}\n", "Law", "Parameter", "Value [-]",
             "Sigma [-]", "95 % interval", "Status");
  for (const LawFit& law : laws) {
    std::string name = Shortened(law.law, 19);
    for (const ParameterEstimate& parameter : law.parameters) {
      fmt::print(out, "{:<20}{:<15}{:>12}{:>10}{:>24}  {}\n", name, Shortened(parameter.name, 14),
                 ValueText(parameter), Number(parameter.sigma, DecimalsFor(parameter.sigma)),
                 IntervalText(parameter), StatusText(parameter));
      name.clear();
      if (std::isfinite(parameter.bootstrap95[0])) {
        ParameterEstimate bootstrap = parameter;
        bootstrap.ci95 = parameter.bootstrap95;
        fmt::print(out, "{:<57}{:>24}  {}\n", "", IntervalText(bootstrap), "trial bootstrap");
      }
    }
    if (law.static_friction && law.static_friction->status != ParameterStatus::kUnidentified) {
      const ParameterEstimate& mu_s = *law.static_friction;
      fmt::print(out, "{:<20}{:<15}{:>12}{:>10}{:>24}  {}\n", "", mu_s.name, ValueText(mu_s), "-",
                 IntervalText(mu_s), StatusText(mu_s));
    }
    PrintWrapped(out, "  ", "  ", law.message);
    if (law.agreement) PrintAgreement(out, law);
    if (law.scatter) PrintScatter(out, *law.scatter);
  }
}

void PrintPixelFits(std::FILE* out, const std::vector<fitting::PixelFit>& fits) {
  for (const fitting::PixelFit& fit : fits) {
    std::string name = Shortened(fit.law, 12) + " (pixels)";
    for (const ParameterEstimate& parameter : fit.parameters) {
      fmt::print(out, "{:<22}{:<11}{:>13}{:>11}{:>24}  {}\n", name, Shortened(parameter.name, 10),
                 ValueText(parameter), Number(parameter.sigma, DecimalsFor(parameter.sigma)),
                 IntervalText(parameter), StatusText(parameter));
      name.clear();
    }
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
               "data: what the best impulse through the contact point leaves; law: what its best "
               "parameters for each impact leave beyond that; parameters: what comes of sharing "
               "them.");
}

void PrintComparison(std::FILE* out, const LawFit& law) {
  fmt::print(out, "\n{:<33}{:^47}{:>20}\n", law.law, "Dissipated [% of kinetic energy]",
             "Velocity error [%]");
  fmt::print(out, "{:<14}{:<19}{:>17}{:>17}{:>17}{:>8}{:>8}\n", "Trial", "Mode", "measured",
             "predicted", "difference", "law", "floor");
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

}  // namespace

void PrintAudit(std::FILE* out, const std::vector<fitting::AuditFinding>& findings, bool only_bad) {
  for (const fitting::AuditFinding& finding : findings) {
    if (only_bad && finding.ok) continue;
    PrintWrapped(out,
                 fmt::format("{:<8}{:<15}{:<15} ", finding.ok ? "ok" : "SUSPECT", finding.check,
                             finding.trial.empty() ? "all trials" : Shortened(finding.trial, 15)),
                 std::string(39, ' '), finding.text);
  }
}

void PrintFit(std::FILE* out, const fitting::FitReport& report) {
  const bool fitted =
      std::ranges::any_of(report.laws, [](const fitting::LawFit& law) { return law.num_used > 0; });
  // Of impacts without a pose all there is to say are predictions.
  if (fitted || report.over_poses.empty()) {
    PrintCoefficients(out, report.laws);
    PrintPixelFits(out, report.pixels);
    PrintLaws(out, report.laws);
  }
  for (const LawFit& law : report.laws) {
    if (law.num_used > 0) PrintComparison(out, law);
  }
  PrintPosePredictions(out, report.over_poses);
  if (fitted) PrintNextDrop(out, report.next_drop);
  const auto num_bad = std::ranges::count_if(
      report.audit, [](const fitting::AuditFinding& finding) { return !finding.ok; });
  if (report.audit.empty()) return;
  if (num_bad == 0) {
    fmt::print(out, "\nAudit: {} checks, all in order\n", report.audit.size());
    return;
  }
  fmt::print(out, "\nAudit: {} of {} checks are suspect\n", num_bad, report.audit.size());
  PrintAudit(out, report.audit, true);
}

}  // namespace percuss::app
