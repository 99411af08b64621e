// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Jet derivatives of the impact against central differences (fourth order, best of several steps,
// so that neither their truncation nor their rounding decides). Borders between modes, where no
// derivative exists, are left out.

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "tests/solver/impact_reference.h"
#include "tests/solver/law_jets.h"

namespace percuss::solver {
namespace {

constexpr int kInputs = 11;  // u (3), lower triangle of A (6), mu, e
constexpr int kOutputs = 6;
using Jet = LawJet;
template <typename T>
using Inputs = std::array<T, kInputs>;
template <typename T>
using Outputs = std::array<T, kOutputs>;

struct Path {
  std::string_view sun_case;
  ModeSequence modes;
  bool operator==(const Path&) const = default;
};

template <typename T>
Outputs<T> Solve(std::string_view name, const Inputs<T>& x, Path* path) {
  Contact<T> contact;
  std::size_t k = 0;
  for (int i = 0; i < 3; ++i) contact.velocity[i] = x[k++];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) {
      contact.inverse_mass(i, j) = contact.inverse_mass(j, i) = x[k++];
    }
  }
  const ImpactResult<T> result = SolveByName(name, contact, std::span<const T>(x).subspan(9));
  *path = {result.sun_case, result.modes};
  return {result.impulse[0],          result.impulse[1],         result.impulse[2],
          result.compression_impulse, result.energy.normal_work, result.energy.friction_work};
}

// The largest error, relative to the largest derivative of that output; -1 on a border.
constexpr std::array kAll = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
double WorstError(std::string_view name, const Inputs<double>& x,
                  std::span<const int> inputs = kAll) {
  Inputs<Jet> jets;
  for (int k = 0; k < kInputs; ++k) jets[k] = Jet(x[k], k);
  Path path;
  const Outputs<Jet> exact = Solve<Jet>(name, jets, &path);
  double worst = 0.0;
  for (const int k : inputs) {
    double best = std::numeric_limits<double>::infinity();
    for (const double h : {1e-3, 3e-4, 1e-4, 3e-5, 1e-5}) {
      bool border = false;
      const auto at = [&](double steps) {
        Inputs<double> moved = x;
        moved[k] += steps * h;
        Path moved_path;
        const Outputs<double> y = Solve<double>(name, moved, &moved_path);
        border = border || !(moved_path == path);
        return y;
      };
      const Outputs<double> p2 = at(2), p1 = at(1), m1 = at(-1), m2 = at(-2);
      if (border) return -1.0;
      double error = 0.0;
      for (int m = 0; m < kOutputs; ++m) {
        const double difference = (8.0 * (p1[m] - m1[m]) - (p2[m] - m2[m])) / (12.0 * h);
        const double scale = exact[m].v.cwiseAbs().maxCoeff() + 1e-12;
        error = std::max(error, std::abs(difference - exact[m].v[k]) / scale);
      }
      best = std::min(best, error);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

Inputs<double> Pack(const Contact<double>& contact, double mu, double e) {
  const Eigen::Matrix3d& a = contact.inverse_mass;
  const Eigen::Vector3d& u = contact.velocity;
  return {u[0], u[1], u[2], a(0, 0), a(1, 0), a(1, 1), a(2, 0), a(2, 1), a(2, 2), mu, e};
}

void ExpectDerivatives(int kind, int wanted) {
  std::mt19937 random(100 + static_cast<unsigned>(kind));
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 3 * wanted; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.5 * uniform(random));
    const double mu = 0.02 + uniform(random);
    const double e = 0.05 + 0.9 * uniform(random);
    Eigen::Matrix3d& a = contact.inverse_mass;
    if (kind == 1) {  // planar: the closed form, whose out-of-plane derivatives count as well
      a(0, 1) = a(1, 0) = a(1, 2) = a(2, 1) = 0.0;
      contact.velocity[1] = 0.0;
      contact.velocity[0] *= 0.5;
    }
    if (kind == 2) a = (a.trace() * Eigen::Matrix3d::Identity()).eval();  // a ball
    const char* law = std::array{"newton", "poisson", "stronge"}[static_cast<std::size_t>(i) % 3];
    const double error = WorstError(law, Pack(contact, mu, e));
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << law << " " << i;
  }
  EXPECT_GE(tested, wanted);
}

TEST(DarbouxKellerDerivatives, MatchDifferencesInSpace) { ExpectDerivatives(0, 200); }
TEST(DarbouxKellerDerivatives, MatchDifferencesInThePlane) { ExpectDerivatives(1, 200); }
TEST(DarbouxKellerDerivatives, MatchDifferencesForABall) { ExpectDerivatives(2, 200); }

// Slip that stops and resumes, in space: rare, so searched for.
TEST(DarbouxKellerDerivatives, MatchDifferencesWhereSlipReverses) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 20000 && tested < 20; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    const Eigen::Vector2d drift = contact.inverse_mass.topRightCorner<2, 1>();
    contact.velocity.head<2>() = -0.3 * uniform(random) * drift.normalized();
    const Inputs<double> x = Pack(contact, 0.1 + 0.6 * uniform(random), 0.6);
    Path path;
    Solve<double>("stronge", x, &path);
    if (path.modes.back() != ContactMode::kReverseSlip) continue;
    const double error = WorstError("stronge", x);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << i;
  }
  EXPECT_GE(tested, 10);
}

// In the plane every reversal is a border to space, so only the planar inputs have derivatives.
TEST(DarbouxKellerDerivatives, MatchDifferencesWhereSlipReversesInThePlane) {
  constexpr std::array kPlanar = {0, 2, 3, 6, 8, 9, 10};
  std::mt19937 random(19);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 300; ++i) {
    Contact<double> contact = reference::RandomContact(random, 2.0);
    Eigen::Matrix3d& a = contact.inverse_mass;
    a(0, 1) = a(1, 0) = a(1, 2) = a(2, 1) = 0.0;
    contact.velocity[1] = 0.0;
    contact.velocity[0] = -uniform(random) * a(0, 2) / std::abs(a(0, 2));
    const double mu = 0.9 * uniform(random) * std::abs(a(0, 2)) / a(0, 0);
    const char* law = std::array{"newton", "poisson", "stronge"}[static_cast<std::size_t>(i) % 3];
    const Inputs<double> x = Pack(contact, 0.01 + mu, 0.1 + 0.8 * uniform(random));
    Path path;
    Solve<double>(law, x, &path);
    if (path.modes.back() != ContactMode::kReverseSlip) continue;
    const double error = WorstError(law, x, kPlanar);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << law << " " << i;
  }
  EXPECT_GE(tested, 50);
}

// At e = 0, where restitution has no length, the derivative by e is that from inside.
TEST(DarbouxKellerDerivatives, ByRestitutionExistsAtZero) {
  std::mt19937 random(23);
  for (int i = 0; i < 30; ++i) {
    const Contact<double> contact = reference::RandomContact(random, 1.0);
    for (const char* law : {"newton", "poisson", "stronge"}) {
      const Inputs<double> x = Pack(contact, 0.4, 0.0);
      Inputs<Jet> jets;
      for (int k = 0; k < kInputs; ++k) jets[k] = Jet(x[k], k);
      Path path;
      const Outputs<Jet> exact = Solve<Jet>(law, jets, &path);
      Inputs<double> inside = x;
      inside[10] = 1e-6;
      const Outputs<double> near = Solve<double>(law, inside, &path);
      for (int m = 0; m < 3; ++m) {
        const double difference = (near[m] - exact[m].a) / 1e-6;
        const double scale = exact[2].v[10] + std::abs(exact[m].v[10]);
        EXPECT_NEAR(exact[m].v[10], difference, 1e-4 * scale) << law;
      }
    }
  }
}

// A contact that sticks from rest has derivatives by its slip, those of a slip that stops at once.
TEST(DarbouxKellerDerivatives, BySlipExistWhereTheContactSticksFromRest) {
  std::mt19937 random(29);
  for (int i = 0; i < 30; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.0);
    contact.velocity.head<2>().setZero();
    const Inputs<double> x = Pack(contact, 5.0, 0.6);
    Inputs<Jet> jets;
    for (int k = 0; k < kInputs; ++k) jets[k] = Jet(x[k], k);
    Path path;
    const Outputs<Jet> exact = Solve<Jet>("stronge", jets, &path);
    EXPECT_EQ(path.sun_case, "5");
    for (int k = 0; k < 2; ++k) {
      Inputs<double> moved = x;
      moved[k] = 1e-7;
      const Outputs<double> near = Solve<double>("stronge", moved, &path);
      EXPECT_EQ(path.sun_case, "1");
      for (int m = 0; m < 3; ++m) {
        const double scale = exact[m].v.cwiseAbs().maxCoeff();
        EXPECT_NEAR(exact[m].v[k], (near[m] - exact[m].a) / 1e-7, 1e-4 * scale);
      }
    }
  }
}

}  // namespace
}  // namespace percuss::solver
