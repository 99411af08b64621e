// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "tracking/pose/body_pose.h"
#include "tracking/pose/flight_estimate.h"
#include "tracking/spots/stereo_spots.h"

namespace percuss::tracking {

/// The body to be tracked, and who looks at it. Of a planar body (MarkerLayout::planar) the filter
/// keeps the covariance of all that leaves the plane at 0, and w constant in flight.
struct TrackedBody {
  Views views;
  MarkerLayout layout;
  Eigen::Matrix3d inertia_B = Eigen::Matrix3d::Identity();  ///< [kg m^2]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();        ///< W [m/s^2]
};

/// What may have moved the body since it was last seen.
enum class MotionModel {
  kFlight,  ///< gravity alone
  kDriven,  ///< a hand, an actuator, a surface it rolls on
  kStruck   ///< an impact: a jump of the velocities
};

struct BodyFilterOptions {
  FlightNoise flight{1.0e-4, 1.0e-3};  ///< as RtsOptions
  /// 60 m/s^2 and 400 rad/s^2, held for a frame of 1/120 s.
  FlightNoise driven{5.5, 37.0};
  double struck_velocity = 2.0;           ///< one sigma of a jump [m/s]
  double struck_angular_velocity = 25.0;  ///< one sigma of a jump [rad/s]
};

/// A Kalman filter for the rigid body has nothing but a FlightEstimate: pose and velocities with
/// their covariance. It serves to predict where markers will be seen and how surely; the states of
/// an impact are not taken from it.
///
/// A body that was found at a pose, its velocity unknown.
FlightEstimate StartBodyFilter(double time, const PoseEstimate& pose,
                               const BodyFilterOptions& options);

/// The body at another time, later or earlier, with process noise. For times within a frame, where
/// the motion is too short for any, BodyAfter.
FlightEstimate PredictBody(const TrackedBody& body, const FlightEstimate& estimate, double time,
                           MotionModel model, const BodyFilterOptions& options);

/// The state `delay` seconds later in free flight.
solver::FlightState<double> BodyAfter(const TrackedBody& body,
                                      const solver::FlightState<double>& state, double delay);

/// What a filter expects of one marker in one view.
struct MarkerPrediction {
  int marker = 0;
  double delay = 0.0;  ///< seconds after the estimate's time at which it is exposed
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();  ///< of `pixel`, without a spot's own
  double facing = 0.0;                                   ///< MarkerFacing
};

/// All markers that should be seen by a view when it exposes them: those that face it with a cosine
/// above `min_facing` (a convex body hides nothing else of itself) and lie inside the image.
std::vector<MarkerPrediction> PredictMarkers(const TrackedBody& body,
                                             const FlightEstimate& estimate, int side,
                                             const Exposure& exposure, double min_facing);

/// One marker at the time of the estimate, whether it faces the view or not; nothing behind the
/// camera.
std::optional<MarkerPrediction> PredictMarker(const TrackedBody& body,
                                              const FlightEstimate& estimate, int marker, int side);

/// How far a spot may be from where a marker is predicted.
struct AssignmentGate {
  double min_facing = 0.05;  ///< as in PredictMarkers
  double squared = 13.8;     ///< Mahalanobis distance
  double noise_scale = 1.0;  ///< of the sigmas of the spots
};

/// Whether a spot may be as large as the marker looks from there, give or take what blur and
/// distance do.
bool SizeFits(const TrackedBody& body, const solver::FlightState<double>& state, int side,
              const MarkerPrediction& prediction, const Blob& blob);

/// One-to-one assignment of predicted markers to the spots of a view with the highest likelihood:
/// pairs within the gate whose sizes fit.
/// @return the marker of each spot, or -1
std::vector<int> AssignMarkers(const TrackedBody& body, const FlightEstimate& estimate, int side,
                               const Exposure& exposure, std::span<const Blob> blobs,
                               const AssignmentGate& gate);

/// The same with the least sum of squared distances, for a state that is near the truth: pairs
/// within `gate_px`.
std::vector<int> AssignNearest(const TrackedBody& body, const solver::FlightState<double>& state,
                               int side, const Exposure& exposure, std::span<const Blob> blobs,
                               double min_facing, double gate_px);

/// A predicted body after sightings of both views, each at its own time: iterated extended Kalman
/// filter (B. Bell, F. Cathey, IEEE Trans. Automatic Control 38(2), 1993).
struct FilterUpdate {
  FlightEstimate estimate;
  double innovation_squared = 0.0;  ///< nu^T S^-1 nu of all sightings together
  int coordinates = 0;              ///< of pixels
};
FilterUpdate UpdateBody(const TrackedBody& body, const FlightEstimate& predicted,
                        std::span<const MarkerObservation> observations, double noise_scale);

/// Squared Mahalanobis distance of each sighting by itself from where a prediction has it.
std::vector<double> DistancesFrom(const TrackedBody& body, const FlightEstimate& predicted,
                                  std::span<const MarkerObservation> observations,
                                  double noise_scale);

/// EstimatePose for the time of `guess` from sightings at their own times: each is taken there by
/// what the motion of `guess` moves the marker's image. What is not known of the velocities is
/// added to the covariance.
PoseEstimate EstimatePoseAt(const TrackedBody& body, const FlightEstimate& guess,
                            std::span<const MarkerObservation> observations, double huber_px);

/// A body whose velocities are not known yet, from how its spots travel in the images between the
/// time of `guess` and that of each sighting: least squares, without those more than 1 px off.
/// @param travel [px] of each sighting
FlightEstimate EstimateVelocities(const TrackedBody& body, const FlightEstimate& guess,
                                  std::span<const MarkerObservation> observations,
                                  std::span<const Eigen::Vector2d> travel);

}  // namespace percuss::tracking
