// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration/rig/rig_calibration.h"
#include "capture/experiment/experiment.h"
#include "impacts/impact_record.h"
#include "tracking/arcs/arc_problem.h"
#include "tracking/pose/bench_parameters.h"

namespace percuss::tracking {

/// What all trials of an experiment share, as it is believed to be, and how well that is known.
struct Bench {
  capture::MarkedBody body;
  calibration::RigCalibration calibration;
  std::vector<calibration::SurfacePlane> surfaces;           ///< capture::Experiment::OwnSurfaces
  Eigen::Vector3d gravity_change = Eigen::Vector3d::Zero();  ///< to that of each trial, W [m/s^2]
  capture::PerCamera<double> line_time = {};                 ///< as capture::Experiment [s]
  Eigen::MatrixXd covariance;                                ///< of BenchParameters
  /// Its parts that come from what was typed; the rest comes from the pixels of the flights.
  std::vector<impacts::SharedSource> sources;

  /// Whether flights in space tell of it, by two cameras or by one.
  bool InSpace() const { return !calibration.cameras.empty() && !calibration.planar; }
  BenchParameters Parameters() const;
  /// The plane that the bodies of a trial hit.
  calibration::SurfacePlane SurfaceOf(const capture::Trial& trial) const;
  /// Covariance of what the impacts of this bench have in common (ImpactTable): of all its
  /// parameters, or with one camera or none of the calibration and of the surfaces' tilts.
  Eigen::MatrixXd ImpactCovariance() const;
  /// Their table, still without impacts.
  impacts::ImpactTable EmptyTable() const;
};

/// The bench as the experiment file and the calibration state it. Covariance, all from what was
/// typed (capture::BodySigmas, Board::sigma, Experiment::gravity_sigma):
///
///   - cameras: as calibrated, and all distances in proportion by the sigma of the board's squares,
///     unless known distances gave the board its scale;
///   - markers: each place by itself; all together by the sigma of the mass centre, twice: as it
///     was read for the places of the markers, and as it lies within the shape, which moves the
///     surface with them. Places that were found in the videos have a covariance of their own
///     against the shape (MarkedBody::marker_covariance), and the second of these;
///   - inertia: in proportion, and with the lengths where it follows from the shape;
///   - gravity, lengths, line times: each number by itself;
///   - surfaces of trials: as measured in their pictures (RigCalibration::surfaces), or the sigma
///     of a slope about its axis.
///
/// @param calibration without cameras where no trial has videos.
Bench StatedBench(const capture::Experiment& experiment,
                  const calibration::RigCalibration& calibration);

/// The bench with its parameters moved; the covariance stays.
Bench Moved(const Bench& bench, const Eigen::VectorXd& change);

/// The bench moved by an estimate, with the covariance P that is left. An error d of what was typed
/// moves the estimate by P C^-1 d, C the stated covariance; so much is left of each source.
Bench Estimated(const Bench& stated, const Eigen::VectorXd& change,
                const Eigen::MatrixXd& covariance);

/// The two flights of one impact, fitted with a bench.
struct BenchFlights {
  FittedArcs arcs;
  Eigen::Vector3d gravity;                    ///< as stated for the trial [m/s^2]
  std::optional<ContactOnBody> contact = {};  ///< where it is beyond doubt
};

/// What the flights of all trials say of the bench.
struct BenchEstimate {
  Eigen::VectorXd change;  ///< from the stated bench, BenchParameters
  Bench bench;             ///< moved by it, with the covariance that is left
  int num_impacts = 0;
  bool converged = false;
};

/// Minimises over the states x_i of all impacts and the parameters p of the bench
///
///     sum_i |r_i(x_i, p)|^2 / s_i + |d_i(x_i, p)|^2 + (p - p_stated)^T C^-1 (p - p_stated),
///
/// r_i the whitened residuals of the sightings with their robust weights, s_i the variance factor
/// of the impact's arcs, d_i what the impulse leaves of the momentum balance about the contact
/// point, in units of a contact 0.05 mm wide, C the covariance of the stated bench: Gauss-Newton
/// steps, in which the states of each impact are eliminated (Schur complement), so that time and
/// memory grow with the number of impacts alone. Directions in which C is zero stay.
///
/// What the motion cannot tell keeps its stated value and sigma: the mass centre along an axis
/// about which the body does not turn; without a contact, the size of the inertia and where the
/// surface of the body lies from the markers.
///
/// @param start change of the parameters with which the arcs were fitted: a first guess.
BenchEstimate EstimateBench(const Bench& stated, const Eigen::VectorXd& start,
                            std::span<const BenchFlights> impacts);

}  // namespace percuss::tracking
