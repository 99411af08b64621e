// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "base/text/json_text.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

std::string RangeText(const solver::ParameterInfo& parameter) {
  if (std::isfinite(parameter.upper)) {
    return fmt::format("{:g} to {:g}", parameter.lower, parameter.upper);
  }
  if (std::isfinite(parameter.lower)) return fmt::format("{} or more", parameter.lower);
  return "any";
}

std::string_view DomainText(solver::LawDomain domain) {
  switch (domain) {
    case solver::LawDomain::kSpatial:
      return "every contact";
    case solver::LawDomain::kPlanar:
      return "planar motion only";
    case solver::LawDomain::kDiagonal:
      return "planar motion without coupling of tangent and normal (spheres, discs) only";
  }
  return "";
}

void PrintParameter(const solver::ParameterInfo& parameter, std::size_t indent, bool optional) {
  fmt::print("{:<{}}  {:<8} {:<10} {}{}\n", "", indent, parameter.name, RangeText(parameter),
             parameter.meaning, optional ? " (optional)" : "");
}

void PrintTable() {
  std::size_t width = 0;
  for (const solver::LawInfo& law : solver::Laws()) width = std::max(width, law.name.size());
  for (const solver::LawInfo& law : solver::Laws()) {
    fmt::print("{:<{}}  {}\n", law.name, width, law.summary);
    for (const auto& parameter : law.parameters) PrintParameter(parameter, width, false);
    for (const auto& parameter : law.optional_parameters) PrintParameter(parameter, width, true);
    for (const solver::ParameterProduct& product : law.products) {
      fmt::print("{:<{}}  a fit finds {} [{}] alone; told apart by {}\n", "", width, product.name,
                 product.unit, product.apart);
    }
    if (law.domain != solver::LawDomain::kSpatial) {
      fmt::print("{:<{}}  for {}\n", "", width, DomainText(law.domain));
    }
    if (!law.dissipative) fmt::print("{:<{}}  can create kinetic energy\n", "", width);
    if (!law.coulomb) fmt::print("{:<{}}  can leave the friction cone\n", "", width);
    if (!law.same_as.empty())
      fmt::print("{:<{}}  the same impulse as {}: a fit of one is one of the other\n", "", width,
                 law.same_as);
    fmt::print("{:<{}}  source: {}\n", "", width, law.source);
  }
}

nlohmann::ordered_json ToJson(const std::vector<solver::ParameterInfo>& parameters) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const solver::ParameterInfo& parameter : parameters) {
    list.push_back({{"name", parameter.name},
                    {"lower", parameter.lower},  // null where there is none
                    {"upper", parameter.upper},
                    {"typical", parameter.typical},
                    {"meaning", parameter.meaning}});
  }
  return list;
}

nlohmann::ordered_json ToJson(const std::vector<solver::ParameterProduct>& products) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const solver::ParameterProduct& product : products) {
    nlohmann::ordered_json powers;
    for (const auto& [parameter, exponent] : product.powers) {
      powers[std::string(parameter)] = exponent;
    }
    list.push_back({{"name", product.name},
                    {"unit", product.unit},
                    {"powers", powers},
                    {"apart", product.apart}});
  }
  return list;
}

void PrintJson() {
  nlohmann::ordered_json laws = nlohmann::ordered_json::array();
  for (const solver::LawInfo& law : solver::Laws()) {
    laws.push_back({{"name", law.name},
                    {"summary", law.summary},
                    {"source", law.source},
                    {"domain", DomainText(law.domain)},
                    {"dissipative", law.dissipative},
                    {"coulomb", law.coulomb},
                    {"same_as", law.same_as},
                    {"parameters", ToJson(law.parameters)},
                    {"optional_parameters", ToJson(law.optional_parameters)},
                    {"products", ToJson(law.products)}});
  }
  fmt::print("{}", JsonText(laws, 2));
}

}  // namespace

Command MakeLawsCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("laws", "List the impact laws: parameters, bounds, sources");
  auto json = std::make_shared<bool>(false);
  subcommand->add_flag("--json", *json, "Print JSON; a bound of null means none");
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
