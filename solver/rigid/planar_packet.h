// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "solver/contact/planar_contact.h"
#include "solver/law/restitution_hypothesis.h"
#include "solver/rigid/planar_impact.h"

namespace percuss::solver {

/// Planar impacts beside each other, one to a lane of the arrays, for instructions that take
/// several lanes at once.
struct PlanarPacket {
  static constexpr std::size_t kLanes = 64;
  template <typename T>
  using Lanes = std::array<T, kLanes>;

  Lanes<double> tt, tn, nn, u_t, u_n;  ///< as in PlanarContact
  Lanes<double> mu, mu_static, e;
  Lanes<double> p_t, p_n, compression_impulse, normal_work, friction_work;  ///< as in PlanarImpact
  Lanes<ContactMode> first_mode, compression_mode, last_mode;
  Lanes<int> sun_case;

  void Put(std::size_t lane, const PlanarContact<double>& contact) {
    tt[lane] = contact.tt;
    tn[lane] = contact.tn;
    nn[lane] = contact.nn;
    u_t[lane] = contact.u_t;
    u_n[lane] = contact.u_n;
  }
  PlanarImpact<double> Impact(std::size_t lane) const {
    return {.p_t = p_t[lane],
            .p_n = p_n[lane],
            .compression_impulse = compression_impulse[lane],
            .normal_work = normal_work[lane],
            .friction_work = friction_work[lane],
            .first_mode = first_mode[lane],
            .compression_mode = compression_mode[lane],
            .last_mode = last_mode[lane],
            .sun_case = sun_case[lane]};
  }
};

/// SolvePlanarImpact on the first `count` lanes: the same formulas in a loop whose branches the
/// compiler turns into selections.
void SolvePlanarPacket(RestitutionHypothesis restitution, std::size_t count, PlanarPacket& packet);

}  // namespace percuss::solver
