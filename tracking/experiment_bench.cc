// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/experiment_bench.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/math/covariance_root.h"
#include "base/parallel.h"
#include "tracking/arcs/line_time_fit.h"
#include "tracking/flights/flight_motion.h"

namespace percuss::tracking {
namespace {

/// The flights of a trial's impacts, with the contact where the choice is beyond doubt.
void AddFlights(const TrialResult& result, const capture::Trial& trial, const Bench& bench,
                std::vector<BenchFlights>* flights) {
  for (const TrialImpact& impact : result.impacts) {
    BenchFlights& one = flights->emplace_back(BenchFlights{impact.fit.arcs_fitted, trial.gravity});
    // Beyond this the impulse did not act at one point: once in a thousand times by chance.
    constexpr double kNoSinglePoint = 16.3;
    if (impact.contact.ambiguous ||
        impact.contact.candidates.front().momentum_chi2 > kNoSinglePoint)
      continue;
    const impacts::ImpactRecord& record = impact.record;
    const Eigen::Quaterniond q_BW = record.q_WB.conjugate();
    one.contact = MakeContactOnBody(bench.Parameters(), bench.body.body.shape, q_BW * record.r,
                                    bench.body.surface_shift, -(q_BW * record.normal));
  }
}

using Recorded = std::function<TrialResult(const capture::Trial&)>;

/// Where the line times of the bench start, if nobody stated them: what the trials show one by one.
void StartLineTimes(const BenchParameters& places, std::span<const capture::Trial> trials,
                    const Recorded& recorded, const Bench& stated, Eigen::VectorXd* change) {
  std::vector<LineTimes> shown;
  for (const capture::Trial& trial : trials) {
    const TrackedTrial tracked = recorded(trial).tracked;
    shown.push_back({tracked.line_time_sigma[0] > 0.0, tracked.line_time, tracked.line_time_sigma});
  }
  const LineTimes mean = MeanOf(shown);
  for (int camera = 0; camera < places.num_cameras && mean.found; ++camera)
    (*change)[places.LineTime(camera)] = mean.value[camera] - stated.line_time[camera];
}

/// Where the mass centre starts if arcs about the typed one miss the markers by more than any
/// flight may: at the point about which the flights turn, as far as what was typed leaves it free.
void StartMassCentre(const BenchParameters& places, std::span<const capture::Trial> trials,
                     const Recorded& recorded, const Bench& stated, Eigen::VectorXd* change) {
  std::vector<PoseSequence> poses;
  for (const capture::Trial& trial : trials)
    poses.push_back(PosesOf(recorded(trial).tracked.frames, trial.gravity));
  const FlightMotion motion = FindFlightMotion(poses);
  if (motion.spins.empty()) return;
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance);
  // All markers lie elsewhere from the mass centre by as much as it lies from where they were
  // typed.
  Eigen::MatrixXd mean = Eigen::MatrixXd::Zero(3, root.cols());
  for (int k = 0; k < places.num_markers; ++k)
    mean += root.middleRows<3>(places.Marker(k)) / places.num_markers;
  Eigen::MatrixXd information = mean.transpose() * motion.information * mean;
  information.diagonal().array() += 1.0;
  *change -= root * information.ldlt().solve(mean.transpose() * motion.information * motion.centre);
}

/// Whether both line times are 0 as far as the flights can tell (3 sigma).
bool ShuttersAreGlobal(const BenchParameters& places, const BenchEstimate& estimate) {
  for (int camera = 0; camera < places.num_cameras; ++camera) {
    const int place = places.LineTime(camera);
    const double sigma = std::sqrt(estimate.bench.covariance(place, place));
    if (!(std::abs(estimate.bench.line_time[camera]) < 3.0 * sigma)) return false;
  }
  return true;
}

void HoldLineTimes(const BenchParameters& places, Bench* stated, BenchEstimate* estimate) {
  for (int camera = 0; camera < places.num_cameras; ++camera) {
    const int place = places.LineTime(camera);
    stated->covariance.row(place).setZero();
    stated->covariance.col(place).setZero();
    estimate->change[place] = 0.0;
    estimate->bench.line_time[camera] = stated->line_time[camera];
  }
}

/// The flights of the trials of an experiment, fitted again and again as the bench becomes known.
class FlightFits {
 public:
  FlightFits(const capture::Experiment& experiment, std::vector<capture::Trial> trials,
             const Recorded& recorded, const TrialOptions& options)
      : experiment_(experiment),
        trials_(std::move(trials)),
        recorded_(recorded),
        options_(options) {
    options_.states = StateMethod::kArcs;
    options_.arcs.audit_gravity = false;
    found_.assign(trials_.size(), options_.arcs);
  }

  std::vector<BenchFlights> With(const Bench& bench) {
    std::vector<std::vector<BenchFlights>> of_trials(trials_.size());
    ParallelFor(static_cast<int>(trials_.size()), options_.tracking.num_threads, [&](int i) {
      TrialOptions options = options_;
      options.arcs = found_[i];
      const TrialResult result =
          EstimateTrial(experiment_, trials_[i], bench, recorded_(trials_[i]), options);
      if (result.impacts.size() == 1) {
        const ImpactFit& fit = result.impacts[0].fit;
        found_[i].shared_offsets = fit.arcs_fitted.shared_offsets;
        found_[i].clock_found_exact = fit.clock_sigma[1] == 0.0;
      }
      AddFlights(result, trials_[i], bench, &of_trials[i]);
    });
    std::vector<BenchFlights> flights;
    for (std::vector<BenchFlights>& of_trial : of_trials)
      std::ranges::move(of_trial, std::back_inserter(flights));
    return flights;
  }

 private:
  const capture::Experiment& experiment_;
  std::vector<capture::Trial> trials_;
  const Recorded& recorded_;
  TrialOptions options_;
  /// What markers of a view share is found once, and so is an exact clock: the bench is among what
  /// they allow for.
  std::vector<ArcFitOptions> found_;
};

/// The estimate from one start, or the start, not converged.
BenchEstimate EstimateFrom(const Eigen::VectorXd& start, Bench stated, bool test_shutters,
                           FlightFits* fits) {
  const BenchParameters places = stated.Parameters();
  BenchEstimate estimate{.change = start, .bench = Moved(stated, start)};
  // What the fits leave out as outliers changes with the bench.
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds; ++round) {
    Bench bench = estimate.bench;
    bench.covariance = stated.covariance;
    const std::vector<BenchFlights> flights = fits->With(bench);
    if (!estimate.converged) estimate.num_impacts = static_cast<int>(flights.size());
    if (flights.empty()) break;
    const BenchEstimate next = EstimateBench(stated, estimate.change, flights);
    if (!next.converged) break;
    const Eigen::VectorXd moved = next.change - estimate.change;
    const bool rests =
        (moved.array().abs() <= 0.1 * next.bench.covariance.diagonal().array().sqrt()).all();
    estimate = next;
    if (test_shutters && ShuttersAreGlobal(places, estimate)) {
      HoldLineTimes(places, &stated, &estimate);
      test_shutters = false;
      continue;
    }
    if (rests) break;
  }
  return estimate;
}

}  // namespace

BenchEstimate EstimateBenchOf(const capture::Experiment& experiment, const Bench& stated,
                              std::span<const capture::Trial> trials,
                              const std::function<TrialResult(const capture::Trial&)>& recorded,
                              const TrialOptions& options) {
  const BenchParameters places = stated.Parameters();
  Eigen::VectorXd start = Eigen::VectorXd::Zero(places.Size());
  if (!stated.InSpace()) return {.change = start, .bench = stated};
  constexpr std::size_t kMaxTrials = 200;
  std::vector<capture::Trial> chosen;
  for (std::size_t i = 0; i < trials.size(); i += 1 + (trials.size() - 1) / kMaxTrials) {
    const bool drop = trials[i].kind == capture::Trial::Kind::kDrop;
    if (drop && !trials[i].motion) chosen.push_back(trials[i]);
  }
  const bool test_shutters = experiment.line_time_sigma == capture::kUnstatedLineTime;
  if (test_shutters) StartLineTimes(places, chosen, recorded, stated, &start);
  FlightFits fits(experiment, chosen, recorded, options);
  const BenchEstimate estimate = EstimateFrom(start, stated, test_shutters, &fits);
  if (estimate.converged) return estimate;
  StartMassCentre(places, chosen, recorded, stated, &start);
  const BenchEstimate other = EstimateFrom(start, stated, test_shutters, &fits);
  return other.converged ? other : estimate;
}

}  // namespace percuss::tracking
