// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <tuple>
#include <utility>

#include "solver/algebraic/bilinear.h"
#include "solver/algebraic/chatterjee_laws.h"
#include "solver/algebraic/impulse_direction_laws.h"
#include "solver/algebraic/kane_levinson.h"
#include "solver/algebraic/mirtich.h"
#include "solver/algebraic/smith.h"
#include "solver/algebraic/wang_mason.h"
#include "solver/complementarity/anitescu_potra.h"
#include "solver/complementarity/drumwright_shell.h"
#include "solver/complementarity/pfeiffer_glocker.h"
#include "solver/compliant/annular_contact.h"
#include "solver/compliant/boundary_layer.h"
#include "solver/compliant/material_laws.h"
#include "solver/compliant/spring_laws.h"
#include "solver/law/impact_law.h"
#include "solver/lumped/eigenvector_elements.h"
#include "solver/lumped/ivanov_potential.h"
#include "solver/lumped/split_mass.h"
#include "solver/multi_contact/landing.h"
#include "solver/rigid/darboux_keller.h"
#include "solver/rigid/sun_laws.h"

namespace percuss::solver {

/// All laws; a new law is one header and one entry here. A law is a struct with
///     static const LawInfo& Info();
///     template <class T> ImpactResult<T> Solve(const Contact<T>&, std::span<const T>) const;
/// and no state.
using AllLaws =
    std::tuple<NewtonLaw, PoissonLaw, StrongeLaw, MultiPointLaw, SunPlanarLaw, SunPlanarWorkLaw,
               SunPlanarEndWorkLaw, SunSpatialLaw, BrachLaw, Brach3dLaw, KaneLevinsonLaw, SmithLaw,
               PfeifferGlockerLaw, BilinearLaw, FirstChatterjeeLaw, SecondChatterjeeLaw,
               ThirdChatterjeeLaw, CombinedChatterjeeLaw, IvanovLaw, Ivanov3dLaw, WangMasonLaw,
               AnitescuPotraNewtonLaw, AnitescuPotraPoissonLaw, DrumwrightShellLaw, MirtichLaw,
               PointContactLaw, HertzLaw, MindlinDeresiewiczLaw, NonlinearDashpotLaw,
               LinearDashpotLaw, BilinearSpring1Law, BilinearSpring2Law, SpringDashpotLaw,
               HertzPlasticLaw, HuntCrossleyLaw, SpeedDependentLaw, StrongeWavesLaw,
               IvanovPotentialLaw, SplitMassLaw, EigenvectorElementsLaw, BoundaryLayerLaw,
               BoundaryLayerMaterialLaw, KelvinVoigtLaw, MawBarberFawcettLaw>;

/// @throws std::invalid_argument naming the law asked for and those there are.
[[noreturn]] void ThrowUnknownLaw(std::string_view name);

/// Calls `visitor(law)` with the law struct of that name, so that it can be used with any scalar:
///     VisitLaw("stronge", [&](const auto& law) { return law.template Solve<Jet>(contact, x); });
/// The visitor must return the same type for every law.
/// @throws std::invalid_argument naming the law asked for and those there are.
template <class Visitor, std::size_t kFirst = 0>
decltype(auto) VisitLaw(std::string_view name, Visitor&& visitor) {
  using Law = std::tuple_element_t<kFirst, AllLaws>;
  if constexpr (kFirst + 1 < std::tuple_size_v<AllLaws>) {
    if (name != Law::Info().name) {
      return VisitLaw<Visitor, kFirst + 1>(name, std::forward<Visitor>(visitor));
    }
  } else {
    if (name != Law::Info().name) ThrowUnknownLaw(name);
  }
  return std::forward<Visitor>(visitor)(Law{});
}

}  // namespace percuss::solver
