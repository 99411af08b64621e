// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: contacts of a ball with a known e at exact instants, heard as clicks that are made here.
// SNR: the amplitude of the first click over the standard deviation of all noise. (In energy of the
// first 10 ms it would be 10 dB less: this definition asks for fewer decibels of the louder sound.)

#include "capture/sound/bounce_series.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/math/statistics.h"
#include "capture/sound/ball_flight.h"
#include "tests/capture/sound/made_sound.h"

namespace percuss::capture {
namespace {

using ::percuss::testing::AddVoice;
using ::percuss::testing::Click;
using ::percuss::testing::Contacts;
using ::percuss::testing::MadeSound;
using ::percuss::testing::Make;
using ::testing::HasSubstr;

const SeriesOptions kNoDwell = {.contact_time_sigma = 0.0};

/// Clicks at these times, as loud as the speeds of flights that shrink by e.
MadeSound Ball(const std::vector<double>& times, double e, double snr_db, std::mt19937* random,
               double rate = 48000.0) {
  std::uniform_real_distribution<double> uniform;
  MadeSound made{.rate = rate};
  Click click{
      .amplitude = std::pow(10.0, snr_db / 20.0),
      .frequency = 1000.0 * std::exp2(uniform(*random) * std::log2(std::min(8.0, 0.4e-3 * rate))),
      .rise = 0.3e-3 * uniform(*random),
      .decay = 2e-3 + 6e-3 * uniform(*random)};
  for (const double time : times) {
    click.time = time;
    click.phase = 2.0 * std::numbers::pi * uniform(*random);
    made.clicks.push_back(click);
    click.amplitude *= e;
  }
  return made;
}

/// Onsets as if heard, without noise but with this sigma.
ContactOnsets HeardAt(const std::vector<double>& times, double e, double sigma = 20e-6) {
  ContactOnsets sounds{.start = 0.0, .end = 4.0};
  double rise_db = 40.0;
  for (const double time : times) {
    sounds.onsets.push_back({time, sigma, rise_db, 3000.0});
    rise_db += 20.0 * std::log10(e);
  }
  return sounds;
}

/// Every contact that was found is one, and the last numbers are those of `times`.
void ExpectContacts(const BounceSeries& series, const std::vector<double>& times,
                    std::size_t least) {
  ASSERT_EQ(series.reason, "");
  EXPECT_GE(series.bounces.size(), least);
  for (const HeardBounce& bounce : series.bounces) {
    EXPECT_TRUE(std::ranges::any_of(times, [&](double time) {
      return std::abs(time - bounce.time) < 1e-3;
    })) << bounce.time;
  }
}

TEST(FlightOfTime, IsTheParabolaWithoutAirAndItsIntegralWithIt) {
  EXPECT_DOUBLE_EQ(FlightOfTime(0.5, 9.81, 0.0).takeoff, 0.5 * 9.81 * 0.5);
  for (const double k : {1e-6, 0.02, 0.3, 2.0}) {
    // Truth: Runge-Kutta of v' = -g - k |v| v.
    const auto acceleration = [&](double v) { return -9.81 - k * std::abs(v) * v; };
    const Flight flight = FlightOfTime(0.6, 9.81, k);
    double v = flight.takeoff, height = 0.0;
    constexpr int kSteps = 20000;
    const double step = 0.6 / kSteps;
    for (int i = 0; i < kSteps; ++i) {
      const double middle = v + 0.5 * step * acceleration(v);
      height += step * middle;
      v += step * acceleration(middle);
    }
    EXPECT_NEAR(height, 0.0, 1e-6) << k;
    EXPECT_NEAR(-v, flight.landing, 1e-6) << k;
    EXPECT_NEAR(TimeOfFlight(flight.takeoff, 9.81, k), 0.6, 1e-12) << k;
  }
}

// A ball for table tennis: 40 mm, 2.7 g: 0.126 1/m.
TEST(DragOfBall, IsThatOfASphere) {
  EXPECT_NEAR(DragOfBall(0.04, 0.0027).value, 0.1257, 1e-4);
  EXPECT_THROW(DragOfBall(0.0, 1.0), std::invalid_argument);
  EXPECT_NEAR(SpeedOfFall(0.5, 9.81, 1e-9), std::sqrt(9.81), 1e-6);
}

// Acceptance: 5 contacts, 20 dB, every draw within 0.001.
TEST(FindBounceSeries, KnowsEToAThousandthFromFiveContacts) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform;
  for (int draw = 0; draw < 60; ++draw) {
    const double e = 0.65 + 0.25 * uniform(random);
    const auto times = Contacts(0.3, 0.45 + 0.1 * uniform(random), e, 5);
    const MadeSound made = Ball(times, e, 20.0, &random);
    const BounceSeries series = FindBounceSeries(FindContactOnsets(Make(made, &random)), kNoDwell);
    // With e = 0.65 the fourth click has 9 dB, the fifth 5 dB.
    ExpectContacts(series, times, 3);
    EXPECT_NEAR(series.e, e, 0.001) << draw;
  }
}

// 300 draws at 95 %: 285 +- 3.8.
TEST(FindBounceSeries, HasIntervalsThatHold) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> uniform;
  int inside = 0, count = 0, each_inside = 0, each = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const double e = 0.7 + 0.2 * uniform(random);
    const auto times = Contacts(0.3, 0.4 + 0.1 * uniform(random), e, 6);
    const MadeSound made = Ball(times, e, 22.0 + 10.0 * uniform(random), &random);
    const BounceSeries series = FindBounceSeries(FindContactOnsets(Make(made, &random)), kNoDwell);
    if (!series.reason.empty()) continue;
    ++count;
    inside += std::abs(series.e - e) < 1.96 * series.e_sigma;
    for (const HeardBounce& bounce : series.bounces) {
      if (std::isnan(bounce.e)) continue;
      ++each;
      each_inside += std::abs(bounce.e - e) < 1.96 * bounce.e_sigma;
    }
  }
  EXPECT_GE(count, 295);
  EXPECT_GE(inside, 0.90 * count);
  EXPECT_LE(inside, 0.985 * count);
  EXPECT_GE(each_inside, 0.90 * each);
}

// Onset errors, contact time, k, g and height are drawn from their sigmas; truth is computed by the
// equations of a flight.
TEST(FindBounceSeries, CarriesAllSigmasToE) {
  std::mt19937 random(13);
  std::normal_distribution<double> normal;
  constexpr double kE = 0.8, kSigma = 30e-6;
  SeriesOptions options{.gravity_sigma = 0.02,
                        .drag = 0.12,
                        .drag_sigma = 0.03,
                        .drop_height = 0.5,
                        .drop_height_sigma = 0.002,
                        .contact_time = 0.003,
                        .contact_time_sigma = 0.0007};
  int inside = 0;
  double chi2 = 0.0, chi2_each = 0.0;
  constexpr int kDraws = 400;
  for (int draw = 0; draw < kDraws; ++draw) {
    const double g = options.gravity + options.gravity_sigma * normal(random);
    const double k = options.drag + options.drag_sigma * normal(random);
    const double height = options.drop_height + options.drop_height_sigma * normal(random);
    const double dwell = options.contact_time + options.contact_time_sigma * normal(random);
    double speed = SpeedOfFall(height, g, k), time = 0.5;
    std::vector<double> times = {time + kSigma * normal(random)};
    for (int n = 0; n < 5; ++n) {
      const double flight = TimeOfFlight(kE * speed, g, k);
      time += dwell + flight;
      times.push_back(time + kSigma * normal(random));
      speed = FlightOfTime(flight, g, k).landing;
    }
    const BounceSeries series = FindBounceSeries(HeardAt(times, kE, kSigma), options);
    ASSERT_EQ(series.reason, "");
    ASSERT_EQ(series.covariance_of_e.rows(), 5);
    inside += std::abs(series.e - kE) < 1.96 * series.e_sigma;
    chi2 += series.chi2 / kDraws;
    chi2_each += std::pow((series.bounces[0].e - kE) / series.bounces[0].e_sigma, 2) / kDraws;
  }
  EXPECT_NEAR(chi2, 4.0, 0.6);       // 4 degrees of freedom
  EXPECT_NEAR(chi2_each, 1.0, 0.3);  // e of the first contact, from the height
  EXPECT_GE(inside, 0.91 * kDraws);
  EXPECT_LE(inside, 0.985 * kDraws);
}

// By hand: intervals 0.5, 0.4, 0.34 s: e = 0.8 and 0.85, speeds g T / 2.
TEST(FindBounceSeries, IsTheRatioOfIntervalsWithoutAir) {
  const BounceSeries series = FindBounceSeries(HeardAt({1.0, 1.5, 1.9, 2.24}, 0.82), kNoDwell);
  ASSERT_EQ(series.bounces.size(), 4u) << series.reason;
  EXPECT_TRUE(std::isnan(series.bounces[0].e));
  EXPECT_NEAR(series.bounces[1].e, 0.8, 1e-12);
  EXPECT_NEAR(series.bounces[2].e, 0.85, 1e-12);
  EXPECT_NEAR(series.bounces[1].speed_before, 9.80665 * 0.25, 1e-12);
  EXPECT_NEAR(series.bounces[1].speed_after, 9.80665 * 0.2, 1e-12);
  // e = (c - b) / (b - a): sigma times sqrt(1 + (1 + e)^2 + e^2) / 0.5.
  EXPECT_NEAR(series.bounces[1].e_sigma, 20e-6 * std::sqrt(1.0 + 1.8 * 1.8 + 0.64) / 0.5, 1e-9);
  // Of neighbours: an error of the instant between them makes one larger, the other smaller.
  EXPECT_LT(series.covariance_of_e(0, 1), 0.0);
  EXPECT_LT(series.p, 1e-6);
  EXPECT_NEAR(series.scatter, 0.05 / std::sqrt(2.0), 1e-3);
  EXPECT_NEAR(series.e, 0.825, 1e-3);
}

TEST(FindBounceSeries, SeesThatEDependsOnTheSpeed) {
  std::vector<double> times = {0.5, 1.0};
  for (int n = 0; n < 5; ++n) {
    const double flight = times[times.size() - 1] - times[times.size() - 2];
    times.push_back(times.back() + flight * (0.9 - 0.03 * 9.80665 * flight / 2.0));
  }
  const BounceSeries series = FindBounceSeries(HeardAt(times, 0.85), kNoDwell);
  ASSERT_EQ(series.reason, "");
  EXPECT_NEAR(series.slope, -0.03, 4.0 * series.slope_sigma);
  EXPECT_LT(series.slope_sigma, 0.001);
}

TEST(FindBounceSeries, HearsTheBallAtAnyRate) {
  std::mt19937 random(14);
  for (const double rate : {8000.0, 16000.0, 22050.0, 44100.0, 96000.0}) {
    const auto times = Contacts(0.3, 0.5, 0.8, 6);
    const BounceSeries series = FindBounceSeries(
        FindContactOnsets(Make(Ball(times, 0.8, 26.0, &random, rate), &random)), kNoDwell);
    ExpectContacts(series, times, 5);
    EXPECT_NEAR(series.e, 0.8, 4.0 * series.e_sigma) << rate;
    EXPECT_NEAR(series.e, 0.8, 0.001) << rate;
  }
}

// A copy 17 ms later at 40 %, as from a wall 3 m away.
TEST(FindBounceSeries, IsNotMisledByAnEcho) {
  std::mt19937 random(15);
  for (int draw = 0; draw < 20; ++draw) {
    const auto times = Contacts(0.3, 0.5, 0.8, 6);
    MadeSound made = Ball(times, 0.8, 28.0, &random);
    for (std::size_t n = 0; n < times.size(); ++n) {
      Click echo = made.clicks[n];
      echo.time += 0.017;
      echo.amplitude *= 0.4;
      made.clicks.push_back(echo);
    }
    const BounceSeries series = FindBounceSeries(FindContactOnsets(Make(made, &random)), kNoDwell);
    ExpectContacts(series, times, 5);
    EXPECT_NEAR(series.e, 0.8, 0.001);
  }
}

// A ball that chatters: each contact is two clicks, 12 ms apart and alike.
TEST(FindBounceSeries, TakesTheFirstOfDoubleTaps) {
  std::mt19937 random(16);
  const auto times = Contacts(0.3, 0.5, 0.82, 6);
  MadeSound made = Ball(times, 0.82, 30.0, &random);
  for (std::size_t n = 0; n < times.size(); ++n) {
    Click again = made.clicks[n];
    again.time += 0.012;
    again.amplitude *= 0.8;
    made.clicks.push_back(again);
  }
  const BounceSeries series = FindBounceSeries(FindContactOnsets(Make(made, &random)), kNoDwell);
  ExpectContacts(series, times, 5);
  EXPECT_NEAR(series.e, 0.82, 0.001);
}

// Someone speaks before the drop and after it, and music plays: a tone begins every half second. Of
// about 25 sudden sounds 6 are the ball's: it is not always told from chance, but never wrongly.
TEST(FindBounceSeries, FindsTheBallBesideVoicesAndMusic) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform;
  int heard = 0;
  for (int draw = 0; draw < 20; ++draw) {
    const auto times = Contacts(1.5, 0.5, 0.8, 6);
    MadeSound made = Ball(times, 0.8, 34.0, &random);
    made.length = 5.0;
    for (double at = 0.1; at < 4.9; at += 0.5) {
      made.clicks.push_back(
          {.time = at, .amplitude = 2.0, .frequency = 440.0, .rise = 5e-3, .decay = 0.3});
    }
    SoundTrack sound = Make(made, &random);
    for (const double at : {0.3, 0.7, 1.1, 3.6, 4.1})
      AddVoice(at, 0.2, 400.0 + 1500.0 * uniform(random), 0.02, 0.05, &random, &sound);
    const BounceSeries series = FindBounceSeries(FindContactOnsets(sound), kNoDwell);
    if (!series.reason.empty()) continue;
    ++heard;
    ExpectContacts(series, times, 4);
    EXPECT_NEAR(series.e, 0.8, 0.001) << draw;
  }
  EXPECT_GE(heard, 16);
}

TEST(FindBounceSeries, BridgesAContactThatWasNotHeard) {
  for (const double k : {0.0, 0.12}) {
    for (const std::size_t missed : {2u, 3u, 4u}) {
      std::vector<double> times = {0.5};
      double speed = 2.5;
      for (int n = 0; n < 7; ++n) {
        const double flight = TimeOfFlight(speed, 9.80665, k);
        times.push_back(times.back() + flight);
        speed = 0.8 * FlightOfTime(flight, 9.80665, k).landing;
      }
      ContactOnsets sounds = HeardAt(times, 0.8);
      sounds.onsets.erase(sounds.onsets.begin() + static_cast<std::ptrdiff_t>(missed));
      SeriesOptions options = kNoDwell;
      options.drag = k;
      const BounceSeries series = FindBounceSeries(sounds, options);
      ASSERT_EQ(series.bounces.size(), 7u) << series.reason << missed;
      EXPECT_TRUE(series.bounces[missed].missed_before);
      for (const HeardBounce& bounce : series.bounces) {
        if (!std::isnan(bounce.e)) EXPECT_NEAR(bounce.e, 0.8, 1e-9) << missed << " " << bounce.time;
      }
      EXPECT_NEAR(series.e, 0.8, 1e-9);
      ASSERT_EQ(series.warnings.size(), 1u);
      EXPECT_THAT(series.warnings[0], HasSubstr("was not heard"));
    }
  }
}

TEST(FindBounceSeries, HearsThreeContactsAndSaysWhatTheyAreWorth) {
  const BounceSeries series = FindBounceSeries(HeardAt({1.0, 1.5, 1.9}, 0.8), kNoDwell);
  ASSERT_EQ(series.bounces.size(), 3u) << series.reason;
  EXPECT_NEAR(series.e, 0.8, 1e-9);
  ASSERT_EQ(series.warnings.size(), 1u);
  EXPECT_THAT(series.warnings[0], HasSubstr("three contacts"));
}

// 0 of 200 tracks without a ball: noise, syllables, clicks at random (keyboards, cutlery).
TEST(FindBounceSeries, HearsNoBallWhereThereIsNone) {
  std::uniform_real_distribution<double> uniform;
  for (unsigned draw = 0; draw < 200; ++draw) {
    std::mt19937 random(100 + draw);
    MadeSound made{.length = 4.0, .pink = draw % 2 == 1};
    const unsigned kind = draw % 3;
    for (int k = 0; kind == 2 && k < 10; ++k) {
      made.clicks.push_back({.time = 0.2 + 3.6 * uniform(random),
                             .amplitude = std::pow(10.0, 0.5 + uniform(random)),
                             .frequency = 1000.0 + 5000.0 * uniform(random)});
    }
    SoundTrack sound = Make(made, &random);
    for (double at = 0.2; kind == 1 && at < 3.7; at += 0.12 + 0.3 * uniform(random)) {
      AddVoice(at, 0.08 + 0.2 * uniform(random), 300.0 + 2500.0 * uniform(random),
               (uniform(random) < 0.5 ? 2e-3 : 30e-3) * uniform(random),
               0.05 * std::pow(10.0, 1.2 * uniform(random)), &random, &sound);
    }
    EXPECT_NE(FindBounceSeries(FindContactOnsets(sound)).reason, "") << draw;
  }
}

TEST(FindBounceSeries, TakesNoClockForABall) {
  std::vector<double> times;
  for (int n = 0; n < 9; ++n) times.push_back(0.3 + 0.4 * n);
  EXPECT_THAT(FindBounceSeries(HeardAt(times, 1.0)).reason, HasSubstr("do not shrink"));
}

TEST(FindBounceSeries, SaysWhyThereIsNone) {
  EXPECT_EQ(FindBounceSeries({.reason = "the video has no sound"}).reason,
            "the video has no sound");
  EXPECT_EQ(FindBounceSeries(HeardAt({1.0}, 0.8)).reason,
            "found 1 sudden sound, allowed at least 3");
  SeriesOptions slow;
  slow.contact_time = 0.2;
  EXPECT_THAT(FindBounceSeries(HeardAt({1.0, 1.5, 1.9, 2.22}, 0.8), slow).reason,
              HasSubstr("contact_time: found 0.2 s"));
  SeriesOptions wrong;
  wrong.gravity = -9.8;
  EXPECT_THROW(FindBounceSeries(HeardAt({1.0}, 0.8), wrong), std::invalid_argument);
}

}  // namespace
}  // namespace percuss::capture
