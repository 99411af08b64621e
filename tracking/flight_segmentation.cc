// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/flight_segmentation.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace percuss::tracking {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Weighted least squares of y_k = p0 + v0 t_k (gravity taken off), as sums that can be subtracted,
/// so that any window of frames costs the same.
struct WindowSums {
  Matrix6 normal = Matrix6::Zero();
  Vector6 right_side = Vector6::Zero();
  double squares = 0.0;
  int frames = 0;

  void Add(const Eigen::Matrix3d& weight, double t, const Eigen::Vector3d& y, double sign) {
    normal.topLeftCorner<3, 3>() += sign * weight;
    normal.topRightCorner<3, 3>() += sign * t * weight;
    normal.bottomLeftCorner<3, 3>() += sign * t * weight;
    normal.bottomRightCorner<3, 3>() += sign * t * t * weight;
    right_side.head<3>() += sign * weight * y;
    right_side.tail<3>() += sign * t * weight * y;
    squares += sign * y.dot(weight * y);
    frames += sign > 0 ? 1 : -1;
  }
};

/// A frame with a pose: what the line fit needs.
struct Sample {
  int frame = 0;
  double t = 0.0;
  Eigen::Vector3d y = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d weight = Eigen::Matrix3d::Identity();
};

struct LineFit {
  Vector6 line = Vector6::Zero();
  Matrix6 covariance = Matrix6::Zero();
  double chi2 = 0.0;
};

LineFit Solve(const WindowSums& sums) {
  const Eigen::LDLT<Matrix6> solver(sums.normal);
  LineFit fit;
  fit.line = solver.solve(sums.right_side);
  fit.covariance = solver.solve(Matrix6::Identity());
  fit.chi2 = std::max(0.0, sums.squares - sums.right_side.dot(fit.line));
  return fit;
}

bool IsFlight(const WindowSums& sums, const SegmentationOptions& options) {
  if (sums.frames < 3) return true;
  const int dof = 3 * sums.frames - 6;
  return Solve(sums).chi2 < options.max_reduced_chi2 * dof + 10.0;
}

/// Squared Mahalanobis distance of a sample to the line through the window.
double Innovation(const WindowSums& sums, const Sample& sample) {
  const LineFit fit = Solve(sums);
  Eigen::Matrix<double, 3, 6> H;
  H << Eigen::Matrix3d::Identity(), sample.t * Eigen::Matrix3d::Identity();
  const Eigen::Vector3d error = sample.y - H * fit.line;
  return error.dot((H * fit.covariance * H.transpose() + sample.covariance).ldlt().solve(error));
}

/// Whether samples[first..last] by themselves show the given gravity: they must tell it from none,
/// and from what they show, but for a tenth that the audit of gravity may find wrong with scales.
bool ShowsGravity(const std::vector<Sample>& samples, int first, int last,
                  const Eigen::Vector3d& gravity, const SegmentationOptions& options) {
  const double g = gravity.norm();
  if (g == 0.0) return true;
  const Eigen::Vector3d down = gravity / g;
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right_side = Eigen::Vector3d::Zero();
  const double t0 = samples[static_cast<std::size_t>(first)].t;
  for (int i = first; i <= last; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    const double t = sample.t - t0;
    const Eigen::Vector3d row(1.0, t, 0.5 * t * t);
    const double weight = 1.0 / down.dot(sample.covariance * down);
    normal += weight * row * row.transpose();
    right_side += weight * down.dot(sample.y) * row;
  }
  const Eigen::LDLT<Eigen::Matrix3d> solver(normal);
  if (!(solver.vectorD().minCoeff() > 0.0)) return false;
  const double sigma = std::sqrt(solver.solve(Eigen::Vector3d::UnitZ()).z());
  const double beyond_gravity = solver.solve(right_side).z();
  return options.min_gravity_sigmas * sigma < g && std::abs(beyond_gravity) < 4.0 * sigma + 0.1 * g;
}

/// Leaves off the frames at the beginning of a run that do not lie on the line through the rest.
int TrimmedBegin(const std::vector<Sample>& samples, int begin, int end,
                 const SegmentationOptions& options) {
  WindowSums sums;
  for (int i = begin; i <= end; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    sums.Add(sample.weight, sample.t, sample.y, +1.0);
  }
  int trimmed = begin;
  for (int i = begin; end - i >= options.min_frames; ++i) {
    const Sample& sample = samples[static_cast<std::size_t>(i)];
    sums.Add(sample.weight, sample.t, sample.y, -1.0);
    if (Innovation(sums, sample) > options.frame_gate) trimmed = i + 1;
  }
  return trimmed;
}

/// The longest run in samples[first..last]; empty (last < first) when none is long enough.
std::pair<int, int> LongestRun(const std::vector<Sample>& samples, int first, int last,
                               const Eigen::Vector3d& gravity, const SegmentationOptions& options) {
  std::pair<int, int> best = {0, -1};
  WindowSums sums;
  int end = first;  // one behind the window
  for (int begin = first; begin <= last; ++begin) {
    if (end < begin) end = begin;
    while (end <= last) {
      const Sample& next = samples[static_cast<std::size_t>(end)];
      WindowSums grown = sums;
      grown.Add(next.weight, next.t, next.y, +1.0);
      if (!IsFlight(grown, options)) break;
      if (sums.frames >= 4 && Innovation(sums, next) > options.frame_gate) break;
      sums = grown;
      ++end;
    }
    if (end - begin >= options.min_frames && end - begin > best.second - best.first + 1 &&
        ShowsGravity(samples, begin, end - 1, gravity, options)) {
      best = {begin, end - 1};
    }
    const Sample& leaving = samples[static_cast<std::size_t>(begin)];
    if (end > begin) sums.Add(leaving.weight, leaving.t, leaving.y, -1.0);
  }
  return best;
}

void CollectRuns(const std::vector<Sample>& samples, int first, int last,
                 const Eigen::Vector3d& gravity, const SegmentationOptions& options,
                 std::vector<std::pair<int, int>>* runs) {
  if (last - first + 1 < options.min_frames) return;
  const auto [begin, end] = LongestRun(samples, first, last, gravity, options);
  if (end < begin) return;
  CollectRuns(samples, first, begin - 1, gravity, options, runs);
  runs->push_back({TrimmedBegin(samples, begin, end, options), end});
  CollectRuns(samples, end + 1, last, gravity, options, runs);
}

/// Mean angular velocity over up to five frame steps that end (or begin) at a frame, or up to where
/// they add up to a radian: over a longer turn the axis wanders.
Eigen::Vector3d AngularVelocityNear(std::span<const TrackedFrame> frames, int at, int towards) {
  const int step = towards > at ? 1 : -1;
  Eigen::Vector3d turn = Eigen::Vector3d::Zero();
  const TrackedFrame* last = &frames[static_cast<std::size_t>(at)];
  const double begin = last->time;
  for (int k = at + step; k != towards + step && std::abs(k - at) <= 5 && turn.norm() < 1.0;
       k += step) {
    const TrackedFrame& next = frames[static_cast<std::size_t>(k)];
    if (!next.pose.found) continue;
    Eigen::Quaterniond q = (next.pose.pose.q_WB * last->pose.pose.q_WB.conjugate()).normalized();
    if (q.w() < 0.0) q.coeffs() *= -1.0;
    const Eigen::AngleAxisd part(q);
    turn += part.angle() * part.axis();
    last = &next;
  }
  if (last->time == begin) return Eigen::Vector3d::Zero();
  return turn / (last->time - begin);
}

double LowestHeight(const solver::Shape& shape, const Eigen::Vector3d& p_WB,
                    const Eigen::Quaterniond& q_WB) {
  const Eigen::Vector3d down_B = q_WB.conjugate() * Eigen::Vector3d(0, 0, -1);
  return (p_WB + q_WB * solver::SupportPoint(shape, down_B)).z();
}

}  // namespace

double PoseNoiseScale(std::span<const TrackedFrame> frames) {
  std::vector<double> squares;
  for (const TrackedFrame& frame : frames) {
    if (!frame.pose.found || frame.pose.degrees_of_freedom < 2) continue;
    double chi2 = 0.0;
    for (std::size_t i = 0; i < frame.observations.size(); ++i) {
      chi2 +=
          std::pow(frame.pose.error_px[i], 2) / (0.5 * frame.observations[i].covariance.trace());
    }
    squares.push_back(chi2 / frame.pose.degrees_of_freedom);
  }
  if (squares.empty()) return 1.0;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::sqrt(std::max(1.0, *middle));
}

std::vector<FlightArc> FindFlightArcs(std::span<const TrackedFrame> frames,
                                      const Eigen::Vector3d& gravity,
                                      const SegmentationOptions& options) {
  if (frames.empty()) return {};
  const double scale = std::pow(PoseNoiseScale(frames), 2);
  std::vector<Sample> samples;
  const double t0 = frames.front().time;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (!frames[k].pose.found) continue;
    Sample sample;
    sample.frame = static_cast<int>(k);
    sample.t = frames[k].time - t0;
    sample.y = frames[k].pose.pose.p_WB - 0.5 * sample.t * sample.t * gravity;
    sample.covariance = scale * frames[k].pose.covariance.topLeftCorner<3, 3>() +
                        options.sigma_floor * options.sigma_floor * Eigen::Matrix3d::Identity();
    sample.weight = sample.covariance.inverse();
    samples.push_back(sample);
  }
  std::vector<std::pair<int, int>> runs;
  CollectRuns(samples, 0, static_cast<int>(samples.size()) - 1, gravity, options, &runs);

  std::vector<FlightArc> arcs;
  for (const auto& [begin, end] : runs) {
    WindowSums sums;
    for (int i = begin; i <= end; ++i) {
      const Sample& sample = samples[static_cast<std::size_t>(i)];
      sums.Add(sample.weight, sample.t, sample.y, +1.0);
    }
    const Vector6 line = Solve(sums).line;
    FlightArc arc;
    arc.first = samples[static_cast<std::size_t>(begin)].frame;
    arc.last = samples[static_cast<std::size_t>(end)].frame;
    const double t = samples[static_cast<std::size_t>(begin)].t;
    arc.p_WB = line.head<3>() + t * line.tail<3>() + 0.5 * t * t * gravity;
    arc.v = line.tail<3>() + t * gravity;
    arcs.push_back(arc);
  }
  return arcs;
}

std::vector<ImpactGuess> FindImpacts(std::span<const TrackedFrame> frames,
                                     std::span<const FlightArc> arcs, const solver::Shape& shape,
                                     const Eigen::Vector3d& gravity,
                                     const SegmentationOptions& options, std::string* reason) {
  std::vector<ImpactGuess> impacts;
  std::string why = arcs.empty() ? "the body never flies freely" : "";
  if (arcs.size() == 1) {
    const FlightArc& arc = arcs.front();
    why =
        fmt::format("only one free flight, left frames {} to {}, and no second one to bounce into",
                    frames[static_cast<std::size_t>(arc.first)].left_frame,
                    frames[static_cast<std::size_t>(arc.last)].left_frame);
  }
  for (std::size_t i = 0; i + 1 < arcs.size(); ++i) {
    const FlightArc &before = arcs[i], &after = arcs[i + 1];
    const auto frame = [&](int k) -> const TrackedFrame& {
      return frames[static_cast<std::size_t>(k)];
    };
    const std::string place =
        fmt::format("between left frames {} and {}", frame(before.last).left_frame,
                    frame(after.first).left_frame);
    if (after.first - before.last - 1 > options.max_gap_frames) {
      why = fmt::format("{} the flights are {} frames apart, allowed {}", place,
                        after.first - before.last - 1, options.max_gap_frames);
      continue;
    }
    // Both paths have the same curvature, so their difference is a straight line; closest approach
    // to zero.
    const double t_before = frame(before.first).time, t_after = frame(after.first).time;
    const double shift = t_after - t_before;
    const Eigen::Vector3d p_before = before.p_WB + shift * before.v + 0.5 * shift * shift * gravity;
    const Eigen::Vector3d v_before = before.v + shift * gravity;
    const Eigen::Vector3d gap = p_before - after.p_WB, closing = v_before - after.v;
    if (closing.norm() < 1e-3) {
      why = fmt::format("{} the velocity does not change", place);
      continue;
    }
    const double from_after = -gap.dot(closing) / closing.squaredNorm();
    ImpactGuess guess;
    guess.before = before;
    guess.after = after;
    guess.time = t_after + from_after;
    const double frame_step =
        (frame(frames.size() > 1 ? static_cast<int>(frames.size()) - 1 : 0).time - frame(0).time) /
        std::max<double>(1.0, static_cast<double>(frames.size()) - 1.0);
    if (guess.time < frame(before.last).time - 1.5 * frame_step ||
        guess.time > frame(after.first).time + 1.5 * frame_step) {
      why = fmt::format("{} the two flights do not meet", place);
      continue;
    }
    guess.state.p_WB = p_before + from_after * v_before + 0.5 * from_after * from_after * gravity;
    guess.state.v = v_before + from_after * gravity;
    guess.v_post = after.v + from_after * gravity;
    guess.state.w = AngularVelocityNear(frames, before.last, before.first);
    guess.w_post = AngularVelocityNear(frames, after.first, after.last);
    const Eigen::Vector3d turn = guess.state.w * (guess.time - frame(before.last).time);
    guess.state.q_WB =
        Eigen::Quaterniond(Eigen::AngleAxisd(
            turn.norm(), turn.norm() > 0 ? turn.normalized() : Eigen::Vector3d::UnitX())) *
        frame(before.last).pose.pose.q_WB;
    const double height = LowestHeight(shape, guess.state.p_WB, guess.state.q_WB);
    if (std::abs(height) > options.height_tolerance + 0.05 * solver::BoundingRadius(shape)) {
      why = fmt::format(
          "{} the velocity changes, but the lowest point of the body is {:.1f} mm from the surface",
          place, 1e3 * height);
      continue;
    }
    if (!(guess.v_post.z() > guess.state.v.z())) {
      why = fmt::format("{} the velocity changes towards the surface", place);
      continue;
    }
    impacts.push_back(guess);
  }
  if (impacts.empty()) *reason = "no impact found: " + why;
  return impacts;
}

}  // namespace percuss::tracking
