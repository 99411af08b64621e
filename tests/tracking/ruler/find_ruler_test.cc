// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: rulers drawn in perspective (synthesis/ruler); stripes and lengths made up.

#include "tracking/ruler/find_ruler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "synthesis/ball/ball_scene.h"
#include "synthesis/scene/sensor.h"
#include "tracking/ruler/long_marks.h"

namespace percuss::tracking {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}
  double Between(double low, double high) {
    return low + (high - low) * (static_cast<double>(random_()) / 4294967296.0);
  }
  double Normal() { return std::normal_distribution<double>()(random_); }
  unsigned Number(unsigned below) { return static_cast<unsigned>(random_()) % below; }

 private:
  std::mt19937 random_;
};

/// A ruler, upright or lying, that leans by up to 10 degrees in the picture and 15 in depth, of
/// `finest` to 12 px per mark, before a patterned wall in uneven light.
synthesis::BallSpec DrawnScene(Drawn* draw, synthesis::RulerSpec::Unit unit, double finest) {
  constexpr int kWidth = 520, kHeight = 300;
  synthesis::BallSpec spec;
  synthesis::RulerSpec& ruler = spec.ruler.emplace();
  ruler.unit = unit;
  spec.seed = draw->Number(1000000);
  const double px_per_m = draw->Between(finest, 12.0) / synthesis::MarkPitch(ruler);
  const double focal = draw->Between(600.0, 2000.0), distance = focal / px_per_m;
  spec.target = Vector3d(draw->Between(-0.1, 0.1), 0.0, draw->Between(-0.1, 0.1)) * distance;
  spec.target.z() += 0.5;
  spec.camera = synthesis::BallCamera(kWidth, kHeight, focal, {0.0, -distance, 0.5}, spec.target,
                                      draw->Between(-0.05, 0.05));
  spec.light.wall_distance = draw->Between(0.02, 0.5);
  spec.light.texture = draw->Between(0.0, 0.3);
  spec.light.texture_size = draw->Between(0.003, 0.03);
  spec.light.gradient = draw->Between(0.0, 1.0);
  spec.blur_px = draw->Between(0.6, 1.0);
  const bool upright = draw->Number(2) == 1;
  const double degree = std::numbers::pi / 180.0;
  const double angle = draw->Between(-10.0, 10.0) * degree + (upright ? 0.5 * std::numbers::pi : 0);
  const double depth = draw->Between(-15.0, 15.0) * degree;
  ruler.direction = {std::cos(angle) * std::cos(depth), std::sin(depth),
                     std::sin(angle) * std::cos(depth)};
  const double room = (upright ? kHeight : kWidth) / px_per_m;
  ruler.length = draw->Between(0.7, 0.85) * room;
  ruler.position = spec.target - 0.5 * ruler.length * ruler.direction;
  (upright ? ruler.position.x() : ruler.position.z()) +=
      draw->Between(-0.1, 0.1) * kHeight / px_per_m;
  ruler.face = draw->Between(0.4, 0.9);
  ruler.mark = draw->Between(0.02, 0.15);
  if (draw->Number(4) == 0) std::swap(ruler.face, ruler.mark);
  return spec;
}

cv::Mat PictureOf(const synthesis::BallSpec& spec) {
  const int f = synthesis::Fineness(spec.blur_px);
  const cv::Rect area(0, 0, f * spec.camera.width, f * spec.camera.height);
  const cv::Mat parts = synthesis::RenderScenery(
      synthesis::BallScenery(spec), synthesis::CoarseRays(spec.camera, 0), spec.camera, area, f);
  return synthesis::Photograph(
      synthesis::Pixels(synthesis::Blurred(parts, f * spec.blur_px, 0.0), f), spec.noise, spec.tone,
      spec.seed);
}

/// Where on the ruler a pixel is [marks], and its distance from the camera.
struct PlaceOnRuler {
  double mark = 0.0, depth = 0.0;
};
PlaceOnRuler PlaceOf(const synthesis::BallSpec& spec, const Vector2d& pixel) {
  const synthesis::RulerFace face = synthesis::FaceOf(*spec.ruler, spec.camera.Position());
  const Vector3d ray =
      spec.camera.R_CW.transpose() * synthesis::RayOf(spec.camera, pixel)->homogeneous();
  const double depth = face.normal.dot(spec.ruler->position - face.eye) / face.normal.dot(ray);
  const Vector3d place = face.eye + depth * ray - spec.ruler->position;
  return {face.along.dot(place) / synthesis::MarkPitch(*spec.ruler), depth};
}

TEST(FindRuler, LengthsAreWithinTheirSigmas) {
  constexpr int kDraws = 40;
  Drawn draw(71);
  int found = 0, inside = 0, depth_inside = 0;
  double squares = 0.0;
  for (int k = 0; k < kDraws; ++k) {
    const bool inches = k % 4 == 3;
    const auto spec = DrawnScene(
        &draw, inches ? synthesis::RulerSpec::Unit::kInch : synthesis::RulerSpec::Unit::kMillimetre,
        inches ? 4.0 : 3.0);
    const FoundRuler ruler = FindRuler(PictureOf(spec));
    // Bright marks on a dark face at 3 px, or washed out ones, may be too faint, but never taken
    // for others.
    if (!std::isfinite(ruler.mark_distance)) continue;
    ++found;
    EXPECT_DOUBLE_EQ(ruler.mark_distance, synthesis::MarkPitch(*spec.ruler)) << k;
    EXPECT_GE(ruler.intervals, 0.8 * synthesis::LastMark(*spec.ruler)) << k;
    EXPECT_GT(ruler.share, 0.9) << k;
    const PlaceOnRuler from = PlaceOf(spec, ruler.from), to = PlaceOf(spec, ruler.to);
    const double marks = std::abs(to.mark - from.mark);
    const double off = ruler.pitch.value * (marks / ruler.intervals - 1.0) / ruler.pitch.sigma;
    EXPECT_NEAR(marks / ruler.intervals, 1.0, 1e-3) << k;
    // A mark is a mark: ends lie on whole ones.
    EXPECT_NEAR(from.mark, std::round(from.mark), 0.05) << k;
    squares += off * off;
    inside += std::abs(off) < 1.96 ? 1 : 0;
    depth_inside +=
        std::abs(ruler.depth_ratio.value - to.depth / from.depth) < 1.96 * ruler.depth_ratio.sigma
            ? 1
            : 0;
  }
  EXPECT_GE(found, 35);
  EXPECT_GE(inside, found - 4);
  EXPECT_GE(depth_inside, found - 2);
  const double rms = std::sqrt(squares / found);
  EXPECT_LT(rms, 1.4);
  EXPECT_GT(rms, 0.3);  // nor are sigmas much too wide
}

/// Dark strokes of one length, or alternately dark and bright squares.
cv::Mat Stripes(double pitch, double angle, double length, bool checkers) {
  cv::Mat grey(360, 640, CV_8UC1);
  const double c = std::cos(angle), s = std::sin(angle);
  for (int y = 0; y < grey.rows; ++y) {
    for (int x = 0; x < grey.cols; ++x) {
      const double u = c * (x - 320) + s * (y - 180), v = -s * (x - 320) + c * (y - 180);
      double dark = std::cos(2.0 * std::numbers::pi * u / pitch);
      if (checkers) dark *= std::cos(2.0 * std::numbers::pi * v / pitch);
      if (!checkers && std::abs(v) > 0.5 * length) dark = -1.0;
      grey.at<unsigned char>(y, x) = dark > 0.3 ? 60 : 200;
    }
  }
  cv::GaussianBlur(grey, grey, {0, 0}, 0.8);
  return grey;
}

TEST(FindRuler, StripesOfOneLengthHaveNoUnit) {
  for (const double angle : {0.0, 0.1, 1.5}) {
    const FoundRuler blinds = FindRuler(Stripes(9.3, angle, 1000.0, false));
    EXPECT_TRUE(std::isnan(blinds.mark_distance)) << angle;
    const FoundRuler marks = FindRuler(Stripes(7.3, angle, 30.0, false));
    EXPECT_EQ(marks.reason, "") << angle;
    EXPECT_TRUE(marks.longer.empty()) << angle;
    EXPECT_TRUE(std::isnan(marks.mark_distance)) << angle;
    EXPECT_NEAR(marks.pitch.value, 7.3, 0.01) << angle;
    EXPECT_TRUE(std::isnan(FindRuler(Stripes(8.0, angle, 0.0, true)).mark_distance)) << angle;
  }
}

/// Rows of bricks, each shifted by half a brick.
cv::Mat Bricks(Drawn* draw) {
  cv::Mat grey(360, 640, CV_8UC1, cv::Scalar(170));
  const int width = 12 + static_cast<int>(draw->Number(30)), height = 4 + width / 3;
  for (int y = 0, row = 0; y < grey.rows; y += height, ++row) {
    for (int x = -(row % 2) * width / 2; x < grey.cols; x += width)
      cv::rectangle(grey, cv::Rect(x, y, width - 2, height - 2),
                    cv::Scalar(80.0 + draw->Number(40)), cv::FILLED);
  }
  cv::GaussianBlur(grey, grey, {0, 0}, 0.8);
  return grey;
}

TEST(FindRuler, OtherPatternsAreNoRuler) {
  Drawn draw(5);
  for (int k = 0; k < 4; ++k) {
    synthesis::BallSpec spec = DrawnScene(&draw, synthesis::RulerSpec::Unit::kMillimetre, 3.0);
    spec.ruler.reset();
    EXPECT_NE(FindRuler(PictureOf(spec)).reason, "") << k;
    EXPECT_TRUE(std::isnan(FindRuler(Bricks(&draw)).mark_distance)) << k;
    cv::Mat noise(360, 640, CV_8UC1);
    for (int y = 0; y < noise.rows; ++y) {
      for (int x = 0; x < noise.cols; ++x)
        noise.at<unsigned char>(y, x) = cv::saturate_cast<unsigned char>(128 + 30 * draw.Normal());
    }
    EXPECT_NE(FindRuler(noise).reason, "") << k;
  }
}

TEST(FindRuler, TakesAnyPicture) {
  EXPECT_NE(FindRuler({}).reason, "");
  for (const cv::Size size : {cv::Size(1, 1), cv::Size(63, 200), cv::Size(64, 64)})
    EXPECT_NE(FindRuler(cv::Mat(size, CV_8UC1, cv::Scalar(90))).reason, "") << size.width;
  // Eighteen marks are too few.
  const cv::Mat few = Stripes(9.0, 0.2, 30.0, false)(cv::Rect(235, 130, 170, 100)).clone();
  EXPECT_NE(FindRuler(few).reason, "");
}

std::vector<double> Lengths(int count, int first,
                            const std::vector<std::pair<int, double>>& every) {
  std::vector<double> lengths;
  for (int k = first; k < first + count; ++k) {
    double length = 3.0;
    for (const auto& [period, longer] : every) length = k % period == 0 ? longer : length;
    lengths.push_back(length + 0.05 * std::sin(17.0 * k));
  }
  return lengths;
}

TEST(LongMarks, TellTheUnit) {
  const auto meaning = [](const std::vector<double>& lengths) {
    return MeaningOfMarks(PeriodsOfLongMarks(lengths), lengths.size());
  };
  for (const int first : {0, 3, 8}) {
    EXPECT_DOUBLE_EQ(meaning(Lengths(60, first, {{5, 4.0}, {10, 5.0}})), 1e-3);
    EXPECT_DOUBLE_EQ(meaning(Lengths(60, first, {{2, 4.0}, {10, 5.0}, {20, 6.0}})), 5e-4);
    EXPECT_DOUBLE_EQ(meaning(Lengths(60, first, {{2, 4.0}, {4, 5.0}, {8, 6.0}})), 0.0254 / 8);
    EXPECT_DOUBLE_EQ(meaning(Lengths(60, first, {{2, 4.0}, {4, 5.0}, {8, 6.0}, {16, 7.0}})),
                     0.0254 / 16);
    // One step alone: centimetres and halves, tenths of an inch, anything.
    EXPECT_TRUE(std::isnan(meaning(Lengths(60, first, {{2, 4.0}}))));
    EXPECT_TRUE(std::isnan(meaning(Lengths(60, first, {{5, 4.0}}))));
    EXPECT_TRUE(std::isnan(meaning(Lengths(60, first, {{2, 4.0}, {4, 5.0}}))));
    EXPECT_TRUE(std::isnan(meaning(Lengths(60, first, {}))));
    EXPECT_TRUE(std::isnan(meaning(Lengths(19, first, {{5, 4.0}, {10, 5.0}}))));
  }
  // Half inches do not pass for whole ones where few are seen.
  EXPECT_TRUE(
      std::isnan(meaning(Lengths(36, 0, {{2, 4.0}, {4, 5.0}, {8, 6.0}, {16, 7.0}, {32, 9.0}}))));
}

TEST(LongMarks, LengthsAtRandomHaveNoUnit) {
  Drawn draw(9);
  int told = 0;
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> lengths;
    const int count = 20 + static_cast<int>(draw.Number(100));
    for (int i = 0; i < count; ++i) lengths.push_back(draw.Between(2.0, 6.0));
    told += std::isfinite(MeaningOfMarks(PeriodsOfLongMarks(lengths), lengths.size())) ? 1 : 0;
  }
  EXPECT_EQ(told, 0);
}

}  // namespace
}  // namespace percuss::tracking
