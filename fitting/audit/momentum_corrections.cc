// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/math/geometry.h"
#include "base/text/numbers.h"
#include "fitting/audit/momentum.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

constexpr std::array<const char*, 3> kAxes = {"x", "y", "z"};
// Defects of all impacts after a correction; `implausible` counts states that cannot be.
std::vector<MomentumDefect> CorrectedDefects(const std::vector<const Impact*>& impacts,
                                             solver::Body body, const Correction& correction,
                                             int* implausible = nullptr) {
  if (correction.apply_body) correction.apply_body(body);
  std::vector<MomentumDefect> defects;
  for (const Impact* impact : impacts) {
    ImpactRecord record = impact->record;
    if (correction.apply_record) correction.apply_record(record);
    defects.push_back(CalcMomentumDefect(record, impact->errors, body));
    if (implausible == nullptr) continue;
    const Eigen::Vector3d& n = record.normal;
    *implausible += n.dot(record.v + record.w.cross(record.r)) >= 0.0;
    *implausible += n.dot(record.v_post - record.v) <= 0.0;
    *implausible += n.dot(record.r) >= 0.0;
  }
  return defects;
}

void Judge(const std::vector<const Impact*>& impacts, const solver::Body& body, int num_parameters,
           Correction& correction) {
  int implausible = 0;
  const std::vector<MomentumDefect> defects =
      CorrectedDefects(impacts, body, correction, &implausible);
  const ScaleFit fit = FitScale(defects);
  for (const MomentumDefect& defect : defects) correction.chi_square += defect.chi_square;
  correction.squared_scale = fit.squared_scale;
  correction.num_parameters = num_parameters;
  correction.log_likelihood = fit.log_likelihood + correction.log_jacobian -
                              implausible * std::log(1000.0) -
                              0.5 * num_parameters * std::log(static_cast<double>(impacts.size()));
}

bool Moves(const std::vector<const Impact*>& impacts,
           const std::function<double(const ImpactRecord&)>& size) {
  return std::ranges::any_of(impacts,
                             [&](const Impact* impact) { return size(impact->record) != 0.0; });
}

Correction Scaled(const std::string& text, char kind, int axis, double scale) {
  Correction correction{.text = text};
  const std::string name = fmt::format("{}{}", kind, kAxes[axis]);
  correction.edits.push_back({name, scale, 0.0});
  if (kind != 'r') correction.edits.push_back({name + "_post", scale, 0.0});
  correction.apply_record = [kind, axis, scale](ImpactRecord& record) {
    if (kind == 'r') record.r[axis] *= scale;
    if (kind == 'v') record.v[axis] *= scale, record.v_post[axis] *= scale;
    if (kind == 'w') record.w[axis] *= scale, record.w_post[axis] *= scale;
  };
  return correction;
}

// All axes of one kind in another unit.
Correction OtherUnit(const std::string& text, char kind, double scale) {
  Correction all{.text = text};
  std::vector<Correction> axes;
  for (int axis = 0; axis < 3; ++axis) {
    axes.push_back(Scaled("", kind, axis, scale));
    all.edits.insert(all.edits.end(), axes.back().edits.begin(), axes.back().edits.end());
  }
  all.apply_record = [axes](ImpactRecord& record) {
    for (const Correction& one : axes) one.apply_record(record);
  };
  return all;
}

std::vector<Correction> SignsAndUnits(const std::vector<const Impact*>& impacts, int dof) {
  std::vector<Correction> corrections;
  for (int axis = 0; axis < 3; ++axis) {
    const auto w = [&](const ImpactRecord& r) {
      return std::abs(r.w[axis]) + std::abs(r.w_post[axis]);
    };
    const auto v = [&](const ImpactRecord& r) {
      return std::abs(r.v[axis]) + std::abs(r.v_post[axis]);
    };
    const auto arm = [&](const ImpactRecord& r) { return r.r[axis]; };
    if (Moves(impacts, w)) {
      corrections.push_back(Scaled(fmt::format("with w{0} of the opposite sign (rotation about {0} "
                                               "mirrored against the velocities)",
                                               kAxes[axis]),
                                   'w', axis, -1.0));
    }
    if (Moves(impacts, v)) {
      corrections.push_back(
          Scaled(fmt::format("with v{0} of the opposite sign (axis {0} mirrored against rotation)",
                             kAxes[axis]),
                 'v', axis, -1.0));
    }
    if (Moves(impacts, arm)) {
      corrections.push_back(
          Scaled(fmt::format("with r{0} of the opposite sign (contact arm mirrored along {0})",
                             kAxes[axis]),
                 'r', axis, -1.0));
    }
  }
  constexpr double kDegree = std::numbers::pi / 180.0;
  const auto of_turning = [&](const char* unit, double scale) {
    corrections.push_back(
        OtherUnit(fmt::format("with angular velocities taken as {}", unit), 'w', scale));
    corrections.back().log_jacobian = dof * std::log(scale);
  };
  of_turning("deg/s", kDegree);
  of_turning("rev/s", 2.0 * std::numbers::pi);
  of_turning("rpm", std::numbers::pi / 30.0);
  corrections.push_back(OtherUnit("with the contact arm taken as mm", 'r', 1e-3));
  return corrections;
}

// The constant that v_post of one axis lacks, by least squares with the weights of outliers.
Correction MissingConstant(const std::vector<const Impact*>& impacts, const solver::Body& body,
                           int axis) {
  double value = 0.0;
  double information = 0.0;
  double s2 = 1.0;
  for (int iteration = 0; iteration < 10; ++iteration) {
    const Correction so_far{.apply_record = [&](ImpactRecord& r) { r.v_post[axis] += value; }};
    const std::vector<MomentumDefect> defects = CorrectedDefects(impacts, body, so_far);
    const ScaleFit fit = FitScale(defects);
    s2 = fit.squared_scale;
    double right = 0.0;
    information = 0.0;
    for (size_t i = 0; i < impacts.size(); ++i) {
      // d(defect)/d(constant) = -m r x e_axis
      const Eigen::Vector3d slope =
          -body.mass * impacts[i]->record.r.cross(Eigen::Vector3d::Unit(axis));
      for (int k = 0; k < 3; ++k) {
        const double variance = defects[i].covariance(k, k);
        if (defects[i].dof == 0 || !(variance > 0.0)) continue;
        right -= fit.weights[i] * slope[k] * defects[i].value[k] / variance;
        information += fit.weights[i] * slope[k] * slope[k] / variance;
      }
    }
    if (!(information > 0.0)) return {};
    value += right / information;
    if (std::abs(right / information) < 1e-6 * (std::abs(value) + 1e-6)) break;
  }
  constexpr double kGravity = 9.80665;
  Correction correction{.value = value, .sigma = std::sqrt(s2 / information)};
  correction.text = fmt::format("with {} m/s added to v{}_post",
                                FormatWithSigma(value, correction.sigma), kAxes[axis]);
  if (axis == 2) {
    correction.text += fmt::format(" (what gravity takes in {:.3g} ms)", 1e3 * value / kGravity);
  }
  correction.edits = {{fmt::format("v{}_post", kAxes[axis]), 1.0, value}};
  correction.apply_record = [axis, value](ImpactRecord& r) { r.v_post[axis] += value; };
  return correction;
}

// Arm and velocities of the point that is away from the stated mass centre by `shift`, body axes.
std::function<void(ImpactRecord&)> SeenFrom(const Eigen::Vector3d& shift) {
  return [shift](ImpactRecord& record) {
    const Eigen::Vector3d shift_W = record.q_WB * shift;
    record.r -= shift_W;
    record.v += record.w.cross(shift_W);
    record.v_post += record.w_post.cross(shift_W);
  };
}

// Another mass centre, by least squares with the weights of outliers. Along an axis about which
// alone the body turns nothing shows it, and it stays.
Correction OtherMassCentre(const std::vector<const Impact*>& impacts, const solver::Body& body,
                           int* num_parameters) {
  Eigen::Vector3d shift = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Correction so_far{.apply_record = SeenFrom(shift)};
    const std::vector<MomentumDefect> defects = CorrectedDefects(impacts, body, so_far);
    const ScaleFit fit = FitScale(defects);
    Eigen::Vector3d right = Eigen::Vector3d::Zero();
    Eigen::Matrix3d information = Eigen::Matrix3d::Zero();
    for (size_t i = 0; i < impacts.size(); ++i) {
      if (defects[i].dof == 0) continue;
      ImpactRecord record = impacts[i]->record;
      so_far.apply_record(record);
      // d(defect)/d(shift): the arm loses the shift, the jump of v gains dw x shift.
      const Eigen::Matrix3d slope =
          -body.mass *
          (Skew(Eigen::Vector3d(record.v_post - record.v)) +
           Skew(record.r) * Skew(Eigen::Vector3d(record.w_post - record.w))) *
          record.q_WB.toRotationMatrix();
      for (int k = 0; k < 3; ++k) {
        const double variance = defects[i].covariance(k, k);
        if (!(variance > 0.0)) continue;
        const double weight = fit.weights[i] / variance;
        right -= weight * defects[i].value[k] * slope.row(k).transpose();
        information += weight * slope.row(k).transpose() * slope.row(k);
      }
    }
    Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix3d> decomposition;
    decomposition.setThreshold(1e-9);
    decomposition.compute(information);
    *num_parameters = static_cast<int>(decomposition.rank());
    if (*num_parameters == 0) return {};
    const Eigen::Vector3d step = decomposition.solve(right);
    covariance = fit.squared_scale * decomposition.pseudoInverse();
    shift += step;
    if (step.norm() < 1e-6 * (shift.norm() + 1e-6)) break;
  }
  Correction correction{.value = shift.norm(), .apply_record = SeenFrom(shift)};
  correction.sigma = std::sqrt(shift.dot(covariance * shift)) / std::max(shift.norm(), 1e-12);
  std::string places;
  for (int k = 0; k < 3; ++k) {
    places +=
        (k > 0 ? ", " : "") + FormatWithSigma(1e3 * shift[k], 1e3 * std::sqrt(covariance(k, k)));
  }
  correction.text = fmt::format(
      "with the mass centre ({}) mm from where it is stated, along the body axes (of which the "
      "velocities and arms of a table have to be),",
      places);
  correction.body_edit =
      fmt::format("mass_centre: [{:.4g}, {:.4g}, {:.4g}]", shift.x(), shift.y(), shift.z());
  return correction;
}

std::string BodyEdit(const solver::Body& body, bool planar) {
  if (planar) {
    return fmt::format("radius_of_gyration: {:.4g}", std::sqrt(body.inertia(1, 1) / body.mass));
  }
  return fmt::format("inertia: [{:.4g}, {:.4g}, {:.4g}]", body.inertia(0, 0), body.inertia(1, 1),
                     body.inertia(2, 2));
}

// Another inertia about one body axis, or as a whole (axis 3), by the factor of most likelihood.
// `record_as` is done to the records first.
Correction OtherInertia(const std::vector<const Impact*>& impacts, const solver::Body& body,
                        int axis, bool planar,
                        const std::function<void(ImpactRecord&)>& record_as = {}) {
  const auto with_factor = [&](double log_factor) {
    Correction correction{.value = std::exp(log_factor)};
    correction.apply_record = record_as;
    const double root = std::exp(0.5 * log_factor);
    correction.apply_body = [axis, root](solver::Body& changed) {
      for (int k = 0; k < 3; ++k) {
        if (axis != 3 && axis != k) continue;
        changed.inertia.row(k) *= root;
        changed.inertia.col(k) *= root;
      }
    };
    return correction;
  };
  const double jacobian = (axis == 3 ? 3.0 : 1.0) * static_cast<double>(impacts.size());
  const auto likelihood = [&](double log_factor) {
    return jacobian * log_factor +
           FitScale(CorrectedDefects(impacts, body, with_factor(log_factor))).log_likelihood;
  };
  // Coarse grid, then golden section.
  const double widest = std::log(10.0);
  constexpr int kGrid = 12;
  double best = 0.0;
  double most = -std::numeric_limits<double>::infinity();
  for (int k = -kGrid; k <= kGrid; ++k) {
    const double at = widest * k / kGrid;
    const double value = likelihood(at);
    if (value > most) most = value, best = at;
  }
  double low = best - widest / kGrid;
  double high = best + widest / kGrid;
  constexpr double kGolden = 0.3819660112501051;
  for (int k = 0; k < 14; ++k) {
    const double left = low + kGolden * (high - low);
    const double right = high - kGolden * (high - low);
    (likelihood(left) > likelihood(right) ? high = right : low = left);
  }
  best = 0.5 * (low + high);
  constexpr double kStep = 0.02;
  const double curvature =
      (likelihood(best + kStep) + likelihood(best - kStep) - 2.0 * likelihood(best)) /
      (kStep * kStep);
  Correction correction = with_factor(best);
  correction.log_jacobian = jacobian * best;
  correction.sigma = curvature < 0.0 ? correction.value / std::sqrt(-curvature)
                                     : std::numeric_limits<double>::infinity();
  solver::Body changed = body;
  correction.apply_body(changed);
  correction.body_edit = BodyEdit(changed, planar);
  correction.text =
      axis == 3 ? fmt::format("with the whole inertia {:.3g} times as large", correction.value)
                : fmt::format("with the inertia about body axis {} {:.3g} times as large",
                              kAxes[axis], correction.value);
  if (planar) {
    correction.text += fmt::format(" (radius of gyration {:.4g} m instead of {:.4g} m)",
                                   std::sqrt(changed.inertia(1, 1) / body.mass),
                                   std::sqrt(body.inertia(1, 1) / body.mass));
  }
  return correction;
}

// Whoever has the mass centre wrong has hardly the right inertia about it: both, in turns.
Correction OtherMassCentreAndInertia(const std::vector<const Impact*>& impacts,
                                     const solver::Body& body, int* num_parameters) {
  constexpr int kTurns = 20;
  Correction centre = OtherMassCentre(impacts, body, num_parameters);
  Correction inertia;
  for (int turn = 0; turn < kTurns; ++turn) {
    if (*num_parameters == 0) return {};
    const double before = inertia.value;
    inertia = OtherInertia(impacts, body, 3, false, centre.apply_record);
    solver::Body changed = body;
    inertia.apply_body(changed);
    centre = OtherMassCentre(impacts, changed, num_parameters);
    if (std::abs(inertia.value - before) < 1e-3 * inertia.value) break;
  }
  if (*num_parameters == 0) return {};
  *num_parameters += 1;
  centre.text += fmt::format(" and the inertia about it {:.3g} times as large,", inertia.value);
  centre.body_edit += ", " + inertia.body_edit;
  centre.apply_body = inertia.apply_body;
  centre.log_jacobian = inertia.log_jacobian;
  return centre;
}

}  // namespace

std::vector<Correction> TestCorrections(const std::vector<const Impact*>& impacts,
                                        const solver::Body& body) {
  const auto turns = [&](int axis) {
    return Moves(impacts, [axis](const ImpactRecord& r) {
      return std::abs(r.w[axis]) + std::abs(r.w_post[axis]);
    });
  };
  const bool planar = turns(1) && !turns(0) && !turns(2);
  std::vector<Correction> corrections(1);
  int dof = 0;
  for (const MomentumDefect& defect : CalcMomentumDefects(impacts, body)) dof += defect.dof;
  for (Correction& correction : SignsAndUnits(impacts, dof)) corrections.push_back(correction);
  for (Correction& correction : corrections) Judge(impacts, body, 0, correction);
  for (int axis = 0; axis < 3; ++axis) {
    if (Moves(impacts, [axis](const ImpactRecord& r) { return r.v_post[axis]; })) {
      Correction correction = MissingConstant(impacts, body, axis);
      if (!correction.text.empty()) {
        Judge(impacts, body, 1, correction);
        corrections.push_back(correction);
      }
    }
    if (!turns(axis)) continue;
    Correction correction = OtherInertia(impacts, body, axis, planar);
    Judge(impacts, body, 1, correction);
    corrections.push_back(correction);
  }
  int num_parameters = 0;
  Correction centre = OtherMassCentre(impacts, body, &num_parameters);
  // With as many numbers as there are balances everything fits, however well things were stated.
  const auto told = [&] { return dof >= 2 * num_parameters; };
  if (!centre.text.empty() && told()) {
    Judge(impacts, body, num_parameters, centre);
    corrections.push_back(std::move(centre));
  }
  if (!planar && turns(1)) {
    Correction correction = OtherInertia(impacts, body, 3, planar);
    Judge(impacts, body, 1, correction);
    corrections.push_back(correction);
    // Two mistakes at once: only where none alone comes near.
    Correction both = OtherMassCentreAndInertia(impacts, body, &num_parameters);
    if (!both.text.empty() && told()) {
      Judge(impacts, body, num_parameters, both);
      const double most =
          std::ranges::max(corrections, {}, &Correction::log_likelihood).log_likelihood;
      if (both.log_likelihood > most + std::log(1000.0)) corrections.push_back(std::move(both));
    }
  }
  std::ranges::sort(corrections, std::greater<>(), &Correction::log_likelihood);
  double sum = 0.0;
  for (Correction& correction : corrections) {
    correction.probability =
        std::exp(correction.log_likelihood - corrections.front().log_likelihood);
    sum += correction.probability;
  }
  for (Correction& correction : corrections) correction.probability /= sum;
  return corrections;
}

}  // namespace percuss::fitting
