// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cmath>

#include "report/engines/dem_settings.h"
#include "report/engines/engine_settings.h"
#include "report/sections/sections.h"

namespace percuss::report {
namespace {

void AddSettings(const std::vector<EngineSetting>& settings, Table* table) {
  for (const EngineSetting& setting : settings) {
    const double resolution = 0.5 * (setting.ci95[1] - setting.ci95[0]) / 1.96;
    const bool starts = table->rows.empty() || table->rows.back().cells[0].text != setting.engine;
    table->rows.push_back(
        {.cells = {TextCell(setting.engine), TextCell(setting.setting),
                   RoundedCell(setting.value, resolution), RoundedCell(setting.ci95[0], resolution),
                   RoundedCell(setting.ci95[1], resolution), TextCell(setting.unit),
                   TextCell(setting.law), TextCell(setting.rule)},
         .starts_group = starts});
  }
}

std::vector<Column> SettingColumns(const std::string& engine) {
  return {TextColumn("engine", engine),
          TextColumn("setting", "setting"),
          NumberColumn("value", "value", "as stated"),
          NumberColumn("ci95_low", "95 % from", "as stated"),
          NumberColumn("ci95_high", "95 % to", "as stated"),
          TextColumn("unit", "unit"),
          TextColumn("law", "from law"),
          TextColumn("rule", "what the " + engine + " makes of the two bodies")};
}

Table SettingsTable(const EngineSettings& engines) {
  Table table{
      .id = "engine-settings",
      .caption = "The pair in physics engines: to be set on both bodies",
      .columns = SettingColumns("engine"),
      .note = fmt::format(
          "Intervals are those of the coefficients: of the experiment, not of the engine. "
          "Drake has no restitution; its dissipation gives the measured one at an approach "
          "of {} m/s only, less at higher speed. MuJoCo: with the options below, for impacts "
          "without slip; its "
          "friction is a damper with mu as a limit, so that slow slip gets less than mu, "
          "and fast slip raises the restitution.",
          FormatSignificant(engines.speed, 3))};
  AddSettings(engines.settings, &table);
  return table;
}

Table DemTable(const DemSettings& dem) {
  Table table{
      .id = "dem-settings",
      .caption = "The pair in codes of the discrete element method",
      .columns = SettingColumns("code"),
      .note =
          "Each code makes a viscous damping of e, with which a sphere leaves the surface with "
          "that "
          "share of its normal speed. A body of another shape, whose contact moves more than its "
          "mass centre, gets another one. A restitution along the surface (es, et, DES_ET_INPUT) "
          "is not measured: friction alone is."};
  AddSettings(dem.settings, &table);
  return table;
}

}  // namespace

Section EngineSection(const RunFolder& run) {
  Section section{.id = "engines-section", .title = "Settings for physics engines"};
  const EngineSettings engines = CalcEngineSettings(run);
  if (engines.settings.empty()) {
    section.blocks = {Paragraph{engines.reason}};
    return section;
  }
  section.blocks = {
      Paragraph{
          "Engines give each body a friction and a restitution of its own and combine the two "
          "by rules that differ. With these numbers on both bodies the pair gets the "
          "coefficients that were measured. For other pairs, the same body needs other "
          "numbers."},
      SettingsTable(engines),
      Paragraph{"MuJoCo, inside mujoco:"},
      Preformatted{engines.mjcf},
      Paragraph{"SDF with ODE, inside each collision:"},
      Preformatted{engines.sdf}};
  const DemSettings dem = CalcDemSettings(run);
  section.blocks.push_back(DemTable(dem));
  for (const DemInput& input : dem.inputs) {
    section.blocks.push_back(Paragraph{input.code + ", " + input.where + ":"});
    section.blocks.push_back(Preformatted{input.text});
  }
  return section;
}

}  // namespace percuss::report
