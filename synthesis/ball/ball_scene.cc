// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace percuss::synthesis {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr int kLattice = 256;  // of the texture, then it repeats

std::vector<float> RandomLattice(std::uint32_t seed) {
  std::vector<float> values;
  std::uint64_t state = seed * 0x9E3779B97F4A7C15U + 0x1234567U;
  for (int k = 0; k < kLattice * kLattice; ++k) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    values.push_back(static_cast<float>(static_cast<double>(state >> 40) * 0x1.0p-23 - 1.0));
  }
  return values;
}

double Smooth(double x) {
  const double c = std::clamp(x, 0.0, 1.0);
  return c * c * (3.0 - 2.0 * c);
}

}  // namespace

BallScenery::BallScenery(const BallSpec& spec)
    : light_(spec.light),
      eye_(spec.camera.Position()),
      normal_(spec.surface_normal),
      lattice_(RandomLattice(spec.seed)) {
  heading_ = spec.target - eye_;
  heading_.z() = 0.0;
  heading_.normalize();
  aside_ = heading_.cross(Vector3d::UnitZ());
  wall_ahead_ = heading_.dot(spec.target - eye_) + spec.light.wall_distance;
  eye_height_ = normal_.dot(eye_);
  ground_x_ = (aside_ - normal_.dot(aside_) * normal_).normalized();
  ground_y_ = normal_.cross(ground_x_);
  if (spec.ruler) ruler_ = FaceOf(*spec.ruler, eye_);
}

double BallScenery::Spots(double a, double b) const {
  const double i = std::floor(a), j = std::floor(b);
  const double u = Smooth(a - i), v = Smooth(b - j);
  const auto column = static_cast<unsigned>(static_cast<int>(i)) % kLattice;
  const auto row = static_cast<unsigned>(static_cast<int>(j)) % kLattice;
  const unsigned next = (column + 1) % kLattice;
  const float* above = &lattice_[row * kLattice];
  const float* below = &lattice_[(row + 1) % kLattice * kLattice];
  return (1.0 - v) * ((1.0 - u) * above[column] + u * above[next]) +
         v * ((1.0 - u) * below[column] + u * below[next]);
}

double BallScenery::Texture(double a, double b) const {
  const double coarse = 1.0 / light_.texture_size, fine = 5.0 * coarse;
  double spots = 0.6 * Spots(a * coarse, b * coarse);
  spots += 0.4 * Spots(a * fine + 0.5, b * fine + 0.5);
  return std::max(Gradient(a, b) + light_.texture * spots, 0.0);
}

double BallScenery::Gradient(double a, double b) const {
  return 1.0 + light_.gradient * (a + b) / std::sqrt(2.0 * (1.0 + a * a + b * b));
}

SceneryPoint BallScenery::See(const Vector3d& direction, double part) const {
  // Reciprocal distances: linear in the ray, so that the edge between the two is straight.
  const double ground = -normal_.dot(direction) / eye_height_;
  const double wall = heading_.dot(direction) / wall_ahead_;
  constexpr double kFar = 1e-3;  // of a plane, in 1/m: beyond 1 km it has no texture
  SceneryPoint point;
  // The gradient of ground - wall over directions.
  const double steepness = (normal_ / eye_height_ + heading_ / wall_ahead_).norm();
  point.ground = std::clamp(0.5 + (ground - std::max(wall, 0.0)) / (steepness * part), 0.0, 1.0);
  double light_of_wall = light_.wall, light_of_ground = light_.ground;
  if (point.ground < 1.0 && wall > kFar) {
    const Vector3d place = eye_ + direction / wall;
    light_of_wall *= Texture(aside_.dot(place) + 3.7, place.z() + 1.3);
  }
  if (point.ground > 0.0 && ground > kFar) {
    point.place = eye_ + direction / ground;
    light_of_ground *= Texture(ground_x_.dot(point.place), ground_y_.dot(point.place));
  }
  point.light = light_of_wall + point.ground * (light_of_ground - light_of_wall);
  if (!ruler_) return point;
  const RulerPoint ruler = SeeRuler(*ruler_, direction, part);
  if (!(ruler.covered > 0.0)) return point;
  const double light = ruler.light * Gradient(aside_.dot(ruler.place), ruler.place.z());
  point.light += ruler.covered * (light - point.light);
  point.ground *= 1.0 - ruler.covered;
  return point;
}

cv::Mat RenderScenery(const BallScenery& scenery, const CoarseRays& rays, const Camera& camera,
                      const cv::Rect& area, int fineness) {
  const Matrix3d R_WC = camera.R_CW.transpose();
  const double part = 1.0 / (fineness * std::max(camera.fx, camera.fy));
  cv::Mat light(area.size(), CV_32FC1);
  for (int y = 0; y < area.height; ++y) {
    auto* to = light.ptr<float>(y);
    const double v = (area.y + y + 0.5) / fineness - 0.5;
    for (int x = 0; x < area.width; ++x) {
      const Vector2d ray = rays.At((area.x + x + 0.5) / fineness - 0.5, v);
      to[x] = static_cast<float>(scenery.See(R_WC * Vector3d(ray.x(), ray.y(), 1.0), part).light);
    }
  }
  return light;
}

double ShadowAt(const BallSpec& spec, const Vector3d& centre, const Vector3d& place) {
  const Vector3d towards = centre - place;
  const double along = towards.dot(spec.light.lamp);
  if (!(along > 0.0)) return 0.0;
  const double off = std::sqrt(std::max(towards.squaredNorm() - along * along, 0.0));
  const double soft = along * std::tan(spec.light.lamp_radius);
  const double R = spec.radius;
  // Between the edges of umbra and penumbra; of a lamp that looks wider than the ball, the ball
  // hides its share.
  const double deepest = soft > R ? R * R / (soft * soft) : 1.0;
  const double inner = std::abs(R - soft), outer = R + soft;
  return deepest * (1.0 - Smooth((off - inner) / std::max(outer - inner, 1e-9)));
}

}  // namespace percuss::synthesis
