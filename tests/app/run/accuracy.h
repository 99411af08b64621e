// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

// How far the files of a `percuss run` are from the truth.json of rendered data: for tests and
// benchmarks.
namespace percuss::truth {

/// An error and what the program says its standard deviation is: lengths of the error vector and of
/// the vector of sigmas.
struct Error {
  double value = std::numeric_limits<double>::infinity();
  double sigma = std::numeric_limits<double>::quiet_NaN();
};

/// Errors of one trial; infinite where the program gave no answer. SI.
struct TrialAccuracy {
  std::string trial;
  Error v, w, v_post, w_post;
  Error time;                                         ///< [frames]
  Error dissipation_measured, dissipation_predicted;  ///< fraction of the kinetic energy before
  /// Squared error of the twelve velocities in sigmas, covariances included: chi-square with 12
  /// degrees of freedom if the covariance is honest.
  double chi_square = std::numeric_limits<double>::infinity();
};

struct CoefficientAccuracy {
  double value = std::numeric_limits<double>::quiet_NaN();
  double truth = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::infinity();  ///< absolute
  bool truth_inside_ci95 = false;
};

struct Accuracy {
  double focal_length_percent = 0.0;  ///< worst of fx, fy of both cameras
  double principal_point_px = 0.0;    ///< worst of cx, cy of both cameras
  double calibration_rms_px = 0.0;    ///< as the program states it
  double rotation_deg = 0.0;          ///< between the cameras
  double baseline_percent = 0.0;
  double marker_rms_flight_mm = 0.0;  ///< over the rows of markers.csv in free flight
  double marker_rms_mm = 0.0;         ///< over all rows
  int num_marker_rows_flight = 0;
  int num_marker_rows = 0;
  CoefficientAccuracy mu, e;          ///< law stronge
  std::vector<TrialAccuracy> trials;  ///< as in truth.json

  double WorstVelocity() const;         ///< [m/s], before or after, of any trial
  double WorstAngularVelocity() const;  ///< [rad/s]
  double WorstDissipationMeasured() const;
  double WorstDissipationPredicted() const;
};

/// Compares the files in `results` with `data`/truth.json. A trial or coefficient that is missing
/// has infinite error; a missing or malformed file throws. Of a run with the left camera alone
/// there is nothing between cameras and no place of a single marker.
Accuracy CompareWithTruth(const std::filesystem::path& data, const std::filesystem::path& results);

/// One line of the table of what must be reached: `measured` must not exceed `bound`.
struct BoundRow {
  std::string name;
  std::string unit;
  double bound = 0.0;
  double measured = std::numeric_limits<double>::infinity();
  bool Ok() const { return measured <= bound; }  ///< false for NaN
};

/// The table for the accuracy of the results, without time and memory.
std::vector<BoundRow> BoundTable(const Accuracy& accuracy);

}  // namespace percuss::truth
