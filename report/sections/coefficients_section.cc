// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

using fitting::ErrorBudget;
using fitting::ErrorBudgetRow;
using fitting::FitReport;
using fitting::NextDropAdvice;
using fitting::ParameterStatus;
using fitting::ScatterEstimate;

Cell ValueCell(const ParameterEstimate& parameter) {
  Cell cell = RoundedCell(parameter.value, parameter.sigma);
  const std::string number = FormatSignificant(parameter.value, 3);
  if (parameter.status == ParameterStatus::kLowerBound) cell.text = "≥ " + number;
  if (parameter.status == ParameterStatus::kUpperBound) cell.text = "≤ " + number;
  if (parameter.status == ParameterStatus::kUnidentified) cell.text = "unknown";
  return cell;
}

Cell IntervalEndCell(double end, double sigma) {
  if (std::isfinite(end)) return RoundedCell(end, sigma);
  Cell cell = RoundedCell(kNaN, sigma);
  cell.text = "open";
  return cell;
}

std::string Meaning(const ParameterEstimate& parameter) {
  if (!parameter.reason.empty()) return parameter.reason;
  return IsWeaklyIdentified(parameter) ? "weakly identified: less than one digit is known"
                                       : StatusInWords(parameter.status);
}

// NaN where the file has none; 0 would be a claim.
Cell SigmaCell(double sigma) { return RoundedCell(sigma, sigma); }

}  // namespace

Table CoefficientTable(const FitReport& fit) {
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
  const auto add = [&](const std::vector<ParameterEstimate>& parameters, const std::string& name) {
    for (const ParameterEstimate& parameter : parameters) {
      table.rows.push_back(
          {.cells = {TextCell(name), TextCell(parameter.name), ValueCell(parameter),
                     SigmaCell(parameter.sigma),
                     IntervalEndCell(parameter.ci95[0], parameter.sigma),
                     IntervalEndCell(parameter.ci95[1], parameter.sigma),
                     TextCell(ParameterInWords(parameter.name)), TextCell(Meaning(parameter))},
           .starts_group = &parameter == &parameters.front()});
    }
  };
  for (const LawFit& law : fit.laws) {
    std::vector<ParameterEstimate> parameters = law.parameters;
    if (law.static_friction) parameters.push_back(*law.static_friction);
    add(parameters, law.law);
    if (law.agreement) add(law.agreement->fitted, law.law + ", all fitted to these impacts");
  }
  for (const fitting::PixelFit& law : fit.pixels) {
    add(law.parameters, law.law + ", fitted to the pixels");
  }
  return table;
}

namespace {

Table LawTable(const FitReport& fit) {
  Table table{.id = "laws",
              .caption = "How far each law is from the experiment",
              .columns = {TextColumn("law", "law"),
                          PercentColumn("velocity_error_mean", "velocity error, mean"),
                          PercentColumn("velocity_error_mean_left_out", "same, trials left out"),
                          PercentColumn("energy_error_rms", "energy error, rms"),
                          PercentColumn("energy_error_rms_left_out", "same, trials left out"),
                          NumberColumn("cost", "sum of squares, in sigmas", "-"),
                          CountColumn("dof", "degrees of freedom", "-"),
                          NumberColumn("cost_probability", "chance of at least this", "-", 2),
                          NumberColumn("interval_scale", "sigmas widened by", "-", 3),
                          NumberColumn("aicc", "AICc", "-")},
              .note =
                  "Velocity error: distance of predicted and measured post-impact velocities in "
                  "the mass norm, in percent of the pre-impact velocities. Energy error: "
                  "dissipation predicted minus measured, in percent of the pre-impact kinetic "
                  "energy. Trials left out: each trial is predicted with coefficients from the "
                  "others. If law and sigmas are right, the sum of squared errors, each in its "
                  "sigmas, is close to "
                  "the degrees of freedom; a larger one widens all sigmas by the factor given."};
  for (const LawFit& law : fit.laws) {
    if (!law.same_as.empty())
      table.note += fmt::format(" {} gives the impulses of {}.", law.law, law.same_as);
  }
  for (const LawFit& law : fit.laws) {
    table.rows.push_back(
        {.cells = {TextCell(law.law), NumberCell(law.velocity_error_mean),
                   NumberCell(law.cross_validated_velocity_error_mean),
                   NumberCell(law.energy_error_rms),
                   NumberCell(law.cross_validated_energy_error_rms), NumberCell(law.cost),
                   NumberCell(law.dof), ProbabilityCell(law.cost_probability),
                   NumberCell(law.interval_scale), NumberCell(law.aicc)}});
  }
  return table;
}

Table ScatterTable(const FitReport& fit) {
  Table table{
      .id = "scatter",
      .caption = "How much the coefficients differ from impact to impact",
      .columns = {TextColumn("law", "law"), TextColumn("parameter", "parameter"),
                  NumberColumn("scatter", "standard deviation", "-", 3),
                  NumberColumn("ci95_low", "95 % from", "-", 3),
                  NumberColumn("ci95_high", "95 % to", "-", 3), TextColumn("verdict", "verdict"),
                  NumberColumn("next_low", "next impact from", "-", 3),
                  NumberColumn("next_high", "next impact to", "-", 3),
                  PercentColumn("held_out", "left-out velocities inside 95 %")},
      .note =
          "Beyond the errors of measurement. Next impact: where the parameter lies in 95 "
          "of 100 impacts. Left-out velocities: the share of velocities of trials "
          "left out of the fit that lay in their predictive 95 % interval."};
  for (const LawFit& law : fit.laws) {
    if (!law.scatter) continue;
    for (const ScatterEstimate& one : law.scatter->parameters) {
      const char* verdict = std::isnan(one.value)      ? "the impacts do not see it"
                            : one.compatible_with_zero ? "compatible with none"
                                                       : "differs";
      table.rows.push_back(
          {.cells = {TextCell(law.law), TextCell(one.parameter), NumberCell(one.value),
                     NumberCell(one.ci95[0]), NumberCell(one.ci95[1]), TextCell(verdict),
                     NumberCell(one.next95[0]), NumberCell(one.next95[1]),
                     NumberCell(law.scatter->held_out_components)}});
    }
  }
  return table;
}

bool HasDrop(const NextDropAdvice& advice) {
  return advice.usable || (advice.static_friction && advice.static_friction->usable);
}

Table NextDropTable(const FitReport& fit) {
  Table table{
      .id = "next-drop",
      .caption = "How to drop next",
      .columns = {TextColumn("law", "law"), TextColumn("purpose", "best for"),
                  NumberColumn("pitch_deg", "pitch", "deg", 2),
                  NumberColumn("roll_deg", "roll", "deg", 2),
                  NumberColumn("incidence_deg", "incidence", "deg", 2),
                  NumberColumn("speed", "speed", "m/s", 2), TextColumn("mode", "contact mode"),
                  TextColumn("sigma_factor", "sigma becomes")},
      .note =
          "Of a grid of drops without spin the one that would tell most: about one parameter, and "
          "about all together (D-optimal). Turn the body from where its axes are those of the "
          "surface frame: by the roll about x, then by the pitch about y. Incidence: between "
          "velocity and surface normal, towards x; 0 is a plain drop. Speed at the impact: 1 m/s "
          "from 0.05 m, 2 m/s from 0.20 m, 3 m/s from 0.46 m. Sigma becomes: the factor on the "
          "sigma of each parameter with one more impact like that. For mu_s: the drop whose "
          "contact "
          "stops, and whose critical friction best bisects where mu_s may be."};
  for (const NextDropAdvice& advice : fit.next_drop) {
    if (!HasDrop(advice)) continue;
    auto drops = advice.per_parameter;
    if (advice.usable) drops.emplace_back("all together", advice.d_optimal);
    if (const auto& of_static = advice.static_friction; of_static && of_static->usable) {
      drops.emplace_back(fmt::format("mu_s ({} or more holds)",
                                     FormatSignificant(of_static->critical_friction, 3)),
                         of_static->drop);
    }
    for (const auto& [purpose, drop] : drops) {
      std::vector<std::string> factors;
      for (const auto& [name, factor] : drop.interval_factors) {
        factors.push_back(fmt::format("{} {} times", name, FormatSignificant(factor, 2)));
      }
      table.rows.push_back({.cells = {TextCell(advice.law), TextCell(purpose),
                                      NumberCell(drop.pitch_deg), NumberCell(drop.roll_deg),
                                      NumberCell(drop.incidence_deg), NumberCell(drop.speed),
                                      TextCell(ModesInWords(drop.modes)), TextCell(Join(factors))},
                            .starts_group = &drop == &drops.front().second});
    }
  }
  return table;
}

std::string BudgetQuantityInWords(std::string_view quantity) {
  if (quantity == "impulse_ratio") return "impulse ratio";
  if (quantity == "dissipated_energy") return "dissipated energy";
  if (quantity == "dissipated_share") return "dissipated share";
  return std::string(quantity);
}

// Without cameras, what the fit calls pixels are the errors of the recorded motion.
ErrorBudgetRow WithoutCameras(ErrorBudgetRow row) {
  if (row.source == "pixels") {
    row.source = "recorded motion";
    row.unit = "";
  }
  return row;
}

Table BudgetTable(const ErrorBudget& budget, const std::vector<ErrorBudgetRow>& rows, bool ours) {
  Table table{
      .id = ours ? "error-budget" : "error-budget-thesis",
      .caption = ours ? fmt::format("Error budget of one impact, mean of {}", budget.num_impacts)
                      : "The sources that the thesis of Sun lists (4.3)",
      .columns = {TextColumn("source", "source"), NumberColumn("size", "size", "as stated", 3),
                  TextColumn("unit", "unit")},
      .note = ours ? "One standard deviation, and its share of the variance. An impact by "
                     "itself gives restitution and impulse ratio (mu where it slides one "
                     "way) without any law. A default stands where the experiment states no "
                     "sigma (body: sigma, board: sigma, gravity_sigma): better known, it "
                     "counts for less."
                   : "Sizes as printed there, carried through these impacts where that "
                     "is possible. Our source: where the table above has the same."};
  for (const std::string_view name : fitting::kBudgetQuantityNames) {
    const std::string quantity(name);
    const char* unit = quantity == "dissipated_energy" ? "J" : "-";
    table.columns.push_back(NumberColumn(quantity, BudgetQuantityInWords(quantity), unit, 2));
    if (ours) table.columns.push_back(PercentColumn("share_" + quantity, "share"));
  }
  if (!ours) table.columns.push_back(TextColumn("counterpart", "our source"));
  const auto add = [&](const ErrorBudgetRow& row) {
    std::vector<Cell>& cells = table.rows.emplace_back().cells;
    cells = {TextCell(row.source), NumberCell(row.size), TextCell(row.unit)};
    for (std::size_t i = 0; i < row.sigma.size(); ++i) {
      cells.push_back(NumberCell(row.sigma[i]));
      if (ours) cells.push_back(NumberCell(row.share[i]));
    }
    if (!ours) cells.push_back(TextCell(row.counterpart));
  };
  for (const ErrorBudgetRow& row : rows) add(row);
  if (ours) {
    ErrorBudgetRow together;
    together.source = "together";
    together.sigma = budget.sigma;
    together.share.fill(kNaN);
    add(together);
  }
  return table;
}

// The coefficients of a law in words, and whether the law explains the data at all.
Finding LawFinding(const LawFit& law) {
  std::vector<std::string> estimates;
  for (const ParameterEstimate& parameter : law.parameters) {
    estimates.push_back(EstimateInWords(parameter) +
                        (IsWeaklyIdentified(parameter) ? ", weakly identified" : ""));
  }
  Finding finding{Level::kOk, law.law, Join(estimates) + "."};
  const auto given =
      std::ranges::count(law.parameters, ParameterStatus::kGiven, &ParameterEstimate::status);
  const bool predicted = given == std::ssize(law.parameters);
  if (law.cost_probability < kUnlikely) {
    finding.level = Level::kWarning;
    finding.text += fmt::format(" But the law, or the {}, do not explain the data (chance {}){}.",
                                given > 0 ? "given values with their sigmas" : "sigmas",
                                FormatProbability(law.cost_probability),
                                predicted ? ""
                                          : fmt::format(": all sigmas are widened {} times",
                                                        FormatSignificant(law.interval_scale, 2)));
  } else if (std::isfinite(law.cost_probability)) {
    finding.text += fmt::format(" {} explain the data (chance {}).",
                                predicted ? "The law and these values" : "Law and sigmas",
                                FormatProbability(law.cost_probability));
  }
  if (law.agreement && std::isfinite(law.agreement->probability)) {
    const double chance = law.agreement->probability;
    finding.text +=
        fmt::format(" What these impacts say themselves {} the given {} (chance {}).",
                    chance < kUnlikely ? "contradicts" : "agrees with",
                    law.agreement->dof == 1 ? "value" : "values", FormatProbability(chance));
    if (chance < kUnlikely) finding.level = Level::kWarning;
  }
  return finding;
}

Table ContactNumbersTable(const RunFolder& run) {
  Table table{
      .id = "contact-numbers",
      .caption = "What each impact says of itself, by no law",
      .columns = {TextColumn("trial", "trial"),
                  MeasuredColumn("approach", "speed towards the surface", "m/s"),
                  MeasuredColumn("slip", "slip", "m/s"),
                  MeasuredColumn("incidence", "incidence", "°"), MeasuredColumn("e_n", "e_n", "-"),
                  MeasuredColumn("e_t", "e_t", "-"), MeasuredColumn("eta", "eta", "-"),
                  MeasuredColumn("impulse_ratio", "ratio of impulses", "-"),
                  NumberColumn("points", "points", "-", 0)},
      .note =
          "Of the contact point. Incidence: of its velocity, from the surface normal. e_n: "
          "speed off the surface after over that towards it before. e_t: -1 where slip goes "
          "on as it was, 0 where it stops, 1 where it is turned round. eta: 1 where nothing "
          "is dissipated, 0 where the most is that an impulse in this direction can. Ratio "
          "of impulses: tangential over normal; at most mu. Points: that struck together; of "
          "several, the numbers are those of the middle between them."};
  SetRows(
      [&fit = *run.fit](const RowSink& add) {
        for (const fitting::ContactNumbers& one : fit.impacts) {
          Row row{.cells = {TextCell(one.trial)}};
          for (const Measured* number : {&one.approach, &one.slip, &one.incidence_deg, &one.e_n,
                                         &one.e_t, &one.eta, &one.impulse_ratio})
            row.cells.push_back(NumberCell(number->value, number->sigma));
          row.cells.push_back(NumberCell(one.points));
          add(row);
        }
      },
      &table, TabledRows(run));
  return table;
}

/// What each impact alone says of the coefficients.
Figures ImpactFigures(const RunFolder& run) {
  const LawFit& best = fitting::BestLaw(run.fit->laws);
  const auto mu = std::ranges::find(best.parameters, "mu", &ParameterEstimate::name);
  const bool known = mu != best.parameters.end() && fitting::IsKnown(*mu);
  const PlaceOfTrial place_of = PlacesOfTrials(run);
  return {
      {RestitutionFigure(run, place_of), FrictionFigure(run, known ? mu->value : kNaN, place_of)}};
}

}  // namespace

Section CoefficientsSection(const RunFolder& run) {
  Section section{.id = "coefficients-section", .title = "Coefficients"};
  if (!run.fit) {
    section.blocks.push_back(Paragraph{"There are no coefficients: fit.json is missing."});
    return section;
  }
  Findings laws;
  for (const LawFit& law : run.fit->laws) laws.findings.push_back(LawFinding(law));
  section.blocks.push_back(laws);
  section.blocks.push_back(CoefficientTable(*run.fit));
  section.blocks.push_back(LawTable(*run.fit));
  if (!run.fit->laws.empty() && !run.fit->impacts.empty()) {
    section.blocks.push_back(ImpactFigures(run));
    section.blocks.push_back(ContactNumbersTable(run));
  }
  const FitReport& fit = *run.fit;
  const auto any = [&](const auto& has) { return std::ranges::any_of(fit.laws, has); };
  if (any([](const LawFit& law) { return law.scatter.has_value(); })) {
    section.blocks.push_back(ScatterTable(fit));
  }
  for (Block& block : RepeatabilityBlocks(fit)) section.blocks.push_back(std::move(block));
  if (std::ranges::any_of(fit.next_drop, HasDrop)) {
    section.blocks.push_back(NextDropTable(fit));
  }
  if (fit.error_budget) {
    std::vector<ErrorBudgetRow> rows = fit.error_budget->rows;
    if (!run.calibration) {
      std::erase_if(rows, [](const ErrorBudgetRow& row) { return row.source == "calibration"; });
      std::ranges::transform(rows, rows.begin(), WithoutCameras);
    }
    section.blocks.push_back(BudgetTable(*fit.error_budget, rows, true));
    // The thesis lists what cameras and rulers do to an experiment like its own.
    if (run.calibration) {
      section.blocks.push_back(BudgetTable(*fit.error_budget, fit.error_budget->thesis, false));
    }
  }
  return section;
}

}  // namespace percuss::report
