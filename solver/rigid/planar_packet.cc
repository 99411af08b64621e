// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/rigid/planar_packet.h"

namespace percuss::solver {
namespace {

template <RestitutionHypothesis kRestitution>
[[gnu::always_inline, gnu::flatten]] inline void SolveLanes(std::size_t count, PlanarPacket& x) {
#if defined(__clang__)
#pragma clang loop vectorize(enable)  // says so where it cannot be done
#endif
  for (std::size_t k = 0; k < count; ++k) {
    const PlanarContact<double> contact{x.tt[k], x.tn[k], x.nn[k], x.u_t[k], x.u_n[k]};
    const PlanarImpact<double> impact =
        SolvePlanarImpact(contact, x.mu[k], x.mu_static[k],
                          internal::RestitutionByCoefficient<double>{
                              .e = x.e[k], .hypothesis = kRestitution, .first_u_n = x.u_n[k]});
    x.p_t[k] = impact.p_t;
    x.p_n[k] = impact.p_n;
    x.compression_impulse[k] = impact.compression_impulse;
    x.normal_work[k] = impact.normal_work;
    x.friction_work[k] = impact.friction_work;
    x.first_mode[k] = impact.first_mode;
    x.compression_mode[k] = impact.compression_mode;
    x.last_mode[k] = impact.last_mode;
    x.sun_case[k] = impact.sun_case;
  }
}

// With AVX2 instructions take twice as many lanes, but packages are for every processor: the
// program asks the one it runs on. Neither form fuses multiplications and additions, so that both
// round alike. A choice by the dynamic linker would come too early for the thread sanitizer.
#if defined(__x86_64__)
template <RestitutionHypothesis kRestitution>
[[gnu::target("avx2")]] void SolveLanesByAvx2(std::size_t count, PlanarPacket& packet) {
  SolveLanes<kRestitution>(count, packet);
}
#endif

template <RestitutionHypothesis kRestitution>
void SolveWidest(std::size_t count, PlanarPacket& packet) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return SolveLanesByAvx2<kRestitution>(count, packet);
#endif
  SolveLanes<kRestitution>(count, packet);
}

}  // namespace

void SolvePlanarPacket(RestitutionHypothesis restitution, std::size_t count, PlanarPacket& packet) {
  switch (restitution) {
    case RestitutionHypothesis::kNewton:
      return SolveWidest<RestitutionHypothesis::kNewton>(count, packet);
    case RestitutionHypothesis::kPoisson:
      return SolveWidest<RestitutionHypothesis::kPoisson>(count, packet);
    case RestitutionHypothesis::kStronge:
      return SolveWidest<RestitutionHypothesis::kStronge>(count, packet);
  }
}

}  // namespace percuss::solver
