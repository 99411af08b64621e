// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/impact_model.h"

#include <ceres/jet.h>

#include <Eigen/LU>
#include <cmath>
#include <variant>

namespace percuss::fitting {
namespace {

using tracking::ImpactRecord;

constexpr int kInputs = 12;  // rotation, v, w, contact arm
using Jet = ceres::Jet<double, kInputs>;
using JetVector = Eigen::Matrix<Jet, 3, 1>;
using JetMatrix = Eigen::Matrix<Jet, 3, 3>;

JetVector Variable(const Eigen::Vector3d& value, int first) {
  JetVector variable;
  for (int axis = 0; axis < 3; ++axis) variable[axis] = Jet(value[axis], first + axis);
  return variable;
}

template <int kSize>
Eigen::Matrix<double, kSize, kInputs> Derivatives(const Eigen::Matrix<Jet, kSize, 1>& vector) {
  Eigen::Matrix<double, kSize, kInputs> derivatives;
  for (int i = 0; i < kSize; ++i) derivatives.row(i) = vector[i].v.transpose();
  return derivatives;
}

// Shapes whose contact point moves over the surface when the body turns.
bool IsSmooth(const solver::Shape& shape) {
  return !std::holds_alternative<solver::Box>(shape) &&
         !std::holds_alternative<solver::ConvexMesh>(shape);
}

}  // namespace

Eigen::Matrix3d CrossMatrix(const Eigen::Vector3d& a) {
  Eigen::Matrix3d matrix;
  matrix << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
  return matrix;
}

ImpactGeometry CalcGeometry(const ImpactRecord& record, const solver::Body& body) {
  ImpactGeometry geometry;
  geometry.frame = solver::ContactFrame(record.normal);
  geometry.contact.inverse_mass = solver::InverseContactMass<double>(
      body.mass, body.inertia, record.q_WB, record.r, geometry.frame);
  geometry.contact.velocity =
      solver::ContactVelocity<double>(record.v, record.w, record.r, geometry.frame);
  geometry.before << record.v, record.w;
  const Eigen::Matrix3d R_WB = record.q_WB.toRotationMatrix();
  geometry.inertia_W = R_WB * body.inertia * R_WB.transpose();
  geometry.velocity_per_impulse.topRows<3>() = geometry.frame / body.mass;
  geometry.velocity_per_impulse.bottomRows<3>() =
      geometry.inertia_W.inverse() * CrossMatrix(record.r) * geometry.frame;
  return geometry;
}

Eigen::Matrix3d ContactArmPerRotation(const ImpactRecord& record, const solver::Body& body) {
  const Eigen::Matrix3d turns_with_body = -CrossMatrix(record.r);
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

ImpactLinearization LinearizeImpact(
    std::string_view law, const ImpactRecord& record, const solver::Body& body,
    std::span<const double> parameters,
    const Eigen::Matrix<double, Eigen::Dynamic, 3>* parameters_by_velocity) {
  const ImpactGeometry geometry = CalcGeometry(record, body);
  LawDerivatives by_law = DifferentiateLaw(law, geometry.contact, parameters);
  if (parameters_by_velocity != nullptr) {
    by_law.velocity += by_law.parameters * *parameters_by_velocity;
  }

  // What the law sees, and B P for a given P, as functions of (rotation, v, w, arm).
  const JetVector turn = Variable(Eigen::Vector3d::Zero(), 0);
  const JetVector v = Variable(record.v, 3);
  const JetVector w = Variable(record.w, 6);
  const JetVector r =
      Variable(record.r, 9) + ContactArmPerRotation(record, body).cast<Jet>() * turn;
  const Eigen::Quaternion<Jet> half_turn(Jet(1.0), 0.5 * turn.x(), 0.5 * turn.y(), 0.5 * turn.z());
  const Eigen::Quaternion<Jet> q_WB = half_turn * record.q_WB.cast<Jet>();  // first order
  const JetMatrix A =
      solver::InverseContactMass<Jet>(body.mass, body.inertia, q_WB, r, geometry.frame);
  const JetVector u = solver::ContactVelocity<Jet>(v, w, r, geometry.frame);
  const JetVector impulse_W = (geometry.frame * by_law.impulse).cast<Jet>();
  const JetVector spin_B = body.inertia.inverse().eval().cast<Jet>() *
                           (q_WB.conjugate() * r.cross(impulse_W).eval()).eval();
  Eigen::Matrix<Jet, 6, 1> after;
  after.head<3>() = v + impulse_W / Jet(body.mass);
  after.tail<3>() = w + q_WB * spin_B;

  Eigen::Matrix<Jet, 6, 1> A_entries;
  A_entries << A(0, 0), A(1, 0), A(1, 1), A(2, 0), A(2, 1), A(2, 2);
  const Eigen::Matrix<double, 3, kInputs> impulse_by_inputs =
      by_law.inverse_mass * Derivatives<6>(A_entries) + by_law.velocity * Derivatives<3>(u);
  const Eigen::Matrix<double, 6, kInputs> by_inputs =
      Derivatives<6>(after) + geometry.velocity_per_impulse * impulse_by_inputs;

  ImpactLinearization linearization;
  linearization.after = geometry.before + geometry.velocity_per_impulse * by_law.impulse;
  linearization.rotation = by_inputs.middleCols<3>(0);
  linearization.v = by_inputs.middleCols<3>(3);
  linearization.w = by_inputs.middleCols<3>(6);
  linearization.arm = by_inputs.middleCols<3>(9);
  linearization.parameters = geometry.velocity_per_impulse * by_law.parameters;
  return linearization;
}

}  // namespace percuss::fitting
