// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bench/bench.h"

#include <gmock/gmock.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "base/files/files.h"
#include "base/math/covariance_root.h"
#include "tests/base/temporary_folder.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/bench/bench_files.h"
#include "tracking/bench/surface_markers.h"
#include "tracking/experiment_bench.h"
#include "tracking/labels/sighting_times.h"
#include "tracking/trial.h"

namespace percuss::tracking {
namespace {

using State = solver::FlightState<double>;

/// Drops of the marked cube in front of two cameras.
capture::Experiment CubeExperiment(int num_trials) {
  capture::Experiment experiment;
  experiment.body = MarkedCube();
  experiment.body.sigma = {.mass_centre = 6e-4, .mass = 1e-3};
  experiment.board.square = 0.023;
  experiment.board.square_sigma = 2.3e-5;
  experiment.exposure = 1e-3;
  experiment.synchronisation.genlocked = true;
  for (int k = 0; k < num_trials; ++k) {
    capture::Trial trial;
    trial.name = std::to_string(k);
    trial.gravity = {0, 0, -9.80665};
    experiment.trials.push_back(trial);
  }
  return experiment;
}

calibration::RigCalibration ExactCalibration() {
  calibration::RigCalibration calibration = MakeSyntheticTrial().calibration;
  const int size = calibration::NumRigParameters(2);
  calibration.covariance = Eigen::MatrixXd::Zero(size, size);
  return calibration;
}

/// What the cameras see of a tumbling drop of the true body, labelled.
TrialResult Drop(const capture::Experiment& stated, const Bench& truth, int trial,
                 std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const Eigen::Vector3d gravity = stated.trials[trial].gravity + truth.gravity_change;
  for (;;) {
    State start;
    const double w = uniform(*random), x = uniform(*random), y = uniform(*random);
    start.q_WB = Eigen::Quaterniond(w, x, y, uniform(*random)).normalized();
    for (int axis = 0; axis < 3; ++axis) start.v[axis] = 0.3 * uniform(*random);
    for (int axis = 0; axis < 3; ++axis) start.w[axis] = 8.0 * uniform(*random);
    start = WithLowestPointAt(truth.body.body.shape, 0.15, start);
    SyntheticMotion motion, twice;
    AddCarry({}, start, 0.1, &motion);
    AddFlight(truth.body.body, gravity, start, 0.1, 0.6, {}, &motion);
    AddFlight(truth.body.body, gravity, start, 0.1, 0.6, {.max_impacts = 2}, &twice);
    if (motion.impacts.empty()) continue;
    const double end = twice.impacts.size() > 1 ? twice.impacts[1].time : 0.6;
    if (end - motion.impacts[0].time < 0.12) continue;
    TrialResult recorded;
    recorded.trial = stated.trials[trial].name;
    recorded.message.clear();
    ObservationOptions options;
    options.num_frames = static_cast<int>((end + 0.02) * options.frame_rate);
    // Poses of single frames come from what is stated, as in the program.
    recorded.tracked.frames = Observe(motion, truth.body, truth.calibration, stated.body,
                                      truth.calibration, options, random);
    return recorded;
  }
}

struct Outcome {
  Bench truth;
  BenchEstimate estimate;
};

/// The bench is what was stated moved by `errors`; three drops tell.
Outcome EstimateFrom(const capture::Experiment& experiment, const Eigen::VectorXd& errors,
                     unsigned seed) {
  std::mt19937 random(seed);
  const calibration::RigCalibration calibration = ExactCalibration();
  const Bench stated = StatedBench(experiment, calibration);
  Outcome outcome{.truth = Moved(stated, errors), .estimate = {}};
  std::vector<TrialResult> recorded;
  for (int k = 0; k < static_cast<int>(experiment.trials.size()); ++k)
    recorded.push_back(Drop(experiment, outcome.truth, k, &random));
  outcome.estimate = EstimateBenchOf(
      experiment, stated, experiment.trials,
      [&](const capture::Trial& trial) { return recorded[std::stoul(trial.name)]; });
  return outcome;
}

// Places that the videos showed are known against the shape as the outline showed them: the mass
// centre within the shape, which moves both, is all that is added.
TEST(Bench, AFoundLayoutHasACovarianceOfItsOwn) {
  capture::Experiment experiment = CubeExperiment(1);
  const auto size = static_cast<Eigen::Index>(3 * experiment.body.markers.size());
  experiment.body.marker_covariance = 1e-10 * Eigen::MatrixXd::Identity(size, size);
  experiment.body.marker_covariance(0, 3) = experiment.body.marker_covariance(3, 0) = 4e-11;
  const Bench stated = StatedBench(experiment, ExactCalibration());
  const BenchParameters places = stated.Parameters();
  const double shared = std::pow(experiment.body.sigma.mass_centre, 2);
  const Eigen::MatrixXd& C = stated.covariance;
  EXPECT_NEAR(C(places.Marker(0), places.Marker(0)), 1e-10 + shared, 1e-15);
  EXPECT_NEAR(C(places.Marker(0), places.Marker(1)), 4e-11 + shared, 1e-15);
  EXPECT_NEAR(C(places.Marker(0), places.Surface()), shared, 1e-15);
}

TEST(Bench, ErrorsOfARulerAreFoundWithTheirSigmas) {
  capture::Experiment experiment = CubeExperiment(3);
  experiment.body.sigma.mass_centre = 0.0;  // the simulated body's surface lies about it
  const Bench stated = StatedBench(experiment, ExactCalibration());
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance);
  double sum = 0.0, ratio = 0.0;
  int count = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Eigen::VectorXd k(root.cols());
    for (double& one : k) one = normal(random);
    const Eigen::VectorXd errors = root * k;
    const BenchEstimate estimate = EstimateFrom(experiment, errors, seed).estimate;
    if (estimate.num_impacts == 0) continue;  // none of its drops lands on one corner
    ASSERT_TRUE(estimate.converged) << seed;
    const BenchParameters places = stated.Parameters();
    const int first = places.Marker(0), size = places.Surface() - first;
    const Eigen::MatrixXd covariance = estimate.bench.covariance.block(first, first, size, size);
    const Eigen::VectorXd error = (estimate.change - errors).segment(first, size);
    sum += error.dot(covariance.llt().solve(error));
    for (int i = 0; i < size; ++i)
      ratio += std::sqrt(covariance(i, i) / stated.covariance(first + i, first + i));
    count += size;
  }
  // A chi-square of so many degrees of freedom, with robust weights and variances that are
  // themselves estimated, the latter never below 1.
  EXPECT_NEAR(sum / count, 1.0, 4.0 * std::sqrt(2.0 / count) + 0.1);
  EXPECT_LT(ratio / count, 0.5);
}

/// Errors of the places of markers against the surface of the body.
Eigen::VectorXd AgainstTheSurface(const Bench& bench, const Bench& truth) {
  Eigen::VectorXd errors(3 * static_cast<Eigen::Index>(bench.body.markers.size()));
  for (std::size_t k = 0; k < bench.body.markers.size(); ++k) {
    errors.segment<3>(static_cast<Eigen::Index>(3 * k)) =
        bench.body.markers[k].p_BM - bench.body.surface_shift -
        (truth.body.markers[k].p_BM - truth.body.surface_shift);
  }
  return errors;
}

// Stickers lie on the body, however they were read: their planes are its faces. What was typed
// would turn the faces by 0.5 mm / sqrt(24) each way, and the corners leave them where they are.
TEST(Bench, MarkersOnTheSurfaceShowTheFaces) {
  capture::Experiment experiment = CubeExperiment(3);
  const calibration::RigCalibration calibration = ExactCalibration();
  const Bench truth = StatedBench(experiment, calibration);
  const BenchParameters places = truth.Parameters();
  std::mt19937 random(5);
  std::normal_distribution<double> normal(0.0, 5e-4);
  Eigen::VectorXd misread = Eigen::VectorXd::Zero(places.Size());
  for (int i = places.Marker(0); i < places.Inertia(); ++i) misread[i] = normal(random);
  const Bench stated = Moved(truth, misread);
  experiment.body = stated.body;
  std::vector<TrialResult> recorded;
  for (int k = 0; k < 3; ++k) recorded.push_back(Drop(experiment, truth, k, &random));
  const BenchEstimate estimate = EstimateBenchOf(
      experiment, stated, experiment.trials,
      [&](const capture::Trial& trial) { return recorded[std::stoul(trial.name)]; });
  ASSERT_TRUE(estimate.converged);
  EXPECT_LT(AgainstTheSurface(estimate.bench, truth).norm() / std::sqrt(72.0), 6e-5);
}

TEST(MarkersOnSurface, AreThoseAsFarOffItAsMost) {
  capture::Experiment experiment = CubeExperiment(1);
  experiment.body.markers[4].p_BM +=
      4e-3 * Eigen::Vector3d::Unit(0) * (experiment.body.markers[4].p_BM.x() > 0.0 ? 1.0 : -1.0);
  std::vector<capture::Marker>& markers = experiment.body.markers;
  for (capture::Marker& marker : markers) {
    const Eigen::Vector3d n = solver::OutwardNormal(experiment.body.body.shape, marker.p_BM);
    marker.p_BM += 1e-3 * n;  // all of them on pads
  }
  const Bench stated = StatedBench(experiment, ExactCalibration());
  const std::vector<SurfaceMarker> on_surface =
      MarkersOnSurface(stated.body, stated.Parameters(), stated.covariance);
  EXPECT_EQ(on_surface.size(), markers.size() - 1);
  for (const SurfaceMarker& one : on_surface) EXPECT_NE(one.marker, 4);
}

TEST(MarkersOnSurface, DistancesCountLessTheirMean) {
  const Bench bench = StatedBench(CubeExperiment(1), ExactCalibration());
  const BenchParameters places = bench.Parameters();
  const std::vector<SurfaceMarker> on_surface =
      MarkersOnSurface(bench.body, places, bench.covariance);
  EXPECT_LT(RowsOfSurface(bench.body, places, on_surface).residuals.norm(), 1e-9);
  Eigen::VectorXd change = Eigen::VectorXd::Zero(places.Size());
  change.segment<3>(places.Surface()) << 1e-4, -2e-4, 5e-5;
  change.segment<3>(places.Length()) << 2e-4, 0.0, -1e-4;
  for (int i = places.Marker(0); i < places.Inertia(); ++i) change[i] = 1e-5 * (i % 7);
  const SurfaceRows moved = RowsOfSurface(Moved(bench, change).body, places, on_surface);
  EXPECT_LT((moved.residuals - moved.by_bench * change).norm(), 1e-6 * moved.residuals.norm());
  EXPECT_NEAR(moved.residuals.mean(), 0.0, 1e-12);
}

TEST(Bench, MarkersReadFromAWrongMassCentreAreMovedAndTheContactIsNot) {
  const capture::Experiment experiment = CubeExperiment(4);
  const BenchParameters places = StatedBench(experiment, ExactCalibration()).Parameters();
  Eigen::VectorXd errors = Eigen::VectorXd::Zero(places.Size());
  for (int k = 0; k < places.num_markers; ++k) errors[places.Marker(k)] = 1e-3;
  const BenchEstimate estimate = EstimateFrom(experiment, errors, 7).estimate;
  ASSERT_TRUE(estimate.converged);
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  for (int k = 0; k < places.num_markers; ++k)
    shift += estimate.change.segment<3>(places.Marker(k)) / places.num_markers;
  EXPECT_NEAR(shift.x(), 1e-3, 1e-4);
  EXPECT_LT(shift.tail<2>().norm(), 1e-4);
  EXPECT_LT(estimate.change.segment<3>(places.Surface()).norm(), 3e-4);
}

// About the typed point no flight is free; the poses show about which one the body turned.
TEST(Bench, AMassCentreFarFromWhereItWasTypedIsFound) {
  capture::Experiment experiment = CubeExperiment(4);
  experiment.body.sigma.mass_centre = 1e-2;
  const BenchParameters places = StatedBench(experiment, ExactCalibration()).Parameters();
  const Eigen::Vector3d error(0.012, -0.015, 0.008);
  Eigen::VectorXd errors = Eigen::VectorXd::Zero(places.Size());
  for (int k = 0; k < places.num_markers; ++k) errors.segment<3>(places.Marker(k)) = error;
  const BenchEstimate estimate = EstimateFrom(experiment, errors, 9).estimate;
  ASSERT_TRUE(estimate.converged);
  EXPECT_EQ(estimate.num_impacts, 4);
  for (int k = 0; k < places.num_markers; ++k)
    EXPECT_LT((estimate.change.segment<3>(places.Marker(k)) - error).norm(), 3e-4) << k;
}

/// Three drops as rolling shutters would see them: each pixel was exposed later or earlier than its
/// frame, and nothing says so.
BenchEstimate EstimateWithShutters(const std::array<double, 2>& line_time) {
  std::mt19937 random(11);
  capture::Experiment experiment = CubeExperiment(3);
  experiment.line_time_sigma = capture::kUnstatedLineTime;
  const Bench stated = StatedBench(experiment, ExactCalibration());
  std::vector<TrialResult> recorded;
  for (int k = 0; k < 3; ++k) {
    TrialResult& drop = recorded.emplace_back(Drop(experiment, stated, k, &random));
    ShiftRowTimes({-line_time[0], -line_time[1]}, ViewsOf(stated.calibration),
                  &drop.tracked.frames);
    // As RecordTrial leaves it: roughly known.
    drop.tracked.line_time = {0.98 * line_time[0], 0.98 * line_time[1]};
    drop.tracked.line_time_sigma = {1e-7, 1e-7};
    ShiftRowTimes(drop.tracked.line_time, ViewsOf(stated.calibration), &drop.tracked.frames);
  }
  return EstimateBenchOf(experiment, stated, experiment.trials, [&](const capture::Trial& trial) {
    return recorded[std::stoul(trial.name)];
  });
}

TEST(Bench, LineTimesOfRollingShuttersAreFound) {
  const std::array<double, 2> truth = {1e-5, 7e-6};
  const BenchEstimate estimate = EstimateWithShutters(truth);
  ASSERT_TRUE(estimate.converged);
  const BenchParameters places = estimate.bench.Parameters();
  for (int camera = 0; camera < 2; ++camera) {
    const int place = places.LineTime(camera);
    const double sigma = std::sqrt(estimate.bench.covariance(place, place));
    EXPECT_LT(sigma, 0.01 * truth[camera]);
    EXPECT_NEAR(estimate.bench.line_time[camera], truth[camera], 3.5 * sigma);
  }
}

TEST(Bench, ShuttersThatTheFlightsShowToBeGlobalAreTakenSo) {
  const BenchEstimate estimate = EstimateWithShutters({0.0, 0.0});
  ASSERT_TRUE(estimate.converged);
  const BenchParameters places = estimate.bench.Parameters();
  for (int camera = 0; camera < 2; ++camera) {
    EXPECT_EQ(estimate.bench.line_time[camera], 0.0);
    EXPECT_EQ(estimate.bench.covariance.col(places.LineTime(camera)).norm(), 0.0);
  }
}

TEST(Bench, WithoutFlightsWhatWasStatedStays) {
  capture::Experiment experiment = CubeExperiment(1);
  const Bench stated = StatedBench(experiment, ExactCalibration());
  TrialResult nothing;
  nothing.message = "no labels";
  const BenchEstimate estimate = EstimateBenchOf(experiment, stated, experiment.trials,
                                                 [&](const capture::Trial&) { return nothing; });
  EXPECT_FALSE(estimate.converged);
  EXPECT_EQ(estimate.change.norm(), 0.0);
  EXPECT_EQ(estimate.bench.covariance, stated.covariance);
}

Eigen::MatrixXd SumOfSources(const Bench& bench) {
  const Eigen::Index size = bench.Parameters().Size();
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(size, size);
  for (const impacts::SharedSource& source : bench.sources)
    sum += source.root * source.root.transpose();
  return sum;
}

// With C = R R^T and flights that say A = R^-T M R^-1 of the bench, P = R (1 + M)^-1 R^T is left of
// C. Of that R (1 + M)^-2 R^T comes from what was typed, the rest P A P from the flights' noise.
TEST(Bench, SourcesAreWhatIsLeftOfWhatWasTyped) {
  capture::Experiment experiment = CubeExperiment(1);
  experiment.body.sigma.stated = {"marker"};
  const Bench stated = StatedBench(experiment, ExactCalibration());
  EXPECT_TRUE(SumOfSources(stated).isApprox(stated.covariance, 1e-12));
  ASSERT_EQ(stated.sources.front().name, "squares of the board");
  EXPECT_FALSE(stated.sources.front().stated);
  EXPECT_EQ(stated.sources[1].name, "places of markers");
  EXPECT_TRUE(stated.sources[1].stated);
  EXPECT_EQ(stated.sources[1].size, experiment.body.sigma.marker);

  const Eigen::MatrixXd R = CovarianceRoot(stated.covariance);
  srand(1);
  const Eigen::MatrixXd noise = Eigen::MatrixXd::Random(R.cols(), R.cols());
  const Eigen::MatrixXd M = 3.0 * noise * noise.transpose();
  const Eigen::MatrixXd N =
      (M + Eigen::MatrixXd::Identity(R.cols(), R.cols())).ldlt().solve(R.transpose());
  const Bench estimated =
      Estimated(stated, Eigen::VectorXd::Zero(stated.Parameters().Size()), R * N);
  const Eigen::VectorXd scale = stated.covariance.diagonal().cwiseSqrt().cwiseMax(1e-300);
  const Eigen::MatrixXd difference = scale.cwiseInverse().asDiagonal() *
                                     (SumOfSources(estimated) - N.transpose() * N) *
                                     scale.cwiseInverse().asDiagonal();
  EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Bench, ATagIsStuckOnAsAWhole) {
  capture::Experiment experiment = CubeExperiment(1);
  capture::MarkedBody& body = experiment.body;
  body.sigma = {.marker = 0.0005, .mass_centre = 0.0};
  body.markers.clear();
  body.coded.dictionary = "DICT_4X4_50";
  constexpr double kSize = 0.03;
  for (const double x : {-0.02, 0.02}) {
    body.coded.tags.push_back({.id = static_cast<int>(body.coded.tags.size()),
                               .first_marker = static_cast<int>(body.markers.size()),
                               .size = kSize});
    for (const auto& [a, b] : {std::pair(-1, 1), {1, 1}, {1, -1}, {-1, -1}})
      body.markers.push_back({"", {x + 0.5 * kSize * a, 0.5 * kSize * b, 0.05}});
  }
  const Bench bench = StatedBench(experiment, ExactCalibration());
  const BenchParameters places = bench.Parameters();
  const auto sigma_of = [&](const Eigen::VectorXd& by) {
    return std::sqrt(by.dot(bench.covariance * by));
  };
  const auto of_corner = [&](int marker, int axis) {
    return Eigen::VectorXd(Eigen::VectorXd::Unit(places.Size(), places.Marker(marker) + axis));
  };
  // A corner is off by its tag's shift and turn, and by a fifth for itself.
  EXPECT_NEAR(sigma_of(of_corner(0, 2)), 0.0005 * std::sqrt(1.0 + 0.04), 1e-9);
  EXPECT_NEAR(sigma_of(of_corner(0, 0)), 0.0005 * std::sqrt(1.0 + 0.5 + 0.04), 1e-9);
  const Eigen::VectorXd edge = of_corner(1, 0) - of_corner(0, 0);
  EXPECT_NEAR(sigma_of(edge), 0.0005 * std::sqrt(2.0 * 0.04), 1e-9);
  const Eigen::VectorXd turn = (of_corner(1, 1) - of_corner(0, 1)) / kSize;
  EXPECT_NEAR(sigma_of(turn), 0.0005 / kSize * std::sqrt(2.0 + 2.0 * 0.04), 1e-6);
  EXPECT_NEAR(of_corner(0, 2).dot(bench.covariance * of_corner(4, 2)), 0.0, 1e-15);
}

TEST(Bench, SigmasThatAreZeroHoldWhatIsStated) {
  capture::Experiment experiment = CubeExperiment(1);
  experiment.body.sigma = {.marker = 0.0, .inertia = 0.0, .length = 0.0};
  experiment.board.square_sigma = 0.0;
  experiment.gravity_sigma = 0.0;
  EXPECT_EQ(StatedBench(experiment, ExactCalibration()).covariance.norm(), 0.0);
}

TEST(Bench, SquaresMakeAllDistancesUncertainTogether) {
  capture::Experiment experiment = CubeExperiment(1);
  experiment.board.square_sigma = 0.01 * experiment.board.square;
  const calibration::RigCalibration calibration = ExactCalibration();
  const Bench stated = StatedBench(experiment, calibration);
  const int size = stated.Parameters().NumRig();
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance.topLeftCorner(size, size));
  ASSERT_EQ(root.cols(), 1);
  const calibration::RigCalibration larger = Perturbed(calibration, root.col(0));
  const double scale =
      larger.cameras[1].from_first.t.norm() / calibration.cameras[1].from_first.t.norm();
  EXPECT_NEAR(std::abs(scale - 1.0), 0.01, 1e-12);
  EXPECT_NEAR(larger.world_from_first.t.norm() / calibration.world_from_first.t.norm(), scale,
              1e-12);
}

TEST(Bench, FileHoldsTheEstimate) {
  const testing::TemporaryFolder folder;
  const capture::Experiment experiment = CubeExperiment(2);
  const Bench stated = StatedBench(experiment, ExactCalibration());
  const BenchEstimate estimate =
      EstimateFrom(experiment, Eigen::VectorXd::Zero(stated.Parameters().Size()), 3).estimate;
  const std::filesystem::path file = folder.Path() / "bench.json";
  WriteBench(stated, estimate, {kBenchFormat, "test", {}}, file);
  const Bench read = ReadBench(file, stated);
  EXPECT_EQ(read.covariance, estimate.bench.covariance);
  EXPECT_EQ(read.body.markers[3].p_BM, estimate.bench.body.markers[3].p_BM);
  EXPECT_EQ(read.body.body.inertia, estimate.bench.body.body.inertia);
  EXPECT_EQ(read.calibration.covariance, estimate.bench.calibration.covariance);

  capture::Experiment other = experiment;
  other.body.markers.pop_back();
  EXPECT_THROW(ReadBench(file, StatedBench(other, ExactCalibration())), InputError);

  std::string text = ReadFile(file);
  const std::size_t covariance = text.find("\"covariance\":") + 13;
  text.replace(covariance, text.find("]]", covariance) + 2 - covariance, "[[1.0]]");
  WriteFileAtomically(file, text);
  EXPECT_THAT(testing::InputErrorOf([&] { ReadBench(file, stated); }),
              ::testing::HasSubstr("covariance: found"));
}

/// Residuals at a bench that was moved, against the derivatives by its parameters.
TEST(Bench, DerivativesAreThoseOfTheResiduals) {
  std::mt19937 random(5);
  const capture::Experiment experiment = CubeExperiment(1);
  const calibration::RigCalibration calibration = ExactCalibration();
  const Bench stated = StatedBench(experiment, calibration);
  const BenchParameters places = stated.Parameters();
  const TrialResult result =
      EstimateTrial(experiment, experiment.trials[0], stated, Drop(experiment, stated, 0, &random));
  ASSERT_FALSE(result.impacts.empty()) << result.message;
  const FittedArcs& arcs = result.impacts[0].fit.arcs_fitted;
  const auto linearise = [&](const Bench& bench) {
    ArcUnknowns x = arcs.solution;
    x.line_time = bench.line_time;
    const MarkerLayout layout = LayoutOf(bench.body);
    const SightingModel model(layout, bench.calibration, &stated.covariance);
    const Eigen::Vector3d gravity = experiment.trials[0].gravity + bench.gravity_change;
    return Linearise(ProblemOf(arcs, model, bench.body.body.inertia, gravity), arcs.frames, x);
  };
  const Eigen::MatrixXd derivatives = linearise(stated).by_calibration;
  for (int place = places.Marker(0); place < places.Size(); ++place) {
    if (place >= places.Surface() && place < places.LineTime(0)) continue;  // no pixel shows these
    const double step = place >= places.LineTime(0) ? 1e-8 : place < places.Inertia() ? 1e-6 : 1e-4;
    const Eigen::VectorXd change = step * Eigen::VectorXd::Unit(places.Size(), place);
    const Eigen::VectorXd slope =
        (linearise(Moved(stated, change)).residuals - linearise(Moved(stated, -change)).residuals) /
        (2.0 * step);
    EXPECT_LT((derivatives.col(place) - slope).norm(), 1e-3 * slope.norm() + 1e-6) << place;
  }
}

// A step too far may carry markers behind a camera: no number then, which the search steps back
// from, but of the shape that it expects.
TEST(Bench, MarkersBehindACameraHaveNoResiduals) {
  std::mt19937 random(5);
  const capture::Experiment experiment = CubeExperiment(1);
  const Bench stated = StatedBench(experiment, ExactCalibration());
  const TrialResult result =
      EstimateTrial(experiment, experiment.trials[0], stated, Drop(experiment, stated, 0, &random));
  ASSERT_FALSE(result.impacts.empty()) << result.message;
  const FittedArcs& arcs = result.impacts[0].fit.arcs_fitted;
  const MarkerLayout layout = LayoutOf(stated.body);
  const SightingModel model(layout, stated.calibration, &stated.covariance);
  const calibration::Pose& camera = model.views[0].camera_from_world;
  ArcUnknowns x = arcs.solution;
  x.before.p_WB = camera.R.transpose() * (Eigen::Vector3d(0.0, 0.0, -1.0) - camera.t);
  const Linearisation linear =
      Linearise(ProblemOf(arcs, model, stated.body.body.inertia, experiment.trials[0].gravity),
                arcs.frames, x);
  EXPECT_FALSE(std::isfinite(linear.residuals.squaredNorm()));
  EXPECT_EQ(linear.by_calibration.rows(), linear.residuals.size());
  EXPECT_EQ(linear.by_calibration.cols(), model.NumShared());
}

}  // namespace
}  // namespace percuss::tracking
