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

}  // namespace
}  // namespace percuss::capture
