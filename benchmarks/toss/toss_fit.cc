// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/toss/toss_fit.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "base/parallel.h"
#include "benchmarks/toss/toss_search.h"

namespace percuss::benchmarks {
namespace {

constexpr int kThreads = 2;
constexpr double kFailed = 10.0;  // error of a toss that an engine cannot simulate

// What is fitted of the body. Nothing is known of where in the cube its mass centre is.
std::vector<TossCoefficient> BodyCoefficients(const TossCube& cube) {
  const double step = 0.03 * cube.edge, most = 0.2 * cube.edge;
  return {{"mass centre x", 0.0, step, -most, most},
          {"mass centre y", 0.0, step, -most, most},
          {"mass centre z", 0.0, step, -most, most},
          {"inertia over the stated one", 1.0, 0.2, 0.5, 2.0}};
}

int EndOf(const Toss& toss, TossPart part) {
  const int count = static_cast<int>(toss.poses.size());
  return part == TossPart::kShort ? std::min(count, toss.num_flight + kShortSamples) : count;
}

}  // namespace

TossSplit SplitTosses(const TossSet& set, unsigned seed) {
  std::vector<int> order(set.tosses.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937 random(seed);
  std::shuffle(order.begin(), order.end(), random);
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  TossSplit split{{order.begin(), half}, {half, order.end()}, {}};
  split.surroundings = EstimateSurroundings(set, split.fitted);
  return split;
}

TossError ErrorBetween(const std::vector<TossPose>& seen, const std::vector<TossPose>& simulated,
                       double edge, int first, int end) {
  TossError error;
  if (static_cast<int>(simulated.size()) < end) return {kFailed, edge, std::numbers::pi};
  const double share = 1.0 / (end - first);
  for (int k = first; k < end; ++k) {
    const double distance = (seen[k].p - simulated[k].p).norm();
    const double angle = seen[k].q.angularDistance(simulated[k].q);
    error.weighted += share * (distance * distance / (0.5 * edge) + angle * angle);
    error.distance += share * distance;
    error.angle += share * angle;
  }
  return error;
}

std::vector<TossPose> Predict(const TossEngine& engine, const TossModel& model, const Toss& toss,
                              const solver::FlightState<double>& start,
                              const TossSurroundings& surroundings, int count) {
  TossThrow thrown = ThrowOf(toss, start, model.cube, surroundings);
  thrown.count = count;
  std::vector<TossPose> poses = engine.Simulate(model.coefficients, thrown);
  for (TossPose& pose : poses) {
    pose.p -= pose.q * model.cube.mass_centre;
    pose.p.z() += surroundings.surface;
  }
  return poses;
}

std::vector<TossError> Errors(const TossSet& set, const std::vector<int>& tosses,
                              const TossSurroundings& surroundings, const TossModel& model,
                              TossPart part) {
  const std::unique_ptr<TossEngine> engine = model.engine.make(model.cube);
  std::vector<TossError> errors(tosses.size());
  ParallelFor(static_cast<int>(tosses.size()), kThreads, [&](int k) {
    const Toss& toss = set.tosses[tosses[k]];
    const int first = part == TossPart::kWhole ? 0 : toss.num_flight, end = EndOf(toss, part);
    const auto start = FitStart(toss, model.cube, surroundings).state;
    errors[k] = ErrorBetween(toss.poses, Predict(*engine, model, toss, start, surroundings, end),
                             set.cube.edge, first, end);
  });
  return errors;
}

TossError Mean(const std::vector<TossError>& errors) {
  TossError mean;
  const double share = 1.0 / static_cast<double>(errors.size());
  for (const TossError& error : errors) {
    mean.weighted += share * error.weighted;
    mean.distance += share * error.distance;
    mean.angle += share * error.angle;
  }
  return mean;
}

TossModel FitTosses(const TossSet& set, const TossSplit& split, const TossEngineMaker& engine,
                    const TossCube& cube, const TossFitOptions& options) {
  std::vector<TossCoefficient> unknowns = engine.coefficients;
  const std::size_t of_engine = unknowns.size();
  if (options.free_body) {
    for (const TossCoefficient& unknown : BodyCoefficients(cube)) unknowns.push_back(unknown);
  }
  const auto model_at = [&](const std::vector<double>& at) {
    TossModel model{engine, cube, {}};
    const auto end = at.begin() + static_cast<std::ptrdiff_t>(of_engine);
    model.coefficients.assign(at.begin(), end);
    if (options.free_body) {
      model.cube.mass_centre = Eigen::Vector3d(end[0], end[1], end[2]);
      model.cube.inertia *= end[3];
    }
    return model;
  };
  const auto cost = [&](const std::vector<double>& at) {
    double sum = 0.0;
    for (const TossError& error :
         Errors(set, split.fitted, split.surroundings, model_at(at), options.part)) {
      sum += options.roots ? std::sqrt(error.weighted) : error.weighted;
    }
    return sum / static_cast<double>(split.fitted.size());
  };
  return model_at(SearchCoefficients(unknowns, cost, options.calls));
}

}  // namespace percuss::benchmarks
