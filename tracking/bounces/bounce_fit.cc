// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bounces/bounce_fit.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/math/least_squares.h"
#include "base/math/statistics.h"
#include "tracking/bounces/bounce_numbers.h"
#include "tracking/bounces/bounce_unknowns.h"

namespace percuss::tracking {
namespace {

constexpr int kMostIterations = 20;
constexpr double kTooFarOff = 4.5;       // sigmas
constexpr double kContactMargin = 1e-3;  // [s], on both sides of a contact
/// What a lamp on one side does to an outline, of its radius, where the ground is about as bright
/// as the ball's dark side.
constexpr double kCentreFloor = 1.2e-3;
constexpr double kRadiusFloor = 2e-3;  // of the radius
/// Of sigmas with these: faults of the shade that go with the place do not show in residuals.
constexpr double kLeastScale = 0.4;

/// What a fit is made of at one state of affairs.
struct BounceProblem {
  std::span<const BallSighting> sightings;
  std::vector<int> used;
  const BounceUnknowns* unknowns = nullptr;
  std::span<const HeardContact> heard;
  double centre_scale = 1.0, radius_scale = 1.0;  ///< of standard deviations

  BallMotionModel MotionOf(const BouncingBall& ball) const {
    return {ball, sightings[used.front()].time - 0.1, sightings[used.back()].time + 0.1};
  }
  /// Of one sighting in units of its sigma.
  Eigen::Vector3d Residual(const BallMotionModel& motion, int i) const {
    const BallSighting& seen = sightings[i];
    const BallImage image = motion.ImageAt(seen.time);
    Eigen::Vector3d residual;
    residual << seen.centre - image.centre, seen.radius - image.radius;
    Eigen::Matrix3d covariance = seen.covariance;
    covariance(0, 0) += std::pow(kCentreFloor * seen.radius, 2);
    covariance(1, 1) += std::pow(kCentreFloor * seen.radius, 2);
    covariance(2, 2) += std::pow(kRadiusFloor * seen.radius, 2);
    const Eigen::Vector3d scale(centre_scale, centre_scale, radius_scale);
    covariance = scale.asDiagonal() * covariance * scale.asDiagonal();
    return covariance.llt().matrixL().solve(residual);
  }
  Eigen::VectorXd Residuals(const Eigen::VectorXd& x) const {
    const BallMotionModel motion = MotionOf(unknowns->BallOf(x));
    const Eigen::VectorXd prior = unknowns->PriorResiduals(x);
    const auto sounds = static_cast<Eigen::Index>(heard.size());
    Eigen::VectorXd all(3 * static_cast<Eigen::Index>(used.size()) + sounds + prior.size());
    Eigen::Index at = 3 * static_cast<Eigen::Index>(used.size());
    for (const HeardContact& sound : heard) {
      const double due = motion.Contacts()[sound.bounce].time + unknowns->SoundOffset(x);
      all[at++] = (sound.time - due) / sound.sigma;
    }
    for (std::size_t k = 0; k < used.size(); ++k)
      all.segment<3>(3 * static_cast<Eigen::Index>(k)) = Residual(motion, used[k]);
    all.tail(prior.size()) = prior;
    return all;
  }
};

/// Of the centres, in units of their sigmas: one column per used sighting.
Eigen::MatrixXd CentreResiduals(const BounceProblem& problem, const BallMotionModel& motion) {
  Eigen::MatrixXd residuals(2, static_cast<Eigen::Index>(problem.used.size()));
  for (std::size_t k = 0; k < problem.used.size(); ++k) {
    residuals.col(static_cast<Eigen::Index>(k)) =
        problem.Residual(motion, problem.used[k]).head<2>();
  }
  return residuals;
}

/// All numbers whose covariance is asked for.
Eigen::VectorXd NumbersOf(const BounceProblem& problem, const Eigen::VectorXd& x) {
  const BouncingBall ball = problem.unknowns->BallOf(x);
  const BallMotionModel motion = problem.MotionOf(ball);
  const auto& contacts = motion.Contacts();
  Eigen::VectorXd numbers(kNumBounceNumbers * static_cast<Eigen::Index>(contacts.size()) + 6);
  Eigen::Index at = 0;
  for (const BallContact& contact : contacts) {
    numbers.segment<kNumBounceNumbers>(at) = NumbersOfBounce(EstimateOf(contact, ball.normal));
    at += kNumBounceNumbers;
  }
  numbers.tail<6>() << ball.gravity.norm(), ball.drag, ball.dwell,
      ball.line_time.dot(problem.unknowns->Roll()), ball.camera.intrinsics[0],
      problem.unknowns->SoundOffset(x);
  return numbers;
}

/// Leaves out what was exposed during a contact.
std::vector<int> AwayFromContacts(std::span<const BallSighting> sightings,
                                  const std::vector<int>& some, const BallMotionModel& motion,
                                  const BouncingBall& ball, double exposure) {
  const double reach = 0.5 * exposure + kContactMargin;
  const Eigen::Vector2d middle(0.5 * (ball.camera.width - 1), 0.5 * (ball.camera.height - 1));
  std::vector<int> kept;
  for (const int i : some) {
    const double time = sightings[i].time + ball.line_time.dot(sightings[i].centre - middle);
    const bool touches = std::ranges::any_of(motion.Contacts(), [&](const BallContact& contact) {
      return time > contact.time - reach && time < contact.time + ball.dwell + reach;
    });
    if (!touches && time < motion.Landing() - reach) kept.push_back(i);
  }
  return kept;
}

/// Root mean squares of the whitened residuals, of centres (per coordinate) and of radii, robust.
std::array<double, 2> Scales(const BounceProblem& problem, const BallMotionModel& motion) {
  std::vector<double> centres, radii;
  for (const int i : problem.used) {
    const Eigen::Vector3d residual = problem.Residual(motion, i);
    centres.push_back(residual.head<2>().squaredNorm());
    radii.push_back(residual[2] * residual[2]);
  }
  // Medians of chi-squares of 2 and of 1 degrees of freedom.
  return {std::sqrt(Median(centres) / 1.3863), std::sqrt(Median(radii) / 0.4549)};
}

/// Sets the sigmas to what the residuals of the used frames show.
/// @return whether they were right within a tenth
bool Rescale(const BallMotionModel& motion, BounceProblem* problem) {
  auto [centre, radius] = Scales(*problem, motion);
  // The unknowns of which nothing is known before take up a part of what the frames differ by.
  const double frames = 3.0 * static_cast<double>(problem->used.size());
  const double freedom = std::max(1.0, frames - problem->unknowns->Free());
  centre *= std::sqrt(frames / freedom);
  radius *= std::sqrt(frames / freedom);
  const double centres = std::max(kLeastScale, problem->centre_scale * centre);
  const double radii = std::max(kLeastScale, problem->radius_scale * radius);
  const auto same = [](double a, double b) { return std::abs(a - b) < 0.1 * b; };
  const bool right = same(centres, problem->centre_scale) && same(radii, problem->radius_scale);
  problem->centre_scale = centres;
  problem->radius_scale = radii;
  return right;
}

void LeaveOutliers(const BallMotionModel& motion, BounceProblem* problem) {
  std::erase_if(problem->used, [&](int i) {
    const Eigen::Vector3d residual = problem->Residual(motion, i);
    return residual.head<2>().norm() > kTooFarOff || std::abs(residual[2]) > kTooFarOff;
  });
}

/// A fit whose frames and sigmas have come to rest.
struct Settled {
  std::string reason;  ///< why there is none
  BounceProblem problem;
  Eigen::VectorXd x;
  double misfit = 0.0;         ///< of all frames, those that were left out too: sum log(1 + r^2)
  bool left_at_first = false;  ///< some frames lay far off the guess
};

double MisfitOf(BounceProblem problem, const std::vector<int>& some,
                const BallMotionModel& motion) {
  problem.centre_scale = problem.radius_scale = 1.0;
  double misfit = 0.0;
  for (const int i : some) misfit += std::log1p(problem.Residual(motion, i).squaredNorm());
  return misfit;
}

/// A first guess lies hundreds of sigmas off, in a curved valley between focal length, drag and
/// contact time. With sigmas as wide as its residuals what is known before holds those near, and
/// each round that fits better makes the sigmas smaller.
/// @param leave  what lies far off the guess, too
Settled Settle(const BounceProblem& start, const std::vector<int>& all, double exposure,
               bool leave) {
  constexpr int kMostRounds = 12;
  const BounceUnknowns& unknowns = *start.unknowns;
  Settled is{.problem = start, .x = unknowns.Start()};
  BounceProblem& problem = is.problem;
  bool settled = false;
  for (int round = 0; round < kMostRounds && !settled; ++round) {
    const BouncingBall guess = unknowns.BallOf(is.x);
    const BallMotionModel motion = problem.MotionOf(guess);
    const std::vector<int> used = std::exchange(
        problem.used, AwayFromContacts(problem.sightings, all, motion, guess, exposure));
    const bool same_scale = Rescale(motion, &problem);
    const std::size_t away = problem.used.size();
    BounceProblem near = problem;
    LeaveOutliers(motion, &near);
    if (round == 0) is.left_at_first = near.used.size() < away;
    if (round > 0 || leave) problem.used = near.used;
    settled = same_scale && problem.used == used;
    if (3 * static_cast<int>(problem.used.size()) < unknowns.Count()) {
      is.reason = fmt::format("{} frames of {} show the ball on parabolas, allowed at least {}",
                              problem.used.size(), all.size(), unknowns.Count() / 3 + 1);
      return is;
    }
    is.x = SolveLeastSquares([&](const Eigen::VectorXd& at) { return problem.Residuals(at); }, is.x,
                             kMostIterations)
               .x;
  }
  const BouncingBall ball = unknowns.BallOf(is.x);
  const BallMotionModel motion = problem.MotionOf(ball);
  is.misfit =
      MisfitOf(problem, AwayFromContacts(problem.sightings, all, motion, ball, exposure), motion);
  return is;
}

}  // namespace

double BounceFit::Sigma(std::size_t bounce, BounceNumber number) const {
  const auto at = static_cast<Eigen::Index>(bounce * kNumBounceNumbers + number);
  return std::sqrt(covariance(at, at));
}

BounceFit FitBounces(std::span<const BallSighting> sightings, std::span<const FlightRange> flights,
                     const Eigen::Vector2d& down, const BounceSetting& setting) {
  BounceFit fit;
  if (flights.size() < 2) {
    fit.reason = fmt::format(
        "found {} flight{}, allowed at least 2 with a bounce between them: "
        "film all of the fall, the bounce and what follows it",
        flights.size(), flights.size() == 1 ? "" : "s");
    return fit;
  }
  const BounceUnknowns unknowns(sightings, flights, down, setting);
  BounceProblem problem{
      .sightings = sightings, .used = {}, .unknowns = &unknowns, .heard = setting.heard};
  std::vector<int> all;
  for (int i = flights.front().first; i <= flights.back().last; ++i) all.push_back(i);
  problem.used = all;
  // Either all frames are of the motion, and the guess is far off in the last flights; or some are
  // of something else, and draw the first fit away.
  Settled settled = Settle(problem, all, setting.exposure, false);
  if (settled.left_at_first) {
    Settled other = Settle(problem, all, setting.exposure, true);
    if (other.reason.empty() && (!settled.reason.empty() || other.misfit < settled.misfit))
      settled = std::move(other);
  }
  if (!settled.reason.empty()) {
    fit.reason = settled.reason;
    return fit;
  }
  problem = std::move(settled.problem);
  fit.inflation =
      SharedInflation(CentreResiduals(problem, problem.MotionOf(unknowns.BallOf(settled.x))));
  problem.centre_scale *= std::sqrt(fit.inflation);
  problem.radius_scale *= std::sqrt(fit.inflation);
  const auto residuals = [&](const Eigen::VectorXd& at) { return problem.Residuals(at); };
  const LeastSquares solution = SolveLeastSquares(residuals, settled.x, kMostIterations);
  const Eigen::VectorXd x =
      SolveWithin(residuals, solution.x, unknowns.Possible(), kMostIterations);
  fit.ball = unknowns.BallOf(x);
  const BallMotionModel motion = problem.MotionOf(fit.ball);
  fit.contacts = motion.Contacts();
  for (const BallContact& contact : fit.contacts) {
    BounceEstimate& bounce = fit.bounces.emplace_back(EstimateOf(contact, fit.ball.normal));
    bounce.px_per_radius = ImageOfBall(fit.ball.camera, contact.place).radius;
    if (!(bounce.normal_before > 0.0 && bounce.normal_after > 0.0 && std::isfinite(bounce.time))) {
      fit.reason = "the frames do not show that the ball flies up from every bounce";
      return fit;
    }
  }
  const Eigen::MatrixXd by_unknowns =
      Jacobian([&](const Eigen::VectorXd& at) { return NumbersOf(problem, at); }, x);
  fit.covariance = by_unknowns * solution.covariance * by_unknowns.transpose();
  fit.shared = SharedErrorsOf(by_unknowns, solution.covariance, unknowns.Shared());
  const Eigen::VectorXd numbers = NumbersOf(problem, x);
  const auto number = [&](Eigen::Index from_end) {
    const Eigen::Index i = numbers.size() - from_end;
    return ValueWithSigma{numbers[i], std::sqrt(fit.covariance(i, i))};
  };
  fit.gravity = number(6);
  fit.drag = number(5);
  fit.dwell = number(4);
  fit.line_time = number(3);
  fit.focal = number(2);
  if (!setting.heard.empty()) fit.sound_offset = number(1);
  fit.used = problem.used;
  fit.noise_scale = problem.centre_scale / std::sqrt(fit.inflation);
  fit.radius_scale = problem.radius_scale / std::sqrt(fit.inflation);
  double sum = 0.0;
  for (const int i : fit.used) {
    const double off = (sightings[i].centre - motion.ImageAt(sightings[i].time).centre).norm();
    fit.residuals.push_back(off);
    sum += 0.5 * off * off;
  }
  fit.rms_px = std::sqrt(sum / static_cast<double>(fit.used.size()));
  if (!fit.covariance.allFinite())
    fit.reason =
        "too few frames in flight: they do not tell the speeds before and after each bounce";
  return fit;
}

}  // namespace percuss::tracking
