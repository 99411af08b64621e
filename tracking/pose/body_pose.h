// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "calibration/rig/view.h"
#include "capture/experiment/experiment.h"

namespace percuss::tracking {

/// A marker seen in one view of one frame.
struct MarkerObservation {
  int marker = 0;  ///< place in the layout
  int side = 0;    ///< 0 left, 1 right
  Eigen::Vector2d pixel = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Identity();  ///< [px^2]
  /// [s] on the left camera's clock, middle of the exposure; NaN: that of the frame.
  double time = std::numeric_limits<double>::quiet_NaN();
};

/// A marker's place in W, as other motion-capture systems give it.
struct PointObservation {
  int marker = 0;  ///< place in the layout
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Identity();  ///< [m^2]
  double time = std::numeric_limits<double>::quiet_NaN();    ///< [s]; NaN: that of the frame
};

/// Pose of the body in one frame.
struct BodyPose {
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();
  Eigen::Quaterniond q_WB = Eigen::Quaterniond::Identity();
};

/// The body's pose itself as a measurement.
struct PoseObservation {
  BodyPose pose;
  /// Of position and rotation (small vector in W axes) [m^2, rad m, rad^2].
  Eigen::Matrix<double, 6, 6> covariance = Eigen::Matrix<double, 6, 6>::Identity();
  double time = std::numeric_limits<double>::quiet_NaN();  ///< [s]; NaN: that of the frame
};

/// The marker layout with what the shape says about it, and how the body may move.
struct MarkerLayout {
  std::vector<Eigen::Vector3d> p_BM;
  std::vector<Eigen::Vector3d> normal_B;  ///< outward surface normal under each marker; 0 of bands
  double marker_diameter = 0.0;           ///< of dots [m]
  /// Markers from here on are corners of coded tags: points, which only spots of their name can be.
  int first_corner = std::numeric_limits<int>::max();
  /// The body moves in the x-z plane of W: its mass centre has y = 0, it turns about y alone, and
  /// its axes are those of W but for this turn. So a marker stays in the plane y = p_BM.y.
  bool planar = false;
  /// Radius of the body where the markers are bands, tape wound round it, their places on the
  /// body's axis of symmetry z [m]: the turn about this does not show. 0 for round markers.
  double band_radius = 0.0;

  bool Banded() const { return band_radius > 0.0; }
  bool IsCorner(int marker) const { return marker >= first_corner; }
  double Radius(int marker) const { return IsCorner(marker) ? 0.0 : 0.5 * marker_diameter; }
  int NumPoseUnknowns() const { return planar ? 3 : 6; }
};
MarkerLayout LayoutOf(const capture::MarkedBody& body, bool planar = false);

/// Where a view sees a marker of a body at a pose: the centre of its image. Nothing behind the
/// camera. `by_point` is by the marker's place.
std::optional<ProjectedPoint> ProjectMarker(const View& view, const MarkerLayout& layout,
                                            int marker, const BodyPose& pose);

/// Cosine of the angle between the marker's outward normal and the direction to the camera: 1 seen
/// face on, below 0 not seen at all. Of a band the sine of that between axis and direction.
double MarkerFacing(const MarkerLayout& layout, int marker, const BodyPose& pose, const View& view);

struct PoseEstimate {
  bool found = false;  ///< false: too few observations, or no convergence
  BodyPose pose;
  Eigen::Matrix<double, 6, 6> covariance =
      Eigen::Matrix<double, 6, 6>::Zero();  ///< position, rotation (W axes)
  double rms_px = 0.0;                      ///< of the reprojection distances of all observations
  std::vector<double> error_px;             ///< reprojection distance of each observation
  int degrees_of_freedom = 0;               ///< pixel coordinates less unknowns of the pose
};

/// Pose that minimises the reprojection error of the observed markers in all views, from a start
/// that is near enough: Gauss-Newton with Huber weights (threshold in pixels; 0 means plain least
/// squares). Of a planar layout it moves x, z and the turn about y alone, and the covariance of all
/// else is 0.
PoseEstimate EstimatePose(const Views& views, const MarkerLayout& layout,
                          std::span<const MarkerObservation> observations, const BodyPose& start,
                          double huber_px);

/// Standard deviation of the turn about the axis of bands [rad], which nothing shows: as good as
/// unknown, but finite.
inline constexpr double kUnseenTurnSigma = 1.0;

/// The angle between two attitudes; that between the axes of bands.
double AttitudeDistance(const MarkerLayout& layout, const Eigen::Quaterniond& a,
                        const Eigen::Quaterniond& b);

/// Turns each pose about the axis of its bands so that it follows the one before with no turn about
/// it.
void HoldUnseenTurn(const BodyPose& before, BodyPose* pose);

/// Rotation and translation that best carry points of B onto points of W (S. Umeyama, PAMI 13(4),
/// 1991, without scale).
BodyPose AlignPoints(std::span<const Eigen::Vector3d> p_B, std::span<const Eigen::Vector3d> p_W);
/// The same for a planar body: x, z and the turn about y alone. Two points suffice.
BodyPose AlignPointsInPlane(std::span<const Eigen::Vector3d> p_B,
                            std::span<const Eigen::Vector3d> p_W);

}  // namespace percuss::tracking
