// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/compliant/annular_contact.h"

#include "solver/law/common_parameters.h"

namespace percuss::solver {

const LawInfo& MawBarberFawcettLaw::Info() {
  static const LawInfo info{
      .name = "maw-barber-fawcett",
      .summary = "Hertz contact whose outer annuli slip while the inner disc sticks",
      .source = "chatterjee1997 5.2.2 (I4)",
      .parameters = {FrictionCoefficient(),
                     {.name = "nu",
                      .upper = 0.5,
                      .typical = 0.3,
                      .meaning = "Poisson's ratio of both bodies"}},
      .integrated = true};
  return info;
}

}  // namespace percuss::solver
