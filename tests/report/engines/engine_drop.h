// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "report/engines/engine_settings.h"

namespace percuss::report {

/// A run whose law stronge, and no other, has these coefficients.
inline RunFolder RunWith(double mu, double e) {
  const auto parameter = [](const std::string& name, double value) {
    ParameterEstimate estimate{.name = name};
    estimate.value = value;
    estimate.sigma = 0.001;
    estimate.ci95 = {value - 0.002, value + 0.002};
    estimate.status = fitting::ParameterStatus::kIdentified;
    return estimate;
  };
  RunFolder run;
  fitting::LawFit& law = run.fit.emplace().laws.emplace_back();
  law.law = "stronge";
  law.parameters = {parameter("mu", mu), parameter("e", e)};
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
