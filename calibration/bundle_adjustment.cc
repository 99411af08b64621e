// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle_adjustment.h"

#include <ceres/ceres.h>
#include <ceres/rotation.h>
#include <fmt/core.h>

#include <Eigen/Eigenvalues>
#include <limits>
#include <memory>
#include <stdexcept>

namespace percuss::calibration {
namespace {

constexpr int kLeft = 0, kRight = 1;
constexpr int kPoseSize = 6;

// A pose moves away from its reference R0, t0: R = exp([d]x) R0, t = t0 + dt, parameters (d, dt).
// At the reference the parameters are zero, so that the Jacobian there is by small vectors d.
using PoseStep = std::array<double, kPoseSize>;

template <typename T>
using Vector3 = Eigen::Matrix<T, 3, 1>;

// p_A = X_AB p_B.
template <typename T>
Vector3<T> Transform(const Pose& reference, const T* step, const Vector3<T>& p_B) {
  const Vector3<T> turned = reference.R.cast<T>() * p_B;
  Vector3<T> p_A;
  ceres::AngleAxisRotatePoint(step, turned.data(), p_A.data());
  for (int k = 0; k < 3; ++k) p_A[k] += reference.t[k] + step[3 + k];
  return p_A;
}

// p_B = X_AB^-1 p_A.
template <typename T>
Vector3<T> InverseTransform(const Pose& reference, const T* step, const Vector3<T>& p_A) {
  Vector3<T> shifted, turned;
  for (int k = 0; k < 3; ++k) shifted[k] = p_A[k] - (reference.t[k] + step[3 + k]);
  const T back[3] = {-step[0], -step[1], -step[2]};
  ceres::AngleAxisRotatePoint(back, shifted.data(), turned.data());
  return reference.R.transpose().cast<T>() * turned;
}

struct LeftResidual {
  const Pose& board_from_left;
  const Eigen::Vector3d& p_G;
  Eigen::Vector2d pixel;

  template <typename T>
  bool operator()(const T* intrinsics, const T* board_step, T* residual) const {
    const Vector3<T> p_L = InverseTransform(board_from_left, board_step, Vector3<T>(p_G.cast<T>()));
    if (!(p_L[2] > T(0.0))) return false;
    Eigen::Map<Eigen::Matrix<T, 2, 1>>{residual} = Project(intrinsics, p_L) - pixel.cast<T>();
    return true;
  }
};

struct RightResidual {
  const Pose& board_from_left;
  const Pose& right_from_left;
  const Eigen::Vector3d& p_G;
  Eigen::Vector2d pixel;

  template <typename T>
  bool operator()(const T* intrinsics, const T* board_step, const T* rig_step, T* residual) const {
    const Vector3<T> p_L = InverseTransform(board_from_left, board_step, Vector3<T>(p_G.cast<T>()));
    const Vector3<T> p_R = Transform(right_from_left, rig_step, p_L);
    if (!(p_R[2] > T(0.0))) return false;
    Eigen::Map<Eigen::Matrix<T, 2, 1>>{residual} = Project(intrinsics, p_R) - pixel.cast<T>();
    return true;
  }
};

// The Ceres problem of a bundle. It refers to the bundle's cameras and reference poses.
struct CeresBundle {
  PoseStep rig_step{};
  std::vector<PoseStep> board_steps;
  ceres::Problem problem;

  explicit CeresBundle(StereoBundle& bundle, double huber_px) : board_steps(bundle.views.size()) {
    std::array<double*, 2> intrinsics{};
    for (const int camera : {kLeft, kRight}) {
      intrinsics[camera] = bundle.cameras[camera].intrinsics.data();
      problem.AddParameterBlock(intrinsics[camera], kNumIntrinsics);
      if (!bundle.free_k3) {
        problem.SetManifold(intrinsics[camera], new ceres::SubsetManifold(kNumIntrinsics, {8}));
      }
    }
    problem.AddParameterBlock(rig_step.data(), kPoseSize);
    for (std::size_t v = 0; v < bundle.views.size(); ++v) {
      const StereoView& view = bundle.views[v];
      problem.AddParameterBlock(board_steps[v].data(), kPoseSize);
      for (std::size_t k = 0; k < bundle.board.size(); ++k) {
        const auto loss = [&]() -> ceres::LossFunction* {
          return huber_px > 0.0 ? new ceres::HuberLoss(huber_px) : nullptr;
        };
        if (view.images[kLeft].used[k] != 0) {
          problem.AddResidualBlock(
              new ceres::AutoDiffCostFunction<LeftResidual, 2, kNumIntrinsics, kPoseSize>(
                  new LeftResidual{view.board_from_left, bundle.board[k],
                                   view.images[kLeft].pixels[k]}),
              loss(), intrinsics[kLeft], board_steps[v].data());
        }
        if (view.images[kRight].used[k] != 0) {
          problem.AddResidualBlock(
              new ceres::AutoDiffCostFunction<RightResidual, 2, kNumIntrinsics, kPoseSize,
                                              kPoseSize>(
                  new RightResidual{view.board_from_left, bundle.right_from_left, bundle.board[k],
                                    view.images[kRight].pixels[k]}),
              loss(), intrinsics[kRight], board_steps[v].data(), rig_step.data());
        }
      }
    }
  }
};

void Apply(const PoseStep& step, Pose* pose) {
  const Eigen::Map<const Eigen::Vector3d> rotation(step.data()), shift(step.data() + 3);
  // Through a quaternion, so that many small steps do not wear the rotation off.
  pose->R =
      Eigen::Quaterniond(RotationFromVector(rotation) * pose->R).normalized().toRotationMatrix();
  pose->t += shift;
}

void Check(const StereoBundle& bundle) {
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    for (const CornerImage& image : bundle.views[v].images) {
      if (image.pixels.size() != bundle.board.size() || image.used.size() != bundle.board.size()) {
        throw std::invalid_argument(
            fmt::format("StereoBundle.views[{}]: {} pixels and {} flags for {} board corners", v,
                        image.pixels.size(), image.used.size(), bundle.board.size()));
      }
      for (std::size_t k = 0; k < image.pixels.size(); ++k) {
        if (image.used[k] != 0 && !image.pixels[k].allFinite()) {
          throw std::invalid_argument(fmt::format(
              "StereoBundle.views[{}]: corner {} is used but its pixel is not finite", v, k));
        }
      }
    }
  }
}

}  // namespace

BundleSummary AdjustBundle(StereoBundle* bundle, const BundleOptions& options) {
  Check(*bundle);
  CeresBundle parts(*bundle, options.huber_px);
  if (options.poses_only) {
    for (Camera& camera : bundle->cameras) {
      parts.problem.SetParameterBlockConstant(camera.intrinsics.data());
    }
    parts.problem.SetParameterBlockConstant(parts.rig_step.data());
  }
  ceres::Solver::Options solver_options;
  solver_options.linear_solver_type = ceres::DENSE_SCHUR;
  solver_options.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  for (PoseStep& step : parts.board_steps) {
    solver_options.linear_solver_ordering->AddElementToGroup(step.data(), 0);
  }
  for (Camera& camera : bundle->cameras) {
    solver_options.linear_solver_ordering->AddElementToGroup(camera.intrinsics.data(), 1);
  }
  solver_options.linear_solver_ordering->AddElementToGroup(parts.rig_step.data(), 1);
  solver_options.max_num_iterations = options.max_num_iterations;
  solver_options.num_threads = options.num_threads;
  solver_options.function_tolerance = 1e-10;
  solver_options.parameter_tolerance = 1e-10;
  solver_options.gradient_tolerance = 1e-12;
  solver_options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solver_options, &parts.problem, &summary);

  Apply(parts.rig_step, &bundle->right_from_left);
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    Apply(parts.board_steps[v], &bundle->views[v].board_from_left);
  }
  return {.converged = summary.termination_type == ceres::CONVERGENCE, .message = summary.message};
}

std::vector<Eigen::Vector2d> Residuals(const StereoBundle& bundle, const StereoView& view,
                                       int camera) {
  const Pose left_from_board = view.board_from_left.Inverse();
  const Pose camera_from_board =
      camera == kLeft ? left_from_board : bundle.right_from_left * left_from_board;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Eigen::Vector2d> residuals;
  residuals.reserve(bundle.board.size());
  for (std::size_t k = 0; k < bundle.board.size(); ++k) {
    const Eigen::Vector3d p_C = camera_from_board * bundle.board[k];
    residuals.push_back(p_C.z() > 0.0 ? Eigen::Vector2d(view.images[camera].pixels[k] -
                                                        Project(bundle.cameras[camera], p_C))
                                      : Eigen::Vector2d(kNan, kNan));
  }
  return residuals;
}

int NumFreeParameters(const StereoBundle& bundle) {
  return 2 * (bundle.free_k3 ? kNumIntrinsics : kNumIntrinsics - 1) + kPoseSize +
         kPoseSize * static_cast<int>(bundle.views.size());
}

Eigen::MatrixXd BundleCovariance(const StereoBundle& bundle, int view, double corner_sigma_px) {
  Check(bundle);
  StereoBundle copy = bundle;
  copy.free_k3 = true;  // fixed k3 are taken out below, so that the places stay the same
  CeresBundle parts(copy, 0.0);
  ceres::Problem::EvaluateOptions options;
  for (Camera& camera : copy.cameras) options.parameter_blocks.push_back(camera.intrinsics.data());
  options.parameter_blocks.push_back(parts.rig_step.data());
  // The wanted view first: the result is then the top left corner.
  options.parameter_blocks.push_back(parts.board_steps[static_cast<std::size_t>(view)].data());
  for (std::size_t v = 0; v < parts.board_steps.size(); ++v) {
    if (static_cast<int>(v) != view)
      options.parameter_blocks.push_back(parts.board_steps[v].data());
  }
  ceres::CRSMatrix jacobian;
  if (!parts.problem.Evaluate(options, nullptr, nullptr, nullptr, &jacobian)) return {};

  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(jacobian.num_cols, jacobian.num_cols);
  for (int row = 0; row < jacobian.num_rows; ++row) {
    for (int a = jacobian.rows[row]; a < jacobian.rows[row + 1]; ++a) {
      for (int b = jacobian.rows[row]; b < jacobian.rows[row + 1]; ++b) {
        information(jacobian.cols[a], jacobian.cols[b]) += jacobian.values[a] * jacobian.values[b];
      }
    }
  }
  std::vector<int> fixed;
  if (!bundle.free_k3) fixed = {8, kNumIntrinsics + 8};
  for (const int place : fixed) {
    information.row(place).setZero();
    information.col(place).setZero();
    information(place, place) = 1.0;
  }
  // Units differ by orders of magnitude: judge the rank after scaling to a unit diagonal.
  const Eigen::VectorXd scale = information.diagonal().cwiseSqrt().cwiseInverse();
  if (!scale.allFinite()) return {};
  const Eigen::MatrixXd scaled = scale.asDiagonal() * information * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scaled);
  if (eigen.info() != Eigen::Success || !(eigen.eigenvalues()[0] > 1e-13)) return {};
  const int size = 2 * kNumIntrinsics + 2 * kPoseSize;
  const Eigen::MatrixXd rows = scale.head(size).asDiagonal() * eigen.eigenvectors().topRows(size);
  Eigen::MatrixXd covariance = corner_sigma_px * corner_sigma_px * rows *
                               eigen.eigenvalues().cwiseInverse().asDiagonal() * rows.transpose();
  for (const int place : fixed) {
    covariance.row(place).setZero();
    covariance.col(place).setZero();
  }
  return covariance;
}

}  // namespace percuss::calibration
