// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_toss DATA [ENGINE]...: the recorded tosses of DATA/cube_toss, simulated from the states
// of their first flights with coefficients fitted to one half of them, against the other half. See
// RunTopics.

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <string>

#include "base/parallel.h"
#include "benchmarks/bound_table.h"
#include "benchmarks/timing.h"
#include "benchmarks/topics.h"
#include "benchmarks/toss/toss_data.h"
#include "benchmarks/toss/toss_engine.h"
#include "benchmarks/toss/toss_search.h"

namespace percuss::benchmarks {
namespace {

constexpr int kThreads = 2;
constexpr unsigned kSplitSeed = 1;
constexpr unsigned kDrawSeed = 2;
constexpr int kDraws = 4;         // of the start of each toss
constexpr int kSearchCalls = 70;  // of the mean error of half of the tosses
constexpr double kNone = std::numeric_limits<double>::infinity();  // no bound
constexpr double kFailed = 10.0;  // error of a toss that an engine cannot simulate

// The measure of B. Acosta, W. Yang, M. Posa, Validating Robotics Simulators on Real-World Impacts,
// RA-L 7(3), 2022, as their program has it: squared distance over half the edge of the cube, not
// over its square, so that it has the unit of a length beside one of a squared angle.
struct TossError {
  double weighted = 0.0;               ///< |dp|^2 / (edge / 2) + angle^2
  double distance = 0.0, angle = 0.0;  ///< means [m], [rad]
};

TossError ErrorBetween(const std::vector<TossPose>& seen, const std::vector<TossPose>& simulated,
                       double edge, int from) {
  TossError error;
  if (simulated.size() < seen.size()) return {kFailed, edge, std::numbers::pi};
  const double share = 1.0 / static_cast<double>(static_cast<int>(seen.size()) - from);
  for (std::size_t k = from; k < seen.size(); ++k) {
    const double distance = (seen[k].p - simulated[k].p).norm();
    const double angle = seen[k].q.angularDistance(simulated[k].q);
    error.weighted += share * (distance * distance / (0.5 * edge) + angle * angle);
    error.distance += share * distance;
    error.angle += share * angle;
  }
  return error;
}

// The data, parted into a half to fit with and one to test with.
class TossCheck {
 public:
  explicit TossCheck(const std::filesystem::path& data)
      : set_(ReadTosses(data / "cube_toss" / "experiment.yaml")) {
    std::vector<int> order(set_.tosses.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::mt19937 random(kSplitSeed);
    std::shuffle(order.begin(), order.end(), random);
    const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
    fitted_.assign(order.begin(), half);
    tested_.assign(half, order.end());
    std::vector<const Toss*> known;
    for (const int k : fitted_) known.push_back(&set_.tosses[k]);
    surroundings_ = EstimateSurroundings(known, set_.cube);
    for (Toss& toss : set_.tosses) FitStart(surroundings_, set_.cube, &toss);
  }

  const TossCube& cube() const { return set_.cube; }

  BoundSection Data() const {
    BoundSection section{"What one half of the tosses says beside the law of contact", {}, {}};
    const auto add = [&](const char* name, const char* unit, double value) {
      section.rows.push_back({name, unit, value});
    };
    add("tosses to fit with", "", static_cast<double>(fitted_.size()));
    add("tosses to test with", "", static_cast<double>(tested_.size()));
    add("gravity x", "m/s^2", surroundings_.gravity.x());
    add("gravity y", "m/s^2", surroundings_.gravity.y());
    add("gravity z", "m/s^2", surroundings_.gravity.z());
    add("height of the plane", "mm", 1e3 * surroundings_.surface);
    add("residual of a coordinate in flight", "mm", 1e3 * surroundings_.position_sigma);
    add("residual of an angle in flight", "mrad", 1e3 * surroundings_.angle_sigma);
    add("variance of means over that of white noise", "", surroundings_.inflation);
    return section;
  }

  BoundSection Measure(const TossEngine& engine, double highest) const {
    const std::vector<TossCoefficient> coefficients = engine.Coefficients();
    const std::vector<double> found = SearchCoefficients(
        coefficients,
        [&](const std::vector<double>& at) { return Mean(fitted_, engine, at).weighted; },
        kSearchCalls);
    BoundSection section{engine.Label(), {}, {}};
    for (std::size_t k = 0; k < found.size(); ++k) {
      section.rows.push_back({coefficients[k].name, "", found[k]});
    }
    const TossError test = Mean(tested_, engine, found);
    section.rows.push_back(
        {"error of the tosses it was fitted to", "", Mean(fitted_, engine, found).weighted});
    section.rows.push_back({"error of the others", "", test.weighted, -kNone, highest});
    section.rows.push_back({"  the same, from the end of the first flight on", "",
                            Mean(tested_, engine, found, true).weighted});
    section.rows.push_back({"  median of the tosses", "", TestedMedian(engine, found)});
    section.rows.push_back(
        {"  mean distance", "% of the edge", 100.0 * test.distance / set_.cube.edge});
    section.rows.push_back({"  mean angle", "deg", test.angle * 180.0 / std::numbers::pi});
    const double chaos = Chaos(engine, found);
    section.rows.push_back({"  due to the uncertain start alone (chaos)", "", chaos});
    section.rows.push_back({"  share of that", "%", 100.0 * chaos / test.weighted});
    return section;
  }

 private:
  std::vector<TossPose> Predict(const Toss& toss, const solver::FlightState<double>& start,
                                const TossEngine& engine, const std::vector<double>& at) const {
    std::vector<TossPose> poses =
        engine.Simulate(at, ThrowOf(toss, start, surroundings_, set_.cube));
    for (TossPose& pose : poses) pose.p.z() += surroundings_.surface;
    return poses;
  }

  std::vector<TossError> Errors(const std::vector<int>& places, const TossEngine& engine,
                                const std::vector<double>& at, bool from_contact) const {
    std::vector<TossError> errors(places.size());
    ParallelFor(static_cast<int>(places.size()), kThreads, [&](int k) {
      const Toss& toss = set_.tosses[places[k]];
      errors[k] = ErrorBetween(toss.poses, Predict(toss, toss.start.state, engine, at),
                               set_.cube.edge, from_contact ? toss.num_flight : 0);
    });
    return errors;
  }

  TossError Mean(const std::vector<int>& places, const TossEngine& engine,
                 const std::vector<double>& at, bool from_contact = false) const {
    TossError mean;
    const double share = 1.0 / static_cast<double>(places.size());
    for (const TossError& error : Errors(places, engine, at, from_contact)) {
      mean.weighted += share * error.weighted;
      mean.distance += share * error.distance;
      mean.angle += share * error.angle;
    }
    return mean;
  }

  double TestedMedian(const TossEngine& engine, const std::vector<double>& at) const {
    std::vector<double> errors;
    for (const TossError& error : Errors(tested_, engine, at, false)) {
      errors.push_back(error.weighted);
    }
    return Quantile(errors, 0.5);
  }

  // The mean error that the engine would make were its law the truth: predictions from starts drawn
  // from the covariance of the fitted one, against the prediction from that.
  double Chaos(const TossEngine& engine, const std::vector<double>& at) const {
    std::vector<double> spreads(tested_.size());
    ParallelFor(static_cast<int>(tested_.size()), kThreads, [&](int k) {
      const Toss& toss = set_.tosses[tested_[k]];
      const std::vector<TossPose> centre = Predict(toss, toss.start.state, engine, at);
      if (centre.size() < toss.poses.size()) return;
      const tracking::FlightCovariance root = toss.start.covariance.llt().matrixL();
      std::mt19937 random(kDrawSeed + static_cast<unsigned>(k));
      std::normal_distribution<double> normal;
      for (int draw = 0; draw < kDraws; ++draw) {
        tracking::FlightError step;
        for (double& component : step) component = normal(random);
        const auto start = tracking::Moved(toss.start.state, root * step);
        spreads[k] +=
            ErrorBetween(centre, Predict(toss, start, engine, at), set_.cube.edge, 0).weighted /
            kDraws;
      }
    });
    double sum = 0.0;
    for (const double spread : spreads) sum += spread;
    return sum / static_cast<double>(spreads.size());
  }

  TossSet set_;
  TossSurroundings surroundings_;
  std::vector<int> fitted_, tested_;
};

Topic EngineTopic(const char* name, std::unique_ptr<TossEngine> (*make)(const TossCube&),
                  double highest) {
  return {name, [=](const std::filesystem::path& data) -> std::vector<BoundSection> {
            const TossCheck check(data);
            return {check.Measure(*make(check.cube()), highest)};
          }};
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  std::vector<Topic> topics = {{"data",
                                [](const std::filesystem::path& data) -> std::vector<BoundSection> {
                                  return {TossCheck(data).Data()};
                                }},
                               EngineTopic("percuss", MakePercussTosses, 0.25)};
#ifdef PERCUSS_HAS_BULLET
  topics.push_back(EngineTopic("bullet", MakeBulletTosses, kNone));
#endif
#ifdef PERCUSS_HAS_MUJOCO
  topics.push_back(EngineTopic("mujoco", MakeMujocoTosses, kNone));
#endif
  return RunTopics("percuss_toss", topics, argc, argv);
}
