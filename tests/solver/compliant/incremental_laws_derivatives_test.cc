// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Jet derivatives of the laws that integrate over time against central differences of fourth order,
// the best of several steps. Borders between modes, where no derivative exists, are left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/law_derivatives.h"

namespace percuss::solver {
namespace {

constexpr std::size_t kOutputs = 5;

template <typename T>
std::array<T, kOutputs> OutputsOf(const ImpactResult<T>& result) {
  return {result.impulse[0], result.impulse[1], result.impulse[2], result.energy.normal_work,
          result.energy.friction_work};
}

// The largest error, relative to the largest derivative of that output (works that are always zero:
// to a thousandth of that of all outputs); -1 on a border.
double WorstError(const LawInfo& info, const std::vector<double>& x,
                  const std::vector<int>& inputs) {
  const ImpactResult<LawJet> result = SolvePacked(info.name, ToJets(x));
  const auto exact = OutputsOf(result);
  double largest = 0.0;
  for (const LawJet& output : exact) largest = std::max(largest, LargestDerivative(output));
  std::array<double, kOutputs> scale;
  for (std::size_t m = 0; m < kOutputs; ++m) {
    scale[m] = std::max(LargestDerivative(exact[m]), 1e-3 * largest);
  }
  using Outputs = std::optional<std::array<double, kOutputs>>;
  return WorstDerivativeError(x, inputs, exact, scale, [&](const auto& moved) -> Outputs {
    const ImpactResult<double> near = SolvePacked(info.name, moved);
    if (!(near.modes == result.modes)) return std::nullopt;
    return OutputsOf(near);
  });
}

class IncrementalDerivatives : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, IncrementalDerivatives,
                         testing::Values("point-contact", "hertz", "mindlin-deresiewicz",
                                         "ivanov-potential", "split-mass", "linear-dashpot",
                                         "nonlinear-dashpot", "spring-dashpot", "bilinear-spring-1",
                                         "bilinear-spring-2", "hertz-plastic", "hunt-crossley",
                                         "speed-dependent", "eigenvector-elements",
                                         "boundary-layer", "kelvin-voigt",
                                         "boundary-layer-material", "maw-barber-fawcett"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(IncrementalDerivatives, MatchDifferences) {
  const LawInfo& info = FindLaw(GetParam());
  const bool planar = info.domain != LawDomain::kSpatial;
  std::vector<int> inputs = {0, 2, 3, 6, 8};  // those of a plane
  if (!planar) inputs.insert(inputs.end(), {1, 4, 5, 7});
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    inputs.push_back(static_cast<int>(kContactInputs + k));
  }
  std::mt19937 random(41);
  std::uniform_real_distribution<double> uniform;
  int tested = 0;
  for (int i = 0; i < 40 && tested < 12; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.0);
    contact.velocity[2] -= 0.2;
    if (planar) reference::MakePlanar(contact);
    std::vector<double> parameters;
    for (const ParameterInfo& parameter : info.parameters) {
      const double upper = std::min(parameter.upper, 1.0);
      parameters.push_back(parameter.lower +
                           (upper - parameter.lower) * (0.15 + 0.7 * uniform(random)));
    }
    const double error = WorstError(info, Pack(contact, parameters), inputs);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << i;
  }
  EXPECT_GE(tested, 8);
}

}  // namespace
}  // namespace percuss::solver
