// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "report/engines/engine_settings.h"

namespace percuss::report {

/// Lines for the input of one code of the discrete element method.
struct DemInput {
  std::string code{};
  std::string where{};  ///< where the lines belong
  std::string text{};
};

struct DemSettings {
  std::vector<EngineSetting> settings{};  ///< none: see EngineSettings::reason
  std::vector<DemInput> inputs{};
};

/// What the coefficients mu and e of a fit become in LIGGGHTS, YADE, MercuryDPM and MFiX-DEM. These
/// follow the contact through time, so that they get the coefficients of the law stronge; else
/// those of the first law that has both identified. Each sets a viscous damping so that a sphere
/// that meets the surface leaves it with the share e of its normal speed, whatever that is and
/// whatever the stiffness:
///
///     LIGGGHTS, YADE (Hertz, F = k x^(3/2) + c x^(1/4) x')   c = sqrt(5) b sqrt(m k)
///     MercuryDPM, MFiX (F = k x + c x')                      c = 2 b sqrt(m k)
///     b = -ln e / sqrt(pi^2 + (ln e)^2)
///
/// which counts on contacts that end with their overlap, and pull just before.
/// MercuryDPM wants 2 / (1/m_1 + 1/m_2) for a mass: of a body on a wall twice its own.
DemSettings CalcDemSettings(const RunFolder& run);

}  // namespace percuss::report
