// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>

#include "base/error.h"
#include "calibration/rig/rig_calibration.h"

namespace percuss::calibration {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

// Zero where the lens has no parameter.
Eigen::MatrixXd RandomCovariance(const RigCalibration& calibration) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal(0.0, 0.01);
  const std::vector<std::string> names = ParameterNames(calibration);
  const auto size = static_cast<Eigen::Index>(names.size());
  Eigen::MatrixXd root = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index k = 0; k < size; ++k) {
    if (names[static_cast<std::size_t>(k)].empty()) continue;
    for (Eigen::Index j = 0; j < size; ++j) root(k, j) = normal(random);
  }
  return root * root.transpose();
}

RigCalibration Example() {
  RigCalibration calibration;
  calibration.cameras = {
      {.name = "left",
       .camera = {.width = 1280,
                  .height = 720,
                  .intrinsics = {1060.4, 1061.2, 655.3, 347.6, -0.236, 0.097, 0.0011, -0.0007,
                                 1.0 / 3.0}},
       .from_first = {}},
      {.name = "right",
       .camera = {.width = 1280,
                  .height = 720,
                  .intrinsics = {990.7, 989.8, 622.9, 371.4, -0.142, 0.058, -6e-4, 9e-4}},
       .from_first = {.R = RotationFromVector({0.1, -0.3, 0.02}), .t = {-0.35, -0.033, 0.0331}}}};
  calibration.world_from_first = {.R = RotationFromVector({1.1, 0.2, -0.4}),
                                  .t = {0.05, -0.9, 0.4}};
  calibration.covariance = RandomCovariance(calibration);
  calibration.board = {.shape = {.scale = 1.001, .warp = {1e-4, -2e-4}},
                       .scale_sigma = 2e-4,
                       .warp_sigma = {1e-5, 2e-5}};
  calibration.rms_px = 0.0283;
  calibration.corner_sigma_px = 0.0204;
  calibration.num_corners = 2051;
  calibration.views = {
      {.images = {{.file = "l/00.png", .num_measured = 54, .num_used = 53, .rms_px = 0.021},
                  {.file = "r/00.png", .num_measured = 54, .num_used = 54, .rms_px = 0.034}},
       .used = true,
       .reason = "",
       .board =
           std::array<Eigen::Vector3d, 4>{
               {{0.0, 0.1, 0.2}, {0.3, 0.1, 0.2}, {0.3, 0.4, 0.2}, {0.0, 0.4, 0.2}}}},
      {.images = {{.file = "l/01.png"}, {.file = "r/01.png"}},
       .used = false,
       .reason = "right image: no chessboard of 9 x 6 inner corners found"}};
  calibration.quality = {.num_views = 1,
                         .num_rejected_corners = 2,
                         .coverage = {0.5, 0.75},
                         .tilt_range_deg = 44.0,
                         .held_out = {}};
  calibration.verdict_reasons = {"1 views, at least 6 are needed to judge: photograph more"};
  return calibration;
}

class CalibrationFile : public testing::Test {
 protected:
  CalibrationFile()
      : file_(std::filesystem::path(testing::TempDir()) /
              (std::string("calibration-") +
               testing::UnitTest::GetInstance()->current_test_info()->name() + ".json")) {}
  ~CalibrationFile() override { std::filesystem::remove(file_); }

  // Writes the example after a change; returns what the reader says.
  std::string MessageAfter(const std::function<void(Json&)>& change) const {
    Json json = Json::parse(CalibrationJson(Example(), provenance_));
    change(json);
    WriteFileAtomically(file_, json.dump());
    return Message();
  }
  std::string Message() const {
    try {
      ReadCalibration(file_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::filesystem::path file_;
  Provenance provenance_{.format = "percuss calibration 2",
                         .command = "percuss calibrate e.yaml -o c.json",
                         .input_hashes = {{"e.yaml", "00ff"}}};
};

// Source of truth: what was written. Every number comes back bit by bit.
TEST_F(CalibrationFile, ComesBackAsItWasWritten) {
  const RigCalibration written = Example();
  WriteCalibration(written, provenance_, file_);
  const RigCalibration read = ReadCalibration(file_);
  ASSERT_EQ(read.cameras.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    EXPECT_EQ(read.cameras[c].name, written.cameras[c].name);
    EXPECT_EQ(read.cameras[c].camera.width, 1280);
    EXPECT_EQ(read.cameras[c].camera.height, 720);
    EXPECT_EQ(read.cameras[c].camera.intrinsics, written.cameras[c].camera.intrinsics);
    EXPECT_EQ(read.cameras[c].from_first.R, written.cameras[c].from_first.R);
    EXPECT_EQ(read.cameras[c].from_first.t, written.cameras[c].from_first.t);
  }
  EXPECT_EQ(read.world_from_first.R, written.world_from_first.R);
  EXPECT_EQ(read.world_from_first.t, written.world_from_first.t);
  EXPECT_EQ(read.board.shape.scale, written.board.shape.scale);
  EXPECT_EQ(read.board.shape.warp, written.board.shape.warp);
  EXPECT_EQ(read.board.scale_sigma, written.board.scale_sigma);
  EXPECT_EQ(read.board.warp_sigma, written.board.warp_sigma);
  EXPECT_EQ(read.covariance, written.covariance);
  EXPECT_EQ(read.rms_px, written.rms_px);
  EXPECT_TRUE(std::isnan(read.quality.held_out.rms_px));  // null in the file
  EXPECT_EQ(read.corner_sigma_px, written.corner_sigma_px);
  EXPECT_EQ(read.num_corners, written.num_corners);
  ASSERT_EQ(read.views.size(), 2U);
  EXPECT_EQ(read.views[0].images[0].file, "l/00.png");
  EXPECT_EQ(read.views[0].images[1].rms_px, 0.034);
  EXPECT_EQ(read.views[0].board, written.views[0].board);
  EXPECT_FALSE(read.views[1].board);
  EXPECT_FALSE(read.views[1].used);
  EXPECT_EQ(read.views[1].reason, written.views[1].reason);
  EXPECT_TRUE(std::isnan(read.views[1].images[0].rms_px));
  EXPECT_EQ(read.quality.tilt_range_deg, 44.0);
  EXPECT_EQ(read.verdict, "poor");
  EXPECT_EQ(read.verdict_reasons, written.verdict_reasons);
}

TEST_F(CalibrationFile, HoldsTheSurfacesOfTrials) {
  RigCalibration written = Example();
  SurfacePlane plane{.name = "a.png, b.png", .normal = {0.6, 0.0, 0.8}, .point = {0.1, 0.2, 0.0}};
  plane.tilt_covariance = Eigen::Vector3d(1e-8, 2e-8, 3e-8).asDiagonal();
  plane.tilt_by_rig = Eigen::MatrixXd::Random(3, NumRigParameters(2));
  written.surfaces = {plane, {.name = "c.png, d.png", .reason = "no board"}};
  WriteCalibration(written, provenance_, file_);
  const RigCalibration read = ReadCalibration(file_);
  ASSERT_EQ(read.surfaces.size(), 2U);
  EXPECT_EQ(read.surfaces[0].name, plane.name);
  EXPECT_EQ(read.surfaces[0].normal, plane.normal);
  EXPECT_EQ(read.surfaces[0].point, plane.point);
  EXPECT_EQ(read.surfaces[0].tilt_covariance, plane.tilt_covariance);
  EXPECT_EQ(read.surfaces[0].tilt_by_rig, plane.tilt_by_rig);
  EXPECT_EQ(read.surfaces[1].reason, "no board");
  EXPECT_EQ(read.surfaces[1].tilt_by_rig.size(), 0);

  Json json = Json::parse(CalibrationJson(written, provenance_));
  const auto message = [&](const std::function<void(Json&)>& damage) {
    Json damaged = json;
    damage(damaged["surfaces"][0]);
    WriteFileAtomically(file_, damaged.dump());
    try {
      ReadCalibration(file_);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([](Json& plane_json) {
                for (Json& row : plane_json["tilt_by_calibration"]) row.erase(0);
              }),
              HasSubstr("three lists of 36 numbers"));
  EXPECT_THAT(message([](Json& plane_json) {
                plane_json["normal"] = {0.0, 0.0, 2.0};
              }),
              HasSubstr("normals of length 1"));
  EXPECT_THAT(message([](Json& plane_json) {
                plane_json["normal"] = {0.0, 1.0};
              }),
              HasSubstr("normal"));
}

TEST_F(CalibrationFile, StartsWithWhereItComesFromAndHoldsTheSigmas) {
  const RigCalibration calibration = Example();
  const Json json = Json::parse(CalibrationJson(calibration, provenance_));
  EXPECT_EQ(json.begin().key(), "format");
  EXPECT_EQ(json["format"], "percuss calibration 2");
  EXPECT_EQ(json["command"], provenance_.command);
  EXPECT_EQ(json["inputs"][0]["file"], "e.yaml");
  EXPECT_EQ(json["inputs"][0]["sha256"], "00ff");
  EXPECT_EQ(json["cameras"]["right"]["sigma"]["fy"], std::sqrt(calibration.covariance(13, 13)));
  EXPECT_EQ(json["world_from_left"]["sigma"]["t"][2], std::sqrt(calibration.covariance(35, 35)));
}

TEST_F(CalibrationFile, ReaderNamesFileFieldValueAndWhatIsAllowed) {
  const std::string name = file_.string();
  EXPECT_THAT(MessageAfter([](Json& j) { j["format"] = "percuss calibration 9"; }),
              AllOf(HasSubstr(name + ": format: found \"percuss calibration 9\""),
                    HasSubstr("allowed \"percuss calibration 2\"")));
  EXPECT_THAT(MessageAfter([](Json& j) { j.erase("format"); }),
              HasSubstr("format: the field is missing"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["cameras"].erase("right"); }),
              HasSubstr("covariance_order: found"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["cameras"]["left"]["lens"] = "zoom"; }),
              HasSubstr("cameras.left.lens: found \"zoom\", allowed brown, rational or fisheye"));
  EXPECT_THAT(
      MessageAfter([](Json& j) { std::swap(j["covariance_order"][0], j["covariance_order"][1]); }),
      HasSubstr("covariance_order[0]: found \"left fy\", allowed \"left fx\""));
  EXPECT_THAT(MessageAfter([](Json& j) { j.erase("right_from_left"); }),
              HasSubstr("right_from_left: the field is missing"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["cameras"]["left"]["K"][0][0] = -1060.0; }),
              AllOf(HasSubstr("cameras.left.K: found"), HasSubstr("positive focal lengths")));
  EXPECT_THAT(MessageAfter([](Json& j) { j["cameras"]["left"]["K"][1][1] = "x"; }),
              HasSubstr("cameras.left.K[1][1]: found \"x\", allowed a finite number"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["cameras"]["left"]["distortion"].push_back(0.0); }),
              HasSubstr("cameras.left.distortion"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["cameras"]["left"]["image_size"][0] = 0; }),
              HasSubstr("cameras.left.image_size: found [0,720], allowed a positive size"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["right_from_left"]["R"][0][0] = 2.0; }),
              AllOf(HasSubstr("right_from_left.R: found"), HasSubstr("a rotation matrix")));
  EXPECT_THAT(MessageAfter([](Json& j) {
                for (auto& entry : j["right_from_left"]["R"][2]) entry = -entry.get<double>();
              }),
              HasSubstr("a rotation matrix"));
  EXPECT_THAT(MessageAfter([](Json& j) {
                j["world_from_left"]["t"] = {0.1, nullptr, 0.2};
              }),
              HasSubstr("world_from_left.t[1]: found null, allowed a finite number"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["covariance"].erase(3); }),
              HasSubstr("covariance: found"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["covariance"][4][2] = 0.5; }),
              HasSubstr("covariance[4][2]: found 0.5"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["covariance"][7][7] = -1.0; }),
              HasSubstr("covariance[7]"));
  EXPECT_THAT(MessageAfter([](Json& j) { j["verdict"] = "fine"; }),
              HasSubstr("verdict: found \"fine\", allowed \"ok\" or \"poor\""));
  EXPECT_THAT(MessageAfter([](Json& j) { j["rms_px"] = "0.2"; }), HasSubstr("rms_px"));
  EXPECT_THAT(MessageAfter([](Json& j) { j = Json::array(); }), HasSubstr("an object"));
}

TEST_F(CalibrationFile, ReaderNamesAMissingAndABrokenFile) {
  EXPECT_THAT(Message(), HasSubstr(file_.string()));
  WriteFileAtomically(file_, "{\"format\": ");
  EXPECT_THAT(Message(), AllOf(HasSubstr(file_.string()), HasSubstr("not valid JSON")));
}

// By hand: a quarter turn about z from the left turns x to y.
TEST(Perturbed, AddsToNumbersAndTurnsFromTheLeft) {
  RigCalibration calibration = Example();
  calibration.cameras[1].from_first.R.setIdentity();
  const ParameterPlaces places = calibration.Places();
  Eigen::VectorXd delta = Eigen::VectorXd::Zero(NumRigParameters(2));
  delta[3] = 0.5;
  delta[places.Intrinsics(1) + 4] = -0.01;
  delta[places.CameraPose(1) + 2] = M_PI / 2.0;
  delta[places.CameraPose(1) + 4] = 0.25;
  delta[places.World() + 5] = 1.0;
  const RigCalibration moved = Perturbed(calibration, delta);
  const auto intrinsics = [](const RigCalibration& c, std::size_t camera, std::size_t k) {
    return c.cameras[camera].camera.intrinsics[k];
  };
  EXPECT_DOUBLE_EQ(intrinsics(moved, 0, 3), intrinsics(calibration, 0, 3) + 0.5);
  EXPECT_DOUBLE_EQ(intrinsics(moved, 1, 4), intrinsics(calibration, 1, 4) - 0.01);
  const Pose& pose = moved.cameras[1].from_first;
  EXPECT_LT((pose.R * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(pose.t.y(), calibration.cameras[1].from_first.t.y() + 0.25);
  EXPECT_LT((moved.world_from_first.R - calibration.world_from_first.R).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(moved.world_from_first.t.z(), calibration.world_from_first.t.z() + 1.0);
  EXPECT_THROW(Perturbed(calibration, delta.head(30)), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::calibration
