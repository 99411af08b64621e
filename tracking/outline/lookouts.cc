// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/outline/lookouts.h"

#include <algorithm>
#include <cmath>

#include "base/math/statistics.h"

namespace percuss::tracking {
namespace {

constexpr double kUsualDiscBlur = 0.8;  // [px]

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

}  // namespace

double RoughExposureOf(const BallTrack& track) {
  const std::vector<Eigen::Vector2d> velocities = VelocitiesOf(track);
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

}  // namespace percuss::tracking
