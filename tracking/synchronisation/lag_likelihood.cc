// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/synchronisation/lag_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "capture/video/frame_timing.h"
#include "capture/video/synchronisation.h"
#include "tracking/synchronisation/moving_spots.h"

namespace percuss::tracking {
namespace {

constexpr double kReachFrames = 0.75;  // about an offset
constexpr std::array kSigmasPx = {0.1, 0.2, 0.4, 0.8, 1.6, kLargestSigmaPx};
constexpr std::array kPartnerShares = {0.02, 0.1, 0.3, 0.5, 0.7, 0.85, 0.95};
constexpr double kStartSigmaPx = 1.6, kStartShare = 0.5;
constexpr double kReachSigmas = 5.0;
constexpr double kClusterPx = 40.0;

/// Distance of a right spot from the line of a left one [px], where the right one is taken to the
/// time of the left one, less `shift` seconds: constant, linear and quadratic coefficients.
struct Passing {
  double constant, slope, bend;
  double At(double shift) const { return constant + shift * (slope + shift * bend); }
};

/// Left spots that overlap with the right video at some lag, and what passes their lines there.
struct Passings {
  struct Owner {
    std::size_t frame, first, last;  ///< passings first to last - 1
    double density;
  };
  std::vector<Owner> owners;
  std::vector<Passing> passings;
};

std::size_t NearestFrame(const std::vector<RightFrame>& frames, double time) {
  auto next = std::ranges::lower_bound(frames, time, {}, &RightFrame::time);
  if (next == frames.end() || (next != frames.begin() && time - next[-1].time < next->time - time))
    --next;
  return static_cast<std::size_t>(next - frames.begin());
}

Passings FindPassings(const LagData& data, double offset) {
  Passings found;
  const double reach = kReachFrames * data.interval;
  const double largest = kReachSigmas * kSigmasPx.back();
  for (const LeftSpot& left : data.left) {
    const double time = left.time - offset;
    const RightFrame& frame = data.right[NearestFrame(data.right, time)];
    if (!frame.usable || std::abs(frame.time - time) > reach) continue;
    Passings::Owner owner{left.frame, found.passings.size(), 0, left.density};
    int beside = 0;
    const Eigen::Vector2d normal = data.focal_length * left.line.head<2>();
    for (const RightSpot& right : frame.spots) {
      const double ahead = time - right.time;
      const double bend = 0.5 * normal.dot(right.acceleration);
      const double velocity = normal.dot(right.velocity);
      const Passing passing{normal.dot(right.ray) + data.focal_length * left.line.z() +
                                ahead * (velocity + ahead * bend),
                            -(velocity + 2.0 * ahead * bend), bend};
      const double apart = std::abs(passing.constant);
      beside += apart <= kClusterPx;
      if (apart <= largest + reach * (std::abs(passing.slope) + reach * std::abs(bend)))
        found.passings.push_back(passing);
    }
    // Markers come in clusters: where one is near a line by chance, so are the others of its body.
    owner.density = std::max(owner.density, (beside - 1) / (2.0 * kClusterPx));
    owner.last = found.passings.size();
    found.owners.push_back(owner);
  }
  return found;
}

struct Setting {
  double shift = 0.0;  ///< [s] beyond the offset
  double sigma = kStartSigmaPx;
  double share = kStartShare;
};

/// sum_j N(d_j) / density of one left spot.
double Ratio(const Passings& passings, const Passings::Owner& owner, const Setting& at) {
  double sum = 0.0;
  for (std::size_t j = owner.first; j < owner.last; ++j) {
    const double scaled = passings.passings[j].At(at.shift) / at.sigma;
    if (std::abs(scaled) < kReachSigmas) sum += std::exp(-0.5 * scaled * scaled);
  }
  return sum / (std::sqrt(2.0 * std::numbers::pi) * at.sigma * owner.density);
}

double Evidence(const Passings& passings, const Setting& at) {
  // A product of factors in place of a sum of logarithms, which are slow.
  double sum = 0.0, product = 1.0;
  for (const Passings::Owner& owner : passings.owners) {
    product *= 1.0 - at.share + at.share * Ratio(passings, owner, at);
    if (product > 1e200 || product < 1e-200) {
      sum += std::log(product);
      product = 1.0;
    }
  }
  return sum + std::log(product);
}

/// Sets one member of a setting to the value that makes the evidence largest.
template <class Values>
void Choose(const Passings& passings, const Values& values, double Setting::*member, Setting* at,
            double* evidence) {
  for (const double value : values) {
    Setting tried = *at;
    tried.*member = value;
    const double found = Evidence(passings, tried);
    if (found <= *evidence) continue;
    *evidence = found;
    *at = tried;
  }
}

void ChooseSpread(const Passings& passings, Setting* at, double* evidence) {
  Choose(passings, kSigmasPx, &Setting::sigma, at, evidence);
  Choose(passings, kPartnerShares, &Setting::share, at, evidence);
}

RefinedLag Summarise(const LagData& data, const Passings& passings, const Setting& at,
                     double offset) {
  RefinedLag lag;
  lag.by_frame.assign(data.left_times.size(), std::numeric_limits<double>::quiet_NaN());
  double partners = 0.0, squares = 0.0;
  for (const Passings::Owner& owner : passings.owners) {
    const double with = at.share * Ratio(passings, owner, at);
    const double factor = 1.0 - at.share + with;
    double& of_frame = lag.by_frame[owner.frame];
    of_frame = (std::isnan(of_frame) ? 0.0 : of_frame) + std::log(factor);
    lag.candidate.evidence += std::log(factor);
    partners += with / factor;
    double nearest = kReachSigmas * at.sigma;
    for (std::size_t j = owner.first; j < owner.last; ++j)
      nearest = std::min(nearest, std::abs(passings.passings[j].At(at.shift)));
    squares += with / factor * nearest * nearest;
  }
  lag.candidate.offset = offset + at.shift;
  if (!passings.owners.empty())
    lag.candidate.share = partners / static_cast<double>(passings.owners.size());
  if (partners > 0.0) lag.candidate.distance_px = std::sqrt(squares / partners);
  return lag;
}

}  // namespace

LagData MakeLagData(const Views& views, const std::array<VideoSpots, 2>& spots,
                    const capture::PerCamera<double>& line_time, int every) {
  LagData data;
  std::array<std::vector<FrameBlobs>, 2> seen;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<FrameBlobs>& all = spots[side].frames;
    for (std::size_t k = 0; k < all.size(); k += static_cast<std::size_t>(every))
      seen[side].push_back(all[k]);
  }
  for (const FrameBlobs& frame : seen[0]) data.left_times.push_back(frame.time);
  for (const FrameBlobs& frame : seen[1]) data.right_times.push_back(frame.time);
  data.interval = capture::AuditFrameTimes(data.left_times).interval;
  const EpipolarDistance epipolar(views);
  data.focal_length = epipolar.focal_length();
  const auto exposed = [&](const MovingSpot& spot, std::size_t side) {
    return spot.time +
           capture::RowDelay(spot.pixel.y(), views[side].camera.height, line_time[side]);
  };
  const std::array<MovingFrames, 2> moving = {FindMovingSpots(seen[0]), FindMovingSpots(seen[1])};
  for (std::size_t k = 0; k < moving[0].size(); ++k) {
    for (const MovingSpot& spot : moving[0][k])
      data.left.push_back({k, exposed(spot, 0), epipolar.Line(spot.pixel), 0.0});
  }
  for (std::size_t k = 0; k < moving[1].size(); ++k) {
    const FrameBlobs& picture = seen[1][k];
    RightFrame frame{.time = picture.time, .first = data.x.size(), .spots = {}};
    frame.usable = k > 0 && k + 1 < moving[1].size() && !picture.blobs.empty();
    for (const MovingSpot& spot : moving[1][k]) {
      // Of the ray, by differences over half an interval.
      const double step = 0.5 * data.interval;
      const auto ray = [&](double duration) -> Eigen::Vector2d {
        return epipolar.Ray(spot.pixel + spot.motion.After(duration)).head<2>();
      };
      const Eigen::Vector2d before = ray(-step), here = ray(0.0), after = ray(step);
      frame.spots.push_back({exposed(spot, 1), here, (after - before) / (2.0 * step),
                             (after - 2.0 * here + before) / (step * step)});
      data.x.push_back(static_cast<float>(here.x()));
      data.y.push_back(static_cast<float>(here.y()));
      data.step_x.push_back(static_cast<float>(after.x() - before.x()));
      data.step_y.push_back(static_cast<float>(after.y() - before.y()));
    }
    data.right.push_back(std::move(frame));
  }
  return data;
}

void KeepEvery(double step, std::vector<LeftSpot>* spots) {
  std::size_t kept = 0;
  for (double index = 0.0; index < static_cast<double>(spots->size()); index += step)
    (*spots)[kept++] = (*spots)[static_cast<std::size_t>(index)];
  spots->resize(kept);
}

RefinedLag EvaluateLag(const LagData& data, double offset) {
  const Passings passings = FindPassings(data, offset);
  Setting at;
  double evidence = Evidence(passings, at);
  ChooseSpread(passings, &at, &evidence);
  return Summarise(data, passings, at, offset);
}

RefinedLag RefineLag(const LagData& data, double offset) {
  constexpr int kStepsPerFrame = 20, kMaxSteps = 12;
  Passings passings = FindPassings(data, offset);
  double evidence = Evidence(passings, {});
  // Up to the top of the hill, first by whole frames.
  for (int round = 0; round < kMaxSteps; ++round) {
    const double start = offset;
    for (const double next : {start - data.interval, start + data.interval}) {
      Passings there = FindPassings(data, next);
      const double found = Evidence(there, {});
      if (found <= evidence) continue;
      evidence = found;
      offset = next;
      passings = std::move(there);
    }
    if (offset == start) break;
  }
  double step = data.interval / kStepsPerFrame;
  std::vector<double> raster;
  for (double shift = -kReachFrames; shift <= kReachFrames; shift += 1.0 / kStepsPerFrame)
    raster.push_back(shift * data.interval);
  Setting at;
  Choose(passings, raster, &Setting::shift, &at, &evidence);
  for (int round = 0; round < 4; ++round) {
    ChooseSpread(passings, &at, &evidence);
    step *= 0.5;
    Choose(passings, std::array{at.shift - step, at.shift + step}, &Setting::shift, &at, &evidence);
  }
  return Summarise(data, passings, at, offset);
}

}  // namespace percuss::tracking
