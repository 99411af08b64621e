// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_sound.h"

#include <algorithm>
#include <cmath>

namespace percuss::pipeline {
namespace {

constexpr double kAgree = 3e-3, kLongestDelay = 0.2;  // [s]

std::vector<tracking::HeardContact> HeardAt(const capture::ContactOnsets& onsets,
                                            const tracking::BounceFit& fit, double delay) {
  std::vector<tracking::HeardContact> heard;
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    const double due = fit.bounces[k].time + delay;
    const capture::ContactOnset* nearest = nullptr;
    for (const capture::ContactOnset& onset : onsets.onsets) {
      if (nearest == nullptr || std::abs(onset.time - due) < std::abs(nearest->time - due))
        nearest = &onset;
    }
    const double sigma = fit.Sigma(k, tracking::kBounceTime);
    if (nearest != nullptr && std::abs(nearest->time - due) < kAgree + 3.0 * sigma)
      heard.push_back({static_cast<int>(k), nearest->time, nearest->sigma});
  }
  return heard;
}

}  // namespace

ClipSound HearContacts(const capture::ContactOnsets& onsets, capture::SeriesOptions options,
                       const tracking::BounceFit& fit, bool slow) {
  ClipSound sound;
  if (slow) {
    sound.reason = "slow motion, whose sound is not of its pictures' time";
    return sound;
  }
  if (!onsets.reason.empty()) {
    sound.reason = onsets.reason;
    return sound;
  }
  // What the pictures tell of the air, in metres by gravity.
  const double radius = options.gravity / fit.gravity.value;
  options.drag = std::max(0.0, fit.drag.value / radius);
  options.drag_sigma = fit.drag.sigma / radius;
  sound.series = capture::FindBounceSeries(onsets, options);
  double best_spread = 0.0;
  for (const capture::ContactOnset& onset : onsets.onsets) {
    for (const tracking::BounceEstimate& bounce : fit.bounces) {
      const double delay = onset.time - bounce.time;
      if (std::abs(delay) > kLongestDelay) continue;
      std::vector<tracking::HeardContact> heard = HeardAt(onsets, fit, delay);
      double spread = 0.0;
      for (const tracking::HeardContact& one : heard)
        spread += std::abs(one.time - fit.bounces[one.bounce].time - delay);
      if (heard.size() > sound.heard.size() ||
          (heard.size() == sound.heard.size() && spread < best_spread)) {
        sound.heard = std::move(heard);
        best_spread = spread;
      }
    }
  }
  if (sound.heard.size() < 2) {
    sound.heard.clear();
    sound.reason = "no two sudden sounds are as far apart as the bounces that the pictures show";
  }
  return sound;
}

}  // namespace percuss::pipeline
