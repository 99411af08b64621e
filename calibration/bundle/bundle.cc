// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/bundle/bundle.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "calibration/rig/disc_image.h"

namespace percuss::calibration {

std::vector<Eigen::Vector2d> BendShapes(const std::vector<Eigen::Vector3d>& board) {
  Eigen::Array2d lowest = Eigen::Array2d::Constant(std::numeric_limits<double>::infinity());
  Eigen::Array2d highest = -lowest;
  for (const Eigen::Vector3d& p : board) {
    lowest = lowest.min(p.head<2>().array());
    highest = highest.max(p.head<2>().array());
  }
  std::vector<Eigen::Vector2d> shapes;
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  for (const Eigen::Vector3d& p : board) {
    const Eigen::Array2d place =
        (2.0 * p.head<2>().array() - lowest - highest) / (highest - lowest);
    shapes.emplace_back(place.square());
    mean += shapes.back() / static_cast<double>(board.size());
  }
  for (Eigen::Vector2d& shape : shapes) shape -= mean;
  return shapes;
}

std::vector<Eigen::Vector3d> ShapedBoard(const Bundle& bundle) {
  std::vector<Eigen::Vector3d> board;
  board.reserve(bundle.board.size());
  const std::vector<Eigen::Vector2d> bends = BendShapes(bundle.board);
  for (std::size_t k = 0; k < bundle.board.size(); ++k) {
    board.emplace_back(bundle.shape.scale * bundle.board[k] +
                       Eigen::Vector3d(0.0, 0.0, bundle.shape.warp.dot(bends[k])));
  }
  return board;
}

std::vector<Eigen::Vector2d> Residuals(const Bundle& bundle, const TargetView& view, int camera) {
  const TargetImage& image = view.images[camera];
  if (image.pixels.empty()) return {};
  const Pose camera_from_board = bundle.camera_from_first[camera] * view.board_from_first.Inverse();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Eigen::Vector2d> residuals;
  residuals.reserve(bundle.board.size());
  const std::vector<Eigen::Vector3d> board = ShapedBoard(bundle);
  for (std::size_t k = 0; k < board.size(); ++k) {
    const Eigen::Vector3d p_C = camera_from_board * board[k];
    residuals.push_back(
        p_C.z() > 0.0 ? Eigen::Vector2d(image.pixels[k] - Project(bundle.cameras[camera], p_C))
                      : Eigen::Vector2d(kNan, kNan));
  }
  return residuals;
}

void CorrectDiscImages(Bundle* bundle) {
  if (!(bundle->disc_radius > 0.0)) return;
  const std::vector<Eigen::Vector3d> board = ShapedBoard(*bundle);
  for (TargetView& view : bundle->views) {
    for (std::size_t c = 0; c < bundle->cameras.size(); ++c) {
      const Pose camera_from_board = bundle->camera_from_first[c] * view.board_from_first.Inverse();
      TargetImage& image = view.images[c];
      for (std::size_t k = 0; k < image.pixels.size(); ++k) {
        const Eigen::Vector2d offset =
            DiscCentroidOffset(bundle->cameras[c], camera_from_board, board[k],
                               bundle->shape.scale * bundle->disc_radius);
        if (offset.allFinite()) image.pixels[k] = image.centroids[k] - offset;
      }
    }
  }
}

std::array<double, kNumIntrinsics> IntrinsicsPrior(const Camera& camera, double distortion_sigma) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, kNumIntrinsics> sigma{};
  for (std::size_t k = 0; k < 4 + DistortionNames(camera.lens).size(); ++k) sigma[k] = kInfinity;
  const auto& c = camera.intrinsics;
  const double reach = std::hypot(std::max(c[2], camera.width - c[2]) / c[0],
                                  std::max(c[3], camera.height - c[3]) / c[1]);
  const auto limit = [&](std::size_t place, int order, double effect) {
    sigma[place] = effect / std::pow(reach, order);
  };
  if (camera.lens == LensModel::kFisheye) {
    // For a fisheye lens the distance from the centre is f times the angle.
    limit(6, 6, distortion_sigma);
    limit(7, 8, distortion_sigma);
    return sigma;
  }
  limit(8, 6, distortion_sigma);
  if (camera.lens == LensModel::kRational) {
    // Numerator and denominator nearly cancel, so that each is large where the lens bends strongly.
    constexpr double kDenominator = 10.0;
    for (int order = 1; order <= 3; ++order) {
      limit(static_cast<std::size_t>(8 + order), 2 * order, kDenominator * distortion_sigma);
    }
  }
  return sigma;
}

void CheckBundle(const Bundle& bundle) {
  const std::size_t num_cameras = bundle.cameras.size();
  const auto fail = [](const std::string& text) { throw std::invalid_argument("Bundle." + text); };
  if (num_cameras == 0 || bundle.camera_from_first.size() != num_cameras) {
    fail(fmt::format("camera_from_first: found {} poses for {} cameras",
                     bundle.camera_from_first.size(), num_cameras));
  }
  if (!(bundle.pixel_sigma_px > 0.0)) {
    fail(fmt::format("pixel_sigma_px: found {}, allowed above 0", bundle.pixel_sigma_px));
  }
  if (std::isinf(bundle.model.scale_sigma) && bundle.distances.empty()) {
    fail("model.scale_sigma: found infinity without a known distance");
  }
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    const std::vector<TargetImage>& images = bundle.views[v].images;
    if (images.size() != num_cameras) {
      fail(fmt::format("views[{}]: found {} images for {} cameras", v, images.size(), num_cameras));
    }
    for (const TargetImage& image : images) {
      if (!(image.relative_sigma > 0.0)) {
        fail(fmt::format("views[{}]: relative_sigma: found {}, allowed above 0", v,
                         image.relative_sigma));
      }
      const std::size_t size = image.pixels.empty() ? 0 : bundle.board.size();
      if (image.pixels.size() != size || image.used.size() != size) {
        fail(fmt::format("views[{}]: found {} pixels and {} flags for {} target points", v,
                         image.pixels.size(), image.used.size(), bundle.board.size()));
      }
      for (std::size_t k = 0; k < size; ++k) {
        if (image.used[k] != 0 && !image.pixels[k].allFinite()) {
          fail(fmt::format("views[{}]: point {} is used but its pixel is not finite", v, k));
        }
      }
    }
  }
  for (const KnownDistance& known : bundle.distances) {
    if (known.pixels.size() != num_cameras || !(known.distance > 0.0) || !(known.sigma > 0.0)) {
      fail(
          fmt::format("distances: found {} m with sigma {} m seen by {} cameras, allowed are "
                      "positive lengths and {} cameras",
                      known.distance, known.sigma, known.pixels.size(), num_cameras));
    }
  }
}

}  // namespace percuss::calibration
