// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// What is written, read back by capture's readers.

#include "synthesis/ball/ball_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <set>

#include "capture/sound/sound_onsets.h"
#include "capture/video/sound_reader.h"
#include "capture/video/video.h"
#include "synthesis/ball/ball_clip.h"
#include "synthesis/ball/ball_reader.h"
#include "synthesis/ball/ball_sound.h"
#include "tests/base/temporary_folder.h"

namespace percuss::synthesis {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

BallSpec SmallClip() {
  BallSpec spec;
  spec.camera = BallCamera(160, 120, 200.0, {0.0, -1.2, 0.4}, {0.0, 0.0, 0.35});
  spec.frame_rate = 60.0;
  spec.duration = 1.5;
  spec.crf.reset();
  return spec;
}

// The first sample after `from` that is louder than a hundredth of the loudest click of what is
// heard near it [s].
double FirstLoudSample(const capture::SoundTrack& sound, double from, double level) {
  for (std::size_t i = 0; i < sound.samples.size(); ++i) {
    const double t = sound.start + static_cast<double>(i) / sound.rate;
    if (t >= from && std::abs(sound.samples[i]) > level) return t;
  }
  return NAN;
}

TEST(BallFiles, AClickIsInTheFileWhereTheBounceIsHeard) {
  for (const char* file_choice : {"clip", "wav"}) {
    for (const double offset : {0.0, 0.1234}) {
      for (const double rate : {48000.0, 44100.0}) {
        const testing::TemporaryFolder folder;
        BallSpec spec = SmallClip();
        BallSound& sound = spec.sound.emplace();
        sound.rate = rate;
        sound.snr_db = 120.0;
        sound.offset = offset;
        sound.in_clip = std::string(file_choice) == "clip";
        sound.in_wav = !sound.in_clip;
        const auto clip = SynthesizeBall(spec, folder / "clip", {});
        const auto file = sound.in_clip ? clip : folder / "clip" / "sound.wav";
        const capture::SoundTrack track = capture::ReadSound(file);
        ASSERT_EQ(track.reason, "") << file_choice;
        EXPECT_EQ(track.rate, rate);
        const BallMotion motion(spec);
        ASSERT_GE(motion.bounces.size(), 3U);
        for (const BounceTruth& bounce : motion.bounces) {
          const double distance =
              (bounce.before.p - Eigen::Vector3d(0.0, 0.0, spec.radius) - spec.camera.Position())
                  .norm();
          const double heard = bounce.time + distance / 343.0 + offset;
          if (heard > 1.45) continue;
          // 0.1 ms; a click reaches a hundredth of its peak within a sample.
          EXPECT_NEAR(FirstLoudSample(track, heard - 0.05, 0.004), heard, 1.05 / rate + 1e-5);
          EXPECT_NEAR(SoundTime(spec, bounce), heard, 1e-12);
        }
      }
    }
  }
}

TEST(BallFiles, BouncesAreHeardThroughNoiseVoicesAndMusic) {
  BallSpec spec = SmallClip();
  BallSound& sound = spec.sound.emplace();
  const auto missed_bounces = [&] {
    const BallMotion motion(spec);
    const capture::SoundOnsets onsets = capture::FindOnsets(MakeBallSound(spec, motion));
    int missed = 0;
    for (const BounceTruth& bounce : motion.bounces) {
      double nearest = 1.0;
      for (const capture::SoundOnset& onset : onsets.onsets)
        nearest = std::min(nearest, std::abs(onset.time - SoundTime(spec, bounce)));
      if (nearest > 2e-3) ++missed;
    }
    return missed;
  };
  sound.snr_db = 30.0;
  EXPECT_EQ(missed_bounces(), 0);
  sound.music = true;
  sound.echo_delay = 0.02;
  sound.echo_gain = 0.3;
  EXPECT_EQ(missed_bounces(), 0);
  sound.snr_db = -20.0;
  EXPECT_GT(missed_bounces(), 0);
  sound.snr_db = 30.0;
  const BallMotion motion(spec);
  const auto energy = [&] {
    double sum = 0.0;
    for (const float sample : MakeBallSound(spec, motion).samples) sum += sample * sample;
    return sum;
  };
  const double quiet = energy();
  sound.voices = true;
  EXPECT_GT(energy(), 1.2 * quiet);
}

TEST(BallFiles, PicturesAndTruthAreThoseOfTheClip) {
  const testing::TemporaryFolder folder;
  const BallSpec spec = SmallClip();
  const auto file = SynthesizeBall(spec, folder / "made", {});
  EXPECT_EQ(file.filename(), "clip.mp4");
  const BallClip clip(spec);
  capture::VideoReader reader(file);
  const auto truth = nlohmann::json::parse(ReadFile(folder / "made" / "truth.json"));
  EXPECT_EQ(truth["format"], "percuss ball truth 1");
  ASSERT_EQ(truth["frames"].size(), static_cast<std::size_t>(clip.FrameCount()));
  int count = 0;
  while (const auto frame = reader.Next()) {
    ASSERT_LT(count, clip.FrameCount());
    EXPECT_EQ(cv::norm(frame->luma, clip.Frame(count), cv::NORM_INF), 0.0) << count;
    const auto& stated = truth["frames"][static_cast<std::size_t>(count)];
    EXPECT_NEAR(frame->time, stated["time"], 1e-6);
    EXPECT_NEAR(stated["pixel"][0], clip.View(count).pixel.x(), 1e-9);
    EXPECT_NEAR(stated["radius_px"], clip.View(count).radius_px, 1e-9);
    ++count;
  }
  EXPECT_EQ(count, clip.FrameCount());
  ASSERT_EQ(truth["bounces"].size(), clip.Motion().bounces.size());
  EXPECT_NEAR(truth["bounces"][1]["time"], clip.Motion().bounces[1].time, 1e-12);
  EXPECT_EQ(truth["frames"][0]["phase"], "held");
  EXPECT_THAT(testing::InputErrorOf([&] { SynthesizeBall(spec, folder / "made", {}); }),
              HasSubstr("not empty"));
}

BallSpec BallOf(const std::string& text) {
  const testing::TemporaryFolder folder;
  return ReadBallSpec(folder.Write("ball.yaml", text));
}

TEST(BallReader, EveryKeyMayBeLeftOut) {
  const BallSpec plain = BallOf("ball: {}"), defaults;
  EXPECT_EQ(plain.camera.fx, defaults.camera.fx);
  EXPECT_EQ((plain.camera.t_CW - defaults.camera.t_CW).norm(), 0.0);
  EXPECT_EQ(plain.e.values, defaults.e.values);
  EXPECT_EQ(plain.exposure, defaults.exposure);
  EXPECT_FALSE(plain.sound);
  const testing::TemporaryFolder folder;
  EXPECT_TRUE(IsBallSpec(folder.Write("a.yaml", "ball: {}")));
  EXPECT_FALSE(IsBallSpec(folder.Write("b.yaml", "name: a")));
}

TEST(BallReader, ReadsWhatIsSaid) {
  const BallSpec spec = BallOf(
      "ball: {name: pong, seed: 4, image_size: [1080, 1920], frame_rate: 240, exposure: 0.001,"
      " line_time: 1.0e-6, tone: linear, blur_px: 1, noise: none, compression: lossless,"
      " camera: {position: [0, -2, 0.5], target: [0, 0, 0.2], focal_length_px: [800, 810],"
      " distortion: [-0.02, 0, 0, 0, 0]}, shake: {amplitude_px: 2, rate: 4},"
      " light: {ball: 0.1, shadow: 0, lamp: [0, 0, 2]}, radius: 0.03, mass: 0.05,"
      " inertia_factor: 0.4, texture: {dots: {count: 20, diameter: 0.004}}, drag_coefficient: 0.5,"
      " lift: false, surface: {angle_deg: 10, axis: x}, e: {e: [0.9, 0.8], speed_slope: -0.02},"
      " mu: 0.3, contact_time: 0.004, bounces: 4,"
      " start: {position: [0, 0.1, 0.6], velocity: [0, 0, 0], angular_velocity: [0, 9, 0], hold: "
      "0.1},"
      " sound: {rate: 44100, snr_db: 10, offset: 0.05, echo: {delay: 0.01, gain: 0.5}, voices: "
      "true,"
      " click: {frequency: 2000}, file: both}}");
  EXPECT_EQ(spec.camera.height, 1920);
  EXPECT_EQ(spec.camera.fy, 810.0);
  EXPECT_EQ(spec.camera.k1, -0.02);
  EXPECT_FALSE(spec.noise);
  EXPECT_FALSE(spec.crf);
  EXPECT_EQ(spec.shake.rate, 4.0);
  EXPECT_EQ(spec.light.lamp.z(), 1.0);
  EXPECT_EQ(spec.texture.kind, BallTexture::Kind::kDots);
  EXPECT_EQ(spec.texture.count, 20);
  EXPECT_FALSE(spec.lift);
  EXPECT_NEAR(spec.surface_normal.y(), -std::sin(10.0 * std::numbers::pi / 180.0), 1e-15);
  EXPECT_EQ(spec.e.values, (std::vector<double>{0.9, 0.8}));
  EXPECT_EQ(spec.e.speed_slope, -0.02);
  EXPECT_EQ(spec.bounces, 4);
  EXPECT_EQ(spec.hold, 0.1);
  ASSERT_TRUE(spec.sound);
  EXPECT_EQ(spec.sound->rate, 44100.0);
  EXPECT_TRUE(spec.sound->in_wav && spec.sound->in_clip);
  EXPECT_EQ(BallOf("ball: {texture: seams, frame_rate: 960}").exposure, 0.5 / 960.0);
  EXPECT_EQ(BallOf("ball: {camera: {focal_length_px: 900}}").camera.fy, 900.0);
}

TEST(BallReader, ErrorsNameKeyLineValueAndWhatIsAllowed) {
  const auto error_of = [](const std::string& text) {
    return testing::InputErrorOf([&] { BallOf(text); });
  };
  EXPECT_THAT(error_of("ball:\n  radiu: 0.02"),
              AllOf(HasSubstr("ball.yaml: ball.radiu (line 2)"), HasSubstr("radius?")));
  EXPECT_THAT(error_of("ball:\n  seed: 1\n  e: 1.2"),
              AllOf(HasSubstr("ball.e (line 3): found 1.2"), HasSubstr("at most 1")));
  EXPECT_THAT(error_of("ball: {e: [0.5, -1]}"), HasSubstr("ball.e[#2]"));
  EXPECT_THAT(error_of("ball: {e: []}"), HasSubstr("a list of them"));
  EXPECT_THAT(error_of("ball: {exposure: 0.05}"), HasSubstr("at most one frame"));
  EXPECT_THAT(error_of("ball: {line_time: 0.001}"), HasSubstr("within one frame"));
  EXPECT_THAT(error_of("ball: {image_size: [641, 480]}"), HasSubstr("even numbers"));
  EXPECT_THAT(error_of("ball: {camera: {target: [0, -1.2, 0]}}"), HasSubstr("straight above"));
  EXPECT_THAT(error_of("ball: {camera: {position: [0, -1, -0.1]}}"),
              HasSubstr("above the surface"));
  EXPECT_THAT(error_of("ball: {camera: {distortion: [-3, 0, 0, 0, 0]}}"), HasSubstr("distortion"));
  EXPECT_THAT(error_of("ball: {start: {position: [0, 0, 0.01]}}"),
              AllOf(HasSubstr("ball.start.position"), HasSubstr("0.02 m, above")));
  EXPECT_THAT(error_of("ball: {gravity: [0, 0, 9.8]}"), HasSubstr("ball.gravity"));
  EXPECT_THAT(error_of("ball: {texture: stripes}"), HasSubstr("dots, seams"));
  EXPECT_THAT(error_of("ball: {sound: loud}"), HasSubstr("none, or a map"));
  EXPECT_THAT(error_of("ball: {sound: {file: mp3}}"), HasSubstr("clip, wav or both"));
  EXPECT_THAT(error_of("ball: {duration: 2, bounces: 3}"), HasSubstr("duration is stated"));
  EXPECT_THAT(error_of("ball: {compression: 0}"), HasSubstr("compression"));
  EXPECT_THAT(error_of("ball: 3"), HasSubstr("ball"));
}

}  // namespace
}  // namespace percuss::synthesis
