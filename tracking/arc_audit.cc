// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arc_audit.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace percuss::tracking {

std::vector<ArcResidual> ResidualsBeyondCalibration(const Linearisation& linear,
                                                    std::span<const int> unknowns,
                                                    const Eigen::MatrixXd& calibration_covariance,
                                                    std::vector<ArcResidual> residuals) {
  if (linear.by_calibration.cols() == 0 || calibration_covariance.norm() == 0.0) return residuals;
  // dc = F u with F F^T = C and a unit prior on u: C may be singular.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(calibration_covariance);
  const Eigen::MatrixXd F =
      modes.eigenvectors() * modes.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  const std::vector<int> columns(unknowns.begin(), unknowns.end());
  const auto num_states = static_cast<Eigen::Index>(columns.size());
  Eigen::MatrixXd J(linear.residuals.size(), num_states + F.cols());
  J << linear.jacobian(Eigen::all, columns), linear.by_calibration * F;
  Eigen::MatrixXd normal = J.transpose() * J;
  normal.diagonal().tail(F.cols()).array() += 1.0;
  const Eigen::VectorXd change = J * normal.ldlt().solve(-J.transpose() * linear.residuals);
  Eigen::Index row = 0;
  for (ArcResidual& residual : residuals) {
    if (residual.weight > 0.0)
      residual.value += change.segment(row, residual.value.size()) / residual.weight;
    row += residual.value.size();
  }
  return residuals;
}

PoseJump FindPoseJump(const Linearisation& linear, std::span<const ArcResidual> residuals,
                      std::span<const int> unknowns, double variance,
                      const Eigen::MatrixXd& calibration_covariance) {
  // The time is held: with two poses it moves along both flights and changes nothing.
  std::vector<int> columns;
  std::vector<int> jump_columns;
  for (const int column : unknowns) {
    if (column == kTimeColumn) continue;
    columns.push_back(column);
    if (column >= kImpactColumn + kPosition && column < kImpactColumn + kV)
      jump_columns.push_back(column);
  }
  const auto num_states = static_cast<Eigen::Index>(columns.size());
  const auto num_jumps = static_cast<Eigen::Index>(jump_columns.size());
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(linear.residuals.size(), num_states + num_jumps);
  J.leftCols(num_states) = linear.jacobian(Eigen::all, columns);
  Eigen::Index row = 0;
  for (const ArcResidual& residual : residuals) {
    const Eigen::Index size = residual.value.size();
    if (residual.arc == 1) {
      J.block(row, num_states, size, num_jumps) =
          linear.jacobian(Eigen::all, jump_columns).middleRows(row, size);
    }
    row += size;
  }
  PoseJump jump;
  const Eigen::LDLT<Eigen::MatrixXd> solver(J.transpose() * J);
  if (solver.info() != Eigen::Success || !(solver.vectorD().minCoeff() > 0.0)) return jump;
  const Eigen::VectorXd step = -solver.solve(J.transpose() * linear.residuals).tail(num_jumps);
  Eigen::MatrixXd covariance =
      variance * solver.solve(Eigen::MatrixXd::Identity(J.cols(), J.cols()))
                     .bottomRightCorner(num_jumps, num_jumps);
  if (linear.by_calibration.cols() > 0) {
    const Eigen::MatrixXd sensitivity =
        solver.solve(J.transpose() * linear.by_calibration).bottomRows(num_jumps);
    covariance += sensitivity * calibration_covariance * sensitivity.transpose();
  }
  Eigen::Matrix<double, 6, 1> full = Eigen::Matrix<double, 6, 1>::Zero();
  std::vector<int> places;
  for (const int column : jump_columns) places.push_back(column - kImpactColumn);
  full(places) = step;
  jump.position = full.head<3>();
  jump.rotation = full.tail<3>();
  jump.covariance(places, places) = covariance;
  jump.degrees_of_freedom = static_cast<int>(num_jumps) - 1;
  jump.chi2 = step.dot(covariance.ldlt().solve(step));
  return jump;
}

}  // namespace percuss::tracking
