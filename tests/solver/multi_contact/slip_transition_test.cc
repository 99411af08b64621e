// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: chatterjee2019 T6, T7 and table 6.B as restated in its digest.

#include "solver/multi_contact/slip_transition.h"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "solver/rigid/sliding_friction.h"
#include "tests/solver/multi_contact/multi_contact_setups.h"

namespace percuss::solver {
namespace {

using testing::FaceSample;
using testing::FlatBlock;
using testing::SpatialPoint;

SlipResponse SampleResponse() {
  SlipResponse response;
  response << 1.89, -0.15, 0.40, -0.15, 3.25, 0.60;
  return response;
}

// T6, a single point.
TEST(SlipTransition, T6Quartic) {
  const auto c = IsoclineQuartic(IsoclineMatrix(SampleResponse()), 0.2);
  const double printed[] = {0.1591, -0.49632, 0.447816, -0.46368, 0.3591};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(c[k], printed[k], 1e-9);
  const std::vector<Isocline> isoclines = Isoclines(SampleResponse(), 0.2);
  ASSERT_EQ(isoclines.size(), 2u);
  const std::optional<Isocline> outgoing = OutgoingIsocline(SampleResponse(), 0.2);
  ASSERT_TRUE(outgoing);
  EXPECT_NEAR(outgoing->angle, 0.79248, 1e-5);
  EXPECT_NEAR(outgoing->speed_rate, 0.22216, 1e-5);
  const Isocline& other = isoclines[0].speed_rate < 0.0 ? isoclines[0] : isoclines[1];
  EXPECT_NEAR(other.angle, -1.98995, 1e-5);
  EXPECT_NEAR(other.speed_rate, -1.29350, 1e-5);
  // The impulse that would hold it, which mu = 0.2 does not allow.
  Contact<double> contact;
  contact.inverse_mass << SampleResponse(), 0.40, 0.60, 1.38;
  EXPECT_NEAR(CriticalFriction(contact), 0.299414, 5.1e-7);
  const Eigen::Vector2d held =
      -(SampleResponse().leftCols<2>().inverse() * SampleResponse().col(2));
  EXPECT_LT((held - Eigen::Vector2d(-0.227124, -0.195098)).cwiseAbs().maxCoeff(), 5.1e-7);
}

// A direction along t2 is a root at infinity of the quartic in tan(phi).
TEST(SlipTransition, FindsVerticalIsocline) {
  SlipResponse response;
  response << 2.0, 0.0, 0.0, 0.0, 3.0, 1.5;
  const std::optional<Isocline> outgoing = OutgoingIsocline(response, 0.1);
  ASSERT_TRUE(outgoing);
  EXPECT_NEAR(outgoing->angle, M_PI / 2, 1e-9);
  EXPECT_NEAR(outgoing->speed_rate, 1.5 - 0.1 * 3.0, 1e-12);
}

ForceDistribution Distribution(const MultiImpactProblem& problem) {
  const Eigen::MatrixXd inverse_mass =
      problem.jacobian * problem.mass.inverse() * problem.jacobian.transpose();
  return {inverse_mass, problem.points, ForceRows::kWorld, true};
}

// T6, all points of a face.
TEST(SlipTransition, T6AllPoints) {
  const MultiImpactProblem problem = FaceSample(0.05, {0, 0, -1}, {0, 0, 0});
  const ForceDistribution distribution = Distribution(problem);
  const auto slip = OutgoingSlip(distribution, true);
  ASSERT_TRUE(slip);
  EXPECT_NEAR((*slip)[0], 11.93371, 1e-4);
  EXPECT_NEAR((*slip)[1], 7.06087, 1e-4);
  EXPECT_NEAR((*slip)[2], 1.0857, 1e-4);
  std::vector<PointMode> modes(4, PointMode::kSlip);
  Eigen::VectorXd shares;
  ASSERT_TRUE(distribution.Solve(distribution.face_motion() * *slip, modes, shares));
  const double loads[] = {0.9866, 0.9825, 0.9960, 1.0};
  const Eigen::VectorXd rates = distribution.inverse_mass() * shares / shares[11];
  const double normals[] = {33.498, 20.969, 6.190, 18.720};
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(shares[3 * i + 2] / shares[11], loads[i], 1e-4);
    EXPECT_NEAR(rates[3 * i + 2], normals[i], 1e-3);
  }
}

// T7: on one plane the load is shared as the speeds are; exact. Face 0.1 x 0.2 m.
TEST(SlipTransition, T7LoadInProportionToSpeed) {
  MultiImpactProblem problem = FaceSample(0.35, {1, 0.3, -1}, {0, 0, 2});
  const Eigen::Vector3d corners[] = {
      {0.05, 0.1, 0}, {-0.05, 0.1, 0}, {-0.05, -0.1, 0}, {0.05, -0.1, 0}};
  for (int i = 0; i < 4; ++i) problem.points[i].position = corners[i];
  Body body;
  body.mass = 1.0;
  body.inertia = Eigen::Vector3d(0.01, 0.02, 0.03).asDiagonal();
  for (const double turn : {2.0, 8.0}) {
    const MultiImpactProblem face =
        BodyImpact(body, Eigen::Matrix3d::Identity(), {1, 0.3, -1}, {0, 0, turn}, problem.points);
    const Eigen::VectorXd velocity = face.jacobian * face.speeds;
    std::vector<PointMode> modes(4, PointMode::kSlip);
    const ForceDistribution distribution = Distribution(face);
    Eigen::VectorXd shares;
    ASSERT_TRUE(distribution.Solve(velocity, modes, shares));
    // The rows themselves hold for it.
    EXPECT_LT((distribution.Rows(velocity, modes) * shares).norm(), 1e-10);
    const double printed[2][4] = {{0.7071, 0.6519, 0.9618, 1}, {0.3769, 0.1158, 0.9334, 1}};
    for (int i = 0; i < 4; ++i) {
      EXPECT_NEAR(shares[3 * i + 2] / shares[11], printed[turn > 5.0][i], 1e-4);
    }
  }
}

Eigen::Index RankOf(const MultiImpactProblem& problem, PointMode mode) {
  const ForceDistribution distribution = Distribution(problem);
  const std::vector<PointMode> modes(problem.points.size(), mode);
  const Eigen::VectorXd velocity = problem.jacobian * problem.speeds;
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(distribution.Rows(velocity, modes));
  svd.setThreshold(1e-9);
  return svd.rank();
}

/// The face of FaceSample on a body that is turned by R.
MultiImpactProblem TurnedFace(const Eigen::Matrix3d& R) {
  std::vector<ImpactPoint> points = FaceSample(0.3, {0, 0, 0}, {0, 0, 0}).points;
  for (ImpactPoint& point : points) point.position = R * point.position;
  Body body;
  body.mass = 0.25;
  body.inertia = Eigen::Vector3d(0.0009, 0.0005, 0.0011).asDiagonal();
  return BodyImpact(body, R, {1, 0.3, -1}, {0, 0, 0}, points);
}

/// Of the answers of all tangential velocities to the impulses, M_t of (5.37).
Eigen::Index TangentialRank(const MultiImpactProblem& problem) {
  const Eigen::MatrixXd a = Distribution(problem).inverse_mass();
  Eigen::MatrixXd rows(0, a.cols());
  for (Eigen::Index i = 0; i < a.rows(); i += 3) {
    rows.conservativeResize(rows.rows() + 2, Eigen::NoChange);
    rows.bottomRows<2>() = a.middleRows<2>(i);
  }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows);
  svd.setThreshold(1e-9);
  return svd.rank();
}

// T7: the table of ranks.
TEST(SlipTransition, T7Ranks) {
  EXPECT_EQ(RankOf(FlatBlock(0.0), PointMode::kSlip), 2);
  EXPECT_EQ(RankOf(FlatBlock(0.35), PointMode::kStick), 2);
  EXPECT_EQ(RankOf(FlatBlock(0.35), PointMode::kSlip), 3);
  EXPECT_EQ(RankOf(FaceSample(0.3, {1, 0.3, -1}, {0, 0, 0}), PointMode::kStick), 6);
  EXPECT_EQ(RankOf(FaceSample(0.3, {1, 0.3, -1}, {0, 0, 0}), PointMode::kSlip), 11);
  EXPECT_EQ(RankOf(FaceSample(0.3, {1, 0.0, -1}, {0, 0, 0}), PointMode::kSlip), 10);
  EXPECT_EQ(RankOf(FaceSample(0.3, {0, 1.0, -1}, {0, 0, 0}), PointMode::kSlip), 10);

  const Eigen::Matrix3d tilt =
      Eigen::AngleAxisd(0.3, Eigen::Vector3d(1, 2, 0).normalized()).toRotationMatrix();
  EXPECT_EQ(RankOf(TurnedFace(tilt), PointMode::kStick), 8);
  EXPECT_EQ(TangentialRank(TurnedFace(Eigen::Matrix3d::Identity())), 3);
  EXPECT_EQ(TangentialRank(TurnedFace(tilt)), 5);
  // The rows of the forces, each after those of friction, have no normal part on a flat face: H_s
  // of (5.38) is zero.
  const MultiImpactProblem flat = FaceSample(0.3, {1, 0.3, -1}, {0, 0, 0});
  const Eigen::MatrixXd rows =
      Distribution(flat).Rows(flat.jacobian * flat.speeds, std::vector(4, PointMode::kSlip));
  for (const int row : {2, 5, 8}) {
    EXPECT_GT(rows.row(row).norm(), 0.5);
    for (const int normal : {2, 5, 8, 11}) EXPECT_EQ(rows(row, normal), 0.0);
  }

  // A box on its face turns about the face's middle; and on an edge of two points.
  std::vector<ImpactPoint> corners;
  for (const auto& [x, y] : {std::pair{0.05, 0.1}, {-0.05, 0.1}, {-0.05, -0.1}, {0.05, -0.1}}) {
    corners.push_back(SpatialPoint({x, y, -0.05}, 0.3, 0.3));
  }
  const Body box = testing::BoxBody({0.1, 0.2, 0.1}, 1.0);
  const Eigen::Matrix3d upright = Eigen::Matrix3d::Identity();
  EXPECT_EQ(RankOf(BodyImpact(box, upright, {0, 0, -1}, {0, 0, 2}, corners), PointMode::kSlip), 10);
  corners.resize(2);
  EXPECT_EQ(RankOf(BodyImpact(box, upright, {0, 0, -1}, {0, 0, 0}, corners), PointMode::kStick), 4);

  // A planar block that is nearly flush: of full rank, with both loads equal.
  for (const double angle : {1e-8, 1e-6, 1e-3}) {
    MultiImpactProblem block = FlatBlock(0.0);
    std::vector<ImpactPoint> points = block.points;
    const Eigen::Rotation2Dd turn(angle);
    for (ImpactPoint& point : points) {
      const Eigen::Vector2d r = turn * Eigen::Vector2d(point.position.x(), point.position.z());
      point.position = {r.x(), 0.0, r.y()};
    }
    block = testing::PlanarBodyImpact(2.5, block.mass(2, 2), block.speeds, points);
    if (angle > 1e-7) {
      EXPECT_EQ(RankOf(block, PointMode::kSlip), 3) << angle;
      EXPECT_EQ(RankOf(block, PointMode::kStick), 3) << angle;
    }
    for (const PointMode mode : {PointMode::kSlip, PointMode::kStick}) {
      std::vector<PointMode> modes(2, mode);
      Eigen::VectorXd shares;
      ASSERT_TRUE(Distribution(block).Solve(block.jacobian * block.speeds, modes, shares));
      EXPECT_LT((shares / shares[3] - Eigen::Vector4d(0, 1, 0, 1)).norm(), 10.0 * angle) << angle;
    }
  }
}

// T12, App. A: what no motion of a rigid body can do to the velocities of two of its points,
// I - P P^+ = w^T w / (w w^T), is the row of their forces, and the impulses have no part along it.
TEST(SlipTransition, T12Projection) {
  const double alpha = 0.7, beta = -1.3;
  Eigen::RowVectorXd w(6);
  w << 1, alpha, beta, -1, -alpha, -beta;
  // theta = P theta_s: five components free, the first from w theta = 0.
  Eigen::MatrixXd P = Eigen::MatrixXd::Zero(6, 5);
  P.row(0) = -w.tail(5);
  P.bottomRows(5).setIdentity();
  const Eigen::MatrixXd pseudo = (P.transpose() * P).inverse() * P.transpose();
  const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(6, 6) - P * pseudo;
  EXPECT_NEAR(w.squaredNorm(), 2 * (1 + alpha * alpha + beta * beta), 1e-12);

  const Eigen::Vector3d place(-0.02, 0.05, -0.1), arm(1.0, alpha, beta);
  const MultiImpactProblem problem = BodyImpact(
      testing::BoxBody({0.2, 0.3, 0.4}, 1.5), Eigen::Matrix3d::Identity(), {0.4, -0.2, -1.0},
      {1.0, 2.0, -0.5}, {SpatialPoint(place + 0.1 * arm, 0.2, 0.2), SpatialPoint(place, 0.3, 0.3)});
  const ForceDistribution distribution = Distribution(problem);
  const Eigen::VectorXd velocity = problem.jacobian * problem.speeds;
  EXPECT_LT((left * velocity).norm(), 1e-12);
  for (const PointMode mode : {PointMode::kSlip, PointMode::kStick}) {
    std::vector<PointMode> modes(2, mode);
    const Eigen::MatrixXd rows = distribution.Rows(velocity, modes);
    ASSERT_EQ(rows.rows(), 5);  // two of friction, that of the forces, two of friction
    EXPECT_LT((left - rows.row(2).transpose() * rows.row(2) / rows.row(2).squaredNorm()).norm(),
              1e-12);
    Eigen::VectorXd shares;
    ASSERT_TRUE(distribution.Solve(velocity, modes, shares));
    EXPECT_NEAR(shares[2] + shares[5], 1.0, 1e-12);
    EXPECT_LT((left * shares).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace percuss::solver
