// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "report/facts/run_folder.h"
#include "report/page/document.h"

namespace percuss::report {

/// Corners of the board in the cells of a raster over a picture, row by row.
struct Coverage {
  static constexpr int kColumns = 12, kRows = 8;
  std::vector<int> corners;

  int NumEmpty() const;
};
Coverage CoverageOf(const calibration::Camera& camera, const std::vector<CornerFacts>& corners);

/// The ninths of the picture of which more than half has no corner: "top left, right"; empty if
/// there are none.
std::string UncoveredParts(const Coverage& coverage);

/// How many corners each cell of CoverageOf has; those without any stand out.
Figure CoverageFigure(const calibration::CalibratedCamera& camera,
                      const std::vector<CornerFacts>& corners);

/// Mean residual of the corners in each cell of a finer raster as an arrow, enlarged; thick where
/// chance gives as much once in a thousand cells. @param corner_sigma_px per coordinate
Figure ResidualsFigure(const calibration::CalibratedCamera& camera,
                       const std::vector<CornerFacts>& corners, double corner_sigma_px);

/// Sigma of the pixel of a known point over the picture. @param sigma_px of
/// PredictedError::projection_sigma_px
Figure ProjectionSigmaFigure(const calibration::CalibratedCamera& camera,
                             const calibration::ImageMap& sigma_px);

/// Sigma of the place of a perfectly seen marker, from the covariance of the calibration, over the
/// part of the surface that the boards reached; of one camera over the plane of the motion.
Figure PlaceSigmaFigure(const calibration::RigCalibration& calibration);

}  // namespace percuss::report
