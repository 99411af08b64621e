// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/aprilgrid.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <stdexcept>

#include "calibration/targets/target_grid.h"
#include "capture/tags/coded_tags.h"

namespace percuss::calibration {
namespace {

using TagPlaces = std::vector<Eigen::Vector2d>;

/// Tags drawn larger about their middles, to undo what `shrunk` pixels took from each side.
void Grow(double shrunk, capture::TagReading* reading) {
  for (capture::SeenTag& tag : reading->tags) {
    const Eigen::Vector2d middle = tag.Centre();
    const double edge = (tag.corners[2] - tag.corners[0]).norm() / std::sqrt(2.0);
    for (Eigen::Vector2d& corner : tag.corners)
      corner = middle + (1.0 + 2.0 * shrunk / edge) * (corner - middle);
  }
}

/// The reader follows the outlines of black squares, and those of the board touch each other: white
/// that is grown by a pixel or two parts them. The reading that has most tags.
capture::TagReading ReadBoardTags(const cv::Mat& grey, const std::string& dictionary) {
  capture::TagReading best = capture::ReadTags(grey, dictionary);
  for (const int grown : {1, 2}) {
    cv::Mat parted;
    cv::dilate(grey, parted,
               cv::getStructuringElement(cv::MORPH_RECT, {2 * grown + 1, 2 * grown + 1}));
    capture::TagReading reading = capture::ReadTags(parted, dictionary);
    Grow(grown, &reading);
    if (reading.tags.size() > best.tags.size()) best = std::move(reading);
  }
  return best;
}

/// The board in edges of a tag: x along the columns, y down the rows, (0, 0) the top left corner of
/// the top left tag.
struct GridLayout {
  int columns = 0, rows = 0;  ///< of tags
  double pitch = 1.3;

  int NumTags() const { return columns * rows; }
  int Column(int id) const { return id % columns; }
  int Row(int id) const { return rows - 1 - id / columns; }
  /// Corner k of a tag, clockwise from its top left one.
  Eigen::Vector2d Corner(int id, int k) const {
    return {pitch * Column(id) + (k == 1 || k == 2 ? 1.0 : 0.0),
            pitch * Row(id) + (k >= 2 ? 1.0 : 0.0)};
  }
};

/// Tags that lie as on the board, if the prints are turned by so many quarters, and the map from
/// edges to pixels that they show.
struct GridFit {
  int turn = 0;
  std::vector<capture::SeenTag> tags;
  Eigen::Matrix3d map = Eigen::Matrix3d::Identity();
  double misfit = std::numeric_limits<double>::infinity();  ///< largest, in edges
};

/// Largest distance of a corner from where the map has it, in edges of the tag.
double MisfitOf(const GridLayout& layout, const capture::SeenTag& tag, int turn,
                const Eigen::Matrix3d& map) {
  const double edge =
      std::min((tag.corners[1] - tag.corners[0]).norm(), (tag.corners[2] - tag.corners[1]).norm());
  double largest = 0.0;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d expected = Map(map, layout.Corner(tag.id, (k + turn) % 4));
    largest = std::max(largest, (tag.corners[k] - expected).norm() / edge);
  }
  return largest;
}

GridFit FitGrid(const GridLayout& layout, std::vector<capture::SeenTag> tags, int turn) {
  constexpr double kTolerance = 0.25;  // [edges]: a neighbour is 1.3 away; lenses bend by less
  GridFit fit{.turn = turn};
  std::erase_if(tags, [&](const capture::SeenTag& tag) { return tag.id >= layout.NumTags(); });
  while (tags.size() >= 2) {
    TagPlaces from, to;
    for (const capture::SeenTag& tag : tags) {
      for (int k = 0; k < 4; ++k) {
        from.push_back(layout.Corner(tag.id, (k + turn) % 4));
        to.push_back(tag.corners[k]);
      }
    }
    const auto map = FitHomography(from, to);
    if (!map) return fit;
    const auto misfit = [&](const capture::SeenTag& tag) {
      return MisfitOf(layout, tag, turn, *map);
    };
    const auto worst = std::ranges::max_element(tags, {}, misfit);
    const double largest = misfit(*worst);
    if (largest < kTolerance) {
      fit.tags = std::move(tags);
      fit.map = *map;
      fit.misfit = largest;
      return fit;
    }
    tags.erase(worst);
  }
  return fit;
}

GridFit BestGrid(const GridLayout& layout, const std::vector<capture::SeenTag>& tags) {
  GridFit best;
  for (int turn = 0; turn < 4; ++turn) {
    GridFit fit = FitGrid(layout, tags, turn);
    if (fit.tags.size() > best.tags.size() ||
        (fit.tags.size() == best.tags.size() && fit.misfit < best.misfit)) {
      best = std::move(fit);
    }
  }
  return best;
}

GridLayout LayoutOf(const capture::Board& board) {
  return {.columns = board.columns / 2, .rows = board.rows / 2, .pitch = 1.0 + board.spacing};
}

/// Which corner of the tag, as read, is the corner of the board's tag.
int Reading(int turn, int corner) { return (corner - turn + 4) % 4; }

RefinedCorner RefineTagCorner(const cv::Mat& light, const capture::SeenTag& tag, int turn,
                              int corner, double cells, double spacing,
                              CornerRefinementOptions options) {
  const auto pixel_of = [&](int k) -> const Eigen::Vector2d& {
    return tag.corners[Reading(turn, k)];
  };
  // Along the edges that meet in the corner.
  const int along_x[4] = {1, 0, 3, 2}, along_y[4] = {3, 2, 1, 0};
  CornerGuess guess{.pixel = pixel_of(corner),
                    .step_x = pixel_of(along_x[corner]) - pixel_of(corner),
                    .step_y = pixel_of(along_y[corner]) - pixel_of(corner)};
  constexpr double kLeastInside = 3.0;  // [px]; a corner cut by the edge of the picture is biased
  const Eigen::Array2d last(light.cols - 1, light.rows - 1);
  if ((guess.pixel.array() < kLeastInside).any() ||
      (guess.pixel.array() > last - kLeastInside).any()) {
    return {};
  }
  const double edge = std::min(guess.step_x.norm(), guess.step_y.norm());
  constexpr double kGap = 1.5;  // [px], of the blurred ends of the small squares
  options.window_squares = std::min(options.window_squares, spacing - kGap / edge);
  if (!(options.window_squares * edge > 2.0)) return {};
  options.clear_squares = 1.0 / cells;
  options.max_shift_squares = std::min(options.max_shift_squares, 0.1);
  const RefinedCorner first = RefineCorner(light, guess, options);
  if (!first.ok) return first;
  guess.pixel = first.pixel;
  guess.blur_px = first.blur_px;
  return RefineCorner(light, guess, options);
}

}  // namespace

BoardCorners FindAprilGrid(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                           const FindBoardOptions& options) {
  CheckTargetRequest("FindAprilGrid", grey, light, board, 2, 2);
  if (!(board.spacing > 0.0 && board.spacing < 1.0)) {
    throw std::invalid_argument(
        fmt::format("FindAprilGrid: spacing {}, needed is above 0 and below 1", board.spacing));
  }
  const GridLayout layout = LayoutOf(board);
  const double cells =
      static_cast<double>(capture::TagCells(board.dictionary, layout.NumTags() - 1).rows());
  const capture::TagReading reading = ReadBoardTags(grey, board.dictionary);
  const GridFit fit = BestGrid(layout, reading.tags);
  BoardCorners result;
  if (fit.tags.empty()) {
    result.reason =
        reading.tags.empty()
            ? fmt::format(
                  "no {} found: no tags, {} other quadrilaterals seen; is the dictionary right?",
                  DescribeTarget(board), reading.num_rejected)
            : fmt::format("no {} found: of {} tags read no two lie as on this board",
                          DescribeTarget(board), reading.tags.size());
    return result;
  }
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const auto count = static_cast<std::size_t>(board.columns * board.rows);
  result.pixels.assign(count, Eigen::Vector2d::Constant(kNan));
  result.covariances_px2.assign(count, Eigen::Matrix2d::Constant(kNan));
  int seen = 0;
  for (const capture::SeenTag& tag : fit.tags) {
    for (int k = 0; k < 4; ++k) {
      const RefinedCorner corner =
          RefineTagCorner(light, tag, fit.turn, k, cells, board.spacing, options.refinement);
      if (!corner.ok) continue;
      const int i = 2 * layout.Column(tag.id) + (k == 1 || k == 2 ? 1 : 0),
                j = 2 * layout.Row(tag.id) + (k >= 2 ? 1 : 0);
      const auto place = static_cast<std::size_t>(j * board.columns + i);
      result.pixels[place] = corner.pixel;
      result.covariances_px2[place] = corner.covariance;
      ++seen;
    }
  }
  constexpr int kLeast = 6;
  if (seen < kLeast) {
    result.pixels.clear();
    result.covariances_px2.clear();
    result.reason =
        fmt::format("no {} found: of {} tags {} corners could be measured, at least {} needed",
                    DescribeTarget(board), fit.tags.size(), seen, kLeast);
    return result;
  }
  result.found = true;
  result.order_known = true;
  return result;
}

std::optional<std::string> DescribeOtherAprilGrid(const cv::Mat& grey,
                                                  const capture::Board& board) {
  const std::vector<capture::SeenTag> tags = ReadBoardTags(grey, board.dictionary).tags;
  constexpr std::size_t kLeastTags = 4;
  if (tags.size() < kLeastTags) return std::nullopt;
  const int last = std::ranges::max_element(tags, {}, &capture::SeenTag::id)->id;
  GridFit best;
  int best_columns = 0;
  for (int columns = 2; columns <= last; ++columns) {
    const GridLayout layout{
        .columns = columns, .rows = last / columns + 1, .pitch = 1.0 + board.spacing};
    GridFit fit = BestGrid(layout, tags);
    if (fit.tags.size() <= best.tags.size()) continue;
    best = std::move(fit);
    best_columns = columns;
  }
  if (2 * best.tags.size() < tags.size()) return std::nullopt;
  return fmt::format("{} x {} tags or more", best_columns, last / best_columns + 1);
}

}  // namespace percuss::calibration
