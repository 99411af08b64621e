// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "calibration/rig/camera.h"

namespace percuss::tracking {

/// A ball's centre: lengths in radii of the ball, camera axes (x right, y down, z forward).
struct BallState {
  Eigen::Vector3d place = Eigen::Vector3d::Zero();     ///< [R]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< [R/s]
};

/// A ball that bounces before one camera: all that its pictures depend on.
///
/// Between contacts a = g - k |v| v + l w x v / (2.022 S + 0.981), w = R omega, S = |w x v| /
/// |v|^2: quadratic drag, k = 3 rho_air C_d / (8 rho_ball R), and the lift of a ball that spins, l
/// = k / C_d (measured on tennis balls: Stepanek, Am. J. Phys. 56, 138, 1988). The spin of a flight
/// does not change. Contacts are where the centre meets one plane, at a distance of a radius from
/// the surface; a contact lasts `dwell`, during which the ball moves along by the mean of its
/// tangential velocities. The picture of row y is taken line_time . (pixel - middle of the picture)
/// after that of the middle.
struct BouncingBall {
  calibration::Camera camera;
  Eigen::Vector2d line_time = Eigen::Vector2d::Zero();  ///< [s/px]
  Eigen::Vector3d gravity = Eigen::Vector3d::UnitY();   ///< [R/s^2]
  Eigen::Vector3d normal = -Eigen::Vector3d::UnitY();   ///< of the surface, unit, away from it
  double drag = 0.0;                                    ///< k [1/R]
  double lift = 0.0;                                    ///< l [1/R]
  std::vector<Eigen::Vector3d> spins;  ///< w before the first contact, after each [R/s]; or none
  double dwell = 0.0;                  ///< [s]
  double first_time = 0.0;             ///< start of the first contact [s]
  Eigen::Vector3d first_contact = Eigen::Vector3d::Zero();  ///< centre of the ball then [R]
  Eigen::Vector3d before = Eigen::Vector3d::Zero();         ///< velocity then [R/s]
  std::vector<Eigen::Vector3d> after;                       ///< velocity after each contact [R/s]
};

/// One contact of it.
struct BallContact {
  double time = 0.0;                                 ///< of its start [s]
  Eigen::Vector3d place = Eigen::Vector3d::Zero();   ///< of the centre [R]
  Eigen::Vector3d before = Eigen::Vector3d::Zero();  ///< velocities [R/s]
  Eigen::Vector3d after = Eigen::Vector3d::Zero();
};

/// The image of the sphere: of its outline, the centre and the radius of the disc of equal area.
struct BallImage {
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();  ///< [px]
  double radius = 0.0;                               ///< [px]
};

/// Without a lens the outline of a sphere of radius 1 at (X, Y, Z) is the ellipse of centre
/// (X, Y) Z / (Z^2 - 1) and semi-axes sqrt(X^2 + Y^2 + Z^2 - 1) / (Z^2 - 1), 1 / sqrt(Z^2 - 1) in
/// X/Z, Y/Z. The lens takes the centre and scales the area by its derivative there.
BallImage ImageOfBall(const calibration::Camera& camera, const Eigen::Vector3d& place);

/// With a rolling shutter, of line time tau along d: what moves with the rows is seen for longer,
/// so that the area grows by 1 / (1 - tau d . v), v the velocity in the picture.
/// @param state      when the row of its centre is exposed
/// @param line_time  tau d [s/px]
BallImage ImageOfBall(const calibration::Camera& camera, const BallState& state,
                      const Eigen::Vector2d& line_time);

/// The motion of a ball, worked out once; states at any time of the flights then take little.
class BallMotionModel {
 public:
  /// @param begin, end  times that are asked for later [s]
  BallMotionModel(const BouncingBall& ball, double begin, double end);

  BallState At(double time) const;
  /// What frame time `time` shows, with the rolling shutter.
  BallImage ImageAt(double time) const;
  /// As many as `after` has; those that are not reached before `end` have NaN.
  const std::vector<BallContact>& Contacts() const { return contacts_; }
  /// When the last flight ends, at a contact that is not modelled [s]; infinite if it does not.
  double Landing() const { return landing_; }

 private:
  struct Flight {
    double begin = 0.0;                              ///< of the first node [s]
    double step = 0.0;                               ///< negative: backwards from the first contact
    Eigen::Vector3d spin = Eigen::Vector3d::Zero();  ///< w
    std::vector<BallState> nodes;
    std::vector<Eigen::Vector3d> accelerations;  ///< of the nodes
  };
  /// @param number of the flight, 0 before the first contact
  Flight Integrate(std::size_t number, const BallState& start, double begin, double end) const;
  Eigen::Vector3d Acceleration(const Eigen::Vector3d& velocity, const Eigen::Vector3d& spin) const;
  BallState Step(const BallState& state, const Eigen::Vector3d& spin, double dt) const;
  BallState Within(const Flight& flight, double time) const;
  double Height(const BallState& state) const;

  const BouncingBall ball_;
  std::vector<Flight> flights_;
  std::vector<BallContact> contacts_;
  double landing_ = std::numeric_limits<double>::infinity();
};

}  // namespace percuss::tracking
