// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/toss/toss_engine.h"
#include "tracking/pose/flight_estimate.h"

namespace percuss::benchmarks {

/// A recorded toss of a cube, in the frame of the file.
struct Toss {
  std::string name;
  double interval = 0.0;        ///< between samples [s]
  std::vector<TossPose> poses;  ///< of the middle of the cube
  int num_flight = 0;           ///< samples from the first on that belong to the first flight
};

struct TossSet {
  TossCube cube;         ///< as stated, its mass centre in the middle
  double gravity = 0.0;  ///< as stated [m/s^2]
  std::vector<Toss> tosses;
};

/// Reads the poses of an experiment whose body is a cube with equal moments of inertia. The first
/// flight ends `clear_samples` before the first sample with a corner nearer to z = 0 than
/// `clearance`: filters smear the impact over the samples next to it.
/// @throws InputError for what the files say wrong
TossSet ReadTosses(const std::filesystem::path& experiment_file, double clearance = 0.004,
                   int clear_samples = 2);

/// What all tosses share beside the law of contact and the body.
struct TossSurroundings {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  ///< as the flights show it [m/s^2]
  double scale = 1.0;    ///< recorded over true lengths: gravity as the flights show it over stated
  double surface = 0.0;  ///< height of the plane [m]
  double position_sigma = 0.0, angle_sigma = 0.0;  ///< of a sample, from the flights [m], [rad]
  /// By how much errors that follow each other widen a variance, InflationOverFrames.
  double inflation = 1.0;
};

/// Gravity pooled over the flights, height of the plane below cubes that have come to rest, noise.
TossSurroundings EstimateSurroundings(const TossSet& set, const std::vector<int>& tosses);

/// The cube in recorded lengths.
TossCube RecordedCube(const TossCube& cube, const TossSurroundings& surroundings);

/// The state of the mass centre at the first sample, fitted to the first flight.
tracking::FlightEstimate FitStart(const Toss& toss, const TossCube& cube,
                                  const TossSurroundings& surroundings);

/// A start above the plane z = 0: one that begins in the surface, by noise, is lifted out of it.
TossThrow ThrowOf(const Toss& toss, const solver::FlightState<double>& start, const TossCube& cube,
                  const TossSurroundings& surroundings);

}  // namespace percuss::benchmarks
