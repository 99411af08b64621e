// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// The same drops with tags on the body instead of dots, rendered, measured and compared with the
// truth, which the program does not see.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files/files.h"
#include "calibration/rig/rig_calibration.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"
#include "tests/synthesis/runs/slide_and_stick.h"
#include "tests/truth.h"
#include "tracking/trial.h"

namespace percuss {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kRightStart = 5.0 / 120.0;  // after the left video, the default [s]

const char* const kTaggedBody = R"(
body:
  shape: box
  size: [0.3065, 0.0515, 0.0125]
  mass: 0.185
  markers:
    tags:
      dictionary: DICT_4X4_50
      size: 0.036
      places:
        - {id: 3, face: +z, centre: [-0.115, 0]}
        - {id: 7, face: +z, turn_deg: 90}
        - {id: 12, face: +z, centre: [0.115, 0]}
)";

/// mu and e of a rendered scene with the body of `body`.
json FitOf(const testing::TemporaryFolder& folder, const std::string& name,
           const std::string& body) {
  folder.Write(name + ".yaml",
               "name: " + name + "\nimage_size: [1280, 720]" + testing::kSlideAndStick + body);
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", name + ".yaml", "-o", name}, folder.Path());
  EXPECT_EQ(made.exit_code, 0) << made.err;
  fs::rename(folder / (name + "/truth.json"), folder / (name + "-truth.json"));
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", name + "/experiment.yaml", "-o", name + "-out", "--law", "stronge"}, folder.Path());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return json::parse(ReadFile(folder / (name + "-out/fit.json")))
      .at("laws")
      .at("stronge")
      .at("parameters");
}

/// After the impact the right camera sees nothing, and the left one a single tag.
void KeepOneTag(double impact_time, int first_marker, tracking::TrialSpots* spots) {
  for (tracking::FrameBlobs& frame : spots->views[0].frames) {
    if (frame.time < impact_time) continue;
    std::erase_if(frame.blobs, [&](const tracking::Blob& blob) {
      return blob.marker < first_marker || blob.marker >= first_marker + 4;
    });
  }
  for (tracking::FrameBlobs& frame : spots->views[1].frames) {
    if (frame.time + kRightStart > impact_time) frame.blobs.clear();
  }
}

void ExpectOneTagInOneCameraIsEnough(const testing::TemporaryFolder& folder, const json& truth) {
  capture::Experiment experiment = capture::ReadExperiment(folder / "tags/experiment.yaml");
  experiment.body.sigma.marker = experiment.body.sigma.mass_centre = 0.0;  // as rendered
  experiment.line_time_sigma = 0.0;
  const auto calibration = calibration::ReadCalibration(folder / "tags-out/calibration.json");
  const capture::Trial& trial = experiment.trials.front();
  const json& exact = truth.at("trials").at(trial.name);
  const double impact_time = exact.at("time_of_impact");
  const tracking::Views views = tracking::ViewsOf(calibration);
  tracking::TrialSpots spots = tracking::FindTrialSpots(experiment, trial, views);
  KeepOneTag(impact_time, 8, &spots);
  tracking::TrialResult recorded;
  recorded.trial = trial.name;
  recorded.tracked =
      tracking::LabelTrialSpots(experiment, trial, views, spots, {}, &recorded.message);
  ASSERT_EQ(recorded.message, "");
  int after = 0, with_pose = 0;
  for (const tracking::TrackedFrame& frame : recorded.tracked.frames) {
    if (frame.time < impact_time || spots.views[0].frames[frame.left_frame].blobs.empty()) continue;
    ++after;
    with_pose += frame.pose.found && frame.observations.size() == 4;
  }
  EXPECT_GT(after, 15);
  EXPECT_EQ(with_pose, after);
  const tracking::TrialResult result = tracking::EstimateTrial(
      experiment, trial, tracking::StatedBench(experiment, calibration), recorded);
  ASSERT_EQ(result.impacts.size(), 1U) << result.message;
  const impacts::ImpactRecord& impact = result.impacts.front().record;
  const json& post = exact.at("impact").at("post");
  const Eigen::Vector3d v = truth::Vector(post.at("v")), w = truth::Vector(post.at("omega"));
  for (int i = 0; i < 3; ++i) {
    const auto sigma = [&](int place) {
      return std::sqrt((*impact.covariance)(place + i, place + i));
    };
    std::printf(
        "one tag, one camera: v_post[%d] %.4f +- %.4f, truth %.4f; w_post %.3f +- %.3f, "
        "truth %.3f\n",
        i, impact.v_post[i], sigma(impacts::kVPost), v[i], impact.w_post[i], sigma(impacts::kWPost),
        w[i]);
    EXPECT_LT(std::abs(impact.v_post[i] - v[i]), 4.0 * sigma(impacts::kVPost)) << i;
    EXPECT_LT(std::abs(impact.w_post[i] - w[i]), 4.0 * sigma(impacts::kWPost)) << i;
    EXPECT_LT(sigma(impacts::kVPost), 0.05) << i;
  }
}

TEST(TagsRun, TagsMeasureAsWellAsDots) {
  const testing::TemporaryFolder folder;
  const json dots = FitOf(folder, "dots", ""), tags = FitOf(folder, "tags", kTaggedBody);
  const json truth = json::parse(ReadFile(folder / "tags-truth.json"));
  for (const char* name : {"mu", "e"}) {
    const double exact = truth.at(name);
    const double with_dots = dots.at(name).at("value"), with_tags = tags.at(name).at("value"),
                 dots_sigma = dots.at(name).at("sigma"), tags_sigma = tags.at(name).at("sigma");
    std::printf(
        "tags instead of dots, same rendered scene: %s %.5f +- %.5f (dots %.5f +- %.5f), "
        "truth %g: sigma %.2f times that of dots\n",
        name, with_tags, tags_sigma, with_dots, dots_sigma, exact, tags_sigma / dots_sigma);
    EXPECT_LT(tags_sigma, 2.0 * dots_sigma) << name;
    EXPECT_LT(std::abs(with_tags - exact), 3.0 * tags_sigma) << name;
    EXPECT_LT(std::abs(with_dots - exact), 3.0 * dots_sigma) << name;
  }
  ExpectOneTagInOneCameraIsEnough(folder, truth);
}

TEST(TagsRun, AnAprilGridCalibrates) {
  const testing::TemporaryFolder folder;
  folder.Write("grid.yaml",
               "name: grid\ncarry_time: 0.02\n"
               "board: {type: aprilgrid, columns: 4, rows: 3, square: 0.06}\n"
               "trials: [{name: short, flight_time: 0.1, post_flight: 0.05}]\n");
  const testing::ProgramRun made =
      testing::RunPercuss({"synthesize", "grid.yaml", "-o", "grid"}, folder.Path());
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const testing::ProgramRun calibrated = testing::RunPercuss(
      {"calibrate", "grid/experiment.yaml", "-o", "calibration.json"}, folder.Path());
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  const json truth = json::parse(ReadFile(folder / "grid/truth.json"));
  const auto calibration = calibration::ReadCalibration(folder / "calibration.json");
  EXPECT_EQ(calibration.verdict, "ok") << calibrated.out;
  const calibration::RigCalibration exact = truth::Calibration(truth);
  const calibration::Pose& found = calibration.world_from_first;
  EXPECT_LT((found.t - exact.world_from_first.t).norm(), 1.5e-3);
  EXPECT_LT((found.R - exact.world_from_first.R).norm(), 2e-3);
  for (std::size_t c = 0; c < 2; ++c) {
    const double focal = exact.cameras[c].camera.intrinsics[0];
    EXPECT_NEAR(calibration.cameras[c].camera.intrinsics[0] / focal, 1.0, 2e-3) << c;
  }
}

}  // namespace
}  // namespace percuss
