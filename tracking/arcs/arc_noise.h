// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include "tracking/arcs/arc_sightings.h"

namespace percuss::tracking {

/// What is left of one sighting at some states.
struct ArcResidual {
  int frame = 0;  ///< place in the list of frames
  int arc = 0;    ///< 0 before, 1 after
  int source = 0;
  int marker = 0;  ///< SourceOf, MarkerOf
  double weight = 1.0;
  SightingVector value;  ///< whitened, the robust weight not included
};

/// Mean squared error of a typical sighting, in sigmas: the median of the squared lengths, each
/// over the median of a chi-square of its degrees of freedom. A frame that has left the arc shifts
/// all its sightings; single outliers do not count. Infinite if there are none.
double TypicalSquare(std::span<const ArcResidual> residuals);

/// Size of a residual in sigmas, these being `noise_scale` times those stated: the length of the
/// residual of a pixel that is as unlikely.
double SizeInSigmas(const ArcResidual& residual, double noise_scale);

/// Rms of the whitened residuals per degree of freedom, weights included.
double NoiseScale(std::span<const ArcResidual> residuals, int num_unknowns);

/// By how much errors that sightings share (compression, shading, lens) make averages worse than
/// white noise would: the product of two factors.
///   - over frames: 1 + 2 sum rho_k, with rho_k the autocorrelation of a marker's residuals at a
///     lag of k frames, summed while it stays positive (initial positive sequence: C. J. Geyer,
///     Practical Markov Chain Monte Carlo, Statistical Science 7(4), 1992);
///   - over markers of one image: 1 + (n - 1) rho, with rho the correlation between markers and n
///     their mean number (design effect of a cluster sample: L. Kish, Survey Sampling, 1965, 5.4).
/// Correlations are pooled over markers, sources and coordinates.
/// A correlation within two standard errors of 0 counts as 0.
double CorrelationInflation(std::span<const ArcResidual> residuals);

/// The factor over frames alone.
double InflationOverFrames(std::span<const ArcResidual> residuals);

}  // namespace percuss::tracking
