// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "tracking/arcs/arc_problem.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>

#include "capture/video/synchronisation.h"
#include "tracking/pose/flight_derivatives.h"

namespace percuss::tracking {

using enum impacts::ImpactIndex;

namespace {

using State = solver::FlightState<double>;
using FlightStep = Eigen::Matrix<double, kFlightDimension, 1>;
using ByColumns = Eigen::Matrix<double, kFlightDimension, kNumMotionColumns>;
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
/// @param with_inertia false leaves by_inertia zero, which costs as much as all the rest twice.
ArcState FlyTo(const ArcProblem& problem, const ArcState& from, double time, int arc,
               bool with_inertia) {
  const FlightEnd end =
      FlyWithDerivatives(from.state, problem.inertia_B, problem.gravity, time - from.time);
  ArcState to{time, end.state, from.by_unknowns};
  // Position and velocity depend on those before alone, and so do rotation and angular velocity.
  to.by_unknowns.middleRows<3>(kPosition) +=
      (time - from.time) * from.by_unknowns.middleRows<3>(kV);
  for (const int row : {kRotation, kW}) {
    to.by_unknowns.middleRows<3>(row) =
        end.by_start.block<3, 3>(row, kRotation) * from.by_unknowns.middleRows<3>(kRotation) +
        end.by_start.block<3, 3>(row, kW) * from.by_unknowns.middleRows<3>(kW);
  }
  to.by_unknowns.middleCols<3>(kGravityColumn + 3 * arc) += end.by_gravity;
  if (with_inertia) {
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
  double time = sighting.after_frame;
  const int side = SourceOf(sighting);
  if (side > 0)
    time += x.clock[side] + x.clock_rate[side] * (frame_time + time - problem.guess_time);
  if (side >= 0 && x.line_time[side] != 0.0)
    time += x.line_time[side] * RowsBelowMiddle(problem.model, sighting);
  return time;
}

BodyPose PoseOf(const State& state) { return {state.p_WB, state.q_WB}; }

/// What is known beforehand: one more residual, and its derivatives.
struct Prior {
  double residual = 0.0;
  Eigen::RowVectorXd by_unknowns;
  double by_inertia_zz = 0.0, by_diameter = 0.0;  ///< of BenchParameters
};

Prior& AddPrior(const ArcProblem& problem, std::vector<Prior>* priors) {
  Prior& prior = priors->emplace_back();
  prior.by_unknowns.setZero(problem.NumColumns());
  return prior;
}

void AddSpinPriors(const ArcProblem& problem, const ArcUnknowns& x, std::vector<Prior>* priors) {
  const UnseenSpin& spin = *problem.spin;
  const Eigen::Vector3d axis = x.before.q_WB * Eigen::Vector3d::UnitZ();
  const auto by = [](Prior& prior, int place) {
    return prior.by_unknowns.segment<3>(kImpactColumn + place);
  };
  // Nothing moves with the turn itself: it stays where it is.
  by(AddPrior(problem, priors), kRotation) = axis.transpose() / kUnseenTurnSigma;

  Prior& before = AddPrior(problem, priors);
  before.residual = axis.dot(x.before.w) / spin.before_sigma;
  by(before, kW) = axis.transpose() / spin.before_sigma;
  by(before, kRotation) = axis.cross(x.before.w).transpose() / spin.before_sigma;

  const Eigen::Vector3d r =
      x.before.q_WB * solver::SupportPoint(spin.shape, x.before.q_WB.conjugate() * -spin.normal);
  const Eigen::Vector3d per_velocity = spin.mass / problem.inertia_B(2, 2) * axis.cross(r);
  const Eigen::Vector3d dw = x.w_post - x.before.w;
  Prior& balance = AddPrior(problem, priors);
  balance.residual = (axis.dot(dw) - per_velocity.dot(x.v_post - x.before.v)) / spin.balance_sigma;
  by(balance, kRotation) = axis.cross(dw).transpose() / spin.balance_sigma;
  by(balance, kWPost) = axis.transpose() / spin.balance_sigma;
  by(balance, kW) = -axis.transpose() / spin.balance_sigma;
  by(balance, kVPost) = -per_velocity.transpose() / spin.balance_sigma;
  by(balance, kV) = per_velocity.transpose() / spin.balance_sigma;
  const double turned = per_velocity.dot(x.v_post - x.before.v) / spin.balance_sigma;
  balance.by_inertia_zz = turned;
  balance.by_diameter = -0.5 * turned / problem.model.layout.band_radius;
}

std::vector<Prior> Priors(const ArcProblem& problem, const ArcUnknowns& x) {
  std::vector<Prior> priors;
  const auto add = [&](int column, double value, double sigma) {
    if (!std::isfinite(sigma) || !std::ranges::count(problem.unknowns, column)) return;
    Prior& prior = AddPrior(problem, &priors);
    prior.residual = value / sigma;
    prior.by_unknowns[column] = 1.0 / sigma;
  };
  for (std::size_t c = 0; c < problem.model.views.size(); ++c) {
    add(ClockColumn(c), x.clock[c], c == 1 ? problem.clock_sigma : kFurtherClockSigma);
    add(LineColumn(c), x.line_time[c], problem.line_time_sigma);
    add(RateColumn(c), x.clock_rate[c], kClockRateSigma);
  }
  if (problem.spin) AddSpinPriors(problem, x, &priors);
  return priors;
}

Eigen::Index NumResiduals(const ArcProblem& problem, std::span<const ArcFrame> frames) {
  auto rows = static_cast<Eigen::Index>(Priors(problem, {}).size());
  for (const ArcFrame& frame : frames) {
    for (const Sighting& sighting : frame.sightings) rows += sighting.whitening.rows();
  }
  return rows;
}

/// Rows of one frame's sightings, from `row` on.
void LineariseFrame(const ArcProblem& problem, const ArcFrame& frame, const ArcState& at_frame,
                    const ArcUnknowns& x, bool with_calibration, Eigen::Index* row,
                    Linearisation* out) {
  // Of each camera: their sightings may take turns, and their clocks may differ.
  std::vector<ArcState> flown(std::max<std::size_t>(1, problem.model.views.size()), at_frame);
  Eigen::MatrixXd by_calibration;
  const bool with_bench = with_calibration && problem.model.has_body;
  for (const Sighting& sighting : frame.sightings) {
    const double time = frame.time + TimeAfterFrame(problem, frame.time, sighting, x);
    ArcState& now = flown[std::max(0, SourceOf(sighting))];
    if (now.time != time) {
      now = time == frame.time ? at_frame : FlyTo(problem, at_frame, time, frame.arc, with_bench);
    }
    const SightingResidual residual = Compare(problem.model, sighting, PoseOf(now.state),
                                              with_calibration ? &by_calibration : nullptr);
    const Eigen::Index rows = residual.value.size();
    const auto& by_pose = residual.by_pose;
    out->residuals.segment(*row, rows) = residual.value;
    auto jacobian = out->jacobian.middleRows(*row, rows);
    jacobian.leftCols<kNumMotionColumns>().noalias() = by_pose * now.by_unknowns.topRows<6>();
    jacobian.rightCols(jacobian.cols() - kNumMotionColumns).setZero();
    if (const int side = SourceOf(sighting); side >= 0) {
      Eigen::Matrix<double, 6, 1> rates;
      rates << now.state.v, now.state.w;
      const Eigen::VectorXd by_time = by_pose * rates;
      if (side > 0) {
        jacobian.col(ClockColumn(side)) = by_time;
        jacobian.col(RateColumn(side)) =
            (frame.time + sighting.after_frame - problem.guess_time) * by_time;
      }
      jacobian.col(LineColumn(side)) = RowsBelowMiddle(problem.model, sighting) * by_time;
    }
    if (with_calibration) {
      auto by_shared = out->by_calibration.middleRows(*row, rows);
      by_shared = by_calibration;
      if (with_bench) {
        const BenchParameters& places = problem.model.parameters;
        by_shared.middleCols<6>(places.Inertia()) = by_pose * now.by_inertia.topRows<6>();
        by_shared.middleCols<3>(places.Gravity()) =
            jacobian.middleCols<3>(kGravityColumn + 3 * frame.arc);
        for (int c = 0; c < places.num_cameras; ++c)
          by_shared.col(places.LineTime(c)) = jacobian.col(LineColumn(c));
      }
    }
    *row += rows;
  }
}

/// Linearise without the robust weights.
Linearisation LineariseUnweighted(const ArcProblem& problem, std::span<const ArcFrame> frames,
                                  const ArcUnknowns& x, bool with_calibration) {
  const Eigen::Index rows = NumResiduals(problem, frames);
  Linearisation out{Eigen::VectorXd(rows), Eigen::MatrixXd(rows, problem.NumColumns()), {}};
  if (with_calibration) {
    out.by_calibration.setZero(rows, problem.model.NumShared());
  }
  const std::vector<ArcState> states = StatesAtFrames(
      frames, std::array{StateAtImpact(problem, x, 0), StateAtImpact(problem, x, 1)},
      [&](const ArcState& from, double time, int arc) {
        return FlyTo(problem, from, time, arc, with_calibration && problem.model.has_body);
      });
  Eigen::Index row = 0;
  for (std::size_t k = 0; k < frames.size(); ++k)
    LineariseFrame(problem, frames[k], states[k], x, with_calibration, &row, &out);
  for (const Prior& prior : Priors(problem, x)) {
    out.residuals[row] = prior.residual;
    out.jacobian.row(row) = prior.by_unknowns;
    if (with_calibration && problem.model.has_body && problem.spin) {
      const BenchParameters& places = problem.model.parameters;
      out.by_calibration(row, places.Inertia() + 2) = prior.by_inertia_zz;
      out.by_calibration(row, places.Length()) = prior.by_diameter;  // the first of a round body
    }
    ++row;
  }
  return out;
}

/// Robust weights of the rows; 1 for what is known beforehand.
Eigen::VectorXd RowWeights(std::span<const ArcFrame> frames, Eigen::Index num_rows) {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(num_rows);
  Eigen::Index row = 0;
  for (const ArcFrame& frame : frames) {
    for (const Sighting& sighting : frame.sightings) {
      weights.segment(row, sighting.whitening.rows()).setConstant(sighting.weight);
      row += sighting.whitening.rows();
    }
  }
  return weights;
}

/// Sum of the squares of all residuals; no number where a marker is behind a camera.
double Cost(const ArcProblem& problem, std::span<const ArcFrame> frames, const ArcUnknowns& x) {
  double cost = 0.0;
  for (const ArcResidual& residual : Residuals(problem, frames, x))
    cost += (residual.weight * residual.value).squaredNorm();
  for (const Prior& prior : Priors(problem, x)) cost += prior.residual * prior.residual;
  return cost;
}

}  // namespace

Linearisation Linearise(const ArcProblem& problem, std::span<const ArcFrame> frames,
                        const ArcUnknowns& x) {
  Linearisation linear = LineariseUnweighted(problem, frames, x, true);
  const Eigen::VectorXd weights = RowWeights(frames, linear.residuals.size());
  linear.residuals.array() *= weights.array();
  linear.jacobian.array().colwise() *= weights.array();
  linear.by_calibration.array().colwise() *= weights.array();
  return linear;
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
    std::vector<TimedState> flown(std::max<std::size_t>(1, problem.model.views.size()), states[k]);
    for (const Sighting& sighting : frame.sightings) {
      const double time = frame.time + TimeAfterFrame(problem, frame.time, sighting, x);
      TimedState& now = flown[std::max(0, SourceOf(sighting))];
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
  Eigen::Vector<double, NumArcColumns(capture::kMostCameras)> full;
  full.setZero();
  full(columns) = step;
  ArcUnknowns moved;
  moved.time = x.time + full[kTimeColumn];
  moved.before = Moved(x.before, FlightStep(full.segment<kFlightDimension>(kImpactColumn)));
  moved.v_post = x.v_post + full.segment<3>(kImpactColumn + kVPost);
  moved.w_post = x.w_post + full.segment<3>(kImpactColumn + kWPost);
  for (std::size_t c = 0; c < capture::kMostCameras; ++c) {
    moved.clock[c] = x.clock[c] + full[ClockColumn(c)];
    moved.line_time[c] = x.line_time[c] + full[LineColumn(c)];
    moved.clock_rate[c] = x.clock_rate[c] + full[RateColumn(c)];
  }
  return moved;
}

bool Solve(const ArcProblem& problem, std::span<const ArcFrame> frames, ArcUnknowns* x,
           Linearisation* unweighted) {
  if (unweighted->residuals.size() == 0)
    *unweighted = LineariseUnweighted(problem, frames, *x, false);
  const Eigen::VectorXd weights = RowWeights(frames, unweighted->residuals.size());
  // Almost Gauss-Newton steps from the start: damped ones would creep along the directions that the
  // sightings determine worst.
  double region = 1e12, shrink = 2.0;
  constexpr int kMaxSteps = 50;
  constexpr double kMaxRegion = 1e16, kLeastDamping = 1e-6, kLeastShare = 1e-3;
  // Of the sum of squares, about a thousand: the step that is left is below 2e-5 sigma, and the
  // flights are exact to that. Where the residuals are nothing but rounding: 1e-8 sigma. What a
  // step really gains, unlike what is expected of it, would drown in rounding.
  constexpr double kRest = 3e-13, kNothing = 1e-16;
  Eigen::MatrixXd normal;
  Eigen::VectorXd gradient;
  double cost = std::numeric_limits<double>::quiet_NaN();
  for (int step_number = 0; step_number < kMaxSteps; ++step_number) {
    if (gradient.size() == 0) {
      const Eigen::MatrixXd J =
          weights.asDiagonal() * unweighted->jacobian(Eigen::all, problem.unknowns);
      const Eigen::VectorXd r = weights.cwiseProduct(unweighted->residuals);
      normal = J.transpose() * J;
      gradient = J.transpose() * r;
      cost = r.squaredNorm();
      if (!std::isfinite(cost)) return false;
    }
    Eigen::MatrixXd damped = normal;
    damped.diagonal() += normal.diagonal().cwiseMax(kLeastDamping) / region;
    const Eigen::VectorXd step = -damped.ldlt().solve(gradient);
    const double expected = -step.dot(2.0 * gradient + normal * step);
    if (std::abs(expected) <= kRest * cost + kNothing) return true;
    const ArcUnknowns moved = Stepped(*x, problem.unknowns, step);
    const double decrease = cost - Cost(problem, frames, moved);
    if (const double share = decrease / expected; expected > 0.0 && share > kLeastShare) {
      *x = moved;
      *unweighted = LineariseUnweighted(problem, frames, *x, false);
      gradient.resize(0);
      region =
          std::min(kMaxRegion, region / std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * share - 1.0, 3)));
      shrink = 2.0;
    } else {  // worse, or no number
      region /= shrink;
      shrink *= 2.0;
    }
  }
  return false;
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
          arcs.shared_offsets,
          arcs.spin};
}

}  // namespace percuss::tracking
