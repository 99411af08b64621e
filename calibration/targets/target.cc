// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/target.h"

#include <fmt/core.h>

#include "calibration/targets/aprilgrid.h"
#include "calibration/targets/charuco.h"
#include "calibration/targets/chessboard.h"
#include "calibration/targets/circle_grid.h"

namespace percuss::calibration {

using Type = capture::Board::Type;

BoardCorners FindTarget(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                        const FindBoardOptions& options) {
  switch (board.type) {
    case Type::kChessboard:
      return FindBoard(grey, light, board, options);
    case Type::kCharuco:
      return FindCharuco(grey, light, board, options);
    case Type::kAprilGrid:
      return FindAprilGrid(grey, light, board, options);
    case Type::kCircles:
    case Type::kAsymmetricCircles:
      break;
  }
  return FindCircleGrid(grey, light, board);
}

std::vector<Eigen::Vector3d> TargetPoints(const capture::Board& board) {
  const bool asymmetric = board.type == Type::kAsymmetricCircles;
  const bool tags = board.type == Type::kAprilGrid;
  const auto along = [&](int i) { return tags ? (i / 2) * (1.0 + board.spacing) + i % 2 : i; };
  std::vector<Eigen::Vector3d> points;
  for (int j = 0; j < board.rows; ++j) {
    for (int i = 0; i < board.columns; ++i) {
      const double x = asymmetric ? 2 * i + j % 2 : along(i);
      points.emplace_back(board.square * x, -board.square * along(j), 0.0);
    }
  }
  return points;
}

std::string DescribeTarget(const capture::Board& board) {
  switch (board.type) {
    case Type::kChessboard:
      return fmt::format("chessboard of {} x {} inner corners", board.columns, board.rows);
    case Type::kCharuco:
      return fmt::format("ChArUco board of {} x {} inner corners with markers of {}", board.columns,
                         board.rows, board.dictionary);
    case Type::kAprilGrid:
      return fmt::format("AprilGrid of {} x {} tags of {}", board.columns / 2, board.rows / 2,
                         board.dictionary);
    case Type::kCircles:
      return fmt::format("grid of {} x {} circles", board.columns, board.rows);
    case Type::kAsymmetricCircles:
      break;
  }
  return fmt::format("asymmetric grid of {} x {} circles", board.columns, board.rows);
}

std::optional<OtherTarget> FindOtherTarget(const cv::Mat& grey, const cv::Mat& light,
                                           const capture::Board& board) {
  if (board.type == Type::kChessboard) {
    const std::optional<GridSize> size = FindGridSize(grey, light);
    if (!size) return std::nullopt;
    return OtherTarget{fmt::format("{} x {} inner corners", size->columns, size->rows),
                       std::array{size->columns, size->rows}};
  }
  const std::optional<std::string> description =
      board.type == Type::kCharuco     ? DescribeOtherCharuco(grey, board)
      : board.type == Type::kAprilGrid ? DescribeOtherAprilGrid(grey, board)
                                       : DescribeOtherCircleGrid(grey, board);
  if (!description) return std::nullopt;
  return OtherTarget{*description};
}

}  // namespace percuss::calibration
