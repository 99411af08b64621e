// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "solver/impact_law.h"

namespace percuss::app {
namespace {

std::string RangeText(const solver::ParameterInfo& parameter) {
  if (std::isfinite(parameter.upper)) {
    return fmt::format("{} to {}", parameter.lower, parameter.upper);
  }
  return fmt::format("{} or more", parameter.lower);
}

void PrintTable() {
  std::size_t width = 0;
  for (const solver::LawInfo& law : solver::Laws()) width = std::max(width, law.name.size());
  for (const solver::LawInfo& law : solver::Laws()) {
    fmt::print("{:<{}}  {}\n", law.name, width, law.summary);
    for (const solver::ParameterInfo& parameter : law.parameters) {
      fmt::print("{:<{}}  {:<4} {:<10} {}\n", "", width, parameter.name, RangeText(parameter),
                 parameter.meaning);
    }
    if (!law.dissipative) fmt::print("{:<{}}  can create kinetic energy\n", "", width);
    fmt::print("{:<{}}  source: {}\n", "", width, law.source);
  }
}

void PrintJson() {
  nlohmann::ordered_json laws = nlohmann::ordered_json::array();
  for (const solver::LawInfo& law : solver::Laws()) {
    nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
    for (const solver::ParameterInfo& parameter : law.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"lower", parameter.lower},
                            {"upper", parameter.upper},  // null where there is none
                            {"typical", parameter.typical},
                            {"meaning", parameter.meaning}});
    }
    laws.push_back({{"name", law.name},
                    {"summary", law.summary},
                    {"source", law.source},
                    {"dissipative", law.dissipative},
                    {"parameters", parameters}});
  }
  fmt::print("{}\n", laws.dump(2));
}

}  // namespace

Command MakeLawsCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("laws", "List the impact laws: parameters, bounds, sources");
  auto json = std::make_shared<bool>(false);
  subcommand->add_flag("--json", *json, "Print JSON; an upper bound of null means none");
  subcommand->footer("Example:  percuss laws --json");
  return {subcommand, [json] {
            if (*json) {
              PrintJson();
            } else {
              PrintTable();
            }
            return kExitOk;
          }};
}

}  // namespace percuss::app
