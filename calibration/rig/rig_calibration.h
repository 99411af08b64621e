// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/files/files.h"
#include "calibration/rig/camera.h"
#include "calibration/rig/rig_parameters.h"
#include "calibration/rig/surface_plane.h"

namespace percuss::calibration {

/// Number of parameters of a rig of cameras, in the order of ParameterPlaces without the board
/// shape: 12 intrinsics of each camera, pose of each camera but the first (rotation, t), pose of
/// the world (rotation, t).
constexpr int NumRigParameters(int num_cameras) {
  return ParameterPlaces{num_cameras}.BoardShape();
}

/// What one camera saw in one view.
struct ViewImageReport {
  std::string file;
  int num_measured = 0, num_used = 0;                        ///< target points
  double rms_px = std::numeric_limits<double>::quiet_NaN();  ///< of point distances, used points
};

/// One view of the target and what became of it.
struct ViewReport {
  std::vector<ViewImageReport> images;  ///< one per camera
  bool used = false;
  std::string reason;  ///< why it was not used, or what is wrong with it; empty if nothing
  /// Corners of the rectangle round the target points, where the view was used [m], W.
  std::optional<std::array<Eigen::Vector3d, 4>> board;
};

/// Names of the view's files, separated by commas.
std::string FilesOf(const ViewReport& view);

/// How well estimates predict views that took no part in them (CrossValidate).
struct HeldOutError {
  double rms_px = std::numeric_limits<double>::quiet_NaN();     ///< of the corners used in the fit
  double median_px = std::numeric_limits<double>::quiet_NaN();  ///< over all measured corners
  double p90_px = std::numeric_limits<double>::quiet_NaN();     ///< 90th percentile of these
};

/// Values on a raster over an image, row by row; NaN where nothing can be said.
struct ImageMap {
  int columns = 0, rows = 0;
  std::vector<Eigen::Vector2d> pixels;
  std::vector<double> values;
};

/// Raster over the image of a camera, values NaN.
ImageMap RasterOf(const Camera& camera);

/// What random errors of the corners do to measurements, from the covariance.
struct PredictedError {
  std::vector<ImageMap> projection_sigma_px;  ///< [camera]: ProjectionSigma
  double point_sigma_median =
      std::numeric_limits<double>::quiet_NaN();  ///< of PointSigma over the working volume [m]
  double point_sigma_worst = std::numeric_limits<double>::quiet_NaN();  ///< [m]
  Eigen::Vector3d volume_lowest = Eigen::Vector3d::Zero();              ///< working volume in W [m]
  Eigen::Vector3d volume_highest = Eigen::Vector3d::Zero();             ///< [m]
};

/// Calibrations from the even and from the odd views against each other (CompareHalves).
struct HalfSplit {
  std::vector<ImageMap> difference_px;  ///< [camera]
  double rms_px = std::numeric_limits<double>::quiet_NaN();
  double predicted_rms_px =
      std::numeric_limits<double>::quiet_NaN();  ///< what the corner noise alone would give
};

/// The one more picture of the board that would help most (FindNextView).
struct NextView {
  std::string text;          ///< where to hold the board; empty if none helps
  double sigma_ratio = 1.0;  ///< rms sigma of triangulated points with it, over that without
};

/// What is left in the residuals besides noise, as sizes corrected for noise (FindResidualPattern).
struct PatternSummary {
  std::vector<double> image_rms_px;   ///< [camera] over the image: a lens the model does not follow
  std::vector<double> radius_rms_px;  ///< [camera] over the distance from its centre
  double print_rms = std::numeric_limits<double>::quiet_NaN();  ///< misprint, per point [m]
  double bend_rms = std::numeric_limits<double>::quiet_NaN();   ///< beyond the two bends [m]
  double neighbour_correlation = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> findings;  ///< one sentence per notable pattern
};

/// What the verdict rests on, beside rms and sigmas.
struct CalibrationQuality {
  int num_views = 0;             ///< used, with the surface view
  int num_rejected_corners = 0;  ///< outliers and corners too blurred to be measured
  std::vector<double> coverage;  ///< [camera] share of the cells of a 6 x 4 raster with corners
  double tilt_range_deg = 0.0;   ///< largest angle between the normals of two boards
  HeldOutError held_out = {};
  PredictedError predicted = {};
  HalfSplit half_split = {};
  PatternSummary pattern = {};
  NextView next_view = {};
};

struct CalibratedCamera {
  std::string name;  ///< as in the experiment file
  Camera camera;
  Pose from_first;  ///< p_camera = X * p_first; the identity for the first camera
};

/// Board as it turned out to be.
struct BoardEstimate {
  BoardShape shape;
  double scale_sigma = 0.0;  ///< 0 where the scale is that of the description
  Eigen::Vector2d warp_sigma = Eigen::Vector2d::Zero();  ///< [m]
};

/// The calibration of the Sun thesis on the same corners, for comparison (CompareWithThesis).
struct ThesisComparison {
  /// Rows "left f_x [px]", "baseline [mm]" and so on, by the thesis and by the joint adjustment.
  struct Row {
    std::string quantity;
    double thesis = std::numeric_limits<double>::quiet_NaN();
    double joint = std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<Row> rows;
  std::string tables;  ///< row-vector matrices as the thesis prints them
  std::string reason;  ///< why there is no comparison; empty if there is
};

struct RigCalibration {
  std::vector<CalibratedCamera> cameras;  ///< one or more
  /// One camera looks at a motion in the plane y = 0 of W, the plane of the surface picture.
  bool planar = false;
  Pose world_from_first;               ///< p_W = X * p_first
  Eigen::MatrixXd covariance;          ///< NumRigParameters squared; fixed parameters have zeros
  std::vector<SurfacePlane> surfaces;  ///< those of trials that have pictures of their own
  BoardEstimate board;
  double rms_px =
      std::numeric_limits<double>::quiet_NaN();  ///< of point distances over the used corners
  double corner_sigma_px =
      std::numeric_limits<double>::quiet_NaN();  ///< per coordinate, estimated from the residuals
  int num_corners = 0;
  std::vector<ViewReport> views;  ///< as listed; the surface view is the last
  CalibrationQuality quality;
  ThesisComparison thesis;
  std::string verdict = "poor";  ///< "ok" or "poor"
  std::vector<std::string> verdict_reasons;

  /// Two cameras or more see where a point is.
  bool Triangulates() const { return cameras.size() > 1; }
  ParameterPlaces Places() const { return {static_cast<int>(cameras.size())}; }
  /// Pose of the world's origin and axes in a camera: p_camera = X * p_W.
  Pose CameraFromWorld(std::size_t camera) const {
    return cameras[camera].from_first * world_from_first.Inverse();
  }
};

/// The calibration with its parameters moved by `delta` (NumRigParameters; rotations by left
/// multiplication).
RigCalibration Perturbed(const RigCalibration& calibration, const Eigen::VectorXd& delta);

/// Names of all rig parameters in order ("left fx", ..., "right_from_left rotation x", ...,
/// "world_from_left t z"); empty for places that the lens model does not have.
std::vector<std::string> ParameterNames(const RigCalibration& calibration);

/// Places of the parameters that have a name: the rows of the covariance in the file.
std::vector<int> NamedPlaces(const std::vector<std::string>& names);

/// Sigma of the distance between the first camera and another [m], from the covariance.
double BaselineSigma(const RigCalibration& calibration, std::size_t camera);

inline constexpr const char* kCalibrationFormat = "percuss calibration 2";

/// calibration.json (docs/calibration-file.md) as text, and written to a file.
std::string CalibrationJson(const RigCalibration& calibration, const Provenance& provenance);
void WriteCalibration(const RigCalibration& calibration, const Provenance& provenance,
                      const std::filesystem::path& file);
/// @throws InputError naming file, field and value for anything missing, of a wrong shape or not
/// finite, a rotation that is not one, a focal length that is not positive, or an unknown format
/// version.
RigCalibration ReadCalibration(const std::filesystem::path& file);

}  // namespace percuss::calibration
