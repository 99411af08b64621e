// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// TRC, Vicon CSV and our CSV: variants that are read, and what is said of broken files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "capture/markers/marker_file.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

using Eigen::Vector3d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kTrc =
    "PathFileType\t4\t(X/Y/Z)\tdrop.trc\n"
    "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\n"
    "50.00\t50.00\t3\t2\tcm\t50.00\t1\n"
    "Frame#\tTime\tA1\t\t\tB 2\t\t\t\n"
    "\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n"
    "\n"
    "1\t0.00\t10\t-20\t3e1\t1.5\t+2.5\t3.5\t\n"
    "2\t0.02\t\t\t\t1.5\t2.5\t3.5\n"
    "3\t0.04\t11\t-21\t31\tNaN\tnan\tNAN\n";

constexpr const char* kVicon =
    "Devices\n1000\n,,Force\nFrame,Sub Frame,Fx\n,,N\n1,0,5.5\n1,1,5.6\n\n"
    "Trajectories\n50\n,,A1,,,B 2,,\nFrame,Sub Frame,X,Y,Z,X,Y,Z\n,,cm,cm,cm,m,m,m\n"
    "1,0,10,-20,30,0.015,0.025,0.035\n"
    "2,0,,,,0.015,0.025,0.035\n"
    "3,0,11,-21,31,,,\n"
    "\nModel Outputs\n50\n";

constexpr const char* kOwn =
    "time_s,A1_x,A1_y,A1_z,B 2_x,B 2_y,B 2_z\n"
    "0,0.1,-0.2,0.3,0.015,0.025,0.035\n"
    "0.02,,,,0.015,0.025,0.035\n"
    "0.04,0.11,-0.21,0.31,,,\n";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string AllReplaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

class MarkerText : public ::testing::Test {
 protected:
  MarkerTrajectories Read(const std::string& name, const std::string& content,
                          const ReadMarkersOptions& options = {}) const {
    return ReadMarkers(folder_.Write(name, content), options);
  }
  std::string ErrorOf(const std::string& name, const std::string& content) const {
    return InputErrorOf([&] { Read(name, content); });
  }
  void ExpectSample(const MarkerTrajectories& read) const {
    EXPECT_THAT(read.markers, ElementsAre("A1", "B 2"));
    EXPECT_DOUBLE_EQ(read.frame_rate, 50.0);
    EXPECT_THAT(read.times, ElementsAre(0.0, 0.02, 0.04));
    ASSERT_EQ(read.positions.size(), 3u);
    EXPECT_LT((read.positions[0][0] - Vector3d(0.1, -0.2, 0.3)).norm(), 1e-15);
    EXPECT_LT((read.positions[0][1] - Vector3d(0.015, 0.025, 0.035)).norm(), 1e-15);
    EXPECT_TRUE(IsMissing(read.positions[1][0]));
    EXPECT_FALSE(IsMissing(read.positions[1][1]));
    EXPECT_LT((read.positions[2][0] - Vector3d(0.11, -0.21, 0.31)).norm(), 1e-15);
    EXPECT_TRUE(IsMissing(read.positions[2][1]));
  }

  TemporaryFolder folder_;
};

TEST_F(MarkerText, ReadsTheSameFromEveryVariant) {
  ExpectSample(Read("a.trc", kTrc));
  ExpectSample(Read("a.trc", AllReplaced(kTrc, "\t", ",")));
  ExpectSample(Read("a.trc", AllReplaced(kTrc, "\n", "\r\n")));
  ExpectSample(Read("a.trc", Replaced(kTrc, "Z2\n\n", "Z2\n")));  // without the empty line
  ExpectSample(Read("a.csv", kVicon));
  ExpectSample(Read("a.csv", AllReplaced(kVicon, "\n", ",,\r\n")));
  ExpectSample(Read("a.csv", "\xEF\xBB\xBF" + std::string(kOwn)));
  ExpectSample(Read("a.csv", AllReplaced(kOwn, ",", " , ")));
  ExpectSample(Read("a.csv", Replaced(kOwn, "A1_x", "\"A1_x\"")));
}

// Frame 1 is at 0 s; dropped frames leave gaps and do not change the rate.
TEST_F(MarkerText, TimesOfFrames) {
  const std::string late = Replaced(Replaced(kVicon, "\n3,0,", "\n9,0,"), "\n2,0,", "\n7,0,");
  EXPECT_THAT(Read("a.csv", late).times, ElementsAre(0.0, 0.12, 0.16));
  const MarkerTrajectories own =
      Read("a.csv", "time_s,A_x,A_y,A_z\n0,1,2,3\n0.02,1,2,3\n0.04,1,2,3\n0.1,1,2,3\n");
  EXPECT_DOUBLE_EQ(own.frame_rate, 50.0);
  const MarkerTrajectories one = Read("a.csv", "time_s,A_x,A_y,A_z\n3,1,2,3\n");
  EXPECT_TRUE(std::isnan(one.frame_rate));
  EXPECT_EQ(one.positions[0][0], Vector3d(1, 2, 3));
}

TEST_F(MarkerText, SaysWhatIsWrongInTrc) {
  const auto with = [&](const char* from, const char* to) {
    return ErrorOf("a.trc", Replaced(kTrc, from, to));
  };
  EXPECT_THAT(with("\t3\t2\tcm", "\t4\t2\tcm"),
              AllOf(HasSubstr("a.trc"), HasSubstr("after 3 fra")));
  EXPECT_THAT(with("\t3\t2\tcm", "\t2\t2\tcm"), HasSubstr("(line 9): NumFrames: found more rows"));
  EXPECT_THAT(with("\t3\t2\tcm", "\t3\t3\tcm"), HasSubstr("found 2 names, allowed 3 (NumMarkers)"));
  EXPECT_THAT(with("\t3\t2\tcm", "\t3\t0\tcm"), HasSubstr("NumMarkers: found \"0\""));
  EXPECT_THAT(with("\t3\t2\tcm", "\t3\t1e300\tcm"), HasSubstr("(NumMarkers)"));
  EXPECT_THAT(with("\t3\t2\tcm", "\t1e300\t2\tcm"), HasSubstr("NumFrames"));
  EXPECT_THAT(with("\t3\t2\tcm", "\tnan\t2\tcm"), HasSubstr("NumFrames: found \"nan\""));
  EXPECT_THAT(with("\tcm", "\tft"),
              HasSubstr("(line 3): Units: found \"ft\", allowed mm, cm or m"));
  EXPECT_THAT(with("\tUnits", "\tunit"), HasSubstr("(line 2): Units"));
  EXPECT_THAT(with("\n50.00", "\nNaN"), HasSubstr("DataRate: found \"NaN\""));
  EXPECT_THAT(with("\n50.00", "\n500"), HasSubstr("(line 8): Time: found 0.02 s"));
  EXPECT_THAT(with("B 2", "A1"), HasSubstr("found \"A1\" twice"));
  EXPECT_THAT(with("\t\t\tB 2", "\t\tB 2\t"), HasSubstr("\"B 2\" in column 5"));
  EXPECT_THAT(with("\t\tX1", "1\t0\tX1"), HasSubstr("(line 5): axes"));
  EXPECT_THAT(with("\n3\t0.04", "\n2\t0.04"), HasSubstr("Frame#: found 2 after 2"));
  EXPECT_THAT(with("\n3\t0.04", "\n2.5\t0.04"), HasSubstr("Frame#: found 2.5"));
  EXPECT_THAT(with("\n3\t0.04", "\n3\t0.02"), HasSubstr("Time: found 0.02 after 0.02"));
  EXPECT_THAT(with("\n3\t0.04", "\n3\tnan"), HasSubstr("Time: found \"nan\""));
  EXPECT_THAT(with("-20", "inf"),
              HasSubstr("(line 7): A1: found \"inf\", allowed a finite number"));
  EXPECT_THAT(with("-20", "NaN"), HasSubstr("A1: found \"NaN\""));  // one of three
  EXPECT_THAT(with("-20", "1e999"), HasSubstr("A1: found \"1e999\""));
  EXPECT_THAT(with("-20", "2o"), HasSubstr("A1: found \"2o\""));
  EXPECT_THAT(with("\t31\t", "\t"), HasSubstr("(line 9): found 7 cells, allowed 8"));
  EXPECT_THAT(with("3.5\t\n", "3.5\t8\n"), HasSubstr("(line 7): found 9 cells, allowed 8"));
}

TEST_F(MarkerText, SaysWhatIsWrongInViconExports) {
  const auto with = [&](const char* from, const char* to) {
    return ErrorOf("a.csv", Replaced(kVicon, from, to));
  };
  EXPECT_THAT(with("Trajectories", "Markers"), HasSubstr("found neither \"time_s\""));
  EXPECT_THAT(with("\n50\n", "\n0\n"), HasSubstr("(line 10): frame rate: found \"0\""));
  EXPECT_THAT(with(",,A1,,,B 2,,", ",,,,,,,"), HasSubstr("(line 11): markers: found none"));
  EXPECT_THAT(with(",,A1,,,B 2,,", ",,A1,B 2,,,,"), HasSubstr("(line 12): B 2"));
  EXPECT_THAT(with(",,A1,,,B 2,,", ",,A1,,,,,"), HasSubstr("found 8 columns, allowed 5"));
  EXPECT_THAT(with("X,Y,Z,X,Y", "X,Z,Y,X,Y"), HasSubstr("(line 12): A1"));
  EXPECT_THAT(with("cm,cm,cm", "cm,mm,cm"), HasSubstr("(line 13): A1: found the units"));
  EXPECT_THAT(with("cm,cm,cm", "deg,deg,deg"), HasSubstr("allowed mm, cm or m"));
  EXPECT_THAT(with("\n2,0,,,,", "\n1,0,,,,"), HasSubstr("(line 15): Frame: found 1 after 1"));
  EXPECT_THAT(with("\n2,0,,,,", "\n0,0,,,,"), HasSubstr("Frame: found \"0\""));
  EXPECT_THAT(with("\n2,0,,,,", "\n2,0,,,"), HasSubstr("(line 15): found 7 cells, allowed 8"));
  EXPECT_THAT(with("10,-20", "10,nan"), HasSubstr("A1: found \"nan\""));
  EXPECT_THAT(ErrorOf("a.csv", ""), HasSubstr("(line 1): found the end of the file"));
}

TEST_F(MarkerText, SaysWhatIsWrongInOurCsv) {
  const auto with = [&](const char* from, const char* to) {
    return ErrorOf("a.csv", Replaced(kOwn, from, to));
  };
  EXPECT_THAT(ErrorOf("a.csv", "time_s\n0\n"), HasSubstr("columns: found 1, allowed time_s and"));
  EXPECT_THAT(ErrorOf("a.csv", "time_s,A_x,A_y,A_z\n"), HasSubstr("allowed 1 or more rows"));
  EXPECT_THAT(ErrorOf("a.csv", "time_s,_x,_y,_z\n0,1,1,1\n"), HasSubstr("allowed MARKER_x"));
  EXPECT_THAT(with("A1_y", "A2_y"), HasSubstr("columns: found \"A2_y\", allowed A1_y"));
  EXPECT_THAT(with("B 2_x,B 2_y,B 2_z", "A1_x,A1_y,A1_z"), HasSubstr("found \"A1\" twice"));
  EXPECT_THAT(with("\n0.02", "\n0"), HasSubstr("(line 3): time_s: found 0 after 0"));
  EXPECT_THAT(with("\n0.02", "\nnan"), HasSubstr("time_s: found \"nan\""));
  EXPECT_THAT(with("-0.2,", ","), HasSubstr("(line 2): A1: found \"\""));
}

constexpr const char* kTracks =
    "frame,time,marker,left_x_px,left_y_px,left_sigma_px,right_x_px,right_y_px,right_sigma_px,"
    "x,y,z,sigma_x,sigma_y,sigma_z\n"
    "3,0.025,B,1,1,0.1,2,2,0.1,1,2,3,0,0,0\n"
    "3,0.025,A,1,1,0.1,2,2,0.1,4,5,6,0,0,0\n"
    "6,0.05,A,1,1,0.1,,,,,,,,,\n"
    "7,0.058333333,B,1,1,0.1,2,2,0.1,7,8,9,0,0,0\n";

// Frames 4 and 5 have no row, and what one camera alone saw has no place.
TEST_F(MarkerText, ReadsTracksWithTheirGaps) {
  const MarkerTrajectories tracks = ReadMarkers(folder_.Write("markers.csv", kTracks));
  EXPECT_EQ(tracks.markers, (std::vector<std::string>{"A", "B"}));
  ASSERT_EQ(tracks.times.size(), 5U);
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(tracks.times[k], (3 + k) / 120.0, 1e-9);
  }
  EXPECT_NEAR(tracks.frame_rate, 120.0, 1e-5);
  EXPECT_EQ(tracks.positions[0][0], Vector3d(4, 5, 6));
  EXPECT_EQ(tracks.positions[0][1], Vector3d(1, 2, 3));
  for (const std::size_t k : {1U, 2U, 3U}) {
    EXPECT_TRUE(IsMissing(tracks.positions[k][0]));
    EXPECT_TRUE(IsMissing(tracks.positions[k][1]));
  }
  EXPECT_EQ(tracks.positions[4][1], Vector3d(7, 8, 9));
}

TEST_F(MarkerText, SaysWhatIsWrongInTracks) {
  const auto with = [&](const char* from, const char* to) {
    return ErrorOf("markers.csv", Replaced(kTracks, from, to));
  };
  EXPECT_THAT(with(",marker,", ",name,"), HasSubstr("one called marker"));
  EXPECT_THAT(with("6,0.05,A", "6.5,0.05,A"), HasSubstr("frame: found 6.5, allowed whole numbers"));
  EXPECT_THAT(with("6,0.05,A", "6,0.02,A"), HasSubstr("found 0.02 after 0.025"));
  EXPECT_THAT(with("3,0.025,A", "3,0.026,A"), HasSubstr("0.025 as in another row of frame 3"));
  EXPECT_THAT(with("3,0.025,A", "3,0.025,B"), HasSubstr("\"B\" twice in frame 3"));
  EXPECT_THAT(with("7,0.058333333,B", "7,0.058333333,"), HasSubstr("an empty name"));
}

// Cut at every 64th byte. A table without a count of rows cannot show a cut between two rows.
TEST_F(MarkerText, CutOffAnywhereIsAnError) {
  for (const auto& [name, sample] :
       {std::pair("a.trc", kTrc), {"a.csv", kVicon}, {"a.csv", kOwn}}) {
    std::string content = sample;
    content = content.substr(0, content.find("\nModel Outputs"));  // what follows is not read
    for (std::size_t size = 0; size < content.size(); size += size < 64 ? 1 : 64) {
      const std::string cut = content.substr(0, size);
      const bool between_rows = std::string(name) == "a.csv" && cut.ends_with('\n');
      if (between_rows) continue;
      EXPECT_THAT(ErrorOf(name, cut), AllOf(HasSubstr(name), HasSubstr("found"))) << cut;
    }
    // Within the last number of the last row.
    const std::string cut = content.substr(0, content.size() - 2);
    EXPECT_THAT(ErrorOf(name, cut), HasSubstr("is the file cut off?"));
  }
  const std::string cut = std::string(kTrc).substr(0, std::string(kTrc).size() - 5);
  EXPECT_EQ(Read("a.trc", cut, {.partial = true}).times.size(), 2u);
  const std::string own = std::string(kOwn).substr(0, std::string(kOwn).size() - 5);
  EXPECT_EQ(Read("a.csv", own, {.partial = true}).times.size(), 2u);
}

}  // namespace
}  // namespace percuss::capture
