// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/residual_set.h"

#include <algorithm>

#include "calibration/bundle/image_cost.h"

namespace percuss::calibration {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Appends the used points of one image, with its view's place in the set.
void AddCorners(const Bundle& bundle, const TargetView& view, std::size_t camera, int image,
                std::vector<MeasuredResidual>* corners) {
  const Pose camera_from_board = bundle.camera_from_first[camera] * view.board_from_first.Inverse();
  const std::vector<Eigen::Vector3d> board = ShapedBoard(bundle);
  const std::vector<Eigen::Vector2d> residuals = Residuals(bundle, view, static_cast<int>(camera));
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    const TargetImage& measured = view.images[camera];
    if (measured.used[k] == 0) continue;
    const Projection projection =
        ProjectWithDerivatives(bundle.cameras[camera], camera_from_board * board[k]);
    corners->push_back({.image = image,
                        .camera = static_cast<int>(camera),
                        .point = static_cast<int>(k),
                        .pixel = measured.pixels[k],
                        .residual = residuals[k],
                        .sigma_px = PixelSigma(bundle, measured),
                        .pixel_by_target = projection.by_point * camera_from_board.R});
  }
}

// Fills the rows of one image in the Jacobian: shared parameters first, then six for each view.
void FillRows(const Bundle& bundle, const TargetView& view, std::size_t camera, int image,
              Eigen::Index first_row, Eigen::MatrixXd* jacobian) {
  const ImageCost cost(bundle, view, camera, 0.0);
  const int rows = cost.num_residuals();
  if (rows == 0) return;
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  const std::array<double, 6> no_step{};
  const std::array<double, 3> shape = {bundle.shape.scale, bundle.shape.warp.x(),
                                       bundle.shape.warp.y()};
  const std::array<const double*, 4> parameters = {bundle.cameras[camera].intrinsics.data(),
                                                   no_step.data(), no_step.data(), shape.data()};
  std::array<RowMajor, 4> blocks;
  std::array<double*, 4> pointers{};
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    blocks[b].resize(rows, kImageCostBlocks[b]);
    pointers[b] = blocks[b].data();
  }
  Eigen::VectorXd residuals(rows);
  if (!cost.Evaluate(parameters.data(), residuals.data(), pointers.data())) return;
  const double sigma_px = PixelSigma(bundle, view.images[camera]);
  const auto put = [&](const RowMajor& block, int column) {
    jacobian->block(first_row, column, rows, block.cols()) = sigma_px * block;
  };
  const int c = static_cast<int>(camera);
  put(blocks[0], places.Intrinsics(c));
  if (c > 0) put(blocks[1], places.CameraPose(c));
  put(blocks[2], places.Size() + 6 * image);
  const int shape_place = places.BoardShape();
  if (bundle.model.scale_sigma > 0.0) put(blocks[3].leftCols<1>(), shape_place);
  if (bundle.model.free_warp) put(blocks[3].rightCols<2>(), shape_place + 1);
}

}  // namespace

std::vector<MeasuredResidual> UsedCorners(const Bundle& bundle) {
  std::vector<MeasuredResidual> corners;
  for (std::size_t n = 0; n < bundle.views.size(); ++n) {
    for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
      AddCorners(bundle, bundle.views[n], c, static_cast<int>(n), &corners);
    }
  }
  return corners;
}

ResidualSet ResidualSetOf(const Bundle& bundle, std::size_t max_views) {
  ResidualSet set;
  for (const Camera& camera : bundle.cameras) {
    set.image_sizes.emplace_back(camera.width, camera.height);
  }
  const std::size_t num_views = std::min(max_views, bundle.views.size());
  std::vector<const TargetView*> views;
  for (std::size_t n = 0; n < num_views; ++n) {
    views.push_back(&bundle.views[n * bundle.views.size() / num_views]);
  }
  struct Rows {
    std::size_t camera;
    int image;
    Eigen::Index first;
  };
  std::vector<Rows> rows;
  for (std::size_t n = 0; n < num_views; ++n) {
    for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
      const int image = static_cast<int>(n);
      rows.push_back({c, image, 2 * std::ssize(set.corners)});
      AddCorners(bundle, *views[n], c, image, &set.corners);
    }
  }
  const ParameterPlaces places{static_cast<int>(bundle.cameras.size())};
  set.jacobian = Eigen::MatrixXd::Zero(2 * std::ssize(set.corners),
                                       places.Size() + 6 * static_cast<int>(num_views));
  for (const Rows& part : rows) {
    FillRows(bundle, *views[part.image], part.camera, part.image, part.first, &set.jacobian);
  }
  return set;
}

}  // namespace percuss::calibration
