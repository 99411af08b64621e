// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// The truth is a made-up rig: errors of calibration, of the ruler and of the spots are drawn from
// what is stated of them, or a camera is turned.

#include "tracking/reference/reference_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/base/kolmogorov.h"
#include "tests/base/temporary_folder.h"
#include "tests/solver/law/table.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/label_files.h"
#include "tracking/spots/stereo_spots.h"

namespace percuss::tracking {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// Cameras, what is stated of some points, and one draw of the truth.
class Laboratory {
 public:
  explicit Laboratory(SyntheticTrial trial = MakeSyntheticTrial()) : rig_(trial.calibration) {
    // 0.3 px of focal length and centre, 0.2 mrad and 0.2 mm of every pose.
    const int size = static_cast<int>(rig_.covariance.rows());
    const int num_cameras = static_cast<int>(rig_.cameras.size());
    for (int i = 0; i < size; ++i) {
      const bool pose = i >= kIntrinsics * num_cameras;
      const bool lens = !pose && i % kIntrinsics > 3;
      rig_.covariance(i, i) = std::pow(pose ? 2e-4 : lens ? 0.0 : 0.3, 2);
    }
    points_ = {{"O1", {0.1, -0.15, 0.045}, 0.0005, 0.008},
               {"O2", {-0.08, -0.1, 0.0}, 0.0005, 0.01},
               {"O3", {0.12, 0.12, 0.1}, 0.0005, 0.008}};
    if (num_cameras == 1) {
      for (capture::ReferencePoint& point : points_) point.p_W.y() = 0.0;
    }
  }

  ReferenceCheck Run() { return Run(rig_, StatedPlaces()); }
  /// With all errors drawn.
  ReferenceCheck Draw() {
    Eigen::VectorXd error(rig_.covariance.rows());
    for (Eigen::Index i = 0; i < error.size(); ++i)
      error[i] = std::sqrt(rig_.covariance(i, i)) * normal_(random);
    std::vector<Eigen::Vector3d> places = StatedPlaces();
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (double& x : places[i]) x += points_[i].sigma * normal_(random);
    }
    return Run(calibration::Perturbed(rig_, error), places);
  }
  /// With the ruler's errors, and the cameras as calibrated but for their turns.
  ReferenceCheck DrawTurned(std::size_t camera, const Eigen::Vector3d& turn) {
    turns[camera] = turn;
    std::vector<Eigen::Vector3d> places = StatedPlaces();
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (double& x : places[i]) x += points_[i].sigma * normal_(random);
    }
    return Run(rig_, places);
  }
  ReferenceCheck Run(const calibration::RigCalibration& truth,
                     const std::vector<Eigen::Vector3d>& places) {
    std::vector<std::vector<StillSpot>> still(rig_.cameras.size());
    for (std::size_t camera = 0; camera < still.size(); ++camera) {
      const View view{truth.cameras[camera].camera, truth.CameraFromWorld(camera)};
      for (std::size_t i = 0; i < places.size(); ++i) {
        const Eigen::Vector3d p_C =
            calibration::RotationFromVector(turns[camera]) * (view.camera_from_world * places[i]);
        StillSpot& spot = still[camera].emplace_back();
        spot.pixel = calibration::Project(view.camera, p_C) +
                     kSpotSigma * Eigen::Vector2d{normal_(random), normal_(random)};
        spot.covariance = kSpotSigma * kSpotSigma * Eigen::Matrix2d::Identity();
        spot.area = 0.8 * FaceOnArea(view, places[i], points_[i].diameter);
        spot.frames = 40;
      }
      change(camera, &still[camera]);
      std::ranges::shuffle(still[camera], random);
    }
    return CheckReferencePoints(points_, rig_, rig_.covariance, still);
  }

  std::vector<capture::ReferencePoint>& Points() { return points_; }
  std::vector<Eigen::Vector3d> StatedPlaces() const {
    std::vector<Eigen::Vector3d> places;
    for (const capture::ReferencePoint& point : points_) places.push_back(point.p_W);
    return places;
  }
  const calibration::RigCalibration& Rig() const { return rig_; }

  std::array<Eigen::Vector3d, 2> turns = {Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  std::function<void(std::size_t camera, std::vector<StillSpot>*)> change =
      [](std::size_t, std::vector<StillSpot>*) {};
  std::mt19937 random = std::mt19937(27);

 private:
  static constexpr int kIntrinsics = calibration::kNumIntrinsics;
  static constexpr double kSpotSigma = 0.1;
  calibration::RigCalibration rig_;
  std::vector<capture::ReferencePoint> points_;
  std::normal_distribution<double> normal_;
};

constexpr double kDegree = M_PI / 180.0;

// Eqs. (4.26) to (4.31) of sun2017: the reference cylinder in the axes of its first camera.
TEST(ComparePlaces, GivesTheNumbersOfTheThesis) {
  const Table table(std::string(PERCUSS_DATA_DIR) + "/sun2017/reference_point_check.csv");
  ASSERT_EQ(table.size(), 3U);
  Eigen::Vector3d stated, found, stated_sigma, found_sigma;
  for (int i = 0; i < 3; ++i) {
    const auto row = static_cast<std::size_t>(i);
    stated[i] = table.Number(row, "true_mm") / 1e3;
    found[i] = table.Number(row, "reconstructed_mm") / 1e3;
    stated_sigma[i] = table.Number(row, "true_unc_mm") / 1e3;
    found_sigma[i] = table.Number(row, "reconstructed_unc_mm") / 1e3;
  }
  const PlaceError place =
      ComparePlaces(stated, stated_sigma.cwiseAbs2().asDiagonal().toDenseMatrix(), found,
                    found_sigma.cwiseAbs2().asDiagonal().toDenseMatrix());
  for (int i = 0; i < 3; ++i) {
    const auto row = static_cast<std::size_t>(i);
    EXPECT_NEAR(1e3 * place.error[i], table.Number(row, "error_mm_derived"), 1e-9);
    EXPECT_NEAR(100.0 * place.Relative()[i], table.Number(row, "rel_error_pct_derived"), 5e-4);
    EXPECT_NEAR(100.0 * place.Relative(0.003)[i],
                table.Number(row, "rel_error_max_with_3mm_pct_derived"), 5e-4);
    EXPECT_NEAR(1e3 * place.Sigma()[i], std::sqrt(0.25 + 6.25), 1e-9);
  }
  EXPECT_NEAR(100.0 * place.Relative(0.003).maxCoeff(), 2.82, 5e-3);
  EXPECT_NEAR(1e3 * place.Distance(), 6.40, 5e-3);
  EXPECT_NEAR(100.0 * place.Distance() / stated.norm(), 0.63, 5e-3);
  // (4 + 1 + 36) / 6.5; with three degrees of freedom
  // p = erfc(sqrt(x / 2)) + sqrt(2 x / pi) exp(-x / 2).
  const double x = 41.0 / 6.5;
  EXPECT_NEAR(place.chi2, x, 1e-9);
  EXPECT_EQ(place.dof, 3);
  EXPECT_NEAR(place.p,
              std::erfc(std::sqrt(x / 2.0)) + std::sqrt(2.0 * x / M_PI) * std::exp(-x / 2.0), 1e-9);
}

TEST(ComparePlaces, LeavesOutWhatWasNotFound) {
  const PlaceError place =
      ComparePlaces({0.1, 0.2, 0.3}, 1e-6 * Eigen::Matrix3d::Identity(), {0.101, std::nan(""), 0.3},
                    3e-6 * Eigen::Matrix3d::Identity());
  EXPECT_EQ(place.dof, 2);
  EXPECT_NEAR(place.chi2, 0.25, 1e-9);
  EXPECT_NEAR(place.p, std::exp(-0.125), 1e-9);
}

TEST(ReferenceCheck, FindsWhatIsWhereItIsStated) {
  Laboratory laboratory;
  const ReferenceCheck check = laboratory.Run();
  EXPECT_EQ(check.dof, 12);
  EXPECT_GT(check.p, 0.001);
  EXPECT_TRUE(check.warnings.empty()) << check.warnings.front();
  ASSERT_EQ(check.points.size(), 3U);
  for (const ReferencePlace& point : check.points) {
    ASSERT_TRUE(point.in_world.has_value());
    EXPECT_LT(point.in_world->Distance(), 0.001);  // 0.1 px at a metre, three times in depth
    EXPECT_NEAR(point.in_camera->Distance(), point.in_world->Distance(), 1e-12);
    EXPECT_NEAR(point.in_camera->chi2, point.in_world->chi2, 1e-6);
    EXPECT_EQ(point.sights[1].frames, 40);
  }
  EXPECT_EQ(check.cameras.at(1).name, "right");
  EXPECT_EQ(check.cameras.at(1).points, 3);
}

// Every probability that is reported is even over draws of all errors, so every sigma holds.
TEST(ReferenceCheck, SigmasHold) {
  for (const bool planar : {false, true}) {
    Laboratory laboratory(planar ? MakePlanarTrial() : MakeSyntheticTrial());
    std::vector<double> all, left, place, axis;
    int false_alarms = 0;
    constexpr int kDraws = 600;
    for (int draw = 0; draw < kDraws; ++draw) {
      const ReferenceCheck check = laboratory.Draw();
      all.push_back(check.p);
      left.push_back(check.cameras.front().p);
      ASSERT_TRUE(check.points.front().in_world.has_value());
      const PlaceError& error = *check.points.front().in_world;
      place.push_back(error.p);
      axis.push_back(std::erfc(std::abs(error.error.z() / error.Sigma().z()) / std::sqrt(2.0)));
      EXPECT_EQ(std::isnan(error.error.y()), planar);
      false_alarms += !check.finding.empty();
    }
    // Beyond 1.95 once in 1000 draws of the test.
    EXPECT_LT(testing::KolmogorovDistance(all), 1.95) << planar;
    EXPECT_LT(testing::KolmogorovDistance(left), 1.95) << planar;
    EXPECT_LT(testing::KolmogorovDistance(place), 1.95) << planar;
    EXPECT_LT(testing::KolmogorovDistance(axis), 1.95) << planar;
    EXPECT_LE(false_alarms, 5) << planar;  // 0.6 are expected; more than 5 are one in 10^5
  }
}

// A fifth of a degree is 3.7 px; rulers and calibration leave some 0.7 px.
TEST(ReferenceCheck, NamesTheCameraThatWasNudged) {
  for (const std::size_t camera : {0U, 1U}) {
    Laboratory laboratory;
    std::uniform_real_distribution<double> angle(-M_PI, M_PI);
    for (int draw = 0; draw < 30; ++draw) {
      const double way = angle(laboratory.random);
      const ReferenceCheck check = laboratory.DrawTurned(
          camera, 0.2 * kDegree * Eigen::Vector3d(std::cos(way), std::sin(way), 0.0));
      const std::string name = camera == 0 ? "left" : "right";
      // Rulers leave 0.02 degrees of it open.
      EXPECT_THAT(check.finding,
                  ContainsRegex("^" + name +
                                " camera looks elsewhere than at calibration: reference points O1, "
                                "O2, O3 are off by [2-5][.]. px, as if it had been turned by "
                                "0[.](1[2-9]|2[0-8]) degrees \\(p = .e-[01].\\): calibrate"));
      EXPECT_THAT(check.finding, Not(HasSubstr("; or "))) << check.finding;
      EXPECT_EQ(check.warnings, std::vector<std::string>{check.finding});
      EXPECT_GT(check.cameras[1 - camera].p, 1e-3);
      EXPECT_LT(check.cameras[camera].p, 1e-3);
    }
  }
}

// The same with errors of the calibration too: how small a turn still shows, as docs/tracking.md
// says (400 draws there, as many here: three sigmas of the difference of two shares).
TEST(ReferenceCheck, FindsTurnsAsOftenAsThePageSays) {
  struct Row {
    double degrees, found;
  };
  constexpr int kDraws = 400;
  const auto allowed = [](double share) {
    return 3.0 * std::sqrt(2.0 * share * (1 - share) / 400);
  };
  Laboratory laboratory;
  std::uniform_real_distribution<double> angle(-M_PI, M_PI);
  for (const Row& row : {Row{0.1, 0.19}, Row{0.15, 0.79}, Row{0.2, 0.9975}}) {
    int found = 0, named = 0, alone = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      const double way = angle(laboratory.random);
      laboratory.turns[1] =
          row.degrees * kDegree * Eigen::Vector3d(std::cos(way), std::sin(way), 0.0);
      const std::string finding = laboratory.Draw().finding;
      found += !finding.empty();
      const bool right = finding.find("right camera looks elsewhere") != std::string::npos;
      named += right;
      alone += right && finding.find("; or ") == std::string::npos;
    }
    EXPECT_NEAR(found, row.found * kDraws, allowed(row.found) * kDraws) << row.degrees;
    if (row.degrees < 0.2) continue;
    EXPECT_GT(found, 0.98 * kDraws);
    EXPECT_GT(named, 0.98 * kDraws);
    EXPECT_NEAR(alone, 0.96 * kDraws, allowed(0.96) * kDraws);
  }
}

// With one point, a camera that turned along its epipolar line and a point that lies elsewhere
// look the same; across it the other camera tells them apart.
TEST(ReferenceCheck, OnePointNamesBothWhereItCannotTell) {
  Laboratory laboratory;
  laboratory.Points().resize(1);
  laboratory.turns[1] = {0.0, 0.4 * kDegree, 0.0};
  const ReferenceCheck along = laboratory.Run();
  EXPECT_THAT(along.finding, HasSubstr("right camera looks elsewhere than at calibration: "
                                       "reference point O1 is off by"));
  EXPECT_THAT(along.finding, HasSubstr("; or reference point O1 lies"));
  EXPECT_THAT(along.finding, HasSubstr("measure it again (reference_points.O1)"));
  laboratory.turns[1] = {0.4 * kDegree, 0.0, 0.0};
  const ReferenceCheck across = laboratory.Run();
  EXPECT_THAT(across.finding, HasSubstr("right camera looks elsewhere than at calibration"));
  EXPECT_THAT(across.finding, Not(HasSubstr("lies")));
}

TEST(ReferenceCheck, NamesThePointThatWasMeasuredWrongly) {
  Laboratory laboratory;
  std::vector<Eigen::Vector3d> places = laboratory.StatedPlaces();
  places[1] += Eigen::Vector3d(0.003, -0.004, 0.0);
  const ReferenceCheck check = laboratory.Run(laboratory.Rig(), places);
  EXPECT_THAT(check.finding, HasSubstr("reference point O2 lies "));
  EXPECT_THAT(check.finding, HasSubstr(": measure it again (reference_points.O2)"));
  EXPECT_THAT(check.finding, Not(HasSubstr("camera")));
  EXPECT_LT(check.points[1].in_world->p, 1e-3);
  EXPECT_NEAR(check.points[1].in_world->error.x(), 0.003, 0.001);
  EXPECT_GT(check.points[0].in_world->p, 1e-3);
}

TEST(ReferenceCheck, SaysWhereNoSingleCauseExplainsIt) {
  Laboratory laboratory;
  laboratory.turns = {Eigen::Vector3d(0.3 * kDegree, 0.0, 0.0),
                      Eigen::Vector3d(-0.1 * kDegree, 0.3 * kDegree, 0.0)};
  EXPECT_THAT(laboratory.Run().finding, HasSubstr("neither one camera that turned nor one point"));
}

TEST(ReferenceCheck, SaysWhichPointIsNotThere) {
  Laboratory laboratory;
  laboratory.change = [](std::size_t camera, std::vector<StillSpot>* still) {
    if (camera == 0) still->erase(still->begin());
    if (camera == 1) (*still)[1].area *= 9.0;  // something large stands where O2 should be
  };
  laboratory.Points()[2].p_W = {3.0, 0.0, 0.0};
  const ReferenceCheck check = laboratory.Run();
  ASSERT_EQ(check.warnings.size(), 4U);
  EXPECT_THAT(
      check.warnings[0],
      HasSubstr("reference point O1: no spot of its size stands still within 26 px of where "
                "the left camera should see it"));
  EXPECT_THAT(check.warnings[1], HasSubstr("reference point O2: no spot of its size stands still "
                                           "within 26 px of where the right camera"));
  EXPECT_THAT(check.warnings[3],
              HasSubstr("reference point O3: the right camera does not see this place"));
  // What one camera sees still counts.
  EXPECT_EQ(check.dof, 4);
  EXPECT_FALSE(check.points[0].in_world.has_value());
  EXPECT_TRUE(check.finding.empty()) << check.finding;
}

TEST(ReferenceCheck, IsTheSameInItsFiles) {
  Laboratory laboratory(MakePlanarTrial());  // with numbers that are not known
  laboratory.turns[0] = {0.0, 0.4 * kDegree, 0.0};
  TrackedTrial tracked;
  tracked.reference = laboratory.Run();
  percuss::testing::TemporaryFolder folder;
  WriteLabels(tracked, {kLabelsFormat, "percuss", {}}, folder / "labels.json");
  const ReferenceCheck read = ReadLabels(folder / "labels.json", 0).reference.value();
  const ReferenceCheck& written = *tracked.reference;
  EXPECT_EQ(read.finding, written.finding);
  EXPECT_FALSE(read.finding.empty());
  EXPECT_EQ(read.p, written.p);
  ASSERT_EQ(read.points.size(), 3U);
  EXPECT_EQ(read.points[1].in_world->error.x(), written.points[1].in_world->error.x());
  EXPECT_TRUE(std::isnan(read.points[1].in_world->error.y()));
  EXPECT_EQ(read.points[1].sights[0].residual, written.points[1].sights[0].residual);
  WriteLabels({}, {kLabelsFormat, "percuss", {}}, folder / "labels.json");
  EXPECT_FALSE(ReadLabels(folder / "labels.json", 0).reference.has_value());
}

TEST(StillSpots, AreThoseThatStayWithWhatTheyScatter) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  std::mt19937 random(5);
  const auto videos = MakeSpots(trial, {.noise_px = 0.05}, &random);
  const std::vector<StillSpot> still = FindStillSpots(videos[0]);
  ASSERT_EQ(still.size(), 10U);  // the clutter, and nothing of the body
  for (const StillSpot& spot : still) {
    EXPECT_EQ(spot.frames, trial.num_frames);
    EXPECT_EQ(spot.area, 40.0);
    const double sigma = std::sqrt(0.5 * spot.covariance.trace());
    EXPECT_GE(sigma, 0.05 - 1e-9);
    EXPECT_LT(sigma, 0.05 * 1.5);  // 60 frames
  }
  // Spots that claim more than they hold.
  auto sure = videos[0];
  for (FrameBlobs& frame : sure.frames) {
    for (Blob& blob : frame.blobs) blob.covariance *= 1e-4;
  }
  for (const StillSpot& spot : FindStillSpots(sure))
    EXPECT_NEAR(std::sqrt(0.5 * spot.covariance.trace()), 0.05, 0.015);
}

}  // namespace
}  // namespace percuss::tracking
