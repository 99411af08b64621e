// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/arc_audit.h"

#include <Eigen/Cholesky>

#include "base/math/covariance_root.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

std::vector<ArcResidual> Unweighted(const Eigen::VectorXd& changed,
                                    std::vector<ArcResidual> residuals) {
  Eigen::Index row = 0;
  for (ArcResidual& residual : residuals) {
    const Eigen::Index size = residual.value.size();
    if (residual.weight > 0.0) residual.value = changed.segment(row, size) / residual.weight;
    row += size;
  }
  return residuals;
}

Eigen::MatrixXd ResidualsAndColumns(const Linearisation& linear, std::span<const int> unknowns,
                                    const Eigen::MatrixXd& calibration_covariance) {
  std::vector<Eigen::Index> seen;
  for (Eigen::Index i = 0; i < linear.by_calibration.cols(); ++i) {
    if (!linear.by_calibration.col(i).isZero(0.0)) seen.push_back(i);
  }
  const Eigen::MatrixXd root = CovarianceRoot(calibration_covariance(seen, seen));
  const std::vector<int> columns(unknowns.begin(), unknowns.end());
  Eigen::MatrixXd rows(linear.residuals.size(), 1 + std::ssize(columns) + root.cols());
  rows << linear.residuals, linear.jacobian(Eigen::all, columns),
      linear.by_calibration(Eigen::all, seen) * root;
  return rows;
}

Eigen::VectorXd BeyondCalibration(const Eigen::MatrixXd& rows, Eigen::Index num_unknowns) {
  const Eigen::Index num_columns = rows.cols() - 1, num_modes = num_columns - num_unknowns;
  if (num_modes == 0) return rows.col(0);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(rows.cols(), rows.cols());
  normal.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
  normal.diagonal().tail(num_modes).array() += 1.0;
  const Eigen::VectorXd step = normal.bottomRightCorner(num_columns, num_columns)
                                   .ldlt()
                                   .solve(normal.col(0).tail(num_columns));
  return rows.col(0) - rows.rightCols(num_columns) * step;
}

PoseJump FindPoseJump(const ArcProblem& problem, std::span<const ArcFrame> frames,
                      Linearisation linear, double variance,
                      const Eigen::MatrixXd& calibration_covariance,
                      const std::optional<Eigen::Vector3d>& axis) {
  // The time is held: with two poses it moves along both flights and changes nothing.
  std::vector<int> columns;
  std::vector<int> jump_columns;
  for (const int column : problem.unknowns) {
    if (column == kTimeColumn) continue;
    columns.push_back(column);
    if (column >= kImpactColumn + kPosition && column < kImpactColumn + kV)
      jump_columns.push_back(column);
  }
  const auto num_states = static_cast<Eigen::Index>(columns.size());
  Eigen::MatrixXd directions =
      Eigen::MatrixXd::Identity(std::ssize(jump_columns), std::ssize(jump_columns));
  if (axis) {  // a turn about it is no jump
    const Eigen::Vector3d across = axis->unitOrthogonal();
    directions.conservativeResize(6, 5);
    directions.bottomRightCorner<3, 2>() << across, axis->cross(across);
  }
  const Eigen::Index num_jumps = directions.cols();
  Eigen::MatrixXd by_jumps = Eigen::MatrixXd::Zero(linear.residuals.size(), num_jumps);
  Eigen::Index row = 0;
  for (const ArcFrame& frame : frames) {
    for (const Sighting& sighting : frame.sightings) {
      const Eigen::Index size = sighting.whitening.rows();
      if (frame.arc == 1) {
        by_jumps.middleRows(row, size) =
            linear.jacobian(Eigen::all, jump_columns).middleRows(row, size) * directions;
      }
      row += size;
    }
  }
  WhitenSharedOffsets(frames, problem.shared_offsets, by_jumps);
  linear = Whitened(std::move(linear), problem, frames);
  Eigen::MatrixXd J(linear.residuals.size(), num_states + num_jumps);
  J << linear.jacobian(Eigen::all, columns), by_jumps;
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
  full(places) = directions * step;
  jump.position = full.head<3>();
  jump.rotation = full.tail<3>();
  jump.covariance(places, places) = directions * covariance * directions.transpose();
  jump.degrees_of_freedom = static_cast<int>(num_jumps) - 1;
  jump.chi2 = step.dot(covariance.ldlt().solve(step));
  return jump;
}

}  // namespace percuss::tracking
