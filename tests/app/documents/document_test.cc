// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/app/documents/document.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace percuss::testing {
namespace {

TEST(FencedBlocks, HaveLanguageTextAndLine) {
  const auto blocks = FencedBlocks("one\n```sh\nls\npwd\n```\ntwo\n```\nthree\n```\n");
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].language, "sh");
  EXPECT_EQ(blocks[0].text, "ls\npwd\n");
  EXPECT_EQ(blocks[0].line, 2);
  EXPECT_EQ(blocks[1].language, "");
  EXPECT_EQ(blocks[1].text, "three\n");
  EXPECT_THROW(FencedBlocks("```sh\nls\n"), std::runtime_error);
}

TEST(InlineCommands, AreThoseOfThisProgram) {
  EXPECT_EQ(InlineCommands("`percuss laws --json` and `make` and `percuss fit`"),
            (std::vector<std::string>{"percuss laws --json", "percuss fit"}));
}

TEST(MissingFromOutput, AllowsOneUnitOfTheLastDigitShown) {
  const std::string printed = "Law   mu\n\nstronge 0.2601 [-1, 2]  slip\npoisson 2.61e+05\nend\n";
  EXPECT_EQ(MissingFromOutput("stronge 0.2600 [-1,2] slip\n...\nend\n", printed), "");
  EXPECT_EQ(MissingFromOutput("poisson 2.62e+05\n", printed), "");
  EXPECT_NE(MissingFromOutput("poisson 2.63e+05\n", printed), "");
  EXPECT_NE(MissingFromOutput("stronge 0.2599 [-1, 2] slip\n", printed), "");
  EXPECT_NE(MissingFromOutput("stronge 0.2601 [-1, 2] stick\n", printed), "");
  EXPECT_NE(MissingFromOutput("stronge 0.2601 [1, 2] slip\n", printed), "");
  EXPECT_NE(MissingFromOutput("end\n...\nLaw mu\n", printed), "") << "order";
  EXPECT_NE(MissingFromOutput("Law mu\nend\n", printed), "") << "nothing was said to be left out";
}

}  // namespace
}  // namespace percuss::testing
