// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/bench/exact_file.h"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <random>
#include <stdexcept>

#include "benchmarks/bench/ruler_errors.h"
#include "tests/app/program.h"
#include "tests/app/run/accuracy.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

truth::Accuracy Measure(const fs::path& data, const YAML::Node& experiment) {
  const testing::TemporaryFolder folder;
  const fs::path file = folder / "experiment.yaml", out = folder / "out";
  std::ofstream(file) << YAML::Dump(experiment);
  const testing::ProgramRun run = testing::RunPercuss({"run", file.string(), "-o", out.string()});
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  return truth::CompareWithTruth(data, out);
}

/// @param mu_before, e_before errors of the chain that took what was typed for exact.
BoundSection MeasureOne(const fs::path& data, double mu_before, double e_before) {
  std::mt19937 unused;
  YAML::Node experiment = DrawExperiment(data, {0.0, 0.0, 0.0, 0.0}, &unused);
  const truth::Accuracy ruler = Measure(data, experiment);
  for (const char* name : {"marker", "mass_centre", "inertia", "length", "mass", "tilt_deg"})
    experiment["body"]["sigma"][name] = 0;
  experiment["board"]["sigma"] = 0;
  experiment["gravity_sigma"] = 0;
  const truth::Accuracy exact = Measure(data, experiment);
  BoundSection section{fmt::format("{}: exact experiment file", data.filename().string()), {}, {}};
  const auto add = [&](const char* name, const truth::CoefficientAccuracy& found, double before) {
    BoundRow row{name, "", std::abs(found.error)};
    row.highest = 1.2 * before;
    section.rows.push_back(row);
  };
  add("error of mu, all sigmas typed as 0", exact.mu, mu_before);
  add("error of e, all sigmas typed as 0", exact.e, e_before);
  add("error of mu, sigmas of a ruler", ruler.mu, mu_before);
  add("error of e, sigmas of a ruler", ruler.e, e_before);
  section.remarks.push_back(fmt::format(
      "With the sigmas of a ruler, the 95 % interval of mu {} the truth and that of e {}: gravity "
      "and the body are unknown within these sigmas, and the errors of the pixels move them.",
      ruler.mu.truth_inside_ci95 ? "holds" : "does not hold",
      ruler.e.truth_inside_ci95 ? "does" : "does not"));
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureExactFile(const fs::path& data) {
  return {MeasureOne(data / "bar-drop", 9e-5, 9e-5),
          MeasureOne(data / "cube-drop", 1.2e-4, 1.2e-4)};
}

}  // namespace percuss::benchmarks
