// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/targets/circle_grid.h"

#include <fmt/core.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <opencv2/imgproc.hpp>

#include "calibration/targets/disc_measurement.h"
#include "calibration/targets/target_grid.h"

namespace percuss::calibration {
namespace {

using Points = std::vector<Eigen::Vector2d>;
using DiscPlace = std::array<int, 2>;  // in a lattice

double AreaOf(const DiscPatch& patch) {
  return 4.0 * std::numbers::pi * std::sqrt(patch.moments.determinant());
}

// The moments of one connected component.
struct Component {
  DiscPatch patch;
  int area = 0;
};

Component MomentsOf(const cv::Mat& labels, int label, const cv::Rect& box) {
  double count = 0.0;
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  Eigen::Matrix2d squares = Eigen::Matrix2d::Zero();
  for (int y = 0; y < box.height; ++y) {
    const int* row = labels.ptr<int>(box.y + y) + box.x;
    for (int x = 0; x < box.width; ++x) {
      if (row[x] != label) continue;
      const Eigen::Vector2d place(x, y);
      count += 1.0;
      sum += place;
      squares += place * place.transpose();
    }
  }
  const Eigen::Vector2d mean = sum / count;
  Component component{.patch = {}, .area = static_cast<int>(count)};
  component.patch.centre = mean + Eigen::Vector2d(box.x, box.y);
  // 1/12 is the spread inside one pixel.
  component.patch.moments =
      squares / count - mean * mean.transpose() + Eigen::Matrix2d::Identity() / 12.0;
  return component;
}

// Round patches that are darker (or brighter) than the mean of a window around each pixel.
std::vector<DiscPatch> FindPatches(const cv::Mat& grey, int window, bool bright) {
  constexpr double kLeastStep = 8.0;    // [grey values], above the noise
  constexpr int kLeastArea = 12;        // [px^2]
  constexpr double kLeastWidth = 0.15;  // short over long axis
  constexpr std::size_t kMostPatches = 4000;
  cv::Mat mask, labels, stats, centroids;
  cv::adaptiveThreshold(grey, mask, 255, cv::ADAPTIVE_THRESH_MEAN_C,
                        bright ? cv::THRESH_BINARY : cv::THRESH_BINARY_INV, window,
                        bright ? -kLeastStep : kLeastStep);
  const int count = cv::connectedComponentsWithStats(mask, labels, stats, centroids, 4, CV_32S);
  std::vector<DiscPatch> patches;
  for (int label = 1; label < count && patches.size() < kMostPatches; ++label) {
    const cv::Rect box(
        stats.at<int>(label, cv::CC_STAT_LEFT), stats.at<int>(label, cv::CC_STAT_TOP),
        stats.at<int>(label, cv::CC_STAT_WIDTH), stats.at<int>(label, cv::CC_STAT_HEIGHT));
    const int area = stats.at<int>(label, cv::CC_STAT_AREA);
    const bool cut = box.x == 0 || box.y == 0 || box.br().x == grey.cols || box.br().y == grey.rows;
    // An upright ellipse fills 0.79 of its box, a slanting one less.
    if (cut || area < kLeastArea || area < 0.15 * box.area()) continue;
    const Component component = MomentsOf(labels, label, box);
    const Eigen::Matrix2d& moments = component.patch.moments;
    const double roundness = AreaOf(component.patch) / component.area;
    const double width = std::sqrt(moments.determinant()) / (0.5 * moments.trace());
    if (roundness > 1.2 || roundness < 0.8 || width < 2.0 * kLeastWidth) continue;
    patches.push_back(component.patch);
  }
  return patches;
}

// Discs by their places in a lattice of any two shortest steps.
using Lattice = std::map<DiscPlace, std::size_t>;

class LatticeGrower {
 public:
  explicit LatticeGrower(const std::vector<DiscPatch>& patches)
      : patches_(patches), taken_(patches.size(), false) {}

  bool Taken(std::size_t patch) const { return taken_[patch]; }

  // All that hangs together with the patch. Patches taken are not looked at again.
  Lattice Grow(std::size_t seed) {
    lattice_.clear();
    steps_.clear();
    taken_[seed] = true;
    const std::optional<std::array<Eigen::Vector2d, 2>> steps = FirstSteps(seed);
    if (!steps) return lattice_;
    Add({0, 0}, seed, *steps);
    std::vector<DiscPlace> queue = {{0, 0}};
    for (std::size_t q = 0; q < queue.size(); ++q) {
      for (const std::size_t axis : {0, 1}) {
        for (const int sign : {1, -1}) {
          if (const auto next = Step(queue[q], axis, sign)) queue.push_back(*next);
        }
      }
    }
    return lattice_;
  }

 private:
  static DiscPlace Shifted(DiscPlace place, std::size_t axis, int by) {
    place[axis] += by;
    return place;
  }

  bool Similar(std::size_t a, std::size_t b) const {
    const double ratio = AreaOf(patches_[a]) / AreaOf(patches_[b]);
    return ratio > 0.5 && ratio < 2.0;
  }

  // To the nearest two patches that do not lie on one line with this one.
  std::optional<std::array<Eigen::Vector2d, 2>> FirstSteps(std::size_t seed) const {
    constexpr double kLeastSine = 0.4;
    std::vector<Eigen::Vector2d> steps;
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      if (k == seed || taken_[k] || !Similar(k, seed)) continue;
      steps.push_back(patches_[k].centre - patches_[seed].centre);
    }
    if (steps.size() < 2) return std::nullopt;
    const std::size_t most = std::min<std::size_t>(steps.size(), 12);
    std::partial_sort(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(most), steps.end(),
                      [](const auto& a, const auto& b) { return a.norm() < b.norm(); });
    const Eigen::Vector2d& first = steps[0];
    for (std::size_t k = 1; k < most; ++k) {
      const double sine =
          (first.x() * steps[k].y() - first.y() * steps[k].x()) / (first.norm() * steps[k].norm());
      if (std::abs(sine) > kLeastSine) return std::array{first, steps[k]};
    }
    return std::nullopt;
  }

  void Add(const DiscPlace& place, std::size_t patch, const std::array<Eigen::Vector2d, 2>& steps) {
    lattice_[place] = patch;
    steps_[place] = steps;
    taken_[patch] = true;
  }

  const Eigen::Vector2d* Centre(const DiscPlace& place) const {
    const auto at = lattice_.find(place);
    return at == lattice_.end() ? nullptr : &patches_[at->second].centre;
  }

  // The step as the discs around have it: beside it, else behind it, else as it came.
  Eigen::Vector2d ExpectedStep(const DiscPlace& from, std::size_t axis, int sign) const {
    for (const int side : {1, -1}) {
      const DiscPlace beside = Shifted(from, 1 - axis, side);
      const Eigen::Vector2d *a = Centre(beside), *b = Centre(Shifted(beside, axis, sign));
      if (a != nullptr && b != nullptr) return *b - *a;
    }
    const Eigen::Vector2d* behind = Centre(Shifted(from, axis, -sign));
    if (behind != nullptr) return *Centre(from) - *behind;
    return sign * steps_.at(from)[axis];
  }

  std::optional<DiscPlace> Step(const DiscPlace& from, std::size_t axis, int sign) {
    constexpr double kTolerance = 0.3;  // of the shorter step
    const DiscPlace to = Shifted(from, axis, sign);
    if (lattice_.contains(to)) return std::nullopt;
    const std::size_t start = lattice_.at(from);
    std::array<Eigen::Vector2d, 2> steps = steps_.at(from);
    const Eigen::Vector2d step = ExpectedStep(from, axis, sign);
    const Eigen::Vector2d expected = patches_[start].centre + step;
    double nearest = kTolerance * std::min(step.norm(), steps[1 - axis].norm());
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < patches_.size(); ++k) {
      const double distance = (patches_[k].centre - expected).norm();
      if (taken_[k] || distance >= nearest || !Similar(k, start)) continue;
      nearest = distance;
      found = k;
    }
    if (!found) return std::nullopt;
    steps[axis] = sign * (patches_[*found].centre - patches_[start].centre);
    Add(to, *found, steps);
    return to;
  }

  const std::vector<DiscPatch>& patches_;
  std::vector<bool> taken_;
  Lattice lattice_;
  std::map<DiscPlace, std::array<Eigen::Vector2d, 2>> steps_;
};

// A whole grid, its discs row by row.
struct DiscGrid {
  int columns = 0, rows = 0;
  std::vector<std::size_t> discs;
};

// The discs of a lattice as a grid in the axes x = m[0] a + m[1] b, y = m[2] a + m[3] b of the
// places (a, b), if they fill one without gaps. In asymmetric grids x and y are even or odd
// together, a row has every second x, and row 0 begins at the least x of all.
std::optional<DiscGrid> FilledGrid(const Lattice& lattice, const std::array<int, 4>& m,
                                   bool asymmetric) {
  std::map<DiscPlace, std::size_t> by_row;  // y, x: row by row
  int least_x = std::numeric_limits<int>::max(), least_y = least_x, most_y = -least_x;
  for (const auto& [place, disc] : lattice) {
    const int x = m[0] * place[0] + m[1] * place[1], y = m[2] * place[0] + m[3] * place[1];
    by_row[{y, x}] = disc;
    least_x = std::min(least_x, x);
    least_y = std::min(least_y, y);
    most_y = std::max(most_y, y);
  }
  DiscGrid grid;
  grid.rows = most_y - least_y + 1;
  const int count = static_cast<int>(lattice.size());
  if (count % grid.rows != 0) return std::nullopt;
  grid.columns = count / grid.rows;
  const int stride = asymmetric ? 2 : 1;
  int k = 0;
  for (const auto& [place, disc] : by_row) {
    const int j = k / grid.columns, i = k % grid.columns;
    const int x = least_x + stride * i + (asymmetric ? j % 2 : 0);
    if (place != DiscPlace{least_y + j, x}) return std::nullopt;
    grid.discs.push_back(disc);
    ++k;
  }
  return grid;
}

// All ways to see a lattice as a whole grid that has its rows clockwise from its columns.
std::vector<DiscGrid> FilledGrids(const Lattice& lattice, const std::vector<DiscPatch>& patches,
                                  bool asymmetric) {
  // The steps of the lattice are short ones, so those along its sides are small multiples of them.
  // For asymmetric grids both kinds of steps are the diagonals (1, 1), (1, -1) of x and y.
  constexpr int kMost = 2;
  std::vector<DiscGrid> grids;
  for (int p = -kMost; p <= kMost; ++p) {
    for (int q = -kMost; q <= kMost; ++q) {
      for (int r = -kMost; r <= kMost; ++r) {
        for (int s = -kMost; s <= kMost; ++s) {
          if (std::abs(p * s - q * r) != 1) continue;
          const std::array<int, 4> m =
              asymmetric ? std::array{p + r, q + s, p - r, q - s} : std::array{p, q, r, s};
          const std::optional<DiscGrid> grid = FilledGrid(lattice, m, asymmetric);
          if (!grid || grid->columns < 2 || grid->rows < 2) continue;
          Points centres;
          for (const std::size_t disc : grid->discs) centres.push_back(patches[disc].centre);
          if (IsRightHanded(centres, grid->columns, grid->rows)) grids.push_back(*grid);
        }
      }
    }
  }
  return grids;
}

double DiscGreyAt(const cv::Mat& grey, const Eigen::Vector2d& place) {
  const long x = std::lround(place.x()), y = std::lround(place.y());
  if (x < 0 || y < 0 || x >= grey.cols || y >= grey.rows) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return grey.at<unsigned char>(static_cast<int>(y), static_cast<int>(x));
}

// What is seen of a grid that the edge of the picture cuts off may look like the described one. So
// whether some line of discs goes on: discs where the next line would have them, ground between.
bool PatternGoesOn(const cv::Mat& grey, const DiscGrid& grid, const std::vector<DiscPatch>& patches,
                   bool asymmetric) {
  Points places, centres;
  const auto place_of = [&](int i, int j) -> Eigen::Vector2d {
    if (!asymmetric) return {i, j};
    return {2.0 * i + (j % 2 == 0 ? 0.0 : 1.0), j};
  };
  for (int j = 0; j < grid.rows; ++j) {
    for (int i = 0; i < grid.columns; ++i) {
      places.push_back(place_of(i, j));
      centres.push_back(patches[grid.discs[centres.size()]].centre);
    }
  }
  const std::optional<Eigen::Matrix3d> map = FitHomography(places, centres);
  if (!map) return false;
  const Eigen::Vector2d between =
      asymmetric ? Eigen::Vector2d(1.0, 0.0) : Eigen::Vector2d(0.5, 0.5);
  double disc_level = 0.0, ground_level = 0.0;
  int num_ground = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    disc_level += DiscGreyAt(grey, centres[k]) / static_cast<double>(places.size());
    const double ground = DiscGreyAt(grey, Map(*map, places[k] + between));
    if (!std::isfinite(ground)) continue;
    ground_level += ground;
    ++num_ground;
  }
  ground_level /= num_ground;
  const double step = disc_level - ground_level;
  const auto share = [&](const Eigen::Vector2d& place) {  // 0 ground, 1 disc
    return (DiscGreyAt(grey, Map(*map, place)) - ground_level) / step;
  };
  const auto goes_on = [&](const Points& line) {
    int discs = 0, others = 0;
    for (const Eigen::Vector2d& place : line) {
      const double at = share(place), beside = share(place + between);
      if (!std::isfinite(at)) continue;
      (at > 0.6 && !(beside > 0.4) ? discs : others) += 1;
    }
    return discs >= 2 && discs > others;
  };
  Points above, below, before, after;
  for (int i = 0; i < grid.columns; ++i) {
    above.push_back(place_of(i, -1));
    below.push_back(place_of(i, grid.rows));
  }
  for (int j = 0; j < grid.rows; ++j) {
    before.push_back(place_of(-1, j));
    after.push_back(place_of(grid.columns, j));
  }
  return goes_on(above) || goes_on(below) || goes_on(before) || goes_on(after);
}

// A grid that was looked for, in all orders that it allows; or the largest other one.
struct Search {
  std::vector<DiscPatch> patches;
  std::vector<DiscGrid> grids;
  int other_columns = 0, other_rows = 0;
};

bool SearchPatches(std::vector<DiscPatch> patches, const capture::Board& board, Search* search) {
  const bool asymmetric = board.type == capture::Board::Type::kAsymmetricCircles;
  LatticeGrower grower(patches);
  for (std::size_t seed = 0; seed < patches.size(); ++seed) {
    if (grower.Taken(seed)) continue;
    const Lattice lattice = grower.Grow(seed);
    if (lattice.size() < 6) continue;
    std::vector<DiscGrid> grids = FilledGrids(lattice, patches, asymmetric);
    for (const DiscGrid& grid : grids) {
      if (!asymmetric && grid.columns < grid.rows) continue;  // the same grid, turned
      if (grid.columns * grid.rows > search->other_columns * search->other_rows) {
        search->other_columns = grid.columns;
        search->other_rows = grid.rows;
      }
    }
    std::erase_if(grids, [&](const DiscGrid& grid) {
      return grid.columns != board.columns || grid.rows != board.rows;
    });
    if (grids.empty()) continue;
    search->patches = std::move(patches);
    search->grids = std::move(grids);
    return true;
  }
  return false;
}

Search SearchGrid(const cv::Mat& grey, const capture::Board& board) {
  Search search;
  const int size = std::min(grey.cols, grey.rows);
  // Discs must be smaller than the window, changes of brightness wider.
  for (const int parts : {8, 3, 24}) {
    const int window = std::max(11, size / parts) | 1;
    for (const bool bright : {false, true}) {
      if (SearchPatches(FindPatches(grey, window, bright), board, &search)) return search;
    }
  }
  return search;
}

std::string DescribeSize(int columns, int rows, const capture::Board& board) {
  const bool asymmetric = board.type == capture::Board::Type::kAsymmetricCircles;
  return fmt::format("{} x {}{} circles", columns, rows, asymmetric ? " asymmetric" : "");
}

}  // namespace

BoardCorners FindCircleGrid(const cv::Mat& grey, const cv::Mat& light,
                            const capture::Board& board) {
  const bool asymmetric = board.type == capture::Board::Type::kAsymmetricCircles;
  CheckTargetRequest("FindCircleGrid", grey, light, board, asymmetric ? 2 : 3, 3);
  BoardCorners result;
  const Search search = SearchGrid(grey, board);
  if (search.grids.empty()) {
    result.reason = fmt::format("no {} found", DescribeTarget(board));
    if (search.other_columns > 0) {
      result.reason += fmt::format("; the picture shows {}",
                                   DescribeSize(search.other_columns, search.other_rows, board));
    }
    return result;
  }
  const DiscGrid& grid = search.grids.front();
  if (PatternGoesOn(grey, grid, search.patches, asymmetric)) {
    result.reason = fmt::format("the grid of circles has more than the described {}",
                                DescribeSize(board.columns, board.rows, board));
    return result;
  }

  const std::vector<MeasuredDisc> measured = MeasureDiscs(light, [&] {
    std::vector<DiscPatch> discs;
    for (const std::size_t disc : grid.discs) discs.push_back(search.patches[disc]);
    return discs;
  }());
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  int num_measured = 0;
  for (const MeasuredDisc& disc : measured) {
    num_measured += disc.ok ? 1 : 0;
    result.pixels.push_back(disc.ok ? disc.centroid : Eigen::Vector2d(kNan, kNan));
    result.covariances_px2.push_back(disc.ok ? disc.covariance : Eigen::Matrix2d::Constant(kNan));
  }
  const int num_discs = board.columns * board.rows;
  if (2 * num_measured < num_discs) {
    BoardCorners refused;
    refused.reason = fmt::format("only {} of {} circles are sharp enough to be measured",
                                 num_measured, num_discs);
    return refused;
  }
  result.found = true;
  result.order_known = search.grids.size() == 1;
  // The other ways to see the grid, as orders of the first.
  std::vector<GridOrder> orders;
  Points centres;
  for (const std::size_t disc : grid.discs) centres.push_back(search.patches[disc].centre);
  for (const DiscGrid& other : search.grids) {
    GridOrder order;
    for (const std::size_t disc : other.discs) {
      order.push_back(static_cast<std::size_t>(
          std::find(grid.discs.begin(), grid.discs.end(), disc) - grid.discs.begin()));
    }
    orders.push_back(std::move(order));
  }
  Reorder(MostToTheRight(orders, centres, board.columns, board.rows), &result);
  return result;
}

std::optional<std::string> DescribeOtherCircleGrid(const cv::Mat& grey,
                                                   const capture::Board& board) {
  const Search search = SearchGrid(grey, board);
  if (search.other_columns == 0) return std::nullopt;
  return DescribeSize(search.other_columns, search.other_rows, board);
}

}  // namespace percuss::calibration
