// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "pipeline/judgement/contact_heights.h"
#include "tracking/bench/bench.h"

namespace percuss::pipeline {

/// By how much one typed number is wrong if all others are as good as their sigmas say.
struct Slip {
  double by = 0.0;     ///< what is to be added to it
  double sigma = 0.0;  ///< of `by`, that of the number as typed included; 0 where nothing is known
  /// With 1 degree of freedom: by how much less the data contradict what was typed without it.
  double ChiSquare() const { return sigma > 0.0 ? by * by / (sigma * sigma) : 0.0; }
};

/// Slips of the numbers that describe the body's surface and how it turns.
struct Slips {
  std::vector<Slip> lengths;  ///< of the shape [m]; moments that follow from it follow the slip
  Slip inertia;               ///< of all moments, in proportion

  double LargestChiSquare() const;
};

/// A number of the bench that is wrong far beyond its sigma moves, in the estimate, whatever is
/// least certain, and hardly itself. So that each is asked for as one error along a direction u of
/// the bench (Baarda 1968, "data snooping"): with the stated covariance C, the change d that the
/// flights and the heights of the contacts ask for, and the covariance P that they leave,
///
///     by = u^T C^-1 d / (u^T (C^-1 - C^-1 P C^-1) u),  1 / sigma^2 = u^T (C^-1 - C^-1 P C^-1) u.
Slips MeasureSlips(const tracking::Bench& stated, const tracking::BenchEstimate& estimate,
                   const ContactHeights& heights);

/// What chance does not leave once in a thousand times, whichever of the numbers it is.
std::vector<std::string> SlipComplaints(const Slips& slips);

}  // namespace percuss::pipeline
