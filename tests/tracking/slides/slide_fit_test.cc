// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Slides whose truth is known: Newton's law in another frame and another integrator
// (synthetic_slide.h), markers projected into two cameras with noise.

#include "tracking/slides/slide_fit.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "tests/tracking/slides/synthetic_slide.h"

namespace percuss::tracking {
namespace {

using ::testing::HasSubstr;

constexpr double kNoisePx = 0.05;

ObservationOptions SlideVideo(int num_frames) {
  return {.frame_rate = 120.0, .num_frames = num_frames, .noise_px = kNoisePx};
}

SlideFit FitOf(const SyntheticSlide& slide, int num_frames, unsigned seed) {
  std::mt19937 random(seed);
  const auto frames = ObserveSlide(slide, MakeSyntheticTrial(), SlideVideo(num_frames), &random);
  return FitSlide(frames, {.gravity = slide.Gravity(), .centre_height = 0.00625});
}

double Pull(const SlideNumber& number, double truth) {
  return (number.value - truth) / number.noise_sigma;
}

TEST(SlideModel, ObeysNewtonsLawOnAPlateThatTurns) {
  SlideModel model;
  model.gravity = {0.5, 0.0, -9.8};
  model.turn_order = 3;
  model.last_time = 1.0;
  Eigen::VectorXd x(model.Size());
  x << 0.2, -0.3, 0.02, 0.1, 0.03, 0.3, 0.25, 0.05, -0.04, 0.4;
  std::vector<double> times;
  constexpr double kStep = 1e-3;
  for (double time = 0.35; time < 0.9; time += kStep) times.push_back(time);
  const Eigen::VectorXd seen = Predict(model, x, times);
  for (std::size_t k = 100; k + 1 < times.size(); k += 50) {
    const auto place = [&](std::size_t i) { return seen.segment<2>(3 * static_cast<int>(i)); };
    const Eigen::Vector2d acceleration =
        (place(k + 1) - 2.0 * place(k) + place(k - 1)) / (kStep * kStep);
    const Eigen::Vector2d force = acceleration - Eigen::Vector2d(0.5, -9.8);
    const double turn = seen[3 * static_cast<int>(k) + 2];
    const double normal = std::sin(turn) * force.x() + std::cos(turn) * force.y();
    const double along = std::cos(turn) * force.x() - std::sin(turn) * force.y();
    EXPECT_NEAR(-along / normal, 0.2, 2e-5) << times[k];
  }
}

TEST(FitSlide, MeasuresFrictionOnASlopeAtRest) {
  const SyntheticSlide slide;
  const SlideFit fit = FitOf(slide, 90, 1);
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_EQ(fit.estimate.start, SlideStart::kFromRest);
  EXPECT_FALSE(fit.estimate.tilting);
  EXPECT_NEAR(fit.estimate.mu_k.value, slide.mu_k, 0.001);
  const double a = 9.80665 * (std::sin(slide.angle) - slide.mu_k * std::cos(slide.angle));
  EXPECT_NEAR(fit.estimate.acceleration.value, a, 0.01);
  EXPECT_NEAR(fit.estimate.start_time.value, slide.start, 0.01);
  EXPECT_NEAR(fit.estimate.angle.value, slide.angle, 1e-9);
  EXPECT_TRUE(std::isnan(fit.estimate.mu_s.value));
  EXPECT_THAT(fit.estimate.mu_s_reason, HasSubstr("the slope does not change"));
}

TEST(FitSlide, KnowsAKnockAndSaysWhatItBounds) {
  SyntheticSlide slide;
  slide.mu_k = 0.34;
  slide.start_speed = 0.4;
  const SlideFit fit = FitOf(slide, 90, 2);
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_EQ(fit.estimate.start, SlideStart::kKnocked);
  EXPECT_LT(std::abs(Pull(fit.estimate.mu_k, slide.mu_k)), 4.0);
  EXPECT_LT(std::abs(Pull(fit.estimate.start_speed, slide.start_speed)), 4.0);
  EXPECT_THAT(fit.estimate.mu_s_reason, HasSubstr("mu_s is at least 0.3650"));
}

TEST(FitSlide, DoesWithoutTheStart) {
  SyntheticSlide slide;
  slide.start = -0.2;
  slide.x_start = -0.15;
  const SlideFit fit = FitOf(slide, 70, 3);
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_EQ(fit.estimate.start, SlideStart::kMoving);
  EXPECT_LT(std::abs(Pull(fit.estimate.mu_k, slide.mu_k)), 4.0);
  EXPECT_TRUE(std::isnan(fit.estimate.mu_s.value));
  EXPECT_THAT(fit.estimate.mu_s_reason, HasSubstr("moves in all frames"));
}

TEST(FitSlide, MeasuresWhatSlowsABodyDownOnALevelPlate) {
  SyntheticSlide slide;
  slide.angle = 0.0;
  slide.start = -0.01;
  slide.start_speed = 0.8;
  const SlideFit fit = FitOf(slide, 80, 4);  // at rest after 0.33 s
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_LT(std::abs(Pull(fit.estimate.mu_k, slide.mu_k)), 4.0);
  EXPECT_NEAR(fit.estimate.mu_k.value, slide.mu_k, 0.005);
  EXPECT_TRUE(std::isnan(fit.estimate.direction.value));
}

TEST(FitSlide, EndsAtAnEndStop) {
  SyntheticSlide slide;
  slide.stop = 0.18;
  const SlideFit fit = FitOf(slide, 150, 5);
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_NEAR(fit.estimate.path, slide.stop, 0.01);
  EXPECT_LT(std::abs(Pull(fit.estimate.mu_k, slide.mu_k)), 4.0);
}

TEST(FitSlide, MeasuresBothOnAPlateTiltedUntilTheBodySlides) {
  SyntheticSlide slide;
  slide.tilt_rate = 0.2;
  const SlideFit fit = FitOf(slide, 270, 6);
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_TRUE(fit.estimate.tilting);
  EXPECT_EQ(fit.estimate.start, SlideStart::kFromRest);
  EXPECT_EQ(fit.estimate.mu_s_reason, "");
  EXPECT_NEAR(fit.estimate.mu_s.value, slide.mu_s, 0.005);
  EXPECT_NEAR(fit.estimate.mu_k.value, slide.mu_k, 0.01);
  EXPECT_LT(std::abs(Pull(fit.estimate.mu_s, slide.mu_s)), 4.0);
  EXPECT_LT(std::abs(Pull(fit.estimate.mu_k, slide.mu_k)), 4.0);
}

TEST(FitSlide, SeesFrictionThatChangesAlongTheWay) {
  SyntheticSlide slide;
  slide.mu_change = 0.05;
  const SlideFit fit = FitOf(slide, 90, 7);
  ASSERT_EQ(fit.estimate.reason, "");
  EXPECT_GT(fit.estimate.friction_change.value, 5.0 * fit.estimate.friction_change.noise_sigma);
}

TEST(FitSlide, RefusesABodyThatStaysAndOneThatRolls) {
  SyntheticSlide slide;
  slide.start = 100.0;
  EXPECT_THAT(FitOf(slide, 60, 8).estimate.reason, HasSubstr("along the plate, of at least 5 mm"));

  // A cube of 6 cm with markers on all faces, as if it were round.
  SyntheticTrial setting = MakeSyntheticTrial();
  setting.body = MarkedCube();
  const SyntheticSlide rolling{.x_start = -0.05};
  const SyntheticMotion slides = rolling.Motion(setting.body);
  SyntheticMotion rolls;
  rolls.pieces.push_back({-1e9, [=](double time) {
                            solver::FlightState<double> state = slides.StateAt(time);
                            state.q_WB = Eigen::AngleAxisd((state.p_WB.x() + 0.05) / 0.03,
                                                           Eigen::Vector3d::UnitY());
                            return state;
                          }});
  std::mt19937 random(9);
  const auto frames = Observe(rolls, setting.body, setting.calibration, setting.calibration,
                              SlideVideo(80), &random);
  const SlideFit fit = FitSlide(frames, {.gravity = rolling.Gravity(), .centre_height = 0.03});
  EXPECT_THAT(fit.estimate.reason, HasSubstr("rolls"));
  EXPECT_TRUE(std::isnan(fit.estimate.mu_k.value));
}

/// Errors in sigmas over many draws of the pixels.
struct Coverage {
  double mean_square = 0.0;
  int inside = 0, draws = 0;

  void Add(double pull) {
    mean_square = (mean_square * draws + pull * pull) / (draws + 1);
    inside += std::abs(pull) < 1.96 ? 1 : 0;
    ++draws;
  }
};

/// 200 draws: 95 % of a binomial with three standard errors, and the mean of the squares.
void ExpectHonest(const Coverage& coverage, const char* what) {
  EXPECT_EQ(coverage.draws, 200) << what;
  EXPECT_GE(coverage.inside, 180) << what;
  EXPECT_GT(coverage.mean_square, 0.6) << what;
  EXPECT_LT(coverage.mean_square, 1.4) << what;
}

TEST(FitSlide, SigmasHoldOverDrawsOnASlopeAtRest) {
  const SyntheticSlide slide;
  Coverage mu_k, start;
  for (unsigned seed = 100; seed < 300; ++seed) {
    const SlideFit fit = FitOf(slide, 80, seed);
    ASSERT_EQ(fit.estimate.reason, "");
    mu_k.Add(Pull(fit.estimate.mu_k, slide.mu_k));
    start.Add(Pull(fit.estimate.start_time, slide.start));
  }
  ExpectHonest(mu_k, "mu_k");
  ExpectHonest(start, "start time");
}

TEST(FitSlide, SigmasHoldOverDrawsOnATiltedPlate) {
  SyntheticSlide slide;
  slide.tilt_rate = 0.25;
  Coverage mu_k, mu_s;
  for (unsigned seed = 300; seed < 500; ++seed) {
    const SlideFit fit = FitOf(slide, 220, seed);
    ASSERT_EQ(fit.estimate.mu_s_reason, "");
    mu_k.Add(Pull(fit.estimate.mu_k, slide.mu_k));
    mu_s.Add(Pull(fit.estimate.mu_s, slide.mu_s));
  }
  ExpectHonest(mu_k, "mu_k");
  ExpectHonest(mu_s, "mu_s");
}

}  // namespace
}  // namespace percuss::tracking
