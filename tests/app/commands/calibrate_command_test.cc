// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <string>

#include "calibration/rig/rig_calibration.h"
#include "tests/app/commands/command_test.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;
using percuss::testing::CommandRun;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CalibrateCommand : public percuss::testing::CommandTest {
 protected:
  CalibrateCommand() {
    const fs::path data = fs::path(PERCUSS_DATA_DIR) / "bar-drop" / "calibration";
    for (const char* side : {"left", "right"}) {
      fs::create_directories(folder_ / side);
      for (const char* name : {"00.png", "01.png", "02.png", "03.png"}) {
        fs::copy(data / side / name, folder_ / side / name);
      }
    }
    fs::copy(data / "surface", folder_ / "surface");
    WriteExperiment("{type: chessboard, columns: 9, rows: 6, square: 0.023}");
  }

  void WriteExperiment(const std::string& board) const {
    std::ofstream(folder_ / "experiment.yaml")
        << "name: four-pairs\nframe_rate: 120\nboard: " << board
        << "\ncalibration: {left: left/*.png, right: right/*.png, surface: {left: "
           "surface/left.png, "
           "right: surface/right.png}}\n"
           "gravity: [0, 0, -9.80665]\n"
           "body: {shape: box, size: [0.3, 0.05, 0.01], mass: 0.2, markers: {A1: [0.1, 0, 0.005], "
           "A2: [-0.1, 0.01, 0.005], A3: [0, -0.02, 0.005], A4: [0.03, 0.01, 0.005]}, "
           "marker_diameter: 0.008}\n"
           "trials: [{name: a, left: a.mp4, right: b.mp4}]\n";
  }

  CommandRun Run(const std::string& arguments) const { return Percuss("calibrate " + arguments); }
};

TEST_F(CalibrateCommand, WritesTheFileAndASummaryAndExitsWithZero) {
  const CommandRun outcome = Run("experiment.yaml -o new/calibration.json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("left   fx"), HasSubstr("baseline 351."),
                                 HasSubstr("held out"), HasSubstr("verdict")));
  EXPECT_THAT(outcome.out, HasSubstr("Page: new/calibration.html"));
  EXPECT_THAT(ReadFile(folder_ / "new/calibration.html"),
              HasSubstr("<title>Calibration of four-pairs</title>"));
  const RigCalibration calibration = ReadCalibration(folder_ / "new/calibration.json");
  EXPECT_EQ(calibration.views[3].images[0].file, "left/03.png");
  const nlohmann::json json =
      nlohmann::json::parse(std::ifstream(folder_ / "new/calibration.json"));
  EXPECT_EQ(json["inputs"].size(), 11U);  // experiment, 4 pairs, surface pair
  EXPECT_EQ(json["inputs"][0]["file"], "experiment.yaml without trials");
  EXPECT_THAT(json["command"].get<std::string>(), HasSubstr("calibrate experiment.yaml"));
}

TEST_F(CalibrateCommand, JsonPrintsTheFile) {
  const CommandRun outcome = Run("experiment.yaml -o calibration.json --json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, ReadFile(folder_ / "calibration.json"));
}

// Exit 0 would say that every listed image was used.
TEST_F(CalibrateCommand, LeavesOutAViewWithoutBoardNamesItAndExitsWithThree) {
  cv::imwrite((folder_ / "left/01.png").string(), cv::Mat(720, 1280, CV_8UC1, cv::Scalar(80)));
  const CommandRun outcome = Run("experiment.yaml -o calibration.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("left out: left/01.png, right/01.png: left image: no "
                                     "chessboard of 9 x 6 inner corners found"));
  EXPECT_FALSE(ReadCalibration(folder_ / "calibration.json").views[1].used);
}

TEST_F(CalibrateCommand, BadInputExitsWithTwoAndWritesNothing) {
  std::ofstream(folder_ / "right/02.png") << "not an image";
  const CommandRun outcome = Run("experiment.yaml -o calibration.json");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("right/02.png: cannot be read"));
  EXPECT_FALSE(fs::exists(folder_ / "calibration.json"));
}

TEST_F(CalibrateCommand, AWrongBoardExitsWithThreeAndWritesNothing) {
  // OpenCV searches for seconds in each picture that shows another board: no more of them than must
  // be.
  for (const char* side : {"left", "right"}) fs::remove(folder_ / side / "03.png");
  WriteExperiment("{type: chessboard, columns: 9, rows: 4, square: 0.023}");
  const CommandRun outcome = Run("experiment.yaml -o calibration.json");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err,
              AllOf(HasSubstr("no chessboard of 9 x 4"), HasSubstr("shows 9 x 6 inner corners")));
  EXPECT_FALSE(fs::exists(folder_ / "calibration.json"));
}

TEST_F(CalibrateCommand, NeverWritesOverItsInput) {
  const CommandRun outcome = Run("experiment.yaml -o left/../experiment.yaml");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("is an input"));
  const CommandRun page = Run("experiment.yaml -o calibration.html");
  EXPECT_EQ(page.exit_code, 2);
  EXPECT_THAT(page.err, HasSubstr("--output: found calibration.html, allowed is a name that does"));
}

TEST_F(CalibrateCommand, HelpHasAnExample) {
  const CommandRun outcome = Run("--help");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("percuss calibrate data/bar-drop/experiment.yaml -o"));
}

}  // namespace
}  // namespace percuss::calibration
