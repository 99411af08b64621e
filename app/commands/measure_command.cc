// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/commands/measure_puck.h"
#include "app/commands/measure_slide_video.h"
#include "app/requests/measure_readings.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"

namespace percuss::app {
namespace {

using fitting::BenchMeasurement;
using fitting::BenchMethod;
using fitting::BenchQuantity;

struct MeasureArguments {
  std::string measurement;
  std::map<std::string, std::vector<double>> values;  // by quantity
  std::map<std::string, double> sigmas;               // by kind
  double gravity = 9.80665;
  std::string table;
  bool json = false;
  SlideVideoArguments video;  // of `slide` alone
};

std::string Dashed(std::string name) {
  std::ranges::replace(name, '_', '-');
  return "--" + name;
}

template <typename Visit>
void ForEachQuantity(const std::string& measurement, const Visit& visit) {
  for (const BenchMethod& method : fitting::BenchMethods()) {
    if (method.measurement != measurement) continue;
    for (const BenchQuantity& quantity : method.quantities) visit(quantity);
  }
}

ReadingsByName GivenReadings(const MeasureArguments& arguments) {
  ReadingsByName readings;
  ForEachQuantity(arguments.measurement, [&](const BenchQuantity& quantity) {
    const std::string name(quantity.name);
    readings[name] = {.values = arguments.values.at(name),
                      .sigma = arguments.sigmas.at(std::string(quantity.kind))};
  });
  return readings;
}

std::vector<ReadingsGroup> Collect(const MeasureArguments& arguments,
                                   std::vector<std::string>& left_out) {
  ReadingsByName given = GivenReadings(arguments);
  if (arguments.table.empty()) return {{.name = "", .readings = given}};
  for (const auto& [name, readings] : given) {
    if (readings.values.size() > 1) {
      throw InputError(fmt::format("{}: found {} values beside --table, allowed one", Dashed(name),
                                   readings.values.size()));
    }
  }
  return ReadReadings(arguments.table, arguments.measurement, given, arguments.gravity, left_out);
}

const BenchMethod& MethodOf(const std::string& measurement, const ReadingsGroup& group) {
  std::vector<std::string> names;
  for (const auto& [name, readings] : group.readings) {
    if (!readings.values.empty()) names.push_back(name);
  }
  return fitting::FindBenchMethod(measurement, names);
}

nlohmann::ordered_json ToJson(const ReadingsGroup& group, const BenchMeasurement& result) {
  nlohmann::ordered_json readings = nlohmann::ordered_json::array();
  for (const fitting::ReadingPart& part : result.readings) {
    readings.push_back({{"quantity", part.quantity},
                        {"values", group.readings.at(part.quantity).values},
                        {"reading_sigma", part.reading_sigma},
                        {"sigma", part.sigma}});
  }
  return {{"group", group.name},
          {"coefficient", result.coefficient},
          {"value", result.value},
          {"sigma", result.sigma},
          {"ci95", result.ci95},
          {"scatter_sigma", result.scatter_sigma},
          {"reading_sigma", result.reading_sigma},
          {"repeats", result.repeats},
          {"readings", readings},
          {"warning", result.warning}};
}

void PrintResult(const BenchMethod& method, const ReadingsGroup& group,
                 const BenchMeasurement& result) {
  const bool known = std::isfinite(result.sigma);
  fmt::print("{:<20} {:>9.4f} {:>9}  {:>20} {:>9.4f} {:>9.4f} {:>8}\n",
             group.name.empty() ? result.coefficient : group.name, result.value,
             known ? fmt::format("{:.4f}", result.sigma) : "?",
             known ? fmt::format("[{:.4f}, {:.4f}]", result.ci95[0], result.ci95[1]) : "?",
             result.scatter_sigma, result.reading_sigma, result.repeats.size());
  for (std::size_t i = 0; i < result.readings.size(); ++i) {
    const fitting::ReadingPart& part = result.readings[i];
    if (part.reading_sigma == 0.0) continue;
    fmt::print("  {} read to {:.4g} {}: {:.4f}\n", part.quantity, part.reading_sigma,
               method.quantities[i].unit, part.sigma);
  }
}

int RunBench(const MeasureArguments& arguments, const CommonOptions& common) {
  if (!arguments.video.experiment.empty()) {
    for (const auto& [name, values] : arguments.values) {
      if (!values.empty())
        throw InputError(fmt::format("{}: found beside --video, allowed without it", Dashed(name)));
    }
    return MeasureSlideVideo(arguments.video, arguments.json, common);
  }
  std::vector<std::string> left_out;
  const std::vector<ReadingsGroup> groups = Collect(arguments, left_out);
  const BenchMethod& method = MethodOf(arguments.measurement, groups.front());
  std::vector<BenchMeasurement> results;
  for (const ReadingsGroup& group : groups) {
    results.push_back(fitting::MeasureOnBench(method, group.readings, arguments.gravity));
  }
  if (arguments.json) {
    nlohmann::ordered_json json = MeasureJsonHead(arguments.measurement, arguments.table, common);
    json["formula"] = method.formula;
    json["gravity"] = arguments.gravity;
    json["left_out"] = left_out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      json["results"].push_back(ToJson(groups[i], results[i]));
    }
    fmt::print("{}", JsonText(json, 2));
  } else {
    fmt::print("{}: {} = {}\n\n", arguments.measurement, method.coefficient, method.formula);
    fmt::print("{:<20} {:>9} {:>9}  {:>20} {:>9} {:>9} {:>8}\n", "", "Value", "Sigma",
               "95 % interval", "Scatter", "Reading", "Repeats");
    for (std::size_t i = 0; i < groups.size(); ++i) PrintResult(method, groups[i], results[i]);
  }
  for (const std::string& row : left_out) fmt::print(stderr, "measure: not used: {}\n", row);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (results[i].warning.empty()) continue;
    fmt::print(stderr, "measure: {}{}{}\n", groups[i].name, groups[i].name.empty() ? "" : ": ",
               results[i].warning);
  }
  return kExitOk;
}

std::string SigmaOption(std::string_view kind) {
  return kind == "angle" ? "--angle-sigma-deg" : fmt::format("--{}-sigma", kind);
}

Command MakeBenchCommand(CLI::App& measure, const CommonOptions& common, const char* name,
                         const char* summary, const char* footer) {
  CLI::App* subcommand = measure.add_subcommand(name, summary);
  const auto arguments = std::make_shared<MeasureArguments>();
  arguments->measurement = name;
  ForEachQuantity(name, [&](const BenchQuantity& quantity) {
    auto [entry, is_new] = arguments->values.try_emplace(std::string(quantity.name));
    if (is_new) {
      subcommand->add_option(Dashed(entry->first), entry->second, std::string(quantity.meaning))
          ->type_name(fmt::format("[{}]", quantity.unit));
    }
  });
  ForEachQuantity(name, [&](const BenchQuantity& quantity) {
    auto [entry, is_new] = arguments->sigmas.try_emplace(std::string(quantity.kind), 0.0);
    if (is_new) {
      subcommand
          ->add_option(SigmaOption(quantity.kind), entry->second,
                       "Reading error that all repeats have in common, standard deviation")
          ->type_name(fmt::format("[{}]", quantity.unit));
    }
  });
  subcommand->add_option("--gravity", arguments->gravity, "Where the test is made")
      ->type_name("[m/s^2]")
      ->capture_default_str();
  subcommand
      ->add_option("--table", arguments->table,
                   "A row per repeat, columns as the options with _ for -; optional column group")
      ->type_name("READINGS.csv");
  if (arguments->measurement == "slide") AddSlideVideoOptions(subcommand, &arguments->video);
  subcommand->add_flag("--json", arguments->json, "Print the result as JSON");
  subcommand->footer(footer);
  return {subcommand, [arguments, common] { return RunBench(*arguments, common); }};
}

}  // namespace

nlohmann::ordered_json MeasureJsonHead(const std::string& measurement, const std::string& table,
                                       const CommonOptions& common) {
  nlohmann::ordered_json json = {{"format", "percuss measure 1"},
                                 {"program", "percuss " + ProgramVersion()},
                                 {"command", common.command_line},
                                 {"inputs", nlohmann::ordered_json::array()},
                                 {"measurement", measurement}};
  if (!table.empty()) {
    json["inputs"].push_back({{"file", table}, {"sha256", HashFile(table)}});
  }
  return json;
}

Command MakeMeasureCommand(CLI::App& program, const CommonOptions& common) {
  CLI::App* subcommand = program.add_subcommand(
      "measure", "Coefficients from bench-top tests: inclines, slides, drops; puck photographs.");
  subcommand->require_subcommand(1);
  subcommand->footer(
      "Example:  percuss measure incline --angle-deg 14.5 14.1 14.3\n"
      "Each explains itself:  percuss measure drop --help");
  const auto parts = std::make_shared<std::vector<Command>>(std::vector<Command>{
      MakeBenchCommand(*subcommand, common, "incline",
                       "Static friction from an incline on which the body begins to slide.",
                       "Example:  percuss measure incline --angle-deg 14.5 14.1 14.3 "
                       "--angle-sigma-deg 0.1\n"
                       "Either the angle, or rise and run, or rise and slope-length."),
      MakeBenchCommand(
          *subcommand, common, "slide", "Kinetic friction from a body that slides down an incline.",
          "Example:  percuss measure slide --angle-deg 20 --distance 0.5 "
          "--time 0.91 0.94 0.92\n"
          "The angle, and: nothing more if the speed is constant; the acceleration;\n"
          "distance and time from rest; stopping distance and time; or three instants\n"
          "(start, first, second) and two distances.\n"
          "From videos, also static friction:  percuss measure slide --video experiment.yaml -o "
          "slide.json"),
      MakeBenchCommand(*subcommand, common, "drop",
                       "Restitution from a vertical drop without spin.",
                       "Example:  percuss measure drop --drop-height 0.5 --rebound-height 0.121 "
                       "0.118 0.124 --height-sigma 0.001\n"
                       "Either both heights; both speeds; three instants of the sound of the "
                       "contacts;\nor drop height and two instants."),
      MakeMeasurePuckCommand(*subcommand, common),
  });
  return {subcommand, [parts] {
            for (const Command& part : *parts) {
              if (part.subcommand->parsed()) return part.run();
            }
            return kExitBadInput;
          }};
}

}  // namespace percuss::app
