// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "calibration/bundle/bundle.h"
#include "calibration/bundle/outliers.h"
#include "calibration/rig/rig_calibration.h"
#include "calibration/targets/board_images.h"
#include "capture/experiment/experiment.h"

namespace percuss::calibration {

/// One report for each listed view: its files, and in which images the board was not found.
std::vector<ViewReport> StartReports(const capture::Experiment& experiment,
                                     const BoardImages& images);

/// Why a view of the bundle was taken out, with its distances in each camera.
std::string DescribeOutlier(const ImageSpread& spread, std::size_t view,
                            const std::vector<std::string>& cameras);

/// Fills the reports of the views of a bundle: counts, residuals, and which corners were rejected.
/// @param places Of the bundle's views among the reports. @param columns Of the target.
void ReportViews(const Bundle& bundle, const std::vector<std::size_t>& places,
                 const std::vector<std::string>& cameras, int columns,
                 std::vector<ViewReport>* reports);

/// Fills where the boards of a bundle stood. @param places As of ReportViews.
void PlaceBoards(const Bundle& bundle, const std::vector<std::size_t>& places,
                 const Pose& world_from_first, std::vector<ViewReport>* reports);

}  // namespace percuss::calibration
