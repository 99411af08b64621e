// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace percuss::benchmarks {

struct LinkedScenes {
  int simulated = 0, refused = 0, unsolved = 0, impacts = 0;
  double energy_gain = 0.0;  ///< largest of all, of the energy at the start
  int worst = -1;            ///< the scene that has it
  std::vector<std::string> reasons;
};

/// Random bodies in joints of every kind that fall, strike, slide and rest for a second. Always the
/// same.
LinkedScenes SimulateLinkedScenes(int count);

}  // namespace percuss::benchmarks
