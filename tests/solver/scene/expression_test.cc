// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace percuss::solver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double Value(const std::string& text) { return Expression(text).Evaluate({}).value; }

TEST(Expression, HasThePrecedenceOfArithmetic) {
  EXPECT_DOUBLE_EQ(Value("1 + 2*3 - 8/4/2"), 6.0);
  EXPECT_DOUBLE_EQ(Value("-2^2 + (1 - 3)^2"), 0.0);
  EXPECT_DOUBLE_EQ(Value("2*-3 + 10^-1"), -5.9);
  EXPECT_DOUBLE_EQ(Value("cos(pi) + sqrt(16) + abs(-1.5e0)"), 4.5);
}

TEST(Expression, NamesItsVariablesInTheOrderOfUse) {
  EXPECT_THAT(Expression("tip.x^2 + b_1.z - tip.x + t").variables(),
              ElementsAre("tip.x", "b_1.z", "t"));
}

// The derivatives by time against differences along x(t) = 0.7 + 0.3 t + 0.05 t^2, y(t) = 1.2 - 0.4
// t.
TEST(Expression, DifferentiatesByTheChainRule) {
  const Expression formula("sqrt(x*x + y^2) / (1 + sin(x)*exp(-y)) + log(y)^3 - tan(x)/cos(y)");
  const auto at = [&](double t) {
    const std::array<Taylor, 2> values = {Taylor(0.7 + 0.3 * t + 0.05 * t * t),
                                          Taylor(1.2 - 0.4 * t)};
    return formula.Evaluate(values).value;
  };
  const std::array<Taylor, 2> moving = {Taylor(0.7, 0.3, 0.1), Taylor(1.2, -0.4, 0.0)};
  const Taylor result = formula.Evaluate(moving);
  const double h = 1e-4;
  EXPECT_DOUBLE_EQ(result.value, at(0.0));
  EXPECT_NEAR(result.rate, (at(h) - at(-h)) / (2.0 * h), 1e-7);
  EXPECT_NEAR(result.second, (at(h) - 2.0 * at(0.0) + at(-h)) / (h * h), 1e-5);
}

void ExpectRefused(const std::string& text, const std::string& says) {
  try {
    const Expression expression(text);
    ADD_FAILURE() << text << " was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr(says)) << text;
  }
}

TEST(Expression, SaysWhatIsWrongWhere) {
  ExpectRefused("", "found the end, allowed a number, a name or (");
  ExpectRefused("1 + ", "at place 5");
  ExpectRefused("(1 + 2", "allowed an operator or )");
  ExpectRefused("2 x", "found 'x', allowed an operator or the end");
  ExpectRefused("x^y", "allowed a number as exponent");
  ExpectRefused("sine(x)", "allowed one of sqrt, sin");
  ExpectRefused(std::string(5000, '('), "fewer parentheses");
}

}  // namespace
}  // namespace percuss::solver
