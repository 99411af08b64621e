// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "synthesis/camera/optics.h"
#include "synthesis/ruler/ruler.h"
#include "synthesis/scene/scene_spec.h"

namespace percuss::synthesis {

/// A camera at `position` (W) that looks at `target`, its x axis level but for `roll` [rad]; lens
/// without distortion, principal point in the middle of the picture.
Camera BallCamera(int width, int height, double focal_length_px, const Eigen::Vector3d& position,
                  const Eigen::Vector3d& target, double roll = 0.0);

/// Reflectances (0 to 1) and the lamp. Ground and wall send their reflectance, the ball
///     reflectance (ambient + (1 - ambient) max(0, n . lamp)).
/// 1 is the white of the sensor.
struct BallLight {
  double ground = 0.25;
  double wall = 0.4;  ///< upright plane behind the ball, at right angles to the camera's heading
  double gradient = 0.2;       ///< relative change of the light over 1 m, on both
  double texture = 0.15;       ///< relative amplitude of the spots on both
  double texture_size = 0.03;  ///< of the spots; there are others of a fifth of it [m]
  double wall_distance = 0.6;  ///< from the camera's target to the wall, level [m]
  double ball = 0.85;
  Eigen::Vector3d lamp = Eigen::Vector3d(0.3, -0.6, 0.8).normalized();  ///< towards the lamp, W
  double ambient = 0.45;
  double shadow = 0.4;        ///< share of the ground's light that the ball takes; 0: no shadow
  double lamp_radius = 0.06;  ///< angular, blurs the shadow [rad]
};

/// A pattern fixed to the ball.
struct BallTexture {
  enum class Kind { kNone, kDots, kSeams };
  Kind kind = Kind::kNone;
  int count = 12;            ///< of dots, spread evenly over the sphere; at most 200
  double diameter = 0.006;   ///< of a dot, or width of a seam, along the sphere [m]
  double reflectance = 0.1;  ///< of dots or seams
};

/// The camera turns about its centre while it films: yaw, pitch and roll are sums of sines of
/// random frequencies up to `rate`. Each picture is taken with the turn of its middle row.
struct ShakeSpec {
  double amplitude_px = 0.0;  ///< rms of the shift of the middle of the picture, each way [px]
  double rate = 3.0;          ///< highest frequency [Hz]
};

/// e(v) = value + speed_slope v with the normal speed v before the bounce, held between 0 and 1.
struct BallRestitution {
  std::vector<double> values = {0.8};  ///< of bounce 1, 2, ...; the last one holds for all others
  double speed_slope = 0.0;            ///< [s/m]
};

/// The sound of the clip. At each contact a decaying oscillation begins, heard distance / 343 m/s
/// later, whose amplitude is that of the normal speed.
struct BallSound {
  double rate = 48000.0;            ///< [Hz]
  double snr_db = 30.0;             ///< peak of the loudest click over rms of the noise
  double offset = 0.0;              ///< how much later the file has the sound than it was heard [s]
  double click_frequency = 3000.0;  ///< [Hz]
  double click_decay = 0.004;       ///< to 1/e [s]
  double echo_delay = 0.0;          ///< [s]; 0: none
  double echo_gain = 0.0;           ///< amplitude of the echo over that of the sound
  bool voices = false;              ///< band-passed bursts at unrelated times
  bool music = false;               ///< a few steady tones
  bool in_clip = true;              ///< PCM of clip.mov
  bool in_wav = false;              ///< DIR/sound.wav
};

/// One clip of a ball that is let go or thrown and bounces, seen by one camera.
struct BallSpec {
  std::string name = "ball";
  std::uint32_t seed = 1;
  double frame_rate = 30.0;  ///< [Hz]
  double exposure = 0.004;   ///< [s]
  double line_time = 0.0;    ///< rolling shutter: from one row to the next [s]
  capture::Tone::Kind tone = capture::Tone::Kind::kSrgb;
  double blur_px = 0.7;                          ///< standard deviation of the lens blur [px]
  std::optional<NoiseSpec> noise = NoiseSpec{};  ///< none: only rounding to 8 bit
  std::optional<int> crf = 18;                   ///< H.264 rate factor; none: lossless
  Camera camera = BallCamera(1920, 1080, 1500.0, {0.0, -1.2, 0.4}, {0.0, 0.0, 0.35});
  /// Of the camera, from which wall_distance counts.
  Eigen::Vector3d target = {0.0, 0.0, 0.35};
  ShakeSpec shake;
  BallLight light;
  std::optional<RulerSpec> ruler;  ///< before wall and ground, behind the ball

  double radius = 0.02;               ///< [m]
  double mass = 0.0027;               ///< [kg]
  double inertia_factor = 2.0 / 3.0;  ///< I = inertia_factor m R^2: 0.4 solid, 2/3 hollow
  BallTexture texture;
  double drag_coefficient = 0.0;                   ///< 0: no air
  double air_density = 1.204;                      ///< [kg/m^3]
  bool lift = true;                                ///< Magnus force, where there is air
  Eigen::Vector3d gravity = {0.0, 0.0, -9.80665};  ///< W [m/s^2]
  /// Out of the surface, a plane through the origin of W; unit length.
  Eigen::Vector3d surface_normal = Eigen::Vector3d::UnitZ();

  Eigen::Vector3d start = {-0.3, 0.0, 0.5};                    ///< of the centre, W [m]
  Eigen::Vector3d velocity = {0.3, 0.0, 0.0};                  ///< at release, W [m/s]
  Eigen::Vector3d angular_velocity = Eigen::Vector3d::Zero();  ///< at release, W [rad/s]
  double hold = 0.2;                                           ///< from frame 0 to release [s]

  BallRestitution e;
  double mu = 0.2;            ///< Coulomb friction
  double contact_time = 0.0;  ///< from touch to leaving; 0: at once [s]
  double duration = 2.0;      ///< of the clip [s]
  int bounces = 0;  ///< above 0: the clip ends with the flight after this bounce, not by `duration`
  std::optional<BallSound> sound;
};

}  // namespace percuss::synthesis
