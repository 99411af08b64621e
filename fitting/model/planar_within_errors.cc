// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/planar_within_errors.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/math/geometry.h"
#include "solver/contact/planar_contact.h"

namespace percuss::fitting {
namespace {

using Errors = Eigen::Matrix<double, kErrorDimension, 1>;

// The contact with errors put into what was measured.
solver::Contact<double> ContactWith(const impacts::ImpactRecord& record,
                                    const ImpactGeometry& geometry, const Errors& error) {
  const Eigen::Vector3d turn = error.segment<3>(impacts::kRotation);
  const Eigen::Quaterniond turned = RotationFromVector(turn);
  Eigen::Matrix3d inertia = geometry.inertia_W;
  for (int i = 0; i < 6; ++i) inertia += error[kInertia + i] * geometry.inertia_directions[i];
  const Eigen::Vector3d r = record.r + geometry.arm_per_rotation * turn + error.segment<3>(kArm);
  const Eigen::Vector3d v = record.v + error.segment<3>(impacts::kV);
  const Eigen::Vector3d w = record.w + error.segment<3>(impacts::kW);
  return {.inverse_mass =
              solver::InverseContactMass<double>(geometry.mass, inertia, turned, r, geometry.frame),
          .velocity = solver::ContactVelocity<double>(v, w, r, geometry.frame)};
}

// What leaves the plane of a tangent: slip, and the inverse mass across it against normal and
// tangent, over the sizes of both.
Eigen::Vector3d Leaving(const solver::Contact<double>& contact, const Eigen::Vector2d& tangent) {
  const Eigen::Vector2d across(-tangent.y(), tangent.x());
  const Eigen::Matrix3d& A = contact.inverse_mass;
  return {across.dot(contact.velocity.head<2>()) / contact.velocity.norm(),
          across.dot(A.topRightCorner<2, 1>()) / A.norm(),
          across.dot(A.topLeftCorner<2, 2>() * tangent) / A.norm()};
}

}  // namespace

std::optional<solver::Contact<double>> PlanarContactWithin(const impacts::ImpactRecord& record,
                                                           const ImpactErrors& errors,
                                                           const ImpactGeometry& geometry) {
  const solver::Contact<double>& contact = geometry.contact;
  if (solver::PlaneOf(contact)) return {};
  const Eigen::Matrix3d& A = contact.inverse_mass;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> axes(A.topLeftCorner<2, 2>());
  const std::array<Eigen::Vector2d, 4> candidates = {
      contact.velocity.head<2>(), A.topRightCorner<2, 1>(), axes.eigenvectors().col(0),
      axes.eigenvectors().col(1)};
  const ErrorCovariance covariance = errors.Total();
  constexpr double kSigmas = 3.5, kRounding = 1e-9;
  double least = kSigmas;
  Eigen::Vector2d best = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& candidate : candidates) {
    if (!(candidate.norm() > 0.0)) continue;
    const Eigen::Vector2d tangent = candidate.normalized();
    Eigen::Matrix<double, 3, kErrorDimension> gradient =
        Eigen::Matrix<double, 3, kErrorDimension>::Zero();
    for (int k = 0; k < kErrorDimension; ++k) {
      if (!(covariance(k, k) > 0.0)) continue;
      constexpr double kStep = 1e-6;
      const Errors step = kStep * Errors::Unit(k);
      gradient.col(k) = (Leaving(ContactWith(record, geometry, step), tangent) -
                         Leaving(ContactWith(record, geometry, -step), tangent)) /
                        (2.0 * kStep);
    }
    const Eigen::Vector3d sigma =
        (gradient * covariance * gradient.transpose()).diagonal().cwiseMax(0.0).cwiseSqrt();
    const Eigen::Vector3d leaving = Leaving(contact, tangent).cwiseAbs();
    const double most = (leaving.array() / (sigma.array() + kRounding)).maxCoeff();
    if (most >= least) continue;
    least = most;
    best = tangent;
  }
  if (best.isZero()) return {};
  // The contact in axes along and across the plane, and back.
  Eigen::Matrix3d to_plane = Eigen::Matrix3d::Identity();
  to_plane.topLeftCorner<2, 2>() << best.x(), best.y(), -best.y(), best.x();
  Eigen::Matrix3d inverse_mass = to_plane * A * to_plane.transpose();
  Eigen::Vector3d velocity = to_plane * contact.velocity;
  velocity[1] = 0.0;
  for (const int k : {0, 2}) inverse_mass(1, k) = inverse_mass(k, 1) = 0.0;
  return solver::Contact<double>{.inverse_mass = to_plane.transpose() * inverse_mass * to_plane,
                                 .velocity = to_plane.transpose() * velocity};
}

}  // namespace percuss::fitting
