// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/scene_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/synthesis/spec_of.h"

namespace percuss::synthesis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  return testing::InputErrorOf([&] { SpecOf(text); });
}

TEST(SceneSpec, EveryKeyMayBeLeftOut) {
  const SceneSpec spec = SpecOf("trials: [{name: a}, {velocity: [0.5, 0, -2]}]");
  EXPECT_EQ(spec.frame_rate, 120.0);
  EXPECT_EQ(spec.cameras[0].width, 1280);
  EXPECT_EQ(spec.body.markers.size(), 6U);
  ASSERT_EQ(spec.trials.size(), 2U);
  EXPECT_EQ(spec.trials[0].name, "a");
  EXPECT_EQ(spec.trials[1].name, "trial-2");
  EXPECT_EQ(spec.trials[1].velocity.x(), 0.5);
  EXPECT_EQ(spec.trials[0].law, "stronge");
  EXPECT_TRUE(spec.noise.has_value());
  EXPECT_EQ(SpecOf("name: b").trials.size(), 1U);
}

TEST(SceneSpec, ReadsWhatIsSaid) {
  const SceneSpec spec = SpecOf(
      "{seed: 4, image_size: [640, 480], noise: none, compression: lossless, tone: linear,"
      " line_time: 1.0e-5, law: poisson, parameters: {e: 0.3},"
      " trials: [{name: a, parameters: {mu: 0.1}, right_start_frames: 2.5,"
      " occluder: {position: [0.1, -0.4]}}, {name: b, law: newton}]}");
  EXPECT_EQ(spec.seed, 4U);
  EXPECT_FALSE(spec.noise);
  EXPECT_FALSE(spec.crf);
  EXPECT_EQ(spec.tone, capture::Tone::Kind::kLinear);
  EXPECT_NEAR(spec.cameras[0].fx, 530.2, 1e-9);  // the same view on half the width
  EXPECT_EQ(spec.trials[0].law, "poisson");
  EXPECT_EQ(spec.trials[0].parameters, (std::vector<double>{0.1, 0.3}));  // mu, e
  EXPECT_EQ(spec.trials[0].start_frames[1], 2.5);
  ASSERT_TRUE(spec.trials[0].occluder);
  EXPECT_EQ(spec.trials[0].occluder->position.y(), -0.4);
  EXPECT_EQ(spec.trials[1].law, "newton");
  EXPECT_FALSE(spec.trials[1].occluder);
}

TEST(SceneSpec, ReadsReferenceMarkersAndTurnedCameras) {
  const SceneSpec spec = SpecOf(
      "{reference_markers: {O1: {position: [0.1, -0.2, 0.045]},"
      " O2: {position: [0, 0, 0], normal: [0, -2, 0], diameter: 0.01}},"
      " trials: [{name: a}, {name: b, camera_turn_deg: {right: [0, 90, 0]}}]}");
  ASSERT_EQ(spec.reference_markers.size(), 2U);
  EXPECT_EQ(spec.reference_markers[0].diameter, 0.008);
  EXPECT_EQ(spec.reference_markers[0].normal.z(), 1.0);
  EXPECT_EQ(spec.reference_markers[1].normal.y(), -1.0);
  EXPECT_EQ(spec.reference_markers[1].diameter, 0.01);
  const Camera as_calibrated = spec.CameraOf(spec.trials[0], 1);
  EXPECT_EQ(as_calibrated.R_CW, spec.cameras[1].R_CW);
  // Turned by 90 degrees about y, which points down: right by what was left of it, about itself.
  const Camera turned = spec.CameraOf(spec.trials[1], 1);
  EXPECT_LT((turned.R_CW.row(0) - as_calibrated.R_CW.row(2)).norm(), 1e-12);
  EXPECT_LT((turned.R_CW.row(2) + as_calibrated.R_CW.row(0)).norm(), 1e-12);
  EXPECT_LT((turned.Position() - as_calibrated.Position()).norm(), 1e-12);
  EXPECT_EQ(spec.CameraOf(spec.trials[1], 0).R_CW, spec.cameras[0].R_CW);

  EXPECT_THAT(ErrorOf("reference_markers: {O1: {position: [0, 0, 0], diameter: 0.1}}"),
              HasSubstr("reference_markers.O1.diameter (line 1): found 0.1"));
  EXPECT_THAT(ErrorOf("reference_markers: {O1: {normal: [0, 0, 1]}}"),
              HasSubstr("reference_markers.O1.position"));
  EXPECT_THAT(ErrorOf("trials: [{camera_turn_deg: {middle: [0, 0, 0]}}]"),
              HasSubstr("left, right"));
}

TEST(SceneSpec, ErrorsNameFieldLineValueAndWhatIsAllowed) {
  EXPECT_THAT(ErrorOf("frame_rat: 120"),
              AllOf(HasSubstr("spec.yaml: frame_rat (line 1)"), HasSubstr("frame_rate?")));
  EXPECT_THAT(ErrorOf("name: a\nexposure: 0.02"),
              AllOf(HasSubstr("exposure (line 2): found 0.02"), HasSubstr("one frame")));
  EXPECT_THAT(ErrorOf("line_time: 0.001"), HasSubstr("within one frame"));
  EXPECT_THAT(ErrorOf("image_size: [641, 480]"), HasSubstr("even numbers"));
  EXPECT_THAT(ErrorOf("board: {columns: 8}"), HasSubstr("board.columns"));
  EXPECT_THAT(ErrorOf("board: {type: charuco}"), HasSubstr("allowed chessboard"));
  EXPECT_THAT(ErrorOf("compression: 0"), HasSubstr("compression"));
  EXPECT_THAT(ErrorOf("noise: 3"), HasSubstr("none, or a map"));
  EXPECT_THAT(ErrorOf("gravity: [0, 0, 9.8]"), HasSubstr("gravity"));
  EXPECT_THAT(ErrorOf("law: strong"), HasSubstr("did you mean stronge?"));
  EXPECT_THAT(ErrorOf("parameters: {nu: 0.3}"), HasSubstr("parameters.nu"));
  EXPECT_THAT(ErrorOf("parameters: {e: 1.3}"), HasSubstr("at most 1"));
  EXPECT_THAT(ErrorOf("cameras: {left: {distortion: [-3, 0, 0, 0, 0]}}"),
              HasSubstr("cameras.left.distortion"));
  EXPECT_THAT(ErrorOf("cameras: {left: {position: [0, -1, -0.1]}}"),
              HasSubstr("above the surface"));
  EXPECT_THAT(ErrorOf("cameras: {left: {target: [2, -0.9, 0.1]}}\ncalibration_pairs: 3"),
              HasSubstr("places where both cameras see the whole board"));
  EXPECT_THAT(ErrorOf("body: {shape: ellipse, semi_axes: [0.03, 0.02], mass: 0.1}"),
              HasSubstr("a solid"));
  EXPECT_THAT(ErrorOf("body: {shape: sphere, radius: 0.03, mass: 0.1}"), HasSubstr("3 markers"));
  EXPECT_THAT(ErrorOf("trials: []"), HasSubstr("at least one trial"));
  EXPECT_THAT(ErrorOf("trials: [{name: a}, {name: a}]"), HasSubstr("trials[#2].name"));
  EXPECT_THAT(ErrorOf("trials: [{orientation: [1, 1, 0, 0]}]"), HasSubstr("length 1"));
}

TEST(SceneSpec, SaysWhenADropCannotBe) {
  EXPECT_THAT(ErrorOf("trials: [{velocity: [0, 0, 1], angular_velocity: [0, 0, 0]}]"),
              HasSubstr("moves up"));
  EXPECT_THAT(ErrorOf("trials: [{velocity: [0, 0, -0.5], flight_time: 0.5}]"),
              HasSubstr("below the surface"));
  EXPECT_THAT(ErrorOf("trials: [{velocity: [0, 0, -2], angular_velocity: [0, 0, 0],"
                      " parameters: {mu: 0.2, e: 0}}]"),
              HasSubstr("after the impact"));
}

}  // namespace
}  // namespace percuss::synthesis
