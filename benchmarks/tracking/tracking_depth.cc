// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <opencv2/core.hpp>
#include <optional>
#include <random>
#include <vector>

#include "benchmarks/tracking/tracking_table.h"
#include "capture/video/video_writer.h"
#include "synthesis/scene/sensor.h"
#include "tests/tracking/spots/spot_rendering.h"
#include "tracking/spots/video_spots.h"

namespace percuss::benchmarks {
namespace {

namespace fs = std::filesystem;
using capture::PictureKind;

constexpr int kCells = 8, kCellSize = 24, kFrames = 16;
constexpr double kGround = 2.0 / 255.0;  // light

/// Even discs of 8 px on even ground, one in each cell of each frame, at places drawn anew.
struct DarkScene {
  std::vector<cv::Mat> light;
  std::vector<std::vector<Eigen::Vector2d>> centres;
};

DarkScene DrawDarkScene(double contrast) {
  DarkScene scene;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-3.0, 3.0);
  for (int k = 0; k < kFrames; ++k) {
    cv::Mat& light = scene.light.emplace_back(kCells * kCellSize, kCells * kCellSize, CV_32FC1);
    auto& centres = scene.centres.emplace_back();
    for (int cell = 0; cell < kCells * kCells; ++cell) {
      const cv::Point corner(cell % kCells * kCellSize, cell / kCells * kCellSize);
      const double middle = 0.5 * (kCellSize - 1);
      const tracking::DrawnDisc disc{.x = middle + place(random), .y = middle + place(random)};
      const Eigen::MatrixXd share = tracking::ShareOfDisc(disc, kCellSize, 0.7);
      for (int y = 0; y < kCellSize; ++y) {
        for (int x = 0; x < kCellSize; ++x)
          light.at<float>(corner.y + y, corner.x + x) =
              static_cast<float>(kGround + contrast * share(y, x));
      }
      centres.emplace_back(corner.x + disc.x, corner.y + disc.y);
    }
  }
  return scene;
}

/// The centres that the chain finds in a video of that depth, in the order of the truth.
std::vector<std::optional<Eigen::Vector2d>> CentresFound(const DarkScene& scene,
                                                         const synthesis::NoiseSpec& noise,
                                                         int bits) {
  const fs::path file =
      fs::temp_directory_path() / fmt::format("percuss-depth-{}-{}.mov", ::getpid(), bits);
  const bool deep = bits > 8;
  capture::VideoWriter writer(file, scene.light.front().size(), 1000.0, {},
                              deep ? PictureKind::kDeepGrey : PictureKind::kGrey);
  for (std::size_t k = 0; k < scene.light.size(); ++k) {
    writer.Write(synthesis::Photograph(scene.light[k], noise, capture::Tone::Kind::kLinear,
                                       synthesis::PictureSeed(3, 0, 0, k), bits));
  }
  writer.Finish();
  // With the usual least contrast of 10 grey values, nothing would be found in 8 bits.
  const tracking::VideoSpots spots = tracking::FindSpots(
      file, {}, {.kind = capture::Tone::Kind::kLinear},
      {.expected_diameter_px = 8.0, .min_contrast_sigmas = 4.0, .min_contrast_grey = 2.0});
  fs::remove(file);
  std::vector<std::optional<Eigen::Vector2d>> found;
  for (std::size_t k = 0; k < scene.centres.size(); ++k) {
    for (const Eigen::Vector2d& centre : scene.centres[k]) {
      auto& nearest = found.emplace_back();
      for (const tracking::Blob& blob : spots.frames[k].blobs) {
        constexpr double kSame = 1.5;  // [px]
        const double distance = (blob.centre - centre).norm();
        if (distance < (nearest ? (*nearest - centre).norm() : kSame)) nearest = blob.centre;
      }
    }
  }
  return found;
}

struct DepthQuality {
  double rms_8 = 0.0, rms_12 = 0.0;  ///< of a coordinate [px]
  int lost_8 = 0, lost_12 = 0, count = 0;
};

/// The same electrons, rounded to 8 and to 12 bits.
DepthQuality MeasureDarkScene(double contrast_counts, const synthesis::NoiseSpec& noise) {
  const DarkScene scene = DrawDarkScene(contrast_counts / 255.0);
  const auto coarse = CentresFound(scene, noise, 8), fine = CentresFound(scene, noise, 12);
  DepthQuality quality;
  double squares_8 = 0.0, squares_12 = 0.0;
  std::size_t k = 0;
  for (const auto& centres : scene.centres) {
    for (const Eigen::Vector2d& centre : centres) {
      quality.lost_8 += !coarse[k];
      quality.lost_12 += !fine[k];
      if (coarse[k] && fine[k]) {
        squares_8 += 0.5 * (*coarse[k] - centre).squaredNorm();
        squares_12 += 0.5 * (*fine[k] - centre).squaredNorm();
        ++quality.count;
      }
      ++k;
    }
  }
  quality.rms_8 = std::sqrt(squares_8 / quality.count);
  quality.rms_12 = std::sqrt(squares_12 / quality.count);
  return quality;
}

/// @param reach of this sensor the bound of low light is asked for.
BoundSection MeasureSensor(const synthesis::NoiseSpec& noise, bool reach) {
  BoundSection section{
      fmt::format(
          "12-bit against 8-bit synthetic video, centre of a bright disc of 8 px on a ground "
          "of 2 of 255 grey values: full well {:.0f} electrons, read noise {:.0f}",
          noise.full_well, noise.read),
      {},
      {}};
  const auto low_light = [&](double contrast) { return reach && contrast <= 10.0; };
  for (const double contrast : {6.0, 8.0, 10.0, 20.0, 50.0, 150.0}) {
    const DepthQuality quality = MeasureDarkScene(contrast, noise);
    BoundRow ratio{fmt::format("{:.0f} of 255 grey values above the ground{}: centroid rms ratio",
                               contrast, low_light(contrast) ? " (low light)" : ""),
                   "", quality.rms_12 / quality.rms_8};
    ratio.highest = low_light(contrast) ? 0.6 : 1.05;
    BoundRow rms{"  rms with 12 bits", "px", quality.rms_12};
    BoundRow coarse{"  rms with 8 bits", "px", quality.rms_8};
    BoundRow lost{"  not found, 12 bits", "", static_cast<double>(quality.lost_12)};
    lost.highest = 0.0;
    BoundRow lost_coarse{"  not found, 8 bits", "", static_cast<double>(quality.lost_8)};
    section.rows.insert(section.rows.end(), {ratio, rms, coarse, lost, lost_coarse});
  }
  return section;
}

}  // namespace

std::vector<BoundSection> MeasureDepth(const std::filesystem::path&) {
  return {MeasureSensor({.full_well = 60000.0, .read = 30.0}, true),
          MeasureSensor({.full_well = 15000.0, .read = 15.0}, false)};
}

}  // namespace percuss::benchmarks
