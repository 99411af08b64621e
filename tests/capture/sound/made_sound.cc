// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/capture/sound/made_sound.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace percuss::testing {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// Noise of power 1/f between 50 Hz and half the rate: the sum of first-order low passes, one for
/// each octave.
std::vector<double> PinkNoise(std::size_t count, double rate, std::mt19937* random) {
  std::normal_distribution<double> normal;
  std::vector<double> noise(count, 0.0);
  for (double corner = 50.0; corner < 0.5 * rate; corner *= 2.0) {
    const double keep = std::exp(-kTurn * corner / rate);
    const double step = std::sqrt(1.0 - keep * keep);
    double state = normal(*random);
    for (double& sample : noise) {
      state = keep * state + step * normal(*random);
      sample += state;
    }
  }
  double sum = 0.0;
  for (const double sample : noise) sum += sample * sample;
  const double scale = std::sqrt(static_cast<double>(count) / sum);
  for (double& sample : noise) sample *= scale;
  return noise;
}

}  // namespace

capture::SoundTrack Make(const MadeSound& made, std::mt19937* random) {
  capture::SoundTrack sound{.rate = made.rate, .start = made.start};
  const auto count = static_cast<std::size_t>(made.length * made.rate);
  std::vector<double> samples(count);
  if (made.pink) {
    samples = PinkNoise(count, made.rate, random);
  } else {
    std::normal_distribution<double> normal;
    for (double& sample : samples) sample = normal(*random);
  }
  for (double& sample : samples) sample *= made.noise;
  for (const Click& click : made.clicks) {
    const double begin = (click.time - made.start) * made.rate;
    const auto first = static_cast<std::size_t>(std::max(0.0, std::ceil(begin)));
    const auto last =
        static_cast<std::size_t>(std::max(0.0, begin + 10.0 * click.decay * made.rate));
    for (std::size_t i = first; i < std::min(last, count); ++i) {
      const double t = (static_cast<double>(i) - begin) / made.rate;
      const double gain =
          t < click.rise ? 0.5 - 0.5 * std::cos(std::numbers::pi * t / click.rise) : 1.0;
      samples[i] += click.amplitude * gain * std::exp(-t / click.decay) *
                    std::sin(kTurn * click.frequency * t + click.phase);
    }
  }
  for (const double sample : samples)
    sound.samples.push_back(static_cast<float>(std::clamp(made.loudness * sample, -1.0, 1.0)));
  return sound;
}

void AddVoice(double time, double length, double frequency, double swell, double amplitude,
              std::mt19937* random, capture::SoundTrack* sound) {
  std::normal_distribution<double> normal;
  // A resonance with a width of a fifth of its frequency.
  const double radius = std::exp(-0.1 * kTurn * frequency / sound->rate);
  const double first = 2.0 * radius * std::cos(kTurn * frequency / sound->rate);
  const double gain = (1.0 - radius * radius) * std::sin(kTurn * frequency / sound->rate);
  double last = 0.0, older = 0.0;
  for (std::size_t i = 0; i < sound->samples.size(); ++i) {
    const double t = sound->start + static_cast<double>(i) / sound->rate - time;
    if (t < 0.0 || t > length) continue;
    const double value = first * last - radius * radius * older + normal(*random);
    older = last;
    last = value;
    const double envelope =
        std::min({1.0, t / std::max(swell, 1e-9), (length - t) / (0.3 * length)});
    sound->samples[i] += static_cast<float>(amplitude * envelope * value * std::sqrt(gain));
  }
}

std::vector<double> Contacts(double begin, double first, double e, int count) {
  std::vector<double> times = {begin};
  for (int n = 1; n < count; ++n, first *= e) times.push_back(times.back() + first);
  return times;
}

}  // namespace percuss::testing
