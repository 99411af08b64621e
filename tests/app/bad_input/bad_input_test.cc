// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program says and leaves behind when an input is wrong. Source of truth: the rule that a
// bad input ends with exit 2, data that cannot answer with exit 3, each with one line that names
// file, field or frame, what was found and what is allowed; other trials go on; nothing
// half-written is left. Videos: bad_video_test.cc.

#include "tests/app/bad_input/bad_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>

#include "base/files/files.h"
#include "base/files/folder_lock.h"
#include "fitting/result/fit_files.h"
#include "tests/app/replaced.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Replaced;

// --- Experiment file.

TEST_F(BadInput, AMissingExperimentFileIsNamed) {
  ExpectRefused(Percuss({"run", "nowhere.yaml", "-o", "out"}), 2, {"nowhere.yaml"});
}

TEST_F(BadInput, AnotherThingInPlaceOfAFileIsNamedWithWhatToType) {
  folder_.Write("lab/experiment.yaml", std::string(kHeader) + kGood);
  folder_.Write("lab/impacts.json", "{}");
  folder_.Write("clip.mov", "");
  ExpectRefused(Percuss({"run", "lab", "-o", "out"}), 2,
                {"lab: found a folder, allowed an experiment file: lab/experiment.yaml"});
  ExpectRefused(Percuss({"run", "clip.mov", "-o", "out"}), 2,
                {"clip.mov: found a video", "percuss bounce clip.mov"});
  ExpectRefused(Percuss({"fit", "lab"}), 2,
                {"lab: found a folder, allowed a file with impacts: lab/impacts.json"});
  ExpectRefused(
      Percuss({"fit", "lab/experiment.yaml"}), 2,
      {"lab/experiment.yaml: found an experiment file", "percuss run lab/experiment.yaml -o OUT"});
}

TEST_F(BadInput, AnUnknownKeySuggestsTheNearest) {
  ExpectExperimentRefused(Replaced(kHeader, "frame_rate", "framerate") + kGood,
                          {"experiment.yaml", "framerate", "line 2", "frame_rate"});
}

TEST_F(BadInput, AWrongTypeNamesFieldValueAndWhatIsAllowed) {
  ExpectExperimentRefused(Replaced(kHeader, "mass: 0.185", "mass: heavy") + kGood,
                          {"experiment.yaml", "body.mass", "line 6", "heavy", "number"});
}

TEST_F(BadInput, AValueOutOfRangeNamesFieldValueAndBound) {
  ExpectExperimentRefused(Replaced(kHeader, "square: 0.023", "square: -0.023") + kGood,
                          {"experiment.yaml", "board.square", "line 3", "-0.023", "allowed"});
}

TEST_F(BadInput, AnUnknownLawListsTheKnownOnesBeforeAnyWork) {
  folder_.Write("experiment.yaml", std::string(kHeader) + kGood);
  ExpectRefused(Percuss({"run", "experiment.yaml", "-o", "out", "--law", "strong"}), 2,
                {"strong", "stronge", "poisson", "newton"});
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

// --- Nothing to go on with.

// The described bar is a seventh shorter than the real one: no three markers are as far apart as
// they should be.
TEST_F(BadInput, MarkersElsewhereThanDescribedAreNotFound) {
  std::string header = kHeader;
  const std::size_t first = header.find("A1: "), last = header.find("}, marker_diameter");
  header.replace(first, last - first,
                 "A1: [-0.119, 0.011, 0.00625], A2: [-0.074, -0.012, 0.00625], A3: [-0.018, 0.013, "
                 "0.00625], A4: [0.029, -0.009, 0.00625], A5: [0.084, 0.012, 0.00625], A6: [0.118, "
                 "-0.013, 0.00625]");
  ExpectRefused(Track(header + kGood), 3, {"trial good", "layout"});
}

// Tables of an earlier run would pass for results of these videos.
TEST_F(BadInput, WithoutAnyGoodTrialOldTablesGo) {
  for (const char* file : {"out/impacts.csv", "out/impacts.json", "out/fit.json"})
    folder_.Write(file, "{}");
  const testing::ProgramRun run =
      Track(kHeader + std::string("  - {name: one, left: nowhere.mp4, right: notes.txt}\n"
                                  "  - {name: two, left: notes.txt, right: nowhere.mp4}\n"));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(HasSubstr("percuss: nowhere.mp4: found no such file"),
                             HasSubstr("percuss: notes.txt: found no readable video"),
                             EndsWith("percuss: none of the 2 trials gave an impact\n")));
  for (const char* file : {"out/impacts.csv", "out/impacts.json", "out/fit.json"})
    EXPECT_FALSE(fs::exists(folder_ / file)) << file;
  for (const char* trial : {"one", "two"})
    EXPECT_TRUE(fs::exists(folder_ / "out/tracks" / trial / "trial.json")) << trial;
  ExpectNothingHalfWritten();
}

TEST_F(BadInput, AnOutputFolderThatIsAFileIsNamed) {
  folder_.Write("experiment.yaml", std::string(kHeader) + kGood);
  const testing::ProgramRun run = Percuss({"run", "experiment.yaml", "-o", "notes.txt"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.err, "percuss: --output: found notes.txt, which is a file; allowed is a folder\n");
  EXPECT_EQ(ReadFile(folder_ / "notes.txt"), "Dropped the bar four times.\n");
}

TEST_F(BadInput, TwoRunsInOneFolderDoNotMix) {
  {
    const FolderLock other(folder_ / "out");
    ExpectRefused(Track(std::string(kHeader) + kGood), 2, {"out", "another run", "one at a time"});
  }
  EXPECT_EQ(
      Percuss({"track", "experiment.yaml", "--calibration", "exact.json", "-o", "out"}).exit_code,
      0);
}

TEST_F(BadInput, AFileInTheWayOfAResultFolderIsNamed) {
  folder_.Write("out/tracks", "in the way");
  const testing::ProgramRun run = Track(std::string(kHeader) + kGood);
  EXPECT_EQ(run.exit_code, 2);
  ExpectOneLine(run, {"out/tracks"});
  EXPECT_EQ(ReadFile(folder_ / "out/tracks"), "in the way");
  ExpectNothingHalfWritten();
}

// --- Calibration images, through `percuss run`.

// The run goes on without the pair and without the bad trial; exit 3 and 2 say that something was
// left out, and the worse of them is the exit code.
TEST_F(BadInput, ARunGoesOnWithoutAPairWithoutBoardAndWithoutABadTrial) {
  CopySixPairs();
  WriteGreyImage("calibration/left/04.png");
  const std::string experiment = std::string(kHeader) + kGood;
  folder_.Write("experiment.yaml", experiment);
  const testing::ProgramRun run = Percuss({"run", "experiment.yaml", "-o", "out"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  ExpectOneLine(run, {"calibration/left/04.png", "9 x 6"});
  EXPECT_FALSE(calibration::ReadCalibration(folder_ / "out/calibration.json").views[2].used);

  folder_.Write("experiment.yaml",
                experiment + "  - {name: bad, left: nowhere.mp4, right: notes.txt}\n");
  const testing::ProgramRun second = Percuss({"run", "experiment.yaml", "-o", "out"});
  EXPECT_EQ(second.exit_code, 2) << second.err;
  EXPECT_THAT(second.err, AllOf(HasSubstr("\npercuss: "), HasSubstr("calibration/left/04.png"),
                                HasSubstr("nowhere.mp4")));
  const fitting::FitReport fit = fitting::ReadFit(folder_ / "out/fit.json");
  ASSERT_EQ(fit.laws.at(0).trials.size(), 1U);
  EXPECT_EQ(fit.laws[0].trials[0].trial, "good");
  for (const char* report : {"out/report.html", "out/report.md"})
    EXPECT_THAT(ReadFile(folder_ / report), HasSubstr("nowhere.mp4"));
  ExpectNothingHalfWritten();
}

TEST_F(BadInput, ASurfaceImageWithoutBoardEndsTheRun) {
  CopySixPairs();
  WriteGreyImage("calibration/surface/right.png");
  folder_.Write("experiment.yaml", std::string(kHeader) + kGood);
  ExpectRefused(Percuss({"run", "experiment.yaml", "-o", "out"}), 3,
                {"calibration/surface/right.png", "9 x 6"});
}

TEST_F(BadInput, ABoardOtherThanDescribedEndsTheRun) {
  CopySixPairs();
  folder_.Write("experiment.yaml", Replaced(kHeader, "columns: 9", "columns: 7") + kGood);
  ExpectRefused(Percuss({"run", "experiment.yaml", "-o", "out"}), 3,
                {"no chessboard of 7 x 6", "shows 9 x 6 inner corners"});
}

TEST_F(BadInput, ACalibrationNeverOverwritesItsInput) {
  CopySixPairs();
  folder_.Write("experiment.yaml", std::string(kHeader) + kGood);
  const std::string before = ReadFile(folder_ / "experiment.yaml");
  ExpectRefused(Percuss({"calibrate", "experiment.yaml", "-o", "experiment.yaml"}), 2,
                {"experiment.yaml", "input"});
  EXPECT_EQ(ReadFile(folder_ / "experiment.yaml"), before);
}

}  // namespace
}  // namespace percuss
