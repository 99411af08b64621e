// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Scenes of more than two cameras. Source of truth: the spec, and OpenCV's projectPoints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>

#include "base/files/files.h"
#include "capture/video/synchronisation.h"
#include "capture/video/video.h"
#include "synthesis/scene/board_poses.h"
#include "synthesis/synthesize.h"
#include "tests/synthesis/spec_of.h"

namespace percuss::synthesis {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSmall = "image_size: [160, 90], calibration_pairs: 5, ";
const std::string kFour =
    "cameras: {third: {position: [-0.5, -0.7, 0.6]}, right: {roll_deg: 3},"
    " top.4: {position: [0.7, -0.6, 0.6], roll_deg: 5, target: [0.1, 0, 0.1]}}, ";

std::string RefusalOf(const std::string& text) {
  return testing::InputErrorOf([&] { SpecOf(text); });
}

TEST(ManyCameras, AreReadAfterLeftAndRight) {
  const SceneSpec spec =
      SpecOf("{" + kFour +
             "trials: [{}, {right_start_frames: 2, start_frames: {third: -1.5}, camera_turn_deg: "
             "{top.4: [0, 0, 90]}}, {start_frames: {right: 3.5}}]}");
  EXPECT_THAT(spec.camera_names, ElementsAre("left", "right", "third", "top.4"));
  ASSERT_EQ(spec.cameras.size(), 4U);
  const Camera &left = spec.cameras[0], &third = spec.cameras[2];
  EXPECT_EQ(third.fx, left.fx);
  EXPECT_EQ(third.k1, left.k1);
  EXPECT_LT(
      (*Project(spec.cameras[3], {0.1, 0.0, 0.1}) - Eigen::Vector2d(third.cx, third.cy)).norm(),
      1e-9);
  // The target is in the principal point, but for the lens, which leaves that where it is.
  const Vector3d target(0.09, -0.05, 0.13);
  EXPECT_LT((*Project(third, target) - Eigen::Vector2d(third.cx, third.cy)).norm(), 1e-9);
  EXPECT_LT((third.Position() - Vector3d(-0.5, -0.7, 0.6)).norm(), 1e-12);

  const auto starts = [&](std::size_t trial) { return spec.trials[trial].start_frames; };
  EXPECT_THAT(starts(1), ElementsAre(0.0, 2.0, -1.5, starts(0)[3]));
  EXPECT_EQ(starts(2)[1], 3.5);
  std::set<double> parts;
  for (const double start : {starts(0)[2], starts(0)[3]}) parts.insert(start - std::floor(start));
  EXPECT_EQ(parts.size(), 2U);
  EXPECT_FALSE(parts.contains(0.0)) << "no default is a whole number";
  EXPECT_EQ(starts(0)[1], 5.0);
  EXPECT_NEAR(spec.trials[1].camera_turn[3].z(), 0.5 * std::numbers::pi, 1e-12);
  EXPECT_TRUE(spec.trials[1].camera_turn[2].isZero());
}

TEST(ManyCameras, ErrorsNameTheCamera) {
  EXPECT_THAT(RefusalOf("cameras: {third: {target: [0, 0, 0]}}"),
              HasSubstr("cameras.third.position (line 1)"));
  EXPECT_THAT(RefusalOf("cameras: {rigt: {roll_deg: 3}}"), HasSubstr("did you mean right?"));
  EXPECT_THAT(RefusalOf("cameras: {third: 3}"), HasSubstr("cameras.third"));
  EXPECT_THAT(RefusalOf("cameras: {a/b: {position: [0, -1, 1]}}"), HasSubstr("plain name"));
  for (const char* key : {"surface", "gravity", "markers"}) {
    EXPECT_THAT(RefusalOf(std::string("cameras: {") + key + ": {position: [0, -1, 1]}}"),
                HasSubstr("no other key beside those of cameras"));
  }
  EXPECT_THAT(RefusalOf("planar: true\ncameras: {third: {position: [0, -1, 1]}}"),
              HasSubstr("cameras.third"));
  EXPECT_THAT(RefusalOf("{" + kFour + "trials: [{start_frames: {fifth: 1}}]}"),
              HasSubstr("trials[#1].start_frames.fifth"));
  EXPECT_THAT(RefusalOf("{" + kFour + "trials: [{start_frames: {left: 1}}]}"),
              HasSubstr("start_frames.left"));
  EXPECT_THAT(RefusalOf("trials: [{right_start_frames: 1, start_frames: {right: 1}}]"),
              HasSubstr("right_start_frames as well"));
  EXPECT_THAT(RefusalOf("planar: true\ntrials: [{start_frames: {right: 1}}]"),
              HasSubstr("no right camera"));
  EXPECT_THAT(RefusalOf("{cameras: {third: {position: [0, 5, 2], target: [0, 9, 0.1]}}}"),
              HasSubstr("cameras 2 and 3 see the whole board"));
}

// How many of the boards each camera sees whole, on its printed side.
std::vector<int> SeenBy(const SceneSpec& spec, const std::vector<BoardPose>& boards) {
  const BoardExtent extent = BoardExtentOf(spec.board);
  std::vector<int> seen(spec.cameras.size());
  for (std::size_t c = 0; c < spec.cameras.size(); ++c) {
    for (const BoardPose& board : boards) {
      bool whole = board.R.col(2).dot(spec.cameras[c].Position() - board.t) > 0.0;
      for (const double a : {0.0, extent.points.x()}) {
        for (const double b : {0.0, extent.points.y()}) {
          const Vector3d p_W = board.R * Vector3d(a, -b, 0.0) * spec.board.square + board.t;
          const auto pixel = Project(spec.cameras[c], p_W);
          whole = whole && pixel && InImage(spec.cameras[c], *pixel);
        }
      }
      seen[c] += whole ? 1 : 0;
    }
  }
  return seen;
}

TEST(ManyCameras, SeeTheBoardsTogetherWhereTheyCanElseTwoByTwo) {
  const auto boards = [](const SceneSpec& spec) {
    return PlaceBoards(spec.cameras, spec.board, spec.calibration_pairs, spec.seed);
  };
  const SceneSpec four = SpecOf("{" + kFour + "calibration_pairs: 12}");
  EXPECT_THAT(SeenBy(four, boards(four)), ElementsAre(12, 12, 12, 12));
  // Round the surface, low: no board shows its printed side to all.
  const SceneSpec round = SpecOf(
      "{calibration_pairs: 12, cameras: {left: {position: [0, -1, 0.3], target: [0, 0, 0.1]},"
      " right: {position: [1, 0, 0.3], target: [0, 0, 0.1]},"
      " back: {position: [0, 1, 0.3], target: [0, 0, 0.1]},"
      " far: {position: [-1, 0, 0.3], target: [0, 0, 0.1]}}}");
  for (const int seen : SeenBy(round, boards(round))) EXPECT_GE(seen, 6);
  // In a row, the ends of which share nothing.
  const SceneSpec row = SpecOf(
      "{calibration_pairs: 11, cameras: {left: {position: [-0.8, -1, 0.5], target: [-0.7, 0, 0.1]},"
      " right: {position: [0, -1, 0.5], target: [0, 0, 0.1]},"
      " third: {position: [0.8, -1, 0.5], target: [0.7, 0, 0.1]}}}");
  const std::vector<int> seen = SeenBy(row, boards(row));
  EXPECT_EQ(boards(row).size(), 11U);
  EXPECT_THAT(seen, ElementsAre(6, 11, 5));
}

TEST(ManyCameras, EachHasPicturesVideosAndTruth) {
  const testing::TemporaryFolder folder;
  const SceneSpec spec = SpecOf("{" + kSmall + kFour +
                                "trials: [{name: a, camera_turn_deg: {third: [0, 1, 0]}, "
                                "occluder: {position: [0.1, -0.4]}},"
                                " {name: b, slope: {angle_deg: 10}}]}");
  Synthesize(spec, folder / "made", {});
  const std::string text = ReadFile(folder / "made/experiment.yaml");
  EXPECT_THAT(text,
              HasSubstr("calibration: {cameras: {left: calibration/left/*.png, right: "
                        "calibration/right/*.png, third: calibration/third/*.png, top.4: "
                        "calibration/top.4/*.png}, surface: {left: calibration/surface/left.png, "
                        "right: calibration/surface/right.png, third: "
                        "calibration/surface/third.png, top.4: calibration/surface/top.4.png}}"));
  EXPECT_THAT(text,
              HasSubstr("  - {name: a, left: trials/a/left.mp4, right: trials/a/right.mp4, third: "
                        "trials/a/third.mp4, top.4: trials/a/top.4.mp4, gravity: "));
  EXPECT_THAT(text, HasSubstr("third: trials/b/surface-third.png, top.4: "
                              "trials/b/surface-top.4.png}, gravity: "));
  for (const char* picture : {"calibration/third/04.png", "calibration/surface/top.4.png",
                              "trials/b/surface-top.4.png"}) {
    EXPECT_EQ(cv::imread((folder / "made" / picture).string()).size(), cv::Size(160, 90));
  }
  const json truth = json::parse(ReadFile(folder / "made/truth.json"));
  EXPECT_EQ(truth.at("cameras").size(), 4U);
  for (std::size_t c = 0; c < 4; ++c) {
    const std::string& name = spec.camera_names[c];
    EXPECT_EQ(truth.at("world_to_" + name).at("t").at(2), spec.cameras[c].t_CW.z());
    const json& trial = truth.at("trials").at("a");
    const json& of_camera = trial.at("cameras").at(name);
    EXPECT_NEAR(of_camera.at("start_time"), spec.trials[0].start_frames[c] / 120.0, 1e-12);
    if (c > 0) {
      EXPECT_NEAR(trial.at("time_offset_" + name + "_minus_left"),
                  spec.trials[0].start_frames[c] / 120.0, 1e-12);
    }
    // The video has the frames of the truth, and its flash where the truth has it: as long as a
    // frame, it lights whole ones.
    std::vector<double> grey;
    capture::VideoReader reader(folder / "made/trials/a" / (name + ".mp4"));
    while (const auto frame = reader.Next()) grey.push_back(cv::mean(frame->luma)[0]);
    EXPECT_EQ(grey.size(), of_camera.at("n_frames"));
    const capture::Flash flash = capture::FindFlash(grey);
    ASSERT_TRUE(flash.found) << flash.reason;
    EXPECT_NEAR(flash.centre_frame, of_camera.at("flash_frame"), 0.5) << name;
    EXPECT_TRUE(trial.at("occluder").contains("occluded_" + name));
  }
  EXPECT_EQ(truth.at("trials").at("a").at("camera_turn_deg").size(), 1U);
  EXPECT_NEAR(truth.at("trials").at("a").at("camera_turn_deg").at("third").at(1), 1.0, 1e-12);

  // Pixels of the markers by OpenCV, from world and lens of truth.json, in the camera not turned.
  const json& lens = truth.at("cameras").at("top.4");
  const json& pose = truth.at("world_to_top.4");
  const auto number = [&](const char* key) { return lens.at(key).get<double>(); };
  const cv::Matx33d K(number("fx"), 0, number("cx"), 0, number("fy"), number("cy"), 0, 0, 1);
  const std::vector<double> distortion = {number("k1"), number("k2"), number("p1"), number("p2"),
                                          number("k3")};
  cv::Matx33d R;
  for (int i = 0; i < 9; ++i) R.val[i] = pose.at("R").at(i / 3).at(i % 3);
  cv::Vec3d rotation;
  cv::Rodrigues(R, rotation);
  const json& t = pose.at("t");
  const json& frame = truth.at("trials").at("a").at("cameras").at("top.4").at("frames").at(40);
  for (const auto& [name, place] : frame.at("markers_world").items()) {
    std::vector<cv::Point2d> pixel;
    cv::projectPoints(std::vector<cv::Point3d>{{place.at(0), place.at(1), place.at(2)}}, rotation,
                      cv::Vec3d(t.at(0), t.at(1), t.at(2)), K, distortion, pixel);
    EXPECT_NEAR(pixel[0].x, frame.at("markers_px").at(name).at(0), 1e-6);
    EXPECT_NEAR(pixel[0].y, frame.at("markers_px").at(name).at(1), 1e-6);
  }
}

}  // namespace
}  // namespace percuss::synthesis
