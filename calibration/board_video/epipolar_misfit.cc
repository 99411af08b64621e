// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/epipolar_misfit.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace percuss::calibration {
namespace {

using Matrix9 = Eigen::Matrix<double, 9, 9>;
using Vector9 = Eigen::Matrix<double, 9, 1>;

// Shift and scale to mean 0 and mean square 1 in each direction.
struct Scaling {
  Eigen::Array2d mean = Eigen::Array2d::Zero();
  double scale = 1.0;

  Eigen::Matrix3d Matrix() const {
    Eigen::Matrix3d matrix = Eigen::Matrix3d::Identity();
    matrix.diagonal() << scale, scale, 1.0;
    matrix.topRightCorner<2, 1>() = -scale * mean.matrix();
    return matrix;
  }
};

bool Known(const RayPair& pair, std::size_t k) {
  return pair.left[k].allFinite() && pair.right[k].allFinite();
}

bool Used(const std::vector<char>& used, std::size_t pair) {
  return used.empty() || used[pair] != 0;
}

Scaling ScalingOf(const std::vector<RayPair>& pairs, std::vector<Eigen::Vector2d> RayPair::*side) {
  Eigen::Array2d sum = Eigen::Array2d::Zero(), squares = Eigen::Array2d::Zero();
  double count = 0.0;
  for (const RayPair& pair : pairs) {
    for (std::size_t k = 0; k < pair.left.size(); ++k) {
      if (!Known(pair, k)) continue;
      sum += (pair.*side)[k].array();
      squares += (pair.*side)[k].array().square();
      count += 1.0;
    }
  }
  if (count == 0.0) return {};
  const Eigen::Array2d mean = sum / count;
  const double variance = (squares / count - mean.square()).mean();
  return {.mean = mean, .scale = variance > 0.0 ? 1.0 / std::sqrt(variance) : 1.0};
}

// Products of the two rays, so that row . e = x'^T E x with E stored row by row.
Vector9 RowOf(const Eigen::Vector3d& left, const Eigen::Vector3d& right) {
  Vector9 row;
  row << right.x() * left, right.y() * left, right.z() * left;
  return row;
}

// (x'^T E x)^2 over the squared gradient by the four coordinates.
struct Sampson {
  double algebraic, gradient;
};

Sampson SampsonOf(const Eigen::Matrix3d& E, const Eigen::Vector2d& left,
                  const Eigen::Vector2d& right) {
  const Eigen::Vector3d line = E * left.homogeneous();
  const Eigen::Vector3d back = E.transpose() * right.homogeneous();
  const double algebraic = right.homogeneous().dot(line);
  return {algebraic * algebraic, line.head<2>().squaredNorm() + back.head<2>().squaredNorm()};
}

}  // namespace

EpipolarMisfit MeasureEpipolarMisfit(const std::vector<RayPair>& pairs, int rounds,
                                     const std::vector<char>& used) {
  const Eigen::Matrix3d scale_left = ScalingOf(pairs, &RayPair::left).Matrix();
  const Eigen::Matrix3d scale_right = ScalingOf(pairs, &RayPair::right).Matrix();
  Eigen::Matrix3d E = Eigen::Matrix3d::Zero();
  for (int round = 0; round < rounds; ++round) {
    Matrix9 normal = Matrix9::Zero();
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      if (!Used(used, p)) continue;
      for (std::size_t k = 0; k < pairs[p].left.size(); ++k) {
        if (!Known(pairs[p], k)) continue;
        const Eigen::Vector2d &left = pairs[p].left[k], &right = pairs[p].right[k];
        const Vector9 row =
            RowOf(scale_left * left.homogeneous(), scale_right * right.homogeneous());
        const double weight = round == 0 ? 1.0 : 1.0 / SampsonOf(E, left, right).gradient;
        normal.selfadjointView<Eigen::Lower>().rankUpdate(row, weight);
      }
    }
    const Eigen::SelfAdjointEigenSolver<Matrix9> eigen(normal);
    const Vector9 e = eigen.eigenvectors().col(0);
    Eigen::Matrix3d scaled;
    scaled << e.segment<3>(0).transpose(), e.segment<3>(3).transpose(), e.segment<3>(6).transpose();
    E = scale_right.transpose() * scaled * scale_left;
  }
  EpipolarMisfit misfit;
  double sum = 0.0, count = 0.0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    double squares = 0.0, points = 0.0;
    for (std::size_t k = 0; k < pairs[p].left.size(); ++k) {
      if (!Known(pairs[p], k)) continue;
      const Sampson sampson = SampsonOf(E, pairs[p].left[k], pairs[p].right[k]);
      squares += sampson.algebraic / sampson.gradient;
      points += 1.0;
    }
    misfit.squares.push_back(squares / points);  // NaN without points
    if (!Used(used, p) || points == 0.0) continue;
    sum += squares;
    count += points;
  }
  misfit.mean =
      count > 0.0 && std::isfinite(sum) ? sum / count : std::numeric_limits<double>::infinity();
  return misfit;
}

}  // namespace percuss::calibration
