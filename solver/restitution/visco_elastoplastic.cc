// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/restitution/visco_elastoplastic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <stdexcept>

#include "solver/restitution/hertz.h"

namespace percuss::solver {
namespace {

constexpr double kPi = std::numbers::pi;

void RequirePositive(const char* field, double value) {
  if (value > 0.0) return;
  std::ostringstream text;
  text << field << " is " << value << "; it must be above 0";
  throw std::invalid_argument(text.str());
}

void Validate(const ContactMaterial& material) {
  RequirePositive("youngs_modulus", material.youngs_modulus);
  RequirePositive("yield_strength", material.yield_strength);
  if (!(material.poissons_ratio > -1.0 && material.poissons_ratio < 0.5 + 1e-12)) {
    std::ostringstream text;
    text << "poissons_ratio is " << material.poissons_ratio << "; it must be from -1 to 0.5";
    throw std::invalid_argument(text.str());
  }
}

}  // namespace

ViscoElastoplasticLaw MakeViscoElastoplasticLaw(const ContactMaterial& first, double radius_1,
                                                const ContactMaterial& second, double radius_2,
                                                double hardness, double damping,
                                                YieldFactor factor) {
  Validate(first);
  Validate(second);
  RequirePositive("radius_1", radius_1);
  RequirePositive("radius_2", radius_2);
  RequirePositive("hardness", hardness);
  if (!(damping >= 0.0)) RequirePositive("damping", damping);
  const auto compliance = [](const ContactMaterial& m) {
    return (1.0 - m.poissons_ratio * m.poissons_ratio) / m.youngs_modulus;
  };
  ViscoElastoplasticLaw law;
  law.plane_modulus = 1.0 / (compliance(first) + compliance(second));
  law.radius = 1.0 / (1.0 / radius_1 + 1.0 / radius_2);
  if (!std::isfinite(law.radius)) RequirePositive("1/radius_1 + 1/radius_2", 0.0);
  law.damping = damping;
  const ContactMaterial& weaker = first.yield_strength < second.yield_strength ? first : second;
  const double C = 1.295 * std::exp(0.736 * weaker.poissons_ratio);
  const double F = factor == YieldFactor::kInverseSquare ? 1.0 / (C * C) : 1.0 / C;
  const double E = law.plane_modulus, R = law.radius, S_y = weaker.yield_strength;
  const double strain = kPi * S_y / (2.0 * E);
  law.yield_deformation = R / F * strain * strain;
  law.yield_force = HertzStiffness(E, R) * std::pow(law.yield_deformation, 1.5);
  law.yield_slope = 2.0 * E * std::sqrt(R * law.yield_deformation);
  law.hardness_pressure = 9.8e6 * hardness;
  const double p_0 = law.hardness_pressure;
  law.plastic_deformation = (p_0 / S_y) * (p_0 / S_y) * law.yield_deformation;
  law.plastic_radius = R * 3.0 * kPi * p_0 / (4.0 * E);
  law.plastic_force = std::pow(3.0 * R / (4.0 * E), 2) * std::pow(kPi * p_0, 3);
  law.plastic_slope = 2.0 * kPi * R * p_0;
  return law;
}

double ViscoElastoplasticLaw::StaticForce(double d) const {
  if (d <= 0.0) return 0.0;
  if (d < yield_deformation) return HertzStiffness(plane_modulus, radius) * d * std::sqrt(d);
  if (d >= plastic_deformation) {
    const double a2 = 2.0 * radius * (d - plastic_deformation) + plastic_radius * plastic_radius;
    return hardness_pressure * kPi * a2;
  }
  const double D = plastic_deformation - yield_deformation, x = (d - yield_deformation) / D;
  const double c3 = 2 * yield_force - 2 * plastic_force + D * (yield_slope + plastic_slope);
  const double c2 = -3 * yield_force + 3 * plastic_force - D * (2 * yield_slope + plastic_slope);
  return ((c3 * x + c2) * x + D * yield_slope) * x + yield_force;
}

double ViscoElastoplasticLaw::LoadingForce(double deformation, double rate) const {
  return StaticForce(deformation) + damping * std::copysign(std::pow(std::abs(rate), 1.5), rate);
}

double UnloadingForce(double force_at_compression, double deformation, double compressed,
                      double final_deformation) {
  const double share = (deformation - final_deformation) / (compressed - final_deformation);
  return share > 0.0 ? force_at_compression * share * std::sqrt(share) : 0.0;
}

double RestitutionForce(double force_at_compression, double work, double work_at_compression,
                        double final_work) {
  const double share = (final_work - work) / (final_work - work_at_compression);
  return share > 0.0 ? force_at_compression * std::pow(share, 0.6) : 0.0;
}

}  // namespace percuss::solver
