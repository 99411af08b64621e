// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "impacts/impact_files.h"
#include "solver/law/impact_law.h"

namespace percuss::fitting {

/// The bar of data/bar-drop: 0.3065 x 0.0515 x 0.0125 m, 0.185 kg, homogeneous.
solver::Body Bar();

/// An exact impact of the bar: falling at about 2 m/s with a random orientation, drift and spin,
/// touching with its lowest corner; the states after it come from the law "stronge".
impacts::ImpactRecord ExactImpact(std::mt19937& random, const std::string& trial, double mu,
                                  double e);
/// The same, drawn again until all its modes are `mode`.
impacts::ImpactRecord ExactImpactInMode(std::mt19937& random, const std::string& trial, double mu,
                                        double e, solver::ContactMode mode);

/// A covariance as a tracker would state it: about 0.5 mrad, 3 mm/s, 0.03 rad/s, everything
/// correlated with everything (the rotation is shared by the states before and after).
impacts::ImpactCovariance TrackerCovariance(std::mt19937& random);

/// How an error of the length scale and of the direction of the surface frame (3 small rotations)
/// changes the state: 18 x 30 with the four in front.
Eigen::MatrixXd CalibrationSensitivity(const impacts::ImpactRecord& record);
/// 0.1 % of scale, 1.5 mrad of direction.
Eigen::MatrixXd CalibrationCovariance();

Eigen::VectorXd DrawNormal(std::mt19937& random, const Eigen::MatrixXd& covariance);

/// Adds an error vector (order of ImpactRecord) to the measured state; the contact arm turns along.
void AddError(const Eigen::VectorXd& error, impacts::ImpactRecord& record);

/// One experiment: impacts of one mode (ExactImpactInMode), each with an error drawn from its
/// stated covariance and, if asked for, one calibration error for all.
impacts::ImpactTable NoisyTable(std::mt19937& random, double mu, double e, int num_trials,
                                bool with_calibration, solver::ContactMode mode);
/// The same of sliding impacts.
impacts::ImpactTable NoisySlidingTable(std::mt19937& random, double mu, double e, int num_trials,
                                       bool with_calibration);

/// A box of 80 x 60 x 50 mm, 0.2 kg, homogeneous.
solver::Body Carton();

/// Landings of that box on a face (4 points), on an edge (2) or on a corner (1), drifting and
/// turning; what follows is the law "multi-point", and each has an error as in NoisyTable. The
/// contact arm leads to the lowest corner of the measured pose.
impacts::ImpactTable NoisyLandings(std::mt19937& random, double mu, double e, int num_trials,
                                   int num_points);

}  // namespace percuss::fitting
