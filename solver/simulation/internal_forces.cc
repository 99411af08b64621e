// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/internal_forces.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>

namespace percuss::solver {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kRank = 1e-10;   // as of SmallestForces: else forces fill what has no answer
constexpr double kEnough = 1e-2;  // below zero, of the largest force
constexpr double kMost = 100.0;   // that is added, of the largest force
constexpr double kGap = 1e-11;    // to the least excess, of the largest force
constexpr int kNewtonSteps = 400;

// The excess e in the cones |f_t| <= mu_s f_n + e, and -f_n <= e of points that slip, over
// y = (z, e) for the forces start + null z, by the barrier -sum log((mu_s f_n + e)^2 - |f_t|^2).
// It is bounded by -log(kMost^2 - |z|^2): cones may have a direction in common.
struct FrictionCones {
  const VectorXd& start;
  const MatrixXd& null;
  const VectorXd& mu;

  Index Count() const { return mu.size(); }
  Index Rows() const { return start.size() / Count(); }

  bool Sticks(Index i) const { return mu[i] >= 0.0; }
  double Slope(Index i) const { return Sticks(i) ? mu[i] : 1.0; }
  // |f_t| counts of points that stick.
  Index Used(Index i) const { return Sticks(i) ? Rows() - 1 : 0; }

  VectorXd Forces(const VectorXd& y) const { return start + null * y.head(null.cols()); }

  double Excess(const VectorXd& forces) const {
    double excess = -std::numeric_limits<double>::infinity();
    for (Index i = 0; i < Count(); ++i) {
      const auto force = forces.segment(i * Rows(), Rows());
      excess = std::max(excess, force.head(Used(i)).norm() - Slope(i) * force[Rows() - 1]);
    }
    return excess;
  }

  // Of weight e + barrier; infinite outside.
  double Value(const VectorXd& y, double weight) const {
    const VectorXd forces = Forces(y);
    const double e = y[y.size() - 1];
    const double bound = kMost * kMost - y.head(null.cols()).squaredNorm();
    if (!(bound > 0.0)) return std::numeric_limits<double>::infinity();
    double value = weight * e - std::log(bound);
    for (Index i = 0; i < Count(); ++i) {
      const auto force = forces.segment(i * Rows(), Rows());
      const double room = Slope(i) * force[Rows() - 1] + e, used = force.head(Used(i)).norm();
      if (!(room > used)) return std::numeric_limits<double>::infinity();
      value -= std::log((room - used) * (room + used));
    }
    return value;
  }

  void Derivatives(const VectorXd& y, double weight, VectorXd* slope, MatrixXd* curvature) const {
    const Index size = y.size(), free = null.cols(), normal = Rows() - 1;
    const VectorXd forces = Forces(y);
    slope->setZero(size);
    (*slope)[size - 1] = weight;
    curvature->setZero(size, size);
    const VectorXd z = y.head(free);
    const double bound = kMost * kMost - z.squaredNorm();
    slope->head(free) = 2.0 / bound * z;
    curvature->topLeftCorner(free, free) = 4.0 / (bound * bound) * z * z.transpose();
    curvature->topLeftCorner(free, free).diagonal().array() += 2.0 / bound;
    for (Index i = 0; i < Count(); ++i) {
      const auto force = forces.segment(i * Rows(), Rows());
      VectorXd room_slope(size);
      room_slope << Slope(i) * null.row(i * Rows() + normal).transpose(), 1.0;
      MatrixXd used_slopes = MatrixXd::Zero(Used(i), size);
      used_slopes.leftCols(free) = null.middleRows(i * Rows(), Used(i));
      const double room = Slope(i) * force[normal] + y[size - 1];
      const double margin = room * room - force.head(Used(i)).squaredNorm();
      const VectorXd grows =
          2.0 * (room * room_slope - used_slopes.transpose() * force.head(Used(i))) / margin;
      *slope -= grows;
      *curvature +=
          grows * grows.transpose() - (2.0 / margin) * (room_slope * room_slope.transpose() -
                                                        used_slopes.transpose() * used_slopes);
    }
  }
};

}  // namespace

MatrixXd NullSpace(const MatrixXd& matrix) {
  // matrix P = Q [T 0; 0 0] Z
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(kRank);
  decomposition.compute(matrix);
  const Index free = matrix.cols() - decomposition.rank();
  if (free == 0) return MatrixXd(matrix.cols(), 0);
  if (decomposition.rank() == 0) return MatrixXd::Identity(free, free);
  return decomposition.colsPermutation() *
         MatrixXd(decomposition.matrixZ().transpose()).rightCols(free);
}

double RelieveForces(const MatrixXd& null, const VectorXd& mu_s, VectorXd* forces) {
  const double scale = forces->cwiseAbs().maxCoeff();
  if (!(scale > 0.0)) return 0.0;
  const Index free = null.cols();
  const VectorXd start = *forces / scale;
  const FrictionCones cones{start, null, mu_s};
  double best = cones.Excess(start);
  if (free == 0 || best <= 0.0) return best * scale;
  VectorXd y = VectorXd::Zero(free + 1);
  y[free] = best + 1.0;
  double weight = 1.0;
  VectorXd slope;
  MatrixXd curvature;
  for (int step = 0; step < kNewtonSteps; ++step) {
    cones.Derivatives(y, weight, &slope, &curvature);
    const VectorXd move = -curvature.ldlt().solve(slope);
    const double falls = -slope.dot(move);
    if (!move.allFinite() || falls < 1e-6) {
      // Central: no excess is less than e by more than this.
      const double gap = 2.0 * static_cast<double>(mu_s.size() + 1) / weight;
      if (gap < kGap || y[free] - gap > 0.0 || !move.allFinite()) break;
      weight *= 10.0;
      continue;
    }
    double length = 1.0;
    const double value = cones.Value(y, weight);
    while (length > 1e-12 &&
           !(cones.Value(y + length * move, weight) < value - 1e-4 * length * falls)) {
      length *= 0.5;
    }
    if (!(length > 1e-12)) {
      if (2.0 * static_cast<double>(mu_s.size() + 1) / weight < kGap) break;
      weight *= 10.0;
      continue;
    }
    y += length * move;
    if (y[free] < -kEnough) break;
  }
  const VectorXd found = cones.Forces(y);
  if (!(cones.Excess(found) < best)) return best * scale;
  // No further from the start than needed: what helps without end was found far away.
  const double enough = std::max(cones.Excess(found), -kEnough);
  double low = 0.0, high = 1.0;
  for (int halving = 0; halving < 60 && enough < 0.0; ++halving) {
    const double middle = 0.5 * (low + high);
    (cones.Excess(start + middle * (found - start)) > enough ? low : high) = middle;
  }
  const VectorXd relieved = start + high * (found - start);
  best = cones.Excess(relieved);
  *forces = scale * relieved;
  return best * scale;
}

}  // namespace percuss::solver
