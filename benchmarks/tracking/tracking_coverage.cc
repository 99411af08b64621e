// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "benchmarks/tracking/tracking_table.h"
#include "tests/tracking/arcs/simulated_impact.h"

namespace percuss::benchmarks {
namespace {

using tracking::SimulatedImpact;

std::vector<SimulatedImpact> Simulate(int trials, const tracking::SimulationOptions& options) {
  std::vector<SimulatedImpact> impacts(static_cast<std::size_t>(trials));
  const auto work = [&](int first) {
    for (int i = first; i < trials; i += 2) {
      impacts[static_cast<std::size_t>(i)] =
          tracking::SimulateImpact(static_cast<unsigned>(i), options);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  std::erase_if(impacts, [](const SimulatedImpact& impact) { return !impact.failure.empty(); });
  return impacts;
}

/// How often intervals of `sigmas` hold the truth, over error places first..last.
BoundRow Coverage(const std::vector<SimulatedImpact>& impacts, const std::string& name, int first,
                  int last, double sigmas, double probability, bool may_cover_more) {
  double inside = 0.0;
  for (const SimulatedImpact& impact : impacts) {
    for (int i = first; i <= last; ++i)
      inside += std::abs(impact.error[i]) < sigmas * std::sqrt(impact.covariance(i, i));
  }
  // Components of one trial are correlated: they count as one where they are pooled.
  const double count = static_cast<double>(impacts.size());
  const double three_sigmas = 3.0 * std::sqrt(probability * (1.0 - probability) / count);
  BoundRow row{name, "%", 100.0 * inside / (count * (last - first + 1))};
  row.lowest = 100.0 * (probability - three_sigmas);
  if (!may_cover_more) row.highest = 100.0 * (probability + three_sigmas);
  return row;
}

BoundRow MeanChiSquare(const std::vector<SimulatedImpact>& impacts, const std::string& name,
                       int first, int size, bool may_be_less) {
  double sum = 0.0;
  for (const SimulatedImpact& impact : impacts) {
    const Eigen::VectorXd error = impact.error.segment(first, size);
    const Eigen::MatrixXd covariance = impact.covariance.block(first, first, size, size);
    sum += error.dot(covariance.ldlt().solve(error));
  }
  const double count = static_cast<double>(impacts.size());
  BoundRow row{name, "", sum / count};
  const double three_sigmas = 3.0 * std::sqrt(2.0 * size / count);
  if (!may_be_less) row.lowest = size - three_sigmas;
  row.highest = size + three_sigmas;
  return row;
}

BoundSection Section(const std::string& heading, int trials,
                     const tracking::SimulationOptions& options) {
  const std::vector<SimulatedImpact> impacts = Simulate(trials, options);
  const bool shared = options.shared_bias_px > 0.0;
  BoundSection section{heading, {}, {}};
  BoundRow answered{"trials with an answer", "%",
                    100.0 * static_cast<double>(impacts.size()) / trials};
  section.rows.push_back(answered);
  const std::array<const char*, 4> names = {"v", "w", "v after", "w after"};
  for (const auto& [sigmas, probability, label] :
       {std::tuple{0.99446, 0.68, "68 %"}, std::tuple{1.95996, 0.95, "95 %"}}) {
    for (int i = 0; i < 12; ++i) {
      const std::string name = fmt::format("{} interval of {} {}", label,
                                           names[static_cast<std::size_t>(i / 3)], "xyz"[i % 3]);
      section.rows.push_back(Coverage(impacts, name, 7 + i, 7 + i, sigmas, probability, shared));
    }
    section.rows.push_back(Coverage(impacts, fmt::format("{} intervals of all velocities", label),
                                    7, 18, sigmas, probability, shared));
    section.rows.push_back(Coverage(impacts, fmt::format("{} interval of the time", label), 0, 0,
                                    sigmas, probability, shared));
  }
  section.rows.push_back(MeanChiSquare(impacts, "mean chi-square of 12 velocities", 7, 12, shared));
  section.rows.push_back(MeanChiSquare(impacts, "mean chi-square of the pose (6)", 1, 6, shared));
  double squares = 0.0;
  for (const SimulatedImpact& impact : impacts) {
    squares += impact.error.tail<12>()
                   .cwiseAbs2()
                   .cwiseQuotient(impact.bound.diagonal().tail<12>())
                   .mean();
  }
  BoundRow efficiency{"rms velocity error / bound", "",
                      std::sqrt(squares / static_cast<double>(impacts.size()))};
  if (!shared) efficiency.highest = 1.15;
  section.rows.push_back(efficiency);
  return section;
}

/// Geometric mean, over trials and components, of the sigmas of v and v after with four cameras
/// over those with two.
BoundRow SigmaRatio(const std::string& name, int trials, tracking::SimulationOptions options) {
  options.clock_sigma_frames = 0.01;
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < trials; ++i) {
    options.num_cameras = 2;
    const SimulatedImpact two = tracking::SimulateImpact(static_cast<unsigned>(i), options);
    options.num_cameras = 4;
    const SimulatedImpact four = tracking::SimulateImpact(static_cast<unsigned>(i), options);
    if (!two.failure.empty() || !four.failure.empty()) continue;
    for (const int place : {7, 8, 9, 13, 14, 15}) {
      sum += 0.5 * std::log(four.covariance(place, place) / two.covariance(place, place));
      ++count;
    }
  }
  return {name, "", std::exp(sum / count)};
}

}  // namespace

std::vector<BoundSection> MeasureFourCameras(const std::filesystem::path&, int trials) {
  BoundSection section =
      Section("four cameras in space whose clocks are found, calibration drawn for every trial",
              trials, {.num_cameras = 4, .clock_sigma_frames = 0.01});
  // The bound knows the clocks.
  for (BoundRow& row : section.rows) {
    if (row.name == "rms velocity error / bound")
      row.highest = std::numeric_limits<double>::infinity();
  }
  BoundSection ratio{"four cameras over two, the same drops, clocks found", {}, {}};
  ratio.rows = {
      SigmaRatio("sigma of v, by the pixels", trials / 4, {.calibration_errors = false}),
      SigmaRatio("sigma of v, with a calibration as sure of W as that of two", trials / 4, {})};
  ratio.rows[0].highest = 0.75;
  return {ratio, section};
}

std::vector<BoundSection> MeasureCoverage(const std::filesystem::path&, int trials) {
  return {Section("simulated impacts, perfect calibration", trials, {.calibration_errors = false}),
          Section("simulated impacts, calibration drawn for every trial", trials, {}),
          Section("simulated impacts, 0.02 px that all markers of a view share over 10 frames",
                  trials, {.shared_bias_px = 0.02})};
}

std::vector<BoundSection> MeasureOneCamera(const std::filesystem::path&, int trials) {
  const std::string heading =
      "one camera in space, a bar and a cube in turns, calibration drawn for every trial";
  std::vector<BoundSection> sections = {
      Section(heading, trials, {.num_cameras = 1}),
      Section(heading + ", let go over 0.1 s", trials, {.num_cameras = 1, .slip = 0.1})};
  for (BoundSection& section : sections) {
    for (BoundRow& row : section.rows) {
      if (row.name != "95 % intervals of all velocities") continue;
      row.lowest = 93.0;
      row.highest = 97.0;
    }
  }
  return sections;
}

}  // namespace percuss::benchmarks
