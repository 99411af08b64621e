// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/impacts/impact_problems.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "solver/rigid/darboux_keller.h"
#include "tests/solver/law/impact_reference.h"

namespace percuss::benchmarks {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr std::size_t kNumProblems = 4096;
constexpr std::size_t kNumBalls = 64;
constexpr double kDecades = 4.0;        // of the condition number
constexpr std::size_t kGrazing = 10;    // every so many
constexpr std::size_t kReference = 21;  // every so many; no divisor in common with kGrazing

Vector3d OntoCone(double mu, const Vector3d& x) {
  const double tangent = x.head<2>().norm();
  if (tangent <= mu * x[2]) return x;
  if (mu * tangent <= -x[2]) return Vector3d::Zero();
  const double normal = (x[2] + mu * tangent) / (1.0 + mu * mu);
  const Vector2d friction = mu * normal / tangent * x.head<2>();
  return {friction[0], friction[1], normal};
}

}  // namespace

std::vector<ImpactProblem> RandomProblems(solver::LawDomain domain) {
  std::mt19937 random(20170101);
  std::uniform_real_distribution<double> uniform;
  std::vector<ImpactProblem> problems;
  for (std::size_t k = 0; k < kNumProblems; ++k) {
    ImpactProblem problem;
    problem.contact = solver::reference::RandomContact(random, kDecades * uniform(random));
    problem.mu = 1.2 * uniform(random);
    problem.e = uniform(random);
    auto& [a, u] = problem.contact;
    if (k % kGrazing == 0) u[2] *= 1e-6;
    if (domain != solver::LawDomain::kSpatial) {
      a(0, 1) = a(1, 0) = a(1, 2) = a(2, 1) = 0.0;
      u[1] = 0.0;
    }
    if (domain == solver::LawDomain::kDiagonal) a(0, 2) = a(2, 0) = 0.0;
    problems.push_back(problem);
  }
  return problems;
}

std::vector<BallImpact> RandomBalls() {
  std::mt19937 random(20170213);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::vector<BallImpact> balls(kNumBalls);
  for (BallImpact& ball : balls) {
    ball.v = {uniform(-2, 2), uniform(-2, 2), -uniform(0.5, 3)};
    ball.w = {uniform(-20, 20), uniform(-20, 20), uniform(-20, 20)};
    ball.mu = uniform(0, 1);
    ball.e = uniform(0.2, 0.95);
  }
  return balls;
}

BallVelocities AfterImpact(const BallImpact& ball) {
  constexpr double kKappa = 3.5;  // 1 + m R^2 / I
  const Vector3d r(0, 0, -ball.radius);
  Vector3d slip = ball.v + ball.w.cross(r);
  slip[2] = 0.0;
  const double rebound = -(1.0 + ball.e) * ball.v[2];
  const double speed = slip.norm();
  const double friction = std::min(speed / kKappa, ball.mu * rebound);
  const Vector3d impulse_per_mass = Vector3d(0, 0, rebound) - friction / speed * slip;
  const double gyration = 0.4 * ball.radius * ball.radius;
  return {ball.v + impulse_per_mass, ball.w + r.cross(impulse_per_mass) / gyration};
}

double RelativeError(const BallImpact& ball, const BallVelocities& x) {
  const BallVelocities truth = AfterImpact(ball);
  const double r = ball.radius;
  return std::hypot((x.v - truth.v).norm(), r * (x.w - truth.w).norm()) /
         std::hypot(truth.v.norm(), r * truth.w.norm());
}

BallVelocities SolveBall(const BallImpact& ball) {
  const Vector3d r(0, 0, -ball.radius);
  const double inertia = 0.4 * ball.mass * ball.radius * ball.radius;
  const double tangential = 1.0 / ball.mass + ball.radius * ball.radius / inertia;
  solver::Contact<double> contact;
  contact.inverse_mass.diagonal() << tangential, tangential, 1.0 / ball.mass;
  contact.velocity = ball.v + ball.w.cross(r);
  const std::array<double, 2> parameters = {ball.mu, ball.e};
  const Vector3d impulse = solver::StrongeLaw{}.Solve<double>(contact, parameters).impulse;
  return {ball.v + impulse / ball.mass, ball.w + r.cross(impulse) / inertia};
}

std::vector<double> ImpulseErrors(const std::vector<ImpactProblem>& problems,
                                  solver::RestitutionHypothesis restitution,
                                  const std::function<Vector3d(std::size_t)>& impulse) {
  std::vector<double> errors;
  for (std::size_t k = 0; k < problems.size(); k += kReference) {
    const ImpactProblem& problem = problems[k];
    const Vector3d truth =
        solver::reference::Integrator(problem.contact, problem.mu, problem.e, restitution, 0.05L)
            .Solve()
            .impulse;
    errors.push_back((impulse(k) - truth).norm() / truth.norm());
  }
  return errors;
}

double OneContactResidual(const ImpactProblem& problem, const Vector3d& impulse) {
  const auto& [a, u] = problem.contact;
  Vector3d v = u + a * impulse;
  v[2] += problem.e * u[2] + problem.mu * v.head<2>().norm();
  return (impulse - OntoCone(problem.mu, impulse - v / a.trace())).norm() / impulse.norm();
}

double EnergyImbalance(const ImpactProblem& problem, const solver::ImpactResult<double>& result) {
  const Eigen::LLT<Eigen::Matrix3d> factor(problem.contact.inverse_mass);
  const auto energy = [&](const Vector3d& u) { return 0.5 * u.dot(factor.solve(u)); };
  const double before = energy(problem.contact.velocity);
  const double works = result.energy.normal_work + result.energy.friction_work;
  return std::abs(energy(result.contact_velocity) - before - works) / before;
}

}  // namespace percuss::benchmarks
