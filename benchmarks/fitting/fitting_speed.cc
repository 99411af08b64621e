// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <random>
#include <string>

#include "benchmarks/fitting/fitting_table.h"
#include "fitting/audit/sigma_estimate.h"
#include "fitting/estimate/coefficient_fit.h"
#include "impacts/table_description.h"
#include "solver/solve_impact.h"
#include "tests/fitting/synthetic_impacts.h"

namespace percuss::benchmarks {
namespace {

// Processor time of all threads: the machine may have other things to do.
double ProcessorSeconds(const impacts::ImpactTable& table, const solver::Body& body,
                        const fitting::FitOptions& options) {
  const std::clock_t begin = std::clock();
  fitting::FitCoefficients(table, body, options);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

constexpr double kNone = std::numeric_limits<double>::infinity();

struct EllipseImpacts {
  solver::Body body;
  impacts::ImpactTable table;
};

EllipseImpacts ReadEllipseImpacts(const std::filesystem::path& data) {
  const impacts::TableDescription description =
      impacts::ReadTableDescription(data / "planar_ellipse_impacts/table.yaml");
  EllipseImpacts impacts{description.body, impacts::ReadDescribedImpacts(description)};
  fitting::EstimateSigmas(impacts.body, impacts.table);
  return impacts;
}

}  // namespace

std::vector<BoundSection> MeasureSpeed(const std::filesystem::path& data) {
  const auto [body, table] = ReadEllipseImpacts(data);
  double least = kNone;
  for (int run = 0; run < 5; ++run) {
    least = std::min(
        least, ProcessorSeconds(table, body, {.cross_validate = false, .split_error = false}));
  }
  return {{"fits to 856 impacts, processor time",
           {{"stronge, two parameters, covariance and intervals", "s", least, -kNone, 0.2}},
           {"processor seconds of all threads"}}};
}

std::vector<BoundSection> MeasureAllLaws(const std::filesystem::path& data) {
  const auto [body, table] = ReadEllipseImpacts(data);
  std::vector<BoundRow> rows;
  // One law after the other, so that each has a time of its own.
  fitting::FitOptions options{.laws = {}, .num_bootstraps = 200, .num_threads = 1};
  for (const solver::LawInfo& law : solver::Laws()) options.laws.emplace_back(law.name);
  std::clock_t before = std::clock();
  options.on_law = [&](const fitting::LawFit& ended, int, int) {
    const std::clock_t now = std::clock();
    rows.push_back(
        {ended.law, "s", static_cast<double>(now - before) / CLOCKS_PER_SEC, -kNone, kNone});
    before = now;
  };
  const double all = ProcessorSeconds(table, body, options);
  rows.push_back({"all laws", "s", all, -kNone, 25.0});
  return {{"percuss fit --law all --bootstrap 200 on 856 impacts, processor time",
           rows,
           {"with cross-validation and the split of the error; a law that is the same as another "
            "has no row; on two idle cores it takes half as long"}}};
}

std::vector<BoundSection> MeasureAllLawsInSpace(const std::filesystem::path&) {
  // In space the laws of springs are integrated over time.
  std::mt19937 random(106);
  const impacts::ImpactTable in_space = fitting::NoisySlidingTable(random, 0.26, 0.55, 24, false);
  fitting::FitOptions every;
  every.laws.clear();
  for (const solver::LawInfo& law : solver::Laws()) every.laws.emplace_back(law.name);
  const auto begin = std::chrono::steady_clock::now();
  fitting::FitCoefficients(in_space, fitting::Bar(), every);
  const double in_space_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {{"all laws in one fit of 24 impacts in space, two threads",
           {{"time", "s", in_space_seconds, -kNone, 60.0}},
           {}}};
}

}  // namespace percuss::benchmarks
