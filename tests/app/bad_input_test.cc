// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What the program says and leaves behind when an input is wrong. Source of truth: the rule that a
// bad input ends with exit 2, data that cannot answer with exit 3, each with one line that names
// file, field or frame, what was found and what is allowed; other trials go on; nothing
// half-written is left. Videos go through `percuss track` with the exact calibration, so that no
// test waits for one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <sstream>
#include <stdexcept>

#include "capture/video.h"
#include "fitting/fit_files.h"
#include "tests/app/program.h"
#include "tests/capture/temporary_folder.h"
#include "tests/truth.h"
#include "tracking/impact_files.h"
#include "tracking/track_files.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const fs::path kData = fs::path(PERCUSS_DATA_DIR) / "bar-drop";

constexpr const char* kHeader = R"(name: bad
frame_rate: 120
board: {type: chessboard, columns: 9, rows: 6, square: 0.023}
calibration: {left: calibration/left/*.png, right: calibration/right/*.png, surface: {left: calibration/surface/left.png, right: calibration/surface/right.png}}
gravity: [0, 0, -9.80665]
body: {shape: box, size: [0.3065, 0.0515, 0.0125], mass: 0.185, markers: {A1: [-0.139, 0.0125, 0.00625], A2: [-0.087, -0.014, 0.00625], A3: [-0.0215, 0.0155, 0.00625], A4: [0.034, -0.011, 0.00625], A5: [0.0985, 0.0135, 0.00625], A6: [0.1375, -0.015, 0.00625]}, marker_diameter: 0.008}
trials:
)";
constexpr const char* kGood =
    "  - {name: good, left: trials/c-reverse/left.mp4, right: trials/c-reverse/right.mp4}\n";

std::string Text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string Replaced(std::string text, const std::string& old, const std::string& by) {
  const std::size_t place = text.find(old);
  if (place == std::string::npos) throw std::logic_error("no '" + old + "' to replace");
  return text.replace(place, old.size(), by);
}

/// Frames first, first + 1, ... of a video as a video of its own.
void WriteClip(const fs::path& video, int first, int count, const fs::path& clip,
               double scale = 1.0) {
  capture::VideoReader reader(video);
  cv::VideoWriter writer;
  for (int i = 0; i < first + count; ++i) {
    const auto frame = reader.Next();
    if (!frame) throw std::logic_error(video.string() + " is too short");
    if (i < first) continue;
    cv::Mat luma;
    cv::resize(frame->luma, luma, {}, scale, scale, cv::INTER_AREA);
    if (!writer.isOpened()) {
      writer.open(clip.string(), cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 120.0, luma.size(),
                  /*isColor=*/false);
      writer.set(cv::VIDEOWRITER_PROP_QUALITY, 95);
    }
    writer.write(luma);
  }
  if (!writer.isOpened()) throw std::runtime_error(clip.string() + " cannot be written");
}

class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    for (const char* part : {"calibration", "trials"})
      fs::create_directory_symlink(kData / part, folder_ / part);
    folder_.Write("notes.txt", "Dropped the bar four times.\n");
  }

  testing::ProgramRun Percuss(const std::vector<std::string>& arguments) const {
    return testing::RunPercuss(arguments, folder_.Path());
  }

  testing::ProgramRun Track(const std::string& experiment) const {
    folder_.Write("experiment.yaml", experiment);
    calibration::WriteCalibration(truth::Calibration(truth::Read(kData)),
                                  {"percuss calibration 1", "test", {}}, folder_ / "exact.json");
    return Percuss({"track", "experiment.yaml", "--calibration", "exact.json", "-o", "out"});
  }

  /// `percuss track` of the trial `bad` with these videos, and of a good one.
  testing::ProgramRun TrackVideos(const std::string& left, const std::string& right) const {
    return Track(kHeader + ("  - {name: bad, left: " + left + ", right: " + right + "}\n") + kGood);
  }

  /// `bad` failed with these words on the one line, and the other trial has its impact.
  void ExpectTheOtherTrialGoesOn(const testing::ProgramRun& run, int exit_code,
                                 const std::vector<std::string>& words) const {
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    ExpectOneLine(run, words);
    const fs::path bad = folder_ / "out/tracks/bad";
    const tracking::TrialSummary summary = tracking::ReadTrialSummary(bad / "trial.json");
    EXPECT_EQ(summary.status, exit_code == 2 ? tracking::TrialResult::Status::kBadInput
                                             : tracking::TrialResult::Status::kNoAnswer);
    for (const std::string& word : words) EXPECT_THAT(summary.message, HasSubstr(word));
    EXPECT_FALSE(fs::exists(bad / "impacts.json"));
    for (const char* file : {"out/impacts.csv", "out/impacts.json"}) {
      const tracking::ImpactTable table = tracking::ReadImpacts(folder_ / file);
      ASSERT_EQ(table.impacts.size(), 1U);
      EXPECT_EQ(table.impacts[0].trial, "good");
    }
    ExpectNothingHalfWritten();
  }

  /// Of the lines on stderr exactly one is a complaint, and it has all the words.
  static void ExpectOneLine(const testing::ProgramRun& run, const std::vector<std::string>& words) {
    std::vector<std::string> complaints;
    std::istringstream lines(run.err);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("percuss: ")) complaints.push_back(line);
    }
    ASSERT_EQ(complaints.size(), 1U) << run.err;
    for (const std::string& word : words) EXPECT_THAT(complaints[0], HasSubstr(word));
  }

  void ExpectNothingHalfWritten() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder_.Path())) {
      const std::string name = entry.path().filename().string();
      EXPECT_THAT(name, Not(HasSubstr("tmp")));
      if (entry.path().extension() == ".json") {
        EXPECT_TRUE(nlohmann::json::accept(Text(entry.path()))) << name;
      }
    }
  }

  /// The whole command fails: exit code, the one line, and no output at all.
  void ExpectRefused(const testing::ProgramRun& run, int exit_code,
                     const std::vector<std::string>& words) const {
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    EXPECT_EQ(run.out, "");
    ExpectOneLine(run, words);
    for (const char* file : {"impacts.csv", "impacts.json", "fit.json", "calibration.json"})
      EXPECT_FALSE(fs::exists(folder_ / "out" / file)) << file;
    ExpectNothingHalfWritten();
  }

  /// `percuss run` of an experiment file that is refused at the door.
  void ExpectExperimentRefused(const std::string& experiment,
                               const std::vector<std::string>& words) const {
    folder_.Write("experiment.yaml", experiment);
    ExpectRefused(Percuss({"run", "experiment.yaml", "-o", "out"}), 2, words);
    EXPECT_FALSE(fs::exists(folder_ / "out"));
  }

  /// Six pairs of board images, copied so that a test can spoil them.
  void CopySixPairs() const {
    fs::remove(folder_ / "calibration");
    for (const char* side : {"left", "right"}) {
      fs::create_directories(folder_ / "calibration" / side);
      for (const char* name : {"00.png", "02.png", "04.png", "06.png", "08.png", "10.png"})
        fs::copy(kData / "calibration" / side / name, folder_ / "calibration" / side / name);
    }
    fs::copy(kData / "calibration/surface", folder_ / "calibration/surface");
  }

  void WriteGreyImage(const char* name) const {
    cv::imwrite((folder_ / name).string(), cv::Mat(720, 1280, CV_8UC1, cv::Scalar(80)));
  }

  testing::TemporaryFolder folder_;
};

// --- Experiment file.

TEST_F(BadInput, AMissingExperimentFileIsNamed) {
  ExpectRefused(Percuss({"run", "nowhere.yaml", "-o", "out"}), 2, {"nowhere.yaml"});
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

// --- Videos of one trial: the other trial goes on.

TEST_F(BadInput, AMissingVideoIsNamed) {
  ExpectTheOtherTrialGoesOn(TrackVideos("nowhere.mp4", "trials/a-slide/right.mp4"), 2,
                            {"nowhere.mp4"});
}

TEST_F(BadInput, ATruncatedVideoNamesTheFrame) {
  const std::string whole = Text(kData / "trials/a-slide/left.mp4");
  folder_.Write("cut.mp4", whole.substr(0, whole.size() / 2));
  ExpectTheOtherTrialGoesOn(TrackVideos("cut.mp4", "trials/a-slide/right.mp4"), 2,
                            {"cut.mp4", "frame ", "72 frames", "truncated"});
}

TEST_F(BadInput, AnEmptyVideoIsNamed) {
  folder_.Write("empty.mp4", "");
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "empty.mp4"), 2,
                            {"empty.mp4", "empty"});
}

TEST_F(BadInput, ATextFileIsNotAVideo) {
  ExpectTheOtherTrialGoesOn(TrackVideos("notes.txt", "trials/a-slide/right.mp4"), 2,
                            {"notes.txt", "no readable video"});
}

TEST_F(BadInput, CamerasOfDifferentSizeAreBothNamed) {
  WriteClip(kData / "trials/a-slide/right.mp4", 0, 20, folder_ / "small.avi", 0.5);
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "small.avi"), 2,
                            {"small.avi", "640 x 360", "1280 x 720"});
}

TEST_F(BadInput, AVideoWithoutFlashIsNamed) {
  WriteClip(kData / "trials/a-slide/right.mp4", 6, 40, folder_ / "dark.avi");
  ExpectTheOtherTrialGoesOn(TrackVideos("trials/a-slide/left.mp4", "dark.avi"), 3,
                            {"trial bad", "right video", "no flash", "frame "});
}

TEST_F(BadInput, AClipThatStopsBeforeTheImpactHasNone) {
  WriteClip(kData / "trials/a-slide/left.mp4", 0, 40, folder_ / "left.avi");
  WriteClip(kData / "trials/a-slide/right.mp4", 0, 35, folder_ / "right.avi");
  ExpectTheOtherTrialGoesOn(TrackVideos("left.avi", "right.avi"), 3,
                            {"trial bad", "no impact found", "left frames "});
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
  EXPECT_EQ(Text(folder_ / "notes.txt"), "Dropped the bar four times.\n");
}

TEST_F(BadInput, AFileInTheWayOfAResultFolderIsNamed) {
  folder_.Write("out/tracks", "in the way");
  const testing::ProgramRun run = Track(std::string(kHeader) + kGood);
  EXPECT_EQ(run.exit_code, 2);
  ExpectOneLine(run, {"out/tracks"});
  EXPECT_EQ(Text(folder_ / "out/tracks"), "in the way");
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
    EXPECT_THAT(Text(folder_ / report), HasSubstr("nowhere.mp4"));
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
  const std::string before = Text(folder_ / "experiment.yaml");
  ExpectRefused(Percuss({"calibrate", "experiment.yaml", "-o", "experiment.yaml"}), 2,
                {"experiment.yaml", "input"});
  EXPECT_EQ(Text(folder_ / "experiment.yaml"), before);
}

}  // namespace
}  // namespace percuss
