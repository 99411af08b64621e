// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/sighting_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "tests/base/temporary_folder.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

const Provenance kProvenance{"percuss sightings 2", "percuss run", {}};

FittedArcs OneOfEach() {
  FittedArcs arcs;
  arcs.guess_time = 0.3;
  arcs.variance = 1.7;
  arcs.unknowns = {0, 1, 2};
  arcs.shared_offsets = {{0.02, 0.08}, {0.0, 1.0}};
  arcs.solution.time = 0.001;
  arcs.solution.before.p_WB = {1, 2, 3};
  arcs.solution.before.q_WB = Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5);
  arcs.solution.v_post = {0.1, 0.2, 0.3};
  Sighting pixel{MarkerObservation{.marker = 2, .side = 1, .pixel = {10.25, 20.5}}, 0.002,
                 SightingMatrix::Zero(2, 2), 0.8};
  pixel.whitening << 20, 0, 1, 21;
  Sighting point{PointObservation{.marker = 1, .p_W = {0.1, 0.2, 0.3}}, 0.0,
                 1000.0 * SightingMatrix::Identity(3, 3), 1.0};
  PoseObservation pose;
  pose.pose.q_WB = Eigen::Quaterniond(0.6, 0.0, 0.8, 0.0);
  Sighting body{pose, 0.0, 500.0 * SightingMatrix::Identity(6, 6), 1.0};
  arcs.frames = {{7, 0.25, 0, {pixel, point, body}}};
  return arcs;
}

TEST(SightingFiles, ReadWhatWasWritten) {
  const percuss::testing::TemporaryFolder folder;
  const FittedArcs written = OneOfEach();
  WriteSightings({written}, kProvenance, folder / "s.json");
  const std::vector<FittedArcs> impacts = ReadSightings(folder / "s.json");
  ASSERT_EQ(impacts.size(), 1u);
  const FittedArcs& read = impacts[0];
  EXPECT_EQ(read.guess_time, written.guess_time);
  EXPECT_EQ(read.variance, written.variance);
  EXPECT_EQ(read.unknowns, written.unknowns);
  EXPECT_EQ(read.clock_sigma, written.clock_sigma);  // infinite
  EXPECT_EQ(read.solution.clock_rate, written.solution.clock_rate);
  ASSERT_EQ(read.shared_offsets.size(), 2u);
  EXPECT_EQ(read.shared_offsets[0].sigma_px, 0.02);
  EXPECT_EQ(read.shared_offsets[0].correlation_time, 0.08);
  EXPECT_EQ(read.solution.time, written.solution.time);
  EXPECT_EQ(read.solution.before.p_WB, written.solution.before.p_WB);
  EXPECT_EQ(read.solution.before.q_WB.coeffs(), written.solution.before.q_WB.coeffs());
  EXPECT_EQ(read.solution.v_post, written.solution.v_post);
  ASSERT_EQ(read.frames.size(), 1u);
  ASSERT_EQ(read.frames[0].sightings.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Sighting &a = read.frames[0].sightings[i], &b = written.frames[0].sightings[i];
    EXPECT_EQ(a.observation.index(), b.observation.index());
    EXPECT_EQ(a.after_frame, b.after_frame);
    EXPECT_EQ(a.whitening, b.whitening);
    EXPECT_EQ(a.weight, b.weight);
    EXPECT_EQ(MarkerOf(a), MarkerOf(b));
    EXPECT_EQ(SourceOf(a), SourceOf(b));
  }
  EXPECT_EQ(std::get<MarkerObservation>(read.frames[0].sightings[0].observation).pixel,
            Eigen::Vector2d(10.25, 20.5));
}

TEST(SightingFiles, NameWhatIsWrong) {
  const percuss::testing::TemporaryFolder folder;
  WriteSightings({OneOfEach()}, kProvenance, folder / "s.json");
  const std::string good = ReadFile(folder / "s.json");
  const auto message = [&](const std::string& from, const std::string& to) -> std::string {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    folder.Write("bad.json", text.replace(at, from.size(), to));
    try {
      ReadSightings(folder / "bad.json", 2);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing is wrong";
  };
  EXPECT_THAT(message("\"variance\":1.7", "\"variance\":-1"), HasSubstr("variance"));
  EXPECT_THAT(message("\"correlation_time\":0.08", "\"correlation_time\":0"),
              HasSubstr("correlation_time"));
  EXPECT_THAT(message("\"unknowns\":[0,1,2]", "\"unknowns\":[0,1,99]"), HasSubstr("99"));
  // The clock of a third camera, and what it saw, where the calibration has two.
  const std::string third = std::to_string(ClockColumn(2));
  EXPECT_THAT(message("\"unknowns\":[0,1,2]", "\"unknowns\":[0,1," + third + "]"),
              HasSubstr("unknowns: found " + third + ", allowed are those of 2 cameras"));
  EXPECT_THAT(message("\"camera\":1", "\"camera\":2"),
              HasSubstr("camera: found 2, allowed are those of 2 cameras"));
  EXPECT_THAT(message("\"arc\":0", "\"arc\":2"), HasSubstr("before"));
  EXPECT_THAT(message("sightings 2", "sightings 9"), HasSubstr("format"));
  EXPECT_THAT(message("\"orientation\":[0.5,", "\"orientation\":[2.5,"), HasSubstr("length 1"));
}

}  // namespace
}  // namespace percuss::tracking
