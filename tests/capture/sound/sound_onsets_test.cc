// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: sounds made here, of decaying noise that begins at a known time in hum and hiss.

#include "capture/sound/sound_onsets.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>

namespace percuss::capture {
namespace {

using ::testing::HasSubstr;

constexpr double kRate = 48000.0;
constexpr std::array<double, 2> kNear = {0.0, 0.0};

/// Three seconds with an impact of each amplitude at each time.
SoundTrack Heard(const std::vector<std::pair<double, double>>& impacts, unsigned seed,
                 double hiss = 1e-3) {
  SoundTrack sound{.rate = kRate, .start = -0.02};
  std::mt19937 random(seed);
  std::normal_distribution<float> noise;
  for (int i = 0; i < static_cast<int>(3.0 * kRate); ++i) {
    const double time = sound.start + i / kRate;
    double value = 0.05 * std::sin(2.0 * std::numbers::pi * 50.0 * time) + hiss * noise(random);
    for (const auto& [at, amplitude] : impacts) {
      if (time >= at) value += amplitude * std::exp(-(time - at) / 0.03) * noise(random);
    }
    sound.samples.push_back(static_cast<float>(value));
  }
  return sound;
}

SoundLag LagOf(const std::vector<std::pair<double, double>>& left,
               const std::vector<std::pair<double, double>>& right,
               const std::array<double, 2>& distances = kNear) {
  return FindSoundLag({FindOnsets(Heard(left, 1)), FindOnsets(Heard(right, 2))}, distances);
}

// A window is 1 ms: the onset is in it.
TEST(FindOnsets, FindsTheBeginningOfAnImpact) {
  for (const double at : {0.4, 1.2345, 2.6}) {
    const SoundOnsets found = FindOnsets(Heard({{at, 0.1}}, 3));
    ASSERT_EQ(found.onsets.size(), 1u) << found.reason;
    EXPECT_NEAR(found.onsets[0].time, at, 1.1e-3);
    EXPECT_GT(found.onsets[0].rise_db, 30.0);
  }
}

TEST(FindOnsets, SaysThatNothingIsHeard) {
  EXPECT_THAT(FindOnsets(Heard({}, 4)).reason, HasSubstr("no sudden sound"));
  SoundTrack silence{.rate = kRate, .samples = std::vector<float>(48000, 0.0f)};
  EXPECT_THAT(FindOnsets(silence).reason, HasSubstr("no sudden sound"));
  EXPECT_THAT(FindOnsets({.rate = kRate, .samples = std::vector<float>(480)}).reason,
              HasSubstr("0.01 s long"));
  EXPECT_EQ(FindOnsets({.reason = "the video has no sound"}).reason, "the video has no sound");
}

TEST(FindSoundLag, FindsTheLagOfOneImpact) {
  for (const double lag : {-0.9, 0.0, 0.317}) {
    const SoundLag found = LagOf({{1.5, 0.1}}, {{1.5 - lag, 0.02}});
    ASSERT_TRUE(found.found) << found.reason;
    EXPECT_NEAR(found.offset, lag, 2e-3);
    EXPECT_EQ(found.sigma, kSoundSigma);
  }
}

// The left camera is 3.43 m farther away and hears the impact 10 ms later.
TEST(FindSoundLag, AllowsForTheWayOfTheSound) {
  const SoundLag found = LagOf({{1.51, 0.1}}, {{1.2, 0.1}}, {4.43, 1.0});
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_NEAR(found.offset, 0.3, 2e-3);
}

TEST(FindSoundLag, TwoImpactsThatBothHearTellOneLag) {
  const SoundLag found = LagOf({{1.0, 0.1}, {1.4, 0.05}}, {{0.8, 0.1}, {1.2, 0.05}});
  ASSERT_TRUE(found.found) << found.reason;
  EXPECT_NEAR(found.offset, 0.2, 2e-3);
}

TEST(FindSoundLag, SaysThatTwoImpactsAndOneTellNone) {
  const SoundLag found = LagOf({{1.0, 0.1}, {1.4, 0.1}}, {{0.8, 0.1}});
  EXPECT_FALSE(found.found);
  EXPECT_THAT(found.reason, HasSubstr("about equally well"));
}

TEST(FindSoundLag, NamesTheVideoWithoutAnImpact) {
  EXPECT_THAT(LagOf({}, {{1.0, 0.1}}).reason, HasSubstr("left video: no sudden sound"));
  const SoundLag mute =
      FindSoundLag({FindOnsets(Heard({{1.0, 0.1}}, 1)), {"the video has no sound"}}, kNear);
  EXPECT_FALSE(mute.found);
  EXPECT_EQ(mute.reason, "right video: the video has no sound");
}

}  // namespace
}  // namespace percuss::capture
