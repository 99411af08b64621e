// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/math/statistics.h"
#include "tracking/ball/ball_track.h"

namespace percuss::tracking {
namespace {

constexpr int kLeastFlight = 4;  // frames
constexpr double kOutlierCost = 10.0;
constexpr double kFlightCost = 40.0;

/// Second differences over windows: acceleration of the quadratic through frames i to i + n - 1.
std::vector<Eigen::Vector2d> WindowAccelerations(const std::vector<TrackPoint>& points, int n) {
  std::vector<Eigen::Vector2d> result;
  for (std::size_t i = 0; i + n <= points.size(); ++i) {
    if (points[i + n - 1].frame - points[i].frame > 2 * n) continue;
    Eigen::MatrixXd basis(n, 3);
    Eigen::MatrixXd values(n, 2);
    const double middle = points[i + n / 2].time;
    for (int k = 0; k < n; ++k) {
      const double t = points[i + k].time - middle;
      basis.row(k) << 1.0, t, 0.5 * t * t;
      values.row(k) = points[i + k].centre.transpose();
    }
    const Eigen::MatrixXd solved =
        (basis.transpose() * basis).ldlt().solve(basis.transpose() * values);
    if (!solved.allFinite()) continue;
    // Only windows that a parabola explains: a bounce within is none.
    const double misfit = (basis * solved - values).cwiseAbs().maxCoeff();
    if (misfit < std::max(1.5, 0.1 * points[i].radius)) result.push_back(solved.row(2).transpose());
  }
  return result;
}

/// The commonest acceleration: the median of those that are not rest, about the strongest lobe.
Eigen::Vector2d CommonAcceleration(const std::vector<TrackPoint>& points) {
  const auto size = static_cast<int>(points.size());
  const double interval = (points.back().time - points.front().time) /
                          std::max(1, points.back().frame - points.front().frame);
  Eigen::Vector2d best = Eigen::Vector2d::Zero();
  double most = 0.0;
  // Long windows see small accelerations, short ones fit between two bounces. They are counted in
  // frames, since the frame rate may be stated wrong.
  for (const int n : {5, 8, 12, 20, 40, 80}) {
    if (n > size) continue;
    const auto all = WindowAccelerations(points, n);
    constexpr std::size_t kSeeds = 200;
    for (std::size_t k = 0; k < all.size(); k += 1 + all.size() / kSeeds) {
      const Eigen::Vector2d& seed = all[k];
      // What moves by less than a pixel or so in a window does not accelerate.
      const double visible = 0.125 * seed.norm() * std::pow((n - 1) * interval, 2);
      if (visible < 1.0) continue;
      std::vector<double> x, y;
      for (const Eigen::Vector2d& other : all) {
        if ((other - seed).norm() > 0.25 * seed.norm()) continue;
        x.push_back(other.x());
        y.push_back(other.y());
      }
      if (static_cast<double>(x.size()) <= most) continue;
      most = static_cast<double>(x.size());
      best = {Median(x), Median(y)};
    }
  }
  return best;
}

/// Sums from which the misfit of a line through any range of frames follows.
struct LineSums {
  double n = 0.0, t = 0.0, tt = 0.0;
  Eigen::Vector2d y = Eigen::Vector2d::Zero(), ty = Eigen::Vector2d::Zero();
  double yy = 0.0;

  void Add(double time, const Eigen::Vector2d& value) {
    n += 1.0;
    t += time;
    tt += time * time;
    y += value;
    ty += time * value;
    yy += value.squaredNorm();
  }
  LineSums Minus(const LineSums& o) const {
    LineSums d;
    d.n = n - o.n;
    d.t = t - o.t;
    d.tt = tt - o.tt;
    d.y = y - o.y;
    d.ty = ty - o.ty;
    d.yy = yy - o.yy;
    return d;
  }
  double Misfit() const {
    const double var = tt - t * t / n;
    const Eigen::Vector2d cov = ty - t * y / n;
    const double total = yy - y.squaredNorm() / n;
    return std::max(0.0, total - (var > 0.0 ? cov.squaredNorm() / var : 0.0));
  }
};

/// Flights of a given acceleration, of least cost.
std::vector<RoughFlight> BestFlights(const std::vector<TrackPoint>& points,
                                     const Eigen::Vector2d& acceleration, double sigma) {
  const std::size_t n = points.size();
  std::vector<LineSums> sums(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    sums[i + 1] = sums[i];
    // About a frame near by, since squares of far times lose digits.
    const double t = points[i].time - points.front().time;
    sums[i + 1].Add(t, points[i].centre - points.front().centre - 0.5 * t * t * acceleration);
  }
  const double per_variance = 1.0 / (sigma * sigma);
  std::vector<double> cost(n + 1, std::numeric_limits<double>::infinity());
  std::vector<int> from(n + 1, -1);  // first frame of the flight that ends here; -1: none does
  cost[0] = 0.0;
  for (std::size_t end = 1; end <= n; ++end) {
    cost[end] = cost[end - 1] + kOutlierCost;
    for (int begin = static_cast<int>(end) - kLeastFlight; begin >= 0; --begin) {
      const double misfit = sums[end].Minus(sums[begin]).Misfit() * per_variance;
      const double total = cost[begin] + kFlightCost + misfit;
      if (total < cost[end]) {
        cost[end] = total;
        from[end] = begin;
      }
      // Longer ones only fit worse.
      if (misfit > kOutlierCost * static_cast<double>(end - begin) + 10.0 * kFlightCost) break;
    }
  }
  std::vector<RoughFlight> flights;
  for (int end = static_cast<int>(n); end > 0;) {
    if (from[end] < 0) {
      --end;
      continue;
    }
    flights.push_back({from[end], end - 1});
    end = from[end];
  }
  std::ranges::reverse(flights);
  return flights;
}

/// Velocity of a flight at a time, and its place.
struct Line {
  Eigen::Vector2d place, velocity;  ///< of y = x - a t^2/2 at t = 0
  Eigen::Vector2d Place(double t, const Eigen::Vector2d& a) const {
    return place + t * velocity + 0.5 * t * t * a;
  }
};

Line LineOf(const std::vector<TrackPoint>& points, const RoughFlight& flight,
            const Eigen::Vector2d& a, double origin) {
  LineSums sums;
  for (int i = flight.first; i <= flight.last; ++i) {
    const double t = points[i].time - origin;
    sums.Add(t, points[i].centre - 0.5 * t * t * a);
  }
  Line line;
  line.velocity = (sums.ty - sums.t * sums.y / sums.n) / (sums.tt - sums.t * sums.t / sums.n);
  line.place = (sums.y - sums.t * line.velocity) / sums.n;
  return line;
}

/// How two flights join: the jump of the velocity along the acceleration, negative of a bounce, and
/// when they meet, after the last frame of the first [s].
struct Joint {
  double jump = 0.0, meet = 0.0;
  bool turns = false;    ///< the ball comes down and goes up, or comes down much more slowly
  bool goes_on = false;  ///< with about the same velocity
};

Joint JointOf(const std::vector<TrackPoint>& points, const RoughFlight& before,
              const RoughFlight& after, const Eigen::Vector2d& a) {
  constexpr double kPart = 0.3, kTurn = 0.5, kSame = 0.2;
  const double origin = points[before.last].time;
  const Line one = LineOf(points, before, a, origin), two = LineOf(points, after, a, origin);
  const Eigen::Vector2d down = a.normalized();
  Joint joint;
  joint.jump = (two.velocity - one.velocity).dot(down);
  joint.meet = (one.place - two.place).dot(down) / joint.jump;
  const auto length = [&](const RoughFlight& flight) {
    return points[flight.last].time - points[flight.first].time;
  };
  // A part of what the shorter flight changes the velocity by, or of the velocity.
  const double least = kPart * a.norm() * std::min(length(before), length(after));
  const double falls = one.velocity.dot(down);
  joint.turns = falls > 0.0 && joint.jump < -std::max(least, kTurn * falls);
  joint.goes_on = std::abs(joint.jump) < std::max(least, kSame * std::abs(falls));
  return joint;
}

/// Whether one flight follows another after one bounce.
bool IsBounce(const std::vector<TrackPoint>& points, const RoughFlight& before,
              const RoughFlight& after, const Eigen::Vector2d& a) {
  const double interval = (points[before.last].time - points[before.first].time) /
                          std::max(1, points[before.last].frame - points[before.first].frame);
  const double gap = points[after.first].time - points[before.last].time;
  const Joint joint = JointOf(points, before, after, a);
  // Of fast cameras many frames show how the ball meets its shadow, touches and parts again.
  constexpr int kFrames = 12;
  constexpr double kShare = 0.5;  // of the shorter flight
  const auto frames = [&](const RoughFlight& flight) {
    return points[flight.last].frame - points[flight.first].frame;
  };
  const double longest =
      std::max<double>(kFrames, kShare * std::min(frames(before), frames(after)));
  return joint.turns && joint.meet > -2.5 * interval && joint.meet < gap + 2.5 * interval &&
         points[after.first].frame - points[before.last].frame < longest;
}

/// Whether a flight goes on as the other after some frames in which nothing was seen: in the middle
/// between them, both lines are at the same place.
bool GoesOn(const std::vector<TrackPoint>& points, const RoughFlight& before,
            const RoughFlight& after, const Eigen::Vector2d& a) {
  constexpr double kLongestAbsence = 1.5;  // [s]
  const double begin = points[before.last].time, end = points[after.first].time;
  if (end - begin > kLongestAbsence) return false;
  const double middle = 0.5 * (begin + end);
  const Line one = LineOf(points, before, a, middle), two = LineOf(points, after, a, middle);
  const double apart = (one.place - two.place).norm();
  return apart < 2.0 * points[before.last].radius + 0.1 * a.norm() * std::pow(end - middle, 2);
}

/// Perspective bends parabolas, and two that fit better than one are one flight all the same where
/// the velocity does not turn.
std::vector<RoughFlight> Merged(const std::vector<TrackPoint>& points,
                                const std::vector<RoughFlight>& flights, const Eigen::Vector2d& a) {
  std::vector<RoughFlight> merged;
  for (const RoughFlight& flight : flights) {
    if (!merged.empty() && (points[flight.first].frame - points[merged.back().last].frame < 4 ||
                            GoesOn(points, merged.back(), flight, a))) {
      if (JointOf(points, merged.back(), flight, a).goes_on) {
        merged.back().last = flight.last;
        continue;
      }
    }
    merged.push_back(flight);
  }
  return merged;
}

/// Whether a flight bends by itself as all do: a ball at rest, cut into short pieces, does not.
bool Bends(const std::vector<TrackPoint>& points, const RoughFlight& flight,
           const Eigen::Vector2d& a, double sigma) {
  const int n = flight.last - flight.first + 1;
  if (n < 5) return true;
  Eigen::MatrixXd basis(n, 3), values(n, 1);
  const double middle = points[(flight.first + flight.last) / 2].time;
  for (int k = 0; k < n; ++k) {
    const TrackPoint& point = points[flight.first + k];
    const double t = point.time - middle;
    basis.row(k) << 1.0, t, 0.5 * t * t;
    values(k, 0) = point.centre.dot(a.normalized());
  }
  const Eigen::MatrixXd inverse =
      (basis.transpose() * basis).ldlt().solve(Eigen::MatrixXd::Identity(3, 3));
  const Eigen::MatrixXd solved = inverse * (basis.transpose() * values);
  // A parabola spans a T^2 / 8 at least, what rests spans nothing.
  const double duration = points[flight.last].time - points[flight.first].time;
  const double span = values.maxCoeff() - values.minCoeff();
  if (span < 0.5 * a.norm() * duration * duration / 8.0) return false;
  return std::abs(solved(2, 0) - a.norm()) <
         0.4 * a.norm() + 3.0 * sigma * std::sqrt(std::max(0.0, inverse(2, 2)));
}

/// The flights of most frames that follow each other by one bounce each, by dynamic programming:
/// what lies between two of them, pieces of a ball that its shadow touches, does not part them.
std::vector<RoughFlight> LongestChain(const std::vector<TrackPoint>& points,
                                      const std::vector<RoughFlight>& flights,
                                      const Eigen::Vector2d& a) {
  std::vector<int> frames(flights.size()), from(flights.size(), -1);
  int best = -1;
  for (std::size_t k = 0; k < flights.size(); ++k) {
    const int own = flights[k].last - flights[k].first + 1;
    frames[k] = own;
    for (std::size_t i = 0; i < k; ++i) {
      if (frames[i] + own <= frames[k] || !IsBounce(points, flights[i], flights[k], a)) continue;
      frames[k] = frames[i] + own;
      from[k] = static_cast<int>(i);
    }
    if (best < 0 || frames[k] > frames[best]) best = static_cast<int>(k);
  }
  std::vector<RoughFlight> chain;
  for (int k = best; k >= 0; k = from[k]) chain.push_back(flights[k]);
  std::ranges::reverse(chain);
  return chain;
}

}  // namespace

void CutIntoFlights(BallTrack* track) {
  track->flights.clear();
  const std::vector<TrackPoint>& points = track->points;
  if (points.size() < 2 * kLeastFlight) return;
  std::vector<double> radii;
  for (const TrackPoint& point : points) radii.push_back(point.radius);
  const double sigma_px = std::max(1.0, Median(radii) / 15.0);
  Eigen::Vector2d a = CommonAcceleration(points);
  if (!(a.norm() > 0.0)) return;
  std::vector<RoughFlight> flights;
  for (int round = 0; round < 3; ++round) {
    flights = BestFlights(points, a, sigma_px);
    // The acceleration that all flights have: y = x0 + v t + a t^2 / 2, x0 and v of each.
    double sum_tt = 0.0;
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (const RoughFlight& flight : flights) {
      const int n = flight.last - flight.first + 1;
      if (n < 5) continue;
      Eigen::MatrixXd basis(n, 2), quadratic(n, 1), values(n, 2);
      const double middle = points[(flight.first + flight.last) / 2].time;
      for (int k = 0; k < n; ++k) {
        const double t = points[flight.first + k].time - middle;
        basis.row(k) << 1.0, t;
        quadratic(k, 0) = 0.5 * t * t;
        values.row(k) = points[flight.first + k].centre.transpose();
      }
      const Eigen::MatrixXd inverse = (basis.transpose() * basis).ldlt().solve(basis.transpose());
      const Eigen::MatrixXd free = quadratic - basis * (inverse * quadratic);
      sum_tt += free.squaredNorm();
      sum += values.transpose() * free;
    }
    if (!(sum_tt > 0.0)) return;
    a = sum / sum_tt;
    if (!(a.norm() > 0.0)) return;
  }
  track->acceleration = a;
  std::vector<RoughFlight> merged = Merged(points, flights, a);
  std::erase_if(merged,
                [&](const RoughFlight& one) { return !Bends(points, one, a, 0.5 * sigma_px); });
  track->flights = LongestChain(points, merged, a);
}

}  // namespace percuss::tracking
