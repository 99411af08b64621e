// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

// Other programs that solve impacts, to hold Percuss against. Each is compiled only where its
// library is installed. C++17 and no header of Percuss: not every library knows C++20.
namespace percuss::benchmarks {

/// A homogeneous ball that touches the plane z = 0 from above and approaches it; no gravity.
struct BallImpact {
  double mass = 1.0, radius = 0.1;  ///< [kg], [m]
  Eigen::Vector3d v, w;             ///< velocity of the centre [m/s], angular velocity [rad/s]
  double mu = 0.0, e = 0.0;
};

struct BallVelocities {
  Eigen::Vector3d v, w;
};

/// A physics engine that simulates a ball through its impact.
class BallEngine {
 public:
  virtual ~BallEngine() = default;
  virtual std::string Label() const = 0;  ///< the engine, and what Resolve does
  /// Builds the scene of one impact, or puts it back to its beginning.
  virtual void Place(const BallImpact& ball) = 0;
  virtual void Resolve() = 0;  ///< what is timed
  virtual BallVelocities After() const = 0;
};

// Null where the library is not installed.
std::unique_ptr<BallEngine> MakeSimbody();
std::unique_ptr<BallEngine> MakeMujoco();
std::unique_ptr<BallEngine> MakeBullet();

/// Siconos' Newton solver of one contact with Coulomb friction and Newton's restitution:
///     u' = u + A P,   K* (u'_n + e u_n + mu |u'_t|, u'_t)  normal to P in the friction cone K.
class OneContactSolver {
 public:
  virtual ~OneContactSolver() = default;
  /// Sets the problem and what the solver needs beforehand.
  virtual void Place(const Eigen::Matrix3d& inverse_mass, const Eigen::Vector3d& velocity,
                     double mu, double e) = 0;
  virtual bool Solve() = 0;  ///< what is timed; whether the solver met its tolerance
  virtual Eigen::Vector3d Impulse() const = 0;
};

std::unique_ptr<OneContactSolver> MakeSiconos();

}  // namespace percuss::benchmarks
