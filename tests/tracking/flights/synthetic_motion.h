// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <functional>
#include <random>
#include <vector>

#include "capture/experiment/experiment.h"
#include "solver/body/flight.h"
#include "tracking/labels/marker_tracking.h"

namespace percuss::tracking {

/// States just before and after a made-up impact.
struct TrueImpact {
  double time = 0.0;
  solver::FlightState<double> before;
  Eigen::Vector3d v_post = Eigen::Vector3d::Zero(), w_post = Eigen::Vector3d::Zero();
  Eigen::Vector3d r = Eigen::Vector3d::Zero();  ///< mass centre to contact, W axes
};

/// A motion made of pieces, each valid from its beginning to that of the next.
struct SyntheticMotion {
  using StateOfTime = std::function<solver::FlightState<double>(double time)>;
  struct Piece {
    double begin = 0.0;
    StateOfTime state;
  };
  std::vector<Piece> pieces;  ///< in order of time, the first from minus infinity
  std::vector<TrueImpact> impacts;
  solver::FlightState<double> StateAt(double time) const;
};

/// A hand, an actuator or a gripper moves the body until it is let go: before `release` the mass
/// centre is at
///     p + v s + a s^2 / 2 + A (1 - cos(f s)),   s = time - release < 0,
/// and the body turns by w s + turn s^2 / 2, so that position and velocity run on smoothly. With a
/// slip T it lets go bit by bit, from s = -T on: what holds the body off its free fall, a - g and
/// turn, is less than it was before by the share 1 + s / T, and A is 0.
struct Carry {
  Eigen::Vector3d acceleration = Eigen::Vector3d::Zero();          ///< a [m/s^2]
  Eigen::Vector3d shake = Eigen::Vector3d::Zero();                 ///< A [m]
  double shake_frequency = 0.0;                                    ///< f [rad/s]
  Eigen::Vector3d angular_acceleration = Eigen::Vector3d::Zero();  ///< turn [rad/s^2]
  double slip = 0.0;                                               ///< T [s]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();               ///< g, where T > 0 [m/s^2]
};
void AddCarry(const Carry& carry, const solver::FlightState<double>& at_release, double release,
              SyntheticMotion* motion);

/// Fingers slip: gravity takes over evenly during `duration`, from rest. Returns the state at its
/// end.
solver::FlightState<double> AddSlowRelease(const solver::FlightState<double>& at_rest, double begin,
                                           double duration, const Eigen::Vector3d& gravity,
                                           SyntheticMotion* motion);

struct BounceOptions {
  int max_impacts = 1;
  double restitution = 0.6;  ///< of the normal velocity of the contact point, without friction
  double friction = 0.15;    ///< tangential over normal impulse, against the slip before
};

/// Free flight from a state at `begin`, striking the surface z = 0 with the support point of the
/// shape, up to `end`. A single-point impulse at each impact; after the last the body flies on, be
/// it through the surface.
void AddFlight(const solver::Body& body, const Eigen::Vector3d& gravity,
               const solver::FlightState<double>& start, double begin, double end,
               const BounceOptions& options, SyntheticMotion* motion);

/// State after an impulse P at r: v + P / m, w + I^-1 (r x P).
solver::FlightState<double> AfterImpulse(const solver::Body& body,
                                         const solver::FlightState<double>& state,
                                         const Eigen::Vector3d& r, const Eigen::Vector3d& P);

/// The body lifted or lowered so that its lowest point has this height.
solver::FlightState<double> WithLowestPointAt(const solver::Shape& shape, double height,
                                              solver::FlightState<double> state);

/// A uniform cube of 6 cm and 0.12 kg with four markers on every face, nowhere symmetric.
capture::MarkedBody MarkedCube();

struct ObservationOptions {
  double frame_rate = 120.0;
  int num_frames = 60;
  double noise_px = 0.05;  ///< of every centroid, and what their covariances state
  double hidden_fraction = 0.0;
  double min_facing = 0.2;  ///< markers turned further away are not seen
  /// One error that all markers of a view share, a first-order autoregression in time.
  double shared_bias_px = 0.0;
  double shared_bias_frames = 10.0;  ///< its correlation time
  /// By which each camera exposes later than the times of the frames say [s]; none: 0.
  std::vector<double> later = {};
};

/// Frames as the labelling gives them, with true labels; pixels are made with `body` and
/// `true_calibration`, poses are estimated with `stated_body` and `calibration`.
std::vector<TrackedFrame> Observe(const SyntheticMotion& motion, const capture::MarkedBody& body,
                                  const calibration::RigCalibration& true_calibration,
                                  const capture::MarkedBody& stated_body,
                                  const calibration::RigCalibration& calibration,
                                  const ObservationOptions& options, std::mt19937* random);

/// The same with the true body stated.
std::vector<TrackedFrame> Observe(const SyntheticMotion& motion, const capture::MarkedBody& body,
                                  const calibration::RigCalibration& true_calibration,
                                  const calibration::RigCalibration& calibration,
                                  const ObservationOptions& options, std::mt19937* random);

}  // namespace percuss::tracking
