// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Lanes of a packet against single calls of the same formulas, and laws in batches against the law
// called once for each contact.

#include "solver/rigid/planar_packet.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::array kEachHypothesis = {RestitutionHypothesis::kNewton,
                                        RestitutionHypothesis::kPoisson,
                                        RestitutionHypothesis::kStronge};

struct PlanarProblem {
  PlanarContact<double> contact;
  double mu, mu_static, e;
};

using Random = std::mt19937;

double Uniform(Random& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

// Inverse masses over two decades; coupling up to nearly singular. One in some each: without
// friction, with much of it, at rest, grazing, e of 0 and 1, separating, not finite.
PlanarProblem RandomProblem(Random& random, int i) {
  const double tt = std::pow(10.0, Uniform(random, -1.0, 1.0));
  const double nn = std::pow(10.0, Uniform(random, -1.0, 1.0));
  const double tn = Uniform(random, -0.999, 0.999) * std::sqrt(tt * nn);
  PlanarProblem problem{.contact = {tt, tn, nn, Uniform(random, -2.0, 2.0), -Uniform(random, 0, 1)},
                        .mu = Uniform(random, 0.0, 1.2),
                        .mu_static = 0.0,
                        .e = Uniform(random, 0.0, 1.0)};
  if (i % 11 == 0) problem.mu = 0.0;
  if (i % 13 == 0) problem.mu = std::pow(10.0, Uniform(random, 0.0, 8.0));
  if (i % 17 == 0) problem.contact.u_t = 0.0;
  if (i % 19 == 0) problem.contact.u_t *= 1e-9;
  if (i % 23 == 0) problem.e = 0.0;
  if (i % 29 == 0) problem.e = 1.0;
  if (i % 97 == 0) problem.contact.u_n *= -1.0;
  problem.mu_static = i % 7 == 0 ? problem.mu + Uniform(random, 0.0, 1.0) : problem.mu;
  auto& [contact, mu, mu_static, e] = problem;
  const std::array entries = {&contact.tt,  &contact.tn, &contact.nn, &contact.u_t,
                              &contact.u_n, &mu,         &mu_static,  &e};
  if (i % 101 == 0) *entries[i / 101 % 8] = i % 2 == 0 ? kInfinity : std::nan("");
  return problem;
}

// Relative to `scale`; what is not finite is so in the same way.
void ExpectAlike(double lane, double single, double scale) {
  if (std::isnan(single)) {
    EXPECT_TRUE(std::isnan(lane)) << lane;
  } else if (std::isfinite(single) && std::isfinite(scale)) {
    EXPECT_NEAR(lane, single, 1e-12 * scale);
  } else {
    EXPECT_EQ(lane, single);
  }
}

void ExpectAlike(const PlanarImpact<double>& lane, const PlanarImpact<double>& single) {
  ExpectAlike(lane.p_t, single.p_t, std::abs(single.p_t));
  ExpectAlike(lane.p_n, single.p_n, std::abs(single.p_n));
  ExpectAlike(lane.compression_impulse, single.compression_impulse,
              std::abs(single.compression_impulse));
  ExpectAlike(lane.normal_work, single.normal_work, std::abs(single.normal_work));
  ExpectAlike(lane.friction_work, single.friction_work, std::abs(single.friction_work));
  EXPECT_EQ(lane.first_mode, single.first_mode);
  EXPECT_EQ(lane.compression_mode, single.compression_mode);
  EXPECT_EQ(lane.last_mode, single.last_mode);
  EXPECT_EQ(lane.sun_case, single.sun_case);
}

TEST(PlanarPacket, SolvesEachLaneAsTheSingleCallDoes) {
  for (const RestitutionHypothesis hypothesis : kEachHypothesis) {
    Random random(71);
    std::array<int, 7> cases{};
    int jammed = 0, not_finite = 0, separating = 0;
    const auto packet = std::make_unique<PlanarPacket>();
    std::vector<PlanarProblem> problems;
    for (int i = 0; i < 100'000;) {
      const std::size_t count = i == 0 ? 1 : 1 + random() % PlanarPacket::kLanes;
      problems.clear();
      for (std::size_t lane = 0; lane < count; ++lane, ++i) {
        const PlanarProblem& problem = problems.emplace_back(RandomProblem(random, i));
        packet->Put(lane, problem.contact);
        packet->mu[lane] = problem.mu;
        packet->mu_static[lane] = problem.mu_static;
        packet->e[lane] = problem.e;
      }
      SolvePlanarPacket(hypothesis, count, *packet);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const auto& [contact, mu, mu_static, e] = problems[lane];
        const auto single = SolvePlanarImpact(contact, mu, mu_static, e, hypothesis);
        SCOPED_TRACE(testing::Message() << i << " lane " << lane << " of " << count);
        ExpectAlike(packet->Impact(lane), single);
        ++cases[single.sun_case];
        jammed += contact.nn < mu * std::abs(contact.tn) && contact.tn * contact.u_t > 0.0;
        not_finite += !std::isfinite(single.p_n);
        separating += contact.u_n > 0.0;
        if (HasFailure()) return;
      }
    }
    for (const int count : cases) EXPECT_GT(count, 500);
    EXPECT_GT(jammed, 2000);
    EXPECT_GT(not_finite, 200);
    EXPECT_GT(separating, 500);
  }
}

TEST(PlanarPacket, LeavesLanesBeyondItsCount) {
  PlanarPacket packet{};
  for (std::size_t lane = 0; lane < PlanarPacket::kLanes; ++lane) {
    packet.Put(lane, {2.0, 0.5, 1.0, 0.3, -1.0});
    packet.mu[lane] = packet.mu_static[lane] = 0.2;
    packet.e[lane] = 0.5;
    packet.p_n[lane] = -7.0;
  }
  SolvePlanarPacket(RestitutionHypothesis::kPoisson, 0, packet);
  EXPECT_EQ(packet.p_n[0], -7.0);
  SolvePlanarPacket(RestitutionHypothesis::kPoisson, 5, packet);
  EXPECT_GT(packet.p_n[4], 0.0);
  EXPECT_EQ(packet.p_n[5], -7.0);
}

// Contacts of all kinds in turn: planar along t1, planar along any tangent, uncoupled, turning, at
// rest, separating, not finite.
Contact<double> RandomContact(Random& random, LawDomain domain, int i) {
  const PlanarProblem planar = RandomProblem(random, 1);
  const auto& [tt, tn, nn, u_t, u_n] = planar.contact;
  Contact<double> contact;
  contact.inverse_mass << tt, 0.0, tn, 0.0, 1.3 * tt, 0.0, tn, 0.0, nn;
  contact.velocity << u_t, 0.0, u_n;
  const int kind = i % 8;
  if (kind == 2 || kind == 4 || domain == LawDomain::kDiagonal) {
    contact.inverse_mass(0, 2) = contact.inverse_mass(2, 0) = 0.0;
  }
  if (kind == 1 || kind == 2) {
    Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
    const double angle = Uniform(random, -3.0, 3.0);
    turn.topLeftCorner<2, 2>() = Eigen::Rotation2Dd(angle).toRotationMatrix();
    contact.inverse_mass = turn * contact.inverse_mass * turn.transpose();
    contact.velocity = turn * contact.velocity;
  }
  if (kind == 3 && domain == LawDomain::kSpatial) contact.velocity[1] = Uniform(random, -1.0, 1.0);
  if (kind == 5) contact.velocity.head<2>().setZero();
  return contact;
}

// NaN is as NaN.
void ExpectAlike(const ImpactResult<double>& many, const ImpactResult<double>& one,
                 const Contact<double>& contact) {
  const double impulse = one.impulse.norm();
  const double speed = contact.velocity.norm() + contact.inverse_mass.norm() * impulse;
  for (int i = 0; i < 3; ++i) {
    ExpectAlike(many.impulse[i], one.impulse[i], impulse);
    ExpectAlike(many.contact_velocity[i], one.contact_velocity[i], speed);
  }
  ExpectAlike(many.compression_impulse, one.compression_impulse, impulse);
  ExpectAlike(many.restitution_impulse, one.restitution_impulse, impulse);
  ExpectAlike(many.energy.normal_work, one.energy.normal_work, impulse * speed);
  ExpectAlike(many.energy.friction_work, one.energy.friction_work, impulse * speed);
  EXPECT_EQ(many.modes, one.modes);
  EXPECT_EQ(many.sun_case, one.sun_case);
}

void ExpectBatchAsSingleCalls(const LawInfo& law, int count, bool static_friction) {
  Random random(72);
  std::vector<Contact<double>> contacts;
  std::vector<double> parameters;
  for (int i = 0; i < count; ++i) {
    contacts.push_back(RandomContact(random, law.domain, i));
    if (i % 8 == 6) contacts.back().velocity[i / 8 % 3] = std::nan("");
    double mu = 0.0;
    for (const ParameterInfo& info : law.parameters) {
      const bool given = info.name == "mu" || info.name == "e";
      parameters.push_back(given ? Uniform(random, 0.0, 1.0) : info.typical);
      if (info.name == "mu") mu = parameters.back();
    }
    if (static_friction) parameters.push_back(mu + Uniform(random, 0.0, 0.5));
  }
  std::vector<ImpactResult<double>> results(contacts.size());
  FindLawBatchFunction(law.name)(contacts, parameters, results);
  const LawFunction solve = FindLawFunction(law.name);
  const std::size_t width = parameters.size() / contacts.size();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    SCOPED_TRACE(testing::Message() << law.name << " " << k);
    ExpectAlike(results[k], solve(contacts[k], {&parameters[k * width], width}), contacts[k]);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(LawBatch, AnswersAsTheLawItselfDoes) {
  for (const LawInfo& law : Laws()) ExpectBatchAsSingleCalls(law, law.integrated ? 8 : 100, false);
}

TEST(LawBatch, AnswersPlanarAndSpatialContactsInTheirOrder) {
  for (const char* law : {"newton", "poisson", "stronge"}) {
    ExpectBatchAsSingleCalls(FindLaw(law), 100'000, false);
    ExpectBatchAsSingleCalls(FindLaw(law), 1000, true);
  }
}

TEST(LawBatch, OfNothingIsNothing) {
  for (const char* law : {"stronge", "sun-planar"}) FindLawBatchFunction(law)({}, {}, {});
}

TEST(LawBatch, IsOfALawThatThereIs) {
  EXPECT_THROW(FindLawBatchFunction("strong"), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::solver
