// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "solver/compliant/planar_dashpot.h"
#include "solver/compliant/point_contact.h"
#include "solver/restitution/hertz.h"
#include "solver/rigid/darboux_keller.h"

// Impact laws whose normal force is that of a spring or a dashpot. Each has
//     template <class T>
//     static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters);
// from which IntegratePointContact also gives the history of the impact.

namespace percuss::solver {

namespace internal {

template <typename T>
ImpactResult<T> SolveStronge(const Contact<T>& contact, const T& mu, const T& e) {
  const std::array<T, 2> parameters = {mu, e};
  return StrongeLaw{}.template Solve<T>(contact, std::span<const T>(parameters));
}

/// Exponent of F = k d^n, optional at that place.
template <typename T>
double ExponentAmong(std::span<const T> parameters, std::size_t place) {
  return parameters.size() > place ? Value(parameters[place]) : 1.5;
}

/// Solves a law by integrating its model.
template <class Law>
struct IntegratedSpringLaw {
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return IntegratePointContact(contact, Law::Model(contact, parameters));
  }
};

/// Solves a law whose damping is in proportion to the elastic force, rate_factor [s/m] times the
/// rate of compression; its elastic curve does not change the impulse. In one plane nothing needs
/// to be integrated over time.
template <typename T>
ImpactResult<T> SolveDashpotInProportion(const Contact<T>& contact, const T& mu,
                                         const T& rate_factor) {
  if (const auto tangent = PlaneOfAll(contact)) {
    ImpactResult<T> result =
        Spatial(contact, *tangent,
                SolvePlanarImpact(InPlane(contact, *tangent), mu, Value(mu),
                                  RestitutionByDashpot<T>{.rate_factor = rate_factor}));
    result.sun_case = {};
    return result;
  }
  return IntegratePointContact(
      contact, PointContactModel<T>{.mu = mu, .rate_factor = -rate_factor * contact.velocity[2]});
}

/// Solves a law as `stronge`. Where the normal force depends on compression alone, restitution ends
/// when its work is the share e^2 of the work of compression whatever friction does, since
/// int u_n dP_n = -int F dd; without tangential compliance the impulse is then that of `stronge`.
template <class Law>
struct StrongeSpringLaw {
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    const PointContactModel<T> model = Law::Model(contact, parameters);
    return SolveStronge(contact, model.mu, model.e);
  }
};

}  // namespace internal

/// Linear normal spring whose unloading is steeper by 1/e^2, linear lossless tangential spring with
/// the stiffness k_t = stiffness_ratio k_n, massless Coulomb point. The tangential velocity may
/// reverse. Homogeneous in velocity and mass.
///
/// Source: chatterjee1997 5.2.4, 8.4.
struct PointContactLaw : internal::IntegratedSpringLaw<PointContactLaw> {
  static const LawInfo& Info();

  /// @param parameters mu, e, stiffness_ratio
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0],
            .unloading = Unloading::kSteep,
            .e = parameters[1],
            .stiffness_ratio = parameters[2]};
  }
};

/// Lossless Hertz contact, F = k d^n. Its impulse is that of `stronge` with e = 1, whatever n is.
///
/// Source: chatterjee1997 5.2.1, 11.3.2; sun2017 (1.10).
struct HertzLaw : internal::StrongeSpringLaw<HertzLaw> {
  static const LawInfo& Info();

  /// @param parameters mu and, if given, n (3/2)
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0],
            .force = NormalForce::kHertz,
            .exponent = internal::ExponentAmong(parameters, 1)};
  }
};

/// Spheres after Hertz and Mindlin, as far as one tangential spring can tell: F = k d^(3/2), and a
/// tangential stiffness 2 (1 - nu) / (2 - nu) times the normal one, dF/dd, with the limit mu F on
/// the whole contact area. Left out: slip that spreads inwards from the edge of the area, and the
/// memory of the tractions on its annuli (Mindlin and Deresiewicz; Maw, Barber and Fawcett). No
/// normal loss.
///
/// Source: chatterjee1997 5.2.2, 11.3.4.
struct MindlinDeresiewiczLaw : internal::IntegratedSpringLaw<MindlinDeresiewiczLaw> {
  static const LawInfo& Info();

  /// @param parameters mu, nu
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0],
            .force = NormalForce::kHertz,
            .stiffness_ratio = MindlinStiffnessRatio(parameters[1])};
  }
};

/// F = k d + c d d'. Restitution falls with speed, RestitutionOfNonlinearDashpot(c u / k) if
/// frictionless, and does not depend on mass.
///
/// Source: chatterjee1997 8.2.
struct NonlinearDashpotLaw {
  static const LawInfo& Info();

  /// @param parameters mu, c_over_k [s/m]
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return internal::SolveDashpotInProportion<T>(contact, parameters[0], parameters[1]);
  }

  /// @param parameters mu, c_over_k [s/m]
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>& contact, std::span<const T> parameters) {
    return {.mu = parameters[0], .rate_factor = -parameters[1] * contact.velocity[2]};
  }
};

/// Hunt and Crossley: F = k d^n + lambda d^n d' with alpha = 2 lambda / (3 k), so that the
/// frictionless restitution is 1 - alpha |u_n| for small speeds. The exponent does not change the
/// impulse: it is that of `nonlinear-dashpot` with c/k = 3 alpha / 2.
///
/// Source: sun2017 (1.12), (1.13).
struct HuntCrossleyLaw {
  static const LawInfo& Info();

  /// @param parameters mu, alpha [s/m]
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return internal::SolveDashpotInProportion<T>(contact, parameters[0], 1.5 * parameters[1]);
  }

  /// @param parameters mu, alpha [s/m] and, if given, n (3/2)
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>& contact, std::span<const T> parameters) {
    return {.mu = parameters[0],
            .force = NormalForce::kHertz,
            .exponent = internal::ExponentAmong(parameters, 2),
            .rate_factor = -1.5 * parameters[1] * contact.velocity[2]};
  }
};

/// F = k d + c d' until F = 0, with zeta = c / (2 sqrt(k m)) and m = 1/A_nn. With zeta given the
/// law is homogeneous; with k and c given zeta and so restitution depend on mass.
///
/// Source: chatterjee1997 8.3.
struct LinearDashpotLaw : internal::IntegratedSpringLaw<LinearDashpotLaw> {
  static const LawInfo& Info();

  /// @param parameters mu, zeta
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0], .damping_ratio = parameters[1], .end = ContactEnd::kZeroForce};
  }
};

/// F = k d + c d' until d = 0: at the end the contact pulls, without friction, so that the whole
/// impulse may leave the friction cone. zeta is that of `linear-dashpot`; from 1 on the contact
/// would never end.
///
/// Source: sun2017 (1.9).
struct SpringDashpotLaw : internal::IntegratedSpringLaw<SpringDashpotLaw> {
  static const LawInfo& Info();

  /// @param parameters mu, zeta
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0], .damping_ratio = parameters[1]};
  }
};

/// Linear spring that gives back the share e^2 of its work, without tangential compliance. The
/// impulse is that of `stronge`, for each way of unloading; histories differ. kSteep (approach 1 of
/// the source) leaves some compression, kDrop (approach 2) lets the force drop.
///
/// Source: chatterjee1997 8.4.
template <Unloading kUnloading>
struct BilinearSpringLaw : internal::StrongeSpringLaw<BilinearSpringLaw<kUnloading>> {
  static const LawInfo& Info();

  /// @param parameters mu, e
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0], .unloading = kUnloading, .e = parameters[1]};
  }
};

using BilinearSpring1Law = BilinearSpringLaw<Unloading::kSteep>;
using BilinearSpring2Law = BilinearSpringLaw<Unloading::kDrop>;

template <>
const LawInfo& BilinearSpring1Law::Info();
template <>
const LawInfo& BilinearSpring2Law::Info();

/// Hertz contact with a permanent indentation d_p: F = k d^n to d_max, then
///     F = F_max ((d - d_p) / (d_max - d_p))^n.
/// The source gives no value for d_p; a constant d_p / d_max = 1 - e^2 makes e the restitution for
/// any n. The impulse is that of `stronge`.
///
/// Source: sun2017 (1.10), (1.11).
struct HertzPlasticLaw : internal::StrongeSpringLaw<HertzPlasticLaw> {
  static const LawInfo& Info();

  /// @param parameters mu, e and, if given, n (3/2)
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>&, std::span<const T> parameters) {
    return {.mu = parameters[0],
            .force = NormalForce::kHertz,
            .exponent = internal::ExponentAmong(parameters, 2),
            .unloading = Unloading::kSteep,
            .e = parameters[1]};
  }
};

/// Law `stronge` with e = 1 - alpha |u_n|^m, u_n in m/s, and 0 where that is negative.
///
/// Source: sun2017 (1.21).
struct SpeedDependentLaw {
  static const LawInfo& Info();

  /// @param parameters mu, alpha, m
  template <typename T>
  static T Restitution(const T& speed, std::span<const T> parameters) {
    using std::pow;
    const T e = T(1) - parameters[1] * pow(speed, parameters[2]);
    return Value(e) > 0.0 ? e : T(0);
  }
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return internal::SolveStronge(contact, parameters[0],
                                  Restitution<T>(-contact.velocity[2], parameters));
  }
};

/// Law `stronge` of which the share W_w of the work of compression leaves as elastic waves:
///     e'^2 = (W_r - W_w) / |W_c| = e^2 - w |u_n|^m,   0 where negative, u_n in m/s,
/// with e^2 = W_r/|W_c| what deformation at the contact gives back. The source has W_w = int 2a P
/// (du/dt) dt for a cylinder on a half-space, with the mean displacement u of a strip of its
/// surface under the pressure P, which bodies that are rigid elsewhere do not have. How W_w grows
/// with speed does not need it: a force F that lasts for T radiates in proportion to F^2/T. F = k
/// d^n has F ~ |u_n|^(2n/(n+1)) and T ~ |u_n|^((1-n)/(n+1)), so that m = 3 (n - 1)/(n + 1): 3/5 for
/// spheres (S. C. Hunter, J. Mech. Phys. Solids 5 (1957) 162), 0 for a linear spring. Its size, w,
/// is a parameter.
///
/// Source: sun2017 1.2.6 (Stronge 1995).
struct StrongeWavesLaw {
  static const LawInfo& Info();

  /// @param parameters mu, e, w and, if given, m (3/5)
  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    using std::pow;
    using std::sqrt;
    const T m = parameters.size() > 3 ? parameters[3] : T(0.6);
    const T squared =
        parameters[1] * parameters[1] - parameters[2] * pow(T(-contact.velocity[2]), m);
    return internal::SolveStronge(contact, parameters[0],
                                  Value(squared) > 0.0 ? T(sqrt(squared)) : T(0));
  }
};

}  // namespace percuss::solver
