// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/bundle_adjustment.h"

#include <ceres/manifold.h>
#include <ceres/normal_prior.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <cmath>
#include <memory>

#include "calibration/bundle/image_cost.h"

namespace percuss::calibration {
namespace {

using Step = Eigen::Matrix<double, 6, 1>;

// The Ceres problem of a bundle. It refers to the bundle's cameras and distances.
struct CeresBundle {
  std::vector<Step> camera_steps, board_steps;
  Eigen::Vector3d shape;  // scale, warp
  ceres::Problem problem;

  CeresBundle(Bundle& bundle, const AdjustmentOptions& options)
      : camera_steps(bundle.cameras.size(), Step::Zero()),
        board_steps(bundle.views.size(), Step::Zero()),
        shape(bundle.shape.scale, bundle.shape.warp.x(), bundle.shape.warp.y()) {
    problem.AddParameterBlock(shape.data(), 3);
    for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
      problem.AddParameterBlock(bundle.cameras[c].intrinsics.data(), kNumIntrinsics);
      problem.AddParameterBlock(camera_steps[c].data(), 6);
    }
    AddImages(bundle, options.huber_px);
    AddDistances(bundle);
    AddPriors(bundle);
    Hold(bundle, options.poses_only);
  }

 private:
  void AddImages(Bundle& bundle, double huber_px) {
    for (std::size_t v = 0; v < bundle.views.size(); ++v) {
      for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
        auto cost = std::make_unique<ImageCost>(bundle, bundle.views[v], c, huber_px);
        if (cost->num_residuals() == 0) continue;
        problem.AddResidualBlock(cost.release(), nullptr, bundle.cameras[c].intrinsics.data(),
                                 camera_steps[c].data(), board_steps[v].data(), shape.data());
      }
    }
  }

  void AddDistances(Bundle& bundle) {
    for (KnownDistance& known : bundle.distances) {
      for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
        for (std::size_t end = 0; end < 2; ++end) {
          if (!known.pixels[c][end].allFinite()) continue;
          problem.AddResidualBlock(new EndCost(bundle, c, known.pixels[c][end]), nullptr,
                                   bundle.cameras[c].intrinsics.data(), camera_steps[c].data(),
                                   known.p_first[end].data());
        }
      }
      problem.AddResidualBlock(new LengthCost(known), nullptr, known.p_first[0].data(),
                               known.p_first[1].data());
    }
  }

  void AddPriors(Bundle& bundle) {
    for (Camera& camera : bundle.cameras) {
      const auto sigma = IntrinsicsPrior(camera, bundle.model.distortion_sigma);
      for (int k = 0; k < kNumIntrinsics; ++k) {
        const double s = sigma[k];
        if (!(s > 0.0) || std::isinf(s)) continue;
        ceres::Matrix weight = ceres::Matrix::Zero(1, kNumIntrinsics);
        weight(0, k) = 1.0 / s;
        problem.AddResidualBlock(
            new ceres::NormalPrior(weight, ceres::Vector::Zero(kNumIntrinsics)), nullptr,
            camera.intrinsics.data());
      }
    }
    const double s = bundle.model.scale_sigma;
    if (s > 0.0 && std::isfinite(s)) {
      ceres::Matrix weight = ceres::Matrix::Zero(1, 3);
      weight(0, 0) = 1.0 / s;
      problem.AddResidualBlock(new ceres::NormalPrior(weight, ceres::Vector::Unit(3, 0)), nullptr,
                               shape.data());
    }
  }

  void HoldPlaces(double* block, int size, const std::vector<int>& places) {
    if (static_cast<int>(places.size()) == size) {
      problem.SetParameterBlockConstant(block);
    } else if (!places.empty()) {
      problem.SetManifold(block, new ceres::SubsetManifold(size, places));
    }
  }

  void Hold(Bundle& bundle, bool poses_only) {
    problem.SetParameterBlockConstant(camera_steps[0].data());
    for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
      double* intrinsics = bundle.cameras[c].intrinsics.data();
      if (poses_only) {
        problem.SetParameterBlockConstant(intrinsics);
        problem.SetParameterBlockConstant(camera_steps[c].data());
      } else {
        HoldPlaces(intrinsics, kNumIntrinsics,
                   HeldIntrinsics(bundle.cameras[c], bundle.model.distortion_sigma));
      }
    }
    std::vector<int> held_shape;
    if (poses_only || bundle.model.scale_sigma == 0.0) held_shape.push_back(0);
    if (poses_only || !bundle.model.free_warp) held_shape.insert(held_shape.end(), {1, 2});
    HoldPlaces(shape.data(), 3, held_shape);
  }

  static std::vector<int> HeldIntrinsics(const Camera& camera, double distortion_sigma) {
    std::vector<int> held;
    const auto sigma = IntrinsicsPrior(camera, distortion_sigma);
    for (int k = 0; k < kNumIntrinsics; ++k) {
      if (!(sigma[k] > 0.0)) held.push_back(k);
    }
    return held;
  }
};

}  // namespace

AdjustmentSummary AdjustBundle(Bundle* bundle, const AdjustmentOptions& options) {
  CheckBundle(*bundle);
  CeresBundle parts(*bundle, options);
  ceres::Solver::Options solver_options;
  solver_options.linear_solver_type = ceres::DENSE_SCHUR;
  solver_options.linear_solver_ordering = std::make_shared<ceres::ParameterBlockOrdering>();
  ceres::ParameterBlockOrdering& ordering = *solver_options.linear_solver_ordering;
  for (Step& step : parts.board_steps) {
    if (parts.problem.HasParameterBlock(step.data())) ordering.AddElementToGroup(step.data(), 0);
  }
  // Each of the others in a group of its own: within one they would be ordered by their addresses,
  // and sums rounded differently from run to run. (The steps above lie in one array.)
  int group = 0;
  for (KnownDistance& known : bundle->distances) {
    for (Eigen::Vector3d& end : known.p_first) ordering.AddElementToGroup(end.data(), ++group);
  }
  for (std::size_t c = 0; c < bundle->cameras.size(); ++c) {
    ordering.AddElementToGroup(bundle->cameras[c].intrinsics.data(), ++group);
    ordering.AddElementToGroup(parts.camera_steps[c].data(), ++group);
  }
  ordering.AddElementToGroup(parts.shape.data(), ++group);
  solver_options.max_num_iterations = options.max_num_iterations;
  solver_options.function_tolerance = 1e-12;
  solver_options.parameter_tolerance = 1e-11;
  solver_options.gradient_tolerance = 1e-12;
  solver_options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(solver_options, &parts.problem, &summary);

  for (std::size_t c = 1; c < bundle->cameras.size(); ++c) {
    bundle->camera_from_first[c] = Moved(bundle->camera_from_first[c], parts.camera_steps[c]);
  }
  for (std::size_t v = 0; v < bundle->views.size(); ++v) {
    Pose& pose = bundle->views[v].board_from_first;
    pose = Moved(pose, parts.board_steps[v]);
  }
  bundle->shape = {.scale = parts.shape[0], .warp = parts.shape.tail<2>()};
  return {.converged = summary.termination_type == ceres::CONVERGENCE, .message = summary.message};
}

}  // namespace percuss::calibration
