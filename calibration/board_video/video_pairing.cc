// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/board_video/video_pairing.h"

#include <fmt/core.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "base/math/statistics.h"
#include "calibration/board_video/epipolar_misfit.h"

namespace percuss::calibration {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kSearchFrames = 120;  // of the left video, for the search over all offsets
constexpr std::size_t kSearchPoints = 8;    // of the board
constexpr std::size_t kFinePoints = 16;
constexpr int kLeastPairs = 10;
constexpr double kLeastOverlap = 0.25;  // of the frames of the video with fewer
// Distances of the corners, as a search at half size finds them; below it no order is better than
// another.
constexpr double kNoisePx = 0.3;
// Of the distances over those of other orders. In the search unrelated motions of one rhythm reach
// 0.3 where few frames overlap, and 0.12 when refined (the tests draw them); frames of the same
// instants end at noise over motion, 0.02 or less.
constexpr double kPromising = 0.5, kWorstRatio = 0.07;
constexpr double kClearlyBetter = 2.0;

double Median(std::vector<double> values, double otherwise) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return values.empty() ? otherwise : percuss::Median(std::move(values));
}

double Spacing(const std::vector<TimedPoints>& frames) {
  std::vector<double> gaps;
  for (std::size_t k = 1; k < frames.size(); ++k) {
    gaps.push_back(frames[k].time - frames[k - 1].time);
  }
  return Median(std::move(gaps), 0.0);
}

std::vector<TimedPoints> Thinned(const std::vector<TimedPoints>& frames, std::size_t num_frames,
                                 std::size_t num_points) {
  std::vector<TimedPoints> thinned;
  const std::size_t step = std::max<std::size_t>(1, (frames.size() + num_frames - 1) / num_frames);
  for (std::size_t k = 0; k < frames.size(); k += step) {
    const std::vector<Eigen::Vector2d>& all = frames[k].points;
    TimedPoints& frame = thinned.emplace_back(TimedPoints{.time = frames[k].time, .points = {}});
    const std::size_t count = std::min(num_points, all.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = count < 2 ? 0 : i * (all.size() - 1) / (count - 1);
      frame.points.push_back(all[place]);
      if (!frames[k].delays.empty()) frame.delays.push_back(frames[k].delays[place]);
    }
  }
  return thinned;
}

// Both videos with as few frames and points as a task needs.
struct Tracks {
  std::vector<TimedPoints> left, right;
  double max_gap = 0.0;

  Tracks(const RayTrack& all_left, const RayTrack& all_right, std::size_t num_frames,
         std::size_t num_points)
      : left(Thinned(all_left.frames, num_frames, num_points)),
        right(Thinned(all_right.frames, std::numeric_limits<std::size_t>::max() / 2, num_points)),
        max_gap(all_right.max_gap) {}

  // One for each left frame; NaN where the right video does not show the board then.
  std::vector<RayPair> Pairs(const VideoPairing& pairing) const {
    std::vector<RayPair> pairs;
    for (const TimedPoints& frame : left) {
      const auto at = PointsAt(right, pairing.RightTime(frame.time), max_gap);
      pairs.push_back({frame.points, at ? at->points : Unknown(frame.points.size())});
    }
    return pairs;
  }

  static std::vector<Eigen::Vector2d> Unknown(std::size_t size) {
    return std::vector<Eigen::Vector2d>(
        size, Eigen::Vector2d::Constant(std::numeric_limits<double>::quiet_NaN()));
  }
};

void DropUnknown(std::vector<RayPair>* pairs) {
  std::erase_if(*pairs, [](const RayPair& pair) {
    return std::ranges::none_of(pair.right, [](const auto& p) { return p.allFinite(); });
  });
}

// The same pictures paired in another order: from the last to the first, or half of them later.
std::vector<RayPair> Reordered(const std::vector<RayPair>& pairs, bool backwards) {
  std::vector<RayPair> others = pairs;
  const std::size_t count = pairs.size();
  for (std::size_t k = 0; k < count; ++k) {
    others[k].right = pairs[backwards ? count - 1 - k : (k + count / 2) % count].right;
  }
  return others;
}

struct Score {
  double offset = 0.0, misfit_px = kInfinity, other_px = 0.0, ratio = kInfinity;
  int num_pairs = 0;
};

Score ScoreOf(std::vector<RayPair> pairs, double focal_px, int least, int rounds) {
  Score score;
  DropUnknown(&pairs);
  score.num_pairs = static_cast<int>(pairs.size());
  if (score.num_pairs < least) return score;
  const auto misfit_px = [&](const std::vector<RayPair>& of) {
    return focal_px * std::sqrt(MeasureEpipolarMisfit(of, rounds).mean);
  };
  score.misfit_px = misfit_px(pairs);
  score.other_px = std::max(misfit_px(Reordered(pairs, true)), misfit_px(Reordered(pairs, false)));
  score.ratio = (score.misfit_px + kNoisePx) / (score.other_px + kNoisePx);
  return score;
}

// All offsets at which the videos overlap, in steps of half a gap between frames.
std::vector<Score> SearchOffsets(const Tracks& tracks, double focal_px) {
  const double step = 0.5 * std::min(Spacing(tracks.left), Spacing(tracks.right));
  const int least = std::max(
      kLeastPairs, static_cast<int>(kLeastOverlap * static_cast<double>(std::min(
                                                        tracks.left.size(), tracks.right.size()))));
  std::vector<Score> scores;
  if (!(step > 0.0)) return scores;
  const double first = tracks.left.front().time - tracks.right.back().time;
  const double last = tracks.left.back().time - tracks.right.front().time;
  for (double offset = first; offset <= last; offset += step) {
    scores.push_back(ScoreOf(tracks.Pairs({.reason = {}, .offset = offset}), focal_px, least, 1));
    scores.back().offset = offset;
  }
  return scores;
}

// The lowest places of the curve, the best first.
std::vector<Score> Minima(const std::vector<Score>& scores) {
  std::vector<Score> minima;
  const auto ratio = [&](std::ptrdiff_t k) {
    return k < 0 || k >= std::ssize(scores) ? kInfinity : scores[static_cast<std::size_t>(k)].ratio;
  };
  for (std::ptrdiff_t k = 0; k < std::ssize(scores); ++k) {
    const bool lowest = ratio(k) < kInfinity && ratio(k) <= ratio(k - 1) && ratio(k) < ratio(k + 1);
    if (lowest) minima.push_back(scores[static_cast<std::size_t>(k)]);
  }
  std::ranges::sort(minima, {}, &Score::ratio);
  return minima;
}

// The sum of squares over the pairs that belong together: those far beyond the others are left out.
class FineMisfit {
 public:
  FineMisfit(const Tracks& tracks, double focal_px) : tracks_(tracks), focal_px_(focal_px) {}

  void Choose(const VideoPairing& pairing) {
    constexpr double kFar = 25.0;  // times the median square
    const EpipolarMisfit misfit = MeasureEpipolarMisfit(tracks_.Pairs(pairing), kRounds);
    const double limit = kFar * Median(misfit.squares, kInfinity);
    used_.clear();
    for (const double square : misfit.squares) used_.push_back(square <= limit ? 1 : 0);
  }

  int NumUsed() const { return static_cast<int>(std::ranges::count(used_, 1)); }

  // Mean square distance [px^2].
  double At(const VideoPairing& pairing) const {
    return focal_px_ * focal_px_ *
           MeasureEpipolarMisfit(tracks_.Pairs(pairing), kRounds, used_).mean;
  }

 private:
  static constexpr int kRounds = 2;
  const Tracks& tracks_;
  double focal_px_;
  std::vector<char> used_;
};

// The lowest place of the parabola through three places a step apart, at most `reach` steps away,
// and the standard deviation of the variable there.
struct Lowest {
  double value, sigma;
};

Lowest LowestOf(const FineMisfit& misfit, VideoPairing pairing, double VideoPairing::*variable,
                double step, double reach) {
  const double start = pairing.*variable;
  const double middle = misfit.At(pairing);
  pairing.*variable = start - step;
  const double before = misfit.At(pairing);
  pairing.*variable = start + step;
  const double after = misfit.At(pairing);
  const double slope = 0.5 * (after - before) / step;
  const double curvature = (after - 2.0 * middle + before) / (step * step);
  if (!(curvature > 0.0)) return {after < before ? start + step : start - step, kInfinity};
  const double shift = std::clamp(-slope / curvature, -reach * step, reach * step);
  // Errors of lens and corners are alike in all points of a pair, so each pair counts as one.
  const double least = std::max(middle - 0.5 * slope * slope / curvature, 0.0);
  return {start + shift, std::sqrt(2.0 * least / (curvature * misfit.NumUsed()))};
}

void RefineOffset(const FineMisfit& misfit, double step, VideoPairing* pairing) {
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round, step *= 0.4) {
    const Lowest lowest = LowestOf(misfit, *pairing, &VideoPairing::offset, step, 2.0);
    pairing->offset = lowest.value;
    pairing->offset_sigma = lowest.sigma;
  }
}

// Newton's method for the offset and the drift, the shift at the ends of the common time, together.
// Clocks that run apart show in videos of some length; otherwise they run alike.
void RefineRate(const FineMisfit& misfit, double duration, double step, VideoPairing* pairing) {
  constexpr double kLeastDuration = 4.0;  // [s]
  constexpr double kClear = 4.0;          // sigmas
  if (duration < kLeastDuration) return;
  VideoPairing apart = *pairing;
  double drift_sigma = kInfinity;
  const auto moved = [&](double shift, double drift) {
    VideoPairing result = apart;
    result.offset += shift;
    result.rate += 2.0 * drift / duration;
    return result;
  };
  for (int round = 0; round < 4; ++round, step *= 0.5) {
    const auto at = [&](double shift, double drift) {
      return misfit.At(moved(shift * step, drift * step));
    };
    const double middle = at(0, 0), x1 = at(1, 0), x0 = at(-1, 0), y1 = at(0, 1), y0 = at(0, -1);
    const Eigen::Vector2d gradient(0.5 * (x1 - x0), 0.5 * (y1 - y0));
    Eigen::Matrix2d hessian;
    const double mixed = 0.5 * (at(1, 1) + at(-1, -1) - x1 - x0 - y1 - y0) + middle;
    hessian << x1 - 2.0 * middle + x0, mixed, mixed, y1 - 2.0 * middle + y0;
    const Eigen::Matrix2d inverse = hessian.inverse();
    if (!(hessian.determinant() > 0.0) || !(hessian(0, 0) > 0.0)) return;
    const Eigen::Vector2d shift = (-(inverse * gradient)).cwiseMax(-3.0).cwiseMin(3.0);
    apart = moved(step * shift.x(), step * shift.y());
    drift_sigma = step * std::sqrt(2.0 * misfit.At(apart) * inverse(1, 1) / misfit.NumUsed());
  }
  if (std::abs(apart.rate) > kClear * 2.0 * drift_sigma / duration) *pairing = apart;
}

VideoPairing Refined(const Tracks& tracks, const Score& score, double focal_px) {
  VideoPairing pairing{.found = true, .reason = {}, .offset = score.offset};
  const double first = std::max(tracks.left.front().time, tracks.right.front().time + score.offset);
  const double last = std::min(tracks.left.back().time, tracks.right.back().time + score.offset);
  pairing.middle = 0.5 * (first + last);
  FineMisfit misfit(tracks, focal_px);
  const double step = 0.25 * std::min(Spacing(tracks.left), Spacing(tracks.right));
  for (const double part : {1.0, 0.6, 0.3, 0.1}) {
    misfit.Choose(pairing);
    RefineOffset(misfit, part * step, &pairing);
    RefineRate(misfit, last - first, part * step, &pairing);
  }
  pairing.misfit_px = std::sqrt(misfit.At(pairing));
  pairing.num_pairs = misfit.NumUsed();
  return pairing;
}

// As many more of a left video as it is longer: the frames of the common time count.
std::size_t SearchFrames(const RayTrack& left, const RayTrack& right) {
  constexpr double kMost = 8.0;
  const auto duration = [](const RayTrack& track) {
    return track.frames.empty() ? 0.0 : track.frames.back().time - track.frames.front().time;
  };
  const double ratio = duration(right) > 0.0 ? duration(left) / duration(right) : kMost;
  return static_cast<std::size_t>(std::clamp(ratio, 1.0, kMost) * kSearchFrames);
}

VideoPairing NotFound(std::string reason) { return {.found = false, .reason = std::move(reason)}; }

}  // namespace

VideoPairing PairVideos(const RayTrack& left, const RayTrack& right) {
  const double focal_px = std::sqrt(left.focal_px * right.focal_px);
  const Tracks coarse(left, right, SearchFrames(left, right), kSearchPoints);
  if (std::min(coarse.left.size(), coarse.right.size()) < kLeastPairs) {
    return NotFound(
        fmt::format("the board is found in {} frames of one and {} of the other, at "
                    "least {} are needed",
                    left.frames.size(), right.frames.size(), kLeastPairs));
  }
  const std::vector<Score> minima = Minima(SearchOffsets(coarse, focal_px));
  if (minima.empty()) {
    return NotFound("at no offset do both show the board in enough frames");
  }
  const Score& best = minima.front();
  if (!(best.ratio < kWorstRatio)) {
    return NotFound(fmt::format(
        "at the best offset, {:.2f} s, points are {:.1f} px from where the other video "
        "has them, and {:.1f} px with the frames in another order: does the board move, "
        "and do both show the same motion?",
        best.offset, best.misfit_px, best.other_px));
  }
  const Tracks fine(left, right, std::numeric_limits<std::size_t>::max() / 2, kFinePoints);
  constexpr std::size_t kRivals = 3;
  std::vector<VideoPairing> refined;
  Score nearest = best;
  for (std::size_t k = 0; k < std::min(kRivals, minima.size()); ++k) {
    if (!(minima[k].ratio < kPromising)) continue;
    const VideoPairing pairing = Refined(fine, minima[k], focal_px);
    const Score score = ScoreOf(fine.Pairs(pairing), focal_px, kLeastPairs, 3);
    if (score.ratio < kWorstRatio) refined.push_back(pairing);
    if (score.ratio < nearest.ratio) nearest = score;
  }
  if (refined.empty()) {
    return NotFound(fmt::format(
        "at the best offset points are {:.1f} px from where the other video has them, and {:.1f} "
        "px with the frames in another order: does the board move, and do both show the same "
        "motion?",
        nearest.misfit_px, nearest.other_px));
  }
  // A rival with far fewer pairs fits because there is little to fit.
  int most = 0;
  for (const VideoPairing& pairing : refined) most = std::max(most, pairing.num_pairs);
  std::erase_if(refined, [&](const VideoPairing& p) { return 2 * p.num_pairs < most; });
  std::ranges::sort(refined, {}, &VideoPairing::misfit_px);
  const double apart = 2.0 * Spacing(coarse.left);
  for (std::size_t k = 1; k < refined.size(); ++k) {
    const bool same = std::abs(refined[k].offset - refined[0].offset) < apart;
    if (same || refined[k].misfit_px > kClearlyBetter * refined[0].misfit_px + kNoisePx) continue;
    return NotFound(fmt::format(
        "they fit at offsets of {:.2f} and of {:.2f} s alike ({:.1f} and {:.1f} px): wave the "
        "board "
        "less evenly",
        refined[0].offset, refined[k].offset, refined[0].misfit_px, refined[k].misfit_px));
  }
  return refined.front();
}

}  // namespace percuss::calibration
