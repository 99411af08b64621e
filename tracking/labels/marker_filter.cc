// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/labels/marker_filter.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/math/assignment.h"
#include "tracking/labels/stereo_points.h"
#include "tracking/synchronisation/moving_spots.h"

namespace percuss::tracking {
namespace {

/// Place, velocity, acceleration, in W.
using MarkerState = Eigen::Matrix<double, 9, 1>;
using Covariance = Eigen::Matrix<double, 9, 9>;

struct Follower {
  MarkerTrack track;
  double time = 0.0;
  MarkerState state = MarkerState::Zero();
  Covariance covariance = Covariance::Zero();

  double Sigma() const { return std::sqrt(covariance.topLeftCorner<3, 3>().trace() / 3.0); }
};

using Motions = std::vector<std::vector<std::optional<SpotMotion>>>;

struct Filter {
  const Views& views;
  std::span<const StereoSpots> instants;
  double marker_diameter = 0.0;
  const Eigen::Vector3d& gravity;
  const MarkerFilterOptions& options;
  std::array<Motions, 2> motions;  ///< of the spots in their images
  std::vector<Follower> open;
  MarkerTracks result;
  double innovation_sum = 0.0;
  int innovation_count = 0;

  const std::optional<SpotMotion>& Motion(int k, std::size_t side, int blob) const {
    return motions[side][k][blob];
  }
};

/// Constant acceleration for `duration`, and what white jerk adds.
void Predict(double duration, double jerk_density, Follower* follower) {
  const double t = duration, t2 = t * t, t3 = t2 * t;
  const Eigen::Matrix3d one = Eigen::Matrix3d::Identity();
  Covariance move = Covariance::Identity();
  move.block<3, 3>(0, 3) = move.block<3, 3>(3, 6) = t * one;
  move.block<3, 3>(0, 6) = 0.5 * t2 * one;
  Eigen::Matrix3d jerk;
  jerk << t3 * t2 / 20.0, t2 * t2 / 8.0, t3 / 6.0, t2 * t2 / 8.0, t3 / 3.0, t2 / 2.0, t3 / 6.0,
      t2 / 2.0, t;
  follower->state = move * follower->state;
  follower->covariance = move * follower->covariance * move.transpose();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      follower->covariance.block<3, 3>(3 * i, 3 * j) +=
          jerk_density * jerk_density * jerk(i, j) * one;
    }
  }
  follower->time += duration;
}

/// Where a view sees a marker, when it exposes it.
struct Expected {
  Eigen::Vector2d pixel;
  Eigen::Matrix<double, 2, 9> by_state;
};
std::optional<Expected> Expect(const Filter& filter, const Follower& follower,
                               const StereoSpots& spots, std::size_t side) {
  const View& view = filter.views[side];
  const auto at_instant = ProjectPoint(view, follower.state.head<3>());
  if (!at_instant) return std::nullopt;
  const double delay = spots.exposure[side].Delay(at_instant->pixel.y(), view);
  const auto seen =
      ProjectPoint(view, follower.state.head<3>() + delay * follower.state.segment<3>(3));
  if (!seen) return std::nullopt;
  Expected expected{seen->pixel, Eigen::Matrix<double, 2, 9>::Zero()};
  expected.by_state << seen->by_point, delay * seen->by_point, Eigen::Matrix<double, 2, 3>::Zero();
  return expected;
}

/// Of a centroid, with what compression makes neighbouring pixels share.
Eigen::Matrix2d SpotCovariance(const Blob& blob) {
  return blob.covariance + kCentroidFloorPx * kCentroidFloorPx * Eigen::Matrix2d::Identity();
}

/// The spots of one view to the markers, and the markers corrected by them.
void UseView(int k, std::size_t side, Filter* filter) {
  const StereoSpots& spots = filter->instants[k];
  const std::vector<Blob>& blobs = spots.blobs[side];
  const double gate = filter->options.gate;
  Eigen::MatrixXd cost =
      Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(filter->open.size()),
                                static_cast<Eigen::Index>(blobs.size()), 1e3 * gate);
  for (std::size_t i = 0; i < filter->open.size(); ++i) {
    const Follower& follower = filter->open[i];
    const auto expected = Expect(*filter, follower, spots, side);
    if (!expected) continue;
    const Eigen::Matrix2d own =
        expected->by_state * follower.covariance * expected->by_state.transpose();
    for (std::size_t j = 0; j < blobs.size(); ++j) {
      const Eigen::Vector2d error = blobs[j].centre - expected->pixel;
      const double squared = error.dot((own + SpotCovariance(blobs[j])).inverse() * error);
      if (squared < gate)
        cost(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = squared;
    }
  }
  const std::vector<int> blob_of = Assign(cost, gate);
  for (std::size_t i = 0; i < blob_of.size(); ++i) {
    if (blob_of[i] < 0) continue;
    Follower& follower = filter->open[i];
    const Blob& blob = blobs[blob_of[i]];
    const Expected expected = *Expect(*filter, follower, spots, side);
    const Eigen::Matrix<double, 2, 9>& H = expected.by_state;
    const Eigen::Matrix2d R = SpotCovariance(blob),
                          spread = H * follower.covariance * H.transpose() + R;
    const Eigen::Matrix<double, 9, 2> gain = follower.covariance * H.transpose() * spread.inverse();
    const Eigen::Vector2d innovation = blob.centre - expected.pixel;
    const Covariance left = Covariance::Identity() - gain * H;
    follower.state += gain * innovation;
    follower.covariance =
        left * follower.covariance * left.transpose() + gain * R * gain.transpose();
    filter->innovation_sum += innovation.dot(spread.inverse() * innovation);
    filter->innovation_count += 2;
    if (follower.track.samples.back().instant != k)
      follower.track.samples.push_back({.instant = k});
    follower.track.samples.back().blob[side] = blob_of[i];
  }
}

/// A marker that both views begin to see, and by how many sigmas its spots miss one moving point.
struct Beginning {
  Follower follower;
  double misfit_squared = 0.0;
};

/// Nothing where two spots do not move as one point. @param pixels of both at the instant
std::optional<Beginning> Begin(const Filter& filter, int k, const std::array<int, 2>& blob,
                               const std::array<Eigen::Vector2d, 2>& pixels) {
  const StereoSpots& spots = filter.instants[k];
  std::array<Eigen::Matrix2d, 2> covariances;
  for (std::size_t side = 0; side < 2; ++side)
    covariances[side] = SpotCovariance(spots.blobs[side][blob[side]]);
  const auto point = Triangulate(filter.views, pixels, covariances);
  if (!point || point->error_px > filter.options.max_epipolar_px) return std::nullopt;
  // A parabola through three frames, each known to some tenths of a pixel.
  constexpr double kShiftSigmaPx = 0.5;
  const std::size_t beside = k > 0 ? static_cast<std::size_t>(k) - 1 : 1;
  const double sigma = kShiftSigmaPx / std::abs(filter.instants[beside].time - spots.time);
  Eigen::Matrix<double, 4, 3> by_velocity;
  Eigen::Vector4d shift;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto projected = ProjectPoint(filter.views[side], point->p_W);
    if (!projected) return std::nullopt;
    by_velocity.middleRows<2>(2 * static_cast<Eigen::Index>(side)) = projected->by_point;
    shift.segment<2>(2 * static_cast<Eigen::Index>(side)) =
        filter.Motion(k, side, blob[side])->velocity;
  }
  const Eigen::Matrix3d information = by_velocity.transpose() * by_velocity / (sigma * sigma);
  const Eigen::Vector3d velocity =
      information.ldlt().solve(by_velocity.transpose() * shift / (sigma * sigma));
  const double misfit = (shift - by_velocity * velocity).norm() / sigma;
  if (misfit > 4.0) return std::nullopt;
  Follower follower;
  follower.time = spots.time;
  follower.state << point->p_W, velocity, filter.gravity;
  follower.covariance.topLeftCorner<3, 3>() = point->covariance;
  follower.covariance.block<3, 3>(3, 3) = information.inverse();
  follower.covariance.block<3, 3>(6, 6) =
      std::pow(filter.options.acceleration_sigma, 2) * Eigen::Matrix3d::Identity();
  follower.track.samples.push_back(
      {.instant = k, .p_W = point->p_W, .covariance = point->covariance, .blob = blob});
  const double apart = point->error_px / kCentroidFloorPx;
  return Beginning{std::move(follower), misfit * misfit + apart * apart};
}

/// New markers from the spots of an instant that no marker has, the strongest of these.
void BeginNew(int k, Filter* filter) {
  if (static_cast<int>(filter->open.size()) >= filter->options.max_tracks) return;
  const StereoSpots& spots = filter->instants[k];
  std::array<std::vector<Blob>, 2> left;  // where they are at the instant
  std::array<std::vector<int>, 2> number;
  for (std::size_t side = 0; side < 2; ++side) {
    for (int j = 0; j < static_cast<int>(spots.blobs[side].size()); ++j) {
      if (static_cast<int>(left[side].size()) == filter->options.max_tracks) break;
      const bool taken = std::ranges::any_of(filter->open, [&](const Follower& follower) {
        const MarkerSample& last = follower.track.samples.back();
        return last.instant == k && last.blob[side] == j;
      });
      const auto& motion = filter->Motion(k, side, j);
      if (taken || !motion) continue;
      Blob& blob = left[side].emplace_back(spots.blobs[side][j]);
      blob.centre +=
          motion->After(-spots.exposure[side].Delay(blob.centre.y(), filter->views[side]));
      number[side].push_back(j);
    }
  }
  const std::vector<StereoPoint> points = FindStereoPoints(
      filter->views, left, filter->marker_diameter, filter->options.max_epipolar_px);
  // A spot can be one point with several of the other view: the best pairs of all begin.
  std::vector<Beginning> beginnings;
  const double none = 2.0 * std::pow(filter->options.max_epipolar_px / kCentroidFloorPx, 2);
  Eigen::MatrixXd cost =
      Eigen::MatrixXd::Constant(static_cast<Eigen::Index>(left[0].size()),
                                static_cast<Eigen::Index>(left[1].size()), 1e3 * none);
  Eigen::MatrixXi beginning_of = Eigen::MatrixXi::Constant(cost.rows(), cost.cols(), -1);
  for (const StereoPoint& point : points) {
    const auto [i, j] = point.blob;
    const auto l = static_cast<std::size_t>(i), r = static_cast<std::size_t>(j);
    auto beginning =
        Begin(*filter, k, {number[0][l], number[1][r]}, {left[0][l].centre, left[1][r].centre});
    if (!beginning) continue;
    cost(i, j) = beginning->misfit_squared;
    beginning_of(i, j) = static_cast<int>(beginnings.size());
    beginnings.push_back(std::move(*beginning));
  }
  if (beginnings.empty()) return;
  const std::vector<int> right_of = Assign(cost, none);
  for (std::size_t i = 0; i < right_of.size(); ++i) {
    if (right_of[i] < 0) continue;
    if (static_cast<int>(filter->open.size()) >= filter->options.max_tracks) return;
    const int number_of = beginning_of(static_cast<Eigen::Index>(i), right_of[i]);
    filter->open.push_back(std::move(beginnings[number_of].follower));
  }
}

/// The frames of one view for MotionOfSpots.
std::vector<FrameBlobs> FramesOf(std::span<const StereoSpots> instants, std::size_t side) {
  std::vector<FrameBlobs> frames;
  for (const StereoSpots& instant : instants)
    frames.push_back({instant.time + instant.exposure[side].after, instant.blobs[side]});
  return frames;
}

/// Mean distance between two tracks and how many instants it was seen in; nothing if it changes.
struct Distance {
  double mean = 0.0;
  int instants = 0;
};
std::optional<Distance> ConstantDistance(const MarkerTrack& a, const MarkerTrack& b,
                                         int min_instants) {
  std::vector<double> distances;
  for (auto x = a.samples.begin(), y = b.samples.begin();
       x != a.samples.end() && y != b.samples.end();) {
    if (x->instant < y->instant) {
      ++x;
    } else if (y->instant < x->instant) {
      ++y;
    } else {
      distances.push_back((x->p_W - y->p_W).norm());
      ++x;
      ++y;
    }
  }
  if (static_cast<int>(distances.size()) < min_instants) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(distances);
  Distance distance;
  for (const double d : distances) distance.mean += d / static_cast<double>(distances.size());
  if (most - least > 0.001 + 0.01 * distance.mean) return std::nullopt;
  distance.instants = static_cast<int>(distances.size());
  return distance;
}

}  // namespace

MarkerTracks FollowMarkers(const Views& views, std::span<const StereoSpots> instants,
                           double marker_diameter, const Eigen::Vector3d& gravity,
                           const MarkerFilterOptions& options) {
  Filter filter{views, instants, marker_diameter, gravity, options, {}, {}, {}, 0.0, 0};
  if (views.size() != 2 || instants.size() < 3) return {};
  for (std::size_t side = 0; side < 2; ++side)
    filter.motions[side] = MotionOfSpots(FramesOf(instants, side));
  const auto close = [&](Follower* follower) {
    if (static_cast<int>(follower->track.samples.size()) >= options.min_samples)
      filter.result.tracks.push_back(std::move(follower->track));
    follower->track.samples.clear();
  };
  for (int k = 0; k < static_cast<int>(instants.size()); ++k) {
    const double time = instants[k].time;
    for (Follower& follower : filter.open)
      Predict(time - follower.time, options.jerk_density, &follower);
    for (std::size_t side = 0; side < 2; ++side) UseView(k, side, &filter);
    for (Follower& follower : filter.open) {
      std::vector<MarkerSample>& samples = follower.track.samples;
      const bool seen = samples.back().instant == k;
      if (follower.Sigma() > options.max_sigma_diameters * marker_diameter) {
        if (seen) samples.pop_back();
        close(&follower);
      } else if (seen) {
        samples.back().p_W = follower.state.head<3>();
        samples.back().covariance = follower.covariance.topLeftCorner<3, 3>();
      }
    }
    std::erase_if(filter.open, [](const Follower& f) { return f.track.samples.empty(); });
    BeginNew(k, &filter);
  }
  for (Follower& follower : filter.open) close(&follower);
  std::ranges::stable_sort(filter.result.tracks, {},
                           [](const MarkerTrack& track) { return track.samples.front().instant; });
  filter.result.innovations = SummariseInnovations(filter.innovation_sum, filter.innovation_count);
  return std::move(filter.result);
}

RigidGroup LargestRigidGroup(const MarkerTracks& tracks, int min_instants) {
  const auto count = static_cast<int>(tracks.tracks.size());
  std::map<std::pair<int, int>, Distance> rigid;
  std::vector<int> partners(tracks.tracks.size());
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      const auto distance = ConstantDistance(tracks.tracks[a], tracks.tracks[b], min_instants);
      if (!distance) continue;
      rigid[{a, b}] = *distance;
      ++partners[a];
      ++partners[b];
    }
  }
  // From each track on, others are taken in turn, those with most partners first.
  std::vector<int> order(tracks.tracks.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](int i) { return partners[i]; });
  const auto between = [&](int a, int b) { return rigid.find(std::minmax(a, b)); };
  std::vector<int> largest;
  for (const int first : order) {
    std::vector<int> group = {first};
    for (const int other : order) {
      if (other != first && std::ranges::all_of(group, [&](int member) {
            return between(member, other) != rigid.end();
          }))
        group.push_back(other);
    }
    if (group.size() > largest.size()) largest = std::move(group);
  }
  if (largest.size() < 2) return {};
  std::ranges::sort(largest);
  RigidGroup result{largest, {}, std::numeric_limits<int>::max()};
  const auto size = static_cast<Eigen::Index>(largest.size());
  result.distances.setZero(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const Distance& distance = between(largest[j], largest[i])->second;
      result.distances(i, j) = result.distances(j, i) = distance.mean;
      result.instants = std::min(result.instants, distance.instants);
    }
  }
  return result;
}

std::string DescribeRigidGroup(const RigidGroup& group, const MarkerLayout& layout) {
  constexpr std::size_t kMaxListed = 8;
  if (group.tracks.size() < 3 || group.tracks.size() > layout.p_BM.size()) return {};
  const auto has = [&](double distance) {
    const LayoutSearchOptions tolerance;
    for (std::size_t i = 0; i < layout.p_BM.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double known = (layout.p_BM[i] - layout.p_BM[j]).norm();
        if (std::abs(known - distance) < tolerance.distance_tolerance + 0.01 * known) return true;
      }
    }
    return false;
  };
  std::vector<double> missing_mm;
  for (Eigen::Index i = 0; i < group.distances.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (!has(group.distances(i, j))) missing_mm.push_back(1e3 * group.distances(i, j));
    }
  }
  const std::size_t pairs = group.tracks.size() * (group.tracks.size() - 1) / 2;
  std::string text = fmt::format("{} markers move as one body in {} frames, and the layout has ",
                                 group.tracks.size(), group.instants);
  if (missing_mm.empty()) return text + fmt::format("all {} distances between them", pairs);
  std::ranges::sort(missing_mm);
  const bool more = missing_mm.size() > kMaxListed;
  text +=
      fmt::format("{} of the {} distances between them, not ", pairs - missing_mm.size(), pairs);
  if (more) missing_mm.resize(kMaxListed);
  return text + fmt::format("{:.1f}{} mm", fmt::join(missing_mm, ", "), more ? ", ..." : "");
}

}  // namespace percuss::tracking
