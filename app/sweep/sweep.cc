// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/sweep/csv_row.h"
#include "base/nan.h"
#include "base/parallel.h"
#include "solver/law/domain_reason.h"
#include "solver/law/impact_law.h"
#include "solver/rigid/sliding_friction.h"
#include "solver/solve_impact.h"

namespace percuss::app {
namespace {

using Eigen::Vector3d;
using solver::ContactMode;

constexpr std::size_t kChunk = 64;            // points that are solved together
constexpr std::size_t kChunksPerThread = 64;  // in a batch

// The cells of an axis and of what is linked to it, for each of its points, with all digits: who
// computes a row again shall have the same contact.
std::vector<std::string> AxisCells(const SweepSpec& spec, const SweepAxis& axis) {
  std::vector<double> values(spec.inputs.size());
  std::vector<std::string> cells(axis.count);
  for (std::size_t index = 0; index < axis.count; ++index) {
    axis.Set(axis.At(index), values);
    cells[index] = fmt::format("{}", values[axis.input]);
    for (const SweepLink& link : axis.links) cells[index] += fmt::format(",{}", values[link.input]);
  }
  return cells;
}

std::string Header(const SweepSpec& spec) {
  std::string header;
  for (const SweepAxis& axis : spec.axes) {
    header += spec.inputs[axis.input].name + ",";
    for (const SweepLink& link : axis.links) header += spec.inputs[link.input].name + ",";
  }
  header += spec.setup.has_body
                ? "case,modes,impulse_x,impulse_y,impulse_z,contact_velocity_x,contact_velocity_y,"
                  "contact_velocity_z,vx_post,vy_post,vz_post,wx_post,wy_post,wz_post,"
                : "case,modes,impulse_t1,impulse_t2,impulse_n,contact_velocity_t1,"
                  "contact_velocity_t2,contact_velocity_n,";
  return header +
         "dissipation,normal_work,friction_work,critical_friction,sliding_friction,reason\n";
}

std::uint8_t CaseIndex(std::string_view sun_case) {
  const auto found = std::ranges::find(kCases, sun_case);
  return found == kCases.end() ? kNoCase : static_cast<std::uint8_t>(found - kCases.begin());
}

void WriteVector(const Vector3d& values, CsvRow& row) {
  for (const double value : values) row.Number(value);
}

void WriteAnswer(const SweepSpec& spec, const SweptImpact& impact,
                 const solver::ImpactResult<double>& answer, double dissipation, double restitution,
                 CsvRow& row) {
  const Vector3d impulse = impact.frame * answer.impulse;
  row.Text(answer.sun_case);
  row.Joined(answer.modes, solver::ModeName);
  WriteVector(impulse, row);
  WriteVector(impact.frame * answer.contact_velocity, row);
  if (spec.setup.has_body) {
    WriteVector(impact.v + impulse / impact.mass, row);
    WriteVector(impact.w + impact.inverse_inertia * impact.r.cross(impulse), row);
  }
  row.Number(dissipation);
  row.Number(answer.energy.normal_work);
  row.Number(answer.energy.friction_work);
  const auto limits = solver::CalcFrictionLimits(impact.contact, restitution);
  row.Number(limits.critical);
  row.Number(limits.sliding);
  row.Text("");
}

bool MovesOnly(const SweepSpec& spec, const SweepAxis& axis) {
  return spec.inputs[axis.input].moves &&
         std::ranges::all_of(axis.links,
                             [&](const SweepLink& link) { return spec.inputs[link.input].moves; });
}

// Points first ... last - 1. Without cells there are no rows.
void SolveChunk(solver::LawBatchFunction law, const SweepSpec& spec,
                const std::vector<std::vector<std::string>>& cells, std::size_t first,
                std::size_t last, std::string& text, SweepResult& result) {
  const bool rows = !cells.empty();
  std::vector<double> values;
  for (const SweepInput& input : spec.inputs) values.push_back(input.value);
  const std::size_t num_setup = spec.setup.inputs.size();
  const std::span<const double> setup_values(values.data(), num_setup);
  const std::span<const double> parameters(values.data() + num_setup, spec.num_parameters);
  const std::size_t width = spec.axes.back().count;
  const int answer_cells = spec.setup.has_body ? 19 : 13;
  const bool moves_only = MovesOnly(spec, spec.axes.back());

  const std::size_t count = last - first;
  std::vector<std::string_view> reasons(count);
  std::vector<SweptImpact> impacts(rows ? count : 1);  // a row says more than the contact
  std::vector<solver::Contact<double>> contacts(count);
  std::vector<double> energies(count), all_parameters;
  all_parameters.reserve(count * parameters.size());
  std::string_view not_placed;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t point = first + k;
    if (spec.axes.size() > 1) spec.axes[0].Set(spec.axes[0].At(point / width), values);
    spec.axes.back().Set(spec.axes.back().At(point % width), values);
    all_parameters.insert(all_parameters.end(), parameters.begin(), parameters.end());
    SweptImpact& impact = impacts[rows ? k : 0];
    if (k == 0 || point % width == 0 || !moves_only) {
      not_placed = spec.setup.place(setup_values, impact);
    } else if (rows) {
      impact = impacts[k - 1];
    }
    reasons[k] = not_placed;
    if (not_placed.empty()) {
      spec.setup.move(setup_values, impact);
      reasons[k] = solver::WhyOutside(spec.law.domain, impact.contact);
    }
    contacts[k] = impact.contact;
    energies[k] = impact.energy;
    if (!reasons[k].empty()) contacts[k].velocity.setConstant(kNaN);  // no law solves that
  }
  std::vector<solver::ImpactResult<double>> answers(count);
  law(contacts, all_parameters, answers);

  CsvRow row(text);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t point = first + k;
    if (rows && spec.axes.size() > 1) row.Text(cells[0][point / width]);
    if (rows) row.Text(cells.back()[point % width]);
    const solver::ImpactResult<double>& answer = answers[k];
    if (reasons[k].empty() && !answer.impulse.allFinite()) reasons[k] = "the law has no answer";
    if (reasons[k].empty()) {
      const double dissipation =
          -(answer.energy.normal_work + answer.energy.friction_work) / energies[k];
      if (rows) {
        const std::span<const double> own(all_parameters.data() + k * parameters.size(),
                                          parameters.size());
        WriteAnswer(spec, impacts[k], answer, dissipation,
                    solver::ParameterNamed(spec.law, "e", own), row);
      }
      result.cases[point] = CaseIndex(answer.sun_case);
      result.dissipation[point] = static_cast<float>(dissipation);
    } else {
      if (rows) {
        row.Empty(answer_cells);
        row.Text(reasons[k]);
      }
      if (point == 0) result.first_reason = reasons[k];
    }
    if (rows) row.End();
  }
}

}  // namespace

SweepResult RunSweep(const SweepSpec& spec, int num_threads,
                     const std::function<void(std::string_view)>& write) {
  const std::size_t num_points = spec.NumPoints();
  SweepResult result;
  result.cases.assign(num_points, kNoImpact);
  result.dissipation.assign(num_points, std::numeric_limits<float>::quiet_NaN());
  const solver::LawBatchFunction law = solver::FindLawBatchFunction(spec.law.name);
  std::vector<std::vector<std::string>> cells;
  if (write) {
    for (const SweepAxis& axis : spec.axes) cells.push_back(AxisCells(spec, axis));
    write(Header(spec));
  }
  // One batch is written while the next is solved. The texts are used again and again: fresh memory
  // would cost the system more time than the law.
  const std::size_t most = kChunksPerThread * num_threads;
  std::vector<std::string> solved(most), written(most);
  std::size_t num_written = 0;
  for (std::size_t begin = 0; begin < num_points || num_written > 0; begin += most * kChunk) {
    const std::size_t left = begin < num_points ? (num_points - begin + kChunk - 1) / kChunk : 0;
    const std::size_t count = std::min(left, most);
    ParallelFor(static_cast<int>(count) + 1, num_threads, [&](int task) {
      if (task == 0) {
        for (std::size_t k = 0; write && k < num_written; ++k) write(written[k]);
        return;
      }
      const std::size_t k = task - 1;
      const std::size_t first = begin + k * kChunk;
      solved[k].clear();
      SolveChunk(law, spec, cells, first, std::min(first + kChunk, num_points), solved[k], result);
    });
    std::swap(solved, written);
    num_written = count;
  }
  return result;
}

}  // namespace percuss::app
