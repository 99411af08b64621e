// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Keys of trials with tracks in place of videos.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "capture/experiment/experiment.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class TracksInAnExperiment : public ::testing::Test {
 protected:
  Experiment Read(const std::string& trial, const std::string& more = "") const {
    for (const char* name : {"l.png", "r.png"}) folder_.Write(name, "");
    return ReadExperiment(folder_.Write(
        "experiment.yaml",
        "frame_rate: 240\nboard: {type: chessboard, columns: 9, rows: 6, square: 0.02}\n"
        "calibration: {left: l.png, right: r.png, surface: {left: l.png, right: r.png}}\n"
        "body:\n  shape: box\n  size: [0.1, 0.08, 0.06]\n  mass: 0.5\n"
        "  markers: {A: [0.05, 0.03, 0.01], B: [-0.05, 0.02, -0.02], C: [0.02, -0.04, 0.02]}\n" +
            more + "trials:\n  - " + trial + "\n"));
  }
  std::string ErrorOf(const std::string& trial, const std::string& more = "") const {
    return InputErrorOf([&] { Read(trial, more); });
  }
  TemporaryFolder folder_;
};

TEST_F(TracksInAnExperiment, AreReadAndTheRightOnesAreAsTheLeftOnes) {
  const Trial trial =
      Read(
          "{name: d, left: {tracks: a.csv, format: deeplabcut, names: {A: nose, B: ear}, "
          "sigma_px: 0.4, offset: 0.5, least_likelihood: 0.9, y_axis: up, first_pixel: [1, 2], "
          "frame_rate: 100, track: x}, right: {tracks: [b.csv, c.csv], sigma_px: 0.6}}")
          .trials.at(0);
  EXPECT_FALSE(trial.FromVideos());
  const TrackSource &left = *trial.tracks[0], &right = *trial.tracks[1];
  EXPECT_THAT(right.files, ElementsAre(folder_ / "b.csv", folder_ / "c.csv"));
  EXPECT_EQ(trial.left, folder_ / "a.csv");
  EXPECT_EQ(trial.right, folder_ / "b.csv");
  EXPECT_THAT(right.names, ElementsAre(Pair("A", "nose"), Pair("B", "ear")));
  EXPECT_EQ(right.format, TrackFormat::kDeepLabCut);
  EXPECT_EQ(right.first_pixel, Eigen::Vector2d(1, 2));
  EXPECT_TRUE(right.y_up);
  EXPECT_EQ(right.frame_rate, 100.0);
  EXPECT_EQ(right.track, "x");
  EXPECT_EQ(right.least_likelihood, 0.9);
  EXPECT_EQ(left.sigma_px, 0.4);
  EXPECT_EQ(right.sigma_px, 0.6);
  EXPECT_EQ(left.offset, 0.5);
  EXPECT_FALSE(right.offset) << "of the left one alone";
  EXPECT_EQ(left.camera, "1");
  EXPECT_EQ(right.camera, "2");
}

TEST_F(TracksInAnExperiment, OfOneFileForBothCameras) {
  const Trial trial = Read("{name: d, left: {tracks: xy.csv}, right: {camera: 2}}").trials.at(0);
  EXPECT_EQ(trial.tracks[1]->files, trial.tracks[0]->files);
  EXPECT_THAT(ErrorOf("{name: d, left: {tracks: xy.csv}, right: {camera: 1}}"),
              HasSubstr("the file and the camera of left again"));
}

TEST_F(TracksInAnExperiment, NeedNoDiameterOfMarkersButVideosDo) {
  EXPECT_TRUE(Read("{name: d, left: {tracks: a.csv}, right: {tracks: b.csv}}").HasVideos());
  EXPECT_THAT(ErrorOf("{name: d, left: a.mp4, right: b.mp4}"), HasSubstr("marker_diameter"));
}

TEST_F(TracksInAnExperiment, OfOneCameraInAPlane) {
  folder_.Write("l.png", "");
  const auto read = [&](const std::string& trial) {
    return ReadExperiment(folder_.Write(
        "planar.yaml",
        "planar: true\nframe_rate: 240\n"
        "board: {type: chessboard, columns: 9, rows: 6, square: 0.02}\n"
        "calibration: {left: l.png, surface: {left: l.png}}\n"
        "body: {shape: box, size: [0.1, 0.08, 0.06], mass: 0.5, markers: {A: [0.05, -0.04, 0.01], "
        "B: [-0.05, -0.04, -0.02], C: [0.02, -0.04, 0.02]}}\ntrials: [" +
            trial + "]\n"));
  };
  const Trial trial = read("{name: d, left: {tracks: a.csv}}").trials.at(0);
  EXPECT_TRUE(trial.tracks[0]);
  EXPECT_EQ(trial.tracks.size(), 1u);
  EXPECT_TRUE(trial.right.empty());
  EXPECT_THAT(InputErrorOf([&] { read("{name: d, left: {tracks: a.csv}, right: {camera: 2}}"); }),
              HasSubstr("no right video where planar is true"));
}

TEST_F(TracksInAnExperiment, SayWhichKeyIsWrong) {
  const auto of_left = [&](const std::string& keys) {
    return ErrorOf("{name: d, left: {tracks: a.csv, " + keys + "}, right: {tracks: b.csv}}");
  };
  EXPECT_THAT(of_left("formt: csv"), AllOf(HasSubstr("formt"), HasSubstr("did you mean format")));
  EXPECT_THAT(of_left("format: dlc"), HasSubstr("allowed csv, deeplabcut, dltdv, sleap"));
  EXPECT_THAT(of_left("y_axis: left"), HasSubstr("down or up"));
  EXPECT_THAT(of_left("least_likelihood: 60"), HasSubstr("at most 1"));
  EXPECT_THAT(of_left("sigma_px: 0"), HasSubstr("above 0"));
  EXPECT_THAT(of_left("frame_rate: -1"), HasSubstr("above 0"));
  EXPECT_THAT(of_left("first_pixel: [1]"), HasSubstr("first_pixel"));
  EXPECT_THAT(of_left("names: {A: nose, B: nose}"), HasSubstr("nose a second time"));
  EXPECT_THAT(of_left("names: {A: nose}, labelled: false"), HasSubstr("names with labelled"));
  EXPECT_THAT(of_left("tracks: []"), HasSubstr("tracks"));
  EXPECT_THAT(ErrorOf("{name: d, left: {tracks: a.csv}}"), HasSubstr("right"));
  EXPECT_THAT(ErrorOf("{name: d, left: {format: csv}, right: {tracks: b.csv}}"),
              HasSubstr("tracks"));
  EXPECT_THAT(ErrorOf("{name: d, left: {tracks: a.csv}, right: b.mp4}"),
              HasSubstr("tracks of the other camera as well"));
  EXPECT_THAT(ErrorOf("{name: d, left: a.mp4, right: {tracks: b.csv}}"),
              HasSubstr("tracks of the other camera as well"));
}

TEST_F(TracksInAnExperiment, AreOfBodiesWithMarkers) {
  for (const char* name : {"l.png", "r.png"}) folder_.Write(name, "");
  const std::string start =
      "frame_rate: 240\nboard: {type: chessboard, columns: 9, rows: 6, square: 0.02}\n"
      "calibration: {left: l.png, right: r.png, surface: {left: l.png, right: r.png}}\n";
  const std::string trials = "trials: [{name: d, left: {tracks: a.csv}, right: {tracks: b.csv}}]\n";
  const auto error = [&](const std::string& body) {
    return InputErrorOf([&] { ReadExperiment(folder_.Write("ball.yaml", start + body + trials)); });
  };
  EXPECT_THAT(error("body: {shape: sphere, diameter: 0.04, mass: 0.003}\n"),
              HasSubstr("tracks of a ball without markers"));
  EXPECT_THAT(error("body: {shape: box, size: [0.1, 0.08, 0.06], mass: 0.5, markers: {count: 6}, "
                    "marker_diameter: 0.008}\n"),
              HasSubstr("no places, with trials of other motion capture or of tracks"));
}

}  // namespace
}  // namespace percuss::capture
