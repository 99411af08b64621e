// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/impacts/random_scenes.h"

#include <fmt/core.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <map>
#include <random>
#include <string>

#include "solver/contact/contact.h"
#include "solver/simulation/plane_simulation.h"

namespace percuss::benchmarks {
namespace {

using Eigen::Vector3d;

class SceneDraw {
 public:
  explicit SceneDraw(unsigned seed) : random_(seed) {}

  double Between(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vector3d Vector(double size) {
    const double x = Between(-size, size), y = Between(-size, size), z = Between(-size, size);
    return {x, y, z};
  }
  int Below(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

 private:
  std::mt19937 random_;
};

solver::Shape DrawShape(SceneDraw& draw) {
  const double a = draw.Between(0.02, 0.1), b = draw.Between(0.02, 0.1),
               c = draw.Between(0.02, 0.1);
  switch (draw.Below(5)) {
    case 0:
      return solver::Box{{a, b, c}};
    case 1:
      return solver::Cylinder{a, b};
    case 2:
      return solver::Capsule{a, b};
    case 3:
      return solver::Ellipsoid{{a, b, c}};
    default:
      return solver::Sphere{a};
  }
}

/// A floor that is tilted by up to 25 degrees, and walls that lean by as much.
std::vector<solver::ContactPlane> DrawPlanes(SceneDraw& draw, double radius) {
  std::vector<solver::ContactPlane> planes(1 + static_cast<std::size_t>(draw.Below(3)));
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const double heading = draw.Between(0.0, 6.283);
    const Vector3d level(std::cos(heading), std::sin(heading), 0.0);
    const double lean = draw.Between(0.0, 0.43);
    const Vector3d main = k == 0 ? Vector3d(Vector3d::UnitZ()) : level;
    const Vector3d other = k == 0 ? level : Vector3d(Vector3d::UnitZ());
    planes[k].frame =
        solver::ContactFrame((std::cos(lean) * main + std::sin(lean) * other).normalized());
    planes[k].offset = -(radius + draw.Between(0.001, 0.15));
    planes[k].mu = draw.Between(0.0, 1.0);
  }
  return planes;
}

}  // namespace

std::vector<BoundSection> MeasureRandomScenes(const std::filesystem::path&) {
  constexpr int kScenes = 10000;
  // A scene takes hundreds; one that takes so many has no answer.
  constexpr int kMostSteps = 20000;
  double gain = 0.0;
  int failed = 0;
  double impacts = 0.0;
  std::map<std::string, int> reasons;
  for (int k = 0; k < kScenes; ++k) {
    SceneDraw draw(1000U + static_cast<unsigned>(k));
    solver::Body body{.shape = DrawShape(draw), .mass = draw.Between(0.05, 1.0)};
    body.inertia = solver::UniformInertia(body.shape, body.mass);
    const double radius = solver::BoundingRadius(body.shape);
    solver::FlightState<double> start;
    start.q_WB =
        Eigen::Quaterniond(1.0, draw.Between(-1, 1), draw.Between(-1, 1), draw.Between(-1, 1))
            .normalized();
    start.v = draw.Vector(2.0);
    start.w = draw.Vector(10.0);
    solver::PlaneContactModel model;
    model.planes = DrawPlanes(draw, radius);
    model.impact.restitution = {draw.Between(0.0, 1.0)};
    const solver::PlaneSimulation simulation = solver::SimulateOnPlane(
        body, start, {0, 0, -9.81}, model, {.duration = 0.5, .max_steps = kMostSteps});
    gain = std::max(gain, simulation.energy_gain);
    for (const solver::PlaneEvent& event : simulation.events)
      impacts += event.kind == solver::PlaneEventKind::kImpact ? 1.0 : 0.0;
    if (simulation.status == solver::PlaneSimulationStatus::kSolved) continue;
    ++failed;
    ++reasons[fmt::format("{} (first: scene {})", solver::StatusName(simulation.status), k)];
  }
  BoundSection section{"10000 random scenes, half a second each",
                       {{"largest rise of energy, over that of the start", "", gain, 0.0, 1e-9},
                        {"scenes without answer", "", static_cast<double>(failed), 0.0, 0.0},
                        {"impacts", "", impacts}},
                       {}};
  for (const auto& [reason, count] : reasons)
    section.remarks.push_back(fmt::format("{} of {}", count, reason));
  return {section};
}

}  // namespace percuss::benchmarks
