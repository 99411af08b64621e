// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "impacts/impact_files.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// The error vector of impacts::ImpactRecord followed by that of the contact arm, beyond what the
/// rotation explains, and of the inertia (solver::InertiaError).
inline constexpr int kErrorDimension = impacts::kImpactDimension + impacts::kBodyDimension;
inline constexpr int kArm = impacts::kImpactDimension;
inline constexpr int kInertia = kArm + 3;
using ErrorCovariance = Eigen::Matrix<double, kErrorDimension, kErrorDimension>;
using ErrorSensitivity = Eigen::Matrix<double, kErrorDimension, Eigen::Dynamic>;

/// The lower triangle of a covariance, as far as there is something in it: each of thousands of
/// impacts keeps one.
class PackedCovariance {
 public:
  PackedCovariance() = default;  ///< 0
  PackedCovariance(const ErrorCovariance& matrix);
  ErrorCovariance Full() const;

 private:
  /// By rows. Apart from the impact: it fits where the table's own matrices were, which are gone.
  Eigen::VectorXd rows_;
};

/// Errors of one impact, split into its own and those that all trials have in common:
///
///     x - x_true = own noise + shared k,   cov(own noise) = own,   k ~ N(0, I) the same
///     everywhere.
///
/// The record's covariance is the total, own + shared shared^T.
struct ImpactErrors {
  PackedCovariance own;
  ErrorSensitivity shared;      ///< no columns without calibration
  bool of_body = false;         ///< `shared` holds the body, too (ImpactRecord::body_sensitivity)
  bool assumed = false;         ///< the table stated no covariance: sigmas from the options
  std::string reason_unusable;  ///< empty when fine
  bool fully_measured = true;   ///< false where a velocity after the impact was not
  ErrorCovariance Total() const { return own.Full() + shared * shared.transpose(); }
};

/// Default standard deviations where a table states none.
struct AssumedSigmas {
  double velocity = 0.01;         ///< [m/s]
  double angular_velocity = 0.1;  ///< [rad/s]
};

/// Whether the contact arm is known at all: its sigma is less than half the size of the body.
bool IsContactMeasured(const impacts::ImpactRecord& record, const solver::Body& body);

/// What the errors of all impacts of a table follow from.
struct ErrorModel {
  AssumedSigmas assumed;
  /// Velocity components that are exactly zero before and after every impact: they belong to a
  /// planar table and are taken as exact.
  std::array<bool, 6> exact = {};
  Eigen::MatrixXd calibration_root;  ///< C, with C C^T the table's covariance of what is shared

  /// Of a part of that covariance with the root R: by_k with C by_k = R, so that `shared` by_k is
  /// what this part moves.
  Eigen::MatrixXd RootByK(const Eigen::MatrixXd& root) const;
};
ErrorModel MakeErrorModel(const impacts::ImpactTable& table, const AssumedSigmas& assumed);

/// Where no covariance is stated, the assumed sigmas are given to the velocities.
ImpactErrors CalcImpactErrors(const impacts::ImpactRecord& record, const ErrorModel& model);

/// What the covariance of the residuals of one trial is made of.
struct ResidualErrors {
  Eigen::Matrix<double, 6, 6> own;
  Eigen::Matrix<double, 6, Eigen::Dynamic> shared;
};

/// Turns stacked residuals of several trials (6 per trial) with the joint covariance
///
///     S_ij = delta_ij own_i + shared_i shared_j^T
///
/// into independent ones of unit variance. With own_i = (L_i^-1)(L_i^-1)^T, P the stacked
/// L_i shared_i in those axes of the shared errors in which its columns are orthogonal, s their
/// lengths and q^2 = 1 + s^2,
///
///     whitened = (1 - P diag(1 / (q (q + 1))) P^T) diag(L_i) e,
///
/// which costs no more than linear in the number of trials and needs no joint matrix.
/// Components without any uncertainty (the third dimension of a planar table) and unmeasured ones
/// (impacts::kUnmeasuredSigma) are left out.
class JointWhitening {
 public:
  /// @param errors_of of each trial once, in turn; `shared` has the same columns everywhere.
  JointWhitening(std::size_t num_trials,
                 const std::function<ResidualErrors(std::size_t)>& errors_of);

  Eigen::MatrixXd Apply(const Eigen::Ref<const Eigen::MatrixXd>& stacked) const;
  /// Transpose of the same linear map.
  Eigen::MatrixXd ApplyTransposed(const Eigen::Ref<const Eigen::MatrixXd>& whitened) const;

  /// L_i times a matrix of 6 rows of one trial: whitened by its own covariance alone.
  Eigen::MatrixXd ApplyOwn(size_t trial, const Eigen::Ref<const Eigen::MatrixXd>& matrix) const {
    return roots_[trial] * matrix;
  }

  /// P of one trial: its shared sensitivity, whitened by its own covariance.
  Eigen::MatrixXd OwnShared(size_t trial) const {
    return shared_.middleRows(first_rows_[trial], roots_[trial].rows());
  }
  /// s: P^T P of all trials is their squares; none where nothing is shared.
  const Eigen::VectorXd& spread() const { return spread_; }

  /// Every `step`-th trial, each whitened by its own covariance alone: enough to rank points of a
  /// search over many trials. Its log_determinant is 0.
  JointWhitening EveryOwn(size_t step) const;

  Eigen::Index rows() const { return rows_; }
  double log_determinant() const { return log_determinant_; }  ///< of S over the rows kept
  /// Trials whose covariance has a direction without uncertainty that is no component of its own:
  /// they cannot be weighted.
  const std::vector<int>& singular_trials() const { return singular_trials_; }

 private:
  JointWhitening() = default;

  // L_i, at most 6 rows: kept in place, a table has hundreds of them.
  std::vector<Eigen::Matrix<double, Eigen::Dynamic, 6, Eigen::ColMajor, 6, 6>> roots_;
  std::vector<Eigen::Index> first_rows_;  // of each trial among the whitened ones
  Eigen::Index rows_ = 0;
  double log_determinant_ = 0.0;
  Eigen::MatrixXd shared_;  // P: the one large thing here, kept once
  Eigen::VectorXd spread_;  // s
  Eigen::VectorXd shrink_;  // 1 / (q (q + 1))
  std::vector<int> singular_trials_;
};

/// Standard deviation below which a residual component counts as exact [m/s, rad/s].
inline constexpr double kExactSigma = 1e-9;

}  // namespace percuss::fitting
