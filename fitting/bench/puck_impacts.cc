// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "fitting/bench/puck_impacts.h"

#include <array>

namespace percuss::fitting {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

Vector3d InTheWorld(const Vector2d& place) { return {place.x(), 0.0, place.y()}; }

}  // namespace

impacts::ImpactRecord ImpactOfPuck(const std::string& trial, const PuckSetup& setup,
                                   const PuckReduction& reduction) {
  impacts::ImpactRecord record;
  record.trial = trial;
  record.r = InTheWorld(reduction.r);
  record.normal = InTheWorld(setup.normal);
  record.v = InTheWorld(reduction.v);
  record.w = Vector3d(0.0, -reduction.w, 0.0);
  record.v_post = InTheWorld(reduction.v_post);
  record.w_post = Vector3d(0.0, -reduction.w_post, 0.0);
  record.gravity = {0.0, -record.gravity.norm(), 0.0};

  // Of v, w, v_post, w_post, in the order of the reduction.
  constexpr std::array<int, 6> kRows = {impacts::kV,     impacts::kV + 2,     impacts::kW + 1,
                                        impacts::kVPost, impacts::kVPost + 2, impacts::kWPost + 1};
  constexpr std::array<double, 6> kSigns = {1.0, 1.0, -1.0, 1.0, 1.0, -1.0};
  record.covariance = impacts::ImpactCovariance::Zero();
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 6; ++k) {
      (*record.covariance)(kRows[i], kRows[k]) = kSigns[i] * kSigns[k] * reduction.covariance(i, k);
    }
  }
  record.r_sigma = InTheWorld(reduction.covariance.diagonal().tail<2>().cwiseSqrt());
  if (!reduction.warning.empty()) record.warnings.push_back(reduction.warning);
  return record;
}

}  // namespace percuss::fitting
