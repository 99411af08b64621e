// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "impacts/impact_files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tests/truth.h"
#include "tracking/track_files.h"

namespace percuss {

/// What the cases spoil: an experiment with one good trial of data/bar-drop.
inline const std::filesystem::path kBarDrop = std::filesystem::path(PERCUSS_DATA_DIR) / "bar-drop";

inline constexpr const char* kHeader = R"(name: bad
frame_rate: 120
board: {type: chessboard, columns: 9, rows: 6, square: 0.023}
calibration: {left: calibration/left/*.png, right: calibration/right/*.png, surface: {left: calibration/surface/left.png, right: calibration/surface/right.png}}
gravity: [0, 0, -9.80665]
body: {shape: box, size: [0.3065, 0.0515, 0.0125], mass: 0.185, markers: {A1: [-0.139, 0.0125, 0.00625], A2: [-0.087, -0.014, 0.00625], A3: [-0.0215, 0.0155, 0.00625], A4: [0.034, -0.011, 0.00625], A5: [0.0985, 0.0135, 0.00625], A6: [0.1375, -0.015, 0.00625]}, marker_diameter: 0.008}
trials:
)";
inline constexpr const char* kGood =
    "  - {name: good, left: trials/c-reverse/left.mp4, right: trials/c-reverse/right.mp4}\n";

/// Videos go through `percuss track` with the exact calibration, so that no test waits for one.
class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    for (const char* part : {"calibration", "trials"})
      std::filesystem::create_directory_symlink(kBarDrop / part, folder_ / part);
    folder_.Write("notes.txt", "Dropped the bar four times.\n");
  }

  testing::ProgramRun Percuss(const std::vector<std::string>& arguments) const {
    return testing::RunPercuss(arguments, folder_.Path());
  }

  testing::ProgramRun Track(const std::string& experiment) const {
    folder_.Write("experiment.yaml", experiment);
    calibration::WriteCalibration(truth::Calibration(truth::Read(kBarDrop)),
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
    const std::filesystem::path bad = folder_ / "out/tracks/bad";
    const tracking::TrialSummary summary = tracking::ReadTrialSummary(bad / "trial.json");
    EXPECT_EQ(summary.status, exit_code == 2 ? tracking::TrialResult::Status::kBadInput
                                             : tracking::TrialResult::Status::kNoAnswer);
    for (const std::string& word : words) EXPECT_THAT(summary.message, ::testing::HasSubstr(word));
    EXPECT_FALSE(std::filesystem::exists(bad / "impacts.json"));
    for (const char* file : {"out/impacts.csv", "out/impacts.json"}) {
      const impacts::ImpactTable table = impacts::ReadImpacts(folder_ / file);
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
    for (const std::string& word : words) EXPECT_THAT(complaints[0], ::testing::HasSubstr(word));
  }

  void ExpectNothingHalfWritten() const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.Path())) {
      const std::string name = entry.path().filename().string();
      EXPECT_THAT(name, ::testing::Not(::testing::HasSubstr("tmp")));
      if (entry.path().extension() == ".json") {
        EXPECT_TRUE(nlohmann::json::accept(ReadFile(entry.path()))) << name;
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
      EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / file)) << file;
    ExpectNothingHalfWritten();
  }

  /// `percuss run` of an experiment file that is refused at the door.
  void ExpectExperimentRefused(const std::string& experiment,
                               const std::vector<std::string>& words) const {
    folder_.Write("experiment.yaml", experiment);
    ExpectRefused(Percuss({"run", "experiment.yaml", "-o", "out"}), 2, words);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  }

  /// Six pairs of board images, copied so that a test can spoil them.
  void CopySixPairs() const {
    std::filesystem::remove(folder_ / "calibration");
    for (const char* side : {"left", "right"}) {
      std::filesystem::create_directories(folder_ / "calibration" / side);
      for (const char* name : {"00.png", "02.png", "04.png", "06.png", "08.png", "10.png"})
        std::filesystem::copy(kBarDrop / "calibration" / side / name,
                              folder_ / "calibration" / side / name);
    }
    std::filesystem::copy(kBarDrop / "calibration/surface", folder_ / "calibration/surface");
  }

  void WriteGreyImage(const char* name) const {
    cv::imwrite((folder_ / name).string(), cv::Mat(720, 1280, CV_8UC1, cv::Scalar(80)));
  }

  testing::TemporaryFolder folder_;
};

}  // namespace percuss
