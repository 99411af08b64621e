// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <limits>

#include "tests/calibration/bundle/draws.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

constexpr int kNumViews = 10;
constexpr std::uint32_t kSeedOfViews = 21;

}  // namespace

Bundle BrownRig() { return SyntheticBundle(kNumViews, kSeedOfViews); }

Bundle RationalRig() {
  Bundle bundle = BrownRig();
  bundle.cameras[0].lens = bundle.cameras[1].lens = LensModel::kRational;
  bundle.cameras[0].intrinsics = {1043.0, 1046.0,  652.0, 349.0, 0.11, -0.03,
                                  0.0009, -0.0006, 0.011, 0.32,  0.04, -0.02};
  bundle.cameras[1].intrinsics = {987.0,   985.0,  621.0,  372.0, 0.16, 0.05,
                                  -0.0007, 0.0008, -0.006, 0.29,  0.08, 0.01};
  ProjectCorners(&bundle);
  return bundle;
}

Bundle FisheyeRig() {
  Bundle bundle = BrownRig();
  bundle.cameras[0].lens = bundle.cameras[1].lens = LensModel::kFisheye;
  bundle.cameras[0].intrinsics = {803.0, 806.0, 652.0, 349.0, -0.021, 0.008, -0.004, 0.001};
  bundle.cameras[1].intrinsics = {790.0, 789.0, 621.0, 372.0, -0.016, 0.005, 0.003, -0.002};
  constexpr double kNearer = 0.75;
  for (TargetView& view : bundle.views) {
    Pose first_from_board = view.board_from_first.Inverse();
    first_from_board.t.z() *= kNearer;
    view.board_from_first = first_from_board.Inverse();
  }
  ProjectCorners(&bundle);
  return bundle;
}

Bundle ScaledBoardRig() {
  Bundle bundle = BrownRig();
  bundle.shape.scale = 1.01;
  ProjectCorners(&bundle);
  KnownDistance rod{.pixels = {}, .distance = 0.0, .sigma = 1e-4};
  rod.p_first = {Eigen::Vector3d(-0.2, 0.05, 0.9), Eigen::Vector3d(0.25, -0.03, 1.0)};
  rod.distance = (rod.p_first[0] - rod.p_first[1]).norm();
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    rod.pixels.emplace_back();
    for (std::size_t end = 0; end < 2; ++end) {
      rod.pixels[c][end] =
          Project(bundle.cameras[c], bundle.camera_from_first[c] * rod.p_first[end]);
    }
  }
  bundle.distances = {rod};
  bundle.model.scale_sigma = std::numeric_limits<double>::infinity();
  return bundle;
}

}  // namespace percuss::calibration
