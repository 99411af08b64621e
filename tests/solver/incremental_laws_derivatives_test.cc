// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Jet derivatives of the laws that integrate over time against central differences of fourth order,
// the best of several steps. Borders between modes, where no derivative exists, are left out.

#include <ceres/jet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/solver/impact_reference.h"
#include "tests/solver/law_jets.h"

namespace percuss::solver {
namespace {

constexpr int kInputs = 14;  // u (3), lower triangle of A (6), up to five parameters
constexpr int kOutputs = 5;
using Jet = LawJet;

template <typename T>
std::array<T, kOutputs> Solve(const LawInfo& info, const std::array<T, kInputs>& x,
                              ModeSequence* modes) {
  Contact<T> contact;
  std::size_t k = 0;
  for (int i = 0; i < 3; ++i) contact.velocity[i] = x[k++];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j <= i; ++j) contact.inverse_mass(i, j) = contact.inverse_mass(j, i) = x[k++];
  }
  const std::span<const T> parameters(x.data() + 9, info.parameters.size());
  const ImpactResult<T> result = SolveByName(info.name, contact, parameters);
  *modes = result.modes;
  return {result.impulse[0], result.impulse[1], result.impulse[2], result.energy.normal_work,
          result.energy.friction_work};
}

// The largest error, relative to the largest derivative of that output (works that are always zero:
// to a thousandth of that of all outputs); -1 on a border.
double WorstError(const LawInfo& info, const std::array<double, kInputs>& x,
                  const std::vector<std::size_t>& inputs) {
  std::array<Jet, kInputs> jets;
  for (int k = 0; k < kInputs; ++k) {
    jets[static_cast<std::size_t>(k)] = Jet(x[static_cast<std::size_t>(k)], k);
  }
  ModeSequence modes;
  const auto exact = Solve<Jet>(info, jets, &modes);
  double largest = 0.0;
  for (const Jet& output : exact) largest = std::max(largest, output.v.cwiseAbs().maxCoeff());
  double worst = 0.0;
  for (const std::size_t k : inputs) {
    double best = std::numeric_limits<double>::infinity();
    for (const double h : {1e-3, 3e-4, 1e-4}) {
      bool border = false;
      const auto at = [&](double steps) {
        auto moved = x;
        moved[k] += steps * h;
        ModeSequence moved_modes;
        const auto y = Solve<double>(info, moved, &moved_modes);
        border = border || !(moved_modes == modes);
        return y;
      };
      const auto p2 = at(2), p1 = at(1), m1 = at(-1), m2 = at(-2);
      if (border) return -1.0;
      double error = 0.0;
      for (std::size_t m = 0; m < kOutputs; ++m) {
        const double difference = (8.0 * (p1[m] - m1[m]) - (p2[m] - m2[m])) / (12.0 * h);
        const double scale = std::max(exact[m].v.cwiseAbs().maxCoeff(), 1e-3 * largest);
        error = std::max(error,
                         std::abs(difference - exact[m].v[static_cast<Eigen::Index>(k)]) / scale);
      }
      best = std::min(best, error);
    }
    worst = std::max(worst, best);
  }
  return worst;
}

class IncrementalDerivatives : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, IncrementalDerivatives,
                         testing::Values("point-contact", "hertz", "mindlin-deresiewicz",
                                         "ivanov-potential", "split-mass", "linear-dashpot",
                                         "nonlinear-dashpot", "spring-dashpot", "bilinear-spring-1",
                                         "bilinear-spring-2", "hertz-plastic", "hunt-crossley",
                                         "speed-dependent", "eigenvector-elements"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(IncrementalDerivatives, MatchDifferences) {
  const LawInfo& info = FindLaw(GetParam());
  const bool planar = info.domain != LawDomain::kSpatial;
  std::vector<std::size_t> inputs = {0, 2, 3, 6, 8};  // those of a plane
  if (!planar) inputs.insert(inputs.end(), {1, 4, 5, 7});
  for (std::size_t k = 0; k < info.parameters.size(); ++k) inputs.push_back(9 + k);
  std::mt19937 random(41);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 40 && tested < 12; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.0);
    contact.velocity[2] -= 0.2;
    Eigen::Matrix3d& a = contact.inverse_mass;
    if (planar) a(0, 1) = a(1, 0) = a(1, 2) = a(2, 1) = contact.velocity[1] = 0.0;
    std::array<double, kInputs> x = {contact.velocity[0],
                                     contact.velocity[1],
                                     contact.velocity[2],
                                     a(0, 0),
                                     a(1, 0),
                                     a(1, 1),
                                     a(2, 0),
                                     a(2, 1),
                                     a(2, 2)};
    for (std::size_t k = 0; k < info.parameters.size(); ++k) {
      const ParameterInfo& parameter = info.parameters[k];
      const double upper = std::min(parameter.upper, 1.0);
      x[9 + k] = parameter.lower + (upper - parameter.lower) * (0.15 + 0.7 * uniform(random));
    }
    const double error = WorstError(info, x, inputs);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << i;
  }
  EXPECT_GE(tested, 8);
}

}  // namespace
}  // namespace percuss::solver
