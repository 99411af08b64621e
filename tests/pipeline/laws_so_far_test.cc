// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/laws_so_far.h"

#include <gtest/gtest.h>

#include "fitting/result/fit_files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;
using percuss::testing::TemporaryFolder;

fitting::LawFit Named(const char* law) {
  fitting::LawFit fit;
  fit.law = law;
  fit.num_used = 1;
  return fit;
}

TEST(LawsSoFar, AreInTheFileWhileOthersAreFitted) {
  const TemporaryFolder folder;
  const fs::path file = folder / "fit.json";
  Progress progress;
  const auto on_law = WriteLawsAsTheyEnd(&progress, {.format = fitting::kFitFormat}, file);
  on_law(fitting::LawFit(), 1, 4);  // used no impact
  EXPECT_FALSE(fs::exists(file));
  on_law(Named("stronge"), 2, 4);
  const fitting::FitReport so_far = fitting::ReadFit(file);
  ASSERT_EQ(so_far.laws.size(), 1U);
  EXPECT_EQ(so_far.laws.front().law, "stronge");
  EXPECT_EQ(so_far.num_laws_left, 2);
  // The last is in the whole report, which its caller writes.
  fs::remove(file);
  on_law(Named("newton"), 4, 4);
  EXPECT_FALSE(fs::exists(file));
}

TEST(LawsSoFar, AreOnlyCountedWithoutAFile) {
  Progress progress;
  const auto on_law = WriteLawsAsTheyEnd(&progress, {}, {});
  EXPECT_NO_THROW(on_law(Named("stronge"), 1, 2));
}

}  // namespace
}  // namespace percuss::pipeline
