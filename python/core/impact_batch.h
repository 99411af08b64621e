// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "solver/body/rigid_body.h"
#include "solver/law/impact_law.h"

namespace percuss::python {

/// Rows of numbers, one for each impact, or the same for all (stride 0). No data: not given.
struct Rows {
  const double* data = nullptr;
  std::size_t stride = 0;

  bool Constant() const { return stride == 0; }
  const double* operator[](std::size_t impact) const { return data + impact * stride; }
};

/// Many impacts of one law. Of a body on a surface (W axes), or, where there is none, of the
/// contact alone (t1, t2, n).
struct ImpactBatch {
  const solver::LawInfo* law = nullptr;
  std::vector<Rows> parameters = {};  ///< in the order of the law
  Rows velocity = {};                 ///< v; without a body that of the contact point [m/s]
  const solver::Body* body = nullptr;
  Rows angular_velocity = {};  ///< [rad/s]
  Rows orientation = {};       ///< w x y z
  Rows contact_point = {};     ///< r; not given: the support point along -normal
  Rows normal = {};            ///< into the body, of any length
  Rows inverse_mass = {};      ///< without a body: A, rows [1/kg]
};

/// Where the answers go, a row for each impact. NaN where there is none.
struct ImpactAnswers {
  double* velocity = nullptr;          ///< v' [m/s]; body only
  double* angular_velocity = nullptr;  ///< w' [rad/s]; body only
  double* impulse = nullptr;           ///< [N s]
  double* contact_velocity = nullptr;  ///< u' [m/s]
  double* energy_before = nullptr;     ///< kinetic; without a body u A^-1 u / 2 [J]
  double* normal_work = nullptr;       ///< [J]
  double* friction_work = nullptr;     ///< [J]
  std::uint16_t* modes = nullptr;      ///< two bits each, the first lowest; 0: no more
  std::uint8_t* sun_case = nullptr;    ///< place in app::kCases
  std::uint8_t* reason = nullptr;      ///< place in Reasons(); 0: there is an answer
  // Asked for or not: derivatives of (v', w') of a body, of u' without, row by row.
  double* by_state = nullptr;       ///< by (v, w), 6 x 6; without a body by u, 3 x 3
  double* by_parameters = nullptr;  ///< 6 (3) rows of the parameters of the batch
};

/// Why there is no answer; the first is empty.
const std::vector<std::string>& Reasons();

/// Solves the impacts in portions, on as many threads. The answer does not depend on their number.
/// @param between is called from the calling thread about ten times a second; what it throws ends
/// the work.
/// @throws std::invalid_argument for a parameter outside the bounds of the law, naming the impact.
void SolveBatch(const ImpactBatch& batch, std::size_t count, int num_threads,
                const ImpactAnswers& answers, const std::function<void()>& between);

}  // namespace percuss::python
