// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/target_grid.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <opencv2/calib3d.hpp>
#include <stdexcept>

namespace percuss::calibration {
namespace {

std::size_t Place(int columns, int i, int j) {
  return static_cast<std::size_t>(j) * static_cast<std::size_t>(columns) +
         static_cast<std::size_t>(i);
}

// Mean step along the columns, over all rows and columns that are seen.
Eigen::Vector2d AlongColumns(const std::vector<Eigen::Vector2d>& pixels, const GridOrder& order,
                             int columns, int rows) {
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  for (int j = 0; j < rows; ++j) {
    sum += pixels[order[Place(columns, columns - 1, j)]] - pixels[order[Place(columns, 0, j)]];
  }
  return sum;
}

}  // namespace

void CheckTargetRequest(std::string_view function, const cv::Mat& grey, const cv::Mat& light,
                        const capture::Board& board, int least_columns, int least_rows) {
  if (grey.type() != CV_8UC1 || light.type() != CV_32FC1 || grey.size() != light.size()) {
    throw std::invalid_argument(fmt::format(
        "{}: image types {} and {} of {} x {} and {} x {} px, needed are CV_8UC1 ({}) and "
        "CV_32FC1 ({}) of one size",
        function, grey.type(), light.type(), grey.cols, grey.rows, light.cols, light.rows, CV_8UC1,
        CV_32FC1));
  }
  if (board.columns < least_columns || board.rows < least_rows) {
    throw std::invalid_argument(fmt::format("{}: {} x {} points, at least {} x {} needed", function,
                                            board.columns, board.rows, least_columns, least_rows));
  }
}

GridOrder HalfTurn(int columns, int rows) {
  GridOrder order(Place(columns, 0, rows));
  std::iota(order.rbegin(), order.rend(), std::size_t{0});
  return order;
}

GridOrder QuarterTurn(int size) {
  GridOrder order(Place(size, 0, size));
  for (int j = 0; j < size; ++j) {
    for (int i = 0; i < size; ++i) order[Place(size, i, j)] = Place(size, size - 1 - j, i);
  }
  return order;
}

GridOrder Combined(const GridOrder& first, const GridOrder& then) {
  GridOrder order(first.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = first[then[k]];
  return order;
}

bool IsRightHanded(const std::vector<Eigen::Vector2d>& pixels, int columns, int rows) {
  const Eigen::Vector2d along_columns = pixels[Place(columns, columns - 1, 0)] - pixels[0];
  const Eigen::Vector2d along_rows = pixels[Place(columns, 0, rows - 1)] - pixels[0];
  return along_columns.x() * along_rows.y() - along_columns.y() * along_rows.x() >= 0.0;
}

const GridOrder& MostToTheRight(const std::vector<GridOrder>& orders,
                                const std::vector<Eigen::Vector2d>& pixels, int columns, int rows) {
  const auto rightness = [&](const GridOrder& order) {
    return AlongColumns(pixels, order, columns, rows).normalized().x();
  };
  return *std::max_element(
      orders.begin(), orders.end(),
      [&](const GridOrder& a, const GridOrder& b) { return rightness(a) < rightness(b); });
}

void Reorder(const GridOrder& order, BoardCorners* corners) {
  const BoardCorners before = *corners;
  for (std::size_t k = 0; k < order.size(); ++k) {
    corners->pixels[k] = before.pixels[order[k]];
    corners->covariances_px2[k] = before.covariances_px2[order[k]];
  }
}

std::optional<Eigen::Matrix3d> FitHomography(const std::vector<Eigen::Vector2d>& from,
                                             const std::vector<Eigen::Vector2d>& to) {
  if (from.size() < 4) return std::nullopt;
  std::vector<cv::Point2d> cv_from, cv_to;
  for (const Eigen::Vector2d& point : from) cv_from.emplace_back(point.x(), point.y());
  for (const Eigen::Vector2d& point : to) cv_to.emplace_back(point.x(), point.y());
  const cv::Mat homography = cv::findHomography(cv_from, cv_to);
  if (homography.empty()) return std::nullopt;
  Eigen::Matrix3d result;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) result(r, c) = homography.at<double>(r, c);
  }
  if (!result.allFinite()) return std::nullopt;
  return result;
}

}  // namespace percuss::calibration
