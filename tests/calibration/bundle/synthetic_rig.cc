// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/calibration/bundle/synthetic_rig.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <random>

namespace percuss::calibration {
namespace {

constexpr int kColumns = 9, kRows = 6;

Bundle Rig() {
  Bundle bundle;
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < kColumns; ++i) {
      bundle.board.emplace_back(kSyntheticSquare * i, -kSyntheticSquare * j, 0.0);
    }
  }
  bundle.cameras.resize(2);
  bundle.cameras[0] = {
      .width = 1280,
      .height = 720,
      .intrinsics = {1043.0, 1046.0, 652.0, 349.0, -0.21, 0.08, 0.0009, -0.0006, 0.011}};
  bundle.cameras[1] = {
      .width = 1280,
      .height = 720,
      .intrinsics = {987.0, 985.0, 621.0, 372.0, -0.16, 0.05, -0.0007, 0.0008, -0.006}};
  bundle.camera_from_first.assign(2, Pose{});
  bundle.camera_from_first[1] = {.R = RotationFromVector({0.02, 0.33, -0.11}),
                                 .t = {-0.341, -0.022, 0.047}};
  return bundle;
}

// A board in front of the left camera, its printed side (z) towards the camera.
Pose BoardInLeft(const Eigen::Vector3d& tilt, double turn, const Eigen::Vector3d& centre) {
  Pose left_from_board;
  left_from_board.R = RotationFromVector(tilt) * Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal() *
                      RotationFromVector({0.0, 0.0, turn});
  const Eigen::Vector3d middle(0.5 * (kColumns - 1) * kSyntheticSquare,
                               -0.5 * (kRows - 1) * kSyntheticSquare, 0.0);
  left_from_board.t = centre - left_from_board.R * middle;
  return left_from_board;
}

Bundle Views(int num_views, std::uint32_t seed, double tilt) {
  Bundle bundle = Rig();
  std::mt19937 random(seed);
  const auto uniform = [&](double lowest, double highest) {
    return std::uniform_real_distribution<double>(lowest, highest)(random);
  };
  for (int v = 0; v < num_views; ++v) {
    const bool surface = v + 1 == num_views;
    Eigen::Vector3d leaning{tilt > 0.0 ? -0.9 : 0.0, 0.02, 0.0};
    double turn = 0.15;
    Eigen::Vector3d place{0.03, 0.05, 1.05};
    if (!surface) {
      place = {uniform(-0.22, 0.3), uniform(-0.14, 0.14), uniform(0.75, 1.0)};
      turn = uniform(-1.5, 1.5);
      leaning = {uniform(-tilt, tilt), uniform(-tilt, tilt), 0.0};
    }
    const Pose left_from_board = BoardInLeft(leaning, turn, place);
    bundle.views.push_back({.images = {}, .board_from_first = left_from_board.Inverse()});
  }
  ProjectCorners(&bundle);
  return bundle;
}

double SrgbOfLight(double light) {
  const double value =
      light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
  return 255.0 * value;
}

}  // namespace

Bundle SyntheticBundle(int num_views, std::uint32_t seed) { return Views(num_views, seed, 0.6); }

Bundle ParallelBoards(int num_views, std::uint32_t seed) { return Views(num_views, seed, 0.0); }

void ProjectCorners(Bundle* bundle) {
  const std::vector<Eigen::Vector3d> board = ShapedBoard(*bundle);
  for (TargetView& view : bundle->views) {
    view.images.resize(bundle->cameras.size());
    for (std::size_t c = 0; c < bundle->cameras.size(); ++c) {
      const Pose camera_from_board = bundle->camera_from_first[c] * view.board_from_first.Inverse();
      TargetImage& image = view.images[c];
      image = {};
      for (const Eigen::Vector3d& p_G : board) {
        image.pixels.push_back(Project(bundle->cameras[c], camera_from_board * p_G));
        image.used.push_back(1);
      }
    }
  }
}

void AddNoise(Bundle* bundle, double sigma_px, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (TargetView& view : bundle->views) {
    for (TargetImage& image : view.images) {
      std::normal_distribution<double> noise(0.0, image.relative_sigma * sigma_px);
      for (Eigen::Vector2d& pixel : image.pixels) {
        pixel.x() += noise(random);
        pixel.y() += noise(random);
      }
    }
  }
}

Eigen::VectorXd ParameterError(const Bundle& estimate, const Bundle& truth) {
  const ParameterPlaces places{static_cast<int>(truth.cameras.size())};
  Eigen::VectorXd error(places.Size());
  const auto pose_error = [&](const Pose& a, const Pose& b, int place) {
    const Eigen::AngleAxisd turn(a.R * b.R.transpose());
    error.segment<3>(place) = turn.angle() * turn.axis();
    error.segment<3>(place + 3) = a.t - b.t;
  };
  for (int c = 0; c < places.num_cameras; ++c) {
    const auto camera = static_cast<std::size_t>(c);
    for (std::size_t k = 0; k < kNumIntrinsics; ++k) {
      error[places.Intrinsics(c) + static_cast<int>(k)] =
          estimate.cameras[camera].intrinsics[k] - truth.cameras[camera].intrinsics[k];
    }
    if (c > 0) {
      pose_error(estimate.camera_from_first[camera], truth.camera_from_first[camera],
                 places.CameraPose(c));
    }
  }
  pose_error(estimate.views.back().board_from_first, truth.views.back().board_from_first,
             places.World());
  error[places.BoardShape()] = estimate.shape.scale - truth.shape.scale;
  error.tail<2>() = estimate.shape.warp - truth.shape.warp;
  return error;
}

RigCalibration RigOf(const Bundle& bundle, const Eigen::MatrixXd& covariance) {
  RigCalibration rig;
  for (std::size_t c = 0; c < bundle.cameras.size(); ++c) {
    rig.cameras.push_back({.name = c == 0 ? "left" : "right",
                           .camera = bundle.cameras[c],
                           .from_first = bundle.camera_from_first[c]});
  }
  rig.world_from_first = bundle.views.back().board_from_first;
  const int size = NumRigParameters(rig.Places().num_cameras);
  rig.covariance = covariance.topLeftCorner(size, size);
  return rig;
}

cv::Mat RenderBoard(const Camera& camera, const Pose& board_from_camera, int columns, int rows,
                    bool inverted) {
  constexpr int kSamples = 5;  // per pixel and direction
  constexpr double kWhite = 0.6, kBlack = 0.02, kGround = 0.2;
  const auto& c = camera.intrinsics;
  cv::Mat image(camera.height, camera.width, CV_8UC1);
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      double light = 0.0;
      for (int sample = 0; sample < kSamples * kSamples; ++sample) {
        // A sheared lattice: on a straight one, edges along the pixel rows would jump.
        const int i = sample % kSamples, j = sample / kSamples;
        const double px = x - 0.5 + (i + (j + 0.5) / kSamples) / kSamples;
        const double py = y - 0.5 + (j + (i + 0.5) / kSamples) / kSamples;
        const Eigen::Vector3d ray =
            board_from_camera.R * Eigen::Vector3d((px - c[2]) / c[0], (py - c[3]) / c[1], 1.0);
        const double distance = -board_from_camera.t.z() / ray.z();
        const Eigen::Vector3d p_G = board_from_camera.t + distance * ray;
        // Board square (0, 0) is the black one diagonally outside the first inner corner.
        const double u = p_G.x() / kSyntheticSquare + 1.0, v = -p_G.y() / kSyntheticSquare + 1.0;
        if (u >= 0.0 && v >= 0.0 && u < columns + 1 && v < rows + 1) {
          const bool even = (static_cast<int>(u) + static_cast<int>(v)) % 2 == 0;
          light += even != inverted ? kBlack : kWhite;
        } else if (u >= -1.0 && v >= -1.0 && u < columns + 2 && v < rows + 2) {
          light += kWhite;
        } else {
          light += kGround;
        }
      }
      image.at<unsigned char>(y, x) =
          cv::saturate_cast<unsigned char>(SrgbOfLight(light / (kSamples * kSamples)));
    }
  }
  return image;
}

}  // namespace percuss::calibration
