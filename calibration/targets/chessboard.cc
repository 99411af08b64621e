// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/chessboard.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/calib3d.hpp>
#include <opencv2/imgproc.hpp>

#include "calibration/targets/target_grid.h"

namespace percuss::calibration {
namespace {

using Points = std::vector<Eigen::Vector2d>;

// Corner (i, j) of a grid stored row by row.
class CornerGrid {
 public:
  CornerGrid(const Points& points, int columns, int rows)
      : points_(points), columns_(columns), rows_(rows) {}
  const Eigen::Vector2d& operator()(int i, int j) const {
    return points_[static_cast<std::size_t>(j) * static_cast<std::size_t>(columns_) +
                   static_cast<std::size_t>(i)];
  }
  int Columns() const { return columns_; }
  int Rows() const { return rows_; }

 private:
  const Points& points_;
  int columns_, rows_;
};

// Seen from the printed side, rows must run clockwise from the columns (image y points down).
void MakeRightHanded(Points& points, int columns, int rows) {
  if (IsRightHanded(points, columns, rows)) return;
  for (std::ptrdiff_t j = 0; j < rows / 2; ++j) {
    std::swap_ranges(points.begin() + j * columns, points.begin() + (j + 1) * columns,
                     points.begin() + (rows - 1 - j) * columns);
  }
}

// Mean of the 3 x 3 pixels around a place; NaN outside the image.
double GreyAt(const cv::Mat& grey, const Eigen::Vector2d& pixel) {
  const long x = std::lround(pixel.x()), y = std::lround(pixel.y());
  if (x < 1 || y < 1 || x + 1 >= grey.cols || y + 1 >= grey.rows) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const cv::Rect window(static_cast<int>(x) - 1, static_cast<int>(y) - 1, 3, 3);
  return cv::mean(grey(window))[0];
}

// Mean grey value of squares of one colour minus that of the other. A square is even if it has the
// colour of the board square diagonally outside corner (0, 0).
class ColourDifference {
 public:
  void Add(bool even, double grey) {
    if (!std::isfinite(grey)) return;
    sum_[even ? 0 : 1] += grey;
    ++count_[even ? 0 : 1];
  }
  int Count() const { return std::min(count_[0], count_[1]); }
  double EvenMinusOdd() const { return sum_[0] / count_[0] - sum_[1] / count_[1]; }
  double Middle() const { return 0.5 * (sum_[0] / count_[0] + sum_[1] / count_[1]); }

 private:
  double sum_[2] = {0.0, 0.0};
  int count_[2] = {0, 0};
};

// Square (a, b) has its first corner at (a, b) and is even if a + b is even (-1, -1 is diagonally
// outside the first corner).
bool IsEven(int a, int b) { return (a + b) % 2 == 0; }

// The place (u, v) of square (a, b), both from 0 to 1 between its corners.
Eigen::Vector2d PlaceInSquare(const CornerGrid& grid, int a, int b, double u, double v) {
  return (1.0 - v) * ((1.0 - u) * grid(a, b) + u * grid(a + 1, b)) +
         v * ((1.0 - u) * grid(a, b + 1) + u * grid(a + 1, b + 1));
}

double InnerContrast(const cv::Mat& grey, const CornerGrid& grid) {
  ColourDifference difference;
  for (int b = 0; b + 1 < grid.Rows(); ++b) {
    for (int a = 0; a + 1 < grid.Columns(); ++a) {
      difference.Add(IsEven(a, b), GreyAt(grey, PlaceInSquare(grid, a, b, 0.5, 0.5)));
    }
  }
  return difference.EvenMinusOdd();
}

// Places by corner coordinates, also beyond the grid, through the homography of the whole grid.
Eigen::Matrix3d PixelFromGrid(const CornerGrid& grid) {
  Points places, pixels;
  for (int j = 0; j < grid.Rows(); ++j) {
    for (int i = 0; i < grid.Columns(); ++i) {
      places.emplace_back(i, j);
      pixels.push_back(grid(i, j));
    }
  }
  return FitHomography(places, pixels)
      .value_or(Eigen::Matrix3d::Constant(std::numeric_limits<double>::quiet_NaN()));
}

// The described board ends one square beyond its outermost inner corners. If the squares after that
// still alternate like the inner ones, the picture shows a larger board.
bool PatternGoesOn(const cv::Mat& grey, const CornerGrid& grid, double inner_contrast) {
  const Eigen::Matrix3d pixel_from_grid = PixelFromGrid(grid);
  const auto grey_of_square = [&](int a, int b) {
    return GreyAt(grey, Map(pixel_from_grid, {a + 0.5, b + 0.5}));
  };
  const auto goes_on = [&](const ColourDifference& side) {
    return side.Count() >= 2 && side.EvenMinusOdd() / inner_contrast > 0.5;
  };
  for (const int b : {-2, grid.Rows()}) {
    ColourDifference side;
    for (int a = -1; a < grid.Columns(); ++a) side.Add(IsEven(a, b), grey_of_square(a, b));
    if (goes_on(side)) return true;
  }
  for (const int a : {-2, grid.Columns()}) {
    ColourDifference side;
    for (int b = -1; b < grid.Rows(); ++b) side.Add(IsEven(a, b), grey_of_square(a, b));
    if (goes_on(side)) return true;
  }
  return false;
}

// A line of squares is sound if its quarters have the colours of their squares. Where a detector
// skipped a row of corners of a larger board, half of them or more have not.
bool IsSoundLine(const cv::Mat& grey, const CornerGrid& grid, bool along_columns, int line) {
  constexpr double kLeastShare = 0.85;  // reflections and dirt may spoil some
  struct Quarter {
    bool even;
    double grey;
  };
  std::vector<Quarter> quarters;
  ColourDifference difference;
  const int count = along_columns ? grid.Columns() - 1 : grid.Rows() - 1;
  for (int k = 0; k < count; ++k) {
    const int a = along_columns ? k : line, b = along_columns ? line : k;
    for (const double u : {0.25, 0.75}) {
      for (const double v : {0.25, 0.75}) {
        const Eigen::Vector2d pixel = PlaceInSquare(grid, a, b, u, v);
        const int x = std::clamp(static_cast<int>(std::lround(pixel.x())), 0, grey.cols - 1);
        const int y = std::clamp(static_cast<int>(std::lround(pixel.y())), 0, grey.rows - 1);
        quarters.push_back({IsEven(a, b), static_cast<double>(grey.at<unsigned char>(y, x))});
        difference.Add(quarters.back().even, quarters.back().grey);
      }
    }
  }
  // The line's own brightness: light may fall off across the board.
  const double middle = difference.Middle(), contrast = difference.EvenMinusOdd();
  const auto sound = std::count_if(quarters.begin(), quarters.end(), [&](const Quarter& quarter) {
    return (quarter.grey - middle) * (quarter.even ? contrast : -contrast) > 0.0;
  });
  return static_cast<double>(sound) >= kLeastShare * static_cast<double>(quarters.size());
}

bool IsSound(const cv::Mat& grey, const CornerGrid& grid) {
  for (int b = 0; b + 1 < grid.Rows(); ++b) {
    if (!IsSoundLine(grey, grid, true, b)) return false;
  }
  for (int a = 0; a + 1 < grid.Columns(); ++a) {
    if (!IsSoundLine(grey, grid, false, a)) return false;
  }
  return true;
}

std::optional<Points> Detect(const cv::Mat& grey, cv::Size size, const FindBoardOptions& options) {
  // The contour detector finds the board of a usual picture in 2 ms where the other takes 100 ms
  // and misses more; but it searches for seconds in a picture without this board, unless it is told
  // to look first whether there is something like a chessboard at all. Either may take corners of
  // another board and skip some.
  constexpr int kContours = cv::CALIB_CB_ADAPTIVE_THRESH | cv::CALIB_CB_NORMALIZE_IMAGE;
  Points points;
  const auto sound = [&](bool ok, const std::vector<cv::Point2f>& found) {
    if (!ok || static_cast<int>(found.size()) != size.area()) return false;
    points.clear();
    for (const cv::Point2f& point : found) points.emplace_back(point.x, point.y);
    return IsSound(grey, CornerGrid(points, size.width, size.height));
  };
  const auto by_contours = [&](int flags) {
    std::vector<cv::Point2f> found;
    return sound(cv::findChessboardCorners(grey, size, found, flags), found);
  };
  // Squares of a few pixels run together where the detector makes them thicker; so look at a small
  // picture again at two and three times its size.
  const auto by_enlarging = [&] {
    constexpr int kSmall = 1 << 20;  // [px] in the picture
    if (grey.rows * grey.cols > kSmall) return false;
    for (const double scale : {2.0, 3.0}) {
      cv::Mat large;
      cv::resize(grey, large, {}, scale, scale, cv::INTER_CUBIC);
      std::vector<cv::Point2f> found;
      const bool ok =
          cv::findChessboardCorners(large, size, found, kContours | cv::CALIB_CB_FAST_CHECK);
      // Pixel centres are at whole numbers on both scales.
      const cv::Point2f half(0.5F, 0.5F);
      for (cv::Point2f& point : found) point = (point + half) / scale - half;
      if (sound(ok, found)) return true;
    }
    return false;
  };
  const auto by_growing = [&] {
    std::vector<cv::Point2f> found;
    return sound(cv::findChessboardCornersSB(grey, size, found, cv::CALIB_CB_NORMALIZE_IMAGE),
                 found);
  };
  const auto by_all = [&] {
    return by_contours(kContours | cv::CALIB_CB_FAST_CHECK) || by_growing() || by_enlarging() ||
           (!cv::checkChessboard(grey, size) && by_contours(kContours));
  };
  const bool ok = options.brief   ? by_contours(kContours | cv::CALIB_CB_FAST_CHECK)
                  : options.quick ? by_growing()
                                  : by_all();
  if (!ok) return std::nullopt;
  return points;
}

// The orders that the colours allow. Where columns + rows is odd, half a turn exchanges the colours
// of all squares; on a board of odd columns and as many rows, a quarter turn does. There the square
// outside the first corner must be the black one.
std::vector<GridOrder> PossibleOrders(int columns, int rows, bool first_is_white) {
  const GridOrder half = HalfTurn(columns, rows);
  GridOrder as_it_is = half;
  std::reverse(as_it_is.begin(), as_it_is.end());
  if ((columns + rows) % 2 == 1) return {first_is_white ? half : as_it_is};
  if (columns != rows) return {as_it_is, half};
  const GridOrder quarter = QuarterTurn(columns), back = Combined(quarter, half);
  if (columns % 2 == 0) return {as_it_is, quarter, half, back};
  if (first_is_white) return {quarter, back};
  return {as_it_is, half};
}

CornerGuess GuessAt(const CornerGrid& grid, int i, int j, double blur_px) {
  const int i0 = std::max(i - 1, 0), i1 = std::min(i + 1, grid.Columns() - 1);
  const int j0 = std::max(j - 1, 0), j1 = std::min(j + 1, grid.Rows() - 1);
  return {.pixel = grid(i, j),
          .step_x = (grid(i1, j) - grid(i0, j)) / (i1 - i0),
          .step_y = (grid(i, j1) - grid(i, j0)) / (j1 - j0),
          .blur_px = blur_px};
}

}  // namespace

BoardCorners FindBoard(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                       const FindBoardOptions& options) {
  CheckTargetRequest("FindBoard", grey, light, board, 3, 3);
  BoardCorners result;
  std::optional<Points> detected = Detect(grey, cv::Size(board.columns, board.rows), options);
  if (!detected) {
    result.reason = fmt::format("no {} found", DescribeTarget(board));
    return result;
  }
  MakeRightHanded(*detected, board.columns, board.rows);
  const CornerGrid grid(*detected, board.columns, board.rows);
  const double contrast = InnerContrast(grey, grid);
  if (PatternGoesOn(grey, grid, contrast)) {
    result.reason = fmt::format("the chessboard has more than the described {} x {} inner corners",
                                board.columns, board.rows);
    return result;
  }

  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  int num_refined = 0;
  double blur_px = CornerGuess().blur_px;
  for (int j = 0; j < board.rows; ++j) {
    for (int i = 0; i < board.columns; ++i) {
      const RefinedCorner corner =
          RefineCorner(light, GuessAt(grid, i, j, blur_px), options.refinement);
      if (corner.ok) blur_px = std::clamp(corner.blur_px, 0.2, 2.0);
      num_refined += corner.ok ? 1 : 0;
      result.pixels.push_back(corner.ok ? corner.pixel : Eigen::Vector2d(kNan, kNan));
      result.covariances_px2.push_back(corner.ok ? corner.covariance
                                                 : Eigen::Matrix2d::Constant(kNan));
    }
  }
  if (2 * num_refined < board.columns * board.rows) {
    BoardCorners refused;
    refused.reason = fmt::format("only {} of {} corners are sharp enough to be refined",
                                 num_refined, board.columns * board.rows);
    return refused;
  }
  result.found = true;
  const std::vector<GridOrder> orders = PossibleOrders(board.columns, board.rows, contrast > 0.0);
  result.order_known = orders.size() == 1;
  Reorder(MostToTheRight(orders, *detected, board.columns, board.rows), &result);
  return result;
}

std::optional<GridSize> FindGridSize(const cv::Mat& grey, const cv::Mat& light) {
  std::vector<cv::Point2f> corners;
  cv::Mat meta;
  if (!cv::findChessboardCornersSB(grey, cv::Size(3, 3), corners,
                                   cv::CALIB_CB_NORMALIZE_IMAGE | cv::CALIB_CB_LARGER, meta)) {
    return std::nullopt;
  }
  const GridSize size{.columns = std::max(meta.cols, meta.rows),
                      .rows = std::min(meta.cols, meta.rows)};
  // The growing detector often stops too early or too late: believe it only if the whole board is
  // found again under that description.
  const capture::Board board{.columns = size.columns, .rows = size.rows, .square = 1.0};
  if (!FindBoard(grey, light, board, {.quick = true}).found) return std::nullopt;
  return size;
}

}  // namespace percuss::calibration
