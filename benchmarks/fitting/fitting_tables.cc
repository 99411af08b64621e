// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "benchmarks/fitting/fitting_table.h"
#include "fitting/audit/audit.h"
#include "fitting/audit/momentum.h"
#include "fitting/audit/sigma_estimate.h"
#include "fitting/estimate/coefficient_fit.h"
#include "fitting/estimate/comparison.h"
#include "fitting/estimate/scatter.h"
#include "impacts/table_description.h"
#include "solver/solve_impact.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;

struct Described {
  impacts::TableDescription description;
  impacts::ImpactTable table;
};

Described Read(const fs::path& file) {
  Described read{impacts::ReadTableDescription(file), {}};
  read.table = impacts::ReadDescribedImpacts(read.description);
  if (read.description.estimate_sigma) {
    fitting::EstimateSigmas(read.description.body, read.table);
  }
  return read;
}

double MeanFloor(const Described& read) {
  double sum = 0.0;
  for (const fitting::Impact& impact :
       fitting::PrepareImpacts(read.table, read.description.body).impacts) {
    sum += fitting::CalcReachabilityFloor(impact).free;
  }
  return sum / static_cast<double>(read.table.impacts.size());
}

// The law and the models of its parameters that predict left-out trials best.
std::pair<std::string, double> FindBestModel(const Described& read) {
  std::pair<std::string, double> best{"", std::numeric_limits<double>::infinity()};
  for (const char* e : {"constant", "linear-normal", "linear-tangential"}) {
    for (const char* mu : {"constant", "linear-normal", "linear-tangential"}) {
      for (const fitting::LawFit& fit : fitting::FitCoefficients(
               read.table, read.description.body,
               {.laws = {"stronge", "poisson", "newton", "smith", "anitescu-potra-newton",
                         "anitescu-potra-poisson", "wang-mason"},
               .models = {{"e", fitting::FindParameterModel(e)},
                          {"mu", fitting::FindParameterModel(mu)}}})) {
        if (!(fit.cross_validated_velocity_error_mean < best.second)) continue;
        best = {fmt::format("{} with e {}, mu {}", fit.law, e, mu),
                fit.cross_validated_velocity_error_mean};
      }
    }
  }
  return best;
}

// Which dependence of e an experimenter would choose who sees a part of the trials, and how it does
// on the others.
struct NestedChoice {
  double velocity_error = 0.0;             // mean
  double energy_error = 0.0;               // rms
  std::map<std::string, int> chosen = {};  // how often
};

NestedChoice ChooseModelsNested(const Described& read) {
  constexpr std::size_t kFolds = 10;
  const solver::LawInfo& law = solver::FindLaw("stronge");
  const fitting::PreparedImpacts all = fitting::PrepareImpacts(read.table, read.description.body);
  std::vector<double> velocity, energy;
  NestedChoice nested;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    fitting::PreparedImpacts seen = all;
    seen.impacts.clear();
    std::vector<const fitting::Impact*> left_out;
    std::vector<const impacts::ImpactRecord*> records;
    for (std::size_t i = 0; i < all.impacts.size(); ++i) {
      if (i % kFolds == fold) {
        left_out.push_back(&all.impacts[i]);
      } else {
        seen.impacts.push_back(all.impacts[i]);
        records.push_back(&all.impacts[i].record);
      }
    }
    fitting::LawFit best;
    for (const char* e :
         {"constant", "linear-normal", "linear-tangential", "linear-incidence", "power-normal",
          "loss-normal", "linear:x0", "linear:y0", "linear:th0", "linear:row", "quadratic:x0",
          "quadratic:y0", "quadratic:th0", "quadratic:row"}) {
      fitting::LawFit fit = fitting::FitCoefficients(
          seen, {.models = {{"e", fitting::FindParameterModel(e)}}, .split_error = false})[0];
      if (!(fit.cross_validated_velocity_error_mean < best.cross_validated_velocity_error_mean) &&
          !best.law.empty())
        continue;
      best = std::move(fit);
    }
    ++nested.chosen[NameOf(best.models.at("e"))];
    const fitting::SharedLawProblem others(
        law, left_out, fitting::CoefficientModel(law, best.models, {}, {}, records));
    Eigen::VectorXd coefficients(std::ssize(best.parameters));
    for (Eigen::Index k = 0; k < coefficients.size(); ++k)
      coefficients[k] = best.parameters[k].best;
    for (std::size_t i = 0; i < left_out.size(); ++i) {
      const auto [v, e] = fitting::CalcPredictionErrors(others, i, coefficients);
      nested.velocity_error += v / static_cast<double>(all.impacts.size());
      nested.energy_error += e * e / static_cast<double>(all.impacts.size());
    }
  }
  nested.energy_error = std::sqrt(nested.energy_error);
  return nested;
}

BoundSection MeasureEllipse(const fs::path& data) {
  const Described published = Read(data / "planar_ellipse_impacts/table_as_published.yaml");
  const Described corrected = Read(data / "planar_ellipse_impacts/table.yaml");
  BoundSection section{"planar_ellipse_impacts: 856 real impacts", {}, {}};
  const auto add = [&](const std::string& name, const std::string& unit, double measured,
                       double lowest, double highest) {
    section.rows.push_back({name, unit, measured, lowest, highest});
  };
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const fitting::PreparedImpacts prepared =
      fitting::PrepareImpacts(published.table, published.description.body);
  std::vector<const fitting::Impact*> impacts;
  for (const fitting::Impact& impact : prepared.impacts) impacts.push_back(&impact);
  add("as published: regression coefficient, tangential", "",
      fitting::RegressMomentum(impacts, published.description.body).x(), -1.0, -0.8);
  add("as published: floor, mean", "", MeanFloor(published), 0.25, 0.31);
  const std::vector<fitting::Correction> corrections =
      fitting::TestCorrections(impacts, published.description.body);
  add("as published: probability of \"vx mirrored\"", "",
      corrections.front().text.find("vx of the opposite sign") != std::string::npos
          ? corrections.front().probability
          : 0.0,
      0.99, kNone);
  add("corrected: floor, mean", "", MeanFloor(corrected), -kNone, 0.03);
  const fitting::LawFit as_published =
      fitting::FitCoefficients(published.table, published.description.body).front();
  add("as published: stronge, velocity error, cross-validated", "",
      as_published.cross_validated_velocity_error_mean, -kNone, kNone);
  add("as published: stronge, energy error rms, cross-validated", "%",
      100.0 * as_published.cross_validated_energy_error_rms, -kNone, kNone);
  for (const fitting::AuditFinding& finding : fitting::AuditImpacts(prepared)) {
    if (finding.trial.empty()) section.remarks.push_back("as published, audit: " + finding.text);
  }
  const fitting::LawFit fit =
      fitting::FitCoefficients(corrected.table, corrected.description.body).front();
  add("corrected: stronge, velocity error, cross-validated", "",
      fit.cross_validated_velocity_error_mean, -kNone, 0.095);
  add("corrected: stronge, energy error rms, cross-validated", "%",
      100.0 * fit.cross_validated_energy_error_rms, -kNone, 9.0);
  const fitting::LawFit sliding =
      fitting::FitCoefficients(
          corrected.table, corrected.description.body,
          {.models = {{"e", fitting::FindParameterModel("linear-tangential")}}, .scatter = true})
          .front();
  add("corrected: e linear in tangential speed, velocity error", "",
      sliding.cross_validated_velocity_error_mean, -kNone, 0.088);
  add("corrected: left-out impacts in their predictive ellipsoid", "%",
      100.0 * sliding.scatter->held_out_impacts, 93.0, 97.0);
  add("corrected: left-out velocities in their predictive interval", "%",
      100.0 * sliding.scatter->held_out_components, 93.0, 97.0);
  const fitting::LawFit place =
      fitting::FitCoefficients(corrected.table, corrected.description.body,
                               {.models = {{"e", fitting::FindParameterModel("quadratic:x0")}}})
          .front();
  add("corrected: e quadratic in the place struck, velocity error", "%",
      100.0 * place.cross_validated_velocity_error_mean, -kNone, 8.5);
  add("corrected: e quadratic in the place struck, energy error rms", "%",
      100.0 * place.cross_validated_energy_error_rms, -kNone, 8.0);
  const NestedChoice nested = ChooseModelsNested(corrected);
  add("corrected: dependence of e chosen without them, velocity error", "%",
      100.0 * nested.velocity_error, -kNone, 8.5);
  add("corrected: dependence of e chosen without them, energy error rms", "%",
      100.0 * nested.energy_error, -kNone, 8.0);
  for (const auto& [name, count] : nested.chosen) {
    section.remarks.push_back(
        fmt::format("chosen within the training trials of {} of 10 folds: e {}", count, name));
  }
  const auto [best, error] = FindBestModel(corrected);
  add("corrected: best law and models, velocity error", "", error, -kNone, 0.088);
  section.remarks.push_back(fmt::format(
      "best of the laws with two parameters, e and mu constant or linear in a speed: {}, velocity "
      "error on left-out trials {:.4f}, that is {:.4f} less than stronge with two constants",
      best, error, fit.cross_validated_velocity_error_mean - error));
  section.remarks.push_back("audit: " + corrections.front().text);
  return section;
}

BoundSection MeasureSun(const fs::path& data, const std::string& object) {
  const Described read = Read(data / "sun2017" / (object + ".yaml"));
  BoundSection section{"sun2017, " + object + ": energy lost, recomputed", {}, {}};
  const fitting::PreparedImpacts prepared =
      fitting::PrepareImpacts(read.table, read.description.body);
  for (const fitting::Impact& impact : prepared.impacts) {
    const impacts::ImpactRecord& record = impact.record;
    const ValueWithSigma lost = fitting::CalcMeasuredDissipation(impact);
    section.rows.push_back({record.trial, "%", 100.0 * lost.value});
    section.remarks.push_back(fmt::format(
        "{}: {:.1f} +- {:.1f} %, reported {:.1f} %", record.trial, 100.0 * lost.value,
        100.0 * lost.sigma, 100.0 * std::stod(record.extra.at(impacts::kReportedDissipation))));
  }
  // Rows whose kinetic energy grows must be among the findings, with a probability.
  int grows = 0, flagged = 0;
  const std::vector<fitting::AuditFinding> findings = fitting::AuditImpacts(prepared);
  for (const BoundRow& row : section.rows) {
    if (!(row.measured < 0.0)) continue;
    ++grows;
    const auto named = [&](const fitting::AuditFinding& finding) {
      return finding.check == "admissibility" && finding.trial == row.name &&
             std::isfinite(finding.probability);
    };
    const auto finding = std::ranges::find_if(findings, named);
    if (finding == findings.end()) continue;
    ++flagged;
    section.remarks.push_back(fmt::format("{}: {} ({})", row.name, finding->text,
                                          finding->ok ? "within the sigmas" : "suspect"));
  }
  section.rows.push_back({"rows whose energy grows", "", static_cast<double>(grows)});
  section.rows.push_back({"of these named with a probability", "", static_cast<double>(flagged),
                          static_cast<double>(grows), static_cast<double>(grows)});
  return section;
}

BoundSection MeasureSphere(const fs::path& data) {
  const Described read = Read(data / "kharaz2001_oblique/table.yaml");
  BoundSection section{"kharaz2001_oblique: sliding branch", {}, {}};
  const fitting::LawFit fit = fitting::FitCoefficients(read.table, read.description.body).front();
  for (const fitting::ParameterEstimate& parameter : fit.parameters) {
    section.rows.push_back({parameter.name, "", parameter.value});
    section.rows.push_back({parameter.name + ", width of the 95 % interval", "",
                            parameter.ci95[1] - parameter.ci95[0], 0.0, 0.1});
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureTables(const fs::path& data) {
  return {MeasureEllipse(data), MeasureSun(data, "rod"), MeasureSun(data, "bar"),
          MeasureSphere(data)};
}

}  // namespace percuss::benchmarks
