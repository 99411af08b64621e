// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/law/impact_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Contact<double> Good() {
  Contact<double> contact;
  contact.inverse_mass << 2.5, 0.2, 1.5, 0.2, 1.0, 0.1, 1.5, 0.1, 2.5;
  contact.velocity = {1.0, 0.3, -1.0};
  return contact;
}

std::string ErrorOf(const Contact<double>& contact, const std::vector<double>& parameters,
                    std::string_view law = "stronge") {
  try {
    SolveImpact(law, contact, parameters);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

TEST(Laws, AreListedWithBoundsAndSources) {
  std::set<std::string_view> names;
  for (const LawInfo& law : Laws()) {
    SCOPED_TRACE(law.name);
    EXPECT_TRUE(names.insert(law.name).second);
    EXPECT_FALSE(law.summary.empty());
    EXPECT_FALSE(law.source.empty());
    EXPECT_EQ(&FindLaw(law.name), &law);
    for (const ParameterInfo& parameter : law.parameters) {
      EXPECT_FALSE(parameter.meaning.empty()) << parameter.name;
      EXPECT_LE(parameter.lower, parameter.typical) << parameter.name;
      EXPECT_LE(parameter.typical, parameter.upper) << parameter.name;
    }
  }
  EXPECT_EQ(Laws().front().name, "newton");
  EXPECT_FALSE(FindLaw("newton").dissipative);
  EXPECT_TRUE(FindLaw("stronge").dissipative);
}

TEST(FindLaw, NamesTheLawAskedForAndThoseThereAre) {
  EXPECT_THAT(ErrorOf(Good(), {0.3, 0.5}, "stronger"),
              AllOf(HasSubstr("\"stronger\""), HasSubstr("newton, poisson, stronge")));
}

TEST(SolveImpact, AcceptsAGoodContact) { EXPECT_EQ(ErrorOf(Good(), {0.3, 0.5}), "no error"); }

TEST(SolveImpact, QuotesParametersOutsideTheirRange) {
  EXPECT_THAT(ErrorOf(Good(), {-0.1, 0.5}),
              AllOf(HasSubstr("mu is -0.1"), HasSubstr("at least 0")));
  EXPECT_THAT(ErrorOf(Good(), {0.3, 1.2}), AllOf(HasSubstr("e is 1.2"), HasSubstr("at most 1")));
  EXPECT_THAT(ErrorOf(Good(), {0.3, -0.2}), HasSubstr("e is -0.2"));
  EXPECT_THAT(ErrorOf(Good(), {NAN, 0.5}), HasSubstr("mu is nan"));
  EXPECT_THAT(ErrorOf(Good(), {INFINITY, 0.5}), HasSubstr("mu is inf"));
  EXPECT_THAT(ErrorOf(Good(), {0.3}), HasSubstr("takes 2 to 3 parameters, not 1"));
}

TEST(SolveImpact, QuotesABadMatrix) {
  Contact<double> contact = Good();
  contact.inverse_mass(0, 1) = 0.4;
  EXPECT_THAT(ErrorOf(contact, {0.3, 0.5}), AllOf(HasSubstr("0.4"), HasSubstr("symmetric")));
  contact = Good();
  contact.inverse_mass(1, 1) = -1.0;
  EXPECT_THAT(ErrorOf(contact, {0.3, 0.5}),
              AllOf(HasSubstr("eigenvalue -1"), HasSubstr("positive definite")));
  contact = Good();
  contact.inverse_mass(2, 2) = NAN;
  EXPECT_THAT(ErrorOf(contact, {0.3, 0.5}), HasSubstr("inverse_mass[2][2] is nan"));
}

TEST(SolveImpact, QuotesABadVelocity) {
  Contact<double> contact = Good();
  contact.velocity[2] = 0.25;
  EXPECT_THAT(ErrorOf(contact, {0.3, 0.5}), AllOf(HasSubstr("0.25 m/s"), HasSubstr("below 0")));
  contact.velocity[2] = 0.0;
  EXPECT_THAT(ErrorOf(contact, {0.3, 0.5}), HasSubstr("below 0"));
  contact.velocity[0] = INFINITY;
  EXPECT_THAT(ErrorOf(contact, {0.3, 0.5}), HasSubstr("velocity[0] is inf"));
}

}  // namespace
}  // namespace percuss::solver
