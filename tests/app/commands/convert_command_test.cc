// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss convert` as a user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files/files.h"
#include "capture/markers/marker_file.h"
#include "tests/app/commands/command_test.h"

namespace percuss::capture {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ConvertCommand : public percuss::testing::CommandTest {
 protected:
  int Convert(const std::string& arguments) const {
    return Percuss("convert " + arguments).exit_code;
  }
  std::string Output() const { return ReadFile(folder_ / ".out"); }
  std::string Errors() const { return ReadFile(folder_ / ".err"); }

  const std::string data_ = PERCUSS_DATA_DIR "/mocap_c3d_pyomeca/";
};

TEST_F(ConvertCommand, RealC3dToCsv) {
  ASSERT_EQ(Convert("'" + data_ + "markers_analogs.c3d' new/markers.csv"), 0) << Errors();
  EXPECT_THAT(Output(), AllOf(HasSubstr("51 markers, 580 frames at 100 Hz, from 0 to 5.79 s"),
                              HasSubstr("1.03 % of the positions missing")));  // 305 of 29580
  EXPECT_EQ(ReadMarkers(folder_ / "new/markers.csv").times.size(), 580u);
}

TEST_F(ConvertCommand, TurnsTheVerticalAxis) {
  folder_.Write("a.csv", "time_s,A_x,A_y,A_z\n0,1,2,3\n0.5,4,5,6\n");
  ASSERT_EQ(Convert("a.csv b.csv --up y"), 0) << Errors();
  EXPECT_EQ(ReadFile(folder_ / "b.csv"), "time_s,A_x,A_y,A_z\n0,1,-3,2\n0.5,4,-6,5\n");
  EXPECT_EQ(Convert("a.csv c.csv --up w"), 2);
}

TEST_F(ConvertCommand, Json) {
  folder_.Write("a.csv", "time_s,A_x,A_y,A_z,B_x,B_y,B_z\n0,1,2,3,,,\n0.5,4,5,6,7,8,9\n");
  ASSERT_EQ(Convert("a.csv b.csv --json"), 0) << Errors();
  const auto result = nlohmann::json::parse(Output());
  EXPECT_EQ(result.at("markers"), nlohmann::json({"A", "B"}));
  EXPECT_EQ(result.at("frames"), 2);
  EXPECT_EQ(result.at("end"), 0.5);
  EXPECT_EQ(result.at("missing_fraction"), 0.25);
}

TEST_F(ConvertCommand, AFolderThatIsNoRunIsNoScene) {
  std::filesystem::create_directories(folder_ / "empty");
  EXPECT_EQ(Convert("empty run.csv"), 2);
  EXPECT_THAT(Errors(), HasSubstr("run.csv: found another extension, allowed .glb"));
  EXPECT_EQ(Convert("empty run.glb"), 2);
  EXPECT_THAT(Errors(), HasSubstr("empty"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run.glb"));
}

// What `percuss track` leaves becomes what other programs read, gaps as gaps.
TEST_F(ConvertCommand, TracksToC3d) {
  folder_.Write("markers.csv",
                "frame,time,marker,x,y,z\n12,0.1,A,1,2,3\n13,0.108333333,A,1,2,4\n"
                "15,0.125,A,1,2,5\n");
  ASSERT_EQ(Convert("markers.csv tracks.c3d"), 0) << Errors();
  const MarkerTrajectories tracks = ReadMarkers(folder_ / "tracks.c3d");
  ASSERT_EQ(tracks.times.size(), 4U);
  EXPECT_NEAR(tracks.times[0], 0.1, 1e-9);
  EXPECT_NEAR(tracks.positions[3][0].z(), 5.0, 1e-6);
  EXPECT_TRUE(IsMissing(tracks.positions[2][0]));
}

// What the format of the output cannot hold is a matter of the input, which the message names.
TEST_F(ConvertCommand, NamesTheInputThatAFormatCannotHold) {
  folder_.Write("one.csv", "time_s,A_x,A_y,A_z\n0,1,2,3\n");
  EXPECT_EQ(Convert("one.csv new.trc"), 2);
  EXPECT_THAT(Errors(), ::testing::StartsWith("percuss: one.csv: new.trc: "));
  EXPECT_THAT(Errors(), HasSubstr("frame_rate: found nan, allowed > 0 for a TRC file"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.trc"));
}

TEST_F(ConvertCommand, OneLineAndExit2) {
  EXPECT_EQ(Convert("'" + data_ + "markers.trc' b.c3d"), 2);
  EXPECT_THAT(Errors(), AllOf(HasSubstr("markers.trc"), HasSubstr("NumFrames")));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "b.c3d"));
  ASSERT_EQ(Convert("'" + data_ + "markers.trc' b.c3d --partial"), 0) << Errors();
  EXPECT_EQ(ReadMarkers(folder_ / "b.c3d").times.size(), 93u);
  EXPECT_EQ(Convert("b.c3d b.xls"), 2);
  EXPECT_THAT(Errors(), HasSubstr("allowed .trc, .c3d or .csv"));
  EXPECT_EQ(Convert("none.c3d b.csv"), 2);
}

// ---------------------------------------------------------------- robots

// A double pendulum with frames without mass above and between, as simulators of robots have it.
const char kArm[] = R"(<robot name="arm">
  <link name="base"/>
  <joint name="plate" type="fixed">
    <parent link="base"/><child link="stand"/><origin xyz="0 0 1"/>
  </joint>
  <link name="stand"/>
  <joint name="elbow" type="revolute">
    <parent link="upper arm"/><child link="hand"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1"/>
  </joint>
  <joint name="shoulder" type="continuous">
    <parent link="stand"/><child link="upper arm"/>
    <origin rpy="0 1.5707963267948966 0"/><axis xyz="0 1 0"/>
  </joint>
  <link name="upper arm"><inertial>
    <origin xyz="0 0 0.5"/><mass value="1"/><inertia ixx="0.08" iyy="0.08" izz="0.001"/>
  </inertial></link>
  <link name="hand">
    <inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.08" iyy="0.08" izz="0.001"/></inertial>
    <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
</robot>)";

TEST_F(ConvertCommand, UrdfBecomesAScene) {
  folder_.Write("arm.urdf", kArm);
  const percuss::testing::CommandRun run = Percuss("convert arm.urdf arm.yaml");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("left out: joint elbow: limits"));
  const std::string scene = ReadFile(folder_ / "arm.yaml");
  EXPECT_THAT(scene, HasSubstr("name: upper_arm"));
  EXPECT_THAT(scene, HasSubstr("points: [[0, 0, 0.5, 0.05]]"));
  EXPECT_THAT(scene, HasSubstr("bodies: [ground, upper_arm], point: [0, 0, 1], axis: [0, 1, 0]"));
  const percuss::testing::CommandRun moved = Percuss("simulate arm.yaml -o poses.csv --json");
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_LT(nlohmann::json::parse(moved.out)["energy_gain"].get<double>(), 1e-9);
}

// A ball of MuJoCo's file falls and stays: mass by density, floor, friction and gravity.
TEST_F(ConvertCommand, MjcfBecomesAScene) {
  folder_.Write("ball.xml", R"(<mujoco>
  <option gravity="0 0 -5"/>
  <default><geom density="500"/><default class="rough"><geom friction="0.7"/></default></default>
  <worldbody>
    <geom type="plane" size="1 1 1" pos="0 0 0.1" friction="0.2"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom class="rough" size="0.1"/>
      <body name="rod" pos="0.1 0 0" euler="0 90 0">
        <joint axis="1 0 0" damping="0.2" stiffness="3" springref="90"/>
        <geom type="capsule" fromto="0 0 0 0 0 0.4" size="0.02"/>
      </body>
    </body>
  </worldbody>
</mujoco>)");
  const percuss::testing::CommandRun run = Percuss("convert ball.xml ball.yaml");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string scene = ReadFile(folder_ / "ball.yaml");
  EXPECT_THAT(scene, HasSubstr("shape: sphere, radius: 0.1, mass: 2.094395102"));
  EXPECT_THAT(scene, HasSubstr("gravity: [0, 0, -5]"));
  EXPECT_THAT(scene, HasSubstr("point: [0, 0, 0.1]"));
  EXPECT_THAT(scene, HasSubstr("parameters: {mu: 1, e: 0}"));  // the rod's, by default
  EXPECT_THAT(scene, HasSubstr("shape: capsule, radius: 0.02, length: 0.4"));
  EXPECT_THAT(scene,
              HasSubstr("axis: [0, 0, -1], stiffness: 3, rest: 1.57079632679, damping: 0.2"));
  EXPECT_THAT(scene, HasSubstr("start: {position: [0.3, 0, 1]"));
  EXPECT_EQ(Percuss("simulate ball.yaml -o poses.csv").exit_code, 0);
}

// Cameras from one program to another, by the name of the output, by --to, and by -o.
TEST_F(ConvertCommand, CamerasOfOtherPrograms) {
  folder_.Write("camchain.yaml",
                "cam0:\n  camera_model: pinhole\n  distortion_coeffs: [-0.2, 0.1, 0.001, 0.002]\n"
                "  distortion_model: radtan\n  intrinsics: [1000.5, 1001, 640, 360]\n"
                "  resolution: [1280, 720]\n"
                "cam1:\n  T_cn_cnm1:\n  - [1, 0, 0, -0.4]\n  - [0, 1, 0, 0]\n  - [0, 0, 1, 0]\n"
                "  - [0, 0, 0, 1]\n  camera_model: pinhole\n"
                "  distortion_coeffs: [-0.1, 0.1, 0, 0]\n  distortion_model: radtan\n"
                "  intrinsics: [999, 998, 630, 350]\n  resolution: [1280, 720]\n");
  ASSERT_EQ(Convert("camchain.yaml rig.cameramodel"), 0) << Errors();
  EXPECT_THAT(Output(), HasSubstr("rig-cam1.cameramodel: 2 cameras of Kalibr"));
  ASSERT_EQ(Convert("rig-cam0.cameramodel rig-cam1.cameramodel -o calibration.json"), 0)
      << Errors();
  ASSERT_EQ(Convert("calibration.json model --to colmap"), 0) << Errors();
  ASSERT_EQ(Convert("model rig.toml --json"), 0) << Errors();
  EXPECT_EQ(nlohmann::json::parse(Output())["cameras"], nlohmann::json({"rig-cam0", "rig-cam1"}));
  ASSERT_EQ(Convert("rig.toml back.yaml --to kalibr"), 0) << Errors();
  const std::string back = ReadFile(folder_ / "back.yaml");
  EXPECT_THAT(back, HasSubstr("intrinsics: [999, 998, 630, 350]"));
  EXPECT_THAT(back, HasSubstr("-0.4]"));

  EXPECT_EQ(Convert("rig.toml back2.yaml"), 2);
  EXPECT_THAT(Errors(), HasSubstr("found no format, allowed with --to opencv, kalibr"));
  EXPECT_EQ(Convert("rig.toml points.csv"), 2);
  EXPECT_THAT(Errors(), HasSubstr("dlt has no place for the lens of camera rig-cam0"));
  EXPECT_EQ(Convert("rig.toml mm.toml --unit mile"), 2);
  EXPECT_THAT(Errors(), HasSubstr("--unit: found mile"));
  EXPECT_EQ(Convert("rig.toml"), 2);
}

TEST_F(ConvertCommand, RobotsThatAreNoneAreRefused) {
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string text = kArm;
    text.replace(text.find(from), from.size(), to);
    folder_.Write("arm.urdf", text);
    const percuss::testing::CommandRun run = Percuss("convert arm.urdf arm.yaml");
    EXPECT_EQ(run.exit_code, 2) << to;
    return run.err;
  };
  EXPECT_THAT(complaint("<mass value=\"1\"/>", "<mass value=\"0\"/>"),
              HasSubstr("link upper arm: found no mass"));
  EXPECT_THAT(complaint("type=\"continuous\"", "type=\"screw\""),
              HasSubstr("<joint> shoulder: found screw"));
  EXPECT_THAT(complaint("child link=\"hand\"", "child link=\"foot\""), HasSubstr("child foot"));
  EXPECT_THAT(complaint("</robot>", ""), HasSubstr("found no XML"));
  EXPECT_THAT(complaint("xyz=\"0 0 1\"", "xyz=\"0 0\""), HasSubstr("allowed 3 numbers"));
  folder_.Write("arm.urdf", kArm);
  EXPECT_THAT(Percuss("convert arm.urdf arm.csv").err, HasSubstr("allowed .yaml"));
}

}  // namespace
}  // namespace percuss::capture
