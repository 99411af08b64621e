// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "pipeline/pixel_fit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <random>

#include "fitting/estimate/coefficient_fit.h"
#include "fitting/model/impact_model.h"
#include "solver/body/flight.h"
#include "solver/solve_impact.h"
#include "tests/tracking/arcs/synthetic_trial.h"
#include "tests/tracking/flights/synthetic_motion.h"
#include "tracking/arcs/impact_arcs.h"

namespace percuss::fitting {
namespace {

constexpr double kMu = 0.2, kE = 0.55;
const Eigen::Vector3d kGravity(0, 0, -9.80665);

/// A cube that is let go, tumbles, strikes the surface as the law `stronge` says and flies off.
tracking::SyntheticMotion DrawMotion(const solver::Body& body, std::mt19937* random) {
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const auto draw = [&](double size) -> Eigen::Vector3d {
    const double x = uniform(*random), y = uniform(*random), z = uniform(*random);
    return {size * x, size * y, size * z};
  };
  for (;;) {
    solver::FlightState<double> start;
    start.q_WB =
        Eigen::Quaterniond{uniform(*random), uniform(*random), uniform(*random), uniform(*random)}
            .normalized();
    start.v = draw(0.8);
    start.w = draw(4.0);
    start = tracking::WithLowestPointAt(body.shape, 0.18, start);
    tracking::SyntheticMotion motion;
    tracking::AddCarry({}, start, 0.1, &motion);
    tracking::AddFlight(body, kGravity, start, 0.1, 0.6, {}, &motion);
    if (motion.impacts.empty()) continue;
    tracking::TrueImpact& impact = motion.impacts.front();
    impacts::ImpactRecord record;
    record.q_WB = impact.before.q_WB;
    record.r = impact.r;
    record.v = impact.before.v;
    record.w = impact.before.w;
    const ImpactGeometry geometry = CalcGeometry(record, body);
    if (!(geometry.contact.velocity.z() < -0.5)) continue;
    const solver::ImpactResult<double> result =
        solver::SolveImpact("stronge", geometry.contact, std::array{kMu, kE});
    const Vector6d after = geometry.before + geometry.velocity_per_impulse * result.impulse;
    if (!(after[2] > 0.6)) continue;  // it must fly on for a while
    solver::FlightState<double> from = impact.before;
    impact.v_post = from.v = after.head<3>();
    impact.w_post = from.w = after.tail<3>();
    motion.pieces.back().state = [from, time = impact.time, body](double t) {
      return solver::PropagateFlight<double>(from, body.inertia, kGravity, t - time);
    };
    return motion;
  }
}

/// One trial as the tracker gives it.
std::optional<pipeline::PixelTrial> Measure(const capture::MarkedBody& body,
                                            const tracking::SyntheticMotion& motion,
                                            const calibration::RigCalibration& calibration,
                                            std::mt19937* random) {
  const auto frames = tracking::Observe(motion, body, calibration, calibration,
                                        {.num_frames = 70, .noise_px = 0.05}, random);
  std::string reason;
  const auto guesses = tracking::FindImpacts(frames, tracking::FindFlightArcs(frames, kGravity),
                                             body.body.shape, kGravity, {}, &reason);
  if (guesses.empty()) return {};
  tracking::ArcFitOptions options;
  options.exposure = 1e-3;
  options.shared_offsets.emplace(2);  // none
  const tracking::ImpactFit fit =
      tracking::FitImpactArcs(frames, guesses[0], tracking::LayoutOf(body), body.body.inertia,
                              kGravity, calibration, options);
  if (!fit.usable) return {};
  pipeline::PixelTrial trial{{}, fit.arcs_fitted};
  trial.record.q_WB = fit.before.q_WB;
  trial.record.r =
      fit.before.q_WB * (motion.impacts[0].before.q_WB.conjugate() * motion.impacts[0].r);
  trial.record.gravity = kGravity;
  trial.record.v = fit.before.v;
  trial.record.w = fit.before.w;
  trial.record.v_post = fit.v_post;
  trial.record.w_post = fit.w_post;
  trial.record.covariance = fit.covariance;
  trial.record.calibration_sensitivity = fit.calibration_sensitivity;
  return trial;
}

struct Both {
  LawFit states;
  PixelFit pixels;
};

Both FitBoth(std::mt19937* random) {
  const capture::MarkedBody body = tracking::MarkedCube();
  const calibration::RigCalibration calibration = tracking::MakeSyntheticTrial().calibration;
  std::vector<pipeline::PixelTrial> trials;
  impacts::ImpactTable table;
  table.calibration_covariance = calibration.covariance;
  while (trials.size() < 3) {
    const auto trial = Measure(body, DrawMotion(body.body, random), calibration, random);
    if (!trial) continue;
    trials.push_back(*trial);
    table.impacts.push_back(trial->record);
  }
  FitOptions options;
  options.cross_validate = false;
  Both both;
  both.states = FitCoefficients(table, body.body, options).front();
  const Eigen::Vector2d start(both.states.parameters[0].best, both.states.parameters[1].best);
  both.pixels = pipeline::FitPixels(trials, "stronge", start, body.body, tracking::LayoutOf(body),
                                    calibration);
  return both;
}

// Truth: known mu and e. To first order the two ways use the same information, so that they must
// agree to a fraction of their sigma; and the sigma must be that of the errors: of 2 x 12 errors in
// sigmas the mean square is 1 with a standard deviation of sqrt(2 / 24). Nothing is shared by the
// markers of a view: the covariance of the states holds what is, that of this fit does not.
TEST(FitPixels, AgreesWithTheTwoStagesAndWithTheTruth) {
  std::mt19937 random(7);
  double squares = 0.0, misfit = 0.0;
  int dof = 0;
  constexpr int kDraws = 12;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Both both = FitBoth(&random);
    ASSERT_TRUE(both.pixels.converged) << both.pixels.message;
    for (std::size_t i = 0; i < 2; ++i) {
      const ParameterEstimate& pixels = both.pixels.parameters[i];
      const ParameterEstimate& states = both.states.parameters[i];
      EXPECT_EQ(pixels.status, ParameterStatus::kIdentified);
      const double scale = both.pixels.interval_scale;
      EXPECT_NEAR(pixels.value, states.value, 0.3 * pixels.sigma / scale) << pixels.name;
      EXPECT_NEAR(pixels.sigma / scale, states.sigma / both.states.interval_scale,
                  0.1 * pixels.sigma / scale)
          << pixels.name;
      squares += std::pow((pixels.value - (i == 0 ? kMu : kE)) / (pixels.sigma / scale), 2);
    }
    misfit += both.pixels.misfit;
    dof += both.pixels.dof;
  }
  EXPECT_NEAR(squares / (2.0 * kDraws), 1.0, 3.0 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(misfit / dof, 1.0, 3.0 * std::sqrt(2.0 / dof));
}

TEST(FitPixels, SaysThatThereIsNothingToFit) {
  const PixelFit fit = pipeline::FitPixels({}, "stronge", Eigen::Vector2d(0.3, 0.5), solver::Body{},
                                           tracking::MarkerLayout{}, calibration::RigCalibration{});
  EXPECT_FALSE(fit.converged);
  EXPECT_EQ(fit.message, "no trial has sightings");
}

}  // namespace
}  // namespace percuss::fitting
