// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/bench_draws.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "benchmarks/bench/ruler_errors.h"
#include "capture/experiment/experiment.h"
#include "tests/app/program.h"
#include "tests/app/run/accuracy.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// Sums over the draws of one set.
struct Draws {
  int num = 0, failed = 0;
  double mu = 0.0, e = 0.0, marker = 0.0, mass_centre = 0.0;  ///< sums of squares
  int num_markers = 0;
  int coefficients_held = 0, velocities_held = 0, dissipations_held = 0, num_trials = 0;
};

/// What bench.json says of the markers, against the true places.
void AddMarkers(const fs::path& out, const capture::Experiment& truth, Draws* draws) {
  const nlohmann::json bench = nlohmann::json::parse(std::ifstream(out / "bench.json"));
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const capture::Marker& marker : truth.body.markers) {
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name = fmt::format("marker {} {}", marker.name, "xyz"[axis]);
      for (const nlohmann::json& row : bench.at("quantities")) {
        if (row.at("name") != name) continue;
        const double error = row.at("estimate").get<double>() - marker.p_BM[axis];
        draws->marker += error * error;
        ++draws->num_markers;
        mean[axis] += error / static_cast<double>(truth.body.markers.size());
      }
    }
  }
  draws->mass_centre += mean.squaredNorm() / 3.0;
}

void AddDraw(const fs::path& data, const fs::path& out, const capture::Experiment& truth,
             Draws* draws) {
  const truth::Accuracy accuracy = truth::CompareWithTruth(data, out);
  draws->mu += accuracy.mu.error * accuracy.mu.error;
  draws->e += accuracy.e.error * accuracy.e.error;
  draws->coefficients_held += accuracy.mu.truth_inside_ci95 + accuracy.e.truth_inside_ci95;
  constexpr double kChiSquare12 = 21.03, kNormal = 1.96;  // 95 %
  for (const truth::TrialAccuracy& trial : accuracy.trials) {
    ++draws->num_trials;
    draws->velocities_held += trial.chi_square <= kChiSquare12;
    const truth::Error& dissipation = trial.dissipation_measured;
    draws->dissipations_held += std::abs(dissipation.value) <= kNormal * dissipation.sigma;
  }
  AddMarkers(out, truth, draws);
  ++draws->num;
}

BoundSection MeasureSet(const fs::path& data, int count, double bound) {
  const capture::Experiment truth = capture::ReadExperiment(data / "experiment.yaml");
  const testing::TemporaryFolder folder;
  std::mt19937 random(20261124);
  Draws draws;
  for (int k = 0; k < count; ++k) {
    const fs::path file = folder.Path() / "experiment.yaml", out = folder.Path() / "out";
    std::ofstream(file) << YAML::Dump(DrawExperiment(data, {}, &random));
    const testing::ProgramRun run = testing::RunPercuss({"run", file.string(), "-o", out.string()});
    if (run.exit_code != 0) {
      ++draws.failed;
      fmt::print("draw {}: percuss ended with {}: {}\n", k, run.exit_code, run.err);
      continue;
    }
    AddDraw(data, out, truth, &draws);
    fs::remove_all(out);
  }
  const auto rms = [](double sum, int num) { return std::sqrt(sum / num); };
  const auto share = [](int held, int num) { return 100.0 * held / num; };
  BoundSection section{
      fmt::format("{}: {} draws of a ruler's errors", data.filename().string(), count), {}, {}};
  const auto add = [&](const char* name, const char* unit, double measured, double highest) {
    BoundRow row{name, unit, measured};
    row.highest = highest;
    section.rows.push_back(row);
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  add("runs without an answer", "", draws.failed, 0.0);
  add("rms error of mu", "", rms(draws.mu, draws.num), bound);
  add("rms error of e", "", rms(draws.e, draws.num), bound);
  add("rms error of a marker's coordinate", "mm", 1e3 * rms(draws.marker, draws.num_markers), 0.05);
  add("rms error of the mass centre, each way", "mm", 1e3 * rms(draws.mass_centre, draws.num),
      0.15);
  add("95 % intervals of mu and e that hold the truth", "%",
      share(draws.coefficients_held, 2 * draws.num), kNone);
  add("95 % regions of the twelve velocities that do", "%",
      share(draws.velocities_held, draws.num_trials), kNone);
  add("95 % intervals of the dissipation that do", "%",
      share(draws.dissipations_held, draws.num_trials), kNone);
  section.remarks.push_back(
      "All draws see the same videos: what their pixels err by is the same in each. So a share of "
      "100 or 0 % says less than it seems; percuss_bench DATA coverage draws benches, motions and "
      "pixels.");
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureDraws(const fs::path& data, int count) {
  return {MeasureSet(data / "bar-drop", count, 3e-4), MeasureSet(data / "cube-drop", count, 6e-4)};
}

}  // namespace percuss::benchmarks
