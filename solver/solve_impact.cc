// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/solve_impact.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>

#include "solver/law_registry.h"
#include "solver/rigid/planar_packet.h"

namespace percuss::solver {
namespace {

bool IsFinite(const Contact<double>& contact, std::span<const double> parameters) {
  double sum = contact.inverse_mass.sum() + contact.velocity.sum();
  for (const double value : parameters) sum += value;
  return std::isfinite(sum);
}

template <class Law>
ImpactResult<double> SolveOne(const Contact<double>& contact, std::span<const double> parameters) {
  if (!IsFinite(contact, parameters)) return NoAnswer<double>();
  return Law{}.template Solve<double>(contact, parameters);
}

template <class Law>
void SolveMany(std::span<const Contact<double>> contacts, std::span<const double> parameters,
               std::span<ImpactResult<double>> results) {
  const std::size_t width = contacts.empty() ? 0 : parameters.size() / contacts.size();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    results[k] = SolveOne<Law>(contacts[k], parameters.subspan(k * width, width));
  }
}

// Those that slip in a plane in packets.
template <class Law>
requires requires { Law::kHypothesis; }
void SolveMany(std::span<const Contact<double>> contacts, std::span<const double> parameters,
               std::span<ImpactResult<double>> results) {
  const std::size_t width = contacts.empty() ? 0 : parameters.size() / contacts.size();
  PlanarPacket packet;
  std::array<std::size_t, PlanarPacket::kLanes> places;
  std::array<Eigen::Vector2d, PlanarPacket::kLanes> tangents;
  std::size_t count = 0;
  const auto solve_packet = [&] {
    SolvePlanarPacket(Law::kHypothesis, count, packet);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const std::size_t k = places[lane];
      results[k] = Spatial(contacts[k], tangents[lane], packet.Impact(lane));
    }
    count = 0;
  };
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const auto row = parameters.subspan(k * width, width);
    if (!IsFinite(contacts[k], row) || internal::SlipsUncoupled(contacts[k]) ||
        !internal::SlipsInPlane(contacts[k], &tangents[count])) {
      results[k] = SolveOne<Law>(contacts[k], row);
      continue;
    }
    packet.Put(count, InPlane(contacts[k], tangents[count]));
    packet.mu[count] = row[0];
    packet.e[count] = row[1];
    packet.mu_static[count] = row[row.size() > 2 ? 2 : 0];
    places[count] = k;
    if (++count == PlanarPacket::kLanes) solve_packet();
  }
  solve_packet();
}

}  // namespace

const std::vector<LawInfo>& Laws() {
  static const std::vector<LawInfo> laws =
      std::apply([](const auto&... law) { return std::vector<LawInfo>{law.Info()...}; }, AllLaws{});
  return laws;
}

void ThrowUnknownLaw(std::string_view name) {
  std::string known;
  for (const LawInfo& law : Laws()) known += (known.empty() ? "" : ", ") + std::string(law.name);
  throw std::invalid_argument("law is \"" + std::string(name) + "\"; allowed are " + known);
}

const LawInfo& FindLaw(std::string_view name) {
  for (const LawInfo& law : Laws()) {
    if (law.name == name) return law;
  }
  ThrowUnknownLaw(name);
}

LawFunction FindLawFunction(std::string_view name) {
  return VisitLaw(name, []<class Law>(const Law&) -> LawFunction { return SolveOne<Law>; });
}

LawBatchFunction FindLawBatchFunction(std::string_view name) {
  return VisitLaw(name, []<class Law>(const Law&) -> LawBatchFunction { return SolveMany<Law>; });
}

ImpactResult<double> SolveImpact(std::string_view law, const Contact<double>& contact,
                                 std::span<const double> parameters) {
  const LawInfo& info = FindLaw(law);
  ValidateParameters(info, parameters);
  ValidateContact(contact);
  ValidateDomain(info, contact);
  return FindLawFunction(law)(contact, parameters);
}

}  // namespace percuss::solver
