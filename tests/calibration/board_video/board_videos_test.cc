// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: rendered videos of a waved board, with known cameras, poses and clocks.

#include "calibration/board_video/board_videos.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "calibration/calibrate.h"
#include "capture/video/video_writer.h"
#include "tests/base/temporary_folder.h"
#include "tests/calibration/board_video/waved_board.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;

capture::Experiment ExperimentIn(const TemporaryFolder& folder, const WavedRig& rig) {
  capture::Experiment experiment;
  experiment.file = folder / "experiment.yaml";
  experiment.board = rig.board;
  experiment.calibration.cameras = {
      {.name = "left", .images = {folder / "left.mp4"}, .surface = folder / "surface-left.mp4"},
      {.name = "right", .images = {folder / "right.mp4"}, .surface = folder / "surface-right.mp4"}};
  return experiment;
}

// A board on the surface, 0.9 m away; with `sway` it moves [rad].
Waving OnSurface(double sway) {
  BoardHold flat{.turn = 0.0, .tilt = {-0.5, 0.0, 0.0}, .centre = {0.03, 0.02, 0.6}};
  BoardHold other = flat;
  other.turn = sway;
  return {.holds = {flat, other}, .period = 0.1, .rest = 0.0, .tremor = 0.0};
}

class BoardVideos : public ::testing::Test {
 protected:
  void Film(const Waving& left, const Waving& right, int num_frames) {
    FilmBoard(rig_, 0, left, filming_, num_frames, folder_ / "left.mp4");
    FilmBoard(rig_, 1, right, filming_, num_frames, folder_ / "right.mp4");
    FilmSurface(0.0);
  }
  void FilmSurface(double sway) {
    FilmBoard(rig_, 0, OnSurface(sway), filming_, 5, folder_ / "surface-left.mp4");
    FilmBoard(rig_, 1, OnSurface(sway), filming_, 5, folder_ / "surface-right.mp4");
  }
  RigCalibration Calibrate() const {
    return CalibrateRig(ExperimentIn(folder_, rig_), {.num_threads = 2, .num_folds = 0});
  }
  std::string DataErrorOf() const {
    try {
      Calibrate();
    } catch (const DataError& error) {
      return error.what();
    }
    return "(no DataError)";
  }

  TemporaryFolder folder_;
  Waving waving_{.holds = RandomHolds(8, 0.55, 4), .period = 0.3, .rest = 0.1};
  WavedRig rig_ = MakeWavedRig(320, 240);
  Filming filming_{
      .start = {0.0, 8.4 / 48.0}, .rate = {48.0, 48.0}, .exposure = 1.0 / 200.0, .crf = {}};
};

TEST_F(BoardVideos, CalibrateCamerasWhoseClocksAreNotKnown) {
  Film(waving_, waving_, 80);
  const RigCalibration found = Calibrate();
  EXPECT_GE(found.quality.num_views, 12);
  EXPECT_THAT(found.views[0].images[0].file, HasSubstr("left.mp4 frame "));
  // 0.4 frames apart: the other camera is never seen at a whole frame.
  EXPECT_THAT(found.views[0].images[1].file,
              ::testing::ContainsRegex("right.mp4 frame [0-9]+\\.[0-9]"));
  EXPECT_EQ(found.views.back().images[0].file, "surface-left.mp4 mean of 5 frames");
  EXPECT_LT(found.rms_px, 0.3);
  const Eigen::VectorXd sigma = found.covariance.diagonal().cwiseSqrt();
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::size_t k = 0; k < 4; ++k) {
      const double error = found.cameras[c].camera.intrinsics[k] - rig_.cameras[c].intrinsics[k];
      EXPECT_LT(std::abs(error),
                4.0 * sigma[found.Places().Intrinsics(static_cast<int>(c)) + static_cast<int>(k)])
          << c << ' ' << k;
      EXPECT_LT(std::abs(error), 0.02 * rig_.cameras[c].intrinsics[0]);
    }
  }
  const double baseline = rig_.camera_from_first[1].t.norm();
  EXPECT_NEAR(found.cameras[1].from_first.t.norm(), baseline,
              std::min(0.01 * baseline, 4.0 * BaselineSigma(found, 1)));
}

TEST_F(BoardVideos, RefuseVideosOfDifferentMotions) {
  Film(waving_, {.holds = RandomHolds(8, 0.55, 77), .period = 0.3, .rest = 0.1}, 48);
  const std::string message = DataErrorOf();
  EXPECT_THAT(message, HasSubstr("left.mp4 and "));
  EXPECT_THAT(message, HasSubstr("right.mp4 cannot be paired: "));
}

TEST_F(BoardVideos, RefuseAVideoWithoutASharpFrame) {
  filming_.exposure = 0.3;  // the motion from hold to hold on one frame
  const Waving waving{.holds = RandomHolds(8, 0.55, 4), .period = 0.3, .rest = 0.0};
  Film(waving, waving, 24);
  const std::string message = DataErrorOf();
  EXPECT_THAT(message, HasSubstr("left.mp4: the board is found in "));
  EXPECT_THAT(message, HasSubstr("at least 10 are needed"));
}

TEST_F(BoardVideos, RefuseABoardThatMovesOnTheSurface) {
  Film(waving_, waving_, 2);
  filming_.start = {0.0, 0.0};
  filming_.exposure = 1e-4;
  FilmSurface(0.3);
  const std::string message = DataErrorOf();
  EXPECT_THAT(message, HasSubstr("the board on the surface moves"));
  EXPECT_THAT(message, HasSubstr("film it lying still"));
}

}  // namespace
}  // namespace percuss::calibration
