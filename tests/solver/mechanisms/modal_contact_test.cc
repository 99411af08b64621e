// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/modal_contact.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <stdexcept>

#include "solver/contact/contact.h"
#include "solver/law/impact_law.h"
#include "solver/mechanisms/body_pair.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// The general body of natsiavas digest 6.6, turned.
struct GeneralBody {
  double mass = 1.0;
  Matrix3d inertia;
  Eigen::Quaterniond q_WB{0.8, 0.2, -0.4, 0.4};
  Vector3d contact_B{-0.5, 0.3, 0.2};
  Matrix3d frame = ContactFrame(Vector3d(0.2, -0.3, 0.9).normalized());

  GeneralBody() {
    inertia << 0.2, 0.01, 0.02, 0.01, 0.3, -0.015, 0.02, -0.015, 0.4;
    q_WB.normalize();
  }
  MatrixXd Jacobian() const {
    return ModalContactJacobian(q_WB.toRotationMatrix(), contact_B, Eigen::Matrix3Xd(3, 0),
                                VectorXd(0), frame);
  }
  MatrixXd MassMatrix() const {
    MatrixXd matrix = MatrixXd::Zero(6, 6);
    matrix.topLeftCorner<3, 3>() = mass * Matrix3d::Identity();
    matrix.bottomRightCorner<3, 3>() = inertia;
    return matrix;
  }
};

Linkage Free(const MatrixXd& contact_jacobian, const MatrixXd& mass_matrix) {
  return {mass_matrix, MatrixXd(0, mass_matrix.cols()), contact_jacobian};
}

// T15: A rebuilt from D and G is that of the closed form of a rigid body.
TEST(ModalContact, RigidBodyIsThatOfTheClosedForm) {
  const GeneralBody body;
  const Matrix3d closed = InverseContactMass<double>(body.mass, body.inertia, body.q_WB,
                                                     body.q_WB * body.contact_B, body.frame);
  EXPECT_LT((InverseContactMass(Free(body.Jacobian(), body.MassMatrix())) - closed).norm(), 1e-12);
}

// Two bodies: D = [D_1, -D_2], so that the inverse masses add; momentum is exchanged, not made.
TEST(ModalContact, TwoBodiesAddTheirInverseMasses) {
  const GeneralBody first;
  GeneralBody second;
  second.contact_B = {0.1, -0.4, 0.3};
  MatrixXd jacobian(3, 12), mass = MatrixXd::Zero(12, 12);
  jacobian << first.Jacobian(), -second.Jacobian();
  mass.topLeftCorner<6, 6>() = first.MassMatrix();
  mass.bottomRightCorner<6, 6>() = second.MassMatrix();
  const Matrix3d sum = InverseContactMass(Free(first.Jacobian(), first.MassMatrix())) +
                       InverseContactMass(Free(second.Jacobian(), second.MassMatrix()));
  EXPECT_LT((InverseContactMass(Free(jacobian, mass)) - sum).norm(), 1e-12);
  const VectorXd after = VelocityChange(Free(jacobian, mass), {0.1, 0.2, 1.0});
  EXPECT_LT((first.mass * after.head<3>() + second.mass * after.segment<3>(6)).norm(), 1e-12);
}

// Two equal masses on a spring that hit end on: x = x_C +- eta, kinetic energy m (x_C'^2 + eta'^2).
// The spring has no time to push, so that the first mass alone is hit: A = 1/m, and it bounces as
// if the other were not there.
TEST(ModalContact, AVibratingBodyIsHitByTheMassAtTheContact) {
  const double m = 0.7;
  const Eigen::Matrix3Xd modes = Vector3d::UnitZ();
  VectorXd eta(1);
  eta << 0.02;
  const MatrixXd all = ModalContactJacobian(Matrix3d::Identity(), {0.0, 0.0, -0.1}, modes, eta,
                                            Matrix3d::Identity());
  EXPECT_NEAR(all(0, 4), -0.08, 1e-15);  // the arm is that of the deformed body
  // Normal motion alone: x_C and eta.
  MatrixXd jacobian = MatrixXd::Zero(3, 4), mass = MatrixXd::Identity(4, 4) * 2.0 * m;
  jacobian.leftCols<3>() = all.leftCols<3>();
  jacobian.col(3) = all.col(6);
  const Matrix3d a = InverseContactMass(Free(jacobian, mass));
  EXPECT_NEAR(a(2, 2), 1.0 / m, 1e-12);
  VectorXd velocity(4);
  velocity << 0.0, 0.0, -1.0, 0.0;
  const auto result =
      SolveImpact("boundary-layer", {a, jacobian * velocity}, std::array{0.2, 10.0, 0.0});
  const VectorXd after = velocity + VelocityChange(Free(jacobian, mass), result.impulse);
  EXPECT_NEAR(after[2] + after[3], 1.0, 1e-9);   // the mass at the contact
  EXPECT_NEAR(after[2] - after[3], -1.0, 1e-9);  // the other
  EXPECT_LT((jacobian * after - result.contact_velocity).norm(), 1e-12);
}

TEST(ModalContact, RefusesModesWithoutCoordinates) {
  EXPECT_THROW(ModalContactJacobian(Matrix3d::Identity(), Vector3d::Zero(), Eigen::Matrix3Xd(3, 2),
                                    VectorXd(1), Matrix3d::Identity()),
               std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
