// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tracking/arcs/arc_sightings.h"

namespace percuss::tracking {

/// The error that all markers of one view share in an image (light, lens, compression): in x and in
/// y an Ornstein-Uhlenbeck process of its own, which at the images' times is a first-order
/// autoregression,
///
///     cov(b(t), b(t')) = sigma_px^2 exp(-|t - t'| / correlation_time).
struct SharedOffset {
  double sigma_px = 0.0;
  double correlation_time = 1.0;  ///< [s]
};

/// Makes numbers that belong to weighted, whitened sightings white across sightings, too: with
/// rows r = A b + e, e of unit covariance and b the offsets of the images of a view, they become
/// L^-1 r with L L^T = A cov(b) A^T + I. In each image the part along A, two numbers, is replaced
/// by its normalised innovation: by what the Kalman filter over the images before does not predict,
/// over its standard deviation (A. C. Harvey, Forecasting, Structural Time Series Models and the
/// Kalman Filter, 1989, 3.4). As many rows as before, linear in them, and identity where
/// the offsets' sigmas are zero.
///
/// @param frames in order of time. @param offsets of views 0, 1, ...; those without have none.
/// @param rows residuals or their derivatives, of all sightings in order; further rows stay.
void WhitenSharedOffsets(std::span<const ArcFrame> frames, std::span<const SharedOffset> offsets,
                         Eigen::Ref<Eigen::MatrixXd> rows);

/// Covariance of X^T A b, that is X^T A cov(b) A^T X: what the offsets add to that of sums over
/// sightings with the weights X (columns), X as long as the rows above.
Eigen::MatrixXd CovarianceOfOffsets(std::span<const ArcFrame> frames,
                                    std::span<const SharedOffset> offsets,
                                    const Eigen::MatrixXd& weights);

/// Sigma and correlation time of the offsets of each view, from what a fit leaves,
///
///     r = J x + G u + A b + s e:
///
/// x unknown, u (calibration) of unit covariance, b the offsets, e white. Their restricted
/// likelihood (D. A. Harville, J. Am. Stat. Assoc. 72, 1977), with s at its best, is that of r
/// without what x could explain. It is averaged over a grid of sigmas and correlation times with
/// these weights: as likely as not there are no offsets at all; else the ratio of a sigma to the
/// error of an image's mean follows a half-Cauchy distribution of scale 1 (A. Gelman, Bayesian
/// Analysis 1, 2006), views with unlike ratios q, q' count exp(-2 |log(q / q')|), and the times,
/// the same for all views, are 1, 2.5, 6 and 15 image intervals: what is slower looks like the
/// motion. Returned are the means of the variances, and of the logarithm of the time weighted by
/// them: one flight tells variances only roughly, and the likeliest ones, which are often zero
/// where the truth is not, would make intervals too short.
///
/// @param rows r, J and G side by side, as Linearise gives them
/// @param num_unknowns columns of J
/// @returns sigmas in relation to the covariances that the sightings state; if s is above 1, theirs
/// and these are both s times as large. Zero if there are too few sightings to tell.
std::vector<SharedOffset> EstimateSharedOffsets(std::span<const ArcFrame> frames, int num_views,
                                                const Eigen::MatrixXd& rows, int num_unknowns);

}  // namespace percuss::tracking
