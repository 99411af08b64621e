// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/bundle/bundle.h"

// Calibrations of synthetic rigs from many draws of pixel noise, for tests and benchmarks: do the
// stated intervals hold the truth, and are errors as large as predicted?
namespace percuss::calibration {

struct DrawOptions {
  int num_draws = 500;
  double noise_px =
      0.1;  ///< standard deviation of each pixel coordinate; relative_sigma times it in an image
  std::uint32_t first_seed = 1;  ///< draw k has the seed first_seed + k
  int num_threads = 2;
};

/// What corners do not tell, BundleModel::distortion_sigma does: k3 of Brown's model, k3 to k6 of
/// the rational one and k3, k4 of a fisheye lens have a prior about 0, which the covariance counts
/// as one more measurement. It would be one if each rig had other lenses, scattered by the prior;
/// here all draws have the same ones. So what rests on the prior by more than this share of its
/// variance is kept apart: it must not be overconfident, and is too cautious as long as the lens is
/// within the prior. (A share s makes predicted sigmas too large by s/2.)
inline constexpr double kMaxPriorShare = 0.1;

/// Share of draws whose 95 % interval, estimate +- 1.96 of its own stated sigmas, holds the truth.
struct ParameterCoverage {
  std::string name;
  double share = 0.0;
};

/// Predicted over observed standard deviation, and the sampling error of this ratio over the draws.
struct SigmaRatio {
  double ratio = 0.0;
  double sampling_sigma = 0.0;
};

/// Ratios at a raster of places. The predicted variance is the mean of what the draws state, each
/// from its own estimate; the observed one is the mean square of the error.
struct SigmaRatios {
  std::vector<SigmaRatio> places, resting_on_prior;
  SigmaRatio pooled;  ///< over `places`, each error in units of its predicted sigma

  double WorstPlace() const;      ///< largest |ratio - 1| of `places` in sampling sigmas
  double Overconfidence() const;  ///< largest 1 - ratio of the others, likewise; 0 if none is
};

struct DrawSummary {
  int num_draws = 0, num_converged = 0;
  /// Free parameters of rig, world frame and board shape.
  std::vector<ParameterCoverage> parameters, resting_on_prior;
  double pooled_share = 0.0;            ///< over `parameters`
  double pooled_sampling_sigma = 0.0;   ///< of it: the parameters of one draw are correlated
  std::vector<SigmaRatios> projection;  ///< [camera] pixels of points fixed in the world
  SigmaRatios point;                    ///< points triangulated from their true pixels
};

/// For each draw: fresh noise on the exact pixels of `exact` (and on its known distances, by their
/// sigma), AdjustBundle, WeighPixels, BundleCovariance. The projections are
/// those of the raster of ProjectionSigma, the points those of VolumeOf.
DrawSummary DrawCalibrations(const Bundle& exact, const DrawOptions& options = {});

double LowestShare(const std::vector<ParameterCoverage>& parameters);
double HighestShare(const std::vector<ParameterCoverage>& parameters);

/// The rig of SyntheticBundle, ten views: Brown's model, whose k3 the corners tell.
Bundle BrownRig();
/// The same with eight distortion coefficients.
Bundle RationalRig();
/// Fisheye lenses of 90 degrees with nearer boards.
Bundle FisheyeRig();
/// BrownRig with a board printed 1 % too large and a rod of known length to tell so.
Bundle ScaledBoardRig();

}  // namespace percuss::calibration
