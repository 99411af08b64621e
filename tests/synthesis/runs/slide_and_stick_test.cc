// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss synthesize`, then `percuss run` on what it made. Source of truth: truth.json, which the
// second program does not see. The cameras of the two share no code, so that agreement tests both.

#include "tests/synthesis/runs/slide_and_stick.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/app/run/accuracy.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;

TEST(SynthesizeAndRun, TheChainFindsWhatWasRendered) {
  const testing::TemporaryFolder folder;
  // Half the pixels of bar-drop. Rolling shutters, of which the experiment file will say nothing.
  folder.Write("spec.yaml",
               std::string("name: small\nimage_size: [640, 480]\nline_time: 8.0e-6\n") +
                   testing::kSlideAndStick);
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "spec.yaml", "-o", "made"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, ::testing::HasSubstr("made/experiment.yaml"));
  fs::rename(folder / "made/truth.json", folder / "truth.json");
  std::string experiment = ReadFile(folder / "made/experiment.yaml");
  const std::string stated = "line_time: 8e-06\n";
  ASSERT_NE(experiment.find(stated), std::string::npos) << experiment;
  experiment.erase(experiment.find(stated), stated.size());
  folder.Write("made/experiment.yaml", experiment);
  const testing::ProgramRun run =
      testing::RunPercuss({"run", "made/experiment.yaml", "-o", "out"}, folder.Path());
  ASSERT_EQ(run.exit_code, 0) << run.err;

  const truth::Accuracy accuracy = truth::CompareWithTruth(folder.Path(), folder / "out");
  for (const truth::BoundRow& row : truth::BoundTable(accuracy)) {
    // One time in ten one of two 95 % intervals misses; coverage tests them.
    if (row.unit == "0 or 1") continue;
    EXPECT_LE(row.measured, row.bound) << row.name << " [" << row.unit << "]";
  }
  EXPECT_EQ(accuracy.trials.size(), 2U);

  // The same videos, and nobody measured where the markers are.
  std::string text = ReadFile(folder / "made/experiment.yaml");
  const std::size_t markers = text.find("markers: {"), end = text.find('}', markers);
  ASSERT_NE(end, std::string::npos);
  text.replace(markers, end + 1 - markers, "markers: {count: 6}");
  folder.Write("made/experiment.yaml", text);
  const testing::ProgramRun without =
      testing::RunPercuss({"run", "made/experiment.yaml", "-o", "found"}, folder.Path());
  ASSERT_EQ(without.exit_code, 0) << without.err;
  EXPECT_THAT(without.err,
              ::testing::HasSubstr("layout: 6 markers found, body frame by the outline"));
  const truth::Accuracy found = truth::CompareWithTruth(folder.Path(), folder / "found");
  EXPECT_LT(std::abs(found.mu.error), 2e-3);
  EXPECT_LT(std::abs(found.e.error), 2e-3);
  // Nothing is found again; what was found could be typed.
  const testing::ProgramRun again =
      testing::RunPercuss({"run", "made/experiment.yaml", "-o", "found"}, folder.Path());
  EXPECT_THAT(again.err, ::testing::HasSubstr("layout: unchanged"));
  const std::string layout = ReadFile(folder / "found/layout.yaml");
  EXPECT_THAT(layout, ::testing::HasSubstr("\nmarkers:\n  A1: [-0.1"));
}

TEST(SynthesizeAndRun, BadInputIsOneLineAndExit2) {
  const testing::TemporaryFolder folder;
  folder.Write("spec.yaml", "trails: []");
  const testing::ProgramRun run =
      testing::RunPercuss({"synthesize", "spec.yaml", "-o", "made"}, folder.Path());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, ::testing::HasSubstr("did you mean trials?"));
  EXPECT_FALSE(fs::exists(folder / "made"));
}

}  // namespace
}  // namespace percuss
