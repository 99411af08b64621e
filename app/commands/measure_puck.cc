// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/commands/measure_puck.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "app/commands/shared_options.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/csv_rows.h"
#include "base/text/json_text.h"
#include "fitting/bench/puck_impacts.h"
#include "fitting/bench/puck_reduction.h"
#include "impacts/impact_columns.h"
#include "impacts/impact_files.h"
#include "solver/mechanisms/puck.h"

namespace percuss::app {
namespace {

using fitting::PuckMarks;
using fitting::PuckReduction;
using fitting::PuckSetup;

struct MeasurePuckArguments {
  std::string table;
  double mass = 0.0;
  std::optional<double> inertia;
  std::optional<double> contact_mass_ratio;
  double radius = 0.0;
  double flash_rate = 0.0;
  std::vector<double> mark_1, mark_2;
  bool other_puck = false;
  std::optional<double> other_mass, other_inertia, other_radius;
  std::vector<double> mark_3, mark_4;
  std::vector<double> normal = {0.0, 1.0};
  std::vector<double> arc_centre = {0.0, 0.0};
  std::optional<double> plate_offset;
  double scale = 1.0;
  double precision = 0.0;
  std::string impacts;
  bool json = false;
};

Eigen::Vector2d Pair(const std::vector<double>& numbers) { return {numbers[0], numbers[1]}; }

// What is not stated of the other puck is as of the first.
fitting::OtherPuck MakeOtherPuck(const MeasurePuckArguments& arguments, const PuckSetup& first) {
  fitting::OtherPuck other;
  other.mass = arguments.other_mass.value_or(first.mass);
  other.radius = arguments.other_radius.value_or(first.radius);
  if (arguments.other_inertia) {
    other.inertia = *arguments.other_inertia;
  } else if (arguments.contact_mass_ratio) {
    other.inertia = solver::InertiaFromContactMassRatio(other.mass, *arguments.contact_mass_ratio,
                                                        other.radius);
  } else if (arguments.other_mass || arguments.other_radius) {
    throw InputError(
        "found a mass or radius of the other puck beside --inertia, allowed with --other-inertia");
  } else {
    other.inertia = first.inertia;
  }
  other.marks_B = first.marks_B;
  if (!arguments.mark_3.empty()) other.marks_B[0] = Pair(arguments.mark_3);
  if (!arguments.mark_4.empty()) other.marks_B[1] = Pair(arguments.mark_4);
  return other;
}

PuckSetup MakeSetup(const MeasurePuckArguments& arguments) {
  if (arguments.inertia.has_value() == arguments.contact_mass_ratio.has_value()) {
    throw InputError(fmt::format("found {} --inertia {} --contact-mass-ratio, allowed one of them",
                                 arguments.inertia ? "both" : "neither",
                                 arguments.inertia ? "and" : "nor"));
  }
  if (arguments.contact_mass_ratio &&
      !(*arguments.contact_mass_ratio > 0.0 && *arguments.contact_mass_ratio < 1.0)) {
    throw InputError(fmt::format("--contact-mass-ratio: found {}, allowed above 0 and below 1",
                                 *arguments.contact_mass_ratio));
  }
  const Eigen::Vector2d arc_centre = Pair(arguments.arc_centre);
  if (arguments.contact_mass_ratio && !arc_centre.isZero()) {
    throw InputError("found --contact-mass-ratio beside --arc-centre, allowed --inertia there");
  }
  PuckSetup setup;
  setup.mass = arguments.mass;
  setup.radius = arguments.radius;
  setup.inertia = arguments.inertia
                      ? *arguments.inertia
                      : solver::InertiaFromContactMassRatio(
                            arguments.mass, *arguments.contact_mass_ratio, arguments.radius);
  setup.arc_centre_B = arc_centre;
  setup.marks_B = {Pair(arguments.mark_1), Pair(arguments.mark_2)};
  setup.normal = Pair(arguments.normal);
  if (setup.normal.norm() > 0.0) setup.normal.normalize();
  if (arguments.plate_offset) setup.plate_offset = arguments.scale * *arguments.plate_offset;
  setup.flash_interval = 1.0 / arguments.flash_rate;
  if (arguments.other_puck) setup.other = MakeOtherPuck(arguments, setup);
  return setup;
}

struct NamedMarks {
  std::string trial;
  std::string where;
  PuckMarks marks;
};

// The columns in the order of PuckMarks: x1_1 is x of mark 1 at flash 1. Marks 3 and 4 are on the
// other puck.
std::vector<std::string> MarkColumns(int num_pucks) {
  std::vector<std::string> names;
  for (int puck = 0; puck < num_pucks; ++puck) {
    for (int flash = 1; flash <= 4; ++flash) {
      for (int mark = 1; mark <= 2; ++mark) {
        for (const char axis : {'x', 'y'})
          names.push_back(fmt::format("{}{}_{}", axis, 2 * puck + mark, flash));
      }
    }
  }
  return names;
}

std::vector<NamedMarks> ReadMarks(const std::string& file, int num_pucks, double scale,
                                  std::vector<std::string>& left_out) {
  const auto rows = ParseCsv(file, ReadFile(file));
  if (rows.empty()) throw InputError(fmt::format("{}: found no row, allowed a header first", file));
  const std::vector<std::string>& header = rows.front().cells;
  const std::vector<std::string> columns = MarkColumns(num_pucks);
  const auto place_of = [&](const std::string& name) {
    const auto found = std::ranges::find(header, name);
    if (found == header.end()) {
      throw InputError(fmt::format("{}: line {}: column {} is missing; trial and {} are needed",
                                   file, rows.front().line, name, fmt::join(columns, ", ")));
    }
    return found - header.begin();
  };
  const std::size_t trial = place_of("trial");
  std::vector<NamedMarks> all;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const std::string where = fmt::format("{}: line {}", file, rows[i].line);
    if (rows[i].cells.size() != header.size()) {
      throw InputError(fmt::format("{}: found {} cells, allowed {}", where, rows[i].cells.size(),
                                   header.size()));
    }
    NamedMarks named{rows[i].cells[trial], where, PuckMarks::Zero(std::ssize(columns))};
    std::string missing;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const double value = ParseCsvNumber(where, columns[k], rows[i].cells[place_of(columns[k])]);
      if (std::isnan(value)) missing = columns[k];
      named.marks[k] = scale * value;
    }
    if (missing.empty()) {
      all.push_back(named);
    } else {
      left_out.push_back(fmt::format("{}: no value of {}", where, missing));
    }
  }
  return all;
}

nlohmann::ordered_json ToJson(const std::string& trial, const PuckSetup& setup,
                              const PuckReduction& reduction) {
  nlohmann::ordered_json json = {
      {"trial", trial},
      {"v", {reduction.v.x(), reduction.v.y()}},
      {"w", reduction.w},
      {"v_post", {reduction.v_post.x(), reduction.v_post.y()}},
      {"w_post", reduction.w_post},
      {"r", {reduction.r.x(), reduction.r.y()}},
      {"contact_mass_ratio",
       solver::ContactMassRatio(setup.mass, setup.inertia, reduction.r.norm())},
      {"warning", reduction.warning}};
  for (int i = 0; i < fitting::kNumPuckQuantities; ++i) {
    const fitting::PuckEstimate& estimate = reduction.estimates[i];
    json["quantities"][PuckQuantityName(static_cast<fitting::PuckQuantity>(i))] = {
        {"value", estimate.value}, {"sigma", estimate.sigma}, {"bound", estimate.bound}};
  }
  return json;
}

void PrintReduction(const std::string& trial, const PuckReduction& reduction) {
  fmt::print("{}\n", trial);
  for (int i = 0; i < fitting::kNumPuckQuantities; ++i) {
    const fitting::PuckEstimate& estimate = reduction.estimates[i];
    fmt::print("  {:<22} {:>11.5g} {:>11.2g} {:>11.2g}\n",
               PuckQuantityName(static_cast<fitting::PuckQuantity>(i)), estimate.value,
               estimate.sigma, estimate.bound);
  }
}

/// The puck as `percuss fit` reads it: an elliptic disc that turns in its plane. Half pucks, too:
/// their contact points are in the table. Of two pucks the one that stands for both.
std::string BodyText(const PuckSetup& setup, const std::string& command) {
  return fmt::format(
      "# The puck, written by {}\n"
      "body: {{shape: ellipse, semi_axes: [{}, {}], mass: {}, "
      "radius_of_gyration: {}}}\n",
      command, setup.radius, setup.radius, setup.mass, std::sqrt(setup.inertia / setup.mass));
}

/// impacts.csv or .json, and body.yaml beside it. A body.yaml of another body stays as it is.
void WriteImpacts(const MeasurePuckArguments& arguments, const PuckSetup& setup,
                  const impacts::ImpactTable& table, const CommonOptions& common) {
  const std::filesystem::path file = arguments.impacts;
  const std::filesystem::path body_file = file.parent_path() / "body.yaml";
  const std::string body = BodyText(setup, "percuss measure puck");
  if (std::filesystem::exists(body_file) && ReadFile(body_file) != body) {
    throw InputError(
        fmt::format("{}: found another body, allowed none or that of this puck: "
                    "--impacts writes it beside {}",
                    body_file.string(), file.string()));
  }
  const Provenance provenance{.format = impacts::kImpactFormat,
                              .command = common.command_line,
                              .input_hashes = {{arguments.table, HashFile(arguments.table)}}};
  if (file.extension() == ".json") {
    impacts::WriteImpactsJson(table, provenance, file);
  } else {
    impacts::WriteImpactsCsv(table, provenance, file);
  }
  WriteFileAtomically(body_file, body);
}

int RunMeasurePuck(const MeasurePuckArguments& arguments, const CommonOptions& common) {
  const PuckSetup setup = MakeSetup(arguments);
  const PuckSetup body = EquivalentPuck(setup);
  if (!arguments.impacts.empty()) RefuseInputAsOutput(arguments.impacts, {arguments.table});
  std::vector<std::string> left_out;
  impacts::ImpactTable table;
  const std::vector<NamedMarks> trials =
      ReadMarks(arguments.table, setup.other ? 2 : 1, arguments.scale, left_out);
  nlohmann::ordered_json json = MeasureJsonHead("puck", arguments.table, common);
  json["results"] = nlohmann::ordered_json::array();
  int num_used = 0;
  for (const NamedMarks& trial : trials) {
    try {
      const PuckReduction reduction =
          ReducePuckMarks(setup, trial.marks, arguments.scale * arguments.precision);
      table.impacts.push_back(fitting::ImpactOfPuck(trial.trial, body, reduction));
      if (num_used++ == 0 && !arguments.json) {
        fmt::print("{:<24} {:>11} {:>11} {:>11}\n", "", "Value", "Sigma", "Worst case");
      }
      if (arguments.json) {
        json["results"].push_back(ToJson(trial.trial, body, reduction));
      } else {
        PrintReduction(trial.trial, reduction);
      }
      if (!reduction.warning.empty()) {
        fmt::print(stderr, "measure: {}: {}\n", trial.trial, reduction.warning);
      }
    } catch (const DataError& error) {
      left_out.push_back(fmt::format("{}: {}", trial.where, error.what()));
    }
  }
  for (const std::string& row : left_out) fmt::print(stderr, "measure: not used: {}\n", row);
  if (num_used == 0) throw DataError(fmt::format("{}: no row can be used", arguments.table));
  if (!arguments.impacts.empty()) WriteImpacts(arguments, body, table, common);
  json["left_out"] = left_out;
  if (arguments.json) fmt::print("{}", JsonText(json, 2));
  return kExitOk;
}

}  // namespace

Command MakeMeasurePuckCommand(CLI::App& measure, const CommonOptions& common) {
  CLI::App* subcommand = measure.add_subcommand(
      "puck",
      "A puck against a plate or a puck, from two marks at two flashes before and two after.");
  const auto arguments = std::make_shared<MeasurePuckArguments>();
  const auto require = [&](const char* name, auto& value, const char* text, const char* unit) {
    return subcommand->add_option(name, value, text)->required()->type_name(unit);
  };
  require("--table", arguments->table, "Columns trial, x1_1, y1_1, x2_1, ... y2_4: mark, flash",
          "MARKS.csv");
  require("--mass", arguments->mass, "Of the puck", "[kg]");
  subcommand->add_option("--inertia", arguments->inertia, "About its mass centre")
      ->type_name("[kg m^2]");
  subcommand->add_option("--contact-mass-ratio", arguments->contact_mass_ratio,
                         "Instead: I / (I + m radius^2) of a disc");
  require("--radius", arguments->radius, "Of its round rim", "[m]");
  require("--flash-rate", arguments->flash_rate, "Of the strobe lamp", "[Hz]")
      ->check(CLI::PositiveNumber);
  require("--mark-1", arguments->mark_1, "Place on the puck from its mass centre", "[m] X Y")
      ->expected(2);
  require("--mark-2", arguments->mark_2, "The other mark", "[m] X Y")->expected(2);
  require("--precision", arguments->precision, "Of picked marks, in units of the table", "");
  subcommand->add_option("--scale", arguments->scale, "Metres per unit of the table (a pixel)")
      ->type_name("[m]")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  subcommand->add_option("--normal", arguments->normal, "Of the plate, towards the puck [0 1]")
      ->type_name("X Y")
      ->expected(2);
  subcommand
      ->add_option("--arc-centre", arguments->arc_centre,
                   "Centre of the rim from the mass centre, on the puck; half pucks [0 0]")
      ->type_name("[m] X Y")
      ->expected(2);
  subcommand->add_option("--plate-offset", arguments->plate_offset,
                         "normal . x on the plate's edge, in units of the table; half pucks");
  CLI::Option* other = subcommand->add_flag(
      "--other-puck", arguments->other_puck,
      "It strikes a puck like it, marks 3 and 4 of the table (x3_1, ...), and no plate");
  const auto of_other = [&](const char* name, auto& value, const char* text, const char* unit) {
    return subcommand->add_option(name, value, text)->type_name(unit)->needs(other);
  };
  of_other("--other-mass", arguments->other_mass, "Of the other puck, if not the same", "[kg]");
  of_other("--other-inertia", arguments->other_inertia, "About its mass centre", "[kg m^2]");
  of_other("--other-radius", arguments->other_radius, "Of its rim", "[m]");
  of_other("--mark-3", arguments->mark_3, "Place on the other puck [that of mark 1]", "[m] X Y")
      ->expected(2);
  of_other("--mark-4", arguments->mark_4, "Place on the other puck [that of mark 2]", "[m] X Y")
      ->expected(2);
  subcommand
      ->add_option("--impacts", arguments->impacts,
                   "Write the impacts for percuss fit and audit, with body.yaml beside them; "
                   ".json keeps the correlations of the errors")
      ->type_name("FILE.csv|json")
      ->check([](const std::string& file) {
        const auto ending = std::filesystem::path(file).extension();
        return ending == ".csv" || ending == ".json"
                   ? std::string()
                   : fmt::format("found {}, allowed a file that ends with .csv or .json", file);
      });
  subcommand->add_flag("--json", arguments->json, "Print the result as JSON");
  subcommand->footer(
      "Example:  percuss measure puck --table marks.csv --mass 0.0672 --contact-mass-ratio 0.336\n"
      "  --radius 0.0491 --flash-rate 8.833 --mark-1 0 0 --mark-2 0.03 0 --scale 2.3e-4 "
      "--precision 1\n"
      "Sigma: marks off by up to the precision, evenly. Worst case: all off by twice as much, in "
      "the\nmost harmful direction. Rows that cannot be used are named on stderr.");
  return {subcommand, [arguments, common] { return RunMeasurePuck(*arguments, common); }};
}

}  // namespace percuss::app
