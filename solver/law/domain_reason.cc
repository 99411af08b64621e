// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/law/domain_reason.h"

#include <cmath>

#include "solver/contact/planar_contact.h"

namespace percuss::solver {

std::string_view WhyOutside(LawDomain domain, const Contact<double>& contact) {
  const double u_n = contact.velocity[2];
  if (!(u_n < 0.0)) return kReasonsOutside[std::isfinite(u_n) ? 0 : 1];
  if (domain == LawDomain::kSpatial) return {};
  if (!PlaneOf(contact)) return kReasonsOutside[2];
  if (domain == LawDomain::kPlanar) return {};
  const double coupling = contact.inverse_mass.topRightCorner<2, 1>().norm();
  if (coupling > 1e-9 * contact.inverse_mass.norm()) return kReasonsOutside[3];
  return {};
}

}  // namespace percuss::solver
