// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/calibration/calibration_photographs.h"

#include <fmt/core.h>

#include <cmath>
#include <opencv2/calib3d.hpp>
#include <stdexcept>

#include "benchmarks/timing.h"
#include "calibration/bundle/bundle_adjustment.h"
#include "calibration/targets/board_images.h"
#include "calibration/targets/target.h"

namespace percuss::benchmarks {
namespace {

using calibration::Bundle;
using calibration::Pose;

// Where a board about is, from the first camera that sees it: the flat board and the rays, so that
// any lens model will do.
Pose StartPose(const Bundle& bundle, const calibration::TargetView& view) {
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    std::vector<cv::Point3d> points;
    std::vector<cv::Point2d> rays;
    for (std::size_t k = 0; k < view.images[c].pixels.size(); ++k) {
      const Eigen::Vector2d ray = Unproject(bundle.cameras[c], view.images[c].pixels[k]);
      if (!ray.allFinite()) continue;
      points.emplace_back(bundle.board[k].x(), bundle.board[k].y(), bundle.board[k].z());
      rays.emplace_back(ray.x(), ray.y());
    }
    cv::Vec3d rotation, t;
    if (points.size() < 6 ||
        !cv::solvePnP(points, rays, cv::Matx33d::eye(), cv::noArray(), rotation, t)) {
      continue;
    }
    const Pose camera_from_board{
        calibration::RotationFromVector({rotation[0], rotation[1], rotation[2]}),
        {t[0], t[1], t[2]}};
    return camera_from_board.Inverse() * bundle.camera_from_first[c];
  }
  throw std::runtime_error("a view shows no board");
}

}  // namespace

capture::Experiment Photographs(const std::filesystem::path& data) {
  const std::filesystem::path folder = data / "stereo_chessboard_opencv";
  capture::Experiment experiment;
  experiment.file = folder / "experiment.yaml";
  experiment.board = {.columns = 9, .rows = 6, .square = 0.025};
  for (const char* side : {"left", "right"}) {
    capture::CalibrationCamera& camera = experiment.calibration.cameras.emplace_back();
    camera.name = side;
    for (int k = 1; k <= 13; ++k) {
      if (k != 10) camera.images.push_back(folder / fmt::format("images/{}{:02d}.jpg", side, k));
    }
    camera.surface = folder / fmt::format("images/{}14.jpg", side);
  }
  return experiment;
}

Bundle OurCorners(const capture::Experiment& experiment, int num_threads) {
  const calibration::BoardImages images =
      calibration::ReadBoardImages(experiment, num_threads, [](double) {});
  Bundle bundle;
  bundle.board = calibration::TargetPoints(experiment.board);
  for (const std::array<int, 2>& size : images.sizes) {
    bundle.cameras.push_back({.width = size[0], .height = size[1]});
    bundle.camera_from_first.emplace_back();
  }
  for (const calibration::BoardView& view : images.views) {
    calibration::TargetView& target = bundle.views.emplace_back();
    for (const calibration::BoardCorners& corners : view.corners) {
      calibration::TargetImage& image = target.images.emplace_back();
      image.pixels = corners.pixels;
      for (const Eigen::Vector2d& pixel : image.pixels) {
        image.used.push_back(static_cast<char>(pixel.allFinite()));
      }
    }
  }
  return bundle;
}

void FitPoses(Bundle* bundle, double huber_px) {
  for (calibration::TargetView& view : bundle->views) {
    view.board_from_first = StartPose(*bundle, view);
  }
  AdjustBundle(bundle, {.huber_px = huber_px, .poses_only = true});
}

Bundle WithCameras(const Bundle& corners, const calibration::RigCalibration& rig, double huber_px) {
  Bundle bundle = corners;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    bundle.cameras[c] = rig.cameras[c].camera;
    bundle.camera_from_first[c] = rig.cameras[c].from_first;
  }
  bundle.shape = rig.board.shape;
  FitPoses(&bundle, huber_px);
  return bundle;
}

std::vector<double> AllDistances(const Bundle& bundle) {
  std::vector<double> distances;
  for (const calibration::TargetView& view : bundle.views) {
    for (int c = 0; c < static_cast<int>(bundle.cameras.size()); ++c) {
      for (const Eigen::Vector2d& residual : Residuals(bundle, view, c)) {
        if (residual.allFinite()) distances.push_back(residual.norm());
      }
    }
  }
  return distances;
}

double RmsOfImage(const Bundle& bundle, std::size_t view, int camera) {
  double sum = 0.0;
  int count = 0;
  for (const Eigen::Vector2d& residual : Residuals(bundle, bundle.views[view], camera)) {
    if (!residual.allFinite()) continue;
    sum += residual.squaredNorm();
    ++count;
  }
  return std::sqrt(sum / count);
}

double MedianRmsOfImages(const Bundle& bundle) {
  std::vector<double> values;
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    for (int c = 0; c < static_cast<int>(bundle.cameras.size()); ++c) {
      values.push_back(RmsOfImage(bundle, v, c));
    }
  }
  return Quantile(values, 0.5);
}

}  // namespace percuss::benchmarks
