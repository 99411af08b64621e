// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// `percuss bounce` as a user runs it. Source of truth: truth.json of the clips that it renders.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/commands/command_test.h"

namespace percuss::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class BounceCommand : public percuss::testing::CommandTest {
 protected:
  /// Renders a small clip into the folder `made`. @param more lines of its description
  void Render(const std::string& more) const {
    folder_.Write("ball.yaml",
                  "ball:\n  image_size: [960, 540]\n  frame_rate: 60\n"
                  "  camera: {position: [0, -1.1, 0.4], target: [0, 0, 0.28], "
                  "focal_length_px: 800}\n" +
                      more);
    const auto made = Percuss("synthesize ball.yaml -o made");
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
};

TEST_F(BounceCommand, MeasuresByEyeAndByEar) {
  Render("  e: 0.75\n  bounces: 3\n  sound: {snr_db: 30, offset: 0.02, file: both}\n");
  const auto both = Percuss("bounce made/clip.mov --diameter 0.04 -o out --json");
  ASSERT_EQ(both.exit_code, 0) << both.err;
  const auto json = nlohmann::json::parse(both.out);
  EXPECT_EQ(json.at("unit"), "m");
  const double e = json.at("e").at("value"), sigma = json.at("e").at("sigma");
  EXPECT_NEAR(e, 0.75, std::min(4.0 * sigma, 0.01));
  ASSERT_EQ(json.at("bounces").size(), 3U);
  EXPECT_EQ(json.at("bounces")[1].at("source"), "both");
  const auto truth = nlohmann::json::parse(ReadFile(folder_ / "made/truth.json"));
  const double time = truth.at("bounces")[1].at("time");
  EXPECT_NEAR(json.at("bounces")[1].at("time").at("value"), time, 0.004);
  EXPECT_NEAR(json.at("sound").at("offset").at("value"), 0.02 + 1.1 / 343.0, 0.005);
  for (const char* file : {"bounces.csv", "bounce.json", "path.jpg", "overlay.mp4", "report.html"})
    EXPECT_GT(std::filesystem::file_size(folder_ / "out" / file), 300U) << file;
  EXPECT_THAT(ReadFile(folder_ / "out/bounces.csv"),
              StartsWith("# speeds in m/s\nbounce,time,e,e_sigma,speed_before,speed_after,source"));

  const auto ear = Percuss("bounce --sound made/sound.wav");
  EXPECT_EQ(ear.exit_code, 0) << ear.err;
  EXPECT_THAT(ear.out, HasSubstr("by ear"));

  // The drop height gives the first bounce its e, and tables come without a clip too.
  const auto dropped = Percuss(
      "bounce --sound made/sound.wav --drop-height 0.48 --diameter 0.04 --mass 0.04 "
      "--contact-time 0.0001 -o ear");
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  const std::string csv = ReadFile(folder_ / "ear/bounces.csv");
  EXPECT_THAT(csv, StartsWith("bounce,time,e,e_sigma,speed_before,speed_after,source"));
  const auto by_ear = nlohmann::json::parse(ReadFile(folder_ / "ear/bounce.json"));
  EXPECT_NEAR(by_ear.at("bounces")[0].at("e").at("value"), 0.75, 0.02);
  const auto without = nlohmann::json::parse(Percuss("bounce --sound made/sound.wav --json").out);
  EXPECT_TRUE(without.at("bounces")[0].at("e").at("value").is_null());
}

// Free fall and bounces in closed form.
TEST_F(BounceCommand, MeasuresATable) {
  std::string text = "t,x,y,z\n";
  double begin = 0.0, speed = 0.0, height = 0.4;  // of a flight: at z = height with speed upwards
  for (int k = 0; k < 200; ++k) {
    const double t = 0.005 * k, g = 9.80665;
    const auto z = [&] {
      return height + speed * (t - begin) - 0.5 * g * (t - begin) * (t - begin);
    };
    if (z() < 0.0) {
      const double fall = (speed + std::sqrt(speed * speed + 2.0 * g * height)) / g;
      speed = 0.8 * (g * fall - speed);
      begin += fall;
      height = 0.0;
    }
    text += std::to_string(t) + "," + std::to_string(0.1 * t) + ",0," + std::to_string(z()) + "\n";
  }
  folder_.Write("centres.csv", text);
  const auto run = Percuss("bounce centres.csv --up z --contact-time 0.00001 -o out");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("places at 200 rows/s"));
  const auto json = nlohmann::json::parse(ReadFile(folder_ / "out/bounce.json"));
  EXPECT_NEAR(json.at("e").at("value"), 0.8, 0.001);
  EXPECT_GT(std::filesystem::file_size(folder_ / "out/bounces.csv"), 300U);
  const auto expect = [&](const std::string& arguments, const char* message) {
    const auto bad = Percuss("bounce " + arguments);
    EXPECT_EQ(bad.exit_code, 2) << arguments;
    EXPECT_THAT(bad.err, HasSubstr(message));
  };
  expect("centres.csv --up 0,0", "--up: found 0,0, allowed x, y, z or three numbers");
  expect("centres.csv --right right.mp4", "--right: allowed beside a clip, CLIP is a table");
  expect("left.mp4 --right right.mp4", "--right: found no --lens, allowed a calibration.json");
  expect("centres.csv --focal-35mm 26", "--focal-35mm: allowed with one clip");
  expect("centres.csv --focal-35mm 2.6", "--focal-35mm: found 2.6, allowed 5 to 2000");
  expect("left.mp4 --offset 0.1", "--offset: allowed with --right");
}

TEST_F(BounceCommand, NamesTheFrameRateOfSlowMotion) {
  Render("  bounces: 2\n");
  // Played at 60, said to be filmed at 240: everything seems four times as fast.
  const auto slow = Percuss("bounce made/clip.mp4 --fps 240 --diameter 0.04 --focal-35mm 27.5");
  ASSERT_EQ(slow.exit_code, 0) << slow.err;
  EXPECT_THAT(slow.out, HasSubstr("px, by --focal-35mm 27.5\n"));
  EXPECT_THAT(slow.err, HasSubstr("gravity says 60 frames/s, --fps says 240"));
}

TEST_F(BounceCommand, TakesARulerInThePictureAsTheScale) {
  folder_.Write("ball.yaml",
                "ball:\n  image_size: [640, 480]\n  frame_rate: 60\n  bounces: 2\n  radius: 0.008\n"
                "  camera: {position: [0, -0.25, 0.06], target: [0, 0, 0.06], "
                "focal_length_px: 900}\n"
                "  start: {position: [-0.03, 0, 0.1], velocity: [0.1, 0, 0], hold: 0.05}\n"
                "  ruler: {position: [0.06, 0, 0.005], length: 0.11}\n");
  const auto made = Percuss("synthesize ball.yaml -o made");
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto run = Percuss("bounce made/clip.mp4 --ruler --json");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("unit"), "m");
  EXPECT_DOUBLE_EQ(json.at("ruler").at("mark_distance"), 0.001);
  EXPECT_EQ(json.at("ruler").at("intervals"), 110);
  EXPECT_EQ(json.at("scales")[0].at("source"), "ruler");
  // The ruler is beside the ball, whose outline of 29 px radius is good to some 0.2 px.
  EXPECT_NEAR(json.at("ball_radius").at("value"), 0.008, 0.00008);
  const auto truth = nlohmann::json::parse(ReadFile(folder_ / "made/truth.json"));
  EXPECT_EQ(truth.at("ruler").at("marks"), 111);
  EXPECT_NEAR(truth.at("ruler").at("first_px")[0].get<double>(),
              json.at("ruler").at("from")[0].get<double>(), 30.0);

  // Not asked for it is named, and no scale.
  const auto unasked = Percuss("bounce made/clip.mp4");
  EXPECT_THAT(unasked.out, HasSubstr("--ruler takes it as the scale"));
  EXPECT_THAT(unasked.out, HasSubstr("px/s"));
  const auto bad = Percuss("bounce --ruler made/clip.mp4");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.err,
              HasSubstr("--ruler: found made/clip.mp4, allowed the distance of its marks"));
}

TEST_F(BounceCommand, FitReadsTheBouncesOfAFolderOfClips) {
  Render("  e: 0.75\n  bounces: 4\n");
  std::filesystem::create_directory(folder_ / "clips");
  std::filesystem::copy_file(folder_ / "made/clip.mp4", folder_ / "clips/a.mp4");
  std::filesystem::copy_file(folder_ / "made/clip.mp4", folder_ / "clips/c.mp4");
  folder_.Write("clips/b.mp4", "no video");
  folder_.Write("clips/notes.txt", "no video either");
  const auto run = Percuss("bounce clips --diameter 0.04 -o out");
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("clips/b.mp4"));
  EXPECT_THAT(run.out, HasSubstr("with speed"));
  EXPECT_THAT(ReadFile(folder_ / "out/bounces.csv"),
              StartsWith("# speeds in m/s\nclip,bounce,time,e,e_sigma"));
  EXPECT_THAT(ReadFile(folder_ / "out/bounces.csv"), HasSubstr("\nc,4,"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/c/report.html"));

  const auto clip = nlohmann::json::parse(ReadFile(folder_ / "out/a/bounce.json"));
  const double e = clip.at("e").at("value"), sigma = clip.at("e").at("sigma");
  EXPECT_EQ(clip.at("e_speed").at("models").size(), 4U);
  const auto fit = Percuss("fit out/a/impacts.json --law newton --json");
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto fitted = nlohmann::json::parse(fit.out).at("laws").at("newton").at("parameters");
  EXPECT_NEAR(fitted.at("e").at("value").get<double>(), e, 0.2 * sigma);
  EXPECT_EQ(fitted.at("mu").at("status"), "unidentified");
  const auto all = Percuss("fit out/impacts.json --law newton --group clip:e --json");
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("e[c]"));

  const auto list = Percuss("bounce clips/a.mp4 clips/b.mp4 --json");
  EXPECT_EQ(list.exit_code, 2);
  const auto json = nlohmann::json::parse(list.out);
  ASSERT_EQ(json.size(), 2U);
  EXPECT_EQ(json[0].at("unit"), "px");
  EXPECT_THAT(json[1].at("reason").get<std::string>(), HasSubstr("b.mp4"));
}

TEST_F(BounceCommand, SaysWhatIsWrong) {
  Render("  duration: 0.45\n");
  const auto falls = Percuss("bounce made/clip.mp4 -o out");
  EXPECT_EQ(falls.exit_code, 3);
  EXPECT_THAT(falls.err, HasSubstr("with a bounce between them"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));

  const auto expect = [&](const std::string& arguments, const char* message) {
    const auto run = Percuss("bounce " + arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect("", "CLIP: found none, allowed a video, or --sound with a recording");
  expect("none.mp4", "none.mp4: found no such file");
  expect("made/clip.mp4 --diameter -1", "--diameter: found -1, allowed a number above 0");
  expect("made/clip.mp4 --ball 12", "--ball: found 12, allowed a pixel x,y");
  expect("made/clip.mp4 --length 0.3 10,10 12,10", "less than 10 px apart");
  expect("made/clip.mp4 --mass 0.0027", "--mass: found no --diameter");
  expect("made/clip.mp4 --drop-height 0.5", "--drop-height: allowed for --sound without CLIP");
  expect("made/clip.mp4 --diameter 0.04 --inertia-factor 0.8", "allowed at most 0.667");
  std::filesystem::create_directory(folder_ / "empty");
  expect("empty", "empty: found no video in it");
  expect("made/clip.mp4 made/clip.mp4 --sound x.wav", "--sound: allowed with one CLIP");
  const auto deaf = Percuss("bounce --sound made/clip.mp4");
  EXPECT_EQ(deaf.exit_code, 3);
  EXPECT_THAT(deaf.err, HasSubstr("made/clip.mp4: the video has no sound"));
}

}  // namespace
}  // namespace percuss::app
