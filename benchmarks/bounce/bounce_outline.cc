// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <random>

#include "benchmarks/bounce/bounce_table.h"
#include "capture/video/tone.h"
#include "tracking/outline/disc_fit.h"

namespace percuss::benchmarks {
namespace {

constexpr double kNoise = 2.0;  // of grey values

/// A disc and what else its picture depends on.
struct OutlineTruth {
  tracking::SweptDisc disc;
  double ball = 0.7, ground = 0.2;  ///< light

  static constexpr int kNumbers = 8;
  double& Number(int i) {
    double* const numbers[kNumbers] = {
        &disc.centre.x(), &disc.centre.y(), &disc.radius, &disc.sweep.x(),
        &disc.sweep.y(),  &disc.blur,       &ball,        &ground};
    return *numbers[i];
  }
};

/// Grey values, not rounded: fine pixels and instants, without the model that is fitted.
cv::Mat RenderOutline(const OutlineTruth& truth, const tracking::ToneTables& tone, int size) {
  constexpr int kFine = 4, kInstants = 32;
  cv::Mat light(size * kFine, size * kFine, CV_32F, cv::Scalar(0.0));
  for (int i = 0; i < kInstants; ++i) {
    const double t = (i + 0.5) / kInstants - 0.5;
    const Eigen::Vector2d centre =
        (truth.disc.centre + t * truth.disc.sweep + Eigen::Vector2d::Constant(0.5)) * kFine -
        Eigen::Vector2d::Constant(0.5);
    const double radius = truth.disc.radius * kFine;
    for (int y = 0; y < light.rows; ++y) {
      for (int x = 0; x < light.cols; ++x) {
        // Of a fine pixel the share is nearly linear in the distance.
        const double depth = radius - std::hypot(x - centre.x(), y - centre.y());
        light.at<float>(y, x) += static_cast<float>(std::clamp(depth + 0.5, 0.0, 1.0) / kInstants);
      }
    }
  }
  cv::GaussianBlur(light, light, {}, truth.disc.blur * kFine);
  cv::Mat grey;
  cv::resize(light, grey, {size, size}, 0.0, 0.0, cv::INTER_AREA);
  grey.forEach<float>([&](float& value, const int*) {
    const double share = static_cast<double>(value);
    value = tone.Grey(static_cast<float>((1.0 - share) * truth.ground + share * truth.ball)).grey;
  });
  return grey;
}

/// The least standard deviation of the centre, per coordinate, that any unbiased estimate has.
double CramerRaoOfCentre(const OutlineTruth& truth, const tracking::ToneTables& tone, int size) {
  std::vector<cv::Mat> slopes;
  for (int i = 0; i < OutlineTruth::kNumbers; ++i) {
    const double delta = i < 6 ? 0.1 : 0.01;
    OutlineTruth more = truth, less = truth;
    more.Number(i) += delta;
    less.Number(i) -= delta;
    slopes.emplace_back((RenderOutline(more, tone, size) - RenderOutline(less, tone, size)) /
                        (2.0 * delta));
  }
  // 8 bits add the variance of rounding.
  const double variance = kNoise * kNoise + 1.0 / 12.0;
  Eigen::MatrixXd information(OutlineTruth::kNumbers, OutlineTruth::kNumbers);
  for (int i = 0; i < OutlineTruth::kNumbers; ++i) {
    for (int j = 0; j < OutlineTruth::kNumbers; ++j)
      information(i, j) = slopes[i].dot(slopes[j]) / variance;
  }
  const Eigen::MatrixXd covariance =
      information.ldlt().solve(Eigen::MatrixXd::Identity(information.rows(), information.cols()));
  return std::sqrt(0.5 * (covariance(0, 0) + covariance(1, 1)));
}

/// @param learned  the other outlines of a clip have taught how bright the ball is
BoundRow RowOfSize(double diameter, const tracking::ToneTables& tone, bool learned) {
  constexpr int kPlaces = 4, kDraws = 40;
  std::mt19937 random(static_cast<unsigned>(diameter));
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::normal_distribution<float> noise(0.0F, static_cast<float>(kNoise));
  const int size = static_cast<int>(diameter) + 36;
  double squares = 0.0, bounds = 0.0;
  int found = 0;
  for (int place = 0; place < kPlaces; ++place) {
    OutlineTruth truth;
    truth.disc.centre = Eigen::Vector2d::Constant(0.5 * (size - 1)) +
                        Eigen::Vector2d(uniform(random), uniform(random));
    truth.disc.radius = 0.5 * diameter;
    truth.disc.sweep = {2.0 * uniform(random), 5.0 + 3.0 * uniform(random)};
    truth.disc.blur = 0.8 + 0.2 * uniform(random);
    const cv::Mat clean = RenderOutline(truth, tone, size);
    const cv::Mat ground(size, size, CV_8UC1,
                         cv::Scalar(std::round(static_cast<double>(
                             tone.Grey(static_cast<float>(truth.ground)).grey))));
    bounds += std::pow(CramerRaoOfCentre(truth, tone, size), 2) / kPlaces;
    for (int draw = 0; draw < kDraws; ++draw) {
      cv::Mat noisy = clean.clone(), picture;
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) noisy.at<float>(y, x) += noise(random);
      }
      noisy.convertTo(picture, CV_8UC1);
      tracking::SweptDisc start = truth.disc;
      start.centre += Eigen::Vector2d(uniform(random), uniform(random));
      start.radius *= 1.0 + 0.03 * uniform(random);
      start.blur = 0.8;
      const tracking::BallShade shade{.even = truth.ball};
      const tracking::DiscFit fit = tracking::FitDisc(
          {picture, ground, tone, kNoise}, start,
          {.sweep = 2.0, .shade = learned ? &shade : nullptr, .learn_scatter = true});
      if (!fit.found) continue;
      ++found;
      squares += 0.5 * (fit.disc.centre - truth.disc.centre).squaredNorm();
    }
  }
  const double rms = found == kPlaces * kDraws ? std::sqrt(squares / found) : HUGE_VAL;
  return {.name = fmt::format("{:.0f} px{}: rms of the centre / Cramer-Rao ({:.4f} px)", diameter,
                              learned ? " in a clip" : ", one picture", std::sqrt(bounds)),
          .unit = "",
          .measured = rms / std::sqrt(bounds),
          .highest = 1.2};
}

}  // namespace

std::vector<BoundSection> MeasureOutlines() {
  const tracking::ToneTables tone(capture::LightOfGrey({}));
  BoundSection section{.heading =
                           "Outline of an even ball, 5 px of motion blur, 2 grey values of "
                           "noise",
                       .rows = {},
                       .remarks = {}};
  for (const bool learned : {true, false}) {
    for (const double diameter : {20.0, 40.0, 80.0, 140.0, 200.0})
      section.rows.push_back(RowOfSize(diameter, tone, learned));
  }
  return {section};
}

}  // namespace percuss::benchmarks
