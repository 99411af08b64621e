// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/space/centre_table.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/base/temporary_folder.h"

namespace percuss::pipeline {
namespace {

const std::string kTenRows = [] {
  std::string rows;
  for (int k = 0; k < 10; ++k) rows += std::to_string(k) + ",1,2,3\n";
  return rows;
}();

/// What the reader says of a table, without the folder.
std::string Complaint(const std::string& text) {
  const testing::TemporaryFolder folder;
  const auto file = folder.Write("centres.csv", text);
  const std::string message = testing::InputErrorOf([&] { ReadCentreTable(PlainCentres(file)); });
  const std::size_t at = message.find("centres.csv");
  return at == std::string::npos ? message : message.substr(at);
}

TEST(ReadCentreTable, TakesColumnsInAnyOrder) {
  const testing::TemporaryFolder folder;
  std::string text = "# of a tracker\nz,wx,t,wy,wz,name,x,y,sx,sy,sz\n";
  for (int k = 0; k < 12; ++k)
    text += "3,10," + std::to_string(0.5 * k) + ",11,12,ball,1,2,0.1,0.2,0.3\n";
  const CentreTable table = ReadCentreTable(PlainCentres(folder.Write("centres.csv", text)));
  ASSERT_EQ(table.places.size(), 12U);
  EXPECT_EQ(table.places[3].time, 1.5);
  EXPECT_EQ(table.places[3].place, Eigen::Vector3d(1.0, 2.0, 3.0));
  EXPECT_NEAR(table.places[3].covariance(1, 1), 0.04, 1e-15);
  EXPECT_TRUE(table.sigmas);
  EXPECT_EQ(table.spin[3], Eigen::Vector3d(10.0, 11.0, 12.0));
}

TEST(ReadCentreTable, TurnsOtherColumnsUnitsAndAxes) {
  const testing::TemporaryFolder folder;
  std::string text = "n,X,Y,Z,wx,wy,wz,sx,sy,sz\n";
  for (int k = 0; k < 12; ++k) text += std::to_string(k) + ",1000,2000,3000,1,2,3,0.1,0.2,0.3\n";
  capture::MotionSource source = PlainCentres(folder.Write("centres.csv", text));
  source.frame_rate = 100.0;
  source.R_WF << 1, 0, 0, 0, 0, -1, 0, 1, 0;  // the file's y points up
  source.origin_F = {0.5, 0.0, 0.0};
  source.table.columns = {{.quantity = "frame", .from = {"n"}},
                          {.quantity = "x", .from = {"X"}, .scale = 1e-3},
                          {.quantity = "y", .from = {"Y"}, .scale = 1e-3},
                          {.quantity = "z", .from = {"Z"}, .scale = 1e-3}};
  const CentreTable table = ReadCentreTable(source);
  EXPECT_DOUBLE_EQ(table.places[3].time, 0.03);
  EXPECT_LT((table.places[3].place - Eigen::Vector3d(0.5, -3.0, 2.0)).norm(), 1e-12);
  EXPECT_LT((table.spin[3] - Eigen::Vector3d(1.0, -3.0, 2.0)).norm(), 1e-12);
  EXPECT_NEAR(table.places[3].covariance(1, 1), 0.09, 1e-15);
}

TEST(ReadCentreTable, RowsWithoutTheBallAreNoPlaces) {
  const testing::TemporaryFolder folder;
  const auto file = folder.Write("centres.csv", "t,x,y,z\n-2,1,,3\n-1,nan,nan,nan\n" + kTenRows);
  const CentreTable table = ReadCentreTable(PlainCentres(file));
  ASSERT_EQ(table.places.size(), 10U);
  EXPECT_EQ(table.places[0].time, 0.0);
}

TEST(ReadCentreTable, NamesLineAndColumnOfWhatIsWrong) {
  EXPECT_EQ(Complaint("t,x,y\n0,1,2\n"),
            "centres.csv: found columns t, x, y, allowed t, x, y, z: there is no z [metres]");
  EXPECT_EQ(Complaint("x,y,z\n0,1,2\n"),
            "centres.csv: found columns x, y, z, allowed t, x, y, z: there is no t [seconds]");
  EXPECT_EQ(Complaint("t,x,y,z\n0,1,2\n" + kTenRows),
            "centres.csv: row 1 (line 2): found 3 cells, allowed 4 as in the header");
  EXPECT_NE(Complaint("t,x,y,z\n0,1,up,3\n" + kTenRows).find("line 2"), std::string::npos);
  EXPECT_EQ(Complaint("t,x,y,z\n" + kTenRows + "9,1,2,3\n"),
            "centres.csv: row 11 (line 12): found time 9 after 9, allowed times that increase");
  EXPECT_EQ(Complaint("t,x,y,z\n0,1,2,3\n1,1,2,3\n"),
            "centres.csv: found 2 places below the header, allowed at least 10");
  EXPECT_EQ(Complaint("t,x,y,z,sigma\n0,1,2,3,0\n"),
            "centres.csv: row 1 (line 2): found a sigma of 0, allowed a number above 0");
  EXPECT_EQ(Complaint("t,x,y,z,wx,wy\n0,1,2,3,0,0\n"),
            "centres.csv: found 2 of the columns wx, wy, wz, allowed all or none");
  EXPECT_EQ(Complaint(""), "centres.csv: found an empty table, allowed a header t,x,y,z and rows");
}

}  // namespace
}  // namespace percuss::pipeline
