// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/ball/ball_sound.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include "capture/sound/sound_onsets.h"

namespace percuss::synthesis {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kLoudest = 0.5;  // peak of the loudest click, of full scale

// Adds `gain` sin(turn * frequency * (t - start)) exp(-(t - start) / decay) from `start` on.
void AddClick(double start, double gain, double frequency, double decay, double rate,
              std::vector<double>* sound) {
  const double last = start + 12.0 * decay;
  const auto size = static_cast<double>(sound->size());
  const auto first = static_cast<std::size_t>(std::clamp(std::ceil(start * rate), 0.0, size));
  const auto end = static_cast<std::size_t>(std::clamp(last * rate, 0.0, size));
  for (std::size_t i = first; i < end; ++i) {
    const double t = static_cast<double>(i) / rate - start;
    (*sound)[i] += gain * std::sin(kTurn * frequency * t) * std::exp(-t / decay);
  }
}

class SoundMaker {
 public:
  SoundMaker(const BallSound& spec, std::uint32_t seed, double duration)
      : spec_(spec),
        duration_(duration),
        random_(seed ^ 0x50D5U),
        samples_(static_cast<std::size_t>(std::ceil(duration * spec.rate)) + 1, 0.0) {}

  std::vector<double>& Samples() { return samples_; }

  // Noise that falls by 6 dB per octave above 500 Hz, as that of rooms does.
  void AddNoise(double rms) {
    std::normal_distribution<double> normal;
    const double keep = std::exp(-kTurn * 500.0 / spec_.rate);
    const double drive = rms * std::sqrt(1.0 - keep * keep);
    double value = rms * normal(random_);
    for (double& sample : samples_) {
      sample += value;
      value = keep * value + drive * normal(random_);
    }
  }

  // Bursts of 0.1 to 0.4 s, between 300 and 3000 Hz, that swell and fade.
  void AddVoices(double peak) {
    std::normal_distribution<double> normal;
    double t = 0.3 * Share();
    while (t < duration_) {
      const double length = 0.1 + 0.3 * Share(), centre = 300.0 + 2700.0 * Share() * Share();
      // A resonance of second order with a bandwidth of a third of its frequency.
      const double r = std::exp(-0.5 * kTurn * centre / 3.0 / spec_.rate);
      const double a1 = 2.0 * r * std::cos(kTurn * centre / spec_.rate), a2 = -r * r;
      const double gain = peak * (0.4 + 0.6 * Share()) * std::sqrt(1.0 - r * r) * 0.7;
      double before = 0.0, before_that = 0.0;
      const auto first = static_cast<std::size_t>(t * spec_.rate);
      const auto count = static_cast<std::size_t>(length * spec_.rate);
      for (std::size_t i = 0; i < count && first + i < samples_.size(); ++i) {
        const double value = normal(random_) + a1 * before + a2 * before_that;
        before_that = before;
        before = value;
        const double swell =
            std::sin(0.5 * kTurn * static_cast<double>(i) / static_cast<double>(count));
        samples_[first + i] += gain * swell * swell * value;
      }
      t += length + 0.6 * Share();
    }
  }

  void AddMusic(double peak) {
    for (const double tone : {220.0, 277.2, 329.6, 440.0}) {
      const double phase = kTurn * Share(), beat = 0.5 + Share();
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        const double t = static_cast<double>(i) / spec_.rate;
        samples_[i] += 0.25 * peak * (0.7 + 0.3 * std::sin(kTurn * beat * t)) *
                       std::sin(kTurn * tone * t + phase);
      }
    }
  }

 private:
  double Share() { return static_cast<double>(random_()) / 4294967296.0; }

  BallSound spec_;
  double duration_;
  std::mt19937 random_;
  std::vector<double> samples_;
};

double NormalSpeed(const BallSpec& spec, const BounceTruth& bounce) {
  return -spec.surface_normal.dot(bounce.before.v);
}

}  // namespace

double SoundTime(const BallSpec& spec, const BounceTruth& bounce) {
  const Eigen::Vector3d contact = bounce.before.p - spec.radius * spec.surface_normal;
  const double distance = (contact - spec.camera.Position()).norm();
  return bounce.time + distance / capture::kSpeedOfSound + (spec.sound ? spec.sound->offset : 0.0);
}

capture::SoundTrack MakeBallSound(const BallSpec& spec, const BallMotion& motion) {
  if (!spec.sound)
    throw std::invalid_argument("MakeBallSound: found no sound, allowed a BallSound");
  const BallSound& sound = *spec.sound;
  SoundMaker maker(sound, spec.seed, motion.end);
  double fastest = 1e-9;
  for (const BounceTruth& bounce : motion.bounces)
    fastest = std::max(fastest, NormalSpeed(spec, bounce));
  for (const BounceTruth& bounce : motion.bounces) {
    const double gain = kLoudest * NormalSpeed(spec, bounce) / fastest;
    const double heard = SoundTime(spec, bounce);
    AddClick(heard, gain, sound.click_frequency, sound.click_decay, sound.rate, &maker.Samples());
    if (sound.echo_delay > 0.0)
      AddClick(heard + sound.echo_delay, sound.echo_gain * gain, sound.click_frequency,
               sound.click_decay, sound.rate, &maker.Samples());
  }
  maker.AddNoise(kLoudest * std::pow(10.0, -sound.snr_db / 20.0));
  if (sound.voices) maker.AddVoices(0.3 * kLoudest);
  if (sound.music) maker.AddMusic(0.3 * kLoudest);
  capture::SoundTrack track;
  track.rate = sound.rate;
  track.samples.assign(maker.Samples().begin(), maker.Samples().end());
  return track;
}

}  // namespace percuss::synthesis
