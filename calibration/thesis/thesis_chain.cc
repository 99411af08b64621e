// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/thesis/thesis_chain.h"

#include <ceres/ceres.h>
#include <ceres/rotation.h>
#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <memory>

namespace percuss::calibration::thesis {
namespace {

// f_x, f_y, c_x, c_y, k1, k2, skew: skew last, so that fixing it drops the last column.
constexpr int kNumIntrinsics = 7, kSkew = 6, kPoseSize = 6;
using IntrinsicArray = std::array<double, kNumIntrinsics>;
using PoseStep = std::array<double, kPoseSize>;

constexpr double kMaxFocalSigma = 0.1;  // relative

IntrinsicArray ToArray(const Intrinsics& c) {
  return {c.f_x, c.f_y, c.c_x, c.c_y, c.k1, c.k2, c.skew};
}

Intrinsics FromArray(const IntrinsicArray& a) {
  return {
      .f_x = a[0], .f_y = a[1], .skew = a[kSkew], .c_x = a[2], .c_y = a[3], .k1 = a[4], .k2 = a[5]};
}

// One measured corner. The pose moves away from its start, column form: R = exp([d]x) R0,
// t = t0 + dt with step = (d, dt).
struct CornerResidual {
  Eigen::Vector3d turned;  // R0 p_G
  Eigen::Vector3d t0;
  Eigen::Vector2d pixel;

  template <typename T>
  bool operator()(const T* c, const T* step, T* residual) const {
    const T start[3] = {T(turned.x()), T(turned.y()), T(turned.z())};
    T p[3];
    ceres::AngleAxisRotatePoint(step, start, p);
    for (int k = 0; k < 3; ++k) p[k] += t0[k] + step[3 + k];
    if (!(p[2] > T(0.0))) return false;
    const T x = p[0] / p[2], y = p[1] / p[2];
    const T rho2 = x * x + y * y;
    const T radial = T(1.0) + rho2 * (c[4] + rho2 * c[5]);
    residual[0] = radial * (c[0] * x + c[kSkew] * y) + c[2] - pixel.x();
    residual[1] = radial * c[1] * y + c[3] - pixel.y();
    return true;
  }
};

struct Adjustment {
  IntrinsicArray intrinsics{};
  std::vector<PoseStep> steps;     // one per view
  std::vector<std::size_t> views;  // of which corner each pair of residuals is
  ceres::Problem problem;
};

void Build(const Target& target, const std::vector<View>& views, const ClosedForm& start, bool skew,
           Adjustment* adjustment) {
  adjustment->intrinsics = ToArray(start.intrinsics);
  adjustment->steps.assign(views.size(), PoseStep{});
  ceres::Problem& problem = adjustment->problem;
  problem.AddParameterBlock(adjustment->intrinsics.data(), kNumIntrinsics);
  if (!skew) {
    problem.SetManifold(adjustment->intrinsics.data(),
                        new ceres::SubsetManifold(kNumIntrinsics, {kSkew}));
  }
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (!start.poses[v].R.allFinite()) continue;
    for (std::size_t k = 0; k < target.size(); ++k) {
      if (!views[v][k].allFinite()) continue;
      const Eigen::Vector3d p_G(target[k].x(), target[k].y(), 0.0);
      problem.AddResidualBlock(
          new ceres::AutoDiffCostFunction<CornerResidual, 2, kNumIntrinsics, kPoseSize>(
              new CornerResidual{start.poses[v].R.transpose() * p_G, start.poses[v].t.transpose(),
                                 views[v][k]}),
          nullptr, adjustment->intrinsics.data(), adjustment->steps[v].data());
      adjustment->views.push_back(v);
    }
  }
}

bool Solve(Adjustment* adjustment, std::string* message) {
  ceres::Problem& problem = adjustment->problem;
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_SCHUR;
  options.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  for (PoseStep& step : adjustment->steps) {
    if (problem.HasParameterBlock(step.data())) {
      options.linear_solver_ordering->AddElementToGroup(step.data(), 0);
    }
  }
  options.linear_solver_ordering->AddElementToGroup(adjustment->intrinsics.data(), 1);
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-14;
  options.parameter_tolerance = 1e-12;
  options.gradient_tolerance = 1e-14;
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  *message = summary.message;
  return summary.termination_type == ceres::CONVERGENCE;
}

// Square roots of the diagonal of (J'J)^-1 for the intrinsics; infinite if J'J is singular.
Intrinsics UnitSigmas(const ceres::CRSMatrix& jacobian, bool skew) {
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(jacobian.num_cols, jacobian.num_cols);
  for (int row = 0; row < jacobian.num_rows; ++row) {
    for (int a = jacobian.rows[row]; a < jacobian.rows[row + 1]; ++a) {
      for (int b = jacobian.rows[row]; b < jacobian.rows[row + 1]; ++b) {
        N(jacobian.cols[a], jacobian.cols[b]) += jacobian.values[a] * jacobian.values[b];
      }
    }
  }
  const int num_free = skew ? kNumIntrinsics : kNumIntrinsics - 1;
  // Units differ by orders of magnitude: factorise with a unit diagonal.
  const Eigen::VectorXd scale = N.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::LLT<Eigen::MatrixXd> cholesky(scale.asDiagonal() * N * scale.asDiagonal());
  IntrinsicArray sigma{};
  for (int i = 0; i < num_free; ++i) {
    sigma[i] = std::numeric_limits<double>::infinity();
    if (cholesky.info() != Eigen::Success) continue;
    const Eigen::VectorXd column = cholesky.solve(Eigen::VectorXd::Unit(N.rows(), i));
    sigma[i] = scale[i] * std::sqrt(column[i]);
  }
  return FromArray(sigma);
}

// Errors per view and overall from the stacked residuals.
void MeanErrors(const Adjustment& adjustment, const std::vector<double>& residuals,
                Calibration* result) {
  std::vector<double> count(adjustment.steps.size(), 0.0), sum(count);
  for (std::size_t i = 0; i < adjustment.views.size(); ++i) {
    sum[adjustment.views[i]] += std::hypot(residuals[2 * i], residuals[2 * i + 1]);
    count[adjustment.views[i]] += 1.0;
  }
  double total = 0.0;
  for (std::size_t v = 0; v < count.size(); ++v) {
    if (count[v] > 0.0) result->mean_error_px[v] = sum[v] / count[v];
    total += sum[v];
  }
  result->overall_mean_error_px = total / static_cast<double>(adjustment.views.size());
  result->accepted = result->overall_mean_error_px < kAcceptedMeanErrorPx;
}

// Sets pixel_sigma_px and sigma. @returns The stacked residuals.
std::vector<double> SetSigmas(Adjustment* adjustment, int redundancy, bool skew,
                              Calibration* result) {
  double cost = 0.0;
  std::vector<double> residuals;
  ceres::CRSMatrix jacobian;
  ceres::Problem::EvaluateOptions evaluate;
  evaluate.parameter_blocks.push_back(adjustment->intrinsics.data());
  for (PoseStep& step : adjustment->steps) {
    if (adjustment->problem.HasParameterBlock(step.data())) {
      evaluate.parameter_blocks.push_back(step.data());
    }
  }
  adjustment->problem.Evaluate(evaluate, &cost, &residuals, nullptr, &jacobian);
  result->pixel_sigma_px = std::sqrt(2.0 * cost / redundancy);
  IntrinsicArray sigma = ToArray(UnitSigmas(jacobian, skew));
  for (double& value : sigma) value *= result->pixel_sigma_px;
  result->sigma = FromArray(sigma);
  return residuals;
}

// Why an adjusted camera is not to be believed; empty if it is.
std::string Undetermined(const Intrinsics& c, const Intrinsics& sigma, ImageSize image) {
  const double focal_sigma = std::max(sigma.f_x / c.f_x, sigma.f_y / c.f_y);
  if (!(c.f_x > 0.0 && c.f_y > 0.0 && focal_sigma < kMaxFocalSigma)) {
    return fmt::format(
        "the views do not determine the focal length ({:.0f} px, sigma {:.0f} px): tilt the board "
        "in different directions",
        c.f_x, sigma.f_x);
  }
  // The closed form knows no distortion: from a bad start the adjustment ends in such minima.
  if (!(c.c_x > 0.0 && c.c_x < image.width && c.c_y > 0.0 && c.c_y < image.height)) {
    return fmt::format(
        "the principal point ({:.0f}, {:.0f}) is outside of the image: tilt the board more, in "
        "different directions",
        c.c_x, c.c_y);
  }
  return {};
}

Pose Moved(const Pose& start, const PoseStep& step) {
  Eigen::Matrix3d turn;  // column major, as Ceres fills it
  ceres::AngleAxisToRotationMatrix(step.data(), turn.data());
  const Eigen::Map<const Eigen::RowVector3d> shift(step.data() + 3);
  return {.R = NearestRotation(start.R * turn.transpose()), .t = start.t + shift};
}

}  // namespace

Eigen::Matrix3d RowMatrix(const Intrinsics& c) {
  Eigen::Matrix3d K;
  K << c.f_x, 0.0, 0.0, c.skew, c.f_y, 0.0, c.c_x, c.c_y, 1.0;
  return K;
}

Calibration Calibrate(const Target& target, const std::vector<View>& views, ImageSize image,
                      const Options& options) {
  const ClosedForm start = ClosedFormIntrinsics(target, views, image, options);
  Calibration result;
  result.poses.resize(views.size());
  result.mean_error_px.assign(views.size(), kNaN);
  result.reason = start.reason;
  if (!result.reason.empty()) return result;

  Adjustment adjustment;
  Build(target, views, start, options.skew, &adjustment);
  const int redundancy = adjustment.problem.NumResiduals() -
                         (kNumIntrinsics - (options.skew ? 0 : 1) +
                          kPoseSize * (adjustment.problem.NumParameterBlocks() - 1));
  if (redundancy < 1) {
    result.reason = fmt::format("{} measured coordinates are too few for all parameters",
                                adjustment.problem.NumResiduals());
    return result;
  }
  std::string message;
  if (!Solve(&adjustment, &message)) {
    result.reason = fmt::format("the least-squares adjustment did not converge: {}", message);
    return result;
  }

  const std::vector<double> residuals = SetSigmas(&adjustment, redundancy, options.skew, &result);
  const Intrinsics adjusted = FromArray(adjustment.intrinsics);
  result.reason = Undetermined(adjusted, result.sigma, image);
  if (!result.reason.empty()) {
    result.sigma = {};
    result.pixel_sigma_px = kNaN;
    return result;
  }
  MeanErrors(adjustment, residuals, &result);
  result.intrinsics = adjusted;
  for (std::size_t v = 0; v < views.size(); ++v) {
    if (start.poses[v].R.allFinite()) {
      result.poses[v] = Moved(start.poses[v], adjustment.steps[v]);
    }
  }
  return result;
}

}  // namespace percuss::calibration::thesis
