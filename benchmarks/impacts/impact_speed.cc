// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// percuss_impact_speed: time of one impact, accuracy beside it, by the laws of Percuss and by other
// programs as far as they are installed; then the table of bounds. Takes the options of Google
// Benchmark. The columns: its mean time; median and 90th percentile over the problems, each at the
// least of several repetitions (the Darboux-Keller laws and Siconos problem by problem in turn);
// median and largest error of what the name of the row has in brackets, infinite where there is no
// answer:
//   impulse     relative error against the reference integration, on about 200 of the problems
//   residual    of Coulomb's law at the end of the impact with Newton's restitution, relative
//   balance     of energy and works, relative to the energy before
//   velocities  relative error of the six velocities of a ball against the closed form

#include <benchmark/benchmark.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/parallel.h"
#include "benchmarks/impacts/impact_problems.h"
#include "benchmarks/impacts/sweep_speed.h"
#include "benchmarks/timing.h"
#include "solver/rigid/darboux_keller.h"
#include "solver/rigid/planar_impact.h"
#include "solver/rigid/planar_packet.h"
#include "solver/solve_impact.h"

namespace percuss::benchmarks {
namespace {

using solver::LawDomain;
using solver::RestitutionHypothesis;
using Problems = std::vector<ImpactProblem>;

struct Row {
  double median = std::nan(""), p90 = std::nan("");  // [ns]
  double error_median = std::nan(""), error_max = std::nan("");
};
std::map<std::string, Row> rows;  // what has been measured

void Note(const std::string& name, const std::vector<double>& times,
          const std::vector<double>& errors) {
  rows[name] = {Quantile(times, 0.5), Quantile(times, 0.9), Quantile(errors, 0.5),
                Quantile(errors, 1.0)};
}

void Show(const std::string& name, benchmark::State& state) {
  const Row& row = rows[name];
  state.counters["median_ns"] = row.median;
  state.counters["p90_ns"] = row.p90;
  state.counters["error_median"] = row.error_median;
  state.counters["error_max"] = row.error_max;
}

/// A row whose times are compared with those of others in its group.
struct Contender {
  std::string name;
  std::function<void(std::size_t)> place;  ///< not timed; may be empty
  std::function<void(std::size_t)> solve;
};
std::map<LawDomain, std::vector<Contender>> contenders;

/// The times [ns] of all rows of a group, taken problem by problem in turn: what else the machine
/// does then disturbs all of them alike.
const std::map<std::string, std::vector<double>>& SideBySide(LawDomain domain, std::size_t count) {
  static std::map<LawDomain, std::map<std::string, std::vector<double>>> measured;
  if (measured.contains(domain)) return measured[domain];
  for (std::size_t k = 0; k < count; ++k) {
    for (const Contender& contender : contenders[domain]) {
      if (contender.place) contender.place(k);
      const auto solve = [&](std::size_t) { contender.solve(k); };
      measured[domain][contender.name].push_back(TimePerProblem(1, solve)[0]);
    }
  }
  return measured[domain];
}

/// A row of solve(k) for each of `count` problems, timed by itself or side by side with its group.
template <class Solve, class Errors>
void AddRow(const std::string& name, std::size_t count, const Solve& solve, const Errors& errors,
            std::optional<LawDomain> group = {}) {
  if (group) contenders[*group].push_back({name, {}, solve});
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    if (!rows.contains(name)) {
      Note(name, group ? SideBySide(*group, count).at(name) : TimePerProblem(count, solve),
           errors());
    }
    std::size_t k = 0;
    for (auto _ : state) {
      solve(k);
      if (++k == count) k = 0;
    }
    Show(name, state);
  });
}

const Problems& ProblemsOf(LawDomain domain) {
  static const std::map<LawDomain, Problems> problems = {
      {LawDomain::kSpatial, RandomProblems(LawDomain::kSpatial)},
      {LawDomain::kPlanar, RandomProblems(LawDomain::kPlanar)},
      {LawDomain::kDiagonal, RandomProblems(LawDomain::kDiagonal)}};
  return problems.at(domain);
}

// Darboux-Keller, with the impulse held against the reference integration.
template <RestitutionHypothesis kRestitution>
void AddDarbouxKeller(const std::string& name, LawDomain domain) {
  const Problems& problems = ProblemsOf(domain);
  const auto result = [&problems](std::size_t k) {
    const std::array<double, 2> parameters = {problems[k].mu, problems[k].e};
    return solver::DarbouxKellerLaw<kRestitution>{}.template Solve<double>(problems[k].contact,
                                                                           parameters);
  };
  AddRow(
      name, problems.size(), [=](std::size_t k) { benchmark::DoNotOptimize(result(k)); },
      [=, &problems] {
        return ImpulseErrors(problems, kRestitution,
                             [&](std::size_t k) { return result(k).impulse; });
      },
      domain);
}

void AddPlanarImpact(const std::string& name) {
  static const std::vector<solver::PlanarContact<double>> contacts = [] {
    std::vector<solver::PlanarContact<double>> planar;
    for (const ImpactProblem& problem : ProblemsOf(LawDomain::kPlanar)) {
      planar.push_back(solver::InPlane(problem.contact, Eigen::Vector2d(1, 0)));
    }
    return planar;
  }();
  const Problems& problems = ProblemsOf(LawDomain::kPlanar);
  const auto result = [&problems](std::size_t k) {
    return solver::SolvePlanarImpact(contacts[k], problems[k].mu, problems[k].mu, problems[k].e,
                                     RestitutionHypothesis::kStronge);
  };
  AddRow(
      name, problems.size(), [=](std::size_t k) { benchmark::DoNotOptimize(result(k)); },
      [=, &problems] {
        return ImpulseErrors(problems, RestitutionHypothesis::kStronge, [&](std::size_t k) {
          const solver::PlanarImpact<double> impact = result(k);
          return Eigen::Vector3d(impact.p_t, 0.0, impact.p_n);
        });
      },
      LawDomain::kPlanar);
}

// A hundred thousand planar impacts, problem after problem, so that the processor cannot learn
// their branches: in packets all of whose numbers stay, by the law 64 at a time, as a sweep takes
// them, and one by one. Times are those of the whole, by impact: the least of the repetitions in
// place of the median, and their 90th percentile.
constexpr std::size_t kBatch = 100'000;

template <class Solve, class Errors>
void AddBatch(const std::string& name, const Solve& solve, const Errors& errors) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 std::vector<double> times;
                                 for (auto _ : state) {
                                   times.push_back(Nanoseconds(solve) / kBatch);
                                   state.SetIterationTime(1e-9 * times.back());
                                 }
                                 const std::vector<double> found = errors();
                                 rows[name] = {Quantile(times, 0.0), Quantile(times, 0.9),
                                               Quantile(found, 0.5), Quantile(found, 1.0)};
                                 Show(name, state);
                               })
      ->UseManualTime()
      ->Iterations(100);
}

void AddPlanarPackets(const std::string& name) {
  constexpr std::size_t kLanes = solver::PlanarPacket::kLanes;
  const Problems& problems = ProblemsOf(LawDomain::kPlanar);
  const auto packets = std::make_shared<std::vector<solver::PlanarPacket>>(kBatch / kLanes + 1);
  for (std::size_t k = 0; k < packets->size() * kLanes; ++k) {
    const ImpactProblem& problem = problems[k % problems.size()];
    solver::PlanarPacket& packet = (*packets)[k / kLanes];
    const std::size_t lane = k % kLanes;
    packet.Put(lane, solver::InPlane(problem.contact, Eigen::Vector2d(1, 0)));
    packet.mu[lane] = packet.mu_static[lane] = problem.mu;
    packet.e[lane] = problem.e;
  }
  AddBatch(
      name,
      [=] {
        for (std::size_t first = 0; first < kBatch; first += kLanes) {
          solver::SolvePlanarPacket(RestitutionHypothesis::kStronge,
                                    std::min(kLanes, kBatch - first), (*packets)[first / kLanes]);
        }
        benchmark::ClobberMemory();
      },
      [=, &problems] {
        return ImpulseErrors(problems, RestitutionHypothesis::kStronge, [&](std::size_t k) {
          const auto impact = (*packets)[k / kLanes].Impact(k % kLanes);
          return Eigen::Vector3d(impact.p_t, 0.0, impact.p_n);
        });
      });
}

void AddLawBatch(const std::string& name, std::size_t together) {
  constexpr std::size_t kMost = 64;
  const Problems& problems = ProblemsOf(LawDomain::kPlanar);
  const auto contacts = std::make_shared<std::vector<solver::Contact<double>>>();
  const auto parameters = std::make_shared<std::vector<double>>();
  for (std::size_t k = 0; k < kBatch; ++k) {
    const ImpactProblem& problem = problems[k % problems.size()];
    contacts->push_back(problem.contact);
    parameters->insert(parameters->end(), {problem.mu, problem.e});
  }
  const auto solve = [=, one = solver::FindLawFunction("stronge"),
                      many = solver::FindLawBatchFunction("stronge")](std::size_t first,
                                                                      auto& results) {
    const std::size_t count = std::min(together, kBatch - first);
    const std::span<const double> own(parameters->data() + 2 * first, 2 * count);
    if (together == 1) {
      results[0] = one((*contacts)[first], own);
    } else {
      many({contacts->data() + first, count}, own, {results.data(), count});
    }
  };
  AddBatch(
      name,
      [=] {
        std::array<solver::ImpactResult<double>, kMost> results;
        for (std::size_t first = 0; first < kBatch; first += together) {
          solve(first, results);
          benchmark::ClobberMemory();
        }
      },
      [=, &problems] {
        return ImpulseErrors(problems, RestitutionHypothesis::kStronge, [&](std::size_t k) {
          std::array<solver::ImpactResult<double>, kMost> results;
          solve(k - k % together, results);
          return results[k % together].impulse;
        });
      });
}

// Any law, with typical parameters beside mu and e; it has its own truth, so that only the balance
// of energy is checked, and of Kane and Levinson's law the equations.
void AddLaw(const solver::LawInfo& law) {
  const Problems& problems = ProblemsOf(law.domain);
  const bool kane_levinson = law.name == "kane-levinson";
  const std::size_t count = kane_levinson ? problems.size() : 256;
  std::vector<std::vector<double>> parameters;
  for (const ImpactProblem& problem : problems) {
    std::vector<double>& values = parameters.emplace_back();
    for (const solver::ParameterInfo& info : law.parameters) {
      values.push_back(info.name == "mu"  ? problem.mu
                       : info.name == "e" ? problem.e
                                          : info.typical);
    }
  }
  const auto result = [&problems, parameters, solve = solver::FindLawFunction(law.name)](
                          std::size_t k) { return solve(problems[k].contact, parameters[k]); };
  const auto errors = [=, &problems] {
    std::vector<double> values;
    for (std::size_t k = 0; k < count; ++k) {
      values.push_back(kane_levinson ? OneContactResidual(problems[k], result(k).impulse)
                                     : EnergyImbalance(problems[k], result(k)));
    }
    return values;
  };
  AddRow(
      fmt::format("law {} ({})", law.name, kane_levinson ? "residual" : "balance"), count,
      [=](std::size_t k) { benchmark::DoNotOptimize(result(k)); }, errors);
}

void AddSiconos(const std::string& name, LawDomain domain) {
  const std::shared_ptr<OneContactSolver> siconos = MakeSiconos();
  if (!siconos) return;
  const Problems& problems = ProblemsOf(domain);
  const auto place = [=, &problems](std::size_t k) {
    siconos->Place(problems[k].contact.inverse_mass, problems[k].contact.velocity, problems[k].mu,
                   problems[k].e);
  };
  contenders[domain].push_back({name, place, [=](std::size_t) { siconos->Solve(); }});
  benchmark::RegisterBenchmark(name.c_str(), [=, &problems](benchmark::State& state) {
    static std::map<std::string, double> unsolved;
    if (!rows.contains(name)) {
      std::vector<double> errors;
      for (std::size_t k = 0; k < problems.size(); ++k) {
        place(k);
        unsolved[name] += siconos->Solve() ? 0.0 : 1.0;
        errors.push_back(OneContactResidual(problems[k], siconos->Impulse()));
      }
      Note(name, SideBySide(domain, problems.size()).at(name), errors);
    }
    std::size_t k = 0;
    for (auto _ : state) {  // setting the problem is not timed
      place(k);
      state.SetIterationTime(1e-9 * Nanoseconds([&] { siconos->Solve(); }));
      if (++k == problems.size()) k = 0;
    }
    Show(name, state);
    state.counters["unsolved"] = unsolved[name];
  })->UseManualTime();
}

const std::vector<BallImpact>& Balls() {
  static const std::vector<BallImpact> balls = RandomBalls();
  return balls;
}

void AddBall(const std::string& name) {
  AddRow(
      name, Balls().size(), [](std::size_t k) { benchmark::DoNotOptimize(SolveBall(Balls()[k])); },
      [] {
        std::vector<double> errors;
        for (const BallImpact& ball : Balls()) {
          errors.push_back(RelativeError(ball, SolveBall(ball)));
        }
        return errors;
      });
}

/// Returns the name of the row, empty without the engine.
std::string AddEngine(const std::shared_ptr<BallEngine>& engine) {
  if (!engine) return {};
  const std::string name = engine->Label();
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        constexpr int kRepetitions = 7;
        if (!rows.contains(name)) {
          std::vector<double> times, errors;
          for (const BallImpact& ball : Balls()) {
            double least = std::numeric_limits<double>::infinity();
            for (int repetition = 0; repetition < kRepetitions; ++repetition) {
              engine->Place(ball);
              least = std::min(least, Nanoseconds([&] { engine->Resolve(); }));
            }
            times.push_back(least);
            errors.push_back(RelativeError(ball, engine->After()));
          }
          Note(name, times, errors);
        }
        std::size_t k = 0;
        for (auto _ : state) {  // building the scene is not timed
          engine->Place(Balls()[k]);
          state.SetIterationTime(1e-9 * Nanoseconds([&] { engine->Resolve(); }));
          if (++k == Balls().size()) k = 0;
        }
        Show(name, state);
      })
      ->UseManualTime()
      ->MinTime(0.05);
  return name;
}

// Beside the time on the clock that of the processors, which other programs disturb less.
void AddSweep(const std::string& name, int jobs) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [=](benchmark::State& state) {
        double least = std::numeric_limits<double>::infinity();
        for (auto _ : state) {
          const std::clock_t start = std::clock();
          RunPlanarSweep(jobs);
          least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
        }
        rows[name].median = least / static_cast<double>(kSweepPoints) * 1e9;
        Show(name, state);
      })
      ->UseRealTime()
      ->Iterations(5);
}

/// One line per row, whatever the width of the terminal.
class Reporter : public benchmark::ConsoleReporter {
 public:
  bool ReportContext(const Context& context) override {
    PrintBasicContext(&GetErrorStream(), context);
    fmt::print("{:<56} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "time [ns]", "mean", "median", "p90",
               "error", "largest");
    return true;
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      const auto counter = [&](const char* name) { return run.counters.at(name).value; };
      const std::string name = run.run_name.function_name;
      const double per_impact = name.starts_with("sweep") ? static_cast<double>(kSweepPoints) : 1.0;
      fmt::print("{:<56} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.2g} {:>10.2g}", name,
                 run.GetAdjustedRealTime() / per_impact, counter("median_ns"), counter("p90_ns"),
                 counter("error_median"), counter("error_max"));
      if (run.counters.contains("unsolved")) fmt::print("  {} unsolved", counter("unsolved"));
      fmt::print("\n");
    }
    std::fflush(stdout);
  }
};

void PrintBound(const std::string& what, bool at_most, double bound, double measured,
                const std::string& note = {}) {
  const bool met = at_most ? measured <= bound : measured >= bound;
  fmt::print("{:<76} {:>2} {:>8.3g} {:>10.3g}  {}{}\n", what, at_most ? "<=" : ">=", bound,
             measured,
             std::isnan(measured) ? "not measured"
             : met                ? "met"
                                  : "MISSED",
             note);
}

int Main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  const std::string planar = "planar stronge, SolvePlanarImpact (impulse)";
  const std::string planar_law = "planar stronge, law (impulse)";
  const std::array<std::string, 3> spatial = {"3-D stronge (impulse)", "3-D newton (impulse)",
                                              "3-D poisson (impulse)"};
  const std::string packets = "planar stronge, 1e5 in packets (impulse)";
  const std::string law_batch = "planar stronge, law, 1e5 in batches of 64 (impulse)";
  const std::string law_single = "planar stronge, law, 1e5 one by one (impulse)";
  const std::string siconos_planar = "Siconos one contact, planar (residual)";
  const std::string siconos_spatial = "Siconos one contact, 3-D (residual)";
  const int cores = AllCores();
  const std::string sweep = "sweep with its table, planar, 1 thread";
  const std::string sweep_all = fmt::format("sweep with its table, planar, {} threads", cores);

  AddPlanarImpact(planar);
  AddDarbouxKeller<RestitutionHypothesis::kStronge>(planar_law, LawDomain::kPlanar);
  AddPlanarPackets(packets);
  AddLawBatch(law_batch, 64);
  AddLawBatch(law_single, 1);
  AddSiconos(siconos_planar, LawDomain::kPlanar);
  AddDarbouxKeller<RestitutionHypothesis::kStronge>(spatial[0], LawDomain::kSpatial);
  AddDarbouxKeller<RestitutionHypothesis::kNewton>(spatial[1], LawDomain::kSpatial);
  AddDarbouxKeller<RestitutionHypothesis::kPoisson>(spatial[2], LawDomain::kSpatial);
  AddSiconos(siconos_spatial, LawDomain::kSpatial);
  for (const solver::LawInfo& law : solver::Laws()) AddLaw(law);
  const std::string ball = "stronge, ball (velocities)";
  AddBall(ball);
  std::vector<std::string> engines;
  for (auto* make : {&MakeSimbody, &MakeMujoco, &MakeBullet}) {
    const std::string name = AddEngine(make());
    if (!name.empty()) engines.push_back(name);
  }
  AddSweep(sweep, 1);
  AddSweep(sweep_all, cores);
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);

  const auto ratio = [](const std::string& a, const std::string& b) {
    return rows[a].median / rows[b].median;
  };
  fmt::print("\n{:<76} {:>11} {:>10}\n", "ratios of medians", "bound", "measured");
  PrintBound(planar + " / Siconos", true, 0.7, ratio(planar, siconos_planar));
  PrintBound(planar_law + " / Siconos", true, 0.7, ratio(planar_law, siconos_planar));
  PrintBound(law_batch + " / one by one", true, 0.7, ratio(law_batch, law_single));
  for (const std::string& law : spatial) {
    PrintBound(law + " / Siconos", true, 8.0, ratio(law, siconos_spatial));
  }
  for (const std::string& engine : engines) {
    // Beside it their ball against our contacts in which slip turns, which are harder.
    PrintBound(engine + " / stronge, ball", false, 100.0, ratio(engine, ball),
               fmt::format("; / 3-D stronge {:.3g}", ratio(engine, spatial[0])));
  }
  for (const std::string& name : {packets, law_batch}) {
    PrintBound(name + " [ns]", true, 25.0, rows[name].median);
  }
  for (const std::string& name : {sweep, sweep_all}) {
    PrintBound(name + " [1/s of one core]", false, 1e6, 1e9 / rows[name].median);
  }
  return 0;
}

}  // namespace
}  // namespace percuss::benchmarks

int main(int argc, char** argv) { return percuss::benchmarks::Main(argc, argv); }
