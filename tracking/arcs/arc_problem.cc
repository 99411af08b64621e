// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/arc_problem.h"

#include <ceres/ceres.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "capture/video/synchronisation.h"
#include "tracking/pose/flight_derivatives.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using State = solver::FlightState<double>;
using FlightStep = Eigen::Matrix<double, kFlightDimension, 1>;
using ByColumns = Eigen::Matrix<double, kFlightDimension, kNumArcColumns>;
using InertiaColumns = Eigen::Matrix<double, kFlightDimension, 6>;

/// State of the body at some time of an arc, with its derivatives.
struct ArcState {
  double time = 0.0;  ///< [s]
  State state;
  ByColumns by_unknowns = ByColumns::Zero();
  InertiaColumns by_inertia = InertiaColumns::Zero();  ///< BenchParameters::Inertia
};

ArcState StateAtImpact(const ArcProblem& problem, const ArcUnknowns& x, int arc) {
  ArcState start;
  start.time = problem.guess_time + x.time;
  start.state = x.before;
  start.by_unknowns.middleCols<kFlightDimension>(kImpactColumn).setIdentity();
  if (arc == 1) {
    start.state.v = x.v_post;
    start.state.w = x.w_post;
    auto by_velocities = start.by_unknowns.bottomRows<6>();
    by_velocities.setZero();
    by_velocities.middleCols<6>(kImpactColumn + kVPost).setIdentity();
  }
  // At a given time, a later impact is a shorter flight since then.
  start.by_unknowns.col(kTimeColumn) =
      -FlyWithDerivatives(start.state, problem.inertia_B, problem.gravity, 0.0).by_duration;
  return start;
}

/// The flight from there to another time of the same arc.
ArcState FlyTo(const ArcProblem& problem, const ArcState& from, double time, int arc) {
  const FlightEnd end =
      FlyWithDerivatives(from.state, problem.inertia_B, problem.gravity, time - from.time);
  ArcState to{time, end.state, end.by_start * from.by_unknowns, {}};
  to.by_unknowns.middleCols<3>(kGravityColumn + 3 * arc) += end.by_gravity;
  if (problem.model.has_body) {
    to.by_inertia =
        end.by_start * from.by_inertia +
        FlightByInertia(from.state, problem.inertia_B, problem.gravity, time - from.time);
  }
  return to;
}

/// States at the times of all frames, each flown from the frame next to it on the impact's side.
/// @param at_impact of either arc
/// @param fly from a state to a time of the same arc
template <typename State, typename Fly>
std::vector<State> StatesAtFrames(std::span<const ArcFrame> frames,
                                  const std::array<State, 2>& at_impact, const Fly& fly) {
  std::vector<State> states(frames.size());
  for (const int arc : {0, 1}) {
    State last = at_impact[arc];
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::size_t k = arc == 0 ? frames.size() - 1 - i : i;
      if (frames[k].arc == arc) states[k] = last = fly(last, frames[k].time, arc);
    }
  }
  return states;
}

/// Rows from the middle of its picture to a marker's pixel.
double RowsBelowMiddle(const SightingModel& model, const Sighting& sighting) {
  const auto* pixel = std::get_if<MarkerObservation>(&sighting.observation);
  if (pixel == nullptr) return 0.0;
  return capture::RowDelay(pixel->pixel.y(), model.views[pixel->side].camera.height, 1.0);
}

double TimeAfterFrame(const ArcProblem& problem, double frame_time, const Sighting& sighting,
                      const ArcUnknowns& x) {
  const SightingModel& model = problem.model;
  double time = sighting.after_frame;
  if (SourceOf(sighting) == 1)
    time += x.clock + x.clock_rate * (frame_time + time - problem.guess_time);
  if (x.line_time != std::array{0.0, 0.0} && SourceOf(sighting) >= 0)
    time += x.line_time[SourceOf(sighting)] * RowsBelowMiddle(model, sighting);
  return time;
}

BodyPose PoseOf(const State& state) { return {state.p_WB, state.q_WB}; }

/// What is known beforehand of one unknown of the cameras' times: value / sigma is one more
/// residual.
struct TimePrior {
  int column = 0;
  double value = 0.0, sigma = 1.0;
};

std::vector<TimePrior> TimePriors(const ArcProblem& problem, const ArcUnknowns& x) {
  std::vector<TimePrior> priors;
  for (const TimePrior& prior :
       {TimePrior{kClockColumn, x.clock, problem.clock_sigma},
        TimePrior{kLineColumn, x.line_time[0], problem.line_time_sigma},
        TimePrior{kLineColumn + 1, x.line_time[1], problem.line_time_sigma},
        TimePrior{kRateColumn, x.clock_rate, kClockRateSigma}}) {
    if (std::isfinite(prior.sigma) && std::ranges::count(problem.unknowns, prior.column))
      priors.push_back(prior);
  }
  return priors;
}

Eigen::Index NumResiduals(const ArcProblem& problem, std::span<const ArcFrame> frames) {
  auto rows = static_cast<Eigen::Index>(TimePriors(problem, {}).size());
  for (const ArcFrame& frame : frames) {
    for (const Sighting& sighting : frame.sightings) rows += sighting.whitening.rows();
  }
  return rows;
}

/// Rows of one frame's sightings, from `row` on.
void LineariseFrame(const ArcProblem& problem, const ArcFrame& frame, const ArcState& at_frame,
                    const ArcUnknowns& x, bool with_calibration, Eigen::Index* row,
                    Linearisation* out) {
  std::optional<ArcState> now;
  Eigen::MatrixXd by_calibration;
  for (const Sighting& sighting : frame.sightings) {
    const double time = frame.time + TimeAfterFrame(problem, frame.time, sighting, x);
    if (!now || now->time != time) {
      now = time == frame.time ? at_frame : FlyTo(problem, at_frame, time, frame.arc);
    }
    const SightingResidual residual = Compare(problem.model, sighting, PoseOf(now->state),
                                              with_calibration ? &by_calibration : nullptr);
    const Eigen::Index rows = residual.value.size();
    const Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6> by_pose =
        sighting.weight * residual.by_pose;
    out->residuals.segment(*row, rows) = sighting.weight * residual.value;
    auto jacobian = out->jacobian.middleRows(*row, rows);
    jacobian.noalias() = by_pose * now->by_unknowns.topRows<6>();
    if (const int side = SourceOf(sighting); side >= 0) {
      Eigen::Matrix<double, 6, 1> rates;
      rates << now->state.v, now->state.w;
      const Eigen::VectorXd by_time = by_pose * rates;
      if (side == 1) {
        jacobian.col(kClockColumn) += by_time;
        jacobian.col(kRateColumn) +=
            (frame.time + sighting.after_frame - problem.guess_time) * by_time;
      }
      jacobian.col(kLineColumn + side) += RowsBelowMiddle(problem.model, sighting) * by_time;
    }
    if (with_calibration) {
      auto by_shared = out->by_calibration.middleRows(*row, rows);
      by_shared = sighting.weight * by_calibration;
      if (problem.model.has_body) {
        const BenchParameters& places = problem.model.parameters;
        by_shared.middleCols<6>(places.Inertia()) = by_pose * now->by_inertia.topRows<6>();
        by_shared.middleCols<3>(places.Gravity()) =
            jacobian.middleCols<3>(kGravityColumn + 3 * frame.arc);
        by_shared.middleCols(places.LineTime(0), places.num_cameras) =
            jacobian.middleCols(kLineColumn, places.num_cameras);
      }
    }
    *row += rows;
  }
}

Linearisation Linearise(const ArcProblem& problem, std::span<const ArcFrame> frames,
                        const ArcUnknowns& x, bool with_calibration) {
  const Eigen::Index rows = NumResiduals(problem, frames);
  Linearisation out{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, kNumArcColumns), {}};
  if (with_calibration) {
    out.by_calibration.setZero(rows, problem.model.NumShared());
  }
  const std::vector<ArcState> states = StatesAtFrames(
      frames, std::array{StateAtImpact(problem, x, 0), StateAtImpact(problem, x, 1)},
      [&](const ArcState& from, double time, int arc) { return FlyTo(problem, from, time, arc); });
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < frames.size(); ++k)
    LineariseFrame(problem, frames[k], states[k], x, with_calibration, &row, &out);
  for (const TimePrior& prior : TimePriors(problem, x)) {
    out.residuals[row] = prior.value / prior.sigma;
    out.jacobian.row(row).setZero();
    out.jacobian(row++, prior.column) = 1.0 / prior.sigma;
  }
  return out;
}

/// Ceres holds the unknowns as time, position, quaternion, v, w, v', w', clock, line times, rate.
constexpr int kAmbient = 24;
using Ambient = Eigen::Matrix<double, kAmbient, 1>;

Ambient Packed(const ArcUnknowns& x) {
  const Eigen::Quaterniond& q = x.before.q_WB;
  Ambient values;
  values << x.time, x.before.p_WB, q.w(), q.x(), q.y(), q.z(), x.before.v, x.before.w, x.v_post,
      x.w_post, x.clock, x.line_time[0], x.line_time[1], x.clock_rate;
  return values;
}

ArcUnknowns Unpacked(const double* values) {
  const Eigen::Map<const Ambient> packed(values);
  ArcUnknowns x;
  x.time = packed[0];
  x.before.p_WB = packed.segment<3>(1);
  x.before.q_WB = Eigen::Quaterniond(packed[4], packed[5], packed[6], packed[7]);
  x.before.v = packed.segment<3>(8);
  x.before.w = packed.segment<3>(11);
  x.v_post = packed.segment<3>(14);
  x.w_post = packed.segment<3>(17);
  x.clock = packed[20];
  x.line_time = {packed[21], packed[22]};
  x.clock_rate = packed[23];
  return x;
}

/// Steps along the columns that the fit moves. SightingsCost gives its derivatives by the step
/// itself, padded with zeros to the ambient size, so that here the derivative is the identity above
/// zeros.
class StepManifold final : public ceres::Manifold {
 public:
  explicit StepManifold(const std::vector<int>& columns) : columns_(columns) {}
  int AmbientSize() const override { return kAmbient; }
  int TangentSize() const override { return static_cast<int>(columns_.size()); }

  bool Plus(const double* x, const double* delta, double* x_plus_delta) const override {
    const Eigen::VectorXd step = Eigen::Map<const Eigen::VectorXd>(delta, TangentSize());
    Eigen::Map<Ambient> moved(x_plus_delta);
    moved = Packed(Stepped(Unpacked(x), columns_, step));
    return true;
  }
  bool PlusJacobian(const double*, double* jacobian) const override {
    using RowMajor = Eigen::Matrix<double, kAmbient, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<RowMajor>(jacobian, kAmbient, TangentSize()).setIdentity();
    return true;
  }
  // Least squares without bounds has no use for differences of unknowns.
  bool Minus(const double*, const double*, double*) const override { return false; }
  bool MinusJacobian(const double*, double*) const override { return false; }

 private:
  const std::vector<int>& columns_;
};

/// Weighted residuals of all sightings; undefined where a marker is behind a camera.
class SightingsCost final : public ceres::CostFunction {
 public:
  SightingsCost(const ArcProblem& problem, std::span<const ArcFrame> frames)
      : problem_(problem), frames_(frames) {
    set_num_residuals(static_cast<int>(NumResiduals(problem, frames)));
    mutable_parameter_block_sizes()->push_back(kAmbient);
  }

  bool Evaluate(double const* const* blocks, double* residuals, double** jacobians) const override {
    const ArcUnknowns x = Unpacked(blocks[0]);
    Eigen::Map<Eigen::VectorXd> values(residuals, num_residuals());
    if (jacobians == nullptr || jacobians[0] == nullptr) {
      Eigen::Index row = 0;
      for (const ArcResidual& residual : Residuals(problem_, frames_, x)) {
        values.segment(row, residual.value.size()) = residual.weight * residual.value;
        row += residual.value.size();
      }
      for (const TimePrior& prior : TimePriors(problem_, x))
        values[row++] = prior.value / prior.sigma;
    } else {
      const Linearisation linear = Linearise(problem_, frames_, x, false);
      values = linear.residuals;
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, kAmbient, Eigen::RowMajor>;
      Eigen::Map<RowMajor> by_step(jacobians[0], num_residuals(), kAmbient);
      by_step.setZero();
      by_step.leftCols(static_cast<Eigen::Index>(problem_.unknowns.size())) =
          linear.jacobian(Eigen::all, problem_.unknowns);
    }
    return values.allFinite();
  }

 private:
  const ArcProblem& problem_;
  std::span<const ArcFrame> frames_;
};

}  // namespace

Linearisation Linearise(const ArcProblem& problem, std::span<const ArcFrame> frames,
                        const ArcUnknowns& x) {
  return Linearise(problem, frames, x, true);
}

Linearisation Whitened(Linearisation linear, const ArcProblem& problem,
                       std::span<const ArcFrame> frames) {
  WhitenSharedOffsets(frames, problem.shared_offsets, linear.residuals);
  WhitenSharedOffsets(frames, problem.shared_offsets, linear.jacobian);
  if (linear.by_calibration.cols() > 0)
    WhitenSharedOffsets(frames, problem.shared_offsets, linear.by_calibration);
  return linear;
}

std::vector<ArcResidual> Residuals(const ArcProblem& problem, std::span<const ArcFrame> frames,
                                   const ArcUnknowns& x) {
  struct TimedState {
    double time = 0.0;
    State state;
  };
  const auto fly = [&](const TimedState& from, double time, int) -> TimedState {
    return {time, solver::PropagateFlight<double>(from.state, problem.inertia_B, problem.gravity,
                                                  time - from.time)};
  };
  std::array<TimedState, 2> at_impact;
  at_impact.fill({problem.guess_time + x.time, x.before});
  at_impact[1].state.v = x.v_post;
  at_impact[1].state.w = x.w_post;
  const std::vector<TimedState> states = StatesAtFrames(frames, at_impact, fly);
  std::vector<ArcResidual> residuals;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const ArcFrame& frame = frames[k];
    TimedState now = states[k];
    for (const Sighting& sighting : frame.sightings) {
      const double time = frame.time + TimeAfterFrame(problem, frame.time, sighting, x);
      if (now.time != time) now = time == frame.time ? states[k] : fly(states[k], time, frame.arc);
      residuals.push_back({frame.frame, frame.arc, SourceOf(sighting), MarkerOf(sighting),
                           sighting.weight,
                           Compare(problem.model, sighting, PoseOf(now.state)).value});
    }
  }
  return residuals;
}

ArcUnknowns Stepped(const ArcUnknowns& x, const std::vector<int>& columns,
                    const Eigen::VectorXd& step) {
  Eigen::Matrix<double, kNumArcColumns, 1> full = Eigen::Matrix<double, kNumArcColumns, 1>::Zero();
  full(columns) = step;
  ArcUnknowns moved;
  moved.time = x.time + full[kTimeColumn];
  moved.before = Moved(x.before, FlightStep(full.segment<kFlightDimension>(kImpactColumn)));
  moved.v_post = x.v_post + full.segment<3>(kImpactColumn + kVPost);
  moved.w_post = x.w_post + full.segment<3>(kImpactColumn + kWPost);
  moved.clock = x.clock + full[kClockColumn];
  for (int side = 0; side < 2; ++side)
    moved.line_time[side] = x.line_time[side] + full[kLineColumn + side];
  moved.clock_rate = x.clock_rate + full[kRateColumn];
  return moved;
}

bool Solve(const ArcProblem& problem, std::span<const ArcFrame> frames, ArcUnknowns* x) {
  Ambient values = Packed(*x);
  ceres::Problem least_squares;
  least_squares.AddResidualBlock(new SightingsCost(problem, frames), nullptr, values.data());
  least_squares.SetManifold(values.data(), new StepManifold(problem.unknowns));
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_NORMAL_CHOLESKY;
  // Almost Gauss-Newton steps from the start: damped ones would creep along the directions that the
  // sightings determine worst.
  options.initial_trust_region_radius = 1e12;
  options.max_trust_region_radius = 1e16;
  // Of half the sum of squares, about a thousand: the last step is below 1e-5 sigma, and the
  // flights are exact to that.
  options.function_tolerance = 3e-13;
  options.gradient_tolerance = options.parameter_tolerance = 0.0;  // units differ
  options.logging_type = ceres::SILENT;
  ceres::Solver::Summary summary;
  ceres::Solve(options, &least_squares, &summary);
  *x = Unpacked(values.data());
  return summary.termination_type == ceres::CONVERGENCE;
}

ArcProblem ProblemOf(const FittedArcs& arcs, const SightingModel& model,
                     const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity) {
  return {model,
          arcs.planar ? Eigen::Matrix3d::Identity() : inertia_B,
          gravity,
          arcs.guess_time,
          arcs.unknowns,
          arcs.clock_sigma,
          std::numeric_limits<double>::infinity(),
          arcs.shared_offsets};
}

}  // namespace percuss::tracking
