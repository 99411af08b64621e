// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/flights/flight_segmentation.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

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

/// The downward acceleration of samples[first..last] by themselves, beyond gravity [m/s^2]; sigma
/// is infinite where they do not tell.
struct Acceleration {
  double beyond_gravity = 0.0;
  double sigma = std::numeric_limits<double>::infinity();
};

Acceleration DownwardAcceleration(const std::vector<Sample>& samples, int first, int last,
                                  const Eigen::Vector3d& gravity) {
  const Eigen::Vector3d down = gravity.normalized();
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right_side = Eigen::Vector3d::Zero();
  const double t0 = samples[first].t;
  for (int i = first; i <= last; ++i) {
    const Sample& sample = samples[i];
    const double t = sample.t - t0;
    const Eigen::Vector3d row(1.0, t, 0.5 * t * t);
    const double weight = 1.0 / down.dot(sample.covariance * down);
    normal += weight * row * row.transpose();
    right_side += weight * down.dot(sample.y) * row;
  }
  const Eigen::LDLT<Eigen::Matrix3d> solver(normal);
  if (!(solver.vectorD().minCoeff() > 0.0)) return {};
  return {solver.solve(right_side).z(), std::sqrt(solver.solve(Eigen::Vector3d::UnitZ()).z())};
}

/// But for a tenth that the audit of gravity may find wrong with scales.
bool AgreesWithGravity(const Acceleration& seen, double g) {
  return std::abs(seen.beyond_gravity) < 4.0 * seen.sigma + 0.1 * g;
}

/// Which runs of samples are taken for flights.
struct RunRule {
  int min_frames = 0;
  std::function<bool(int first, int last)> is_free;
};

/// Leaves off the frames at the beginning of a run that do not lie on the line through the rest.
int TrimmedBegin(const std::vector<Sample>& samples, int begin, int end,
                 const SegmentationOptions& options) {
  WindowSums sums;
  for (int i = begin; i <= end; ++i) {
    const Sample& sample = samples[i];
    sums.Add(sample.weight, sample.t, sample.y, +1.0);
  }
  int trimmed = begin;
  for (int i = begin; end - i >= options.min_frames; ++i) {
    const Sample& sample = samples[i];
    sums.Add(sample.weight, sample.t, sample.y, -1.0);
    if (Innovation(sums, sample) > options.frame_gate) trimmed = i + 1;
  }
  return trimmed;
}

/// The longest run in samples[first..last]; empty (last < first) when none is long enough.
std::pair<int, int> LongestRun(const std::vector<Sample>& samples, int first, int last,
                               const RunRule& rule, const SegmentationOptions& options) {
  std::pair<int, int> best = {0, -1};
  WindowSums sums;
  int end = first;  // one behind the window
  for (int begin = first; begin <= last; ++begin) {
    if (end < begin) end = begin;
    while (end <= last) {
      const Sample& next = samples[end];
      WindowSums grown = sums;
      grown.Add(next.weight, next.t, next.y, +1.0);
      if (!IsFlight(grown, options)) break;
      if (sums.frames >= 4 && Innovation(sums, next) > options.frame_gate) break;
      sums = grown;
      ++end;
    }
    if (end - begin >= rule.min_frames && end - begin > best.second - best.first + 1 &&
        rule.is_free(begin, end - 1)) {
      best = {begin, end - 1};
    }
    const Sample& leaving = samples[begin];
    if (end > begin) sums.Add(leaving.weight, leaving.t, leaving.y, -1.0);
  }
  return best;
}

void CollectRuns(const std::vector<Sample>& samples, int first, int last, const RunRule& rule,
                 const SegmentationOptions& options, std::vector<std::pair<int, int>>* runs) {
  if (last - first + 1 < rule.min_frames) return;
  const auto [begin, end] = LongestRun(samples, first, last, rule, options);
  if (end < begin) return;
  CollectRuns(samples, first, begin - 1, rule, options, runs);
  runs->push_back({TrimmedBegin(samples, begin, end, options), end});
  CollectRuns(samples, end + 1, last, rule, options, runs);
}

/// All frames with a pose.
std::vector<Sample> SamplesOf(std::span<const TrackedFrame> frames, const Eigen::Vector3d& gravity,
                              const SegmentationOptions& options) {
  const double scale = std::pow(PoseNoiseScale(frames), 2);
  std::vector<Sample> samples;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    if (!frames[k].pose.found) continue;
    Sample sample;
    sample.frame = static_cast<int>(k);
    sample.t = frames[k].time - frames.front().time;
    sample.y = frames[k].pose.pose.p_WB - 0.5 * sample.t * sample.t * gravity;
    sample.covariance = scale * frames[k].pose.covariance.topLeftCorner<3, 3>() +
                        options.sigma_floor * options.sigma_floor * Eigen::Matrix3d::Identity();
    sample.weight = sample.covariance.inverse();
    samples.push_back(sample);
  }
  return samples;
}

FlightArc ArcOf(const std::vector<Sample>& samples, const std::pair<int, int>& run,
                const Eigen::Vector3d& gravity) {
  WindowSums sums;
  for (int i = run.first; i <= run.second; ++i) {
    const Sample& sample = samples[i];
    sums.Add(sample.weight, sample.t, sample.y, +1.0);
  }
  const Vector6 line = Solve(sums).line;
  FlightArc arc;
  arc.first = samples[run.first].frame;
  arc.last = samples[run.second].frame;
  const double t = samples[run.first].t;
  arc.p_WB = line.head<3>() + t * line.tail<3>() + 0.5 * t * t * gravity;
  arc.v = line.tail<3>() + t * gravity;
  return arc;
}

}  // namespace

double PoseNoiseScale(std::span<const TrackedFrame> frames) {
  std::vector<double> squares;
  for (const TrackedFrame& frame : frames) {
    if (!frame.pose.found || frame.pose.degrees_of_freedom < 2) continue;
    double chi2 = 0.0;
    for (std::size_t i = 0; i < frame.pose.error_px.size(); ++i) {
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

double LowestHeight(const solver::Shape& shape, const BodyPose& pose,
                    const calibration::SurfacePlane& surface) {
  const Eigen::Vector3d down_B = pose.q_WB.conjugate() * -surface.normal;
  return surface.Height(pose.p_WB + pose.q_WB * solver::SupportPoint(shape, down_B));
}

calibration::SurfacePlane Placed(calibration::SurfacePlane surface, const solver::Shape& shape,
                                 std::span<const TrackedFrame> frames) {
  if (surface.placed) return surface;
  double lowest = std::numeric_limits<double>::infinity();
  for (const TrackedFrame& frame : frames) {
    if (frame.pose.found) lowest = std::min(lowest, LowestHeight(shape, frame.pose.pose, surface));
  }
  if (std::isfinite(lowest)) surface.point += lowest * surface.normal;
  return surface;
}

std::vector<FlightArc> FindFlightArcs(std::span<const TrackedFrame> frames,
                                      const Eigen::Vector3d& gravity,
                                      const SegmentationOptions& options) {
  const std::vector<Sample> samples = SamplesOf(frames, gravity, options);
  const double g = gravity.norm();
  const auto shows_gravity = [&](int first, int last) {
    if (g == 0.0) return true;
    const Acceleration seen = DownwardAcceleration(samples, first, last, gravity);
    return options.min_gravity_sigmas * seen.sigma < g && AgreesWithGravity(seen, g);
  };
  std::vector<std::pair<int, int>> runs;
  CollectRuns(samples, 0, static_cast<int>(samples.size()) - 1, {options.min_frames, shows_gravity},
              options, &runs);
  std::vector<FlightArc> arcs;
  for (const auto& run : runs) arcs.push_back(ArcOf(samples, run, gravity));
  return arcs;
}

void AddClearFlights(std::span<const TrackedFrame> frames, const solver::Shape& shape,
                     const Eigen::Vector3d& gravity, const SegmentationOptions& options,
                     std::vector<FlightArc>* arcs) {
  const std::vector<Sample> samples = SamplesOf(frames, gravity, options);
  const calibration::SurfacePlane surface = Placed(options.surface, shape, frames);
  const auto touches_nothing = [&](int first, int last) {
    int clear = 0;
    for (int i = first; i <= last; ++i) {
      const auto frame = static_cast<std::size_t>(samples[i].frame);
      clear += LowestHeight(shape, frames[frame].pose.pose, surface) > options.clearance;
    }
    if (clear < options.min_clear_frames) return false;
    const double g = gravity.norm();
    return g == 0.0 || AgreesWithGravity(DownwardAcceleration(samples, first, last, gravity), g);
  };
  const RunRule rule{options.min_clear_frames, touches_nothing};
  const auto place_of = [&](int frame) {
    return static_cast<int>(std::ranges::lower_bound(samples, frame, {}, &Sample::frame) -
                            samples.begin());
  };
  for (std::size_t i = 0; i < arcs->size(); ++i) {
    const int last = (*arcs)[i].last, reach = last + 1 + options.max_gap_frames;
    const bool is_final = i + 1 == arcs->size();
    const int next = is_final ? static_cast<int>(frames.size()) : (*arcs)[i + 1].first;
    if (!is_final && next <= reach) continue;
    const auto run = LongestRun(samples, place_of(last + 1), place_of(next) - 1, rule, options);
    if (run.second < run.first || samples[run.first].frame > reach) continue;
    arcs->insert(arcs->begin() + static_cast<std::ptrdiff_t>(i) + 1, ArcOf(samples, run, gravity));
  }
}

}  // namespace percuss::tracking
