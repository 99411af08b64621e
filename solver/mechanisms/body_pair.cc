// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/body_pair.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <stdexcept>
#include <string>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

Matrix3d InverseMassOf(const CollidingBody& body, const Matrix3d& frame) {
  if (std::isinf(body.mass)) return Matrix3d::Zero();
  return InverseContactMass<double>(body.mass, body.inertia, Eigen::Quaterniond::Identity(), body.r,
                                    frame);
}

void Push(CollidingBody& body, const Vector3d& impulse_W) {
  if (std::isinf(body.mass)) return;
  body.velocity += impulse_W / body.mass;
  body.angular_velocity += body.inertia.llt().solve(body.r.cross(impulse_W));
}

double KineticEnergyOf(const CollidingBody& body) {
  if (std::isinf(body.mass)) return 0.0;
  return 0.5 * (body.mass * body.velocity.squaredNorm() +
                body.angular_velocity.dot(body.inertia * body.angular_velocity));
}

std::string Size(const MatrixXd& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

// Accelerations under contact forces, one column each, with the joints holding.
MatrixXd Response(const Linkage& linkage, const MatrixXd& generalised_forces) {
  const Eigen::LLT<MatrixXd> mass(linkage.mass_matrix);
  const double scale = linkage.mass_matrix.cwiseAbs().maxCoeff();
  const double asymmetry =
      (linkage.mass_matrix - linkage.mass_matrix.transpose()).cwiseAbs().maxCoeff();
  if (mass.info() != Eigen::Success || !(asymmetry <= 1e-9 * scale)) {
    throw std::invalid_argument("mass_matrix (" + Size(linkage.mass_matrix) + ", largest entry " +
                                std::to_string(scale) + ") must be symmetric positive definite");
  }
  const MatrixXd free = mass.solve(generalised_forces);
  if (linkage.joint_jacobian.rows() == 0) return free;
  // In coordinates L^T v the joints are an orthogonal projection, also where they are redundant.
  const MatrixXd lower = mass.matrixL();
  const MatrixXd normals =
      lower.triangularView<Eigen::Lower>().solve(linkage.joint_jacobian.transpose());
  const Eigen::CompleteOrthogonalDecomposition<MatrixXd> joints(normals);
  const MatrixXd scaled = lower.transpose() * free;
  const MatrixXd allowed = scaled - normals * joints.solve(scaled);
  return lower.transpose().triangularView<Eigen::Upper>().solve(allowed);
}

void CheckSizes(const Linkage& linkage) {
  const auto n = linkage.mass_matrix.rows();
  if (n == 0 || linkage.mass_matrix.cols() != n) {
    throw std::invalid_argument("mass_matrix is " + Size(linkage.mass_matrix) +
                                "; it must be square and not empty");
  }
  if (linkage.contact_jacobian.rows() != 3 || linkage.contact_jacobian.cols() != n) {
    throw std::invalid_argument("contact_jacobian is " + Size(linkage.contact_jacobian) +
                                "; it must be 3 x " + std::to_string(n));
  }
  if (linkage.joint_jacobian.rows() > 0 && linkage.joint_jacobian.cols() != n) {
    throw std::invalid_argument("joint_jacobian is " + Size(linkage.joint_jacobian) +
                                "; it must have " + std::to_string(n) + " columns");
  }
}

}  // namespace

Contact<double> ContactOf(const BodyPair& pair, const Matrix3d& contact_frame_W) {
  if (std::isinf(pair.first.mass) && std::isinf(pair.second.mass)) {
    throw std::invalid_argument("mass is infinite for both bodies; one must be finite");
  }
  const auto velocity = [&](const CollidingBody& body) {
    return ContactVelocity<double>(body.velocity, body.angular_velocity, body.r, contact_frame_W);
  };
  return {InverseMassOf(pair.first, contact_frame_W) + InverseMassOf(pair.second, contact_frame_W),
          velocity(pair.first) - velocity(pair.second)};
}

BodyPair AfterImpulse(const BodyPair& pair, const Matrix3d& contact_frame_W,
                      const Vector3d& impulse) {
  const Vector3d impulse_W = contact_frame_W * impulse;
  BodyPair after = pair;
  Push(after.first, impulse_W);
  Push(after.second, -impulse_W);
  return after;
}

double KineticEnergy(const BodyPair& pair) {
  return KineticEnergyOf(pair.first) + KineticEnergyOf(pair.second);
}

Matrix3d InverseContactMassFromUnitForces(
    const std::function<Vector3d(const Vector3d& force)>& acceleration) {
  const Vector3d without_force = acceleration(Vector3d::Zero());
  Matrix3d inverse_mass;
  for (int k = 0; k < 3; ++k) {
    inverse_mass.col(k) = acceleration(Vector3d::Unit(k)) - without_force;
  }
  return inverse_mass;
}

Matrix3d InverseContactMass(const Linkage& linkage) {
  CheckSizes(linkage);
  const Matrix3d response =
      linkage.contact_jacobian * Response(linkage, linkage.contact_jacobian.transpose());
  return 0.5 * (response + response.transpose());
}

Eigen::VectorXd VelocityChange(const Linkage& linkage, const Vector3d& impulse) {
  CheckSizes(linkage);
  return Response(linkage, linkage.contact_jacobian.transpose() * impulse);
}

}  // namespace percuss::solver
