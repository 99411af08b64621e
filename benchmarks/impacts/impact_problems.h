// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "benchmarks/impacts/peers.h"
#include "solver/law/impact_law.h"
#include "solver/law/restitution_hypothesis.h"

// What is solved for time, and the truth about it.
namespace percuss::benchmarks {

struct ImpactProblem {
  solver::Contact<double> contact;
  double mu = 0.0, e = 0.0;
};

/// 4096 random contacts within the domain of a law: condition number of A up to 1e4, mu in
/// [0, 1.2], e in [0, 1]; every tenth grazes, with a millionth of the approach. Always the same.
std::vector<ImpactProblem> RandomProblems(solver::LawDomain domain);

/// 64 balls that slip and spin, e in [0.2, 0.95], mu in [0, 1]. Always the same.
std::vector<BallImpact> RandomBalls();

/// The ball after its impact in closed form. Source: sun2017 3.7.1.
BallVelocities AfterImpact(const BallImpact& ball);

/// |x - y| / |y| of the six velocities (v, R w).
double RelativeError(const BallImpact& ball, const BallVelocities& x);

/// The ball by a law of Percuss: contact, impulse, velocities.
BallVelocities SolveBall(const BallImpact& ball);

/// Relative errors of the impulse against the reference integration, of about 200 of the problems
/// spread over all. @param impulse called with the index of a problem.
std::vector<double> ImpulseErrors(const std::vector<ImpactProblem>& problems,
                                  solver::RestitutionHypothesis restitution,
                                  const std::function<Eigen::Vector3d(std::size_t)>& impulse);

/// How far an impulse is from solving Coulomb's law at the end of the impact with Newton's
/// restitution, the problem of Kane and Levinson and of Siconos: |P - proj_K(P - v / trace A)| /
/// |P| with v = u' + (e u_n + mu |u'_t|) n and the friction cone K (De Saxce's natural map).
double OneContactResidual(const ImpactProblem& problem, const Eigen::Vector3d& impulse);

/// |energy after - before - works| / before.
double EnergyImbalance(const ImpactProblem& problem, const solver::ImpactResult<double>& result);

}  // namespace percuss::benchmarks
