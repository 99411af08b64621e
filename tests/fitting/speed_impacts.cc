// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fitting/speed_impacts.h"

#include <fmt/core.h>

#include <cmath>

#include "tests/fitting/synthetic_impacts.h"
#include "tests/solver/compliant/central_layer.h"

namespace percuss::fitting {
namespace {

using impacts::ImpactRecord;

constexpr double kRadius = 0.02, kMass = 0.05;   // [m, kg]
constexpr double kSigmaV = 0.01, kSigmaW = 0.5;  // [m/s, rad/s]

void SetAfter(const LayerTruth& truth, ImpactRecord& record) {
  const double speed = -record.v.z();
  const double slip = record.v.x() - record.w.y() * kRadius;
  const double kappa = truth.stiffness * truth.width * truth.width / (kMass * speed * speed);
  const double of_speed = truth.reference_speed > 0.0 ? speed / truth.reference_speed : 1.0;
  const auto layer = solver::closed_form::SolveCentralLayer(kappa, truth.damping * of_speed);
  const double friction = -std::copysign(truth.mu * layer.force_impulse * kMass * speed, slip);
  record.v_post =
      record.v + Eigen::Vector3d(friction / kMass, 0.0, (1.0 + layer.restitution) * speed);
  record.w_post = record.w;
  record.w_post.y() -= kRadius * friction / (0.4 * kMass * kRadius * kRadius);
}

}  // namespace

solver::Body RatesBall() {
  solver::Body body{.shape = solver::Sphere{kRadius}, .mass = kMass};
  body.inertia = solver::UniformInertia(body.shape, body.mass);
  return body;
}

impacts::ImpactTable NoisySpeeds(std::mt19937& random, const LayerTruth& truth, int num_trials,
                                 double slowest, double fastest) {
  impacts::ImpactTable table;
  Eigen::VectorXd sigma = Eigen::VectorXd::Zero(impacts::kImpactDimension);
  for (const auto velocity : {impacts::kV, impacts::kVPost}) {
    sigma[velocity] = sigma[velocity + 2] = kSigmaV;
  }
  for (const auto rate : {impacts::kW, impacts::kWPost}) sigma[rate + 1] = kSigmaW;
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  std::normal_distribution<double> normal;
  for (int i = 0; i < num_trials; ++i) {
    ImpactRecord record;
    record.trial = fmt::format("drop-{:02}", i + 1);
    record.r = {0.0, 0.0, -kRadius};
    const double speed = slowest * std::pow(fastest / slowest, uniform(0.0, 1.0));
    const double spin = uniform(-10.0, 10.0);
    record.w = {0.0, spin, 0.0};
    record.v = {spin * kRadius + uniform(1.8, 2.6) * speed, 0.0, -speed};
    SetAfter(truth, record);
    record.covariance = impacts::ImpactCovariance(sigma.cwiseAbs2().asDiagonal());
    Eigen::VectorXd error = sigma;
    for (double& entry : error) entry *= normal(random);
    AddError(error, record);
    table.impacts.push_back(record);
  }
  return table;
}

std::string ToCsv(const impacts::ImpactTable& table) {
  std::string text = "trial,vx,vz,wy,vx_post,vz_post,wy_post\n";
  for (const ImpactRecord& one : table.impacts) {
    text += fmt::format("{},{:.4f},{:.4f},{:.3f},{:.4f},{:.4f},{:.3f}\n", one.trial, one.v.x(),
                        one.v.z(), one.w.y(), one.v_post.x(), one.v_post.z(), one.w_post.y());
  }
  return text;
}

}  // namespace percuss::fitting
