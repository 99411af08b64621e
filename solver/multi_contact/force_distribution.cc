// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/force_distribution.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <cmath>
#include <utility>

namespace percuss::solver {
namespace {

constexpr double kRankTolerance = 1e-9;
constexpr double kSamePlane = 1e-9;  // relative

// The vector of a null space whose normals are as equal as possible, then as small as possible.
Eigen::VectorXd MostEqualNormals(const Eigen::MatrixXd& null_space, int num_rows) {
  const Eigen::Index num_points = null_space.rows() / num_rows;
  Eigen::MatrixXd normals(num_points, null_space.cols());
  for (Eigen::Index i = 0; i < num_points; ++i) {
    normals.row(i) = null_space.row(i * num_rows + num_rows - 1);
  }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(normals, Eigen::ComputeFullV | Eigen::ComputeThinU);
  svd.setThreshold(kRankTolerance);
  Eigen::VectorXd weights = svd.solve(Eigen::VectorXd::Ones(num_points));
  const Eigen::Index rank = svd.rank();
  if (rank < null_space.cols()) {
    const Eigen::MatrixXd free = null_space * svd.matrixV().rightCols(null_space.cols() - rank);
    const Eigen::VectorXd fixed = null_space * weights;
    return fixed - free * (free.transpose() * fixed);  // columns of `free` are orthonormal
  }
  return null_space * weights;
}

}  // namespace

ForceDistribution::ForceDistribution(const Eigen::MatrixXd& inverse_mass,
                                     std::vector<ImpactPoint> points, ForceRows force_rows,
                                     bool drop_pulling_points)
    : num_rows_(static_cast<int>(inverse_mass.rows()) / static_cast<int>(points.size())),
      inverse_mass_(inverse_mass),
      points_(std::move(points)),
      force_rows_(force_rows),
      drop_pulling_points_(drop_pulling_points) {
  const Eigen::Vector3d n = points_.back().frame.col(2);
  coplanar_ = true;
  for (const ImpactPoint& point : points_) {
    any_friction_ = any_friction_ || point.mu > 0.0 || point.StaticFriction() > 0.0;
    const Eigen::Vector3d arm = point.position - points_.back().position;
    coplanar_ = coplanar_ && point.body == points_.back().body &&
                (point.frame.col(2) - n).norm() <= kSamePlane &&
                std::abs(arm.dot(n)) <= kSamePlane * arm.norm();
  }
  if (!coplanar_) return;
  const int num_tangents = num_rows_ - 1;
  const int num_motions = NumPoints() == 1 || num_tangents == 1 ? num_tangents : 3;
  face_motion_ = Eigen::MatrixXd::Zero(NumPoints() * num_rows_, num_motions);
  const Eigen::Matrix3d& axes = points_.back().frame;
  for (int i = 0; i < NumPoints(); ++i) {
    const ImpactPoint& point = points_[i];
    const Eigen::Vector3d arm = point.position - points_.back().position;
    for (int t = 0; t < num_tangents; ++t) {
      const Eigen::Vector3d axis = point.frame.col(t);
      for (int k = 0; k < num_tangents; ++k) {
        face_motion_(i * num_rows_ + t, k) = axis.dot(axes.col(k));
      }
      if (num_motions == 3) face_motion_(i * num_rows_ + t, 2) = axis.dot(n.cross(arm));
    }
  }
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 3, 3>;
  const Eigen::MatrixXd pushed = inverse_mass_.lazyProduct(face_motion_);
  const Small response = face_motion_.transpose().lazyProduct(pushed);
  // Joints may forbid motions of the face: those need no impulse.
  Eigen::CompleteOrthogonalDecomposition<Small> decomposition;
  decomposition.setThreshold(kRankTolerance);
  decomposition.compute(response);
  face_response_ = decomposition.pseudoInverse();
}

Eigen::Vector3d ForceDistribution::ArmBetween(int i, int j) const {
  const Eigen::Vector3d arm = points_[i].position - points_[j].position;
  const double length = arm.norm();
  return length > 0.0 ? Eigen::Vector3d(arm / length) : Eigen::Vector3d(Eigen::Vector3d::Zero());
}

double ForceDistribution::ForceComponent(int i, int row, const Eigen::Vector3d& arm) const {
  const int axis = row == num_rows_ - 1 ? 2 : row;
  if (force_rows_ == ForceRows::kLocalComponents) return arm[axis];
  return arm.dot(points_[i].frame.col(axis));
}

Eigen::MatrixXd ForceDistribution::Rows(const Eigen::VectorXd& motion,
                                        const std::vector<PointMode>& modes, int free_point) const {
  const int num_points = NumPoints(), num_tangents = num_rows_ - 1;
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2 * num_points * num_rows_, num_points * num_rows_);
  int last = num_points - 1, count = 0;
  while (last > 0 && modes[last] == PointMode::kOff) --last;
  for (int i = 0; i < num_points; ++i) {
    const int first = i * num_rows_, normal = first + num_tangents;
    if (modes[i] == PointMode::kOff) {
      for (int k = 0; k < num_rows_; ++k) rows(count++, first + k) = 1.0;
      continue;
    }
    const auto slip = motion.segment(first, num_tangents);
    const double speed = slip.norm();
    for (int t = 0; i != free_point && t < num_tangents; ++t, ++count) {
      if (modes[i] == PointMode::kStick) {
        const double response = inverse_mass_.row(first + t).norm();
        if (response > kRankTolerance * inverse_mass_(normal, normal)) {
          rows.row(count) = inverse_mass_.row(first + t) / response;
        } else {
          rows(count, first + t) = 1.0;  // a joint holds the point there: nothing to stop
        }
      } else {
        rows(count, first + t) = 1.0;
        if (speed > 0.0) rows(count, normal) = points_[i].mu * slip[t] / speed;
      }
    }
    if (i == last || points_[i].body != points_[last].body) continue;
    const Eigen::Vector3d arm = ArmBetween(i, last);
    for (int k = 0; k < num_rows_; ++k) {
      rows(count, first + k) = ForceComponent(i, k, arm);
      rows(count, last * num_rows_ + k) = -ForceComponent(last, k, arm);
    }
    ++count;
  }
  return rows.topRows(count);
}

bool ForceDistribution::GeneralShares(const Eigen::VectorXd& motion,
                                      const std::vector<PointMode>& modes,
                                      Eigen::VectorXd& distribution) const {
  const Eigen::MatrixXd rows = Rows(motion, modes);
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(rows, Eigen::ComputeFullV);
  svd.setThreshold(kRankTolerance);
  const Eigen::Index num_free = rows.cols() - svd.rank();
  if (num_free < 1) return false;
  distribution = num_free == 1 ? Eigen::VectorXd(svd.matrixV().rightCols(1))
                               : MostEqualNormals(svd.matrixV().rightCols(num_free), num_rows_);
  double sum = 0.0, work = 0.0, largest = 0.0;
  for (int i = 0; i < NumPoints(); ++i) {
    const int normal = i * num_rows_ + num_rows_ - 1;
    sum += distribution[normal];
    work += distribution[normal] * motion[normal];
    largest = std::max(largest, std::abs(distribution[normal]));
  }
  if (!(largest > 0.0)) return false;
  const bool balanced = std::abs(sum) <= kRankTolerance * largest;
  if (balanced && !drop_pulling_points_) return false;
  // Pulling as much as pushing: the point that approaches faster pushes.
  if (balanced) {
    distribution /= work > 0.0 ? -largest : largest;
  } else {
    distribution /= sum;
  }
  return distribution.allFinite();
}

// Only slip: each row joins two unknowns, so that no system has to be solved.
bool ForceDistribution::SlidingShares(const Eigen::VectorXd& motion,
                                      const std::vector<PointMode>& modes,
                                      Eigen::VectorXd& distribution) const {
  const int num_tangents = num_rows_ - 1;
  double sum = 0.0;
  for (int i = 0; i < NumPoints(); ++i) {
    if (modes[i] != PointMode::kSlip) return false;
    const int first = i * num_rows_;
    const double speed =
        num_tangents == 1 ? std::abs(motion[first]) : std::hypot(motion[first], motion[first + 1]);
    double share = 1.0;
    if (any_friction_ && NumPoints() > 1) {
      if (!(points_[i].mu > 0.0)) return false;
      share = speed / points_[i].mu;
    }
    sum += share;
    const double ratio = speed > 0.0 ? points_[i].mu * share / speed : 0.0;
    for (int t = 0; t < num_tangents; ++t) distribution[first + t] = -ratio * motion[first + t];
    distribution[first + num_tangents] = share;
  }
  if (!(sum > 0.0)) return false;
  distribution /= sum;
  return true;
}

bool ForceDistribution::StickingShares(Eigen::VectorXd& distribution) const {
  distribution.setZero();
  for (int i = 0; i < NumPoints(); ++i) {
    distribution[i * num_rows_ + num_rows_ - 1] = 1.0 / NumPoints();
  }
  const Eigen::VectorXd pushed = inverse_mass_ * distribution;
  distribution -= face_motion_ * (face_response_ * (face_motion_.transpose() * pushed));
  // More rows than the three motions of a rigid face: the bodies are not one.
  const Eigen::VectorXd rest = inverse_mass_ * distribution;
  double slip = 0.0;
  for (int i = 0; i < NumPoints(); ++i) {
    slip = std::max(slip, rest.segment(i * num_rows_, num_rows_ - 1).cwiseAbs().maxCoeff());
  }
  return slip <= 1e-9 * pushed.cwiseAbs().maxCoeff();
}

Eigen::VectorXd ForceDistribution::StoppingImpulse(const Eigen::VectorXd& velocity) const {
  return -face_motion_ * (face_response_ * (face_motion_.transpose() * velocity));
}

Eigen::VectorXd ForceDistribution::StoppingImpulse(const Eigen::VectorXd& velocity,
                                                   int point) const {
  const int first = point * num_rows_, size = num_rows_ - 1;
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(velocity.size());
  impulse.segment(first, size) =
      -inverse_mass_.block(first, first, size, size).ldlt().solve(velocity.segment(first, size));
  return impulse;
}

bool ForceDistribution::Solve(const Eigen::VectorXd& motion, std::vector<PointMode>& modes,
                              Eigen::VectorXd& distribution) const {
  distribution.resize(motion.size());
  if (coplanar_) {
    if (SlidingShares(motion, modes, distribution)) return true;
    bool all_stick = true;
    for (const PointMode mode : modes) all_stick = all_stick && mode == PointMode::kStick;
    if (all_stick && StickingShares(distribution)) return true;
  }
  for (int tries = 0; tries < NumPoints(); ++tries) {
    if (!GeneralShares(motion, modes, distribution)) return false;
    if (!drop_pulling_points_) return true;
    int worst = -1;
    double least = -1e-9;
    for (int i = 0; i < NumPoints(); ++i) {
      const double share = distribution[i * num_rows_ + num_rows_ - 1];
      if (modes[i] != PointMode::kOff && share < least) {
        least = share;
        worst = i;
      }
    }
    if (worst < 0) return true;
    modes[worst] = PointMode::kOff;
  }
  return false;
}

}  // namespace percuss::solver
