// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <ctime>
#include <limits>

#include "benchmarks/fitting_table.h"
#include "fitting/coefficient_fit.h"
#include "fitting/sigma_estimate.h"
#include "tracking/table_description.h"

namespace percuss::benchmarks {
namespace {

// Processor time of all threads: the machine may have other things to do.
double ProcessorSeconds(const tracking::ImpactTable& table, const solver::Body& body,
                        const fitting::FitOptions& options) {
  const std::clock_t begin = std::clock();
  fitting::FitCoefficients(table, body, options);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

}  // namespace

std::vector<BoundSection> MeasureSpeed(const std::filesystem::path& data) {
  const tracking::TableDescription description =
      tracking::ReadTableDescription(data / "planar_ellipse_impacts/table.yaml");
  tracking::ImpactTable table = tracking::ReadDescribedImpacts(description);
  fitting::EstimateSigmas(description.body, table);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double one = kNone;
  for (int run = 0; run < 5; ++run) {
    one = std::min(one, ProcessorSeconds(table, description.body,
                                         {.cross_validate = false, .split_error = false}));
  }
  fitting::FitOptions all{.laws = {}, .num_bootstraps = 200};
  for (const solver::LawInfo& law : solver::Laws()) all.laws.emplace_back(law.name);
  const double many = ProcessorSeconds(table, description.body, all);
  constexpr double kBound = 60.0;  // with two cores at work
  return {
      {"fits to 856 impacts, processor time",
       {{"stronge, two parameters, covariance and intervals", "s", one, -kNone, 0.2},
        {"all laws, 10-fold cross-validation, 200 bootstraps", "s", many, -kNone, 2.0 * kBound}},
       {"processor seconds of all threads; on two idle cores the second row takes half as long: "
        "the bound is 60 s there"}}};
}

}  // namespace percuss::benchmarks
