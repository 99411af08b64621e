// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/rigid/sun_laws.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {
namespace internal {

Flips FlipsOf(const Eigen::Matrix3d& inverse_mass) {
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen;
  eigen.computeDirect(inverse_mass);
  Eigen::Vector3d r = eigen.eigenvectors().col(0);
  if (r[2] > 0.0) r = -r;  // the mass centre is above the surface
  constexpr double kRounding = 1e-7;
  const bool beta_obtuse = r[0] < -kRounding;
  const bool delta_obtuse = -r[1] < -kRounding;
  return {.x = beta_obtuse || !delta_obtuse, .z = delta_obtuse || !beta_obtuse};
}

}  // namespace internal

template <>
const LawInfo& SunPlanarLaw::Info() {
  static const LawInfo info{
      .name = "sun-planar",
      .summary = "stage algebra of Sun's seven planar cases, kinematic restitution",
      .source = "sun2017 2.5, 2.6, Table 2.2",
      .parameters = {FrictionCoefficient(), KinematicRestitution()},
      .optional_parameters = {StaticFrictionCoefficient()},
      .domain = LawDomain::kPlanar,
      .dissipative = false};
  return info;
}

template <>
const LawInfo& SunPlanarWorkLaw::Info() {
  static const LawInfo info{
      .name = "sun-planar-work",
      .summary = "the same with restitution by the work on the whole mass, as in Table 2.5",
      .source = "sun2017 (2.20), first equality",
      .parameters = {FrictionCoefficient(), NormalRestitution("P_r / (m |u_n| P_c)^(1/2)")},
      .optional_parameters = {StaticFrictionCoefficient()},
      .domain = LawDomain::kPlanar,
      .dissipative = false};
  return info;
}

template <>
const LawInfo& SunPlanarEndWorkLaw::Info() {
  static const LawInfo info{
      .name = "sun-planar-end-work",
      .summary = "the same with restitution by the works of straight lines between end velocities",
      .source = "sun2017 (2.22), first equality",
      .parameters = {FrictionCoefficient(), NormalRestitution("(u_n' P_r / (|u_n| P_c))^(1/2)")},
      .optional_parameters = {StaticFrictionCoefficient()},
      .domain = LawDomain::kPlanar,
      .dissipative = false};
  return info;
}

const LawInfo& SunSpatialLaw::Info() {
  static const LawInfo info{
      .name = "sun-spatial",
      .summary = "stage algebra of Sun's eleven spatial cases; depends on the tangent axes",
      .source = "sun2017 3.4-3.7, Table 3.1",
      .parameters = {FrictionCoefficient(), KineticRestitution()},
      .optional_parameters = {StaticFrictionCoefficient()},
      .dissipative = false,
      .coulomb = false};
  return info;
}

}  // namespace percuss::solver
