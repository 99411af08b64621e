// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The laws that planar impact data were compared with in the literature: Wang-Mason,
// Anitescu-Potra, Drumwright-Shell, Mirtich. Sources of truth: tables of chatterjee1997 (Routh and
// Kane-Levinson rows, which the first two must reproduce), the conditions that define each problem,
// scans over the slip direction, and the Darboux-Keller laws.

#include <gtest/gtest.h>

#include <array>
#include <numbers>
#include <random>
#include <stdexcept>

#include "solver/solve_impact.h"
#include "tests/solver/algebraic/chatterjee_setups.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/law_jets.h"
#include "tests/solver/law/law_properties.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr std::array kSpatial = {"anitescu-potra-newton", "anitescu-potra-poisson",
                                 "drumwright-shell", "mirtich"};

Vector3d Impulse(std::string_view law, const Contact<double>& contact, double mu, double e) {
  return SolveImpact(law, contact, std::array{mu, e}).impulse;
}

Contact<double> RandomPlanarContact(std::mt19937& random, double decades) {
  Contact<double> contact = reference::RandomContact(random, decades);
  reference::MakePlanar(contact);
  return contact;
}

// What LawInfo::same_as says, in contacts of every kind.
TEST(SameLaws, GiveTheSameImpulseAndWorks) {
  std::mt19937 random(17);
  int tested = 0;
  for (const LawInfo& law : Laws()) {
    if (law.same_as.empty()) continue;
    const LawInfo& other = FindLaw(law.same_as);
    ASSERT_EQ(law.domain, other.domain);
    ASSERT_EQ(law.parameters.size(), other.parameters.size());
    for (std::size_t k = 0; k < law.parameters.size(); ++k) {
      EXPECT_EQ(law.parameters[k].name, other.parameters[k].name);
      EXPECT_EQ(law.parameters[k].lower, other.parameters[k].lower);
      EXPECT_EQ(law.parameters[k].upper, other.parameters[k].upper);
    }
    for (int draw = 0; draw < 400; ++draw) {
      const Contact<double> contact =
          draw % 2 == 0 ? reference::RandomContact(random, 2.0) : RandomPlanarContact(random, 2.0);
      const std::array parameters = {std::exponential_distribution<double>(2.0)(random),
                                     std::uniform_real_distribution<double>(0.0, 1.0)(random)};
      const ImpactResult<double> one = SolveImpact(law.name, contact, parameters),
                                 two = SolveImpact(other.name, contact, parameters);
      ASSERT_LT((one.impulse - two.impulse).norm(), 1e-7 * two.impulse.norm()) << law.name;
      ASSERT_NEAR(one.energy.normal_work, two.energy.normal_work,
                  1e-6 * std::abs(two.energy.normal_work))
          << law.name;
      ++tested;
    }
  }
  EXPECT_GE(tested, 5 * 400);
}

// --- golden numbers -----------------------------------------------------------------------------

void ExpectReproduces(const char* law, const std::vector<ChatterjeeCase>& cases, double tolerance) {
  for (const ChatterjeeCase& row : cases) {
    SCOPED_TRACE(row.name + " mu " + std::to_string(row.mu));
    const ImpactResult<double> result = SolveImpact(law, row.contact, std::array{row.mu, row.e});
    EXPECT_LT((result.impulse - row.impulse).norm(), tolerance * row.impulse.norm());
    EXPECT_LT((result.contact_velocity - row.velocity).norm(), tolerance);
    EXPECT_NEAR(EnergyChange(row.contact, result.impulse), row.energy_change,
                tolerance * (1.0 + std::abs(row.energy_change)));
  }
}

// Twelve printed digits; the pendulum's condition number takes some.
TEST(WangMason, ReproducesRouth) {
  std::vector<ChatterjeeCase> cases = ChatterjeeCases("RouthPoisson");
  std::erase_if(cases, [](const ChatterjeeCase& row) { return !row.planar; });
  ASSERT_EQ(cases.size(), 14u);
  ExpectReproduces("wang-mason", cases, 1e-10);
}

TEST(AnitescuPotraNewton, ReproducesKaneAndLevinson) {
  const auto cases = ChatterjeeCases("KaneLevinson");
  ASSERT_EQ(cases.size(), 17u);
  ExpectReproduces("anitescu-potra-newton", cases, 1e-10);
}

// In the plane the two complementarity problems are those of Pfeiffer and Glocker without
// tangential restitution.
TEST(AnitescuPotraPoisson, ReproducesPfeifferAndGlockerWithoutTangentialRestitution) {
  auto cases = ChatterjeeCases("PfeifferGlocker");
  std::erase_if(cases, [](const ChatterjeeCase& row) { return row.e_t != 0.0 || row.nu != 0.0; });
  ASSERT_EQ(cases.size(), 14u);
  ExpectReproduces("anitescu-potra-poisson", cases, 1e-10);
}

TEST(Mirtich, ReproducesRouthWithEnergeticRestitution) {
  ExpectReproduces("mirtich", ChatterjeeCases("RouthStrongeEnergetic"), 1e-9);
}

// chatterjee1997 Table 7.1, printed to six figures; the laws in it create 13 J out of 1/2 J.
TEST(ComparisonLaws, ReproduceTheTableOfUnboundedMass) {
  const Table table(std::string(PERCUSS_DATA_DIR) + "/chatterjee1997/table_7_1_unbounded_M.csv");
  int tested = 0;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string name = table.Text(row, "law");
    const double lambda = table.Number(row, "lambda");
    if (name == "Smith" || std::isinf(lambda)) continue;
    const char* law = name == "Routh" ? "wang-mason" : "anitescu-potra-newton";
    const Contact<double> contact = ChatterjeePendulum(lambda, 0.0);
    const Vector3d P = Impulse(law, contact, 0.5, 0.8);
    const Vector3d after = contact.velocity + contact.inverse_mass * P;
    EXPECT_NEAR(after[2], table.Number(row, "V_fN"), 1e-6);
    EXPECT_NEAR(after[0], table.Number(row, "V_fT"), 1e-6);
    const double change = table.Number(row, "delta_KE");
    EXPECT_NEAR(EnergyChange(contact, P), change, 1e-6 + 5e-6 * std::abs(change)) << law << lambda;
    ++tested;
  }
  EXPECT_EQ(tested, 8);
}

// Grazing with a jam (AT7), v_n -> 0: Routh tends to V_fN = 0.3 e on the line of sticking, Kane and
// Levinson to a full stop. Compression by maximum dissipation also ends in a stop here.
TEST(ComparisonLaws, GrazeAsTheTableSays) {
  const Contact<double> contact = PlanarContactOf(1.0, 0.3, 0.6, -1e-9, -1.0, 0.0);
  for (const double e : {0.5, 1.0}) {
    for (const char* law : {"wang-mason", "anitescu-potra-poisson"}) {
      const ImpactResult<double> result = SolveImpact(law, contact, std::array{3.0, e});
      EXPECT_NEAR(result.contact_velocity[2], 0.3 * e, 1e-8) << law;
      EXPECT_NEAR(result.contact_velocity[0], 0.0, 1e-14) << law;
    }
    const ImpactResult<double> newton =
        SolveImpact("anitescu-potra-newton", contact, std::array{3.0, e});
    EXPECT_LT((newton.impulse - FromChatterjee(0.3, 0.6)).norm(), 1e-8);
    EXPECT_LT(newton.contact_velocity.norm(), 2e-9);
    const Vector3d dissipated = Impulse("drumwright-shell", contact, 3.0, e);
    EXPECT_LT((dissipated - FromChatterjee(0.3 * (1.0 + e), 0.6)).norm(), 1e-8);
  }
}

// A uniform disk against a wall (AT6): Routh and Kane-Levinson have the ratio of the bilinear law.
TEST(ComparisonLaws, StrikeADiskInTheRatioOfTheTable) {
  for (const auto& [degrees, ratio] : {std::pair{10.0, 0.030612},
                                       {30.0, 0.100234},
                                       {40.0, 0.145677},
                                       {43.0, 0.16},
                                       {70.0, 0.16}}) {
    const double theta = degrees * std::numbers::pi / 180.0;
    const Contact<double> contact =
        PlanarContactOf(1.0, 0.0, 1.0 / 3.0, -std::cos(theta), -std::sin(theta), 0.0);
    for (const char* law :
         {"wang-mason", "anitescu-potra-newton", "anitescu-potra-poisson", "mirtich"}) {
      const Vector3d P = Impulse(law, contact, 0.16, 0.92);
      EXPECT_NEAR(P[0] / P[2], ratio, 5e-7) << law << degrees;
      EXPECT_NEAR(P[2], 1.92 * std::cos(theta), 1e-14) << law << degrees;
    }
  }
}

// --- laws that must coincide --------------------------------------------------------------------

TEST(WangMason, IsPoissonInThePlane) {
  std::mt19937 random(41);
  std::uniform_real_distribution<double> uniform;
  std::array<int, 5> regimes{};
  for (int i = 0; i < 20000; ++i) {
    Contact<double> contact = RandomPlanarContact(random, 3.0 * uniform(random));
    if (i % 3 == 0) contact.velocity[0] *= 0.1;
    if (i % 7 == 0) contact.velocity[2] *= 0.01;
    if (i % 50 == 0) contact.velocity[0] = 0.0;
    const std::array parameters = {1.5 * uniform(random), uniform(random)};
    const auto closed = SolveImpact("wang-mason", contact, parameters);
    const auto path = SolveImpact("poisson", contact, parameters);
    const double scale = path.impulse.norm();
    ASSERT_LT((closed.impulse - path.impulse).norm(), 1e-12 * scale) << i;
    ASSERT_NEAR(closed.compression_impulse, path.compression_impulse, 1e-12 * scale) << i;
    const double energy = LocalEnergy(contact, contact.velocity);
    ASSERT_NEAR(closed.energy.normal_work, path.energy.normal_work, 1e-11 * energy) << i;
    ASSERT_NEAR(closed.energy.friction_work, path.energy.friction_work, 1e-11 * energy) << i;
    ASSERT_TRUE(closed.modes == path.modes) << i;
    const bool early = path.sun_case == "1" || path.sun_case == "2";
    const bool sticks = closed.modes.back() == ContactMode::kStick;
    ++regimes[closed.modes.size() == 1 ? 0 : 1 + 2 * (early ? 1 : 0) + (sticks ? 1 : 0)];
  }
  for (const int count : regimes) EXPECT_GT(count, 100);  // all five regimes are there
}

// Also for a contact whose plane lies askew to the axes.
TEST(WangMason, FindsThePlane) {
  std::mt19937 random(42);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 500; ++i) {
    const Contact<double> contact = RandomPlanarContact(random, 2.0);
    properties::ExpectFrameInvariant("wang-mason", contact, 6.0 * uniform(random),
                                     std::array{uniform(random), uniform(random)}, 1e-11);
  }
}

TEST(WangMason, RefusesContactsThatLeaveEveryPlane) {
  std::mt19937 random(59);
  const Contact<double> contact = reference::RandomContact(random, 2.0);
  EXPECT_THROW(Impulse("wang-mason", contact, 0.3, 0.5), std::invalid_argument);
}

TEST(Mirtich, IsStronge) {
  std::mt19937 random(43);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 2000; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    const double mu = uniform(random), e = uniform(random);
    ASSERT_EQ(Impulse("mirtich", contact, mu, e), Impulse("stronge", contact, mu, e));
    // His criterion of stable sticking, in terms of M, is ours in terms of A.
    const Matrix3d mass = contact.inverse_mass.inverse();
    const double critical = CriticalFriction(ContactBlocks<double>(contact.inverse_mass, mu));
    const Vector2d coupling = mass.topRightCorner<2, 1>();
    ASSERT_NEAR(coupling.norm() / mass(2, 2), critical, 1e-11 * critical);
  }
}

// Where the slip keeps its direction from start to end no law can tell phase from path.
TEST(AnitescuPotraPoisson, IsPoissonForABallThatSlides) {
  std::mt19937 random(44);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 500; ++i) {
    Contact<double> contact;
    contact.inverse_mass = Vector3d(3.5, 3.5, 1.0).asDiagonal();
    contact.velocity = {uniform(random) - 0.5, uniform(random) - 0.5, -uniform(random) - 0.01};
    const double mu = 0.5 * uniform(random), e = uniform(random);
    EXPECT_LT(
        (Impulse("anitescu-potra-poisson", contact, mu, e) - Impulse("poisson", contact, mu, e))
            .norm(),
        1e-12 * contact.velocity.norm());
  }
}

// --- laws of nature -----------------------------------------------------------------------------

TEST(ComparisonLaws, KeepTheLawsOfNature) {
  std::mt19937 random(45);
  std::uniform_real_distribution<double> uniform;
  for (const char* law : kSpatial) {
    SCOPED_TRACE(law);
    for (int i = 0; i < 5000; ++i) {
      Contact<double> contact = reference::RandomContact(random, 4.0 * uniform(random));
      if (i % 4 == 0) contact.velocity[2] *= 1e-3;
      const std::array parameters = {(i % 3 == 0 ? 5.0 : 1.2) * uniform(random), uniform(random)};
      properties::ExpectLawsOfNature(law, contact, parameters, 1e-10);
      if (HasFatalFailure()) return;
    }
  }
  for (int i = 0; i < 5000; ++i) {
    const std::array parameters = {1.5 * uniform(random), uniform(random)};
    properties::ExpectLawsOfNature("wang-mason", RandomPlanarContact(random, 3.0), parameters,
                                   1e-11);
    if (HasFatalFailure()) return;
  }
}

// Where they are hard: condition numbers to 1e8, friction from 1e-4 to 100 and none, grazing, no
// slip, balls, no coupling, planes.
TEST(ComparisonLaws, PushWithinTheConeForEveryContact) {
  std::mt19937 random(58);
  std::uniform_real_distribution<double> uniform;
  for (const char* law : kSpatial) {
    SCOPED_TRACE(law);
    for (int i = 0; i < 10000; ++i) {
      Contact<double> contact = reference::RandomContact(random, 8.0);
      Matrix3d& a = contact.inverse_mass;
      Vector3d& u = contact.velocity;
      const int kind = i % 7;
      if (kind == 0) u.head<2>().setZero();
      if (kind == 1) a = (a.trace() * Matrix3d::Identity()).eval();
      if (kind == 2 || kind == 5) a = Matrix3d(a.diagonal().asDiagonal());
      if (kind == 3) reference::MakePlanar(contact);
      if (kind == 4) u[2] *= 1e-8;
      if (kind == 5) u.head<2>() *= 1e-10;
      const double mu = i % 13 == 0 ? 0.0 : std::pow(10.0, 6.0 * uniform(random) - 4.0);
      const Vector3d P = Impulse(law, contact, mu, i % 11 == 0 ? 1.0 : uniform(random));
      ASSERT_TRUE(P.allFinite()) << i;
      ASSERT_GT(P[2], 0.0) << i;
      ASSERT_LE(FrictionConeExcess(P, mu), 1e-12 * P.norm()) << i;
      // The equations hold to rounding of their largest terms, so their solution to 1e-16 times the
      // condition number.
      ASSERT_GE((u + a * P)[2], -1e-8 * (u.norm() + a.norm() * P.norm())) << i;
    }
  }
}

TEST(ComparisonLaws, AreHomogeneousAndIndependentOfTheAxes) {
  std::mt19937 random(46);
  std::uniform_real_distribution<double> uniform;
  for (const char* law : kSpatial) {
    SCOPED_TRACE(law);
    for (int i = 0; i < 500; ++i) {
      const Contact<double> contact = reference::RandomContact(random, 2.0);
      const std::array parameters = {2.0 * uniform(random), uniform(random)};
      properties::ExpectHomogeneous(law, contact, parameters, 1e-10);
      properties::ExpectFrameInvariant(law, contact, 6.0 * uniform(random), parameters, 1e-10);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ComparisonLaws, AreNewtonsWithoutFriction) {
  std::mt19937 random(47);
  for (const char* law : kSpatial) {
    SCOPED_TRACE(law);
    for (int i = 0; i < 300; ++i) {
      const Contact<double> contact = reference::RandomContact(random, 3.0);
      properties::ExpectNewtonWithoutFriction(law, contact, 0.7, std::array{0.0, 0.7}, 1e-12);
      const Vector3d limit = Impulse(law, contact, 0.0, 0.7);
      EXPECT_LT((Impulse(law, contact, 1e-9, 0.7) - limit).norm(), 1e-6 * limit.norm());
    }
  }
}

// Energy: which laws create it, and that none does at e = 0.
TEST(ComparisonLaws, CreateEnergyOnlyWhereTheySay) {
  std::mt19937 random(48);
  std::uniform_real_distribution<double> uniform;
  for (const char* law : kSpatial) {
    double largest = -1.0;
    for (int i = 0; i < 3000; ++i) {
      const Contact<double> contact = reference::RandomContact(random, 3.0);
      const double energy = LocalEnergy(contact, contact.velocity);
      const double mu = 2.0 * uniform(random);
      largest = std::max(largest, EnergyChange(contact, Impulse(law, contact, mu, 1.0)) / energy);
      EXPECT_LE(EnergyChange(contact, Impulse(law, contact, mu, 0.0)), 1e-11 * energy) << law;
    }
    EXPECT_EQ(FindLaw(law).dissipative, largest <= 1e-11) << law << " " << largest;
  }
}

TEST(ComparisonLaws, GiveNanForArgumentsThatAreNotFinite) {
  Contact<double> contact;
  contact.inverse_mass = Vector3d(1.0, 1.0, 1.0).asDiagonal();
  contact.velocity = {NAN, 0.0, -1.0};
  const std::array parameters = {0.3, 0.5};
  for (const char* law :
       {"wang-mason", "anitescu-potra-newton", "anitescu-potra-poisson", "drumwright-shell"}) {
    const Vector3d P = SolveByName(law, contact, std::span<const double>(parameters)).impulse;
    EXPECT_FALSE(P.allFinite()) << law;
  }
}

// --- each problem against its definition --------------------------------------------------------

// Coulomb's law between an impulse and the velocity after it.
void ExpectCoulomb(const Vector3d& impulse, const Vector3d& after, double mu, double tolerance) {
  const double rest = mu * impulse[2] - impulse.head<2>().norm();
  ASSERT_GE(rest, -tolerance * impulse.norm());
  const Vector2d slip = after.head<2>();
  // Maximum dissipation: P_t . u_t' = -mu P_n |u_t'|, which is rest or full friction against slip.
  ASSERT_NEAR(impulse.head<2>().dot(slip), -mu * impulse[2] * slip.norm(),
              tolerance * impulse.norm() * (1.0 + slip.norm()));
}

TEST(AnitescuPotraNewton, SolvesItsComplementarityProblem) {
  std::mt19937 random(49);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 10000; ++i) {
    Contact<double> contact = reference::RandomContact(random, 3.0);
    if (i % 4 == 0) contact.velocity[2] *= 1e-2;
    const double mu = (i % 2 ? 1.0 : 5.0) * uniform(random), e = uniform(random);
    const auto result = SolveImpact("anitescu-potra-newton", contact, std::array{mu, e});
    const double scale = contact.inverse_mass.norm() * result.impulse.norm();
    ASSERT_NEAR(result.contact_velocity[2], -e * contact.velocity[2], 1e-12 * scale);
    ExpectCoulomb(result.impulse, result.contact_velocity, mu, 1e-10 * (1.0 + scale));
    if (HasFatalFailure()) return;
  }
}

TEST(AnitescuPotraPoisson, SolvesItsTwoComplementarityProblems) {
  std::mt19937 random(50);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 10000; ++i) {
    Contact<double> contact = reference::RandomContact(random, 3.0);
    if (i % 4 == 0) contact.velocity[2] *= 1e-2;
    const double mu = (i % 2 ? 1.0 : 5.0) * uniform(random), e = uniform(random);
    const Matrix3d& a = contact.inverse_mass;
    // Compression is the law with Newton's restitution at e = 0.
    const Vector3d first = Impulse("anitescu-potra-newton", contact, mu, 0.0);
    const auto result = SolveImpact("anitescu-potra-poisson", contact, std::array{mu, e});
    ASSERT_NEAR(result.compression_impulse, first[2], 1e-12 * first.norm());
    const Vector3d second = result.impulse - first;
    ASSERT_NEAR(second[2], e * first[2], 1e-11 * result.impulse.norm());
    const Vector3d after = contact.velocity + a * result.impulse;
    const double scale = 1.0 + a.norm() * result.impulse.norm();
    ASSERT_GE(after[2], -1e-12 * scale);
    ExpectCoulomb(second, after, mu, 1e-10 * scale * (1.0 + result.impulse.norm() / second.norm()));
    if (HasFatalFailure()) return;
  }
}

// Decompression never needs more than e P_c, not even where compression was built to end next to a
// jam: u_c = s d with A_nn - mu A_tn . d small.
TEST(AnitescuPotraPoisson, SeparatesNextToAJam) {
  std::mt19937 random(51);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 20000; ++i) {
    Contact<double> contact = reference::RandomContact(random, 4.0 * uniform(random));
    const Matrix3d& a = contact.inverse_mass;
    const Vector2d coupling = a.topRightCorner<2, 1>();
    const double mu = a(2, 2) / coupling.norm() * (1.0 + 2.0 * uniform(random));
    const double jam = std::acos(a(2, 2) / (mu * coupling.norm()));
    const double theta = std::atan2(coupling[1], coupling[0]) + jam +
                         std::pow(10.0, -4.0 * uniform(random)) * (std::numbers::pi - jam);
    const Vector2d d(std::cos(theta), std::sin(theta));
    const double speed = std::pow(10.0, 6.0 * uniform(random) - 3.0) * a.norm();
    contact.velocity.head<2>() = speed * d - (coupling - mu * a.topLeftCorner<2, 2>() * d);
    contact.velocity[2] = mu * coupling.dot(d) - a(2, 2);
    if (!(contact.velocity[2] < 0.0)) continue;
    const auto result = SolveImpact("anitescu-potra-poisson", contact, std::array{mu, 1.0});
    ASSERT_GE(result.contact_velocity[2], -1e-11 * a.norm() * result.impulse.norm()) << i;
  }
}

// The same problems by an independent route in the plane, where the linear complementarity problem
// has three cases to go through.
TEST(AnitescuPotraNewton, IsTheLinearProblemInThePlane) {
  std::mt19937 random(52);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 5000; ++i) {
    const Contact<double> contact = RandomPlanarContact(random, 3.0);
    const Matrix3d& a = contact.inverse_mass;
    const double mu = 1.5 * uniform(random), e = uniform(random);
    const double rise = -(1.0 + e) * contact.velocity[2];
    int solutions = 0;
    Vector2d expected = Vector2d::Zero();  // P_t, P_n
    const auto offer = [&](double tangential, double normal, bool good) {
      if (!good || normal <= 0.0) return;
      ++solutions;
      expected = {tangential, normal};
    };
    Eigen::Matrix2d planar;
    planar << a(0, 0), a(0, 2), a(0, 2), a(2, 2);
    const Vector2d stuck = planar.inverse() * Vector2d(-contact.velocity[0], rise);
    offer(stuck[0], stuck[1], std::abs(stuck[0]) <= mu * stuck[1]);
    for (const double s : {1.0, -1.0}) {
      const double p = rise / (a(2, 2) - s * mu * a(0, 2));
      const double slip = contact.velocity[0] + p * (a(0, 2) - s * mu * a(0, 0));
      offer(-s * mu * p, p, s * slip > 0.0);
    }
    ASSERT_EQ(solutions, 1) << i;
    const Vector3d P = Impulse("anitescu-potra-newton", contact, mu, e);
    ASSERT_LT((Vector2d(P[0], P[2]) - expected).norm(), 1e-11 * expected.norm()) << i;
    ASSERT_LT(std::abs(P[1]), 1e-11 * expected.norm()) << i;
  }
}

// All slip directions by a scan: where several solve the problem, the law takes the one with the
// least energy, and sticks where it can.
TEST(AnitescuPotraNewton, TakesTheMostDissipativeOfSeveralSolutions) {
  std::mt19937 random(53);
  std::uniform_real_distribution<double> uniform;
  int several = 0;
  for (int i = 0; i < 400; ++i) {
    Contact<double> contact = reference::RandomContact(random, 4.0);
    contact.velocity[2] *= 0.01;
    const Matrix3d& a = contact.inverse_mass;
    const Vector2d coupling = a.topRightCorner<2, 1>();
    const double mu = a(2, 2) / coupling.norm() * (0.8 + 1.5 * uniform(random));
    const auto result = SolveImpact("anitescu-potra-newton", contact, std::array{mu, 0.0});
    // What the slip has along and across a direction, times the denominator of P_n.
    const auto at = [&](double theta, Vector3d* impulse) {
      const Vector3d ray(-mu * std::cos(theta), -mu * std::sin(theta), 1.0);
      const double denominator = a.row(2).dot(ray);
      *impulse = ray * (-contact.velocity[2] / denominator);
      const Vector3d scaled = denominator * contact.velocity - contact.velocity[2] * (a * ray);
      return Vector2d(Eigen::Rotation2Dd(-theta) * Vector2d(scaled.head<2>()));
    };
    double least = 1e300;
    int solutions = result.modes.back() == ContactMode::kStick;
    constexpr int kScan = 4000;
    for (int k = 0; k < kScan; ++k) {
      double low = 2.0 * std::numbers::pi * k / kScan;
      double high = 2.0 * std::numbers::pi * (k + 1) / kScan;
      Vector3d impulse;
      const bool below = at(low, &impulse)[1] < 0.0;
      if (below == (at(high, &impulse)[1] < 0.0)) continue;
      for (int n = 0; n < 60; ++n) {
        const double middle = 0.5 * (low + high);
        ((at(middle, &impulse)[1] < 0.0) == below ? low : high) = middle;
      }
      if (at(low, &impulse)[0] <= 0.0 || impulse[2] <= 0.0) continue;
      ++solutions;
      least = std::min(least, EnergyChange(contact, impulse));
    }
    several += solutions > 1;
    const double change = EnergyChange(contact, result.impulse);
    const double energy = LocalEnergy(contact, contact.velocity);
    ASSERT_LE(change, least + 1e-9 * energy) << i;
    if (result.modes.back() == ContactMode::kSlip) {
      ASSERT_NEAR(change, least, 1e-9 * energy) << i;
    }
  }
  EXPECT_GT(several, 3);
}

// Certificate of the convex problem: P in the cone, u' in its dual (u_n' >= mu |u_t'|), P . u' = 0.
TEST(DrumwrightShell, CompressionIsTheMinimum) {
  std::mt19937 random(54);
  std::uniform_real_distribution<double> uniform;
  int slips = 0;
  for (int i = 0; i < 10000; ++i) {
    Contact<double> contact = reference::RandomContact(random, 4.0 * uniform(random));
    if (i % 4 == 0) contact.velocity[2] *= 1e-3;
    const double mu = (i % 2 ? 1.0 : 5.0) * uniform(random);
    const auto result = SolveImpact("drumwright-shell", contact, std::array{mu, 0.0});
    const Vector3d& P = result.impulse;
    const Vector3d& after = result.contact_velocity;
    const double scale = contact.inverse_mass.norm() * P.norm() + contact.velocity.norm();
    ASSERT_LE(FrictionConeExcess(P, mu), 1e-13 * P.norm());
    ASSERT_GE(after[2], mu * after.head<2>().norm() - 1e-11 * (1.0 + mu) * scale) << i;
    ASSERT_NEAR(P.dot(after), 0.0, 1e-11 * scale * P.norm()) << i;
    slips += result.modes.back() == ContactMode::kSlip;
  }
  EXPECT_GT(slips, 1000);
}

TEST(DrumwrightShell, BeatsAScanOfTheCone) {
  std::mt19937 random(55);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 100; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    const double mu = 1.5 * uniform(random);
    const double found = EnergyChange(contact, Impulse("drumwright-shell", contact, mu, 0.0));
    double least = 0.0;
    for (int k = 0; k < 400; ++k) {
      const double theta = 2.0 * std::numbers::pi * k / 400;
      for (int radius = 0; radius <= 20; ++radius) {
        const double ratio = mu * radius / 20;
        const Vector3d ray(ratio * std::cos(theta), ratio * std::sin(theta), 1.0);
        const Vector3d P = MostDissipativeAlong(contact, ray);
        if (P[2] > 0.0) least = std::min(least, EnergyChange(contact, P));
      }
    }
    const double energy = LocalEnergy(contact, contact.velocity);
    EXPECT_LE(found, least + 1e-12 * energy);
  }
}

// A ball in slip, in closed form: u_t' = s, u_n' = -e u_n + (1 + e) mu s; at e = 1 and small mu it
// gains energy.
TEST(DrumwrightShell, LiftsASlidingBall) {
  Contact<double> contact;
  contact.inverse_mass = Vector3d(3.5, 3.5, 1.0).asDiagonal();
  contact.velocity = {2.0, 0.0, -1.0};
  const double mu = 0.1;
  // s = u_t - 3.5 mu p,  p = 1 + mu s.
  const double s = (2.0 - 3.5 * mu) / (1.0 + 3.5 * mu * mu);
  for (const double e : {0.0, 0.5, 1.0}) {
    const auto result = SolveImpact("drumwright-shell", contact, std::array{mu, e});
    EXPECT_NEAR(result.contact_velocity[0], s, 1e-14);
    EXPECT_NEAR(result.contact_velocity[2], e + (1.0 + e) * mu * s, 1e-14);
    EXPECT_EQ(EnergyChange(contact, result.impulse) > 0.0, e == 1.0);
  }
}

// --- derivatives --------------------------------------------------------------------------------

void ExpectDerivatives(const char* law, bool planar, std::span<const int> inputs) {
  SCOPED_TRACE(law);
  std::mt19937 random(56);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 300 && tested < 60; ++i) {
    const Contact<double> contact = planar
                                        ? RandomPlanarContact(random, 1.5)
                                        : reference::RandomContact(random, 1.5 * uniform(random));
    const std::array parameters = {0.02 + uniform(random), 0.05 + 0.9 * uniform(random)};
    const double error = properties::DerivativeError(law, contact, parameters, inputs);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << i;
  }
  EXPECT_GE(tested, 40);
}

TEST(ComparisonLaws, HaveExactDerivatives) {
  constexpr std::array kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  constexpr std::array kInPlane = {0, 2, 3, 6, 8, 9, 10};
  for (const char* law : kSpatial) ExpectDerivatives(law, false, kAll);
  for (const char* law : {"anitescu-potra-newton", "anitescu-potra-poisson", "drumwright-shell"}) {
    ExpectDerivatives(law, true, kAll);
  }
  ExpectDerivatives("wang-mason", true, kInPlane);
}

// At e = 0 decompression has no length, but its impulse has a derivative by e; at mu = 0 friction
// has no size, but a direction.
TEST(ComparisonLaws, HaveOneSidedDerivativesAtZero) {
  using Jet = LawJet;
  std::mt19937 random(57);
  for (int i = 0; i < 200; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.5);
    const Contact<Jet> jets{contact.inverse_mass.cast<Jet>(), contact.velocity.cast<Jet>()};
    for (const char* law :
         {"anitescu-potra-newton", "anitescu-potra-poisson", "drumwright-shell"}) {
      for (const std::array at : {std::array{0.4, 0.0}, {3.0, 0.0}, {0.0, 0.6}}) {
        const std::array parameters = {Jet(at[0], 0), Jet(at[1], 1)};
        const auto exact = SolveByName(law, jets, std::span<const Jet>(parameters)).impulse;
        const int k = at[0] == 0.0 ? 0 : 1;
        const double step = 1e-7;
        const Vector3d near =
            Impulse(law, contact, at[0] + (k == 0 ? step : 0.0), at[1] + (k == 1 ? step : 0.0));
        double scale = 0.0;
        for (int m = 0; m < 3; ++m) scale += std::abs(exact[m].a) + std::abs(exact[m].v[k]);
        for (int m = 0; m < 3; ++m) {
          ASSERT_NEAR(exact[m].v[k], (near[m] - exact[m].a) / step, 1e-4 * scale)
              << law << " " << i << " mu " << at[0] << " e " << at[1] << " output " << m;
        }
      }
    }
  }
}

}  // namespace
}  // namespace percuss::solver
