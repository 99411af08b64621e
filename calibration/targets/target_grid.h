// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <opencv2/core/mat.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "calibration/targets/target_points.h"

/// What the finders of all targets share.
namespace percuss::calibration {

/// @throws std::invalid_argument, see FindTarget.
void CheckTargetRequest(std::string_view function, const cv::Mat& grey, const cv::Mat& light,
                        const capture::Board& board, int least_columns, int least_rows);

/// Where the points of a grid go if it is turned: new place k holds the point of old place
/// order[k]. Both grids are stored row by row.
using GridOrder = std::vector<std::size_t>;

/// By half a turn: columns and rows run backwards.
GridOrder HalfTurn(int columns, int rows);

/// By a quarter turn: new columns run along the old rows, new rows against the old columns.
/// Only for as many rows as columns.
GridOrder QuarterTurn(int size);

/// `first`, then `then`.
GridOrder Combined(const GridOrder& first, const GridOrder& then);

/// Whether the rows run clockwise from the columns in the image: so they do on the printed side.
bool IsRightHanded(const std::vector<Eigen::Vector2d>& pixels, int columns, int rows);

/// Of the orders, the one whose columns point furthest to the right in the image.
const GridOrder& MostToTheRight(const std::vector<GridOrder>& orders,
                                const std::vector<Eigen::Vector2d>& pixels, int columns, int rows);

void Reorder(const GridOrder& order, BoardCorners* corners);

/// The projective map that takes points to points with the least squared distance between the
/// images; nothing if it is not determined.
std::optional<Eigen::Matrix3d> FitHomography(const std::vector<Eigen::Vector2d>& from,
                                             const std::vector<Eigen::Vector2d>& to);

inline Eigen::Vector2d Map(const Eigen::Matrix3d& homography, const Eigen::Vector2d& point) {
  return (homography * point.homogeneous()).hnormalized();
}

}  // namespace percuss::calibration
