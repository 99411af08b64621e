// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/bench_coverage.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "base/math/covariance_root.h"
#include "base/parallel.h"
#include "fitting/estimate/coefficient_fit.h"
#include "solver/contact/contact.h"
#include "solver/solve_impact.h"
#include "tests/tracking/arcs/simulated_impact.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/bench/bench.h"
#include "tracking/experiment_bench.h"
#include "tracking/trial.h"

namespace percuss::benchmarks {
namespace {

using State = solver::FlightState<double>;

constexpr std::array<double, 2> kCoefficients = {0.26, 0.55};  // mu, e
constexpr int kDrops = 4;

/// What a person would have typed: a cube whose markers turn into view and out of it, or a bar
/// that shows one face.
capture::Experiment Typed(bool cube) {
  capture::Experiment experiment;
  experiment.body = cube ? tracking::MarkedCube() : tracking::MakeSyntheticTrial().body;
  experiment.body.sigma.mass_centre = cube ? 0.6e-3 : 3e-3;  // 1 % of the longest side
  experiment.board.square = 0.023;
  experiment.board.square_sigma = 2.3e-5;
  experiment.exposure = 1e-3;
  experiment.synchronisation.genlocked = true;
  for (int k = 0; k < kDrops; ++k) {
    capture::Trial trial;
    trial.name = std::to_string(k);
    trial.gravity = {0, 0, -9.80665};
    experiment.trials.push_back(trial);
  }
  return experiment;
}

struct Drop {
  tracking::SyntheticMotion motion;
  double end = 0.0;  ///< of the flight after the impact
};

/// Height of the lowest point of the body above the surface.
double Height(const capture::MarkedBody& body, const State& state) {
  return tracking::LowestHeight(body.body.shape,
                                {state.p_WB + state.q_WB * body.surface_shift, state.q_WB});
}

/// The states just before and just after an impact at one corner, by the law, or nothing if these
/// are none: the body separates, or comes down on an edge.
std::optional<tracking::TrueImpact> DrawImpact(const capture::MarkedBody& body, bool cube,
                                               std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&](double size) -> Eigen::Vector3d {
    const double x = uniform(*random), y = uniform(*random), z = uniform(*random);
    return {size * x, size * y, size * z};
  };
  tracking::TrueImpact impact;
  State& before = impact.before;
  if (cube) {
    const Eigen::Vector3d axis = draw(1.0);
    before.q_WB = Eigen::Quaterniond(uniform(*random), axis.x(), axis.y(), axis.z()).normalized();
  } else {  // the marked face looks at the cameras
    const double pitch = 0.9 * uniform(*random), yaw = 0.4 * uniform(*random);
    before.q_WB = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()) *
                  Eigen::AngleAxisd(pitch, Eigen::Vector3d::UnitY()) *
                  Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitX());
  }
  before.v = Eigen::Vector3d(0, 0, -1.9) + draw(0.6);
  before.w = draw(cube ? 8.0 : 3.0);
  before.p_WB = draw(0.03);
  before.p_WB.z() = 0.0;
  const Eigen::Vector3d down_B = before.q_WB.conjugate() * Eigen::Vector3d(0, 0, -1);
  const Eigen::Vector3d corner_B = solver::SupportPoint(body.body.shape, down_B);
  constexpr double kClear = 0.004;  // [m]: which corner strikes is beyond doubt
  if (solver::SupportCandidates(body.body.shape, down_B, kClear).size() > 1) return std::nullopt;
  impact.r = before.q_WB * (corner_B + body.surface_shift);
  before.p_WB.z() = -impact.r.z();
  const Eigen::Matrix3d frame = solver::ContactFrame(Eigen::Vector3d::UnitZ());
  const solver::Contact<double> contact{
      solver::InverseContactMass<double>(body.body.mass, body.body.inertia, before.q_WB, impact.r,
                                         frame),
      solver::ContactVelocity<double>(before.v, before.w, impact.r, frame)};
  if (contact.velocity.z() > -0.5) return std::nullopt;
  const State after = tracking::AfterImpulse(
      body.body, before, impact.r,
      frame * solver::SolveImpact("stronge", contact, kCoefficients).impulse);
  impact.v_post = after.v;
  impact.w_post = after.w;
  return impact;
}

/// A drop of a body: held, let go, impact by the law, flight until it comes down again.
Drop DrawDrop(const capture::MarkedBody& body, const Eigen::Vector3d& gravity, bool cube,
              std::mt19937* random) {
  constexpr double kRelease = 0.1, kFall = 0.18, kLongest = 0.2, kShortest = 0.1;  // [s]
  for (;;) {
    std::optional<tracking::TrueImpact> impact = DrawImpact(body, cube, random);
    if (!impact) continue;
    impact->time = kRelease + kFall;
    State after = impact->before;
    after.v = impact->v_post;
    after.w = impact->w_post;
    const auto flight = [&](const State& from) {
      return [=, inertia = body.body.inertia](double time) {
        return solver::PropagateFlight(from, inertia, gravity, time - impact->time);
      };
    };
    Drop drop;
    tracking::AddCarry({}, flight(impact->before)(kRelease), kRelease, &drop.motion);
    drop.motion.pieces.push_back({kRelease, flight(impact->before)});
    drop.motion.pieces.push_back({impact->time, flight(after)});
    drop.motion.impacts = {*impact};
    constexpr double kStep = 4e-3;
    const auto above = [&](double time) { return Height(body, drop.motion.StateAt(time)) > 0.0; };
    drop.end = impact->time;
    while (drop.end < impact->time + kLongest && above(drop.end + kStep)) drop.end += kStep;
    bool clear = true;
    for (double time = impact->time - kStep; clear && time > kRelease; time -= kStep)
      clear = above(time);
    if (clear && drop.end > impact->time + kShortest) return drop;
  }
}

/// How often intervals held the truth.
struct Held {
  int held = 0, count = 0;
  void Add(bool one) {
    held += one;
    ++count;
  }
  void Add(const Held& other) {
    held += other.held;
    count += other.count;
  }
};

struct Outcome {
  std::string failure;
  std::array<Held, 2> coefficients;
  std::array<Held, 4> velocities;  ///< v, w, v', w', each component
  Held regions;                    ///< of all twelve
  Held measured, predicted;        ///< dissipation
  Held markers;                    ///< each coordinate
};

double KineticEnergy(const solver::Body& body, const State& state) {
  const Eigen::Vector3d w_B = state.q_WB.conjugate() * state.w;
  return 0.5 * (body.mass * state.v.squaredNorm() + w_B.dot(body.inertia * w_B));
}

double Dissipation(const solver::Body& body, const tracking::TrueImpact& impact) {
  State after = impact.before;
  after.v = impact.v_post;
  after.w = impact.w_post;
  return 1.0 - KineticEnergy(body, after) / KineticEnergy(body, impact.before);
}

void AddVelocities(const impacts::ImpactRecord& record, const tracking::TrueImpact& truth,
                   Outcome* outcome) {
  Eigen::Matrix<double, 12, 1> error;
  error << record.v - truth.before.v, record.w - truth.before.w, record.v_post - truth.v_post,
      record.w_post - truth.w_post;
  const Eigen::Matrix<double, 12, 12> covariance = record.covariance->bottomRightCorner<12, 12>();
  for (int i = 0; i < 12; ++i)
    outcome->velocities[i / 3].Add(std::abs(error[i]) < 1.96 * std::sqrt(covariance(i, i)));
  constexpr double kChiSquare12 = 21.03;  // 95 %
  const Eigen::MatrixXd C = covariance;
  outcome->regions.Add(error.dot(Eigen::VectorXd(C.llt().solve(Eigen::VectorXd(error)))) <
                       kChiSquare12);
}

void AddFit(const impacts::ImpactTable& table, const tracking::Bench& bench,
            const solver::Body& true_body, const std::vector<tracking::TrueImpact>& truth,
            Outcome* outcome) {
  const fitting::LawFit fit =
      fitting::FitCoefficients(table, bench.body.body,
                               {.cross_validate = false, .split_error = false, .num_threads = 1})
          .front();
  for (std::size_t k = 0; k < 2; ++k) {
    const fitting::ParameterEstimate& one = fit.parameters[k];
    if (one.status == fitting::ParameterStatus::kUnidentified) continue;
    outcome->coefficients[k].Add(one.ci95[0] <= kCoefficients[k] &&
                                 kCoefficients[k] <= one.ci95[1]);
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double dissipation = Dissipation(true_body, truth[i]);
    const auto holds = [&](const ValueWithSigma& one) {
      return std::abs(one.value - dissipation) < 1.96 * one.sigma;
    };
    outcome->measured.Add(holds(fit.trials[i].dissipation_measured));
    outcome->predicted.Add(holds(fit.trials[i].dissipation_predicted));
  }
}

Outcome RunExperiment(unsigned seed) {
  std::mt19937 random(seed);
  const bool cube = seed % 2 == 0;
  capture::Experiment experiment = Typed(cube);
  calibration::RigCalibration calibration = tracking::MakeSyntheticTrial().calibration;
  calibration.covariance = tracking::CalibrationSigmas(2).cwiseAbs2().asDiagonal();
  // The markers lie on the body, and what was typed of them does not.
  const tracking::Bench truth = tracking::StatedBench(experiment, calibration);
  const Eigen::MatrixXd root = CovarianceRoot(truth.covariance);
  std::normal_distribution<double> normal;
  Eigen::VectorXd k(root.cols());
  for (double& one : k) one = normal(random);
  const tracking::Bench stated = Moved(truth, root * k);
  experiment.body = stated.body;

  std::vector<tracking::TrialResult> recorded;
  std::vector<tracking::TrueImpact> impacts;
  for (const capture::Trial& trial : experiment.trials) {
    const Drop drop = DrawDrop(truth.body, trial.gravity, cube, &random);
    tracking::ObservationOptions options{.noise_px = 0.05, .hidden_fraction = 0.1};
    options.num_frames = static_cast<int>((drop.end + 0.02) * options.frame_rate);
    tracking::TrialResult& one = recorded.emplace_back();
    one.trial = trial.name;
    one.message.clear();
    // Poses of single frames come from what is stated, as in the program.
    one.tracked.frames = tracking::Observe(drop.motion, truth.body, truth.calibration, stated.body,
                                           stated.calibration, options, &random);
    impacts.push_back(drop.motion.impacts[0]);
  }
  const tracking::BenchEstimate estimate = tracking::EstimateBenchOf(
      experiment, stated, experiment.trials,
      [&](const capture::Trial& trial) { return recorded[std::stoul(trial.name)]; });
  Outcome outcome;
  if (!estimate.converged) {
    outcome.failure =
        tracking::EstimateTrial(experiment, experiment.trials[0], estimate.bench, recorded[0])
            .message;
    if (outcome.failure.empty()) outcome.failure = "the bench does not come to rest";
    return outcome;
  }
  impacts::ImpactTable table;
  table.calibration_covariance = estimate.bench.ImpactCovariance();
  table.inertia = estimate.bench.body.body.inertia;
  std::vector<tracking::TrueImpact> found;
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const tracking::TrialResult result =
        tracking::EstimateTrial(experiment, experiment.trials[i], estimate.bench, recorded[i]);
    if (result.impacts.empty()) continue;
    table.impacts.push_back(result.impacts[0].record);
    found.push_back(impacts[i]);
    AddVelocities(table.impacts.back(), impacts[i], &outcome);
  }
  AddFit(table, estimate.bench, truth.body.body, found, &outcome);
  const tracking::BenchParameters places = stated.Parameters();
  for (int m = 0; m < places.num_markers; ++m) {
    const Eigen::Vector3d error = estimate.bench.body.markers[m].p_BM - truth.body.markers[m].p_BM;
    for (int axis = 0; axis < 3; ++axis) {
      const int place = places.Marker(m) + axis;
      outcome.markers.Add(std::abs(error[axis]) <
                          1.96 * std::sqrt(estimate.bench.covariance(place, place)));
    }
  }
  return outcome;
}

}  // namespace

std::vector<BoundSection> MeasureBenchCoverage(int experiments) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(experiments));
  ParallelFor(experiments, 2,
              [&](int k) { outcomes[k] = RunExperiment(static_cast<unsigned>(k)); });
  Outcome sum;
  std::vector<std::string> failures;
  for (int k = 0; k < experiments; ++k) {
    const Outcome& one = outcomes[k];
    if (!one.failure.empty()) failures.push_back(fmt::format("experiment {}: {}", k, one.failure));
    for (std::size_t k = 0; k < 2; ++k) sum.coefficients[k].Add(one.coefficients[k]);
    for (std::size_t k = 0; k < 4; ++k) sum.velocities[k].Add(one.velocities[k]);
    sum.regions.Add(one.regions);
    sum.measured.Add(one.measured);
    sum.predicted.Add(one.predicted);
    sum.markers.Add(one.markers);
  }
  BoundSection section{
      fmt::format("{} made-up experiments of {} drops, a bench of its own in each: how often 95 % "
                  "intervals hold the truth",
                  experiments, kDrops),
      {},
      {}};
  section.rows.push_back(
      {"experiments without an answer", "", static_cast<double>(failures.size())});
  const auto add = [&](const char* name, const Held& held) {
    section.rows.push_back({name, "%", 100.0 * held.held / std::max(1, held.count), 92.0, 98.0});
  };
  add("mu", sum.coefficients[0]);
  add("e", sum.coefficients[1]);
  add("v before", sum.velocities[0]);
  add("w before", sum.velocities[1]);
  add("v after", sum.velocities[2]);
  add("w after", sum.velocities[3]);
  add("all twelve velocities", sum.regions);
  add("dissipation measured", sum.measured);
  add("dissipation predicted", sum.predicted);
  add("coordinates of markers", sum.markers);
  section.remarks = failures;
  section.remarks.push_back(fmt::format(
      "mu was a number in {} experiments, e in {}. One sampling error of a share of {} is {:.1f} "
      "%.",
      sum.coefficients[0].count, sum.coefficients[1].count, experiments,
      100.0 * std::sqrt(0.95 * 0.05 / experiments)));
  return {section};
}

}  // namespace percuss::benchmarks
