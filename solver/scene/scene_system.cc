// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/scene/scene_system.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "solver/multi_contact/multi_point_impact.h"
#include "solver/simulation/internal_forces.h"
#include "solver/simulation/settle_contact.h"
#include "solver/solve_impact.h"

namespace percuss::solver {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr double kStopped = 1e-6;    // slip [m/s] that counts as stopped
constexpr double kNoSlip = 1e-13;    // slip [m/s] without a direction
constexpr double kBackwards = 1e-9;  // slip [m/s] against the direction in which it started
constexpr double kStill = 1e-7;      // speed and acceleration at rest [m/s], [m/s^2]
constexpr double kHeld = 1e-7;       // [m] by which a loop may open

bool Moves(const SceneModel& model) {
  const auto by_time = [](const HolonomicConstraint& constraint) {
    return std::ranges::any_of(constraint.variables,
                               [](const PointCoordinate& one) { return one.axis == 3; });
  };
  return std::ranges::any_of(model.surfaces, &SceneSurface::Moves) ||
         std::ranges::any_of(model.constraints, by_time);
}

}  // namespace

SceneSystem::SceneSystem(const SceneModel& model, const PlaneSimulationOptions& options)
    : model_(model), options_(options), tree_(MakeTree(model)), pairs_(TouchPairs(model)) {
  double mass = 0.0;
  size_ = 0.0;
  for (const SceneBody& body : model.bodies) {
    internal::InverseInertiaRoot(body.body.mass, body.body.inertia);  // throws if not positive
    mass += body.body.mass;
    for (const TouchPoint& point : body.points)
      size_ = std::max(size_, point.at.norm() + point.radius);
    if (body.touches && body.points.empty())
      size_ = std::max(size_, BoundingRadius(body.body.shape));
  }
  for (const TreeLink& link : tree_.links) {
    if (link.joint >= 0) size_ = std::max(size_, link.p_CF.norm());
  }
  if (!(size_ > 0.0)) size_ = 1.0;
  weight_ = mass * model.gravity.norm();
  for (const SceneForce& one : model.forces) weight_ += one.force.norm();
  for (const int joint : tree_.loops) {
    if (model.joints[joint].stiffness == 0.0 && model.joints[joint].damping == 0.0) continue;
    throw std::invalid_argument("joints." + model.joints[joint].name +
                                " closes a loop and has a stiffness or damping; list it before the "
                                "other joints of the loop");
  }
  model_.impact.rest_speed = options.rest_speed;
  model_.impact.record_path = model_.over_time.material.has_value();
  if (model.law != kMultiPoint) {
    const LawInfo& law = FindLaw(model.law);
    ValidateParameters(law, model.parameters);
    for (std::size_t k = 0; k < law.parameters.size(); ++k) {
      if (law.parameters[k].name == "e") restitution_at_ = static_cast<int>(k);
    }
  }
  conserves_ = !Moves(model);
  const SceneStart start = FindSceneStart(model, tree_);
  loop_rows_ = start.rows;
  redundant_ = start.redundant;
  start_.resize(tree_.num_coordinates + tree_.num_speeds + 1);
  start_ << start.coordinates, start.speeds, 0.0;
  KeepToLoops(start_);
}

// ---------------------------------------------------------------- what is where

std::vector<PlacedBody> SceneSystem::Bodies(const State& state) const {
  std::vector<PlacedBody> bodies;
  Place(tree_, Coordinates(state), Speeds(state), &bodies);
  return bodies;
}

SceneSample SceneSystem::SampleOf(const State& state) const {
  SceneSample sample;
  for (const PlacedBody& body : Bodies(state)) {
    sample.bodies.push_back({body.p, Eigen::Quaterniond(body.R).normalized(), body.v, body.w});
  }
  sample.joints = VectorXd::Constant(static_cast<Eigen::Index>(model_.joints.size()),
                                     std::numeric_limits<double>::quiet_NaN());
  for (const TreeLink& link : tree_.links) {
    if (link.joint < 0) continue;
    if (link.kind != JointKind::kRevolute && link.kind != JointKind::kPrismatic) continue;
    sample.joints[link.joint] = link.sign * state[link.first_coordinate];
  }
  return sample;
}

std::string SceneSystem::Describe(const State& state) const {
  std::ostringstream text;
  const std::vector<PlacedBody> bodies = Bodies(state);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    text << (b > 0 ? ", " : "") << model_.bodies[b].name << " at (" << bodies[b].p.transpose()
         << ") m with (" << bodies[b].v.transpose() << ") m/s, (" << bodies[b].w.transpose()
         << ") rad/s";
  }
  return text.str();
}

SceneSystem::View SceneSystem::Look(const State& state) const {
  View view;
  view.touches = LookAtTouches(model_, pairs_, Bodies(state), Time(state));
  const auto size = static_cast<Eigen::Index>(view.touches.size());
  view.gaps.resize(size);
  view.speeds.resize(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    view.gaps[i] = view.touches[i].gap;
    view.speeds[i] = view.touches[i].velocity.z();
  }
  return view;
}

double SceneSystem::KineticEnergy(const State& state) const {
  return solver::KineticEnergy(model_, Bodies(state));
}

double SceneSystem::PotentialEnergy(const State& state) const {
  return solver::PotentialEnergy(model_, tree_, Coordinates(state), Bodies(state));
}

std::vector<ContactMode> SceneSystem::Modes() const {
  std::vector<ContactMode> modes;
  for (const Contact& contact : contacts_) modes.push_back(ModeOf(contact.state));
  return modes;
}

bool SceneSystem::InContact(int candidate) const {
  return std::ranges::any_of(
      contacts_, [&](const Contact& contact) { return contact.candidate == candidate; });
}

// ---------------------------------------------------------------- loops

void SceneSystem::KeepToLoops(State& state) const {
  NormalizeCoordinates(tree_, state.head(tree_.num_coordinates));
  if (loop_rows_.empty()) return;
  for (int round = 0; round < 3; ++round) {
    const std::vector<PlacedBody> bodies = Bodies(state);
    const LoopRows all = LoopRowsAt(model_, tree_, Time(state), bodies);
    const VectorXd residual = all.residual(loop_rows_);
    const MatrixXd rows = all.jacobian(loop_rows_, Eigen::all);
    const Eigen::LLT<MatrixXd> mass(
        TreeEquations(model_, tree_, Coordinates(state), Speeds(state), bodies).mass);
    const MatrixXd answer = mass.solve(rows.transpose());
    const Eigen::LDLT<MatrixXd> response(rows * answer);
    if (round < 2 && residual.cwiseAbs().maxCoeff() > 1e-15) {
      const VectorXd shift = -answer * response.solve(residual);
      const VectorXd coordinates = Coordinates(state);
      state.head(tree_.num_coordinates) += CoordinateRates(tree_, coordinates, shift);
      NormalizeCoordinates(tree_, state.head(tree_.num_coordinates));
      continue;
    }
    const VectorXd drift = rows * Speeds(state) + all.velocity_bias(loop_rows_);
    state.segment(tree_.num_coordinates, tree_.num_speeds) -= answer * response.solve(drift);
    return;
  }
}

SceneSystem::Reduced SceneSystem::Reduce(const State& state,
                                         const std::vector<PlacedBody>& bodies) const {
  Reduced reduced;
  reduced.motion = TreeEquations(model_, tree_, Coordinates(state), Speeds(state), bodies);
  if (loop_rows_.empty()) return reduced;
  const LoopRows all = LoopRowsAt(model_, tree_, Time(state), bodies);
  BilateralConstraints constraints;
  constraints.jacobian = all.jacobian(loop_rows_, Eigen::all);
  constraints.acceleration_bias = all.acceleration_bias(loop_rows_);
  // Inside a step the speeds meet the rows as nearly as a stage of the integrator is exact.
  constraints.velocity_bias = -(constraints.jacobian * reduced.motion.speeds);
  const EmbeddedMotion embedded = EmbedConstraints(reduced.motion, constraints);
  if (embedded.status != DynamicsStatus::kSolved) {
    reduced.failure = embedded.reason;
    return reduced;
  }
  EquationsOfMotion& motion = reduced.motion;
  reduced.basis = embedded.basis;
  reduced.rest = embedded.rest;
  const VectorXd free = motion.speeds(embedded.independent);
  reduced.offset = motion.speeds - reduced.basis * free;
  motion.bias = reduced.basis.transpose() * (motion.bias + motion.mass * reduced.rest);
  motion.mass = (reduced.basis.transpose() * motion.mass * reduced.basis).eval();
  motion.speeds = free;
  return reduced;
}

MatrixXd SceneSystem::SolveReduced(const Reduced& reduced, const MatrixXd& right) const {
  if (reduced.basis.size() == 0) return SolveMass(tree_, reduced.motion.mass, right);
  return Eigen::LLT<MatrixXd>(reduced.motion.mass).solve(right);
}

// ---------------------------------------------------------------- motion

ContactConstraints SceneSystem::Constraints(const std::vector<PlacedBody>& bodies,
                                            const std::vector<Touch>& touches,
                                            const Reduced& reduced,
                                            const std::vector<Contact>& contacts) const {
  ContactConstraints constraints;
  const auto size = Row(static_cast<int>(contacts.size()));
  MatrixXd rows(size, tree_.num_speeds);
  constraints.acceleration_bias.resize(size);
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    const Touch& touch = touches[contacts[i].candidate];
    const TouchPair& pair = pairs_[touch.pair];
    rows.middleRows<3>(Row(i)) = TouchRows(tree_, pair, touch, bodies);
    constraints.acceleration_bias.segment<3>(Row(i)) = TouchBias(model_, pair, touch, bodies);
    SustainedContact point;
    point.mu = pair.mu;
    point.mu_s = pair.mu_s;
    point.state = contacts[i].state;
    point.slip_direction = SlipDirection(contacts[i], touch);
    constraints.points.push_back(std::move(point));
  }
  if (reduced.basis.size() == 0) {
    constraints.jacobian = std::move(rows);
  } else {
    constraints.acceleration_bias += rows * reduced.rest;
    constraints.jacobian = rows * reduced.basis;
  }
  return constraints;
}

Eigen::Vector2d SceneSystem::SlipDirection(const Contact& contact, const Touch& touch) const {
  if (contact.starting) return contact.direction;
  const Eigen::Vector2d slip = touch.velocity.head<2>();
  const double speed = slip.norm();
  return speed > kNoSlip ? Eigen::Vector2d(slip / speed) : contact.direction;
}

// As PlaneBody: slip that starts is too slow for its direction, and friction would turn it at once
// to where it keeps it.
std::vector<SceneSystem::Contact> SceneSystem::Directed(const std::vector<PlacedBody>& bodies,
                                                        const std::vector<Touch>& touches,
                                                        const Reduced& reduced) const {
  std::vector<Contact> contacts = contacts_;
  if (std::ranges::none_of(contacts, &Contact::starting)) return contacts;
  std::vector<bool> starting;
  for (const Contact& contact : contacts) starting.push_back(contact.starting);
  const std::vector<VectorXd> directions =
      StartDirections(reduced.motion, Constraints(bodies, touches, reduced, contacts), starting);
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts[i].direction = directions[i];
  return contacts;
}

SceneSystem::Pressed SceneSystem::Press(const State& state) const {
  const std::vector<PlacedBody> bodies = Bodies(state);
  Reduced reduced = Reduce(state, bodies);
  Pressed out{VectorXd::Zero(reduced.motion.speeds.size()), {}, reduced.failure};
  if (!out.failure.empty()) return out;
  if (contacts_.empty()) {
    out.acceleration = SolveReduced(reduced, -reduced.motion.bias);
  } else if (reduced.motion.speeds.size() > 0) {
    const std::vector<Touch> touches = LookAtTouches(model_, pairs_, bodies, Time(state));
    const ContactConstraints constraints =
        Constraints(bodies, touches, reduced, Directed(bodies, touches, reduced));
    const VectorXd chosen = ChosenForces(constraints);
    if (chosen.size() > 0) reduced.motion.applied = constraints.jacobian.transpose() * chosen;
    const ContactMotion motion = SolveContact(reduced.motion, constraints);
    out.failure = motion.status == DynamicsStatus::kSolved ? "" : motion.reason;
    out.acceleration = motion.acceleration;
    out.forces = motion.forces;
    if (chosen.size() > 0) out.forces += chosen;
    out.jacobian = constraints.jacobian;
  }
  if (reduced.basis.size() > 0) out.acceleration = reduced.basis * out.acceleration + reduced.rest;
  return out;
}

// Forces chosen at the last Settle() among those that hold equally: normal ones, with the friction
// of slip as it is now, and all of what sticks. Empty if it chose none.
VectorXd SceneSystem::ChosenForces(const ContactConstraints& constraints) const {
  VectorXd forces = chosen_forces_;
  for (Eigen::Index i = 0; 3 * i < forces.size(); ++i) {
    const SustainedContact& point = constraints.points[i];
    if (point.state != ContactState::kSlip) continue;
    forces.segment<2>(3 * i) = -point.mu * forces[3 * i + 2] * point.slip_direction;
  }
  return forces;
}

SceneSystem::State SceneSystem::Rate(const State& state) {
  State rate(state.size());
  const Pressed pressed = Press(state);
  failure_ = opened_.empty() ? pressed.failure : opened_;
  rate << CoordinateRates(tree_, Coordinates(state), Speeds(state)), pressed.acceleration, 1.0;
  return rate;
}

std::vector<PairAction> SceneSystem::Forces(const State& state) const {
  std::vector<PairAction> actions;
  if (contacts_.empty()) return actions;
  const Pressed pressed = Press(state);
  if (!pressed.failure.empty()) return actions;
  const View view = Look(state);
  for (int i = 0; i < NumContacts(); ++i) {
    const Touch& touch = view.touches[contacts_[i].candidate];
    actions.push_back(
        {touch.pair, touch.position, touch.frame * pressed.forces.segment<3>(Row(i))});
  }
  return actions;
}

// ---------------------------------------------------------------- sustained contact

// The nearest permitted velocity in the metric of the mass.
void SceneSystem::StopHeldVelocities(State& state, const std::vector<Contact>& contacts) const {
  if (contacts.empty()) return;
  const std::vector<PlacedBody> bodies = Bodies(state);
  const std::vector<Touch> touches = LookAtTouches(model_, pairs_, bodies, Time(state));
  const Reduced reduced = Reduce(state, bodies);
  if (!reduced.failure.empty() || reduced.motion.speeds.size() == 0) return;
  const ContactConstraints constraints = Constraints(bodies, touches, reduced, contacts);
  std::vector<Eigen::Index> held;
  VectorXd speeds(Row(static_cast<int>(contacts.size())));
  for (int i = 0; i < static_cast<int>(contacts.size()); ++i) {
    speeds.segment<3>(Row(i)) = touches[contacts[i].candidate].velocity;
    for (int k = contacts[i].state == ContactState::kStick ? 0 : 2; k < 3; ++k)
      held.push_back(Row(i) + k);
  }
  const MatrixXd rows = constraints.jacobian(held, Eigen::all);
  const MatrixXd answer = SolveReduced(reduced, rows.transpose());
  const VectorXd change =
      -answer * (rows * answer).completeOrthogonalDecomposition().solve(VectorXd(speeds(held)));
  auto y = state.segment(tree_.num_coordinates, tree_.num_speeds);
  if (reduced.basis.size() > 0) {
    y += reduced.basis * change;
  } else {
    y += change;
  }
}

bool SceneSystem::Settle(State& state, std::string& why) {
  contacts_.clear();
  chosen_forces_.resize(0);
  const View view = Look(state);
  const std::vector<int> touching = Touching(view);
  if (touching.empty()) return true;
  // How the points would move without contact forces.
  const Pressed free = Press(state);
  if (!free.failure.empty()) {
    why = free.failure;
    return false;
  }
  std::vector<int> stay, leave;
  for (const int i : touching) {
    const double acceleration = PointAcceleration(state, view.touches[i], free.acceleration).z();
    const PointState does = ClassifyPoint(view.speeds[i], acceleration, options_.rest_speed);
    (does == PointState::kContact ? stay : leave).push_back(i);
  }
  while (!stay.empty()) {
    State settled = state;
    std::vector<Contact> candidates;
    for (const int i : stay) candidates.push_back(Candidate(view.touches[i], i));
    StopHeldVelocities(settled, candidates);
    const std::vector<PlacedBody> bodies = Bodies(settled);
    const View after = Look(settled);
    const Reduced reduced = Reduce(settled, bodies);
    const ContactMotion motion =
        SettleContact(reduced.motion, Constraints(bodies, after.touches, reduced, candidates));
    if (motion.status != DynamicsStatus::kSolved) {
      why = motion.reason;
      return false;
    }
    // A point that would leave by itself may be pressed down by what pushes at the others.
    const VectorXd acceleration = reduced.basis.size() > 0
                                      ? VectorXd(reduced.basis * motion.acceleration + reduced.rest)
                                      : motion.acceleration;
    const auto pressed = std::ranges::find_if(leave, [&](int i) {
      return after.speeds[i] <= options_.rest_speed &&
             PointAcceleration(settled, after.touches[i], acceleration).z() < 0.0;
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
      contacts_.push_back(contact);
      if (!motion.relieved) continue;
      chosen_forces_.conservativeResize(Row(NumContacts()));
      chosen_forces_.tail<3>() = motion.forces.segment<3>(Row(static_cast<int>(i)));
    }
    break;
  }
  return true;
}

SceneSystem::Contact SceneSystem::Candidate(const Touch& touch, int candidate) const {
  const Eigen::Vector2d slip = touch.velocity.head<2>();
  const double speed = slip.norm();
  // What nothing holds slips, at rest too.
  const bool slips = speed > 10.0 * kStopped || StaticFriction(touch) == 0.0;
  return {candidate, slips ? ContactState::kSlip : ContactState::kStick,
          speed > 0.0 ? Eigen::Vector2d(slip / speed) : Eigen::Vector2d(0.0, 0.0)};
}

// Of a point of a pair, t1, t2, n, under accelerations of the tree's speeds.
Vector3d SceneSystem::PointAcceleration(const State& state, const Touch& touch,
                                        const VectorXd& acceleration) const {
  const std::vector<PlacedBody> bodies = Bodies(state);
  const TouchPair& pair = pairs_[touch.pair];
  return TouchRows(tree_, pair, touch, bodies) * acceleration +
         TouchBias(model_, pair, touch, bodies);
}

double SceneSystem::ForceExcess(const State& state) {
  Pressed pressed = Press(state);
  if (!pressed.failure.empty() || contacts_.empty()) return 0.0;
  const View view = Look(state);
  const double scale = weight_ + pressed.forces.cwiseAbs().maxCoeff();
  double excess = LargestExcess(view, pressed.forces, scale);
  if (excess > 0.0) {
    Relieve(view, &pressed);
    excess = LargestExcess(view, pressed.forces, scale);
  }
  return scale > 0.0 ? excess / scale : 0.0;
}

double SceneSystem::LargestExcess(const View& view, const VectorXd& forces, double scale) const {
  double excess = -std::numeric_limits<double>::infinity();
  const double rounding = 1e-8 * scale;
  for (int i = 0; i < NumContacts(); ++i) {
    const Vector3d force = forces.segment<3>(Row(i));
    excess = std::max(excess, -force.z() - rounding);
    if (contacts_[i].state == ContactState::kStick) {
      const double mu_s = StaticFriction(view.touches[contacts_[i].candidate]);
      excess = std::max(excess, force.head<2>().norm() - mu_s * force.z() - rounding);
    }
  }
  return excess;
}

// As PlaneBody: by forces among the points that stick, which move nothing. In a mechanism one point
// may have such forces by itself.
void SceneSystem::Relieve(const View& view, Pressed* pressed) const {
  std::vector<Eigen::Index> rows;
  std::vector<double> frictions;
  for (int i = 0; i < NumContacts(); ++i) {
    if (contacts_[i].state != ContactState::kStick) continue;
    for (int k = 0; k < 3; ++k) rows.push_back(Row(i) + k);
    frictions.push_back(StaticFriction(view.touches[contacts_[i].candidate]));
  }
  if (rows.empty()) return;
  VectorXd held = pressed->forces(rows);
  RelieveForces(NullSpace(pressed->jacobian(rows, Eigen::all).transpose()),
                VectorXd::Map(frictions.data(), static_cast<Eigen::Index>(frictions.size())),
                &held);
  pressed->forces(rows) = held;
}

double SceneSystem::TimeToStopSlip(const State& state, const State& rate) const {
  double time = std::numeric_limits<double>::infinity();
  if (std::ranges::count(contacts_, ContactState::kSlip, &Contact::state) == 0) return time;
  const View view = Look(state);
  for (const Contact& contact : contacts_) {
    const Touch& touch = view.touches[contact.candidate];
    if (contact.state != ContactState::kSlip || StaticFriction(touch) == 0.0) continue;
    const Eigen::Vector2d along = PointAcceleration(state, touch, Speeds(rate)).head<2>();
    const Eigen::Vector2d slip = touch.velocity.head<2>();
    const double speed = slip.norm();
    const double change = speed > 0.0 ? slip.dot(along) / speed : 0.0;
    if (change < 0.0) time = std::min(time, -speed / change);
  }
  return time;
}

bool SceneSystem::SlipEnds(const State& state) const {
  if (contacts_.empty()) return false;
  const View view = Look(state);
  return std::ranges::any_of(contacts_, [&](const Contact& contact) {
    const Touch& touch = view.touches[contact.candidate];
    if (contact.state != ContactState::kSlip || StaticFriction(touch) == 0.0) return false;
    const Eigen::Vector2d slip = touch.velocity.head<2>();
    return contact.starting ? slip.dot(contact.direction) < -kBackwards : slip.norm() < kStopped;
  });
}

void SceneSystem::KeepToContact(State& state) {
  KeepToLoops(state);
  if (!redundant_.empty()) {
    const LoopRows all = LoopRowsAt(model_, tree_, Time(state), Bodies(state));
    Eigen::Index worst = 0;
    const double most = all.residual.cwiseAbs().maxCoeff(&worst);
    if (most > kHeld) {
      opened_ = LoopRowName(model_, tree_, static_cast<int>(worst)) +
                " was redundant at the start and is not any more: start from another position";
    }
  }
  if (contacts_.empty()) return;
  StopHeldVelocities(state, contacts_);
  const View view = Look(state);
  const std::vector<PlacedBody> bodies = Bodies(state);
  contacts_ = Directed(bodies, view.touches, Reduce(state, bodies));
  for (Contact& contact : contacts_) {
    if (contact.state != ContactState::kSlip) continue;
    const Eigen::Vector2d slip = view.touches[contact.candidate].velocity.head<2>();
    const double speed = slip.norm();
    contact.starting = contact.starting && speed < 20.0 * kStopped;
    if (!contact.starting && speed > 0.0) contact.direction = slip / speed;
  }
}

bool SceneSystem::AtRest(const State& state) {
  if (!conserves_ || contacts_.empty()) return false;
  if (Speeds(state).norm() > kStill) return false;
  return Speeds(Rate(state)).norm() < kStill;
}

}  // namespace percuss::solver
