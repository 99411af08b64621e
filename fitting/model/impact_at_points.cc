// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/math/geometry.h"
#include "fitting/model/impact_model.h"
#include "solver/multi_contact/landing.h"

namespace percuss::fitting {
namespace {

// Velocities after the landing and the work of the normal impulses.
using AfterAndWork = Eigen::Matrix<double, 7, 1>;

AfterAndWork AfterLanding(const solver::Landing& landing, std::span<const double> parameters) {
  const solver::LandingResult result = solver::SolveLanding(landing, parameters);
  AfterAndWork after;
  after << result.v, result.w, result.energy.normal_work;
  return after;
}

// The events are exact to about 1e-9: a step that leaves six digits of a derivative.
constexpr double kStep = 1e-4;  // of an ordinary size

AfterAndWork Difference(const std::function<AfterAndWork(double)>& at, double step) {
  return (at(step) - at(-step)) / (2.0 * step);
}

Eigen::Matrix<double, 7, Eigen::Dynamic> ByParameters(const solver::Landing& landing,
                                                      std::span<const double> parameters) {
  const solver::LawInfo& law = solver::MultiPointLaw::Info();
  Eigen::Matrix<double, 7, Eigen::Dynamic> derivatives(7, std::ssize(parameters));
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const solver::ParameterInfo& info = k < law.parameters.size()
                                            ? law.parameters[k]
                                            : law.optional_parameters[k - law.parameters.size()];
    std::vector<double> moved(parameters.begin(), parameters.end());
    const double low = std::max(info.lower, parameters[k] - kStep);
    const double high = std::min(info.upper, parameters[k] + kStep);
    moved[k] = low;
    const AfterAndWork below = AfterLanding(landing, moved);
    moved[k] = high;
    derivatives.col(static_cast<Eigen::Index>(k)) =
        (AfterLanding(landing, moved) - below) / (high - low);
  }
  return derivatives;
}

solver::Landing LandingOf(const ImpactGeometry& geometry) {
  return {.mass = geometry.mass,
          .inertia_W = geometry.inertia_W,
          .v = geometry.before.head<3>(),
          .w = geometry.before.tail<3>(),
          .frame = geometry.frame,
          .arms = geometry.touching};
}

}  // namespace

LawAnswer SolveLawAtPoints(const ImpactGeometry& geometry, std::span<const double> parameters) {
  const solver::LandingResult result = solver::SolveLanding(LandingOf(geometry), parameters);
  LawAnswer answer;
  answer.jump << result.v, result.w;
  answer.jump -= geometry.before;
  answer.impulse = result.impulse;
  answer.energy = result.energy;
  answer.modes = result.modes;
  return answer;
}

JumpDerivatives DifferentiateJumpAtPoints(const ImpactGeometry& geometry,
                                          std::span<const double> parameters) {
  const solver::Landing landing = LandingOf(geometry);
  JumpDerivatives derivatives;
  derivatives.jump = AfterLanding(landing, parameters).head<6>() - geometry.before;
  derivatives.parameters = ByParameters(landing, parameters).topRows<6>();
  return derivatives;
}

ImpactLinearization LinearizeImpactAtPoints(
    const impacts::ImpactRecord& record, const ImpactGeometry& geometry,
    std::span<const double> parameters,
    const Eigen::Matrix<double, Eigen::Dynamic, 3>* parameters_by_velocity) {
  using Eigen::Vector3d;
  const solver::Landing landing = LandingOf(geometry);
  double size = 0.0;
  for (const Vector3d& arm : landing.arms) size = std::max(size, arm.norm());
  const double speed = record.v.norm() + size * record.w.norm();
  ImpactLinearization linearization;
  ImpactLinearization::Work& work = linearization.normal_work;
  const Eigen::Matrix<double, 7, Eigen::Dynamic> by_parameters = ByParameters(landing, parameters);
  const auto by = [&](double step, const std::function<void(solver::Landing&, double)>& move) {
    return Difference(
        [&](double amount) {
          solver::Landing moved = landing;
          move(moved, amount);
          return AfterLanding(moved, parameters);
        },
        step);
  };
  // What a change of the contact's velocity (W axes) does where the parameters depend on it.
  const auto through_parameters = [&](const Vector3d& change) -> AfterAndWork {
    if (parameters_by_velocity == nullptr) return AfterAndWork::Zero();
    return by_parameters * (*parameters_by_velocity * (geometry.frame.transpose() * change));
  };
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d unit = Vector3d::Unit(axis);
    AfterAndWork by_rotation = by(kStep, [&](solver::Landing& moved, double angle) {
      const Eigen::Matrix3d turn = RotationFromVector(angle * unit).toRotationMatrix();
      for (Vector3d& arm : moved.arms) arm = turn * arm;
      moved.inertia_W = turn * moved.inertia_W * turn.transpose();
    });
    AfterAndWork by_arm = by(kStep * size, [&](solver::Landing& moved, double shift) {
      for (Vector3d& arm : moved.arms) arm += shift * unit;
    });
    AfterAndWork by_v =
        by(kStep * speed, [&](solver::Landing& moved, double change) { moved.v[axis] += change; });
    AfterAndWork by_w = by(kStep * speed / size,
                           [&](solver::Landing& moved, double change) { moved.w[axis] += change; });
    by_rotation += through_parameters(record.w.cross(geometry.arm_per_rotation.col(axis)));
    by_arm += through_parameters(record.w.cross(unit));
    by_v += through_parameters(unit);
    by_w += through_parameters(unit.cross(record.r));
    linearization.rotation.col(axis) = by_rotation.head<6>();
    linearization.arm.col(axis) = by_arm.head<6>();
    linearization.v.col(axis) = by_v.head<6>();
    linearization.w.col(axis) = by_w.head<6>();
    work.rotation[axis] = by_rotation[6];
    work.arm[axis] = by_arm[6];
    work.v[axis] = by_v[6];
    work.w[axis] = by_w[6];
  }
  for (int i = 0; i < 6; ++i) {
    const AfterAndWork by_inertia = by(kStep, [&](solver::Landing& moved, double amount) {
      moved.inertia_W += amount * geometry.inertia_directions[i];
    });
    linearization.inertia.col(i) = by_inertia.head<6>();
    work.inertia[i] = by_inertia[6];
  }
  linearization.after = AfterLanding(landing, parameters).head<6>();
  linearization.parameters = by_parameters.topRows<6>();
  work.parameters = by_parameters.row(6);
  return linearization;
}

}  // namespace percuss::fitting
