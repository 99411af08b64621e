// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/contact/impulse_space.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

Vector3d VelocityAfter(const Contact<double>& contact, const Vector3d& impulse) {
  return contact.velocity + contact.inverse_mass * impulse;
}

Vector3d Momentum(const Contact<double>& contact) {
  return contact.inverse_mass.llt().solve(contact.velocity);
}

// The positive root of a x^2 + 2 b x + c with c < 0; infinite if there is none.
double PositiveRoot(double a, double b, double c) {
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return std::numeric_limits<double>::infinity();
  const double root = std::sqrt(discriminant);
  const double x = b > 0.0 ? -c / (b + root) : (root - b) / a;
  return x > 0.0 ? x : std::numeric_limits<double>::infinity();
}

}  // namespace

double LocalEnergy(const Contact<double>& contact, const Vector3d& velocity) {
  return 0.5 * velocity.dot(contact.inverse_mass.llt().solve(velocity));
}

double EnergyChange(const Contact<double>& contact, const Vector3d& impulse) {
  return 0.5 * impulse.dot(contact.velocity + VelocityAfter(contact, impulse));
}

EnergyEllipsoid EllipsoidOfLoss(const Contact<double>& contact, double loss) {
  const double energy = LocalEnergy(contact, contact.velocity);
  if (!(loss <= energy)) {
    throw std::invalid_argument("loss is " + std::to_string(loss) +
                                " J; it must be at most the local kinetic energy, " +
                                std::to_string(energy) + " J");
  }
  // Reversed, so that the semi-axes ascend where the eigenvalues of A descend.
  const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(contact.inverse_mass);
  EnergyEllipsoid ellipsoid;
  ellipsoid.centre = -Momentum(contact);
  ellipsoid.axes = eigen.eigenvectors().rowwise().reverse();
  ellipsoid.semi_axes =
      (2.0 * (energy - loss) * eigen.eigenvalues().reverse().cwiseInverse()).cwiseSqrt();
  return ellipsoid;
}

Vector3d MostDissipativeAlong(const Contact<double>& contact, const Vector3d& direction) {
  return -direction *
         (direction.dot(contact.velocity) / direction.dot(contact.inverse_mass * direction));
}

ImpulsePlane PlaneOfRestitution(const Contact<double>& contact, double e_n) {
  return {contact.inverse_mass.row(2), -(1.0 + e_n) * contact.velocity[2]};
}

ImpulseLine LineOfSticking(const Contact<double>& contact) {
  const Eigen::LLT<Eigen::Matrix2d> tangential(contact.inverse_mass.topLeftCorner<2, 2>());
  ImpulseLine line;
  line.point << -tangential.solve(contact.velocity.head<2>()), 0.0;
  line.direction << -tangential.solve(contact.inverse_mass.topRightCorner<2, 1>()), 1.0;
  return line;
}

double FrictionConeExcess(const Vector3d& impulse, double mu) {
  return impulse.head<2>().norm() - mu * impulse[2];
}

NamedImpulses NamedImpulsesOf(const Contact<double>& contact) {
  const Vector3d plastic(0.0, 0.0, -contact.velocity[2] / contact.inverse_mass(2, 2));
  const Vector3d centre = -Momentum(contact);
  return {plastic, 2.0 * plastic, centre, 2.0 * centre};
}

Accessibility TestAccess(const Contact<double>& contact, double mu, const Vector3d& impulse,
                         double tolerance) {
  const double energy = LocalEnergy(contact, contact.velocity);
  return {.pushes = impulse[2] > 0.0,
          .in_cone = FrictionConeExcess(impulse, mu) <= tolerance * impulse.norm(),
          .dissipates = EnergyChange(contact, impulse) <= tolerance * energy,
          .separates = VelocityAfter(contact, impulse)[2] >= -tolerance * contact.velocity.norm()};
}

StarPoint AccessibleImpulse(const Contact<double>& contact, double mu, const Vector3d& direction,
                            double fraction) {
  const Vector3d centre = 1.5 * NamedImpulsesOf(contact).A;
  const Vector3d velocity = VelocityAfter(contact, centre);
  const Vector3d response = contact.inverse_mass * direction;
  // Energy, 1/2 P^T A P + P . u = 0, and cone, |P_t|^2 = mu^2 P_n^2, along the ray.
  double reach = PositiveRoot(0.5 * direction.dot(response), 0.5 * direction.dot(velocity),
                              EnergyChange(contact, centre));
  reach = std::min(
      reach, PositiveRoot(direction.head<2>().squaredNorm() - mu * mu * direction[2] * direction[2],
                          -mu * mu * centre[2] * direction[2], -mu * mu * centre[2] * centre[2]));
  if (response[2] < 0.0) reach = std::min(reach, -velocity[2] / response[2]);
  return {centre + fraction * reach * direction, reach};
}

}  // namespace percuss::solver
