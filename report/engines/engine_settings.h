// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/text/numbers.h"
#include "report/facts/run_folder.h"

namespace percuss::report {

/// One number to be set in a physics engine, on each of the two bodies alike, so that the engine
/// makes of the two what was measured of the pair.
struct EngineSetting {
  std::string engine{}, setting{};
  double value = kNaN;
  std::array<double, 2> ci95 = {kNaN, kNaN};  ///< from the interval of the coefficient
  std::string unit{};
  std::string law{};   ///< whose coefficient it is
  std::string rule{};  ///< how the engine combines the two bodies
};

/// mu and e of one law, both identified by the data.
struct Coefficients {
  std::string law{};
  const ParameterEstimate* mu = nullptr;
  const ParameterEstimate* e = nullptr;
};

/// Those of the law of this name, or of the first that has both; nothing where none has.
std::optional<Coefficients> CoefficientsOf(const fitting::FitReport& fit, const std::string& law);

/// The setting with the value and the interval of a function of a coefficient, rising or falling.
EngineSetting MakeEngineSetting(EngineSetting setting, const ParameterEstimate& coefficient,
                                const std::function<double(double)>& function);

struct EngineSettings {
  std::vector<EngineSetting> settings{};  ///< none: see `reason`
  std::string reason{};
  double speed = kNaN;  ///< median approach speed along the normal [m/s]
  std::string mjcf{};   ///< MuJoCo: options and defaults, to stand inside <mujoco>
  std::string sdf{};    ///< SDFormat: <surface>, to stand inside <collision>
};

/// Damping ratio of a linear spring and damper, without tension, whose contact ends with the share
/// e of the approach speed:
///
///     e = exp(-2 z a / sin a),  z = cos a  for z < 1   (a -> 2 z atanh(q / z) / q, q = sqrt(z^2 -
///     1), above)
///
/// @param e restitution in (0, 1]. @throws std::invalid_argument quoting it.
double DampingRatioFor(double e);

/// Dissipation d [s/m] of a force f(x) (1 + d x') (Hunt and Crossley 1975), without tension, that
/// gives the restitution e at an approach speed v, whatever f is:
///
///     z - ln(1 + z) = -e z - ln(1 - e z),  z = d v
///
/// @param e in (0, 1]. @param speed positive [m/s]. @throws std::invalid_argument quoting them.
double DissipationFor(double e, double speed);

/// What the coefficients mu and e of a fit become in MuJoCo, Bullet, Drake, DART and SDFormat.
/// Engines that set the ratio of normal velocities (Bullet, DART, SDFormat) get the coefficients of
/// the law newton if it was fitted, those that go through the contact in time (MuJoCo, Drake) those
/// of stronge; else those of the first law that has both identified.
EngineSettings CalcEngineSettings(const RunFolder& run);

}  // namespace percuss::report
