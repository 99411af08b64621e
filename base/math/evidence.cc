// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "base/math/evidence.h"

#include <algorithm>
#include <cmath>

namespace percuss {

void ScatterEvidence::Add(const ScatterEvidence& other) {
  squares += other.squares;
  determined += other.determined;
}

ScatterEvidence EvidenceOf(double sigma, const Eigen::VectorXd& values,
                           const Eigen::VectorXd& variances) {
  return {values.squaredNorm(), (1.0 - variances.array() / (sigma * sigma)).max(0.0).sum()};
}

double LikelierSigma(double sigma, const ScatterEvidence& evidence, double least) {
  constexpr double kHardly = 1e-3;  // of one value: the data say nothing, and sigma is what it was
  if (evidence.determined < kHardly) return std::max(least, sigma);
  return std::max(least, std::sqrt(evidence.squares / evidence.determined));
}

}  // namespace percuss
