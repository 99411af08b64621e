// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <vector>

#include "solver/contact/contact.h"
#include "solver/simulation/plane_simulation.h"

// Bodies of all shapes, thrown into tilted floors, grooves and corners.
namespace percuss::solver::testing {

class SceneDraw {
 public:
  explicit SceneDraw(unsigned seed) : random_(seed) {}

  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Eigen::Vector3d Vector(double size) {
    const double x = Between(-size, size), y = Between(-size, size), z = Between(-size, size);
    return {x, y, z};
  }
  int Below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  std::mt19937 random_;
};

inline Shape DrawShape(SceneDraw& draw) {
  const double a = draw.Between(0.02, 0.1), b = draw.Between(0.02, 0.1),
               c = draw.Between(0.02, 0.1);
  switch (draw.Below(5)) {
    case 0:
      return Box{{a, b, c}};
    case 1:
      return Cylinder{a, b};
    case 2:
      return Capsule{a, b};
    case 3:
      return Ellipsoid{{a, b, c}};
    default:
      return Sphere{a};
  }
}

/// A floor that is tilted by up to 25 degrees, and walls that lean by as much.
inline std::vector<ContactPlane> DrawPlanes(SceneDraw& draw, double radius) {
  std::vector<ContactPlane> planes(1 + static_cast<std::size_t>(draw.Below(3)));
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const double heading = draw.Between(0.0, 6.283);
    const Eigen::Vector3d level(std::cos(heading), std::sin(heading), 0.0);
    const double lean = draw.Between(0.0, 0.43);
    const Eigen::Vector3d main = k == 0 ? Eigen::Vector3d(Eigen::Vector3d::UnitZ()) : level;
    const Eigen::Vector3d other = k == 0 ? level : Eigen::Vector3d(Eigen::Vector3d::UnitZ());
    planes[k].frame = ContactFrame((std::cos(lean) * main + std::sin(lean) * other).normalized());
    planes[k].offset = -(radius + draw.Between(0.001, 0.15));
    planes[k].mu = draw.Between(0.0, 1.0);
  }
  return planes;
}

struct RandomScene {
  Body body;
  FlightState<double> start;
  PlaneContactModel model;
};

/// Scene `number` of the benchmark `percuss_multi_contact DATA scenes`; gravity is along -z.
inline RandomScene DrawScene(int number) {
  SceneDraw draw(1000U + static_cast<unsigned>(number));
  RandomScene scene;
  scene.body = {.shape = DrawShape(draw), .mass = draw.Between(0.05, 1.0)};
  scene.body.inertia = UniformInertia(scene.body.shape, scene.body.mass);
  const double radius = BoundingRadius(scene.body.shape);
  scene.start.q_WB =
      Eigen::Quaterniond(1.0, draw.Between(-1, 1), draw.Between(-1, 1), draw.Between(-1, 1))
          .normalized();
  scene.start.v = draw.Vector(2.0);
  scene.start.w = draw.Vector(10.0);
  scene.model.planes = DrawPlanes(draw, radius);
  scene.model.impact.restitution = {draw.Between(0.0, 1.0)};
  return scene;
}

}  // namespace percuss::solver::testing
