// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "fitting/comparison.h"
#include "fitting/statistics.h"

namespace percuss::fitting {
namespace {

using tracking::ImpactRecord;
using tracking::ImpactTable;

constexpr double kSignificance = 0.01;  // for all trials together

struct CheckedImpact {
  const ImpactRecord* record;
  const ImpactErrors* errors;
};

// Angular impulse without what the linear impulse explains, a = I dw - r x (m dv), W axes [N m s].
struct MomentumDefect {
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  double chi_square = 0.0;
  int dof = 0;  // less than 3 where a planar table leaves components exact
};

MomentumDefect CalcMomentumDefect(const ImpactRecord& record, const ImpactErrors& errors,
                                  const solver::Body& body) {
  const Eigen::Matrix3d R_WB = record.q_WB.toRotationMatrix();
  const Eigen::Matrix3d inertia = R_WB * body.inertia * R_WB.transpose();
  const Eigen::Vector3d turn_jump = record.w_post - record.w;
  const Eigen::Vector3d impulse = body.mass * (record.v_post - record.v);
  Eigen::Matrix<double, 3, kErrorDimension> jacobian =
      Eigen::Matrix<double, 3, kErrorDimension>::Zero();
  const Eigen::Matrix3d by_arm = CrossMatrix(impulse);  // -(dr x P) = P x dr
  jacobian.middleCols<3>(tracking::kRotation) = inertia * CrossMatrix(turn_jump) -
                                                CrossMatrix(inertia * turn_jump) +
                                                by_arm * ContactArmPerRotation(record, body);
  jacobian.middleCols<3>(kArm) = by_arm;
  jacobian.middleCols<3>(tracking::kV) = body.mass * CrossMatrix(record.r);
  jacobian.middleCols<3>(tracking::kVPost) = -body.mass * CrossMatrix(record.r);
  jacobian.middleCols<3>(tracking::kW) = -inertia;
  jacobian.middleCols<3>(tracking::kWPost) = inertia;

  MomentumDefect defect;
  defect.value = inertia * turn_jump - record.r.cross(impulse);
  defect.covariance = jacobian * errors.Total() * jacobian.transpose();
  const Eigen::Vector3d sigma = defect.covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  const Eigen::Vector3d inverse = sigma.unaryExpr(
      [largest = sigma.maxCoeff()](double s) { return s > 1e-9 * largest ? 1.0 / s : 0.0; });
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(
      inverse.asDiagonal() * defect.covariance * inverse.asDiagonal());
  const Eigen::Vector3d along =
      eigen.eigenvectors().transpose() * inverse.cwiseProduct(defect.value);
  for (int k = 0; k < 3; ++k) {
    if (!(eigen.eigenvalues()[k] > 1e-9)) continue;
    defect.chi_square += along[k] * along[k] / eigen.eigenvalues()[k];
    ++defect.dof;
  }
  return defect;
}

double TotalChiSquare(const std::vector<CheckedImpact>& impacts, const solver::Body& body,
                      const std::function<void(ImpactRecord&)>& change) {
  double total = 0.0;
  for (const CheckedImpact& impact : impacts) {
    ImpactRecord changed = *impact.record;
    change(changed);
    total += CalcMomentumDefect(changed, *impact.errors, body).chi_square;
  }
  return total;
}

// Weighted regression of the angular impulse on r x (m dv) about one body axis.
double InertiaSlope(const std::vector<CheckedImpact>& impacts, const solver::Body& body, int axis) {
  double xy = 0.0;
  double xx = 0.0;
  for (const CheckedImpact& impact : impacts) {
    const ImpactRecord& record = *impact.record;
    const MomentumDefect defect = CalcMomentumDefect(record, *impact.errors, body);
    const Eigen::Vector3d axis_W = record.q_WB.toRotationMatrix().col(axis);
    const double x =
        axis_W.dot(record.r.cross(Eigen::Vector3d(body.mass * (record.v_post - record.v))));
    const double y = x + axis_W.dot(defect.value);
    const double variance = axis_W.dot(defect.covariance * axis_W);
    if (!(variance > 0.0)) continue;
    xy += x * y / variance;
    xx += x * x / variance;
  }
  return xx > 0.0 ? xy / xx : kNaN;
}

struct Correction {
  double chi_square = std::numeric_limits<double>::infinity();
  std::string text;
};

// The single correction of the data or of the body that explains the momentum defects best.
Correction FindBestCorrection(const std::vector<CheckedImpact>& impacts, const solver::Body& body) {
  constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
  Correction best;
  const auto consider = [&](double chi_square, const std::string& text) {
    if (chi_square < best.chi_square) best = {chi_square, text};
  };
  for (int axis = 0; axis < 3; ++axis) {
    consider(TotalChiSquare(impacts, body,
                            [axis](ImpactRecord& record) {
                              record.w[axis] *= -1.0;
                              record.w_post[axis] *= -1.0;
                            }),
             fmt::format("with w{0} of the opposite sign (rotation about {0} mirrored against the "
                         "velocities)",
                         kAxes[axis]));
    consider(TotalChiSquare(impacts, body,
                            [axis](ImpactRecord& record) {
                              record.v[axis] *= -1.0;
                              record.v_post[axis] *= -1.0;
                            }),
             fmt::format("with v{0} of the opposite sign (axis {0} mirrored)", kAxes[axis]));
    const double slope = InertiaSlope(impacts, body, axis);
    if (!(slope > 0.1 && slope < 10.0)) continue;
    solver::Body changed = body;
    const double root = 1.0 / std::sqrt(slope);
    changed.inertia.row(axis) *= root;
    changed.inertia.col(axis) *= root;
    consider(TotalChiSquare(impacts, changed, [](ImpactRecord&) {}),
             fmt::format("with the inertia about body axis {} {:.3g} times as large", kAxes[axis],
                         1.0 / slope));
  }
  return best;
}

void AuditMomentum(const std::vector<CheckedImpact>& impacts, const solver::Body& body,
                   const std::string& note, double level, std::vector<AuditFinding>& findings) {
  double total = 0.0;
  int dof = 0;
  for (const CheckedImpact& impact : impacts) {
    const MomentumDefect defect = CalcMomentumDefect(*impact.record, *impact.errors, body);
    const double probability = ChiSquareSurvival(defect.chi_square, defect.dof);
    total += defect.chi_square;
    dof += defect.dof;
    findings.push_back({.check = "momentum",
                        .trial = impact.record->trial,
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
  if (finding.ok) {
    finding.text += ": rotation, velocities, contact arm and inertia agree";
  } else {
    // A correction must explain most of the misfit to be named; otherwise the contact point, a
    // second impact or the sigmas may be at fault.
    constexpr double kExplains = 0.3;
    const Correction correction = FindBestCorrection(impacts, body);
    finding.text += correction.chi_square < kExplains * total
                        ? fmt::format(": they disagree; {} it would be {:.4g}", correction.text,
                                      correction.chi_square)
                        : ": they disagree, and no mirrored axis or other inertia explains it "
                          "(contact point, a "
                          "second impact, or sigmas that are too small)";
  }
  findings.push_back(std::move(finding));
}

void AuditAdmissibility(const CheckedImpact& impact, const solver::Body& body,
                        const std::string& note, double level,
                        std::vector<AuditFinding>& findings) {
  const ImpactRecord& record = *impact.record;
  const ImpactGeometry geometry = CalcGeometry(record, body);
  const double before = CalcKineticEnergy(body.mass, geometry.inertia_W, geometry.before).value;
  const ValueWithSigma lost = CalcMeasuredDissipation(record, *impact.errors, body);
  const double energy_probability = NormalCdf(lost.value / lost.sigma);
  findings.push_back(
      {.check = "admissibility",
       .trial = record.trial,
       .ok = energy_probability >= level,
       .probability = energy_probability,
       .text = fmt::format("kinetic energy {} by {:.3g} +- {:.2g} J, {:.3g} % of {:.3g} J{}",
                           lost.value >= 0.0 ? "falls" : "grows", std::abs(lost.value) * before,
                           lost.sigma * before, 100.0 * std::abs(lost.value), before, note)});

  Eigen::Matrix<double, kErrorDimension, 1> gradient =
      Eigen::Matrix<double, kErrorDimension, 1>::Zero();
  gradient.segment<3>(tracking::kV) = -body.mass * record.normal;
  gradient.segment<3>(tracking::kVPost) = body.mass * record.normal;
  const double sigma = std::sqrt(gradient.dot(impact.errors->Total() * gradient));
  const double push = body.mass * record.normal.dot(record.v_post - record.v);
  const double push_probability = NormalCdf(push / sigma);
  findings.push_back(
      {.check = "admissibility",
       .trial = record.trial,
       .ok = push_probability >= level,
       .probability = push_probability,
       .text = fmt::format("normal impulse {} the body with {:.3g} +- {:.2g} N s{}",
                           push >= 0.0 ? "pushes" : "pulls", std::abs(push), sigma, note)});
}

// Ratio of the impulses against an identified friction coefficient.
void AuditFriction(const CheckedImpact& impact, const solver::Body& body, const LawFit& fit,
                   double level, std::vector<AuditFinding>& findings) {
  const auto mu = std::ranges::find_if(fit.parameters, [](const ParameterEstimate& parameter) {
    return parameter.name == "mu" && parameter.status == ParameterStatus::kIdentified;
  });
  if (mu == fit.parameters.end()) return;
  const ImpactRecord& record = *impact.record;
  const Eigen::Vector3d impulse = body.mass * (record.v_post - record.v);
  const double normal = record.normal.dot(impulse);
  const Eigen::Vector3d tangential = impulse - normal * record.normal;
  const double size = tangential.norm();
  if (!(size > 0.0 && normal > 0.0)) return;
  Eigen::Matrix<double, kErrorDimension, 1> gradient =
      Eigen::Matrix<double, kErrorDimension, 1>::Zero();
  gradient.segment<3>(tracking::kVPost) =
      body.mass * (tangential / size - mu->value * record.normal);
  gradient.segment<3>(tracking::kV) = -gradient.segment<3>(tracking::kVPost);
  const double sigma =
      std::hypot(std::sqrt(gradient.dot(impact.errors->Total() * gradient)), mu->sigma * normal);
  const double probability = NormalCdf((mu->value * normal - size) / sigma);
  findings.push_back(
      {.check = "admissibility",
       .trial = record.trial,
       .ok = probability >= level,
       .probability = probability,
       .text = fmt::format("ratio of tangential to normal impulse {:.3g} +- {:.2g}, {} mu = {:.3g} "
                           "of {}",
                           size / normal, sigma / normal,
                           size <= mu->value * normal ? "within" : "above", mu->value, fit.law)});
}

// Expected square of the reachability floor from the sigmas alone. With the momentum defect a, the
// jump is B P + [0; I^-1 a]; the floor is what of the second term no impulse can undo.
double CalcExpectedSquaredFloor(const CheckedImpact& impact, const solver::Body& body) {
  const ImpactGeometry geometry = CalcGeometry(*impact.record, body);
  const MomentumDefect defect = CalcMomentumDefect(*impact.record, *impact.errors, body);
  Eigen::Matrix<double, 6, 6> mass = Eigen::Matrix<double, 6, 6>::Zero();
  mass.topLeftCorner<3, 3>().diagonal().setConstant(body.mass);
  mass.bottomRightCorner<3, 3>() = geometry.inertia_W;
  Eigen::Matrix<double, 6, 3> jump = Eigen::Matrix<double, 6, 3>::Zero();
  jump.bottomRows<3>() = geometry.inertia_W.inverse();
  const Eigen::Matrix<double, 6, 3>& B = geometry.velocity_per_impulse;
  const Eigen::Matrix<double, 6, 3> left =
      jump - B * geometry.contact.inverse_mass.llt().solve(B.transpose() * mass * jump);
  const double before = MassNorm(body.mass, geometry.inertia_W, geometry.before);
  return (left.transpose() * mass * left * defect.covariance).trace() / (before * before);
}

AuditFinding AuditFloor(const std::vector<CheckedImpact>& impacts, const solver::Body& body,
                        const std::string& note) {
  double mean = 0.0;
  double squared = 0.0;
  double expected = 0.0;
  for (const CheckedImpact& impact : impacts) {
    const double floor = CalcReachabilityFloor(*impact.record, body);
    mean += floor;
    squared += floor * floor;
    expected += CalcExpectedSquaredFloor(impact, body);
  }
  const auto count = static_cast<double>(impacts.size());
  constexpr double kFarBeyond = 2.0;  // times what the sigmas explain, root mean square
  return {.check = "floor",
          .trial = "",
          .ok = std::sqrt(squared) <= kFarBeyond * std::sqrt(expected),
          .probability = kNaN,
          .text = fmt::format("no impulse through the contact point comes closer to the measured "
                              "velocities than {:.2g} % of the approach velocity on average (rms "
                              "{:.2g} %; the sigmas{} explain {:.2g} %)",
                              100.0 * mean / count, 100.0 * std::sqrt(squared / count), note,
                              100.0 * std::sqrt(expected / count))};
}

// Why a trial cannot be audited, or empty.
std::string ReasonUnchecked(const ImpactRecord& record, const ImpactErrors& errors) {
  const bool finite = record.r.allFinite() && record.normal.allFinite() && record.v.allFinite() &&
                      record.w.allFinite() && record.v_post.allFinite() &&
                      record.w_post.allFinite() && record.q_WB.coeffs().allFinite();
  return finite ? errors.reason_unusable : "a measured value is missing";
}

}  // namespace

std::vector<AuditFinding> AuditImpacts(const ImpactTable& table, const solver::Body& body,
                                       const std::vector<LawFit>& fits) {
  const FitOptions defaults;
  const std::vector<ImpactErrors> errors = CalcImpactErrors(
      table, {defaults.default_velocity_sigma, defaults.default_angular_velocity_sigma});
  std::vector<AuditFinding> findings;
  std::vector<CheckedImpact> impacts;
  bool assumed = false;
  for (size_t i = 0; i < table.impacts.size(); ++i) {
    const std::string reason = ReasonUnchecked(table.impacts[i], errors[i]);
    if (!reason.empty()) {
      findings.push_back({.check = "admissibility",
                          .trial = table.impacts[i].trial,
                          .ok = false,
                          .probability = kNaN,
                          .text = "cannot be checked: " + reason});
      continue;
    }
    impacts.push_back({&table.impacts[i], &errors[i]});
    assumed = assumed || errors[i].assumed;
  }
  if (impacts.empty()) return findings;
  const std::string note =
      assumed ? fmt::format(" (assumed: {} m/s, {} rad/s)", defaults.default_velocity_sigma,
                            defaults.default_angular_velocity_sigma)
              : "";
  const double level = kSignificance / static_cast<double>(impacts.size());
  AuditMomentum(impacts, body, note, level, findings);
  for (const CheckedImpact& impact : impacts) {
    AuditAdmissibility(impact, body, note, level, findings);
    for (const LawFit& fit : fits) AuditFriction(impact, body, fit, level, findings);
  }
  findings.push_back(AuditFloor(impacts, body, note));
  return findings;
}

}  // namespace percuss::fitting
