// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/video/frame_timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/imgproc.hpp>

namespace percuss::capture {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<double> Times(const std::vector<double>& steps) {
  std::vector<double> times = {0.0};
  for (const double step : steps) times.push_back(times.back() + step);
  return times;
}

TEST(AuditFrameTimes, OfAnEvenVideoSaysNothing) {
  const FrameTiming timing = AuditFrameTimes(Times(std::vector<double>(50, 1.0 / 120.0)));
  EXPECT_NEAR(timing.interval, 1.0 / 120.0, 1e-12);
  EXPECT_NEAR(timing.jitter, 0.0, 1e-12);
  EXPECT_THAT(TimingWarnings(timing, "left.mp4"), IsEmpty());
}

// Truth: the steps. A container that rounds to milliseconds writes 8, 8 and 9 ms for 120 Hz: its
// interval is their mean, and rounding is no variable rate.
TEST(AuditFrameTimes, RoundedTimesAreEven) {
  std::vector<double> steps;
  for (int k = 0; k < 20; ++k) steps.insert(steps.end(), {0.008, 0.008, 0.009});
  const FrameTiming timing = AuditFrameTimes(Times(steps));
  EXPECT_NEAR(timing.interval, 0.025 / 3.0, 1e-12);
  EXPECT_NEAR(timing.jitter, 1e-3 * std::sqrt(2.0) / 3.0, 1e-9);
  EXPECT_THAT(TimingWarnings(timing, "left.mp4"), IsEmpty());
}

std::vector<double> Rounded(std::vector<double> times, double tick) {
  for (double& time : times) time = tick * std::round(time / tick);
  return times;
}

// Truth: times at 119.88 Hz, one frame in ten missing. The nominal rate is taken if it fits; the
// fitted one has a sigma of tick / n^(3/2), 0.08 ticks over the whole video: three of them.
TEST(UnroundedTimes, AreThoseBeforeTheContainer) {
  std::vector<double> times;
  for (int k = 0; k < 200; ++k) {
    if (k % 10 != 7) times.push_back(k / 119.88);
  }
  for (const double tick : {1e-3, 1.0 / 90000.0}) {
    const std::vector<double> rounded = Rounded(times, tick);
    const std::vector<double> fitted = UnroundedTimes(rounded, tick, 0.0);
    const std::vector<double> wrong = UnroundedTimes(rounded, tick, 120.0);
    const std::vector<double> nominal = UnroundedTimes(rounded, tick, 119.88);
    for (std::size_t k = 0; k < times.size(); ++k) {
      EXPECT_NEAR(fitted[k], times[k], 0.25 * tick) << k;
      EXPECT_NEAR(wrong[k], times[k], 0.25 * tick) << k;
      EXPECT_NEAR(nominal[k], times[k], 1e-12) << k;
    }
  }
}

// A camera whose frames come when they come keeps its times, and so does one that pauses.
TEST(UnroundedTimes, LeaveWhatIsNotEven) {
  std::vector<double> phone, burst;
  for (int k = 0; k < 100; ++k) {
    phone.push_back(k / 30.0 + 0.002 * std::sin(0.9 * k));
    burst.push_back(1e-3 * k + (k > 50 ? 0.0004 : 0.0));
  }
  EXPECT_EQ(UnroundedTimes(Rounded(phone, 1e-3), 1e-3, 30.0), Rounded(phone, 1e-3));
  EXPECT_EQ(UnroundedTimes(burst, 1e-4, 0.0), burst);
  EXPECT_EQ(UnroundedTimes({0.0, 0.01}, 1e-3, 0.0), (std::vector<double>{0.0, 0.01}));
  EXPECT_EQ(UnroundedTimes({0.0, 0.01, 0.021}, 0.0, 0.0), (std::vector<double>{0.0, 0.01, 0.021}));
}

TEST(AuditFrameTimes, CountsMissingFrames) {
  std::vector<double> steps(40, 0.01);
  steps[16] = 0.02;
  steps[30] = 0.03;
  const FrameTiming timing = AuditFrameTimes(Times(steps));
  EXPECT_EQ(timing.num_dropped, 3);
  EXPECT_EQ(timing.first_after_gap, 17);
  EXPECT_NEAR(timing.interval, 0.01, 1e-12);
  EXPECT_THAT(
      TimingWarnings(timing, "left.mp4"),
      ElementsAre("left.mp4: 3 frames are missing (first before frame 17); the times of the "
                  "others hold"));
}

TEST(AuditFrameTimes, NoticesAVariableRate) {
  std::vector<double> steps;
  for (int k = 0; k < 40; ++k) steps.push_back(0.030 + 0.008 * std::sin(0.7 * k));
  const FrameTiming timing = AuditFrameTimes(Times(steps));
  EXPECT_TRUE(timing.variable_rate);
  EXPECT_EQ(timing.num_dropped, 0);
  EXPECT_EQ(TimingWarnings(timing, "left.mp4").size(), 1u);
}

TEST(AuditFrameTimes, OfOneFrameOrNoneIsEmpty) {
  EXPECT_EQ(AuditFrameTimes({}).interval, 0.0);
  EXPECT_EQ(AuditFrameTimes(std::vector<double>{0.0}).interval, 0.0);
}

// A bright bar at x on a dark ground, with noise as a second compression adds it.
cv::Mat Picture(double x, double noise_grey, cv::RNG* random, double light = 0.0) {
  cv::Mat picture(90, 320, CV_32F, cv::Scalar(30.0 + light)), noise(picture.size(), CV_32F);
  cv::rectangle(picture, cv::Point2d(x, 30), cv::Point2d(x + 40, 50), cv::Scalar(200.0 + light),
                cv::FILLED);
  random->fill(noise, cv::RNG::NORMAL, 0.0, noise_grey);
  cv::Mat out;
  cv::Mat(picture + noise).convertTo(out, CV_8U);
  return out;
}

std::vector<int> RepeatedAt(const std::vector<double>& places, double noise_grey) {
  cv::RNG random(7);
  RepeatedPictures pictures;
  for (const double x : places) pictures.Add(Picture(x, noise_grey, &random));
  return pictures.Find();
}

// Truth: which places are listed twice. Noise of one grey value at half size is more than what a
// second compression changes.
TEST(RepeatedPictures, FindsThoseThatStandStillWhileNeighboursMove) {
  for (const double noise : {0.0, 1.0}) {
    EXPECT_THAT(RepeatedAt({10, 15, 20, 20, 30, 35, 40, 45, 45, 45, 60, 65}, noise),
                ElementsAre(3, 8, 9))
        << noise;
  }
}

TEST(RepeatedPictures, RestAndTurningPointsAreNone) {
  // A body that rests and then falls; one that rests at the end.
  EXPECT_THAT(RepeatedAt({10, 10, 10, 10, 10, 11, 14, 19, 26, 35, 35, 35, 35, 35, 35}, 1.0),
              IsEmpty());
  // The top of a path that lies half way between two pictures: it goes back where it came from.
  EXPECT_THAT(RepeatedAt({10, 20, 26, 28, 28, 26, 20, 10}, 1.0), IsEmpty());
}

// Truth: a light of two frames on a body at rest shows the same lit picture twice.
TEST(RepeatedPictures, AFlashIsNone) {
  cv::RNG random(8);
  RepeatedPictures pictures;
  for (const double light : {0.0, 0.0, 0.0, 40.0, 40.0, 0.0, 0.0, 0.0})
    pictures.Add(Picture(50.0, 0.0, &random, light));
  EXPECT_THAT(pictures.Find(), IsEmpty());
}

// Truth: a body at rest. Compression makes a few cells jump now and then, and a flash all of them.
TEST(RepeatedPictures, RestAfterAFlashIsNone) {
  cv::RNG random(9);
  RepeatedPictures pictures;
  for (int k = 0; k < 12; ++k) {
    cv::Mat picture = Picture(50.0, 0.0, &random, k == 4 ? 40.0 : 0.0);
    if (k % 4 == 0) picture(cv::Rect(100, 20, 60, 40)) += 4;
    pictures.Add(picture);
  }
  EXPECT_THAT(pictures.Find(), IsEmpty());
}

// Truth: nothing repeats; the light goes out over a body at rest that sets off three pictures
// later.
TEST(RepeatedPictures, RestBetweenAFlashAndTheReleaseIsNone) {
  cv::RNG random(9);
  RepeatedPictures pictures;
  const std::vector<double> places = {50, 50, 50, 50, 50, 50, 53, 57, 63, 70};
  for (std::size_t k = 0; k < places.size(); ++k)
    pictures.Add(Picture(places[k], 0.0, &random, k == 2 ? 40.0 : 0.0));
  EXPECT_THAT(pictures.Find(), IsEmpty());
}

}  // namespace
}  // namespace percuss::capture
