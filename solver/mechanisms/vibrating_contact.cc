// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "solver/mechanisms/vibrating_contact.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>
#include <stdexcept>

namespace percuss::solver {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector2d;
using Eigen::Vector3d;
using Eigen::VectorXd;

constexpr int kMaxSteps = 1'000'000;
constexpr double kRigid = 1e-12;  // eigenvalue over the largest one

void RequireNotNegative(const char* name, const MatrixXd& matrix, Eigen::Index size) {
  std::ostringstream text;
  if (matrix.rows() != size || matrix.cols() != size) {
    text << name << " is " << matrix.rows() << " x " << matrix.cols() << "; it must be " << size
         << " x " << size;
    throw std::invalid_argument(text.str());
  }
  const double scale = matrix.cwiseAbs().maxCoeff();
  if (!((matrix - matrix.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * scale)) {
    throw std::invalid_argument(std::string(name) + " is not symmetric");
  }
  const double least = Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix).eigenvalues()[0];
  if (!(least >= -1e-9 * scale)) {
    text << name << " has the eigenvalue " << least << "; allowed are 0 or more";
    throw std::invalid_argument(text.str());
  }
}

// Modes phi with phi^T H phi = 1 and K phi = omega^2 H phi.
class Modes {
 public:
  explicit Modes(const VibratingMechanism& mechanism)
      : contact_(mechanism.linkage.contact_jacobian), mass_(mechanism.linkage.mass_matrix) {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(mechanism.stiffness, mass_);
    squares_ = solver.eigenvalues();
    shapes_ = solver.eigenvectors();
    for (double& square : squares_) {
      if (square <= kRigid * squares_.maxCoeff()) square = 0.0;
    }
  }

  double Fastest() const { return std::sqrt(squares_.maxCoeff()); }

  Vector3d SettledVelocity(const VectorXd& v) const {
    const VectorXd rates = shapes_.transpose() * (mass_ * v);
    return contact_ * (shapes_ * (squares_.array() > 0.0).select(0.0, rates.array()).matrix());
  }

  double VibrationEnergy(const VectorXd& deflection, const VectorXd& v) const {
    const VectorXd places = shapes_.transpose() * (mass_ * deflection);
    const VectorXd rates = shapes_.transpose() * (mass_ * v);
    return 0.5 *
           (squares_.array() > 0.0)
               .select(rates.array().square() + squares_.array() * places.array().square(), 0.0)
               .sum();
  }

  /// Whether the gap of the contact cannot close again: rigid motion opens it by more than the
  /// modes can move it back.
  bool CannotReturn(double gap, const VectorXd& deflection, const VectorXd& v) const {
    const double opening = SettledVelocity(v).z();
    if (!(opening > 0.0)) return false;
    const VectorXd places = shapes_.transpose() * (mass_ * deflection);
    const VectorXd rates = shapes_.transpose() * (mass_ * v);
    double back = 0.0;
    for (Eigen::Index i = 0; i < squares_.size(); ++i) {
      if (squares_[i] == 0.0) continue;
      const double reach = contact_.row(2).dot(shapes_.col(i));
      back += reach * places[i] +
              std::abs(reach) * std::hypot(places[i], rates[i] / std::sqrt(squares_[i]));
    }
    return gap > back;
  }

 private:
  MatrixXd contact_, mass_, shapes_;
  VectorXd squares_;
};

// The mean force of a step of the length h, from the velocity u, with the velocity `free` at its
// end without a force, and W its change by the unit of impulse.
struct StepContact {
  const VoigtContact& contact;
  double h, compression;
  Vector3d u, free;
  Matrix3d w;

  Vector3d Force() const {
    const double beta = 0.5 * (0.5 * contact.stiffness * h + contact.damping);
    Vector3d force = Vector3d::Zero();
    const double mobility = h * w.topLeftCorner<2, 2>().trace();
    constexpr int kMaxPasses = 500;
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      const Vector3d before = force;
      const double others = free.z() + h * w.row(2).head<2>().dot(force.head<2>());
      force.z() = std::max(0.0, (contact.stiffness * compression - beta * (u.z() + others)) /
                                    (1.0 + beta * h * w(2, 2)));
      if (!(mobility > 0.0)) break;
      const Vector2d slip = (free + h * w * force).head<2>();
      Vector2d friction = force.head<2>() - slip / mobility;
      const double most = contact.mu * force.z();
      if (friction.norm() > most) friction *= most / friction.norm();
      force.head<2>() = friction;
      if ((force - before).norm() <= 1e-13 * force.norm()) break;
    }
    return force;
  }
};

}  // namespace

VibratingImpact SolveVibratingContact(const VibratingMechanism& mechanism,
                                      const VoigtContact& contact, const VectorXd& speeds) {
  const Linkage& linkage = mechanism.linkage;
  const Eigen::Index size = speeds.size();
  if (linkage.joint_jacobian.rows() > 0)
    throw std::invalid_argument("joints: found some beside springs; allowed are none");
  const Matrix3d inverse_mass = InverseContactMass(linkage);
  RequireNotNegative("springs", mechanism.stiffness, size);
  MatrixXd damping = mechanism.damping;
  if (damping.size() == 0) damping = MatrixXd::Zero(size, size);
  RequireNotNegative("dampers", damping, size);
  const MatrixXd &mass = linkage.mass_matrix, &stiffness = mechanism.stiffness,
                 &rows = linkage.contact_jacobian;
  VectorXd v = speeds, deflection = mechanism.deflection;
  if (deflection.size() == 0) deflection = VectorXd::Zero(size);
  Vector3d u = rows * v;
  if (!(u.z() < 0.0)) {
    std::ostringstream text;
    text << "the contact moves at " << u.z() << " m/s along the normal; it must approach";
    throw std::invalid_argument(text.str());
  }

  const Modes modes(mechanism);
  const double of_contact = std::sqrt(contact.stiffness * inverse_mass(2, 2));
  const double h = 2.0 * std::numbers::pi / std::max(500.0 * of_contact, 50.0 * modes.Fastest());
  const Eigen::LLT<MatrixXd> ahead(mass + 0.5 * h * damping + 0.25 * h * h * stiffness);
  const MatrixXd behind = mass - 0.5 * h * damping - 0.25 * h * h * stiffness;
  const MatrixXd answer = ahead.solve(rows.transpose());
  const Matrix3d w = rows * answer;

  VibratingImpact impact;
  const auto elastic = [&] { return 0.5 * deflection.dot(stiffness * deflection); };
  impact.before = 0.5 * v.dot(mass * v) + elastic();
  double compression = 0.0;
  Vector3d place = Vector3d::Zero();
  bool closed = false;
  for (int step = 1;; ++step) {
    if (step == kMaxSteps) {
      std::ostringstream text;
      text << "the contact has not ended after " << kMaxSteps << " steps of " << h << " s";
      impact.reason = text.str();
      break;
    }
    const VectorXd free_v = ahead.solve(behind * v - h * (stiffness * deflection));
    const Vector3d free = rows * free_v;
    const bool may_touch = compression > 0.0 || compression - 0.5 * h * (u.z() + free.z()) > 0.0;
    const Vector3d force =
        may_touch ? StepContact{contact, h, compression, u, free, w}.Force() : Vector3d::Zero();
    const VectorXd next = free_v + h * (answer * force);
    deflection += 0.5 * h * (v + next);
    const Vector3d next_u = rows * next;
    const Vector3d mean = 0.5 * (u + next_u);
    compression -= h * mean.z();
    place += h * mean;
    impact.impulse += h * force;
    impact.normal_work += h * force.z() * mean.z();
    impact.friction_work += h * force.head<2>().dot(mean.head<2>());
    v = next;
    u = next_u;
    const bool touches = force.z() > 0.0;
    if (touches) {
      if (!closed) ++impact.num_contacts;
      impact.speeds = v;
      impact.deflections = deflection;
      const bool sticks = force.head<2>().norm() < (1.0 - 1e-9) * contact.mu * force.z();
      impact.history.push_back({.time = step * h,
                                .displacement = place,
                                .velocity = u,
                                .force = force,
                                .impulse = impact.impulse,
                                .mode = sticks ? ContactMode::kStick : ContactMode::kSlip});
    }
    closed = touches;
    if (!touches && modes.CannotReturn(-compression, deflection, v)) break;
  }
  if (!impact.reason.empty()) return impact;
  impact.contact_velocity = rows * impact.speeds;
  impact.settled_velocity = modes.SettledVelocity(impact.speeds);
  impact.kinetic = 0.5 * impact.speeds.dot(mass * impact.speeds);
  impact.vibration = modes.VibrationEnergy(impact.deflections, impact.speeds);
  return impact;
}

}  // namespace percuss::solver
