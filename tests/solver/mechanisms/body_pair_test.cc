// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Contacts of two bodies and of linkages, bodies made for a contact mass, and pucks, against
// chatterjee1997 (AT6, AT11; digest 3.1, 3.2, 3.28, 3.30, 4.3, 4.4, 4.6) and momentum balances.

#include "solver/mechanisms/body_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <array>
#include <numbers>
#include <random>
#include <stdexcept>

#include "solver/contact/impulse_space.h"
#include "solver/law/impact_law.h"
#include "solver/mechanisms/point_mass_bodies.h"
#include "solver/mechanisms/puck.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/table.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;

const double kInfinite = std::numeric_limits<double>::infinity();
const CollidingBody kWall{.mass = kInfinite};

CollidingBody RandomBody(std::mt19937& random) {
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vector3d{normal(random), normal(random), normal(random)}; };
  Matrix3d spread;
  spread << vector(), vector(), vector();
  // An inertia tensor obeys the triangle inequality: that of a cloud of points with this
  // covariance.
  const Matrix3d covariance = spread * spread.transpose() + 0.1 * Matrix3d::Identity();
  return {.mass = 0.1 + std::abs(normal(random)),
          .inertia = covariance.trace() * Matrix3d::Identity() - covariance,
          .r = vector(),
          .velocity = vector(),
          .angular_velocity = vector()};
}

Matrix3d RandomFrame(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return ContactFrame({normal(random), normal(random), normal(random)});
}

CollidingBody UniformBall(double mass, double radius, double height) {
  return {.mass = mass,
          .inertia = 0.4 * mass * radius * radius * Matrix3d::Identity(),
          .r = {0.0, 0.0, height}};
}

TEST(BodyPair, ExchangesMomentum) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const BodyPair pair{RandomBody(random), RandomBody(random)};
    const Matrix3d frame = RandomFrame(random);
    const Contact<double> contact = ContactOf(pair, frame);
    const Vector3d P(0.3, -0.7, 1.1);
    const BodyPair after = AfterImpulse(pair, frame, P);
    const Vector3d linear = pair.first.mass * (after.first.velocity - pair.first.velocity) +
                            pair.second.mass * (after.second.velocity - pair.second.velocity);
    EXPECT_LT(linear.norm(), 1e-14);
    // Angular momentum about the contact point: I w - r x m v of each body does not change.
    const auto angular = [](const CollidingBody& body) {
      return Vector3d(body.inertia * body.angular_velocity -
                      body.r.cross(body.mass * body.velocity));
    };
    EXPECT_LT((angular(after.first) - angular(pair.first)).norm(), 1e-12);
    EXPECT_LT((angular(after.second) - angular(pair.second)).norm(), 1e-12);
    // u' - u = A P, and the change of kinetic energy is that of the contact alone.
    const Vector3d change = ContactOf(after, frame).velocity - contact.velocity;
    EXPECT_LT((change - contact.inverse_mass * P).norm(), 1e-11 * change.norm());
    const double scale = KineticEnergy(pair) + KineticEnergy(after);
    EXPECT_NEAR(KineticEnergy(after) - KineticEnergy(pair), EnergyChange(contact, P),
                1e-12 * scale);
  }
}

// Only the relative velocity counts: a motion common to both bodies, and motions that leave u as it
// is, change nothing.
TEST(BodyPair, SeesOnlyTheLocalInteraction) {
  std::mt19937 random(2);
  BodyPair pair{RandomBody(random), RandomBody(random)};
  const Matrix3d frame = RandomFrame(random);
  const Contact<double> contact = ContactOf(pair, frame);
  for (CollidingBody* body : {&pair.first, &pair.second})
    body->velocity += Vector3d(5.0, -2.0, 1.0);
  const Vector3d spin(0.3, 0.4, -0.9);
  pair.second.angular_velocity += spin;
  pair.second.velocity -= spin.cross(pair.second.r);
  EXPECT_LT((ContactOf(pair, frame).velocity - contact.velocity).norm(), 1e-14);
  EXPECT_EQ(ContactOf(pair, frame).inverse_mass, contact.inverse_mass);
}

TEST(BodyPair, WithAWallIsTheOneBody) {
  std::mt19937 random(3);
  const CollidingBody body = RandomBody(random);
  const Matrix3d frame = RandomFrame(random);
  const Contact<double> contact = ContactOf({body, kWall}, frame);
  EXPECT_EQ(contact.inverse_mass,
            InverseContactMass<double>(body.mass, body.inertia, Eigen::Quaterniond::Identity(),
                                       body.r, frame));
  const BodyPair after = AfterImpulse({body, kWall}, frame, {0.1, 0.2, 0.3});
  EXPECT_EQ(after.second.velocity, Vector3d::Zero());
  EXPECT_GT((after.first.velocity - body.velocity).norm(), 0.0);
  EXPECT_THROW(ContactOf({kWall, kWall}, frame), std::invalid_argument);
  EXPECT_THROW(ContactOf({CollidingBody{}, kWall}, frame), std::invalid_argument);
}

// digest 3.2 item 4 (AT6): collinear uniform spheres have contact masses 7 : 2 : 2 whatever their
// sizes, and two identical bodies half of what one has against a wall.
TEST(BodyPair, OfBallsHasSevenToTwoToTwo) {
  for (const auto& [m1, r1, m2, r2] :
       {std::array{1.0, 0.2, 3.0, 0.7}, {0.01, 1.0, 5.0, 0.02}, {2.0, 0.5, 2.0, 0.5}}) {
    const BodyPair pair{UniformBall(m1, r1, -r1), UniformBall(m2, r2, r2)};
    const Matrix3d mass = ContactOf(pair, Matrix3d::Identity()).inverse_mass.inverse();
    EXPECT_NEAR(mass(2, 2), m1 * m2 / (m1 + m2), 1e-12 * mass(2, 2));
    EXPECT_NEAR(mass(2, 2) / mass(0, 0), 3.5, 1e-12);
    EXPECT_NEAR(mass(2, 2) / mass(1, 1), 3.5, 1e-12);
    const Matrix3d diagonal = mass.diagonal().asDiagonal();
    EXPECT_LT((mass - diagonal).norm(), 1e-14 * mass.norm());
  }
  const CollidingBody ball = UniformBall(2.0, 0.5, -0.5);
  const Matrix3d wall = ContactOf({ball, kWall}, Matrix3d::Identity()).inverse_mass;
  const Matrix3d twin =
      ContactOf({ball, UniformBall(2.0, 0.5, 0.5)}, Matrix3d::Identity()).inverse_mass;
  EXPECT_LT((twin - 2.0 * wall).norm(), 1e-14);
}

// digest 3.2 item 3: planar mirror images whose lines from contact to mass centre are perpendicular
// have A = (2/m + r^2/I) 1 in their plane.
TEST(BodyPair, OfMirrorImagesIsIsotropic) {
  const double m = 1.3, I = 0.21, r = 0.6;
  const auto body = [&](double angle) {
    return CollidingBody{.mass = m,
                         .inertia = I * Matrix3d::Identity(),
                         .r = r * Vector3d(std::cos(angle), 0.0, std::sin(angle))};
  };
  const double tilt = 0.37;
  const BodyPair pair{body(tilt), body(tilt + std::numbers::pi / 2.0)};
  const Matrix3d a = ContactOf(pair, Matrix3d::Identity()).inverse_mass;
  const double expected = 2.0 / m + r * r / I;
  EXPECT_NEAR(a(0, 0), expected, 1e-14);
  EXPECT_NEAR(a(2, 2), expected, 1e-14);
  EXPECT_NEAR(a(0, 2), 0.0, 1e-14);
}

// digest 3.2 items 1, 2: eigenvalue m along the line to the mass centre, m I / (I + m r^2) across;
// for the tip of a thin rod 1/4, in M as printed.
TEST(BodyPair, OfARodAndAWall) {
  struct Row {
    double degrees, m11, m12, m22;
  };
  for (const Row& row : {Row{0, 1.0, 0.0, 0.25}, Row{30, 0.8125, 0.324760, 0.4375},
                         Row{45, 0.625, 0.375, 0.625}, Row{60, 0.4375, 0.324760, 0.8125}}) {
    const double phi = row.degrees * std::numbers::pi / 180.0;
    // Thin along its axis: the missing inertia there does not enter the plane.
    CollidingBody rod{.mass = 1.0, .inertia = Matrix3d::Identity() / 12.0};
    rod.r = -0.5 * Vector3d(std::sin(phi), 0.0, std::cos(phi));
    const Matrix3d mass = ContactOf({rod, kWall}, Matrix3d::Identity()).inverse_mass.inverse();
    EXPECT_NEAR(mass(2, 2), row.m11, 1e-6);
    EXPECT_NEAR(mass(0, 2), row.m12, 1e-6);
    EXPECT_NEAR(mass(0, 0), row.m22, 1e-6);
    const Vector3d along = rod.r.normalized();
    EXPECT_LT((mass * along - along).norm(), 1e-14);
  }
  EXPECT_NEAR(ContactMassRatio(1.0, 1.0 / 12.0, 0.5), 0.25, 1e-15);
}

// --- linkages -----------------------------------------------------------------------------------

// A rigid body as a linkage without joints: v, w of the mass centre.
Linkage AsLinkage(const CollidingBody& body) {
  Linkage linkage;
  linkage.mass_matrix = MatrixXd::Zero(6, 6);
  linkage.mass_matrix.topLeftCorner<3, 3>() = body.mass * Matrix3d::Identity();
  linkage.mass_matrix.bottomRightCorner<3, 3>() = body.inertia;
  linkage.contact_jacobian = MatrixXd::Zero(3, 6);
  linkage.contact_jacobian.leftCols<3>().setIdentity();
  for (int k = 0; k < 3; ++k) {
    linkage.contact_jacobian.col(3 + k) = Vector3d::Unit(k).cross(body.r);
  }
  return linkage;
}

TEST(Linkage, WithoutJointsIsTheFreeBody) {
  std::mt19937 random(4);
  for (int i = 0; i < 100; ++i) {
    const CollidingBody body = RandomBody(random);
    const Matrix3d expected = ContactOf({body, kWall}, Matrix3d::Identity()).inverse_mass;
    const Linkage linkage = AsLinkage(body);
    EXPECT_LT((InverseContactMass(linkage) - expected).norm(), 1e-12 * expected.norm());
    const Vector3d P(0.2, -0.4, 0.9);
    const BodyPair after = AfterImpulse({body, kWall}, Matrix3d::Identity(), P);
    Eigen::Matrix<double, 6, 1> change;
    change << after.first.velocity - body.velocity,
        after.first.angular_velocity - body.angular_velocity;
    EXPECT_LT((VelocityChange(linkage, P) - change).norm(), 1e-12 * change.norm());
  }
}

// The recipe of unit forces on the same body, turning and under gravity.
TEST(Linkage, FromUnitForcesIsTheSame) {
  std::mt19937 random(5);
  const CollidingBody body = RandomBody(random);
  const auto acceleration = [&](const Vector3d& force) {
    const Vector3d& w = body.angular_velocity;
    const Vector3d linear = force / body.mass - Vector3d(0.0, 0.0, 9.81);
    const Vector3d angular =
        body.inertia.inverse() * (body.r.cross(force) - w.cross(body.inertia * w));
    return Vector3d(linear + angular.cross(body.r) + w.cross(w.cross(body.r)));
  };
  const Matrix3d expected = ContactOf({body, kWall}, Matrix3d::Identity()).inverse_mass;
  EXPECT_LT((InverseContactMassFromUnitForces(acceleration) - expected).norm(),
            1e-12 * expected.norm());
}

// A rod that hangs from a fixed pivot turns about it alone: A is that of the moment of inertia
// about the pivot. The joint is given twice, which must not matter.
TEST(Linkage, OfAPendulumTurnsAboutItsPivot) {
  const double m = 0.8, length = 1.2;
  CollidingBody rod{.mass = m, .inertia = m * length * length / 12.0 * Matrix3d::Identity()};
  rod.r = {0.0, 0.0, -0.5 * length};
  Linkage pendulum = AsLinkage(rod);
  MatrixXd pivot(6, 6);
  CollidingBody top = rod;
  top.r = -rod.r;
  pivot << AsLinkage(top).contact_jacobian, AsLinkage(top).contact_jacobian;
  pendulum.joint_jacobian = pivot;
  const Matrix3d a = InverseContactMass(pendulum);
  const double about_pivot = m * length * length / 3.0;
  EXPECT_NEAR(a(0, 0), length * length / about_pivot, 1e-13);
  EXPECT_NEAR(a(1, 1), length * length / about_pivot, 1e-13);
  EXPECT_LT(a.col(2).norm(), 1e-14);  // no motion along the rod
  const Eigen::VectorXd change = VelocityChange(pendulum, {0.5, 0.1, 3.0});
  EXPECT_LT((pivot * change).norm(), 1e-14);
}

// Two rods joined by a hinge, struck at one end: against the balance of each rod with the unknown
// joint impulse.
TEST(Linkage, OfTwoRodsPassesTheJointImpulse) {
  const double m = 1.0, length = 1.0;
  CollidingBody rod{.mass = m, .inertia = m * length * length / 12.0 * Matrix3d::Identity()};
  Linkage chain;
  chain.mass_matrix = MatrixXd::Zero(12, 12);
  rod.r = {0.5 * length, 0.0, 0.0};
  const Linkage right_end = AsLinkage(rod);
  rod.r = {-0.5 * length, 0.0, 0.0};
  const Linkage left_end = AsLinkage(rod);
  for (const int k : {0, 6}) chain.mass_matrix.block<6, 6>(k, k) = right_end.mass_matrix;
  chain.joint_jacobian = MatrixXd(3, 12);
  chain.joint_jacobian << right_end.contact_jacobian, -left_end.contact_jacobian;
  chain.contact_jacobian = MatrixXd::Zero(3, 12);
  chain.contact_jacobian.leftCols<6>() = left_end.contact_jacobian;
  // A blow of 1 across the free end gives that end the velocity (4 - X 2)/m, with the joint impulse
  // X from equal velocities at the joint: -2 + 4 X = -4 X.
  EXPECT_NEAR(InverseContactMass(chain)(2, 2), 4.0 - 2.0 * 0.25, 1e-13);
  EXPECT_NEAR(InverseContactMass(chain)(0, 0), 0.5, 1e-13);  // along: both masses
}

TEST(Linkage, QuotesWhatDoesNotFit) {
  Linkage linkage = AsLinkage(UniformBall(1.0, 0.1, 0.1));
  linkage.contact_jacobian.resize(2, 6);
  try {
    InverseContactMass(linkage);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("contact_jacobian is 2 x 6; it must be 3 x 6"));
  }
  linkage = AsLinkage(UniformBall(1.0, 0.1, 0.1));
  linkage.joint_jacobian = MatrixXd::Zero(1, 4);
  EXPECT_THROW(InverseContactMass(linkage), std::invalid_argument);
  linkage = AsLinkage(UniformBall(1.0, 0.1, 0.1));
  linkage.mass_matrix(2, 2) = -1.0;
  EXPECT_THROW(VelocityChange(linkage, Vector3d::UnitZ()), std::invalid_argument);
}

// --- bodies for a contact mass ------------------------------------------------------------------

// The printed formulas against the rigid-body mechanics of the pair.
TEST(PointMassBodies, HaveTheContactMassesOfTheirFormulas) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform(0.1, 3.0);
  for (int i = 0; i < 200; ++i) {
    const PointMassBodies bodies{uniform(random), uniform(random), uniform(random),
                                 uniform(random)};
    const BodyPair pair = RigidBodies(bodies, Matrix3d::Identity());
    const Matrix3d mass = ContactOf(pair, Matrix3d::Identity()).inverse_mass.inverse();
    const Vector3d expected = ContactMasses(bodies);
    EXPECT_LT((mass - Matrix3d(expected.asDiagonal())).norm(), 1e-12 * expected.norm());
    // Three masses held together by rods, as a linkage of points.
    const std::array masses = {bodies.b, bodies.c, bodies.c};
    const double h = std::sqrt(0.5);
    const std::array<Vector3d, 3> at = {Vector3d(0, 0, 0), Vector3d(h, 0, 1), Vector3d(-h, 0, 1)};
    Linkage points;
    points.mass_matrix = MatrixXd::Zero(9, 9);
    points.joint_jacobian = MatrixXd::Zero(3, 9);
    points.contact_jacobian = MatrixXd::Zero(3, 9);
    points.contact_jacobian.leftCols<3>().setIdentity();
    for (int k = 0; k < 3; ++k) {
      const int next = (k + 1) % 3;
      const auto index = [](int j) { return static_cast<std::size_t>(j); };
      points.mass_matrix.block<3, 3>(3 * k, 3 * k) = masses[index(k)] * Matrix3d::Identity();
      const Vector3d along = at[index(k)] - at[index(next)];
      points.joint_jacobian.block<1, 3>(k, 3 * k) = along.transpose();
      points.joint_jacobian.block<1, 3>(k, 3 * next) = -along.transpose();
    }
    const Matrix3d second = ContactOf({pair.second, kWall}, Matrix3d::Identity()).inverse_mass;
    EXPECT_LT((InverseContactMass(points) - second).norm(), 1e-12 * second.norm());
  }
}

// The error of the series is of second order in 1 / M_c: a hundredth for ten times the mass.
TEST(PointMassBodies, AreNearTheirSeries) {
  const Vector3d masses(1.0, 1.7, 2.4);
  const double coarse = (ContactMasses(BodiesSeries(masses, 1e3)) - masses).norm();
  const double fine = (ContactMasses(BodiesSeries(masses, 1e4)) - masses).norm();
  EXPECT_LT(coarse, 3e-5);
  EXPECT_NEAR(fine / coarse, 0.01, 1e-3);
  const PointMassBodies exact = BodiesOfContactMasses(masses, 1e6);
  EXPECT_NEAR(exact.a, 1.0, 1e-5);
  EXPECT_NEAR(exact.b, 1.7, 1e-5);
  EXPECT_NEAR(exact.m, 0.7, 1e-5);
}

TEST(PointMassBodies, RealiseAnyContactMass) {
  std::mt19937 random(7);
  int realised = 0;
  for (int i = 0; i < 300; ++i) {
    const Matrix3d wanted = reference::RandomContact(random, 2.0).inverse_mass;
    const Eigen::SelfAdjointEigenSolver<Matrix3d> eigen(wanted);
    if (eigen.eigenvalues()[2] < 1.05 * eigen.eigenvalues()[0]) continue;
    ++realised;
    const BodyPair pair = BodiesWithContactMass(wanted, 1e3 * eigen.eigenvalues()[2]);
    const Matrix3d mass = ContactOf(pair, Matrix3d::Identity()).inverse_mass.inverse();
    EXPECT_LT((mass - wanted).norm(), 1e-10 * wanted.norm());
  }
  EXPECT_GT(realised, 250);
  EXPECT_THROW(BodiesWithContactMass(Matrix3d::Identity(), 1e6), std::invalid_argument);
  EXPECT_THROW(BodiesOfContactMasses({1.0, 1.0, 2.0}, 0.5), std::invalid_argument);
  EXPECT_THROW(BodiesOfContactMasses({-1.0, 1.0, 2.0}, 1e3), std::invalid_argument);
}

// --- pucks --------------------------------------------------------------------------------------

// AT11: inertias implied by Table 11.1, in g cm^2, tolerance 0.1.
TEST(Puck, HasTheInertiaOfTheTable) {
  const std::string folder = std::string(PERCUSS_DATA_DIR) + "/chatterjee1997/";
  const Table pucks(folder + "table_11_1_pucks.csv");
  const Table inertia(folder + "derived_puck_inertia.csv");
  ASSERT_EQ(pucks.size(), 9u);
  for (std::size_t row = 0; row < pucks.size(); ++row) {
    const double mass = 1e-3 * pucks.Number(row, "mass_g");
    const double radius = 1e-3 * pucks.Number(row, "radius_mm");
    const double ratio = pucks.Number(row, "lambda2_over_lambda1");
    const double about_centre = InertiaFromContactMassRatio(mass, ratio, radius);
    EXPECT_NEAR(1e7 * about_centre, inertia.Number(row, "I_cm_implied_g_cm2"), 0.1);
    EXPECT_NEAR(ContactMassRatio(mass, about_centre, radius), ratio, 1e-15);
    // The same from the contact itself.
    CollidingBody puck{.mass = mass, .inertia = about_centre * Matrix3d::Identity()};
    puck.r = {0.0, 0.0, -radius};
    const Matrix3d a = ContactOf({puck, kWall}, Matrix3d::Identity()).inverse_mass;
    EXPECT_NEAR(1e3 / a(2, 2), inertia.Number(row, "lambda1_g"), 1e-4);
    EXPECT_NEAR(1e3 / a(0, 0), inertia.Number(row, "lambda2_g"), 1e-4);
    EXPECT_NEAR(about_centre / (mass * radius * radius), inertia.Number(row, "k2_over_r2"), 5.1e-5);
  }
  EXPECT_NEAR(ContactMassRatio(1.0, 0.5, 1.0), 1.0 / 3.0, 1e-15);  // a plain disk
}

// Digest 4.3: the pucks as uniform discs, with their holes or with an aluminium disk glued on whose
// mass is what the Delrin leaves. That is as dense as the first two pucks on the average.
TEST(Puck, IsNearlyUniform) {
  const std::string folder = std::string(PERCUSS_DATA_DIR) + "/chatterjee1997/";
  const Table pucks(folder + "table_11_1_pucks.csv");
  const Table inertia(folder + "derived_puck_inertia.csv");
  const auto cm = [&](std::size_t row, const char* column) {
    return 0.1 * pucks.Number(row, column);
  };
  const auto volume = [&](std::size_t row) {
    const double radius = cm(row, "radius_mm");
    const double hole = pucks.Text(row, "feature") == "hole" ? cm(row, "feature_radius_mm") : 0.0;
    return std::numbers::pi * (radius * radius - hole * hole) * cm(row, "thickness_mm");
  };
  const double plain = 1.393;  // g/cm^3
  EXPECT_NEAR(0.5 * (pucks.Number(0, "mass_g") / volume(0) + pucks.Number(1, "mass_g") / volume(1)),
              plain, 5.1e-4);
  const double densities[] = {1.40, 1.39, 1.31, 1.31, 1.34};
  for (std::size_t row = 0; row < pucks.size(); ++row) {
    const double mass = pucks.Number(row, "mass_g"), radius = cm(row, "radius_mm");
    const double feature = cm(row, "feature_radius_mm");
    const bool disk = pucks.Text(row, "feature") == "aluminium_disk";
    if (row < 5) EXPECT_NEAR(mass / volume(row), densities[row], 5.1e-3) << row;
    double moment = 0.5 * mass * (radius * radius + feature * feature);
    if (disk) {
      const double delrin = plain * volume(row);
      moment = 0.5 * (delrin * radius * radius + (mass - delrin) * feature * feature);
    }
    const double uniform = ContactMassRatio(mass, moment, radius);
    EXPECT_NEAR(uniform, inertia.Number(row, "lambda_ratio_if_uniform"), 5.1e-5) << row;
    EXPECT_NEAR(100.0 * (pucks.Number(row, "lambda2_over_lambda1") / uniform - 1.0),
                inertia.Number(row, "reported_minus_uniform_percent"), 5.1e-3)
        << row;
  }
}

// digest 4.4: contact mass of the half disk, in g, by the angle of the contact on the arc.
TEST(Puck, HasTheContactMassOfTheHalfDisk) {
  const double radius = 4.91e-2, offset = 2.065e-2;  // of the arc, and of the mass centre from it
  struct Row {
    double degrees, m11, m12, m22;
  };
  for (const Row& row :
       {Row{90, 33.4, 0.0, 16.53}, Row{60, 31.50, 5.743, 16.04}, Row{30, 29.32, 8.851, 14.21},
        Row{0, 29.48, 9.327, 11.22}, Row{120, 31.50, -5.743, 16.04}}) {
    const double alpha = row.degrees * std::numbers::pi / 180.0;
    CollidingBody half{.mass = 33.4e-3, .inertia = 265e-7 * Matrix3d::Identity()};
    half.r = {-offset * std::cos(alpha), 0.0, -(radius - offset * std::sin(alpha))};
    const Matrix3d mass =
        1e3 * ContactOf({half, kWall}, Matrix3d::Identity()).inverse_mass.inverse();
    EXPECT_NEAR(mass(2, 2), row.m11, 0.006) << row.degrees;
    EXPECT_NEAR(mass(0, 2), row.m12, 0.006) << row.degrees;
    EXPECT_NEAR(mass(0, 0), row.m22, 0.006) << row.degrees;
  }
}

TEST(Puck, HasTheNumbersOfChapterEleven) {
  EXPECT_NEAR(CompositeRestitution(0.85, 52.6, 9.85), 0.558, 5e-4);
}

}  // namespace
}  // namespace percuss::solver
