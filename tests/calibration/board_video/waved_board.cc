// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/calibration/board_video/waved_board.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <random>

#include "capture/video/video_writer.h"
#include "tests/calibration/targets/board_renderer.h"

namespace percuss::calibration {
namespace {

constexpr float kWhite = 0.6F, kBlack = 0.02F, kGround = 0.2F;
constexpr int kSamples = 16;  // of each pixel, spread over its area and over the exposure

// Rays of the pixel centres, and how they change to the next pixel.
struct Rays {
  std::vector<Eigen::Vector2f> corner, at, by_x, by_y;

  explicit Rays(const Camera& camera) {
    const auto width = static_cast<std::size_t>(camera.width);
    for (int y = 0; y <= camera.height; ++y) {
      for (int x = 0; x <= camera.width; ++x) {
        corner.emplace_back(Unproject(camera, {x - 0.5, y - 0.5}).cast<float>());
      }
    }
    for (int y = 0; y < camera.height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t k = static_cast<std::size_t>(y) * (width + 1) + x;
        const Eigen::Vector2f &a = corner[k], &b = corner[k + 1], &c = corner[k + width + 1],
                              &d = corner[k + width + 2];
        at.emplace_back(0.25F * (a + b + c + d));
        by_x.emplace_back(0.5F * (b + d - a - c));
        by_y.emplace_back(0.5F * (c + d - a - b));
      }
    }
  }
};

float PrintAt(const capture::Board& board, float x, float y) {
  const float a = x / static_cast<float>(board.square) + 1.0F;
  const float b = -y / static_cast<float>(board.square) + 1.0F;
  const auto columns = static_cast<float>(board.columns + 1);
  const auto rows = static_cast<float>(board.rows + 1);
  if (a < -1.0F || b < -1.0F || a >= columns + 1.0F || b >= rows + 1.0F) return kGround;
  if (a < 0.0F || b < 0.0F || a >= columns || b >= rows) return kWhite;
  return (static_cast<int>(a) + static_cast<int>(b)) % 2 == 0 ? kBlack : kWhite;
}

// Takes rays to places on the board.
Eigen::Matrix3f BoardFromRays(const Pose& camera_from_board) {
  Eigen::Matrix3d from_board;
  from_board << camera_from_board.R.leftCols<2>(), camera_from_board.t;
  return from_board.inverse().cast<float>();
}

class Camcorder {
 public:
  Camcorder(const WavedRig& rig, std::size_t camera)
      : rig_(rig), camera_(camera), rays_(rig.cameras[camera]) {}

  cv::Mat Light(const Waving& waving, const Filming& filming, double time) const {
    const Camera& camera = rig_.cameras[camera_];
    cv::Mat light(camera.height, camera.width, CV_32FC1);
    std::array<Eigen::Matrix3f, kSamples> maps;
    for (int y = 0; y < camera.height; ++y) {
      if (y == 0 || filming.line_time != 0.0) {
        const double row = time + filming.line_time * (y - 0.5 * (camera.height - 1));
        for (int s = 0; s < kSamples; ++s) {
          const double at = row + filming.exposure * ((s + 0.5) / kSamples - 0.5);
          maps[static_cast<std::size_t>(s)] = BoardFromRays(Pose_(waving.At(at)));
        }
      }
      auto* line = light.ptr<float>(y);
      for (int x = 0; x < camera.width; ++x) {
        line[x] = Mean(maps, static_cast<std::size_t>(y * camera.width + x));
      }
    }
    cv::GaussianBlur(light, light, {0, 0}, filming.blur_px);
    return light;
  }

 private:
  Pose Pose_(const BoardHold& hold) const {
    return rig_.camera_from_first[camera_] *
           BoardInFront(rig_.board, hold.turn, hold.tilt, hold.centre);
  }

  float Mean(const std::array<Eigen::Matrix3f, kSamples>& maps, std::size_t pixel) const {
    float sum = 0.0F;
    for (int s = 0; s < kSamples; ++s) {
      // A lattice of rank 1 covers the pixel evenly, early and late samples alike.
      const int step = (5 * s) % kSamples;
      const float dx = (static_cast<float>(step) + 0.5F) / kSamples - 0.5F;
      const float dy = (static_cast<float>((7 * step) % kSamples) + 0.5F) / kSamples - 0.5F;
      const Eigen::Vector2f ray = rays_.at[pixel] + dx * rays_.by_x[pixel] + dy * rays_.by_y[pixel];
      const Eigen::Vector3f place = maps[static_cast<std::size_t>(s)] * ray.homogeneous();
      sum += PrintAt(rig_.board, place.x() / place.z(), place.y() / place.z());
    }
    return sum / kSamples;
  }

  const WavedRig& rig_;
  std::size_t camera_;
  Rays rays_;
};

// From 0 to 1 with a rest at both ends (R. Flash, N. Hogan, The coordination of arm movements,
// 1985: least jerk).
double LeastJerk(double share) {
  const double t = std::clamp(share, 0.0, 1.0);
  return t * t * t * (10.0 + t * (-15.0 + 6.0 * t));
}

}  // namespace

BoardHold Waving::At(double time) const {
  const double place = std::clamp(time / period, 0.0, static_cast<double>(holds.size()) - 1.0);
  const auto from = static_cast<std::size_t>(place);
  const BoardHold& a = holds[from];
  const BoardHold& b = holds[std::min(from + 1, holds.size() - 1)];
  const double share =
      LeastJerk(((place - static_cast<double>(from)) * period - rest) / (period - rest));
  BoardHold hold{.turn = a.turn + share * (b.turn - a.turn),
                 .tilt = a.tilt + share * (b.tilt - a.tilt),
                 .centre = a.centre + share * (b.centre - a.centre)};
  const auto shake = [&](double hertz, double phase) {
    return tremor * std::sin(2.0 * std::numbers::pi * hertz * time + phase);
  };
  hold.centre +=
      Eigen::Vector3d(shake(1.3, 0.3) + shake(3.7, 1.0), shake(1.1, 2.0), shake(0.9, 4.0));
  hold.tilt += 4.0 * Eigen::Vector3d(shake(1.7, 1.5), shake(2.3, 0.7), shake(0.7, 3.0));
  return hold;
}

std::vector<BoardHold> RandomHolds(int count, double distance, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  std::vector<BoardHold> holds;
  for (int k = 0; k < count; ++k) {
    BoardHold hold;
    const double z = distance * (1.0 + 0.2 * unit(random));
    hold.centre = {z * 0.22 * unit(random) + 0.05, z * 0.13 * unit(random), z};
    hold.turn = 0.3 * unit(random);
    hold.tilt = {0.6 * unit(random), 0.6 * unit(random), 0.0};
    holds.push_back(hold);
  }
  return holds;
}

WavedRig MakeWavedRig(int width, int height) {
  WavedRig rig;
  const double f = 0.95 * width;
  const double cx = 0.5 * (width - 1), cy = 0.5 * (height - 1);
  rig.cameras[0] = {.width = width,
                    .height = height,
                    .intrinsics = {f, 1.001 * f, cx + 0.01 * f, cy - 0.006 * f, -0.17, 0.05, 0.001,
                                   -0.0007, 0.0}};
  rig.cameras[1] = {.width = width,
                    .height = height,
                    .intrinsics = {0.97 * f, 0.969 * f, cx - 0.008 * f, cy + 0.011 * f, -0.13, 0.04,
                                   -0.0006, 0.0009, 0.0}};
  rig.camera_from_first[1].R = RotationFromVector({0.02, 0.3, -0.015});
  rig.camera_from_first[1].t = {-0.25, 0.004, 0.035};
  return rig;
}

cv::Mat FilmFrame(const WavedRig& rig, std::size_t camera, const Waving& waving,
                  const Filming& filming, double time, std::uint32_t seed) {
  const Camcorder camcorder(rig, camera);
  return Photograph(camcorder.Light(waving, filming, time), filming.noise_grey, seed);
}

void FilmBoard(const WavedRig& rig, std::size_t camera, const Waving& waving,
               const Filming& filming, int num_frames, const std::filesystem::path& file) {
  const Camcorder camcorder(rig, camera);
  capture::VideoWriter writer(file, {rig.cameras[camera].width, rig.cameras[camera].height},
                              filming.rate[camera], filming.crf);
  for (int k = 0; k < num_frames; ++k) {
    const double time = filming.start[camera] + k / filming.rate[camera];
    writer.Write(
        Photograph(camcorder.Light(waving, filming, time), filming.noise_grey,
                   static_cast<std::uint32_t>(2 * k) + static_cast<std::uint32_t>(camera)));
  }
  writer.Finish();
}

}  // namespace percuss::calibration
