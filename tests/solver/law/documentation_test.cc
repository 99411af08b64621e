// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The code in docs/impact-laws.md is the code that is compiled here, and does what is said there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "solver/compliant/spring_laws.h"
#include "tests/solver/law/sliding.h"

namespace percuss::solver {
namespace {

std::string Source(const std::string& path) {
  std::ifstream file(std::string(PERCUSS_DATA_DIR) + "/../" + path);
  EXPECT_TRUE(file) << path;
  std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string here = "\"tests/solver/law/";
  if (const auto at = text.find(here); at != std::string::npos) {
    text.replace(at, here.size(), "\"solver/algebraic/");
  }
  return text;
}

TEST(Documentation, ShowsTheLawThatIsCompiledHere) {
  const std::string document = Source("docs/impact-laws.md");
  for (const char* file : {"sliding.h", "sliding.cc"}) {
    const std::string block = "```cpp\n" + Source(std::string("tests/solver/law/") + file) + "```";
    EXPECT_THAT(document, testing::HasSubstr(block)) << file;
  }
}

// A ball, A = diag(7/2, 7/2, 1)/m: P_n = (1 + e) m |u_n| and P_t = mu P_n against the slip.
TEST(Documentation, SlidingDoesNotLetGoOfABall) {
  Contact<double> contact;
  contact.inverse_mass = Eigen::Vector3d(3.5, 3.5, 1.0).asDiagonal();
  contact.velocity = {2.0, 0.0, -1.0};
  const std::array parameters = {0.1, 0.5};
  ValidateParameters(SlidingLaw::Info(), parameters);
  ValidateDomain(SlidingLaw::Info(), contact);
  const auto result = SlidingLaw{}.Solve<double>(contact, parameters);
  EXPECT_LT((result.impulse - Eigen::Vector3d(-0.15, 0.0, 1.5)).norm(), 1e-14);
}

std::string WithoutSpaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Documentation, ShowsHowToAskForAHistory) {
  Contact<double> contact;
  contact.inverse_mass = Eigen::Vector3d(3.5, 3.5, 1.0).asDiagonal();
  contact.velocity = {2.0, 0.0, -1.0};
  // shown from here
  const std::vector<double> parameters = {0.3, 0.7, 0.8};  // mu, e, stiffness_ratio
  const auto model = PointContactLaw::Model<double>(contact, parameters);
  ContactHistory history;
  const auto result = IntegratePointContact(contact, model, {.stiffness = 2e6}, &history);
  // to here
  EXPECT_GT(history.size(), 10u);
  EXPECT_LT((history.back().impulse - result.impulse).norm(), 1e-12);
  const std::string from = "// shown from here\n", to = "// to here";
  const std::string here = Source("tests/solver/law/documentation_test.cc");
  const auto begin = here.find(from) + from.size();
  EXPECT_THAT(WithoutSpaces(Source("docs/impact-laws.md")),
              testing::HasSubstr(WithoutSpaces(here.substr(begin, here.find(to) - begin))));
}

}  // namespace
}  // namespace percuss::solver
