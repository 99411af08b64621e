// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// `percuss run` of bar-drop with its own calibration handed through the formats of other programs.
// Source of truth: the run with the pictures of the board, and truth.json.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/files/files.h"
#include "tests/app/program.h"
#include "tests/app/run/accuracy.h"
#include "tests/base/temporary_folder.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(ForeignRun, GivesTheCoefficientsOfTheBoardPictures) {
  const fs::path data = fs::path(PERCUSS_DATA_DIR) / "bar-drop";
  const testing::TemporaryFolder folder;
  for (const char* part : {"calibration", "trials"})
    fs::create_directory_symlink(data / part, folder / part);
  const std::string native = ReadFile(data / "experiment.yaml");
  folder.Write("native.yaml", native);
  const std::string pictures = "left: calibration/left/*.png, right: calibration/right/*.png,";
  ASSERT_NE(native.find(pictures), std::string::npos);
  const auto with = [&](const std::string& keys) {
    std::string text = native;
    return text.replace(text.find(pictures), pictures.size(), keys);
  };
  folder.Write("toml.yaml", with("file: rig.toml, unit: m, sigma_px: 0.02,"));
  folder.Write("kept.yaml", with("file: native/calibration.json,"));
  const auto run = [&](const std::string& name) {
    const testing::ProgramRun ended =
        testing::RunPercuss({"run", name + ".yaml", "-o", name}, folder.Path());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended;
  };
  run("native");
  const testing::ProgramRun converted =
      testing::RunPercuss({"convert", "native/calibration.json", "rig.toml"}, folder.Path());
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_THAT(run("toml").err, HasSubstr("cameras of rig.toml (Anipose)"));
  run("kept");

  const truth::Accuracy before = truth::CompareWithTruth(data, folder / "native");
  for (const char* name : {"toml", "kept"}) {
    const truth::Accuracy after = truth::CompareWithTruth(data, folder / name);
    fmt::print("{}: mu {} (native {}), e {} (native {})\n", name, after.mu.value, before.mu.value,
               after.e.value, before.e.value);
    EXPECT_TRUE(after.mu.truth_inside_ci95 && after.e.truth_inside_ci95) << name;
    // The same cameras and pictures of trials: only W was found from one view alone.
    EXPECT_LT(std::abs(after.mu.value - before.mu.value), 2e-4) << name;
    EXPECT_LT(std::abs(after.e.value - before.e.value), 2e-4) << name;
  }
  EXPECT_THAT(ReadFile(folder / "toml/report.md"), HasSubstr("calibrated beforehand"));
}

}  // namespace
}  // namespace percuss
