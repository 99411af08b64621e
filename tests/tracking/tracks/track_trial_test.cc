// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Truth: a drop made here, its markers projected by OpenCV, written as other programs write them.

#include "tracking/tracks/track_trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "tests/base/temporary_folder.h"
#include "tests/capture/tracks/written_tracks.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/slides/synthetic_slide.h"
#include "tracking/tracks/track_spots.h"
#include "tracking/trial.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using capture::TrackSource;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::percuss::testing::WrittenTracks;
using ::testing::HasSubstr;
using Tracks = std::vector<WrittenTracks>;
using Velocities = Eigen::Matrix<double, 12, 1>;

/// What all cameras see of all markers, with noise.
Tracks Film(const SyntheticTrial& trial, double noise_px, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, 1.0);
  Tracks tracks(trial.calibration.cameras.size());
  for (int side = 0; side < static_cast<int>(trial.calibration.cameras.size()); ++side) {
    WrittenTracks& camera = tracks[static_cast<std::size_t>(side)];
    camera.frame_rate = trial.frame_rate;
    for (const capture::Marker& marker : trial.body.markers) camera.names.push_back(marker.name);
    for (int k = 0; k < trial.num_frames; ++k) {
      const double later = trial.OffsetOf(side);
      const solver::FlightState<double> state = trial.StateAt(k / trial.frame_rate + later);
      auto& frame = camera.pixels.emplace_back();
      for (const capture::Marker& marker : trial.body.markers) {
        Eigen::Vector2d pixel =
            OpenCvPixel(trial.calibration, side, state.q_WB * marker.p_BM + state.p_WB);
        pixel.x() += noise_px * noise(random);
        pixel.y() += noise_px * noise(random);
        frame.push_back(pixel);
      }
    }
  }
  return tracks;
}

/// The experiment of a trial whose tracks are in these files.
capture::Experiment ExperimentOf(const SyntheticTrial& trial, const TrackSource& left,
                                 const std::optional<TrackSource>& right) {
  capture::Experiment experiment;
  experiment.body = trial.body;
  experiment.body.marker_diameter = 0.0;  // points, not discs
  experiment.board.square = 0.023;
  // What was typed is the truth, and known to be: pixels alone err.
  constexpr double kNone = 1e-9;
  experiment.board.square_sigma = kNone;
  experiment.gravity_sigma = kNone;
  experiment.body.sigma = {.marker = kNone,
                           .mass_centre = kNone,
                           .inertia = kNone,
                           .length = kNone,
                           .mass = kNone,
                           .tilt = kNone};
  experiment.clock.frame_rate = trial.frame_rate;
  experiment.planar = trial.planar;
  capture::Trial& one = experiment.trials.emplace_back();
  one.name = "drop";
  one.gravity = trial.gravity;
  one.tracks = {left, right};
  one.left = left.files.front();
  if (right) one.right = right->files.front();
  return experiment;
}

TrialResult Process(const SyntheticTrial& trial, const capture::Experiment& experiment) {
  return ProcessTrial(experiment, experiment.trials[0], trial.calibration);
}

/// Both cameras in files of their own.
class TracksOfATrial : public ::testing::Test {
 protected:
  capture::Experiment Written(const SyntheticTrial& trial, const std::string& left,
                              const std::string& right, TrackSource source = {}) const {
    TrackSource other = source;
    source.files = {folder_.Write("left.csv", left)};
    other.files = {folder_.Write("right.csv", right)};
    source.camera = "1";
    other.camera = "2";
    return ExperimentOf(trial, source, other);
  }
  TemporaryFolder folder_;
};

Velocities VelocitiesOf(const impacts::ImpactRecord& record) {
  Velocities v;
  v << record.v, record.w, record.v_post, record.w_post;
  return v;
}

Velocities TruthOf(const SyntheticTrial& trial) {
  Velocities v;
  v << trial.before.v, trial.before.w, trial.v_post, trial.w_post;
  return v;
}

/// The only impact, which there must be.
const impacts::ImpactRecord& RecordOf(const TrialResult& result) {
  EXPECT_EQ(result.impacts.size(), 1u) << result.message;
  static const impacts::ImpactRecord none;
  return result.impacts.empty() ? none : result.impacts[0].record;
}

/// Squared errors of the velocities in sigmas.
double ChiSquare(const impacts::ImpactRecord& record, const SyntheticTrial& trial) {
  const Velocities error = VelocitiesOf(record) - TruthOf(trial);
  const Eigen::MatrixXd covariance = record.covariance->bottomRightCorner<12, 12>();
  return error.dot(covariance.ldlt().solve(error));
}

/// 99.9 % of chi-square with 12 degrees of freedom.
constexpr double kChiSquare12 = 32.9;

TEST_F(TracksOfATrial, GiveTheSameImpactInEveryFormat) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Tracks film = Film(trial, 0.2, 1);
  const TrackSource stated{.offset = 0.0, .sigma_px = 0.2};
  const TrialResult deeplabcut = Process(trial, Written(trial, testing::DeepLabCutText(film[0]),
                                                        testing::DeepLabCutText(film[1]), stated));
  ASSERT_EQ(deeplabcut.status, TrialResult::Status::kOk) << deeplabcut.message;
  const impacts::ImpactRecord& record = RecordOf(deeplabcut);
  EXPECT_NEAR(record.time, trial.impact_time, 4.0 * record.time_sigma);
  EXPECT_LT(ChiSquare(record, trial), kChiSquare12);

  TrackSource by_number = stated;
  for (int m = 0; m < 6; ++m) by_number.names[film[0].names[m]] = std::to_string(m);
  TrackSource both{.files = {folder_.Write("xypts.csv", testing::DltdvText(film))},
                   .camera = "1",
                   .sigma_px = 0.2};
  for (int m = 0; m < 6; ++m) both.names[film[0].names[m]] = "pt" + std::to_string(m + 1);
  TrackSource second = both, bottom = both;
  second.camera = "2";
  bottom.files = {folder_.Write("old_xypts.csv", testing::DltdvText(film, 720))};
  bottom.y_up = true;
  TrackSource second_bottom = bottom;
  second_bottom.camera = "2";
  const std::vector<std::pair<const char*, TrialResult>> others = {
      {"sleap", Process(trial, Written(trial, testing::SleapText(film[0]),
                                       testing::SleapText(film[1]), stated))},
      {"tracker", Process(trial, Written(trial, testing::TrackerText(film[0]),
                                         testing::TrackerText(film[1]), stated))},
      {"csv", Process(trial, Written(trial, testing::LongText(film[0]), testing::LongText(film[1]),
                                     stated))},
      {"trackmate", Process(trial, Written(trial, testing::TrackMateText(film[0]),
                                           testing::TrackMateText(film[1]), by_number))},
      {"dltdv", Process(trial, ExperimentOf(trial, both, second))},
      {"dltdv, y up", Process(trial, ExperimentOf(trial, bottom, second_bottom))}};
  for (const auto& [name, result] : others) {
    SCOPED_TRACE(name);
    // Nine digits after the point are written.
    EXPECT_LT((VelocitiesOf(RecordOf(result)) - VelocitiesOf(record)).norm(), 1e-6);
  }
}

TEST_F(TracksOfATrial, WithoutNamesAreLabelledByTheLayout) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const Tracks film = Film(trial, 0.2, 2);
  const TrialResult named =
      Process(trial, Written(trial, testing::LongText(film[0]), testing::LongText(film[1]),
                             {.offset = 0.0, .sigma_px = 0.2}));
  const TrialResult spots =
      Process(trial, Written(trial, testing::TrackMateText(film[0]),
                             testing::TrackMateText(film[1]), {.offset = 0.0, .sigma_px = 0.2}));
  EXPECT_LT(ChiSquare(RecordOf(named), trial), kChiSquare12);
  EXPECT_LT(ChiSquare(RecordOf(spots), trial), kChiSquare12);
  // The sightings are the same ones; a few at the ends may have lost their labels.
  const Eigen::MatrixXd covariance = RecordOf(named).covariance->bottomRightCorner<12, 12>();
  const Velocities difference = VelocitiesOf(RecordOf(spots)) - VelocitiesOf(RecordOf(named));
  EXPECT_LT(difference.cwiseAbs().cwiseQuotient(covariance.diagonal().cwiseSqrt()).maxCoeff(), 0.5);
}

TEST_F(TracksOfATrial, ArePairedByTheirMotionWhereNoOffsetIsStated) {
  SyntheticTrial trial = MakeSyntheticTrial();
  Tracks film = Film(trial, 0.1, 3);
  film[1].pixels.erase(film[1].pixels.begin(), film[1].pixels.begin() + 7);  // began later
  const TrialResult result =
      Process(trial, Written(trial, testing::LongText(film[0]), testing::LongText(film[1])));
  EXPECT_EQ(result.tracked.alignment.lag_frames, 7);
  EXPECT_LT(ChiSquare(RecordOf(result), trial), kChiSquare12);
}

TEST_F(TracksOfATrial, OfCamerasThatExposeApartTellByHowMuch) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.right_offset = 0.3 / trial.frame_rate;
  const Tracks film = Film(trial, 0.1, 4);
  capture::Experiment experiment =
      Written(trial, testing::LongText(film[0]), testing::LongText(film[1]), {.sigma_px = 0.1});
  experiment.trials[0].tracks[1]->offset = 0.25 / trial.frame_rate;  // nearly
  const TrialResult result = Process(trial, experiment);
  const impacts::ImpactRecord& record = RecordOf(result);
  EXPECT_LT(ChiSquare(record, trial), kChiSquare12);
  const ImpactFit& fit = result.impacts.at(0).fit;
  EXPECT_NEAR(0.25 / trial.frame_rate + fit.clock_offset[1], trial.right_offset,
              4.0 * fit.clock_sigma[1]);
}

// The third camera by its own names, the fourth without; their clocks are behind by parts of a
// frame, of which nothing is stated.
TEST_F(TracksOfATrial, OfFourCamerasAreBetterThanOfTwo) {
  const SyntheticTrial trial = MakeFourCameraTrial();
  Tracks film = Film(trial, 0.2, 9);
  for (std::string& name : film[3].names) name = "point " + name;
  capture::Experiment experiment =
      Written(trial, testing::LongText(film[0]), testing::LongText(film[1]), {.sigma_px = 0.2});
  const TrialResult two = Process(trial, experiment);
  capture::Trial& named = experiment.trials[0];
  for (const std::size_t c : {std::size_t{2}, std::size_t{3}}) {
    named.tracks.emplace_back(*named.tracks[0]);
    named.tracks[c]->files = {
        folder_.Write(trial.calibration.cameras[c].name + ".csv", testing::LongText(film[c]))};
    named.others.push_back(named.tracks[c]->files.front());
  }
  const TrialResult four = Process(trial, experiment);
  ASSERT_EQ(four.tracked.further.size(), 2u);
  for (const FurtherView& view : four.tracked.further) {
    EXPECT_EQ(view.reason, "");
    EXPECT_GT(view.sightings, 300);  // of 60 frames of 6 markers
  }
  EXPECT_LT(ChiSquare(RecordOf(four), trial), kChiSquare12);
  const auto sigma = [&](const TrialResult& result) {
    return std::sqrt(RecordOf(result).covariance->diagonal().segment<3>(impacts::kV).sum());
  };
  EXPECT_LT(sigma(four), 0.8 * sigma(two));
}

TEST_F(TracksOfATrial, SwappedAndWildNamesDoNoHarm) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  Tracks film = Film(trial, 0.2, 5);
  for (std::size_t k = 3; k < film[0].pixels.size(); k += 5)
    std::swap(film[0].pixels[k][0], film[0].pixels[k][4]);
  for (std::size_t k = 0; k < film[1].pixels.size(); k += 4)
    film[1].pixels[k][2] = Eigen::Vector2d(30.0, 40.0);
  film[0].pixels[20].assign(6, std::nullopt);
  const TrialResult result =
      Process(trial, Written(trial, testing::LongText(film[0]), testing::LongText(film[1]),
                             {.offset = 0.0, .sigma_px = 0.2}));
  EXPECT_LT(ChiSquare(RecordOf(result), trial), kChiSquare12);
}

TEST_F(TracksOfATrial, OfOneCameraInAPlane) {
  const SyntheticTrial trial = MakePlanarTrial();
  const Tracks film = Film(trial, 0.2, 6);
  TrackSource source{.files = {folder_.Write("left.csv", testing::LongText(film[0]))},
                     .camera = "1",
                     .sigma_px = 0.2};
  const TrialResult result = Process(trial, ExperimentOf(trial, source, std::nullopt));
  const impacts::ImpactRecord& record = RecordOf(result);
  const Velocities error = VelocitiesOf(record) - TruthOf(trial);
  for (const int i : {0, 2, 4, 6, 8, 10}) {
    const double variance = (*record.covariance)(kV + i, kV + i);
    EXPECT_LT(std::abs(error[i]), 4.0 * std::sqrt(variance)) << i;
  }
}

// Named or not: the pose comes from three points of one view.
TEST_F(TracksOfATrial, OfOneCameraInSpace) {
  SyntheticTrial trial = MakeSyntheticTrial();
  trial.calibration.cameras.resize(1);
  const int size = calibration::NumRigParameters(1);
  trial.calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  const Tracks film = Film(trial, 0.05, 12);
  TrackSource source{.files = {folder_.Write("left.csv", testing::LongText(film[0]))},
                     .camera = "1",
                     .sigma_px = 0.05};
  for (const bool labelled : {true, false}) {
    source.labelled = labelled;
    const TrialResult result = Process(trial, ExperimentOf(trial, source, std::nullopt));
    ASSERT_EQ(result.status, TrialResult::Status::kOk) << result.message;
    EXPECT_LT(ChiSquare(RecordOf(result), trial), kChiSquare12) << labelled;
    EXPECT_LT((RecordOf(result).v - trial.before.v).norm(), 0.02) << labelled;
  }
}

TEST_F(TracksOfATrial, OfASlideGiveItsFriction) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const SyntheticSlide slide;
  std::mt19937 random(9);
  Tracks film(2);
  for (WrittenTracks& camera : film) {
    camera.frame_rate = trial.frame_rate;
    for (const capture::Marker& marker : trial.body.markers) camera.names.push_back(marker.name);
  }
  for (const TrackedFrame& frame :
       ObserveSlide(slide, trial, {.num_frames = 90, .noise_px = 0.2}, &random)) {
    for (WrittenTracks& camera : film)
      camera.pixels.emplace_back(trial.body.markers.size(), std::nullopt);
    for (const MarkerObservation& seen : frame.observations)
      film[static_cast<std::size_t>(seen.side)]
          .pixels.back()[static_cast<std::size_t>(seen.marker)] = seen.pixel;
  }
  capture::Experiment experiment =
      Written(trial, testing::LongText(film[0]), testing::LongText(film[1]), {.offset = 0.0});
  experiment.body.marker_diameter = trial.body.marker_diameter;  // of discs, here
  experiment.trials[0].kind = capture::Trial::Kind::kSlide;
  experiment.trials[0].gravity = slide.Gravity();
  const TrialResult result = Process(trial, experiment);
  ASSERT_TRUE(result.slide && result.slide->usable()) << result.message;
  EXPECT_NEAR(result.slide->mu_k.value, slide.mu_k, 4.0 * result.slide->mu_k.Sigma());
}

TEST_F(TracksOfATrial, NamesThatDoNotFitAreRefused) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  Tracks film = Film(trial, 0.2, 7);
  const auto message = [&](const std::string& left, const std::string& right,
                           const TrackSource& source) {
    const capture::Experiment experiment = Written(trial, left, right, source);
    return RecordTrial(experiment, experiment.trials[0], trial.calibration).message;
  };
  const std::string left = testing::LongText(film[0]), right = testing::LongText(film[1]);
  EXPECT_THAT(message(left, right, {.names = {{"A1", "nose"}}}),
              HasSubstr("left.csv: found no nose, which is to be marker A1"));
  EXPECT_THAT(message(left, right, {.names = {{"Z9", "A1"}}}),
              HasSubstr("names: found Z9, which is no marker of the body"));
  EXPECT_THAT(message(left, testing::TrackMateText(film[1]), {}),
              HasSubstr("right.csv: found no name of a marker"));
  EXPECT_THAT(message(left + "0,A1,5,5\n", right, {}), HasSubstr("found A1 twice at 0 s"));
  for (auto& frame : film[0].pixels) std::ranges::reverse(frame);
  EXPECT_THAT(message(testing::LongText(film[0]), right, {.offset = 0.0}),
              HasSubstr("fit the markers of the body in no frame"));
}

TEST(EstimateTrackSigma, IsThatOfTheNoise) {
  const SyntheticTrial trial = MakeSyntheticTrial();
  const TemporaryFolder folder;
  for (const double noise : {0.2, 1.0, 3.0}) {
    const Tracks film = Film(trial, noise, 8);
    const TrackSource source{.files = {folder.Write("a.csv", testing::LongText(film[0]))},
                             .camera = "1"};
    // A median of 684 sizes is good to 4 %; they share pixels, and the motion adds a little.
    EXPECT_NEAR(EstimateTrackSigma(capture::ReadPixelTracks(source, 120.0, {1280, 720})) / noise,
                1.0, 0.2);
  }
}

// As many as a binomial law allows in 2400 intervals that hold 95 % of the time, were they
// independent, would be 94.1 to 95.9 %; the twelve of a drop are not.
TEST_F(TracksOfATrial, HaveIntervalsThatHold) {
  constexpr int kDraws = 200;
  const SyntheticTrial trial = MakeSyntheticTrial();
  int inside = 0, count = 0, refused = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Tracks film = Film(trial, 0.5, 1000 + static_cast<unsigned>(draw));
    capture::Experiment experiment =
        Written(trial, testing::LongText(film[0]), testing::LongText(film[1]), {.offset = 0.0});
    experiment.synchronisation.genlocked = true;
    const TrialResult result = Process(trial, experiment);
    if (result.impacts.empty()) {
      ++refused;
      continue;
    }
    const impacts::ImpactRecord& record = result.impacts[0].record;
    const Velocities error = VelocitiesOf(record) - TruthOf(trial);
    for (int i = 0; i < 12; ++i) {
      inside += std::abs(error[i]) < 1.96 * std::sqrt((*record.covariance)(kV + i, kV + i));
      ++count;
    }
  }
  const double share = static_cast<double>(inside) / count;
  RecordProperty("share", std::to_string(share));
  // The check for a second impact between the flights fails once in ten thousand times by itself.
  EXPECT_LE(refused, 2);
  EXPECT_GT(share, 0.92);
  EXPECT_LT(share, 0.97);
}

}  // namespace
}  // namespace percuss::tracking
