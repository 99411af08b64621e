// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/charuco.h"

#include <fmt/core.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <stdexcept>

#include "calibration/targets/target_grid.h"
#include "capture/tags/coded_tags.h"

namespace percuss::calibration {
namespace {

using Points = std::vector<Eigen::Vector2d>;
constexpr int kLeastCorners = 6;

using Marker = capture::SeenTag;

// Where the markers are printed. Places in squares: square (a, b) reaches from (a, b) to (a + 1,
// b + 1), (0, 0) is the outer corner of the board's first square.
struct Layout {
  int columns = 0;            // of squares
  double marker = 0.0;        // side, in squares
  bool first_marked = false;  // the first square holds marker 0; else it is black

  // The markers fill the white squares row by row; also beyond the last row of the board.
  Eigen::Vector2d Centre(int id) const {
    const int in_even_row = (columns + (first_marked ? 1 : 0)) / 2;
    const int pair_of_rows = id / columns, rest = id % columns;
    const bool even = rest < in_even_row;
    const int k = even ? rest : rest - in_even_row;
    const int a = 2 * k + (even != first_marked ? 1 : 0), b = 2 * pair_of_rows + (even ? 0 : 1);
    return {a + 0.5, b + 0.5};
  }
  std::array<Eigen::Vector2d, 4> Corners(int id) const {
    const Eigen::Vector2d centre = Centre(id);
    const double half = 0.5 * marker;
    return {centre + Eigen::Vector2d(-half, -half), centre + Eigen::Vector2d(half, -half),
            centre + Eigen::Vector2d(half, half), centre + Eigen::Vector2d(-half, half)};
  }
};

// Where a place is shown if the squares around a marker form a lattice like its edges.
Eigen::Vector2d Extrapolated(const Layout& layout, const Marker& marker,
                             const Eigen::Vector2d& place) {
  const auto& [c0, c1, c2, c3] = marker.corners;
  const Eigen::Vector2d step_x = (c1 - c0 + c2 - c3) / (2.0 * layout.marker);
  const Eigen::Vector2d step_y = (c3 - c0 + c2 - c1) / (2.0 * layout.marker);
  const Eigen::Vector2d away = place - layout.Centre(marker.id);
  return marker.Centre() + away.x() * step_x + away.y() * step_y;
}

// Whether two neighbouring markers lie in the picture as the layout has them.
bool Agree(const Layout& layout, const Marker& a, const Marker& b) {
  constexpr double kReach = 2.5;      // [squares]
  constexpr double kTolerance = 0.5;  // [squares]; a wrong layout is off by one or more
  const Eigen::Vector2d place_a = layout.Centre(a.id), place_b = layout.Centre(b.id);
  if ((place_a - place_b).cwiseAbs().maxCoeff() > kReach || a.id == b.id) return false;
  // The mean of both ways cancels the perspective.
  const Eigen::Vector2d error = 0.5 * (Extrapolated(layout, a, place_b) - b.Centre()) -
                                0.5 * (Extrapolated(layout, b, place_a) - a.Centre());
  const auto square_px = [&](const Marker& marker) {
    return std::min((marker.corners[1] - marker.corners[0]).norm(),
                    (marker.corners[3] - marker.corners[0]).norm()) /
           layout.marker;
  };
  return error.norm() < kTolerance * std::min(square_px(a), square_px(b));
}

// The largest set of markers that are linked by agreeing neighbours.
std::vector<Marker> Fitting(const Layout& layout, const std::vector<Marker>& markers) {
  std::vector<int> group(markers.size(), -1);
  std::vector<std::size_t> best, members;
  for (std::size_t seed = 0; seed < markers.size(); ++seed) {
    if (group[seed] >= 0) continue;
    group[seed] = static_cast<int>(seed);
    members = {seed};
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (std::size_t k = 0; k < markers.size(); ++k) {
        if (group[k] >= 0 || !Agree(layout, markers[members[m]], markers[k])) continue;
        group[k] = static_cast<int>(seed);
        members.push_back(k);
      }
    }
    if (members.size() > best.size()) best = members;
  }
  std::vector<Marker> result;
  for (const std::size_t k : best) result.push_back(markers[k]);
  return result;
}

// Markers in rows of both kinds: only they tell one layout from another.
bool SpansRows(const Layout& layout, const std::vector<Marker>& markers) {
  std::array<bool, 2> seen = {false, false};
  for (const Marker& marker : markers) {
    seen[static_cast<std::size_t>(layout.Centre(marker.id).y()) % 2] = true;
  }
  return seen[0] && seen[1];
}

Layout LayoutOf(const capture::Board& board, bool first_marked) {
  return {.columns = board.columns + 1,
          .marker = board.marker / board.square,
          .first_marked = first_marked};
}

int NumMarkers(const capture::Board& board, const Layout& layout) {
  const int squares = (board.columns + 1) * (board.rows + 1);
  return layout.first_marked ? (squares + 1) / 2 : squares / 2;
}

struct Fit {
  Layout layout;
  std::vector<Marker> markers;
  bool ambiguous = false;  // as many fit the other layout
};

// The layout in which more markers fit together, with these.
Fit BestFit(const capture::Board& board, const std::vector<Marker>& markers) {
  Fit best;
  for (const bool first_marked : {false, true}) {
    if (first_marked && board.rows % 2 == 0) continue;  // odd rows of squares: one layout
    if (board.rows % 2 == 1 && first_marked != board.legacy_pattern.value_or(first_marked)) {
      continue;
    }
    const Layout layout = LayoutOf(board, first_marked);
    std::vector<Marker> fitting = Fitting(layout, markers);
    best.ambiguous = fitting.size() == best.markers.size();
    if (fitting.size() > best.markers.size() || best.layout.columns == 0) {
      best = {.layout = layout, .markers = std::move(fitting), .ambiguous = false};
    }
  }
  return best;
}

// The map from places in squares to pixels around a place, by the markers nearby; nothing unless
// one of them touches the place.
std::optional<Eigen::Matrix3d> LocalMap(const Fit& fit, const Eigen::Vector2d& place) {
  constexpr double kReach = 1.6;  // [squares], to the centres
  Points places, pixels;
  bool touched = false;
  for (const Marker& marker : fit.markers) {
    const double away = (fit.layout.Centre(marker.id) - place).cwiseAbs().maxCoeff();
    if (away > kReach) continue;
    touched = touched || away < 0.6;
    const std::array<Eigen::Vector2d, 4> corners = fit.layout.Corners(marker.id);
    places.insert(places.end(), corners.begin(), corners.end());
    pixels.insert(pixels.end(), marker.corners.begin(), marker.corners.end());
  }
  if (!touched) return std::nullopt;
  return FitHomography(places, pixels);
}

RefinedCorner Refine(const cv::Mat& light, const Fit& fit, const Eigen::Vector2d& place,
                     CornerRefinementOptions options) {
  const std::optional<Eigen::Matrix3d> pixel_of_place = LocalMap(fit, place);
  if (!pixel_of_place) return {};
  const auto pixel = [&](double du, double dv) -> Eigen::Vector2d {
    return Map(*pixel_of_place, place + Eigen::Vector2d(du, dv));
  };
  CornerGuess guess{.pixel = pixel(0.0, 0.0),
                    .step_x = 0.5 * (pixel(1.0, 0.0) - pixel(-1.0, 0.0)),
                    .step_y = 0.5 * (pixel(0.0, 1.0) - pixel(0.0, -1.0))};
  constexpr double kLeastInside = 3.0;  // [px]; a corner cut by the edge of the picture is biased
  const Eigen::Array2d last(light.cols - 1, light.rows - 1);
  if ((guess.pixel.array() < kLeastInside).any() ||
      (guess.pixel.array() > last - kLeastInside).any()) {
    return {};
  }
  options.clear_squares = 0.5 * (1.0 - fit.layout.marker);
  options.max_shift_squares = std::min(options.max_shift_squares, 0.2);
  const RefinedCorner first = RefineCorner(light, guess, options);
  if (!first.ok) return first;
  guess.pixel = first.pixel;  // the window between the markers must lie right
  return RefineCorner(light, guess, options);
}

// How far a corner lies from where its neighbours have it, in parts of what is allowed; 0 if there
// are too few neighbours to tell.
double Misfit(const BoardCorners& corners, int columns, int rows, int i, int j) {
  constexpr int kReach = 2;
  constexpr std::size_t kLeastNeighbours = 6;
  constexpr double kTolerancePx = 1.0, kTolerance = 0.05;  // the latter in squares: bent by lenses
  const auto place = [&](int a, int b) { return static_cast<std::size_t>(b * columns + a); };
  Points from, to;
  for (int b = std::max(j - kReach, 0); b <= std::min(j + kReach, rows - 1); ++b) {
    for (int a = std::max(i - kReach, 0); a <= std::min(i + kReach, columns - 1); ++a) {
      if ((a == i && b == j) || !corners.pixels[place(a, b)].allFinite()) continue;
      from.emplace_back(a - i, b - j);
      to.push_back(corners.pixels[place(a, b)]);
    }
  }
  if (from.size() < kLeastNeighbours) return 0.0;
  const std::optional<Eigen::Matrix3d> local = FitHomography(from, to);
  if (!local) return 0.0;
  const Eigen::Vector2d expected = Map(*local, {0.0, 0.0});
  const double square_px = std::min((Map(*local, {0.5, 0.0}) - Map(*local, {-0.5, 0.0})).norm(),
                                    (Map(*local, {0.0, 0.5}) - Map(*local, {0.0, -0.5})).norm());
  return (corners.pixels[place(i, j)] - expected).norm() /
         std::max(kTolerancePx, kTolerance * square_px);
}

void Drop(std::size_t k, BoardCorners* corners) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  corners->pixels[k].setConstant(kNan);
  corners->covariances_px2[k].setConstant(kNan);
}

// Drops the corner that fits its neighbours worst, until all fit.
void DropMisfits(int columns, int rows, BoardCorners* corners) {
  for (;;) {
    double worst = 1.0;
    std::size_t worst_place = corners->pixels.size();
    for (std::size_t k = 0; k < corners->pixels.size(); ++k) {
      if (!corners->pixels[k].allFinite()) continue;
      const int i = static_cast<int>(k) % columns, j = static_cast<int>(k) / columns;
      const double misfit = Misfit(*corners, columns, rows, i, j);
      if (misfit > worst) {
        worst = misfit;
        worst_place = k;
      }
    }
    if (worst_place == corners->pixels.size()) return;
    Drop(worst_place, corners);
  }
}

int CountSeen(const BoardCorners& corners) {
  return static_cast<int>(std::count_if(corners.pixels.begin(), corners.pixels.end(),
                                        [](const auto& pixel) { return pixel.allFinite(); }));
}

// Whether the corners seen lie in at least two rows and two columns, and not on a diagonal.
bool OnOneLine(const BoardCorners& corners, int columns) {
  std::optional<Eigen::Vector2d> first, second;
  for (std::size_t k = 0; k < corners.pixels.size(); ++k) {
    if (!corners.pixels[k].allFinite()) continue;
    const Eigen::Vector2d place(static_cast<int>(k) % columns, static_cast<int>(k) / columns);
    if (!first) {
      first = place;
    } else if (!second) {
      second = place;
    } else {
      const Eigen::Vector2d along = *second - *first, away = place - *first;
      if (along.x() * away.y() != along.y() * away.x()) return false;
    }
  }
  return true;
}

// Why too few markers fit: none, strange ones, or a mirror.
std::string ReasonOfFew(const cv::Mat& grey, const capture::Board& board,
                        const capture::TagReading& reading, std::size_t num_fitting) {
  cv::Mat flipped;
  cv::flip(grey, flipped, 1);
  const std::size_t mirrored =
      BestFit(board, capture::ReadTags(flipped, board.dictionary).tags).markers.size();
  if (mirrored > 3 && mirrored > 2 * num_fitting) {
    return fmt::format(
        "no {} found: {} of its markers are in the mirrored picture; needed are pictures as the "
        "camera sees them",
        DescribeTarget(board), mirrored);
  }
  if (reading.tags.empty()) {
    return fmt::format(
        "no {} found: no markers, {} other quadrilaterals seen; is the dictionary right?",
        DescribeTarget(board), reading.num_rejected);
  }
  const std::optional<std::string> other = DescribeOtherCharuco(grey, board);
  return fmt::format("no {} found: {} markers were read, of which {} lie as on this board{}",
                     DescribeTarget(board), reading.tags.size(), num_fitting > 1 ? num_fitting : 0,
                     other ? "; they lie as on a board of " + *other : "");
}

// Why the markers read are not those of the board; empty if they are.
std::string ReasonAgainst(const cv::Mat& grey, const capture::Board& board,
                          const capture::TagReading& reading, const Fit& fit) {
  constexpr double kLeastShare = 0.6;  // strangers may be in the picture, or wrongly read
  const std::size_t num_read = reading.tags.size(), num_fitting = fit.markers.size();
  if (num_read == 0 ||
      static_cast<double>(num_fitting) < kLeastShare * static_cast<double>(num_read)) {
    return ReasonOfFew(grey, board, reading, num_fitting);
  }
  if (!SpansRows(fit.layout, fit.markers)) {
    return fmt::format("no {} found: {} markers of one row of squares do not tell where they are",
                       DescribeTarget(board), num_read);
  }
  if (fit.ambiguous) {
    return fmt::format(
        "no {} found: the {} markers seen fit both ways in which such boards are printed; "
        "board.legacy_pattern can tell which one it is",
        DescribeTarget(board), num_fitting);
  }
  const int num_markers = NumMarkers(board, fit.layout);
  const auto largest =
      std::max_element(fit.markers.begin(), fit.markers.end(),
                       [](const Marker& a, const Marker& b) { return a.id < b.id; });
  if (largest->id >= num_markers) {
    return fmt::format(
        "the ChArUco board has more than the described {} x {} inner corners: "
        "marker {} follows the last one, {}",
        board.columns, board.rows, largest->id, num_markers - 1);
  }
  return "";
}

}  // namespace

BoardCorners FindCharuco(const cv::Mat& grey, const cv::Mat& light, const capture::Board& board,
                         const FindBoardOptions& options) {
  CheckTargetRequest("FindCharuco", grey, light, board, 2, 2);
  if (!(board.marker > 0.0 && board.marker < board.square)) {
    throw std::invalid_argument(
        fmt::format("FindCharuco: marker {}, needed is above 0 and below "
                    "square {}",
                    board.marker, board.square));
  }
  BoardCorners result;
  const capture::TagReading reading = capture::ReadTags(grey, board.dictionary);
  const Fit fit = BestFit(board, reading.tags);
  result.reason = ReasonAgainst(grey, board, reading, fit);
  if (!result.reason.empty()) return result;

  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (int j = 0; j < board.rows; ++j) {
    for (int i = 0; i < board.columns; ++i) {
      const RefinedCorner corner = Refine(light, fit, {i + 1.0, j + 1.0}, options.refinement);
      result.pixels.push_back(corner.ok ? corner.pixel : Eigen::Vector2d(kNan, kNan));
      result.covariances_px2.push_back(corner.ok ? corner.covariance
                                                 : Eigen::Matrix2d::Constant(kNan));
    }
  }
  DropMisfits(board.columns, board.rows, &result);
  const int num_seen = CountSeen(result);
  if (num_seen < kLeastCorners || OnOneLine(result, board.columns)) {
    BoardCorners refused;
    refused.reason = fmt::format(
        "no {} found: only {} corners next to the {} markers read, needed are {} that are not on "
        "one line",
        DescribeTarget(board), num_seen, fit.markers.size(), kLeastCorners);
    return refused;
  }
  result.found = true;
  result.order_known = true;
  return result;
}

std::optional<std::string> DescribeOtherCharuco(const cv::Mat& grey, const capture::Board& board) {
  constexpr int kMostColumns = 40;
  constexpr std::size_t kLeastMarkers = 4;
  const std::vector<Marker> markers = capture::ReadTags(grey, board.dictionary).tags;
  std::size_t most = 0;
  std::optional<std::string> best;
  for (int columns = 2; columns <= kMostColumns; ++columns) {
    for (const bool first_marked : {false, true}) {
      capture::Board other = board;
      other.columns = columns;
      const Layout layout = LayoutOf(other, first_marked);
      const std::vector<Marker> fitting = Fitting(layout, markers);
      if (fitting.size() <= most || fitting.size() < kLeastMarkers ||
          5 * fitting.size() < 3 * markers.size() || !SpansRows(layout, fitting)) {
        continue;
      }
      most = fitting.size();
      int rows = 0;
      for (const Marker& marker : fitting) {
        rows = std::max(rows, static_cast<int>(layout.Centre(marker.id).y()));
      }
      best = fmt::format("{} x {} or more inner corners", columns, rows);
    }
  }
  return best;
}

}  // namespace percuss::calibration
