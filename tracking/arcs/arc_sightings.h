// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <variant>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "tracking/labels/marker_tracking.h"
#include "tracking/pose/bench_parameters.h"
#include "tracking/pose/body_pose.h"

namespace percuss::tracking {

/// Up to six numbers, and up to six by six.
using SightingVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using SightingMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

/// One measurement of the body in free flight: a marker's pixel in one camera (2 numbers), a
/// marker's place in W (3), or the pose of the body (6).
struct Sighting {
  std::variant<MarkerObservation, PointObservation, PoseObservation> observation;
  double after_frame = 0.0;  ///< its time after that of the frame [s]
  SightingMatrix whitening;  ///< L^-1, where L L^T is the covariance
  double weight = 1.0;       ///< robust weight, square root
};

/// Where a sighting comes from: the camera (0, 1, ...) of a pixel, or one of these.
inline constexpr int kPointSource = -1, kPoseSource = -2;
int SourceOf(const Sighting& sighting);
int MarkerOf(const Sighting& sighting);  ///< place in the layout; -1 for a pose

/// The sightings of one frame that lie on one side of the impact.
struct ArcFrame {
  int frame = 0;      ///< place in the list of frames
  double time = 0.0;  ///< of the frame [s]
  int arc = 0;        ///< 0 before, 1 after
  std::vector<Sighting> sightings;
};

/// What the sightings are compared with.
struct SightingModel {
  /// @param covariance of the parameters of the bench (BenchParameters); if not given, the cameras
  /// alone are uncertain, as `calibration` says.
  SightingModel(const MarkerLayout& layout, const calibration::RigCalibration& calibration,
                const Eigen::MatrixXd* covariance = nullptr);
  const MarkerLayout& layout;
  const calibration::RigCalibration& calibration;  ///< no cameras where there are no pixels
  const Eigen::MatrixXd& covariance;               ///< of cameras, or of the whole bench
  BenchParameters parameters;                      ///< without lengths and surfaces
  bool has_body = false;                           ///< whether `covariance` is of the whole bench
  std::vector<View> views;

  /// Columns of derivatives by what all trials share.
  int NumShared() const {
    return has_body ? static_cast<int>(covariance.rows()) : parameters.NumRig();
  }
};

struct ArcFrameOptions {
  double impact_time = 0.0;
  double exclusion = 0.0;   ///< sightings nearer to the impact than this are left out [s]
  double min_facing = 0.0;  ///< as in ArcFitOptions
};

/// The sightings of frames[k] before (arc 0) or after (arc 1) the impact.
ArcFrame MakeArcFrame(const SightingModel& model, std::span<const TrackedFrame> frames, int k,
                      int arc, const ArcFrameOptions& options);

/// Whitened difference L^-1 (measured - expected) of a sighting at a pose of the body, without the
/// robust weight; NaN where a marker is not in front of the camera. Of a pose the difference is
/// (position, rotation vector in W axes).
struct SightingResidual {
  SightingVector value;
  Eigen::Matrix<double, Eigen::Dynamic, 6, 0, 6, 6> by_pose;  ///< position, rotation (W axes)
};

/// @param by_shared if given, takes the derivative by the parameters that all trials share, as far
/// as the pose stays as it is: cameras and places of markers.
SightingResidual Compare(const SightingModel& model, const Sighting& sighting, const BodyPose& pose,
                         Eigen::MatrixXd* by_shared = nullptr);

}  // namespace percuss::tracking
