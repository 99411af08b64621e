// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "benchmarks/fitting/fitting_table.h"
#include "capture/experiment/experiment.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/result/fit_files.h"
#include "impacts/impact_files.h"
#include "tests/app/program.h"
#include "tests/base/temporary_folder.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

void AddCoefficients(const std::vector<fitting::ParameterEstimate>& parameters, const json& truth,
                     const std::string& fit, double bound, BoundSection* section) {
  for (const fitting::ParameterEstimate& one : parameters) {
    const double exact = truth.at(one.name).get<double>();
    section->rows.push_back(
        {fit + ": error of " + one.name, "", std::abs(one.value - exact), 0.0, bound});
    section->rows.push_back({fit + ": its 95 % interval holds the truth", "",
                             one.ci95[0] <= exact && exact <= one.ci95[1] ? 1.0 : 0.0, 1.0, 1.0});
  }
}

// Dissipation that the law predicts, against the exact one of each trial.
double DissipationErrorRms(const fitting::LawFit& fit, const json& truth) {
  double sum = 0.0;
  for (const fitting::TrialComparison& trial : fit.trials) {
    const double exact =
        truth.at("trials").at(trial.trial).at("impact").at("dissipated_fraction").get<double>();
    sum += std::pow(trial.dissipation_predicted.value - exact, 2);
  }
  return std::sqrt(sum / static_cast<double>(fit.trials.size()));
}

struct RunResult {
  fitting::FitReport fit;
  impacts::ImpactTable table;
  solver::Body body;
  json truth;
};

RunResult RunSet(const fs::path& data) {
  const testing::TemporaryFolder out;
  const testing::ProgramRun run =
      testing::RunPercuss({"run", (data / "experiment.yaml").string(), "-o", out.Path().string(),
                           "--law", "stronge", "--fit", "pixels"});
  if (run.exit_code != 0) throw std::runtime_error(run.err);
  std::ifstream truth(data / "truth.json");
  return {fitting::ReadFit(out.Path() / "fit.json"),
          impacts::ReadImpacts(out.Path() / "impacts.json"),
          capture::ReadExperiment(data / "experiment.yaml").body.body, json::parse(truth)};
}

BoundSection MeasureSet(const fs::path& data, double bound) {
  const RunResult result = RunSet(data);
  BoundSection section{data.filename().string() + ": coefficients from videos", {}, {}};
  AddCoefficients(result.fit.laws.front().parameters, result.truth, "two stages", bound, &section);
  AddCoefficients(result.fit.pixels.front().parameters, result.truth, "pixels", bound, &section);
  section.rows.push_back({"dissipation predicted, error rms", "%",
                          100.0 * DissipationErrorRms(result.fit.laws.front(), result.truth), 0.0,
                          0.05});
  // An impact that sticks bounds mu from below.
  const auto stick =
      std::ranges::find(result.table.impacts, "b-stick", &impacts::ImpactRecord::trial);
  if (stick != result.table.impacts.end()) {
    impacts::ImpactTable alone{{*stick}, result.table.calibration_covariance};
    const fitting::ParameterEstimate mu =
        fitting::FitCoefficients(alone, result.body).front().parameters.front();
    section.rows.push_back({"b-stick alone: mu is a lower bound", "",
                            mu.status == fitting::ParameterStatus::kLowerBound ? 1.0 : 0.0, 1.0,
                            1.0});
    section.rows.push_back({"b-stick alone: that bound", "", mu.value, 0.14, 0.16});
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureVideos(const fs::path& data) {
  return {MeasureSet(data / "bar-drop", 0.0005), MeasureSet(data / "cube-drop", 0.002)};
}

}  // namespace percuss::benchmarks
