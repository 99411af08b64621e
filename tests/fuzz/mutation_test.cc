// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Every reader on damaged files. Source of truth: what the readers promise, that a bad file is an
// InputError (or DataError) that names it, and nothing else ever. The examples must be read.

#include "tests/fuzz/mutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <vector>

#include "tests/base/slow_down.h"
#include "tests/fuzz/form_mutation.h"
#include "tests/fuzz/target.h"

namespace percuss::fuzz {
namespace {

constexpr double kLongest = 10.0 * testing::kSlowDown;  // one file may take [s]

// 60 for each reader, or as many as the environment asks for.
int NumMutations() {
  const char* asked = std::getenv("PERCUSS_MUTATIONS");
  return asked == nullptr ? 60 : std::atoi(asked);
}

class Readers : public ::testing::TestWithParam<Target> {};

TEST_P(Readers, ReadTheExamples) {
  const std::vector<Example> examples = Examples(GetParam());
  ASSERT_FALSE(examples.empty());
  // Those that once were not refused in the way that is promised begin with "bad".
  for (const Example& example : examples) {
    SCOPED_TRACE(example.name);
    const std::string message = Attempt(GetParam(), example.content);
    EXPECT_EQ(message.empty(), !example.name.starts_with("bad")) << message;
  }
}

TEST_P(Readers, RefuseDamagedFilesAsTheyPromise) {
  const std::vector<Example> examples = Examples(GetParam());
  std::uint32_t seed = 1;
  for (int k = 0; k < NumMutations(); ++k, ++seed) {
    const Example& example = examples[seed % examples.size()];
    const Example& other = examples[seed / 7 % examples.size()];
    const std::string content =
        seed % 2 == 0 ? Mutated(example.content, other.content, seed)
                      : MutatedInForm(Extension(GetParam()), example.content, other.content, seed);
    const auto start = std::chrono::steady_clock::now();
    try {
      Attempt(GetParam(), content);
    } catch (const std::exception& error) {
      ADD_FAILURE() << example.name << " with seed " << seed << ": " << error.what();
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken.count(), kLongest) << example.name << " with seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(, Readers, ::testing::ValuesIn(Targets().begin(), Targets().end()),
                         [](const auto& info) {
                           std::string name(info.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace percuss::fuzz
