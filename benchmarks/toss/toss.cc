// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_toss DATA [TOPIC]...: the recorded tosses of DATA/cube_toss, simulated from the states
// of their first flights with what was fitted to one half of them, against the other half. See
// RunTopics.

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>

#include "base/parallel.h"
#include "benchmarks/bound_table.h"
#include "benchmarks/timing.h"
#include "benchmarks/topics.h"
#include "benchmarks/toss/toss_fit.h"

namespace percuss::benchmarks {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();  // no bound
constexpr int kSplits = 5;
constexpr unsigned kDrawSeed = 2;
constexpr int kDraws = 4;          // of the start of each toss
constexpr double kHighest = 0.15;  // mean error of Percuss
constexpr double kShare = 0.9;     // of it in that of the best engine
constexpr double kWrongWay = 0.5;  // error of a toss that came to rest on another face

// Engines as they are fitted by who knows of the cube what its file says: to whole trajectories.
constexpr TossFitOptions kGivenBody{TossPart::kWhole, false, false, 70};

std::vector<TossEngineMaker> Peers() {
  std::vector<TossEngineMaker> peers;
#ifdef PERCUSS_HAS_BULLET
  peers.push_back(BulletTosses());
#endif
#ifdef PERCUSS_HAS_MUJOCO
  peers.push_back(MujocoTosses());
#endif
  return peers;
}

TossSet ReadData(const std::filesystem::path& data) {
  return ReadTosses(data / "cube_toss" / "experiment.yaml");
}

TossModel Fit(const TossSet& set, const TossSplit& split, const TossEngineMaker& engine,
              const TossFitOptions& options) {
  return FitTosses(set, split, engine, RecordedCube(set.cube, split.surroundings), options);
}

double TestError(const TossSet& set, const TossSplit& split, const TossModel& model) {
  return Mean(Errors(set, split.tested, split.surroundings, model)).weighted;
}

// The mean error that the engine would make were its law the truth: predictions from starts drawn
// from the covariance of the fitted one, against the prediction from that.
double Chaos(const TossSet& set, const TossSplit& split, const TossModel& model) {
  const std::unique_ptr<TossEngine> engine = model.engine.make(model.cube);
  std::vector<double> spreads(split.tested.size());
  ParallelFor(static_cast<int>(spreads.size()), 2, [&](int k) {
    const Toss& toss = set.tosses[split.tested[k]];
    const int count = static_cast<int>(toss.poses.size());
    const tracking::FlightEstimate fitted = FitStart(toss, model.cube, split.surroundings);
    const auto predict = [&](const solver::FlightState<double>& start) {
      return Predict(*engine, model, toss, start, split.surroundings, count);
    };
    const std::vector<TossPose> centre = predict(fitted.state);
    if (static_cast<int>(centre.size()) < count) return;
    const tracking::FlightCovariance root = fitted.covariance.llt().matrixL();
    std::mt19937 random(kDrawSeed + static_cast<unsigned>(k));
    std::normal_distribution<double> normal;
    for (int draw = 0; draw < kDraws; ++draw) {
      tracking::FlightError step;
      for (double& component : step) component = normal(random);
      const auto drawn = predict(tracking::Moved(fitted.state, root * step));
      spreads[k] += ErrorBetween(centre, drawn, set.cube.edge, 0, count).weighted / kDraws;
    }
  });
  double sum = 0.0;
  for (const double spread : spreads) sum += spread;
  return sum / static_cast<double>(spreads.size());
}

BoundSection DataSection(const TossSet& set) {
  const TossSplit split = SplitTosses(set, 1);
  const TossSurroundings& s = split.surroundings;
  return {"What one half of the tosses says beside the law of contact",
          {{"tosses to fit with", "", static_cast<double>(split.fitted.size())},
           {"tosses to test with", "", static_cast<double>(split.tested.size())},
           {"gravity x", "m/s^2", s.gravity.x()},
           {"gravity y", "m/s^2", s.gravity.y()},
           {"gravity z", "m/s^2", s.gravity.z()},
           {"recorded over true lengths, by gravity", "", s.scale},
           {"height of the plane", "mm", 1e3 * s.surface},
           {"residual of a coordinate in flight", "mm", 1e3 * s.position_sigma},
           {"residual of an angle in flight", "mrad", 1e3 * s.angle_sigma},
           {"variance of means over that of white noise", "", s.inflation}},
          {}};
}

// What was fitted, and how the other half is predicted.
BoundSection ModelSection(const TossSet& set, const TossSplit& split, const std::string& heading,
                          const TossModel& model, double highest) {
  BoundSection section{heading, {}, {}};
  const auto add = [&](const std::string& name, const char* unit, double value,
                       double bound = kNone) {
    section.rows.push_back({name, unit, value, -kNone, bound});
  };
  for (std::size_t k = 0; k < model.coefficients.size(); ++k) {
    add(model.engine.coefficients[k].name, "", model.coefficients[k]);
  }
  const TossCube stated = RecordedCube(set.cube, split.surroundings);
  for (int i = 0; i < 3; ++i) {
    add(fmt::format("mass centre from the middle, {}", "xyz"[i]), "mm",
        1e3 * model.cube.mass_centre[i]);
  }
  add("inertia over the stated one", "", model.cube.inertia / stated.inertia);
  const auto errors = [&](const std::vector<int>& tosses, TossPart part) {
    return Errors(set, tosses, split.surroundings, model, part);
  };
  const std::vector<TossError> tested = errors(split.tested, TossPart::kWhole);
  const TossError mean = Mean(tested);
  std::vector<double> each;
  for (const TossError& error : tested) each.push_back(error.weighted);
  add("error of the tosses it was fitted to", "",
      Mean(errors(split.fitted, TossPart::kWhole)).weighted);
  add("error of the others", "", mean.weighted, highest);
  add("  the same, from the end of the first flight on", "",
      Mean(errors(split.tested, TossPart::kFromTouch)).weighted);
  add("  median of the tosses", "", Quantile(each, 0.5));
  add("  tosses that end on another face", "",
      static_cast<double>(std::ranges::count_if(each, [](double e) { return e > kWrongWay; })));
  add("  mean distance", "% of the edge", 100.0 * mean.distance / set.cube.edge);
  add("  mean angle", "deg", mean.angle * 180.0 / std::numbers::pi);
  add("  due to the uncertain start alone (chaos)", "", Chaos(set, split, model));
  return section;
}

// Mean and standard deviation of the errors of splits.
void AddMean(const std::string& name, const std::vector<double>& errors, double highest,
             BoundSection* section) {
  double mean = 0.0, square = 0.0;
  for (const double error : errors) mean += error / static_cast<double>(errors.size());
  for (const double error : errors) square += (error - mean) * (error - mean);
  section->rows.push_back({name + ", mean of the splits", "", mean, -kNone, highest});
  section->rows.push_back({name + ", standard deviation", "",
                           std::sqrt(square / static_cast<double>(errors.size() - 1))});
}

std::string Describe(const TossSet& set, const TossSplit& split, const TossModel& model) {
  std::string text;
  for (std::size_t k = 0; k < model.coefficients.size(); ++k) {
    text += fmt::format("{} {:.4g}, ", model.engine.coefficients[k].name, model.coefficients[k]);
  }
  const Eigen::Vector3d c = 1e3 * model.cube.mass_centre;
  return text +
         fmt::format("mass centre {:.2f} {:.2f} {:.2f} mm, inertia x {:.3f}", c.x(), c.y(), c.z(),
                     model.cube.inertia / RecordedCube(set.cube, split.surroundings).inertia);
}

// Halves drawn five times: errors of the tosses that were not fitted.
BoundSection SplitsSection(const TossSet& set) {
  BoundSection section{"Five splits: errors of the tosses that were not fitted", {}, {}};
  const std::vector<TossEngineMaker> peers = Peers();
  std::vector<double> own;
  std::vector<std::vector<double>> theirs(peers.size());
  for (int seed = 1; seed <= kSplits; ++seed) {
    const TossSplit split = SplitTosses(set, static_cast<unsigned>(seed));
    const auto measure = [&](const TossEngineMaker& engine, const TossFitOptions& options) {
      const TossModel model = Fit(set, split, engine, options);
      const double error = TestError(set, split, model);
      section.rows.push_back({fmt::format("split {}, {}", seed, engine.name), "", error});
      section.remarks.push_back(
          fmt::format("split {}, {}: {}", seed, engine.name, Describe(set, split, model)));
      return error;
    };
    own.push_back(measure(PercussTosses(), {}));
    for (std::size_t k = 0; k < peers.size(); ++k)
      theirs[k].push_back(measure(peers[k], kGivenBody));
  }
  AddMean("Percuss", own, kHighest, &section);
  double best = kNone;
  for (std::size_t k = 0; k < peers.size(); ++k) {
    AddMean(peers[k].name, theirs[k], kNone, &section);
    best = std::min(best, section.rows[section.rows.size() - 2].measured);
  }
  if (!peers.empty()) {
    double mean = 0.0;
    for (const double error : own) mean += error / static_cast<double>(own.size());
    section.rows.push_back({"Percuss over the best other engine", "", mean / best, -kNone, kShare});
  }
  return section;
}

// Engines with the mass centre and inertia that Percuss found in the same half, and with those
// that they find themselves as Percuss does.
BoundSection SameBodySection(const TossSet& set) {
  BoundSection section{"The first split: engines that know mass centre and inertia", {}, {}};
  const TossSplit split = SplitTosses(set, 1);
  const TossCube cube = Fit(set, split, PercussTosses(), {}).cube;
  const auto add = [&](const std::string& name, const TossModel& model) {
    section.rows.push_back({name, "", TestError(set, split, model)});
    section.remarks.push_back(fmt::format("{}: {}", name, Describe(set, split, model)));
  };
  for (const TossEngineMaker& peer : Peers()) {
    add(peer.name + ", those of Percuss, then whole trajectories",
        FitTosses(set, split, peer, cube, kGivenBody));
    add(peer.name + ", fitted as Percuss is", Fit(set, split, peer, {}));
  }
  return section;
}

// Other ways to fit Percuss.
BoundSection WaysSection(const TossSet& set) {
  BoundSection section{"Five splits: ways to fit Percuss", {}, {}};
  struct Way {
    const char* name;
    TossFitOptions options;
  };
  for (const Way& way :
       {Way{"whole trajectories, body as stated", kGivenBody},
        Way{"short horizon, roots, body as stated", {TossPart::kShort, true, false, 100}},
        Way{"whole trajectories, body free", {TossPart::kWhole, false, true, 200}},
        Way{"whole trajectories, roots, body free", {TossPart::kWhole, true, true, 200}},
        Way{"short horizon, roots, body free", {}}}) {
    std::vector<double> errors;
    for (int seed = 1; seed <= kSplits; ++seed) {
      const TossSplit split = SplitTosses(set, static_cast<unsigned>(seed));
      const TossModel model = Fit(set, split, PercussTosses(), way.options);
      errors.push_back(TestError(set, split, model));
      section.remarks.push_back(
          fmt::format("split {}, {}: {}", seed, way.name, Describe(set, split, model)));
    }
    AddMean(way.name, errors, kNone, &section);
  }
  return section;
}

template <class Measure>
Topic MakeTopic(const char* name, const Measure& measure, bool takes_long) {
  return {name,
          [=](const std::filesystem::path& data) -> std::vector<BoundSection> {
            return {measure(ReadData(data))};
          },
          takes_long};
}

Topic ModelTopic(const char* name, const TossEngineMaker& engine, const TossFitOptions& options,
                 double highest, bool takes_long) {
  return MakeTopic(
      name,
      [=](const TossSet& set) {
        const TossSplit split = SplitTosses(set, 1);
        return ModelSection(set, split, engine.name, Fit(set, split, engine, options), highest);
      },
      takes_long);
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) {
  using namespace percuss::benchmarks;
  std::vector<Topic> topics = {MakeTopic("data", DataSection, false),
                               ModelTopic("percuss", PercussTosses(), {}, kHighest, false),
                               MakeTopic("splits", SplitsSection, false),
                               MakeTopic("ways", WaysSection, true)};
#ifdef PERCUSS_HAS_BULLET
  topics.push_back(ModelTopic("bullet", BulletTosses(), kGivenBody, kNone, true));
#endif
#ifdef PERCUSS_HAS_MUJOCO
  topics.push_back(ModelTopic("mujoco", MujocoTosses(), kGivenBody, kNone, true));
#endif
  if (!Peers().empty()) topics.push_back(MakeTopic("same-body", SameBodySection, true));
  return RunTopics("percuss_toss", topics, argc, argv);
}
