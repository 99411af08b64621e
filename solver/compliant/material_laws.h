// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "solver/body/scalar.h"
#include "solver/compliant/boundary_layer.h"
#include "solver/compliant/point_contact.h"
#include "solver/law/impact_law.h"

// Incremental laws whose parameters are constants of the contact in SI units, the same at every
// speed and of every body. What they say changes with speed, or with mass, is their prediction.

namespace percuss::solver {

/// `boundary-layer` of a layer of the stiffness k [N/m] and the width b [m],
///     kappa = k b^2 A_nn / u_n^2,
/// taken within the bounds of that law. The faster the impact the softer is the layer against it:
/// friction is worth mu R(kappa), R = 1 + 1/(3 kappa) + ... where the contact is central and
/// elastic, so that mu seems to grow with speed. The damping c/(k b) is that of every impact, as
/// printed, and then e is; with the reference speed v it is damping |u_n| / v, a dashpot of c/v
/// [N s/m], and e falls with speed.
///
/// The impulse depends on k and b by k b^2 [J] alone. The duration of a central contact, (1 + e)
/// |u_n| / (A_nn k b), tells them apart.
///
/// Source: natsiavas (21), (23), (42); 5.3 A4 and 8 of its digest for what changes with speed.
struct BoundaryLayerMaterialLaw {
  static const LawInfo& Info();

  /// @param parameters mu, k, b, damping and, if given, reference_speed
  template <typename T>
  static BoundaryLayerModel<T> Layer(const Contact<T>& contact, std::span<const T> parameters) {
    const T speed = -contact.velocity[2];
    const T energy = parameters[1] * parameters[2] * parameters[2];
    BoundaryLayerModel<T> layer{.mu = parameters[0],
                                .stiffness = energy * contact.inverse_mass(2, 2) / (speed * speed),
                                .damping = parameters[3]};
    if (parameters.size() > 4) layer.damping *= speed / parameters[4];
    const LawInfo& within = BoundaryLayerLaw::Info();
    layer.stiffness = Within(within.parameters[1], layer.stiffness);
    layer.damping = Within(within.parameters[2], layer.damping);
    return layer;
  }

  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return IntegrateBoundaryLayer<T>(contact, Layer<T>(contact, parameters));
  }

 private:
  template <typename T>
  static T Within(const ParameterInfo& info, const T& value) {
    if (Value(value) < info.lower) return T(info.lower);
    return Value(value) > info.upper ? T(info.upper) : value;
  }
};

/// `linear-dashpot` of a spring k [N/m] and a dashpot c [N s/m] in parallel until their force is
/// zero, zeta = c sqrt(A_nn / k) / 2 (at most 100): restitution depends on the contact mass 1/A_nn,
/// not on speed.
///
/// The impulse depends on k and c by c / sqrt(k) [kg^(1/2)] alone; the duration tells them apart.
///
/// Source: chatterjee1997 8.3, (8.4).
struct KelvinVoigtLaw {
  static const LawInfo& Info();

  /// @param parameters mu, k, c
  template <typename T>
  static PointContactModel<T> Model(const Contact<T>& contact, std::span<const T> parameters) {
    using std::sqrt;
    const T zeta = T(0.5) * parameters[2] * sqrt(contact.inverse_mass(2, 2) / parameters[1]);
    constexpr double kMost = 100.0;  // as `linear-dashpot`
    return {.mu = parameters[0],
            .damping_ratio = Value(zeta) > kMost ? T(kMost) : zeta,
            .end = ContactEnd::kZeroForce};
  }

  template <typename T>
  ImpactResult<T> Solve(const Contact<T>& contact, std::span<const T> parameters) const {
    return IntegratePointContact(contact, Model<T>(contact, parameters));
  }
};

}  // namespace percuss::solver
