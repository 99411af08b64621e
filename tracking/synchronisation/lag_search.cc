// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/lag_search.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>

#include "base/math/statistics.h"
#include "tracking/synchronisation/lag_likelihood.h"
#include "tracking/synchronisation/moving_spots.h"

namespace percuss::tracking {
namespace {

constexpr int kMinMovingSpots = 30;  // of each video
// Bounds the time of the search: pairs of spots that are looked at.
constexpr double kMaxSpotPairs = 2e6;
constexpr std::size_t kMaxRefined = 10;
constexpr int kMinLagsApart = 2;
constexpr double kHitPx = 2.0;      // beside half a frame of motion
constexpr double kBesidePx = 20.0;  // to count spots about a line
constexpr double kByChance = 0.01;  // less often than this is not by chance
constexpr std::array kShares = {0.3, 0.6, 0.9};

/// Number of intervals since the first frame.
std::vector<int> SlotsOf(const std::vector<double>& times, double interval) {
  std::vector<int> slots;
  for (const double time : times)
    slots.push_back(static_cast<int>(std::lround((time - times[0]) / interval)));
  return slots;
}

/// Scores of all whole lags, and what they need.
class CoarseSearch {
 public:
  CoarseSearch(const LagData& data, const std::array<double, 2>& within)
      : data_(data),
        within_(within),
        left_slots_(SlotsOf(data.left_times, data.interval)),
        right_slots_(SlotsOf(data.right_times, data.interval)),
        start_(data.left_times[0] - data.right_times[0]) {
    for (auto& scores : scores_)
      scores.assign(static_cast<std::size_t>(left_slots_.back() + right_slots_.back() + 1), 0.0);
  }

  /// Counts for one left spot, whose background is found on the way.
  void Add(LeftSpot* left) {
    const Eigen::Vector3f line = (data_.focal_length * left->line).cast<float>();
    hits_.assign(data_.right.size(), false);
    int hits = 0, moving_frames = 0, beside = 0;
    for (std::size_t m = 0; m < data_.right.size(); ++m) {
      const RightFrame& frame = data_.right[m];
      if (!frame.usable || frame.spots.empty()) continue;
      ++moving_frames;
      bool hit = false;
      for (std::size_t j = frame.first; j < frame.first + frame.spots.size(); ++j) {
        const float distance = std::abs(line.x() * data_.x[j] + line.y() * data_.y[j] + line.z());
        const float step = std::abs(line.x() * data_.step_x[j] + line.y() * data_.step_y[j]);
        hit |= distance <= 0.5f * step + static_cast<float>(kHitPx);
        beside += distance <= static_cast<float>(kBesidePx);
      }
      hits_[m] = hit;
      hits += hit;
    }
    left->density = (beside + 1.0) / (2.0 * kBesidePx * moving_frames);
    Score(*left, (hits + 0.5) / (moving_frames + 1.0));
  }

  /// Of those that come into question.
  double NumLags() const {
    double count = 0.0;
    for (std::size_t lag = 0; lag < scores_[0].size(); ++lag) count += Within(lag);
    return count;
  }

  /// Offsets [s] of the best lags, best first.
  std::vector<double> Best() const {
    const std::size_t count = scores_[0].size();
    std::vector<double> best(count);
    for (std::size_t lag = 0; lag < count; ++lag) {
      best[lag] = std::max({0.0, scores_[0][lag], scores_[1][lag], scores_[2][lag]});
    }
    std::vector<std::size_t> order;
    for (std::size_t lag = 0; lag < count; ++lag) {
      const bool rises = lag == 0 || best[lag] >= best[lag - 1];
      const bool falls = lag + 1 == count || best[lag] >= best[lag + 1];
      if (best[lag] > 0.0 && rises && falls && Within(lag)) order.push_back(lag);
    }
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return best[a] > best[b]; });
    std::vector<double> offsets;
    std::vector<int> lags;
    for (const std::size_t index : order) {
      const int lag = static_cast<int>(index) - right_slots_.back();
      if (std::ranges::any_of(lags,
                              [&](int other) { return std::abs(other - lag) < kMinLagsApart; }))
        continue;
      lags.push_back(lag);
      offsets.push_back(start_ + lag * data_.interval);
      if (lags.size() == kMaxRefined) break;
    }
    return offsets;
  }

 private:
  bool Within(std::size_t index) const {
    const double offset =
        start_ + (static_cast<double>(index) - right_slots_.back()) * data_.interval;
    return offset >= within_[0] && offset <= within_[1];
  }

  /// @param by_chance probability of a hit at a wrong lag.
  void Score(const LeftSpot& left, double by_chance) {
    for (std::size_t i = 0; i < kShares.size(); ++i) {
      const double share = kShares[i];
      const double of_hit = std::log((share + (1.0 - share) * by_chance) / by_chance);
      const double of_miss = std::log(1.0 - share);
      const int first = left_slots_[left.frame] + right_slots_.back();
      for (std::size_t m = 0; m < data_.right.size(); ++m) {
        if (!data_.right[m].usable) continue;
        scores_[i][static_cast<std::size_t>(first - right_slots_[m])] +=
            hits_[m] ? of_hit : of_miss;
      }
    }
  }

  const LagData& data_;
  std::array<double, 2> within_;  ///< [s]
  std::vector<int> left_slots_, right_slots_;
  double start_ = 0.0;
  std::array<std::vector<double>, kShares.size()> scores_;  ///< [share][lag]
  std::vector<char> hits_;                                  ///< [right frame]
};

/// Variance of the sum of correlated values, and what it would be without their correlation (W.
/// Newey, K. West, Econometrica 55, 1987).
std::array<double, 2> VarianceOfSum(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  const auto bandwidth = static_cast<std::size_t>(4.0 * std::pow(n / 100.0, 2.0 / 9.0)) + 1;
  double alone = 0.0, sum = 0.0;
  for (std::size_t apart = 0; apart <= bandwidth && apart < values.size(); ++apart) {
    double product = 0.0;
    for (std::size_t k = apart; k < values.size(); ++k)
      product += (values[k] - mean) * (values[k - apart] - mean);
    if (apart == 0) alone = product;
    const double weight = 1.0 - static_cast<double>(apart) / (static_cast<double>(bandwidth) + 1.0);
    sum += (apart == 0 ? 1.0 : 2.0 * weight) * product;
  }
  return {std::max(sum, alone), alone};
}

/// Probability that the best of `num_lags` wrong lags has this much evidence or more. Were all
/// frames independent, chance would give one lag a likelihood ratio of x at most once in x times
/// (R. Royall, Journal of the American Statistical Association 95, 2000). As many frames as are
/// correlated count as one, at least those that a spot stays about a line which it passes by
/// chance: four sigmas at the slowest that counts as motion.
double ChanceOf(const RefinedLag& lag, double num_lags) {
  std::vector<double> ratios;
  std::ranges::copy_if(lag.by_frame, std::back_inserter(ratios),
                       [](double ratio) { return std::isfinite(ratio); });
  if (ratios.empty()) return 1.0;
  const auto [correlated, alone] = VarianceOfSum(ratios);
  constexpr double kLeast = 3.0 * kLargestSigmaPx / kMinSpeedPx;
  const double frames = std::max(kLeast, alone > 0.0 ? correlated / alone : 0.0);
  return std::min(1.0, num_lags * std::exp(-lag.candidate.evidence / frames));
}

/// Probability that `rival` is as near to the truth as `best` where the frames that overlap at both
/// lags differ like this (one-sided): Vuong's statistic, taken for one of Student's.
double DoubtBetween(const RefinedLag& best, const RefinedLag& rival) {
  std::vector<double> difference;
  for (std::size_t k = 0; k < best.by_frame.size(); ++k) {
    const double one = best.by_frame[k] - rival.by_frame[k];
    if (std::isfinite(one)) difference.push_back(one);
  }
  if (difference.size() < 3) return 1.0;
  const double variance = VarianceOfSum(difference)[0];
  if (!(variance > 0.0)) return 1.0;
  const double t = std::accumulate(difference.begin(), difference.end(), 0.0) / std::sqrt(variance);
  // D. Wallace, Annals of Mathematical Statistics 30, 1959: from Student's t to a normal variable.
  const auto dof = static_cast<double>(difference.size() - 1);
  const double z = std::copysign(
      (8.0 * dof + 1.0) / (8.0 * dof + 3.0) * std::sqrt(dof * std::log1p(t * t / dof)), t);
  return NormalCdf(-z);
}

/// Probability that `rival` is right rather than `best`. What is there by chance is none: if it
/// were right, all of the best one's evidence would be chance. What is not by chance shares with
/// the best one a motion that is slow or repeats itself.
double DoubtBy(const RefinedLag& rival, const RefinedLag& best, double num_lags, double by_chance) {
  return ChanceOf(rival, num_lags) > kByChance ? by_chance : DoubtBetween(best, rival);
}

/// The best lags and what speaks against the first, in frames of the whole video.
struct Judgement {
  LagEstimate estimate;
  bool too_slow = false;  ///< a step of more frames may tell more
};

Judgement Judge(const LagData& data, double interval, double num_lags, double max_doubt,
                const std::vector<RefinedLag>& apart) {
  Judgement judgement;
  LagEstimate& estimate = judgement.estimate;
  estimate.spots = static_cast<int>(data.left.size());
  if (apart.empty()) {
    estimate.reason = "at no lag do more of the moving spots have partners than by chance";
    return judgement;
  }
  const RefinedLag& best = apart.front();
  const double by_chance = ChanceOf(best, num_lags);
  double beside = 0.0;
  for (const double frames : {-1.0, 1.0}) {
    const RefinedLag shifted = EvaluateLag(data, best.candidate.offset + frames * data.interval);
    beside += DoubtBy(shifted, best, num_lags, by_chance);
  }
  estimate.doubt = by_chance + beside;
  double rivals = 0.0;
  for (const RefinedLag& lag : apart) {
    estimate.candidates.push_back(lag.candidate);
    if (&lag == &best) continue;
    LagCandidate& candidate = estimate.candidates.back();
    candidate.doubt = DoubtBy(lag, best, num_lags, by_chance);
    rivals += candidate.doubt;
  }
  estimate.doubt = std::min(1.0, estimate.doubt + rivals);
  estimate.found = estimate.doubt < max_doubt;
  if (estimate.found) return judgement;
  const LagCandidate* rival = nullptr;
  for (std::size_t i = 1; i < estimate.candidates.size(); ++i) {
    const LagCandidate& other = estimate.candidates[i];
    if (!rival && other.doubt >= rivals / static_cast<double>(estimate.candidates.size()))
      rival = &other;
  }
  if (by_chance >= max_doubt) {
    estimate.reason = fmt::format(
        "at no lag do the {} moving spots of the left video have clearly more partners in the "
        "right one than by chance",
        estimate.spots);
  } else if (beside >= max_doubt || !rival) {
    estimate.reason =
        "it does not tell the lag to a frame: the spots move slowly or along their epipolar lines, "
        "or the calibration does not fit them";
    judgement.too_slow = true;
  } else {
    estimate.reason =
        fmt::format("lags of {:.1f} and {:.1f} frames explain it about equally well",
                    estimate.candidates.front().offset / interval, rival->offset / interval);
  }
  return judgement;
}

/// The search among every so many frames.
Judgement Search(const Views& views, const std::array<VideoSpots, 2>& spots,
                 const LagSearchOptions& options, int every) {
  LagData data = MakeLagData(views, spots, options.line_time, every);
  const std::array moving = {data.left.size(), data.x.size()};
  if (std::min(moving[0], moving[1]) < kMinMovingSpots) {
    LagEstimate estimate;
    estimate.reason = fmt::format(
        "{} spots move in the left video and {} in the right one, at least {} are needed",
        moving[0], moving[1], kMinMovingSpots);
    return {estimate, true};
  }
  KeepEvery(
      std::ceil(static_cast<double>(moving[0]) * static_cast<double>(moving[1]) / kMaxSpotPairs),
      &data.left);
  CoarseSearch coarse(data, options.within);
  for (LeftSpot& left : data.left) coarse.Add(&left);
  std::vector<double> offsets = coarse.Best();
  offsets.insert(offsets.end(), options.offsets.begin(), options.offsets.end());
  std::vector<RefinedLag> refined;
  for (const double offset : offsets) refined.push_back(RefineLag(data, offset));
  std::ranges::stable_sort(refined, [](const RefinedLag& a, const RefinedLag& b) {
    return a.candidate.evidence > b.candidate.evidence;
  });
  // The flanks of a better one are none of their own.
  std::vector<RefinedLag> apart;
  for (RefinedLag& lag : refined) {
    if (std::ranges::none_of(apart, [&](const RefinedLag& other) {
          return std::abs(other.candidate.offset - lag.candidate.offset) < data.interval;
        }))
      apart.push_back(std::move(lag));
  }
  return Judge(data, data.interval / every, coarse.NumLags(), options.max_doubt, apart);
}

}  // namespace

LagEstimate FindLag(const Views& views, const std::array<VideoSpots, 2>& spots,
                    const LagSearchOptions& options) {
  if (views.size() != 2) throw std::invalid_argument("FindLag: one view, allowed two");
  LagEstimate estimate;
  const std::size_t frames = std::min(spots[0].frames.size(), spots[1].frames.size());
  if (frames < 3) {
    estimate.reason = "fewer than 3 frames";
    return estimate;
  }
  // Fast cameras: what hardly moves from frame to frame does so from each eighth to the next.
  constexpr std::size_t kMinFrames = 20;
  for (const int every : {1, 2, 4, 8}) {
    if (every > 1 && frames < kMinFrames * static_cast<std::size_t>(every)) break;
    Judgement judgement = Search(views, spots, options, every);
    if (every == 1 || judgement.estimate.found) estimate = judgement.estimate;
    if (judgement.estimate.found || !judgement.too_slow) break;
  }
  return estimate;
}

}  // namespace percuss::tracking
