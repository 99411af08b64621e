// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <sstream>
#include <tuple>
#include <vector>

#include "tracking/baselines/houbolt_states.h"
#include "tracking/labels/marker_triad.h"

namespace percuss::tracking {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Markers = std::array<Vector3d, 3>;
constexpr double kStep = 1.0 / 120.0;

Eigen::Matrix3d RandomRotation(std::mt19937* random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond{normal(*random), normal(*random), normal(*random), normal(*random)}
      .normalized()
      .toRotationMatrix();
}

/// 50 frames of three markers of a body that hardly moves [mm] (sun2017 Figure 4.19).
std::vector<Markers> ReadFigure419() {
  std::ifstream file(PERCUSS_DATA_DIR "/sun2017/trajectories_fig4_19.csv");
  std::vector<Markers> frames;
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double> values;
    while (std::getline(cells, cell, ',')) values.push_back(std::stod(cell));
    Markers& markers = frames.emplace_back();
    for (std::size_t m = 0; m < 3; ++m)
      markers[m] = Vector3d(values[2 + 3 * m], values[3 + 3 * m], values[4 + 3 * m]);
  }
  return frames;
}

template <typename Value>
auto Houbolt(const std::vector<Markers>& frames, std::size_t last, const Value& value) {
  return HouboltDerivative<Vector3d>({value(frames[last - 3]), value(frames[last - 2]),
                                      value(frames[last - 1]), value(frames[last])},
                                     kStep);
}

Vector3d StandardDeviation(const std::vector<Vector3d>& values) {
  const double n = static_cast<double>(values.size());
  Vector3d mean = Vector3d::Zero(), squares = Vector3d::Zero();
  for (const Vector3d& value : values) mean += value / n;
  for (const Vector3d& value : values) squares += (value - mean).cwiseAbs2();
  return (squares / (n - 1.0)).cwiseSqrt();
}

void ExpectNear(const Vector3d& value, const Vector3d& expected, double tolerance) {
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(value[i], expected[i], tolerance) << i;
}

// Source of truth: Taylor's theorem. Cubics are exact on both sides.
TEST(HouboltDerivative, IsExactForCubics) {
  std::mt19937 random(81);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int draw = 0; draw < 100; ++draw) {
    const double a = uniform(random), b = uniform(random), c = uniform(random), d = uniform(random);
    const double t = uniform(random), h = 0.1;
    const auto x = [&](double s) { return a + s * (b + s * (c + s * d)); };
    const double truth = b + t * (2.0 * c + t * 3.0 * d);
    EXPECT_NEAR(HouboltDerivative<double>({x(t - 3 * h), x(t - 2 * h), x(t - h), x(t)}, h), truth,
                1e-12);
    EXPECT_NEAR(HouboltDerivative<double>({x(t + 3 * h), x(t + 2 * h), x(t + h), x(t)}, -h), truth,
                1e-12);
  }
}

// The error of t^4, whose higher derivatives vanish, is the leading term alone: -h^3 24 / 4. Of any
// smooth function it falls with the cube of the step.
TEST(HouboltDerivative, HasAnErrorOfThirdOrder) {
  const auto error = [](double (*x)(double), double slope, double t, double h) {
    return HouboltDerivative<double>({x(t - 3 * h), x(t - 2 * h), x(t - h), x(t)}, h) - slope;
  };
  const auto quartic = [](double t) { return t * t * t * t; };
  EXPECT_NEAR(error(quartic, 4.0 * 0.7 * 0.7 * 0.7, 0.7, 0.1), -6.0 * 0.001, 1e-12);
  const auto sine = [](double t) { return std::sin(t); };
  const double coarse = error(sine, std::cos(1.0), 1.0, 0.02),
               fine = error(sine, std::cos(1.0), 1.0, 0.01);
  EXPECT_NEAR(coarse / fine, 8.0, 0.2);
}

// Source of truth: free fall, and the half frame of it that sun2017 (4.24) adds.
TEST(HouboltDerivative, NeedsNoGravityTermForTheFrameItself) {
  const auto y = [](double t) { return 0.3 * t + 0.5 * 9.81 * t * t; };
  const double t = 0.2, h = kStep;
  const double v = HouboltDerivative<double>({y(t - 3 * h), y(t - 2 * h), y(t - h), y(t)}, h);
  EXPECT_NEAR(v, 2.262, 1e-9);
  EXPECT_NEAR(v + 0.5 * 9.81 * h, 2.302875, 1e-9);
  EXPECT_NEAR(v + 0.5 * 9.81 * h, 0.3 + 9.81 * (t + 0.5 * h), 1e-9);
}

// Source of truth: the noise of the markers of sun2017 Figure 4.19, worked out from its table with
// another program: standard deviation of the record, and of white noise that would give its second
// differences.
TEST(HouboltFigure419, HasTheNoiseOfItsTable) {
  const std::vector<Markers> frames = ReadFigure419();
  ASSERT_EQ(frames.size(), 50u);
  const Markers whole = {Vector3d(.243, .202, .461), Vector3d(.408, .236, .906),
                         Vector3d(.306, .125, .179)};
  const Markers white = {Vector3d(.076, .033, .105), Vector3d(.214, .099, .252),
                         Vector3d(.038, .048, .111)};
  for (std::size_t m = 0; m < 3; ++m) {
    std::vector<Vector3d> places;
    Vector3d mean_square = Vector3d::Zero();
    for (std::size_t k = 0; k < frames.size(); ++k) {
      places.push_back(frames[k][m]);
      if (k < 2) continue;
      mean_square += (frames[k][m] - 2.0 * frames[k - 1][m] + frames[k - 2][m]).cwiseAbs2() / 48.0;
    }
    ExpectNear(StandardDeviation(places), whole[m], 0.0006);
    ExpectNear((mean_square / 6.0).cwiseSqrt(), white[m], 0.0006);
  }
}

// Source of truth: the same program. Mean, standard deviation, least and largest of the distances
// between markers 1 and 2, 2 and 3, 1 and 3: a rigid body's are constant.
TEST(HouboltFigure419, KeepsTheDistancesOfItsMarkers) {
  const std::vector<Markers> frames = ReadFigure419();
  struct Pair {
    std::size_t one, other;
    double mean, spread, least, largest;
  };
  for (const Pair& pair : {Pair{0, 1, 137.988, .311, 137.076, 138.342},
                           {1, 2, 187.117, .635, 185.067, 187.783},
                           {0, 2, 191.494, .108, 191.283, 191.855}}) {
    std::vector<Vector3d> distances;  // as one component, for StandardDeviation
    double mean = 0.0, least = 1e9, largest = 0.0;
    for (const Markers& frame : frames) {
      const double distance = (frame[pair.one] - frame[pair.other]).norm();
      distances.emplace_back(distance, 0.0, 0.0);
      mean += distance / static_cast<double>(frames.size());
      least = std::min(least, distance);
      largest = std::max(largest, distance);
    }
    EXPECT_NEAR(mean, pair.mean, 0.0006) << pair.one << pair.other;
    EXPECT_NEAR(StandardDeviation(distances).x(), pair.spread, 0.0006) << pair.one << pair.other;
    EXPECT_NEAR(least, pair.least, 0.0006) << pair.one << pair.other;
    EXPECT_NEAR(largest, pair.largest, 0.0006) << pair.one << pair.other;
    EXPECT_LT(pair.spread, 0.0035 * pair.mean);
  }
}

// Noise of a velocity over that of a place and step: of Houbolt's difference, and of a line through
// N frames, from which free fall has been taken.
TEST(HouboltDerivative, HasTheNoiseGainOfTheDigest) {
  double squares = 0.0;
  for (int k = 0; k < 4; ++k) {
    std::array<double, 4> places{};
    places[static_cast<std::size_t>(k)] = 1.0;
    squares += std::pow(HouboltDerivative<double>(places, 1.0), 2);
  }
  EXPECT_NEAR(std::sqrt(squares), 3.837, 5.1e-4);
  EXPECT_NEAR(1e-4 * std::sqrt(squares) / kStep, 0.046, 5.1e-4);  // of 0.1 mm, at 120 fps [m/s]
  for (const auto& [frames, gain, digit] :
       {std::tuple{15, 0.0598, 5.1e-5}, {10, 0.110, 5.1e-4}, {30, 0.0211, 5.1e-5}}) {
    Eigen::MatrixX2d design(frames, 2);
    for (int k = 0; k < frames; ++k) design.row(k) << 1.0, k;
    const Eigen::Matrix2d covariance = (design.transpose() * design).inverse();
    EXPECT_NEAR(std::sqrt(covariance(1, 1)), gain, digit);
    if (frames == 15) EXPECT_NEAR(std::sqrt(squares / covariance(1, 1)), 64.0, 0.51);
  }
}

// Source of truth: the same program. A body at rest seems to move by this much.
TEST(HouboltFigure419, SeemsToMove) {
  const std::vector<Markers> frames = ReadFigure419();
  const auto centroid = [](const Markers& markers) { return Centroid(markers); };
  const auto angles = [](const Markers& markers) {
    return EulerAnglesFromTriad<double>(MarkerTriad<double>(markers));
  };
  ExpectNear(Houbolt(frames, 3, centroid), Vector3d(59.787, 24.447, -81.667), 0.001);

  std::vector<Vector3d> v, w;
  Vector3d largest_v = Vector3d::Zero(), largest_w = Vector3d::Zero();
  for (std::size_t k = 3; k < frames.size(); ++k) {
    v.push_back(1e-3 * Houbolt(frames, k, centroid));
    w.push_back(ReferenceSpinFromEulerRates<double>(angles(frames[k])) *
                Houbolt(frames, k, angles));
    largest_v = largest_v.cwiseMax(v.back().cwiseAbs());
    largest_w = largest_w.cwiseMax(w.back().cwiseAbs());
  }
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& one : v) mean += one / static_cast<double>(v.size());
  ExpectNear(mean, Vector3d(.0024, .0001, .0029), 0.00006);
  ExpectNear(StandardDeviation(v), Vector3d(.031, .017, .044), 0.0006);
  ExpectNear(largest_v, Vector3d(.065, .046, .160), 0.0006);
  ExpectNear(StandardDeviation(w), Vector3d(.43, .44, .19), 0.006);
  ExpectNear(largest_w, Vector3d(1.13, 1.13, .61), 0.006);
}

// Source of truth: the same program, for the first frame of Figure 4.19.
TEST(MarkerTriad, OfTheFirstFrameOfFigure419) {
  const Markers markers = ReadFigure419().front();
  ExpectNear(Centroid(markers), Vector3d(265.9630, 409.6163, 1089.5767), 6e-5);
  const Matrix3d triad = MarkerTriad(markers);
  ExpectNear(triad.row(0), Vector3d(-0.78194, -0.48865, 0.38703), 6e-6);
  ExpectNear(triad.row(1), Vector3d(-0.42889, 0.87230, 0.23482), 6e-6);
  ExpectNear(triad.row(2), Vector3d(-0.45235, 0.01762, -0.89167), 6e-6);
  ExpectNear(EulerAnglesFromTriad(triad), Vector3d(-2.67212, -0.01762, -0.51063), 6e-6);
}

// Source of truth: a rotated body. Triads before and after give back its rotation.
TEST(MarkerTriad, TurnsWithTheBody) {
  std::mt19937 random(82);
  const Markers p_B = {Vector3d(-0.14, 0.012, 0.006), Vector3d(0.03, -0.011, 0.006),
                       Vector3d(0.14, 0.015, 0.002)};
  for (int draw = 0; draw < 100; ++draw) {
    const Matrix3d R = RandomRotation(&random);
    Markers p_W;
    for (std::size_t m = 0; m < 3; ++m) p_W[m] = R * p_B[m] + Vector3d(1.0, -2.0, 0.5);
    const Matrix3d triad = MarkerTriad(p_W);
    EXPECT_LT((triad.transpose() * MarkerTriad(p_B) - R).norm(), 1e-11);
    EXPECT_LT((triad * triad.transpose() - Matrix3d::Identity()).norm(), 1e-14);
    EXPECT_NEAR(triad.determinant(), 1.0, 1e-14);
  }
}

// Three turns, about y, the new x, the newest z (sun2017 4.17).
Matrix3d TriadFromEulerAngles(const Vector3d& theta) {
  const Eigen::Quaterniond turns = Eigen::AngleAxisd(theta[0], Vector3d::UnitY()) *
                                   Eigen::AngleAxisd(theta[1], Vector3d::UnitX()) *
                                   Eigen::AngleAxisd(theta[2], Vector3d::UnitZ());
  return turns.toRotationMatrix().transpose();
}

TEST(EulerAngles, GiveTheTriadBackOnRandomRotations) {
  std::mt19937 random(83);
  std::uniform_real_distribution<double> turn(-std::numbers::pi, std::numbers::pi), tilt(-1.5, 1.5);
  for (int draw = 0; draw < 1000; ++draw) {
    const Matrix3d triad = RandomRotation(&random);
    EXPECT_LT((TriadFromEulerAngles(EulerAnglesFromTriad(triad)) - triad).norm(), 1e-12);
    const Vector3d theta{turn(random), tilt(random), turn(random)};
    EXPECT_LT((EulerAnglesFromTriad(TriadFromEulerAngles(theta)) - theta).norm(), 1e-12);
  }
}

// Source of truth: the matrix itself, differenced in time: A' = -[w_body]x A, w_ref = A^T w_body.
TEST(EulerAngles, RatesGiveTheAngularVelocity) {
  std::mt19937 random(84);
  std::uniform_real_distribution<double> uniform(-1.4, 1.4);
  constexpr double h = 1e-5;
  for (int draw = 0; draw < 100; ++draw) {
    const Vector3d theta{uniform(random), uniform(random), uniform(random)},
        rates{uniform(random), uniform(random), uniform(random)};
    const Matrix3d derivative =
        (TriadFromEulerAngles(theta + h * rates) - TriadFromEulerAngles(theta - h * rates)) /
        (2.0 * h);
    const Matrix3d triad = TriadFromEulerAngles(theta);
    const Matrix3d skew = -derivative * triad.transpose();
    const Vector3d w_body(skew(2, 1), skew(0, 2), skew(1, 0));
    EXPECT_LT((ReferenceSpinFromEulerRates(theta) * rates - triad.transpose() * w_body).norm(),
              1e-7);
  }
}

}  // namespace
}  // namespace percuss::tracking
