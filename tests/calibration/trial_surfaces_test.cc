// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/trial_surfaces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "calibration/calibrate.h"

namespace percuss::calibration {
namespace {

// Bar-drop, whose surface pictures stand in for those of a trial.
struct Bar {
  capture::Experiment experiment = capture::ReadExperiment(std::filesystem::path(PERCUSS_DATA_DIR) /
                                                           "bar-drop" / "experiment.yaml");
  RigCalibration rig = CalibrateRig(experiment, {.num_folds = 0});
  capture::TrialSurface surface{
      "again",
      {experiment.calibration.cameras[0].surface, experiment.calibration.cameras[1].surface},
      std::nullopt};
};

const Bar& TheBar() {
  static const Bar bar;
  return bar;
}

TEST(MeasureSurface, FindsTheSurfaceOfTheCalibrationAgain) {
  const auto& [experiment, rig, surface] = TheBar();
  const SurfacePlane plane = MeasureSurface(experiment, surface, rig);
  ASSERT_EQ(plane.reason, "");
  // With the same corners: what is left is how the other views pull at them.
  EXPECT_LT((plane.normal - Eigen::Vector3d::UnitZ()).norm(),
            std::sqrt(plane.tilt_covariance.trace()));
  EXPECT_LT(std::abs(plane.Height(Eigen::Vector3d::Zero())), 1e-5);
  // Both say of the same board how it lies against the cameras: what is not known of W is not
  // doubted again.
  const Eigen::Matrix3d by_rig = plane.tilt_by_rig * rig.covariance * plane.tilt_by_rig.transpose();
  const int world = rig.Places().World();
  for (int axis = 0; axis < 2; ++axis) {
    const double noise = plane.tilt_covariance(axis, axis);
    EXPECT_GT(noise, 0.0);
    EXPECT_LT(by_rig(axis, axis), 1.5 * rig.covariance(world + axis, world + axis));
    EXPECT_LT(noise, 1.5 * rig.covariance(world + axis, world + axis));
  }
}

// Against differences: the picture is measured again with cameras that are a little off.
TEST(MeasureSurface, FollowsTheErrorsOfTheCalibration) {
  const auto& [experiment, rig, surface] = TheBar();
  const SurfacePlane plane = MeasureSurface(experiment, surface, rig);
  const ParameterPlaces places = rig.Places();
  for (const int place : {places.Intrinsics(0), places.Intrinsics(1) + 2, places.CameraPose(1) + 1,
                          places.CameraPose(1) + 3, places.World(), places.World() + 1}) {
    const double step = 0.3 * std::sqrt(rig.covariance(place, place));
    ASSERT_GT(step, 0.0);
    Eigen::VectorXd delta = Eigen::VectorXd::Zero(NumRigParameters(2));
    delta[place] = step;
    const Eigen::Vector3d plus = MeasureSurface(experiment, surface, Perturbed(rig, delta)).normal;
    const Eigen::Vector3d minus =
        MeasureSurface(experiment, surface, Perturbed(rig, -delta)).normal;
    const Eigen::Vector3d expected =
        Eigen::Vector3d(plane.tilt_by_rig.col(place)).cross(plane.normal);
    EXPECT_LT(((plus - minus) / (2.0 * step) - expected).norm(),
              0.02 * expected.norm() + 1e-9 / step)
        << "parameter " << place;
  }
}

TEST(MeasureSurface, SaysWhyNot) {
  const auto& [experiment, rig, surface] = TheBar();
  capture::TrialSurface missing = surface;
  missing.pictures[1] = "no/such.png";
  EXPECT_THAT(MeasureSurface(experiment, missing, rig).reason, testing::HasSubstr("no/such.png"));
}

}  // namespace
}  // namespace percuss::calibration
