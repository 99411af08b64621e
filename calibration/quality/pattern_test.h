// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

namespace percuss::calibration {

/// One measured corner and what the adjustment left of it.
struct MeasuredResidual {
  int image = 0;   ///< corners of one picture share image and camera
  int camera = 0;  ///< from 0
  int point = 0;   ///< index in the target, from 0
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Vector2d residual = Eigen::Vector2d::Zero();  ///< measured minus projected [px]
  double sigma_px = 1.0;  ///< per coordinate; only the ratios matter, the scale is estimated
  /// Derivative of the projected pixel by the target point in target axes, z normal [px/m].
  Eigen::Matrix<double, 2, 3> pixel_by_target = Eigen::Matrix<double, 2, 3>::Zero();
};

struct ResidualSet {
  std::vector<MeasuredResidual> corners;
  std::vector<Eigen::Vector2i> image_sizes;  ///< width, height of each camera [px]
  /// Derivative of the projected pixels by all parameters that were fitted: rows 2 i, 2 i + 1 for
  /// x, y of corner i; linear dependent columns do no harm. No columns: nothing was fitted.
  Eigen::MatrixXd jacobian;
};

struct PatternOptions {
  int raster_columns = 8, raster_rows = 6;  ///< cells over an image
  int radius_bins = 8;                      ///< from the image centre to the corner
  /// A pattern counts if it is no chance (p_value below) and is larger than this.
  double significant_p_value = 1e-3;
  double notable_rms_px = 0.03;  ///< a third of the noise of good corners, 0.1 px
};

/// A test of the residuals for one kind of pattern.
///
/// A pattern is a sum of columns C, one per cell (bin, target point) and axis. With residuals r
/// whitened by sigma and the projector Q = I - J (J'J)^-1 J' that leaves what the fitted parameters
/// could not absorb, r = Q (C a + noise), and
///     T = (C'r)' (C'Q C)^+ (C'r),   noise^2 = (r'r - T) / (redundancy - rank(C'QC)).
/// T / noise^2 has as many degrees of freedom as C'QC has rank: cells that parameters can imitate
/// do not count. Without a pattern T / r'r is Beta distributed, so that p_value is uniform
/// whatever the size of the noise; for much redundancy this is the chi-square test.
struct PatternTest {
  double chi_square = std::numeric_limits<double>::quiet_NaN();  ///< T / noise^2
  int degrees_of_freedom = 0;  ///< 0: nothing to test, all numbers NaN
  double p_value = std::numeric_limits<double>::quiet_NaN();
  /// Root mean square of the pattern as it stands in the residuals (2-vectors, sigma-weighted over
  /// the corners concerned), corrected for noise: (T - degrees_of_freedom noise^2) is its unbiased
  /// square. 0 if that is negative. What parameters absorbed is not in it.
  double rms_px = std::numeric_limits<double>::quiet_NaN();
  double rms_upper_px = std::numeric_limits<double>::quiet_NaN();  ///< one-sided 95 % limit
  bool notable = false;  ///< significant, and larger than notable_rms_px
};

}  // namespace percuss::calibration
