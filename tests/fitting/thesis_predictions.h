// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fitting/model/impact_model.h"
#include "fitting/result/findings.h"

namespace percuss::fitting {

/// One impact of tables 4.4 to 4.9 of sun2017: predicted over its prior by the law "stronge" with
/// the coefficients that its description states, and what the thesis itself computed.
struct ThesisPrediction {
  std::string object;
  PosePrediction predicted;
  Vector6d computed;                ///< velocities after, axes of the description
  double dissipation_computed = 0;  ///< as printed
};

/// All twelve; `ending` of the descriptions rod and bar: "" or "_tilted".
std::vector<ThesisPrediction> PredictThesis(const std::filesystem::path& data,
                                            const std::string& ending);

/// How many of the numbers lie in the predictive intervals of 95 %.
struct ThesisCount {
  int recomputed = 0;           ///< dissipations that follow from the printed velocities, of 12
  int printed = 0;              ///< printed measured dissipations
  int computed = 0;             ///< printed computed ones
  int velocities = 0;           ///< measured, of 72
  int computed_velocities = 0;  ///< computed, of 72
  int explained = 0;            ///< impulses that some pose of the prior explains
  int given_impulse = 0;        ///< of these, recomputed dissipations given the impulse
};
ThesisCount CountInside(const std::vector<ThesisPrediction>& predictions);

}  // namespace percuss::fitting
