// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/ball/measure_ball.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/math/statistics.h"
#include "base/parallel.h"
#include "tracking/ball/disc_fit.h"
#include "tracking/spots/marker_detection.h"

namespace percuss::tracking {
namespace {

constexpr double kUsualFocalLength = 0.85;  // of the longer side of the picture
constexpr double kFreeStretch = 0.05;
constexpr double kOutlineFloor = 0.025;  // [px]: what outlines of shaded balls are not better than
constexpr double kLeastVisible = 0.6;    // of the outline
constexpr double kUsualDiscBlur = 0.8;   // [px]

/// Where the ball is to be looked for in one frame.
struct Lookout {
  int frame = 0;
  double time = 0.0;
  Eigen::Vector2d velocity = Eigen::Vector2d::Zero();  ///< [px/s]
  SweptDisc start;
};

/// Velocities of the points of a track, by differences of neighbours within its flights [px/s].
std::vector<Eigen::Vector2d> VelocitiesOf(const BallTrack& track) {
  std::vector<Eigen::Vector2d> velocities(track.points.size(), Eigen::Vector2d::Zero());
  for (const RoughFlight& flight : track.flights) {
    for (int i = flight.first; i <= flight.last; ++i) {
      const TrackPoint &low = track.points[std::max(i - 1, flight.first)],
                       &high = track.points[std::min(i + 1, flight.last)];
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
    for (int i = flight.first; i <= flight.last; ++i) {
      if (!track.points[i].at_border) radii.push_back(track.points[i].radius);
    }
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
  };
  std::vector<Kept> kept;
  for (const auto& [frame, picture] : survey.kept) {
    const auto found = std::ranges::find(lookouts, frame, &Lookout::frame);
    if (found != lookouts.end()) kept.push_back({&picture, &*found});
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
        const Eigen::Vector2d depths = DepthsAt(one.lookout->start, {x, y});
        if (depths[0] < -0.25 * one.lookout->start.radius - 3.0)
          values.push_back(one.picture->at<unsigned char>(y, x));
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

/// Radii of a ball that moves in a plane: linear in the place in the picture.
struct RadiusPlane {
  Eigen::Vector3d by = Eigen::Vector3d::Zero();  ///< 1, x, y
  double sigma = 0.0;                            ///< of one outline about it; 0: not known

  double At(const Eigen::Vector2d& place) const { return by[0] + by.tail<2>().dot(place); }
};

/// @param outlines x, y, radius
RadiusPlane FitRadii(const std::vector<Eigen::Vector3d>& outlines) {
  constexpr std::size_t kLeastOutlines = 8;
  constexpr double kLeastSigma = 0.02;  // [px]
  RadiusPlane plane;
  if (outlines.size() < kLeastOutlines) return plane;
  double scale = 1e3;
  for (int round = 0; round < 10; ++round) {
    Eigen::MatrixXd normal = 1e-9 * Eigen::MatrixXd::Identity(3, 3);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(3);
    std::vector<double> sizes;
    for (const Eigen::Vector3d& one : outlines) {
      const Eigen::Vector3d terms(1.0, one.x(), one.y());
      const double residual = one.z() - plane.by.dot(terms);
      sizes.push_back(std::abs(residual));
      const double z = residual / (2.0 * scale), w = 1.0 / (1.0 + z * z);
      normal += w * terms * terms.transpose();
      right += w * residual * terms;
    }
    plane.by += Eigen::MatrixXd(normal.ldlt().solve(right));
    scale = std::max(kLeastSigma, 1.4826 * Median(sizes));
  }
  plane.sigma = scale;
  return plane;
}

}  // namespace

MeasuredBall MeasureBall(const ClipFrames& frames, const ClipSurvey& survey, const BallTrack& track,
                         const std::array<float, 256>& light_of_grey, const Eigen::Vector2d& roll,
                         int jobs) {
  MeasuredBall ball;
  ball.exposure = ExposureOf(track, VelocitiesOf(track));
  const std::vector<Lookout> lookouts = LookoutsOf(track, ball.exposure);
  ball.looked_at = static_cast<int>(lookouts.size());
  ball.ground = GroundWithoutBall(survey, lookouts);
  const ToneTables tone(light_of_grey);

  struct Look {
    const Lookout* lookout = nullptr;
    SweptDisc start;  ///< in the patch
    Eigen::Matrix3d camera_from_disc;
    cv::Rect patch;
    cv::Mat luma;
    DiscFit fit;  ///< in the patch
  };
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
    look.start.centre -= Eigen::Vector2d(look.patch.x, look.patch.y);
    look.luma = luma(look.patch).clone();
  });
  const double noise = std::max(0.5, Median(noises));
  const double frame =
      (survey.times.back() - survey.times.front()) / static_cast<double>(survey.times.size() - 1);
  bool exposure_known = false;
  RadiusPlane radii;
  const auto fit_all = [&](const BallShade* shade, double free_stretch) {
    const double focal = 1.0 / std::sqrt(ball.shape.inverse_focal_squared.value);
    ParallelFor(static_cast<int>(looks.size()), jobs, [&](int k) {
      Look& look = looks[k];
      const cv::Mat ground = ToFrame(survey.shake, look.lookout->frame, ball.ground, look.patch);
      SweptDisc start = look.fit.found ? look.fit.disc : look.start;
      const Eigen::Vector2d place =
          start.centre + Eigen::Vector2d(look.patch.x, look.patch.y) - survey.shake.middle;
      start.stretch = StretchOf(ball.shape.inverse_focal_squared.value, ball.shape.line_time.value,
                                place, look.lookout->velocity, roll);
      if (exposure_known) start.sweep = look.lookout->velocity * ball.exposure;
      DiscPrior prior{.stretch = free_stretch};
      prior.sweep = exposure_known ? (free_stretch > 0.0 ? 2.0 : 0.1)
                                   : 2.0 + 0.3 * frame * look.lookout->velocity.norm();
      BallShade seen;
      look.camera_from_disc = CameraFromDisc(place, Eigen::Vector2d::Zero(), focal);
      if (shade != nullptr) {
        seen = shade->SeenBy(look.camera_from_disc);
        prior.shade = &seen;
      }
      if (radii.sigma > 0.0) {
        prior.radius_at = radii.At(place);
        prior.radius = radii.sigma;
      }
      look.fit = FitDisc(look.luma, ground, tone, noise, start, prior);
    });
  };
  const auto learn = [&] {
    std::vector<BallPicture> pictures;
    std::vector<MeasuredStretch> stretches;
    std::vector<MeasuredSweep> sweeps;
    for (const Look& look : looks) {
      if (!look.fit.found || look.fit.visible < kLeastVisible) continue;
      pictures.push_back({look.luma, look.fit.disc, look.camera_from_disc});
      const Eigen::Vector2d corner(look.patch.x, look.patch.y);
      sweeps.push_back({look.lookout->velocity, look.fit.disc.sweep});
      stretches.push_back(
          {look.fit.disc.centre + corner - survey.shake.middle, look.lookout->velocity,
           look.fit.disc.stretch,
           std::hypot(look.fit.stretch_sigma, kOutlineFloor / look.fit.disc.radius)});
    }
    ball.shade = FitShade(pictures, tone);
    ball.exposure = ExposureOfSweeps(sweeps);
    exposure_known = true;
    return stretches;
  };
  // First as if it were nearly even and round; what the pictures then show is how it is shaded, and
  // how perspective and the shutter stretch it.
  const double long_side = std::max(survey.size.width, survey.size.height);
  const double usual = std::pow(kUsualFocalLength * long_side, -2.0);
  const double lines = std::abs(roll.dot(Eigen::Vector2d(survey.size.width, survey.size.height)));
  const OutlineShape prior{.inverse_focal_squared = {usual, 0.6 * usual},
                           .line_time = {0.0, 0.5 * frame / lines}};
  ball.shape = prior;
  fit_all(nullptr, 0.0);
  learn();
  fit_all(&ball.shade, kFreeStretch);
  learn();
  fit_all(&ball.shade, kFreeStretch);
  ball.shape = FitOutlineShape(learn(), prior, roll);
  ball.shape.inverse_focal_squared.value =
      std::max(ball.shape.inverse_focal_squared.value, 0.02 * usual);
  fit_all(&ball.shade, 0.0);
  // Where one side of the outline is as bright as the ground, the radius of the other frames says
  // where it is. The radius itself stays what each frame says alone.
  std::vector<DiscFit> alone;
  std::vector<Eigen::Vector3d> outlines;
  for (const Look& look : looks) {
    alone.push_back(look.fit);
    if (!look.fit.found || look.fit.visible < kLeastVisible) continue;
    const Eigen::Vector2d corner(look.patch.x, look.patch.y);
    const Eigen::Vector2d place = look.fit.disc.centre + corner - survey.shake.middle;
    outlines.emplace_back(place.x(), place.y(), look.fit.disc.radius);
  }
  radii = FitRadii(outlines);
  fit_all(&ball.shade, 0.0);
  BallTrack measured;
  std::vector<BallSighting> sightings;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const Look& look = looks[k];
    if (!look.fit.found || !alone[k].found || look.fit.visible < kLeastVisible) continue;
    BallSighting& sighting = sightings.emplace_back();
    sighting.frame = look.lookout->frame;
    sighting.time = look.lookout->time;
    const Eigen::Vector2d corner(look.patch.x, look.patch.y);
    sighting.centre = survey.shake.InReference(sighting.frame, look.fit.disc.centre + corner);
    sighting.radius = alone[k].disc.radius;
    sighting.covariance.topLeftCorner<2, 2>() = look.fit.covariance.topLeftCorner<2, 2>();
    sighting.covariance(2, 2) = alone[k].covariance(2, 2);
    sighting.covariance.topRightCorner<2, 1>().setZero();
    sighting.covariance.bottomLeftCorner<1, 2>().setZero();
    if (survey.shake.shakes)
      sighting.covariance.topLeftCorner<2, 2>().diagonal().array() +=
          survey.shake.sigma_px * survey.shake.sigma_px;
    TrackPoint& point = measured.points.emplace_back();
    point.frame = sighting.frame;
    point.time = sighting.time;
    point.centre = sighting.centre;
    point.radius = sighting.radius;
  }
  CutIntoFlights(&measured);
  ball.sightings = std::move(sightings);
  ball.flights = measured.flights;
  ball.down = measured.acceleration;
  return ball;
}

}  // namespace percuss::tracking
