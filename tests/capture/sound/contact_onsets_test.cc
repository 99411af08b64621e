// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: clicks that are made here, decaying tones that begin at known times, in white and pink
// noise.

#include "capture/sound/contact_onsets.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/statistics.h"
#include "tests/capture/sound/made_sound.h"

namespace percuss::capture {
namespace {

using ::percuss::testing::Click;
using ::percuss::testing::MadeSound;
using ::percuss::testing::Make;
using ::testing::HasSubstr;

struct OnsetErrors {
  std::vector<double> errors = {}, sigmas = {};  // [s], errors less their median
  int clicks = 0;
  std::size_t found = 0;

  double Rms() const {
    double sum = 0.0;
    for (const double error : errors) sum += error * error / static_cast<double>(errors.size());
    return std::sqrt(sum);
  }
  double Chi2OfEach() const {
    double sum = 0.0;
    for (std::size_t i = 0; i < errors.size(); ++i)
      sum += std::pow(errors[i] / sigmas[i], 2) / static_cast<double>(errors.size());
    return sum;
  }
  double Covered() const {
    int inside = 0;
    for (std::size_t i = 0; i < errors.size(); ++i)
      inside += std::abs(errors[i]) < 1.96 * sigmas[i];
    return inside / static_cast<double>(errors.size());
  }
};

/// Clicks of 1 to 8 kHz (not above 0.4 of the rate), any phase, rising within 0 to 0.3 ms, the same
/// for a track within a fifth: one ball, one surface. Errors are less the median of their track.
/// SNR: the amplitude of the click over the standard deviation of the noise.
OnsetErrors ErrorsOfClicks(double rate, bool pink, double snr_db, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  OnsetErrors result;
  for (int draw = 0; draw < 6; ++draw) {
    MadeSound made{.rate = rate, .pink = pink};
    const double rise = 0.3e-3 * uniform(random);
    for (int k = 0; k < 9; ++k) {
      const double octaves = std::log2(std::min(8.0, 0.4e-3 * rate));
      made.clicks.push_back({.time = 0.3 + 0.27 * k + 0.05 * uniform(random),
                             .amplitude = std::pow(10.0, snr_db / 20.0),
                             .frequency = 1000.0 * std::exp2(octaves * uniform(random)),
                             .phase = 2.0 * std::numbers::pi * uniform(random),
                             .rise = rise * (0.8 + 0.4 * uniform(random)),
                             .decay = 2e-3 + 6e-3 * uniform(random)});
    }
    const ContactOnsets found = FindContactOnsets(Make(made, &random));
    result.found += found.onsets.size();
    std::vector<double> errors;
    for (const Click& click : made.clicks) {
      ++result.clicks;
      for (const ContactOnset& onset : found.onsets) {
        if (std::abs(onset.time - click.time) > 3e-3) continue;
        errors.push_back(onset.time - click.time);
        result.sigmas.push_back(onset.sigma);
      }
    }
    const double common = Median(errors);
    for (const double error : errors) result.errors.push_back(error - common);
  }
  return result;
}

// A tone of 3 kHz, ten times the noise, passes its quarter in 80 us: the beginning is known to a
// part of that. Where rms of the noise is 1/100, what is left is the form of the rise, 15 us.
TEST(FindContactOnsets, KnowsTheBeginningToAPartOfATurnOfTheTone) {
  for (const bool pink : {false, true}) {
    EXPECT_LT(ErrorsOfClicks(48000.0, pink, 20.0, 1).Rms(), 50e-6);
    EXPECT_LT(ErrorsOfClicks(48000.0, pink, 40.0, 2).Rms(), 20e-6);
  }
}

// Of 54 z^2 the mean has a standard deviation of 0.19, of 54 times 95 % the share inside one of
// 0.03. Rises that differ from click to click, as here, are the worst case: a ball's are alike.
TEST(FindContactOnsets, HasSigmasThatHold) {
  for (const double rate : {16000.0, 44100.0, 48000.0, 96000.0}) {
    for (const bool pink : {false, true}) {
      if (pink && rate != 48000.0) continue;
      for (const double snr_db : {15.0, 20.0, 30.0, 40.0}) {
        const OnsetErrors errors = ErrorsOfClicks(rate, pink, snr_db, 3);
        EXPECT_GE(errors.errors.size() + 6, static_cast<std::size_t>(errors.clicks));
        EXPECT_EQ(errors.found, errors.errors.size());
        EXPECT_GT(errors.Chi2OfEach(), 0.2) << rate << " " << pink << " " << snr_db;
        EXPECT_LT(errors.Chi2OfEach(), 1.9) << rate << " " << pink << " " << snr_db;
        EXPECT_GE(errors.Covered(), 0.83) << rate << " " << pink << " " << snr_db;
      }
    }
  }
}

// The noise of 200 tracks of 3 s has 1.2 million windows, each taken with a chance of 1e-8.
TEST(FindContactOnsets, TakesNoNoiseForASound) {
  std::mt19937 random(4);
  for (int draw = 0; draw < 20; ++draw) {
    EXPECT_EQ(FindContactOnsets(Make({.pink = draw % 2 == 1}, &random)).reason, "no sudden sound");
    EXPECT_EQ(FindContactOnsets(Make({.rate = 8000.0}, &random)).reason, "no sudden sound");
  }
}

TEST(FindContactOnsets, HearsAWeakSoundInHum) {
  std::mt19937 random(5);
  SoundTrack sound = Make({.clicks = {{.time = 1.0, .amplitude = 5.0}}}, &random);
  for (std::size_t i = 0; i < sound.samples.size(); ++i) {
    sound.samples[i] += static_cast<float>(
        0.3 * std::sin(2.0 * std::numbers::pi * 50.0 * static_cast<double>(i) / sound.rate));
  }
  const ContactOnsets found = FindContactOnsets(sound);
  ASSERT_EQ(found.onsets.size(), 1u);
  EXPECT_NEAR(found.onsets[0].time, 1.0, 4.0 * found.onsets[0].sigma + 0.05e-3);
}

// A tone of an organ swells for longer than any contact does.
TEST(FindContactOnsets, LeavesOutWhatSwells) {
  std::mt19937 random(6);
  const Click tone{.time = 1.0, .amplitude = 20.0, .frequency = 880.0, .rise = 0.1, .decay = 0.5};
  EXPECT_EQ(FindContactOnsets(Make({.clicks = {tone}}, &random)).onsets.size(), 0u);
}

TEST(FindContactOnsets, SaysWhyThereAreNone) {
  EXPECT_EQ(FindContactOnsets({.reason = "the video has no sound"}).reason,
            "the video has no sound");
  EXPECT_EQ(FindContactOnsets({.rate = 48000.0, .samples = std::vector<float>(48000)}).reason,
            "the sound is silent");
  EXPECT_THAT(FindContactOnsets({.rate = 48000.0, .samples = std::vector<float>(480)}).reason,
              HasSubstr("0.01 s long"));
  EXPECT_THAT(FindContactOnsets({.rate = 100.0, .samples = std::vector<float>(480)}).reason,
              HasSubstr("100 samples per second"));
}

}  // namespace
}  // namespace percuss::capture
