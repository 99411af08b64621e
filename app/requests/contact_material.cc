// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "app/requests/contact_material.h"

#include <cmath>
#include <limits>
#include <string_view>

#include "base/text/json_field.h"
#include "base/text/yaml_field.h"

namespace percuss::app {
namespace {

// What the two readers call by different names.
bool Flag(const YamlField& field) { return field.Flag(); }
bool Flag(const JsonField& field) { return field.Boolean(); }
void Refuse(const YamlField& field, std::string_view found, std::string_view allowed) {
  field.Throw(found, allowed);
}
void Refuse(const JsonField& field, std::string_view found, std::string_view allowed) {
  field.Fail(found, allowed);
}

solver::ContactMaterial ReadSurfaceMaterial(const auto& field) {
  field.AllowKeys({"youngs_modulus", "poissons_ratio", "yield_strength", "radius"});
  constexpr Range kPressure{.lowest = 1.0, .highest = 1e15, .unit = "Pa"};
  return {.youngs_modulus = field["youngs_modulus"].Number(kPressure),
          .poissons_ratio = field["poissons_ratio"].Number({.lowest = 0.0, .highest = 0.5}),
          .yield_strength = field["yield_strength"].Number(kPressure)};
}

double RadiusOrPlane(const auto& field) {
  constexpr Range kRadius{.lowest = 1e-9, .highest = 1e9, .unit = "m"};
  return field.Given() ? field.Number(kRadius) : std::numeric_limits<double>::infinity();
}

}  // namespace

template <class Field>
solver::ViscoElastoplasticLaw ReadContactMaterial(const Field& field) {
  field.AllowKeys({"first", "second", "hardness", "damping", "published"});
  const Field first = field["first"], second = field["second"], published = field["published"];
  const solver::ContactMaterial material_1 = ReadSurfaceMaterial(first),
                                material_2 = ReadSurfaceMaterial(second);
  const double radius_1 = RadiusOrPlane(first["radius"]),
               radius_2 = RadiusOrPlane(second["radius"]);
  if (std::isinf(radius_1) && std::isinf(radius_2))
    Refuse(field, "no radius", "one of first and second, where they touch");
  return solver::MakeViscoElastoplasticLaw(
      material_1, radius_1, material_2, radius_2,
      field["hardness"].Number({.lowest = 1e-3, .highest = 1e6, .unit = "kgf/mm^2"}),
      field["damping"].Number({.lowest = 0.0, .highest = 1e15}),
      published.Given() && Flag(published) ? solver::YieldFactor::kInverse
                                           : solver::YieldFactor::kInverseSquare);
}
template solver::ViscoElastoplasticLaw ReadContactMaterial(const JsonField& field);
template solver::ViscoElastoplasticLaw ReadContactMaterial(const YamlField& field);

}  // namespace percuss::app
