// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/value_with_sigma.h"
#include "fitting/result/fit_files.h"
#include "fitting/result/impulse_files.h"
#include "impacts/impact_record.h"

namespace percuss::report {

using fitting::ImpulseDiagram;
using fitting::LawFit;
using fitting::ParameterEstimate;
using fitting::TrialComparison;
using impacts::ImpactRecord;

// What the files of a run hold (docs/file-formats.md), as far as the report shows it. SI units;
// angles in rad. A number that a file leaves out is NaN.

using Measured = ValueWithSigma;
using MeasuredVector = std::array<Measured, 3>;

/// Values on a raster from the centre of the first to that of the last pixel, row by row.
struct RasterFacts {
  int columns = 0, rows = 0;
  std::vector<double> values{};
};

/// A corner of the board in a picture, and what the calibration left of it: measured less
/// projected.
struct CornerFacts {
  double x_px = kNaN, y_px = kNaN, residual_x_px = kNaN, residual_y_px = kNaN;
};

struct CameraFacts {
  std::string name{};
  int width = 0, height = 0;                                         ///< [px]
  std::string lens{};                                                ///< brown, rational or fisheye
  Measured fx{}, fy{}, cx{}, cy{};                                   ///< [px]
  std::vector<std::pair<std::string, ValueWithSigma>> distortion{};  ///< k1 and so on
  Measured baseline{kNaN, kNaN};       ///< distance from the first camera [m]; NaN for that one
  Measured angle{kNaN, kNaN};          ///< rotation from the first camera [rad]; NaN for that one
  double coverage = kNaN;              ///< share of the image with corners
  std::vector<CornerFacts> corners{};  ///< of all views; empty if corners.csv is missing
  RasterFacts projection_sigma_px{};   ///< over the image, of a point fixed in W
};

struct ViewFacts {
  std::vector<std::string> files{};  ///< [camera]
  std::vector<double> rms_px{};      ///< [camera]
  bool used = false;
  std::string reason{};
};

/// One quantity by the calibration of the Sun thesis and by ours.
struct ThesisRow {
  std::string quantity{};
  double thesis = kNaN, joint = kNaN;
};
struct CalibrationFacts {
  std::vector<CameraFacts> cameras{};
  double rms_px = kNaN, rms_px_heldout = kNaN, corner_sigma_px = kNaN;
  double tilt_range_deg = kNaN;          ///< largest angle between two boards
  Measured board_scale{kNaN, kNaN};      ///< size of the squares over the stated one
  std::array<Measured, 2> board_warp{};  ///< along columns and rows [m]
  // What to expect of measurements, and what is wrong with the cameras beside noise.
  double point_sigma_median = kNaN, point_sigma_worst = kNaN;  ///< [m]
  double halves_rms_px = kNaN, halves_predicted_px = kNaN;
  std::vector<std::string> pattern_findings{};
  std::string next_view{};
  double next_view_ratio = kNaN;  ///< of the sigmas with that view over those without
  std::vector<ThesisRow> thesis{};
  std::string thesis_tables{}, thesis_reason{};
  std::vector<ViewFacts> views{};
  std::string verdict{};
  std::vector<std::string> reasons{};
};

struct ArcFacts {
  int first_frame = 0, last_frame = 0, frames = 0, observations = 0;
  double rms_px = kNaN;
  MeasuredVector gravity{};  ///< [m/s^2], W
};

/// Place of a body.
struct PlaceFacts {
  Eigen::Vector3d position = fitting::kNaNVector;  ///< [m], W
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
};

/// One picture of an impact, cut to the body.
struct PictureFacts {
  std::string jpeg{};              ///< the file's content
  std::string camera{}, moment{};  ///< before | at | after
  int frame = 0;
  double time = kNaN;                            ///< [s]
  std::array<double, 4> region_px{};             ///< left, top, width, height in the image
  std::vector<std::array<double, 2>> markers{};  ///< [px] of the image
  PlaceFacts place{};                            ///< measured
};
struct ImpactPictures {
  std::string trial{};                            ///< as in fit.json
  double time = kNaN;                             ///< [s]
  PlaceFacts place{};                             ///< of the body at the impact
  Eigen::Vector3d gravity = fitting::kNaNVector;  ///< [m/s^2]
  std::vector<PictureFacts> pictures{};
};
struct TrialPictures {
  std::vector<Eigen::Vector3d> outline{};  ///< points whose hull is the body's [m], B
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Constant(kNaN);  ///< [kg m^2], B
  std::vector<ImpactPictures> impacts{};
};

/// A marker where the cameras saw it [px], left and right; NaN where one did not.
struct SightingFacts {
  std::string marker{};
  std::array<std::array<double, 2>, 2> pixel = {{{kNaN, kNaN}, {kNaN, kNaN}}};
};

struct PoseFacts {
  int frame = 0;
  double time = kNaN;
  std::string phase{};  ///< before | after | other
  double x = kNaN, y = kNaN, z = kNaN;
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  double rms_px = kNaN;
  double lowest_marker = kNaN;  ///< height of the lowest marker seen in this frame [m]
  int right_frame = -1;         ///< of the right video; -1 where it has none
  std::array<double, 2> exposed = {kNaN, kNaN};  ///< by left and right camera; NaN: no picture [s]
  std::vector<SightingFacts> sightings{};
};

struct FlashFacts {
  int left_frame = 0, right_frame = 0;
  double lag_frames = kNaN;
};

/// One impact and the flight on either side of it.
struct TrialImpactFacts {
  Measured time{};      ///< [s]
  double frame = kNaN;  ///< left camera, with its fraction
  std::optional<ArcFacts> before{}, after{};
  std::array<double, 3> stated_gravity = {kNaN, kNaN, kNaN};  ///< [m/s^2], W
};

/// Mean square of the normalised innovations of one flight, 1 if pixels and motion are as taken.
struct InnovationFacts {
  std::string side{};
  double mean_square = kNaN, low = kNaN, high = kNaN;  ///< 95 of 100 lie between the last two
};
struct TrialFacts {
  std::filesystem::path folder{};
  std::string name{};
  std::string status{};  ///< ok | bad_input | no_answer
  std::string message{};
  int frames = 0;
  bool is_motion_capture = false;  ///< trajectories of another system, no videos
  std::optional<FlashFacts> flash{};
  std::vector<TrialImpactFacts> impacts{};     ///< in the order of time
  std::string states{"arcs"};                  ///< how the velocities were found
  std::vector<InnovationFacts> innovations{};  ///< before, after; empty unless they are smoothed
  Measured marker_scale{kNaN, kNaN};           ///< stated over measured distances of markers
  std::vector<std::string> warnings{};
  std::vector<PoseFacts> poses{};
  TrialPictures pictures{};
  std::string overlay_video{};  ///< relative to the run folder; empty: none
};

/// What was dropped, as the experiment file states it.
struct ExperimentFacts {
  std::string body{};  ///< in words, with sizes
  double mass = kNaN;  ///< [kg]
  int markers = 0;
  std::string board{};  ///< in words
};

/// Where a file came from.
struct ProvenanceFacts {
  std::string file{};  ///< relative to the run folder
  std::string format{}, program{}, command{};
  std::vector<std::pair<std::string, std::string>> inputs{};  ///< file, SHA-256
};

struct RunFolder {
  std::filesystem::path path{};
  std::string name{};
  std::optional<CalibrationFacts> calibration{};
  std::vector<TrialFacts> trials{};
  std::vector<impacts::ImpactRecord> impacts{};
  std::optional<fitting::FitReport> fit{};
  fitting::ImpulsesOfLaws impulses{};
  std::optional<ExperimentFacts> experiment{};
  std::vector<std::pair<std::string, std::string>>
      settings{};  ///< run.json, flattened: path, value
  std::vector<ProvenanceFacts> provenance{};
  std::vector<std::string> missing_parts{};  ///< sentences: which file is missing, what that costs
};

/// Reads whatever is there.
/// @throws InputError naming file and field (or line and column) of what is broken, and the folder
/// when it holds none of the files.
RunFolder ReadRunFolder(const std::filesystem::path& folder);

// One file each; calibration_reader.cc, trial_reader.cc, picture_reader.cc.
CalibrationFacts ReadCalibrationFacts(const std::filesystem::path& file);
/// trial.json with poses.csv beside it, where that exists.
TrialFacts ReadTrialFacts(const std::filesystem::path& trial_folder);
/// What only those trials need that are shown with plots and pictures: there may be thousands of
/// others.
void ReadShownFacts(TrialFacts* trial);
TrialPictures ReadPictures(const std::filesystem::path& pictures_json);

}  // namespace percuss::report
