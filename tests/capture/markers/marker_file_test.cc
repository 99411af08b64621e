// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Real files (data/mocap_c3d_pyomeca), round trips through all formats, choice of format, axes.

#include "capture/markers/marker_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <random>

#include "base/files/files.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

using Eigen::Vector3d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;

const std::filesystem::path kData = std::filesystem::path(PERCUSS_DATA_DIR) / "mocap_c3d_pyomeca";

// Largest distance of a coordinate; infinite where only one of both has the marker.
double Difference(const MarkerTrajectories& a, const MarkerTrajectories& b,
                  std::size_t num_markers) {
  if (a.times.size() != b.times.size()) return INFINITY;
  double largest = 0.0;
  for (std::size_t f = 0; f < a.times.size(); ++f) {
    for (std::size_t m = 0; m < num_markers; ++m) {
      const Vector3d& p = a.positions[f][m];
      const Vector3d& q = b.positions[f][m];
      if (IsMissing(p) != IsMissing(q)) return INFINITY;
      if (!IsMissing(p)) largest = std::max(largest, (p - q).cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

MarkerTrajectories Random() {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> coordinate(-3.0, 3.0);
  MarkerTrajectories trajectories{
      .frame_rate = 240, .markers = {"A1", "boite:gauche ext", "C"}, .times = {}, .positions = {}};
  for (int f = 0; f < 50; ++f) {
    trajectories.times.push_back((f + 12) / 240.0);
    auto& frame = trajectories.positions.emplace_back();
    for (int m = 0; m < 3; ++m) {
      frame.push_back({coordinate(random), coordinate(random), coordinate(random)});
      if (random() % 5 == 0) frame.back().setConstant(NAN);
    }
  }
  return trajectories;
}

TEST(MarkerFiles, RealC3dAndViconExportAgree) {
  const MarkerTrajectories c3d = ReadMarkers(kData / "markers_analogs.c3d");
  const MarkerTrajectories csv = ReadMarkers(kData / "markers.csv");
  EXPECT_EQ(c3d.markers.size(), 51u);
  EXPECT_EQ(c3d.markers, csv.markers);
  EXPECT_EQ(c3d.times, csv.times);
  EXPECT_EQ(c3d.times.size(), 580u);
  EXPECT_EQ(c3d.frame_rate, 100.0);
  // Six significant digits: half of 0.01 mm beyond one metre.
  constexpr double kRounding = 0.005e-3 + 1e-7;
  EXPECT_LT(Difference(c3d, csv, 51), kRounding);
  // First numbers as they stand in the CSV, in mm.
  EXPECT_LT((csv.positions[0][0] - Vector3d(0.0441628, -0.276862, 0.675697)).norm(), 1e-15);
}

// The box is rigid: README of the data.
TEST(MarkerFiles, RealBoxIsRigid) {
  const MarkerTrajectories c3d = ReadMarkers(kData / "markers_analogs.c3d");
  double sum = 0.0, sum_of_squares = 0.0, count = 0.0;
  for (const auto& frame : c3d.positions) {
    if (IsMissing(frame[0]) || IsMissing(frame[3])) continue;
    const double distance = (frame[0] - frame[3]).norm();
    sum += distance;
    sum_of_squares += distance * distance;
    count += 1.0;
  }
  const double mean = sum / count;
  EXPECT_GT(count, 500);
  EXPECT_LT(std::sqrt(std::max(0.0, sum_of_squares / count - mean * mean)), 0.42e-3);
}

TEST(MarkerFiles, RealTrcWithCommas) {
  EXPECT_THAT(InputErrorOf([] { ReadMarkers(kData / "markers.trc"); }),
              HasSubstr("NumFrames: found the end of the file after 93 frames, allowed 652"));
  const MarkerTrajectories trc = ReadMarkers(kData / "markers.trc", {.partial = true});
  EXPECT_EQ(trc.markers.size(), 51u);
  EXPECT_EQ(trc.markers.front(), "ASISl");
  EXPECT_EQ(trc.times.size(), 93u);
  EXPECT_EQ(trc.times.back(), 0.92);
  EXPECT_LT((trc.positions[0][0] - Vector3d(0.7337041, 0.0809832, 0.1918668)).norm(), 1e-15);
}

// C3D holds floats of 24 bits in mm, TRC nanometres, CSV everything.
TEST(MarkerFiles, RoundTripsAreExactToTheFormat) {
  const TemporaryFolder folder;
  const MarkerTrajectories written = Random();
  const double float_rounding = 3.0 * std::ldexp(1.0, -24);
  for (const auto& [name, tolerance] :
       {std::pair("a.c3d", float_rounding), {"a.TRC", 0.51e-9}, {"a.csv", 0.0}}) {
    WriteMarkers(written, folder / name);
    const MarkerTrajectories read = ReadMarkers(folder / name);
    EXPECT_EQ(read.markers, written.markers) << name;
    EXPECT_EQ(read.times, written.times) << name;
    EXPECT_EQ(read.frame_rate, written.frame_rate) << name;
    EXPECT_LE(Difference(read, written, 3), tolerance) << name;
    // Once rounded nothing changes any more.
    const std::string first = ReadFile(folder / name);
    WriteMarkers(read, folder / name);
    EXPECT_EQ(ReadFile(folder / name), first) << name;
  }
}

TEST(MarkerFiles, RealC3dComesBackBitByBit) {
  const TemporaryFolder folder;
  const MarkerTrajectories read = ReadMarkers(kData / "markers_analogs.c3d");
  WriteMarkers(read, folder / "again.c3d");
  EXPECT_EQ(Difference(ReadMarkers(folder / "again.c3d"), read, 51), 0.0);
}

TEST(MarkerFiles, ContentDecidesBeforeTheName) {
  const TemporaryFolder folder;
  const MarkerTrajectories written = Random();
  for (const char* name : {"a.c3d", "a.trc"}) {
    WriteMarkers(written, folder / name);
    for (const char* other : {"b.csv", "b.txt"}) {
      EXPECT_EQ(ReadMarkers(folder.Write(other, ReadFile(folder / name))).markers, written.markers);
    }
  }
  WriteMarkers(written, folder / "a.csv");
  const std::string csv = ReadFile(folder / "a.csv");
  const auto error = [&](const char* name) {
    const auto file = folder.Write(name, csv);
    return InputErrorOf([&] { ReadMarkers(file); });
  };
  EXPECT_THAT(error("b.c3d"), HasSubstr("byte 2: found 0x69, allowed 0x50"));
  EXPECT_THAT(error("b.trc"), HasSubstr("(line 1)"));
  EXPECT_THAT(error("b.txt"), HasSubstr("found the extension \".txt\""));
  EXPECT_THAT(InputErrorOf([&] { ReadMarkers(folder / "none.c3d"); }), HasSubstr("none.c3d"));
}

// Truth: what was up is z, and the determinant of a rotation is 1.
TEST(MarkerFiles, TurnsUpToZ) {
  for (const char up : {'x', 'y', 'z'}) {
    MarkerTrajectories axes{.frame_rate = 1,
                            .markers = {"x", "y", "z", "none"},
                            .times = {0.0},
                            .positions = {{Vector3d::UnitX(), Vector3d::UnitY(), Vector3d::UnitZ(),
                                           Vector3d::Constant(NAN)}}};
    TurnUpToZ(up, axes);
    const auto& frame = axes.positions[0];
    EXPECT_EQ(frame[up - 'x'], Vector3d::UnitZ()) << up;
    EXPECT_EQ(frame[0].cross(frame[1]), frame[2]) << up;
    EXPECT_TRUE(IsMissing(frame[3]));
  }
  MarkerTrajectories axes = Random();
  EXPECT_THROW(TurnUpToZ('w', axes), std::invalid_argument);
}

TEST(WriteMarkers, RefusesWhatIsNoTrajectory) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::function<void(MarkerTrajectories&)>& change,
                           const char* name = "a.csv") {
    MarkerTrajectories trajectories = Random();
    change(trajectories);
    EXPECT_THROW(WriteMarkers(trajectories, folder / name), std::invalid_argument);
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  };
  refused([](auto& t) { t.markers.clear(); });
  refused([](auto& t) { t.markers[0] = "C"; });
  refused([](auto& t) { t.markers[0] = ""; });
  refused([](auto& t) { t.markers[0] = "a,b"; });
  refused([](auto& t) { t.markers[0] = "a\tb"; }, "a.trc");
  refused([](auto& t) { t.times[3] = t.times[2]; });
  refused([](auto& t) { t.times.pop_back(); });
  refused([](auto& t) { t.times.clear(), t.positions.clear(); });
  refused([](auto& t) { t.positions[4].pop_back(); });
  refused([](auto& t) { t.positions[4][0] = Vector3d(1, NAN, 2); });
  refused([](auto& t) { t.positions[4][0].x() = INFINITY; });
  refused([](auto& t) { t.frame_rate = NAN; }, "a.trc");
  refused([](auto& t) { t.frame_rate = 0.0; }, "a.c3d");
  refused([](auto&) {}, "a.txt");
}

}  // namespace
}  // namespace percuss::capture
