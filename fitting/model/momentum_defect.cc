// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/momentum_defect.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math/geometry.h"
#include "fitting/model/impact_model.h"
#include "solver/body/inertia_errors.h"

namespace percuss::fitting {

using impacts::ImpactRecord;

MomentumDefect CalcMomentumDefect(const ImpactRecord& record, const ImpactErrors& errors,
                                  const solver::Body& body) {
  const Eigen::Matrix3d inertia = InertiaInWorld(record.q_WB, body);
  const Eigen::Vector3d turn_jump = record.w_post - record.w;
  const Eigen::Vector3d impulse = body.mass * (record.v_post - record.v);
  Eigen::Matrix<double, 3, kErrorDimension> jacobian =
      Eigen::Matrix<double, 3, kErrorDimension>::Zero();
  const Eigen::Matrix3d by_arm = Skew(impulse);  // -(dr x P) = P x dr
  const ErrorCovariance own = errors.own.Full();
  const bool turned = own.diagonal().segment<3>(impacts::kRotation).maxCoeff() > 0.0 ||
                      !errors.shared.middleRows<3>(impacts::kRotation).isZero(0.0);
  if (turned) {
    jacobian.middleCols<3>(impacts::kRotation) = inertia * Skew(turn_jump) -
                                                 Skew(inertia * turn_jump) +
                                                 by_arm * ContactArmPerRotation(record, body);
  }
  jacobian.middleCols<3>(kArm) = by_arm;
  const Eigen::Matrix3d R_WB = record.q_WB.toRotationMatrix();
  const auto directions = solver::InertiaDirections(body.inertia);
  for (int i = 0; i < 6; ++i)
    jacobian.col(kInertia + i) = R_WB * directions[i] * R_WB.transpose() * turn_jump;
  jacobian.middleCols<3>(impacts::kV) = body.mass * Skew(record.r);
  jacobian.middleCols<3>(impacts::kVPost) = -body.mass * Skew(record.r);
  jacobian.middleCols<3>(impacts::kW) = -inertia;
  jacobian.middleCols<3>(impacts::kWPost) = inertia;

  MomentumDefect defect;
  defect.value = inertia * turn_jump - record.r.cross(impulse);
  const Eigen::Matrix<double, 3, Eigen::Dynamic> by_shared = jacobian * errors.shared;
  defect.covariance = jacobian * own * jacobian.transpose() + by_shared * by_shared.transpose();
  const Eigen::Vector3d sigma = defect.covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  // A component that was never measured has a sigma beyond every other by orders.
  const double unmeasured =
      errors.fully_measured
          ? std::numeric_limits<double>::infinity()
          : 1e-3 * impacts::kUnmeasuredSigma * std::min(inertia.diagonal().minCoeff(), body.mass);
  double largest = 0.0;
  for (const double s : sigma) {
    if (s < unmeasured) largest = std::max(largest, s);
  }
  const Eigen::Vector3d inverse = sigma.unaryExpr(
      [&](double s) { return s > 1e-9 * largest && s < unmeasured ? 1.0 / s : 0.0; });
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(
      inverse.asDiagonal() * defect.covariance * inverse.asDiagonal());
  const Eigen::Vector3d along =
      eigen.eigenvectors().transpose() * inverse.cwiseProduct(defect.value);
  for (int k = 0; k < 3; ++k) {
    if (inverse[k] > 0.0) defect.log_determinant -= 2.0 * std::log(inverse[k]);
    if (!(eigen.eigenvalues()[k] > 1e-9)) continue;
    defect.log_determinant += std::log(eigen.eigenvalues()[k]);
    defect.chi_square += along[k] * along[k] / eigen.eigenvalues()[k];
    ++defect.dof;
  }
  return defect;
}

}  // namespace percuss::fitting
