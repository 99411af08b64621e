// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <random>

#include "solver/contact/contact.h"
#include "solver/rigid/darboux_keller.h"

// A second, slow implementation of the Darboux-Keller impact to hold the first against: Runge-Kutta
// of order 8 (Cooper and Verner 1972) in the normal impulse, in extended precision, with steps that
// are a small part of the time to the stop; events by bisecting the step; resumed slip by scanning
// the angle. It shares no code with the solver.
namespace percuss::solver::reference {

using Real = long double;

struct State {
  Real p = 0, j1 = 0, j2 = 0, work = 0;
};

struct Outcome {
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();
  double compression_impulse = 0.0;
  double normal_work = 0.0;
  bool stopped = false;
  bool stuck = false;
  bool recompressed = false;
};

class Integrator {
 public:
  Integrator(const Contact<double>& contact, double mu, double e, RestitutionHypothesis restitution,
             Real step_share)
      : mu_(mu), e_(e), restitution_(restitution), step_share_(step_share) {
    for (int i = 0; i < 3; ++i) {
      u0_[i] = contact.velocity[i];
      for (int j = 0; j < 3; ++j) a_[i][j] = contact.inverse_mass(i, j);
    }
  }

  Outcome Solve() {
    Outcome outcome;
    const Real first_speed = std::hypot(u0_[0], u0_[1]);
    const Real whole = std::hypot(first_speed, u0_[2]) / a_[2][2];  // a natural impulse
    // Bounds how fast slip changes in size and direction, per unit of p / speed.
    const Real fastest_rate =
        std::hypot(a_[0][2], a_[1][2]) +
        mu_ * std::hypot(std::hypot(a_[0][0], a_[1][1]), std::hypot(a_[0][1], a_[1][0]));
    bool slipping = first_speed > 0;
    Real fixed1 = 0, fixed2 = 0;  // dj/dp once the direction is settled
    if (!slipping) Settle(fixed1, fixed2, outcome);
    bool compressing = true;
    State stage_start;
    Real p_c = 0, p_r = 0, w_c = 0, w_r = 0;
    State at;
    const auto close = [&](Real& p, Real& w) {
      p += at.p - stage_start.p;
      w += at.work - stage_start.work;
      stage_start = at;
    };
    for (long step = 0; step < 20'000'000; ++step) {
      Real h = whole / 200;
      if (slipping) {
        const Real speed = Speed(at);
        if (speed < 1e-12L * first_speed) {  // a stop to any purpose
          slipping = false;
          outcome.stopped = true;
          Settle(fixed1, fixed2, outcome);
          continue;
        }
        h = std::min(h, step_share_ * speed / fastest_rate);
      }
      const auto advance = [&](Real length) {
        return slipping ? Slip(at, length) : Straight(at, fixed1, fixed2, length);
      };
      const auto gap = [&](const State& s) -> Real {  // rises through zero at the next event
        if (compressing) return NormalVelocity(s);
        switch (restitution_) {
          case RestitutionHypothesis::kNewton:
            return NormalVelocity(s) + e_ * u0_[2];
          case RestitutionHypothesis::kPoisson:
            return p_r + s.p - stage_start.p - e_ * p_c;
          case RestitutionHypothesis::kStronge:
            return w_r + s.work - stage_start.work + e_ * e_ * w_c;
        }
        return 0;
      };
      const auto bisect = [&](auto&& reached) {
        Real low = 0, high = h;
        for (int k = 0; k < 70; ++k) {
          const Real middle = (low + high) / 2;
          (reached(advance(middle)) ? high : low) = middle;
        }
        at = advance(high);
      };
      const State next = advance(h);
      if (gap(next) >= 0) {
        bisect([&](const State& s) { return gap(s) >= 0; });
        if (!compressing) {
          close(p_r, w_r);
          break;
        }
        close(p_c, w_c);
        compressing = false;
        if (e_ == 0) break;
      } else if (!compressing && NormalVelocity(next) < 0) {
        bisect([&](const State& s) { return NormalVelocity(s) < 0; });
        close(p_r, w_r);
        compressing = true;
        outcome.recompressed = true;
      } else {
        at = next;
      }
    }
    outcome.impulse = {double(at.j1), double(at.j2), double(at.p)};
    outcome.compression_impulse = double(p_c);
    outcome.normal_work = double(w_c + w_r);
    return outcome;
  }

 private:
  Real U(const State& s, int i) const {
    return u0_[i] + a_[i][0] * s.j1 + a_[i][1] * s.j2 + a_[i][2] * s.p;
  }
  Real NormalVelocity(const State& s) const { return U(s, 2); }
  Real Speed(const State& s) const { return std::hypot(U(s, 0), U(s, 1)); }
  State Rate(const State& s) const {
    const Real u1 = U(s, 0), u2 = U(s, 1), speed = std::sqrt(u1 * u1 + u2 * u2);
    return {1, -mu_ * u1 / speed, -mu_ * u2 / speed, U(s, 2)};
  }
  State Slip(const State& s, Real h) const {
    static const Real r = std::sqrt(Real(21));
    static const Real weight[kStages][kStages - 1] = {
        {},
        {Real(1) / 2},
        {Real(1) / 4, Real(1) / 4},
        {Real(1) / 7, (-7 - 3 * r) / 98, (21 + 5 * r) / 49},
        {(11 + r) / 84, 0, (18 + 4 * r) / 63, (21 - r) / 252},
        {(5 + r) / 48, 0, (9 + r) / 36, (-231 + 14 * r) / 360, (63 - 7 * r) / 80},
        {(10 - r) / 42, 0, (-432 + 92 * r) / 315, (633 - 145 * r) / 90, (-504 + 115 * r) / 70,
         (63 - 13 * r) / 35},
        {Real(1) / 14, 0, 0, 0, (14 - 3 * r) / 126, (13 - 3 * r) / 63, Real(1) / 9},
        {Real(1) / 32, 0, 0, 0, (91 - 21 * r) / 576, Real(11) / 72, (-385 - 75 * r) / 1152,
         (63 + 13 * r) / 128},
        {Real(1) / 14, 0, 0, 0, Real(1) / 9, (-733 - 147 * r) / 2205, (515 + 111 * r) / 504,
         (-51 - 11 * r) / 56, (132 + 28 * r) / 245},
        {0, 0, 0, 0, (-42 + 7 * r) / 18, (-18 + 28 * r) / 45, (-273 - 53 * r) / 72,
         (301 + 53 * r) / 72, (28 - 28 * r) / 45, (49 - 7 * r) / 18}};
    static const Real last[kStages] = {
        Real(1) / 20,   0,           0, 0, 0, 0, 0, Real(49) / 180, Real(16) / 45,
        Real(49) / 180, Real(1) / 20};
    State rates[kStages];
    for (int stage = 0; stage < kStages; ++stage) {
      rates[stage] = Rate(Combined(s, rates, weight[stage], stage, h));
    }
    return Combined(s, rates, last, kStages, h);
  }
  static State Combined(State s, const State* rates, const Real* weights, int count, Real h) {
    for (int k = 0; k < count; ++k) {
      const Real part = h * weights[k];
      s.p += part * rates[k].p;
      s.j1 += part * rates[k].j1;
      s.j2 += part * rates[k].j2;
      s.work += part * rates[k].work;
    }
    return s;
  }
  State Straight(const State& s, Real r1, Real r2, Real h) const {
    State end{s.p + h, s.j1 + r1 * h, s.j2 + r2 * h, s.work};
    end.work += h * (U(s, 2) + U(end, 2)) / 2;
    return end;
  }

  // Sticking ratio if it lies in the cone, else the direction theta in which the slip rate is along
  // theta: the sign changes of its cross component, by scan and bisection.
  void Settle(Real& r1, Real& r2, Outcome& outcome) const {
    const Real det = a_[0][0] * a_[1][1] - a_[0][1] * a_[1][0];
    r1 = -(a_[1][1] * a_[0][2] - a_[0][1] * a_[1][2]) / det;
    r2 = -(a_[0][0] * a_[1][2] - a_[1][0] * a_[0][2]) / det;
    outcome.stuck = std::hypot(r1, r2) <= mu_;
    if (outcome.stuck) return;
    const auto rates = [&](Real theta, Real& along, Real& across) {
      const Real c = std::cos(theta), s = std::sin(theta);
      const Real v1 = a_[0][2] - mu_ * (a_[0][0] * c + a_[0][1] * s);
      const Real v2 = a_[1][2] - mu_ * (a_[1][0] * c + a_[1][1] * s);
      along = c * v1 + s * v2;
      across = c * v2 - s * v1;
    };
    constexpr int kScan = 1801;
    const Real turn = 2 * std::numbers::pi_v<Real>;
    for (int k = 0; k < kScan; ++k) {
      Real low = 0.1234L + turn * k / kScan, high = 0.1234L + turn * (k + 1) / kScan;
      Real along, across_low, across_high;
      rates(low, along, across_low);
      rates(high, along, across_high);
      if ((across_low > 0) == (across_high > 0)) continue;
      for (int bisection = 0; bisection < 70; ++bisection) {
        Real across, middle = (low + high) / 2;
        rates(middle, along, across);
        ((across > 0) == (across_low > 0) ? low : high) = middle;
      }
      if (along <= 0) continue;
      r1 = -mu_ * std::cos(low);
      r2 = -mu_ * std::sin(low);
      return;
    }
  }

  static constexpr int kStages = 11;
  Real a_[3][3], u0_[3];
  Real mu_, e_;
  RestitutionHypothesis restitution_;
  Real step_share_;
};

/// A random contact: eigenvalues of A over `decades` powers of ten, axes turned at random.
inline Contact<double> RandomContact(std::mt19937& random, double decades) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::normal_distribution<double> normal;
  const Eigen::Quaterniond turn =
      Eigen::Quaterniond{normal(random), normal(random), normal(random), normal(random)}
          .normalized();
  Eigen::Vector3d eigenvalues;
  for (int i = 0; i < 3; ++i) eigenvalues[i] = std::pow(10.0, 0.5 * decades * uniform(random));
  const Eigen::Matrix3d root =
      turn.toRotationMatrix() * eigenvalues.cwiseSqrt().asDiagonal().toDenseMatrix();
  Contact<double> contact;
  contact.inverse_mass = root * root.transpose();
  contact.inverse_mass = (0.5 * (contact.inverse_mass + contact.inverse_mass.transpose())).eval();
  contact.velocity = {uniform(random), uniform(random), -std::abs(uniform(random)) - 1e-3};
  return contact;
}

/// Takes from t2 its coupling and its slip: the motion stays in the plane of t1 and n.
inline void MakePlanar(Contact<double>& contact) {
  Eigen::Matrix3d& a = contact.inverse_mass;
  a(0, 1) = a(1, 0) = a(1, 2) = a(2, 1) = contact.velocity[1] = 0.0;
}

}  // namespace percuss::solver::reference
