// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/sweep_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

constexpr std::size_t kMaxPoints = 2'000'000;

std::string NamesAndNearest(const std::vector<std::string_view>& names, const std::string& given) {
  const std::string_view nearest = NearestWord(given, names);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     nearest.empty() ? "" : fmt::format("; perhaps {}?", nearest));
}

solver::LawInfo ReadLaw(const YamlField& field) {
  const std::string name = field.Given() ? field.Text("a law from `percuss laws`") : "stronge";
  std::vector<std::string_view> names;
  for (const solver::LawInfo& law : solver::Laws()) {
    if (law.name == name) return law;
    names.push_back(law.name);
  }
  field.Throw(NamesAndNearest(names, name));
}

SweepInput InputOf(const solver::ParameterInfo& parameter) {
  return {.name = std::string(parameter.name),
          .lower = parameter.lower,
          .upper = parameter.upper,
          .moves = true};
}

Range RangeOf(const SweepInput& input) {
  return {.lowest = input.lower,
          .highest = input.upper,
          .lowest_included = input.lower_included,
          .unit = input.unit};
}

// Optional parameters up to the last that is given or swept.
void AddParameters(const YamlField& field, const std::vector<std::string>& swept, SweepSpec& spec) {
  std::vector<SweepInput> parameters;
  for (const auto& info : spec.law.parameters) parameters.push_back(InputOf(info));
  for (const auto& info : spec.law.optional_parameters) parameters.push_back(InputOf(info));
  std::vector<std::string_view> names;
  for (const SweepInput& parameter : parameters) names.push_back(parameter.name);
  if (field.Given()) field.AllowKeys(names);
  spec.num_parameters = spec.law.parameters.size();
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    SweepInput& parameter = parameters[k];
    const bool given = field.Given() && field[parameter.name].Given();
    if (given) parameter.value = field[parameter.name].Number(RangeOf(parameter));
    if (given || std::ranges::count(swept, parameter.name) > 0) {
      spec.num_parameters = std::max(spec.num_parameters, k + 1);
    }
  }
  parameters.resize(spec.num_parameters);
  spec.inputs.insert(spec.inputs.end(), parameters.begin(), parameters.end());
}

std::size_t FindInput(const SweepSpec& spec, const YamlField& field, const std::string& name) {
  std::vector<std::string_view> names;
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    if (spec.inputs[k].name == name) return k;
    names.push_back(spec.inputs[k].name);
  }
  field.Throw(name, "one of " + NamesAndNearest(names, name));
}

// Both ends; what lies between is then in order as well.
void CheckBounds(const SweepInput& input, const YamlField& field, double first, double last) {
  for (const double value : {first, last}) {
    if (!RangeOf(input).Holds(value)) {
      field.Throw(fmt::format("{} = {:g}", input.name, value), RangeOf(input).Text());
    }
  }
}

void ReadSteps(const YamlField& field, SweepAxis& axis) {
  axis.from = field["from"].Number({});
  axis.to = field["to"].Number({});
  if (field["steps"].Given() == field["step"].Given()) {
    field.Throw(field["step"].Given() ? "both steps and step" : "neither steps nor step",
                "one of them");
  }
  if (field["steps"].Given()) {
    axis.count = field["steps"].Integer(1, 1'000'000) + 1;
    if (!(axis.to != axis.from)) field["to"].Throw("another number than from");
    return;
  }
  const double step = field["step"].Number({});
  const double intervals = (axis.to - axis.from) / step;
  if (!(intervals >= 0.0 && intervals <= 1e6)) {
    field["step"].Throw("a number that leads from `from` to `to` in at most 1000000 steps");
  }
  const double whole = std::floor(intervals + 1e-6);
  axis.count = static_cast<std::size_t>(whole) + 1;
  axis.to = axis.from + whole * step;
}

SweepAxis ReadAxis(const YamlField& field, const SweepSpec& spec, std::vector<bool>& taken) {
  const auto take = [&](const YamlField& at, const std::string& name) {
    const std::size_t input = FindInput(spec, at, name);
    if (taken[input]) at.Throw(name + " a second time", "each input once");
    taken[input] = true;
    return input;
  };
  SweepAxis axis{.input = take(field["input"], field["input"].Text("the name of an input")),
                 .from = 0.0,
                 .to = 0.0,
                 .count = 0,
                 .links = {}};
  ReadSteps(field, axis);
  CheckBounds(spec.inputs[axis.input], field, axis.from, axis.to);
  if (!field["also"].Given()) return axis;
  for (const auto& [name, link] : field["also"].Entries("a map of inputs to offset and factor")) {
    link.AllowKeys({"offset", "factor"});
    SweepLink read{.input = take(link, name), .offset = 0.0, .factor = 1.0};
    if (link["offset"].Given()) read.offset = link["offset"].Number({});
    if (link["factor"].Given()) read.factor = link["factor"].Number({});
    CheckBounds(spec.inputs[read.input], link, read.offset + read.factor * axis.from,
                read.offset + read.factor * axis.to);
    axis.links.push_back(read);
  }
  return axis;
}

// mu_s >= mu is linear along the axes, so the corners decide.
void CheckStaticFriction(const YamlField& root, const SweepSpec& spec) {
  const auto find = [&](std::string_view name) -> std::size_t {
    return std::ranges::find(spec.inputs, name, &SweepInput::name) - spec.inputs.begin();
  };
  const std::size_t mu = find("mu"), mu_static = find("mu_s");
  if (mu_static == spec.inputs.size()) return;
  std::vector<double> values;
  for (const SweepInput& input : spec.inputs) values.push_back(input.value);
  for (const double first : {spec.axes.front().from, spec.axes.front().to}) {
    for (const double last : {spec.axes.back().from, spec.axes.back().to}) {
      spec.axes.front().Set(first, values);
      if (spec.axes.size() > 1) spec.axes.back().Set(last, values);
      if (values[mu_static] < values[mu] - 1e-12) {
        root.Throw(fmt::format("mu_s = {:g} where mu = {:g}", values[mu_static], values[mu]),
                   "mu_s of at least mu");
      }
    }
  }
}

}  // namespace

SweepSpec ReadSweep(const std::filesystem::path& file) {
  const YamlField root = YamlField::ReadFile(file);
  std::vector<std::string_view> keys = {"law", "parameters", "sweep", "plot", "title"};
  keys.insert(keys.end(), std::begin(kSetupKeys), std::end(kSetupKeys));
  keys.insert(keys.end(), std::begin(kBodyKeys), std::end(kBodyKeys));
  root.AllowKeys(keys);
  SweepSpec spec;
  spec.law = ReadLaw(root["law"]);
  spec.setup = ReadSetup(root);
  spec.inputs = spec.setup.inputs;

  constexpr std::string_view kAxes = "a list of one or two axes: {input, from, to, steps or step}";
  const std::vector<YamlField> axes = root["sweep"].Items(kAxes);
  if (axes.empty() || axes.size() > 2)
    root["sweep"].Throw(fmt::format("{} axes", axes.size()), kAxes);
  std::vector<std::string> swept;
  for (const YamlField& axis : axes) {
    axis.AllowKeys({"input", "from", "to", "steps", "step", "also"});
    swept.push_back(axis["input"].Text("the name of an input"));
    if (!axis["also"].Given()) continue;
    for (const auto& [name, unused] :
         axis["also"].Entries("a map of inputs to offset and factor")) {
      swept.push_back(name);
    }
  }
  AddParameters(root["parameters"], swept, spec);
  std::vector<bool> taken(spec.inputs.size(), false);
  for (const YamlField& axis : axes) spec.axes.push_back(ReadAxis(axis, spec, taken));
  for (std::size_t k = 0; k < spec.inputs.size(); ++k) {
    if (!taken[k] && std::isnan(spec.inputs[k].value)) {
      root.Throw("nothing for " + spec.inputs[k].name,
                 RangeOf(spec.inputs[k]).Text() + ", or an axis of the sweep");
    }
  }
  if (spec.NumPoints() > kMaxPoints) {
    root["sweep"].Throw(fmt::format("{} points", spec.NumPoints()),
                        fmt::format("at most {}", kMaxPoints));
  }
  CheckStaticFriction(root, spec);
  if (root["plot"].Given()) {
    spec.plot = root["plot"].Text("case or dissipation");
    if (spec.plot != "case" && spec.plot != "dissipation")
      root["plot"].Throw("case or dissipation");
  }
  if (root["title"].Given()) spec.title = root["title"].Text("a text");
  return spec;
}

}  // namespace percuss::app
