// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/point_mass_bodies.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <span>
#include <sstream>
#include <stdexcept>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct PointMass {
  double mass;
  Vector3d position;  ///< from the contact point, in the axes of the pair [m]
};

CollidingBody Rigid(std::span<const PointMass> points, const Matrix3d& axes) {
  CollidingBody body;
  Vector3d moment = Vector3d::Zero();
  for (const PointMass& point : points) {
    body.mass += point.mass;
    moment += point.mass * point.position;
  }
  const Vector3d centre = moment / body.mass;
  Matrix3d inertia = Matrix3d::Zero();
  for (const PointMass& point : points) {
    const Vector3d arm = point.position - centre;
    inertia += point.mass * (arm.squaredNorm() * Matrix3d::Identity() - arm * arm.transpose());
  }
  body.inertia = axes * inertia * axes.transpose();
  body.r = -axes * centre;
  return body;
}

[[noreturn]] void NoBodies(const Vector3d& masses, double far_mass) {
  std::ostringstream message;
  message << "contact masses (" << masses.transpose() << ") kg with far_mass " << far_mass
          << " kg have no bodies; all must be positive, the third above the first, and far_mass "
             "large against them";
  throw std::invalid_argument(message.str());
}

bool Positive(const PointMassBodies& bodies) {
  return bodies.a > 0.0 && bodies.b > 0.0 && bodies.c > 0.0 && bodies.m > 0.0;
}

}  // namespace

Vector3d ContactMasses(const PointMassBodies& bodies) {
  const auto [a, b, c, m] = bodies;
  const double near = 4 * m * a + c * a + 4 * m * m + 2 * m * c;
  return {a * (3 * b + 2 * c) / (3 * b + 3 * a + 2 * c), b * (a + 2 * m + c) / (b + a + 2 * m + c),
          (b + 2 * c) * near / (4 * m * b + c * b + near + 8 * m * c + 2 * c * c)};
}

PointMassBodies BodiesSeries(const Vector3d& masses, double far_mass) {
  const double small = 1.0 / far_mass;
  const double m1 = masses[0], m2 = masses[1], m3 = masses[2];
  return {m1 + 1.5 * m1 * m1 * small, m2 + m2 * m2 * small, far_mass,
          0.5 * (m3 - m1) + 0.25 * (3 * m3 * m3 - 4 * m1 * m3 - m1 * m1) * small};
}

// Newton's method from the series; the derivative by differences, as only its size matters.
PointMassBodies BodiesOfContactMasses(const Vector3d& masses, double far_mass) {
  PointMassBodies bodies = BodiesSeries(masses, far_mass);
  if (!(masses.minCoeff() > 0.0) || !Positive(bodies)) NoBodies(masses, far_mass);
  Vector3d x(bodies.a, bodies.b, bodies.m);
  const auto at = [&](const Vector3d& y) {
    return ContactMasses({y[0], y[1], far_mass, y[2]}).eval();
  };
  for (int iteration = 0; iteration < 50; ++iteration) {
    const Vector3d residual = at(x) - masses;
    if (residual.cwiseQuotient(masses).norm() < 1e-15) break;
    Matrix3d slope;
    for (int k = 0; k < 3; ++k) {
      const Vector3d step = 1e-6 * x[k] * Vector3d::Unit(k);
      slope.col(k) = (at(x + step) - at(x - step)) / (2.0 * step[k]);
    }
    x -= slope.inverse() * residual;
  }
  bodies = {x[0], x[1], far_mass, x[2]};
  if (!Positive(bodies) || !((at(x) - masses).norm() <= 1e-12 * masses.norm())) {
    NoBodies(masses, far_mass);
  }
  return bodies;
}

BodyPair RigidBodies(const PointMassBodies& bodies, const Matrix3d& axes) {
  const double h = std::sqrt(0.5);
  const std::array first = {
      PointMass{bodies.a, Vector3d::Zero()}, PointMass{bodies.c, {0.0, -1.0, 0.0}},
      PointMass{bodies.m, {0.0, -1.0, 1.0}}, PointMass{bodies.m, {0.0, -1.0, -1.0}}};
  const std::array second = {PointMass{bodies.b, Vector3d::Zero()},
                             PointMass{bodies.c, {h, 0.0, 1.0}},
                             PointMass{bodies.c, {-h, 0.0, 1.0}}};
  return {Rigid(first, axes), Rigid(second, axes)};
}

BodyPair BodiesWithContactMass(const Matrix3d& contact_mass, double far_mass) {
  if (!contact_mass.isApprox(contact_mass.transpose(), 1e-9)) {
    throw std::invalid_argument("contact_mass must be symmetric");
  }
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(contact_mass);
  Matrix3d axes = eigen.eigenvectors();
  if (axes.determinant() < 0.0) axes.col(2) *= -1.0;
  return RigidBodies(BodiesOfContactMasses(eigen.eigenvalues(), far_mass), axes);
}

}  // namespace percuss::solver
