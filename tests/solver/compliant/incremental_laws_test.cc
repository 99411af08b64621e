// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The laws that integrate over time, against the numbers of chatterjee1997 digest 3.18-3.24, 5
// (AT6, AT10, AT14), against closed forms, and against the law `stronge` where both must agree.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "solver/law_registry.h"
#include "solver/restitution/restitution_curves.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/table.h"

namespace percuss::solver {
namespace {

// The digest's axes are (n, t): M11 is normal, M22 tangential.
Contact<double> Planar(double m11, double m12, double m22, double v_n, double v_t) {
  Eigen::Matrix3d m = Eigen::Matrix3d::Identity();
  m(2, 2) = m11;
  m(0, 2) = m(2, 0) = m12;
  m(0, 0) = m22;
  Contact<double> contact;
  contact.inverse_mass = m.inverse();
  contact.velocity = {v_t, 0.0, v_n};
  return contact;
}

double EnergyChange(const Contact<double>& contact, const ImpactResult<double>& result) {
  return 0.5 * result.impulse.dot(contact.velocity + result.contact_velocity);
}

TEST(PointContact, HasTheImpulseRatiosOfTheDisk) {
  const Table table(std::string(PERCUSS_DATA_DIR) +
                    "/chatterjee1997/derived_disk_impulse_ratio_predictions.csv");
  ASSERT_EQ(table.size(), 39u);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const double theta = table.Number(row, "theta_deg") * std::numbers::pi / 180.0;
    const Contact<double> disk = Planar(1.0, 0.0, 1.0 / 3.0, -std::cos(theta), -std::sin(theta));
    const auto result = SolveImpact(
        "point-contact", disk, std::array{table.Number(row, "mu"), table.Number(row, "e"), 0.6667});
    EXPECT_NEAR(result.impulse[0] / result.impulse[2],
                table.Number(row, "ratio_linear_springs_kt_over_kn_0p6667"), 5e-5)
        << row;
    EXPECT_NEAR(result.contact_velocity[2], 0.92 * std::cos(theta), 1e-10);
  }
}

// Without slip on a diagonal M both springs swing for half the period of the normal one. Friction
// of 1e7 lets go in the last 1e-7 of it, and what is then left in the tangential spring is lost.
TEST(PointContact, WithoutSlipReversesAsTheSpringsSwing) {
  for (const double ratio : {0.1, 1.0 / 3.0, 0.6667, 1.0, 1.7}) {
    const auto result = SolveImpact("point-contact", Planar(1.0, 0.0, 1.0 / 3.0, -1.0, -0.5),
                                    std::array{1e7, 1.0, ratio});
    const double phase = std::numbers::pi * std::sqrt(3.0 * ratio);
    EXPECT_NEAR(result.contact_velocity[0], -0.5 * std::cos(phase), 1e-6) << ratio;
    EXPECT_NEAR(EnergyChange(Planar(1.0, 0.0, 1.0 / 3.0, -1.0, -0.5), result),
                -0.5 / 3.0 * std::pow(0.5 * std::sin(phase), 2), 1e-6);
  }
}

TEST(PointContact, ApproachesARigidContactAsTheSpringStiffens) {
  const Contact<double> contact = Planar(1.0, 0.45, 0.5, -1.0, -1.5);
  const auto rigid = SolveImpact("stronge", contact, std::array{0.3, 0.6});
  const auto stiff = SolveImpact("point-contact", contact, std::array{0.3, 0.6, 100.0});
  EXPECT_NEAR((rigid.impulse - stiff.impulse).norm(), 0.0, 1e-9);  // slides throughout
}

TEST(SplitMass, MatchesTheDigest) {
  struct Case {
    double m11, m12, m22, mu, v_n, v_t, energy;
  };
  for (const Case& c : {Case{1, 0, 1.0 / 3, 0.3, 0.80000, 0.38923, -0.19642},
                        Case{1, 0, 1.0 / 3, 1e3, 0.80000, 0.38216, NAN},
                        Case{1, 0.3, 0.6, 0.3, 0.67808, -0.59935, -0.50926},
                        Case{1, 0.3, 0.6, 1e3, 0.59988, 0.33134, -0.45251}}) {
    const Contact<double> contact = Planar(c.m11, c.m12, c.m22, -1.0, -0.5);
    const auto result = SolveImpact("split-mass", contact, std::array{c.mu, 0.8, 0.4});
    EXPECT_NEAR(result.contact_velocity[2], c.v_n, 5e-5);
    EXPECT_NEAR(result.contact_velocity[0], c.v_t, 5e-5);
    if (std::isfinite(c.energy)) {
      EXPECT_NEAR(EnergyChange(contact, result), c.energy, 5e-5);
    }
  }
}

TEST(SplitMass, WithoutSlipReversesAsTheSpringsSwing) {
  const auto result =
      SolveImpact("split-mass", Planar(1.0, 0.0, 1.0 / 3.0, -1.0, -0.5), std::array{1e7, 0.8, 0.4});
  EXPECT_NEAR(result.contact_velocity[0],
              -0.5 * 0.8 * std::cos(std::numbers::pi * std::sqrt(0.4 * 3.0)), 1e-6);
}

TEST(EigenvectorElements, HaveTheTwoVelocitiesOfTheThesis) {
  const double half = std::sqrt(0.5);  // at 45 degrees
  const EigenvectorElements<double> elements{half, half, {2.0, 1.0}};
  const double root = std::sqrt(2.0);
  const std::array pull = {-3.0 * root, 2.0 * root};
  const std::vector<double> u = ContactPointVelocities(elements, 6.0, pull);
  ASSERT_EQ(u.size(), 2u);
  EXPECT_EQ(u[0], 0.0);
  EXPECT_NEAR(u[1], 2.0 / 3.0, 1e-14);
  const auto stick = elements.ReactionAt(u[0], pull);
  EXPECT_NEAR(stick.normal, 1.0, 1e-14);
  EXPECT_NEAR(stick.tangential, 5.0, 1e-14);
  const auto slip = elements.ReactionAt(u[1], pull);
  EXPECT_NEAR(slip.normal, 2.0 / 3.0, 1e-14);
  EXPECT_NEAR(slip.tangential, 4.0, 1e-14);
  EXPECT_NEAR(elements.SlipVelocity(-1, 6.0, pull), 22.0 / 9.0, 1e-14);  // printed 2.444
}

TEST(EigenvectorElements, AreUniqueOnADiagonalContactOnly) {
  const std::array parameters = {3.0, 0.5, 0.2, 0.8};
  std::vector<double> choices = {1.0};
  const auto diagonal = EigenvectorElementsLaw{}.Solve<double>(
      Planar(1.0, 0.0, 1.0 / 3.0, -1.0, -0.5), parameters, &choices);
  EXPECT_TRUE(choices.empty());
  EXPECT_NEAR(diagonal.contact_velocity[2], RestitutionOfLinearDashpot(0.5), 1e-9);
  std::mt19937 random(7);
  int several = 0;
  for (int i = 0; i < 300; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    reference::MakePlanar(contact);
    EigenvectorElementsLaw{}.Solve<double>(contact, std::array{6.0, 1.0, 0.1, 1.0}, &choices);
    if (!choices.empty()) ++several;
  }
  EXPECT_GT(several, 0);
}

// Elements of equal stiffness and damping on a contact mass that is the same in all directions are
// one isotropic element: whether the eigenvectors are turned does not matter.
TEST(EigenvectorElements, HeadOnAtNoFrictionRestituteAsALinearDashpot) {
  const auto result = SolveImpact("eigenvector-elements", Planar(1.0, 0.0, 1.0, -1.0, -0.3),
                                  std::array{0.0, 0.3, 0.3, 1.0});
  EXPECT_NEAR(result.contact_velocity[2], RestitutionOfLinearDashpot(0.3), 1e-9);
  EXPECT_NEAR(result.contact_velocity[0], -0.3, 1e-12);
}

// phi is a potential: no energy is lost, however friction-like its force.
TEST(IvanovPotential, LosesNoEnergy) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 200; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    const auto result = SolveImpact("ivanov-potential", contact, std::array{1.5 * uniform(random)});
    const double before =
        0.5 * contact.velocity.dot(contact.inverse_mass.inverse() * contact.velocity);
    EXPECT_NEAR(EnergyChange(contact, result), 0.0, 1e-8 * before) << i;
  }
}

// int u_n dP_n = -int F dd: a force that depends on compression alone restitutes its share e^2 of
// the work, whatever path friction takes. This also holds the integrator against the exact
// solution.
template <class Law>
void ExpectImpulseOfStronge(bool with_e) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 150; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.5);
    const double mu = 1.2 * uniform(random);
    const double e = with_e ? 0.1 + 0.9 * uniform(random) : 1.0;
    std::vector<double> parameters = {mu};
    if (with_e) parameters.push_back(e);
    const auto exact = SolveImpact("stronge", contact, std::array{mu, e});
    const auto solved = SolveImpact(Law::Info().name, contact, parameters);
    const auto integrated = IntegratePointContact(
        contact, Law{}.template Model<double>(contact, std::span<const double>(parameters)));
    const double scale = exact.impulse.norm();
    EXPECT_EQ(solved.impulse, exact.impulse);
    EXPECT_NEAR((integrated.impulse - exact.impulse).norm(), 0.0, 1e-8 * scale) << i;
    EXPECT_NEAR(integrated.compression_impulse, exact.compression_impulse, 1e-8 * scale) << i;
    EXPECT_NEAR(integrated.energy.friction_work, exact.energy.friction_work,
                1e-8 * std::abs(exact.energy.friction_work) + 1e-8 * scale)
        << i;
    EXPECT_EQ(integrated.modes, exact.modes) << i;
  }
}

TEST(Hertz, HasTheImpulseOfStronge) { ExpectImpulseOfStronge<HertzLaw>(false); }
TEST(HertzPlastic, HasTheImpulseOfStronge) { ExpectImpulseOfStronge<HertzPlasticLaw>(true); }
TEST(BilinearSpring1, HasTheImpulseOfStronge) { ExpectImpulseOfStronge<BilinearSpring1Law>(true); }
TEST(BilinearSpring2, HasTheImpulseOfStronge) { ExpectImpulseOfStronge<BilinearSpring2Law>(true); }

// Rigid slip that settles into its direction fast and stops slowly is a stiff equation.
TEST(PointContact, FollowsRigidSlipThatSettlesFastAndStopsSlowly) {
  struct Stiff {
    Eigen::Vector3d u;
    std::array<double, 6> a;  // lower triangle by rows
    double mu;
  };
  const std::array<Stiff, 3> contacts = {
      {{{0.271060804, 0.127043736, -0.319757471},
        {1.655867133, -0.964707673, 2.581147857, -0.234845501, -0.953216400, 1.117687320},
        0.707863145},
       {{-0.931742461, 0.650059507, -0.742866254},
        {9.099094154, 5.379458222, 3.405451627, -7.033276880, -4.024414731, 5.967975472},
        3.453171870},
       {{0.572878344, -0.846695971, -0.411944818},
        {2.122870809, 3.047476020, 4.520569178, -1.552687958, -2.294290090, 1.217857972},
        1.317533760}}};
  for (const Stiff& stiff : contacts) {
    const auto& a = stiff.a;
    Contact<double> contact;
    contact.inverse_mass << a[0], a[1], a[3], a[1], a[2], a[4], a[3], a[4], a[5];
    contact.velocity = stiff.u;
    const auto exact = SolveImpact("stronge", contact, std::array{stiff.mu, 1.0});
    const auto integrated = IntegratePointContact<double>(contact, {.mu = stiff.mu});
    EXPECT_LT((integrated.impulse - exact.impulse).norm(), 1e-9 * exact.impulse.norm());
    EXPECT_EQ(integrated.modes, exact.modes);
  }
}

// The default tolerance against one a hundred times finer, where no exact solution exists.
TEST(PointContact, IsAccurateToBetterThan1e8) {
  std::mt19937 random(13);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 60; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    PointContactModel<double> model;
    model.mu = 0.05 + uniform(random);
    model.force = i % 2 == 0 ? NormalForce::kLinear : NormalForce::kHertz;
    model.unloading = Unloading::kSteep;
    model.e = 0.3 + 0.7 * uniform(random);
    model.stiffness_ratio = 1.5 * uniform(random);
    const auto result = IntegratePointContact(contact, model);
    const auto finer = IntegratePointContact(contact, model, {.tolerance = 1e-14});
    EXPECT_NEAR((result.impulse - finer.impulse).norm(), 0.0, 1e-8 * finer.impulse.norm()) << i;
  }
}

// At a turn rate of 1000 the spring starts to follow slip by a formula instead of by its equation.
// The impulse, smooth in the speed of slip, goes on where the cubic through four speeds below
// points.
TEST(PointContact, FollowsFastSlipAsItsEquationSays) {
  Contact<double> contact;
  contact.inverse_mass << 2.5, 0.2, 0.5, 0.2, 1.0, 0.3, 0.5, 0.3, 1.5;
  for (const double mu : {0.02, 0.1}) {
    const auto impulse_at = [&](double turn_rate) {
      contact.velocity << turn_rate * mu * Eigen::Vector2d(0.8, 0.6), -1.0;
      return SolveImpact("point-contact", contact, std::array{mu, 0.7, 1.0}).impulse;
    };
    const Eigen::Vector3d expected = 4.0 * impulse_at(995.0) - 6.0 * impulse_at(985.0) +
                                     4.0 * impulse_at(975.0) - impulse_at(965.0);
    const Eigen::Vector3d follows = impulse_at(1005.0);
    EXPECT_NEAR((follows - expected).norm(), 0.0, 2e-9 * follows.norm()) << mu;
  }
}

TEST(IncrementalLaws, GiveNaNForArgumentsThatAreNotFinite) {
  Contact<double> contact = Planar(1.0, 0.3, 0.6, -1.0, -0.5);
  contact.velocity[0] = NAN;
  for (const LawInfo& info : Laws()) {
    std::vector<double> parameters;
    for (const ParameterInfo& parameter : info.parameters) parameters.push_back(parameter.typical);
    const ImpactResult<double> result = FindLawFunction(info.name)(contact, parameters);
    EXPECT_TRUE(std::isnan(result.impulse[2])) << info.name;
  }
}

}  // namespace
}  // namespace percuss::solver
