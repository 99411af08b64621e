// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/bounces/bounce_unknowns.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"
#include "tracking/bounces/first_guess.h"

namespace percuss::tracking {
namespace {

// Of spheres at Reynolds numbers from 10^3 to 2 10^5, and of the coefficient of their lift.
constexpr double kUsualDragCoefficient = 0.45, kLiftSigma = 0.3;

/// A flight as a parabola in the picture: centre = place + t velocity + t^2 / 2 down.
struct PictureParabola {
  Eigen::Vector2d place = Eigen::Vector2d::Zero(), velocity = Eigen::Vector2d::Zero();
};

PictureParabola ParabolaOf(std::span<const BallSighting> sightings, const FlightRange& flight,
                           const Eigen::Vector2d& down, double origin) {
  double n = 0.0, st = 0.0, stt = 0.0;
  Eigen::Vector2d sy = Eigen::Vector2d::Zero(), sty = Eigen::Vector2d::Zero();
  for (int i = flight.first; i <= flight.last; ++i) {
    const double t = sightings[i].time - origin;
    const Eigen::Vector2d y = sightings[i].centre - 0.5 * t * t * down;
    n += 1.0;
    st += t;
    stt += t * t;
    sy += y;
    sty += t * y;
  }
  PictureParabola line;
  line.velocity = (sty - st * sy / n) / (stt - st * st / n);
  line.place = (sy - st * line.velocity) / n;
  return line;
}

}  // namespace

int BounceUnknowns::Add(double start, double mean, double sigma) {
  starts_.push_back(start);
  prior_mean_.push_back(mean);
  prior_sigma_.push_back(sigma);
  return static_cast<int>(starts_.size()) - 1;
}

BounceUnknowns::BounceUnknowns(std::span<const BallSighting> sightings,
                               std::span<const FlightRange> flights, const Eigen::Vector2d& down,
                               const BounceSetting& setting)
    : setting_(setting) {
  calibration::Camera camera;
  if (setting.camera) {
    camera = *setting.camera;
  } else {
    camera.width = setting.width;
    camera.height = setting.height;
    const double focal = setting.focal.value;
    camera.intrinsics = {focal, focal, 0.5 * (setting.width - 1), 0.5 * (setting.height - 1)};
    focal_ = Add(0.0, 0.0, setting.focal.sigma / focal);
    Add(0.0, 0.0, setting.distortion_sigma);
  }
  const double focal = camera.intrinsics[0];
  const Eigen::Vector2d middle(camera.intrinsics[2], camera.intrinsics[3]);
  std::vector<double> radii;
  for (const FlightRange& flight : flights) {
    for (int i = flight.first; i <= flight.last; ++i) radii.push_back(sightings[i].radius);
  }
  const double distance = focal / Median(radii), per_px = distance / focal;
  const auto in_space = [&](const Eigen::Vector2d& v) {
    return Eigen::Vector3d(v.x() * per_px, v.y() * per_px, 0.0);
  };
  const double origin = sightings[flights[0].last].time;
  std::vector<FreeFlight> lines;
  for (const FlightRange& flight : flights) {
    const PictureParabola line = ParabolaOf(sightings, flight, down, origin);
    lines.push_back({in_space(line.place - middle) + distance * Eigen::Vector3d::UnitZ(),
                     in_space(line.velocity)});
  }
  guess_ = BallThrough(lines, in_space(down), origin);
  BouncingBall& ball = guess_;
  ball.camera = camera;
  across_ = ball.normal.cross(Eigen::Vector3d::UnitZ()).normalized();
  along_ = ball.normal.cross(across_);

  gravity_ = Add(0.0, 0.0, 0.0);
  Add(0.0, 0.0, 0.0);
  Add(0.0, 0.0, 0.0);
  ball.line_time = setting.line_time.value * setting.roll;
  if (setting.line_time.sigma > 0.0) line_time_ = Add(0.0, 0.0, 1.0);
  if (setting.drag) ball.drag = setting.drag->value;
  // Without air at the start there is no lift to learn from.
  drag_ = Add(setting.drag ? 0.0 : 0.1, 0.0, 1.0);
  lift_ = Add(0.0, 0.0, 1.0);
  AddSpins();
  const double radius_time = 1.0 / std::max(ball.before.norm(), 1e-6);
  usual_dwell_ = setting.dwell.value_or(ValueWithSigma{0.3 * radius_time, 0.5 * radius_time});
  dwell_ = Add(0.0, usual_dwell_.value / usual_dwell_.sigma, 1.0);
  tilt_ = Add(0.0, 0.0, 1.0);
  Add(0.0, 0.0, 1.0);
  if (!setting.heard.empty()) sound_ = Add(0.0, 0.0, 1.0);
  place_scale_ = 0.02 * distance;
  speed_scale_ = 0.1 * std::max(ball.before.norm(), 1e-6);
  first_ = static_cast<int>(starts_.size());
  const int own = 1 + 3 + 3 + 3 * static_cast<int>(ball.after.size());
  for (int i = 0; i < own; ++i) Add(0.0, 0.0, 0.0);
  start_ =
      Eigen::Map<const Eigen::VectorXd>(starts_.data(), static_cast<Eigen::Index>(starts_.size()));
}

/// What is thrown or rolls off a table may spin either way. A ball that comes down steeply sticks
/// and then rolls: friction has to stop 2/7 to 2/5 of its tangential velocity, for which
/// mu (1 + e) v_n is enough; one that comes in flat slid, and spins less.
void BounceUnknowns::AddSpins() {
  constexpr double kSteep = 0.5;  // tangential over normal velocity, at which a mu of 0.1 is enough
  BouncingBall& ball = guess_;
  ball.spins.assign(ball.after.size() + 1, Eigen::Vector3d::Zero());
  for (std::size_t k = 0; k < ball.spins.size(); ++k) {
    if (k < setting_.spins.size() && setting_.spins[k]) {
      ball.spins[k] = *setting_.spins[k];
      continue;
    }
    const Eigen::Vector3d& velocity = k == 0 ? ball.before : ball.after[k - 1];
    const Eigen::Vector3d rolls = ball.normal.cross(velocity);
    const bool steep = rolls.norm() < kSteep * std::abs(ball.normal.dot(velocity));
    const double share = k == 0 ? 0.0 : steep ? 1.0 : 0.5;
    unknown_spins_.push_back({.flight = k,
                              .unknown = Add(0.0, 0.0, 1.0),
                              .mean = share * rolls,
                              .sigma = k == 0 ? rolls : 0.5 * rolls});
  }
}

BouncingBall BounceUnknowns::BallOf(const Eigen::VectorXd& x) const {
  BouncingBall ball = guess_;
  if (focal_ >= 0) {
    // The picture shows depth over focal length: both change together.
    const double scale = std::exp(x[focal_]);
    ball.camera.intrinsics[0] *= scale;
    ball.camera.intrinsics[1] *= scale;
    ball.camera.intrinsics[4] = x[focal_ + 1];
    ball.first_contact.z() *= scale;
    ball.before.z() *= scale;
    for (Eigen::Vector3d& after : ball.after) after.z() *= scale;
  }
  const double strength = guess_.gravity.norm();
  const Eigen::Vector3d direction =
      (-guess_.normal + x[gravity_ + 1] * across_ + x[gravity_ + 2] * along_).normalized();
  ball.gravity = strength * std::exp(x[gravity_]) * direction;
  ball.normal = (-direction + setting_.tilt_sigma * (x[tilt_] * across_ + x[tilt_ + 1] * along_))
                    .normalized();
  if (line_time_ >= 0) ball.line_time += x[line_time_] * setting_.line_time.sigma * setting_.roll;
  ball.drag += x[drag_] * DragSigma();
  // A fit that tries air that pushes must not find that it lifts the other way.
  ball.lift = std::max(0.0, ball.drag) / kUsualDragCoefficient * std::exp(kLiftSigma * x[lift_]);
  for (const UnknownSpin& spin : unknown_spins_)
    ball.spins[spin.flight] = spin.mean + x[spin.unknown] * spin.sigma;
  ball.dwell = x[dwell_] * usual_dwell_.sigma;
  ball.first_time += setting_.frame_interval * x[first_];
  ball.first_contact += place_scale_ * x.segment<3>(first_ + 1);
  ball.before += speed_scale_ * x.segment<3>(first_ + 4);
  for (std::size_t k = 0; k < ball.after.size(); ++k)
    ball.after[k] += speed_scale_ * x.segment<3>(first_ + 7 + 3 * static_cast<int>(k));
  return ball;
}

double BounceUnknowns::SoundOffset(const Eigen::VectorXd& x) const {
  return sound_ < 0 ? 0.0 : kSoundOffsetSigma * x[sound_];
}

std::vector<LeastValue> BounceUnknowns::Possible() const {
  return {{drag_, -guess_.drag / DragSigma()}, {dwell_, 0.0}};
}

Eigen::VectorXd BounceUnknowns::PriorResiduals(const Eigen::VectorXd& x) const {
  std::vector<double> residuals;
  for (std::size_t i = 0; i < prior_sigma_.size(); ++i) {
    if (prior_sigma_[i] > 0.0)
      residuals.push_back((x[static_cast<Eigen::Index>(i)] - prior_mean_[i]) / prior_sigma_[i]);
  }
  return Eigen::Map<const Eigen::VectorXd>(residuals.data(),
                                           static_cast<Eigen::Index>(residuals.size()));
}

}  // namespace percuss::tracking
