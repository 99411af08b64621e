// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/simulation/simulation_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/requests/impact_answer.h"

namespace percuss::app {
namespace {

using nlohmann::ordered_json;

constexpr const char* kPoseColumns = "x,y,z,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n";

std::string Cells(const solver::FlightState<double>& s) {
  const Eigen::Quaterniond& q = s.q_WB;
  const std::array cells = {s.p_WB.x(), s.p_WB.y(), s.p_WB.z(), q.w(),   q.x(),   q.y(),  q.z(),
                            s.v.x(),    s.v.y(),    s.v.z(),    s.w.x(), s.w.y(), s.w.z()};
  return fmt::format("{:.9g}\n", fmt::join(cells, ","));
}

std::string ActionCells(const Eigen::Vector3d& place, const Eigen::Vector3d& force) {
  return fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", place.x(), place.y(), place.z(),
                     force.x(), force.y(), force.z());
}

ordered_json Vector(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

/// What a body touches there: a surface, or another body.
std::string OtherOf(const solver::SceneModel& model, const solver::TouchPair& pair) {
  return pair.surface >= 0 ? model.surfaces[pair.surface].name : model.bodies[pair.other].name;
}

/// How a point went through an impact, beside its impulse.
void AddStruck(const solver::StruckPoint& struck, ordered_json* impulse) {
  (*impulse)["modes"] = ModesJson(struck.modes);
  if (std::isfinite(struck.peaks.duration)) (*impulse)["force"] = PeaksJson(struck.peaks);
}

template <class Event>
ordered_json EventJson(const Event& event) {
  ordered_json out = {{"kind", solver::KindName(event.kind)},
                      {"time", event.time},
                      {"points", event.num_points},
                      {"energy_before", event.energy_before},
                      {"energy_after", event.energy_after}};
  if (event.kind == solver::PlaneEventKind::kImpact) return out;
  out["modes"] = ordered_json::array();
  for (const solver::ContactMode mode : event.contacts)
    out["modes"].push_back(solver::ModeName(mode));
  return out;
}

}  // namespace

std::string PoseTable(const solver::PlaneSimulation& simulation) {
  std::string text = std::string("t,") + kPoseColumns;
  for (std::size_t k = 0; k < simulation.times.size(); ++k) {
    text += fmt::format("{:.9g},", simulation.times[k]) + Cells(simulation.states[k]);
  }
  return text;
}

std::string PoseTable(const solver::SceneModel& model, const solver::SceneSimulation& simulation) {
  std::string text = std::string("t,body,") + kPoseColumns;
  for (std::size_t k = 0; k < simulation.times.size(); ++k) {
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
      text += fmt::format("{:.9g},{},", simulation.times[k], model.bodies[b].name) +
              Cells(simulation.states[k].bodies[b]);
    }
  }
  return text;
}

std::string ForceTable(const solver::PlaneSimulation& simulation) {
  std::string text = "t,surface,x,y,z,fx,fy,fz\n";
  for (std::size_t k = 0; k < simulation.forces.size(); ++k) {
    for (const solver::PointAction& point : simulation.forces[k]) {
      text += fmt::format("{:.9g},{},", simulation.times[k], point.plane + 1) +
              ActionCells(point.position, point.action);
    }
  }
  return text;
}

std::string ForceTable(const solver::SceneModel& model, const solver::SceneSimulation& simulation) {
  std::string text = "t,body,against,x,y,z,fx,fy,fz\n";
  for (std::size_t k = 0; k < simulation.forces.size(); ++k) {
    for (const solver::PairAction& point : simulation.forces[k]) {
      const solver::TouchPair& pair = simulation.pairs[point.pair];
      text += fmt::format("{:.9g},{},{},", simulation.times[k], model.bodies[pair.body].name,
                          OtherOf(model, pair)) +
              ActionCells(point.position, point.action);
    }
  }
  return text;
}

std::string JointTable(const solver::SceneModel& model, const solver::SceneSimulation& simulation) {
  std::vector<Eigen::Index> shown;
  std::string text = "t";
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const auto place = static_cast<Eigen::Index>(j);
    if (simulation.states.empty() || std::isnan(simulation.states[0].joints[place])) continue;
    shown.push_back(place);
    text += "," + model.joints[j].name;
  }
  text += "\n";
  for (std::size_t k = 0; k < simulation.times.size(); ++k) {
    text += fmt::format("{:.9g}", simulation.times[k]);
    for (const Eigen::Index place : shown)
      text += fmt::format(",{:.9g}", simulation.states[k].joints[place]);
    text += "\n";
  }
  return text;
}

ordered_json ImpulsesJson(const solver::SceneModel& model,
                          const std::vector<solver::TouchPair>& pairs,
                          const solver::SimulationEvent<solver::PairAction>& event) {
  ordered_json impulses = ordered_json::array();
  for (std::size_t k = 0; k < event.impulses.size(); ++k) {
    const solver::PairAction& one = event.impulses[k];
    const solver::TouchPair& pair = pairs[one.pair];
    impulses.push_back({{"body", model.bodies[pair.body].name},
                        {"against", OtherOf(model, pair)},
                        {"position", Vector(one.position)},
                        {"impulse", Vector(one.action)}});
    AddStruck(event.struck[k], &impulses.back());
  }
  return impulses;
}

ordered_json SimulationJson(const solver::PlaneSimulation& simulation) {
  ordered_json out = {{"poses", simulation.times.size()},
                      {"at_rest", simulation.at_rest},
                      {"energy_gain", simulation.energy_gain}};
  out["events"] = ordered_json::array();
  for (const solver::PlaneEvent& event : simulation.events) {
    out["events"].push_back(EventJson(event));
    for (std::size_t k = 0; k < event.impulses.size(); ++k) {
      const solver::PointAction& one = event.impulses[k];
      ordered_json& impulses = out["events"].back()["impulses"];
      impulses.push_back({{"surface", one.plane + 1},
                          {"position", Vector(one.position)},
                          {"impulse", Vector(one.action)}});
      AddStruck(event.struck[k], &impulses.back());
    }
  }
  return out;
}

ordered_json SimulationJson(const solver::SceneModel& model,
                            const solver::SceneSimulation& simulation) {
  ordered_json out = {{"poses", simulation.times.size()}, {"at_rest", simulation.at_rest}};
  // Where a surface moves by itself, or time stands in a constraint, energy may rise.
  out["energy_gain"] =
      simulation.energy_counts ? ordered_json(simulation.energy_gain) : ordered_json(nullptr);
  out["redundant"] = simulation.redundant;
  out["events"] = ordered_json::array();
  for (const auto& event : simulation.events) {
    out["events"].push_back(EventJson(event));
    if (!event.impulses.empty())
      out["events"].back()["impulses"] = ImpulsesJson(model, simulation.pairs, event);
  }
  return out;
}

}  // namespace percuss::app
