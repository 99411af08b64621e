// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "calibration/quality/pattern_test.h"

/// What is left in the residuals of a calibration besides noise: over the image (a lens that the
/// model does not describe), over the target (misprinted or bent), between neighbouring corners.
namespace percuss::calibration {

/// Mean residuals in the cells of a raster over one camera's image; entry (row, column), NaN where
/// there is no corner.
struct ImagePattern {
  PatternTest test;
  Eigen::MatrixXd mean_x_px, mean_y_px;
  Eigen::MatrixXi count;
};

/// Mean of the radial component (outwards) by distance from the image centre.
struct RadiusPattern {
  PatternTest test;
  Eigen::VectorXd radius_px;  ///< middle of the bins
  Eigen::VectorXd mean_px;    ///< NaN where there is no corner
  Eigen::VectorXi count;
};

/// Displacements of the target's points that explain the residuals, one column per point [m], in
/// target axes; of all that fit equally well (position, attitude and size of the target are free)
/// the shortest.
struct TargetPattern {
  PatternTest print;              ///< displacements in the plane, 2 per point
  PatternTest bend;               ///< displacements out of the plane, 1 per point
  Eigen::Matrix3Xd displacement;  ///< measured minus nominal; x, y from `print`, z from `bend`
  double print_rms = std::numeric_limits<double>::quiet_NaN();  ///< noise-corrected, per point [m]
  double bend_rms = std::numeric_limits<double>::quiet_NaN();
};

/// Neighbours are corners of one picture nearer than 1.5 times the median distance of its corners
/// to their nearest ones.
struct NeighbourCorrelation {
  int num_pairs = 0;  ///< 0: nothing to test, all numbers NaN
  double correlation = std::numeric_limits<double>::quiet_NaN();  ///< the fit's own one removed
  double sigma = std::numeric_limits<double>::quiet_NaN();        ///< of it without any pattern
  double p_value = std::numeric_limits<double>::quiet_NaN();      ///< one-sided: above zero
  double rms_px = std::numeric_limits<double>::quiet_NaN();       ///< of the part neighbours share
  bool notable = false;
};

struct ResidualPattern {
  double noise_px =
      std::numeric_limits<double>::quiet_NaN();  ///< per coordinate, patterns included
  int redundancy = 0;                            ///< coordinates minus rank of the Jacobian
  std::vector<ImagePattern> image;               ///< per camera
  std::vector<RadiusPattern> radius;             ///< per camera
  TargetPattern target;
  NeighbourCorrelation neighbours;
  std::vector<std::string> findings;  ///< one sentence per notable pattern
};

/// All tests. They are exact for a linear least-squares fit with normal noise, and hold for a
/// calibration as far as it is linear within its noise. Robust weights of the adjustment belong
/// into sigma_px. Where neighbours share errors, all p-values are too small: the sizes decide.
/// @throws std::invalid_argument for a Jacobian of another size, a camera without image size, a
///   negative index, values that are not finite, a sigma or an option that is not positive.
ResidualPattern FindResidualPattern(const ResidualSet& set, const PatternOptions& options = {});

}  // namespace percuss::calibration
