// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Experiment files of a ball without markers. Source of truth: the files themselves.

#include "capture/experiment/ball_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capture/experiment/experiment.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

using ::testing::ElementsAre;
using Kind = MotionSource::Kind;

constexpr const char* kBall =
    "body: {shape: sphere, diameter: 0.04, mass: 0.0027, sigma: {length: 0.0002}}\n";

class BallTrials : public ::testing::Test {
 protected:
  BallTrials() {
    folder_.Write("clips/a.mp4", "");
    folder_.Write("clips/b.mp4", "");
    folder_.Write("centres.csv", "t,x,y,z,wx,wy,wz,toss\n0,0,0,1,0,0,0,1\n1,0,0,1,0,0,0,2\n");
    folder_.Write("poses.csv", "t,x,y,z,qw,qx,qy,qz\n0,0,0,1,1,0,0,0\n");
  }
  Experiment Read(const std::string& text) const {
    return ReadExperiment(folder_.Write("experiment.yaml", text));
  }
  /// The message without the file's name in front.
  std::string Message(const std::string& text) const {
    const std::string message = testing::InputErrorOf([&] { Read(text); });
    const std::string start = (folder_ / "experiment.yaml").string() + ": ";
    return message.starts_with(start) ? message.substr(start.size()) : "(no file) " + message;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(BallTrials, ClipsAndTablesNeedNeitherBoardNorMarkers) {
  const Experiment experiment = Read(std::string(kBall) +
                                     "trials:\n"
                                     "  - {clip: clips/*.mp4, group: {surface: steel}}\n"
                                     "  - {name: slow, clip: clips/a.mp4, frame_rate: 240, "
                                     "ball: [412, 300.5]}\n"
                                     "  - {poses: centres.csv, split: toss, axes: [x, -z, y]}\n"
                                     "  - {name: gone, poses: gone.csv}\n");
  std::vector<std::string> names;
  for (const Trial& trial : experiment.trials) {
    names.push_back(trial.name);
    EXPECT_TRUE(IsBallTrial(trial, experiment.body)) << trial.name;
  }
  EXPECT_THAT(names, ElementsAre("a", "b", "slow", "1", "2", "gone"));
  EXPECT_TRUE(experiment.OfBall());
  EXPECT_FALSE(experiment.HasVideos());
  EXPECT_EQ(experiment.trials[1].motion->kind, Kind::kClip);
  EXPECT_EQ(experiment.trials[1].motion->file, folder_ / "clips/b.mp4");
  EXPECT_EQ(experiment.trials[1].group.at("surface"), "steel");
  EXPECT_EQ(experiment.trials[2].motion->frame_rate, 240.0);
  EXPECT_EQ(*experiment.trials[2].motion->ball, Eigen::Vector2d(412.0, 300.5));
  EXPECT_EQ(experiment.trials[4].motion->kind, Kind::kCentres);
  EXPECT_EQ(experiment.trials[4].motion->R_WF.row(1), Eigen::RowVector3d(0, 0, -1));
  EXPECT_EQ(std::get<solver::Sphere>(experiment.body.body.shape).radius, 0.02);
  EXPECT_DOUBLE_EQ(experiment.body.sigma.length, 0.0001) << "of the radius: half of the diameter's";
}

TEST_F(BallTrials, PosesWithAnOrientationAreNoBall) {
  const std::string trial = "trials: [{name: a, poses: poses.csv}]\n";
  const Experiment turned = Read(kBall + trial);
  EXPECT_FALSE(turned.OfBall());
  EXPECT_EQ(turned.trials[0].motion->kind, Kind::kPoses);
  const Experiment named = Read(kBall + std::string("trials: [{poses: centres.csv, columns: {qw: "
                                                    "wx, qx: wx, qy: wy, qz: wz}}]\n"));
  EXPECT_EQ(named.trials[0].motion->kind, Kind::kPoses);
  // Without orientation a box is what it was: an error when its trial is processed.
  const Experiment box =
      Read("body: {shape: box, size: [0.1, 0.1, 0.1], mass: 1}\ntrials: [{poses: centres.csv}]\n");
  EXPECT_EQ(box.trials[0].motion->kind, Kind::kPoses);
}

TEST_F(BallTrials, TwoCamerasNeedTheirCalibrationAlone) {
  EXPECT_EQ(
      Message(kBall + std::string("trials: [{name: a, left: l.mp4, right: r.mp4}]\n")),
      "board (line 1): found nothing, allowed a map with the keys type, columns, rows, square, "
      "sigma");
  folder_.Write("l/1.png", "");
  folder_.Write("r/1.png", "");
  const std::string rig =
      "board: {type: chessboard, columns: 9, rows: 6, square: 0.023}\n"
      "calibration: {left: l/*.png, right: r/*.png, surface: {left: l/1.png, right: r/1.png}}\n";
  const Experiment experiment =
      Read(kBall + rig +
           "synchronisation: {offset: 0.25, sigma: 0.01}\n"
           "trials: [{name: a, left: l.mp4, right: r.mp4}, {name: b, clip: b.mp4}]\n");
  EXPECT_TRUE(experiment.OfBall());
  EXPECT_TRUE(experiment.HasVideos());
  EXPECT_EQ(Message(kBall + rig + "trials: [{name: a, left: l.mp4}]\n"),
            "trials[#1].right (line 4): found nothing, allowed a video file; the video of one "
            "camera alone is clip");
}

TEST_F(BallTrials, NameTheLineThatDoesNotGoWithABall) {
  const auto with = [&](const std::string& trial, const std::string& more = "") {
    return Message(kBall + more + "trials:\n  - {clip: clips/a.mp4}\n  - {" + trial + "}\n");
  };
  EXPECT_EQ(with("poses: poses.csv"),
            "trials[#2] (line 4): found an orientation after trials of a ball without, allowed one "
            "kind in a file: put these trials into another");
  EXPECT_EQ(with("clip: clips/b.mp4, left: l.mp4"),
            "trials[#2].clip (line 4): found clip beside left or right, allowed left and right, or "
            "poses, or markers, or clip");
  EXPECT_EQ(with("clip: clips/b.mp4, poses: centres.csv"),
            "trials[#2].clip (line 4): found both poses and clip, allowed one of them");
  EXPECT_EQ(with("clip: clips/a.mp4"),
            "trials[#2].clip (line 4): found a a second time, allowed each name once");
  EXPECT_EQ(with("clip: clips/b.mp4, axes: [x, y, z]"),
            "trials[#2].axes (line 4): found a key of trajectories, allowed none with clip");
  EXPECT_EQ(with("clip: clips/b.mp4, split: toss"),
            "trials[#2].split (line 4): found a key of tables of poses, allowed none with clip");
  EXPECT_EQ(with("poses: centres.csv, ball: [1, 2]"),
            "trials[#2].ball (line 4): found a pixel that the ball passes, allowed that with clip");
  EXPECT_EQ(with("poses: centres.csv, sigma: {position: 0.001}"),
            "trials[#2].sigma (line 4): found one for all centres of a ball, which the residuals "
            "show, allowed none, or columns sigma or sx, sy, sz of the table");
  EXPECT_EQ(with("clip: clips/b.mp4, kind: slide"),
            "trials[#2].kind (line 4): found a slide of a ball, allowed drop: a ball rolls");
  EXPECT_EQ(with("clip: clips/b.mp4, slope: {angle_deg: 20}"),
            "trials[#2].slope (line 4): found a surface of its own, allowed a level one with a "
            "ball without markers");
  EXPECT_EQ(with("clip: clips/b.mp4, gravity: [1, 0, -9.7]"),
            "trials[#2].gravity (line 4): found a slope, allowed [0, 0, z] with a ball without "
            "markers: a level surface");
  EXPECT_EQ(with("clip: clips/b.mp4", "exposure: 0.001\n"),
            "exposure (line 2): found a key of bodies with markers, allowed none with a ball "
            "without markers, whose outlines show it");
  EXPECT_EQ(with("clip: clips/b.mp4", "synchronisation: {genlocked: true}\n"),
            "synchronisation.genlocked (line 2): found a key of bodies with markers, allowed "
            "offset with a ball without markers: by how much later the right videos begin");
  EXPECT_EQ(Message("body: {shape: sphere, radius: 0.02, mass: 1, marker_diameter: 0.004, markers: "
                    "{A: [0, 0, 0.02], B: [0, 0.02, 0], C: [0.02, 0, 0]}}\n"
                    "trials: [{clip: clips/a.mp4}]\n"),
            "trials[#1].clip (line 2): found the clip of one camera, allowed that with body: "
            "{shape: sphere, ...} without markers");
  EXPECT_EQ(Message("body: {shape: sphere, radius: 0.02, diameter: 0.04, mass: 1}\n"
                    "trials: [{clip: clips/a.mp4}]\n"),
            "body.diameter (line 1): found both radius and diameter, allowed one of them");
}

}  // namespace
}  // namespace percuss::capture
