// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <Eigen/Core>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>

#include "app/command.h"
#include "app/requests/impact_answer.h"
#include "app/requests/impact_request.h"
#include "app/requests/impulse_space_answer.h"
#include "app/requests/multi_impact_answer.h"
#include "app/simulation/scene_impact.h"
#include "app/sweep/csv_row.h"
#include "base/error.h"
#include "base/files/files.h"
#include "base/text/json_text.h"
#include "solver/contact/contact.h"
#include "solver/impact_history.h"
#include "solver/law/impact_law.h"
#include "solver/multi_contact/multi_point_impact.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

using Eigen::Vector3d;
using nlohmann::ordered_json;

constexpr const char* kImpactFooter =
    R"(REQUEST.json holds one request, or a list of them for a list of results:

  {"law": "stronge", "parameters": {"mu": 0.3, "e": 0.5},
   "body": {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185},
   "orientation": [0.966, 0, 0.259, 0], "velocity": [0.4, 0, -1.5]}

law               a name from `percuss laws`; default stronge
parameters        those of the law
body              shape (sphere, box, cylinder, capsule, ellipsoid, ellipse, mesh) with its
                  lengths [m], mass [kg]; optional inertia [kg m^2] (3 principal values or 3x3)
                  or radius_of_gyration [m] about body y
orientation       quaternion w x y z of the body in the world; default 1 0 0 0; or
euler_angles      2-1-3 [rad]: about world y, the x that turned along, the z that turned along
velocity          of the mass centre [m/s]
angular_velocity  [rad/s]; default 0 0 0
contact_point     from the mass centre to the contact, world axes [m]; default: the lowest point
normal            of the surface, into the body; default 0 0 1
hung_mass         that follows the body on a soft spring [kg]; the result then has e_composite
stiffness         k of the normal element [N/m; N/m^n where F = k d^n], of laws with a force over
                  time; the result then has duration, largest force and compression. Laws with a
                  parameter k have that
material          of hertz, hertz-plastic, hunt-crossley, mindlin-deresiewicz, maw-barber-fawcett, in
                  place of stiffness: first and second with youngs_modulus [Pa], poissons_ratio,
                  radius [m] or two principal radii; left out: plane
layer             of the law boundary-layer, in place of its stiffness and damping: stiffness
                  [N/m], width [m], and damping [N] or restitution (head-on); it asks for the force
                  over time, too

or, instead of body and what follows it, the contact alone, in the frame (t1, t2, n):

  "contact": {"inverse_mass": [[2.5, 0, 1.5], [0, 1, 0], [1.5, 0, 2.5]], "velocity": [1, 0, -1]}

or two bodies: "second": {"body": ..., "velocity": ...} beside the first, the normal pointing from
it into the first; or a mechanism in generalised speeds:

  "linkage": {"mass": H, "joints": G (0 = G v), "contact": J (u = J v), "speeds": v}

which vibrates while it touches with "springs": K, "dampers": C (H dv/dt = J' F - K q - C v), by
the law kelvin-voigt.

Where several points touch at once, a face or an edge on a plane, a body in a corner, or the
points of a mechanism:

  {"law": "multi-point", "parameters": {"mu": 0.3, "e": 0.5},
   "body": {"shape": "box", "size": [0.3, 0.05, 0.0125], "mass": 0.185},
   "velocity": [0.4, 0, -1.5], "surfaces": [{"normal": [0, 0, 1]}]}

parameters        mu, mu_s; e of an event at one point, e_many at several (-1 to 1; default e); or
                  restitution: e of event 1, 2, ...; or restitution_by_points: at 1, 2, ... points
surfaces          normal (into the body), mu, mu_s: the body touches each with its lowest points; or
points            position from the mass centre, normal, tangent, mu, mu_s, body
system            in place of body: mass, jacobian (rows of contact velocities), speeds
published         true: the equations of chatterjee2019 as they are printed; or a list of those:
                  force_rows, normal_work, event_end (of reference_point), separated_points,
                  pulling_points
rest_speed        slower points rest [m/s]
material          of surfaces that yield: forces over time (docs/file-formats.md)

Bodies in joints, on surfaces, against each other: a scene, SCENE.yaml, as of `percuss simulate`
(docs/simulate.md); its impact is that of the start. --orders: in every order.

impulse [N s] and contact_velocity [m/s] of the result are in world axes for a body, in the
contact frame for a contact; energies [J] are kinetic, for a contact u A^-1 u / 2, the part that
an impulse there can change.

Example:  percuss impact request.json
          percuss impact hertz.json --history force.csv
          percuss impact scene.yaml)";

std::string ToCsv(const solver::ContactHistory& history) {
  std::string text = "time";
  for (const char* name : {"displacement", "velocity", "force", "impulse"}) {
    for (const char* axis : {"t1", "t2", "n"}) text += fmt::format(",{}_{}", name, axis);
  }
  text += ",mode\n";
  CsvRow row(text);
  for (const solver::ContactSample& sample : history) {
    row.Number(sample.time);
    for (const Vector3d* vector :
         {&sample.displacement, &sample.velocity, &sample.force, &sample.impulse}) {
      for (const double component : *vector) row.Number(component);
    }
    row.Text(solver::ModeName(sample.mode));
    row.End();
  }
  return text;
}

/// @param history receives the table of the forces over time, where they are asked for
ordered_json Solve(const ImpactRequest& request, bool space, std::string* history) {
  try {
    if (request.several) {
      const MultiImpactRequest& several = *request.several;
      const auto summary = solver::SolveMultiImpact(several.problem, several.options);
      const auto durations = DurationsOf(several, summary);
      if (several.material) *history = HistoryCsv(several, summary, durations);
      return AnswerOf(several, summary, durations);
    }
    if (request.vibrating) {
      const auto& mu_k_c = request.parameters;  // of the law kelvin-voigt
      const solver::VibratingImpact impact = solver::SolveVibratingContact(
          *request.vibrating, {mu_k_c[0], mu_k_c[1], mu_k_c[2]}, request.speeds);
      *history = ToCsv(impact.history);
      ordered_json out = AnswerOf(request, impact);
      if (impact.reason.empty()) out["force"] = PeaksJson(solver::PeaksOf(impact.history));
      return out;
    }
    const auto result = solver::SolveImpact(request.law, request.contact, request.parameters);
    ordered_json out = AnswerOf(request, result);
    if (space) {
      const double mu =
          solver::ParameterNamed(solver::FindLaw(request.law), "mu", request.parameters);
      out["space"] = ImpulseSpaceOf(request, std::isnan(mu) ? std::nullopt : std::optional(mu),
                                    result.impulse);
    }
    if (request.stiffness) {
      const auto followed = solver::FollowContact(request.law, request.contact, request.parameters,
                                                  *request.stiffness);
      out["force"] = PeaksJson(solver::PeaksOf(followed));
      if (!followed.empty()) {
        const Vector3d impulse = request.contact_frame * followed.back().impulse;
        out["force"]["impulse"] = {impulse.x(), impulse.y(), impulse.z()};
        out["force"]["stiffness"] = *request.stiffness;
      }
      *history = ToCsv(followed);
    }
    return out;
  } catch (const std::invalid_argument& error) {
    throw InputError(request.where + error.what());
  }
}

struct ImpactOptions {
  std::string source, history;
  bool space = false, orders = false, json = true;
};

std::string StandardInput() {
  constexpr std::size_t kMost = std::size_t{256} << 20;  // what writes there may have no end
  std::string text, part(1 << 16, '\0');
  while (std::cin) {
    std::cin.read(part.data(), static_cast<std::streamsize>(part.size()));
    text.append(part, 0, static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kMost) {
      throw InputError(
          fmt::format("standard input: found more than {} bytes, allowed no more", kMost));
    }
  }
  return text;
}

int RunImpact(const ImpactOptions& options) {
  const auto& [source, history_file, space, orders, json] = options;
  const bool from_stdin = source == "-";
  if (source.ends_with(".yaml") || source.ends_with(".yml")) {
    if (!history_file.empty() || space)
      throw InputError(
          fmt::format("{}: found --history or --space, allowed: neither of a scene", source));
    fmt::print("{}", JsonText(orders ? SceneImpactOrdersJson(source) : SceneImpactJson(source), 2));
    return kExitOk;
  }
  if (orders) {
    throw InputError(fmt::format("{}: found --orders, allowed with a scene, SCENE.yaml", source));
  }
  const std::string text = from_stdin ? StandardInput() : ReadFile(source);
  const ImpactRequests requests = ReadImpactRequests(text, from_stdin ? "standard input" : source);
  ordered_json results = ordered_json::array();
  std::string history;
  for (const ImpactRequest& request : requests.requests)
    results.push_back(Solve(request, space, &history));
  if (!history_file.empty()) {
    if (requests.is_list || history.empty()) {
      throw InputError(
          fmt::format("--history: found {}, allowed one request with stiffness or material",
                      requests.is_list ? "a list" : "no stiffness"));
    }
    WriteFileAtomically(history_file, history);
  }
  fmt::print("{}", JsonText(requests.is_list ? results : results.front(), 2));
  return kExitOk;
}

}  // namespace

Command MakeImpactCommand(CLI::App& program, const CommonOptions&) {
  CLI::App* subcommand =
      program.add_subcommand("impact", "Solve one impact, or a list of them, from a JSON request");
  const auto options = std::make_shared<ImpactOptions>();
  subcommand
      ->add_option("request", options->source, "JSON file, or - for standard input; or SCENE.yaml")
      ->required()
      ->type_name("REQUEST.json|SCENE.yaml");
  subcommand->add_option(
      "--history", options->history,
      "CSV file for the contact over time, of a request with stiffness or material");
  subcommand->add_flag("--space", options->space,
                       "Add what any law could answer at this contact: energy ellipsoid, line of "
                       "sticking, plane of maximum compression, accessible region");
  subcommand->add_flag("--orders", options->orders,
                       "Of a scene: the impacts that happen at once in every order, the outcomes "
                       "and how far they differ");
  subcommand->add_flag("--json", options->json,
                       "The result is JSON anyway; accepted like everywhere");
  subcommand->footer(kImpactFooter);
  return {subcommand, [options] { return RunImpact(*options); }};
}

}  // namespace percuss::app
