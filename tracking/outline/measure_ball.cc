// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/measure_ball.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "base/math/evidence.h"
#include "base/math/statistics.h"
#include "base/parallel.h"
#include "tracking/outline/disc_fit.h"
#include "tracking/outline/radius_path.h"
#include "tracking/spots/marker_detection.h"

namespace percuss::tracking {
namespace {

constexpr double kFreeStretch = 0.05;
constexpr double kOutlineFloor = 0.025;  // [px]: what outlines of shaded balls are not better than
constexpr double kLeastVisible = 0.6;    // of the outline
constexpr double kMostShadowed = 0.08;   // of it: the edge of a shadow is taken for the outline
constexpr int kShadeRounds = 2;
constexpr std::size_t kTeacherPixels = 1200;  // of each outline that the others learn from
constexpr double kUsualDiscBlur = 0.8;        // [px]

/// Where the ball is to be looked for in one frame.
struct Lookout {
  int frame = 0;
  double time = 0.0;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< [px/s]
  SweptDisc start;
};

/// Velocities of the points of a track, by differences of neighbours within its flights, not across
/// frames in which nothing was seen [px/s].
std::vector<Eigen::Vector2d> VelocitiesOf(const BallTrack& track) {
  std::vector<Eigen::Vector2d> velocities(track.points.size(), Eigen::Vector2d::Zero());
  for (const RoughFlight& flight : track.flights) {
    for (int i = flight.first; i <= flight.last; ++i) {
      const TrackPoint& here = track.points[i];
      const auto neighbour = [&](int k) -> const TrackPoint& {
        const TrackPoint& other = track.points[std::clamp(k, flight.first, flight.last)];
        return std::abs(other.frame - here.frame) <= 2 ? other : here;
      };
      const TrackPoint &low = neighbour(i - 1), &high = neighbour(i + 1);
      if (high.time > low.time) velocities[i] = (high.centre - low.centre) / (high.time - low.time);
    }
  }
  for (std::size_t i = 1; i < velocities.size(); ++i) {
    if (velocities[i].isZero(0.0)) velocities[i] = velocities[i - 1];
  }
  return velocities;
}

double UsualRadius(const BallTrack& track) {
  std::vector<double> radii;
  for (const RoughFlight& flight : track.flights) {
    for (int i = flight.first; i <= flight.last; ++i) radii.push_back(track.points[i].radius);
  }
  return Median(radii);
}

/// Exposure that makes the fast ball as long as it is [s].
double ExposureOf(const BallTrack& track, const std::vector<Eigen::Vector2d>& velocities) {
  double fastest = 0.0;
  for (const Eigen::Vector2d& v : velocities) fastest = std::max(fastest, v.norm());
  std::vector<double> exposures;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    if (velocities[i].norm() > 0.5 * fastest)
      exposures.push_back(track.points[i].smear / velocities[i].norm());
  }
  return exposures.empty() ? 0.0 : std::max(0.0, Median(exposures));
}

std::vector<Lookout> LookoutsOf(const BallTrack& track, double exposure) {
  const std::vector<Eigen::Vector2d> velocities = VelocitiesOf(track);
  const double radius = UsualRadius(track);
  std::vector<Lookout> lookouts;
  // What lies between two flights, too: it may belong to either.
  for (int i = track.flights.front().first; i <= track.flights.back().last; ++i) {
    const TrackPoint& point = track.points[i];
    Lookout& lookout = lookouts.emplace_back();
    lookout.frame = point.frame;
    lookout.time = point.time;
    lookout.start.centre = point.centre;
    lookout.start.radius = radius;
    lookout.start.sweep = velocities[i] * exposure;
    lookout.start.blur = kUsualDiscBlur;
    lookout.velocity = velocities[i];
  }
  return lookouts;
}

cv::Rect PatchOf(const SweptDisc& disc, const cv::Size& size) {
  const double reach = 1.3 * disc.radius + 12.0;
  const Eigen::Array2d half = reach + 0.5 * disc.sweep.array().abs();
  const Eigen::Array2d low = (disc.centre.array() - half).floor();
  const Eigen::Array2d high = (disc.centre.array() + half).ceil();
  const cv::Rect box(static_cast<int>(low.x()), static_cast<int>(low.y()),
                     static_cast<int>(high.x() - low.x()), static_cast<int>(high.y() - low.y()));
  return box & cv::Rect({0, 0}, size);
}

/// The ground, where the median over the clip shows the ball itself because it lay there for long:
/// medians over the frames of its flights in which it is elsewhere.
cv::Mat GroundWithoutBall(const ClipSurvey& survey, const std::vector<Lookout>& lookouts) {
  cv::Mat ground = survey.ground.clone();
  // Frames of which the survey kept the picture, and where the ball is in them.
  struct Kept {
    const cv::Mat* picture;
    const Lookout* lookout;
    cv::Rect patch;

    bool HidesGround(int x, int y) const {
      return patch.contains({x, y}) &&
             DepthsAt(lookout->start, {x, y})[0] >= -0.25 * lookout->start.radius - 3.0;
    }
  };
  std::vector<Kept> kept;
  for (const auto& [frame, picture] : survey.kept) {
    const auto found = std::ranges::find(lookouts, frame, &Lookout::frame);
    if (found != lookouts.end())
      kept.push_back({&picture, &*found, PatchOf(found->start, survey.size)});
  }
  if (kept.size() < 5) return ground;
  cv::Mat passed(ground.size(), CV_8UC1, cv::Scalar(0));
  for (const Lookout& lookout : lookouts) passed(PatchOf(lookout.start, survey.size)).setTo(255);
  std::vector<unsigned char> values;
  for (int y = 0; y < ground.rows; ++y) {
    for (int x = 0; x < ground.cols; ++x) {
      if (passed.at<unsigned char>(y, x) == 0) continue;
      values.clear();
      for (const Kept& one : kept) {
        if (!one.HidesGround(x, y)) values.push_back(one.picture->at<unsigned char>(y, x));
      }
      if (values.size() < 3) continue;
      const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
      std::nth_element(values.begin(), middle, values.end());
      ground.at<unsigned char>(y, x) = *middle;
    }
  }
  return ground;
}

/// How a ball moved in one frame: velocity [px/s], and from the start of the exposure to its end.
struct MeasuredSweep {
  Eigen::Vector2d velocity, sweep;
};

/// The exposure that makes sweeps of velocities, from the faster half of the frames [s].
double ExposureOfSweeps(const std::vector<MeasuredSweep>& sweeps) {
  std::vector<double> speeds, exposures;
  for (const MeasuredSweep& one : sweeps) speeds.push_back(one.velocity.norm());
  const double middle = Median(speeds);
  for (const MeasuredSweep& one : sweeps) {
    // A sweep has no sign.
    if (one.velocity.norm() >= middle && middle > 0.0)
      exposures.push_back(std::abs(one.sweep.dot(one.velocity)) / one.velocity.squaredNorm());
  }
  return exposures.empty() ? 0.0 : Median(exposures);
}

/// The ball in one frame.
struct Look {
  const Lookout* lookout = nullptr;
  SweptDisc start;  ///< in the patch
  Eigen::Matrix3d camera_from_disc = Eigen::Matrix3d::Identity();
  cv::Rect patch;
  cv::Mat luma, ground;
  DiscFit fit;          ///< in the patch
  bool shaded = false;  ///< that fit knew the shade of the ball

  Eigen::Vector2d Corner() const { return {patch.x, patch.y}; }
  bool Seen() const { return fit.found && fit.visible >= kLeastVisible; }
};

/// What is the same in all fits.
struct Bench {
  ToneTables tone;
  double noise = 0.0;           ///< of grey values
  double frame_interval = 0.0;  ///< [s]
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  Eigen::Vector2d roll = Eigen::Vector2d::UnitY();
  std::vector<double> bounces;  ///< times between flights [s]
  Eigen::Vector2d down = Eigen::Vector2d::UnitY();
  int jobs = 1;
  std::size_t most_pixels = std::numeric_limits<std::size_t>::max();

  DiscPicture PictureOf(const Look& look) const {
    return {look.luma, look.ground, tone, noise, most_pixels};
  }
};

/// What a round of fits takes as known.
struct Knowledge {
  BallShade shade;
  bool shaded = false;    ///< else the ball is nearly even
  double exposure = 0.0;  ///< [s]
  bool exposed = false;   ///< else the exposure is a guess
  OutlineShape shape;
  double free_stretch = 0.0;  ///< about that of the shape
  std::optional<RadiusPath> radii;
  LevelScatter scatter;
  bool learn_scatter = false;
};

/// Where a fit begins, and what it knows before.
struct LookPrior {
  SweptDisc start;
  DiscPrior prior;
  BallShade seen;  ///< the prior's shade
};

/// GrowthOf the outline of a look. @param place from the middle of the picture [px]
double GrowthIn(const Bench& bench, const OutlineShape& shape, const Look& look,
                const Eigen::Vector2d& place) {
  return GrowthOf(shape.inverse_focal_squared.value, shape.line_time.value, place,
                  look.lookout->velocity, bench.roll);
}

/// The radius that other outlines tell of this one [px].
ValueWithSigma RadiusIn(const Bench& bench, const Knowledge& known, const Look& look,
                        const Eigen::Vector2d& place) {
  const ValueWithSigma radius = known.radii->At(look.lookout->time, place);
  const double growth = GrowthIn(bench, known.shape, look, place);
  return {radius.value * growth, radius.sigma * growth};
}

/// @return prior.shade is left to the caller, at his copy of `seen`
LookPrior PriorOf(const Bench& bench, const Knowledge& known, const Look& look) {
  const Eigen::Vector2d& velocity = look.lookout->velocity;
  LookPrior is{.start = look.fit.found ? look.fit.disc : look.start};
  const Eigen::Vector2d place = is.start.centre + look.Corner() - bench.middle;
  is.start.stretch = StretchOf(known.shape.inverse_focal_squared.value, known.shape.line_time.value,
                               place, velocity, bench.roll);
  is.prior.stretch = known.free_stretch;
  is.prior.scatter = known.scatter;
  is.prior.learn_scatter = known.learn_scatter;
  if (known.exposed) {
    is.start.sweep = velocity * known.exposure;
    is.prior.sweep = known.free_stretch > 0.0 ? 2.0 : 0.1;
  } else {
    is.prior.sweep = 2.0 + 0.3 * bench.frame_interval * velocity.norm();
  }
  if (known.shaded) is.seen = known.shade.SeenBy(look.camera_from_disc);
  if (known.radii) {
    const ValueWithSigma radius = RadiusIn(bench, known, look, place);
    is.prior.radius_at = radius.value;
    is.prior.radius = radius.sigma;
  }
  return is;
}

void FitLooks(const Bench& bench, const Knowledge& known, std::vector<Look>* looks) {
  const double focal = 1.0 / std::sqrt(known.shape.inverse_focal_squared.value);
  ParallelFor(static_cast<int>(looks->size()), bench.jobs, [&](int k) {
    Look& look = (*looks)[k];
    const SweptDisc& disc = look.fit.found ? look.fit.disc : look.start;
    look.camera_from_disc =
        CameraFromDisc(disc.centre + look.Corner() - bench.middle, Eigen::Vector2d::Zero(), focal);
    LookPrior is = PriorOf(bench, known, look);
    if (known.shaded) is.prior.shade = &is.seen;
    // Fits without a shade have other levels.
    const DiscLevels levels = look.fit.levels;
    if (look.shaded && look.fit.found) is.prior.levels = &levels;
    look.fit = FitDisc(bench.PictureOf(look), is.start, is.prior);
    look.shaded = known.shaded;
  });
}

/// Betters the shade, as far as all outlines together allow (ShadeEquationsOf).
void RefineShade(const Bench& bench, const std::vector<Look>& looks, Knowledge* known) {
  std::vector<ShadeEquations> each(looks.size());
  ParallelFor(static_cast<int>(looks.size()), bench.jobs, [&](int k) {
    const Look& look = looks[k];
    if (!look.Seen()) return;
    LookPrior is = PriorOf(bench, *known, look);
    is.prior.shade = &is.seen;
    each[k] = ShadeEquationsOf(bench.PictureOf(look), look.fit, is.start, is.prior);
    // The lamp is the same for all in axes of the camera.
    Eigen::MatrixXd turn = Eigen::MatrixXd::Identity(BallShade::kNumbers, BallShade::kNumbers);
    turn.block(1, 1, 3, 3) = look.camera_from_disc;
    each[k].normal = turn * each[k].normal * turn.transpose();
    each[k].right = turn * each[k].right;
  });
  // The lamp explains before the smooth terms do.
  constexpr double kLevelSigma = 10.0, kLeastRest = 0.0005;  // of full light
  constexpr int kRounds = 10;
  ShadeEquations sum;
  sum.normal.diagonal().array() += std::pow(kLevelSigma, -2.0);
  for (const ShadeEquations& one : each) {
    sum.normal += one.normal;
    sum.right += one.right;
  }
  Eigen::VectorXd step;
  double& rest = known->shade.rest_sigma;
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd normal = sum.normal;
    normal.diagonal().tail<BallShade::kTerms>().array() += std::pow(rest, -2.0);
    Eigen::VectorXd right = sum.right;
    right.tail<BallShade::kTerms>() -= known->shade.rest * std::pow(rest, -2.0);
    const Eigen::MatrixXd inverse =
        normal.ldlt().solve(Eigen::MatrixXd::Identity(normal.rows(), normal.cols()));
    step = inverse * right;
    if (!step.allFinite()) return;
    const ScatterEvidence says =
        EvidenceOf(rest, known->shade.rest + step.tail<BallShade::kTerms>(),
                   inverse.diagonal().tail<BallShade::kTerms>());
    rest = LikelierSigma(rest, says, kLeastRest);
  }
  known->shade.even += step[0];
  known->shade.lamp += step.segment<3>(1);
  known->shade.rest += step.tail<BallShade::kTerms>();
}

/// How the ball is shaded and for how long the shutter is open, as the last round shows.
void LearnShade(const Bench& bench, const std::vector<Look>& looks, Knowledge* known) {
  std::vector<BallPicture> pictures;
  std::vector<MeasuredSweep> sweeps;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    pictures.push_back({look.luma, look.fit.disc, look.camera_from_disc});
    sweeps.push_back({look.lookout->velocity, look.fit.disc.sweep});
  }
  known->shade = FitShade(pictures, bench.tone);
  known->shaded = true;
  known->exposure = ExposureOfSweeps(sweeps);
  known->exposed = true;
}

/// How perspective and shutter stretch outlines, from those of a round that left them free.
OutlineShape LearnShape(const Bench& bench, const std::vector<Look>& looks,
                        const OutlineShape& prior) {
  std::vector<MeasuredStretch> stretches;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    stretches.push_back({look.fit.disc.centre + look.Corner() - bench.middle,
                         look.lookout->velocity, look.fit.disc.stretch,
                         std::hypot(look.fit.stretch_sigma, kOutlineFloor / look.fit.disc.radius)});
  }
  OutlineShape shape = FitOutlineShape(stretches, prior, bench.roll);
  shape.inverse_focal_squared.value =
      std::max(shape.inverse_focal_squared.value, 0.02 * prior.inverse_focal_squared.value);
  return shape;
}

std::optional<RadiusPath> LearnRadii(const Bench& bench, const std::vector<Look>& looks,
                                     const OutlineShape& shape) {
  std::vector<MeasuredRadius> outlines;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    const Eigen::Vector2d place = look.fit.disc.centre + look.Corner() - bench.middle;
    const double growth = GrowthIn(bench, shape, look, place);
    outlines.push_back({look.lookout->time, place, look.fit.disc.radius / growth,
                        std::sqrt(look.fit.covariance(2, 2)) / growth});
  }
  return FitRadii(outlines, bench.bounces, bench.down);
}

/// Cuts the patches of all lookouts out of a clip; the noise of its grey values goes to the bench.
std::vector<Look> LooksOf(const ClipFrames& frames, const ClipSurvey& survey,
                          const std::vector<Lookout>& lookouts, const cv::Mat& ground,
                          Bench* bench) {
  std::vector<Look> looks;
  std::vector<double> noises;
  std::size_t next = 0;
  frames([&](int index, double, const cv::Mat& luma) {
    if (next >= lookouts.size() || lookouts[next].frame != index) return;
    if (next % (lookouts.size() / 5 + 1) == 0) noises.push_back(EstimateGreyNoise(luma));
    Look& look = looks.emplace_back();
    look.lookout = &lookouts[next++];
    look.start = look.lookout->start;
    look.start.centre = survey.shake.InFrame(index, look.start.centre);
    look.patch = PatchOf(look.start, survey.size);
    look.start.centre -= look.Corner();
    look.luma = luma(look.patch).clone();
    look.ground = ToFrame(survey.shake, index, ground, look.patch);
  });
  bench->noise = std::max(0.5, Median(noises));
  return looks;
}

/// What is likely before anything is measured.
OutlineShape UsualShape(const ClipSurvey& survey, const Bench& bench,
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
  sighting.frame = look.lookout->frame;
  sighting.time = look.lookout->time;
  sighting.centre = shake.InReference(sighting.frame, look.fit.disc.centre + look.Corner());
  sighting.radius = look.fit.own_radius.value;
  sighting.covariance.setZero();
  sighting.covariance.topLeftCorner<2, 2>() = look.fit.covariance.topLeftCorner<2, 2>();
  sighting.covariance(2, 2) = std::pow(look.fit.own_radius.sigma, 2);
  if (shake.shakes)
    sighting.covariance.topLeftCorner<2, 2>().diagonal().array() += shake.sigma_px * shake.sigma_px;
  return sighting;
}

/// The edge of a shadow, as that of the ball near the ground, is taken for the outline.
bool Shadowed(const Look& look) { return look.fit.shadowed > kMostShadowed; }

/// Where most are shadowed it is something else that changes the ground.
bool MostlyShadowed(const std::vector<Look>& looks) {
  return 2 * std::ranges::count_if(looks, Shadowed) >= std::ssize(looks);
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
bool HasItsSize(const Bench& bench, const Knowledge& known, const Look& look) {
  constexpr double kMostOff = 0.1, kSigmas = 6.0;
  if (!known.radii) return true;
  const auto [usual, sigma] =
      RadiusIn(bench, known, look, look.fit.disc.centre + look.Corner() - bench.middle);
  return std::abs(look.fit.own_radius.value - usual) <
         std::max(kMostOff * usual, kSigmas * std::hypot(look.fit.own_radius.sigma, sigma));
}

/// What all outlines together show of the ball's way.
void TakeOutlines(const Bench& bench, const Knowledge& known, const std::vector<Look>& looks,
                  const CameraShake& shake, MeasuredBall* ball) {
  std::vector<bool> shadowed;
  for (const Look& look : looks) {
    if (!look.Seen() || !HasItsSize(bench, known, look)) continue;
    ball->sightings.push_back(SightingOf(look, shake));
    shadowed.push_back(Shadowed(look));
  }
  CutMeasured(ball);
  if (!ball->flights.empty() && !MostlyShadowed(looks)) LeaveShadowed(shadowed, ball);
}

/// Between flights [s].
std::vector<double> BouncesOf(const BallTrack& track) {
  std::vector<double> times;
  for (std::size_t k = 1; k < track.flights.size(); ++k) {
    times.push_back(0.5 * (track.points[track.flights[k - 1].last].time +
                           track.points[track.flights[k].first].time));
  }
  return times;
}

/// Some frames, evenly spread, of which the others learn.
std::vector<Look> Spread(const std::vector<Look>& looks) {
  constexpr std::size_t kTeachers = 60;
  std::vector<Look> some;
  const std::size_t count = std::min(looks.size(), kTeachers);
  for (std::size_t k = 0; k < count; ++k) some.push_back(looks[k * looks.size() / count]);
  return some;
}

/// How far slopes and gains of all outlines scatter.
void PoolScatter(const std::vector<Look>& looks, Knowledge* known) {
  ScatterEvidence slope_says, gain_says;
  for (const Look& look : looks) {
    if (!look.Seen()) continue;
    known->scatter = look.fit.scatter;
    slope_says.Add(look.fit.slope_says);
    gain_says.Add(look.fit.gain_says);
  }
  known->scatter = LikelierScatter(known->scatter, slope_says, gain_says);
}

/// What all outlines together say of the shade, and what they say of the radius then.
void SettleShade(const Bench& bench, std::vector<Look>* looks, Knowledge* known) {
  FitLooks(bench, *known, looks);
  for (int round = 0; round < kShadeRounds; ++round) {
    RefineShade(bench, *looks, known);
    PoolScatter(*looks, known);
    FitLooks(bench, *known, looks);
  }
  known->radii = LearnRadii(bench, *looks, known->shape);
}

/// How the ball is shaded, and how perspective and the shutter stretch it, from outlines that were
/// fitted as if it were nearly even and round.
void LearnBall(const Bench& bench, std::vector<Look> looks, Knowledge* known) {
  if (!MostlyShadowed(looks)) std::erase_if(looks, Shadowed);
  LearnShade(bench, looks, known);
  known->free_stretch = kFreeStretch;
  FitLooks(bench, *known, &looks);
  LearnShade(bench, looks, known);
  known->radii = LearnRadii(bench, looks, known->shape);
  FitLooks(bench, *known, &looks);
  LearnShade(bench, looks, known);
  known->radii.reset();
  known->shape = LearnShape(bench, looks, known->shape);
  known->free_stretch = 0.0;
  SettleShade(bench, &looks, known);
}

/// The same of a ball whose outlines were measured before, where the shutter is another one.
void LearnShutter(const Bench& bench, std::vector<Look> looks, const MeasuredBall& before,
                  const ValueWithSigma& line_time, Knowledge* known) {
  known->shade = before.shade;
  known->exposure = before.exposure;
  known->shape = before.shape;
  known->shape.line_time = line_time;
  known->shaded = known->exposed = true;
  FitLooks(bench, *known, &looks);
  if (!MostlyShadowed(looks)) std::erase_if(looks, Shadowed);
  SettleShade(bench, &looks, known);
}

}  // namespace

MeasuredBall MeasureBall(const ClipFrames& frames, const ClipSurvey& survey, const BallTrack& track,
                         const MeasureOptions& options) {
  MeasuredBall ball;
  Knowledge known{.exposure = ExposureOf(track, VelocitiesOf(track))};
  const std::vector<Lookout> lookouts = LookoutsOf(track, known.exposure);
  ball.ground = GroundWithoutBall(survey, lookouts);
  Bench bench{.tone = ToneTables(options.light_of_grey),
              .frame_interval = (survey.times.back() - survey.times.front()) /
                                static_cast<double>(survey.times.size() - 1),
              .middle = survey.shake.middle,
              .roll = options.roll,
              .bounces = BouncesOf(track),
              .down = track.acceleration.normalized(),
              .jobs = options.jobs};
  std::vector<Look> looks = LooksOf(frames, survey, lookouts, ball.ground, &bench);
  Bench quick = bench;
  quick.most_pixels = kTeacherPixels;
  if (options.before != nullptr) {
    LearnShutter(quick, Spread(looks), *options.before, options.line_time, &known);
  } else {
    known.shape = UsualShape(survey, bench, options);
    // All of them, since the rough places that they begin at may be off by pixels.
    FitLooks(quick, known, &looks);
    LearnBall(quick, Spread(looks), &known);
  }
  // Where one side of the outline is as bright as the ground, the radius of the other frames says
  // where it is.
  known.learn_scatter = true;
  FitLooks(bench, known, &looks);
  ball.exposure = known.exposure;
  ball.shade = known.shade;
  ball.shape = known.shape;
  TakeOutlines(bench, known, looks, survey.shake, &ball);
  return ball;
}

}  // namespace percuss::tracking
