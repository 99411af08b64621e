// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/simulation/scene_sweep.h"
#include "app/sweep/gnuplot.h"
#include "app/sweep/sweep.h"
#include "app/sweep/sweep_plot.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/parallel.h"
#include "base/text/json_text.h"
#include "base/text/yaml_field.h"

namespace percuss::app {
namespace {

constexpr const char* kSweepFooter =
    R"(SPEC.yaml names a law, its parameters, what hits the surface, and one or two axes:

  law: stronge
  parameters: {mu: 0.4, e: 0.4}
  planar_rod: {p: 0.3}
  sweep:
    - {input: gamma, from: 1.571, to: 4.712, step: 0.005}
    - {input: p, from: 0, to: 1, steps: 100}

what hits, one of
  contact     inverse_mass, velocity: as in `percuss impact`
  body        with orientation or euler_angles, velocity, angular_velocity, contact_point, normal:
              the same
  planar_rod  gamma, p, lambda, inertia_ratio: dimensionless, sun2017 (2.7)-(2.12)
  rod, bar    beta, gamma, delta (direction angles of the contact), theta1..3 (2-1-3 Euler angles),
              vx..wz (approach vy = +1), mass, length and cap_radius or length1..3: sun2017 3.7
  ball        vx..wz, mass, radius
axes
  input       any of these numbers by its name (of a body: vx..wz, nx..nz, rx..rz, turn_x..turn_z,
              theta1..3; of a contact: velocity_t1, inverse_mass_11, ...), or a parameter of the
              law
  from, to    with `steps` (equal steps, ends included) or `step`
  also        inputs that follow: {gamma: {offset: 4.712, factor: -1}}
plot          case (default) or dissipation; title: above the picture

A row per point, the last axis fastest: inputs, case of sun2017, modes, impulse and velocities after
(a body's in the axes and signs of its input), the share of the kinetic energy that is lost, works
of the normal force and of friction [J]. A point that is no impact has a reason instead.

Or over any numbers of a scene as of `percuss simulate`:

  scene: cradle.yaml
  sweep:
    - {input: parameters.e, from: 0.5, to: 1, steps: 10}
    - {input: bodies.a.start.position.x, from: -0.3, to: -0.1, steps: 4}

A row per point: the number of impacts, whether all comes to rest, the time of the first impact, the
energy that impacts took, where each body is at the end, and its velocities.

Example:  percuss sweep data/sun2017/sweeps/fig2-7.yaml -o cases.csv --plot cases.svg)";

struct SweepArguments {
  std::string spec, output, plot;
  int jobs = AllCores();
  bool json = false;
};

struct Summary {
  std::size_t impacts = 0;
  std::map<std::string, std::size_t> cases;
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
};

Summary Summarise(const SweepResult& result) {
  Summary summary;
  for (std::size_t k = 0; k < result.cases.size(); ++k) {
    if (result.cases[k] == kNoImpact) continue;
    ++summary.impacts;
    if (result.cases[k] < kCases.size()) ++summary.cases[std::string(kCases[result.cases[k]])];
    summary.least = std::min(summary.least, static_cast<double>(result.dissipation[k]));
    summary.most = std::max(summary.most, static_cast<double>(result.dissipation[k]));
  }
  return summary;
}

void Print(const SweepArguments& arguments, const SweepResult& result, const Summary& summary) {
  if (arguments.json) {
    nlohmann::ordered_json json = {{"output", arguments.output},
                                   {"points", result.cases.size()},
                                   {"impacts", summary.impacts},
                                   {"cases", summary.cases},
                                   {"dissipation", {summary.least, summary.most}}};
    if (!arguments.plot.empty()) json["plot"] = arguments.plot;
    fmt::print("{}", JsonText(json, 2));
    return;
  }
  const auto percent = [](double fraction) { return std::round(1e4 * fraction) / 100.0 + 0.0; };
  fmt::print("{} points, {} of them impacts; {:.2f} to {:.2f} % of the kinetic energy lost\n",
             result.cases.size(), summary.impacts, percent(summary.least), percent(summary.most));
  for (const auto& [name, count] : summary.cases) fmt::print("case {:<3} {:>9}\n", name, count);
}

int RunSceneSweep(const SweepArguments& arguments, const YamlField& root) {
  if (!arguments.plot.empty())
    throw InputError(fmt::format("--plot: found {}, allowed: without a scene", arguments.plot));
  std::string table;
  const SceneSweepSummary summary = SweepScene(root, arguments.jobs, &table);
  WriteFileAtomically(arguments.output, table);
  if (arguments.json) {
    fmt::print("{}", JsonText(nlohmann::ordered_json{{"output", arguments.output},
                                                     {"points", summary.points},
                                                     {"solved", summary.solved}},
                              2));
  } else {
    fmt::print("{} scenes, {} of them simulated to their end\n", summary.points, summary.solved);
  }
  return kExitOk;
}

int RunSweep(const SweepArguments& arguments) {
  if (arguments.plot == arguments.output) {
    throw InputError(fmt::format("--plot: found {}, allowed: another file than that of the table",
                                 arguments.plot));
  }
  if (const YamlField root = YamlField::ReadFile(arguments.spec); root["scene"].Given())
    return RunSceneSweep(arguments, root);
  const SweepSpec spec = ReadSweep(arguments.spec);
  AtomicFile table(arguments.output);
  const SweepResult result =
      RunSweep(spec, arguments.jobs, [&](std::string_view rows) { table.Write(rows); });
  const Summary summary = Summarise(result);
  if (summary.impacts == 0) {
    throw DataError(fmt::format("{}: none of the {} points is an impact; the first: {}",
                                arguments.spec, result.cases.size(), result.first_reason));
  }
  std::string picture;
  if (!arguments.plot.empty()) {
    const report::ProgramAnswer drawn = RunGnuplot(SweepPlotScript(spec, result));
    if (!drawn.problem.empty() || drawn.output.find("</svg>") == std::string::npos) {
      throw DataError(
          fmt::format("{}: no picture: {}", arguments.plot,
                      drawn.problem.empty() ? "gnuplot did not finish" : drawn.problem));
    }
    picture = drawn.output;
  }
  table.Commit();
  if (!picture.empty()) WriteFileAtomically(arguments.plot, picture);
  Print(arguments, result, summary);
  return kExitOk;
}

}  // namespace

Command MakeSweepCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("sweep", "Solve impacts over one or two inputs: tables and maps");
  const auto arguments = std::make_shared<SweepArguments>();
  subcommand->add_option("spec", arguments->spec, "What to sweep")
      ->required()
      ->type_name("SPEC.yaml");
  subcommand->add_option("-o,--output", arguments->output, "Table, a row per point")
      ->required()
      ->type_name("FILE.csv");
  subcommand->add_option("--plot", arguments->plot, "Picture of it")->type_name("FILE.svg");
  subcommand->add_option("--jobs", arguments->jobs, "Threads; default: all cores")
      ->check(CLI::Range(1, 1024));
  subcommand->add_flag("--json", arguments->json, "Print the summary as JSON");
  subcommand->footer(kSweepFooter);
  return {subcommand, [arguments] { return RunSweep(*arguments); }};
}

}  // namespace percuss::app
