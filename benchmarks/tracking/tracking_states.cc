// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "benchmarks/tracking/tracking_table.h"
#include "tests/app/program.h"
#include "tests/app/run/accuracy.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

/// Root mean squares over the trials of a set; of velocities over the vectors before and after.
struct StateErrors {
  double velocity = 0.0;          ///< [m/s]
  double angular_velocity = 0.0;  ///< [rad/s]
  double time = 0.0;              ///< [frames]
  double dissipation = 0.0;       ///< fraction of the kinetic energy before
};

StateErrors Measure(const fs::path& data, const fs::path& out, const std::string& method) {
  const testing::ProgramRun run = testing::RunPercuss(
      {"run", (data / "experiment.yaml").string(), "-o", out.string(), "--states", method});
  if (run.exit_code != 0) {
    throw std::runtime_error(
        fmt::format("{}percuss run --states {} ended with {}", run.err, method, run.exit_code));
  }
  StateErrors sums;
  const truth::Accuracy accuracy = truth::CompareWithTruth(data, out);
  for (const truth::TrialAccuracy& trial : accuracy.trials) {
    const auto square = [](const truth::Error& error) { return error.value * error.value; };
    sums.velocity += 0.5 * (square(trial.v) + square(trial.v_post));
    sums.angular_velocity += 0.5 * (square(trial.w) + square(trial.w_post));
    sums.time += square(trial.time);
    sums.dissipation += square(trial.dissipation_measured);
  }
  const auto root = [&](double sum) {
    return std::sqrt(sum / static_cast<double>(accuracy.trials.size()));
  };
  return {root(sums.velocity), root(sums.angular_velocity), root(sums.time),
          root(sums.dissipation)};
}

struct StateBounds {
  double velocity, angular_velocity, time, dissipation;  ///< infinite where there is none
};

BoundSection MeasureSet(const fs::path& data, const StateBounds& bounds) {
  const testing::TemporaryFolder out;
  const StateErrors arcs = Measure(data, out.Path(), "arcs");
  BoundSection section{
      data.filename().string() + ": rms error over the trials, before and after", {}, {}};
  const auto add = [&](const std::string& name, const char* unit, double scale, double error,
                       double bound) {
    BoundRow row{name, unit, scale * error};
    row.highest = scale * bound;
    section.rows.push_back(row);
  };
  add("arcs: velocity", "mm/s", 1e3, arcs.velocity, bounds.velocity);
  add("arcs: angular velocity", "rad/s", 1.0, arcs.angular_velocity, bounds.angular_velocity);
  add("arcs: impact time", "frames", 1.0, arcs.time, bounds.time);
  add("arcs: dissipated energy, of that before", "%", 100.0, arcs.dissipation, bounds.dissipation);
  for (const char* method : {"rts", "houbolt"}) {
    const StateErrors other = Measure(data, out.Path(), method);
    constexpr double kNone = std::numeric_limits<double>::infinity();
    add(fmt::format("{}: velocity", method), "mm/s", 1e3, other.velocity, kNone);
    add(fmt::format("{}: angular velocity", method), "rad/s", 1.0, other.angular_velocity, kNone);
    const double ratio =
        std::min(other.velocity / arcs.velocity, other.angular_velocity / arcs.angular_velocity);
    BoundRow row{fmt::format("{} / arcs, the smaller ratio of v and w", method), "", ratio};
    if (std::string_view(method) == "houbolt") row.lowest = 30.0;
    section.rows.push_back(row);
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureRenderedStates(const fs::path& data) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  return {MeasureSet(data / "bar-drop", {0.6e-3, 0.02, 0.002, 0.0005}),
          MeasureSet(data / "cube-drop", {1.0e-3, 0.04, kNone, kNone})};
}

}  // namespace percuss::benchmarks
