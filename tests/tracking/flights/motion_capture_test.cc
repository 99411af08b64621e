// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: motions made here, written to files as a lab would, and read back.

#include "tracking/flights/motion_capture.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "solver/body/flight.h"
#include "tests/base/temporary_folder.h"
#include "tracking/trial.h"

namespace percuss::tracking {
namespace {

namespace fs = std::filesystem;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;
using State = solver::FlightState<double>;

const char* kBody =
    "gravity: [0, 0, -9.81]\n"
    "body:\n"
    "  shape: box\n"
    "  size: [0.1, 0.08, 0.06]\n"
    "  mass: 0.5\n"
    "  markers: {A: [0.05, 0.03, 0.01], B: [-0.05, 0.02, -0.02], C: [0.02, -0.04, 0.02], "
    "D: [-0.01, 0.01, 0.03]}\n";

/// An experiment whose one trial has these lines.
capture::Experiment ExperimentOf(const TemporaryFolder& folder, const std::string& trial) {
  const fs::path file =
      folder.Write("experiment.yaml", std::string(kBody) + "trials:\n  - " + trial + "\n");
  return capture::ReadExperiment(file);
}

MotionCapture ReadFirst(const capture::Experiment& experiment) {
  return ReadMotionCapture(*experiment.trials.front().motion, experiment.body);
}

/// A bounce on a corner of the box: states just before and after, at this time.
struct Bounce {
  double time = 0.1537;
  State before;
  Vector3d v_post, w_post;
};

Bounce MakeBounce(const capture::MarkedBody& body) {
  Bounce bounce;
  bounce.before.q_WB = Quaterniond(0.8, 0.3, -0.4, 0.2).normalized();
  bounce.before.v = {0.4, -0.3, -1.6};
  bounce.before.w = {3.0, -5.0, 2.0};
  const Vector3d r =
      bounce.before.q_WB *
      solver::SupportPoint(body.body.shape, bounce.before.q_WB.conjugate() * -Vector3d::UnitZ());
  bounce.before.p_WB = {0.02, 0.05, -r.z()};
  const Vector3d P = 0.5 * Vector3d(-0.3, 0.2, 1.9);
  const Eigen::Matrix3d R = bounce.before.q_WB.toRotationMatrix();
  const Eigen::Matrix3d I = R * body.body.inertia * R.transpose();
  bounce.v_post = bounce.before.v + P / body.body.mass;
  bounce.w_post = bounce.before.w + I.inverse() * r.cross(P);
  return bounce;
}

State StateAt(const Bounce& bounce, const capture::MarkedBody& body, double time) {
  State start = bounce.before;
  if (time > bounce.time) {
    start.v = bounce.v_post;
    start.w = bounce.w_post;
  }
  return solver::PropagateFlight<double>(start, body.body.inertia, Vector3d(0, 0, -9.81),
                                         time - bounce.time);
}

Vector3d Noise(std::mt19937& random, double sigma) {
  std::normal_distribution<double> normal(0.0, sigma);
  return {normal(random), normal(random), normal(random)};
}

Quaterniond Turned(const Quaterniond& q, const Vector3d& turn) {
  return Quaterniond(Eigen::AngleAxisd(turn.norm(), turn.stableNormalized())) * q;
}

constexpr int kFrames = 60;
constexpr double kFrameRate = 200.0;  // [Hz]
constexpr const char* kPoseHeader = "t,x,y,z,qw,qx,qy,qz\n";

std::string PoseRow(int frame, const Vector3d& p, const Quaterniond& q) {
  return fmt::format("{},{},{},{},{},{},{},{}\n", frame / kFrameRate, p.x(), p.y(), p.z(), q.w(),
                     q.x(), q.y(), q.z());
}

/// A table of poses with white noise on each coordinate and rotation axis.
std::string PoseCsv(const Bounce& bounce, const capture::MarkedBody& body, double position_sigma,
                    double angle_sigma, std::mt19937& random) {
  std::string csv = kPoseHeader;
  for (int k = 0; k < kFrames; ++k) {
    const State state = StateAt(bounce, body, k / kFrameRate);
    csv += PoseRow(k, state.p_WB + Noise(random, position_sigma),
                   Turned(state.q_WB, Noise(random, angle_sigma)));
  }
  return csv;
}

TEST(MotionCaptureTest, ColumnsUnitsAxesAndOrder) {
  const TemporaryFolder folder;
  // The vertical of the file is y, millimetres, scalar last, world to body; rows 10 ms apart.
  const Vector3d p_W(0.1, -0.2, 0.3);
  const Quaterniond q_WB = Quaterniond(0.5, -0.1, 0.7, 0.2).normalized();
  Eigen::Matrix3d R_WF;  // x = x, y = -z, z = y
  R_WF << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const Vector3d p_F = R_WF.transpose() * p_W + Vector3d(0.01, 0.02, 0.03);
  const Quaterniond q_BF = (Quaterniond(Eigen::Matrix3d(R_WF.transpose())) * q_WB).conjugate();
  folder.Write("a.csv", fmt::format("sample,X,Y,Z,q0,q1,q2,q3\n7,{},{},{},{},{},{},{}\n9,,,,,,,\n",
                                    1e3 * p_F.x(), 1e3 * p_F.y(), 1e3 * p_F.z(), q_BF.x(), q_BF.y(),
                                    q_BF.z(), q_BF.w()));
  const MotionCapture motion = ReadFirst(ExperimentOf(
      folder,
      "{poses: a.csv, frame_rate: 100, axes: [x, -z, y], origin: [0.01, 0.02, 0.03],\n"
      "     columns: {frame: sample, x: {from: X, unit: mm}, y: {from: Y, unit: mm}, z: {from: Z, "
      "unit: mm},\n"
      "       qx: {from: q0, scale: -1}, qy: {from: q1, scale: -1}, qz: {from: q2, scale: -1}, qw: "
      "q3}}"));
  ASSERT_EQ(motion.frames.size(), 2U);
  EXPECT_FALSE(motion.planar);
  EXPECT_EQ(motion.frames[0].left_frame, 7);
  EXPECT_DOUBLE_EQ(motion.frames[0].time, 0.07);
  ASSERT_TRUE(motion.frames[0].pose.found);
  EXPECT_LT((motion.frames[0].pose.pose.p_WB - p_W).norm(), 1e-12);
  EXPECT_LT(motion.frames[0].pose.pose.q_WB.angularDistance(q_WB), 1e-7);
  ASSERT_TRUE(motion.frames[0].pose_observation.has_value());
  EXPECT_DOUBLE_EQ(motion.frames[1].time, 0.09);
  EXPECT_FALSE(motion.frames[1].pose.found);  // a row with empty cells
  EXPECT_FALSE(motion.frames[1].pose_observation.has_value());
}

// Poses follow the middle of a loaded box, in axes of the file that are turned: y is up there.
TEST(MotionCaptureTest, PosesOfTheShapeBecomeThoseOfTheStatedMassCentre) {
  const TemporaryFolder folder;
  const Quaterniond q_FB = Quaterniond(0.5, -0.1, 0.7, 0.2).normalized();
  const Vector3d p_F(0.1, 0.3, 0.2), c(0.01, -0.02, 0.005);
  folder.Write("a.csv", kPoseHeader + PoseRow(0, p_F, q_FB) + PoseRow(1, p_F, q_FB));
  const fs::path file = folder.Write(
      "experiment.yaml",
      "body: {shape: box, size: [0.1, 0.08, 0.06], mass: 0.5, inertia: [6e-4, 6e-4, 6e-4],\n"
      "       mass_centre: [0.01, -0.02, 0.005]}\n"
      "trials: [{poses: a.csv, axes: [x, -z, y]}]\n");
  const MotionCapture motion = ReadFirst(capture::ReadExperiment(file));
  Eigen::Matrix3d R_WF;
  R_WF << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  const Vector3d expected = R_WF * (p_F + q_FB * c);
  EXPECT_LT((motion.frames[0].pose.pose.p_WB - expected).norm(), 1e-7);  // digits of the file
}

TEST(MotionCaptureTest, PlanarAngleTurnsAboutY) {
  const TemporaryFolder folder;
  folder.Write("a.csv", "x,z,th\n0.1,0.2,30\n");
  const MotionCapture motion = ReadFirst(ExperimentOf(
      folder,
      "{poses: a.csv, frame_rate: 250, columns: {angle: {from: th, unit: deg, scale: -1}}}"));
  EXPECT_TRUE(motion.planar);
  // Counter-clockwise in an (x, up) drawing: the body's x axis rises.
  const Vector3d axis = motion.frames[0].pose.pose.q_WB * Vector3d::UnitX();
  EXPECT_NEAR(axis.x(), std::cos(std::numbers::pi / 6), 1e-12);
  EXPECT_NEAR(axis.z(), std::sin(std::numbers::pi / 6), 1e-12);
  EXPECT_EQ(motion.frames[0].pose.pose.p_WB, Vector3d(0.1, 0.0, 0.2));
}

TEST(MotionCaptureTest, ErrorsNameFileRowAndColumn) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& csv, const std::string& keys = "") {
    folder.Write("a.csv", csv);
    return InputErrorOf([&] { ReadFirst(ExperimentOf(folder, "{poses: a.csv" + keys + "}")); });
  };
  const std::string header = "t,x,y,z,qw,qx,qy,qz\n";
  EXPECT_THAT(message(header + "0,0,0,0,1,0,0,0\n1,0,zero,0,1,0,0,0\n"),
              HasSubstr("a.csv: row 2 (line 3), column y: found \"zero\", allowed a number"));
  EXPECT_THAT(message(header + "0,0,0,0,1,0,0,0\n0,0,0,0,1,0,0,0\n"),
              HasSubstr("a.csv: row 2 (line 3), column time: found 0, allowed a time after"));
  EXPECT_THAT(message(header + "0,0,0,0,1,1,0,0\n"),
              HasSubstr("row 1 (line 2): found a quaternion qw, qx, qy, qz of norm 1.414"));
  EXPECT_THAT(message("t,x,y,z\n0,0,0,0\n"), HasSubstr("a.csv: column qw is missing"));
  EXPECT_THAT(message("x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0\n"),
              HasSubstr("column time (or t) is missing, allowed if the trial gives frame_rate"));
  EXPECT_THAT(message(header + "0,0,0,0,1,0,0,0\n", ", columns: {qw: real_part}"),
              HasSubstr("a.csv: line 1: column real_part is missing; found t, x"));
  EXPECT_THAT(message(header + "0,0,0,0,1,0,0,0\n", ", axes: [x, z, y]"),
              HasSubstr("trials[#1].axes (line 8): found left-handed axes"));
  EXPECT_THAT(InputErrorOf([&] { ReadFirst(ExperimentOf(folder, "{poses: none.csv}")); }),
              HasSubstr("none.csv"));
}

TEST(MotionCaptureTest, OneEntryStandsForManyTrials) {
  const TemporaryFolder folder;
  const std::string header = "toss,t,x,y,z,qw,qx,qy,qz\n";
  folder.Write("p/drop 10.csv", header + "1,0,0.5,0,0,1,0,0,0\n");
  folder.Write("p/drop 9.csv", header + "1,0,0,0,0,1,0,0,0\n");
  const capture::Experiment files = ExperimentOf(folder, "{poses: p/*.csv, gravity: [1, 0, -9.7]}");
  ASSERT_EQ(files.trials.size(), 2U);
  EXPECT_EQ(files.trials[0].name, "drop_9");
  EXPECT_EQ(files.trials[1].name, "drop_10");
  EXPECT_EQ(files.trials[1].gravity, Vector3d(1, 0, -9.7));
  EXPECT_FALSE(files.HasVideos());

  folder.Write("all.csv", header +
                              "first,0,0.1,0,0,1,0,0,0\nfirst,1,0.2,0,0,1,0,0,0\n"
                              "second,0,0.3,0,0,1,0,0,0\n");
  const capture::Experiment parts =
      ExperimentOf(folder, "{name: lab, poses: all.csv, split: toss}");
  ASSERT_EQ(parts.trials.size(), 2U);
  EXPECT_EQ(parts.trials[0].name, "lab-first");
  EXPECT_EQ(ReadMotionCapture(*parts.trials[0].motion, parts.body).frames.size(), 2U);
  const MotionCapture second = ReadMotionCapture(*parts.trials[1].motion, parts.body);
  ASSERT_EQ(second.frames.size(), 1U);
  EXPECT_EQ(second.frames[0].pose.pose.p_WB.x(), 0.3);

  const MotionCapture kept =
      ReadFirst(ExperimentOf(folder, "{poses: all.csv, keep: {toss: second}}"));
  EXPECT_EQ(kept.frames.size(), 1U);
}

// Third differences of white noise: the estimate from 57 times 3 of them scatters by some 10 %.
TEST(MotionCaptureTest, NoiseIsFoundFromThirdDifferences) {
  const TemporaryFolder folder;
  folder.Write("a.csv", "t,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n");
  const capture::Experiment experiment = ExperimentOf(folder, "{poses: a.csv}");
  std::mt19937 random(3);
  double position = 0.0, angle = 0.0;
  for (int draw = 0; draw < 20; ++draw) {
    folder.Write("a.csv",
                 PoseCsv(MakeBounce(experiment.body), experiment.body, 2e-4, 3e-3, random));
    const MotionCapture motion = ReadFirst(experiment);
    position += motion.position_sigma / 20.0;
    angle += motion.angle_sigma / 20.0;
  }
  EXPECT_NEAR(position, 2e-4, 0.1 * 2e-4);
  EXPECT_NEAR(angle, 3e-3, 0.1 * 3e-3);
}

TEST(MotionCaptureTest, MarkersGivePosesWhereThreeAreSeen) {
  const TemporaryFolder folder;
  folder.Write("m.csv", "time_s,Lab:A_x,Lab:A_y,Lab:A_z,B_x,B_y,B_z,C_x,C_y,C_z,E_x,E_y,E_z\n");
  const capture::Experiment experiment = ExperimentOf(folder, "{markers: m.csv}");
  const auto& markers = experiment.body.markers;
  const Vector3d p_WB(0.3, 0.2, 0.5);
  const Quaterniond q_WB = Quaterniond(0.3, 0.5, -0.6, 0.1).normalized();
  std::string csv = "time_s,Lab:A_x,Lab:A_y,Lab:A_z,B_x,B_y,B_z,C_x,C_y,C_z,E_x,E_y,E_z\n";
  for (int k = 0; k < 3; ++k) {
    csv += fmt::format("{}", 0.01 * k);
    for (std::size_t m = 0; m < 3; ++m) {
      const Vector3d p = p_WB + q_WB * markers[m].p_BM;
      csv +=
          k == 1 && m == 2 ? ",,," : fmt::format(",{:.12f},{:.12f},{:.12f}", p.x(), p.y(), p.z());
    }
    csv += ",1,2,3\n";
  }
  folder.Write("m.csv", csv);
  const MotionCapture motion = ReadFirst(experiment);
  ASSERT_EQ(motion.frames.size(), 3U);
  ASSERT_TRUE(motion.frames[0].pose.found);
  EXPECT_LT((motion.frames[0].pose.pose.p_WB - p_WB).norm(), 1e-9);
  EXPECT_LT(motion.frames[0].pose.pose.q_WB.angularDistance(q_WB), 1e-7);
  EXPECT_EQ(motion.frames[0].points.size(), 3U);
  EXPECT_FALSE(motion.frames[1].pose.found);
  EXPECT_EQ(motion.frames[1].points.size(), 2U);
  ASSERT_EQ(motion.warnings.size(), 2U);
  EXPECT_THAT(motion.warnings[0], HasSubstr("markers of the body that are not there: D"));
  EXPECT_THAT(motion.warnings[1], HasSubstr("left out: E"));
}

TEST(MotionCaptureTest, TooFewKnownMarkersAreAnError) {
  const TemporaryFolder folder;
  folder.Write("m.csv", "time_s,A_x,A_y,A_z,B_x,B_y,B_z,E_x,E_y,E_z\n0,1,2,3,4,5,6,7,8,9\n");
  EXPECT_THAT(InputErrorOf([&] { ReadFirst(ExperimentOf(folder, "{markers: m.csv}")); }),
              HasSubstr("m.csv: found 2 of the body's markers, allowed at least 3: missing C, D; "
                        "markers of the file: A, B, E"));
}

// Markers of one line, or nearly, do not tell the rotation about it.
TEST(MotionCaptureTest, MarkersOnOneLineGiveNoPose) {
  const TemporaryFolder folder;
  const fs::path file =
      folder.Write("experiment.yaml",
                   "body: {shape: sphere, radius: 0.1, mass: 1,\n"
                   "       markers: {A: [0.1, 0, 0], B: [0, 0, 0], C: [-0.1, 0, 0]}}\n"
                   "trials: [{markers: m.csv}]\n");
  folder.Write("m.csv", "time_s,A_x,A_y,A_z,B_x,B_y,B_z,C_x,C_y,C_z\n0,1.1,0,0,1,0,0,0.9,0,0\n");
  EXPECT_FALSE(ReadFirst(capture::ReadExperiment(file)).frames[0].pose.found);
}

Eigen::Matrix<double, 12, 1> VelocityError(const impacts::ImpactRecord& record,
                                           const Bounce& truth) {
  Eigen::Matrix<double, 12, 1> error;
  error << record.v - truth.before.v, record.w - truth.before.w, record.v_post - truth.v_post,
      record.w_post - truth.w_post;
  return error;
}

/// Mean of the squared Mahalanobis lengths of 12 velocity errors over the draws, over 12.
double MeanSquare(const capture::Experiment& experiment, const Bounce& bounce, int draws,
                  const std::function<void()>& write) {
  double sum = 0.0;
  for (int draw = 0; draw < draws; ++draw) {
    write();
    const TrialResult result = ProcessTrial(experiment, experiment.trials.front(), {});
    EXPECT_EQ(result.impacts.size(), 1U) << result.message;
    if (result.impacts.size() != 1) return std::nan("");
    const impacts::ImpactRecord& record = result.impacts.front().record;
    const Eigen::Matrix<double, 12, 1> error = VelocityError(record, bounce);
    const Eigen::Matrix<double, 12, 12> covariance = record.covariance->bottomRightCorner<12, 12>();
    sum += error.dot(covariance.ldlt().solve(error)) / 12.0;
  }
  return sum / draws;
}

/// MeanSquare of 30 tables of poses.
double MeanSquareOfPoses(unsigned seed, decltype(PoseCsv)* table) {
  const TemporaryFolder folder;
  folder.Write("a.csv", "");
  const capture::Experiment experiment = ExperimentOf(folder, "{poses: a.csv}");
  const Bounce bounce = MakeBounce(experiment.body);
  std::mt19937 random(seed);
  return MeanSquare(experiment, bounce, 30, [&] {
    folder.Write("a.csv", table(bounce, experiment.body, 2e-4, 3e-3, random));
  });
}

// 30 draws of 12 errors: the mean square scatters by sqrt(2 / 360) = 0.075 about 1; the noise and
// its correlation are estimated from some 57 frames, which adds as much again.
TEST(MotionCaptureTest, StatesFromPosesHaveHonestSigmas) {
  const double square = MeanSquareOfPoses(11, PoseCsv);
  EXPECT_GT(square, 0.65);
  EXPECT_LT(square, 1.4);
}

TEST(MotionCaptureTest, StatesFromMarkersHaveHonestSigmas) {
  const TemporaryFolder folder;
  folder.Write("m.csv", "");
  const capture::Experiment experiment = ExperimentOf(folder, "{markers: m.csv}");
  const Bounce bounce = MakeBounce(experiment.body);
  std::mt19937 random(12);
  std::bernoulli_distribution hidden(0.1);
  const double square = MeanSquare(experiment, bounce, 30, [&] {
    std::string csv = "time_s,A_x,A_y,A_z,B_x,B_y,B_z,C_x,C_y,C_z,D_x,D_y,D_z\n";
    for (int k = 0; k < 60; ++k) {
      const State state = StateAt(bounce, experiment.body, k / 200.0);
      csv += fmt::format("{}", k / 200.0);
      for (const capture::Marker& marker : experiment.body.markers) {
        const Vector3d p = state.p_WB + state.q_WB * marker.p_BM + Noise(random, 3e-4);
        csv += hidden(random) ? ",,," : fmt::format(",{},{},{}", p.x(), p.y(), p.z());
      }
      csv += "\n";
    }
    folder.Write("m.csv", csv);
  });
  EXPECT_GT(square, 0.65);
  EXPECT_LT(square, 1.4);
}

/// The same poses as a system delivers them that filters forwards and backwards: each is a mean
/// over all, with weights that fall to a quarter from frame to frame, and the impact is smeared
/// over those near it.
std::string FilteredPoseCsv(const Bounce& bounce, const capture::MarkedBody& body,
                            double position_sigma, double angle_sigma, std::mt19937& random) {
  constexpr int kReach = 12;
  std::vector<Vector3d> p;
  std::vector<Quaterniond> q;
  for (int k = -kReach; k < kFrames + kReach; ++k) {
    const State state = StateAt(bounce, body, k / kFrameRate);
    p.push_back(state.p_WB + Noise(random, position_sigma));
    q.push_back(Turned(state.q_WB, Noise(random, angle_sigma)));
  }
  std::string csv = kPoseHeader;
  for (int k = 0; k < kFrames; ++k) {
    const Quaterniond& middle = q[static_cast<std::size_t>(k + kReach)];
    Vector3d mean = Vector3d::Zero(), turn = Vector3d::Zero();
    double total = 0.0;
    for (int i = 0; i <= 2 * kReach; ++i) {
      const auto from = static_cast<std::size_t>(k + i);
      const double weight = std::pow(0.25, std::abs(i - kReach));
      const Eigen::AngleAxisd away(q[from] * middle.conjugate());
      total += weight;
      mean += weight * p[from];
      turn += weight * away.angle() * away.axis();
    }
    csv += PoseRow(k, mean / total, Turned(middle, turn / total));
  }
  return csv;
}

// The velocities change by some m/s: filtered, the nearest poses are some mm off, where noise
// leaves 0.1 mm. The bounds are those of white noise.
TEST(MotionCaptureTest, StatesFromFilteredPosesAreThoseOfTheFlightsBesideTheSmear) {
  const double square = MeanSquareOfPoses(13, FilteredPoseCsv);
  EXPECT_GT(square, 0.65);
  EXPECT_LT(square, 1.4);
}

TEST(MotionCaptureTest, OtherMethodsNeedVideos) {
  const TemporaryFolder folder;
  folder.Write("a.csv", "t,x,y,z,qw,qx,qy,qz\n0,0,0,0,1,0,0,0\n");
  const capture::Experiment experiment = ExperimentOf(folder, "{poses: a.csv}");
  TrialOptions options;
  options.states = StateMethod::kRts;
  const TrialResult result = ProcessTrial(experiment, experiment.trials.front(), {}, options);
  EXPECT_EQ(result.status, TrialResult::Status::kBadInput);
  EXPECT_EQ(result.message, "trial a: states: found rts, allowed without videos is arcs");
}

}  // namespace
}  // namespace percuss::tracking
