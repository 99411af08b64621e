// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "solver/multi_contact/multi_point_impact.h"

// The worked examples of chatterjee2019 (digest section 3).
namespace percuss::solver::testing {

/// Planar point on a floor, x right, z up.
inline ImpactPoint FloorPoint(double x, double z, double mu) {
  ImpactPoint point;
  point.position = {x, 0.0, z};
  point.mu = mu;
  return point;
}

/// A free body in the x-z plane; speeds (v_x, v_z, w) with w counter-clockwise in an (x, up)
/// drawing, which is minus the angular velocity about W y.
inline MultiImpactProblem PlanarBodyImpact(double mass, double inertia,
                                           const Eigen::Vector3d& speeds,
                                           const std::vector<ImpactPoint>& points) {
  MultiImpactProblem problem;
  problem.mass = Eigen::Vector3d(mass, mass, inertia).asDiagonal();
  problem.speeds = speeds;
  problem.jacobian.resize(2 * static_cast<Eigen::Index>(points.size()), 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d& r = points[i].position;
    for (int k = 0; k < 2; ++k) {
      const Eigen::Vector3d axis = points[i].frame.col(2 * k);
      problem.jacobian.row(static_cast<Eigen::Index>(2 * i) + k) << axis.x(), axis.z(),
          r.x() * axis.z() - r.z() * axis.x();
    }
  }
  problem.points = points;
  return problem;
}

/// B1: flat block pivoting about point 0, point 1 strikes.
inline MultiImpactProblem FlatBlock(double mu) {
  const double m = 2.5, b = 0.1087, h = 0.0645;
  return PlanarBodyImpact(m, m * (b * b + h * h) / 12.0, {0.344, -0.500, -9.199},
                          {FloorPoint(-b / 2, -h / 2, mu), FloorPoint(b / 2, -h / 2, mu)});
}

/// B3: ball between a floor and a wall on its right.
inline MultiImpactProblem CornerBall() {
  const double m = 1.0, radius = 0.5;
  ImpactPoint floor = FloorPoint(0.0, -radius, 0.35), wall = FloorPoint(radius, 0.0, 0.35);
  wall.frame.col(0) = Eigen::Vector3d::UnitZ();
  wall.frame.col(1) = -Eigen::Vector3d::UnitY();
  wall.frame.col(2) = -Eigen::Vector3d::UnitX();
  return PlanarBodyImpact(m, 0.5 * m * radius * radius, {8.0, -4.43, 0.0}, {floor, wall});
}

/// Spatial point on a floor.
inline ImpactPoint SpatialPoint(const Eigen::Vector3d& r, double mu, double mu_s) {
  ImpactPoint point;
  point.position = r;
  point.mu = mu;
  point.mu_s = mu_s;
  return point;
}

/// The body of the all-points sample of S23, with four points of its face y < 0 or z < 0.
inline MultiImpactProblem FaceSample(double mu, const Eigen::Vector3d& v,
                                     const Eigen::Vector3d& w) {
  Body body;
  body.mass = 0.25;
  body.inertia = Eigen::Vector3d(0.0009, 0.0005, 0.0011).asDiagonal();
  std::vector<ImpactPoint> points;
  for (const auto& [x, y] : {std::pair{0.07, 0.12}, {-0.03, 0.12}, {-0.03, -0.08}, {0.07, -0.08}}) {
    points.push_back(SpatialPoint({x, y, -0.1}, mu, mu));
  }
  return BodyImpact(body, Eigen::Matrix3d::Identity(), v, w, points);
}

/// A homogeneous box on the floor of W with its mass centre at r = 0 and some of its points in
/// contact.
inline Body BoxBody(const Eigen::Vector3d& size, double mass) {
  Body body;
  body.shape = Box{size};
  body.mass = mass;
  body.inertia = UniformInertia(body.shape, mass);
  return body;
}

}  // namespace percuss::solver::testing
