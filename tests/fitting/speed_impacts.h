// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>

#include "impacts/impact_files.h"
#include "solver/body/rigid_body.h"

namespace percuss::fitting {

/// A contact in a boundary layer by its material, natsiavas (39)-(44).
struct LayerTruth {
  double mu = 0.2;
  double stiffness = 2e6;        ///< k [N/m]
  double width = 1e-3;           ///< b [m]: k b^2 = 2 J
  double damping = 0.4;          ///< c / (k b), at every speed or at the reference speed
  double reference_speed = 0.0;  ///< [m/s]; 0: none
};

/// 50 g, 40 mm in diameter, homogeneous.
solver::Body RatesBall();

/// Impacts of that ball in the x-z plane that slide throughout, at approach speeds between
/// `slowest` and `fastest` [m/s], even in their logarithm, with errors of 10 mm/s and 0.5 rad/s.
/// What follows is the closed form of a central contact (closed_form::SolveCentralLayer): e u_n and
/// mu int F_n dt.
impacts::ImpactTable NoisySpeeds(std::mt19937& random, const LayerTruth& truth, int num_trials,
                                 double slowest = 0.5, double fastest = 5.0);

/// As a table of columns trial, vx, vz, wy, vx_post, vz_post, wy_post.
std::string ToCsv(const impacts::ImpactTable& table);

}  // namespace percuss::fitting
