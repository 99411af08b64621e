// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "solver/contact/contact_peaks.h"
#include "solver/multi_contact/multi_point_impact.h"
#include "solver/restitution/visco_elastoplastic.h"

namespace percuss::solver {

enum class DurationStatus {
  kSolved,
  kNoApproach,  ///< no point of the event approaches, so that none carries the force law
  kStepFailed   ///< the integration over time does not come to the end of compression
};

/// An impact event in time. One row for each time, one column for each point of the event; forces
/// three (or two) columns for each, in its contact frame.
struct ContactDuration {
  DurationStatus status = DurationStatus::kSolved;
  std::string reason;
  int independent = -1;  ///< place in the event of the point that carries the force law
  std::vector<double> times;
  Eigen::MatrixXd deformation;     ///< delta [m], positive when compressed
  Eigen::MatrixXd normal_force;    ///< [N]
  Eigen::MatrixXd force;           ///< [N]
  double compression_time = 0.0;   ///< when the independent point is compressed [s]
  double compression_force = 0.0;  ///< its force then [N]
  double compression_work = 0.0;   ///< W_n of the event then [J]
};

/// Adds time, deformation and forces to an event of a rigid impact, whose velocities and impulses
/// stay what they are (chatterjee2019 chapter 7): the point that approaches fastest
/// carries `law`; dp_n/dt = f_n, d(delta_i)/dt = -u_ni. In its compression f_n is the loading law,
/// after it (7.29). The forces of each other point then follow from its own deformation, (7.8),
/// (7.16). This is the thesis' integration over beta with time as the variable, in which the
/// singularities at f_n = 0 and u_n = 0 do not arise.
/// @param summary of `problem`, with MultiImpactOptions::record_path
/// @param resting_forces normal reactions before the impact, for points that rest [N]; empty: zero
/// @throws std::invalid_argument for an event that is not there or has no path.
ContactDuration AugmentEvent(const MultiImpactProblem& problem, const MultiImpactSummary& summary,
                             int event, const ViscoElastoplasticLaw& law,
                             const std::vector<double>& resting_forces = {});

/// What it comes to for one point, by its place in the event; NaN where it is not solved.
ContactPeaks PeaksOf(const ContactDuration& duration, int point);

}  // namespace percuss::solver
