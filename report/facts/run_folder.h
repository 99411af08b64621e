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
#include "calibration/rig/rig_calibration.h"
#include "fitting/result/fit_files.h"
#include "fitting/result/impulse_files.h"
#include "impacts/impact_record.h"

namespace percuss {
class JsonField;
}

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

/// A corner of the board in a picture, and what the calibration left of it: measured less
/// projected.
struct CornerFacts {
  double x_px = kNaN, y_px = kNaN, residual_x_px = kNaN, residual_y_px = kNaN;
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

/// Small pictures of a trial beside each other in one, row by row.
struct FilmFacts {
  std::string jpeg{};                      ///< the file's content; empty where there is none
  int columns = 0, width = 0, height = 0;  ///< pictures in a row; of one picture [px]
  std::vector<double> times{};             ///< of each [s]
};

/// A marker where the cameras saw it [px], left, right and the others; NaN where one did not.
struct SightingFacts {
  std::string marker{};
  Eigen::Vector3d place = fitting::kNaNVector;  ///< [m], W
  std::vector<std::array<double, 2>> pixel{};
};

/// What one camera took of an instant.
struct ExposureFacts {
  int frame = -1;      ///< of its video; -1: no picture
  double time = kNaN;  ///< [s]
};

struct PoseFacts {
  int frame = 0;
  double time = kNaN;
  std::string phase{};  ///< before | after | other
  double x = kNaN, y = kNaN, z = kNaN;
  Eigen::Quaterniond orientation = Eigen::Quaterniond::Identity();
  double rms_px = kNaN;
  double lowest_marker = kNaN;           ///< height of the lowest marker seen in this frame [m]
  std::vector<ExposureFacts> exposed{};  ///< by left, right and the other cameras
  std::vector<SightingFacts> sightings{};
};

struct FlashFacts {
  int left_frame = 0, right_frame = 0;
};

/// How the frames of two videos were paired.
struct AlignmentFacts {
  double lag_frames = kNaN;
  std::vector<std::string> rests_on{};  ///< flash, motion
};

/// One impact and the flight on either side of it.
struct TrialImpactFacts {
  Measured time{};      ///< [s]
  double frame = kNaN;  ///< left camera, with its fraction
  std::optional<ArcFacts> before{}, after{};
  std::array<double, 3> stated_gravity = {kNaN, kNaN, kNaN};  ///< [m/s^2], W
  /// Between marker and line of sight, median over both flights, left and right camera [degrees].
  std::array<double, 2> obliquity = {kNaN, kNaN};
};

/// Mean square of the normalised innovations of one flight, 1 if pixels and motion are as taken.
struct InnovationFacts {
  std::string side{};
  double mean_square = kNaN, low = kNaN, high = kNaN;  ///< 95 of 100 lie between the last two
};

/// A point that rests while the body drops: where it was found less where it is stated to be.
struct ReferenceFacts {
  std::string name{};
  MeasuredVector error{};                       ///< W [m]
  double p = kNaN;                              ///< how often chance gives as much
  double share = kNaN;                          ///< of the distance from the left camera
  std::array<double, 2> off_px = {kNaN, kNaN};  ///< in the pictures of left and right
};
struct TrialFacts {
  std::filesystem::path folder{};
  std::string name{};
  std::string status{};  ///< ok | bad_input | no_answer
  std::string message{};
  int frames = 0;
  bool is_motion_capture = false;  ///< trajectories of another system, no videos
  std::string ball{};  ///< of a ball without markers: clip, table, videos (of two cameras)
  std::optional<FlashFacts> flash{};  ///< nothing where none was seen
  std::optional<AlignmentFacts> alignment{};
  std::vector<TrialImpactFacts> impacts{};     ///< in the order of time
  std::string states{"arcs"};                  ///< how the velocities were found
  std::vector<InnovationFacts> innovations{};  ///< before, after; empty unless they are smoothed
  Measured marker_scale{kNaN, kNaN};           ///< stated over measured distances of markers
  std::vector<ReferenceFacts> reference_points{};
  std::vector<std::string> warnings{};
  // By ReadShownFacts alone: there may be thousands of trials.
  std::vector<PoseFacts> poses{};
  TrialPictures pictures{};
  FilmFacts film{};
  std::string overlay_video{};  ///< relative to the run folder; empty: none
  std::string page{};           ///< of the bounces of its clip, likewise
};

/// Whether it has the pictures of two cameras and the images of markers in them.
bool HasMarkerImages(const TrialFacts& trial);

/// A trial in which the body slid down a plate.
struct SlideFacts {
  struct Point {
    double time = kNaN, s = kNaN, fitted = kNaN, slope_deg = kNaN;
  };
  TrialFacts trial{};
  std::string start{};        ///< from-rest | knocked | moving
  std::string mu_s_reason{};  ///< why there is no mu_s
  bool tilting = false;
  Measured mu_k{}, mu_s{}, angle{}, acceleration{}, friction_change{};
  double path = kNaN;  ///< [m]
  int frames = 0;
  std::vector<Point> points{};
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
  std::vector<std::string> notes{};  ///< what run.json says of the experiment file
  std::optional<calibration::RigCalibration> calibration{};
  /// [camera]: corners of all views; empty if corners.csv is missing.
  std::vector<std::vector<CornerFacts>> corners{};
  std::vector<TrialFacts> trials{};  ///< drops
  double frame_rate = kNaN;          ///< median over the first dozen of them [1/s]
  std::vector<SlideFacts> slides{};
  std::vector<impacts::ImpactRecord> impacts{};
  std::optional<fitting::FitReport> fit{};
  fitting::ImpulsesOfLaws impulses{};  ///< by ReadImpulses alone
  std::optional<ExperimentFacts> experiment{};
  std::vector<std::pair<std::string, std::string>>
      settings{};  ///< run.json, flattened: path, value
  std::vector<ProvenanceFacts> provenance{};
  std::vector<std::string> missing_parts{};  ///< sentences: which file is missing, what that costs
};

/// Reads whatever is there, but for what only a report shows.
/// @throws InputError naming file and field (or line and column) of what is broken, and the folder
/// when it holds none of the files.
RunFolder ReadRunFolder(const std::filesystem::path& folder, int num_threads = 1);

// One file each; trial_reader.cc, picture_reader.cc.
/// trial.json, or what it holds.
TrialFacts ReadTrialFacts(const std::filesystem::path& trial_folder);
TrialFacts ReadTrialFacts(const JsonField& root, const std::filesystem::path& trial_folder);
/// The same of a slide, with slide.csv; nothing for a drop.
std::optional<SlideFacts> ReadSlideFacts(const std::filesystem::path& trial_folder);
std::optional<SlideFacts> ReadSlideFacts(const JsonField& root,
                                         const std::filesystem::path& trial_folder);
/// What only those trials need that are shown with plots and pictures: poses, markers, pictures.
void ReadShownFacts(TrialFacts* trial);
/// poses.csv of a trial; nothing where there is none.
std::vector<PoseFacts> ReadPoses(const std::filesystem::path& trial_folder);
TrialPictures ReadPictures(const std::filesystem::path& pictures_json);
/// With film.jpg beside it.
FilmFacts ReadFilm(const std::filesystem::path& film_json);

}  // namespace percuss::report
