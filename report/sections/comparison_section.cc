// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <utility>

#include "report/facts/by_trial.h"
#include "report/sections/sections.h"
#include "report/sections/words.h"

namespace percuss::report {
namespace {

// Velocity and angular velocity, each with its sigma.
struct Velocities {
  Eigen::Vector3d v, v_sigma, w, w_sigma;
};

Row VelocityRow(const TrialComparison& trial, const std::string& state, const Velocities& shown) {
  Row row{.cells = {TextCell(trial.trial), TextCell(state)}};
  for (int axis = 0; axis < 3; ++axis) {
    row.cells.push_back(NumberCell(shown.v[axis], shown.v_sigma[axis]));
  }
  for (int axis = 0; axis < 3; ++axis) {
    row.cells.push_back(NumberCell(shown.w[axis], shown.w_sigma[axis]));
  }
  return row;
}

Velocities Before(const ImpactRecord& impact) {
  Velocities before{impact.v, fitting::kNaNVector, impact.w, fitting::kNaNVector};
  if (impact.covariance) {
    const auto sigma = impact.covariance->diagonal().cwiseSqrt().eval();
    before.v_sigma = sigma.segment<3>(impacts::kV);
    before.w_sigma = sigma.segment<3>(impacts::kW);
  }
  return before;
}

void AddVelocityRows(const TrialComparison& trial, const ImpactRecord* impact, const RowSink& add) {
  bool first = true;
  const auto add_row = [&](const char* state, const Velocities& shown) {
    Row row = VelocityRow(trial, state, shown);
    row.starts_group = std::exchange(first, false);
    add(row);
  };
  if (impact != nullptr) add_row("before, measured", Before(*impact));
  add_row("after, measured", {trial.v_measured, trial.v_sigma, trial.w_measured, trial.w_sigma});
  add_row("after, predicted",
          {trial.v_predicted, trial.v_predicted_sigma, trial.w_predicted, trial.w_predicted_sigma});
  add_row("predicted - measured", {trial.v_predicted - trial.v_measured, trial.v_difference_sigma,
                                   trial.w_predicted - trial.w_measured, trial.w_difference_sigma});
}

Table VelocityTable(const RunFolder& run, const LawFit& law) {
  Table table{.id = "velocities-" + Slug(law.law),
              .caption = fmt::format("Velocities at the impact, law {}", law.law),
              .columns = {TextColumn("trial", "trial"), TextColumn("state", "state")},
              .note =
                  "v: velocity of the mass centre; w: angular velocity; both along the axes of "
                  "the world frame, whose z is the surface normal. ± is one standard deviation. "
                  "Measured and predicted velocities share the errors of the state before; the "
                  "sigma of their difference takes that into account."};
  for (const char* axis : {"x", "y", "z"}) {
    table.columns.push_back(
        MeasuredColumn(std::string("v") + axis, std::string("v") + axis, "m/s"));
  }
  for (const char* axis : {"x", "y", "z"}) {
    table.columns.push_back(
        MeasuredColumn(std::string("w") + axis, std::string("w") + axis, "rad/s"));
  }
  SetRows(
      [impacts = ByTrial(run.impacts), &law](const RowSink& add) {
        for (const TrialComparison& trial : law.trials)
          AddVelocityRows(trial, impacts.Find(trial.trial), add);
      },
      &table, TabledRows(run));
  return table;
}

Row EnergyRow(const TrialComparison& trial) {
  const Measured& measured = trial.dissipation_measured;
  const Measured& predicted = trial.dissipation_predicted;
  return {
      .cells = {TextCell(trial.trial), TextCell(ModesInWords(trial.modes)),
                TextCell(trial.sun_case), NumberCell(trial.critical_friction),
                NumberCell(trial.energy_before.value, trial.energy_before.sigma),
                NumberCell(measured.value, measured.sigma),
                NumberCell(predicted.value, predicted.sigma),
                NumberCell(trial.dissipation_difference.value, trial.dissipation_difference.sigma),
                NumberCell(trial.velocity_error), NumberCell(trial.reachability_floor),
                TextCell(trial.used ? "yes" : "no: " + trial.reason)}};
}

Table EnergyTable(const RunFolder& run, const LawFit& law) {
  Table table{
      .id = "energy-" + Slug(law.law),
      .caption = fmt::format("Contact and dissipation, law {}", law.law),
      .columns = {TextColumn("trial", "trial"), TextColumn("mode", "contact mode"),
                  TextColumn("case", "case"),
                  NumberColumn("critical_friction", "critical friction", "-"),
                  MeasuredColumn("energy_before", "energy before", "J"),
                  MeasuredColumn("dissipation_measured", "dissipated, measured", "%", 100),
                  MeasuredColumn("dissipation_predicted", "dissipated, predicted", "%", 100),
                  MeasuredColumn("error", "error", "%", 100),
                  PercentColumn("velocity_error", "velocity error"),
                  PercentColumn("reachability_floor", "of it data"),
                  TextColumn("used", "in the fit")},
      .note =
          "Energy before: kinetic energy just before the impact; dissipation and error (predicted "
          "minus measured) are percentages of it. Case: number of the contact case in the thesis "
          "of Sun (Table 3.1). Critical friction: the least coefficient that holds the contact "
          "once "
          "its slip has stopped. Velocity error: distance of predicted and measured velocities in "
          "the mass norm, in percent of those before. Of it data: the part that no law could "
          "explain, since no push at the contact point turns the measured velocities before into "
          "those measured after."};
  SetRows(
      [&law](const RowSink& add) {
        for (const TrialComparison& trial : law.trials) add(EnergyRow(trial));
      },
      &table, TabledRows(run));
  return table;
}

Table LedgerTable(const RunFolder& run, const LawFit& law) {
  const auto energy = [](const char* key, const char* header) {
    return MeasuredColumn(key, header, "J");
  };
  Table table{.id = "ledger-" + Slug(law.law),
              .caption = fmt::format("Energy ledger, law {}", law.law),
              .columns = {TextColumn("trial", "trial"), energy("energy_before", "before"),
                          energy("normal_work", "work of the normal impulse"),
                          energy("friction_work", "work of friction"),
                          energy("energy_after_predicted", "after, predicted"),
                          energy("energy_after_measured", "after, measured")},
              .note =
                  "Works are those of the surface on the body, as predicted; negative takes "
                  "energy away."};
  SetRows(
      [&law](const RowSink& add) {
        for (const TrialComparison& trial : law.trials) {
          Row row{.cells = {TextCell(trial.trial)}};
          for (const Measured* one :
               {&trial.energy_before, &trial.normal_work, &trial.friction_work,
                &trial.energy_after_predicted.back(), &trial.energy_after_measured}) {
            row.cells.push_back(NumberCell(one->value, one->sigma));
          }
          add(row);
        }
      },
      &table, TabledRows(run));
  return table;
}

// Where the error of each law comes from.
Table ErrorSplitTable(const fitting::FitReport& fit) {
  Table table{.id = "error-split",
              .caption = "Error of each law: what is data, law and parameter",
              .columns = {TextColumn("law", "law"),
                          PercentColumn("velocity_error_mean", "velocity error, mean"),
                          PercentColumn("data", "of it data"), PercentColumn("law_part", "law"),
                          PercentColumn("parameters", "shared parameters"),
                          CountColumn("energy_gains", "trials that gain energy", "-")},
              .note =
                  "Data: what no law could explain, since no push at the contact point turns the "
                  "measured velocities before into those measured after. Law: what this law adds "
                  "with the parameters that suit each trial best. Shared parameters: what comes "
                  "on top because all trials have the same ones. Trials that gain energy: the law "
                  "predicts more kinetic energy after "
                  "the impact than before, which no impact on a surface at rest can have."};
  for (const LawFit& law : fit.laws) {
    table.rows.push_back(
        {.cells = {TextCell(law.law), NumberCell(law.velocity_error_mean),
                   NumberCell(law.error_split.data), NumberCell(law.error_split.law),
                   NumberCell(law.error_split.parameters), NumberCell(law.num_energy_gains)}});
  }
  return table;
}

// What another impact from the same state would show, where the scatter was estimated.
Table NextImpactTable(const LawFit& law) {
  Table table{.id = "next-impact-" + Slug(law.law),
              .caption = fmt::format("What the next impact would show, law {}", law.law),
              .columns = {TextColumn("as_trial", "from the state of")},
              .note =
                  "95 % of impacts from the same state before lie within ± of the prediction: "
                  "1.96 standard deviations by the scatter of the parameters and by the errors "
                  "of the coefficients. v: mass centre; w: angular velocity."};
  for (const char* axis : {"x", "y", "z"}) {
    table.columns.push_back(
        NumberColumn(fmt::format("v{}", axis), fmt::format("v{} ±", axis), "m/s", 3));
  }
  for (const char* axis : {"x", "y", "z"}) {
    table.columns.push_back(
        NumberColumn(fmt::format("w{}", axis), fmt::format("w{} ±", axis), "rad/s", 3));
  }
  constexpr std::size_t kMaxRows = 40;  // the rest is in fit.json
  for (const fitting::NextImpact& impact : law.scatter->next_impacts) {
    if (table.rows.size() == kMaxRows) break;
    Row& row = table.rows.emplace_back();
    row.cells.push_back(TextCell(impact.as_trial));
    for (const auto* sigma : {&impact.v_sigma, &impact.w_sigma}) {
      for (const double one : *sigma) row.cells.push_back(NumberCell(kSigmasOf95 * one));
    }
  }
  return table;
}

Section LawSection(const RunFolder& run, const LawFit& law, const PlaceOfTrial& place_of) {
  const std::string name = Slug(law.law);
  Section section{.id = "law-" + name, .title = law.law};
  section.blocks = {EnergyTable(run, law),
                    Figures{{DissipationScatter("dissipation-plot-" + name, law, place_of),
                             DissipationErrorFigure(law, place_of),
                             EnergySplitFigure(law, place_of), ResidualFigure(law, place_of)}},
                    VelocityTable(run, law), LedgerTable(run, law)};
  if (law.scatter) section.blocks.push_back(NextImpactTable(law));
  return section;
}

}  // namespace

Section ComparisonSection(const RunFolder& run) {
  Section section{.id = "comparison", .title = "Model against experiment"};
  if (!run.fit) {
    section.blocks.push_back(Paragraph{"There is no comparison: fit.json is missing."});
    return section;
  }
  section.blocks.push_back(ErrorSplitTable(*run.fit));
  const LawFit& best = fitting::BestLaw(run.fit->laws);
  const PlaceOfTrial place_of = PlacesOfTrials(run);
  if (run.fit->laws.size() == 1) {
    for (Block& block : LawSection(run, best, place_of).blocks)
      section.blocks.push_back(std::move(block));
    return section;
  }
  Tabs laws{.id = "law", .label = "Law", .sections = {LawSection(run, best, place_of)}};
  for (const LawFit& law : run.fit->laws) {
    if (&law != &best) laws.sections.push_back(LawSection(run, law, place_of));
  }
  section.blocks.push_back(std::move(laws));
  return section;
}

}  // namespace percuss::report
