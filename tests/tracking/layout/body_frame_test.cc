// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// From poses of a frame that nobody knows to the frame of the body. Source of truth: the made-up
// motion and layout.

#include "tracking/layout/body_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>

#include "base/math/geometry.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/layout/layout_trials.h"
#include "tracking/layout/shape_symmetry.h"

namespace percuss::tracking {
namespace {

/// From the body's frame to that of the markers, as if it were any.
const BodyPose kMarkersFromBody{{0.31, -0.12, 0.07},
                                Eigen::Quaterniond(0.3, -0.5, 0.7, 0.2).normalized()};

BodyPose Composed(const BodyPose& a, const BodyPose& b) {
  return {a.p_WB + a.q_WB * b.p_WB, a.q_WB * b.q_WB};
}
BodyPose Inverse(const BodyPose& a) { return {-(a.q_WB.conjugate() * a.p_WB), a.q_WB.conjugate()}; }

/// The made-up trial as poses of the markers' frame, with noise.
PoseSequence SequenceOf(const SyntheticTrial& trial, double sigma, double rotation_sigma) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto noise = [&](double size) {
    return Eigen::Vector3d(size * normal(random), size * normal(random), size * normal(random));
  };
  PoseSequence sequence{trial.gravity, {}};
  for (int k = 0; k < trial.num_frames; ++k) {
    const double time = k / trial.frame_rate;
    const auto state = trial.StateAt(time);
    const BodyPose X_WM = Composed(
        {state.p_WB + noise(sigma), RotationFromVector(noise(rotation_sigma)) * state.q_WB},
        Inverse(kMarkersFromBody));
    sequence.poses.push_back({time, X_WM, sigma, rotation_sigma});
  }
  return sequence;
}

std::vector<PlacedMarker> MarkersOf(const capture::MarkedBody& body) {
  std::vector<PlacedMarker> markers;
  for (const capture::Marker& marker : body.markers) {
    const Eigen::Vector3d n = solver::OutwardNormal(body.body.shape, marker.p_BM);
    markers.push_back({kMarkersFromBody.q_WB * marker.p_BM + kMarkersFromBody.p_WB,
                       kMarkersFromBody.q_WB * n, 50});
  }
  return markers;
}

/// How far the markers are from their places, at the best of the frames that look the same.
double WorstError(const capture::MarkedBody& body, const BodyFrame& frame) {
  const std::vector<PlacedMarker> markers = MarkersOf(body);
  double best = 1.0;
  for (const Eigen::Matrix3d& R : ShapeRotations(body.body.shape)) {
    double worst = 0.0;
    for (std::size_t m = 0; m < markers.size(); ++m) {
      const Eigen::Vector3d p = frame.X_BM.q_WB * markers[m].p + frame.X_BM.p_WB;
      worst = std::max(worst, (R * p - body.markers[m].p_BM).norm());
    }
    best = std::min(best, worst);
  }
  return best;
}

// The point of the body that flies on parabolas before and after the impact. The body is held still
// until it is let go: those frames, and those about the impact, are no flight.
TEST(FlightMotion, FindsTheMassCentreInAnyFrame) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const PoseSequence sequence = SequenceOf(trial, 5e-5, 3e-4);
  const FlightMotion motion = FindFlightMotion({&sequence, 1});
  ASSERT_GE(motion.spins.size(), 2U);
  const Eigen::Vector3d error = motion.centre - kMarkersFromBody.p_WB;
  // The floor of 0.1 mm makes the sigmas larger than the noise is.
  EXPECT_LT(error.dot(motion.information * error), 16.3);
  EXPECT_LT(error.norm(), 1e-3);
  for (const auto& flight : motion.spins) {
    for (const SpinSample& sample : flight) EXPECT_LT(sample.w.norm(), 8.0);
  }
}

TEST(FlightMotion, WithoutSpinAnyPointWillDo) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.before.w.setZero();
  trial.w_post.setZero();
  const PoseSequence sequence = SequenceOf(trial, 5e-5, 0.0);
  const FlightMotion motion = FindFlightMotion({&sequence, 1});
  ASSERT_FALSE(motion.spins.empty());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(motion.information);
  EXPECT_LT(eigen.eigenvalues().maxCoeff(), 1.0);  // [1/m^2]
}

TEST(FlightMotion, ABodyThatIsHeldNeverFlies) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.release_time = trial.impact_time = 10.0;
  const PoseSequence sequence = SequenceOf(trial, 5e-5, 3e-4);
  EXPECT_TRUE(FindFlightMotion({&sequence, 1}).spins.empty());
}

// All markers of the bar are on one face: flights and spin say where on it.
TEST(FindBodyFrames, ABarMarkedOnOneFace) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const PoseSequence sequence = SequenceOf(trial, 5e-5, 3e-4);
  const auto frames = FindBodyFrames(trial.body.body, MarkersOf(trial.body),
                                     FindFlightMotion({&sequence, 1}), {5e-4, 1e-3});
  ASSERT_FALSE(frames.empty());
  EXPECT_LT(WorstError(trial.body, frames.front()), 0.002);
}

// Equal moments tell no axes: the faces do.
TEST(FindBodyFrames, ACubeMarkedAllRound) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.body = MarkedCube();
  const PoseSequence sequence = SequenceOf(trial, 5e-5, 3e-4);
  const auto frames = FindBodyFrames(trial.body.body, MarkersOf(trial.body),
                                     FindFlightMotion({&sequence, 1}), {5e-4, 1e-3});
  ASSERT_FALSE(frames.empty());
  EXPECT_LT(WorstError(trial.body, frames.front()), 0.001);
}

TEST(ShapeSymmetry, CountsTheRotationsOfAShape) {
  EXPECT_EQ(ShapeRotations(solver::Box{{0.3, 0.05, 0.01}}).size(), 4U);
  EXPECT_EQ(ShapeRotations(solver::Box{{0.3, 0.05, 0.05}}).size(), 8U);
  EXPECT_EQ(ShapeRotations(solver::Box{{0.05, 0.05, 0.05}}).size(), 24U);
  EXPECT_EQ(ShapeRotations(solver::Cylinder{0.02, 0.04}).size(), 8U);
  solver::Body box{solver::Box{{0.3, 0.05, 0.01}}, 0.2, {}};
  box.inertia = solver::UniformInertia(box.shape, box.mass);
  EXPECT_TRUE(InertiaHasSymmetry(box));
  box.inertia(0, 1) = box.inertia(1, 0) = 0.1 * box.inertia(1, 1);
  EXPECT_FALSE(InertiaHasSymmetry(box));
}

TEST(ShapeSymmetry, TheSideWithMostMarkersIsUp) {
  const solver::Shape bar = solver::Box{{0.3, 0.05, 0.01}};
  const std::vector<Eigen::Vector3d> below = {{-0.1, 0.0, -0.005}, {-0.05, 0.01, -0.005}};
  const Eigen::Matrix3d R = ConventionalRotation(bar, below);
  EXPECT_GT((R * below[0]).z(), 0.0);
  EXPECT_GT((R * (below[0] + below[1])).x(), 0.0);
}

/// The made-up trial as the finder has it.
LayoutTrial Followed(const SyntheticTrial& trial, const Views& views, const SpotOptions& options) {
  std::mt19937 random(5);
  const auto spots = MakeSpots(trial, options, &random);
  LayoutTrial followed;
  followed.trial.gravity = trial.gravity;
  for (std::size_t k = 0; k < spots[0].frames.size(); ++k) {
    TrackedFrame frame;
    frame.time = spots[0].frames[k].time;
    followed.unnamed.tracked.frames.push_back(frame);
    followed.unnamed.instants.push_back(
        {.time = frame.time, .blobs = {spots[0].frames[k].blobs, spots[1].frames[k].blobs}});
  }
  RemoveStaticSpots(&followed.unnamed.instants);
  followed.unnamed.tracks =
      FollowMarkers(views, followed.unnamed.instants, trial.body.marker_diameter, trial.gravity);
  return followed;
}

// Six markers among fixed spots, each hidden now and then.
TEST(ConfigurationOf, HasTheDistancesOfTheLayout) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  const LayoutTrial followed =
      Followed(trial, views, {.noise_px = 0.05, .hidden_fraction = 0.02, .clutter = true});
  const Configuration found = ConfigurationOf(views, followed.unnamed);
  ASSERT_EQ(found.reason, "");
  ASSERT_EQ(found.markers.size(), 6U);
  // Sorted by the first marker's distances from the others, as the order is any.
  const auto distances = [](const std::vector<Eigen::Vector3d>& places) {
    std::vector<double> all;
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) all.push_back((places[i] - places[j]).norm());
    }
    std::ranges::sort(all);
    return all;
  };
  std::vector<Eigen::Vector3d> places, truth;
  for (const PlacedMarker& marker : found.markers) places.push_back(marker.p);
  for (const capture::Marker& marker : trial.body.markers) truth.push_back(marker.p_BM);
  EXPECT_THAT(distances(places),
              ::testing::Pointwise(::testing::DoubleNear(5e-4), distances(truth)));
}

TEST(ConfigurationOf, SaysWhyThereIsNone) {
  SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  trial.body.markers.resize(3);
  EXPECT_EQ(ConfigurationOf(views, Followed(trial, views, {.noise_px = 0.05}).unnamed).reason,
            "3 markers that move as one body were seen together, at least 4 are needed");
  trial = MakeSyntheticTrial();
  for (capture::Marker& marker : trial.body.markers) marker.p_BM.y() = 0.0;
  EXPECT_EQ(ConfigurationOf(views, Followed(trial, views, {.noise_px = 0.05}).unnamed).reason,
            "6 markers that move as one body are on one line");
}

// With one marker unknown, its track beside the labelled ones gives its place; then its sightings
// make it exact.
TEST(MarkersBeside, AMarkerThatIsNotInTheLayoutYet) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Views views = ViewsOf(trial.calibration);
  std::vector<LayoutTrial> trials = {Followed(trial, views, {.noise_px = 0.05})};
  capture::MarkedBody known = trial.body;
  const Eigen::Vector3d left_out = known.markers[3].p_BM;
  known.markers.erase(known.markers.begin() + 3);
  LabelWith(known, views, &trials[0]);
  std::vector<Eigen::Vector3d> places;
  for (const capture::Marker& marker : known.markers) places.push_back(marker.p_BM);
  auto beside = MarkersBeside(views, trials[0].unnamed, trials[0].tracked, places, 0.006);
  ASSERT_EQ(beside.size(), 1U);
  EXPECT_LT((beside[0].p - left_out).norm(), 5e-4);
  EXPECT_GT(beside[0].towards.z(), 0.3);

  known.markers.push_back({"new", beside[0].p});
  LabelWith(known, views, &trials[0]);
  std::vector<PlacedMarker> markers;
  for (const capture::Marker& marker : known.markers)
    markers.push_back({marker.p_BM, Eigen::Vector3d::Zero(), 0});
  RefinePlaces(views, trials, known, &markers);
  EXPECT_LT((markers.back().p - left_out).norm(), 1e-4);
  EXPECT_GT(markers.back().sightings, 60);
}

}  // namespace
}  // namespace percuss::tracking
