// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/boundary_layer.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "solver/restitution/restitution_curves.h"

namespace percuss::solver {

namespace {

void RequirePositive(double value, const char* field) {
  if (value > 0.0 && std::isfinite(value)) return;
  throw std::invalid_argument(std::string(field) + " is " + std::to_string(value) +
                              ", must be positive");
}

}  // namespace

BoundaryLayerModel<double> ModelOfLayer(const LayerMaterial& material, double mu,
                                        const Contact<double>& contact) {
  RequirePositive(material.stiffness_N_per_m, "stiffness_N_per_m");
  RequirePositive(material.width_m, "width_m");
  if (!(material.damping_N >= 0.0)) {
    throw std::invalid_argument("damping_N is " + std::to_string(material.damping_N) +
                                ", must not be negative");
  }
  const double speed = -contact.velocity[2];
  RequirePositive(speed, "approach velocity");
  const double energy = material.stiffness_N_per_m * material.width_m * material.width_m;
  BoundaryLayerModel<double> model;
  model.mu = mu;
  model.stiffness = energy * contact.inverse_mass(2, 2) / (speed * speed);
  model.damping = material.damping_N / (material.stiffness_N_per_m * material.width_m);
  if (material.reference_speed) {
    RequirePositive(*material.reference_speed, "reference_speed");
    model.damping *= speed / *material.reference_speed;
  }
  return model;
}

double CentralLayerDamping(double restitution) {
  if (!(restitution > 0.0 && restitution <= 1.0)) {
    throw std::invalid_argument("restitution is " + std::to_string(restitution) +
                                ", must be above 0 and at most 1");
  }
  if (restitution == 1.0) return 0.0;
  // 1 / damping lies between e and infinity; restitution falls with damping.
  double low = 0.0, high = 1.0 / restitution;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (RestitutionOfNonlinearDashpot(middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

const LawInfo& BoundaryLayerLaw::Info() {
  static const LawInfo info{
      .name = "boundary-layer",
      .summary = "smooth contact in a layer at the surface (b-geometry), with duration",
      .source = "natsiavas (21), (23), (30), (31)",
      .parameters = {{.name = "mu", .typical = 0.3, .meaning = "friction of the force"},
                     {.name = "stiffness",
                      .lower = 0.1,
                      .upper = 1e4,
                      .typical = 30.0,
                      .meaning = "kappa = k b^2 A_nn / u_n^2"},
                     {.name = "damping",
                      .upper = 100.0,
                      .typical = 0.6,
                      .meaning = "c / (k b); 0 is restitution 1"}},
      .coulomb = false,
      .integrated = true};
  return info;
}

}  // namespace percuss::solver
