// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What people film by mistake: each clip is measured as far as it goes, with one line that says
// what was left out, or refused with one line.
// Source of truth: the motion of the rendered ball.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <opencv2/imgproc.hpp>
#include <random>

#include "base/error.h"
#include "pipeline/bounces/bounce_clip.h"
#include "tests/base/temporary_folder.h"
#include "tests/pipeline/bounces/made_clip.h"

namespace percuss::pipeline {
namespace {

using percuss::testing::MadeClip;
using percuss::testing::Rendered;
using percuss::testing::SmallBall;
using percuss::testing::Together;
using percuss::testing::Turned;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const capture::SoundTrack kNoSound{.reason = "the video has no sound"};

BounceClip Measure(const MadeClip& clip, const BounceOptions& options = {}) {
  return MeasureBounces(clip.Frames(), kNoSound, false, "clip.mp4", options, nullptr);
}

/// The one line with which a clip is refused.
std::string Refusal(const MadeClip& clip) {
  try {
    Measure(clip);
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error.what();
  }
  return "";
}

/// The scene of SmallBall() while the ball is far outside of the picture.
MadeClip SceneAlone(double duration) {
  synthesis::BallSpec spec = SmallBall();
  spec.start = {30.0, 0.0, 0.5};
  spec.bounces = 0;
  spec.duration = duration;
  return Rendered(spec);
}

/// Every bounce is one of the ball, with its e.
void ExpectBounces(const BounceClip& clip, const synthesis::BallSpec& spec, std::size_t count,
                   double later = 0.0) {
  const synthesis::BallMotion motion(spec);
  ASSERT_EQ(clip.fit.bounces.size(), count);
  for (std::size_t k = 0; k < count; ++k) {
    const tracking::BounceEstimate& seen = clip.fit.bounces[k];
    const auto truth = std::ranges::find_if(motion.bounces, [&](const synthesis::BounceTruth& one) {
      return std::abs(one.time - seen.time - later) < 0.01;
    });
    ASSERT_NE(truth, motion.bounces.end()) << seen.time;
    const double e = -truth->after.v.z() / truth->before.v.z();
    EXPECT_NEAR(seen.e, e, std::min(4.0 * clip.fit.Sigma(k, tracking::kBounceE), 0.03)) << k;
  }
}

TEST(BadClips, WithoutABall) {
  MadeClip clip = SceneAlone(0.5);
  EXPECT_THAT(Refusal(clip), AllOf(HasSubstr("clip.mp4: found no ball"), HasSubstr("film")));
  // Somebody passes, nodding.
  for (std::size_t k = 0; k < clip.pictures.size(); ++k) {
    const auto t = static_cast<double>(k);
    cv::ellipse(
        clip.pictures[k],
        {static_cast<int>(100.0 + 4.0 * t), static_cast<int>(180.0 + 20.0 * std::sin(0.4 * t))},
        {40, 110}, 10.0, 0.0, 360.0, cv::Scalar(30), -1);
  }
  EXPECT_THAT(Refusal(clip), HasSubstr("found no ball, since nothing that moves flies on two"));
}

// Arcs of 4 px, shaken by up to 2 px: whether it comes back with any of its speed cannot be seen.
TEST(BadClips, AThingThatHardlyBounces) {
  MadeClip clip = SceneAlone(0.8);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> shaken(-2.0, 2.0);  // [px]
  for (std::size_t k = 0; k < clip.pictures.size(); ++k) {
    const double arcs = static_cast<double>(k) / 16.0, part = arcs - std::floor(arcs);
    const cv::Point2d place(150.0 + 4.0 * static_cast<double>(k) + shaken(random),
                            200.0 - 16.0 * part * (1.0 - part) + shaken(random));
    constexpr double kFraction = 16.0;
    cv::circle(clip.pictures[k], place * kFraction, static_cast<int>(6.0 * kFraction),
               cv::Scalar(220), -1, cv::LINE_AA, 4);
  }
  EXPECT_THAT(Refusal(clip), AllOf(HasSubstr("clip.mp4: found no bounce that shows e: of 1 the "),
                                   HasSubstr("allowed less than 1"), HasSubstr("film closer")));
}

TEST(BadClips, TwoBalls) {
  const synthesis::BallSpec one = SmallBall();
  synthesis::BallSpec other = one;
  other.start = {0.3, 0.0, 0.3};
  other.velocity = {-0.05, 0.0, 0.0};
  other.hold = 0.15;
  other.e.values = {0.7};
  const MadeClip clip = Together(Rendered(one), Rendered(other));
  const BounceClip first = Measure(clip);
  // The taken one and the other, each once: a shadow is no third ball.
  ASSERT_EQ(first.warnings.size(), 1U);
  const std::string& line = first.warnings[0];
  EXPECT_THAT(line,
              AllOf(HasSubstr("took the ball that is at"), HasSubstr("another thing bounces")));
  // What the line says to type takes the other one.
  BounceOptions options;
  options.ball.emplace();
  const std::size_t at = line.find("--ball ");
  ASSERT_NE(at, std::string::npos);
  ASSERT_EQ(
      std::sscanf(line.c_str() + at, "--ball %lf,%lf", &options.ball->x(), &options.ball->y()), 2);
  const BounceClip second = Measure(clip, options);
  const bool swapped = std::abs(first.mean.mean.value - 0.7) < 0.03;
  EXPECT_NEAR(first.mean.mean.value, swapped ? 0.7 : 0.8, 0.01);
  EXPECT_NEAR(second.mean.mean.value, swapped ? 0.8 : 0.7, 0.01);
}

// In one plane, so that they are one thing where they cross.
TEST(BadClips, TwoBallsThatCross) {
  synthesis::BallSpec one = SmallBall();
  one.velocity = {0.4, 0.0, 0.0};
  synthesis::BallSpec other = one;
  other.start = {0.25, 0.0, 0.4};
  other.velocity = {-0.4, 0.0, 0.0};
  other.hold = 0.3;
  const MadeClip clip = Together(Rendered(one), Rendered(other));
  try {
    const BounceClip seen = Measure(clip);
    ASSERT_FALSE(seen.fit.bounces.empty());
    const bool is_one =
        std::abs(seen.fit.bounces[0].time - synthesis::BallMotion(one).bounces[0].time) < 0.01;
    ExpectBounces(seen, is_one ? one : other, seen.fit.bounces.size());
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("took the ball that is at"));
    ADD_FAILURE() << error.what();
  }
}

// Thrown down, it rises above the picture after its first bounce, before which it falls too fast to
// be followed.
TEST(BadClips, ABallThatLeavesThePictureAndReturns) {
  synthesis::BallSpec spec = SmallBall();
  spec.start = {-0.3, 0.0, 0.45};
  spec.velocity = {0.2, 0.0, -3.2};
  spec.hold = 0.0;
  spec.e.values = {0.85, 0.75};
  const BounceClip clip = Measure(Rendered(spec));
  ExpectBounces(clip, spec, 1);
  EXPECT_THAT(clip.warnings, Contains(HasSubstr("the ball is out of the picture, or hidden, in "
                                                "frames ")));
}

TEST(BadClips, ABallThatPassesBehindAPost) {
  synthesis::BallSpec spec = SmallBall();
  spec.velocity.x() = 0.6;
  MadeClip clip = Rendered(spec);
  const synthesis::BallMotion motion(spec);
  // Between the first bounce and the second.
  const int middle = static_cast<int>(30.0 * (motion.bounces[0].time + motion.bounces[1].time));
  const int x = static_cast<int>(synthesis::BallClip(spec).View(middle).pixel.x());
  for (cv::Mat& picture : clip.pictures)
    cv::rectangle(picture, {x - 7, 0}, {x + 7, 359}, cv::Scalar(60), cv::FILLED);
  const BounceClip seen = Measure(clip);
  ExpectBounces(seen, spec, 2);
  // Halves of a ball have their centres elsewhere: they do not count.
  EXPECT_THAT(seen.warnings, ElementsAre(HasSubstr("the ball is out of the picture, or hidden")));
}

// As converters fill up a frame rate.
TEST(BadClips, EveryOtherFrameRepeatsTheOneBefore) {
  synthesis::BallSpec spec = SmallBall();
  spec.frame_rate = 120.0;
  MadeClip clip = Rendered(spec);
  for (std::size_t k = 1; k < clip.pictures.size(); k += 2) clip.pictures[k] = clip.pictures[k - 1];
  const BounceClip seen = Measure(clip);
  ExpectBounces(seen, spec, 2);
  EXPECT_THAT(seen.warnings, ElementsAre(HasSubstr("repeat the one before them")));
}

TEST(BadClips, ABallThatLeavesForGood) {
  synthesis::BallSpec spec = SmallBall();
  spec.velocity = {0.9, 0.0, 0.0};
  spec.mu = 0.0;
  spec.bounces = 0;
  spec.duration = 1.4;
  const BounceClip clip = Measure(Rendered(spec));
  ExpectBounces(clip, spec, 2);
  EXPECT_THAT(clip.warnings, ElementsAre(HasSubstr("the ball leaves the picture after frame")));
}

TEST(BadClips, CutShortlyAfterTheOnlyBounce) {
  synthesis::BallSpec spec = SmallBall();
  spec.bounces = 0;
  spec.duration = synthesis::BallMotion(SmallBall()).bounces[0].time + 0.1;
  const BounceClip clip = Measure(Rendered(spec));
  ExpectBounces(clip, spec, 1);
  EXPECT_THAT(clip.warnings, IsEmpty());
  spec.duration -= 0.06;  // two frames of the last flight
  EXPECT_THAT(Refusal(Rendered(spec)), HasSubstr("what follows the bounce"));
}

TEST(BadClips, CutInTheBounce) {
  synthesis::BallSpec spec = SmallBall();
  spec.contact_time = 0.004;
  const synthesis::BallMotion motion(spec);
  const MadeClip whole = Rendered(spec);
  const auto frame_after = [&](double time) { return static_cast<int>(std::ceil(60.0 * time)); };
  const int first = frame_after(motion.bounces[0].time), last = frame_after(motion.bounces[1].time);
  // Begins in the first bounce, whose e is then unknown.
  ExpectBounces(Measure(whole.Cut(first, static_cast<int>(whole.pictures.size()) - 1)), spec, 1,
                whole.times[first]);
  // Ends in the second one.
  ExpectBounces(Measure(whole.Cut(0, last)), spec, 1);
}

/// Larger than what the camera sees, so that it can be turned.
MadeClip LargePictures() {
  synthesis::BallSpec spec = SmallBall();
  spec.camera = synthesis::BallCamera(960, 480, 560.0, spec.camera.Position(), spec.target);
  return Rendered(spec);
}

TEST(BadClips, ACameraThatIsKnocked) {
  const MadeClip clip = Turned(LargePictures(), 560.0, {640, 360}, [](double time) {
    return time < 0.6 ? Eigen::Vector2d(0.0, 0.0) : Eigen::Vector2d(30.0, -15.0);
  });
  const BounceClip seen = Measure(clip);
  ExpectBounces(seen, SmallBall(), 2);
  EXPECT_TRUE(seen.survey.shake.shakes);
}

// Picked up to stop it, or swung round: what is seen before counts.
TEST(BadClips, ACameraThatIsPickedUp) {
  MadeClip clip = Rendered(SmallBall());
  cv::Mat elsewhere;
  cv::flip(clip.pictures[0], elsewhere, -1);
  const std::size_t from = clip.pictures.size() - 8;
  for (std::size_t k = from; k < clip.pictures.size(); ++k) clip.pictures[k] = elsewhere;
  const BounceClip seen = Measure(clip);
  ExpectBounces(seen, SmallBall(), 2);
  EXPECT_THAT(seen.warnings, Contains(HasSubstr("the camera moves too far or too fast to follow")));
}

// What FFmpeg would draw letter by letter.
TEST(BadClips, ATextInPlaceOfAVideo) {
  const testing::TemporaryFolder folder;
  std::string text;
  for (int k = 0; k < 500; ++k) text += "a line of many\n";
  const auto file = folder.Write("notes.txt", text);
  try {
    MeasureBounces(file, {}, nullptr);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("notes.txt: found a text, allowed a video"));
  }
}

}  // namespace
}  // namespace percuss::pipeline
