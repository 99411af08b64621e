// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Darboux-Keller impact against laws of nature and closed forms.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <array>

#include "solver/law/impact_law.h"
#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Modes = ModeSequence;
constexpr std::array<const char*, 3> kLaws = {"newton", "poisson", "stronge"};

ImpactResult<double> SolveContact(const Contact<double>& contact, double mu, double e,
                                  const char* law = "stronge") {
  return SolveImpact(law, contact, std::array{mu, e});
}

double ContactEnergy(const Contact<double>& contact, const Vector3d& u) {
  return 0.5 * u.dot(contact.inverse_mass.llt().solve(u));
}

// Coupled in the plane of t1 and n only.
Contact<double> ContactInPlane(double tt, double tn, double nn, double u_t, double u_n) {
  Contact<double> contact;
  contact.inverse_mass << tt, 0, tn, 0, 1.3, 0, tn, 0, nn;
  contact.velocity = {u_t, 0.0, u_n};
  return contact;
}

// Momentum, pushing, cone, dissipation, separation, restitution; the energy identity
// KE' - KE = P . (u + u') / 2 with the two works that are integrated on the way.
TEST(DarbouxKeller, KeepsTheLawsOfNatureOnRandomContacts) {
  std::mt19937 random(42);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 20000; ++i) {
    SCOPED_TRACE(i);
    const Contact<double> contact = reference::RandomContact(random, 4.0 * uniform(random));
    const double mu = 1.2 * uniform(random);
    const double e = uniform(random);
    const std::size_t law = static_cast<std::size_t>(i) % 3;
    const ImpactResult<double> result = SolveContact(contact, mu, e, kLaws[law]);
    const Vector3d& P = result.impulse;
    const Vector3d& u = contact.velocity;
    const Vector3d& u_end = result.contact_velocity;
    ASSERT_LT((u_end - u - contact.inverse_mass * P).norm(),
              1e-13 * (u.norm() + contact.inverse_mass.norm() * P.norm()));
    ASSERT_GT(P[2], 0.0);
    ASSERT_LE(P.head<2>().norm(), mu * P[2] * (1.0 + 1e-10));
    const double scale = contact.inverse_mass.norm() * P.norm();
    ASSERT_GE(u_end[2], -1e-12 * scale);
    const double before = ContactEnergy(contact, u);
    const double change = ContactEnergy(contact, u_end) - before;
    ASSERT_NEAR(change, 0.5 * P.dot(u + u_end), 1e-11 * before);
    ASSERT_NEAR(change, result.energy.normal_work + result.energy.friction_work, 1e-11 * before);
    ASSERT_LE(result.energy.friction_work, 1e-11 * before);
    if (law != 0) {
      ASSERT_LE(change, 1e-11 * before);
    }
    ASSERT_NEAR(result.compression_impulse + result.restitution_impulse, P[2], 1e-12 * P[2]);
    if (law == 0) {
      ASSERT_NEAR(u_end[2], -e * u[2], 1e-11 * scale);
    }
    if (law == 1) {
      ASSERT_NEAR(result.restitution_impulse, e * result.compression_impulse, 1e-12 * P[2]);
    }
    if (result.modes.back() == ContactMode::kStick) {
      ASSERT_LT(u_end.head<2>().norm(), 1e-11 * scale);
    }
  }
}

TEST(DarbouxKeller, DoesNotDependOnTheTangentAxes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 500; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 2.0);
    const Matrix3d turn =
        Eigen::AngleAxisd(6.0 * uniform(random), Vector3d::UnitZ()).toRotationMatrix();
    const Contact<double> turned{turn * contact.inverse_mass * turn.transpose(),
                                 turn * contact.velocity};
    const double mu = uniform(random);
    const double e = uniform(random);
    const Vector3d expected = turn * SolveContact(contact, mu, e).impulse;
    EXPECT_LT((SolveContact(turned, mu, e).impulse - expected).norm(), 1e-11 * expected.norm());
  }
}

// A planar problem is solved in closed form; turned by a general angle its motion is the same.
TEST(DarbouxKeller, PlanarProblemsStayPlanarInTurnedAxes) {
  const Matrix3d turn = Eigen::AngleAxisd(0.7, Vector3d::UnitZ()).toRotationMatrix();
  for (const double u_t : {-0.9, -0.3, 0.2, 1.5}) {
    const Contact<double> contact = ContactInPlane(2.5, 1.5, 2.5, u_t, -1.0);
    Contact<double> turned{turn * contact.inverse_mass * turn.transpose(), turn * contact.velocity};
    const Vector3d expected = turn * SolveContact(contact, 0.3, 0.5).impulse;
    EXPECT_LT((SolveContact(turned, 0.3, 0.5).impulse - expected).norm(), 1e-13);
  }
}

// Scaling of velocity and of mass.
TEST(DarbouxKeller, IsHomogeneous) {
  std::mt19937 random(8);
  for (int i = 0; i < 100; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    const Vector3d P = SolveContact(contact, 0.4, 0.6).impulse;
    contact.velocity *= 7e-4;
    contact.inverse_mass *= 3e5;
    EXPECT_LT((SolveContact(contact, 0.4, 0.6).impulse - P * 7e-4 / 3e5).norm(),
              1e-12 * P.norm() * 7e-4 / 3e5);
  }
}

TEST(DarbouxKeller, WithoutFrictionHasOneNormalImpulseForAllLaws) {
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    const double expected = 1.7 * -contact.velocity[2] / contact.inverse_mass(2, 2);
    for (const char* law : kLaws) {
      const Vector3d P = SolveContact(contact, 0.0, 0.7, law).impulse;
      EXPECT_NEAR(P[2], expected, 1e-12 * expected);
      EXPECT_EQ(P.head<2>().norm(), 0.0);
      // mu -> 0 joins on: the change is of first order in mu.
      const Vector3d near = SolveContact(contact, 1e-9, 0.7, law).impulse;
      EXPECT_LT((near - P).norm(), 1e-6 * expected);
    }
  }
}

// sun2017 1.2 has it that an impact by Poisson's or Stronge's restitution loses no less than one by
// Newton's. Not where friction presses the slipping contact into the surface.
TEST(DarbouxKeller, NewtonMayLoseMoreThanPoissonAndStronge) {
  const Contact<double> contact = ContactInPlane(3.01303, -1.40954, 1.98697, -2.0, -1.0);
  for (const auto& [law, loss] :
       {std::pair{"newton", 1.698}, {"stronge", 1.247}, {"poisson", 0.664}}) {
    const Vector3d after = SolveContact(contact, 1.0, 1.0, law).contact_velocity;
    EXPECT_NEAR(ContactEnergy(contact, contact.velocity) - ContactEnergy(contact, after), loss,
                5.1e-4)
        << law;
  }
}

TEST(DarbouxKeller, EndsWithCompressionWhenPlastic) {
  std::mt19937 random(10);
  for (int i = 0; i < 300; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    for (const char* law : kLaws) {
      const ImpactResult<double> result = SolveContact(contact, 0.5, 0.0, law);
      EXPECT_EQ(result.restitution_impulse, 0.0);
      EXPECT_NEAR(result.contact_velocity[2], 0.0,
                  1e-12 * contact.inverse_mass.norm() * result.impulse.norm());
    }
  }
}

// At e = 1 the energetic law gives back all normal work; what is lost is friction.
TEST(DarbouxKeller, ReturnsAllNormalWorkWhenElastic) {
  std::mt19937 random(12);
  for (int i = 0; i < 300; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 3.0);
    const ImpactResult<double> result = SolveContact(contact, 0.5, 1.0);
    EXPECT_NEAR(result.energy.normal_work, 0.0, 1e-12 * ContactEnergy(contact, contact.velocity));
  }
}

// Sticking from rest: P = A_tt^-1 ... in closed form, with the normal stiffness of a stuck contact.
TEST(DarbouxKeller, SticksFromRestWhereFrictionHolds) {
  const Contact<double> contact = ContactInPlane(2.0, -0.8, 1.5, 0.0, -2.0);
  const ImpactResult<double> result = SolveContact(contact, 0.41, 0.5);  // critical 0.4
  EXPECT_EQ(result.sun_case, "5");
  EXPECT_EQ(result.modes, Modes{ContactMode::kStick});
  const double stuck = 1.5 - 0.64 / 2.0;
  EXPECT_NEAR(result.impulse[2], 1.5 * 2.0 / stuck, 1e-14);
  EXPECT_NEAR(result.impulse[0], 0.4 * result.impulse[2], 1e-14);
}

TEST(DarbouxKeller, LeavesRestWithTheDriftWhereFrictionIsTooWeak) {
  const Contact<double> contact = ContactInPlane(2.0, -0.8, 1.5, 0.0, -2.0);
  const ImpactResult<double> result = SolveContact(contact, 0.39, 0.5);
  EXPECT_EQ(result.sun_case, "6");
  EXPECT_EQ(result.modes, Modes{ContactMode::kSlip});
  EXPECT_NEAR(result.impulse[0], 0.39 * result.impulse[2], 1e-14);
  EXPECT_NEAR(result.impulse[2], 1.5 * 2.0 / (1.5 - 0.39 * 0.8), 1e-13);
}

// A_nn - mu A_tn < 0 towards +t1: u_n falls until the slip has stopped, whatever the law.
TEST(DarbouxKeller, GetsOutOfAJam) {
  const Contact<double> contact = ContactInPlane(4.0, 2.0, 1.5, 1.0, -0.2);
  for (const char* law : kLaws) {
    const ImpactResult<double> result = SolveContact(contact, 1.1, 0.6, law);
    EXPECT_EQ(result.sun_case, "1");
    // Stop after p = u_t / (mu A_tt - A_tn) = 1 / 2.4, with u_n = -0.2 - 0.7 / 2.4.
    const double p_stop = 1.0 / 2.4;
    const double u_stop = -0.2 - 0.7 * p_stop;
    const double stuck = 1.5 - 2.0 * 2.0 / 4.0;
    EXPECT_NEAR(result.compression_impulse, p_stop - u_stop / stuck, 1e-13);
    EXPECT_GT(result.contact_velocity[2], 0.0);
  }
}

// Grazing without jam: the impulse vanishes with the approach speed. In the jam above it does not
// (a tangential impact): it tends to that of u_n = 0.
TEST(DarbouxKeller, GrazesSmoothly) {
  for (const double u_n : {-1e-6, -1e-9, -1e-12}) {
    const ImpactResult<double> soft =
        SolveContact(ContactInPlane(2.5, 1.5, 2.5, 1.0, u_n), 0.3, 0.5);
    EXPECT_NEAR(soft.impulse[2], 1.5 * -u_n / (2.5 - 0.3 * 1.5), 1e-10 * -u_n);
    const ImpactResult<double> jam =
        SolveContact(ContactInPlane(4.0, 2.0, 1.5, 1.0, u_n), 1.1, 0.5);
    const double p_stop = 1.0 / 2.4;
    const double p_c = p_stop + 0.7 * p_stop / 0.5;
    EXPECT_NEAR(jam.compression_impulse, p_c, -3.0 * u_n + 1e-13);
  }
}

// Slip that turns into a jamming direction after compression has ended drives the bodies together
// again: compression goes on. The contacts were found by search; the slow integration passes the
// same way.
TEST(DarbouxKeller, GoesBackToCompressionWhenSlipTurnsIntoAJam) {
  struct Setup {
    double a11, a21, a22, a31, a32, a33, u1, u2, u3, mu;
  };
  for (const Setup& s :
       {Setup{0.956, 0.2269, 1.159, 0.4278, -0.1336, 0.3253, 0.4873, 0.6154, -0.06519, 0.8435},
        Setup{1.074, 0.3613, 3.051, 0.5033, 0.7075, 0.5034, 0.9453, -0.3603, -0.03106, 1.1376},
        Setup{16.94, 0.4152, 13.91, -0.6386, -1.701, 0.37, 0.9851, -0.1128, -0.02992, 1.1134}}) {
    Contact<double> contact;
    contact.inverse_mass << s.a11, s.a21, s.a31, s.a21, s.a22, s.a32, s.a31, s.a32, s.a33;
    contact.velocity = {s.u1, s.u2, s.u3};
    for (int law = 0; law < 3; ++law) {
      const ImpactResult<double> result =
          SolveContact(contact, s.mu, 0.99, kLaws[static_cast<std::size_t>(law)]);
      const reference::Outcome slow =
          reference::Integrator(contact, s.mu, 0.99, static_cast<RestitutionHypothesis>(law),
                                0.003L)
              .Solve();
      EXPECT_TRUE(slow.recompressed);
      EXPECT_LT((result.impulse - slow.impulse).norm(), 1e-9 * slow.impulse.norm());
      EXPECT_NEAR(result.compression_impulse, slow.compression_impulse,
                  1e-9 * slow.compression_impulse);
      EXPECT_GT(result.contact_velocity[2], 0.0);
    }
  }
}

// Events that coincide: slip stops in the instant in which restitution or compression ends, and
// rounding may put either first. Found by the grid of the thesis test, where it once gave no
// answer.
TEST(DarbouxKeller, AnswersWhereSlipStopsAsAStageEnds) {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  for (int k = 0; k < 1000; ++k) {
    const double a = std::abs(uniform(random)) + 0.1;
    const double u_t = uniform(random);
    const double u_n = -std::abs(uniform(random)) - 0.1;
    Contact<double> contact;
    contact.inverse_mass = Vector3d(2.7 * a, 2.7 * a, a).asDiagonal();
    contact.velocity = {u_t, 0.0, u_n};
    const double p_c = -u_n / a;
    for (const double p_stop : {p_c, 1.7 * p_c}) {
      const double mu = std::abs(u_t) / (2.7 * a * p_stop);
      for (const char* law : kLaws) {
        const ImpactResult<double> result = SolveContact(contact, mu, 0.7, law);
        EXPECT_NEAR(result.impulse[2], 1.7 * p_c, 1e-13 * p_c);
        EXPECT_NEAR(result.impulse[0], -u_t / (2.7 * a), 1e-13 * p_c);
      }
    }
  }
}

TEST(DarbouxKeller, NamesThePlanarCases) {
  const auto solve = [](double u_t, double mu) {
    return SolveContact(ContactInPlane(2.5, 1.5, 2.5, u_t, -1.0), mu, 0.5);
  };
  EXPECT_EQ(solve(1.0, 0.3).sun_case, "0");
  EXPECT_EQ(solve(-0.1, 0.9).sun_case, "1");
  EXPECT_EQ(solve(-0.1, 0.9).modes, (Modes{ContactMode::kSlip, ContactMode::kStick}));
  EXPECT_EQ(solve(-0.1, 0.3).sun_case, "2");
  EXPECT_EQ(solve(-0.1, 0.3).modes, (Modes{ContactMode::kSlip, ContactMode::kReverseSlip}));
  EXPECT_EQ(solve(-1.2, 0.7).sun_case, "3");
  EXPECT_EQ(solve(-0.9, 0.3).sun_case, "4");
}

}  // namespace
}  // namespace percuss::solver
