// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Which trials of a campaign can be read. Source of truth: the files that the test puts there;
// those of data/bar-drop, by symbolic links, have not changed for long.

#include "pipeline/campaign/landed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"

namespace percuss::pipeline {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const fs::path kData = fs::path(PERCUSS_DATA_DIR) / "bar-drop";

class Landed : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory_symlink(kData / "calibration", folder_ / "calibration");
  }

  /// An experiment file with these lines of trials.
  LandedExperiment Read(const std::string& trials) const {
    return ReadLanded(folder_.Write("experiment.yaml", R"(
board: {type: chessboard, columns: 9, rows: 6, square: 0.023}
calibration: {left: calibration/left/*.png, right: calibration/right/*.png,
              surface: {left: calibration/surface/left.png, right: calibration/surface/right.png}}
body: {shape: box, size: [0.3, 0.05, 0.0125], mass: 0.185, marker_diameter: 0.008,
       markers: {A: [-0.1, 0.01, 0.006], B: [0, -0.01, 0.006], C: [0.1, 0.015, 0.006]}}
trials:
)" + trials));
  }

  /// A video that has been there for long.
  void Land(const fs::path& name) const {
    fs::create_directories((folder_ / name).parent_path());
    fs::create_symlink(kData / "trials/a-slide/left.mp4", folder_ / name);
  }

  testing::TemporaryFolder folder_;
};

std::vector<std::string> NamesOf(const LandedExperiment& landed) {
  std::vector<std::string> names;
  for (const capture::Trial& trial : landed.experiment.trials) names.push_back(trial.name);
  return names;
}

constexpr const char* kFirst =
    "  - {name: first, left: t/first/left.mp4, right: t/first/right.mp4}\n";

TEST_F(Landed, ATrialWaitsForItsVideos) {
  const LandedExperiment none = Read(kFirst);
  EXPECT_THAT(none.experiment.trials, IsEmpty());
  ASSERT_EQ(none.waiting.size(), 1u);
  EXPECT_EQ(none.waiting[0].reason, "t/first/left.mp4 is not there yet");
  EXPECT_FALSE(none.waiting[0].writing);

  Land("t/first/left.mp4");
  folder_.Write("t/first/right.mp4", "the beginning");
  const LandedExperiment copied = Read(kFirst);
  EXPECT_THAT(copied.experiment.trials, IsEmpty());
  ASSERT_EQ(copied.waiting.size(), 1u);
  EXPECT_EQ(copied.waiting[0].reason, "t/first/right.mp4 is still being written");
  EXPECT_TRUE(copied.waiting[0].writing);

  fs::remove(folder_ / "t/first/right.mp4");
  Land("t/first/right.mp4");
  const LandedExperiment all = Read(kFirst);
  EXPECT_THAT(NamesOf(all), ElementsAre("first"));
  EXPECT_THAT(all.waiting, IsEmpty());
}

TEST_F(Landed, VideosNamedLikeThoseOfATrialAreANewOne) {
  for (const char* name : {"first", "second", "a<b>"}) {
    Land(fs::path("t") / name / "left.mp4");
    Land(fs::path("t") / name / "right.mp4");
  }
  Land("t/third/right.mp4");
  Land("t/other/side.mp4");
  const LandedExperiment landed = Read(kFirst);
  EXPECT_THAT(NamesOf(landed), ElementsAre("first", "second"));
  const capture::Trial& added = landed.experiment.trials[1];
  EXPECT_EQ(added.left, folder_ / "t/second/left.mp4");
  EXPECT_EQ(added.right, folder_ / "t/second/right.mp4");
  ASSERT_EQ(landed.waiting.size(), 2u);
  EXPECT_EQ(landed.waiting[0].name, "a<b>");
  EXPECT_THAT(landed.waiting[0].reason, HasSubstr("rename its videos"));
  EXPECT_EQ(landed.waiting[1].name, "third");
  EXPECT_EQ(landed.waiting[1].reason, "t/third/left.mp4 is not there yet");

  // As if its line were in the file: then it is not tracked again.
  const LandedExperiment stated =
      Read(std::string(kFirst) +
           "  - {name: second, left: t/second/left.mp4, right: t/second/right.mp4}\n");
  EXPECT_EQ(stated.experiment.trials[1].entry, added.entry);
  EXPECT_THAT(NamesOf(stated), ElementsAre("first", "second"));
}

TEST_F(Landed, ANameMayStandAnywhereInTheNamesOfVideos) {
  for (const char* name : {"d-1", "d-10", "d-2"}) {
    Land("v/" + std::string(name) + "/" + name + "_L.MOV");
    Land("v/" + std::string(name) + "/" + name + "_R.MOV");
  }
  Land("v/d-3/d-4_L.MOV");  // of no name
  EXPECT_THAT(NamesOf(Read("  - {name: d-1, left: v/d-1/d-1_L.MOV, right: v/d-1/d-1_R.MOV}\n")),
              ElementsAre("d-1", "d-2", "d-10"));
}

TEST_F(Landed, VideosWithoutTheNameOfTheirTrialAreJoinedByLeftAndRight) {
  for (const char* name : {"one.mp4", "two.mp4", "new-left.mp4", "new-right.mp4"})
    Land(fs::path("v") / name);
  EXPECT_THAT(NamesOf(Read("  - {name: old, left: v/one.mp4, right: v/two.mp4}\n")),
              ElementsAre("old", "new"));
}

TEST_F(Landed, AChangedLineKeepsWhatHasLanded) {
  for (const char* name : {"first", "second"}) {
    Land(fs::path("t") / name / "left.mp4");
    Land(fs::path("t") / name / "right.mp4");
  }
  const LandedExperiment landed =
      Read(std::string(kFirst) + "  - {name: late, left: l.mp4, right: r.mp4}\n");
  ASSERT_THAT(NamesOf(landed), ElementsAre("first", "second"));
  const std::vector<YamlEdit> edits = {{{"body", "mass"}, "0.2"}};
  const capture::Experiment changed = capture::ReadChanged(landed.experiment, edits);
  EXPECT_EQ(changed.trials.size(), 2u);
  EXPECT_EQ(changed.trials[1].name, "second");
  EXPECT_DOUBLE_EQ(changed.body.body.mass, 0.2);
}

}  // namespace
}  // namespace percuss::pipeline
