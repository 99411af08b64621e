// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
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
