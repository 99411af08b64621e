// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: bounces at drawn times, with sudden sounds that are theirs or not.

#include "pipeline/bounces/bounce_sound.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "capture/sound/contact_onsets.h"

namespace percuss::pipeline {
namespace {

using ::testing::HasSubstr;

constexpr double kSeenSigma = 5e-4;  // of a bounce's time by eye [s]

double Uniform(double low, double high, std::mt19937* random) {
  return std::uniform_real_distribution<double>(low, high)(*random);
}

/// Bounces whose intervals shrink by an e of 0.6 to 0.88.
std::vector<double> DrawnBounces(int count, std::mt19937* random) {
  const double e = Uniform(0.6, 0.88, random);
  double flight = Uniform(0.3, 0.6, random);
  std::vector<double> times = {Uniform(0.2, 0.6, random)};
  while (static_cast<int>(times.size()) < count) {
    times.push_back(times.back() + flight);
    flight *= e;
  }
  return times;
}

/// What the pictures say of bounces at these times.
tracking::BounceFit SeenAt(const std::vector<double>& times, std::mt19937* random) {
  std::normal_distribution<double> normal;
  tracking::BounceFit fit;
  const auto count = static_cast<Eigen::Index>(times.size());
  fit.covariance = Eigen::MatrixXd::Identity(tracking::kNumBounceNumbers * count + 2,
                                             tracking::kNumBounceNumbers * count + 2);
  for (Eigen::Index k = 0; k < count; ++k) {
    tracking::BounceEstimate& bounce = fit.bounces.emplace_back();
    bounce.time = times[static_cast<std::size_t>(k)] + kSeenSigma * normal(*random);
    const Eigen::Index at = tracking::kNumBounceNumbers * k + tracking::kBounceTime;
    fit.covariance(at, at) = kSeenSigma * kSeenSigma;
  }
  fit.gravity = {490.0, 5.0};
  fit.drag = {0.002, 0.001};
  return fit;
}

capture::ContactOnsets Sounds(std::vector<double> times, std::mt19937* random) {
  std::ranges::sort(times);
  capture::ContactOnsets sounds{.start = 0.0, .end = 2.5};
  for (const double time : times)
    sounds.onsets.push_back({time, 2e-5, Uniform(15.0, 30.0, random), 2000.0});
  return sounds;
}

/// Eighths of 100 to 180 beats a minute, some left out, played to 0 or 4 ms.
std::vector<double> DrawnBeats(std::mt19937* random) {
  std::normal_distribution<double> normal;
  const double eighth = 30.0 / Uniform(100.0, 180.0, random);
  const double jitter = Uniform(0.0, 1.0, random) < 0.5 ? 0.0 : 0.004;
  std::vector<double> times;
  for (double time = Uniform(0.0, eighth, random); time < 2.5; time += eighth) {
    if (Uniform(0.0, 1.0, random) < 0.8) times.push_back(time + jitter * normal(*random));
  }
  return times;
}

/// Syllables and steps: 3 to 12 a second, at random.
std::vector<double> DrawnNoises(std::mt19937* random) {
  std::vector<double> times;
  const int count = static_cast<int>(2.5 * Uniform(3.0, 12.0, random));
  for (int k = 0; k < count; ++k) times.push_back(Uniform(0.0, 2.5, random));
  return times;
}

// Odds of 100: one in a hundred at most, for each number of bounces.
TEST(HearContacts, TakesNoMusicAndNoVoices) {
  std::mt19937 random(41);
  for (const int bounces : {2, 3, 4, 5}) {
    int accepted = 0;
    constexpr int kDraws = 500;
    for (int draw = 0; draw < kDraws; ++draw) {
      const auto times = draw % 2 == 0 ? DrawnBeats(&random) : DrawnNoises(&random);
      const ClipSound sound = HearContacts(Sounds(times, &random), {},
                                           SeenAt(DrawnBounces(bounces, &random), &random), false);
      accepted += sound.heard.empty() ? 0 : 1;
      EXPECT_EQ(sound.heard.empty(), !sound.reason.empty());
      if (sound.heard.empty()) {
        EXPECT_TRUE(sound.series.bounces.empty());
      }
    }
    EXPECT_LE(accepted, kDraws / 100) << bounces;
  }
}

TEST(HearContacts, HearsABallInAQuietRoom) {
  std::mt19937 random(42);
  for (int draw = 0; draw < 50; ++draw) {
    const auto bounces = DrawnBounces(2 + draw % 3, &random);
    const double delay = Uniform(-0.05, 0.15, &random);
    std::vector<double> times;
    for (const double time : bounces) times.push_back(time + delay);
    const ClipSound sound =
        HearContacts(Sounds(times, &random), {}, SeenAt(bounces, &random), false);
    ASSERT_EQ(sound.reason, "");
    ASSERT_EQ(sound.heard.size(), bounces.size());
    for (std::size_t k = 0; k < bounces.size(); ++k) EXPECT_EQ(sound.heard[k].time, times[k]);
  }
}

TEST(HearContacts, HearsFiveBouncesWithMusic) {
  std::mt19937 random(43);
  int heard = 0, wrong = 0;
  for (int draw = 0; draw < 50; ++draw) {
    const auto bounces = DrawnBounces(5, &random);
    std::vector<double> times = DrawnBeats(&random);
    for (const double time : bounces) times.push_back(time + 0.03);
    const ClipSound sound =
        HearContacts(Sounds(times, &random), {}, SeenAt(bounces, &random), false);
    heard += sound.heard.empty() ? 0 : 1;
    for (const tracking::HeardContact& one : sound.heard)
      wrong += std::abs(one.time - bounces[one.bounce] - 0.03) > 5e-3 ? 1 : 0;
  }
  EXPECT_GE(heard, 45);
  EXPECT_EQ(wrong, 0);
}

TEST(HearContacts, SaysWhyNothingWasHeard) {
  std::mt19937 random(44);
  const tracking::BounceFit three = SeenAt({0.4, 0.85, 1.21}, &random);
  const auto reason = [&](const capture::ContactOnsets& sounds, const tracking::BounceFit& fit,
                          bool slow) { return HearContacts(sounds, {}, fit, slow).reason; };
  capture::SoundTrack silent{.rate = 48000.0};
  silent.samples.assign(48000, 0.0f);
  EXPECT_EQ(reason(capture::FindContactOnsets(silent), three, false), "the sound is silent");
  EXPECT_EQ(reason(capture::FindContactOnsets({.reason = "the video has no sound"}), three, false),
            "the video has no sound");
  EXPECT_THAT(reason(Sounds({0.4}, &random), SeenAt({0.4}, &random), false),
              HasSubstr("one bounce has no interval"));
  EXPECT_THAT(reason(Sounds({0.43, 1.1}, &random), three, false),
              HasSubstr("no two sudden sounds are as far apart"));
  EXPECT_THAT(reason(Sounds({0.43, 0.88, 1.24}, &random), three, true), HasSubstr("slow motion"));
  // Two of three agree, among many others.
  EXPECT_THAT(
      reason(Sounds({0.1, 0.19, 0.3, 0.43, 0.55, 0.64, 0.73, 0.88, 0.97, 1.05, 1.15}, &random),
             three, false),
      HasSubstr("which may be chance"));
}

}  // namespace
}  // namespace percuss::pipeline
