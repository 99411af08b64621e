// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Jet derivatives of the algebraic laws against central differences of fourth order, best of
// several steps, so that neither their truncation nor their rounding decides. Borders, where the
// derivatives from the two sides differ, are left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "solver/solve_impact.h"
#include "tests/solver/law/impact_reference.h"
#include "tests/solver/law/law_derivatives.h"

namespace percuss::solver {
namespace {

constexpr int kOutputs = 5;  // P, the two works
using Jet = LawJet;
template <typename T>
using Outputs = std::array<T, kOutputs>;

template <typename T>
Outputs<T> Solve(std::string_view law, const std::vector<T>& x) {
  const ImpactResult<T> result = SolvePacked(law, x);
  return {result.impulse[0], result.impulse[1], result.impulse[2], result.energy.normal_work,
          result.energy.friction_work};
}

// The largest error, relative to the largest derivative of that output; -1 on a border. These laws
// tell no modes: a border is where the slope jumps.
double WorstError(std::string_view law, const std::vector<double>& x,
                  const std::vector<int>& inputs) {
  constexpr double kStep = 1e-5;
  const Outputs<Jet> exact = Solve<Jet>(law, ToJets(x));
  Outputs<double> scale;
  for (std::size_t m = 0; m < kOutputs; ++m) scale[m] = LargestDerivative(exact[m]) + 1e-12;
  for (const int k : inputs) {
    const auto at = [&](double step) {
      std::vector<double> moved = x;
      moved[static_cast<std::size_t>(k)] += step;
      return Solve<double>(law, moved);
    };
    const Outputs<double> above = at(kStep), below = at(-kStep);
    for (std::size_t m = 0; m < kOutputs; ++m) {
      const double jump = above[m] - 2.0 * exact[m].a + below[m];  // O(h^2) where smooth
      if (std::abs(jump) > 1e-3 * kStep * scale[m]) return -1.0;
    }
  }
  return WorstDerivativeError(x, inputs, exact, scale, [&](const std::vector<double>& moved) {
    return Solve<double>(law, moved);
  });
}

// Inside the bounds of every parameter; shares s_1 + s_2 < 1.
std::vector<double> RandomParameters(const LawInfo& law, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  std::vector<double> parameters;
  const auto draw = [&](const ParameterInfo& info) {
    const double low = std::max(info.lower, -1.0), high = std::min(info.upper, 1.0);
    const double share = info.name.starts_with("s_") ? 0.5 : 1.0;
    parameters.push_back(low + share * (0.02 + 0.96 * uniform(random)) * (high - low));
  };
  for (const ParameterInfo& info : law.parameters) draw(info);
  for (const ParameterInfo& info : law.optional_parameters) {
    if (info.name != "mu_s") draw(info);
  }
  return parameters;
}

enum class Kind { kSpace, kPlane, kBall, kNoSlip };

void ExpectDerivatives(const LawInfo& law, Kind kind, std::vector<int> inputs) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  const int wanted = 100;
  int tested = 0;
  for (int i = 0; i < 2 * wanted; ++i) {
    Contact<double> contact = reference::RandomContact(random, 1.5 * uniform(random));
    Eigen::Matrix3d& a = contact.inverse_mass;
    if (kind == Kind::kPlane) reference::MakePlanar(contact);
    if (kind == Kind::kBall) a = Eigen::Vector3d(a(0, 0), a(0, 0), a(2, 2)).asDiagonal();
    if (kind == Kind::kNoSlip) contact.velocity.head<2>().setZero();
    const std::vector<double> x = Pack(contact, RandomParameters(law, random));
    if (!std::isfinite(Solve<double>(law.name, x)[2])) continue;
    std::vector<int> all = inputs;
    for (std::size_t k = kContactInputs; k < x.size(); ++k) all.push_back(static_cast<int>(k));
    const double error = WorstError(law.name, x, all);
    if (error < 0.0) continue;
    ++tested;
    EXPECT_LT(error, 1e-6) << law.name << " " << i;
  }
  EXPECT_GE(tested, wanted) << law.name;
}

bool IsAlgebraic(const LawInfo& law) {
  constexpr std::array kNames = {"brach",
                                 "brach-3d",
                                 "kane-levinson",
                                 "smith",
                                 "chatterjee-1",
                                 "chatterjee-2",
                                 "chatterjee-3",
                                 "bilinear",
                                 "chatterjee-combined",
                                 "pfeiffer-glocker",
                                 "ivanov",
                                 "ivanov-3d"};
  return std::find(kNames.begin(), kNames.end(), law.name) != kNames.end();
}

// Places in the inputs: u_t1, u_t2, u_n; A_11, A_21, A_22, A_n1, A_n2, A_nn.
const std::vector<int> kEvery = {0, 1, 2, 3, 4, 5, 6, 7, 8};
const std::vector<int> kInPlane = {0, 2, 3, 5, 6, 8};
const std::vector<int> kUncoupled = {0, 2, 3, 5, 8};

TEST(AlgebraicLawDerivatives, MatchDifferencesInSpace) {
  for (const LawInfo& law : Laws()) {
    if (IsAlgebraic(law) && law.domain == LawDomain::kSpatial) {
      ExpectDerivatives(law, Kind::kSpace, kEvery);
    }
  }
}

// In a planar contact the derivatives out of the plane count as well, where the law has them.
TEST(AlgebraicLawDerivatives, MatchDifferencesInThePlane) {
  for (const LawInfo& law : Laws()) {
    if (!IsAlgebraic(law) || law.domain == LawDomain::kDiagonal) continue;
    const bool planar = law.domain == LawDomain::kPlanar;
    ExpectDerivatives(law, Kind::kPlane, planar ? kInPlane : kEvery);
  }
}

// A ball may slip in any direction, for every law.
TEST(AlgebraicLawDerivatives, MatchDifferencesForABall) {
  for (const LawInfo& law : Laws()) {
    if (!IsAlgebraic(law)) continue;
    const bool spatial = law.domain == LawDomain::kSpatial;
    ExpectDerivatives(law, Kind::kBall, spatial ? kEvery : std::vector<int>{0, 1, 2, 8});
    if (!spatial) ExpectDerivatives(law, Kind::kBall, kUncoupled);
  }
}

// Without slip the direction of friction jumps with the slip in some laws; the derivatives by the
// others exist in all.
TEST(AlgebraicLawDerivatives, MatchDifferencesWithoutSlip) {
  for (const LawInfo& law : Laws()) {
    if (!IsAlgebraic(law) || law.domain != LawDomain::kSpatial) continue;
    const bool smooth =
        law.name == "kane-levinson" || law.name == "chatterjee-2" || law.name == "chatterjee-3";
    std::vector<int> inputs = kEvery;
    if (!smooth) inputs.erase(inputs.begin(), inputs.begin() + 2);
    ExpectDerivatives(law, Kind::kNoSlip, inputs);
  }
}

// At e = 0 the derivative by e is that from inside.
TEST(AlgebraicLawDerivatives, ByRestitutionExistAtZero) {
  std::mt19937 random(31);
  for (const LawInfo& law : Laws()) {
    if (!IsAlgebraic(law) || law.domain == LawDomain::kDiagonal) continue;
    const auto e = std::find_if(law.parameters.begin(), law.parameters.end(),
                                [](const ParameterInfo& info) { return info.name == "e"; });
    if (e == law.parameters.end()) continue;
    const std::size_t place = kContactInputs + static_cast<std::size_t>(e - law.parameters.begin());
    for (int i = 0; i < 50; ++i) {
      Contact<double> contact = reference::RandomContact(random, 1.0);
      reference::MakePlanar(contact);
      std::vector<double> x = Pack(contact, RandomParameters(law, random));
      x[place] = 0.0;
      const Outputs<Jet> exact = Solve<Jet>(law.name, ToJets(x));
      if (!std::isfinite(exact[2].a)) continue;
      constexpr double kStep = 1e-6;
      x[place] = kStep;
      const Outputs<double> inside = Solve<double>(law.name, x);
      for (std::size_t m = 0; m < 3; ++m) {
        const double derivative = exact[m].v[static_cast<int>(place)];
        EXPECT_NEAR((inside[m] - exact[m].a) / kStep, derivative,
                    1e-4 * (exact[m].v.cwiseAbs().maxCoeff() + 1e-9))
            << law.name << i;
      }
    }
  }
}

// Borders of the parameters, no slip, grazing, head-on without coupling: everything stays finite.
TEST(AlgebraicLawDerivatives, AreFiniteInDegenerateContacts) {
  for (const LawInfo& law : Laws()) {
    if (!IsAlgebraic(law)) continue;
    const std::size_t count = law.parameters.size();
    for (int corner = 0; corner < (1 << count); ++corner) {
      std::vector<double> parameters;
      for (std::size_t k = 0; k < count; ++k) {
        const ParameterInfo& info = law.parameters[k];
        const bool high = corner >> k & 1;
        const double upper = std::isfinite(info.upper) ? info.upper : 1e6;
        parameters.push_back(high ? upper : std::max(info.lower, -1.0));
      }
      for (const double slip : {0.0, 1e-15, 1e-9, 1.0}) {
        for (const double approach : {1e-9, 1.0}) {
          for (const bool coupled : {false, true}) {
            Contact<double> contact;
            contact.inverse_mass << 1.3, 0, coupled * 0.4, 0, 0.9, 0, coupled * 0.4, 0, 1.1;
            contact.velocity = {slip, 0.0, -approach};
            const std::vector<double> x = Pack(contact, parameters);
            const Outputs<Jet> y = Solve<Jet>(law.name, ToJets(x));
            const bool no_answer = !law.coulomb;  // brach, ivanov: the direction may be wrong
            for (const Jet& output : y) {
              if (no_answer && std::isnan(output.a)) continue;
              EXPECT_TRUE(std::isfinite(output.a) && output.v.allFinite())
                  << law.name << " corner " << corner << " slip " << slip << " approach "
                  << approach << " coupled " << coupled;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace percuss::solver
