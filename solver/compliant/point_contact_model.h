// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"

namespace percuss::solver {

/// Force of the normal element at the compression d >= 0 while it is being compressed:
///     kLinear   F = k d
///     kHertz    F = k d^n, n = 3/2 for spheres
enum class NormalForce { kLinear, kHertz };

/// What the element does while it expands (compression velocity below zero):
///     kSame   the same curve back
///     kDrop   the same curve times e^2: the force drops at maximum compression, contact ends at d
///     = 0 kSteep  the curve starts from the same force, but is steeper by 1/e^2: some d is left at
///     the
///             end
/// The last two give back the share e^2 of the work of compression. Should compression start anew
/// before the contact ends, the element loads as at first from the d (kDrop) or the force (kSteep)
/// it has; works then add up as they do in the law `stronge`.
enum class Unloading { kSame, kDrop, kSteep };

enum class ContactEnd { kZeroCompression, kZeroForce };

/// A contact of one point, in dimensionless form: the unit of velocity is the approach velocity
/// |u_n|, that of mass 1/A_nn (what the normal force alone accelerates), and k = 1. With d the
/// compression, d' its rate and f the curve above,
///     F_n = f(d) (1 + rate_factor d') + 2 damping_ratio d'.
/// Tangentially a spring leads from the mass to a massless point with Coulomb friction: stiffness
/// `stiffness_ratio` times the slope f'(d). Without the ratio the spring is rigid and the mass
/// itself slips or sticks, as in the Darboux-Keller equations.
template <typename T>
struct PointContactModel {
  T mu = T(0);
  NormalForce force = NormalForce::kLinear;
  double exponent = 1.5;  ///< n >= 1, with kHertz
  Unloading unloading = Unloading::kSame;
  T e = T(1);              ///< for kDrop and kSteep
  T rate_factor = T(0);    ///< c u / k with c / k in s/m and the approach velocity u
  T damping_ratio = T(0);  ///< c / (2 sqrt(k m)), m = 1/A_nn; with kLinear
  ContactEnd end = ContactEnd::kZeroCompression;
  std::optional<T> stiffness_ratio{};
};

struct ContactOptions {
  /// Error of a step, relative to the units above.
  double tolerance = 1e-12;
  /// k of the normal element [N/m; N/m^n with kHertz]. It sets the scales of time, displacement
  /// and force in the history; the impulse does not depend on it.
  double stiffness = 1.0;
  /// The longest step while a history is recorded, in the unit of time of the model.
  double history_step = 0.02;
  int max_steps = 200'000;  ///< then the result is NaN
};

/// The impact at one time, in the contact frame (t1, t2, n).
struct ContactSample {
  double time = 0.0;                                       ///< since touch [s]
  Eigen::Vector3d displacement = Eigen::Vector3d::Zero();  ///< of the contact point, int u dt [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();      ///< u [m/s]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();         ///< of the surface on the body [N]
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();       ///< P so far [N s]
  ContactMode mode = ContactMode::kSlip;
};

/// Times never fall; where the force jumps there are two samples at one time.
using ContactHistory = std::vector<ContactSample>;

}  // namespace percuss::solver
