// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/spots/mask_components.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace percuss::tracking {
namespace {

/// The first place from `x` on that is not zero, or `end`.
int NextNonZero(const uchar* row, int x, int end) {
  std::array<std::uint64_t, 4> words{};
  constexpr int kWord = sizeof(words[0]);
  while (x + static_cast<int>(sizeof(words)) <= end) {  // most of a mask is empty
    std::memcpy(words.data(), row + x, sizeof(words));
    if ((words[0] | words[1] | words[2] | words[3]) != 0) break;
    x += static_cast<int>(sizeof(words));
  }
  while (x + kWord <= end) {
    std::memcpy(words.data(), row + x, kWord);
    if (words[0] != 0) break;
    x += kWord;
  }
  while (x < end && row[x] == 0) ++x;
  return x;
}

/// Sets of runs: each points to one of its set, the first one to itself.
class DisjointRuns {
 public:
  explicit DisjointRuns(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t First(std::size_t run) {
    while (parent_[run] != run) run = parent_[run] = parent_[parent_[run]];
    return run;
  }
  void Join(std::size_t a, std::size_t b) {
    a = First(a);
    b = First(b);
    (a < b ? parent_[b] : parent_[a]) = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::vector<MaskRun> RunsOf(const cv::Mat& mask) {
  std::vector<MaskRun> runs;
  for (int y = 0; y < mask.rows; ++y) {
    const uchar* row = mask.ptr<uchar>(y);
    for (int x = NextNonZero(row, 0, mask.cols); x < mask.cols;
         x = NextNonZero(row, x, mask.cols)) {
      const int begin = x;
      while (x < mask.cols && row[x] != 0) ++x;
      runs.push_back({y, begin, x});
    }
  }
  return runs;
}

std::vector<MaskComponent> ComponentsOf(const cv::Mat& mask) { return ComponentsOf(RunsOf(mask)); }

std::vector<MaskComponent> ComponentsOf(const std::vector<MaskRun>& runs) {
  DisjointRuns sets(runs.size());
  std::size_t above = 0;  // the first run that may touch the present one from the row before
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const auto ends_before = [&](const MaskRun& other) {
      return other.y + 1 < runs[k].y || (other.y + 1 == runs[k].y && other.x_end < runs[k].x_begin);
    };
    while (above < k && ends_before(runs[above])) ++above;
    for (std::size_t other = above;
         other < k && runs[other].y + 1 == runs[k].y && runs[other].x_begin <= runs[k].x_end;
         ++other) {
      sets.Join(other, k);
    }
  }

  std::vector<MaskComponent> components;
  std::vector<std::size_t> component_of(runs.size());
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const std::size_t first = sets.First(k);
    if (first == k) {
      component_of[k] = components.size();
      components.emplace_back();
    }
    MaskComponent& component = components[component_of[first]];
    const cv::Rect box(runs[k].x_begin, runs[k].y, runs[k].x_end - runs[k].x_begin, 1);
    component.box = component.runs.empty() ? box : component.box | box;
    component.area += box.width;
    component.runs.push_back(runs[k]);
  }
  return components;
}

}  // namespace percuss::tracking
