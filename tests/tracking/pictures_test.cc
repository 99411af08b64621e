// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/pictures.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "capture/video/video.h"
#include "tests/base/temporary_folder.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector3d;
using percuss::testing::TemporaryFolder;

const std::filesystem::path kTrial =
    std::filesystem::path(PERCUSS_DATA_DIR) / "bar-drop" / "trials" / "a-slide";

// One camera above W's origin that looks down: x to the right, y up in the picture.
calibration::RigCalibration OneCamera() {
  calibration::RigCalibration rig;
  calibration::CalibratedCamera& camera = rig.cameras.emplace_back();
  camera.name = "left";
  camera.camera = {.width = 1280, .height = 720};
  camera.camera.intrinsics = {1000, 1000, 639.5, 359.5};
  rig.world_from_first.R = Vector3d(1, -1, -1).asDiagonal();
  rig.world_from_first.t = {0, 0, 1};
  return rig;
}

// A body that stands still at the origin in frames 20 to 60 of a real video.
TrialResult StandingBody() {
  TrialResult result;
  result.trial = "a";
  for (int k = 20; k <= 60; ++k) {
    TrackedFrame frame;
    frame.left_frame = k;
    frame.time = k / 120.0;
    frame.pose.found = true;
    result.tracked.frames.push_back(frame);
  }
  TrialImpact impact;
  impact.record.trial = "a";
  impact.record.time = 40.3 / 120.0;
  impact.record.p_WB = Vector3d::Zero();
  result.impacts.push_back(impact);
  result.status = TrialResult::Status::kOk;
  return result;
}

capture::Trial OneVideo() {
  capture::Trial trial;
  trial.name = "a";
  trial.left = kTrial / "left.mp4";
  return trial;
}

capture::Experiment PlanarExperiment() {
  capture::Experiment experiment;
  experiment.planar = true;
  experiment.body.body = {.shape = solver::Box{{0.2, 0.1, 0.02}}, .mass = 1.0};
  experiment.body.body.inertia = Vector3d(1, 2, 3).asDiagonal();
  return experiment;
}

// Truth: pinhole projection by hand: the top corner (0.1, 0.05, 0.01) is 0.99 m below the camera,
// so 0.1 * 1000 / 0.99 = 101.01 px right of the centre; the margin is a quarter of 202.02 px.
TEST(WritePictures, CutsTheFramesOfTheVideoToTheBody) {
  const TemporaryFolder folder;
  const capture::Trial trial = OneVideo();
  WritePictures(PlanarExperiment(), trial, StandingBody(), OneCamera(),
                {"percuss pictures 1", "", {}}, folder.Path());
  const auto json = nlohmann::json::parse(ReadFile(folder / "pictures.json"));
  const auto& pictures = json["impacts"][0]["pictures"];
  ASSERT_EQ(pictures.size(), 3u);
  // 10 ms are 1.2 frames: 39.1, 40.3 and 41.5.
  EXPECT_EQ(pictures[0]["frame"], 39);
  EXPECT_EQ(pictures[1]["frame"], 40);
  EXPECT_GE(pictures[2]["frame"], 41);
  EXPECT_EQ(pictures[2]["moment"], "after");
  const auto& region = pictures[1]["region_px"];
  const double left = 639.5 - 101.0101 - 50.505, top = 359.5 - 50.505 - 50.505;
  EXPECT_NEAR(region[0].get<double>(), left, 1.0);
  EXPECT_NEAR(region[1].get<double>(), top, 1.0);
  // Whole pixels, at most one more on either side; a distance of n px reaches over n + 1 of them.
  EXPECT_NEAR(region[2].get<double>(), 2 * (639.5 - left) + 1, 2.0);
  EXPECT_NEAR(region[3].get<double>(), 2 * (359.5 - top) + 1, 2.0);

  capture::VideoReader reader(trial.left);
  reader.SkipTo(40);
  const cv::Mat frame = reader.Next()->luma;
  const cv::Rect part(region[0], region[1], region[2], region[3]);
  const cv::Mat saved = cv::imread((folder / "1-left-at.jpg").string(), cv::IMREAD_GRAYSCALE);
  ASSERT_EQ(saved.size(), part.size());
  EXPECT_LT(cv::norm(saved, frame(part), cv::NORM_L1) / static_cast<double>(part.area()), 3.0);
}

TEST(WritePictures, LeavesNothingOfATrialWithoutImpact) {
  const TemporaryFolder folder;
  folder.Write("pictures/1-left-at.jpg", "old");
  TrialResult result = StandingBody();
  result.impacts.clear();
  const capture::Trial trial = OneVideo();
  WritePictures(PlanarExperiment(), trial, result, OneCamera(), {}, folder / "pictures");
  EXPECT_FALSE(std::filesystem::exists(folder / "pictures"));
}

}  // namespace
}  // namespace percuss::tracking
