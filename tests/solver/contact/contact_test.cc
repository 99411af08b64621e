// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/contact/contact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Matrix3d Inertia() {
  Matrix3d inertia = Vector3d(2.0, 3.0, 4.2).asDiagonal();
  inertia(0, 2) = inertia(2, 0) = 0.3;
  return inertia;
}

TEST(ContactFrame, IsTheIdentityOnTheLevel) {
  EXPECT_EQ(ContactFrame(Vector3d::UnitZ()), Matrix3d(Matrix3d::Identity()));
}

TEST(ContactFrame, IsRightHandedWithTheNormalLast) {
  for (const Vector3d& n : {Vector3d(0.3, -2.0, 1.0), Vector3d(1.0, 1e-3, 0.0),
                            Vector3d(-5.0, 0.0, 0.0), Vector3d(0.0, 0.0, -1.0)}) {
    const Matrix3d frame = ContactFrame(n);
    EXPECT_LT((frame.transpose() * frame - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(frame.determinant(), 1.0, 1e-14);
    EXPECT_LT((frame.col(2) - n.normalized()).norm(), 1e-14);
  }
}

TEST(ContactFrame, RejectsAZeroNormal) {
  EXPECT_THROW(ContactFrame(Vector3d::Zero()), std::invalid_argument);
}

// Its definition: apply an impulse to the body, look at the contact point.
TEST(InverseContactMass, IsTheVelocityChangePerImpulse) {
  const double mass = 1.7;
  const Quaterniond q_WB = Quaterniond(0.3, -0.5, 0.2, 0.9).normalized();
  const Vector3d r(0.2, -0.4, -0.7);
  const Matrix3d frame = ContactFrame({0.2, -0.1, 1.0});
  const Matrix3d a = InverseContactMass<double>(mass, Inertia(), q_WB, r, frame);
  const Matrix3d R = q_WB.toRotationMatrix();
  for (int k = 0; k < 3; ++k) {
    const Vector3d P_W = frame.col(k);
    const Vector3d dv = P_W / mass;
    const Vector3d dw = (R * Inertia() * R.transpose()).inverse() * r.cross(P_W);
    const Vector3d du = ContactVelocity<double>(dv, dw, r, frame);
    EXPECT_LT((a.col(k) - du).norm(), 1e-14);
  }
  EXPECT_EQ(a, Matrix3d(a.transpose()));
}

// chatterjee1997 2.3.1: the contact of a uniform sphere has mass ratios 7 : 2 : 2, a rod end 4 : 1.
TEST(InverseContactMass, HasTheRatiosOfSphereAndRod) {
  const Matrix3d sphere =
      InverseContactMass<double>(2.0, UniformInertia(Sphere{0.3}, 2.0), Quaterniond::Identity(),
                                 Vector3d(0, 0, -0.3), Matrix3d::Identity());
  EXPECT_LT((sphere - Matrix3d(Vector3d(1.75, 1.75, 0.5).asDiagonal())).norm(), 1e-14);
  const Matrix3d rod = InverseContactMass<double>(1.0, UniformInertia(Box{{1e-6, 1e-6, 1.0}}, 1.0),
                                                  Quaterniond::Identity(), Vector3d(0, 0, -0.5),
                                                  Matrix3d::Identity());
  EXPECT_NEAR(rod(0, 0) / rod(2, 2), 4.0, 1e-11);
}

TEST(InverseContactMass, QuotesBadMassAndInertia) {
  const auto solve = [](double mass, const Matrix3d& inertia) {
    return InverseContactMass<double>(mass, inertia, Quaterniond::Identity(), Vector3d(0, 0, -1),
                                      Matrix3d::Identity());
  };
  const auto message = [&](double mass, const Matrix3d& inertia) -> std::string {
    try {
      solve(mass, inertia);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message(-2.0, Inertia()), testing::HasSubstr("mass is -2"));
  Matrix3d skew = Inertia();
  skew(0, 1) = 0.5;
  EXPECT_THAT(message(1.0, skew), testing::HasSubstr("symmetric"));
  EXPECT_THAT(message(1.0, Vector3d(1, 1, -1).asDiagonal()),
              testing::HasSubstr("not positive definite"));
}

}  // namespace
}  // namespace percuss::solver
