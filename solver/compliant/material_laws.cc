// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/material_laws.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {
namespace {

/// Of a material; must not be zero.
ParameterInfo StiffnessOfMaterial(std::string_view meaning) {
  return {.name = "k", .lower = 1.0, .upper = 1e12, .typical = 1e6, .meaning = meaning};
}

}  // namespace

const LawInfo& BoundaryLayerMaterialLaw::Info() {
  static const LawInfo info{
      .name = "boundary-layer-material",
      .summary = "boundary-layer by its material: friction seems to grow with speed",
      .source = "natsiavas (21), (23), (42)",
      .parameters = {{.name = "mu", .typical = 0.3, .meaning = "friction of the force"},
                     StiffnessOfMaterial("stiffness of the layer [N/m]"),
                     {.name = "b",
                      .lower = 1e-9,
                      .upper = 1.0,
                      .typical = 1e-3,
                      .meaning = "width of the layer [m]"},
                     {.name = "damping",
                      .upper = 100.0,
                      .typical = 0.6,
                      .meaning = "c / (k b); 0 is restitution 1"}},
      .optional_parameters = {{.name = "reference_speed",
                               .lower = 1e-3,
                               .upper = 1e3,
                               .typical = 1.0,
                               .meaning = "at which the damping is that [m/s], and in proportion "
                                          "to speed else; at all speeds if left out"}},
      .coulomb = false,
      .integrated = true,
      .products = {{.name = "k b^2",
                    .unit = "J",
                    .powers = {{"k", 1.0}, {"b", 2.0}},
                    .apart = "the duration of contact, (1 + e) |u_n| / (A_nn k b) head-on"}}};
  return info;
}

const LawInfo& KelvinVoigtLaw::Info() {
  static const LawInfo info{
      .name = "kelvin-voigt",
      .summary = "linear-dashpot by its spring and dashpot: restitution depends on mass",
      .source = "chatterjee1997 8.3, (8.4) (I8)",
      .parameters = {FrictionCoefficient(),
                     StiffnessOfMaterial("spring constant [N/m]"),
                     {.name = "c", .typical = 100.0, .meaning = "dashpot constant [N s/m]"}},
      .integrated = true,
      .products = {{.name = "c/sqrt(k)",
                    .unit = "kg^(1/2)",
                    .powers = {{"c", 1.0}, {"k", -0.5}},
                    .apart = "the duration of contact, in proportion to 1/sqrt(k) at a given "
                             "c/sqrt(k)"}}};
  return info;
}

}  // namespace percuss::solver
