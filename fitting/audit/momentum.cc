// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/audit/momentum.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/geometry.h"

namespace percuss::fitting {

using impacts::ImpactRecord;

std::vector<MomentumDefect> CalcMomentumDefects(const std::vector<const Impact*>& impacts,
                                                const solver::Body& body) {
  std::vector<MomentumDefect> defects;
  for (const Impact* impact : impacts)
    defects.push_back(CalcMomentumDefect(impact->record, impact->errors, body));
  return defects;
}

Eigen::Vector3d RegressMomentum(const std::vector<const Impact*>& impacts,
                                const solver::Body& body) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  for (const Impact* impact : impacts) {
    const ImpactRecord& record = impact->record;
    const Eigen::Matrix3d R_WB = record.q_WB.toRotationMatrix();
    const Eigen::Vector3d jump = body.mass * (record.v_post - record.v);
    const Eigen::Matrix3d terms = Skew(record.r) * jump.asDiagonal();
    // In angular velocities, so that no axis counts more for its inertia.
    const Eigen::Matrix3d inverse = R_WB * body.inertia.inverse() * R_WB.transpose();
    normal += terms.transpose() * inverse * inverse * terms;
    right += terms.transpose() * inverse * (record.w_post - record.w);
  }
  Eigen::Vector3d coefficients = Eigen::Vector3d::Constant(kNaN);
  std::vector<int> moving;
  for (int axis = 0; axis < 3; ++axis) {
    if (normal(axis, axis) > 1e-9 * normal.diagonal().maxCoeff()) moving.push_back(axis);
  }
  if (moving.empty()) return coefficients;
  const Eigen::MatrixXd reduced = normal(moving, moving);
  const Eigen::VectorXd target = right(moving);
  const Eigen::VectorXd solution = reduced.ldlt().solve(target);
  coefficients(moving) = solution;
  return coefficients;
}

ScaleFit FitScale(const std::vector<MomentumDefect>& defects) {
  double total_dof = 0.0;
  double mean = 0.0;
  for (const MomentumDefect& defect : defects) {
    total_dof += defect.dof;
    mean += defect.chi_square;
  }
  constexpr double kTailDof = 4.0;
  ScaleFit fit;
  fit.weights.assign(defects.size(), 1.0);
  if (total_dof == 0.0) return fit;
  double s2 = std::max(mean / total_dof, 1e-300);
  for (int iteration = 0; iteration < 50; ++iteration) {
    double sum = 0.0;
    for (size_t i = 0; i < defects.size(); ++i) {
      fit.weights[i] = (kTailDof + defects[i].dof) / (kTailDof + defects[i].chi_square / s2);
      sum += fit.weights[i] * defects[i].chi_square;
    }
    const double next = std::max(sum / total_dof, 1e-300);
    const bool settled = std::abs(next - s2) < 1e-6 * s2;
    s2 = next;
    if (settled) break;
  }
  fit.squared_scale = s2;
  for (const MomentumDefect& defect : defects) {
    fit.log_likelihood -=
        0.5 * ((kTailDof + defect.dof) * std::log1p(defect.chi_square / (kTailDof * s2)) +
               defect.dof * std::log(s2));
    fit.log_likelihood -= 0.5 * defect.log_determinant;
  }
  return fit;
}

}  // namespace percuss::fitting
