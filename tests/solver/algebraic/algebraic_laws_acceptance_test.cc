// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Numbers of chatterjee1997 (digest 5, AT3 to AT8 and AT13, and 3.27), printed in the thesis or
// computed from its equations.

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "solver/algebraic/impulse_direction_laws.h"
#include "solver/restitution/restitution_coefficients.h"
#include "solver/solve_impact.h"
#include "tests/solver/algebraic/chatterjee_setups.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/law_jets.h"

namespace percuss::solver {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

void ExpectImpulse(const ChatterjeeOutcome& outcome, const Eigen::Vector3d& impulse,
                   double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(outcome.impulse[i], impulse[i], tolerance) << i;
}

// AT3: the impulses that the laws can reach in the limit of the pendulum of table 7.1. 1 / lambda
// is 1e-9, the printed digits are 1e-6.
TEST(AlgebraicLawNumbers, GiveTheGeometryOfTheUnboundedMass) {
  const Contact<double> contact = ChatterjeePendulum(1e9);
  constexpr double kPrinted = 1e-6;
  const Eigen::Vector3d a(3.236068, 0, 0), b(1.274624, 0.637312, 0), d = 2.0 * a, e = 2.0 * b;
  // Law II fills the trapezoid A, B, E, D.
  ExpectImpulse(OutcomeOf("chatterjee-2", contact, {0.5, 0.0, -1.0}), a, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-2", contact, {0.5, 0.0, 1.0}), b, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-2", contact, {0.5, 1.0, 1.0}), e, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-2", contact, {0.5, 1.0, -1.0}), d, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-2", contact, {0.5, 0.8, 1.0}), {2.294323, 1.147161, 0},
                kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-2", contact, {0.5, 0.8, -1.0}), {5.824922, 0, 0}, kPrinted);
  // Law I the same, law III for r_t >= r_n the segment B, E.
  ExpectImpulse(OutcomeOf("chatterjee-1", contact, {0.5, 0.0, 1.0}), b, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-1", contact, {0.5, 0.0, -1.0}), a, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-1", contact, {0.5, 1.0, -1.0}), d, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-3", contact, {0.5, 0.0, 0.5}), b, kPrinted);
  ExpectImpulse(OutcomeOf("chatterjee-3", contact, {0.5, 1.0, 1.0}), e, kPrinted);
  // Routh: from B towards A, with P_N = 1.274624 (1 + e).
  for (const double restitution : {0.0, 0.4, 1.0}) {
    const ChatterjeeOutcome routh = OutcomeOf("poisson", contact, {0.5, restitution});
    EXPECT_NEAR(routh.impulse[0], 1.274624 * (1.0 + restitution), 2.0 * kPrinted);
    const Eigen::Vector3d along = (a - b).normalized();
    EXPECT_LT((routh.impulse - b).cross(along).norm(), 2.0 * kPrinted);
  }
}

// AT4: M = [[1, .45], [.45, .5]], V_i = (-1, -.3), r_n = e = .6.
TEST(AlgebraicLawNumbers, GiveThePlanarCase) {
  const Contact<double> contact = PlanarContactOf(1.0, 0.45, 0.5, -1.0, -0.3);
  const auto expect = [&](const char* law, const std::vector<double>& parameters, double p_n,
                          double p_t, double v_n, double v_t, double energy) {
    SCOPED_TRACE(law);
    const ChatterjeeOutcome outcome = OutcomeOf(law, contact, parameters);
    ExpectImpulse(outcome, {p_n, p_t, 0.0}, 1e-9);
    EXPECT_NEAR(outcome.velocity[0], v_n, 1e-9);
    EXPECT_NEAR(outcome.velocity[1], v_t, 1e-9);
    EXPECT_NEAR(outcome.energy_change, energy, 1e-9);
  };
  expect("chatterjee-2", {0.3, 0.6, 0.5}, 1.304109589, 0.391232877, 0.6, -0.957534247,
         -0.506816288);
  expect("chatterjee-2", {0.8, 0.6, 0.0}, 1.492, 0.6, 0.6, -0.54, -0.5504);
  expect("chatterjee-2", {0.8, 0.6, 0.5}, 1.762, 0.9, 0.6, 0.06, -0.4604);
  expect("chatterjee-2", {0.8, 0.6, 1.0}, 2.032, 1.2, 0.6, 0.66, -0.1904);
  expect("chatterjee-1", {0.8, 0.6, 0.5}, 1.089946333, 0.153273703, 0.6, -1.433452594,
         -0.350835616);
  expect("chatterjee-3", {0.8, 0.6, 0.5}, 1.8025, 0.945, 0.6, 0.15, -0.431375);
  expect("kane-levinson", {0.8, 0.6}, 1.735, 0.87, 0.6, 0.0, -0.4775);
  expect("pfeiffer-glocker", {0.8, 0.6, 1.0, 1.0}, 1.816, 0.96, 0.6, 0.18, -0.4208);
  expect("poisson", {0.8, 0.6}, 1.816, 0.90645, 0.681, 0.0, -0.4256195);
  const ChatterjeeOutcome smith = OutcomeOf("smith", contact, {0.8, 0.6});
  ExpectImpulse(smith, {1.796849619, 0.938721799, 0.0}, 1e-9);
  EXPECT_NEAR(smith.velocity[1], 0.137443598, 1e-9);
  const ChatterjeeOutcome stronge = OutcomeOf("stronge", contact, {0.8, 0.6});
  ExpectImpulse(stronge, {1.806839266, 0.902327670, 0.0}, 1e-9);
  EXPECT_NEAR(stronge.velocity[0], 0.671839266, 1e-9);
}

TEST(AlgebraicLawNumbers, GiveThePlanarCaseWithTheOtherSign) {
  const Contact<double> contact = PlanarContactOf(1.0, -0.45, 0.5, -1.0, -0.3);
  const auto impulse_of = [&](const char* law, const std::vector<double>& parameters) {
    return OutcomeOf(law, contact, parameters);
  };
  ExpectImpulse(impulse_of("poisson", {0.3, 0.6}), {1.163265753, -0.277579726, 0}, 1e-9);
  ExpectImpulse(impulse_of("stronge", {0.3, 0.6}), {1.167566970, -0.278870091, 0}, 1e-9);
  ExpectImpulse(impulse_of("smith", {0.3, 0.6}), {1.161863522, -0.233181691, 0}, 1e-9);
  const ChatterjeeOutcome kane = impulse_of("kane-levinson", {0.3, 0.6});
  ExpectImpulse(kane, {1.304109589, -0.391232877, 0}, 1e-9);
  EXPECT_NEAR(kane.velocity[1], 0.357534247, 1e-9);
  ExpectImpulse(impulse_of("pfeiffer-glocker", {0.3, 0.6, 1.0, 1.0}),
                {1.304109589, -0.391232877, 0}, 1e-9);
}

Contact<double> SpatialCase() {
  Eigen::Matrix3d mass;
  mass << 1.0, 0.3, 0.2, 0.3, 0.6, -0.1, 0.2, -0.1, 0.5;
  return ContactOf(mass, {-1.0, -0.8, 0.0});
}

// AT5: e = .7, r_t = .4, mu = .5, and mu = .9 for Routh. The integrations are good to 1e-8.
TEST(AlgebraicLawNumbers, GiveTheSpatialCase) {
  const Contact<double> contact = SpatialCase();
  ExpectImpulse(OutcomeOf("chatterjee-1", contact, {0.5, 0.7, 0.4}), {1.594703770, 0.630377020, 0},
                1e-9);
  const ChatterjeeOutcome second = OutcomeOf("chatterjee-2", contact, {0.5, 0.7, 0.4});
  ExpectImpulse(second, {1.825945538, 0.902356446, 0.138824069}, 1e-9);
  EXPECT_LT((second.velocity - Eigen::Vector3d(0.7, -0.192894380, -0.280930739)).norm(), 1e-9);
  ExpectImpulse(OutcomeOf("chatterjee-3", contact, {0.5, 0.7, 0.4}),
                {1.847313207, 0.906938084, 0.174942371}, 1e-9);
  ExpectImpulse(OutcomeOf("kane-levinson", contact, {0.5, 0.7}),
                {1.890423528, 0.910315853, 0.254460854}, 1e-9);
  ExpectImpulse(OutcomeOf("smith", contact, {0.5, 0.7}), {1.788087326, 0.836659996, 0.140087502},
                1e-9);
  const ChatterjeeOutcome routh = OutcomeOf("poisson", contact, {0.5, 0.7});
  ExpectImpulse(routh, {1.834933626, 0.881168601, 0.230623242}, 1e-8);
  EXPECT_NEAR(routh.velocity[0], 0.663821068, 1e-8);
  const ChatterjeeOutcome stuck = OutcomeOf("poisson", contact, {0.9, 0.7});
  ExpectImpulse(stuck, {2.108, 1.0404, 0.2936}, 1e-12);
  EXPECT_LT((stuck.velocity - Eigen::Vector3d(0.868, 0, 0)).norm(), 1e-12);
  EXPECT_NEAR(SolveImpact("poisson", contact, std::array{0.9, 0.7}).compression_impulse, 1.24,
              1e-12);
}

// AT6: bodies of revolution about the normal; laws I, II, III are the bilinear law on them.
TEST(AlgebraicLawNumbers, ReduceToTheBilinearLawOnBalls) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 2000; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.0);
    contact.inverse_mass =
        Eigen::Vector3d(1.0 + uniform(random), 1.0 + uniform(random), uniform(random) + 0.1)
            .asDiagonal();
    if (i % 2 == 0) contact.inverse_mass(1, 1) = contact.inverse_mass(0, 0);
    if (i % 2 == 1) contact.velocity[1] = 0.0;
    const std::vector<double> parameters = {2.0 * uniform(random), uniform(random),
                                            2.0 * uniform(random) - 1.0};
    const ImpactResult<double> bilinear = SolveImpact("bilinear", contact, parameters);
    for (const char* law : {"chatterjee-1", "chatterjee-2", "chatterjee-3"}) {
      const ImpactResult<double> result = SolveImpact(law, contact, parameters);
      EXPECT_LT((result.impulse - bilinear.impulse).norm(), 1e-13 * bilinear.impulse.norm())
          << law << i;
    }
    const bool slides = bilinear.modes.front() == ContactMode::kSlip;
    const Eigen::Vector3d u_end = bilinear.contact_velocity;
    EXPECT_NEAR(NewtonRestitution(contact.velocity, u_end), parameters[1], 1e-12);
    const double e_t = TangentialRestitution(contact.velocity, u_end);
    if (!slides) {
      EXPECT_NEAR(e_t, parameters[2], 1e-12);
    } else {
      EXPECT_NEAR(bilinear.impulse.head<2>().norm(), parameters[0] * bilinear.impulse[2], 1e-13);
      EXPECT_LT(e_t, parameters[2]);
    }
  }
}

// AT6: contact masses of a sphere, 7 : 2 : 2, and of a slender rod at its end, 4 : 1.
TEST(AlgebraicLawNumbers, HaveTheMassesOfSpheresAndRods) {
  const auto masses = [](const Eigen::Matrix3d& inertia, const Eigen::Vector3d& r) {
    const Eigen::Matrix3d a = InverseContactMass<double>(
        1.0, inertia, Eigen::Quaterniond::Identity(), r, Eigen::Matrix3d::Identity());
    return Eigen::Matrix3d(a.inverse());
  };
  const Eigen::Matrix3d sphere =
      masses(0.4 * 0.09 * Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.0, 0.0, -0.3));
  EXPECT_LT((sphere - Eigen::Matrix3d(Eigen::Vector3d(2, 2, 7).asDiagonal()) / 7.0).norm(), 1e-12);
  const double across = 1.0 / 12.0;
  const Eigen::Matrix3d rod =
      masses(Eigen::Vector3d(across, across, 1e-3).asDiagonal(), Eigen::Vector3d(0.0, 0.0, -0.5));
  EXPECT_NEAR(rod(0, 0) / rod(2, 2), 0.25, 1e-12);
}

// AT6: P_T / P_N of a disk, mu = .16, e = .92.
TEST(AlgebraicLawNumbers, GiveTheImpulseRatioOfADisk) {
  const auto ratio = [](const char* law, double degrees, const std::vector<double>& parameters) {
    const Contact<double> disk = PlanarContactOf(1.0, 0.0, 1.0 / 3.0, -std::cos(degrees * kDegree),
                                                 -std::sin(degrees * kDegree));
    const Eigen::Vector3d impulse = OutcomeOf(law, disk, parameters).impulse;
    return impulse[1] / impulse[0];
  };
  constexpr double kHalfUnit = 0.5e-6;
  for (const char* law : {"kane-levinson", "poisson"}) {
    EXPECT_NEAR(ratio(law, 10, {0.16, 0.92}), 0.030612, kHalfUnit);
    EXPECT_NEAR(ratio(law, 30, {0.16, 0.92}), 0.100234, kHalfUnit);
    EXPECT_NEAR(ratio(law, 40, {0.16, 0.92}), 0.145677, kHalfUnit);
    EXPECT_LT(ratio(law, 42.65, {0.16, 0.92}), 0.16 - 1e-6);
    EXPECT_NEAR(ratio(law, 42.67, {0.16, 0.92}), 0.16, 1e-12);
  }
  const std::array smith = {0.052401, 0.095070, 0.131547, 0.157799};
  for (std::size_t k = 0; k < smith.size(); ++k) {
    EXPECT_NEAR(ratio("smith", 10.0 * static_cast<double>(k + 1), {0.16, 0.92}), smith[k],
                kHalfUnit);
  }
}

// Digest 4.3 (E2): from which incidence on pucks of three ratios of eigenvalues slide, e = 0.92.
TEST(AlgebraicLawNumbers, GiveTheOnsetOfSlidingOfPucks) {
  for (const auto& [lambda, printed] :
       {std::array{0.289, 33.6}, std::array{0.336, 29.7}, std::array{0.402, 25.5}}) {
    const auto slides = [lambda = lambda](double degrees) {
      const Contact<double> disk = PlanarContactOf(1.0, 0.0, lambda, -std::cos(degrees * kDegree),
                                                   -std::sin(degrees * kDegree));
      const Eigen::Vector3d impulse = OutcomeOf("bilinear", disk, {0.1, 0.92, 0.0}).impulse;
      return impulse[1] / impulse[0] > 0.1 - 1e-12;
    };
    EXPECT_FALSE(slides(printed - 0.051)) << lambda;
    EXPECT_TRUE(slides(printed + 0.051)) << lambda;
  }
}

// AT7: grazing incidence on a contact that jams.
TEST(AlgebraicLawNumbers, GiveTheLimitsAtGrazing) {
  const double v_n = 1e-9;  // answers differ from the limit by as much
  const Contact<double> contact = PlanarContactOf(1.0, 0.3, 0.6, -v_n, -1.0);
  const auto expect = [&](const char* law, const std::vector<double>& parameters,
                          const Eigen::Vector2d& v, double tolerance) {
    const Eigen::Vector3d velocity = OutcomeOf(law, contact, parameters).velocity;
    EXPECT_LT((velocity.head<2>() - v).norm(), tolerance) << law << " " << velocity.transpose();
  };
  constexpr double kLimit = 1e-8, kPrinted = 1e-6;
  for (const double r_n : {0.0, 0.5, 1.0}) {
    for (const double r_t : {-0.99, 0.0, 1.0}) {
      ExpectImpulse(OutcomeOf("chatterjee-1", contact, {3.0, r_n, r_t}), {0.784615, 1.176923, 0},
                    kPrinted);
      expect("chatterjee-1", {3.0, r_n, r_t}, {0.230769, 0.846154}, kPrinted);
      EXPECT_NEAR(OutcomeOf("chatterjee-1", contact, {3.0, r_n, r_t}).energy_change, 0.0, 1e-14);
    }
    ExpectImpulse(OutcomeOf("chatterjee-1", contact, {3.0, r_n, -1.0}), {0, 0, 0}, kLimit);
    for (const double r_t : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      expect("chatterjee-2", {3.0, r_n, r_t}, {0.0, r_t}, kLimit);
      expect("chatterjee-3", {3.0, r_n, r_t}, {0.0, r_t}, kLimit);
    }
    expect("poisson", {3.0, r_n}, {0.3 * r_n, 0.0}, kLimit);
  }
  expect("kane-levinson", {3.0, 0.5}, {0.0, 0.0}, kLimit);
  ExpectImpulse(OutcomeOf("kane-levinson", contact, {3.0, 0.5}), {0.3, 0.6, 0}, kLimit);
  expect("smith", {3.0, 0.5}, {0.0, std::sqrt(0.2)}, kLimit);
}

// AT8: law I without a limit of friction; tan(beta) = 2 m22 v_t / (m11 v_n) for r_t = 1, r_n = 0.
TEST(AlgebraicLawNumbers, GiveTheLimitOfFriction) {
  const Contact<double> contact = PlanarContactOf(1.0, 0.45, 0.5, -1.0, -0.3);
  const ChatterjeeOutcome outcome = OutcomeOf("chatterjee-1", contact, {1e9, 0.0, 1.0});
  EXPECT_NEAR(std::atan2(outcome.impulse[1], outcome.impulse[0]), 16.69924423 * kDegree,
              1e-8 * kDegree);
  ExpectImpulse(outcome, {0.815068493, 0.244520548, 0}, 1e-9);
}

// AT13: eta(P) is the inverse of Ivanov's law; without friction eta = e.
TEST(IvanovRestitution, InvertsIvanovsLaw) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  int answers = 0;
  for (int i = 0; i < 1000; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.5);
    const std::array parameters = {uniform(random), uniform(random), uniform(random)};
    const ImpactResult<double> result = SolveImpact("ivanov", contact, parameters);
    if (std::isnan(result.impulse[2])) continue;  // the direction does not dissipate
    ++answers;
    const double eta = IvanovRestitution(contact.velocity, result.contact_velocity, result.impulse);
    EXPECT_NEAR(eta, parameters[0], 1e-12 * (1.0 + 1.0 / (1.0 + parameters[0])));
    // Energy: E' = E_min + eta^2 (E - E_min), E_min at eta = 0.
    const auto change = [&](double at) {
      const std::array moved = {at, parameters[1], parameters[2]};
      const EnergyLedger<double> energy = SolveImpact("ivanov", contact, moved).energy;
      return energy.normal_work + energy.friction_work;
    };
    EXPECT_NEAR(change(parameters[0]), (1.0 - eta * eta) * change(0.0), 1e-11);
  }
  EXPECT_GT(answers, 400);
  const ImpactResult<double> frictionless =
      SolveImpact("chatterjee-2", SpatialCase(), std::array{0.0, 0.37, 0.0});
  EXPECT_NEAR(IvanovRestitution(SpatialCase().velocity, frictionless.contact_velocity,
                                frictionless.impulse),
              0.37, 1e-12);
}

TEST(IvanovRestitution, IsMinusOneWithoutImpulse) {
  const Contact<double> contact = SpatialCase();
  const Eigen::Vector3d none = Eigen::Vector3d::Zero();
  EXPECT_EQ(IvanovRestitution(contact.velocity, contact.velocity, none), -1.0);
}

// Law I's trial impulse dissipates nothing: with r_n = 1 and branch (b) it stays, eta = 1.
TEST(IvanovRestitution, IsOneWithoutDissipation) {
  const Contact<double> contact = PlanarContactOf(1.0, 0.3, 0.6, -1e-6, -1.0);
  const ImpactResult<double> result =
      SolveImpact("chatterjee-1", contact, std::array{3.0, 1.0, 1.0});
  EXPECT_NEAR(IvanovRestitution(contact.velocity, result.contact_velocity, result.impulse), 1.0,
              1e-9);
}

TEST(Restitution, IsNotDefinedEverywhere) {
  const Contact<double> contact = SpatialCase();
  EXPECT_TRUE(std::isnan(PoissonRestitution(SolveImpact("smith", contact, std::array{0.3, 0.5}))));
  EXPECT_NEAR(PoissonRestitution(SolveImpact("poisson", contact, std::array{0.3, 0.5})), 0.5,
              1e-12);
  const Eigen::Vector3d head_on(0.0, 0.0, -1.0), back(0.0, 0.0, 0.6);
  EXPECT_NEAR(NewtonRestitution(head_on, back), 0.6, 1e-15);
  EXPECT_TRUE(std::isnan(TangentialRestitution(head_on, back)));
}

// The two linear laws against each other: (6.2) along the direction of any impulse gives it back.
TEST(ImpulseAlongDirection, GivesBackTheImpulseOfEveryLaw) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    const ImpactResult<double> result = SolveImpact("stronge", contact, std::array{0.3, 0.7});
    const double e_n = NewtonRestitution(contact.velocity, result.contact_velocity);
    const Eigen::Vector3d direction = result.impulse.normalized();
    const Eigen::Vector3d impulse = ImpulseAlongDirection(contact, direction, e_n);
    EXPECT_LT((impulse - result.impulse).norm(), 1e-12 * impulse.norm());
    // Brach's ratios, with axis 2 against the slip and axis 3 = n x 2.
    const Eigen::Vector2d two = -contact.velocity.head<2>().normalized();
    const Eigen::Vector2d three(-two.y(), two.x());
    const Eigen::Vector2d ratio = impulse.head<2>() / impulse[2];
    const ImpactResult<double> brach =
        SolveImpact("brach", contact, std::array{e_n, two.dot(ratio), three.dot(ratio)});
    EXPECT_LT((brach.impulse - impulse).norm(), 1e-12 * impulse.norm());
  }
  const Contact<double> contact = SpatialCase();
  const Eigen::Vector3d away = -contact.inverse_mass.row(2).transpose().normalized();
  EXPECT_TRUE(ImpulseAlongDirection<double>(contact, away, 0.5).array().isNaN().all());
}

// 3.27: dV_f/dM of a nearly spherical body, entries of M in the order 11, 22, 33, 12, 13, 23.
TEST(AlgebraicLawNumbers, GiveTheJacobianOfANearlySphericalBody) {
  using Jet = LawJet;
  const Eigen::Matrix3d axes = ChatterjeeAxes(kSomeTurn);
  Eigen::Matrix<Jet, 3, 3> mass = Eigen::Matrix<Jet, 3, 3>::Constant(Jet(0.0));
  mass(0, 0) = Jet(1.0, 0);
  mass(1, 1) = Jet(2.0 / 7.0, 1);
  mass(2, 2) = Jet(2.0 / 7.0, 2);
  mass(0, 1) = mass(1, 0) = Jet(0.0, 3);
  mass(0, 2) = mass(2, 0) = Jet(0.0, 4);
  mass(1, 2) = mass(2, 1) = Jet(0.0, 5);
  Contact<Jet> contact;
  contact.inverse_mass = axes.cast<Jet>() * mass.inverse() * axes.transpose().cast<Jet>();
  const Eigen::Vector3d u = axes * Eigen::Vector3d(-0.5, -std::sqrt(0.75), 0.0);
  contact.velocity = u.cast<Jet>();
  struct Row {
    const char* law;
    double j35, j36;
  };
  for (const Row& row : {Row{"chatterjee-1", -3.15, -2.205}, Row{"chatterjee-2", -1.87694, 0.0},
                         Row{"chatterjee-3", -1.62233, 0.0}, Row{"smith", -2.65923, -1.86146}}) {
    SCOPED_TRACE(row.law);
    const std::array<Jet, 3> parameters = {Jet(0.2), Jet(0.8), Jet(0.5)};
    const ImpactResult<Jet> result =
        SolveByName(row.law, contact,
                    std::span<const Jet>(parameters).first(FindLaw(row.law).parameters.size()));
    const Eigen::Matrix<Jet, 3, 1> end = axes.transpose().cast<Jet>() * result.contact_velocity;
    Eigen::Matrix<double, 3, 6> j;
    for (int i = 0; i < 3; ++i) j.row(i) = end[i].v.head<6>().transpose();
    Eigen::Matrix<double, 3, 6> expected = Eigen::Matrix<double, 3, 6>::Zero();
    expected(1, 0) = 0.63;
    expected(1, 1) = -2.205;
    expected(1, 3) = -2.709;
    expected(2, 4) = row.j35;
    expected(2, 5) = row.j36;
    expected(0, 3) = j(0, 3);  // J14 is free
    EXPECT_LT((j - expected).cwiseAbs().maxCoeff(), 0.5e-5) << j;
    for (const auto& [i, k] : {std::pair{2, 0},
                               {2, 1},
                               {2, 2},
                               {2, 3},
                               {0, 4},
                               {0, 5},
                               {1, 4},
                               {1, 5},
                               {0, 0},
                               {0, 1},
                               {0, 2},
                               {1, 2}}) {
      EXPECT_NEAR(j(i, k), 0.0, 1e-12) << i << k;
    }
  }
}

}  // namespace
}  // namespace percuss::solver
