// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/sound/sound_onsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/math/statistics.h"

namespace percuss::capture {
namespace {

constexpr double kWindow = 1e-3;     // [s]
constexpr std::size_t kBefore = 30;  // windows
constexpr std::size_t kEcho = 60;    // windows
constexpr double kLeastRiseDb = 15.0;
constexpr std::size_t kMaxOnsets = 30;
constexpr double kTogether = 5e-3, kApart = 20e-3;  // [s]
constexpr double kRival = 0.7;

/// Mean square of the differences of successive samples in each window.
std::vector<double> Energies(const SoundTrack& sound) {
  const auto size = static_cast<std::size_t>(sound.rate * kWindow);
  std::vector<double> energies;
  for (std::size_t first = 1; first + size <= sound.samples.size(); first += size) {
    double sum = 0.0;
    for (std::size_t i = first; i < first + size; ++i) {
      const double step = sound.samples[i] - sound.samples[i - 1];
      sum += step * step;
    }
    energies.push_back(sum / static_cast<double>(size));
  }
  return energies;
}

/// Two onsets that agree at a lag.
struct Pair {
  double offset = 0.0, weight = 0.0;
};

/// The lag about that of a pair: each left sound with the right one that is nearest to it.
Pair Gather(const std::array<SoundOnsets, 2>& sounds, double offset) {
  Pair sum;
  for (const SoundOnset& left : sounds[0].onsets) {
    const SoundOnset* nearest = nullptr;
    for (const SoundOnset& right : sounds[1].onsets) {
      const auto error = [&](const SoundOnset& one) {
        return std::abs(left.time - one.time - offset);
      };
      if (error(right) <= kTogether && (!nearest || error(right) < error(*nearest)))
        nearest = &right;
    }
    if (nearest == nullptr) continue;
    const double weight = std::min(left.rise_db, nearest->rise_db);
    sum.offset += weight * (left.time - nearest->time);
    sum.weight += weight;
  }
  sum.offset /= sum.weight;
  return sum;
}

}  // namespace

SoundOnsets FindOnsets(const SoundTrack& sound) {
  if (!sound.reason.empty()) return {sound.reason};
  constexpr double kLeastRate = 4000.0;
  if (!(sound.rate >= kLeastRate))
    return {fmt::format("found sound of {:.6g} samples per second, allowed at least {:.6g}",
                        sound.rate, kLeastRate)};
  const std::vector<double> energies = Energies(sound);
  if (energies.size() <= kBefore) {
    return {fmt::format("the sound is {:.3g} s long, allowed more than {:.3g}",
                        static_cast<double>(sound.samples.size()) / sound.rate, kBefore * kWindow)};
  }
  // The noise of 16 bits, for tracks that hold nothing else.
  constexpr double kRounding = 2.0 / 12.0 / (32768.0 * 32768.0);
  const double median = std::max(Median(energies), kRounding);
  const double window = std::floor(sound.rate * kWindow) / sound.rate;
  SoundOnsets found;
  double loudest = 0.0;
  for (std::size_t k = kBefore; k < energies.size(); ++k) {
    const double before =
        std::accumulate(energies.begin() + static_cast<std::ptrdiff_t>(k - kBefore),
                        energies.begin() + static_cast<std::ptrdiff_t>(k), 0.0) /
        kBefore;
    const auto rise = [&](std::size_t at) {
      return 10.0 * std::log10(std::max(energies[at], 1e-30) / std::max(before, median));
    };
    loudest = std::max(loudest, rise(k));
    if (rise(k) < kLeastRiseDb) continue;
    SoundOnset onset{sound.start + static_cast<double>(k) * window, rise(k)};
    const std::size_t end = std::min(k + kEcho, energies.size());
    for (; k < end; ++k) onset.rise_db = std::max(onset.rise_db, rise(k));
    loudest = std::max(loudest, onset.rise_db);
    found.onsets.push_back(onset);
    --k;
  }
  if (found.onsets.empty()) {
    found.reason =
        fmt::format("no sudden sound: the loudest one rises by {:.0f} dB, allowed at least {:.0f}",
                    loudest, kLeastRiseDb);
  }
  if (found.onsets.size() > kMaxOnsets) {
    std::ranges::sort(found.onsets, std::greater(), &SoundOnset::rise_db);
    found.onsets.resize(kMaxOnsets);
    std::ranges::sort(found.onsets, {}, &SoundOnset::time);
  }
  return found;
}

SoundLag FindSoundLag(const std::array<SoundOnsets, 2>& sounds,
                      const std::array<double, 2>& distances) {
  SoundLag lag;
  for (std::size_t side = 0; side < 2; ++side) {
    if (!sounds[side].onsets.empty()) continue;
    lag.reason = fmt::format("{} video: {}", side == 0 ? "left" : "right",
                             sounds[side].reason.empty() ? "no sudden sound" : sounds[side].reason);
    return lag;
  }
  std::vector<Pair> pairs;
  for (const SoundOnset& left : sounds[0].onsets) {
    for (const SoundOnset& right : sounds[1].onsets)
      pairs.push_back(Gather(sounds, left.time - right.time));
  }
  const Pair best = *std::ranges::max_element(pairs, {}, &Pair::weight);
  Pair rival;
  for (const Pair& pair : pairs) {
    if (std::abs(pair.offset - best.offset) >= kApart && pair.weight > rival.weight) rival = pair;
  }
  if (rival.weight > kRival * best.weight) {
    lag.reason =
        fmt::format("lags of {:.3f} and {:.3f} s explain the sudden sounds about equally well",
                    best.offset, rival.offset);
    return lag;
  }
  lag.found = true;
  // It was heard later than it happened, by as much as the camera is away.
  lag.offset = best.offset - (distances[0] - distances[1]) / kSpeedOfSound;
  return lag;
}

}  // namespace percuss::capture
