// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/measure_ball.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "tracking/outline/learn_ball.h"
#include "tracking/outline/looks.h"

namespace percuss::tracking {
namespace {

/// What is likely before anything is measured.
OutlineShape UsualShape(const ClipSurvey& survey, const OutlineBench& bench,
                        const MeasureOptions& options) {
  const ValueWithSigma focal = options.focal.value_or(UsualFocal(survey.size));
  const double usual = std::pow(focal.value, -2.0), spread = 2.0 * focal.sigma / focal.value;
  const double lines =
      std::abs(bench.roll.dot(Eigen::Vector2d(survey.size.width, survey.size.height)));
  return {.inverse_focal_squared = {usual, std::max(1e-3, spread) * usual},
          .line_time = {0.0, 0.5 * bench.frame_interval / lines}};
}

BallSighting SightingOf(const Look& look, const CameraShake& shake) {
  BallSighting sighting;
  sighting.frame = look.lookout.frame;
  sighting.time = look.lookout.time;
  sighting.centre = shake.InReference(sighting.frame, look.fit.disc.centre + look.Corner());
  sighting.radius = look.fit.own_radius.value;
  sighting.covariance.setZero();
  sighting.covariance.topLeftCorner<2, 2>() = look.fit.covariance.topLeftCorner<2, 2>();
  sighting.covariance(2, 2) = std::pow(look.fit.own_radius.sigma, 2);
  if (shake.shakes)
    sighting.covariance.topLeftCorner<2, 2>().diagonal().array() += shake.sigma_px * shake.sigma_px;
  return sighting;
}

/// Cuts what was measured into flights: better known places show more of them than the first look.
void CutMeasured(MeasuredBall* ball) {
  BallTrack measured;
  for (const BallSighting& sighting : ball->sightings) {
    TrackPoint& point = measured.points.emplace_back();
    point.frame = sighting.frame;
    point.time = sighting.time;
    point.centre = sighting.centre;
    point.radius = sighting.radius;
  }
  CutIntoFlights(&measured);
  ball->flights = measured.flights;
  ball->down = measured.acceleration;
}

/// Leaves out what is shadowed at the ends of flights and between them; in the midst of a flight it
/// is no shadow on the ground. A first or last flight of which little is left is too low to be
/// measured; one between two others stays as it is.
void LeaveShadowed(std::vector<bool> shadowed, MeasuredBall* ball) {
  std::vector<RoughFlight>& flights = ball->flights;
  for (const RoughFlight& flight : flights) {
    const auto begin = shadowed.begin() + flight.first, end = shadowed.begin() + flight.last + 1;
    const auto rises = std::find(begin, end, false);
    const auto lands = std::find(std::reverse_iterator(end), std::reverse_iterator(rises), false);
    std::fill(rises, lands.base(), false);
  }
  const auto low = [&](const RoughFlight& flight) {
    const auto left =
        std::count(shadowed.begin() + flight.first, shadowed.begin() + flight.last + 1, false);
    return left < 3 || 3 * left < flight.last - flight.first + 1;
  };
  const std::size_t all = flights.size();
  while (flights.size() > 2 && low(flights.back())) flights.pop_back();
  while (flights.size() > 2 && low(flights.front())) flights.erase(flights.begin());
  ball->left_flights = static_cast<int>(all - flights.size());
  for (const RoughFlight& flight : flights) {
    if (low(flight))
      std::fill(shadowed.begin() + flight.first, shadowed.begin() + flight.last + 1, false);
  }
  std::vector<int> place;  // of each sighting among those that stay
  std::vector<BallSighting> kept;
  for (std::size_t i = 0; i < shadowed.size(); ++i) {
    place.push_back(static_cast<int>(kept.size()));
    if (!shadowed[i]) kept.push_back(ball->sightings[i]);
  }
  place.push_back(static_cast<int>(kept.size()));
  for (RoughFlight& flight : flights) flight = {place[flight.first], place[flight.last + 1] - 1};
  ball->sightings = std::move(kept);
}

/// Whether the outline is as large as those of the other frames: of a ball that something hides in
/// part, or beside which something else moves, it is not.
bool HasItsSize(const OutlineBench& bench, const BallKnowledge& known, const Look& look) {
  constexpr double kMostOff = 0.1, kSigmas = 6.0;
  if (!known.radii) return true;
  const auto [usual, sigma] =
      RadiusIn(bench, known, look, look.fit.disc.centre + look.Corner() - bench.middle);
  return std::abs(look.fit.own_radius.value - usual) <
         std::max(kMostOff * usual, kSigmas * std::hypot(look.fit.own_radius.sigma, sigma));
}

/// What all outlines together show of the ball's way.
void TakeOutlines(const OutlineBench& bench, const BallKnowledge& known,
                  const std::vector<Look>& looks, const CameraShake& shake, MeasuredBall* ball) {
  std::vector<bool> shadowed;
  for (const Look& look : looks) {
    if (!look.Seen() || !HasItsSize(bench, known, look)) continue;
    ball->sightings.push_back(SightingOf(look, shake));
    shadowed.push_back(look.Shadowed());
  }
  CutMeasured(ball);
  if (!ball->flights.empty() && !MostlyShadowed(looks)) LeaveShadowed(shadowed, ball);
}

/// Some frames, evenly spread, of which the others learn.
std::vector<Look> Spread(const std::vector<Look>& looks) {
  constexpr std::size_t kTeachers = 60;
  std::vector<Look> some;
  const std::size_t count = std::min(looks.size(), kTeachers);
  for (std::size_t k = 0; k < count; ++k) some.push_back(looks[k * looks.size() / count]);
  return some;
}

OutlineBench BenchOf(const ClipSurvey& survey, const BallTrack& track,
                     const MeasureOptions& options) {
  return {.tone = ToneTables(options.light_of_grey),
          .frame_interval = (survey.times.back() - survey.times.front()) /
                            static_cast<double>(survey.times.size() - 1),
          .middle = survey.shake.middle,
          .roll = options.roll,
          .bounces = BounceTimes(track),
          .down = track.acceleration.normalized(),
          .jobs = options.jobs};
}

/// The outlines of all frames, with what some of them taught.
MeasuredBall MeasureAll(const CameraShake& shake, OutlineWork* work) {
  BallKnowledge& known = work->known;
  known.learn_scatter = true;
  FitLooks(work->bench, known, &work->looks);
  MeasuredBall ball;
  ball.ground = work->ground;
  ball.exposure = known.exposure;
  ball.shade = known.shade;
  ball.shape = known.shape;
  TakeOutlines(work->bench, known, work->looks, shake, &ball);
  return ball;
}

/// Of fewer pixels: for rounds that teach.
OutlineBench QuickBench(const OutlineBench& bench) {
  constexpr std::size_t kTeacherPixels = 1200;  // of each outline
  OutlineBench quick = bench;
  quick.most_pixels = kTeacherPixels;
  return quick;
}

}  // namespace

OutlineWork LookAtBall(const ClipFrames& frames, const ClipSurvey& survey, const BallTrack& track,
                       const MeasureOptions& options) {
  const double exposure = RoughExposureOf(track);
  const std::vector<Lookout> lookouts = LookoutsOf(track, exposure);
  OutlineWork work{.bench = BenchOf(survey, track, options),
                   .ground = GroundWithoutBall(survey, lookouts),
                   .looks = {},
                   .known = {}};
  work.known.exposure = exposure;
  work.known.shape = UsualShape(survey, work.bench, options);
  work.looks = LooksOf(frames, survey, lookouts, work.ground, &work.bench);
  return work;
}

MeasuredBall MeasureBall(const CameraShake& shake, OutlineWork* work) {
  const OutlineBench quick = QuickBench(work->bench);
  // All of them, since the rough places that they begin at may be off by pixels.
  FitLooks(quick, work->known, &work->looks);
  LearnBall(quick, Spread(work->looks), &work->known);
  return MeasureAll(shake, work);
}

MeasuredBall MeasureAgain(const CameraShake& shake, const ValueWithSigma& line_time,
                          OutlineWork* work) {
  BallKnowledge& known = work->known;
  known.learn_scatter = false;
  known.scatter = {};
  known.radii.reset();
  LearnShutter(QuickBench(work->bench), Spread(work->looks), line_time, &known);
  return MeasureAll(shake, work);
}

}  // namespace percuss::tracking
