// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "synthesis/ball/ball_spec.h"

namespace percuss::synthesis {

enum class BallPhase { kHeld, kFlight, kContact, kRolling };
const char* BallPhaseName(BallPhase phase);  ///< "held", "flight", "contact", "rolling"

struct BallState {
  Eigen::Vector3d p = Eigen::Vector3d::Zero();            ///< centre, W [m]
  Eigen::Vector3d v = Eigen::Vector3d::Zero();            ///< W [m/s]
  Eigen::Vector3d w = Eigen::Vector3d::Zero();            ///< W [rad/s]
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();  ///< ball to W
  BallPhase phase = BallPhase::kHeld;
};

/// One bounce. With a contact time, `before` is the state at the touch and `after` that at leaving.
struct BounceTruth {
  double time = 0.0;      ///< of the touch [s]
  double time_end = 0.0;  ///< of leaving; the same without a contact time [s]
  BallState before, after;
  double e = 0.0;       ///< -v_n after / v_n before
  bool sticks = false;  ///< the contact point rests on the surface at the end
  Eigen::Vector3d impulse = Eigen::Vector3d::Zero();  ///< of the surface on the ball, W [N s]
  double dissipated = 0.0;                            ///< kinetic energy before less after [J]
};

/// The velocities after a bounce on a plane with Coulomb friction, in closed form. With the normal
/// n out of the plane, the contact point at -R n and I = c m R^2:
///     P_n = (1 + e) m |v_n|,   u = v_t + w x (-R n),   |P_t| = min(mu P_n, m |u| / (1 + 1/c))
/// against u; the ball sticks where the second is less. A sphere's normal and tangential impulses
/// do not act on each other, so that this is Stronge's, Poisson's and Newton's law alike.
BounceTruth BounceOfBall(const BallSpec& spec, const BallState& before, double e);

/// The acceleration in flight: gravity, drag and lift,
///     a = g - rho A C_D / (2 m) |v| v + rho A C_L / (2 m) |v|^2 (w x v) / |w x v|,  A = pi R^2,
/// with C_L = S / (2.022 S + 0.981), S = R |w x v| / |v|^2 (A. Stepanek, The aerodynamics of tennis
/// balls - the topspin lob, Am. J. Phys. 56, 138, 1988). The spin does not decay.
Eigen::Vector3d BallAcceleration(const BallSpec& spec, const Eigen::Vector3d& v,
                                 const Eigen::Vector3d& w);

/// The motion of the ball from frame 0 (time 0) on: held, flights and bounces; when the flights get
/// shorter than 2 ms it stays on the surface and slides or rolls there. Flights are integrated by
/// Dormand and Prince's method to 1e-9 m, bounces located to rounding. During a contact time the
/// centre follows the cubic that has the velocities at its ends.
class BallMotion {
 public:
  /// @throws std::invalid_argument for a ball that starts below the surface or never reaches it
  ///   within 60 s where `bounces` asks for it.
  explicit BallMotion(const BallSpec& spec);

  /// The state at a time [s]; before 0 as at 0, after the end as the motion goes on for 0.5 s.
  BallState At(double t) const;

  std::vector<BounceTruth> bounces;  ///< to the end of the clip
  double release = 0.0;              ///< [s]
  double end = 0.0;                  ///< of the clip [s]

 private:
  // A piece of the motion between two knots: quintic Hermite from place, velocity, acceleration.
  struct Knot {
    double t = 0.0;
    BallState state;
    Eigen::Vector3d a = Eigen::Vector3d::Zero();
    bool cubic = false;  // to the next knot by place and velocity alone
  };
  void Add(double t, const BallState& state, const Eigen::Vector3d& a, bool cubic = false);
  BallState Between(const Knot& from, const Knot& to, double t) const;
  void Fly(const BallSpec& spec, double limit);
  void Roll(const BallSpec& spec, double limit);

  std::vector<Knot> knots_;
};

}  // namespace percuss::synthesis
