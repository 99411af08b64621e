// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/simulation/constrained_dynamics.h"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace percuss::solver {
namespace {

constexpr double kConsistent = 1e-8;  // of the terms that have to cancel

Eigen::VectorXd NotANumber(Eigen::Index size) {
  return Eigen::VectorXd::Constant(size, std::numeric_limits<double>::quiet_NaN());
}

template <class Derived>
std::string Printed(const Eigen::MatrixBase<Derived>& vector) {
  std::ostringstream text;
  text << '(' << vector.transpose() << ')';
  return text.str();
}

void RequireSize(const char* field, Eigen::Index size, Eigen::Index expected) {
  if (size == expected) return;
  std::ostringstream text;
  text << field << " has size " << size << "; it must be " << expected;
  throw std::invalid_argument(text.str());
}

void Validate(const EquationsOfMotion& motion) {
  const Eigen::Index size = motion.speeds.size();
  RequireSize("mass", motion.mass.rows(), size);
  RequireSize("mass", motion.mass.cols(), size);
  RequireSize("bias", motion.bias.size(), size);
  if (motion.applied.size() > 0) RequireSize("applied", motion.applied.size(), size);
  if (!motion.mass.allFinite() || !motion.bias.allFinite() || !motion.speeds.allFinite() ||
      !motion.applied.allFinite()) {
    throw std::invalid_argument("mass, bias, applied or speeds are not finite; they must be");
  }
}

bool Definite(const Eigen::LLT<Eigen::MatrixXd>& llt) {
  if (llt.info() != Eigen::Success) return false;
  const auto pivots = llt.matrixLLT().diagonal();
  return pivots.size() == 0 || pivots.minCoeff() > 1e-10 * pivots.maxCoeff();
}

Eigen::VectorXd FreeForce(const EquationsOfMotion& motion) {
  return motion.applied.size() > 0 ? Eigen::VectorXd(motion.applied - motion.bias)
                                   : Eigen::VectorXd(-motion.bias);
}

template <class Motion>
Motion Fail(Motion out, DynamicsStatus status, const std::string& reason, Eigen::Index size) {
  out.status = status;
  out.reason = std::string(StatusName(status)) + ": " + reason;
  out.acceleration = NotANumber(size);
  return out;
}

std::string SingularMass(const EquationsOfMotion& motion) {
  return "the mass matrix with diagonal " + Printed(motion.mass.diagonal()) + " at the speeds " +
         Printed(motion.speeds);
}

}  // namespace

std::string_view StatusName(DynamicsStatus status) {
  switch (status) {
    case DynamicsStatus::kSolved:
      return "solved";
    case DynamicsStatus::kSingularMass:
      return "singular mass";
    case DynamicsStatus::kInconsistentConstraints:
      return "inconsistent constraints";
  }
  return "";
}

EmbeddedMotion EmbedConstraints(const EquationsOfMotion& motion,
                                const BilateralConstraints& constraints) {
  Validate(motion);
  const Eigen::Index size = motion.speeds.size(), rows = constraints.jacobian.rows();
  RequireSize("columns of jacobian", constraints.jacobian.cols(), size);
  RequireSize("acceleration_bias", constraints.acceleration_bias.size(), rows);
  Eigen::VectorXd a = constraints.velocity_bias;
  if (a.size() == 0) a = Eigen::VectorXd::Zero(rows);
  RequireSize("velocity_bias", a.size(), rows);

  EmbeddedMotion out;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(constraints.jacobian);
  qr.setThreshold(1e-10);
  const Eigen::Index rank = rows > 0 ? qr.rank() : 0;
  // Whether the rows can be met at all, and are met by the speeds.
  const Eigen::VectorXd& c = constraints.acceleration_bias;
  const Eigen::VectorXd violation = constraints.jacobian * motion.speeds + a;
  const double speed_scale =
      (constraints.jacobian * motion.speeds).norm() + a.norm() + std::numeric_limits<double>::min();
  if (rows > 0 && !(violation.norm() <= kConsistent * (speed_scale + motion.speeds.norm()))) {
    return Fail(out, DynamicsStatus::kInconsistentConstraints,
                "J qd + a = " + Printed(violation) + " at the speeds " + Printed(motion.speeds),
                size);
  }
  if (rank < rows) {
    const Eigen::VectorXd rest = c - constraints.jacobian * qr.solve(c);
    if (!(rest.norm() <= kConsistent * c.norm())) {
      return Fail(out, DynamicsStatus::kInconsistentConstraints,
                  "rows of rank " + std::to_string(rank) + " ask for accelerations " + Printed(c) +
                      " at the speeds " + Printed(motion.speeds),
                  size);
    }
  }
  const auto& order = qr.colsPermutation().indices();
  for (Eigen::Index k = rank; k < size; ++k)
    out.independent.push_back(rows > 0 ? order[k] : static_cast<int>(k));
  // In pivoted order G = [-J_D^-1 J_I; 1], the rest term [-J_D^-1 (Jdot qd + adot); 0].
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(size, size - rank);
  basis.bottomRows(size - rank).setIdentity();
  Eigen::VectorXd rest = Eigen::VectorXd::Zero(size);
  if (rank > 0) {
    const auto upper = qr.matrixR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
    basis.topRows(rank) =
        -upper.solve(Eigen::MatrixXd(qr.matrixR().topRightCorner(rank, size - rank)));
    const Eigen::VectorXd rotated = qr.householderQ().transpose() * c;
    rest.head(rank) = -upper.solve(rotated.head(rank));
    basis = qr.colsPermutation() * basis;
    rest = qr.colsPermutation() * rest;
  }
  out.basis = basis;
  out.rest = rest;
  const Eigen::LLT<Eigen::MatrixXd> reduced(basis.transpose() * motion.mass * basis);
  if (!Definite(reduced)) {
    return Fail(out, DynamicsStatus::kSingularMass, SingularMass(motion), size);
  }
  const Eigen::VectorXd force = FreeForce(motion) - motion.mass * rest;
  out.acceleration = basis * reduced.solve(basis.transpose() * force) + rest;
  return out;
}

PointState ClassifyPoint(double normal_velocity, double free_acceleration, double rest_speed) {
  if (normal_velocity < -rest_speed) return PointState::kImpact;
  const bool leaves = normal_velocity >= 0.0 && free_acceleration > 0.0;
  return normal_velocity > rest_speed || leaves ? PointState::kSeparation : PointState::kContact;
}

namespace {

// Directions of the unknown forces (columns of S), rows that are held, and where they belong.
struct Selection {
  Eigen::MatrixXd forces;  // all rows x unknowns
  std::vector<int> held;   // rows of J_k
};

Selection Select(const ContactConstraints& contacts, const std::vector<ContactState>& states,
                 const std::vector<Eigen::VectorXd>& directions) {
  const Eigen::Index rows = contacts.jacobian.rows();
  const int per_point = static_cast<int>(rows / static_cast<Eigen::Index>(states.size()));
  Selection selection{Eigen::MatrixXd::Zero(rows, rows), {}};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const int first = static_cast<int>(i) * per_point, normal = first + per_point - 1;
    if (states[i] == ContactState::kReleased) continue;
    for (int k = first; states[i] == ContactState::kStick && k < normal; ++k) {
      selection.forces(k, static_cast<Eigen::Index>(selection.held.size())) = 1.0;
      selection.held.push_back(k);
    }
    const auto column = static_cast<Eigen::Index>(selection.held.size());
    selection.forces(normal, column) = 1.0;
    if (states[i] == ContactState::kSlip) {
      selection.forces.block(first, column, per_point - 1, 1) =
          -contacts.points[i].mu * directions[i];
    }
    selection.held.push_back(normal);
  }
  selection.forces.conservativeResize(rows, static_cast<Eigen::Index>(selection.held.size()));
  return selection;
}

ContactMotion SolveStates(const EquationsOfMotion& motion, const Eigen::LLT<Eigen::MatrixXd>& llt,
                          const ContactConstraints& contacts,
                          const std::vector<ContactState>& states,
                          const std::vector<Eigen::VectorXd>& directions) {
  ContactMotion out;
  out.states = states;
  out.directions = directions;
  const Selection selection = Select(contacts, states, directions);
  const Eigen::VectorXd free = llt.solve(FreeForce(motion));
  out.acceleration = free;
  out.forces = Eigen::VectorXd::Zero(contacts.jacobian.rows());
  if (selection.held.empty()) return out;
  const Eigen::MatrixXd held = contacts.jacobian(selection.held, Eigen::all);
  const Eigen::MatrixXd push = llt.solve(contacts.jacobian.transpose() * selection.forces);
  const Eigen::VectorXd wanted = -(contacts.acceleration_bias(selection.held) + held * free);
  const Eigen::VectorXd unknown = SmallestForces(held * push, wanted);
  const Eigen::VectorXd missing = held * (push * unknown) - wanted;
  const double scale = wanted.norm() + (held * free).norm();
  if (!unknown.allFinite() || !(missing.norm() <= kConsistent * scale + 1e-12)) {
    return Fail(out, DynamicsStatus::kInconsistentConstraints,
                "no forces hold the points in contact at the speeds " + Printed(motion.speeds),
                motion.speeds.size());
  }
  out.acceleration += push * unknown;
  out.forces = selection.forces * unknown;
  return out;
}

std::vector<Eigen::VectorXd> Directions(const ContactConstraints& contacts) {
  std::vector<Eigen::VectorXd> directions;
  for (const SustainedContact& point : contacts.points) directions.push_back(point.slip_direction);
  return directions;
}

std::vector<ContactState> States(const ContactConstraints& contacts) {
  std::vector<ContactState> states;
  for (const SustainedContact& point : contacts.points) states.push_back(point.state);
  return states;
}

void Validate(const EquationsOfMotion& motion, const ContactConstraints& contacts) {
  Validate(motion);
  const auto num_points = static_cast<Eigen::Index>(contacts.points.size());
  RequireSize("columns of the contact jacobian", contacts.jacobian.cols(), motion.speeds.size());
  RequireSize("acceleration_bias", contacts.acceleration_bias.size(), contacts.jacobian.rows());
  const Eigen::Index rows = contacts.jacobian.rows();
  RequireSize("rows of the contact jacobian", rows, rows == 2 * num_points ? rows : 3 * num_points);
  for (const SustainedContact& point : contacts.points) {
    RequireSize("slip_direction", point.slip_direction.size(), rows / num_points - 1);
  }
}

}  // namespace

Eigen::VectorXd SmallestForces(const Eigen::MatrixXd& delassus, const Eigen::VectorXd& wanted) {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition;
  decomposition.setThreshold(1e-10);
  decomposition.compute(delassus);
  return decomposition.solve(wanted);
}

ContactMotion SolveContact(const EquationsOfMotion& motion, const ContactConstraints& contacts) {
  Validate(motion, contacts);
  const Eigen::LLT<Eigen::MatrixXd> llt(motion.mass);
  if (!Definite(llt)) {
    return Fail(ContactMotion{}, DynamicsStatus::kSingularMass, SingularMass(motion),
                motion.speeds.size());
  }
  return SolveStates(motion, llt, contacts, States(contacts), Directions(contacts));
}

PointEquations EquationsOfPoints(const EquationsOfMotion& motion,
                                 const ContactConstraints& contacts) {
  Validate(motion, contacts);
  PointEquations out;
  const Eigen::LLT<Eigen::MatrixXd> llt(motion.mass);
  if (!Definite(llt)) {
    out.status = DynamicsStatus::kSingularMass;
    out.reason = std::string(StatusName(out.status)) + ": " + SingularMass(motion);
    out.free = NotANumber(motion.speeds.size());
    return out;
  }
  out.free = llt.solve(FreeForce(motion));
  out.answers = llt.solve(contacts.jacobian.transpose());
  out.delassus = contacts.jacobian * out.answers;
  out.accelerations = contacts.jacobian * out.free + contacts.acceleration_bias;
  return out;
}

}  // namespace percuss::solver
