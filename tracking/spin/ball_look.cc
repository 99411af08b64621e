// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spin/ball_look.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"
#include "base/nan.h"

namespace percuss::tracking {
namespace {

constexpr int kShadeNumbers = 2 + BallShade::kTerms;
using ShadeVector = Eigen::Matrix<double, kShadeNumbers, 1>;

/// Light at a place of a picture, bilinear; NaN outside.
double LightAt(const cv::Mat& luma, const Eigen::Vector2d& pixel,
               const std::array<float, 256>& light) {
  const double x = std::floor(pixel.x()), y = std::floor(pixel.y());
  if (!(x >= 0.0 && y >= 0.0 && x + 1.0 < luma.cols && y + 1.0 < luma.rows)) return kNaN;
  const int column = static_cast<int>(x), row = static_cast<int>(y);
  const auto at = [&](int dx, int dy) {
    return static_cast<double>(light[luma.at<unsigned char>(row + dy, column + dx)]);
  };
  const double a = pixel.x() - x, b = pixel.y() - y;
  return (1.0 - b) * ((1.0 - a) * at(0, 0) + a * at(1, 0)) +
         b * ((1.0 - a) * at(0, 1) + a * at(1, 1));
}

/// Axes x right, y up, z from the ball to the camera.
Eigen::Matrix3d CameraFromLook(const Eigen::Vector3d& place) {
  Eigen::Matrix3d axes;
  axes.col(2) = -place.normalized();
  axes.col(0) = (Eigen::Vector3d::UnitX() - axes.col(2) * axes.col(2).x()).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

BallLook LookOf(const cv::Mat& luma, int frame, double time, const CameraShake& shake,
                const BouncingBall& ball, const BallMotionModel& motion,
                const std::array<float, 256>& light) {
  const Eigen::Vector2d middle(0.5 * (ball.camera.width - 1), 0.5 * (ball.camera.height - 1));
  // The row of the centre, then the state at its time.
  const BallImage image = motion.ImageAt(time);
  BallLook look;
  look.time = time + ball.line_time.dot(image.centre - middle);
  const BallState state = motion.At(look.time);
  look.camera_from_look = CameraFromLook(state.place);
  look.row_delay = image.radius * Eigen::Vector2d(ball.line_time.x(), -ball.line_time.y());
  // Nodes closer than pixels: bilinear values between them lose little.
  look.size =
      std::clamp(static_cast<int>(std::ceil(2.5 * BallLook::kReach * image.radius)), 12, 160);
  look.values.assign(static_cast<std::size_t>(look.size * look.size), static_cast<float>(kNaN));
  for (int row = 0; row < look.size; ++row) {
    for (int column = 0; column < look.size; ++column) {
      const Eigen::Vector2d node = look.NodeAt(column, row);
      if (node.squaredNorm() > 1.02 * BallLook::kReach * BallLook::kReach) continue;
      const Eigen::Vector3d q(node.x(), node.y(), std::sqrt(1.0 - node.squaredNorm()));
      const Eigen::Vector3d place = state.place + look.row_delay.dot(node) * state.velocity;
      const Eigen::Vector2d pixel =
          calibration::Project(ball.camera, Eigen::Vector3d(place + look.camera_from_look * q));
      look.values[static_cast<std::size_t>(row * look.size + column)] = static_cast<float>(
          LightAt(luma, shake.shakes ? shake.InFrame(frame, pixel) : pixel, light));
    }
  }
  return look;
}

ShadeVector ShadeBasis(const BallLook& look, const Eigen::Vector2d& node,
                       const Eigen::Vector3d& lamp) {
  const Eigen::Vector3d q(node.x(), node.y(), std::sqrt(std::max(0.0, 1.0 - node.squaredNorm())));
  Eigen::Vector3d n = look.camera_from_look * q;
  n.z() = -n.z();
  ShadeVector basis;
  basis << 1.0, std::max(0.0, lamp.dot(n)), ShadeTerms(n);
  return basis;
}

struct LitPlace {
  ShadeVector basis;
  double light = 0.0;
};

std::vector<LitPlace> LitPlaces(const Eigen::Vector3d& lamp,
                                const std::vector<std::vector<BallLook>>& flights) {
  constexpr double kMost = 30000.0;
  double nodes = 0.0;
  for (const auto& looks : flights)
    for (const BallLook& look : looks) nodes += static_cast<double>(look.values.size());
  const double every = std::max(1.0, nodes / kMost);
  std::vector<LitPlace> places;
  double at = 0.0, next = 0.0;
  for (const auto& looks : flights) {
    for (const BallLook& look : looks) {
      for (std::size_t k = 0; k < look.values.size(); ++k, at += 1.0) {
        if (at < next) continue;
        next += every;
        if (!std::isfinite(look.values[k])) continue;
        const int row = static_cast<int>(k) / look.size, column = static_cast<int>(k) % look.size;
        places.push_back({ShadeBasis(look, look.NodeAt(column, row), lamp),
                          static_cast<double>(look.values[k])});
      }
    }
  }
  return places;
}

/// Iteratively reweighted least squares with Tukey's weights.
ShadeVector FitLitPlaces(const std::vector<LitPlace>& places) {
  constexpr int kRounds = 12;
  constexpr double kTukey = 4.685, kMadToSigma = 1.4826;
  ShadeVector c = ShadeVector::Zero();
  std::vector<double> weights(places.size(), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(kShadeNumbers, kShadeNumbers);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(kShadeNumbers);
    for (std::size_t k = 0; k < places.size(); ++k) {
      normal.noalias() += weights[k] * places[k].basis * places[k].basis.transpose();
      right += weights[k] * places[k].light * places[k].basis;
    }
    // Terms that half a sphere does not tell apart stay small.
    normal.diagonal().array() += 1e-6 * static_cast<double>(places.size());
    c = normal.ldlt().solve(right);
    std::vector<double> sizes(places.size());
    for (std::size_t k = 0; k < places.size(); ++k)
      sizes[k] = std::abs(places[k].light - c.dot(places[k].basis));
    const double scale = std::max(kTukey * kMadToSigma * Median(sizes), 1e-6);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double ratio = std::min(1.0, sizes[k] / scale);
      weights[k] = std::pow(1.0 - ratio * ratio, 2.0);
    }
  }
  return c;
}

}  // namespace

Eigen::Vector2d BallLook::NodeAt(int column, int row) const {
  const double step = 2.0 * kReach / (size - 1);
  return {step * column - kReach, step * row - kReach};
}

float BallLook::At(double x, double y) const {
  const double scale = 0.5 * (size - 1) / kReach;
  const double u = (x + kReach) * scale, v = (y + kReach) * scale;
  if (!(u >= 0.0 && v >= 0.0 && u < size - 1 && v < size - 1)) return static_cast<float>(kNaN);
  const int column = static_cast<int>(u), row = static_cast<int>(v);
  const auto a = static_cast<float>(u - column), b = static_cast<float>(v - row);
  const float* low = &values[static_cast<std::size_t>(row * size + column)];
  const float* high = low + size;
  return (1.0F - b) * ((1.0F - a) * low[0] + a * low[1]) + b * ((1.0F - a) * high[0] + a * high[1]);
}

std::vector<std::vector<BallLook>> LooksOfFlights(const ClipFrames& frames,
                                                  const CameraShake& shake,
                                                  const BouncingBall& ball,
                                                  std::span<const BallSighting> sightings,
                                                  std::span<const int> used,
                                                  const std::array<float, 256>& light_of_grey) {
  std::vector<std::vector<BallLook>> flights(ball.after.size() + 1);
  if (used.empty()) return flights;
  const BallMotionModel motion(ball, sightings[used.front()].time - 0.1,
                               sightings[used.back()].time + 0.1);
  std::size_t next = 0;
  frames([&](int index, double, const cv::Mat& luma) {
    while (next < used.size() && sightings[used[next]].frame < index) ++next;
    if (next >= used.size() || sightings[used[next]].frame != index) return;
    BallLook look =
        LookOf(luma, index, sightings[used[next]].time, shake, ball, motion, light_of_grey);
    const auto flight = std::ranges::count_if(
        motion.Contacts(), [&](const BallContact& contact) { return contact.time < look.time; });
    flights[static_cast<std::size_t>(flight)].push_back(std::move(look));
  });
  return flights;
}

void DivideOutShade(const Eigen::Vector3d& lamp, std::vector<std::vector<BallLook>>* flights) {
  const std::vector<LitPlace> places = LitPlaces(lamp, *flights);
  if (places.size() < kShadeNumbers) return;
  const ShadeVector c = FitLitPlaces(places);
  for (auto& looks : *flights) {
    for (BallLook& look : looks) {
      for (std::size_t k = 0; k < look.values.size(); ++k) {
        if (!std::isfinite(look.values[k])) continue;
        const int row = static_cast<int>(k) / look.size, column = static_cast<int>(k) % look.size;
        const double shade = c.dot(ShadeBasis(look, look.NodeAt(column, row), lamp));
        look.values[k] = static_cast<float>(
            shade > 1e-4 ? static_cast<double>(look.values[k]) / shade - 1.0 : kNaN);
      }
    }
  }
}

}  // namespace percuss::tracking
