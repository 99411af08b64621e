// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// One camera looks at a motion in the plane y = 0 of W. Truth: known states; pixels come from
// OpenCV's projection (synthetic_trial.h).

#include <gmock/gmock.h>

#include <random>

#include "tests/tracking/arcs/synthetic_trial.h"
#include "tracking/arcs/impact_arcs.h"
#include "tracking/labels/layout_search.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using ::testing::HasSubstr;

/// Places of an error vector that leave the plane.
constexpr std::array<int, 9> kOutOfPlane = {kPosition + 1, kRotation,  kRotation + 2, kV + 1,    kW,
                                            kW + 2,        kVPost + 1, kWPost + 0,    kWPost + 2};

TEST(PointInPlane, IsWhereTheRayMeetsThePlane) {
  const SyntheticTrial trial = MakePlanarTrial();
  const Eigen::Vector3d p_W(0.17, -0.006, 0.08);
  const Eigen::Vector2d pixel = OpenCvPixel(trial.calibration, 0, p_W);
  const auto covariance = Eigen::Matrix2d(Eigen::Vector2d(0.01, 0.04).asDiagonal());
  const View view = ViewsOf(trial.calibration)[0];
  const auto point = PointInPlane(view, pixel, covariance, -0.006);
  ASSERT_TRUE(point);
  EXPECT_LT((point->p_W - p_W).norm(), 1e-9);
  EXPECT_EQ(point->covariance(1, 1), 0.0);
  // The camera is 1.05 m away with about 1060 px: a pixel is about a millimetre.
  EXPECT_NEAR(std::sqrt(point->covariance(0, 0)), 0.1e-3, 0.02e-3);
  EXPECT_NEAR(std::sqrt(point->covariance(2, 2)), 0.2e-3, 0.04e-3);
  EXPECT_FALSE(PointInPlane(view, pixel, covariance, -2.0));  // behind the camera
}

TEST(PlanarPose, HasTheSpreadThatItsCovarianceSays) {
  const SyntheticTrial trial = MakePlanarTrial();
  std::mt19937 random(71);
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  int draws = 0;
  for (int repetition = 0; repetition < 10; ++repetition) {
    for (const TrackedFrame& frame : MakeTrackedFrames(trial, 0.05, &random)) {
      ASSERT_TRUE(frame.pose.found);
      const solver::FlightState<double> truth = trial.StateAt(frame.time);
      EXPECT_EQ(frame.pose.pose.p_WB.y(), 0.0);
      EXPECT_EQ(frame.pose.degrees_of_freedom, 5);
      for (const int held : {1, 3, 5}) EXPECT_EQ(frame.pose.covariance.row(held).norm(), 0.0);
      const Eigen::AngleAxisd turn(frame.pose.pose.q_WB * truth.q_WB.conjugate());
      const Eigen::Vector3d p = frame.pose.pose.p_WB - truth.p_WB;
      const Eigen::Vector3d error(p.x(), p.z(), (turn.angle() * turn.axis()).y());
      const auto& C = frame.pose.covariance;
      sum += error.cwiseAbs2().cwiseQuotient(Eigen::Vector3d(C(0, 0), C(2, 2), C(4, 4)));
      ++draws;
    }
  }
  // Mean square of a standard normal over 600 draws, four sigmas.
  for (const double square : sum) EXPECT_NEAR(square / draws, 1.0, 4.0 * std::sqrt(2.0 / draws));
}

TEST(SearchLayout, FindsMarkersInSeveralPlanes) {
  SyntheticTrial trial = MakePlanarTrial();
  trial.body.markers[1].p_BM.y() = -0.031;
  trial.body.markers[3].p_BM.y() = -0.021;
  std::mt19937 random(73);
  const auto spots = MakeSpots(trial, {.noise_px = 0.1}, &random);
  const LabelledFrame frame =
      SearchLayout(ViewsOf(trial.calibration), LayoutOf(trial), {spots[0].frames[20].blobs, {}});
  ASSERT_TRUE(frame.found) << frame.reason;
  EXPECT_EQ(frame.observations.size(), 4u);
  EXPECT_LT(WorstLabel(trial, 20.0 / 120.0, frame.observations), 0.6);
}

TEST(SearchLayout, RefusesARodThatLooksTheSameTurnedRound) {
  SyntheticTrial trial = MakePlanarTrial();
  trial.body.markers[0].p_BM.x() = -0.135;
  trial.body.markers[1].p_BM.x() = -0.065;
  std::mt19937 random(75);
  const auto spots = MakeSpots(trial, {.noise_px = 0.05, .clutter = false}, &random);
  const LabelledFrame frame =
      SearchLayout(ViewsOf(trial.calibration), LayoutOf(trial), {spots[0].frames[20].blobs, {}});
  EXPECT_FALSE(frame.found);
  EXPECT_THAT(frame.reason, HasSubstr("symmetric"));
}

TEST(SearchLayout, EndsWithHundredsOfSpotsInThePlane) {
  const SyntheticTrial trial = MakePlanarTrial();
  std::mt19937 random(76);
  auto blobs = MakeSpots(trial, {.noise_px = 0.1}, &random)[0].frames[20].blobs;
  std::uniform_real_distribution<double> x(0.0, 1279.0), y(0.0, 719.0);
  Blob spot = blobs.front();
  for (int i = 0; i < 500; ++i) {
    spot.centre = {x(random), y(random)};
    blobs.push_back(spot);
  }
  const LayoutSearchOptions options;
  const LabelledFrame frame =
      SearchLayout(ViewsOf(trial.calibration), LayoutOf(trial), {blobs, {}}, options);
  EXPECT_LT(frame.work, 1.1 * static_cast<double>(options.max_work));
}

using ImpactError = Eigen::Matrix<double, impacts::kImpactDimension, 1>;

ImpactError ErrorOf(const ImpactFit& fit, const SyntheticTrial& trial) {
  const solver::FlightState<double>& truth = trial.before;
  const Eigen::AngleAxisd turn(fit.before.q_WB * truth.q_WB.conjugate());
  ImpactError error;
  error << fit.before.p_WB - truth.p_WB, turn.angle() * turn.axis(), fit.before.v - truth.v,
      fit.before.w - truth.w, fit.v_post - trial.v_post, fit.w_post - trial.w_post;
  return error;
}

/// From labelled frames to the fitted states, as ProcessTrial does it.
ImpactFit Fit(const SyntheticTrial& trial, const std::vector<TrackedFrame>& frames) {
  ImpactFit fit;
  const auto arcs = FindFlightArcs(frames, trial.gravity);
  const auto guesses =
      FindImpacts(frames, arcs, trial.body.body.shape, trial.gravity, {}, &fit.reason);
  if (guesses.size() != 1) return fit;
  ArcFitOptions options;
  options.planar = true;
  return FitImpactArcs(frames, guesses[0], LayoutOf(trial), trial.body.body.inertia, trial.gravity,
                       trial.calibration, options);
}

// Noise of known size on the pixels alone: each error over its sigma is a standard normal. Their
// shares within one and two sigmas hold within three binomial sigmas, over 200 draws (some
// seconds).
TEST(PlanarStates, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const SyntheticTrial trial = MakePlanarTrial();
  std::mt19937 random(78);
  constexpr int kDraws = 200;
  constexpr std::array<int, 6> kFree = {kV, kV + 2, kW + 1, kVPost + 0, kVPost + 2, kWPost + 1};
  std::array<int, 6> within_68{}, within_95{};
  int warned = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const ImpactFit fit = Fit(trial, MakeTrackedFrames(trial, 0.05, &random));
    ASSERT_TRUE(fit.usable) << fit.reason;
    const ImpactError error = ErrorOf(fit, trial);
    for (const int held : kOutOfPlane) {
      EXPECT_EQ(error[held], 0.0);
      EXPECT_EQ(fit.covariance.row(held).norm(), 0.0);
    }
    for (std::size_t i = 0; i < kFree.size(); ++i) {
      const double size = std::abs(error[kFree[i]]) / std::sqrt(fit.covariance(kFree[i], kFree[i]));
      within_68[i] += size < 0.9945;
      within_95[i] += size < 1.95996;
    }
    warned += !PlaneWarning(fit.out_of_plane).empty();
  }
  const auto bound = [&](double share) { return 3.0 * std::sqrt(kDraws * share * (1.0 - share)); };
  for (std::size_t i = 0; i < kFree.size(); ++i) {
    EXPECT_NEAR(within_68[i], 0.68 * kDraws, bound(0.68)) << i;
    EXPECT_NEAR(within_95[i], 0.95 * kDraws, bound(0.95)) << i;
  }
  EXPECT_EQ(warned, 0);
}

// A drift of 1.5 cm/s towards the camera moves the ends of the rod by half a pixel in all.
TEST(PlanarStates, AMotionThatLeavesThePlaneIsNoticed) {
  SyntheticTrial trial = MakePlanarTrial();
  trial.before.v.y() = trial.v_post.y() = -0.015;
  std::mt19937 random(79);
  std::string reason;
  const TrackedTrial tracked =
      LabelTrial(trial, MakeSpots(trial, {.noise_px = 0.05, .clutter = false}, &random), &reason);
  ASSERT_EQ(reason, "");
  const ImpactFit fit = Fit(trial, tracked.frames);
  ASSERT_TRUE(fit.usable) << fit.reason;
  const PlaneAudit& audit = fit.out_of_plane;
  for (const int place : {0, 3}) {
    EXPECT_NEAR(audit.rates[place], -0.015, 4.0 * std::sqrt(audit.covariance(place, place)));
    EXPECT_LT(std::sqrt(audit.covariance(place, place)), 0.005);
  }
  EXPECT_THAT(PlaneWarning(audit), HasSubstr("the motion leaves the plane: v_y is -0.0"));
}

// Farther from the plane frames lose their labels, or the trial its answer; never is there an
// answer without a warning.
TEST(PlanarStates, ADriftOfAnySizeIsNoticed) {
  for (const double drift : {0.03, 0.06, 0.12, 0.25, -0.25}) {
    SyntheticTrial trial = MakePlanarTrial();
    trial.before.v.y() = trial.v_post.y() = drift;
    std::mt19937 random(80);
    std::string reason;
    const TrackedTrial tracked =
        LabelTrial(trial, MakeSpots(trial, {.noise_px = 0.05, .clutter = false}, &random), &reason);
    if (!reason.empty()) continue;
    const ImpactFit fit = Fit(trial, tracked.frames);
    EXPECT_TRUE(!fit.usable || !PlaneWarning(fit.out_of_plane).empty()) << drift;
  }
}

}  // namespace
}  // namespace percuss::tracking
