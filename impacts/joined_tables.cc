// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "impacts/joined_tables.h"

#include <fmt/format.h>

#include <stdexcept>

namespace percuss::impacts {

ImpactTable JoinTables(std::span<const ImpactTable> tables, Eigen::Index common) {
  Eigen::Index size = common;
  for (const ImpactTable& table : tables) {
    const Eigen::Index own = table.calibration_covariance.rows();
    if (own < common)
      throw std::invalid_argument(fmt::format(
          "a table of {} parameters, allowed at least the {} that all share", own, common));
    size += own - common;
  }
  ImpactTable joint;
  Eigen::MatrixXd& covariance = joint.calibration_covariance;
  covariance = Eigen::MatrixXd::Zero(size, size);
  Eigen::Index first = common;
  for (const ImpactTable& table : tables) {
    const Eigen::MatrixXd& one = table.calibration_covariance;
    const Eigen::Index own = one.rows() - common;
    if (!one.topRightCorner(common, own).isZero(0.0))
      throw std::invalid_argument(
          fmt::format("the first {} parameters of a table, which all share, are correlated with "
                      "others, allowed independent ones",
                      common));
    covariance.topLeftCorner(common, common) = one.topLeftCorner(common, common);
    covariance.block(first, first, own, own) = one.bottomRightCorner(own, own);
    for (ImpactRecord impact : table.impacts) {
      const Eigen::MatrixXd by = impact.calibration_sensitivity;
      if (by.cols() != one.rows())
        throw std::invalid_argument(
            fmt::format("impact {}: a sensitivity to {} parameters, allowed {} as of its table",
                        impact.trial, by.cols(), one.rows()));
      impact.calibration_sensitivity = Eigen::MatrixXd::Zero(by.rows(), size);
      impact.calibration_sensitivity.leftCols(common) = by.leftCols(common);
      impact.calibration_sensitivity.middleCols(first, own) = by.rightCols(own);
      joint.impacts.push_back(std::move(impact));
    }
    first += own;
  }
  return joint;
}

}  // namespace percuss::impacts
