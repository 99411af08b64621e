// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: an impulse through a known point of a known shape, and Newton's and Euler's equations of
// an impact, m (v' - v) = P and I (w' - w) = r x P.

#include "tracking/contact_point.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "tests/tracking/flights/synthetic_motion.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

const Vector3d kSize(0.10, 0.08, 0.06);
const Vector3d kImpulse(-0.15, 0.1, 0.9);

solver::Body BodyOf(const solver::Shape& shape) {
  return {shape, 0.4, solver::UniformInertia(shape, 0.4)};
}

/// What a good trial says: 0.2 mm, 1 mrad, 2 mm/s, 0.05 rad/s, all times `scale`.
impacts::ImpactCovariance Covariance(double scale) {
  impacts::ImpactCovariance covariance = impacts::ImpactCovariance::Zero();
  const auto set = [&](int first, double sigma) {
    covariance.diagonal().segment<3>(first).setConstant(std::pow(scale * sigma, 2));
  };
  set(kPosition, 2e-4);
  set(kRotation, 1e-3);
  for (const int first : {static_cast<int>(kV), static_cast<int>(kVPost)}) set(first, 2e-3);
  for (const int first : {static_cast<int>(kW), static_cast<int>(kWPost)}) set(first, 0.05);
  return covariance;
}

/// A body struck at a point of its own axes.
impacts::ImpactRecord Struck(const solver::Body& body, const Quaterniond& q_WB,
                             const Vector3d& point_B, double scale = 1.0) {
  solver::FlightState<double> state;
  state.q_WB = q_WB;
  state.v = {0.3, 0.1, -2.0};
  state.w = {1.0, -0.5, 0.2};
  const auto after = AfterImpulse(body, state, q_WB * point_B, kImpulse);
  impacts::ImpactRecord record;
  record.q_WB = q_WB;
  record.v = state.v;
  record.w = state.w;
  record.v_post = after.v;
  record.w_post = after.w;
  record.covariance = Covariance(scale);
  return record;
}

Quaterniond Tilted(double about_x, double about_y) {
  return AngleAxisd(about_x, Vector3d::UnitX()) * AngleAxisd(about_y, Vector3d::UnitY());
}

solver::ConvexMesh BoxMesh() {
  solver::ConvexMesh mesh;
  for (int i = 0; i < 8; ++i) {
    const Vector3d sign(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    mesh.vertices.push_back(0.5 * kSize.cwiseProduct(sign));
  }
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

// The four corners of the lowest face are within 0.2 mm of each other in height; the balance of
// momentum tells which one was struck. A mesh of the same box says the same.
TEST(ContactPoint, OfAFaceNearlyParallelIsTheCornerThatWasStruck) {
  for (const solver::Shape& shape : {solver::Shape(solver::Box{kSize}), solver::Shape(BoxMesh())}) {
    const solver::Body body = BodyOf(shape);
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) {
        const Vector3d corner = kSize.cwiseProduct(Vector3d(x, y, -0.5));
        const Quaterniond q_WB = Tilted(1e-3, 1e-3);
        const ContactChoice choice = ChooseContact(Struck(body, q_WB, corner), body);
        EXPECT_EQ(choice.candidates.size(), 4u);
        EXPECT_FALSE(choice.ambiguous);
        EXPECT_LT((choice.candidates[0].r - q_WB * corner).norm(), 1e-9);
        EXPECT_LT(choice.candidates[0].momentum_chi2, 1e-6);
      }
    }
  }
}

// A face that lands flat is pushed at all of its corners. None of them by itself can turn the body
// as it was turned, and the balance of momentum shows it.
TEST(ContactPoint, OfAFaceThatLandsFlatIsNoCorner) {
  const solver::Body body = BodyOf(solver::Box{kSize});
  const Vector3d middle(0.0, 0.0, -0.5 * kSize.z());
  const ContactChoice near = ChooseContact(Struck(body, Tilted(1e-3, 1e-3), middle), body);
  EXPECT_GT(near.candidates[0].momentum_chi2, 16.3);
  // Exactly flat, the middle of the face is the support point, and one of the candidates.
  const ContactChoice flat = ChooseContact(Struck(body, Quaterniond::Identity(), middle), body);
  EXPECT_LT((flat.candidates[0].r - middle).norm(), 1e-9);
}

// An edge 50 mm off the mass centre, its ends 0.08 mm apart in height. With velocities known
// two thousand times worse the momentum tells nothing: the lower end is taken, and called
// ambiguous.
TEST(ContactPoint, OfAnEdgeIsAmbiguousWhereTheVelocitiesDoNotTell) {
  const solver::Body body = BodyOf(solver::Box{kSize});
  const Quaterniond q_WB = Tilted(1e-3, 0.6);
  const Vector3d higher(0.5 * kSize.x(), 0.5 * kSize.y(), -0.5 * kSize.z());
  const Vector3d lower = higher.cwiseProduct(Vector3d(1, -1, 1));
  ASSERT_LT((q_WB * lower).z(), (q_WB * higher).z());

  const ContactChoice known = ChooseContact(Struck(body, q_WB, higher), body);
  EXPECT_FALSE(known.ambiguous);
  EXPECT_LT((known.candidates[0].r - q_WB * higher).norm(), 1e-9);
  EXPECT_NEAR(known.candidates[0].height, (q_WB * (higher - lower)).z(), 1e-12);

  impacts::ImpactRecord record = Struck(body, q_WB, higher, 2000.0);
  // The rotation is known well enough to see which edge is low.
  record.covariance->diagonal().segment<3>(kRotation).setConstant(1e-6);
  const ContactChoice unknown = ChooseContact(record, body);
  EXPECT_TRUE(unknown.ambiguous);
  EXPECT_LT((unknown.candidates[0].r - q_WB * lower).norm(), 1e-9);
}

// Heights of support points in closed form: with d the downward direction in body axes, a sphere
// reaches R, an ellipsoid |diag(a) d|, a capsule R + |d_z| l / 2 below the mass centre.
TEST(ContactPoint, OfASmoothShapeIsItsLowestPoint) {
  const Quaterniond q_WB = Tilted(0.4, -0.7);
  const Vector3d d = q_WB.conjugate() * Vector3d(0, 0, -1);
  const Vector3d semi_axes(0.05, 0.03, 0.02);
  const std::vector<std::pair<solver::Shape, double>> shapes = {
      {solver::Sphere{0.04}, 0.04},
      {solver::Ellipsoid{semi_axes}, semi_axes.cwiseProduct(d).norm()},
      {solver::Capsule{0.02, 0.1}, 0.02 + 0.05 * std::abs(d.z())}};
  for (const auto& [shape, depth] : shapes) {
    SCOPED_TRACE(solver::ShapeName(shape));
    const solver::Body body = BodyOf(shape);
    const Vector3d point = solver::SupportPoint(shape, d);
    const ContactChoice choice = ChooseContact(Struck(body, q_WB, point), body);
    ASSERT_EQ(choice.candidates.size(), 1u);
    EXPECT_FALSE(choice.ambiguous);
    EXPECT_NEAR(choice.candidates[0].r.z(), -depth, 1e-9);
    EXPECT_LT((choice.candidates[0].r - q_WB * point).norm(), 1e-9);
    EXPECT_LT(choice.candidates[0].momentum_chi2, 1e-6);
  }
}

// With states that are off by draws from their covariance, momentum_chi2 of the right corner is
// chi-square with 3 degrees of freedom: its mean over 600 draws is 3 within four times sqrt(6 /
// 600).
TEST(ContactPoint, MomentumOfTheRightCornerIsOffByWhatTheSigmasSay) {
  const solver::Body body = BodyOf(solver::Box{kSize});
  const Quaterniond q_WB = Tilted(0.5, 0.6);
  const Vector3d corner = solver::SupportPoint(body.shape, q_WB.conjugate() * Vector3d(0, 0, -1));
  const impacts::ImpactRecord exact = Struck(body, q_WB, corner);
  const Eigen::Matrix<double, impacts::kImpactDimension, 1> sigmas =
      exact.covariance->diagonal().cwiseSqrt();
  std::mt19937 random(83);
  std::normal_distribution<double> normal(0.0, 1.0);
  constexpr int kDraws = 600;
  double sum = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Eigen::Matrix<double, impacts::kImpactDimension, 1> error;
    for (int i = 0; i < impacts::kImpactDimension; ++i) error[i] = sigmas[i] * normal(random);
    impacts::ImpactRecord record = exact;
    const Vector3d turn = error.segment<3>(kRotation);
    record.q_WB = AngleAxisd(turn.norm(), turn.normalized()) * exact.q_WB;
    record.v += error.segment<3>(kV);
    record.w += error.segment<3>(kW);
    record.v_post += error.segment<3>(kVPost);
    record.w_post += error.segment<3>(kWPost);
    const ContactChoice choice = ChooseContact(record, body);
    ASSERT_EQ(choice.candidates.size(), 1u);
    sum += choice.candidates[0].momentum_chi2;
  }
  EXPECT_NEAR(sum / kDraws, 3.0, 4.0 * std::sqrt(6.0 / kDraws));
}

}  // namespace
}  // namespace percuss::tracking
