// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/slides/slide_trial.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/math/covariance_root.h"
#include "tests/tracking/slides/synthetic_slide.h"
#include "tracking/slides/slide_fit.h"

namespace percuss::tracking {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The bench of MakeSyntheticTrial as somebody typed it, with a calibration that is known as well
/// as one usually is.
Bench BenchOf(const SyntheticTrial& setting) {
  capture::Experiment experiment;
  experiment.body = setting.body;
  experiment.body.sigma.mass_centre = 0.001;
  experiment.board.square = 0.023;
  experiment.board.square_sigma = 2.3e-5;
  return StatedBench(experiment, setting.calibration);
}

SlideEstimate EstimateOf(const SyntheticSlide& slide, int num_frames, unsigned seed,
                         const Eigen::Vector3d& stated_gravity) {
  const SyntheticTrial setting = MakeSyntheticTrial();
  std::mt19937 random(seed);
  const auto frames =
      ObserveSlide(slide, setting, {.num_frames = num_frames, .noise_px = 0.05}, &random);
  return EstimateSlide(frames, BenchOf(setting), {.gravity = stated_gravity});
}

TEST(EstimateSlide, AddsWhatAllTrialsShare) {
  const SyntheticSlide slide;
  const SlideEstimate estimate = EstimateOf(slide, 90, 1, slide.Gravity());
  ASSERT_EQ(estimate.reason, "");
  EXPECT_THAT(estimate.warnings, IsEmpty());
  // Gravity that is known to 0.01 m/s^2 in each direction tilts the slope by 1.02 mrad, and
  // d mu / d theta at a given acceleration is 1 / cos^2 - a tan / (g cos) = 1.09. The scale of all
  // distances, known to 0.1 %, adds 0.001 a / (g cos) = 1e-4.
  EXPECT_NEAR(estimate.mu_k.shared_sigma, 0.00119, 0.00015);
  EXPECT_LT(estimate.mu_k.noise_sigma, 0.001);
  EXPECT_NEAR(estimate.mu_k.value, slide.mu_k, 0.001);
}

TEST(EstimateSlide, SaysThatTheSlopeIsNotAsStated) {
  const SyntheticSlide slide;
  // 2 degrees of tilt across the way that nobody stated.
  const Eigen::Vector3d stated =
      Eigen::AngleAxisd(0.035, Eigen::Vector3d::UnitX()) * slide.Gravity();
  const SlideEstimate estimate = EstimateOf(slide, 90, 2, stated);
  ASSERT_EQ(estimate.reason, "");
  EXPECT_THAT(estimate.warnings, Contains(HasSubstr("off the direction in which gravity pulls")));
}

TEST(EstimateSlide, SaysThatFrictionChanges) {
  SyntheticSlide slide;
  slide.mu_change = 0.05;
  const SlideEstimate estimate = EstimateOf(slide, 90, 3, slide.Gravity());
  EXPECT_THAT(estimate.warnings, Contains(HasSubstr("friction changes along the way")));
}

/// Bench parameters drawn from what is stated of them; the videos are made with those, evaluated
/// with the stated ones, and the errors compared with the sigmas of one evaluation.
struct SharedDraws {
  int inside_mu_k = 0, inside_mu_s = 0, draws = 0;
};

SharedDraws DrawBenches(SyntheticSlide slide, int num_frames, unsigned first_seed) {
  const SyntheticTrial setting = MakeSyntheticTrial();
  const Bench stated = BenchOf(setting);
  const BenchParameters places = stated.Parameters();
  const Eigen::MatrixXd root = CovarianceRoot(stated.covariance);
  SharedDraws counted;
  SlideEstimate first;
  for (unsigned seed = first_seed; seed < first_seed + 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0.0, 1.0);
    Eigen::VectorXd draw(root.cols());
    for (double& value : draw) value = normal(random);
    const Eigen::VectorXd change = root * draw;
    const Bench truth = Moved(stated, change);
    // The way is the same, gravity another: friction follows from both.
    const Eigen::Vector3d error = change.segment<3>(places.Gravity());
    const auto frames =
        Observe(slide.Motion(truth.body), truth.body, truth.calibration, setting.body,
                setting.calibration, {.num_frames = num_frames, .noise_px = 0.05}, &random);
    const SlideSurroundings around{.gravity = slide.Gravity() - error};
    const SlideSetting plain{.gravity = around.gravity, .centre_height = 0.00625};
    const SlideEstimate estimate = first.frames == 0 ? EstimateSlide(frames, stated, around)
                                                     : FitSlide(frames, plain).estimate;
    if (!estimate.usable() || (slide.tilt_rate > 0.0 && !estimate.mu_s_reason.empty())) continue;
    if (first.frames == 0) first = estimate;
    const double sigma_k = std::hypot(estimate.mu_k.noise_sigma, first.mu_k.shared_sigma);
    counted.inside_mu_k += std::abs(estimate.mu_k.value - slide.mu_k) < 1.96 * sigma_k;
    const double sigma_s =
        std::hypot(estimate.start_ratio.noise_sigma, first.start_ratio.shared_sigma);
    counted.inside_mu_s += std::abs(estimate.start_ratio.value - slide.mu_s) < 1.96 * sigma_s;
    ++counted.draws;
  }
  return counted;
}

TEST(EstimateSlide, SigmasHoldOverBenchesAndPixels) {
  const SharedDraws counted = DrawBenches({}, 80, 1000);
  EXPECT_EQ(counted.draws, 200);
  EXPECT_GE(counted.inside_mu_k, 180);
}

TEST(EstimateSlide, SigmasHoldOverBenchesOnATiltedPlate) {
  SyntheticSlide slide;
  slide.tilt_rate = 0.25;
  const SharedDraws counted = DrawBenches(slide, 220, 2000);
  EXPECT_EQ(counted.draws, 200);
  EXPECT_GE(counted.inside_mu_k, 180);
  EXPECT_GE(counted.inside_mu_s, 180);
}

}  // namespace
}  // namespace percuss::tracking
