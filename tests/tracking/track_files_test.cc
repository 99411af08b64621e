// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/track_files.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/files/files.h"
#include "tests/base/temporary_folder.h"
#include "tests/solver/law/table.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/labels/marker_triad.h"

namespace percuss::tracking {
namespace {

// docs/states.md: trial.json says how the velocities were found, and what the method has to say of
// itself.
TEST(WriteTrial, SaysHowTheVelocitiesWereFound) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(110);
  percuss::testing::TemporaryFolder folder;
  TrialResult result;
  result.trial = "drop";
  result.status = TrialResult::Status::kOk;
  result.tracked.frames = MakeTrackedFrames(trial, 0.05, &random);
  TrialImpact arcs;
  arcs.fit.time = trial.impact_time;
  arcs.fit.arcs[0].first_frame = 13;
  arcs.fit.arcs[0].last_frame = 36;
  arcs.fit.arcs[1].first_frame = 37;
  arcs.fit.arcs[1].last_frame = 59;
  arcs.record.gravity = trial.gravity;
  const auto write = [&](StateMethod method) {
    TrialOptions options;
    options.states = result.states = method;
    result.impacts = {arcs};
    EXPECT_EQ(ReplaceStates(result.tracked.frames, LayoutOf(trial.body), ViewsOf(trial.calibration),
                            trial.body.body.inertia, options, &result.impacts.front()),
              "");
    WriteTrial(result, trial.body, trial.calibration, {"percuss trial 1", "percuss", {}},
               folder.Path());
    return nlohmann::json::parse(ReadFile(folder.Path() / "trial.json"));
  };

  EXPECT_EQ(write(StateMethod::kArcs).at("states"), "arcs");
  const nlohmann::json houbolt = write(StateMethod::kHoubolt);
  EXPECT_EQ(houbolt.at("states"), "houbolt");
  EXPECT_EQ(houbolt.at("triad_markers"), nlohmann::json({"A1", "A5", "A6"}));
  const nlohmann::json rts = write(StateMethod::kRts);
  EXPECT_EQ(rts.at("states"), "rts");
  for (const char* flight : {"before", "after"}) {
    const nlohmann::json& innovations = rts.at("innovations").at(flight);
    EXPECT_GT(innovations.at("mean_square"), 0.7);
    EXPECT_LT(innovations.at("mean_square"), 1.3);
    EXPECT_LT(innovations.at("low"), 1.0);
    EXPECT_GT(innovations.at("high"), 1.0);
    EXPECT_GT(innovations.at("count"), 400);
    EXPECT_EQ(innovations.at("rejected"), 0);
  }
}

// A body turned by known Euler angles in the thesis' axes, whose contact point hung straight below
// the mass centre before it tilted by 30 degrees about the thesis' z.
TEST(WriteTrial, PosesHaveTheAnglesOfTheThesis) {
  const double theta1 = 0.4, theta2 = -0.3, theta3 = 1.1;
  const auto turn = [](double angle, const Eigen::Vector3d& axis) {
    return Eigen::AngleAxisd(-angle, axis).toRotationMatrix();
  };
  using Eigen::Vector3d;
  const Eigen::Matrix3d A = turn(theta3, Vector3d::UnitZ()) * turn(theta2, Vector3d::UnitX()) *
                            turn(theta1, Vector3d::UnitY());
  const Eigen::Matrix3d R_WT{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}};
  TrialResult result;
  result.trial = "drop";
  TrackedFrame frame;
  frame.pose.found = true;
  frame.pose.pose.q_WB = Eigen::Quaterniond(R_WT * A.transpose());
  result.tracked.frames.assign(2, frame);
  const Eigen::Quaterniond tilt(Eigen::AngleAxisd(M_PI / 6.0, -Vector3d::UnitY()));
  result.tracked.frames[1].pose.pose.q_WB = tilt;
  TrialImpact impact;
  impact.record.r = {0.0, 0.0, -0.15};
  result.impacts = {impact};
  percuss::testing::TemporaryFolder folder;
  const SyntheticTrial trial = MakeSyntheticTrial();
  WriteTrial(result, trial.body, trial.calibration, {"percuss trial 1", "percuss", {}},
             folder.Path());
  const Table poses((folder / "poses.csv").string());
  constexpr double kDegrees = 180.0 / M_PI;
  EXPECT_NEAR(poses.Number(0, "theta1_deg"), kDegrees * theta1, 1e-5);
  EXPECT_NEAR(poses.Number(0, "theta2_deg"), kDegrees * theta2, 1e-5);
  EXPECT_NEAR(poses.Number(0, "theta3_deg"), kDegrees * theta3, 1e-5);
  EXPECT_NEAR(poses.Number(1, "beta_deg"), 120.0, 1e-5);
  EXPECT_NEAR(poses.Number(1, "gamma_deg"), 30.0, 1e-5);
  EXPECT_NEAR(poses.Number(1, "delta_deg"), 90.0, 1e-5);
}

// sun2017 (4.14) to (4.17), digest 2.16: angles of the first frame of Figure 4.19, whose first
// marker is the contact point and whose triad are the body axes.
TEST(WriteTrial, PosesHaveTheAnglesOfFigure419) {
  using Eigen::Vector3d;
  const Table frames(PERCUSS_DATA_DIR "/sun2017/trajectories_fig4_19.csv");
  std::array<Vector3d, 3> markers;
  for (std::size_t m = 0; m < 3; ++m) {
    const std::string name = "m" + std::to_string(m + 1);
    for (int axis = 0; axis < 3; ++axis)
      markers[m][axis] = 1e-3 * frames.Number(0, name + "_" + "xyz"[axis] + "_mm");
  }
  const Eigen::Matrix3d R_WT{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}};
  TrialResult result;
  result.trial = "drop";
  TrackedFrame frame;
  frame.pose.found = true;
  frame.pose.pose.q_WB = Eigen::Quaterniond(R_WT * MarkerTriad<double>(markers).transpose());
  result.tracked.frames = {frame};
  TrialImpact impact;
  impact.record.q_WB = frame.pose.pose.q_WB;
  impact.record.r = R_WT * (markers[0] - (markers[0] + markers[1] + markers[2]) / 3.0);
  result.impacts = {impact};
  percuss::testing::TemporaryFolder folder;
  const SyntheticTrial trial = MakeSyntheticTrial();
  WriteTrial(result, trial.body, trial.calibration, {"percuss trial 1", "percuss", {}},
             folder.Path());
  const Table poses((folder / "poses.csv").string());
  constexpr double kDegrees = 180.0 / M_PI;
  EXPECT_NEAR(poses.Number(0, "theta1_deg") / kDegrees, -2.67212, 5.1e-6);
  EXPECT_NEAR(poses.Number(0, "theta2_deg") / kDegrees, -0.01762, 5.1e-6);
  EXPECT_NEAR(poses.Number(0, "theta3_deg") / kDegrees, -0.51063, 5.1e-6);
  EXPECT_NEAR(std::cos(poses.Number(0, "beta_deg") / kDegrees), 0.30023, 5.1e-6);
  EXPECT_NEAR(std::cos(poses.Number(0, "gamma_deg") / kDegrees), -0.93844, 5.1e-6);
  EXPECT_NEAR(std::cos(poses.Number(0, "delta_deg") / kDegrees), -0.17085, 5.1e-6);
}

}  // namespace
}  // namespace percuss::tracking
