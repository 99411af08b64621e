// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/suspects/distance_match.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace percuss::pipeline {
namespace {

constexpr double kTolerance = 0.0015, kRelative = 0.01;  // as tracking::LayoutSearchOptions
constexpr int kMinMatched = 4;  // three distances with a free factor match by chance

struct Matcher {
  const Eigen::MatrixXd& measured;
  Eigen::MatrixXd stated;

  bool Fits(int a, int b, int i, int j, double scale) const {
    const double known = stated(i, j);
    return std::abs(known - scale * measured(a, b)) < kTolerance + kRelative * known;
  }
  int NumTracks() const { return static_cast<int>(measured.rows()); }
  int NumMarkers() const { return static_cast<int>(stated.rows()); }

  /// Tracks a, b are markers i, j: whatever else fits.
  DistanceMatch Extend(int a, int b, int i, int j) const {
    DistanceMatch match;
    match.scale = stated(i, j) / measured(a, b);
    match.marker_of.assign(measured.rows(), -1);
    match.marker_of[a] = i;
    match.marker_of[b] = j;
    match.matched = 2;
    std::vector<bool> taken(stated.rows(), false);
    taken[i] = taken[j] = true;
    for (int c = 0; c < NumTracks(); ++c) {
      if (match.marker_of[c] >= 0) continue;
      for (int k = 0; k < NumMarkers(); ++k) {
        if (taken[k]) continue;
        bool fits = true;
        for (int d = 0; fits && d < NumTracks(); ++d)
          fits = match.marker_of[d] < 0 || Fits(c, d, k, match.marker_of[d], match.scale);
        if (!fits) continue;
        match.marker_of[c] = k;
        taken[k] = true;
        ++match.matched;
        break;
      }
    }
    return match;
  }

  /// The factor of all matched distances together.
  void Refine(DistanceMatch* match) const {
    double product = 0.0, square = 0.0;
    const auto for_pairs = [&](const auto& visit) {
      for (int a = 0; a < NumTracks(); ++a) {
        for (int b = 0; b < a; ++b) {
          if (match->marker_of[a] >= 0 && match->marker_of[b] >= 0)
            visit(stated(match->marker_of[a], match->marker_of[b]), measured(a, b));
        }
      }
    };
    for_pairs([&](double known, double seen) {
      product += known * seen;
      square += seen * seen;
    });
    match->scale = product / square;
    double errors = 0.0;
    for_pairs(
        [&](double known, double seen) { errors += std::pow(known - match->scale * seen, 2); });
    // As many distances are independent as there are coordinates beyond a pose.
    const double degrees = std::max(1, 3 * match->matched - 7);
    const double pairs = 0.5 * match->matched * (match->matched - 1);
    match->sigma = std::sqrt(errors / pairs * (3.0 * match->matched) / degrees / square);
  }
};

}  // namespace

std::vector<DistanceMatch> MatchDistances(const tracking::RigidGroup& group,
                                          const tracking::MarkerLayout& layout) {
  std::vector<DistanceMatch> best;
  if (group.tracks.size() < kMinMatched) return best;
  Matcher matcher{group.distances, {}};
  const auto count = static_cast<Eigen::Index>(layout.p_BM.size());
  matcher.stated.resize(count, count);
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j)
      matcher.stated(i, j) = (layout.p_BM[i] - layout.p_BM[j]).norm();
  }
  // From the farthest pairs of the group, which know the factor best.
  std::vector<std::pair<double, std::pair<int, int>>> pairs;
  for (int a = 0; a < matcher.NumTracks(); ++a) {
    for (int b = 0; b < a; ++b) pairs.push_back({-group.distances(a, b), {a, b}});
  }
  std::ranges::sort(pairs);
  constexpr std::size_t kMaxPairs = 6;
  pairs.resize(std::min(pairs.size(), kMaxPairs));
  int most = kMinMatched;
  for (const auto& [length, pair] : pairs) {
    for (int i = 0; i < matcher.NumMarkers(); ++i) {
      for (int j = 0; j < matcher.NumMarkers(); ++j) {
        if (i == j) continue;
        DistanceMatch match = matcher.Extend(pair.first, pair.second, i, j);
        if (match.matched < most) continue;
        if (match.matched > most) best.clear();
        most = match.matched;
        matcher.Refine(&match);
        const bool known = std::ranges::any_of(best, [&](const DistanceMatch& other) {
          return std::abs(other.scale / match.scale - 1.0) < kRelative;
        });
        if (!known) best.push_back(std::move(match));
      }
    }
  }
  return best;
}

}  // namespace percuss::pipeline
