// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/multi_impact_answer.h"

#include <Eigen/Cholesky>
#include <nlohmann/json.hpp>
#include <string_view>

#include "app/requests/contact_mass_answer.h"
#include "app/sweep/csv_row.h"

namespace percuss::app {
namespace {

using nlohmann::ordered_json;

ordered_json ToJson(const Eigen::VectorXd& vector) {
  ordered_json list = ordered_json::array();
  for (const double number : vector) list.push_back(number);
  return list;
}

/// Rows of each point in a vector of all.
Eigen::Index RowsOfAPoint(const solver::MultiImpactProblem& problem) {
  return problem.jacobian.rows() / static_cast<Eigen::Index>(problem.points.size());
}

/// The part of a vector of all points that belongs to one.
Eigen::VectorXd PartOf(const MultiImpactRequest& request, const Eigen::VectorXd& all,
                       std::size_t point) {
  const Eigen::Index rows = RowsOfAPoint(request.problem);
  const Eigen::VectorXd own = all.segment(static_cast<Eigen::Index>(point) * rows, rows);
  if (!request.body) return own;
  return request.problem.points[point].frame * own;
}

/// That of one point, as if none of the others touched.
ordered_json OwnContactMassOf(const MultiImpactRequest& request,
                              const Eigen::LLT<Eigen::MatrixXd>& mass, std::size_t point) {
  const Eigen::Index rows = RowsOfAPoint(request.problem);
  const Eigen::MatrixXd own =
      request.problem.jacobian.middleRows(static_cast<Eigen::Index>(point) * rows, rows);
  const Eigen::MatrixXd inverse = own * mass.solve(own.transpose());
  return request.body ? ContactMassOf(inverse, request.problem.points[point].frame)
                      : ContactMassOf(inverse);
}

std::string_view NameOf(solver::PointMode mode) {
  switch (mode) {
    case solver::PointMode::kSlip:
      return "slip";
    case solver::PointMode::kStick:
      return "stick";
    case solver::PointMode::kOff:
      break;
  }
  return "off";
}

ordered_json EnergyOf(const solver::EnergyLedger<double>& energy) {
  return {{"normal_work", energy.normal_work}, {"friction_work", energy.friction_work}};
}

/// Where the law of a contact that yields changes: the end of its elastic part, the start of its
/// plastic one.
ordered_json YieldOf(const solver::ViscoElastoplasticLaw& law) {
  return {{"plane_modulus", law.plane_modulus},
          {"radius", law.radius},
          {"elastic", {{"compression", law.yield_deformation}, {"force", law.yield_force}}},
          {"plastic",
           {{"compression", law.plastic_deformation},
            {"force", law.plastic_force},
            {"stiffness", law.plastic_slope},
            {"contact_radius", law.plastic_radius}}}};
}

/// The forces of an event over time, in short.
ordered_json DurationOf(const solver::ContactDuration& duration) {
  ordered_json out = {{"reason", duration.reason}};
  if (duration.status != solver::DurationStatus::kSolved) return out;
  ordered_json force = ordered_json::array(), deformation = ordered_json::array();
  ordered_json left = ordered_json::array();
  for (Eigen::Index k = 0; k < duration.normal_force.cols(); ++k) {
    const solver::ContactPeaks peaks = solver::PeaksOf(duration, static_cast<int>(k));
    force.push_back(peaks.force);
    deformation.push_back(peaks.compression);
    left.push_back(peaks.last_compression);
  }
  out["duration"] = duration.times.back();
  out["compression_time"] = duration.compression_time;
  out["compression_force"] = duration.compression_force;
  out["largest"] = force;
  out["compression"] = deformation;
  out["permanent_indentation"] = left;
  return out;
}

ordered_json ToJson(const MultiImpactRequest& request, const solver::ImpactEvent& event) {
  ordered_json impulses = ordered_json::array(), modes = ordered_json::array();
  for (std::size_t k = 0; k < event.points.size(); ++k) {
    impulses.push_back(ToJson(PartOf(request, event.impulse, event.points[k])));
    ordered_json own = ordered_json::array();
    for (const solver::ImpactPhase& phase : event.phases) {
      const std::string_view mode = NameOf(phase.modes[k]);
      if (own.empty() || own.back() != mode) own.push_back(mode);
    }
    modes.push_back(own);
  }
  ordered_json out = {{"points", event.points},
                      {"restitution", event.restitution},
                      {"modes", modes},
                      {"impulse", impulses},
                      {"compression_work", event.compression_work}};
  out.update(EnergyOf(event.energy));
  out["stuck_beyond_friction"] = event.stuck_beyond_friction;
  return out;
}

}  // namespace

std::vector<solver::ContactDuration> DurationsOf(const MultiImpactRequest& request,
                                                 const solver::MultiImpactSummary& summary) {
  std::vector<solver::ContactDuration> durations;
  if (!request.material) return durations;
  for (std::size_t k = 0; k < summary.events.size(); ++k) {
    durations.push_back(
        solver::AugmentEvent(request.problem, summary, static_cast<int>(k), *request.material));
  }
  return durations;
}

ordered_json AnswerOf(const MultiImpactRequest& request, const solver::MultiImpactSummary& summary,
                      const std::vector<solver::ContactDuration>& durations) {
  ordered_json out = {{"law", kMultiPoint}, {"reason", summary.reason}};
  if (request.body) {
    out["velocity"] = ToJson(summary.speeds.head<3>());
    out["angular_velocity"] = ToJson(summary.speeds.tail<3>());
  } else {
    out["speeds"] = ToJson(summary.speeds);
  }
  const Eigen::VectorXd before = request.problem.jacobian * request.problem.speeds;
  const bool solved = summary.status == solver::MultiImpactStatus::kSolved;
  const Eigen::LLT<Eigen::MatrixXd> mass(request.problem.mass);
  ordered_json points = ordered_json::array();
  for (std::size_t k = 0; k < request.problem.points.size(); ++k) {
    ordered_json point = {{"position", ToJson(request.problem.points[k].position)},
                          {"velocity_before", ToJson(PartOf(request, before, k))}};
    if (solved) {
      point["velocity"] = ToJson(PartOf(request, summary.velocity, k));
      point["impulse"] = ToJson(PartOf(request, summary.impulse, k));
    }
    if (mass.info() == Eigen::Success) point["contact_mass"] = OwnContactMassOf(request, mass, k);
    points.push_back(point);
  }
  out["points"] = points;
  out["events"] = ordered_json::array();
  for (std::size_t k = 0; k < summary.events.size(); ++k) {
    out["events"].push_back(ToJson(request, summary.events[k]));
    if (k < durations.size()) out["events"].back()["force"] = DurationOf(durations[k]);
  }
  if (request.material) out["yield"] = YieldOf(*request.material);
  out["energy"] = {{"before", summary.energy_before},
                   {"after", summary.energy_after},
                   {"dissipated", summary.energy_before - summary.energy_after}};
  out["energy"].update(EnergyOf(summary.energy));
  return out;
}

std::string HistoryCsv(const MultiImpactRequest& request, const solver::MultiImpactSummary& summary,
                       const std::vector<solver::ContactDuration>& durations) {
  const Eigen::Index rows = RowsOfAPoint(request.problem);
  std::string text = "event,time,point,compression";
  text += rows == 2 ? ",force_t,force_n\n" : ",force_t1,force_t2,force_n\n";
  CsvRow row(text);
  for (std::size_t event = 0; event < durations.size(); ++event) {
    const solver::ContactDuration& duration = durations[event];
    const std::vector<int>& points = summary.events[event].points;
    for (std::size_t k = 0; k < duration.times.size(); ++k) {
      const auto time = static_cast<Eigen::Index>(k);
      for (std::size_t point = 0; point < points.size(); ++point) {
        const auto place = static_cast<Eigen::Index>(point);
        row.Number(static_cast<double>(event + 1));
        row.Number(duration.times[k]);
        row.Number(points[point]);
        row.Number(duration.deformation(time, place));
        for (Eigen::Index i = 0; i < rows; ++i) row.Number(duration.force(time, place * rows + i));
        row.End();
      }
    }
  }
  return text;
}

}  // namespace percuss::app
