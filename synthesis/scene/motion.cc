// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "synthesis/scene/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/nan.h"
#include "solver/contact/contact.h"
#include "solver/multi_contact/landing.h"
#include "solver/solve_impact.h"

namespace percuss::synthesis {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kNodeStep = 2e-3;        // [s]
constexpr double kShortestAfter = 0.025;  // [s], a flight too short to be measured
constexpr int kFramesAfterFlash = 3;      // held still after the flash
constexpr double kFinestTurn = 5e-3;      // per step of integration [rad]

std::vector<State> Nodes(const State& start, const solver::Body& body, const Vector3d& gravity,
                         double duration) {
  std::vector<State> nodes = {start};
  const int count = static_cast<int>(std::ceil(duration / kNodeStep));
  for (int k = 0; k < count; ++k) {
    nodes.push_back(solver::PropagateFlight<double>(nodes.back(), body.inertia, gravity, kNodeStep,
                                                    kFinestTurn));
  }
  return nodes;
}

Eigen::Quaterniond Turn(const Vector3d& rotation_vector) {
  const double angle = rotation_vector.norm();
  if (angle == 0.0) return Eigen::Quaterniond::Identity();
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, rotation_vector / angle));
}

}  // namespace

Eigen::Vector2d KineticEnergy(const solver::Body& body, const State& state) {
  const Vector3d w_B = state.q_WB.conjugate() * state.w;
  return {0.5 * body.mass * state.v.squaredNorm(), 0.5 * w_B.dot(body.inertia * w_B)};
}

Motion PlanMotion(const SceneSpec& spec, const TrialSpec& trial) { return Motion(spec, trial); }

Motion::Motion(const SceneSpec& spec, const TrialSpec& trial)
    : body_(spec.body.body), gravity_(trial.gravity) {
  if (trial.slide) {
    at_rest_ = trial.orientation;
    PlanSlide(*trial.slide, spec.frame_rate,
              spec.flash.time + 0.5 * spec.flash.duration + kFramesAfterFlash / spec.frame_rate);
    return;
  }
  SolveImpact(trial, spec.planar);
  actuator_start =
      spec.flash.time + 0.5 * spec.flash.duration + kFramesAfterFlash / spec.frame_rate;
  release = actuator_start + spec.carry_time;
  impact_time = release + trial.flight_time;
  at_release_ = solver::PropagateFlight<double>(impact.before, body_.inertia, gravity_,
                                                -trial.flight_time, kFinestTurn);
  before_ = Nodes(at_release_, body_, gravity_, trial.flight_time);
  after_ = Nodes(impact.after, body_, gravity_, trial.post_flight);
  CheckClearance();
  FindSecondContact(trial.post_flight);
  const double readout = spec.exposure + spec.line_time * spec.cameras[0].height;
  end = std::min(impact_time + trial.post_flight, second_contact) - readout;
  if (!(end - impact_time > kShortestAfter)) {
    throw std::invalid_argument(
        fmt::format("a flight of {:.4f} s after the impact, of at least {:g} s", end - impact_time,
                    kShortestAfter));
  }
}

void Motion::SolveImpact(const TrialSpec& trial, bool planar) {
  State& before = impact.before;
  before.q_WB = trial.orientation;
  before.v = trial.velocity;
  before.w = trial.angular_velocity;
  Vector3d r =
      before.q_WB * solver::SupportPoint(body_.shape, before.q_WB.conjugate() * -Vector3d::UnitZ());
  if (planar) r.y() = 0.0;  // the middle of the lowest edge
  impact.contact_offset = r;
  impact.contact_point = {trial.contact_point.x(), trial.contact_point.y(), 0.0};
  before.p_WB = impact.contact_point - r;

  const Matrix3d axes = Matrix3d::Identity();
  solver::Contact<double> contact;
  contact.inverse_mass =
      solver::InverseContactMass<double>(body_.mass, body_.inertia, before.q_WB, r, axes);
  contact.velocity = solver::ContactVelocity<double>(before.v, before.w, r, axes);
  if (!(contact.velocity.z() < 0.0)) {
    throw std::invalid_argument(fmt::format(
        "a contact that moves up at {:.4f} m/s before the impact", contact.velocity.z()));
  }
  impact.result = solver::SolveImpact(trial.law, contact, trial.parameters);
  if (solver::FindLaw(trial.law).several_points && Land(trial)) return;
  const Vector3d& impulse = impact.result.impulse;
  if (!impulse.allFinite()) {
    throw std::invalid_argument(fmt::format("an impact for which {} has no answer", trial.law));
  }
  impact.after = before;
  impact.after.v += impulse / body_.mass;
  const Matrix3d R_WB = before.q_WB.toRotationMatrix();
  const Vector3d change_B = body_.inertia.inverse() * (R_WB.transpose() * r.cross(impulse));
  impact.after.w += R_WB * change_B;
  if (planar && !(std::hypot(impact.after.w.x(), impact.after.w.z()) <
                  1e-9 * (1.0 + impact.after.w.norm()))) {
    throw std::invalid_argument("a body that leaves the plane: y is no principal axis of it");
  }
  impact.contact_velocity_before = contact.velocity;
  impact.contact_velocity_after = impact.after.v + impact.after.w.cross(r);
}

bool Motion::Land(const TrialSpec& trial) {
  const State& before = impact.before;
  constexpr double kLevel = 1e-6;  // [m]
  std::vector<Vector3d> corners =
      solver::SupportCandidates(body_.shape, before.q_WB.conjugate() * -Vector3d::UnitZ(), kLevel);
  if (corners.size() < 3) return false;
  corners.erase(corners.begin());  // the middle of those that are level
  const Matrix3d R_WB = before.q_WB.toRotationMatrix();
  solver::Landing landing{.mass = body_.mass,
                          .inertia_W = R_WB * body_.inertia * R_WB.transpose(),
                          .v = before.v,
                          .w = before.w};
  for (const Vector3d& corner : corners) landing.arms.push_back(R_WB * corner);
  const solver::LandingResult result = solver::SolveLanding(landing, trial.parameters);
  if (!result.impulse.allFinite()) {
    throw std::invalid_argument(fmt::format("an impact for which {} has no answer", trial.law));
  }
  impact.result = {.impulse = result.impulse,
                   .compression_impulse = kNaN,
                   .restitution_impulse = kNaN,
                   .energy = result.energy,
                   .modes = result.modes};
  impact.after = before;
  impact.after.v = result.v;
  impact.after.w = result.w;
  const Vector3d& r = impact.contact_offset;
  impact.contact_velocity_before = before.v + before.w.cross(r);
  impact.contact_velocity_after = result.v + result.w.cross(r);
  return true;
}

State Motion::Carried(double time) const {
  const double duration = release - actuator_start;
  const double share = std::clamp((time - actuator_start) / duration, 0.0, 1.0);
  const double lead = 0.5 * duration * (1.0 - share * share);  // way to go, over the last velocity
  State state = at_release_;
  state.p_WB -= lead * at_release_.v;
  state.q_WB = Turn(-lead * at_release_.w) * at_release_.q_WB;
  state.v *= share;
  state.w *= share;
  return state;
}

State Motion::At(double time) const {
  if (slide_) return Sliding(time);
  if (time < release) return Carried(time);
  const bool first = time < impact_time;
  const std::vector<State>& nodes = first ? before_ : after_;
  const double since = time - (first ? release : impact_time);
  const auto last = static_cast<double>(nodes.size() - 1);
  const double place = std::clamp(std::floor(since / kNodeStep), 0.0, last);
  return solver::PropagateFlight<double>(nodes[static_cast<std::size_t>(place)], body_.inertia,
                                         gravity_, since - place * kNodeStep, kFinestTurn);
}

std::string_view Motion::Phase(double time) const {
  if (time < actuator_start) return "held";
  if (slide_) return time < slide_start ? "carried" : "sliding";
  if (time < release) return "carried";
  return time < impact_time ? "pre-flight" : "post-flight";
}

double Motion::Clearance(const State& state) const {
  const Vector3d down_B = state.q_WB.conjugate() * -Vector3d::UnitZ();
  return (state.p_WB + state.q_WB * solver::SupportPoint(body_.shape, down_B)).z();
}

void Motion::CheckClearance() const {
  for (double time = actuator_start; time < impact_time - 1e-3; time += 1e-3) {
    if (Clearance(At(time)) > 0.0) continue;
    throw std::invalid_argument(fmt::format(
        "a body that is below the surface {:.3f} s before the impact", impact_time - time));
  }
}

void Motion::FindSecondContact(double longest) {
  second_contact = std::numeric_limits<double>::infinity();
  constexpr double kStep = 2.5e-4;  // [s]
  for (double since = kStep; since <= longest; since += kStep) {
    if (Clearance(At(impact_time + since)) > 0.0) continue;
    double low = since - kStep, high = since;
    for (int k = 0; k < 40; ++k) {
      const double middle = 0.5 * (low + high);
      (Clearance(At(impact_time + middle)) > 0.0 ? low : high) = middle;
    }
    second_contact = impact_time + high;
    return;
  }
}

}  // namespace percuss::synthesis
