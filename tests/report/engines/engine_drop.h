// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/sections/engine_settings.h"

namespace percuss::report {

/// A run whose law stronge, and no other, has these coefficients.
inline RunFolder RunWith(double mu, double e) {
  const auto parameter = [](const std::string& name, double value) {
    return ParameterFacts{.name = name,
                          .value = value,
                          .sigma = 0.001,
                          .ci95 = {value - 0.002, value + 0.002},
                          .status = "identified"};
  };
  RunFolder run;
  run.fit = FitFacts{};
  run.fit->laws = {{.name = "stronge", .parameters = {parameter("mu", mu), parameter("e", e)}}};
  return run;
}

inline double ValueOf(const EngineSettings& engines, const std::string& engine,
                      const std::string& setting) {
  for (const EngineSetting& one : engines.settings) {
    if (one.engine == engine && one.setting == setting) return one.value;
  }
  return kNaN;
}

/// The ball that is dropped: it slides all the time while |v_x| > 3.5 mu (1 + e) |v_z|, so that its
/// tangential velocity changes by mu (1 + e) |v_z|.
inline constexpr double kBallRadius = 0.05, kBallMass = 0.2;  // [m], [kg]
inline constexpr double kBallVx = 6, kBallVz = -1.5;          // [m/s]

}  // namespace percuss::report
