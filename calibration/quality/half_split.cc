// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/quality/half_split.h"

#include <Eigen/QR>
#include <array>
#include <cmath>
#include <limits>

#include "calibration/bundle/bundle_adjustment.h"

namespace percuss::calibration {
namespace {

constexpr std::size_t kMinViews = 8;
constexpr int kMotionColumns = 6;
constexpr Eigen::Index kMinRows = 24;  // a dozen places, four times what the motion needs

// The rig of a bundle in the frame of its first camera.
RigCalibration RigOf(const Bundle& bundle) {
  RigCalibration rig;
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    rig.cameras.push_back(
        {.name = {}, .camera = bundle.cameras[c], .from_first = bundle.camera_from_first[c]});
  }
  return rig;
}

// Raster points in space with their pixels in one camera.
struct Raster {
  std::size_t camera;
  ImageMap map;
  std::vector<std::size_t> places;       // of the points that have a ray
  std::vector<Eigen::Vector3d> p_first;  // [m]
};

// Whether some used corner of a camera lies within one raster step: elsewhere the model is only
// extrapolated, and halves differ by whatever the lens prior allows.
bool NearCorner(const Bundle& bundle, std::size_t camera, const Eigen::Vector2d& pixel,
                const Eigen::Vector2d& step) {
  for (const TargetView& view : bundle.views) {
    const TargetImage& image = view.images[camera];
    for (std::size_t k = 0; k < image.pixels.size(); ++k) {
      if (image.used[k] != 0 &&
          (image.pixels[k] - pixel).cwiseQuotient(step).cwiseAbs().maxCoeff() <= 1.0) {
        return true;
      }
    }
  }
  return false;
}

std::vector<Raster> RastersOf(const Bundle& bundle, const Bundle& other,
                              const WorkingVolume& volume) {
  std::vector<Raster> rasters;
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    Raster raster{.camera = c, .map = RasterOf(bundle.cameras[c]), .places = {}, .p_first = {}};
    const Eigen::Vector2d step(bundle.cameras[c].width / (raster.map.columns - 1.0),
                               bundle.cameras[c].height / (raster.map.rows - 1.0));
    for (std::size_t k = 0; k < raster.map.pixels.size(); ++k) {
      if (!NearCorner(bundle, c, raster.map.pixels[k], step) ||
          !NearCorner(other, c, raster.map.pixels[k], step)) {
        continue;
      }
      const Eigen::Vector2d ray = Unproject(bundle.cameras[c], raster.map.pixels[k]);
      if (!ray.allFinite()) continue;
      raster.places.push_back(k);
      raster.p_first.push_back(bundle.camera_from_first[c].Inverse() *
                               Eigen::Vector3d(volume.distance[c] * ray.homogeneous()));
    }
    rasters.push_back(std::move(raster));
  }
  return rasters;
}

// Derivatives of all raster pixels, stacked, by the rig parameters without the world's pose; and by
// a motion of the points, which is what the world's pose does.
Eigen::MatrixXd Derivatives(const RigCalibration& rig, const std::vector<Raster>& rasters) {
  std::size_t rows = 0;
  for (const Raster& raster : rasters) rows += 2 * raster.p_first.size();
  Eigen::MatrixXd jacobian(rows, NumRigParameters(rig.Places().num_cameras));
  Eigen::Index row = 0;
  for (const Raster& raster : rasters) {
    for (const Eigen::Vector3d& p : raster.p_first) {
      jacobian.middleRows<2>(row) = PixelByParameters(rig, raster.camera, p);
      row += 2;
    }
  }
  return jacobian;
}

// What is left of the pixels' errors after the best rigid motion.
Eigen::MatrixXd WithoutMotion(const Eigen::MatrixXd& jacobian, const Eigen::MatrixXd& errors) {
  const Eigen::MatrixXd motion = jacobian.rightCols<kMotionColumns>();
  return errors - motion * motion.colPivHouseholderQr().solve(errors);
}

}  // namespace

HalfSplit CompareHalves(const Bundle& bundle, const WorkingVolume& volume) {
  HalfSplit split;
  if (bundle.views.size() < kMinViews) return split;
  std::array<Bundle, 2> halves = {bundle, bundle};
  std::array<Eigen::MatrixXd, 2> covariances;
  for (std::size_t half = 0; half < 2; ++half) {
    halves[half].views.clear();
    for (std::size_t v = half; v < bundle.views.size(); v += 2) {
      halves[half].views.push_back(bundle.views[v]);
    }
    AdjustBundle(&halves[half]);
    covariances[half] = BundleCovariance(halves[half]);
    if (covariances[half].size() == 0) return split;
  }
  const std::vector<Raster> rasters = RastersOf(halves[0], halves[1], volume);
  const RigCalibration rig = RigOf(halves[1]);
  const Eigen::MatrixXd jacobian = Derivatives(rig, rasters);
  if (jacobian.rows() < kMinRows) return split;
  Eigen::VectorXd errors(jacobian.rows());
  Eigen::Index row = 0;
  for (const Raster& raster : rasters) {
    for (std::size_t n = 0; n < raster.p_first.size(); ++n, row += 2) {
      const Eigen::Vector3d p_C = rig.cameras[raster.camera].from_first * raster.p_first[n];
      errors.segment<2>(row) =
          Project(rig.cameras[raster.camera].camera, p_C) - raster.map.pixels[raster.places[n]];
    }
  }
  // The halves differ by so little that the motion is a small one.
  const Eigen::VectorXd left = WithoutMotion(jacobian, errors);
  row = 0;
  for (const Raster& raster : rasters) {
    ImageMap map = raster.map;
    for (const std::size_t place : raster.places) {
      map.values[place] = left.segment<2>(row).norm();
      row += 2;
    }
    split.difference_px.push_back(std::move(map));
  }
  const int world = rig.Places().World();
  const Eigen::MatrixXd by_cameras = WithoutMotion(jacobian, jacobian.leftCols(world));
  const Eigen::MatrixXd covariance = (covariances[0] + covariances[1]).topLeftCorner(world, world);
  const double num_points = 0.5 * static_cast<double>(left.size());
  split.rms_px = std::sqrt(left.squaredNorm() / num_points);
  split.predicted_rms_px =
      std::sqrt((by_cameras * covariance * by_cameras.transpose()).trace() / num_points);
  return split;
}

}  // namespace percuss::calibration
