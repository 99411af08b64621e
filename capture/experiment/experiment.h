// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/yaml_field.h"
#include "capture/experiment/calibration_images.h"
#include "capture/experiment/coefficients.h"
#include "capture/experiment/experiment_body.h"
#include "capture/experiment/trial.h"
#include "capture/experiment/trial_surface.h"
#include "capture/experiment/video_clock.h"

namespace percuss::capture {

/// How grey values encode light.
struct Tone {
  enum class Kind { kSrgb, kLinear, kGamma };
  Kind kind = Kind::kSrgb;
  double gamma = 2.2;  ///< only for kGamma: light = (grey / 255)^gamma
};

/// Rolling shutters read a picture of 720 rows in less than 36 ms [s].
inline constexpr double kUnstatedLineTime = 5e-5;

/// A point that rests while the body drops, in view of both cameras: a round marker.
struct ReferencePoint {
  std::string name;
  Eigen::Vector3d p_W = Eigen::Vector3d::Zero();  ///< where somebody measured it to be [m]
  double sigma = 0.0;                             ///< of each coordinate [m]
  double diameter = 0.0;                          ///< of the marker [m]
};

/// What is known of the times of the cameras against each other.
struct Synchronisation {
  bool genlocked = false;  ///< all expose at the same instants
  /// [s] by which the right camera exposes later than the left one, between frames that the flash
  /// pairs, or without one the motion; if not given, the motion tells.
  std::optional<double> offset = {};
  double offset_sigma = 0.0;  ///< [s]
};

/// A whole experiment.yaml (docs/experiment-file.md), paths resolved and patterns expanded (sorted
/// by name). Board and calibration images are there where a trial has videos or tracks, the marker
/// diameter where one has videos.
struct Experiment {
  std::filesystem::path file;
  std::string name;
  VideoClock clock;
  std::optional<double> exposure;  ///< [s]
  Synchronisation synchronisation;
  /// Of the rolling shutters [s]: one row is exposed this much after the row
  /// above it. 0 for a global shutter.
  PerCamera<double> line_time = {};
  /// Standard deviation of each of them [s]: kUnstatedLineTime where nothing is stated, and the
  /// motion tells (two cameras or more).
  double line_time_sigma = 0.0;
  Tone tone;
  Board board;
  /// One camera looks at a motion in a plane; the surface picture shows the board in that plane,
  /// its columns along the surface and its rows running down.
  bool planar = false;
  CalibrationImages calibration;
  MarkedBody body;
  std::vector<ReferencePoint> reference_points;
  /// Standard deviation of each component of the stated gravity [m/s^2]: 9.81 for what lies between
  /// 9.79 and 9.83 in most places, and a surface that is level to half a millimetre in a metre.
  double gravity_sigma = 0.01;
  bool gravity_sigma_stated = false;
  Coefficients coefficients;  ///< of impact laws, measured elsewhere
  std::vector<Trial> trials;
  /// What the file states for all trials, in canonical form, with the hash of a mesh: all but its
  /// name, `coefficients` and `trials`. Equal texts mean equal results of a trial with an equal
  /// entry.
  std::string shared_entries;
  std::vector<YamlEdit> edits;  ///< with which the file was read

  /// Motion in a plane, or in space where the markers tell all of it to a single view.
  bool OneCamera() const { return planar || calibration.cameras.size() == 1; }
  /// Whether any trial has videos of calibrated cameras, or tracks of points in them.
  bool HasVideos() const;
  /// Whether the trials are of a ball without markers, of which they show the centre and no
  /// orientation: all of them or none.
  bool OfBall() const;
  /// Surfaces that trials have of their own, each once, in the order of the trials.
  std::vector<TrialSurface> OwnSurfaces() const;
};

/// What a reader of an experiment file needs of it.
enum class ExperimentNeeds {
  kAll,
  kCalibration,  ///< board and calibration; body and trials may be left out
};

/// Reads and checks an experiment file.
/// @throws InputError with one line "FILE: FIELD (line N): found VALUE, allowed ..." for a missing
/// file, broken YAML,
///   an unknown key (suggesting the nearest known key), a wrong type, a value out of range, a
///   repeated name, a name that is not a plain file name, a pattern that matches nothing, left and
///   right counts that differ, or a listed file (image, video, surface pair) that is missing.
///   Videos of single trials are checked when they are opened, so that the other trials can go on:
///   only their names are checked here.
/// @param edits what the file is taken to state instead.
Experiment ReadExperiment(const std::filesystem::path& file,
                          ExperimentNeeds needs = ExperimentNeeds::kAll,
                          std::span<const YamlEdit> edits = {});

/// The same file with further edits; of its trials those that `stated` has.
/// @throws InputError as ReadExperiment.
Experiment ReadChanged(const Experiment& stated, std::span<const YamlEdit> edits);

}  // namespace percuss::capture
