// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Tags drawn in perspective by supersampling, which shares no code with the model of the fit.

#include "tracking/tags/tag_fit.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <random>

#include "capture/tags/coded_tags.h"
#include "capture/video/tone.h"
#include "tracking/tags/tag_detection.h"

namespace percuss::tracking {
namespace {

using Corners = std::array<Eigen::Vector2d, 4>;

capture::Tone Srgb() { return {}; }

ToneTables Tables() { return ToneTables(capture::LightOfGrey(Srgb())); }

/// What a picture of a tag is drawn from.
struct Drawing {
  Corners corners;                                   // at mid exposure [px]
  Eigen::Vector2d motion = Eigen::Vector2d::Zero();  // during the exposure [px]
  Eigen::Vector2d way = Eigen::Vector2d::Zero();     // per row: a rolling shutter [px]
  double blur = 0.6;                                 // of the lens [px]
  double noise = 1.0;                                // [grey]
  double white = 0.6, black = 0.02, around = 0.1;    // light; what lies beyond the margin
};

constexpr double kMiddleRow = 60.0;

Eigen::Matrix3d CellOfPixel(const Corners& corners, double n) {
  Eigen::MatrixXd rows(8, 8);
  Eigen::VectorXd right(8);
  const double u[4] = {0, n, n, 0}, v[4] = {0, 0, n, n};
  for (int k = 0; k < 4; ++k) {
    const double x = corners[k].x(), y = corners[k].y();
    rows.row(2 * k) << x, y, 1, 0, 0, 0, -x * u[k], -y * u[k];
    rows.row(2 * k + 1) << 0, 0, 0, x, y, 1, -x * v[k], -y * v[k];
    right.segment<2>(2 * k) << u[k], v[k];
  }
  const Eigen::VectorXd h = rows.partialPivLu().solve(right);
  Eigen::Matrix3d map;
  map << h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], 1.0;
  return map;
}

cv::Mat Draw(const Eigen::MatrixXd& cells, const Drawing& drawing, std::mt19937* random) {
  constexpr int kSize = 120, kFine = 6;
  const double n = static_cast<double>(cells.rows());
  const Eigen::Matrix3d map = CellOfPixel(drawing.corners, n);
  const int times = 1 + static_cast<int>(std::ceil(4.0 * drawing.motion.norm()));
  cv::Mat fine = cv::Mat::zeros(kSize * kFine, kSize * kFine, CV_32F);
  for (int y = 0; y < fine.rows; ++y) {
    for (int x = 0; x < fine.cols; ++x) {
      const Eigen::Vector2d pixel((x + 0.5) / kFine - 0.5, (y + 0.5) / kFine - 0.5);
      double light = 0.0;
      for (int t = 0; t < times; ++t) {
        const Eigen::Vector2d shift = ((t + 0.5) / times - 0.5) * drawing.motion +
                                      drawing.way * (std::floor(pixel.y() + 0.5) - kMiddleRow);
        const Eigen::Vector2d cell = (map * (pixel - shift).homogeneous()).hnormalized();
        const bool paper = (cell.array() > -1.0).all() && (cell.array() < n + 1.0).all();
        const bool print = (cell.array() > 0.0).all() && (cell.array() < n).all();
        const bool white =
            print ? cells(static_cast<int>(cell.y()), static_cast<int>(cell.x())) > 0 : paper;
        light += white ? drawing.white : print ? drawing.black : drawing.around;
      }
      fine.at<float>(y, x) = static_cast<float>(light / times);
    }
  }
  if (drawing.blur > 0.0) cv::GaussianBlur(fine, fine, {}, kFine * drawing.blur);
  cv::Mat picture;
  cv::resize(fine, picture, {kSize, kSize}, 0, 0, cv::INTER_AREA);
  const ToneTables tone = Tables();
  std::normal_distribution<double> noise(0.0, std::max(drawing.noise, 1e-9));
  cv::Mat grey(picture.size(), CV_8U);
  for (int y = 0; y < grey.rows; ++y) {
    for (int x = 0; x < grey.cols; ++x) {
      const double value = tone.Grey(picture.at<float>(y, x)).grey + noise(*random);
      grey.at<unsigned char>(y, x) =
          static_cast<unsigned char>(std::clamp(std::lround(value), 0L, 255L));
    }
  }
  return grey;
}

/// A tag of `size` px about the middle of the picture, turned, tilted and seen in perspective.
Corners Seen(double size, double turn, double tilt, const Eigen::Vector2d& middle) {
  Corners corners;
  const double x[4] = {-0.5, 0.5, 0.5, -0.5}, y[4] = {-0.5, -0.5, 0.5, 0.5};
  constexpr double kDistance = 25.0;  // [edges]
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d p(std::cos(turn) * x[k] - std::sin(turn) * y[k],
                            std::sin(turn) * x[k] + std::cos(turn) * y[k]);
    const double depth = 1.0 + std::sin(tilt) * p.y() / kDistance;
    corners[k] = middle + size / depth * Eigen::Vector2d(p.x(), std::cos(tilt) * p.y());
  }
  return corners;
}

/// Errors of all corners over some draws of place, turn, tilt and noise.
struct Errors {
  int fits = 0;
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  double rms = 0.0;         // of a coordinate [px]
  double normalised = 0.0;  // mean of e^T C^-1 e / 2
};

Errors ErrorsOf(const std::string& dictionary, int draws, double size, Drawing drawing,
                unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(0.0, 1.0);
  const ToneTables tone = Tables();
  Errors errors;
  double squares = 0.0;
  for (int draw = 0; draw < draws; ++draw) {
    const int id = draw % 30;
    const Eigen::MatrixXd cells = capture::TagCells(dictionary, id);
    const double angle = 2.0 * std::numbers::pi * part(random);
    drawing.corners = Seen(size, angle, part(random), {58.0 + part(random), 59.0 + part(random)});
    const cv::Mat grey = Draw(cells, drawing, &random);
    Corners start = drawing.corners;
    for (Eigen::Vector2d& corner : start)
      corner += Eigen::Vector2d(part(random) - 0.5, part(random) - 0.5);
    const TagFit fit = FitTag(grey, tone, std::max(drawing.noise, 0.3), BlurredTag(cells), start);
    EXPECT_TRUE(fit.found) << fit.reason << " draw " << draw;
    if (!fit.found) continue;
    ++errors.fits;
    for (std::size_t k = 0; k < 4; ++k) {
      // With a rolling shutter the corner is where its own row sees it.
      Eigen::Vector2d truth = drawing.corners[k];
      truth += drawing.way * ((drawing.corners[k].y() - kMiddleRow) / (1.0 - drawing.way.y()));
      const Eigen::Vector2d error = fit.corners[k] - truth;
      errors.mean += error / (4.0 * draws);
      squares += error.squaredNorm() / (8.0 * draws);
      errors.normalised += 0.5 * error.dot(fit.covariances[k].inverse() * error) / (4.0 * draws);
    }
  }
  errors.rms = std::sqrt(squares);
  return errors;
}

TEST(FitTag, CornersAreWhereTheyWereDrawnAndSigmasCoverThem) {
  for (const char* dictionary : {"DICT_4X4_50", "DICT_APRILTAG_36h11"}) {
    for (const double size : {28.0, 50.0}) {
      const Errors errors = ErrorsOf(dictionary, 40, size, {.noise = 2.0}, 3);
      std::printf("%s %g px: rms %.4f px, mean (%.4f, %.4f), normalised %.2f\n", dictionary, size,
                  errors.rms, errors.mean.x(), errors.mean.y(), errors.normalised);
      EXPECT_LT(errors.rms, 0.05);
      EXPECT_LT(errors.mean.norm(), 4.0 * errors.rms / std::sqrt(40.0));
      EXPECT_GT(errors.normalised, 0.3);
      EXPECT_LT(errors.normalised, 1.5);
    }
  }
}

TEST(FitTag, MotionDuringTheExposureLeavesCornersAtItsMiddle) {
  for (const double length : {2.0, 5.0}) {
    const Errors errors = ErrorsOf("DICT_4X4_50", 20, 50.0,
                                   {.motion = {length * 0.8, length * 0.6}, .noise = 2.0}, 5);
    std::printf("motion %g px: rms %.4f px, mean (%.4f, %.4f), normalised %.2f\n", length,
                errors.rms, errors.mean.x(), errors.mean.y(), errors.normalised);
    EXPECT_LT(errors.rms, 0.02);
    EXPECT_LT(errors.mean.norm(), 0.01);
  }
}

TEST(FitTag, ARollingShutterShowsEachCornerWhereItsRowSeesIt) {
  const Errors errors = ErrorsOf("DICT_4X4_50", 20, 50.0, {.way = {0.02, 0.03}, .noise = 2.0}, 7);
  EXPECT_LT(errors.rms, 0.02);
  EXPECT_LT(errors.mean.norm(), 0.01);
}

TEST(FitTag, AnotherPrintIsRefused) {
  std::mt19937 random(2);
  const ToneTables tone = Tables();
  const Corners corners = Seen(50.0, 0.3, 0.2, {60.0, 60.0});
  const cv::Mat grey = Draw(capture::TagCells("DICT_4X4_50", 3), {.corners = corners}, &random);
  for (int id = 0; id < 50; ++id) {
    const BlurredTag tag(capture::TagCells("DICT_4X4_50", id));
    EXPECT_EQ(FitTag(grey, tone, 1.0, tag, corners).found, id == 3) << id;
  }
}

TEST(FitTag, AFingerOverACornerMovesTheOthersLittle) {
  std::mt19937 random(4);
  const Corners corners = Seen(50.0, 0.3, 0.2, {60.0, 60.0});
  const Eigen::MatrixXd cells = capture::TagCells("DICT_APRILTAG_36h11", 5);
  cv::Mat grey = Draw(cells, {.corners = corners}, &random);
  const cv::Point place(static_cast<int>(corners[2].x()), static_cast<int>(corners[2].y()));
  cv::circle(grey, place, 9, 220, cv::FILLED);
  const TagFit fit = FitTag(grey, Tables(), 1.0, BlurredTag(cells), corners);
  ASSERT_TRUE(fit.found) << fit.reason;
  for (const int k : {0, 1, 3}) {
    EXPECT_LT((fit.corners[k] - corners[k]).norm(), 0.02) << k;
  }
}

TEST(TagPrints, FindsTheTagsOfTheBodyAndNoOthers) {
  std::mt19937 random(4);
  capture::CodedTags coded{"DICT_4X4_50", {{.id = 7, .first_marker = 8, .size = 0.03}}};
  const TagPrints prints(coded);
  for (const int id : {7, 8}) {
    const Corners corners = Seen(50.0, 2.0, 0.5, {60.0, 60.0});
    const cv::Mat grey = Draw(capture::TagCells("DICT_4X4_50", id), {.corners = corners}, &random);
    const CodedSpots found = prints.FindIn(grey, Tables());
    ASSERT_EQ(found.blobs.size(), id == 7 ? 4U : 0U);
    for (std::size_t k = 0; k < found.blobs.size(); ++k) {
      EXPECT_EQ(found.blobs[k].marker, 8 + static_cast<int>(k));
      EXPECT_LT((found.blobs[k].centre - corners[k]).norm(), 0.1);
    }
  }
}

TEST(BlurredTag, DerivativesAreThoseOfItsInk) {
  const BlurredTag tag(capture::TagCells("DICT_4X4_50", 11));
  Eigen::Matrix2d blur;
  blur << 0.06, 0.015, 0.015, 0.04;
  constexpr double kStep = 1e-4;
  for (double x = -0.4; x < 6.5; x += 0.37) {
    for (double y = -0.4; y < 6.5; y += 0.41) {
      const auto ink = [&](double dx, double dy) { return tag.At({x + dx, y + dy}, blur).ink; };
      const BlurredTag::Share share = tag.At({x, y}, blur);
      EXPECT_NEAR(share.by_place.x(), (ink(kStep, 0) - ink(-kStep, 0)) / (2 * kStep), 1e-4);
      EXPECT_NEAR(share.by_place.y(), (ink(0, kStep) - ink(0, -kStep)) / (2 * kStep), 1e-4);
      EXPECT_GE(share.ink, -0.03);
      EXPECT_LE(share.ink, 1.03);
    }
  }
}

}  // namespace
}  // namespace percuss::tracking
