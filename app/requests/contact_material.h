// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "solver/restitution/visco_elastoplastic.h"

namespace percuss::app {

/// `material` of a contact that yields: `first` and `second`, each with `youngs_modulus` [Pa],
/// `poissons_ratio`, `yield_strength` [Pa] and `radius` [m] (left out: plane); `hardness`
/// [kgf/mm^2], `damping` [kg m^-1/2 s^-1/2] and `published` (docs/file-formats.md).
/// @param field a JsonField or a YamlField
/// @throws InputError with one line that names file, field, value and what is allowed.
template <class Field>
solver::ViscoElastoplasticLaw ReadContactMaterial(const Field& field);

}  // namespace percuss::app
