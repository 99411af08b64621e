// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/multi_contact/landing.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>

#include "solver/law/common_parameters.h"
#include "solver/multi_contact/multi_point_impact.h"

namespace percuss::solver {

const LawInfo& MultiPointLaw::Info() {
  static const LawInfo info{
      .name = kMultiPoint,
      .summary =
          "all points that touch together, Coulomb friction, energetic restitution of all "
          "normal works together; stronge where one point touches",
      .source = "chatterjee2019 3.2, 5.2, (3.14)",
      .parameters = {FrictionCoefficient(), EnergeticRestitution()},
      .optional_parameters = {StaticFrictionCoefficient()},
      .several_points = true};
  return info;
}

namespace {

// The smallest turn that brings all points on one height.
Eigen::Matrix3d LevellingTurn(const std::vector<Eigen::Vector3d>& arms,
                              const Eigen::Vector3d& normal) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& arm : arms) mean += arm / static_cast<double>(arms.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Eigen::Vector3d& arm : arms) spread += (arm - mean) * (arm - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(spread);
  constexpr double kFlat = 1e-6;  // of the squared size: points on one line
  const Eigen::Vector3d longest = eigen.eigenvectors().col(2);
  Eigen::Vector3d from, to;
  if (eigen.eigenvalues()[1] < kFlat * eigen.eigenvalues()[2]) {
    from = longest;
    to = longest - normal.dot(longest) * normal;
  } else {
    from = eigen.eigenvectors().col(0);
    to = from.dot(normal) < 0.0 ? Eigen::Vector3d(-normal) : normal;
  }
  return Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
}

ModeSequence ModesOf(const MultiImpactSummary& summary) {
  ModeSequence modes;
  for (const ImpactEvent& event : summary.events) {
    for (const ImpactPhase& phase : event.phases) {
      const bool slips = std::ranges::find(phase.modes, PointMode::kSlip) != phase.modes.end();
      modes.push_back(slips ? ContactMode::kSlip : ContactMode::kStick);
    }
  }
  return modes;
}

}  // namespace

LandingResult SolveLanding(const Landing& landing, std::span<const double> parameters) {
  const Eigen::Matrix3d turn = LevellingTurn(landing.arms, landing.frame.col(2));
  std::vector<ImpactPoint> points;
  for (const Eigen::Vector3d& arm : landing.arms) {
    points.push_back({.position = turn * arm, .frame = landing.frame, .mu = parameters[0]});
    if (parameters.size() > 2) points.back().mu_s = parameters[2];
  }
  const Body body{.mass = landing.mass, .inertia = landing.inertia_W};
  const MultiImpactSummary summary = SolveMultiImpact(
      BodyImpact(body, turn, landing.v, landing.w, points), {.restitution = {parameters[1]}});
  LandingResult result;
  result.v = summary.speeds.head<3>();
  result.w = summary.speeds.tail<3>();
  if (summary.status != MultiImpactStatus::kSolved) {
    result.impulse.setConstant(std::numeric_limits<double>::quiet_NaN());
    return result;
  }
  for (std::size_t k = 0; k < points.size(); ++k)
    result.impulse += summary.impulse.segment<3>(3 * static_cast<Eigen::Index>(k));
  result.energy = summary.energy;
  result.modes = ModesOf(summary);
  return result;
}

}  // namespace percuss::solver
