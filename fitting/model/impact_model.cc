// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/impact_model.h"

#include <Eigen/LU>
#include <cmath>
#include <variant>

#include "base/math/geometry.h"
#include "solver/body/inertia_errors.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

// Shapes whose contact point moves over the surface when the body turns.
bool IsSmooth(const solver::Shape& shape) {
  return !std::holds_alternative<solver::Box>(shape) &&
         !std::holds_alternative<solver::ConvexMesh>(shape);
}

}  // namespace

Eigen::Matrix3d InertiaInWorld(const Eigen::Quaterniond& q_WB, const solver::Body& body) {
  const Eigen::Matrix3d R_WB = q_WB.toRotationMatrix();
  return R_WB * body.inertia * R_WB.transpose();
}

ImpactGeometry CalcGeometry(const ImpactRecord& record, const solver::Body& body) {
  ImpactGeometry geometry;
  geometry.frame = solver::ContactFrame(record.normal);
  geometry.contact.inverse_mass = solver::InverseContactMass<double>(
      body.mass, body.inertia, record.q_WB, record.r, geometry.frame);
  geometry.contact.velocity =
      solver::ContactVelocity<double>(record.v, record.w, record.r, geometry.frame);
  geometry.before << record.v, record.w;
  geometry.mass = body.mass;
  geometry.inertia_W = InertiaInWorld(record.q_WB, body);
  geometry.inverse_inertia_W = geometry.inertia_W.inverse();
  geometry.velocity_per_impulse.topRows<3>() = geometry.frame / body.mass;
  geometry.velocity_per_impulse.bottomRows<3>() =
      geometry.inverse_inertia_W * Skew(record.r) * geometry.frame;
  geometry.arm_per_rotation = ContactArmPerRotation(record, body);
  const Eigen::Matrix3d R_WB = record.q_WB.toRotationMatrix();
  const auto directions = solver::InertiaDirections(body.inertia);
  for (std::size_t i = 0; i < directions.size(); ++i)
    geometry.inertia_directions[i] = R_WB * directions[i] * R_WB.transpose();
  return geometry;
}

Eigen::Matrix3d ContactArmPerRotation(const ImpactRecord& record, const solver::Body& body) {
  const Eigen::Matrix3d turns_with_body = -Skew(record.r);
  if (!IsSmooth(body.shape)) return turns_with_body;

  const Eigen::Matrix3d R_WB = record.q_WB.toRotationMatrix();
  const auto support_arm = [&](const Eigen::Vector3d& turn) -> Eigen::Vector3d {
    const double angle = turn.norm();
    const Eigen::Matrix3d R =
        angle > 0.0 ? Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix() * R_WB : R_WB;
    return R * solver::SupportPoint(body.shape, -(R.transpose() * record.normal));
  };
  const double radius = solver::BoundingRadius(body.shape);
  // A contact arm that was measured elsewhere than at the support point says nothing about how
  // that point would wander.
  constexpr double kSamePoint = 0.02;
  if ((support_arm(Eigen::Vector3d::Zero()) - record.r).norm() > kSamePoint * radius) {
    return turns_with_body;
  }
  constexpr double kStep = 1e-6;  // rad
  Eigen::Matrix3d wanders;
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Vector3d turn = kStep * Eigen::Vector3d::Unit(axis);
    wanders.col(axis) = (support_arm(turn) - support_arm(-turn)) / (2.0 * kStep);
  }
  // On an edge or a face of a cylinder the support point jumps: no derivative there.
  constexpr double kJump = 100.0;
  return wanders.cwiseAbs().maxCoeff() > kJump * radius ? turns_with_body : wanders;
}

const solver::Contact<double>& ContactFor(std::string_view law, const ImpactGeometry& geometry) {
  const bool planar = geometry.planar && solver::FindLaw(law).domain != solver::LawDomain::kSpatial;
  return planar ? *geometry.planar : geometry.contact;
}

bool TakesSeveral(std::string_view law, const ImpactGeometry& geometry) {
  return geometry.touching.size() > 1 && solver::FindLaw(law).several_points;
}

LawAnswer SolveLaw(std::string_view law, const ImpactGeometry& geometry,
                   std::span<const double> parameters) {
  if (TakesSeveral(law, geometry)) return SolveLawAtPoints(geometry, parameters);
  const solver::ImpactResult<double> result =
      solver::FindLawFunction(law)(ContactFor(law, geometry), parameters);
  LawAnswer answer;
  answer.jump = geometry.velocity_per_impulse * result.impulse;
  answer.impulse = result.impulse;
  answer.energy = result.energy;
  answer.modes = result.modes;
  answer.sun_case = result.sun_case;
  return answer;
}

JumpDerivatives DifferentiateJump(std::string_view law, const ImpactGeometry& geometry,
                                  std::span<const double> parameters) {
  if (TakesSeveral(law, geometry)) return DifferentiateJumpAtPoints(geometry, parameters);
  const LawDerivatives by_law =
      DifferentiateLawByParameters(law, ContactFor(law, geometry), parameters);
  return {geometry.velocity_per_impulse * by_law.impulse,
          geometry.velocity_per_impulse * by_law.parameters};
}

ImpactLinearization LinearizeImpact(
    std::string_view law, const ImpactRecord& record, const ImpactGeometry& geometry,
    std::span<const double> parameters,
    const Eigen::Matrix<double, Eigen::Dynamic, 3>* parameters_by_velocity) {
  if (TakesSeveral(law, geometry)) {
    return LinearizeImpactAtPoints(record, geometry, parameters, parameters_by_velocity);
  }
  LawDerivatives by_law =
      DifferentiateLaw(law, ContactFor(law, geometry), parameters, geometry.moved);
  if (parameters_by_velocity != nullptr) {
    by_law.velocity += by_law.parameters * *parameters_by_velocity;
    by_law.normal_work.velocity += by_law.normal_work.parameters * *parameters_by_velocity;
  }

  // With M the inverse inertia, R = [r]x and F the contact frame, all in W axes:
  //   A = F^T (1 / m - R M R) F,   u = F^T (v + w x r),   w after = w + M (r x F P).
  const Eigen::Matrix3d& F = geometry.frame;
  const Eigen::Matrix3d R = Skew(record.r);
  const Eigen::Matrix3d& M = geometry.inverse_inertia_W;
  const Eigen::Vector3d impulse_W = F * by_law.impulse;
  const Eigen::Vector3d moment = record.r.cross(impulse_W);
  ImpactLinearization linearization;
  ImpactLinearization::Work& work = linearization.normal_work;
  // A turn or a shift of the contact arm: what it does to A, u and w after for a given impulse.
  const auto response = [&](const Eigen::Matrix3d& dM, const Eigen::Vector3d& dr,
                            double& normal_work) -> Vector6d {
    const Eigen::Matrix3d dR = Skew(dr);
    const Eigen::Matrix3d RMdR = R * M * dR;
    const Eigen::Matrix3d dA = -F.transpose() * (RMdR + RMdR.transpose() + R * dM * R) * F;
    Eigen::Matrix<double, 6, 1> dA_entries;
    dA_entries << dA(0, 0), dA(1, 0), dA(1, 1), dA(2, 0), dA(2, 1), dA(2, 2);
    const Eigen::Vector3d du = F.transpose() * record.w.cross(dr);
    normal_work =
        by_law.normal_work.inverse_mass.dot(dA_entries) + by_law.normal_work.velocity.dot(du);
    Vector6d after =
        geometry.velocity_per_impulse * (by_law.inverse_mass * dA_entries + by_law.velocity * du);
    after.tail<3>() += dM * moment + M * dr.cross(impulse_W);
    return after;
  };
  for (int axis = 0; axis < 3; ++axis) {
    const Eigen::Matrix3d turn = Skew(Eigen::Vector3d::Unit(axis));
    linearization.rotation.col(axis) =
        response(turn * M - M * turn, geometry.arm_per_rotation.col(axis), work.rotation[axis]);
    linearization.arm.col(axis) =
        response(Eigen::Matrix3d::Zero(), Eigen::Vector3d::Unit(axis), work.arm[axis]);
  }
  for (int i = 0; i < 6; ++i) {
    linearization.inertia.col(i) =
        response(-M * geometry.inertia_directions[i] * M, Eigen::Vector3d::Zero(), work.inertia[i]);
  }
  const Eigen::Matrix<double, 6, 3> by_v =
      geometry.velocity_per_impulse * by_law.velocity * F.transpose();
  linearization.v = by_v;
  linearization.v.topRows<3>().diagonal().array() += 1.0;
  linearization.w = -by_v * R;
  linearization.w.bottomRows<3>().diagonal().array() += 1.0;
  linearization.after = geometry.before + geometry.velocity_per_impulse * by_law.impulse;
  linearization.parameters = geometry.velocity_per_impulse * by_law.parameters;
  work.v = by_law.normal_work.velocity * F.transpose();
  work.w = -work.v * R;
  work.parameters = by_law.normal_work.parameters;
  return linearization;
}

}  // namespace percuss::fitting
