// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <numeric>
#include <utility>

#include "solver/multi_contact/multi_point_impact.h"
#include "solver/scene/scene_system.h"
#include "solver/simulation/settle_contact.h"
#include "solver/solve_impact.h"

// The impacts of SceneSystem.

namespace percuss::solver {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kJamApproach = 1e-6;  // of the points of a jam [m/s]
constexpr int kMostStrikes = 1000;     // of one impact, body by body or point by point

}  // namespace

std::vector<int> SceneSystem::Touching(const View& view) const {
  std::vector<int> touching;
  for (int i = 0; i < static_cast<int>(view.gaps.size()); ++i) {
    if (view.gaps[i] <= options_.contact_tolerance) touching.push_back(i);
  }
  return touching;
}

SceneSystem::ImpactOutcome SceneSystem::StrikeTogether(const std::vector<int>& group,
                                                       const View& view, const Reduced& reduced,
                                                       const MatrixXd& rows, VectorXd* speeds,
                                                       Event* event, std::string& why) const {
  MultiImpactProblem problem{.mass = reduced.motion.mass, .speeds = *speeds};
  problem.jacobian = rows;
  problem.drift.resize(rows.rows());
  for (int k = 0; k < static_cast<int>(group.size()); ++k) {
    const Touch& touch = view.touches[group[k]];
    const TouchPair& pair = pairs_[touch.pair];
    ImpactPoint point{
        .position = touch.position, .frame = touch.frame, .mu = pair.mu, .mu_s = pair.mu_s};
    // What the moving surface, or time in a loop, adds to the velocity.
    problem.drift.segment<3>(Row(k)) =
        rows.middleRows<3>(Row(k)) * reduced.motion.speeds - touch.velocity;
    problem.points.push_back(point);
  }
  const MultiImpactSummary summary = SolveMultiImpact(problem, model_.impact);
  if (summary.status != MultiImpactStatus::kSolved) {
    why = summary.reason;
    return ImpactOutcome::kFailed;
  }
  const std::vector<StruckPoint> struck = StruckPoints(problem, summary, model_.over_time);
  for (int k = 0; k < static_cast<int>(group.size()); ++k) {
    const Touch& touch = view.touches[group[k]];
    const Vector3d impulse = touch.frame * summary.impulse.segment<3>(Row(k));
    if (impulse.isZero(0.0)) continue;
    event->impulses.push_back({touch.pair, touch.position, impulse});
    event->struck.push_back(struck[k]);
  }
  *speeds = summary.speeds;
  return ImpactOutcome::kDone;
}

Vector3d SceneSystem::ContactVelocity(const Touch& touch, int place, const Reduced& reduced,
                                      const MatrixXd& rows, const VectorXd& speeds) const {
  return touch.velocity + rows.middleRows<3>(Row(place)) * (speeds - reduced.motion.speeds);
}

int SceneSystem::NextToStrike(const std::vector<int>& touching, const std::vector<int>& units,
                              const View& view, const Reduced& reduced, const MatrixXd& rows,
                              const VectorXd& speeds, const NextImpact& next) const {
  std::vector<std::pair<double, int>> approaching;  // the fastest of each unit, with its place
  for (int k = 0; k < std::ssize(touching); ++k) {
    const double speed = ContactVelocity(view.touches[touching[k]], k, reduced, rows, speeds).z();
    if (speed >= -options_.rest_speed) continue;
    const auto same = std::ranges::find_if(
        approaching, [&](const auto& other) { return units[other.second] == units[k]; });
    if (same == approaching.end()) {
      approaching.emplace_back(speed, k);
    } else if (speed < same->first) {
      *same = {speed, k};
    }
  }
  if (approaching.empty()) return -1;
  std::ranges::stable_sort(approaching, {}, &std::pair<double, int>::first);
  return approaching[next ? next(static_cast<int>(approaching.size())) : 0].second;
}

// Points of one body on surfaces strike together, as one impact shares its force by the rows of a
// rigid body; bodies, and pairs of balls, one after the other until none approaches.
SceneSystem::ImpactOutcome SceneSystem::StrikeByBody(const std::vector<int>& touching,
                                                     const View& view, const Reduced& reduced,
                                                     const MatrixXd& rows, const NextImpact& next,
                                                     VectorXd* speeds, Event* event,
                                                     std::string& why) const {
  std::vector<int> units;
  for (const int candidate : touching) {
    const int pair = view.touches[candidate].pair;
    const bool on_surface = pairs_[pair].surface >= 0;
    units.push_back(on_surface ? pairs_[pair].body : static_cast<int>(model_.bodies.size()) + pair);
  }
  const int count = static_cast<int>(touching.size());
  for (int strike = 0; strike < kMostStrikes; ++strike) {
    const int first = NextToStrike(touching, units, view, reduced, rows, *speeds, next);
    if (first < 0) return ImpactOutcome::kDone;
    std::vector<int> group;
    std::vector<Eigen::Index> held;
    for (int k = 0; k < count; ++k) {
      if (units[k] != units[first]) continue;
      group.push_back(touching[k]);
      for (int row = 0; row < 3; ++row) held.push_back(Row(k) + row);
    }
    const ImpactOutcome outcome =
        StrikeTogether(group, view, reduced, rows(held, Eigen::all), speeds, event, why);
    if (outcome != ImpactOutcome::kDone) return outcome;
  }
  why = "bodies still approach after " + std::to_string(kMostStrikes) + " impacts";
  return ImpactOutcome::kFailed;
}

SceneSystem::ImpactOutcome SceneSystem::StrikeByLaw(const std::vector<int>& touching,
                                                    const View& view, const Reduced& reduced,
                                                    const MatrixXd& rows, const NextImpact& next,
                                                    VectorXd* speeds, Event* event,
                                                    std::string& why) const {
  const LawFunction law = FindLawFunction(model_.law);
  const MatrixXd answer = SolveReduced(reduced, rows.transpose());
  std::vector<double> parameters = model_.parameters;
  std::vector<int> each(touching.size());
  std::iota(each.begin(), each.end(), 0);
  for (int strike = 0; strike < kMostStrikes; ++strike) {
    const int struck = NextToStrike(touching, each, view, reduced, rows, *speeds, next);
    if (struck < 0) return ImpactOutcome::kDone;
    const Touch& touch = view.touches[touching[struck]];
    solver::Contact<double> contact;
    const MatrixXd response = answer.middleCols<3>(Row(struck));
    contact.inverse_mass = rows.middleRows<3>(Row(struck)) * response;
    contact.inverse_mass = (0.5 * (contact.inverse_mass + contact.inverse_mass.transpose())).eval();
    contact.velocity = ContactVelocity(touch, struck, reduced, rows, *speeds);
    if (restitution_at_ >= 0) {
      const double e = pairs_[touch.pair].e;
      parameters[restitution_at_] = e >= 0.0 ? e : model_.parameters[restitution_at_];
    }
    const ImpactResult<double> result = law(contact, parameters);
    const Vector3d& impulse = result.impulse;
    if (!impulse.allFinite()) {
      why = "the law " + model_.law + " has no answer";
      return ImpactOutcome::kFailed;
    }
    event->impulses.push_back({touch.pair, touch.position, touch.frame * impulse});
    event->struck.push_back(StruckBy(model_.law, contact, parameters, result, model_.over_time));
    *speeds += response * impulse;
  }
  why = "points still approach after " + std::to_string(kMostStrikes) + " impulses of the law " +
        model_.law;
  return ImpactOutcome::kFailed;
}

SceneSystem::ImpactOutcome SceneSystem::Strike(State& state, Event& event, std::string& why,
                                               const NextImpact& next) const {
  View view = Look(state);
  const std::vector<int> touching = Touching(view);
  const int num_points = event.num_points = static_cast<int>(touching.size());
  const auto approaches = [&](int i) { return view.speeds[i] < -options_.rest_speed; };
  if (std::ranges::none_of(touching, approaches)) return ImpactOutcome::kNone;
  const std::vector<PlacedBody> bodies = Bodies(state);
  const Reduced reduced = Reduce(state, bodies);
  if (!reduced.failure.empty()) {
    why = reduced.failure;
    return ImpactOutcome::kFailed;
  }
  MatrixXd rows(Row(num_points), tree_.num_speeds);
  for (int k = 0; k < num_points; ++k) {
    Touch& touch = view.touches[touching[k]];
    // Points within the tolerance count as on the surface: those of a face slip as one.
    MoveToSurface(pairs_[touch.pair], bodies, &touch);
    rows.middleRows<3>(Row(k)) = TouchRows(tree_, pairs_[touch.pair], touch, bodies);
  }
  if (reduced.basis.size() > 0) rows = (rows * reduced.basis).eval();
  VectorXd speeds = reduced.motion.speeds;
  ImpactOutcome outcome = ImpactOutcome::kDone;
  if (model_.law != kMultiPoint) {
    outcome = StrikeByLaw(touching, view, reduced, rows, next, &speeds, &event, why);
  } else {
    outcome = StrikeByBody(touching, view, reduced, rows, next, &speeds, &event, why);
  }
  if (outcome == ImpactOutcome::kDone) {
    state.segment(tree_.num_coordinates, tree_.num_speeds) =
        reduced.basis.size() > 0 ? VectorXd(reduced.basis * speeds + reduced.offset) : speeds;
  }
  return outcome;
}

// As PlaneBody: the impulses of Coulomb's law of the velocities after them (Moreau), u' = u + W P,
// are what SettleContact solves for forces and accelerations.
SceneSystem::ImpactOutcome SceneSystem::StrikeJammed(State& state, Event& event,
                                                     std::string& why) const {
  const View view = Look(state);
  std::vector<Contact> points;
  for (const int i : Touching(view)) {
    if (view.speeds[i] <= options_.rest_speed)
      points.push_back({i, ContactState::kStick, Eigen::Vector2d(0.0, 0.0)});
  }
  event.num_points = static_cast<int>(points.size());
  const std::vector<PlacedBody> bodies = Bodies(state);
  Reduced reduced = Reduce(state, bodies);
  why = reduced.failure;
  if (!why.empty() || points.empty()) return ImpactOutcome::kFailed;
  reduced.motion.applied = reduced.motion.mass * reduced.motion.speeds;
  reduced.motion.bias.setZero();
  ContactConstraints constraints = Constraints(bodies, view.touches, reduced, points);
  for (int k = 0; k < event.num_points; ++k) {
    // What surfaces that move, or time in a loop, add to the velocity; and the approach.
    auto bias = constraints.acceleration_bias.segment<3>(Row(k));
    bias = view.touches[points[k].candidate].velocity -
           constraints.jacobian.middleRows<3>(Row(k)) * reduced.motion.speeds;
    bias.z() -= kJamApproach;
  }
  const ContactMotion struck = SettleContact(reduced.motion, constraints);
  if (struck.status != DynamicsStatus::kSolved) {
    why = struck.reason;
    return ImpactOutcome::kFailed;
  }
  for (int k = 0; k < event.num_points; ++k) {
    const Touch& touch = view.touches[points[k].candidate];
    const Vector3d impulse = touch.frame * struck.forces.segment<3>(Row(k));
    if (impulse.isZero(0.0)) continue;
    event.impulses.push_back({touch.pair, touch.position, impulse});
    event.struck.push_back({.modes = {ModeOf(struck.states[k])}});
  }
  state.segment(tree_.num_coordinates, tree_.num_speeds) =
      reduced.basis.size() > 0 ? VectorXd(reduced.basis * struck.acceleration + reduced.offset)
                               : struck.acceleration;
  return ImpactOutcome::kDone;
}

}  // namespace percuss::solver
