// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "impacts/impact_record.h"
#include "solver/body/rigid_body.h"
#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

using Vector6d = Eigen::Matrix<double, 6, 1>;  ///< velocities [v; w], W axes

/// What a law takes its parameters as.
inline std::span<const double> AsSpan(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

/// What of a contact the errors of an impact move at all. By the rest no law is differentiated for
/// them: a table with errors of velocities alone, or in one plane, takes a part of the time.
struct MovedInputs {
  bool inverse_mass = true;
  std::array<bool, 3> velocity = {true, true, true};  ///< contact frame
};

/// The part of an impact that no law parameter changes:
///
///     [v'; w'] = [v; w] + B P,   B = [F / m; I_W^-1 [r]x F],
///
/// with P the impulse in the contact frame and F = ContactFrame(normal).
struct ImpactGeometry {
  solver::Contact<double> contact;                      ///< the input of a law
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  ///< F
  Vector6d before = Vector6d::Zero();                   ///< [v; w]
  Eigen::Matrix<double, 6, 3> velocity_per_impulse = Eigen::Matrix<double, 6, 3>::Zero();  ///< B
  double mass = 0.0;
  Eigen::Matrix3d inertia_W = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d inverse_inertia_W = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d arm_per_rotation = Eigen::Matrix3d::Zero();  ///< ContactArmPerRotation
  /// Derivatives of inertia_W by solver::InertiaError.
  std::array<Eigen::Matrix3d, 6> inertia_directions = {};
  /// TouchingPoints, which laws of LawInfo::several_points take; empty: the contact alone.
  std::vector<Eigen::Vector3d> touching = {};
  /// PlanarContactWithin, which laws of planar motion take in place of the contact.
  std::optional<solver::Contact<double>> planar = {};
  /// By its errors (PrepareImpact).
  MovedInputs moved = {};
};

/// What a law sees of the impact.
const solver::Contact<double>& ContactFor(std::string_view law, const ImpactGeometry& geometry);

/// I_W = R_WB I_B R_WB^T.
Eigen::Matrix3d InertiaInWorld(const Eigen::Quaterniond& q_WB, const solver::Body& body);

ImpactGeometry CalcGeometry(const impacts::ImpactRecord& record, const solver::Body& body);

/// Impulse of a law with its derivatives with respect to what the law sees. `inverse_mass` counts
/// the entries (00, 10, 11, 20, 21, 22) of the symmetric matrix A.
struct LawDerivatives {
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
  Eigen::Matrix<double, 3, 6> inverse_mass = Eigen::Matrix<double, 3, 6>::Zero();
  Eigen::Matrix3d velocity = Eigen::Matrix3d::Zero();
  Eigen::Matrix<double, 3, Eigen::Dynamic> parameters;
  /// The same derivatives of the work of the normal impulse [J].
  struct Work {
    Eigen::Matrix<double, 1, 6> inverse_mass = Eigen::Matrix<double, 1, 6>::Zero();
    Eigen::RowVector3d velocity = Eigen::RowVector3d::Zero();
    Eigen::RowVectorXd parameters;
  } normal_work;
};

Eigen::Vector3d LawImpulse(std::string_view law, const solver::Contact<double>& contact,
                           std::span<const double> parameters);
/// Impulse and `parameters` only.
LawDerivatives DifferentiateLawByParameters(std::string_view law,
                                            const solver::Contact<double>& contact,
                                            std::span<const double> parameters);
/// @param moved derivatives by what does not move are left 0
LawDerivatives DifferentiateLaw(std::string_view law, const solver::Contact<double>& contact,
                                std::span<const double> parameters, const MovedInputs& moved = {});

/// What a law makes of an impact, at one point or at several.
struct LawAnswer {
  Vector6d jump = Vector6d::Zero();                   ///< [v'; w'] - [v; w]
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  ///< of all points, contact frame [N s]
  solver::EnergyLedger<double> energy;                ///< works [J]
  solver::ModeSequence modes;
  std::string_view sun_case;
};
LawAnswer SolveLaw(std::string_view law, const ImpactGeometry& geometry,
                   std::span<const double> parameters);

/// Whether the law takes the impact at several points.
bool TakesSeveral(std::string_view law, const ImpactGeometry& geometry);

/// The jump of a law and its derivatives by the parameters.
struct JumpDerivatives {
  Vector6d jump = Vector6d::Zero();
  Eigen::Matrix<double, 6, Eigen::Dynamic> parameters;
};
JumpDerivatives DifferentiateJump(std::string_view law, const ImpactGeometry& geometry,
                                  std::span<const double> parameters);

/// How the predicted velocities after the impact move with the errors of the state before it. The
/// contact arm follows the rotation (see ContactArmPerRotation); `arm` is for an error of its own.
/// What ImpactGeometry::moved leaves out is missing from them.
struct ImpactLinearization {
  Vector6d after = Vector6d::Zero();
  Eigen::Matrix<double, 6, 3> rotation, v, w, arm;
  Eigen::Matrix<double, 6, 6> inertia;  ///< solver::InertiaError
  Eigen::Matrix<double, 6, Eigen::Dynamic> parameters;
  /// The same of the work of the normal impulse.
  struct Work {
    Eigen::RowVector3d rotation, v, w, arm;
    Eigen::Matrix<double, 1, 6> inertia;
    Eigen::RowVectorXd parameters;
  } normal_work;
};

/// @param geometry of the record.
/// @param parameters_by_velocity where the parameters depend on the velocity of the contact point
///   before the impact: their derivatives by it (contact frame), one row per parameter.
ImpactLinearization LinearizeImpact(
    std::string_view law, const impacts::ImpactRecord& record, const ImpactGeometry& geometry,
    std::span<const double> parameters,
    const Eigen::Matrix<double, Eigen::Dynamic, 3>* parameters_by_velocity = nullptr);

/// The same of laws of LawInfo::several_points at ImpactGeometry::touching; which of both an impact
/// is, the functions above decide. Derivatives are central differences, at a bound one-sided: the
/// events of several points have none of their own. An error of the arm moves all points.
LawAnswer SolveLawAtPoints(const ImpactGeometry& geometry, std::span<const double> parameters);
JumpDerivatives DifferentiateJumpAtPoints(const ImpactGeometry& geometry,
                                          std::span<const double> parameters);
ImpactLinearization LinearizeImpactAtPoints(
    const impacts::ImpactRecord& record, const ImpactGeometry& geometry,
    std::span<const double> parameters,
    const Eigen::Matrix<double, Eigen::Dynamic, 3>* parameters_by_velocity);

/// dr/dd of the contact arm r for a small rotation d of the body (W axes). A corner or an edge
/// point turns with the body, dr = d x r. On a smooth shape that touches at its support point the
/// contact wanders over the surface instead (on a sphere it does not move at all).
Eigen::Matrix3d ContactArmPerRotation(const impacts::ImpactRecord& record,
                                      const solver::Body& body);

}  // namespace percuss::fitting
