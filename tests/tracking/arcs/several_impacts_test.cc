// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: made-up motions with more than one impact, written to files as a motion-capture system
// would, from file to impact states.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/base/temporary_folder.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/trial.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector3d;
using ::percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;
using State = solver::FlightState<double>;

const Vector3d kGravity(0, 0, -9.80665);
constexpr double kNoise = 1e-4;  // of a coordinate of a marker [m]

/// A body let go at a height above the surface. A tenth of a second after the last impact the
/// recording ends, wherever the body is then.
struct Drop {
  SyntheticMotion motion;
  double end = 0.0;
};

Drop MakeDrop(const capture::MarkedBody& body, State start, double height,
              const BounceOptions& bounces) {
  start = WithLowestPointAt(body.body.shape, height, start);
  constexpr double kRelease = 0.05;
  Drop drop;
  AddCarry({}, start, kRelease, &drop.motion);
  AddFlight(body.body, kGravity, start, kRelease, 2.0, bounces, &drop.motion);
  drop.end = drop.motion.impacts.back().time + 0.1;
  return drop;
}

/// All markers in all frames up to `end`: [frame][marker], in W, with noise.
std::vector<std::vector<Vector3d>> MarkersOf(const Drop& drop, const capture::MarkedBody& body,
                                             double frame_rate, std::mt19937* random) {
  std::normal_distribution<double> normal(0.0, kNoise);
  std::vector<std::vector<Vector3d>> frames;
  for (int k = 0; k / frame_rate < drop.end; ++k) {
    const State state = drop.motion.StateAt(k / frame_rate);
    std::vector<Vector3d>& places = frames.emplace_back();
    for (const capture::Marker& marker : body.markers) {
      const double x = normal(*random), y = normal(*random), z = normal(*random);
      places.push_back(state.p_WB + state.q_WB * marker.p_BM + Vector3d(x, y, z));
    }
  }
  return frames;
}

std::string MarkerCsv(const std::vector<std::vector<Vector3d>>& frames,
                      const capture::MarkedBody& body, double frame_rate) {
  std::string text = "time_s";
  for (const capture::Marker& m : body.markers) text += fmt::format(",{0}_x,{0}_y,{0}_z", m.name);
  for (std::size_t k = 0; k < frames.size(); ++k) {
    text += fmt::format("\n{}", static_cast<double>(k) / frame_rate);
    for (const Vector3d& p : frames[k]) text += fmt::format(",{},{},{}", p.x(), p.y(), p.z());
  }
  return text + "\n";
}

/// The same with y up and in millimetres, as many systems deliver it: x = x, y = z, z = -y.
std::string MarkerTrc(const std::vector<std::vector<Vector3d>>& frames,
                      const capture::MarkedBody& body, double frame_rate) {
  std::string text = fmt::format(
      "PathFileType\t4\t(X/Y/Z)\tdrop.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\t"
      "OrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n{0}\t{0}\t{1}\t{2}\tmm\t{0}\t1\t{1}\n"
      "Frame#\tTime",
      frame_rate, frames.size(), body.markers.size());
  std::string axes = "\t";
  for (std::size_t m = 0; m < body.markers.size(); ++m) {
    text += fmt::format("\t{}\t\t", body.markers[m].name);
    axes += fmt::format("\tX{0}\tY{0}\tZ{0}", m + 1);
  }
  text += "\n" + axes + "\n\n";
  for (std::size_t k = 0; k < frames.size(); ++k) {
    text += fmt::format("{}\t{}", k + 1, static_cast<double>(k) / frame_rate);
    for (const Vector3d& p : frames[k])
      text += fmt::format("\t{}\t{}\t{}", 1e3 * p.x(), 1e3 * p.z(), -1e3 * p.y());
    text += "\n";
  }
  return text;
}

TrialResult ProcessFile(const capture::MarkedBody& body, const std::filesystem::path& file,
                        const Eigen::Matrix3d& R_WF = Eigen::Matrix3d::Identity()) {
  capture::Experiment experiment;
  experiment.body = body;
  capture::Trial trial;
  trial.name = "drop";
  trial.gravity = kGravity;
  trial.motion = capture::MotionSource{};
  trial.motion->kind = capture::MotionSource::Kind::kMarkers;
  trial.motion->file = file;
  trial.motion->R_WF = R_WF;
  return ProcessTrial(experiment, trial, {});
}

/// Largest error of a velocity of an impact, in its own sigmas.
double WorstError(const impacts::ImpactRecord& record, const TrueImpact& truth) {
  Eigen::Matrix<double, 12, 1> error;
  error << record.v - truth.before.v, record.w - truth.before.w, record.v_post - truth.v_post,
      record.w_post - truth.w_post;
  return error.cwiseQuotient(record.covariance->diagonal().tail<12>().cwiseSqrt())
      .cwiseAbs()
      .maxCoeff();
}

State CubeStart() {
  State start;
  start.q_WB = Eigen::AngleAxisd(0.5, Vector3d(1, 2, 0.5).normalized());
  start.v = {0.1, 0.02, 0.0};
  start.w = {0.5, 1.0, 0.2};
  return start;
}

// Each of 36 errors is within 4.5 of its sigmas but for once in 4000 times.
constexpr double kSigmas = 4.5;

TEST(SeveralImpacts, GiveOneRowEachInOrder) {
  const TemporaryFolder folder;
  const capture::MarkedBody cube = MarkedCube();
  const Drop drop =
      MakeDrop(cube, CubeStart(), 0.12, {.max_impacts = 3, .restitution = 0.75, .friction = 0.1});
  ASSERT_EQ(drop.motion.impacts.size(), 3u);
  std::mt19937 random(91);
  const TrialResult result = ProcessFile(
      cube, folder.Write("m.csv", MarkerCsv(MarkersOf(drop, cube, 200.0, &random), cube, 200.0)));
  ASSERT_EQ(result.impacts.size(), 3u) << result.message;
  const std::vector<std::string> names = {"drop", "drop-2", "drop-3"};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(i);
    const impacts::ImpactRecord& record = result.impacts[i].record;
    EXPECT_EQ(record.trial, names[i]);
    EXPECT_TRUE(std::isnan(record.pixel_noise_px));
    EXPECT_LT(std::abs(record.time - drop.motion.impacts[i].time), kSigmas * record.time_sigma);
    EXPECT_LT(WorstError(record, drop.motion.impacts[i]), kSigmas);
  }
}

TEST(SeveralImpacts, OfATrcFileWithYUp) {
  const TemporaryFolder folder;
  const capture::MarkedBody cube = MarkedCube();
  const Drop drop = MakeDrop(cube, CubeStart(), 0.12, {.max_impacts = 1, .restitution = 0.75});
  ASSERT_EQ(drop.motion.impacts.size(), 1u);
  std::mt19937 random(92);
  Eigen::Matrix3d R_WF;  // axes: [x, -z, y]
  R_WF << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const TrialResult result = ProcessFile(
      cube, folder.Write("m.trc", MarkerTrc(MarkersOf(drop, cube, 200.0, &random), cube, 200.0)),
      R_WF);
  ASSERT_EQ(result.impacts.size(), 1u) << result.message;
  EXPECT_LT(WorstError(result.impacts[0].record, drop.motion.impacts[0]), kSigmas);
}

// A bar that comes down almost flat strikes with one end, and then with the other: the tilt sets
// how much later. No tilt may give a row that is neither of the two impacts, such as a jump over
// both; what has no row is said.
TEST(SeveralImpacts, InQuickSuccessionAreNotAveraged) {
  const TemporaryFolder folder;
  const capture::MarkedBody bar = MakeSyntheticTrial().body;
  constexpr double kFrameRate = 240.0;
  std::mt19937 random(93);
  for (const double tilt : {0.01, 0.02, 0.03, 0.06, 0.10, 0.14, 0.25}) {
    State start;
    start.q_WB = Eigen::AngleAxisd(tilt, Vector3d::UnitY());
    const Drop drop =
        MakeDrop(bar, start, 0.12, {.max_impacts = 2, .restitution = 0.6, .friction = 0.1});
    const std::vector<TrueImpact>& truth = drop.motion.impacts;
    ASSERT_EQ(truth.size(), 2u);
    const double apart = (truth[1].time - truth[0].time) * kFrameRate;
    SCOPED_TRACE(fmt::format("{:.2f} frames apart", apart));
    const TrialResult result = ProcessFile(
        bar, folder.Write("m.csv",
                          MarkerCsv(MarkersOf(drop, bar, kFrameRate, &random), bar, kFrameRate)));
    for (const TrialImpact& impact : result.impacts) {
      const double error =
          std::min(WorstError(impact.record, truth[0]), WorstError(impact.record, truth[1]));
      EXPECT_LT(error, kSigmas) << impact.record.time * kFrameRate;
    }
    if (result.impacts.size() == 2) continue;
    std::string said = result.message;
    for (const std::string& warning : result.warnings) said += "\n" + warning;
    EXPECT_FALSE(said.empty());
    if (apart < 1.0) {
      EXPECT_THAT(said, HasSubstr("more than one impact"));
    }
  }
}

}  // namespace
}  // namespace percuss::tracking
