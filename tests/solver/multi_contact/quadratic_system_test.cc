// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: roots in closed form, and planted ones.

#include "solver/multi_contact/quadratic_system.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>
#include <stdexcept>

namespace percuss::solver {
namespace {

Eigen::Matrix4d SphereAbout(const Eigen::Vector3d& centre, double squared_radius) {
  Eigen::Matrix4d Q = Eigen::Matrix4d::Identity();
  Q.topRightCorner<3, 1>() = -centre;
  Q.bottomLeftCorner<1, 3>() = -centre.transpose();
  Q(3, 3) = centre.squaredNorm() - squared_radius;
  return Q;
}

bool Holds(const std::vector<Eigen::Vector3d>& roots, const Eigen::Vector3d& root) {
  for (const Eigen::Vector3d& other : roots) {
    if ((other - root).norm() < 1e-8) return true;
  }
  return false;
}

// u_1^2 = 1, u_2^2 = 4, u_3^2 = 9: eight roots, Bezout's number.
TEST(QuadraticSystem, FindsAllEightRoots) {
  std::vector<Eigen::Matrix4d> quadratics(3, Eigen::Matrix4d::Zero());
  for (int i = 0; i < 3; ++i) {
    quadratics[i](i, i) = 1.0;
    quadratics[i](3, 3) = -(i + 1.0) * (i + 1.0);
  }
  const std::vector<Eigen::Vector3d> roots = CommonRoots(quadratics);
  EXPECT_EQ(roots.size(), 8u);
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-2.0, 2.0}) {
      for (const double c : {-3.0, 3.0}) EXPECT_TRUE(Holds(roots, {a, b, c}));
    }
  }
}

TEST(QuadraticSystem, FindsPlantedRoots) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Vector3d root{normal(random), normal(random), normal(random)};
    std::vector<Eigen::Matrix4d> quadratics;
    for (int i = 0; i < 4; ++i) {
      Eigen::Matrix4d Q;
      for (int k = 0; k < 16; ++k) Q(k / 4, k % 4) = normal(random);
      Q = (Q + Q.transpose()).eval();
      const Eigen::Vector4d x = root.homogeneous();
      Q(3, 3) -= x.dot(Q * x);
      quadratics.push_back(Q);
    }
    // Four have this root alone in common; three have others besides.
    const std::vector<Eigen::Vector3d> common = CommonRoots(quadratics);
    ASSERT_EQ(common.size(), 1u) << trial;
    EXPECT_LT((common[0] - root).norm(), 1e-8) << trial;
    quadratics.pop_back();
    EXPECT_TRUE(Holds(CommonRoots(quadratics), root)) << trial;
  }
}

TEST(QuadraticSystem, SaysWhenThereIsNone) {
  // Unit spheres that do not meet.
  EXPECT_TRUE(
      CommonRoots({SphereAbout({0, 0, 0}, 1), SphereAbout({5, 0, 0}, 1), SphereAbout({0, 5, 1}, 1)})
          .empty());
  EXPECT_THROW(CommonRoots({SphereAbout({0, 0, 0}, 1)}), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
