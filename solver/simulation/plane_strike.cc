// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "solver/law/impact_law.h"
#include "solver/multi_contact/multi_point_impact.h"
#include "solver/simulation/plane_body.h"
#include "solver/simulation/settle_contact.h"
#include "solver/solve_impact.h"

// The impacts of PlaneBody.

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kJamSpeed = 1e-6;  // by which the points of a jam approach [m/s]
constexpr int kMaxStrikes = 1000;   // of one impact by a single-contact law

}  // namespace

std::vector<int> PlaneBody::Touching(const View& view) const {
  std::vector<int> touching;
  for (int i = 0; i < static_cast<int>(view.gaps.size()); ++i) {
    if (view.gaps[i] <= options_.contact_tolerance) touching.push_back(i);
  }
  return touching;
}

PlaneBody::ImpactOutcome PlaneBody::StrikeByLaw(State& state, const View& view,
                                                const std::vector<int>& touching, PlaneEvent& event,
                                                std::string& why) const {
  const LawFunction law = FindLawFunction(model_.law);
  const Eigen::Quaterniond q_WB(Rotation(state));
  const Matrix3d R = q_WB.toRotationMatrix();
  for (int strike = 0; strike < kMaxStrikes; ++strike) {
    int fastest = -1;
    double approach = -options_.rest_speed;
    for (const int i : touching) {
      const double speed =
          PlaneOf(i).frame.col(2).dot(Velocity(state) + Spin(state).cross(view.arms[i]));
      if (speed < approach) {
        approach = speed;
        fastest = i;
      }
    }
    if (fastest < 0) return ImpactOutcome::kDone;
    const Vector3d& r = view.arms[fastest];
    solver::Contact<double> contact;
    const Matrix3d& frame = PlaneOf(fastest).frame;
    contact.inverse_mass = InverseContactMass<double>(body_.mass, body_.inertia, q_WB, r, frame);
    contact.velocity = frame.transpose() * (Velocity(state) + Spin(state).cross(r));
    const ImpactResult<double> result = law(contact, model_.parameters);
    const Vector3d impulse = frame * result.impulse;
    if (!impulse.allFinite()) {
      why = "the law " + model_.law + " has no answer";
      return ImpactOutcome::kFailed;
    }
    event.impulses.push_back({fastest / per_plane_, state.head<3>() + r, impulse});
    event.struck.push_back(
        StruckBy(model_.law, contact, model_.parameters, result, model_.over_time));
    state.segment<3>(7) += impulse / body_.mass;
    state.segment<3>(10) += R * (inverse_inertia_ * (R.transpose() * r.cross(impulse)));
  }
  why = "points still approach after " + std::to_string(kMaxStrikes) + " impulses of the law " +
        model_.law;
  return ImpactOutcome::kFailed;
}

PlaneBody::ImpactOutcome PlaneBody::Strike(State& state, PlaneEvent& event,
                                           std::string& why) const {
  const View view = Look(state);
  const std::vector<int> touching = Touching(view);
  event.num_points = static_cast<int>(touching.size());
  const bool strikes = std::any_of(touching.begin(), touching.end(),
                                   [&](int i) { return view.speeds[i] < -options_.rest_speed; });
  if (!strikes) return ImpactOutcome::kNone;
  if (model_.law != "multi-point") return StrikeByLaw(state, view, touching, event, why);
  std::vector<ImpactPoint> points;
  for (const int i : touching) {
    ImpactPoint point;
    point.frame = PlaneOf(i).frame;
    // Points within the tolerance count as on the plane, at the height of its first one.
    const int first =
        *std::ranges::find(touching, i / per_plane_, [&](int other) { return other / per_plane_; });
    Vector3d place = point.frame.transpose() * view.arms[i];
    place.z() = point.frame.col(2).dot(view.arms[first]);
    point.position = point.frame * place;
    point.mu = Friction(i);
    point.mu_s = StaticFriction(i);
    points.push_back(point);
  }
  const MultiImpactProblem problem =
      BodyImpact(body_, Rotation(state), Velocity(state), Spin(state), points);
  const MultiImpactSummary summary = SolveMultiImpact(problem, model_.impact);
  if (summary.status != MultiImpactStatus::kSolved) {
    why = summary.reason;
    return ImpactOutcome::kFailed;
  }
  const std::vector<StruckPoint> struck = StruckPoints(problem, summary, model_.over_time);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vector3d impulse =
        points[k].frame * summary.impulse.segment<3>(static_cast<Eigen::Index>(3 * k));
    if (impulse.isZero(0.0)) continue;
    event.impulses.push_back(
        {touching[k] / per_plane_, state.head<3>() + points[k].position, impulse});
    event.struck.push_back(struck[k]);
  }
  state.tail<6>() = summary.speeds;
  return ImpactOutcome::kDone;
}

// The impulses P of Coulomb's law of the velocities after them (Moreau), u' = u + W P: for these
// what SettleContact solves for forces and accelerations. The kinetic energy changes by u' . P - P
// . W P / 2, which friction lets only fall.
PlaneBody::ImpactOutcome PlaneBody::StrikeJammed(State& state, PlaneEvent& event,
                                                 std::string& why) const {
  const View view = Look(state);
  std::vector<Contact> points;
  for (const int i : settled_)
    points.push_back({i, ContactState::kSlip, Eigen::Vector2d(0.0, 0.0)});
  event.num_points = static_cast<int>(points.size());
  StopHeldVelocities(state, points);
  for (Contact& point : points) point.state = ContactState::kStick;
  EquationsOfMotion motion = Motion(state);
  ContactConstraints constraints = Constraints(state, points);
  constraints.acceleration_bias.setZero();
  // The approach of the least energy, a body's motion: redundant points must not contradict it.
  std::vector<int> normals;
  for (int row = 2; row < 3 * event.num_points; row += 3) normals.push_back(row);
  const PointEquations equations = EquationsOfPoints(motion, constraints);
  const VectorXd approach = SmallestForces(equations.delassus(normals, normals),
                                           VectorXd::Constant(event.num_points, -kJamSpeed));
  motion.speeds += equations.answers(Eigen::all, normals) * approach;
  motion.applied = motion.mass * motion.speeds;
  motion.bias.setZero();
  const ContactMotion struck = SettleContact(motion, constraints);
  if (struck.status != DynamicsStatus::kSolved) {
    why = struck.reason;
    return ImpactOutcome::kFailed;
  }
  for (std::size_t k = 0; k < points.size(); ++k) {
    const int i = points[k].candidate;
    const Vector3d impulse =
        PlaneOf(i).frame * struck.forces.segment<3>(static_cast<Eigen::Index>(3 * k));
    if (impulse.isZero(0.0)) continue;
    event.impulses.push_back({i / per_plane_, state.head<3>() + view.arms[i], impulse});
    event.struck.push_back({.modes = {ModeOf(struck.states[k])}});
  }
  state.tail<6>() = struck.acceleration;
  return ImpactOutcome::kDone;
}

}  // namespace percuss::solver
