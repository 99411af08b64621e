// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Every law: its own coefficients come back from impacts that it made, with the errors of a tracker
// in space, also where the law is one of planar motion.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fitting/estimate/coefficient_fit.h"
#include "fitting/model/impact_model.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

// What a law is asked to find, where it is not its typical values: they would be a border (shares
// that add up to 1), or another law (no impulse across the slip).
std::vector<double> TruthOf(const solver::LawInfo& law) {
  const std::map<std::string_view, std::vector<double>> own = {
      {"chatterjee-combined", {0.3, 0.6, 0.2, 0.3, 0.4}},
      {"brach-3d", {0.5, 0.2, 0.1}},
      {"ivanov-3d", {0.5, 0.2, -0.1}},
  };
  if (const auto found = own.find(law.name); found != own.end()) return found->second;
  std::vector<double> truth;
  for (const solver::ParameterInfo& info : law.parameters) truth.push_back(info.typical);
  return truth;
}

// Of a coefficient: the parameter of that name, or the product of parameters.
double TruthNamed(const std::string& name, const solver::LawInfo& law,
                  const std::vector<double>& truth) {
  for (const solver::ParameterProduct& product : law.products) {
    if (product.name != name) continue;
    double value = 1.0;
    for (const auto& [parameter, exponent] : product.powers) {
      value *= std::pow(solver::ParameterNamed(law, parameter, truth), exponent);
    }
    return value;
  }
  return solver::ParameterNamed(law, name, truth);
}

solver::Body BodyFor(solver::LawDomain domain) {
  if (domain == solver::LawDomain::kSpatial) return Bar();
  solver::Body body;
  if (domain == solver::LawDomain::kDiagonal) {
    body.shape = solver::Sphere{0.04};
  } else {
    body.shape = solver::Capsule{0.01, 0.2};
  }
  body.mass = 0.2;
  body.inertia = solver::UniformInertia(body.shape, body.mass);
  return body;
}

/// Falling at about 2 m/s with a drift that slides, stops or turns round; in the x-z plane unless
/// the law knows space.
ImpactRecord ImpactOf(const solver::LawInfo& law, const std::vector<double>& truth,
                      const solver::Body& body, std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&] { return uniform(*random); };
  const bool in_space = law.domain == solver::LawDomain::kSpatial;
  for (;;) {
    ImpactRecord record;
    if (in_space) {
      record.q_WB = Eigen::Quaterniond{draw(), draw(), draw(), draw()}.normalized();
    } else {
      record.q_WB = Eigen::AngleAxisd(1.4 * draw(), Eigen::Vector3d::UnitY());
    }
    record.r =
        record.q_WB * solver::SupportPoint(body.shape, record.q_WB.conjugate() * -record.normal);
    record.v = {(law.domain == solver::LawDomain::kDiagonal ? 5.0 : 1.5) * draw(),
                in_space ? draw() : 0.0, -1.8 + 0.8 * draw()};
    record.w = {in_space ? 5.0 * draw() : 0.0, 5.0 * draw(), in_space ? 5.0 * draw() : 0.0};
    const ImpactGeometry geometry = CalcGeometry(record, body);
    if (!(geometry.contact.velocity.z() < -0.5)) continue;
    const LawAnswer answer = SolveLaw(law.name, geometry, truth);
    if (!answer.jump.allFinite()) continue;
    const Vector6d after = geometry.before + answer.jump;
    record.v_post = after.head<3>();
    record.w_post = after.tail<3>();
    return record;
  }
}

class EachLaw : public ::testing::TestWithParam<std::string> {};

TEST_P(EachLaw, GetsItsCoefficientsBack) {
  const solver::LawInfo& law = solver::FindLaw(GetParam());
  const std::vector<double> truth = TruthOf(law);
  const solver::Body body = BodyFor(law.domain);
  std::mt19937 random(11);
  impacts::ImpactTable table;
  for (int i = 0; i < 16; ++i) {
    ImpactRecord record = ImpactOf(law, truth, body, &random);
    record.trial = "t" + std::to_string(i);
    const impacts::ImpactCovariance covariance = TrackerCovariance(random);
    record.covariance = covariance;
    AddError(DrawNormal(random, covariance), record);
    if (law.domain != solver::LawDomain::kSpatial) {
      // The point of a round body that touches does not turn with it.
      record.r =
          record.q_WB * solver::SupportPoint(body.shape, record.q_WB.conjugate() * -record.normal);
    }
    table.impacts.push_back(record);
  }
  const LawFit fit = FitCoefficients(table, body,
                                     {.laws = {GetParam()},
                                      .cross_validate = false,
                                      .static_friction = false,
                                      .split_error = false})
                         .front();
  ASSERT_TRUE(fit.converged) << fit.message;
  EXPECT_EQ(fit.num_used, 16);
  EXPECT_GT(fit.cost_probability, 1e-4) << fit.cost << " of " << fit.dof;
  for (const ParameterEstimate& found : fit.parameters) {
    if (!found.reason.empty()) continue;  // only a product with others counts
    const double expected = TruthNamed(found.name, law, truth);
    // A layer that is stiff against the impact is as good as a rigid surface; the two shares of
    // Pfeiffer and Glocker trade with each other.
    if (found.name == "stiffness" || found.name == "k b^2" ||
        (law.name == "pfeiffer-glocker" && found.name == "e_t")) {
      EXPECT_LE(found.ci95[0], expected) << found.name;
      EXPECT_GE(found.ci95[1], expected) << found.name;
      continue;
    }
    EXPECT_TRUE(IsKnown(found)) << found.name;
    EXPECT_NEAR(found.value, expected, 4.0 * found.sigma) << found.name;
    EXPECT_LT(found.sigma, 0.2 * (1.0 + std::abs(expected))) << found.name;
  }
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const solver::LawInfo& law : solver::Laws()) names.emplace_back(law.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(, EachLaw, ::testing::ValuesIn(Names()), [](const auto& law) {
  std::string name = law.param;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace percuss::fitting
