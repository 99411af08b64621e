// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/plane_body.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "solver/law/impact_law.h"
#include "solver/simulation/internal_forces.h"
#include "solver/simulation/plane_candidates.h"
#include "solver/simulation/settle_contact.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using State = PlaneBody::State;
using Vector6 = Eigen::Matrix<double, 6, 1>;

constexpr double kStopped = 1e-6;         // slip [m/s] that counts as stopped
constexpr double kNoSlip = 1e-13;         // slip [m/s] without a direction
constexpr double kBackwards = 1e-9;       // slip [m/s] against the direction in which it started
constexpr int kMaxImpactEvents = 20000;   // of an impact in a wedge, between its planes
constexpr double kStill = 1e-7;           // speed [m/s] and acceleration [m/s^2] of a body at rest
constexpr double kRankTolerance = 1e-10;  // of forces that hold points, as of SmallestForces

// For smallest solutions; up to a given size without memory from the heap.
template <int kMost>
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;

template <int kMost>
Eigen::CompleteOrthogonalDecomposition<Square<kMost>> Decompose(const Square<kMost>& matrix,
                                                                double tolerance) {
  Eigen::CompleteOrthogonalDecomposition<Square<kMost>> decomposition;
  decomposition.setThreshold(tolerance);
  decomposition.compute(matrix);
  return decomposition;
}

// The smallest normal forces of points that all slide, if they do not lie on a line: what each asks
// of the body is 1, r_y, -r_x times the upward acceleration of the mass centre and the angular
// accelerations about x and y, three numbers whatever the number of points. `answers` are these of
// unit normal forces with their friction. False where three numbers do not tell.
template <int kMost>
bool SmallestSlidingForces(const Eigen::Matrix<double, Eigen::Dynamic, 3, 0, kMost, 3>& asked,
                           const Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMost>& answers,
                           const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>& wanted,
                           Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>* forces) {
  const auto invert = [](const Matrix3d& gram, Matrix3d* inverse) {
    *inverse = gram.inverse();
    // The determinant as it would be with columns of length 1.
    return gram.determinant() > 1e-6 * gram.diagonal().prod();
  };
  Matrix3d from_points, from_forces;
  if (!invert(asked.transpose().lazyProduct(asked), &from_points)) return false;
  if (!invert(answers.lazyProduct(answers.transpose()), &from_forces)) return false;
  const Vector3d projected = asked.transpose().lazyProduct(wanted);
  const Vector3d accelerations = from_points * projected;
  forces->noalias() = answers.transpose().lazyProduct(from_forces * accelerations);
  return true;
}

}  // namespace

PlaneBody::PlaneBody(const Body& body, const Vector3d& gravity, const PlaneContactModel& model,
                     const PlaneSimulationOptions& options)
    : body_(body), gravity_(gravity), model_(model), options_(options) {
  internal::InverseInertiaRoot(body.mass, body.inertia);  // throws if they are not positive
  inverse_inertia_ = body.inertia.llt().solve(Matrix3d::Identity());
  size_ = BoundingRadius(body.shape);
  if (std::holds_alternative<Box>(body.shape) || std::holds_alternative<ConvexMesh>(body.shape)) {
    vertices_ = ContactCandidates(body.shape, Matrix3d::Identity());
  }
  per_plane_ = static_cast<int>(ContactCandidates(body.shape, Matrix3d::Identity()).size());
  floor_alone_ = model_.planes.size() == 1 && model_.planes[0].frame.isIdentity(0.0);
  model_.impact.rest_speed = options.rest_speed;
  model_.impact.record_path = model_.over_time.material.has_value();
  model_.impact.max_events = std::max(model_.impact.max_events, kMaxImpactEvents);
  if (model.law != "multi-point") ValidateParameters(FindLaw(model.law), model.parameters);
}

Matrix3d PlaneBody::Rotation(const State& state) {
  return Eigen::Quaterniond(state[3], state[4], state[5], state[6]).normalized().toRotationMatrix();
}

State PlaneBody::Pack(const FlightState<double>& state) {
  State packed;
  packed << state.p_WB, state.q_WB.w(), state.q_WB.vec(), state.v, state.w;
  return packed;
}

FlightState<double> PlaneBody::Unpack(const State& state) {
  FlightState<double> unpacked;
  unpacked.p_WB = state.head<3>();
  unpacked.q_WB = Eigen::Quaterniond(state[3], state[4], state[5], state[6]).normalized();
  unpacked.v = Velocity(state);
  unpacked.w = Spin(state);
  return unpacked;
}

std::string PlaneBody::Describe(const State& state) const {
  const FlightState<double> s = Unpack(state);
  std::ostringstream text;
  text << "position (" << s.p_WB.transpose() << ") m, orientation (" << s.q_WB.w() << ' '
       << s.q_WB.vec().transpose() << "), velocity (" << s.v.transpose()
       << ") m/s, angular velocity (" << s.w.transpose() << ") rad/s";
  return text.str();
}

std::vector<Vector3d> PlaneBody::Arms(const Matrix3d& R_WB) const {
  std::vector<Vector3d> arms;
  arms.reserve(model_.planes.size() * per_plane_);
  for (const ContactPlane& plane : model_.planes) {
    if (!vertices_.empty()) {
      for (const Vector3d& vertex : vertices_) arms.push_back(R_WB * vertex);
    } else {
      for (const Vector3d& arm : ContactCandidates(body_.shape, plane.frame.transpose() * R_WB))
        arms.push_back(plane.frame * arm);
    }
  }
  return arms;
}

Vector3d PlaneBody::Arm(const Matrix3d& R_WB, int candidate) const {
  const int point = candidate % per_plane_;
  if (!vertices_.empty()) return R_WB * vertices_[point];
  const Matrix3d& frame = PlaneOf(candidate).frame;
  return frame * ContactCandidates(body_.shape, frame.transpose() * R_WB)[point];
}

double PlaneBody::Friction(int candidate) const {
  const double mu = PlaneOf(candidate).mu;
  return mu >= 0.0 ? mu : model_.mu;
}

double PlaneBody::StaticFriction(int candidate) const {
  const ContactPlane& plane = PlaneOf(candidate);
  if (plane.mu_s >= 0.0) return plane.mu_s;
  if (plane.mu >= 0.0) return plane.mu;
  return model_.mu_s >= 0.0 ? model_.mu_s : model_.mu;
}

PlaneBody::View PlaneBody::Look(const State& state) const {
  View view;
  view.arms = Arms(Rotation(state));
  const auto size = static_cast<Eigen::Index>(view.arms.size());
  view.gaps.resize(size);
  view.speeds.resize(size);
  const Vector3d v = Velocity(state), w = Spin(state);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Vector3d& r = view.arms[i];
    const ContactPlane& plane = PlaneOf(static_cast<int>(i));
    const Vector3d normal = plane.frame.col(2);
    view.gaps[i] = normal.dot(state.head<3>() + r) - plane.offset;
    view.speeds[i] = normal.dot(v + w.cross(r));
  }
  return view;
}

double PlaneBody::KineticEnergy(const State& state) const {
  const Vector3d w_B = Rotation(state).transpose() * Spin(state);
  return 0.5 * (body_.mass * Velocity(state).squaredNorm() + w_B.dot(body_.inertia * w_B));
}

double PlaneBody::PotentialEnergy(const State& state) const {
  return -body_.mass * gravity_.dot(state.head<3>());
}

double PlaneBody::Energy(const State& state) const {
  return KineticEnergy(state) + PotentialEnergy(state);
}

std::vector<ContactMode> PlaneBody::Modes() const {
  std::vector<ContactMode> modes;
  for (const Contact& contact : contacts_) modes.push_back(ModeOf(contact.state));
  return modes;
}

bool PlaneBody::InContact(int candidate) const {
  return std::any_of(contacts_.begin(), contacts_.end(),
                     [&](const Contact& contact) { return contact.candidate == candidate; });
}

// ---------------------------------------------------------------- motion

EquationsOfMotion PlaneBody::Motion(const State& state) const {
  const Matrix3d R = Rotation(state);
  const Matrix3d inertia = R * body_.inertia * R.transpose();
  const Vector3d w = Spin(state);
  EquationsOfMotion motion;
  motion.mass = Eigen::MatrixXd::Zero(6, 6);
  motion.mass.topLeftCorner<3, 3>() = body_.mass * Matrix3d::Identity();
  motion.mass.bottomRightCorner<3, 3>() = inertia;
  motion.bias.resize(6);
  motion.bias << -body_.mass * gravity_, w.cross(inertia * w);
  motion.speeds = state.tail<6>();
  return motion;
}

// How the arm to a candidate turns: with the body for a vertex, not at all for a ball.
Vector3d PlaneBody::ArmRate(const State& state, int candidate, const Vector3d& arm) const {
  const Vector3d w = Spin(state);
  if (!vertices_.empty()) return w.cross(arm);
  const double speed = w.norm();
  if (!(speed > 0.0)) return Vector3d::Zero();
  constexpr double kAngle = 1e-5;
  const Vector3d axis = w / speed;
  const Matrix3d R = Rotation(state);
  const Matrix3d ahead = Eigen::AngleAxisd(kAngle, axis).toRotationMatrix() * R;
  const Matrix3d behind = Eigen::AngleAxisd(-kAngle, axis).toRotationMatrix() * R;
  return (Arm(ahead, candidate) - Arm(behind, candidate)) * (speed / (2.0 * kAngle));
}

ContactConstraints PlaneBody::Constraints(const State& state,
                                          const std::vector<Contact>& contacts) const {
  const View view = Look(state);
  const Vector3d w = Spin(state);
  ContactConstraints constraints;
  const auto rows = static_cast<Eigen::Index>(3 * contacts.size());
  constraints.jacobian.resize(rows, 6);
  constraints.acceleration_bias.resize(rows);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Contact& contact = contacts[i];
    const Vector3d& r = view.arms[contact.candidate];
    const auto first = static_cast<Eigen::Index>(3 * i);
    const Matrix3d& frame = PlaneOf(contact.candidate).frame;
    for (int k = 0; k < 3; ++k) {
      const Vector3d axis = frame.col(k);
      constraints.jacobian.row(first + k) << axis.transpose(), r.cross(axis).transpose();
    }
    constraints.acceleration_bias.segment<3>(first) =
        frame.transpose() * w.cross(ArmRate(state, contact.candidate, r));
    SustainedContact point;
    point.mu = Friction(contact.candidate);
    point.mu_s = StaticFriction(contact.candidate);
    point.state = contact.state;
    point.slip_direction = SlipDirection(contact, Velocity(state) + w.cross(r));
    constraints.points.push_back(std::move(point));
  }
  return constraints;
}

Eigen::Vector2d PlaneBody::SlipDirection(const Contact& contact, const Vector3d& velocity) const {
  if (contact.starting) return contact.direction;
  const Eigen::Vector2d slip =
      PlaneOf(contact.candidate).frame.leftCols<2>().transpose() * velocity;
  const double speed = slip.norm();
  return speed > kNoSlip ? Eigen::Vector2d(slip / speed) : contact.direction;
}

// Slip that starts is too slow for its direction: friction would turn it within the time of
// slip / friction, thousands of times faster than anything else moves, to where it keeps its
// direction. There it is.
std::vector<PlaneBody::Contact> PlaneBody::Directed(const State& state) const {
  std::vector<Contact> contacts = contacts_;
  std::vector<bool> starting;
  for (const Contact& contact : contacts) starting.push_back(contact.starting);
  const std::vector<VectorXd> directions =
      StartDirections(Motion(state), Constraints(state, contacts), starting);
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].direction = directions[i];
  return contacts;
}

bool PlaneBody::Starting() const { return std::ranges::any_of(contacts_, &Contact::starting); }

PlaneBody::Pressed PlaneBody::Press(const State& state) const {
  return Starting() ? Press(state, Directed(state)) : Press(state, contacts_);
}

PlaneBody::Pressed PlaneBody::Press(const State& state,
                                    const std::vector<Contact>& contacts) const {
  if (contacts.size() <= kFewContacts) return PressRows<3 * kFewContacts>(state, contacts);
  return PressRows<Eigen::Dynamic>(state, contacts);
}

// The unknowns that stand for the forces chosen at the last Settle(); empty if it chose none.
VectorXd PlaneBody::ChosenForces(const std::vector<Contact>& contacts) const {
  VectorXd unknown;
  if (chosen_forces_.size() == 0) return unknown;
  unknown.resize(chosen_forces_.size());
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const auto force = chosen_forces_.segment<3>(static_cast<Eigen::Index>(3 * i));
    if (contacts[i].state == ContactState::kStick) {
      unknown.segment<2>(row) = force.head<2>();
      row += 2;
    }
    unknown[row++] = force.z();
  }
  unknown.conservativeResize(row);
  return unknown;
}

// SolveContact for one free body. States between those that the contacts allow, as within a step,
// get the nearest answer.
template <int kMost>
PlaneBody::Pressed PlaneBody::PressRows(const State& state,
                                        const std::vector<Contact>& contacts) const {
  using Held = Eigen::Matrix<double, Eigen::Dynamic, 6, 0, kMost, 6>;
  using Pushes = Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMost>;
  using Pushes3 = Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, kMost>;
  using Row = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1>;
  const Matrix3d R = Rotation(state);
  const Vector3d v = Velocity(state), w = Spin(state), w_B = R.transpose() * w;
  Pressed out;
  const Vector3d free_spin = -(R * (inverse_inertia_ * w_B.cross(body_.inertia * w_B)));
  out.acceleration << gravity_, free_spin;
  if (contacts.empty()) return out;
  const auto num_contacts = static_cast<int>(contacts.size());
  const Matrix3d inverse_inertia = R * inverse_inertia_ * R.transpose();
  int count = 0;
  for (const Contact& contact : contacts) count += contact.state == ContactState::kStick ? 3 : 1;
  Held held(count, 6);
  Pushes pushes(6, count);
  Row wanted(count);
  Pushes3 directions(3, num_contacts);  // t1, t2, n of the force of a point that slides
  int row = 0;
  for (int i = 0; i < num_contacts; ++i) {
    const Contact& contact = contacts[i];
    const Vector3d r = Arm(R, contact.candidate);
    const Vector3d bias =
        gravity_ + free_spin.cross(r) + w.cross(ArmRate(state, contact.candidate, r));
    const auto hold = [&](const Vector3d& axis, const Vector3d& force) {
      held.row(row) << axis.transpose(), r.cross(axis).transpose();
      pushes.col(row) << force / body_.mass, inverse_inertia * r.cross(force);
      wanted[row++] = -axis.dot(bias);
    };
    const Matrix3d& frame = PlaneOf(contact.candidate).frame;
    directions.col(i) = Vector3d::UnitZ();
    if (contact.state == ContactState::kStick) {
      hold(frame.col(0), frame.col(0));
      hold(frame.col(1), frame.col(1));
    } else {
      directions.col(i).template head<2>() =
          -Friction(contact.candidate) * SlipDirection(contact, v + w.cross(r));
    }
    hold(frame.col(2), frame * directions.col(i));
  }
  Row unknown;
  const Row chosen = ChosenForces(contacts);
  if (chosen.size() > 0) {
    const Square<kMost> delassus = held.lazyProduct(pushes);
    unknown = chosen;
    unknown += Decompose<kMost>(delassus, kRankTolerance)
                   .solve(Row(wanted - delassus.lazyProduct(chosen)));
  } else if (count == 1) {
    unknown = wanted / held.row(0).dot(pushes.col(0));
  } else if (contacts.size() == 1) {
    const Matrix3d delassus = held.template topRows<3>().lazyProduct(pushes.template leftCols<3>());
    unknown = delassus.inverse() * Vector3d(wanted);
  } else if (count > num_contacts || count < 3 || !floor_alone_ ||
             !SmallestSlidingForces<kMost>(held.template middleCols<3>(2),
                                           pushes.template middleRows<3>(2), wanted, &unknown)) {
    unknown = Decompose<kMost>(held.lazyProduct(pushes), kRankTolerance).solve(wanted);
  }
  const Vector6 answer = pushes.lazyProduct(unknown);
  const double missing = (held.lazyProduct(answer) - wanted).norm();
  if (!unknown.allFinite() || !(missing <= 1e-8 * (wanted.norm() + gravity_.norm())))
    out.failure = "no forces hold the points in contact";
  out.acceleration += answer;
  out.forces.resize(3 * num_contacts);
  row = 0;
  for (int i = 0; i < num_contacts; ++i) {
    if (contacts[i].state == ContactState::kStick) {
      out.forces.segment<3>(3 * i) = unknown.template segment<3>(row);
      row += 3;
    } else {
      out.forces.segment<3>(3 * i) = unknown[row++] * directions.col(i);
    }
  }
  return out;
}

State PlaneBody::Rate(const State& state) {
  State rate;
  const Vector3d w = Spin(state);
  rate.head<3>() = Velocity(state);
  const Eigen::Vector3d q = state.segment<3>(4);
  rate[3] = -0.5 * w.dot(q);
  rate.segment<3>(4) = 0.5 * (state[3] * w + w.cross(q));
  const Pressed pressed = Press(state);
  failure_ = pressed.failure;
  rate.tail<6>() = pressed.acceleration;
  return rate;
}

std::vector<PointAction> PlaneBody::Forces(const State& state) const {
  std::vector<PointAction> actions;
  Pressed pressed = Press(state);
  if (pressed.forces.size() == 0) return actions;
  if (LargestExcess(pressed.forces) > 0.0) Relieve(state, &pressed.forces);
  const Matrix3d R = Rotation(state);
  for (int i = 0; i < NumContacts(); ++i) {
    const int candidate = contacts_[i].candidate;
    actions.push_back({candidate / per_plane_, state.head<3>() + Arm(R, candidate),
                       PlaneOf(candidate).frame * pressed.forces.segment<3>(3 * i)});
  }
  return actions;
}

double PlaneBody::PointAcceleration(const State& state, const Vector6& acceleration,
                                    int candidate) const {
  const Matrix3d R = Rotation(state);
  const Vector3d r = Arm(R, candidate);
  const Vector3d of_point = acceleration.head<3>() + acceleration.tail<3>().cross(r) +
                            Spin(state).cross(ArmRate(state, candidate, r));
  return PlaneOf(candidate).frame.col(2).dot(of_point);
}

double PlaneBody::FreeAcceleration(const State& state, int candidate) const {
  const Matrix3d R = Rotation(state);
  const Vector3d w_B = R.transpose() * Spin(state);
  Vector6 acceleration;
  acceleration << gravity_, -(R * (inverse_inertia_ * w_B.cross(body_.inertia * w_B)));
  return PointAcceleration(state, acceleration, candidate);
}

// ---------------------------------------------------------------- sustained contact

void PlaneBody::StopHeldVelocities(State& state, const std::vector<Contact>& contacts) const {
  if (contacts.empty()) return;
  if (contacts.size() <= kFewContacts) {
    StopHeldRows<3 * kFewContacts>(state, contacts);
  } else {
    StopHeldRows<Eigen::Dynamic>(state, contacts);
  }
}

// The nearest permitted velocity in the metric of the mass: energy can only fall.
template <int kMost>
void PlaneBody::StopHeldRows(State& state, const std::vector<Contact>& contacts) const {
  const Matrix3d R = Rotation(state);
  const Matrix3d inverse_inertia = R * inverse_inertia_ * R.transpose();
  int count = 0;
  for (const Contact& contact : contacts) count += contact.state == ContactState::kStick ? 3 : 1;
  Eigen::Matrix<double, Eigen::Dynamic, 6, 0, kMost, 6> held(count, 6);
  Eigen::Matrix<double, 6, Eigen::Dynamic, 0, 6, kMost> answer(6, count);
  int row = 0;
  for (const Contact& contact : contacts) {
    const Vector3d r = Arm(R, contact.candidate);
    for (int k = contact.state == ContactState::kStick ? 0 : 2; k < 3; ++k, ++row) {
      const Vector3d axis = PlaneOf(contact.candidate).frame.col(k), turn = r.cross(axis);
      held.row(row) << axis.transpose(), turn.transpose();
      answer.col(row) << axis / body_.mass, inverse_inertia * turn;
    }
  }
  const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMost, 1> speeds = held * state.tail<6>();
  // Eigen's own threshold: what two rows have in common is known to rounding.
  Eigen::CompleteOrthogonalDecomposition<Square<kMost>> decomposition(held.lazyProduct(answer));
  state.tail<6>() -= answer * decomposition.solve(speeds);
}

bool PlaneBody::Settle(State& state, std::string& why) {
  const View view = Look(state);
  const std::vector<int> touching = Touching(view);
  std::vector<int> stay, leave;
  for (const int i : touching) {
    const PointState does =
        ClassifyPoint(view.speeds[i], FreeAcceleration(state, i), options_.rest_speed);
    (does == PointState::kContact ? stay : leave).push_back(i);
  }
  contacts_.clear();
  chosen_forces_.resize(0);
  while (!stay.empty()) {
    settled_ = stay;
    State settled = state;
    std::vector<Contact> candidates;
    for (const int i : stay) candidates.push_back(Candidate(state, view, i));
    StopHeldVelocities(settled, candidates);
    const ContactMotion motion = SettleContact(Motion(settled), Constraints(settled, candidates));
    if (motion.status != DynamicsStatus::kSolved) {
      why = motion.reason;
      return false;
    }
    // A point that would leave by itself may be pressed down by what pushes at the others.
    const View after = Look(settled);
    const auto pressed = std::ranges::find_if(leave, [&](int i) {
      return after.speeds[i] <= options_.rest_speed &&
             PointAcceleration(settled, motion.acceleration, i) < 0.0;
    });
    if (pressed != leave.end()) {
      stay.insert(std::ranges::upper_bound(stay, *pressed), *pressed);
      leave.erase(pressed);
      continue;
    }
    state = settled;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (motion.states[i] == ContactState::kReleased) continue;
      Contact contact = candidates[i];
      contact.starting =
          contact.state == ContactState::kStick && motion.states[i] == ContactState::kSlip;
      contact.direction = motion.directions[i];
      contact.state = motion.states[i];
      contacts_.push_back(std::move(contact));
      if (!motion.relieved) continue;
      chosen_forces_.conservativeResize(3 * NumContacts());
      chosen_forces_.tail<3>() = motion.forces.segment<3>(static_cast<Eigen::Index>(3 * i));
    }
    break;
  }
  return true;
}

PlaneBody::Contact PlaneBody::Candidate(const State& state, const View& view, int i) const {
  const Eigen::Vector2d slip = Slip(state, view, i);
  const double speed = slip.norm();
  // What nothing holds slips, at rest too.
  const bool slips = speed > 10.0 * kStopped || StaticFriction(i) == 0.0;
  return {i, slips ? ContactState::kSlip : ContactState::kStick,
          speed > 0.0 ? slip / speed : Eigen::Vector2d(0.0, 0.0)};
}

double PlaneBody::ForceExcess(const State& state) {
  Pressed pressed = Press(state);
  double excess = LargestExcess(pressed.forces);
  if (excess > 0.0) {
    Relieve(state, &pressed.forces);
    excess = LargestExcess(pressed.forces);
  }
  return excess / body_.mass;
}

double PlaneBody::LargestExcess(const VectorXd& forces) const {
  double excess = -std::numeric_limits<double>::infinity();
  const double rounding = 1e-8 * body_.mass * gravity_.norm();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Vector3d force = forces.segment<3>(static_cast<Eigen::Index>(3 * i));
    excess = std::max(excess, -force.z() - rounding);
    if (contacts_[i].state == ContactState::kStick) {
      const double mu_s = StaticFriction(contacts_[i].candidate);
      excess = std::max(excess, force.head<2>().norm() - mu_s * force.z() - rounding);
    }
  }
  return excess;
}

// By forces among the points that stick, which do not move the body.
void PlaneBody::Relieve(const State& state, VectorXd* forces) const {
  std::vector<int> rows;
  std::vector<double> frictions;
  for (int i = 0; i < NumContacts(); ++i) {
    if (contacts_[i].state != ContactState::kStick) continue;
    for (int k = 0; k < 3; ++k) rows.push_back(3 * i + k);
    frictions.push_back(StaticFriction(contacts_[i].candidate));
  }
  if (frictions.size() < 2) return;
  const ContactConstraints constraints = Constraints(state, contacts_);
  VectorXd held = (*forces)(rows);
  RelieveForces(NullSpace(constraints.jacobian(rows, Eigen::all).transpose()),
                VectorXd::Map(frictions.data(), static_cast<Eigen::Index>(frictions.size())),
                &held);
  (*forces)(rows) = held;
}

Eigen::Vector2d PlaneBody::Slip(const State& state, const View& view, int candidate) const {
  return PlaneOf(candidate).frame.leftCols<2>().transpose() *
         (Velocity(state) + Spin(state).cross(view.arms[candidate]));
}

double PlaneBody::TimeToStopSlip(const State& state, const State& rate) const {
  double time = std::numeric_limits<double>::infinity();
  const Vector3d w = Spin(state);
  const View view = Look(state);
  for (const Contact& contact : contacts_) {
    if (contact.state != ContactState::kSlip) continue;
    if (StaticFriction(contact.candidate) == 0.0) continue;  // it never sticks
    const Vector3d& r = view.arms[contact.candidate];
    const Eigen::Vector2d slip = Slip(state, view, contact.candidate);
    const Vector3d acceleration = rate.segment<3>(7) + rate.segment<3>(10).cross(r) +
                                  w.cross(ArmRate(state, contact.candidate, r));
    const double speed = slip.norm();
    const Eigen::Vector2d along =
        PlaneOf(contact.candidate).frame.leftCols<2>().transpose() * acceleration;
    const double change = speed > 0.0 ? slip.dot(along) / speed : 0.0;
    if (change < 0.0) time = std::min(time, -speed / change);
  }
  return time;
}

bool PlaneBody::SlipEnds(const State& state) const {
  const View view = Look(state);
  return std::any_of(contacts_.begin(), contacts_.end(), [&](const Contact& contact) {
    if (contact.state != ContactState::kSlip || StaticFriction(contact.candidate) == 0.0)
      return false;
    const Eigen::Vector2d slip = Slip(state, view, contact.candidate);
    return contact.starting ? slip.dot(contact.direction) < -kBackwards : slip.norm() < kStopped;
  });
}

void PlaneBody::KeepToContact(State& state) {
  state.segment<4>(3).normalize();
  if (contacts_.empty()) return;
  StopHeldVelocities(state, contacts_);
  const View view = Look(state);
  if (Starting()) contacts_ = Directed(state);
  for (Contact& contact : contacts_) {
    if (contact.state != ContactState::kSlip) continue;
    const Eigen::Vector2d slip = Slip(state, view, contact.candidate);
    const double speed = slip.norm();
    contact.starting = contact.starting && speed < 20.0 * kStopped;
    if (!contact.starting && speed > 0.0) contact.direction = slip / speed;
  }
}

bool PlaneBody::AtRest(const State& state) {
  if (contacts_.empty()) return false;
  // Also where contacts count as slipping: what neither moves nor accelerates lies still.
  if (Velocity(state).norm() + size_ * Spin(state).norm() > kStill) return false;
  const State rate = Rate(state);
  return rate.segment<3>(7).norm() + size_ * rate.segment<3>(10).norm() < kStill;
}

}  // namespace percuss::solver
