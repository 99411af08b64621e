// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/assignment.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace percuss {

namespace {

/// Assign for a matrix in which every row and every column has a pair worth making.
std::vector<int> AssignDense(const Eigen::MatrixXd& cost, double cost_of_none) {
  const Eigen::Index rows = cost.rows(), real_columns = cost.cols();
  // Each row has a column of its own that stands for "none", so that every row can be served.
  const Eigen::Index columns = real_columns + rows;
  const auto price = [&](Eigen::Index row, Eigen::Index column) {
    return column < real_columns ? std::min(cost(row, column), cost_of_none * 2.0 + 1.0)
                                 : cost_of_none;
  };

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Eigen::VectorXd row_dual = Eigen::VectorXd::Zero(rows);
  Eigen::VectorXd column_dual = Eigen::VectorXd::Zero(columns);
  std::vector<Eigen::Index> row_of_column(columns, -1);

  for (Eigen::Index start = 0; start < rows; ++start) {
    // Dijkstra over reduced costs from the unserved row to the nearest free column.
    Eigen::VectorXd distance = Eigen::VectorXd::Constant(columns, kInfinity);
    std::vector<Eigen::Index> previous(columns, -1);
    Eigen::ArrayXi done = Eigen::ArrayXi::Zero(columns);
    Eigen::Index row = start, last_column = -1;
    double reached = 0.0;
    while (true) {
      Eigen::Index nearest = -1;
      for (Eigen::Index column = 0; column < columns; ++column) {
        if (done[column]) continue;
        const double through = reached + price(row, column) - row_dual[row] - column_dual[column];
        if (through < distance[column]) {
          distance[column] = through;
          previous[column] = last_column;
        }
        if (nearest < 0 || distance[column] < distance[nearest]) nearest = column;
      }
      done[nearest] = 1;
      reached = distance[nearest];
      last_column = nearest;
      row = row_of_column[nearest];
      if (row < 0) break;
    }
    // Prices stay feasible, then the path is flipped.
    for (Eigen::Index column = 0; column < columns; ++column) {
      if (!done[column] || column == last_column) continue;
      const double slack = reached - distance[column];
      column_dual[column] -= slack;
      row_dual[row_of_column[column]] += slack;
    }
    row_dual[start] += reached;
    while (last_column >= 0) {
      const Eigen::Index before = previous[last_column];
      row_of_column[last_column] = before < 0 ? start : row_of_column[before];
      last_column = before;
    }
  }

  std::vector<int> column_of_row(rows, -1);
  for (Eigen::Index column = 0; column < real_columns; ++column) {
    const Eigen::Index row = row_of_column[column];
    if (row >= 0 && cost(row, column) <= cost_of_none)
      column_of_row[row] = static_cast<int>(column);
  }
  return column_of_row;
}

}  // namespace

std::vector<int> Assign(const Eigen::MatrixXd& cost, double cost_of_none) {
  if (!cost.allFinite() || !std::isfinite(cost_of_none)) {
    throw std::invalid_argument(
        fmt::format("Assign: cost and cost_of_none ({}) must be finite", cost_of_none));
  }
  // Gates leave most rows and columns without any pair: only the rest needs the cubic search.
  std::vector<Eigen::Index> rows, columns;
  for (Eigen::Index row = 0; row < cost.rows(); ++row) {
    if ((cost.row(row).array() <= cost_of_none).any()) rows.push_back(row);
  }
  for (Eigen::Index column = 0; column < cost.cols(); ++column) {
    if ((cost.col(column).array() <= cost_of_none).any()) columns.push_back(column);
  }
  std::vector<int> column_of_row(cost.rows(), -1);
  if (rows.empty()) return column_of_row;
  const std::vector<int> reduced = AssignDense(cost(rows, columns), cost_of_none);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (reduced[i] < 0) continue;
    column_of_row[rows[i]] = static_cast<int>(columns[reduced[i]]);
  }
  return column_of_row;
}

}  // namespace percuss
