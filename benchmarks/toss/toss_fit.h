// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "benchmarks/toss/toss_data.h"

namespace percuss::benchmarks {

/// Two halves of the tosses, drawn at random, and what the first of them says of the surroundings.
struct TossSplit {
  std::vector<int> fitted, tested;
  TossSurroundings surroundings;
};
TossSplit SplitTosses(const TossSet& set, unsigned seed);

/// The measure of B. Acosta, W. Yang, M. Posa, Validating Robotics Simulators on Real-World
/// Impacts, RA-L 7(3), 2022, as their program has it: squared distance over half the edge of the
/// cube, not over its square, so that it has the unit of a length beside one of a squared angle.
struct TossError {
  double weighted = 0.0;               ///< |dp|^2 / (edge / 2) + angle^2
  double distance = 0.0, angle = 0.0;  ///< means [m], [rad]
};

/// Means over the samples from `first` to before `end`; large where the simulation failed.
TossError ErrorBetween(const std::vector<TossPose>& seen, const std::vector<TossPose>& simulated,
                       double edge, int first, int end);

/// What a simulation needs beside the throw.
struct TossModel {
  TossEngineMaker engine;
  TossCube cube;  ///< in recorded lengths
  std::vector<double> coefficients;
};

/// Poses of the middle of the cube, in the frame of the file, from a state of the mass centre.
std::vector<TossPose> Predict(const TossEngine& engine, const TossModel& model, const Toss& toss,
                              const solver::FlightState<double>& start,
                              const TossSurroundings& surroundings, int count);

enum class TossPart {
  kWhole,      ///< from the first sample to the last
  kFromTouch,  ///< from the end of the first flight to the last
  kShort       ///< kShortSamples from the end of the first flight on
};
/// The first impact and what follows at once, 0.14 s: too short for a small error of the law to
/// land the cube on another face.
inline constexpr int kShortSamples = 20;

/// Of each of the tosses, predicted from the state fitted to its first flight.
std::vector<TossError> Errors(const TossSet& set, const std::vector<int>& tosses,
                              const TossSurroundings& surroundings, const TossModel& model,
                              TossPart part = TossPart::kWhole);
TossError Mean(const std::vector<TossError>& errors);

struct TossFitOptions {
  TossPart part = TossPart::kShort;
  /// Means of the roots of the errors: a toss that goes another way counts little.
  bool roots = true;
  /// Fits mass centre and inertia of the cube too, from the stated ones on.
  bool free_body = true;
  int calls = 200;  ///< of the mean over all tosses
};

/// The coefficients, and the body if it is free, for which the tosses to fit with are predicted
/// best. @param cube in recorded lengths
TossModel FitTosses(const TossSet& set, const TossSplit& split, const TossEngineMaker& engine,
                    const TossCube& cube, const TossFitOptions& options);

}  // namespace percuss::benchmarks
