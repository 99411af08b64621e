// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "capture/parallel.h"
#include "solver/impact_law.h"
#include "solver/planar_contact.h"

namespace percuss::app {
namespace {

using Eigen::Vector3d;
using solver::ContactMode;

constexpr std::size_t kChunk = 2048;      // points
constexpr std::size_t kRowReserve = 320;  // bytes

/// Appends CSV cells to a text. A row is put together in place, which takes less time than
/// appending its cells to a string.
class RowWriter {
 public:
  explicit RowWriter(std::string& text) : text_(text) {}
  void Number(double value) {
    Separate();
    if (value == 0.0) {  // also -0
      *at_++ = '0';
    } else if (std::isfinite(value)) {
      at_ = std::to_chars(at_, row_.data() + row_.size(), value).ptr;
    }
  }
  void Numbers(const Vector3d& values) {
    for (const double value : values) Number(value);
  }
  void Text(std::string_view text) {
    Separate();
    Append(text);
  }
  void Modes(const solver::ModeSequence& modes) {
    Separate();
    for (std::size_t k = 0; k < modes.size(); ++k) {
      if (k > 0) Append("+");
      Append(solver::ModeName(modes[k]));
    }
  }
  void Empty(int cells) {
    for (int cell = 0; cell < cells; ++cell) Append(",");
  }
  void EndRow() {
    Append("\n");
    Flush();
    first_ = true;
  }

 private:
  static constexpr std::size_t kLongestNumber = 32;  // with the comma before it

  void Separate() {
    MakeRoom(kLongestNumber);
    if (!first_) *at_++ = ',';
    first_ = false;
  }
  void Append(std::string_view text) {
    MakeRoom(text.size());
    at_ = std::ranges::copy(text, at_).out;
  }
  void MakeRoom(std::size_t size) {
    if (static_cast<std::size_t>(row_.data() + row_.size() - at_) < size) Flush();
  }
  void Flush() {
    text_.append(row_.data(), at_);
    at_ = row_.data();
  }

  std::string& text_;
  std::array<char, 1024> row_;  // longer than any text
  char* at_ = row_.data();
  bool first_ = true;
};

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
  return header + "dissipation,normal_work,friction_work,reason\n";
}

std::uint8_t CaseIndex(std::string_view sun_case) {
  const auto found = std::ranges::find(kCases, sun_case);
  return found == kCases.end() ? kNoCase : static_cast<std::uint8_t>(found - kCases.begin());
}

std::string_view WhyNot(solver::LawDomain domain, const solver::Contact<double>& contact) {
  const double u_n = contact.velocity[2];
  if (!(u_n < 0.0)) return std::isfinite(u_n) ? "the contact does not approach" : "not finite";
  if (domain == solver::LawDomain::kSpatial) return {};
  if (!solver::PlaneOf(contact)) return "the motion is not planar";
  if (domain == solver::LawDomain::kPlanar) return {};
  const double coupling = contact.inverse_mass.topRightCorner<2, 1>().norm();
  if (coupling > 1e-9 * contact.inverse_mass.norm()) return "tangent and normal are coupled";
  return {};
}

void WriteAnswer(const SweepSpec& spec, const SweptImpact& impact,
                 const solver::ImpactResult<double>& answer, double dissipation, RowWriter& row) {
  const Vector3d impulse = impact.frame * answer.impulse;
  row.Text(answer.sun_case);
  row.Modes(answer.modes);
  row.Numbers(impulse);
  row.Numbers(impact.frame * answer.contact_velocity);
  if (spec.setup.has_body) {
    row.Numbers(impact.v + impulse / impact.mass);
    row.Numbers(impact.w + impact.inverse_inertia * impact.r.cross(impulse));
  }
  row.Number(dissipation);
  row.Number(answer.energy.normal_work);
  row.Number(answer.energy.friction_work);
  row.Text("");
}

/// Points first ... last - 1.
void SolveChunk(solver::LawFunction law, const SweepSpec& spec, std::size_t first, std::size_t last,
                std::string& text, SweepResult& result) {
  std::vector<double> values;
  for (const SweepInput& input : spec.inputs) values.push_back(input.value);
  const std::size_t num_setup = spec.setup.inputs.size();
  const std::span<const double> setup_values(values.data(), num_setup);
  const std::span<const double> parameters(values.data() + num_setup, spec.num_parameters);
  const std::size_t width = spec.axes.back().count;
  const int answer_cells = spec.setup.has_body ? 17 : 11;
  SweptImpact impact;
  text.reserve((last - first) * kRowReserve);
  RowWriter row(text);
  for (std::size_t point = first; point < last; ++point) {
    if (spec.axes.size() > 1) spec.axes[0].Set(spec.axes[0].At(point / width), values);
    spec.axes.back().Set(spec.axes.back().At(point % width), values);
    for (const SweepAxis& axis : spec.axes) {
      row.Number(values[axis.input]);
      for (const SweepLink& link : axis.links) row.Number(values[link.input]);
    }
    std::string_view reason = spec.setup.place(setup_values, impact);
    if (reason.empty()) reason = WhyNot(spec.law.domain, impact.contact);
    if (reason.empty()) {
      const solver::ImpactResult<double> answer = law(impact.contact, parameters);
      const double lost = -(answer.energy.normal_work + answer.energy.friction_work);
      if (answer.impulse.allFinite()) {
        WriteAnswer(spec, impact, answer, lost / impact.energy, row);
        result.cases[point] = CaseIndex(answer.sun_case);
        result.dissipation[point] = static_cast<float>(lost / impact.energy);
      } else {
        reason = "the law has no answer";
      }
    }
    if (!reason.empty()) {
      row.Empty(answer_cells);
      row.Text(reason);
    }
    row.EndRow();
  }
}

}  // namespace

SweepResult RunSweep(const SweepSpec& spec, int num_threads) {
  const std::size_t num_points = spec.NumPoints();
  const std::size_t num_chunks = (num_points + kChunk - 1) / kChunk;
  SweepResult result;
  result.csv.resize(num_chunks + 1);
  result.csv[0] = Header(spec);
  result.cases.assign(num_points, kNoImpact);
  result.dissipation.assign(num_points, std::numeric_limits<float>::quiet_NaN());
  const solver::LawFunction law = solver::FindLawFunction(spec.law.name);
  capture::ParallelFor(static_cast<int>(num_chunks), num_threads, [&](int chunk) {
    const std::size_t first = static_cast<std::size_t>(chunk) * kChunk;
    std::string& text = result.csv[static_cast<std::size_t>(chunk) + 1];
    SolveChunk(law, spec, first, std::min(first + kChunk, num_points), text, result);
  });
  return result;
}

}  // namespace percuss::app
