// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/contact_keys.h"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "app/requests/contact_material.h"
#include "capture/experiment/experiment_body.h"
#include "solver/contact/contact.h"
#include "solver/impact_history.h"
#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

constexpr Range kRestitution{.lowest = -1.0, .highest = 1.0};

/// e of events at 1, 2, ... points, or of event 1, 2, ...
std::vector<double> RestitutionList(const YamlField& field) {
  std::vector<double> values;
  for (const YamlField& one : field.Items("a list of numbers from -1 to 1"))
    values.push_back(one.Number(kRestitution));
  if (values.empty()) field.Throw("a list of at least one number from -1 to 1");
  return values;
}

void ReadMultiPoint(const YamlField& parameters, ContactLaw& contact) {
  if (!parameters.IsMap()) parameters.Throw("a map with mu, e, mu_s, e_many");
  parameters.AllowKeys({"mu", "e", "mu_s", "e_many", "restitution", "restitution_by_points"});
  contact.mu = parameters["mu"].Number(kFriction);
  if (parameters["mu_s"].Given()) contact.mu_s = parameters["mu_s"].Number(kFriction);
  const YamlField events = parameters["restitution"], points = parameters["restitution_by_points"];
  if (events.Given() || points.Given()) {
    for (const char* key : {"e", "e_many"}) {
      if (parameters[key].Given())
        parameters[key].Throw("this beside a list of restitutions", "one of them");
    }
    if (events.Given() && points.Given())
      points.Throw("both restitution and restitution_by_points", "one of them");
    if (events.Given()) contact.impact.restitution = RestitutionList(events);
    if (points.Given()) contact.impact.restitution_by_points = RestitutionList(points);
    return;
  }
  const double e = parameters["e"].Number({.lowest = 0.0, .highest = 1.0});
  const double many = parameters["e_many"].Given() ? parameters["e_many"].Number(kRestitution) : e;
  contact.impact.restitution_by_points = {e, many};
}

void ReadSinglePoint(const YamlField& root, ContactLaw& contact) {
  const YamlField law = root["law"], parameters = root["parameters"];
  const solver::LawInfo* info = nullptr;
  try {
    info = &solver::FindLaw(contact.law);
  } catch (const std::invalid_argument&) {
    law.Throw("multi-point, or a name from `percuss laws`");
  }
  std::vector<std::string_view> names;
  for (const auto& parameter : info->parameters) names.push_back(parameter.name);
  for (const auto& parameter : info->optional_parameters) names.push_back(parameter.name);
  if (!names.empty() && !parameters.IsMap()) parameters.Throw("a map with the law's parameters");
  if (parameters.Given()) parameters.AllowKeys(names);
  const auto number = [&](const solver::ParameterInfo& parameter) {
    return parameters[parameter.name].Number(
        {.lowest = parameter.lower, .highest = parameter.upper});
  };
  for (const auto& parameter : info->parameters) contact.parameters.push_back(number(parameter));
  for (const auto& parameter : info->optional_parameters) {
    if (!parameters[parameter.name].Given()) break;
    contact.parameters.push_back(number(parameter));
  }
  const YamlField friction = root["sliding_friction"];
  if (!friction.Given() && !parameters["mu"].Given())
    friction.Throw("a number of at least 0, beside a law without mu");
  if (parameters["mu"].Given()) contact.mu = parameters["mu"].Number(kFriction);
  if (parameters["mu_s"].Given()) contact.mu_s = parameters["mu_s"].Number(kFriction);
}

/// What tells how long impacts last and how hard they press, where it is given.
solver::ForceOverTime ReadForceOverTime(const YamlField& root, const ContactLaw& contact) {
  solver::ForceOverTime over_time;
  const YamlField material = root["material"], stiffness = root["stiffness"];
  const bool several = contact.law == solver::kMultiPoint;
  if (material.Given()) {
    if (!several)
      material.Throw("this beside the law " + contact.law, "stiffness; material is of multi-point");
    over_time.material = ReadContactMaterial(material);
  }
  if (several) {
    if (stiffness.Given()) stiffness.Throw("this beside the law multi-point", "material");
    return over_time;
  }
  if (stiffness.Given()) {
    if (!solver::HasHistory(contact.law))
      stiffness.Throw("this beside the law " + contact.law,
                      "only beside one with a force over time");
    over_time.stiffness = stiffness.Number(
        {.lowest = 0.0, .highest = 1e18, .lowest_included = false, .unit = "N/m^n"});
  }
  const double own = solver::ParameterNamed(solver::FindLaw(contact.law), "k", contact.parameters);
  if (!std::isnan(own)) {
    if (stiffness.Given()) stiffness.Throw("this beside k", "one of them");
    over_time.stiffness = own;
  }
  return over_time;
}

}  // namespace

ContactLaw ReadContactLaw(const YamlField& root) {
  ContactLaw contact;
  const YamlField law = root["law"];
  if (law.Given()) contact.law = law.Text("multi-point, or a name from `percuss laws`");
  if (contact.law == solver::kMultiPoint) {
    ReadMultiPoint(root["parameters"], contact);
  } else {
    ReadSinglePoint(root, contact);
  }
  if (root["sliding_friction"].Given()) contact.mu = root["sliding_friction"].Number(kFriction);
  contact.over_time = ReadForceOverTime(root, contact);
  return contact;
}

solver::FlightState<double> ReadStart(const YamlField& field) {
  if (!field.IsMap()) field.Throw("a map with position, orientation, velocity, angular_velocity");
  field.AllowKeys({"position", "orientation", "velocity", "angular_velocity"});
  solver::FlightState<double> start;
  start.p_WB = capture::ReadVector3(field["position"], kPlace);
  if (field["velocity"].Given()) start.v = capture::ReadVector3(field["velocity"], kPlace);
  if (field["angular_velocity"].Given()) {
    start.w = capture::ReadVector3(field["angular_velocity"], {.lowest = -1e4, .highest = 1e4});
  }
  if (field["orientation"].Given()) {
    const std::vector<double> q = field["orientation"].Numbers(4, kPlace);
    start.q_WB = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
    if (!(start.q_WB.norm() > 0.0)) field["orientation"].Throw("4 numbers that are not all zero");
    start.q_WB.normalize();
  }
  return start;
}

solver::ContactPlane ReadPlane(const YamlField& field) {
  const Eigen::Vector3d normal = capture::ReadVector3(field["normal"], kPlace);
  if (!(normal.norm() > 0.0)) field["normal"].Throw("a vector that is not zero");
  solver::ContactPlane plane{.frame = solver::ContactFrame(normal)};
  if (field["point"].Given())
    plane.offset = plane.frame.col(2).dot(capture::ReadVector3(field["point"], kPlace));
  if (field["mu"].Given()) plane.mu = field["mu"].Number(kFriction);
  if (field["mu_s"].Given()) plane.mu_s = field["mu_s"].Number(kFriction);
  return plane;
}

solver::PlaneSimulationOptions ReadSimulationOptions(const YamlField& root) {
  solver::PlaneSimulationOptions options;
  const auto positive = [&](std::string_view key, double highest, std::string_view unit) {
    return root[key].Number(
        {.lowest = 0.0, .highest = highest, .lowest_included = false, .unit = unit});
  };
  options.duration = positive("duration", 1e3, "s");
  const double rate = root["frame_rate"].Given() ? positive("frame_rate", 1e6, "Hz") : 100.0;
  options.sample_interval = 1.0 / rate;
  if (root["rest_speed"].Given()) options.rest_speed = positive("rest_speed", 1.0, "m/s");
  return options;
}

}  // namespace percuss::app
