// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/model/error_model.h"

#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/math/covariance_root.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactCovariance;
using impacts::ImpactRecord;
using impacts::ImpactTable;

// Eigenvalues of a correlation matrix that may be negative from rounding in a file.
constexpr double kRoundingTolerance = 1e-6;

// Velocity components that are zero in every trial, before and after: the table is planar.
std::array<bool, 6> ExactComponents(const ImpactTable& table) {
  std::array<bool, 6> exact{};
  exact.fill(true);
  for (const ImpactRecord& record : table.impacts) {
    for (int axis = 0; axis < 3; ++axis) {
      exact[axis] = exact[axis] && record.v[axis] == 0.0 && record.v_post[axis] == 0.0;
      exact[3 + axis] = exact[3 + axis] && record.w[axis] == 0.0 && record.w_post[axis] == 0.0;
    }
  }
  return exact;
}

ErrorCovariance AssumedErrors(const std::array<bool, 6>& exact, const AssumedSigmas& assumed) {
  ErrorCovariance covariance = ErrorCovariance::Zero();
  for (int i = 0; i < 6; ++i) {
    const double sigma = exact[i] ? 0.0 : i < 3 ? assumed.velocity : assumed.angular_velocity;
    covariance(impacts::kV + i, impacts::kV + i) = sigma * sigma;
    covariance(impacts::kVPost + i, impacts::kVPost + i) = sigma * sigma;
  }
  return covariance;
}

// Own part of a stated covariance: the total without what the calibration explains. Directions
// that rounding made slightly negative are set to zero.
void SetOwnErrors(const ImpactCovariance& total, ImpactErrors& errors, ErrorCovariance* own) {
  // The position of the mass centre does not enter an impact law; a table may not know it.
  ImpactCovariance covariance = total;
  if (!covariance.topRows<3>().allFinite()) {
    covariance.topRows<3>().setZero();
    covariance.leftCols<3>().setZero();
  }
  if (!covariance.allFinite() || !errors.shared.allFinite()) {
    errors.reason_unusable = "the covariance has entries that are not finite";
    return;
  }
  const Eigen::VectorXd variance = covariance.diagonal();
  if (variance.minCoeff() < 0.0) {
    errors.reason_unusable =
        fmt::format("the covariance has a negative variance ({:.3g})", variance.minCoeff());
    return;
  }
  const double asymmetry = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
  if (asymmetry > kRoundingTolerance * variance.maxCoeff()) {
    errors.reason_unusable =
        fmt::format("the covariance is not symmetric (largest difference {:.3g})", asymmetry);
    return;
  }
  const Eigen::MatrixXd shared = errors.shared.topRows<impacts::kImpactDimension>();
  const Eigen::VectorXd scale = variance.cwiseSqrt();
  const ScaledEigen total_eigen = DecomposeScaled(covariance, scale);
  if (total_eigen.values.minCoeff() < -kRoundingTolerance) {
    errors.reason_unusable = fmt::format(
        "the covariance is not positive semidefinite (least eigenvalue of the correlations {:.3g})",
        total_eigen.values.minCoeff());
    return;
  }
  const ScaledEigen left = DecomposeScaled(covariance - shared * shared.transpose(), scale);
  if (left.values.minCoeff() < -kRoundingTolerance) {
    errors.reason_unusable = fmt::format(
        "the covariance is smaller than what the calibration alone contributes (least eigenvalue "
        "of the difference {:.3g} of the stated variance)",
        left.values.minCoeff());
    return;
  }
  const Eigen::MatrixXd root =
      scale.asDiagonal() * left.vectors * left.values.cwiseMax(0.0).cwiseSqrt().asDiagonal();
  own->topLeftCorner<impacts::kImpactDimension, impacts::kImpactDimension>() =
      root * root.transpose();
}

}  // namespace

PackedCovariance::PackedCovariance(const ErrorCovariance& matrix) {
  int rows = kErrorDimension;
  while (rows > 0 && matrix.row(rows - 1).isZero(0.0)) --rows;
  rows_.resize(rows * (rows + 1) / 2);
  auto entry = rows_.begin();
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column <= row; ++column) *entry++ = matrix(row, column);
}

ErrorCovariance PackedCovariance::Full() const {
  ErrorCovariance matrix = ErrorCovariance::Zero();
  auto entry = rows_.begin();
  for (int row = 0; entry != rows_.end(); ++row)
    for (int column = 0; column <= row; ++column)
      matrix(row, column) = matrix(column, row) = *entry++;
  return matrix;
}

bool IsContactMeasured(const ImpactRecord& record, const solver::Body& body) {
  return record.r_sigma.maxCoeff() < 0.5 * solver::BoundingRadius(body.shape);
}

Eigen::MatrixXd ErrorModel::RootByK(const Eigen::MatrixXd& root) const {
  // The rows have units of their own.
  const Eigen::VectorXd sigma = calibration_root.rowwise().norm();
  const Eigen::VectorXd scale =
      sigma.unaryExpr([](double size) { return size > 0.0 ? 1.0 / size : 0.0; });
  return (scale.asDiagonal() * calibration_root)
      .completeOrthogonalDecomposition()
      .solve(scale.asDiagonal() * root);
}

ErrorModel MakeErrorModel(const ImpactTable& table, const AssumedSigmas& assumed) {
  return {.assumed = assumed,
          .exact = ExactComponents(table),
          .calibration_root = CovarianceRoot(table.calibration_covariance)};
}

ImpactErrors CalcImpactErrors(const ImpactRecord& record, const ErrorModel& model) {
  const Eigen::MatrixXd& root = model.calibration_root;
  ImpactErrors errors;
  errors.assumed = !record.covariance;
  errors.shared = ErrorSensitivity::Zero(kErrorDimension, root.cols());
  errors.of_body = record.body_sensitivity.size() > 0;
  if (record.covariance && record.calibration_sensitivity.size() > 0 && root.size() > 0) {
    errors.shared.topRows<impacts::kImpactDimension>() = record.calibration_sensitivity * root;
    if (!record.calibration_sensitivity.topRows<3>().allFinite()) {
      errors.shared.topRows<3>().setZero();
    }
    if (errors.of_body) {
      errors.shared.bottomRows<impacts::kBodyDimension>() = record.body_sensitivity * root;
    }
  }
  ErrorCovariance own = errors.assumed ? AssumedErrors(model.exact, model.assumed)
                                       : ErrorCovariance(ErrorCovariance::Zero());
  if (record.covariance) SetOwnErrors(*record.covariance, errors, &own);
  own.diagonal().segment<3>(kArm) = record.r_sigma.cwiseAbs2();
  errors.own = own;
  errors.fully_measured = own.diagonal().maxCoeff() < std::pow(0.1 * impacts::kUnmeasuredSigma, 2);
  return errors;
}

JointWhitening::JointWhitening(std::size_t num_trials,
                               const std::function<ResidualErrors(std::size_t)>& errors_of) {
  constexpr double kSingular = 1e-12;  // of a correlation matrix
  constexpr double kUnmeasured = 0.1 * impacts::kUnmeasuredSigma;
  Eigen::MatrixXd gram;
  for (size_t i = 0; i < num_trials; ++i) {
    const auto [own, shared] = errors_of(i);
    std::vector<int> kept;
    for (int row = 0; row < 6; ++row) {
      const double sigma = std::sqrt(own(row, row) + shared.row(row).squaredNorm());
      if (sigma > kExactSigma && sigma < kUnmeasured) kept.push_back(row);
    }
    const Eigen::MatrixXd covariance = own(kept, kept);
    const Eigen::VectorXd scale = covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
    const ScaledEigen eigen = DecomposeScaled(covariance, scale);
    if (!kept.empty() && !(eigen.values.minCoeff() > kSingular)) {
      singular_trials_.push_back(static_cast<int>(i));
    }
    Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, 6, 6> root;
    root.setZero(static_cast<Eigen::Index>(kept.size()), 6);
    root(Eigen::all, kept) =
        eigen.values.cwiseMax(kSingular).cwiseSqrt().cwiseInverse().asDiagonal() *
        eigen.vectors.transpose() *
        scale.unaryExpr([](double s) { return s > 0.0 ? 1.0 / s : 0.0; }).asDiagonal();
    log_determinant_ += eigen.values.cwiseMax(kSingular).array().log().sum() +
                        2.0 * scale.cwiseMax(kExactSigma).array().log().sum();
    if (i == 0) {
      shared_.resize(6 * static_cast<Eigen::Index>(num_trials), shared.cols());
      gram.setZero(shared.cols(), shared.cols());
    }
    auto rows = shared_.middleRows(rows_, root.rows());
    rows = root * shared;
    gram += rows.transpose() * rows;
    first_rows_.push_back(rows_);
    rows_ += root.rows();
    roots_.push_back(std::move(root));
  }
  if (shared_.cols() == 0) return;
  shared_.conservativeResize(rows_, Eigen::NoChange);
  // Axes that rounding leaves a little oblique matter only where s is small beside the largest, and
  // their lengths are measured.
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(gram);
  for (std::size_t i = 0; i < num_trials; ++i) {
    auto rows = shared_.middleRows(first_rows_[i], roots_[i].rows());
    rows = (rows * axes.eigenvectors()).eval();
  }
  spread_ = shared_.colwise().norm();
  const Eigen::ArrayXd variance = 1.0 + spread_.array().square();
  shrink_ = 1.0 / (variance + variance.sqrt());
  log_determinant_ += variance.log().sum();
}

JointWhitening JointWhitening::EveryOwn(size_t step) const {
  JointWhitening part;
  for (size_t i = 0; i < roots_.size(); i += step) {
    part.rows_ += roots_[i].rows();
    part.roots_.push_back(roots_[i]);
  }
  return part;
}

Eigen::MatrixXd JointWhitening::Apply(const Eigen::Ref<const Eigen::MatrixXd>& stacked) const {
  Eigen::MatrixXd whitened(rows_, stacked.cols());
  Eigen::Index row = 0;
  for (size_t i = 0; i < roots_.size(); ++i) {
    whitened.middleRows(row, roots_[i].rows()) =
        roots_[i].lazyProduct(stacked.middleRows<6>(6 * static_cast<Eigen::Index>(i)));
    row += roots_[i].rows();
  }
  if (shared_.size() > 0) {
    const Eigen::MatrixXd along = shrink_.asDiagonal() * (shared_.transpose() * whitened);
    whitened -= shared_ * along;
  }
  return whitened;
}

Eigen::MatrixXd JointWhitening::ApplyTransposed(
    const Eigen::Ref<const Eigen::MatrixXd>& whitened) const {
  Eigen::MatrixXd inner = whitened;
  if (shared_.size() > 0) {
    const Eigen::MatrixXd along = shrink_.asDiagonal() * (shared_.transpose() * whitened);
    inner -= shared_ * along;
  }
  Eigen::MatrixXd stacked(6 * static_cast<Eigen::Index>(roots_.size()), whitened.cols());
  Eigen::Index row = 0;
  for (size_t i = 0; i < roots_.size(); ++i) {
    stacked.middleRows<6>(6 * static_cast<Eigen::Index>(i)) =
        roots_[i].transpose() * inner.middleRows(row, roots_[i].rows());
    row += roots_[i].rows();
  }
  return stacked;
}

}  // namespace percuss::fitting
