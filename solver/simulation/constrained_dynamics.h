// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

// Equations of motion with bilateral and unilateral constraints; chatterjee2019 chapter 2 and
// section 3.3.

namespace percuss::solver {

enum class DynamicsStatus {
  kSolved,
  kSingularMass,            ///< the mass matrix (or what the constraints leave of it) is singular
  kInconsistentConstraints  ///< speeds or accelerations contradict the constraints
};
std::string_view StatusName(DynamicsStatus status);

/// A(q) qdd + bias = J^T F + applied, (2.1), at one state.
struct EquationsOfMotion {
  Eigen::MatrixXd mass;     ///< A, symmetric positive definite
  Eigen::VectorXd bias;     ///< b + g: Coriolis, centrifugal and gravity terms, on the left
  Eigen::VectorXd applied;  ///< generalised applied forces E^T Upsilon; empty for none
  Eigen::VectorXd speeds;   ///< qd
};

/// J qd + a = 0 and, differentiated, J qdd + Jdot qd + adot = 0, (2.5).
struct BilateralConstraints {
  Eigen::MatrixXd jacobian;
  Eigen::VectorXd velocity_bias;      ///< a; empty for none
  Eigen::VectorXd acceleration_bias;  ///< Jdot qd + adot
};

struct EmbeddedMotion {
  DynamicsStatus status = DynamicsStatus::kSolved;
  std::string reason;            ///< names the state that caused a failure
  Eigen::VectorXd acceleration;  ///< qdd of all coordinates; NaN unless solved
  Eigen::MatrixXd basis;         ///< G of qd = G qd_I + h: its columns are free motions
  Eigen::VectorXd rest;          ///< Gdot qd_I + hdot of qdd = G qdd_I + Gdot qd_I + hdot
  std::vector<int> independent;  ///< coordinates I, as the pivoted QR of J left them
};

/// Eliminates the dependent speeds by QR with column pivoting of J and solves the reduced
/// equations, (2.7)-(2.13): G^T A G qdd_I = G^T (applied - bias - A (Gdot qd_I + hdot)). Redundant
/// rows of J are allowed.
/// @throws std::invalid_argument for sizes that do not match or numbers that are not finite.
EmbeddedMotion EmbedConstraints(const EquationsOfMotion& motion,
                                const BilateralConstraints& constraints);

enum class PointState { kImpact, kContact, kSeparation };

/// What a point without gap does, (3.32): impact below -rest_speed, separation above rest_speed or
/// where it does not approach and accelerates away, else contact. (As printed, a point that strikes
/// while it accelerates away would pass through the surface.)
/// @param free_acceleration of the point along the normal, without contact forces
PointState ClassifyPoint(double normal_velocity, double free_acceleration, double rest_speed);

/// How a point in sustained contact moves.
enum class ContactState { kStick, kSlip, kReleased };

struct SustainedContact {
  Eigen::VectorXd slip_direction;  ///< unit, of one or two components; zero if it does not slip
  double mu = 0.0;
  double mu_s = std::numeric_limits<double>::quiet_NaN();  ///< mu if not a number
  ContactState state = ContactState::kStick;

  double StaticFriction() const { return mu_s >= 0.0 ? mu_s : mu; }
};

/// Points in contact: rows (t, n) or (t1, t2, n) point by point.
struct ContactConstraints {
  Eigen::MatrixXd jacobian;           ///< J_c
  Eigen::VectorXd acceleration_bias;  ///< Jdot_c qd
  std::vector<SustainedContact> points;
};

struct ContactMotion {
  DynamicsStatus status = DynamicsStatus::kSolved;
  std::string reason;
  Eigen::VectorXd acceleration;  ///< qdd; NaN unless solved
  Eigen::VectorXd forces;        ///< of all points, zero where released [N]
  std::vector<ContactState> states;
  std::vector<Eigen::VectorXd> directions;  ///< of slip, as in SustainedContact
  /// The forces are not the smallest, which would pull or be beyond friction.
  bool relieved = false;
};

/// The smallest forces f with delassus f = wanted, where redundant points make it singular.
Eigen::VectorXd SmallestForces(const Eigen::MatrixXd& delassus, const Eigen::VectorXd& wanted);

/// Accelerations and reactions with the states of the points as given:
///     [A  -J_c^T S; J_k  0] [qdd; f] = [-bias; -Jdot_k qd],
/// J_k all rows of a sticking and the normal row of a slipping point, S the force directions (slip:
/// -mu d beside 1). Redundant points get the smallest forces. Not (3.50) as printed, S_c^T J_c qd =
/// 0, by which a slipping point lifts off and friction does no work.
/// @throws std::invalid_argument for sizes that do not match.
ContactMotion SolveContact(const EquationsOfMotion& motion, const ContactConstraints& contacts);

/// The points alone: under forces f their rows have the accelerations delassus f + accelerations,
/// and qdd = free + answers f.
struct PointEquations {
  DynamicsStatus status = DynamicsStatus::kSolved;
  std::string reason;
  Eigen::VectorXd free;           ///< qdd without forces of contact
  Eigen::MatrixXd answers;        ///< A^-1 J_c^T
  Eigen::MatrixXd delassus;       ///< J_c A^-1 J_c^T
  Eigen::VectorXd accelerations;  ///< J_c free + Jdot_c qd
};

/// @throws std::invalid_argument for sizes that do not match.
PointEquations EquationsOfPoints(const EquationsOfMotion& motion,
                                 const ContactConstraints& contacts);

}  // namespace percuss::solver
