// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "benchmarks/timing.h"
#include "benchmarks/tracking/tracking_table.h"
#include "capture/video/tone.h"
#include "tests/tracking/spots/all_spots.h"
#include "tests/tracking/spots/spot_rendering.h"
#include "tracking/spots/spot_measurement.h"

namespace percuss::benchmarks {
namespace {

using tracking::DrawnDisc;
using tracking::Polarity;

constexpr double kGreyNoise = 2.0;
/// Noise and rounding to whole grey values.
const double kWholeNoise = std::sqrt(kGreyNoise * kGreyNoise + 1.0 / 12.0);
constexpr std::array<double, 5> kDiameters = {6.0, 8.0, 12.0, 16.0, 20.0};
constexpr std::array<double, 2> kBlurs = {0.5, 1.0};

/// A disc of even light on even ground.
struct Scene {
  DrawnDisc disc;
  double blur = 0.5;
  double ground = 0.0, light = 0.0;

  int Size() const { return static_cast<int>(2.0 * disc.long_axis) + 14; }
  Eigen::MatrixXd Grey() const {
    const Eigen::ArrayXXd share = ShareOfDisc(disc, Size(), blur).array();
    return Eigen::MatrixXd(ground + (light - ground) * share).unaryExpr(&tracking::GreyOfLight);
  }
};

/// Mean of the two variances of the centre that no unbiased estimate can go below, with both
/// levels, the semi-axes, the angle and the blur unknown [px^2].
double CramerRao(const Scene& scene) {
  const bool round = scene.disc.long_axis == scene.disc.short_axis;
  const auto derivative = [&](const auto& member, double step) -> Eigen::VectorXd {
    Scene up = scene, down = scene;
    member(&up) += step;
    member(&down) -= step;
    const Eigen::MatrixXd change = (up.Grey() - down.Grey()) / (2.0 * step * kWholeNoise);
    return change.reshaped();
  };
  Eigen::MatrixXd jacobian(scene.Size() * scene.Size(), round ? 7 : 8);
  jacobian.col(0) = derivative([](Scene* s) -> double& { return s->disc.x; }, 1e-3);
  jacobian.col(1) = derivative([](Scene* s) -> double& { return s->disc.y; }, 1e-3);
  jacobian.col(2) = derivative([](Scene* s) -> double& { return s->ground; }, 1e-5);
  jacobian.col(3) = derivative([](Scene* s) -> double& { return s->light; }, 1e-5);
  jacobian.col(4) = derivative([](Scene* s) -> double& { return s->disc.long_axis; }, 1e-3);
  jacobian.col(5) = derivative([](Scene* s) -> double& { return s->disc.short_axis; }, 1e-3);
  jacobian.col(6) = derivative([](Scene* s) -> double& { return s->blur; }, 1e-3);
  if (!round) jacobian.col(7) = derivative([](Scene* s) -> double& { return s->disc.angle; }, 1e-3);
  const Eigen::MatrixXd information = jacobian.transpose() * jacobian;
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(information.rows(), 2);
  return 0.5 * information.ldlt().solve(unit).topRows<2>().trace();
}

std::vector<tracking::Blob> Measure(const cv::Mat& image, const tracking::ToneTables& tone,
                                    Polarity polarity) {
  return MeasureSpots(
      image, tone, kWholeNoise,
      {.box = {4, 4, image.cols - 8, image.rows - 8}, .polarity = polarity, .mask = {}},
      {.area = {4.0, 1000.0}});
}

struct Quality {
  double rms_to_bound = 0.0;   ///< rms error over that of the Cramer-Rao bound
  double rms_to_stated = 0.0;  ///< rms error over the stated sigma
  double largest_bias = 0.0;   ///< of a coordinate, over the phases [px]
  int lost = 0;
};

/// Over a grid of sub-pixel phases. Each draw of the noise comes with its negative, so that what is
/// left of the mean is bias.
Quality MeasureScene(Scene scene, Polarity polarity, const tracking::ToneTables& tone) {
  constexpr int kPhases = 4, kPairs = 12;
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0.0, kGreyNoise);
  Quality quality;
  const double middle = 0.5 * (scene.Size() - 1);
  scene.disc.x = scene.disc.y = middle + 0.2;
  const double bound = CramerRao(scene);
  double squares = 0.0, stated = 0.0;
  int count = 0;
  for (int phase = 0; phase < kPhases * kPhases; ++phase) {
    scene.disc.x = middle + static_cast<double>(phase % kPhases) / kPhases;
    scene.disc.y = middle + static_cast<double>(phase / kPhases) / kPhases + 0.1;
    const Eigen::MatrixXd grey = scene.Grey();
    Eigen::Vector2d mean = Eigen::Vector2d::Zero();
    int seen = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
      const Eigen::MatrixXd noise = Eigen::MatrixXd::NullaryExpr(
          grey.rows(), grey.cols(), [&](Eigen::Index, Eigen::Index) { return normal(random); });
      for (const double sign : {1.0, -1.0}) {
        const auto blobs = Measure(tracking::Rounded(grey + sign * noise), tone, polarity);
        if (blobs.size() != 1) {
          ++quality.lost;
          continue;
        }
        const Eigen::Vector2d error = blobs[0].centre - Eigen::Vector2d(scene.disc.x, scene.disc.y);
        squares += 0.5 * error.squaredNorm();
        stated += 0.5 * blobs[0].covariance.trace();
        mean += error;
        ++seen;
        ++count;
      }
    }
    quality.largest_bias = std::max(quality.largest_bias, (mean / seen).cwiseAbs().maxCoeff());
  }
  quality.rms_to_bound = std::sqrt(squares / count / bound);
  quality.rms_to_stated = std::sqrt(squares / stated);
  return quality;
}

BoundSection MeasurePolarity(Polarity polarity, const tracking::ToneTables& tone) {
  const bool bright = polarity == Polarity::kBright;
  BoundSection section{
      fmt::format("centre of a {} disc, noise of 2 grey values, the worse of a blur "
                  "of 0.5 and 1 px",
                  bright ? "bright" : "dark"),
      {},
      {}};
  int lost = 0;
  double least_ratio = 1.0, largest_ratio = 1.0;
  for (const double cosine : {1.0, 0.6, 0.35}) {
    for (const double diameter : kDiameters) {
      double to_bound = 0.0, bias = 0.0;
      for (const double blur : kBlurs) {
        const Scene scene{.disc = {.long_axis = 0.5 * diameter,
                                   .short_axis = 0.5 * cosine * diameter,
                                   .angle = 0.5},
                          .blur = blur,
                          .ground = bright ? 0.006 : 0.45,
                          .light = bright ? 0.45 : 0.02};
        const Quality quality = MeasureScene(scene, polarity, tone);
        to_bound = std::max(to_bound, quality.rms_to_bound);
        bias = std::max(bias, quality.largest_bias);
        least_ratio = std::min(least_ratio, quality.rms_to_stated);
        largest_ratio = std::max(largest_ratio, quality.rms_to_stated);
        lost += quality.lost;
      }
      const std::string name = fmt::format("{} px, cosine {}", diameter, cosine);
      BoundRow efficiency{name + ": rms / Cramer-Rao bound", "", to_bound};
      efficiency.highest = 1.2;
      BoundRow largest_bias{name + ": largest bias over phases", "px", bias};
      largest_bias.highest = 0.005;
      section.rows.push_back(efficiency);
      section.rows.push_back(largest_bias);
    }
  }
  BoundRow least{"rms / stated sigma, the least", "", least_ratio};
  least.lowest = 0.9;
  BoundRow largest{"rms / stated sigma, the largest", "", largest_ratio};
  largest.highest = 1.1;
  BoundRow missing{"spots not found", "", static_cast<double>(lost)};
  missing.highest = 0.0;
  section.rows.insert(section.rows.end(), {least, largest, missing});
  return section;
}

/// Bright discs that move during the exposure, which the model of the spot does not describe.
BoundSection MeasureSmears(const tracking::ToneTables& tone) {
  BoundSection section{"centre of a bright disc that moves, noise of 2 grey values", {}, {}};
  for (const double diameter : {8.0, 14.0}) {
    for (const double way : {1.5, 3.0, 6.0}) {
      const Scene scene{.disc = {.long_axis = 0.5 * diameter,
                                 .short_axis = 0.5 * diameter,
                                 .motion_x = 0.9 * way,
                                 .motion_y = 0.44 * way},
                        .blur = 0.7,
                        .ground = 0.006,
                        .light = 0.45};
      const Quality quality = MeasureScene(scene, Polarity::kBright, tone);
      const std::string name = fmt::format("{} px, smeared over {} px", diameter, way);
      BoundRow bias{name + ": largest bias over phases", "px", quality.largest_bias};
      bias.highest = 0.005;
      BoundRow stated{name + ": rms / stated sigma", "", quality.rms_to_stated};
      stated.lowest = 0.8;
      stated.highest = 1.1;
      section.rows.insert(section.rows.end(), {bias, stated});
    }
  }
  return section;
}

BoundSection MeasureTime(const tracking::ToneTables& tone) {
  std::mt19937 random(1);
  std::vector<cv::Mat> images;
  for (int k = 0; k < 20; ++k) {
    const Scene scene{
        .disc = {.x = 10.0 + 0.05 * k, .y = 10.5, .long_axis = 4.0, .short_axis = 4.0},
        .blur = 0.7,
        .ground = 0.006,
        .light = 0.45};
    images.push_back(tracking::Noisy(scene.Grey(), kGreyNoise, &random));
  }
  const std::vector<double> times = TimePerProblem(
      images.size(), [&](std::size_t k) { Measure(images[k], tone, Polarity::kBright); });
  BoundRow row{"one spot of 8 px", "us", 1e-3 * Quantile(times, 0.5)};
  row.highest = 30.0;
  return {"time on one core", {row}, {}};
}

}  // namespace

std::vector<BoundSection> MeasureCentroid(const std::filesystem::path&) {
  const tracking::ToneTables tone(capture::LightOfGrey({}));
  return {MeasurePolarity(Polarity::kBright, tone), MeasurePolarity(Polarity::kDark, tone),
          MeasureSmears(tone), MeasureTime(tone)};
}

}  // namespace percuss::benchmarks
