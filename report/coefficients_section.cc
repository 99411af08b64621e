// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>

#include "report/sections.h"
#include "report/words.h"

namespace percuss::report {
namespace {

Cell ValueCell(const ParameterFacts& parameter) {
  Cell cell = RoundedCell(parameter.value, parameter.sigma);
  const std::string number = FormatSignificant(parameter.value, 3);
  if (parameter.status == "lower_bound") cell.text = "≥ " + number;
  if (parameter.status == "upper_bound") cell.text = "≤ " + number;
  if (parameter.status == "unidentified") cell.text = "unknown";
  return cell;
}

Cell IntervalEndCell(double end, double sigma) {
  Cell cell = RoundedCell(end, sigma);
  if (!std::isfinite(end)) cell.text = "open";
  return cell;
}

// NaN where the file has none; 0 would be a claim.
Cell SigmaCell(double sigma) { return RoundedCell(sigma, sigma); }

Table CoefficientTable(const FitFacts& fit) {
  Table table{.id = "coefficients",
              .caption = "Coefficients of the impact laws",
              .columns = {TextColumn("law", "law"), TextColumn("parameter", "parameter"),
                          NumberColumn("value", "value", "-"), NumberColumn("sigma", "sigma", "-"),
                          NumberColumn("ci95_low", "95 % from", "-"),
                          NumberColumn("ci95_high", "95 % to", "-"),
                          TextColumn("meaning", "meaning"), TextColumn("status", "status")},
              .note =
                  "Sigma and interval are sampling error: they say how far the numbers would "
                  "move with other data of the same kind, not whether the law holds."};
  const auto add = [&](const LawFacts& law, const std::string& name) {
    for (const ParameterFacts& parameter : law.parameters) {
      table.rows.push_back({.cells = {TextCell(name), TextCell(parameter.name),
                                      ValueCell(parameter), SigmaCell(parameter.sigma),
                                      IntervalEndCell(parameter.ci95[0], parameter.sigma),
                                      IntervalEndCell(parameter.ci95[1], parameter.sigma),
                                      TextCell(ParameterInWords(parameter.name)),
                                      TextCell(ParameterStatusInWords(parameter.status))},
                            .starts_group = &parameter == &law.parameters.front()});
    }
  };
  for (const LawFacts& law : fit.laws) add(law, law.name);
  for (const LawFacts& law : fit.pixels) add(law, law.name + ", fitted to the pixels");
  return table;
}

Table LawTable(const FitFacts& fit) {
  Table table{.id = "laws",
              .caption = "How far each law is from the experiment",
              .columns = {TextColumn("law", "law"),
                          PercentColumn("velocity_error_mean", "velocity error, mean"),
                          PercentColumn("velocity_error_mean_left_out", "same, trials left out"),
                          PercentColumn("energy_error_rms", "energy error, rms"),
                          PercentColumn("energy_error_rms_left_out", "same, trials left out"),
                          NumberColumn("cost", "whitened sum of squares", "-"),
                          CountColumn("dof", "degrees of freedom", "-"),
                          NumberColumn("cost_probability", "chance of at least this", "-", 2),
                          NumberColumn("interval_scale", "sigmas widened by", "-", 3),
                          NumberColumn("aicc", "AICc", "-")},
              .note =
                  "Velocity error: distance of predicted and measured post-impact velocities in "
                  "the mass norm, in percent of the pre-impact velocities. Energy error: "
                  "dissipation predicted minus measured, in percent of the pre-impact kinetic "
                  "energy. Trials left out: each trial is predicted with coefficients from the "
                  "others. If law and sigmas are right, the whitened sum of squares is close to "
                  "the degrees of freedom; a larger one widens all sigmas by the factor given."};
  for (const LawFacts& law : fit.laws) {
    table.rows.push_back(
        {.cells = {TextCell(law.name), NumberCell(law.velocity_error_mean),
                   NumberCell(law.cross_validated_velocity_error), NumberCell(law.energy_error_rms),
                   NumberCell(law.cross_validated_energy_error), NumberCell(law.cost),
                   NumberCell(law.dof), ProbabilityCell(law.cost_probability),
                   NumberCell(law.interval_scale), NumberCell(law.aicc)}});
  }
  return table;
}

// The coefficients of a law in words, and whether the law explains the data at all.
Finding LawFinding(const LawFacts& law) {
  constexpr double kUnlikely = 0.01;
  std::vector<std::string> estimates;
  for (const ParameterFacts& parameter : law.parameters) {
    estimates.push_back(EstimateInWords(parameter));
  }
  Finding finding{Level::kOk, law.name, Join(estimates) + "."};
  if (law.cost_probability < kUnlikely) {
    finding.level = Level::kWarning;
    finding.text += fmt::format(
        " But the law, or the sigmas, do not explain the data (chance {}): all sigmas are widened "
        "{} times.",
        FormatProbability(law.cost_probability), FormatSignificant(law.interval_scale, 2));
  } else if (std::isfinite(law.cost_probability)) {
    finding.text += fmt::format(" Law and sigmas explain the data (chance {}).",
                                FormatProbability(law.cost_probability));
  }
  return finding;
}

}  // namespace

Section CoefficientsSection(const RunFolder& run) {
  Section section{.id = "coefficients-section", .title = "Coefficients"};
  if (!run.fit) {
    section.blocks.push_back(Paragraph{"There are no coefficients: fit.json is missing."});
    return section;
  }
  Findings laws;
  for (const LawFacts& law : run.fit->laws) laws.findings.push_back(LawFinding(law));
  section.blocks.push_back(laws);
  section.blocks.push_back(CoefficientTable(*run.fit));
  section.blocks.push_back(LawTable(*run.fit));
  return section;
}

}  // namespace percuss::report
