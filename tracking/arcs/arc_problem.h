// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "capture/experiment/trial.h"
#include "impacts/impact_record.h"
#include "solver/body/flight.h"
#include "solver/body/rigid_body.h"
#include "tracking/arcs/arc_noise.h"
#include "tracking/arcs/arc_sightings.h"
#include "tracking/arcs/shared_offsets.h"

namespace percuss::tracking {

using capture::PerCamera;

/// The unknowns of two flights that share the pose at the impact.
struct ArcUnknowns {
  double time = 0.0;                   ///< of the impact, after ArcProblem::guess_time [s]
  solver::FlightState<double> before;  ///< at the impact
  Eigen::Vector3d v_post = Eigen::Vector3d::Zero();
  Eigen::Vector3d w_post = Eigen::Vector3d::Zero();
  /// To be added to the times of a camera's sightings [s]; 0 of the left one, whose clock it is.
  PerCamera<double> clock = {};
  /// [s] to be added to the time of a sighting for each row below the middle of the picture, beyond
  /// what its own time holds (capture::RowDelay).
  PerCamera<double> line_time = {};
  /// By which `clock` grows per second after ArcProblem::guess_time, where it is `clock` [1].
  PerCamera<double> clock_rate = {};
};

/// Standard deviation of ArcUnknowns::clock_rate about 0: quartz clocks of phones and cameras are
/// off by up to 5e-5 each.
inline constexpr double kClockRateSigma = 7e-5;
/// Of ArcUnknowns::clock of the cameras after the right one [s]: some frames, next to nothing. A
/// camera that saw nothing of the flights stays determined by it.
inline constexpr double kFurtherClockSigma = 0.05;

/// Columns of the derivatives: impact time; the error vector of the impact (ImpactIndex); gravity
/// of either flight, which the fit holds (the audit frees it): these are of the motion. Then clock,
/// line time and rate of the clock of each camera.
inline constexpr int kTimeColumn = 0;
inline constexpr int kImpactColumn = 1;
inline constexpr int kGravityColumn = kImpactColumn + impacts::kImpactDimension;
inline constexpr int kNumMotionColumns = kGravityColumn + 6;
constexpr int ClockColumn(std::size_t camera) {
  return kNumMotionColumns + 3 * static_cast<int>(camera);
}
constexpr int LineColumn(std::size_t camera) { return ClockColumn(camera) + 1; }
constexpr int RateColumn(std::size_t camera) { return ClockColumn(camera) + 2; }
constexpr int NumArcColumns(std::size_t num_cameras) { return ClockColumn(num_cameras); }

/// What is known of the turn about the axis z of a body whose markers are bands, which no sighting
/// shows. Before the impact it is 0 within a sigma. What the impact changes of it follows from the
/// impulse m (v' - v) at the contact point r, the lowest of a round body:
///     I_zz a . (w' - w) = a . (r x m (v' - v)),   a the axis.
struct UnseenSpin {
  solver::Shape shape;
  double mass = 0.0;                                  ///< [kg]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();  ///< of the surface, W
  double before_sigma = 0.0;                          ///< of a . w [rad/s]
  /// Of that balance, as a turn: edges are round, and yield [rad/s].
  double balance_sigma = 2.0;
};

struct ArcProblem {
  const SightingModel& model;
  Eigen::Matrix3d inertia_B;
  Eigen::Vector3d gravity;
  double guess_time = 0.0;
  std::vector<int> unknowns;  ///< columns that the fit moves
  /// Standard deviation of ArcUnknowns::clock of the right camera about 0, known beforehand [s];
  /// infinite if unknown. Those of further cameras have kFurtherClockSigma.
  double clock_sigma = std::numeric_limits<double>::infinity();
  /// Of ArcUnknowns::line_time, likewise, where these are unknowns [s].
  double line_time_sigma = std::numeric_limits<double>::infinity();
  /// Errors that the sightings of a view share: one entry for each view, or none.
  std::vector<SharedOffset> shared_offsets = {};
  std::optional<UnseenSpin> spin = {};  ///< where the layout has bands

  int NumColumns() const { return NumArcColumns(model.views.size()); }
};

/// Residuals with their robust weights and their derivatives, each sighting whitened by itself.
/// Unknowns of the cameras' times with a known sigma add a row each at the end: clock /
/// clock_sigma, line_time / line_time_sigma, clock_rate / kClockRateSigma. So do the turn about the
/// axis of bands, its rate and its balance (UnseenSpin).
struct Linearisation {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;        ///< by the columns above
  Eigen::MatrixXd by_calibration;  ///< by what trials share, SightingModel::NumShared columns
};
Linearisation Linearise(const ArcProblem& problem, std::span<const ArcFrame> frames,
                        const ArcUnknowns& x);

/// The same, made white across sightings by the problem's shared offsets (WhitenSharedOffsets).
Linearisation Whitened(Linearisation linear, const ArcProblem& problem,
                       std::span<const ArcFrame> frames);

/// Residuals of all sightings, in order, each whitened by itself.
std::vector<ArcResidual> Residuals(const ArcProblem& problem, std::span<const ArcFrame> frames,
                                   const ArcUnknowns& x);

/// The unknowns moved by a step along some columns of the derivatives.
ArcUnknowns Stepped(const ArcUnknowns& x, const std::vector<int>& columns,
                    const Eigen::VectorXd& step);

/// Least squares by Levenberg and Marquardt, each sighting whitened by itself: the shared offsets
/// have no part in the solution. A step is
///
///     dx = -(J^T J + D / region)^-1 J^T r,    D the diagonal of J^T J,
///
/// and the region grows and shrinks by how much of the expected decrease of r^T r comes true (H. B.
/// Nielsen, Damping parameter in Marquardt's method, 1999). False if it does not converge.
/// @param frames of each arc in order of time.
/// @param unweighted the linearisation of these frames at x, without calibration and robust
/// weights; empty if not known. Becomes that at the solution, from which other weights go on.
bool Solve(const ArcProblem& problem, std::span<const ArcFrame> frames, ArcUnknowns* x,
           Linearisation* unweighted);

/// What two arcs were fitted to and where they came to rest.
struct FittedArcs {
  std::vector<ArcFrame> frames;  ///< with their robust weights
  ArcUnknowns solution;
  double guess_time = 0.0;  ///< as in ArcProblem [s]
  /// Of the whitened residuals, with what sightings share (ImpactFit::correlation_inflation).
  double variance = 1.0;
  bool planar = false;                                           ///< as in ArcFitOptions
  std::vector<int> unknowns;                                     ///< as in ArcProblem
  double clock_sigma = std::numeric_limits<double>::infinity();  ///< as in ArcProblem [s]
  std::vector<SharedOffset> shared_offsets;                      ///< as in ArcProblem
  std::optional<UnseenSpin> spin = {};                           ///< as in ArcProblem
};

/// The problem that they solved. In a plane w is constant, which is how a body turns whose moments
/// of inertia are equal: these stand in for its own.
/// @param model must outlive the problem.
ArcProblem ProblemOf(const FittedArcs& arcs, const SightingModel& model,
                     const Eigen::Matrix3d& inertia_B, const Eigen::Vector3d& gravity);

}  // namespace percuss::tracking
