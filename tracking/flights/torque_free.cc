// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/flights/torque_free.h"

#include <fmt/core.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>

#include "solver/body/flight.h"

namespace percuss::tracking {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Eigen::Quaterniond Turn(const Eigen::Vector3d& vector) {
  const double angle = vector.norm();
  if (angle < 1e-12) return {1.0, 0.5 * vector.x(), 0.5 * vector.y(), 0.5 * vector.z()};
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, vector / angle));
}

struct RotationSample {
  int frame = 0;
  double time = 0.0;  ///< from the middle of the flight
  Eigen::Quaterniond q;
  Eigen::Matrix3d weight;
};

/// Rotation and angular velocity in the middle of the flight.
struct Spin {
  Eigen::Quaterniond q;
  Eigen::Vector3d w = Eigen::Vector3d::Zero();

  Spin Plus(const Vector6& step) const { return {Turn(step.head<3>()) * q, w + step.tail<3>()}; }
};

Eigen::Vector3d Error(const Spin& spin, const RotationSample& sample,
                      const Eigen::Matrix3d& inertia_B) {
  solver::FlightState<double> state;
  state.q_WB = spin.q;
  state.w = spin.w;
  const Eigen::Vector3d weightless = Eigen::Vector3d::Zero();
  return RotationVector(
      sample.q *
      solver::PropagateFlight(state, inertia_B, weightless, sample.time).q_WB.conjugate());
}

/// One Gauss-Newton step by forward differences.
Vector6 Step(const Spin& spin, const std::vector<RotationSample>& samples,
             const Eigen::Matrix3d& inertia_B) {
  constexpr double kDelta = 1e-6;
  std::array<Spin, 6> moved;
  for (int i = 0; i < 6; ++i) moved[i] = spin.Plus(kDelta * Vector6::Unit(i));
  Matrix6 normal = Matrix6::Zero();
  Vector6 right_side = Vector6::Zero();
  for (const RotationSample& sample : samples) {
    const Eigen::Vector3d error = Error(spin, sample, inertia_B);
    Eigen::Matrix<double, 3, 6> J;
    for (int i = 0; i < 6; ++i) {
      J.col(i) = (Error(moved[i], sample, inertia_B) - error) / kDelta;
    }
    normal += J.transpose() * sample.weight * J;
    right_side -= J.transpose() * sample.weight * error;
  }
  return normal.ldlt().solve(right_side);
}

std::vector<RotationSample> RotationSamplesOf(std::span<const TrackedFrame> frames, int first,
                                              int last, double noise_scale, double sigma_floor) {
  std::vector<RotationSample> samples;
  const double middle = 0.5 * (frames[first].time + frames[last].time);
  for (int k = first; k <= last; ++k) {
    const TrackedFrame& frame = frames[k];
    if (!frame.pose.found) continue;
    const Eigen::Matrix3d covariance =
        noise_scale * noise_scale * frame.pose.covariance.bottomRightCorner<3, 3>() +
        sigma_floor * sigma_floor * Eigen::Matrix3d::Identity();
    samples.push_back({k, frame.time - middle, frame.pose.pose.q_WB, covariance.inverse()});
  }
  return samples;
}

/// The nearest pose, and the mean turn over one frame there.
Spin StartOf(const std::vector<RotationSample>& samples) {
  const std::size_t middle = std::max<std::size_t>(1, samples.size() / 2);
  const RotationSample &a = samples[middle - 1], &b = samples[middle];
  const Eigen::Vector3d w = RotationVector(b.q * a.q.conjugate()) / (b.time - a.time);
  return {Turn(-b.time * w) * b.q, w};
}

}  // namespace

Eigen::Vector3d RotationVector(const Eigen::Quaterniond& q) {
  const Eigen::AngleAxisd turn(q.w() < 0 ? Eigen::Quaterniond(-q.coeffs()) : q);
  return turn.angle() * turn.axis();
}

RotationFit FitTorqueFreeRotation(std::span<const TrackedFrame> frames, int first, int last,
                                  const Eigen::Matrix3d& inertia_B, double noise_scale,
                                  double sigma_floor) {
  const std::vector<RotationSample> samples =
      RotationSamplesOf(frames, first, last, noise_scale, sigma_floor);
  RotationFit fit;
  if (samples.size() < 2) return fit;
  Spin spin = StartOf(samples);
  for (int iteration = 0; iteration < 10; ++iteration) {
    const Vector6 step = Step(spin, samples, inertia_B);
    spin = spin.Plus(step);
    if (step.head<3>().norm() < 1e-6 && step.tail<3>().norm() < 1e-5) break;
  }
  for (const RotationSample& sample : samples) {
    const Eigen::Vector3d error = Error(spin, sample, inertia_B);
    const double chi2 = error.dot(sample.weight * error);
    fit.frames.push_back({sample.frame, chi2});
    fit.chi2 += chi2;
  }
  fit.degrees_of_freedom = 3 * static_cast<int>(samples.size()) - 6;
  return fit;
}

std::vector<std::string> KeepTorqueFree(std::span<const TrackedFrame> frames,
                                        const Eigen::Matrix3d& inertia_B,
                                        const Eigen::Vector3d& gravity,
                                        const TorqueFreeOptions& options,
                                        std::vector<FlightArc>* arcs) {
  const double noise_scale = PoseNoiseScale(frames);
  const auto fit_of = [&](int first, int last) {
    return FitTorqueFreeRotation(frames, first, last, inertia_B, noise_scale, options.sigma_floor);
  };
  std::vector<std::string> notes;
  std::vector<FlightArc> kept;
  for (FlightArc arc : *arcs) {
    const FlightArc whole = arc;
    RotationFit fit = fit_of(arc.first, arc.last);
    while (fit.ReducedChi2() > options.max_reduced_chi2 &&
           static_cast<int>(fit.frames.size()) > options.min_frames) {
      const int cut = std::min(std::max(1, static_cast<int>(fit.frames.size()) / 12),
                               static_cast<int>(fit.frames.size()) - options.min_frames);
      const int later = fit.frames[cut].first;
      const int earlier = fit.frames[fit.frames.size() - 1 - static_cast<std::size_t>(cut)].first;
      RotationFit without_first = fit_of(later, arc.last),
                  without_last = fit_of(arc.first, earlier);
      const bool drop_first = without_first.chi2 < without_last.chi2;
      (drop_first ? arc.first : arc.last) = drop_first ? later : earlier;
      fit = drop_first ? std::move(without_first) : std::move(without_last);
    }
    const bool free = fit.ReducedChi2() <= options.max_reduced_chi2;
    if (!free || arc.first != whole.first || arc.last != whole.last) {
      const auto number = [&](int k) { return frames[k].left_frame; };
      notes.push_back(fmt::format(
          "between left frames {} and {} the mass centre moves as in free flight, but the rotation "
          "is not torque-free{}",
          number(whole.first), number(whole.last),
          free ? fmt::format("; it is from {} to {}", number(arc.first), number(arc.last)) : ""));
    }
    if (!free) continue;
    const double shift = frames[arc.first].time - frames[whole.first].time;
    arc.p_WB += shift * arc.v + 0.5 * shift * shift * gravity;
    arc.v += shift * gravity;
    kept.push_back(arc);
  }
  *arcs = std::move(kept);
  return notes;
}

}  // namespace percuss::tracking
