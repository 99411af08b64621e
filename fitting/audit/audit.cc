// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/audit.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/math/statistics.h"
#include "base/text/numbers.h"
#include "fitting/audit/momentum.h"
#include "fitting/estimate/comparison.h"
#include "impacts/table_description.h"
#include "solver/solve_impact.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

constexpr double kSignificance = 0.01;  // for all trials together

// The correction as lines for a table description, or as what to do with the columns.
std::string EditText(const Correction& correction, const TableColumns* columns) {
  if (!correction.body_edit.empty()) return fmt::format("body: {{{}}}", correction.body_edit);
  std::string text;
  for (const ColumnEdit& edit : correction.edits) {
    const TableColumn* column = columns == nullptr ? nullptr : columns->Find(edit.quantity);
    if (columns != nullptr && column == nullptr) continue;
    text += text.empty() ? "" : ", ";
    if (column == nullptr) {
      text += fmt::format("{}: {}", edit.quantity,
                          edit.add != 0.0 ? fmt::format("{:+.4g}", edit.add)
                                          : fmt::format("times {:.4g}", edit.scale));
      continue;
    }
    if (column->formula) {
      text += fmt::format("{}: {{formula: {} * (...)", edit.quantity, edit.scale);
    } else {
      text += fmt::format("{}: {{from: {}", edit.quantity, column->from.front());
      const double scale = edit.scale * column->scale;
      if (scale != 1.0) text += fmt::format(", scale: {:.6g}", scale);
    }
    const double add = edit.scale * column->add + edit.add;
    if (add != 0.0 && column->formula) text += fmt::format(" {:+.4g}", add);
    if (add != 0.0 && !column->formula) text += fmt::format(", add: {:.4g}", add);
    text += "}";
  }
  return fmt::format("columns: {{{}}}", text);
}

struct FloorMeans {
  double mean = 0.0, rms = 0.0, energy_bounded = 0.0;
};

FloorMeans MeanFloors(const std::vector<const Impact*>& impacts) {
  FloorMeans means;
  for (const Impact* impact : impacts) {
    const ReachabilityFloor floor = CalcReachabilityFloor(*impact);
    means.mean += floor.free;
    means.rms += floor.free * floor.free;
    means.energy_bounded += floor.energy_bounded;
  }
  const auto count = static_cast<double>(impacts.size());
  return {means.mean / count, std::sqrt(means.rms / count), means.energy_bounded / count};
}

// Mean floor of the impacts as they are with a correction.
double CorrectedMeanFloor(const std::vector<const Impact*>& impacts, solver::Body body,
                          const Correction& correction) {
  if (correction.apply_body) correction.apply_body(body);
  double sum = 0.0;
  for (const Impact* impact : impacts) {
    ImpactRecord record = impact->record;
    if (correction.apply_record) correction.apply_record(record);
    sum += CalcReachabilityFloor(PrepareImpact(record, impact->errors, body)).free;
  }
  return sum / static_cast<double>(impacts.size());
}

std::string RegressionText(const std::vector<const Impact*>& impacts, const solver::Body& body) {
  constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
  const Eigen::Vector3d coefficients = RegressMomentum(impacts, body);
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    if (std::isnan(coefficients[axis])) continue;
    text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", kAxes[axis], coefficients[axis]);
  }
  return text;
}

void AuditMomentum(const std::vector<const Impact*>& impacts,
                   const std::vector<MomentumDefect>& defects, const solver::Body& body,
                   const std::string& note, double level, const AuditOptions& options,
                   std::vector<AuditFinding>& findings) {
  double total = 0.0;
  int dof = 0;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const MomentumDefect& defect = defects[i];
    const double probability = ChiSquareSurvival(defect.chi_square, defect.dof);
    total += defect.chi_square;
    dof += defect.dof;
    findings.push_back({.check = "momentum",
                        .trial = impacts[i]->record.trial,
                        .ok = probability >= level,
                        .probability = probability,
                        .text = fmt::format(
                            "angular impulse and contact arm x linear impulse differ by {:.2g} N m "
                            "s where the sigmas{} allow {:.2g} (chi-square {:.3g} for {} degrees "
                            "of freedom)",
                            defect.value.norm(), note, std::sqrt(defect.covariance.trace()),
                            defect.chi_square, defect.dof)});
  }
  const double probability = ChiSquareSurvival(total, dof);
  AuditFinding finding{.check = "momentum",
                       .trial = "",
                       .ok = probability >= kSignificance,
                       .probability = probability,
                       .text = fmt::format("over {} trials chi-square {:.4g} for {} degrees of "
                                           "freedom{}",
                                           impacts.size(), total, dof, note)};
  finding.text +=
      fmt::format("; regression of the angular impulse on the impulse along {} (1: agrees)",
                  RegressionText(impacts, body));
  const std::vector<Correction> corrections = TestCorrections(impacts, body);
  const Correction& best = corrections.front();
  const auto none = std::ranges::find_if(
      corrections, [](const Correction& correction) { return correction.text.empty(); });
  // A correction must explain most of the misfit to be named; otherwise the contact point, a
  // second impact or the sigmas may be at fault.
  constexpr double kExplains = 0.5;
  constexpr double kSure = 0.99;
  // Of a few balances one of so many corrections takes away most by chance: Fisher's F, of which
  // I_x(m / 2, k / 2) is the tail, k parameters, m balances beyond them, x what is left.
  const int parameters = std::max(1, best.num_parameters), beyond = std::max(1, dof - parameters);
  const double chance =
      static_cast<double>(corrections.size()) *
      IncompleteBeta(0.5 * beyond, 0.5 * parameters, best.squared_scale / none->squared_scale);
  const bool named = best.probability > kSure && !best.text.empty() &&
                     best.squared_scale < kExplains * none->squared_scale && chance < 1.0 - kSure;
  if (options.estimated_sigmas && !named) {
    finding.ok = true;
    finding.probability = kNaN;
    finding.text +=
        ": the sigmas were estimated from this misfit, and no mirrored axis, other inertia or "
        "mass centre, constant or unit would reduce it";
  } else if (finding.ok && !named) {
    finding.text += ": rotation, velocities, contact arm and inertia agree";
  } else if (named) {
    finding.ok = false;
    finding.text += fmt::format(
        ": they disagree; {} it would be {:.4g}. Probability of this correction {:.3f}, 10^{:.0f} "
        "times that of none; it brings the mean floor from {:.2g} % to {:.2g} %. To apply it: {}",
        best.text, best.chi_square, best.probability,
        (best.log_likelihood - none->log_likelihood) / std::log(10.0),
        100.0 * MeanFloors(impacts).mean, 100.0 * CorrectedMeanFloor(impacts, body, best),
        EditText(best, options.columns));
  } else {
    finding.text +=
        ": they disagree, and no mirrored axis, other inertia or mass centre, constant or unit "
        "explains it "
        "(contact point, a second impact, or sigmas that are too small)";
  }
  findings.push_back(std::move(finding));
}

// The share of lost energy that the table itself reports.
std::string ReportedText(const ImpactRecord& record) {
  const auto reported = record.extra.find(impacts::kReportedDissipation);
  if (reported == record.extra.end()) return "";
  return fmt::format("; the table reports a loss of {:.3g} %", 100.0 * std::stod(reported->second));
}

void AuditAdmissibility(const Impact& impact, const std::string& note, double level,
                        std::vector<AuditFinding>& findings) {
  const ImpactRecord& record = impact.record;
  const double mass = impact.geometry.mass;
  const double before = CalcKineticEnergy(impact.geometry, impact.geometry.before).value;
  const ValueWithSigma lost = CalcMeasuredDissipation(impact);
  const double energy_probability = NormalCdf(lost.value / lost.sigma);
  findings.push_back(
      {.check = "admissibility",
       .trial = record.trial,
       .ok = energy_probability >= level,
       .probability = energy_probability,
       .text = fmt::format("kinetic energy {} by {} J, {} % of {:.3g} J{}{}",
                           lost.value >= 0.0 ? "falls" : "grows",
                           FormatWithSigma(std::abs(lost.value) * before, lost.sigma * before),
                           FormatWithSigma(100.0 * std::abs(lost.value), 100.0 * lost.sigma),
                           before, note, ReportedText(record))});

  Eigen::Matrix<double, kErrorDimension, 1> gradient =
      Eigen::Matrix<double, kErrorDimension, 1>::Zero();
  gradient.segment<3>(impacts::kV) = -mass * record.normal;
  gradient.segment<3>(impacts::kVPost) = mass * record.normal;
  const double sigma = std::sqrt(gradient.dot(impact.errors.Total() * gradient));
  const double push = mass * record.normal.dot(record.v_post - record.v);
  const double push_probability = NormalCdf(push / sigma);
  findings.push_back({.check = "admissibility",
                      .trial = record.trial,
                      .ok = push_probability >= level,
                      .probability = push_probability,
                      .text = fmt::format("normal impulse {} the body with {} N s{}",
                                          push >= 0.0 ? "pushes" : "pulls",
                                          FormatWithSigma(std::abs(push), sigma), note)});
}

// Ratio of the impulses against an identified friction coefficient. Of a law that may leave its
// cone, and of a mu that is not one number, it says nothing.
void AuditFriction(const Impact& impact, const LawFit& fit, double level,
                   std::vector<AuditFinding>& findings) {
  if (!solver::FindLaw(fit.law).coulomb || fit.models.contains("mu")) return;
  const auto mu = std::ranges::find_if(fit.parameters, [](const ParameterEstimate& parameter) {
    return parameter.name == "mu" && IsKnown(parameter);
  });
  if (mu == fit.parameters.end()) return;
  const ImpactRecord& record = impact.record;
  const double mass = impact.geometry.mass;
  const Eigen::Vector3d impulse = mass * (record.v_post - record.v);
  const double normal = record.normal.dot(impulse);
  const Eigen::Vector3d tangential = impulse - normal * record.normal;
  const double size = tangential.norm();
  if (!(size > 0.0 && normal > 0.0)) return;
  Eigen::Matrix<double, kErrorDimension, 1> gradient =
      Eigen::Matrix<double, kErrorDimension, 1>::Zero();
  gradient.segment<3>(impacts::kVPost) = mass * (tangential / size - mu->value * record.normal);
  gradient.segment<3>(impacts::kV) = -gradient.segment<3>(impacts::kVPost);
  const double sigma =
      std::hypot(std::sqrt(gradient.dot(impact.errors.Total() * gradient)), mu->sigma * normal);
  const double probability = NormalCdf((mu->value * normal - size) / sigma);
  findings.push_back(
      {.check = "admissibility",
       .trial = record.trial,
       .ok = probability >= level,
       .probability = probability,
       .text = fmt::format("ratio of tangential to normal impulse {}, {} mu = {:.3g} "
                           "of {}",
                           FormatWithSigma(size / normal, sigma / normal),
                           size <= mu->value * normal ? "within" : "above", mu->value, fit.law)});
}

// Expected square of the reachability floor from the sigmas alone. With the momentum defect a, the
// jump is B P + [0; I^-1 a]; the floor is what of the second term no impulse can undo.
double CalcExpectedSquaredFloor(const ImpactGeometry& geometry, const MomentumDefect& defect) {
  Eigen::Matrix<double, 6, 6> mass = Eigen::Matrix<double, 6, 6>::Zero();
  mass.topLeftCorner<3, 3>().diagonal().setConstant(geometry.mass);
  mass.bottomRightCorner<3, 3>() = geometry.inertia_W;
  Eigen::Matrix<double, 6, 3> jump = Eigen::Matrix<double, 6, 3>::Zero();
  jump.bottomRows<3>() = geometry.inverse_inertia_W;
  const Eigen::Matrix<double, 6, 3>& B = geometry.velocity_per_impulse;
  const Eigen::Matrix<double, 6, 3> left =
      jump - B * geometry.contact.inverse_mass.llt().solve(B.transpose() * mass * jump);
  const double before = MassNorm(geometry, geometry.before);
  return (left.transpose() * mass * left * defect.covariance).trace() / (before * before);
}

AuditFinding AuditFloor(const std::vector<const Impact*>& impacts,
                        const std::vector<MomentumDefect>& defects, const std::string& note) {
  double expected = 0.0;
  for (std::size_t i = 0; i < impacts.size(); ++i)
    expected += CalcExpectedSquaredFloor(impacts[i]->geometry, defects[i]);
  expected = std::sqrt(expected / static_cast<double>(impacts.size()));
  const FloorMeans floor = MeanFloors(impacts);
  constexpr double kFarBeyond = 2.0;  // times what the sigmas explain, root mean square
  constexpr double kTooMuch = 0.1;
  return {.check = "floor",
          .trial = "",
          .ok = floor.rms <= kFarBeyond * expected && floor.mean <= kTooMuch,
          .probability = kNaN,
          .text = fmt::format(
              "no impulse through the contact point, and so no law, comes closer to the measured "
              "velocities than {:.2g} % of the approach velocity on average (rms {:.2g} %; the "
              "sigmas{} explain {:.2g} %); {:.2g} % where kinetic energy must not grow.",
              100.0 * floor.mean, 100.0 * floor.rms, note, 100.0 * expected,
              100.0 * floor.energy_bounded)};
}

// Least change of the contact arm with which a single impulse explains the rotation, and what part
// of the defect no arm could.
std::string DefectReason(const ImpactRecord& record, const MomentumDefect& defect,
                         const solver::Body& body) {
  const Eigen::Vector3d impulse = body.mass * (record.v_post - record.v);
  const double squared = impulse.squaredNorm();
  if (!(squared > 0.0)) return "no linear impulse at all";
  const Eigen::Vector3d arm = impulse.cross(defect.value) / squared;
  const double along = std::abs(defect.value.dot(impulse)) / std::sqrt(squared);
  const double radius = solver::BoundingRadius(body.shape);
  if (along > 0.5 * defect.value.norm()) {
    return "it turned about its own impulse, which no single contact can do: a second impact, or "
           "a wrong angular velocity";
  }
  if ((record.r + arm).norm() > 1.1 * radius) {
    return fmt::format(
        "a single impulse would have to pass {:.3g} m from the mass centre, outside "
        "of the body: a second impact, or a wrong angular velocity",
        (record.r + arm).norm());
  }
  return fmt::format(
      "a single impulse would have to act {:.2g} m away from the stated contact "
      "point: a second impact, or another contact point",
      arm.norm());
}

// Trials that stand out from the others in their momentum defect, and contacts that go on.
void AuditOutliers(const std::vector<const Impact*>& impacts,
                   const std::vector<MomentumDefect>& defects, const solver::Body& body,
                   const std::string& note, double level, std::vector<AuditFinding>& findings) {
  constexpr size_t kFewest = 5;  // to stand out from
  const double scale = std::max(1.0, FitScale(defects).squared_scale);
  for (size_t i = 0; i < impacts.size(); ++i) {
    const ImpactRecord& record = impacts[i]->record;
    const double probability = ChiSquareSurvival(defects[i].chi_square / scale, defects[i].dof);
    if (impacts.size() >= kFewest && probability < level) {
      findings.push_back({.check = "outlier",
                          .trial = record.trial,
                          .ok = false,
                          .probability = probability,
                          .text = DefectReason(record, defects[i], body)});
    }
    Eigen::Matrix<double, kErrorDimension, 1> gradient =
        Eigen::Matrix<double, kErrorDimension, 1>::Zero();
    gradient.segment<3>(impacts::kVPost) = record.normal;
    gradient.segment<3>(impacts::kWPost) = record.r.cross(record.normal);
    gradient.segment<3>(kArm) = record.normal.cross(record.w_post);
    const double sigma = std::sqrt(gradient.dot(impacts[i]->errors.Total() * gradient));
    const double leaves = record.normal.dot(record.v_post + record.w_post.cross(record.r));
    const double separates = NormalCdf(leaves / sigma);
    if (separates < level) {
      findings.push_back(
          {.check = "outlier",
           .trial = record.trial,
           .ok = false,
           .probability = separates,
           .text = fmt::format("after the impact the contact point still moves into the surface, "
                               "{} m/s{}: the impact was not over, or a second one "
                               "follows",
                               FormatWithSigma(-leaves, sigma), note)});
    }
  }
}

AuditFinding SeveralPoints(const Impact& impact) {
  return {
      .check = "momentum",
      .trial = impact.record.trial,
      .ok = true,
      .probability = kNaN,
      .text = fmt::format("{} points struck together: its rotation is that of no impulse at one "
                          "point; the law multi-point takes them all",
                          impact.geometry.touching.size())};
}

// A mass that no material has in the body's volume. Nothing if all is well, or if the shape is only
// the part that strikes: the inertia is then larger than with all mass at its outermost points.
std::optional<AuditFinding> HeavierThanAnyMaterial(const solver::Body& body) {
  constexpr double kOsmium = 22600.0;  // [kg/m^3]
  const double radius = solver::BoundingRadius(body.shape);
  const double volume = solver::Volume(body.shape);
  const bool whole = 0.5 * body.inertia.trace() <= body.mass * radius * radius;
  if (!whole || !(body.mass > kOsmium * volume)) return {};
  return AuditFinding{
      .check = "mass",
      .trial = "",
      .ok = false,
      .probability = kNaN,
      .text = fmt::format(
          "{:.4g} kg in the {:.3g} cm^3 of the body are {:.3g} g/cm^3, and the densest material "
          "has 22.6: in grams, write mass: {:.4g}, else see its lengths; coefficients do not "
          "depend on the mass, impulses and energies do",
          body.mass, 1e6 * volume, 1e-3 * body.mass / volume, 1e-3 * body.mass)};
}

// Why a trial cannot be audited, or empty.
std::string ReasonUnchecked(const Impact& impact) {
  if (!impact.record.reason_unusable.empty()) return impact.record.reason_unusable;
  return impact.complete ? impact.errors.reason_unusable : "a measured value is missing";
}

}  // namespace

std::vector<AuditFinding> AuditImpacts(const PreparedImpacts& data, const AuditOptions& options) {
  const solver::Body& body = data.body;
  std::vector<AuditFinding> findings;
  if (const auto heavy = HeavierThanAnyMaterial(body)) findings.push_back(*heavy);
  std::vector<const Impact*> impacts, several;  // that struck at one point, at several
  bool assumed = false;
  for (const Impact& impact : data.impacts) {
    const std::string reason = ReasonUnchecked(impact);
    if (!reason.empty()) {
      findings.push_back({.check = "admissibility",
                          .trial = impact.record.trial,
                          .ok = false,
                          .probability = kNaN,
                          .text = "cannot be checked: " + reason});
      continue;
    }
    assumed = assumed || impact.errors.assumed;
    if (impact.geometry.touching.size() > 1) {
      findings.push_back(SeveralPoints(impact));
      several.push_back(&impact);
    } else {
      impacts.push_back(&impact);
    }
  }
  const std::string note = assumed
                               ? fmt::format(" (assumed: {} m/s, {} rad/s)", data.assumed.velocity,
                                             data.assumed.angular_velocity)
                               : "";
  const double level = kSignificance / static_cast<double>(impacts.size() + several.size());
  for (const Impact* impact : several) {
    AuditAdmissibility(*impact, note, level, findings);
    if (options.fits == nullptr) continue;
    for (const LawFit& fit : *options.fits) {
      if (TakesSeveral(fit.law, impact->geometry)) AuditFriction(*impact, fit, level, findings);
    }
  }
  if (impacts.empty()) return findings;
  const std::vector<MomentumDefect> defects = CalcMomentumDefects(impacts, body);
  AuditMomentum(impacts, defects, body, note, level, options, findings);
  std::vector<const Impact*> whole;  // with everything measured that the floor needs
  std::vector<MomentumDefect> defects_of_whole;
  for (std::size_t i = 0; i < impacts.size(); ++i) {
    const Impact& impact = *impacts[i];
    if (impact.errors.fully_measured) {
      AuditAdmissibility(impact, note, level, findings);
      if (IsContactMeasured(impact.record, body)) {
        whole.push_back(&impact);
        defects_of_whole.push_back(defects[i]);
      }
    }
    if (options.fits == nullptr) continue;
    for (const LawFit& fit : *options.fits) AuditFriction(impact, fit, level, findings);
  }
  if (whole.empty()) return findings;
  findings.push_back(AuditFloor(whole, defects_of_whole, note));
  AuditOutliers(whole, defects_of_whole, body, note, level, findings);
  return findings;
}

}  // namespace percuss::fitting
