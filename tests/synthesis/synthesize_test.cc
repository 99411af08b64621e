// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder that Synthesize writes, read back by capture. Source of truth: the spec.

#include "synthesis/synthesize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>

#include "capture/video/synchronisation.h"
#include "capture/video/video.h"
#include "synthesis/scene/scene_reader.h"
#include "tests/synthesis/spec_of.h"

namespace percuss::synthesis {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The mean grey value and the time of each frame.
struct Clip {
  std::vector<double> grey, times;
};

Clip ReadClip(const fs::path& file) {
  Clip clip;
  capture::VideoReader reader(file);
  while (const auto frame = reader.Next()) {
    clip.grey.push_back(cv::mean(frame->luma)[0]);
    clip.times.push_back(frame->time);
  }
  return clip;
}

json TruthIn(const fs::path& folder) { return json::parse(ReadFile(folder / "truth.json")); }

const char* const kTiny =
    "{image_size: [160, 90], calibration_pairs: 2, seed: 3,"
    " trials: [{name: whole, right_start_frames: 4}, {name: half, right_start_frames: -1.5}]}";

// Truth: the spec. The same pictures in 8 bits are as bright.
TEST(Synthesize, WritesTwelveBits) {
  const testing::TemporaryFolder folder;
  const std::string tiny = "image_size: [160, 90], calibration_pairs: 2, trials: [{name: one}]}";
  Synthesize(SpecOf("{bit_depth: 12, " + tiny), folder / "deep", {});
  Synthesize(SpecOf("{compression: lossless, " + tiny), folder / "plain", {});
  const auto trial = capture::ReadExperiment(folder / "deep/experiment.yaml").trials.at(0);
  EXPECT_EQ(trial.left.filename(), "left.mov");
  const auto frame = capture::VideoReader(trial.left).NextStored();
  EXPECT_EQ(frame->luma.type(), CV_16UC1);
  EXPECT_EQ(frame->levels, capture::LevelsOfBits(12));
  const Clip deep = ReadClip(trial.left);
  const Clip plain = ReadClip(folder / "plain/trials/one/left.mp4");
  ASSERT_EQ(deep.grey.size(), plain.grey.size());
  for (std::size_t k = 0; k < deep.grey.size(); ++k) {
    EXPECT_NEAR(deep.grey[k], plain.grey[k], 0.02);
    EXPECT_NEAR(deep.times[k], plain.times[k], 1e-6);
  }
}

TEST(Synthesize, WritesAnExperimentThatCanBeRead) {
  const testing::TemporaryFolder folder;
  const SceneSpec spec = SpecOf(kTiny);
  Synthesize(spec, folder / "made", {});
  const capture::Experiment experiment = capture::ReadExperiment(folder / "made/experiment.yaml");
  EXPECT_EQ(experiment.name, "synthetic");
  EXPECT_EQ(experiment.calibration.cameras.at(0).images.size(), 2U);
  EXPECT_EQ(experiment.body.markers.size(), 6U);
  EXPECT_EQ(experiment.body.markers[3].p_BM, spec.body.markers[3].p_BM);
  EXPECT_EQ(experiment.body.body.inertia, spec.body.body.inertia);
  ASSERT_EQ(experiment.trials.size(), 2U);

  const json truth = TruthIn(folder / "made");
  EXPECT_EQ(truth.at("mu"), 0.26);
  EXPECT_EQ(truth.at("e"), 0.55);
  for (const capture::Trial& trial : experiment.trials) {
    const json& exact = truth.at("trials").at(trial.name);
    const Clip left = ReadClip(trial.left), right = ReadClip(trial.right);
    EXPECT_EQ(left.times.size(), exact.at("cameras").at("left").at("frames").size());
    EXPECT_EQ(right.times.size(), exact.at("cameras").at("right").at("n_frames"));
    const double start = exact.at("cameras").at("right").at("start_time");
    for (std::size_t k = 0; k < right.times.size(); ++k) {
      const double time = exact.at("cameras").at("right").at("frames").at(k).at("time");
      EXPECT_NEAR(start + right.times[k], time, 1e-6);
    }
    // The flash, as the program finds it, is where the truth says: frames lit in whole or in part.
    const capture::Flash seen_left = capture::FindFlash(left.grey);
    const capture::Flash seen_right = capture::FindFlash(right.grey);
    ASSERT_TRUE(seen_left.found) << seen_left.reason;
    ASSERT_TRUE(seen_right.found) << seen_right.reason;
    EXPECT_NEAR(seen_left.centre_frame, exact.at("cameras").at("left").at("flash_frame"), 0.05);
    EXPECT_NEAR(seen_right.centre_frame, exact.at("cameras").at("right").at("flash_frame"), 0.05);
  }
}

std::map<std::string, std::string> Contents(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    contents[fs::relative(entry.path(), folder).string()] = ReadFile(entry.path());
  }
  return contents;
}

TEST(Synthesize, TheSameSeedGivesTheSameBytesAndAnotherOneOthers) {
  const testing::TemporaryFolder folder;
  const std::string rest = "image_size: [160, 90], calibration_pairs: 1}";
  Synthesize(SpecOf("{seed: 3, " + rest), folder / "a", {});
  Synthesize(SpecOf("{seed: 3, " + rest), folder / "b", {}, {.num_threads = 3});
  Synthesize(SpecOf("{seed: 4, " + rest), folder / "c", {});
  const auto a = Contents(folder / "a"), b = Contents(folder / "b"), c = Contents(folder / "c");
  EXPECT_EQ(a.size(), 8U);  // two pairs of pictures, two videos, two text files
  EXPECT_TRUE(a == b);
  EXPECT_NE(a.at("trials/trial-1/left.mp4"), c.at("trials/trial-1/left.mp4"));
  EXPECT_NE(a.at("calibration/left/00.png"), c.at("calibration/left/00.png"));
}

TEST(Synthesize, AnyShapeCanBeDroppedByAnyShutterAndAMeshComesAlong) {
  const testing::TemporaryFolder folder;
  folder.Write(
      "block.obj",
      "v 0 0 0\nv 60 0 0\nv 60 40 0\nv 0 40 0\nv 0 0 20\nv 60 0 20\nv 60 40 20\nv 0 40 20\n"
      "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const fs::path file = folder.Write(
      "spec.yaml",
      "{image_size: [160, 90], line_time: 1.0e-5, calibration_pairs: 1, body: {shape: mesh, file: "
      "block.obj, scale: "
      "0.001, mass: 0.1, marker_diameter: 0.008, markers: {A: [0.01, 0.01, 0.02], B: [0.05, 0.01, "
      "0.02], C: [0.02, 0.03, 0.02]}}}");
  const SceneSpec spec = ReadSceneSpec(file);
  Synthesize(spec, folder / "made", {});
  const capture::Experiment experiment = capture::ReadExperiment(folder / "made/experiment.yaml");
  EXPECT_EQ(experiment.line_time, (capture::PerCamera<double>{1e-5, 1e-5}));
  EXPECT_LT((experiment.body.markers[1].p_BM - spec.body.markers[1].p_BM).norm(), 1e-12);
  EXPECT_LT((experiment.body.body.inertia - spec.body.body.inertia).norm(), 1e-15);
}

TEST(Synthesize, WritesIntoNewOrEmptyFoldersOnly) {
  const testing::TemporaryFolder folder;
  folder.Write("made/notes.txt", "mine");
  EXPECT_THAT(testing::InputErrorOf([&] { Synthesize(SmallSpec(), folder / "made", {}); }),
              ::testing::HasSubstr("not empty"));
  EXPECT_EQ(Contents(folder / "made").size(), 1U);
}

}  // namespace
}  // namespace percuss::synthesis
