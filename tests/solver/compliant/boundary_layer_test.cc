// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Contact in a boundary layer against natsiavas digest 6 and 7 (T1 to T15): closed forms, the
// paper's printed numbers, regression numbers of an independent integration. The digest names the
// normal axis first, so that its (V1, V2, V3) is (u_n, u_1, u_2) here.

#include "solver/compliant/boundary_layer.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "solver/contact/impulse_space.h"
#include "solver/restitution/restitution_curves.h"
#include "solver/rigid/darboux_keller.h"
#include "solver/solve_impact.h"
#include "tests/solver/compliant/central_layer.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

using closed_form::CentralLayerImpact;
using closed_form::CentralLayerMotion;
using closed_form::FrictionImpulseToStop;
using closed_form::MotionInCentralLayer;
using closed_form::SolveCentralLayer;
using Eigen::Vector3d;

struct Layer {
  ImpactResult<double> result;
  Vector3d impulse;       // of the force
  double duration = 0.0;  // in the unit b / v
};

Layer Solve(const Contact<double>& contact, double mu, double stiffness, double damping = 0.0) {
  Layer layer;
  const double speed = -contact.velocity[2];
  ContactOptions options;
  options.stiffness = stiffness * speed * speed / contact.inverse_mass(2, 2);  // b = 1 m
  ContactHistory history;
  layer.result =
      IntegrateBoundaryLayer<double>(contact, {mu, stiffness, damping}, options, &history);
  layer.impulse = history.back().impulse;
  layer.duration = history.back().time * speed;
  return layer;
}

Contact<double> Diagonal(double a_1, double a_2, double a_n, const Vector3d& u) {
  return {Vector3d(a_1, a_2, a_n).asDiagonal(), u};
}

// Homogeneous spheroids (digest 3.2): A = diag(7/2, 1 + 5/2 ratio, 1), u = (1, 1, -1).
Contact<double> Spheroid(double ratio) {
  return Diagonal(3.5, 1.0 + 2.5 * ratio, 1.0, {1.0, 1.0, -1.0});
}

// The slender rod of digest 3.4, tilted by 1.10 rad in the plane of t1 and n.
Contact<double> Rod(double u_1 = 0.5, double u_2 = 0.5 * 0.513287) {
  const double theta = 1.10;
  Contact<double> contact;
  contact.inverse_mass << 1.0 + 3.0 * std::pow(std::cos(theta), 2), 0.0,
      -3.0 * std::sin(theta) * std::cos(theta),  //
      0.0, 4.0, 0.0,                             //
      -3.0 * std::sin(theta) * std::cos(theta), 0.0, 1.0 + 3.0 * std::pow(std::sin(theta), 2);
  contact.velocity << u_1, u_2, -1.0;
  return contact;
}

// k b^2 / v^2 of the digest is 10 in units of the rod's mass; kappa is that times A_nn.
double Kappa(const Contact<double>& contact, double k) { return k * contact.inverse_mass(2, 2); }

// T1, digest 6.1.
TEST(BoundaryLayer, ElasticCentralImpactIsThatOfTheClosedForm) {
  for (const auto& [k, duration, smallest_gap, impulse] :
       {std::array{0.5, 4.0, 0.367879, 4.060157}, std::array{1.0, 2.0, 0.606531, 2.821372},
        std::array{10.0, 0.2, 0.951229, 2.068019}, std::array{1000.0, 0.002, 0.999500, 2.000667}}) {
    const Layer layer = Solve(Diagonal(1.0, 1.0, 1.0, {0.3, 0.0, -1.0}), 0.05, k);
    const CentralLayerImpact closed = SolveCentralLayer(k, 0.0);
    EXPECT_NEAR(layer.result.contact_velocity[2], 1.0, 1e-9);
    EXPECT_NEAR(layer.duration, 2.0 / k, 1e-9);
    EXPECT_NEAR(layer.impulse[2], closed.force_impulse, 1e-9);
    EXPECT_NEAR(closed.duration, duration, 1e-9);
    EXPECT_NEAR(closed.smallest_gap, smallest_gap, 5e-7);
    EXPECT_NEAR(closed.force_impulse, impulse, 5e-7);
    const double root = std::sqrt(2.0 * k);
    EXPECT_NEAR(closed.force_impulse,
                std::sqrt(2.0 * M_PI * k) * std::exp(0.5 / k) * std::erf(1.0 / root), 1e-9);
  }
}

// T2, digest 2.7: R for e = 0.9, 0.5, 0.1 and kappa = 1, 10, 100.
TEST(BoundaryLayer, DampingAloneGivesRestitution) {
  for (const auto& [e, inverse, r_1, r_10, r_100] :
       {std::array{0.9, 0.166482, 1.36219, 1.03058, 1.00301},
        std::array{0.5, 1.432751, 1.19436, 1.01763, 1.00175},
        std::array{0.1, 9.998159, 1.04633, 1.00451, 1.00045}}) {
    const double damping = CentralLayerDamping(e);
    EXPECT_NEAR(damping, inverse, 5e-7);
    for (const auto& [kappa, factor] : {std::pair{1.0, r_1}, {10.0, r_10}, {100.0, r_100}}) {
      EXPECT_NEAR(SolveCentralLayer(kappa, damping).impulse_factor, factor, 5e-6);
      const Layer layer = Solve(Diagonal(2.0, 3.0, 1.0, {0.0, 0.0, -1.0}), 0.3, kappa, damping);
      EXPECT_NEAR(layer.result.contact_velocity[2], e, 1e-9);
      EXPECT_NEAR(layer.duration, (1.0 + e) / kappa, 1e-9);
      EXPECT_NEAR(layer.result.energy.normal_work, 0.5 * (e * e - 1.0), 1e-9);
    }
  }
}

// T3: k = 7 N/m, c = 3 N, b = 0.8 m, v = 1.3 m/s, m = 2 kg; the paper's (44) as corrected.
TEST(BoundaryLayer, ClosedMotionIsThatOfTheIntegration) {
  Contact<double> contact = Diagonal(0.5, 0.5, 0.5, {0.0, 0.0, -1.3});
  const LayerMaterial material{.stiffness_N_per_m = 7.0, .damping_N = 3.0, .width_m = 0.8};
  const BoundaryLayerModel<double> model = ModelOfLayer(material, 0.0, contact);
  ContactHistory history;
  ContactOptions options;
  options.stiffness = 7.0;
  IntegrateBoundaryLayer<double>(contact, model, options, &history);
  EXPECT_NEAR(history.back().velocity[2], 0.955522, 1e-6);
  EXPECT_NEAR(history.back().time, 0.80554, 1e-5);
  for (const ContactSample& sample : history) {
    const double lambda = 3.0 / (1.3 * 2.0), t = sample.time;
    const double beta = 7.0 * 1.3 * t / 3.0 +
                        1.3 * 1.3 * 2.0 / 3.0 * (1.0 / 0.8 + 7.0 / 3.0) * std::expm1(-lambda * t);
    EXPECT_NEAR(sample.displacement[2], 0.8 * std::expm1(beta), 1e-9);
    const CentralLayerMotion motion =
        MotionInCentralLayer(model.stiffness, model.damping, t * 1.3 / 0.8);
    EXPECT_NEAR(sample.displacement[2], 0.8 * (motion.gap - 1.0), 1e-9);
    EXPECT_NEAR(sample.velocity[2], 1.3 * motion.velocity, 1e-9);
    EXPECT_NEAR(sample.force[2], motion.force * 2.0 * 1.3 * 1.3 / 0.8, 1e-7);
  }
}

// T6 and T7, digest 6.3: the least mu at which the slip of a spheroid ends within the contact.
TEST(BoundaryLayer, SpheroidsSlideUpToTheirLimit) {
  for (const auto& [ratio, printed, limit, keller] :
       {std::array{1.6, 0.18, 0.170631, 0.176434}, std::array{1.0, 0.20, 0.195386, 0.202031},
        std::array{0.4, 0.28, 0.284456, 0.294130}}) {
    const Contact<double> contact = Spheroid(ratio);
    const double to_stop =
        FrictionImpulseToStop({3.5, 1.0 + 2.5 * ratio}, contact.velocity.head<2>());
    const double mu = to_stop / SolveCentralLayer(10.0, 0.0).force_impulse;
    EXPECT_NEAR(mu, printed, 0.01);
    EXPECT_NEAR(mu, limit, 1e-6);
    EXPECT_NEAR(0.5 * to_stop, keller, 1e-6);
    using enum ContactMode;
    EXPECT_EQ(Solve(contact, mu - 1e-4, 10.0).result.modes, ModeSequence({kSlip}));
    EXPECT_EQ(Solve(contact, mu + 1e-4, 10.0).result.modes, ModeSequence({kSlip, kStick}));
    // T8: the hodograph is a power law.
    const Vector3d after = Solve(contact, 0.1, 10.0).result.contact_velocity;
    EXPECT_NEAR(after[1], std::pow(after[0], (1.0 + 2.5 * ratio) / 3.5), 1e-9);
  }
}

// T11, digest 6.3.
TEST(BoundaryLayer, SpheroidsEndAsTabled) {
  for (const auto& [ratio, mu, u_1, u_2] :
       {std::array{1.6, 0.10, 0.453735, 0.323384}, std::array{1.0, 0.10, 0.488191, 0.488191},
        std::array{0.4, 0.10, 0.522107, 0.689795}, std::array{1.6, 0.16, 0.074803, 0.024622},
        std::array{0.4, 0.28, 0.000921, 0.018421}, std::array{1.0, 0.28, 0.0, 0.0}}) {
    const Vector3d after = Solve(Spheroid(ratio), mu, 10.0).result.contact_velocity;
    EXPECT_NEAR(after[0], u_1, 1e-6) << ratio << ' ' << mu;
    EXPECT_NEAR(after[1], u_2, 1e-6) << ratio << ' ' << mu;
    EXPECT_NEAR(after[2], 1.0, 1e-9);
  }
}

// T4 and T5: critical coefficients of the rod as the paper prints them.
TEST(BoundaryLayer, RodHasThePrintedCriticalCoefficients) {
  const Contact<double> rod = Rod();
  EXPECT_NEAR(CriticalFriction(ContactBlocks<double>(rod.inverse_mass, 0.0)), 0.7499, 5e-5);
  // Along (cos phi, sin phi) slip keeps its direction: turn = 0 at this mu.
  const double cosine = 1.0 / std::hypot(1.0, 0.513287);
  const Eigen::Matrix3d& a = rod.inverse_mass;
  const double mu = a(2, 0) / ((a(0, 0) - a(1, 1)) * cosine);
  EXPECT_NEAR(mu, 0.5721, 5e-5);
  EXPECT_NEAR(RatesAlong(ContactBlocks<double>(a, mu), {cosine, 0.513287 * cosine}).turn, 0.0,
              1e-12);
}

struct RodRow {
  double mu;
  Vector3d keller, layer;  // (V1, V2, V3) of the digest
  double force_impulse, duration;
  ModeSequence modes;
};

// T11 and T13, digest 6.4.
TEST(BoundaryLayer, RodEndsAsTabled) {
  using enum ContactMode;
  const RodRow rows[] = {
      {0.1,
       {0.974778, -0.222982, 0.094476},
       {0.974802, -0.223233, 0.092784},
       0.584792,
       0.057922,
       {kSlip}},
      {0.3,
       {0.906588, -0.185491, 0.000245},
       {0.906539, -0.185334, 0.000178},
       0.568174,
       0.056309,
       {kSlip}},
      {0.6,
       {0.811664, -0.076925, 0.0},
       {0.811701, -0.075134, 0.0},
       0.562571,
       0.055792,
       {kSlip, kReverseSlip}},
      {0.65,
       {0.797088, -0.052942, 0.0},
       {0.797162, -0.050750, 0.0},
       0.563990,
       0.055937,
       {kSlip, kReverseSlip}},
      // The digest's layer row, (0.769885, -0.000985) and 0.567877, breaks stick a step too early:
      // so says a Runge-Kutta integration of the planar equations with steps of 1e-7.
      {0.7499,
       {0.769105, 0.0, 0.0},
       {0.769842, -0.000906, 0.0},
       0.567883,
       0.056332,
       {kSlip, kStick, kReverseSlip}},
      {0.8, {0.764880, 0.0, 0.0}, {0.765028, 0.0, 0.0}, 0.566151, 0.056164, {kSlip, kStick}},
      {1.0, {0.750238, 0.0, 0.0}, {0.750474, 0.0, 0.0}, 0.560053, 0.055574, {kSlip, kStick}}};
  for (const RodRow& row : rows) {
    const Contact<double> rod = Rod();
    const Layer layer = Solve(rod, row.mu, Kappa(rod, 10.0));
    const Vector3d& after = layer.result.contact_velocity;
    EXPECT_LT((Vector3d(after[2], after[0], after[1]) - row.layer).norm(), 2e-6) << row.mu;
    EXPECT_NEAR(layer.impulse[2], row.force_impulse, 1e-6) << row.mu;
    EXPECT_NEAR(layer.duration, row.duration, 1e-6) << row.mu;
    EXPECT_EQ(layer.result.modes, row.modes) << row.mu;
    const auto keller = SolveImpact("stronge", rod, std::array{row.mu, 1.0}).contact_velocity;
    EXPECT_LT((Vector3d(keller[2], keller[0], keller[1]) - row.keller).norm(), 2e-6) << row.mu;
  }
}

// Digest 6.4: jam side, and slip that stops near the end.
TEST(BoundaryLayer, RodJamsAndReversesAsTabled) {
  for (const auto& [mu, u_n] :
       {std::pair{0.5, 1.0}, {1.0, 1.06756}, {2.0, 1.13323}, {3.0, 1.14072}, {4.0, 1.14358}}) {
    const Contact<double> rod = Rod(-0.2, 0.0);
    EXPECT_NEAR(Solve(rod, mu, Kappa(rod, 10.0)).result.contact_velocity[2], u_n, 1e-5) << mu;
  }
  const Contact<double> fast = Rod(1.0, 0.513287);
  const Vector3d after = Solve(fast, 0.65, Kappa(fast, 10.0)).result.contact_velocity;
  EXPECT_LT((after - Vector3d(-0.005371, 0.0, 0.962594)).norm(), 2e-6);
}

// The general body of digest 6.6, from its mass properties.
TEST(BoundaryLayer, GeneralBodyEndsAsTabled) {
  Eigen::Matrix3d inertia;
  inertia << 0.2, 0.01, 0.02, 0.01, 0.3, -0.015, 0.02, -0.015, 0.4;
  // The digest's axes 1, 2, 3 are W x, y, z; n = x, t1 = y, t2 = z.
  Eigen::Matrix3d frame;
  frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  Contact<double> contact;
  contact.inverse_mass = InverseContactMass<double>(1.0, inertia, Eigen::Quaterniond::Identity(),
                                                    Vector3d(-0.5, 0.3, 0.2), frame);
  EXPECT_NEAR(contact.inverse_mass(2, 2), 1.3443188028, 1e-9);
  EXPECT_NEAR(contact.inverse_mass(0, 2), 0.3559628400, 1e-9);
  contact.velocity << 0.6, -0.3, -1.0;
  struct Row {
    double mu;
    Vector3d after, impulse;
  };
  for (const Row& row : {Row{0.2, {0.985799, 0.609715, 0.260785}, {1.601839, -0.309854, -0.016355}},
                         Row{0.4, {0.968130, 0.117832, 0.083734}, {1.707031, -0.628084, -0.150421}},
                         Row{0.8, {1.044899, 0.0, 0.0}, {1.811505, -0.723904, -0.214157}}}) {
    const Layer layer = Solve(contact, row.mu, Kappa(contact, 10.0));
    const Vector3d& after = layer.result.contact_velocity;
    const Vector3d& impulse = layer.impulse;
    EXPECT_LT((Vector3d(after[2], after[0], after[1]) - row.after).norm(), 2e-6) << row.mu;
    EXPECT_LT((Vector3d(impulse[2], impulse[0], impulse[1]) - row.impulse).norm(), 2e-6) << row.mu;
    // Momentum and force differ along the normal only.
    EXPECT_LT((impulse - layer.result.impulse).head<2>().norm(), 1e-9);
    EXPECT_GT(impulse[2], layer.result.impulse[2] * 1.005);
  }
}

// T9: friction of a central contact takes R times what it takes at the same mu of `stronge`.
TEST(BoundaryLayer, CentralContactIsDarbouxKellerWithMoreFriction) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 40; ++i) {
    const Contact<double> contact =
        Diagonal(1.0 + 4.0 * uniform(random), 1.0 + 4.0 * uniform(random), 1.0,
                 {uniform(random), uniform(random) - 0.5, -1.0});
    const double mu = 0.3 * uniform(random), kappa = 1.0 + 20.0 * uniform(random);
    const double damping = uniform(random);
    const CentralLayerImpact central = SolveCentralLayer(kappa, damping);
    const Layer layer = Solve(contact, mu, kappa, damping);
    const auto keller = SolveImpact("stronge", contact,
                                    std::array{mu * central.impulse_factor, central.restitution});
    EXPECT_LT((layer.result.contact_velocity - keller.contact_velocity).norm(), 1e-7) << i;
  }
}

// T10: first order in 1/kappa.
TEST(BoundaryLayer, TendsToDarbouxKellerAsStiffnessGrows) {
  const Contact<double> rod = Rod();
  const double limit = SolveImpact("stronge", rod, std::array{0.65, 1.0}).contact_velocity[0];
  double last = 0.0;
  for (const double k : {10.0, 100.0, 1000.0}) {
    const double error = Solve(rod, 0.65, Kappa(rod, k)).result.contact_velocity[0] - limit;
    if (last != 0.0) {
      EXPECT_GT(last / error, 9.0);
      EXPECT_LT(last / error, 11.0);
    }
    last = error;
  }
  EXPECT_NEAR(last, 2.2e-5, 1e-6);
}

// T12: without damping the normal force does no work; energy never rises, and changes by the works.
TEST(BoundaryLayer, EnergyNeverRises) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 60; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.5);
    const double mu = 1.5 * uniform(random), kappa = std::exp(4.0 * uniform(random));
    const double damping = i % 2 == 0 ? 0.0 : uniform(random);
    ContactHistory history;
    const auto result = IntegrateBoundaryLayer<double>(contact, {mu, kappa, damping}, {}, &history);
    const double energy = LocalEnergy(contact, contact.velocity);
    const double change = EnergyChange(contact, result.impulse);
    ASSERT_TRUE(result.impulse.allFinite()) << i;
    EXPECT_LE(change, 1e-9 * energy) << i;
    EXPECT_LE(result.energy.friction_work, 1e-8 * energy) << i;
    if (damping == 0.0) {
      EXPECT_NEAR(result.energy.normal_work, 0.0, 1e-7 * energy) << i;
    } else {
      EXPECT_LT(result.energy.normal_work, 0.0) << i;
    }
    for (const ContactSample& sample : history) {
      EXPECT_GT(sample.force[2], 0.0);
      EXPECT_LE(sample.force.head<2>().norm(), (mu + 1e-9) * sample.force[2]);
    }
  }
}

// With a history it is the integration in space, which stiff damping upsets.
TEST(BoundaryLayer, InOnePlaneIsAsInSpace) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  int num_slides = 0, num_stops = 0, num_stiff = 0;
  for (int i = 0; i < 300; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.5);
    reference::MakePlanar(contact);
    const double mu = 1.5 * uniform(random), damping = std::pow(10.0, 3.0 * uniform(random) - 2.0);
    const double kappa = std::pow(10.0, 5.0 * uniform(random) - 1.0);
    const BoundaryLayerModel<double> model{mu, kappa, i % 4 == 0 ? 0.0 : damping};
    ContactHistory history;
    const auto in_plane = IntegrateBoundaryLayer<double>(contact, model);
    const auto in_space = IntegrateBoundaryLayer<double>(contact, model, {}, &history);
    ++(in_plane.modes.size() > 1 ? num_stops : num_slides);
    EXPECT_TRUE(in_plane.impulse.allFinite()) << i;
    if (!in_space.impulse.allFinite()) {  // too stiff for it
      ++num_stiff;
      continue;
    }
    const double speed = contact.velocity.norm();
    EXPECT_LT((in_plane.contact_velocity - in_space.contact_velocity).norm(), 1e-8 * speed) << i;
    EXPECT_NEAR(in_plane.energy.normal_work, in_space.energy.normal_work,
                1e-8 * LocalEnergy(contact, contact.velocity))
        << i;
    EXPECT_NEAR(in_plane.compression_impulse, in_space.compression_impulse,
                1e-8 * speed / contact.inverse_mass(2, 2))
        << i;
  }
  EXPECT_LT(num_stiff, 10);
  EXPECT_GT(num_slides, 50);
  EXPECT_GT(num_stops, 50);
}

// T15: turning the tangents turns the answer.
TEST(BoundaryLayer, DoesNotDependOnTheTangents) {
  const Eigen::Matrix3d turn = Eigen::AngleAxisd(M_PI / 6.0, Vector3d::UnitZ()).toRotationMatrix();
  for (const double mu : {0.3, 0.65, 0.8}) {
    const Contact<double> rod = Rod();
    const Contact<double> turned{turn * rod.inverse_mass * turn.transpose(), turn * rod.velocity};
    const Vector3d after = Solve(rod, mu, 30.0).result.contact_velocity;
    EXPECT_LT((Solve(turned, mu, 30.0).result.contact_velocity - turn * after).norm(), 1e-9);
  }
}

// T14, digest 2.8: a stiffer layer slides longer, more damping too.
TEST(BoundaryLayer, StiffnessAndDampingFavourSliding) {
  const double to_stop = FrictionImpulseToStop({1.0, 1.0}, {1.0, 0.0});
  EXPECT_NEAR(to_stop, 1.0, 1e-10);
  EXPECT_NEAR(to_stop / SolveCentralLayer(1.0, 0.0).force_impulse, 0.354437, 1e-6);
  EXPECT_NEAR(to_stop / SolveCentralLayer(10.0, 0.0).force_impulse, 0.483554, 1e-6);
  EXPECT_GT(to_stop / SolveCentralLayer(10.0, 0.5).force_impulse, 0.483554);
}

// Digest 5.3, A4: with the printed scaling restitution is the same at every speed; with a damping
// force that is not scaled it falls. Digest 8: friction of a contact that slips grows with speed,
// by R.
TEST(BoundaryLayer, DampingMayBeOfTheMaterial) {
  LayerMaterial material{.stiffness_N_per_m = 10.0, .damping_N = 5.0, .width_m = 1.0};
  for (const auto& [speed, e, factor] :
       {std::array{0.25, 0.92303, 1.00157}, std::array{0.5, 0.85685, 1.00631},
        std::array{1.0, 0.74843, 1.02554}, std::array{2.0, 0.59362, 1.10698},
        std::array{4.0, 0.41072, 1.51918}}) {
    const Contact<double> contact = Diagonal(1.0, 1.0, 1.0, {0.0, 0.0, -speed});
    material.reference_speed.reset();
    const BoundaryLayerModel<double> scaled = ModelOfLayer(material, 0.0, contact);
    EXPECT_NEAR(RestitutionOfNonlinearDashpot(scaled.damping), 0.74843, 1e-5);
    ContactHistory history;
    const ImpactResult<double> result =
        IntegrateBoundaryLayer<double>(contact, scaled, {.stiffness = 10.0}, &history);
    EXPECT_NEAR(history.back().impulse[2] / result.impulse[2], factor, 5.1e-6) << speed;
    material.reference_speed = 1.0;
    EXPECT_NEAR(RestitutionOfNonlinearDashpot(ModelOfLayer(material, 0.0, contact).damping), e,
                1e-5);
  }
}

TEST(BoundaryLayer, RefusesWhatIsNoLayer) {
  const Contact<double> contact = Diagonal(1.0, 1.0, 1.0, {0.0, 0.0, -1.0});
  EXPECT_THROW(ModelOfLayer({0.0, 0.0, 1.0}, 0.1, contact), std::invalid_argument);
  EXPECT_THROW(ModelOfLayer({1.0, -1.0, 1.0}, 0.1, contact), std::invalid_argument);
  EXPECT_THROW(CentralLayerDamping(0.0), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
