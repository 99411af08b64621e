// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/bounces/bounce_sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::pipeline {
namespace {

constexpr double kAgree = 3e-3, kLongestDelay = 0.2;  // [s]
constexpr double kEchoSpan = 0.08;                    // [s]
constexpr double kTimeFloor = 1e-3;  // [s]: what times of bounces by eye are not better than
constexpr double kMissed = 0.1;      // of the contacts nothing is heard
constexpr double kSoundOdds = 100.0;

/// The sounds of contacts at one delay.
struct Hearing {
  std::vector<tracking::HeardContact> heard;
  double log_odds = 0.0;  ///< against sounds at random
};

const capture::ContactOnset* NearestTo(double time, const capture::ContactOnsets& onsets) {
  const capture::ContactOnset* nearest = nullptr;
  for (const capture::ContactOnset& onset : onsets.onsets) {
    if (nearest == nullptr || std::abs(onset.time - time) < std::abs(nearest->time - time))
      nearest = &onset;
  }
  return nearest;
}

/// How many sounds per second are none of these, nor echoes of one, while the ball bounces: half a
/// sound more than were counted.
double RateOfOthers(const capture::ContactOnsets& onsets,
                    const std::vector<const capture::ContactOnset*>& contacts, double first,
                    double last) {
  const double begin = std::max(first - kLongestDelay, onsets.start),
               end = std::min(last + kLongestDelay, onsets.end);
  double others = 0.5;
  for (const capture::ContactOnset& onset : onsets.onsets) {
    if (onset.time < begin || onset.time > end) continue;
    others += std::ranges::none_of(contacts, [&](const capture::ContactOnset* contact) {
      const double after = onset.time - contact->time;
      return &onset == contact ||
             (after > 0.0 && after < kEchoSpan && onset.rise_db < contact->rise_db);
    });
  }
  return others / std::max(end - begin, 2.0 * kLongestDelay);
}

Hearing HearAt(const capture::ContactOnsets& onsets, const tracking::BounceFit& fit, double delay) {
  Hearing hearing;
  std::vector<const capture::ContactOnset*> contacts;
  double mean = 0.0;
  for (std::size_t k = 0; k < fit.bounces.size(); ++k) {
    const double due = fit.bounces[k].time + delay;
    const capture::ContactOnset* nearest = NearestTo(due, onsets);
    if (nearest == nullptr ||
        std::abs(nearest->time - due) > kAgree + 3.0 * fit.Sigma(k, tracking::kBounceTime))
      continue;
    hearing.heard.push_back({static_cast<int>(k), nearest->time, nearest->sigma});
    contacts.push_back(nearest);
    mean += nearest->time - fit.bounces[k].time;
  }
  if (contacts.empty()) return hearing;
  mean /= static_cast<double>(contacts.size());
  const double rate = RateOfOthers(onsets, contacts, fit.bounces.front().time + delay,
                                   fit.bounces.back().time + delay);
  // The first sound says when, each further one that it agrees.
  hearing.log_odds = -std::log(2.0 * kLongestDelay * rate);
  for (std::size_t k = 1; k < contacts.size(); ++k) {
    const auto bounce = static_cast<std::size_t>(hearing.heard[k].bounce);
    const double sigma =
        std::hypot(hearing.heard[k].sigma, fit.Sigma(bounce, tracking::kBounceTime), kTimeFloor);
    const double off = (contacts[k]->time - fit.bounces[bounce].time - mean) / sigma;
    hearing.log_odds +=
        -0.5 * off * off - std::log(sigma * std::sqrt(2.0 * std::numbers::pi) * rate);
  }
  hearing.log_odds += static_cast<double>(fit.bounces.size() - contacts.size()) * std::log(kMissed);
  return hearing;
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
  if (fit.bounces.size() < 2) {
    sound.reason = "one bounce has no interval that could tell which sound is its own";
    return sound;
  }
  Hearing best;
  for (const capture::ContactOnset& onset : onsets.onsets) {
    for (const tracking::BounceEstimate& bounce : fit.bounces) {
      const double delay = onset.time - bounce.time;
      if (std::abs(delay) > kLongestDelay) continue;
      Hearing hearing = HearAt(onsets, fit, delay);
      if (hearing.heard.size() > 1 && (best.heard.empty() || hearing.log_odds > best.log_odds))
        best = std::move(hearing);
    }
  }
  if (best.heard.empty()) {
    sound.reason = "no two sudden sounds are as far apart as the bounces that the pictures show";
    return sound;
  }
  if (best.log_odds < std::log(kSoundOdds)) {
    sound.reason = fmt::format(
        "{} of {} sudden sounds are as far apart as bounces, which may be chance: is it music, or "
        "voices?",
        best.heard.size(), onsets.onsets.size());
    return sound;
  }
  sound.heard = std::move(best.heard);
  // What the pictures tell of the air, in metres by gravity.
  const double radius = options.gravity / fit.gravity.value;
  options.drag = std::max(0.0, fit.drag.value / radius);
  options.drag_sigma = fit.drag.sigma / radius;
  sound.series = capture::FindBounceSeries(onsets, options);
  // By ear alone it may be another series.
  const auto in_both = std::ranges::count_if(sound.series.bounces, [&](const auto& bounce) {
    return std::ranges::any_of(sound.heard, [&](const tracking::HeardContact& heard) {
      return std::abs(heard.time - bounce.time) < kAgree;
    });
  });
  if (in_both < 2) sound.series = {.reason = "no series of sounds by itself"};
  return sound;
}

}  // namespace percuss::pipeline
