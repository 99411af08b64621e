// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "impacts/impact_record.h"
#include "solver/body/flight.h"
#include "tracking/arcs/arc_audit.h"
#include "tracking/arcs/arc_problem.h"
#include "tracking/arcs/plane_audit.h"
#include "tracking/flights/flight_segmentation.h"

namespace percuss::tracking {

/// What is known of the clocks of other cameras than the left one, beyond the times that their
/// sightings carry.
struct ClockKnowledge {
  bool exact = true;  ///< of the right camera; false: its offset is one more unknown of the fit
  /// Likewise of the cameras after the right one, of which nothing else is known.
  bool others_exact = true;
  /// Standard deviation of the right camera's offset about 0 [s]; infinite: the motion alone tells.
  double sigma = std::numeric_limits<double>::infinity();
};

struct ArcFitOptions {
  /// Frames whose exposure holds the impact show two motions at once and are left out: those whose
  /// middle is nearer to the impact than this fraction of the exposure, or, when the exposure is
  /// unknown, of the frame interval.
  double impact_exclusion = 0.55;
  std::optional<double> exposure;  ///< [s]
  /// Systems that filter what they deliver smear the impact over the frames next to it: these are
  /// left out, from the impact outwards, while their mean squared error is beyond
  /// frame_mean_square.
  bool smeared = false;
  /// Markers seen at a lower cosine between normal and line of sight are left out: their thin
  /// images run into their surround and their neighbours, and err on the same side for many frames.
  double min_facing = 0.3;
  double huber_sigmas = 2.5;   ///< beyond this many sigmas an observation counts less
  double reject_sigmas = 6.0;  ///< beyond this it does not count
  double frame_mean_square =
      4.0;  ///< an outer frame belongs to an arc while its mean squared error (in sigmas) is below
  int drop_at_release =
      1;               ///< frames given up after the release: the gate cannot see its last traces
  int min_frames = 4;  ///< per arc
  /// What misses its sightings by more than the pose of a single frame may
  /// (LabelOptions::reject_px), in the root mean square, is no free flight [px].
  double max_rms_px = 1.0;
  /// The body moves in the x-z plane of W: p_y and the rotation about x and z stay as guessed, v_y,
  /// w_x and w_z are 0, and so are all their covariances.
  bool planar = false;
  std::optional<UnseenSpin> spin = {};  ///< where the layout has bands
  ClockKnowledge clock;
  /// Standard deviation about 0 of what the line times of the rolling shutters are beyond the times
  /// that the sightings carry [s]; 0: nothing. Above, they are unknowns of the fit.
  double line_time_sigma = 0.0;
  /// Errors that all sightings of a view share, one entry for each view, as EstimateSharedOffsets
  /// returns them; found from the residuals if not given.
  std::optional<std::vector<SharedOffset>> shared_offsets;
  /// Whether an earlier fit of this impact has found the right camera's clock exact; see
  /// FitArcsAndClock.
  bool clock_found_exact = false;
  /// A clock that comes out as near to 0 as this [s], and nearer than 3 of the least sigmas that it
  /// can have, is exact: the fit stops there (ImpactFit::clock_is_exact).
  double exact_clock = 0.0;
  bool audit_gravity = true;  ///< ArcSummary::gravity, which takes about as long as all the rest
  /// Of BenchParameters: what is not known of markers, inertia and gravity is part of the
  /// covariance of the states, beside the cameras. Empty: these alone, as the calibration says.
  Eigen::MatrixXd bench_covariance = {};
};

/// One of the two flights as it was fitted.
struct ArcSummary {
  int first_frame = 0, last_frame = 0;  ///< left frame numbers
  int frames = 0;
  int observations =
      0;  ///< marker sightings, one camera each; points or poses where there are such
  double rms_px = std::numeric_limits<double>::quiet_NaN();  ///< of pixel distances
  double rms_m = std::numeric_limits<double>::quiet_NaN();   ///< of distances of points and poses
  /// Gravity as this flight alone shows it [m/s^2], W axes, and its covariance: an audit of length
  /// scale, frame rate and surface frame, not used in the states.
  Eigen::Vector3d gravity = Eigen::Vector3d::Constant(std::numeric_limits<double>::quiet_NaN());
  Eigen::Matrix3d gravity_covariance = Eigen::Matrix3d::Zero();
};

struct ImpactFit {
  bool usable = false;
  std::string reason;                                            ///< why not
  double time = std::numeric_limits<double>::quiet_NaN();        ///< [s], left clock
  double time_sigma = std::numeric_limits<double>::quiet_NaN();  ///< [s]
  solver::FlightState<double> before;                            ///< at `time`
  Eigen::Vector3d v_post = Eigen::Vector3d::Zero(), w_post = Eigen::Vector3d::Zero();
  impacts::ImpactCovariance covariance =
      impacts::ImpactCovariance::Zero();  ///< pixels and calibration together
  /// d(error vector) / d(what trials share): BenchParameters, or calibration::ParameterPlaces
  /// alone; no columns without cameras.
  Eigen::MatrixXd calibration_sensitivity;
  double noise_scale =
      1.0;  ///< rms of the whitened residuals: by how much the centroid sigmas were too small
  /// Variance of plain averages over sightings against that of white noise; 1 when their errors are
  /// independent. The covariance above knows what markers of an image share by itself
  /// (FittedArcs::shared_offsets).
  double correlation_inflation = 1.0;
  int rejected = 0;  ///< observations left out as outliers
  /// To be added to the times of a camera's sightings [s]; 0 where its clock is exact. Its sigma
  /// holds pixels and calibration, and is 0 there too.
  PerCamera<double> clock_offset = {}, clock_sigma = {};
  PerCamera<double> clock_rate = {};  ///< ArcUnknowns::clock_rate
  bool clock_is_exact = false;        ///< ArcFitOptions::exact_clock; nothing else is known then
  /// As ArcUnknowns::line_time; 0, and so their sigmas, where they are known.
  PerCamera<double> line_time = {}, line_time_sigma = {};
  std::array<ArcSummary, 2> arcs;
  PoseJump pose_jump;       ///< of the two flights fitted apart
  PlaneAudit out_of_plane;  ///< of a planar fit alone
  FittedArcs arcs_fitted;
};

/// rms residual of one pixel coordinate over both flights [px]; NaN if they are not of pixels.
double PixelNoise(const ImpactFit& fit);

/// Fits two ballistic rigid-body arcs, joined in pose with a jump in velocity at an unknown instant
/// between frames, to all sightings: marker pixels of one camera or more, marker places in W, or
/// poses, each at its own time. Unknowns: impact time, pose there, v and w before and after, and
/// offset and rate of the clocks of all cameras but the left one unless they are exact, and the
/// line times of all rolling shutters where options say so; their uncertainty then is part of the
/// covariance. Each arc follows Newton and Euler (solver/body/flight.h) with the given gravity; no
/// filter and no smoother touches the states.
///
/// The arcs start as given by the guess and are then grown and trimmed at their outer ends by what
/// the fit itself says. In a single view of a motion in space the fit tries the mirror images of
/// its motion, too (tracking/pose/mirror_image.h), and is not usable if two of them explain the
/// sightings alike. Nor is it if it misses most sightings of too many frames. The covariance is the
/// inverse of the whitened normal matrix, scaled by the residuals' size and widened by what markers
/// of a view share (CovarianceOfOffsets), plus the calibration's own covariance carried through the
/// implicit function theorem: d(state)/d(calibration) = -(J_s^T J_s)^-1 J_s^T J_c.
///
/// @param calibration without cameras if there are no pixels.
ImpactFit FitImpactArcs(std::span<const TrackedFrame> frames, const ImpactGuess& guess,
                        const MarkerLayout& layout, const Eigen::Matrix3d& inertia_B,
                        const Eigen::Vector3d& gravity,
                        const calibration::RigCalibration& calibration,
                        const ArcFitOptions& options = {});

}  // namespace percuss::tracking
