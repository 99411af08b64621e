// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/experiment/experiment.h"
#include "synthesis/camera/optics.h"

namespace percuss::synthesis {

/// In lengths of Board::square: how far the last of the board's points lies from the first one, and
/// how far the paper reaches beyond them on each side.
struct BoardExtent {
  Eigen::Vector2d points;
  double beyond = 0.0;
};
BoardExtent BoardExtentOf(const capture::Board& board);

/// Reflectances (0 to 1) and lamps. A face with unit normal n sends
///     reflectance (ambient + (1 - ambient) max(0, n . lamp))
/// to a camera; ground and boards send their reflectance. 1 is the white of the sensor.
struct LightSpec {
  double ground = 0.08;
  double gradient = 0.2;  ///< relative change of the ground's light over 1 m about the origin
  double texture = 0.05;  ///< relative amplitude of the ground's spots
  double body = 0.012;
  double marker = 0.6;
  double post = 0.02;
  Eigen::Vector3d lamp = Eigen::Vector3d(0.1, -0.85, 0.5).normalized();  ///< towards the lamp, W
  double ambient = 0.35;
};

/// Light 1 is `full_well` electrons. Photons follow their square root, the electronics add `read`.
struct NoiseSpec {
  double full_well = 12000.0;  ///< electrons
  double read = 6.0;           ///< electrons
};

struct FlashSpec {
  double time = 0.0;      ///< middle [s]; 0 is the middle of the exposure of left frame 0
  double duration = 0.0;  ///< [s]
  double gain = 1.4;      ///< light with flash over light without
};

/// A dark upright cylinder between cameras and body, standing on the ground.
struct PostSpec {
  Eigen::Vector2d position = Eigen::Vector2d::Zero();  ///< of its axis, x and y in W [m]
  double radius = 0.004;                               ///< [m]
  double height = 0.35;                                ///< [m]
};

/// A round marker that rests in the scene while the body drops; it is not there in the pictures of
/// the board.
struct ReferenceMarker {
  std::string name;
  Eigen::Vector3d position = Eigen::Vector3d::Zero();  ///< W [m]
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();   ///< W, unit length: seen from this side
  double diameter = 0.008;                             ///< [m]
};

/// A body that lies on a plate and slides down, in place of a drop. It rests, then slides downhill
/// from `start` on, with Coulomb friction. A plate that is tilted starts as the surface z = 0, and
/// turns evenly about a line along y from `start` on; the body slides from where the force that
/// would hold it is mu_s times the normal one.
struct SlideSpec {
  double mu_k = 0.25;
  double mu_s = 0.3;                     ///< only of a plate that is tilted
  double start = 0.5;                    ///< [s]
  double start_speed = 0.0;              ///< of a body that is pushed [m/s]
  double tilt_rate = 0.0;                ///< [rad/s]; 0: the plate does not move
  Eigen::Vector2d axis = {0.2, 0.0};     ///< of the tilt, x and z in W [m]
  Eigen::Vector2d place = {-0.06, 0.0};  ///< of the mass centre at rest, x and y [m]
  double way = 0.2;                      ///< after which the clip ends [m]
  double longest = 3.0;                  ///< from the start of the slide [s]
};

/// One drop, stated by what happens at the impact; the flight before is worked out backwards.
struct TrialSpec {
  std::string name;
  Eigen::Vector3d velocity = {-0.815, -0.06, -2.055};        ///< of the mass centre, W [m/s]
  Eigen::Vector3d angular_velocity = {-2.24, -3.28, -2.64};  ///< W [rad/s]
  Eigen::Quaterniond orientation = Eigen::Quaterniond(0.26233507, 0.40290713, 0.58127425,
                                                      -0.65648031)
                                       .normalized();  ///< q_WB
  Eigen::Vector2d contact_point = {-0.055, -0.048};    ///< x and y in W [m]
  double flight_time = 0.2095;                         ///< from release to impact [s]
  double post_flight = 0.2;                            ///< at most, from impact to end of clip [s]
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();   ///< in the axes of its surface [m/s^2]
  /// The plate is turned about the origin of W; all vectors above are in its axes, z out of it.
  std::optional<capture::Slope> slope;
  std::string law;
  std::vector<double> parameters;    ///< in the order of the law
  std::vector<double> start_frames;  ///< of each camera: its frame 0 minus left frame 0, in frames
  std::optional<PostSpec> occluder;
  /// By which each camera was turned about its centre after the calibration: rotation vectors in
  /// its axes [rad].
  std::vector<Eigen::Vector3d> camera_turn;
  std::optional<SlideSpec> slide;  ///< then `velocity` and what belongs to the impact say nothing
};

/// A whole synthetic experiment.
struct SceneSpec {
  std::string name;
  std::uint32_t seed = 1;
  double frame_rate = 120.0;  ///< [Hz]
  double exposure = 0.001;    ///< [s]
  double line_time = 0.0;     ///< rolling shutter: from one row to the next [s]
  capture::Tone::Kind tone = capture::Tone::Kind::kSrgb;
  double blur_px = 0.6;            ///< standard deviation of the lens blur [px]
  double defocus_px = 0.0;         ///< diameter of the disc of a point out of focus [px]
  std::optional<NoiseSpec> noise;  ///< none: only rounding to `bit_depth`
  int bit_depth = 8;               ///< of the videos, 8 or 12; board pictures have 8
  std::optional<int> crf;          ///< H.264 rate factor; none: lossless

  /// Of the videos: FFV1 in MOV where they are deeper than H.264 stores them.
  const char* VideoEnding() const { return bit_depth > 8 ? ".mov" : ".mp4"; }
  /// One camera, and a motion in the plane y = 0 of W.
  bool planar = false;
  std::vector<Camera> cameras;            ///< left, right, then any others; left alone if planar
  std::vector<std::string> camera_names;  ///< of each
  capture::Board board;
  int calibration_pairs = 12;
  LightSpec light;
  FlashSpec flash;
  double carry_time = 0.05;  ///< from rest to release [s]
  capture::MarkedBody body;
  std::vector<ReferenceMarker> reference_markers;
  std::vector<TrialSpec> trials;

  /// A camera as it stands in a trial.
  Camera CameraOf(const TrialSpec& trial, std::size_t camera) const {
    return Turned(cameras[camera], trial.camera_turn[camera]);
  }
};

/// Axes of the surface of a trial to W.
Eigen::Matrix3d WorldFromSurface(const TrialSpec& trial);

/// The scene in the axes of the surface of a trial: cameras, lamp and reference markers turned.
SceneSpec FromSurface(SceneSpec spec, const TrialSpec& trial);

}  // namespace percuss::synthesis
