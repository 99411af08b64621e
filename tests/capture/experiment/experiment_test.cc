// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/yaml_field.h"
#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

namespace fs = std::filesystem;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

// A whole experiment; line 1 is `name`. Tests change one thing in it.
constexpr std::string_view kGood = R"(name: lab
frame_rate: 120
board: {type: chessboard, columns: 9, rows: 6, square: 0.023}
calibration:
  left: calibration/left/*.png
  right: calibration/right/*.png
  surface: {left: calibration/sl.png, right: calibration/sr.png}
gravity: [0, 0, -9.8]
body:
  shape: box
  size: [0.3, 0.05, 0.01]
  mass: 0.185
  markers: {A1: [0.1, 0.01, 0.005], A2: [-0.1, 0.01, 0.005], A3: [0, -0.01, 0.005]}
  marker_diameter: 0.008
trials:
  - {name: first, left: v/l1.mp4, right: v/r1.mp4}
  - {name: second, left: v/l2.mp4, right: v/r2.mp4, gravity: [2, 0, -9.6]}
)";

class ReadExperimentTest : public ::testing::Test {
 protected:
  ReadExperimentTest() {
    for (const char* name :
         {"left/1.png", "left/2.png", "right/1.png", "right/2.png", "sl.png", "sr.png"}) {
      folder_.Write(fs::path("calibration") / name, "image");
    }
  }

  // The good file with `from` replaced by `to`.
  fs::path Write(std::string_view from = "", std::string_view to = "") {
    std::string text(kGood);
    if (!from.empty()) {
      const std::size_t place = text.find(from);
      if (place == std::string::npos) throw std::logic_error("no such text: " + std::string(from));
      text.replace(place, from.size(), to);
    }
    return folder_.Write("experiment.yaml", text);
  }

  // The message without the file's name in front.
  std::string Message(std::string_view from, std::string_view to) {
    const fs::path file = Write(from, to);
    const std::string message = InputErrorOf([&] { ReadExperiment(file); });
    const std::string start = file.string() + ": ";
    if (!message.starts_with(start)) return "(does not name the file) " + message;
    if (message.find('\n') != std::string::npos) return "(several lines) " + message;
    return message.substr(start.size());
  }

  TemporaryFolder folder_;
};

void ExpectMarker(const Marker& marker, const std::string& name, const Vector3d& p_BM) {
  EXPECT_EQ(marker.name, name);
  EXPECT_EQ(marker.p_BM, p_BM);
}

// Truth: the file itself, and the inertia of truth.json (12 digits).
TEST(ReadExperiment, ReadsTheBarDrop) {
  const fs::path folder = fs::path(PERCUSS_DATA_DIR) / "bar-drop";
  const Experiment bar = ReadExperiment(folder / "experiment.yaml");
  EXPECT_EQ(bar.file, folder / "experiment.yaml");
  EXPECT_EQ(bar.name, "bar-drop");
  EXPECT_EQ(bar.clock.frame_rate, std::optional(120.0));
  EXPECT_FALSE(bar.exposure.has_value());
  EXPECT_EQ(bar.tone.kind, Tone::Kind::kSrgb);
  EXPECT_EQ(bar.board.type, Board::Type::kChessboard);
  EXPECT_EQ(bar.board.columns, 9);
  EXPECT_EQ(bar.board.rows, 6);
  EXPECT_EQ(bar.board.square, 0.023);

  ASSERT_EQ(bar.calibration.cameras[0].images.size(), 18u);
  ASSERT_EQ(bar.calibration.cameras[1].images.size(), 18u);
  EXPECT_EQ(bar.calibration.cameras[0].images.front(), folder / "calibration/left/00.png");
  EXPECT_EQ(bar.calibration.cameras[1].images.back(), folder / "calibration/right/17.png");
  EXPECT_EQ(bar.calibration.cameras[0].surface, folder / "calibration/surface/left.png");
  EXPECT_EQ(bar.calibration.cameras[1].surface, folder / "calibration/surface/right.png");

  EXPECT_EQ(std::get<solver::Box>(bar.body.body.shape).size, Vector3d(0.3065, 0.0515, 0.0125));
  EXPECT_EQ(bar.body.body.mass, 0.185);
  const Matrix3d inertia =
      Vector3d(4.32977083333e-05, 0.00145068520833, 0.00148916520833).asDiagonal();
  EXPECT_LT((bar.body.body.inertia - inertia).norm(), 1e-14);
  EXPECT_EQ(bar.body.marker_diameter, 0.008);
  ASSERT_EQ(bar.body.markers.size(), 6u);
  ExpectMarker(bar.body.markers[0], "A1", {-0.139, 0.0125, 0.00625});
  ExpectMarker(bar.body.markers[1], "A2", {-0.087, -0.014, 0.00625});
  ExpectMarker(bar.body.markers[2], "A3", {-0.0215, 0.0155, 0.00625});
  ExpectMarker(bar.body.markers[3], "A4", {0.034, -0.011, 0.00625});
  ExpectMarker(bar.body.markers[4], "A5", {0.0985, 0.0135, 0.00625});
  ExpectMarker(bar.body.markers[5], "A6", {0.1375, -0.015, 0.00625});

  ASSERT_EQ(bar.trials.size(), 4u);
  const char* names[] = {"a-slide", "b-stick", "c-reverse", "d-slope"};
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(bar.trials[k].name, names[k]);
    EXPECT_EQ(bar.trials[k].left, folder / "trials" / names[k] / "left.mp4");
    EXPECT_EQ(bar.trials[k].right, folder / "trials" / names[k] / "right.mp4");
    EXPECT_EQ(bar.trials[k].gravity,
              k < 3 ? Vector3d(0, 0, -9.80665) : Vector3d(2.03892, 0, -9.59235));
  }
}

TEST(ReadExperiment, ReadsTheCubeDrop) {
  const fs::path folder = fs::path(PERCUSS_DATA_DIR) / "cube-drop";
  const Experiment cube = ReadExperiment(folder / "experiment.yaml");
  EXPECT_EQ(cube.name, "cube-drop");
  EXPECT_EQ(cube.calibration.cameras[0].images.size(), 12u);
  EXPECT_EQ(cube.calibration.cameras[1].images.size(), 12u);
  EXPECT_EQ(std::get<solver::Box>(cube.body.body.shape).size, Vector3d(0.07, 0.07, 0.07));
  EXPECT_EQ(cube.body.body.mass, 0.3);
  EXPECT_LT((cube.body.body.inertia - 0.000245 * Matrix3d::Identity()).norm(), 1e-14);
  ASSERT_EQ(cube.body.markers.size(), 30u);
  ExpectMarker(cube.body.markers[0], "F1", {-0.0015, -0.035, -0.006});
  ExpectMarker(cube.body.markers[22], "T3", {0.0025, 0, 0.035});
  ExpectMarker(cube.body.markers[29], "U5", {-0.001, 0.0215, -0.035});
  ASSERT_EQ(cube.trials.size(), 2u);
  EXPECT_EQ(cube.trials[1].name, "b-tumble");
  EXPECT_EQ(cube.trials[1].gravity, Vector3d(0, 0, -9.80665));
}

TEST_F(ReadExperimentTest, TakesVideosOfTheBoard) {
  for (const char* name : {"a.mp4", "b.MOV", "s.mp4"}) {
    folder_.Write(fs::path("calibration") / name, "video");
  }
  constexpr std::string_view kImages =
      "left: calibration/left/*.png\n  right: calibration/right/*.png";
  const Experiment lab =
      ReadExperiment(Write(kImages, "left: calibration/a.mp4\n  right: calibration/b.MOV"));
  EXPECT_TRUE(lab.calibration.FromVideos());
  EXPECT_EQ(lab.calibration.cameras[1].images.at(0), folder_ / "calibration/b.MOV");
  EXPECT_FALSE(ReadExperiment(Write()).calibration.FromVideos());

  EXPECT_THAT(Message("left: calibration/left/*.png", "left: calibration/a.mp4"),
              HasSubstr("allowed images of all cameras, or a video of each"));
  EXPECT_THAT(Message(kImages, "left: calibration/a.mp4\n  right: calibration/a.mp4"),
              HasSubstr("a.mp4 again, allowed a video of each camera"));
  EXPECT_THAT(
      Message("left: calibration/left/*.png", "left: [calibration/a.mp4, calibration/s.mp4]"),
      HasSubstr("2 files for the left camera, 2 of them videos, allowed images, or one video"));
  EXPECT_THAT(Message(kImages,
                      "cameras: {left: calibration/a.mp4, right: calibration/b.MOV, top: "
                      "calibration/s.mp4}"),
              HasSubstr("videos of 3 cameras, allowed images, or videos of one camera or two"));
}

TEST_F(ReadExperimentTest, NeedsNoBodyAndNoTrialsForACalibration) {
  const std::string text(kGood);
  const fs::path file = folder_.Write("rig.yaml", text.substr(0, text.find("body:")));
  const Experiment rig = ReadExperiment(file, ExperimentNeeds::kCalibration);
  EXPECT_EQ(rig.calibration.cameras.size(), 2U);
  EXPECT_EQ(rig.board.columns, 9);
  EXPECT_TRUE(rig.trials.empty());
  EXPECT_THAT(InputErrorOf([&] { ReadExperiment(file); }),
              HasSubstr("body (line 1): found nothing"));
  // What is there must be right, and a board is needed.
  folder_.Write("rig.yaml", text.substr(0, text.find("body:")) + "trials: []\n");
  EXPECT_THAT(InputErrorOf([&] { ReadExperiment(file, ExperimentNeeds::kCalibration); }),
              HasSubstr("allowed at least one trial"));
  folder_.Write("rig.yaml", "name: lab\n");
  EXPECT_THAT(InputErrorOf([&] { ReadExperiment(file, ExperimentNeeds::kCalibration); }),
              HasSubstr("board"));
}

TEST_F(ReadExperimentTest, ReadsEveryOption) {
  const Experiment lab = ReadExperiment(Write("name: lab", "tone: 2.4\nexposure: 0.002"));
  EXPECT_EQ(lab.name, "experiment");  // the file's
  EXPECT_EQ(lab.tone.kind, Tone::Kind::kGamma);
  EXPECT_EQ(lab.tone.gamma, 2.4);
  EXPECT_EQ(lab.exposure, std::optional(0.002));
  EXPECT_EQ(ReadExperiment(Write("name: lab", "tone: linear")).tone.kind, Tone::Kind::kLinear);
  EXPECT_EQ(ReadExperiment(Write("name: lab", "tone: srgb")).tone.kind, Tone::Kind::kSrgb);
  EXPECT_EQ(ReadExperiment(Write("frame_rate: 120\n", "")).clock.frame_rate, std::nullopt);
  EXPECT_EQ(ReadExperiment(Write("gravity: [0, 0, -9.8]\n", "")).trials[0].gravity,
            Vector3d(0, 0, -9.80665));
}

TEST_F(ReadExperimentTest, SaysWhichTimesCount) {
  EXPECT_EQ(ReadExperiment(Write("name: lab", "")).clock.time_base, TimeBase::kAuto);
  EXPECT_EQ(ReadExperiment(Write("name: lab", "time_base: stated")).clock.time_base,
            TimeBase::kStated);
  EXPECT_EQ(ReadExperiment(Write("name: lab", "time_base: container")).clock.time_base,
            TimeBase::kContainer);
  EXPECT_THAT(InputErrorOf([&] { ReadExperiment(Write("name: lab", "time_base: phone")); }),
              HasSubstr("time_base (line 1): found phone, allowed container or stated"));
  EXPECT_THAT(
      InputErrorOf([&] { ReadExperiment(Write("frame_rate: 120\n", "time_base: stated\n")); }),
      HasSubstr("stated only with frame_rate"));
}

TEST_F(ReadExperimentTest, TakesAListOfImagesInItsOrder) {
  const Experiment lab = ReadExperiment(Write(
      "left: calibration/left/*.png", "left: [calibration/left/2.png, calibration/left/1.png]"));
  EXPECT_EQ(lab.calibration.cameras[0].images[0], folder_ / "calibration/left/2.png");
  EXPECT_EQ(lab.calibration.cameras[0].images[1], folder_ / "calibration/left/1.png");
}

// A trial's video is looked for when its turn comes: the other trials go on without it.
TEST_F(ReadExperimentTest, DoesNotNeedTheVideosYet) {
  const Experiment lab = ReadExperiment(Write());
  EXPECT_EQ(lab.trials[1].left, folder_ / "v/l2.mp4");
  EXPECT_EQ(lab.trials[0].gravity, Vector3d(0, 0, -9.8));
  EXPECT_EQ(lab.trials[1].gravity, Vector3d(2, 0, -9.6));
}

// Each bad input: what is changed, and the whole message after the file's name. The truth is that a
// person who reads only this line knows what to change.

TEST_F(ReadExperimentTest, ReadsEveryKindOfBoard) {
  const auto board = [&](std::string_view keys) {
    return ReadExperiment(Write("type: chessboard", keys)).board;
  };
  const Board plain = board("type: charuco, marker: 0.017");
  EXPECT_EQ(plain.type, Board::Type::kCharuco);
  EXPECT_EQ(plain.marker, 0.017);
  EXPECT_EQ(plain.dictionary, "DICT_5X5_100");
  EXPECT_EQ(plain.legacy_pattern, std::nullopt);
  EXPECT_EQ(board("type: charuco, marker: 0.017, legacy_pattern: true").legacy_pattern, true);
  EXPECT_EQ(board("type: charuco, marker: 0.017, legacy_pattern: false").legacy_pattern, false);
  EXPECT_EQ(board("type: charuco, marker: 0.017, dictionary: DICT_APRILTAG_36h11").dictionary,
            "DICT_APRILTAG_36h11");
  const Board circles = board("type: circles, diameter: 0.0229");
  EXPECT_EQ(circles.type, Board::Type::kCircles);
  EXPECT_EQ(circles.diameter, 0.0229);
  const Board asymmetric = board("type: asymmetric_circles, diameter: 0.0325");
  EXPECT_EQ(asymmetric.type, Board::Type::kAsymmetricCircles);
  EXPECT_EQ(asymmetric.diameter, 0.0325);
}

TEST_F(ReadExperimentTest, AnAprilGridCountsItsTags) {
  const auto message = [&](std::string_view keys) { return Message("type: chessboard", keys); };
  const Board kalibr = ReadExperiment(Write("type: chessboard", "type: aprilgrid")).board;
  EXPECT_EQ(kalibr.type, Board::Type::kAprilGrid);
  EXPECT_EQ(kalibr.columns, 18);
  EXPECT_EQ(kalibr.rows, 12);
  EXPECT_EQ(kalibr.spacing, 0.3);
  EXPECT_EQ(kalibr.dictionary, "DICT_APRILTAG_36h11");
  EXPECT_EQ(message("type: aprilgrid, spacing: 3"),
            "board.spacing (line 3): found 3, allowed a number at least 0.05 and at most 0.95");
  EXPECT_EQ(message("type: aprilgrid, dictionary: DICT_APRILTAG_25h9"),
            "board.dictionary (line 3): found DICT_APRILTAG_25h9, which has 35 tags, allowed at "
            "least the 54 tags of a board of 9 x 6");
  EXPECT_EQ(message("type: aprilgrid, marker: 0.01"),
            "board.marker (line 3): found an unknown key, allowed type, columns, rows, square, "
            "sigma, spacing, dictionary");
}

TEST_F(ReadExperimentTest, NamesWhatIsWrongWithABoard) {
  const auto message = [&](std::string_view keys) { return Message("type: chessboard", keys); };
  EXPECT_EQ(message("type: charuco"),
            "board.marker (line 3): found nothing, allowed a number above 0 and below square 0.023 "
            "[m]");
  EXPECT_EQ(message("type: charuco, marker: 0.023"),
            "board.marker (line 3): found 0.023, allowed a number above 0 and below square 0.023 "
            "[m]");
  EXPECT_EQ(message("type: charuco, marker: -0.01"),
            "board.marker (line 3): found -0.01, allowed a number above 0 [m]");
  EXPECT_EQ(message("type: charuco, marker: 0.01, dictionary: DICT_5X5_60"),
            "board.dictionary (line 3): found DICT_5X5_60, allowed a dictionary of ArUco markers "
            "by its name in OpenCV: DICT_4X4_50 (or 5X5, 6X6, 7X7; 50, 100, 250, 1000), "
            "DICT_ARUCO_ORIGINAL, DICT_APRILTAG_16h5 (or 25h9, 36h10, 36h11)");
  EXPECT_EQ(message("type: charuco, marker: 0.01, legacy_pattern: yes"),
            "board.legacy_pattern (line 3): found yes, allowed true or false");
  // 10 x 7 squares have 35 markers.
  EXPECT_EQ(message("type: charuco, marker: 0.01, dictionary: DICT_APRILTAG_16h5"),
            "board.dictionary (line 3): found DICT_APRILTAG_16h5, which has 30 markers, allowed at "
            "least the 35 markers of a board of 9 x 6 inner corners");
  EXPECT_EQ(ReadExperiment(
                Write("type: chessboard", "type: charuco, marker: 0.01, dictionary: DICT_4X4_50"))
                .board.dictionary,
            "DICT_4X4_50");
  EXPECT_EQ(message("type: circles"),
            "board.diameter (line 3): found nothing, allowed a number above 0 and below the "
            "distance of neighbouring centres, 0.023 [m]");
  EXPECT_EQ(message("type: circles, diameter: 0.023"),
            "board.diameter (line 3): found 0.023, allowed a number above 0 and below the distance "
            "of neighbouring centres, 0.023 [m]");
  EXPECT_EQ(message("type: asymmetric_circles, diameter: 0.033"),
            "board.diameter (line 3): found 0.033, allowed a number above 0 and below the distance "
            "of neighbouring centres, 0.0325269 [m]");
  EXPECT_EQ(message("type: chessboard, marker: 0.01"),
            "board.marker (line 3): found an unknown key, allowed type, columns, rows, square, "
            "sigma");
  EXPECT_EQ(message("type: circles, marker: 0.01"),
            "board.marker (line 3): found an unknown key, allowed type, columns, rows, square, "
            "sigma, diameter");
  EXPECT_EQ(message("type: charucco, marker: 0.01"),
            "board.type (line 3): found charucco, allowed chessboard, charuco, circles, "
            "asymmetric_circles or aprilgrid");
}

// A trial names a video for each camera of the calibration; those after left and right may be
// missing.
TEST_F(ReadExperimentTest, ReadsTheVideosOfFurtherCameras) {
  const auto file = [&](const std::string& cameras, const std::string& surface,
                        const std::string& trial, const std::string& more = "") {
    std::string text(kGood);
    const std::size_t from = text.find("  left: cal"), to = text.find("gravity: [0");
    text.replace(from, to - from,
                 "  cameras: {" + cameras + "}\n  surface: {" + surface + "}\n" + more);
    text.replace(text.find("  - {name: first"), std::string::npos, "  - {" + trial + "}\n");
    return folder_.Write("cameras.yaml", text);
  };
  const std::string three =
      "left: calibration/left/*.png, right: calibration/right/*.png, top: calibration/left/*.png, "
      "side: calibration/right/*.png";
  const std::string surface = "left: calibration/sl.png, right: calibration/sr.png";
  const std::string pair = "name: a, left: l.mp4, right: r.mp4";
  const Experiment all = ReadExperiment(file(three, surface, pair + ", side: s.mp4, top: t.mp4",
                                             "line_time: {left: 1e-6, top: 2e-6, sigma: 1e-7}\n"));
  EXPECT_THAT(all.trials[0].others, ::testing::ElementsAre(folder_ / "t.mp4", folder_ / "s.mp4"));
  EXPECT_EQ(all.trials[0].Video(1), folder_ / "r.mp4");
  EXPECT_EQ(all.trials[0].Video(2), folder_ / "t.mp4");
  EXPECT_EQ(all.line_time, (PerCamera<double>{1e-6, 0.0, 2e-6}));
  EXPECT_FALSE(all.OneCamera());
  const Experiment without = ReadExperiment(file(
      three, surface, pair + ", side: s.mp4, surface: {left: l.png, right: r.png, side: s.png}"));
  EXPECT_THAT(without.trials[0].others, ::testing::ElementsAre("", folder_ / "s.mp4"));
  EXPECT_THAT(without.trials[0].surface->pictures,
              ::testing::ElementsAre(folder_ / "l.png", folder_ / "r.png", "", folder_ / "s.png"));

  const auto message = [&](const fs::path& bad) {
    return InputErrorOf([&] { ReadExperiment(bad); });
  };
  EXPECT_THAT(message(file(three, surface, pair + ", front: s.mp4")),
              HasSubstr("trials[#1].front (line 15): found an unknown key, allowed"));
  EXPECT_THAT(message(file(three, surface, pair + ", side: l.mp4")),
              HasSubstr("l.mp4 again, allowed another video than other cameras"));
  EXPECT_THAT(message(file("a: calibration/left/*.png, b: calibration/left/*.png, c: "
                           "calibration/left/*.png",
                           "a: calibration/sl.png", pair + ", c: s.mp4")),
              HasSubstr("calibration.cameras (line 5): found a and b first, allowed left and right "
                        "first"));
  std::string nine = "left: calibration/left/*.png, right: calibration/left/*.png";
  for (int k = 3; k <= 9; ++k) nine += ", c" + std::to_string(k) + ": calibration/left/*.png";
  EXPECT_THAT(message(file(nine, surface, pair)), HasSubstr("found 9 cameras, allowed at most 8"));
}

TEST_F(ReadExperimentTest, ReadsWhatIsKnownOfTheClocks) {
  const Experiment none = ReadExperiment(Write("name: lab", "name: lab"));
  EXPECT_FALSE(none.synchronisation.genlocked);
  EXPECT_FALSE(none.synchronisation.offset.has_value());
  EXPECT_EQ(none.line_time, (PerCamera<double>{0.0, 0.0}));
  EXPECT_EQ(none.line_time_sigma, kUnstatedLineTime);
  const Experiment known = ReadExperiment(
      Write("name: lab", "synchronisation: {offset: -0.003, sigma: 1e-4}\nline_time: 1e-5"));
  EXPECT_EQ(known.synchronisation.offset, std::optional(-0.003));
  EXPECT_EQ(known.synchronisation.offset_sigma, 1e-4);
  EXPECT_EQ(known.line_time, (PerCamera<double>{1e-5, 1e-5}));
  EXPECT_EQ(known.line_time_sigma, 0.0);
  const Experiment locked = ReadExperiment(Write(
      "name: lab", "synchronisation: {genlocked: true}\nline_time: {right: 2e-5, sigma: 1e-6}"));
  EXPECT_TRUE(locked.synchronisation.genlocked);
  EXPECT_EQ(locked.line_time, (PerCamera<double>{0.0, 2e-5}));
  EXPECT_EQ(locked.line_time_sigma, 1e-6);
  EXPECT_EQ(Message("name: lab", "synchronisation: {genlocked: true, offset: 0.1}"),
            "synchronisation.offset (line 1): found an offset with genlocked: true, allowed one of "
            "them");
  EXPECT_EQ(Message("name: lab", "synchronisation: {sigma: 0.1}"),
            "synchronisation.sigma (line 1): found sigma alone, allowed the sigma of a given "
            "offset");
  EXPECT_EQ(Message("name: lab", "synchronisation: {ofset: 0.1}"),
            "synchronisation.ofset (line 1): found an unknown key (did you mean offset?), allowed "
            "genlocked, offset, sigma");
  EXPECT_EQ(
      Message("name: lab", "line_time: 15"),
      "line_time (line 1): found 15, allowed a number at least -0.001 and at most 0.001 [s]; if "
      "that is in us, write 1.5e-05");
  EXPECT_EQ(Message("name: lab", "line_time: {sigma: -1e-6}"),
            "line_time.sigma (line 1): found -1e-6, allowed a number at least 0 and at most 0.001 "
            "[s]");
}

TEST_F(ReadExperimentTest, SuggestsTheNearestKey) {
  EXPECT_EQ(Message("frame_rate: 120", "framerate: 120"),
            "framerate (line 2): found an unknown key (did you mean frame_rate?), allowed name, "
            "frame_rate, time_base, bit_depth, exposure, synchronisation, line_time, tone, board, "
            "planar, "
            "calibration, "
            "gravity, gravity_sigma, body, reference_points, coefficients, trials");
  EXPECT_EQ(Message("columns: 9", "colums: 9"),
            "board.colums (line 3): found an unknown key (did you mean columns?), allowed type, "
            "columns, rows, square, sigma");
  EXPECT_EQ(Message("surface: {", "surfcae: {"),
            "calibration.surfcae (line 7): found an unknown key (did you mean surface?), allowed "
            "left, right, cameras, surface, lens, known_distances, file");
  EXPECT_EQ(Message("surface: {left:", "surface: {lfet:"),
            "calibration.surface.lfet (line 7): found an unknown key (did you mean left?), allowed "
            "left, right");
  EXPECT_EQ(
      Message("  mass:", "  masss:"),
      "body.masss (line 12): found an unknown key (did you mean mass?), allowed shape, size, "
      "mass_centre, mass, inertia, radius_of_gyration, flatness, markers, marker_diameter, sigma");
  EXPECT_EQ(Message("gravity: [2", "Gravity: [2"),
            "trials[#2].Gravity (line 17): found an unknown key (did you mean gravity?), allowed "
            "name, kind, gravity, group, surface, slope, left, right");
  EXPECT_EQ(
      Message("name: lab", "velocity: 3"),
      "velocity (line 1): found an unknown key, allowed name, frame_rate, time_base, bit_depth, "
      "exposure, "
      "synchronisation, line_time, tone, board, planar, calibration, gravity, gravity_sigma, "
      "body, reference_points, coefficients, trials");
  EXPECT_EQ(Message("  size: [0.3, 0.05, 0.01]", "  radius: 0.3"),
            "body.radius (line 11): found an unknown key, allowed shape, size, mass_centre, mass, "
            "inertia, radius_of_gyration, flatness, markers, marker_diameter, sigma");
}

TEST_F(ReadExperimentTest, ReadsGroupsOfTrials) {
  const std::map<std::string, std::string> steel = {{"surface", "steel"}, {"body", "rod"}};
  const Experiment map =
      ReadExperiment(Write("v/l1.mp4", "v/l1.mp4, group: {surface: steel, body: rod}"));
  EXPECT_EQ(map.trials[0].group, steel);
  EXPECT_TRUE(map.trials[1].group.empty());
  const Experiment word = ReadExperiment(Write("v/l1.mp4", "v/l1.mp4, group: wood"));
  EXPECT_EQ(word.trials[0].group, (std::map<std::string, std::string>{{"group", "wood"}}));
  for (const char* taken : {"trial", "vx", "vx_post", "sigma_vx", "time", "warnings"}) {
    EXPECT_THAT(Message("v/l1.mp4", std::string("v/l1.mp4, group: {") + taken + ": a}"),
                HasSubstr("no column of impacts.csv"))
        << taken;
  }
  EXPECT_THAT(Message("v/l1.mp4", "v/l1.mp4, group: {surface: [a]}"),
              HasSubstr("trials[#1].group.surface (line 16): found"));
}

TEST_F(ReadExperimentTest, ReadsSurfacesOfTrials) {
  constexpr std::string_view kTrial = "{name: first,";
  const auto first = [&](const std::string& keys) {
    return ReadExperiment(Write(kTrial, "{name: first, " + keys + ",")).trials.at(0).surface;
  };
  const auto slope = first("slope: {angle_deg: 20, axis: x, sigma: 0.5}");
  ASSERT_TRUE(slope && slope->slope);
  EXPECT_NEAR(slope->slope->angle, 20.0 * std::numbers::pi / 180.0, 1e-12);
  EXPECT_NEAR(slope->slope->sigma, 0.5 * std::numbers::pi / 180.0, 1e-12);
  EXPECT_LT((slope->slope->Normal() -
             Vector3d(0, -std::sin(slope->slope->angle), std::cos(slope->slope->angle)))
                .norm(),
            1e-12);
  EXPECT_EQ(first("slope: {angle_deg: 20}")->slope->axis, Vector3d::UnitY());
  EXPECT_LT(
      (first("slope: {angle_deg: 20, axis: [3, 4]}")->slope->axis - Vector3d(0.6, 0.8, 0)).norm(),
      1e-12);
  const auto pictures = first("surface: {left: s/l.png, right: s/r.png}");
  ASSERT_TRUE(pictures.has_value());
  EXPECT_FALSE(pictures->slope.has_value());
  EXPECT_EQ(pictures->name, "s/l.png, s/r.png");
  EXPECT_THAT(pictures->pictures, ::testing::ElementsAre(folder_ / "s/l.png", folder_ / "s/r.png"));
  EXPECT_FALSE(ReadExperiment(Write("", "")).trials.at(0).surface.has_value());

  const auto message = [&](const std::string& keys) {
    return Message(kTrial, "{name: first, " + keys + ",");
  };
  EXPECT_THAT(message("slope: {angle_deg: 20}, surface: {left: l.png, right: r.png}"),
              HasSubstr("one of them: pictures show the slope"));
  EXPECT_THAT(message("slope: {angle_deg: 90}"), HasSubstr("at least -89 and at most 89 [deg]"));
  EXPECT_THAT(message("slope: {angle_deg: 20, axis: z}"), HasSubstr("x, y, or two numbers"));
  EXPECT_THAT(message("slope: {angle_deg: 20, axis: [0, 0]}"), HasSubstr("x, y, or two numbers"));
  EXPECT_THAT(message("slope: {angle: 20}"), HasSubstr("allowed angle_deg, axis, sigma"));
  EXPECT_THAT(message("surface: {left: l.png}"), HasSubstr("right"));
}

TEST_F(ReadExperimentTest, RefusesMarkersOnOneLine) {
  EXPECT_THAT(Message("A3: [0, -0.01, 0.005]", "A3: [0.02, 0.01, 0.005]"),
              HasSubstr("markers on one line, which leave the turn about it open"));
}

TEST_F(ReadExperimentTest, ReadsSigmasOfTheBody) {
  const BodySigmas sigma =
      ReadExperiment(Write("mass: 0.185", "mass: 0.185\n  sigma: {mass: 0.001, tilt_deg: 0.5}"))
          .body.sigma;
  EXPECT_EQ(sigma.mass, 0.001);
  EXPECT_EQ(sigma.length, 0.0005);  // a ruler's
  EXPECT_THAT(sigma.stated, ::testing::ElementsAre("mass", "tilt_deg"));
  EXPECT_EQ(ReadExperiment(Write("mass: 0.185", "mass: 0.185\n  sigma: {marker: 0, length: 0}"))
                .body.sigma.marker,
            0.0);
  EXPECT_NEAR(sigma.tilt, 0.5 * 3.14159265358979 / 180.0, 1e-12);
  EXPECT_THAT(Message("mass: 0.185", "mass: 0.185\n  sigma: {mass: 0.5}"),
              HasSubstr("body.sigma.mass (line 13): found 0.5, allowed"));
  EXPECT_THAT(Message("mass: 0.185", "mass: 0.185\n  sigma: {size: 0.5}"),
              HasSubstr("allowed marker, mass_centre, inertia, length, mass, tilt_deg"));
}

TEST_F(ReadExperimentTest, ReadsCoefficientsWithTheirSigmas) {
  const auto coefficients = [&](const std::string& entry) {
    return ReadExperiment(Write("name: lab", "name: lab\ncoefficients: " + entry)).coefficients;
  };
  EXPECT_EQ(coefficients("{mu: 0.24±0.01}").at("mu").sigma, 0.01);
  EXPECT_EQ(coefficients("{e: 0.5 +- 0.02}").at("e").value, 0.5);
  EXPECT_EQ(coefficients("{e: 5e-1}").at("e").sigma, 0.0);
  EXPECT_THAT(Message("name: lab", "name: lab\ncoefficients: {mu: 0.24±-0.01}"),
              HasSubstr("coefficients.mu (line 2): found 0.24±-0.01, allowed a number with its"));
  EXPECT_THAT(Message("name: lab", "name: lab\ncoefficients: 0.24"),
              HasSubstr("coefficients (line 2): found 0.24, allowed a map of coefficients"));
}

TEST_F(ReadExperimentTest, ReadsReferencePoints) {
  const std::string point = "name: lab\nreference_points: {O1: {position: [0.1, -0.2, 0.045]";
  const Experiment experiment = ReadExperiment(
      Write("name: lab", point + "}, O2: {position: [0, 0, 0], sigma: 0.001, diameter: 0.01}}"));
  ASSERT_EQ(experiment.reference_points.size(), 2U);
  const ReferencePoint &first = experiment.reference_points[0],
                       &second = experiment.reference_points[1];
  EXPECT_EQ(first.name, "O1");
  EXPECT_EQ(first.p_W, Vector3d(0.1, -0.2, 0.045));
  EXPECT_EQ(first.sigma, 0.0005);
  EXPECT_EQ(first.diameter, 0.008);  // as those of the body
  EXPECT_EQ(second.sigma, 0.001);
  EXPECT_EQ(second.diameter, 0.01);
  // Trials run again where the points change.
  EXPECT_NE(experiment.shared_entries,
            ReadExperiment(Write("name: lab", point + "}}")).shared_entries);
  EXPECT_TRUE(ReadExperiment(Write()).reference_points.empty());
}

TEST_F(ReadExperimentTest, RefusesReferencePointsThatCannotBe) {
  const auto message = [&](const std::string& points) {
    return Message("name: lab", "name: lab\nreference_points: " + points);
  };
  EXPECT_THAT(
      message("[0.1, -0.2, 0.045]"),
      HasSubstr(
          "reference_points (line 2): found [0.1, -0.2, 0.045], allowed a map of names to points, "
          "such as O1: {position: [0.1, -0.2, 0.045]}"));
  EXPECT_THAT(message("{}"), HasSubstr("allowed a map of names to points"));
  EXPECT_THAT(
      message("{O1: [0.1, -0.2, 0.045]}"),
      HasSubstr(
          "reference_points.O1 (line 2): found [0.1, -0.2, 0.045], allowed a map with the keys "
          "position, sigma, diameter"));
  EXPECT_THAT(message("{O1: {sigma: 0.001}}"),
              HasSubstr("reference_points.O1.position (line 2): found nothing, allowed"));
  EXPECT_THAT(message("{O1: {position: [100, -200, 45]}}"),
              HasSubstr("found 100, allowed a number at least -10 and at most 10 [m]"));
  EXPECT_THAT(
      message("{O1: {position: [0.1, 0, 0], sigma: 0.5}}"),
      HasSubstr("reference_points.O1.sigma (line 2): found 0.5, allowed a number at least 0 "
                "and at most 0.1 [m]"));
  EXPECT_THAT(message("{O1: {position: [0.1, 0, 0], diameter: 0.09}}"),
              HasSubstr("reference_points.O1.diameter (line 2): found 0.09, allowed a number at "
                        "least 0.004 and at most 0.016 [m]"));
  EXPECT_THAT(message("{O1: {position: [0.1, 0, 0]}, O2: {position: [0.1, 0, 0]}}"),
              HasSubstr("reference_points.O2.position (line 2): found the place of O1, allowed one "
                        "place for each point"));
  EXPECT_THAT(message("{O1: {place: [0.1, 0, 0]}}"), HasSubstr("found an unknown key"));
  EXPECT_THAT(message("{a/b: {position: [0.1, 0, 0]}}"), HasSubstr("found the name a/b"));
}

TEST_F(ReadExperimentTest, NamesAKeyGivenTwice) {
  EXPECT_EQ(Message("  mass: 0.185", "  mass: 0.185\n  mass: 0.2"),
            "body.mass (line 13): found this key a second time, allowed each key once");
  EXPECT_EQ(Message("A2: [", "A1: ["),
            "body.markers.A1 (line 13): found this key a second time, allowed each key once");
}

TEST_F(ReadExperimentTest, NamesWhatIsMissing) {
  EXPECT_EQ(Message("  mass: 0.185\n", ""),
            "body.mass (line 10): found nothing, allowed a number above 0 and at most 100000 [kg]");
  EXPECT_EQ(Message("  shape: box\n", ""),
            "body.shape (line 10): found nothing, allowed sphere, box, cylinder, capsule, "
            "ellipsoid, ellipse or mesh");
  EXPECT_EQ(Message("  marker_diameter: 0.008\n", ""),
            "body.marker_diameter (line 10): found nothing, allowed a number above 0 and at most "
            "0.152151 [m]");
  EXPECT_EQ(Message("square: 0.023", "square:"),
            "board.square (line 3): found nothing, allowed a number above 0 and at most 1 [m]");
  EXPECT_EQ(
      Message("board: {type: chessboard, columns: 9, rows: 6, square: 0.023}\n", ""),
      "board (line 1): found nothing, allowed a map with the keys type, columns, rows, square, "
      "sigma");
  // Without it there is one camera, which the trials contradict.
  EXPECT_EQ(Message("  right: calibration/right/*.png\n", ""),
            "trials[#1].right (line 15): found v/r1.mp4, allowed no right video, or images of that "
            "camera as calibration.right");
  EXPECT_EQ(Message("  surface: {left: calibration/sl.png, right: calibration/sr.png}\n", ""),
            "calibration.surface (line 5): found nothing, allowed a map with the keys left, right");
  EXPECT_EQ(Message("left: v/l1.mp4, ", ""),
            "trials[#1].left (line 16): found nothing, allowed a video file, or a map with tracks");
  EXPECT_EQ(Message("name: second, ", ""),
            "trials[#2].name (line 17): found nothing, allowed a plain name of at most 200 "
            "letters, digits, dot, underscore or hyphen that does not start with a dot");
}

TEST_F(ReadExperimentTest, NamesAWrongType) {
  EXPECT_EQ(Message("frame_rate: 120", "frame_rate: fast"),
            "frame_rate (line 2): found fast, allowed a number above 0 and at most 1e+06 [Hz]");
  EXPECT_EQ(Message("columns: 9", "columns: 9.5"),
            "board.columns (line 3): found 9.5, allowed a whole number from 2 to 200");
  EXPECT_EQ(Message("rows: 6", "rows: [6]"),
            "board.rows (line 3): found [6], allowed a whole number from 2 to 200");
  EXPECT_EQ(
      Message("  mass: 0.185", "  mass: 0,185"),
      "body.mass (line 12): found 0,185, allowed a number above 0 and at most 100000 [kg] with "
      "a decimal point, not a comma");
  EXPECT_EQ(
      Message("  mass: 0.185", "  mass: 0.185 kg"),
      "body.mass (line 12): found 0.185 kg, allowed a number above 0 and at most 100000 [kg]; "
      "write 0.185");
  EXPECT_EQ(Message("  mass: 0.185", "  mass: 185 g"),
            "body.mass (line 12): found 185 g, allowed a number above 0 and at most 100000 [kg]; "
            "write 0.185");
  EXPECT_EQ(Message("square: 0.023", "square: 0,023"),
            "board.023 (line 3): found a decimal comma, allowed numbers with a point, as 0.185");
  EXPECT_EQ(Message("size: [0.3, 0.05, 0.01]", "size: [0.3, 0.05]"),
            "body.size (line 11): found [0.3, 0.05], allowed a list of 3 numbers, each a number "
            "above 0 and at most 10 [m]");
  EXPECT_EQ(
      Message("gravity: [0, 0, -9.8]", "gravity: 9.8"),
      "gravity (line 8): found 9.8, allowed three numbers [m/s^2], as [0, 0, -9.81] where the "
      "surface is level");
  EXPECT_EQ(Message("A2: [-0.1, 0.01, 0.005]", "A2: [-0.1, x, 0.005]"),
            "body.markers.A2[#2] (line 13): found x, allowed a number [m]");
  EXPECT_EQ(Message("markers: {A1: [0.1, 0.01, 0.005], A2: [-0.1, 0.01, 0.005], A3: [0, -0.01, "
                    "0.005]}",
                    "markers: 3"),
            "body.markers (line 13): found 3, allowed a map of names to places, A1: [x, y, z]");
  EXPECT_EQ(Message("{name: first, left: v/l1.mp4, right: v/r1.mp4}", "v/l1.mp4"),
            "trials[#1] (line 16): found v/l1.mp4, allowed a map with the keys name, kind, "
            "gravity, group, surface, slope, left, right, poses, markers, clip, columns, keep, "
            "split, frame_rate, axes, origin, sigma, ball");
  EXPECT_EQ(Message("name: first", "kind: glide, name: first"),
            "trials[#1].kind (line 16): found glide, allowed drop or slide");
  EXPECT_EQ(Message("name: first", "name: [first]"),
            "trials[#1].name (line 16): found [first], allowed a plain name of at most 200 "
            "letters, digits, dot, underscore or hyphen that does not start with a dot");
}

TEST_F(ReadExperimentTest, NamesAValueOutOfRange) {
  EXPECT_EQ(Message("frame_rate: 120", "frame_rate: -120"),
            "frame_rate (line 2): found -120, allowed a number above 0 and at most 1e+06 [Hz]");
  EXPECT_EQ(Message("frame_rate: 120", "frame_rate: .nan"),
            "frame_rate (line 2): found .nan, allowed a number above 0 and at most 1e+06 [Hz]");
  EXPECT_EQ(Message("frame_rate: 120", "frame_rate: 120\nexposure: 0.01"),
            "exposure (line 3): found 0.01, allowed at most one frame, 1 / frame_rate = 0.008333 "
            "[s]");
  EXPECT_EQ(Message("name: lab", "tone: 0.45"),
            "tone (line 1): found 0.45, allowed a number at least 1 and at most 4");
  EXPECT_EQ(Message("name: lab", "tone: sRGB"),
            "tone (line 1): found sRGB, allowed srgb, linear, or a gamma from 1 to 4");
  EXPECT_EQ(Message("type: chessboard", "type: checkerboard"),
            "board.type (line 3): found checkerboard, allowed chessboard, charuco, circles, "
            "asymmetric_circles or aprilgrid");
  EXPECT_EQ(
      Message("square: 0.023", "square: 23"),
      "board.square (line 3): found 23, allowed a number above 0 and at most 1 [m]; if that is "
      "in mm, write 0.023");
  EXPECT_EQ(Message("columns: 9", "columns: 1"),
            "board.columns (line 3): found 1, allowed a whole number from 2 to 200");
  EXPECT_EQ(Message("  mass: 0.185", "  mass: 0"),
            "body.mass (line 12): found 0, allowed a number above 0 and at most 100000 [kg]");
  EXPECT_EQ(Message("size: [0.3, 0.05, 0.01]", "size: [300, 50, 10]"),
            "body.size[#1] (line 11): found 300, allowed a number above 0 and at most 10 [m]; if "
            "that is in mm, write 0.3");
  EXPECT_EQ(Message("gravity: [0, 0, -9.8]", "gravity: [0, 0, 9.8]"),
            "gravity (line 8): found gravity away from the surface, allowed a z component of at "
            "most 0 (z points out of the surface)");
  EXPECT_EQ(Message("gravity: [2, 0, -9.6]", "gravity: [0, 0, -9806.65]"),
            "trials[#2].gravity (line 17): found a vector of length 9806.65, allowed a length from "
            "1.5 to 30 [m/s^2]");
  EXPECT_EQ(Message("A1: [0.1, 0.01, 0.005]", "A1: [100, 10, 5]"),
            "body.markers.A1 (line 13): found a place 100.6 m from the mass centre, allowed at "
            "most 0.3043 [m], twice the reach of the body");
  EXPECT_EQ(Message("A1: [0.1, 0.01, 0.005]", "A1: [0, -0.01, 0.005]"),
            "body.markers.A3 (line 13): found the place of marker A1, allowed one place for each "
            "marker");
  EXPECT_EQ(Message(", A2: [-0.1, 0.01, 0.005], A3: [0, -0.01, 0.005]", ""),
            "body.markers (line 13): found 1 markers, allowed at least 3: a map of names to "
            "places, A1: [x, y, z]; or {count: 6}, whose places the videos show");
  EXPECT_EQ(Message("marker_diameter: 0.008", "marker_diameter: 8"),
            "body.marker_diameter (line 14): found 8, allowed a number above 0 and at most "
            "0.152151 [m]; if that is in mm, write 0.008");
  EXPECT_EQ(Message("shape: box", "shape: cube"),
            "body.shape (line 10): found cube, allowed sphere, box, cylinder, capsule, ellipsoid, "
            "ellipse or mesh");
}

TEST_F(ReadExperimentTest, MarkersMayHaveNoPlaces) {
  constexpr std::string_view kPlaces =
      "markers: {A1: [0.1, 0.01, 0.005], A2: [-0.1, 0.01, 0.005], A3: [0, -0.01, 0.005]}";
  const MarkedBody counted = ReadExperiment(Write(kPlaces, "markers: {count: 6}")).body;
  ASSERT_TRUE(counted.unplaced);
  EXPECT_EQ(counted.unplaced->count, 6);
  EXPECT_TRUE(counted.unplaced->names.empty());
  EXPECT_TRUE(counted.markers.empty());
  const MarkedBody named = ReadExperiment(Write(kPlaces, "markers: [P, Q, R, S]")).body;
  ASSERT_TRUE(named.unplaced);
  EXPECT_THAT(named.unplaced->names, ::testing::ElementsAre("P", "Q", "R", "S"));
  EXPECT_FALSE(ReadExperiment(Write()).body.unplaced);

  EXPECT_EQ(Message(kPlaces, "markers: {count: 3}"),
            "body.markers.count (line 13): found 3, allowed a whole number from 4 to 100");
  EXPECT_EQ(Message(kPlaces, "markers: [P, Q, R]"),
            "body.markers (line 13): found 3 names, allowed from 4 to 100");
  EXPECT_EQ(Message(kPlaces, "markers: [P, Q, R, P]"),
            "body.markers[#4] (line 13): found the name P again, allowed each name once");
  const std::string rest = "\n  marker_diameter: 0.008\ntrials:\n  - ";
  EXPECT_EQ(Message(std::string(kPlaces) + rest + "{name: first, left: v/l1.mp4, right: v/r1.mp4}",
                    "markers: {count: 6}" + rest + "{name: first, markers: calibration/sl.png}"),
            "body.markers (line 13): found no places, with trials of other motion capture or of "
            "tracks, allowed "
            "a map of names to places, A1: [x, y, z]");
}

TEST_F(ReadExperimentTest, NamesAnInertiaThatNoBodyHas) {
  const auto message = [&](const std::string& inertia) {
    return Message("  mass: 0.185", "  mass: 0.185\n  inertia: " + inertia);
  };
  EXPECT_EQ(message("0.001"),
            "body.inertia (line 13): found 0.001, allowed 3 principal values [Ixx, Iyy, Izz] or a "
            "3x3 matrix [kg m^2]");
  EXPECT_EQ(message("[0.001, 0.001, 0]"),
            "body.inertia[#3] (line 13): found 0, allowed a number above 0 [kg m^2]");
  EXPECT_EQ(message("[inf, 0.001, 0.001]"),
            "body.inertia[#1] (line 13): found inf, allowed a number above 0 [kg m^2]");
  EXPECT_EQ(message("[0.001, 0.001, 0.003]"),
            "body.inertia (line 13): found principal values 0.001, 0.001, 0.003, allowed values of "
            "which the two smaller add up to at least the largest");
  EXPECT_EQ(message("[43.3, 1451, 1489]"),
            "body.inertia (line 13): found principal values 43.3, 1451, 1489, allowed at most "
            "0.004283 [kg m^2], with all mass at the point of the shape that is farthest from the "
            "centre");
  EXPECT_EQ(message("[[0.001, 0.0002, 0], [0, 0.001, 0], [0, 0, 0.001]]"),
            "body.inertia (line 13): found a matrix that is not symmetric, allowed a symmetric 3x3 "
            "matrix [kg m^2]");
  EXPECT_EQ(message("[[0.001, 0.002, 0], [0.002, 0.001, 0], [0, 0, 0.001]]"),
            "body.inertia (line 13): found principal values -0.001, 0.001, 0.003, allowed positive "
            "values [kg m^2]");
}

TEST_F(ReadExperimentTest, NamesABadOrRepeatedTrialName) {
  EXPECT_EQ(Message("name: second", "name: first"),
            "trials[#2].name (line 17): found first a second time, allowed each name once");
  for (const char* name : {"../out", "a b", ".hidden", "a/b", "été"}) {
    EXPECT_EQ(
        Message("name: second", std::string("name: ") + name),
        std::string("trials[#2].name (line 17): found ") + name +
            ", allowed a plain name of at most 200 letters, digits, dot, underscore or hyphen "
            "that does not start with a dot");
  }
  EXPECT_EQ(Message("right: v/r1.mp4", "right: v/l1.mp4"),
            "trials[#1].right (line 16): found " + (folder_ / "v/l1.mp4").string() +
                " again, allowed another video than left");
  const std::string trials(kGood.substr(kGood.find("trials:")));
  EXPECT_EQ(Message(trials, "trials: []\n"),
            "trials (line 15): found [], allowed at least one trial");
  EXPECT_EQ(Message(trials, ""), "trials (line 1): found nothing, allowed a list of trials");
}

TEST_F(ReadExperimentTest, NamesMissingImages) {
  EXPECT_EQ(Message("calibration/left/*.png", "calibration/left/*.jpg"),
            "calibration.left (line 5): found " + (folder_ / "calibration/left/*.jpg").string() +
                ", which no file matches, allowed image files: a pattern such as "
                "calibration/left/*.png, or a list; or one video");
  EXPECT_EQ(
      Message("calibration/right/*.png", "[calibration/right/1.png, calibration/right/3.png]"),
      "calibration.right[#2] (line 6): found " + (folder_ / "calibration/right/3.png").string() +
          ", which does not exist, allowed an image file");
  EXPECT_EQ(Message("right: calibration/sr.png", "right: calibration/surface.png"),
            "calibration.surface.right (line 7): found " +
                (folder_ / "calibration/surface.png").string() +
                ", which does not exist, allowed an image file, or a video, of the board on the "
                "impact surface");
  EXPECT_EQ(Message("right: calibration/sr.png", "right: calibration"),
            "calibration.surface.right (line 7): found " + (folder_ / "calibration").string() +
                ", which is not a file, allowed an image file, or a video, of the board on the "
                "impact surface");
  EXPECT_EQ(Message("calibration/right/*.png", "calibration/right/1.png"),
            "calibration (line 5): found 2 left and 1 right images, allowed as many left as right "
            "images: those in the same place show one position of the board");
}

TEST_F(ReadExperimentTest, NamesAFileThatIsNoYaml) {
  EXPECT_EQ(Message("rows: 6, ", "rows: 6, {"),
            "(line 3): found broken YAML (end of map flow not found), allowed YAML text");
  EXPECT_THAT(Message("frame_rate", "\tframe_rate"), HasSubstr("(line 2): found broken YAML ("));
  EXPECT_THAT(
      Message("frame_rate: 120", "frame_rate 120"),
      HasSubstr("(line 3): found broken YAML (illegal map value; is there a colon after the "
                "key of the line before?)"));
  EXPECT_THAT(Message(kGood, "just words"),
              HasSubstr("(line 1): found just words, allowed a map with the keys name, "));
  EXPECT_THAT(Message(kGood, ""),
              HasSubstr("(line 1): found nothing, allowed a map with the keys"));
  // Latin-1, a letter cut off, half of a surrogate pair, one byte too long, beyond Unicode.
  for (const char* letter :
       {"W\xFCrfel", "W\xC3", "\xED\xA0\x80", "\xC0\xAF", "\xF4\x90\x80\x80"}) {
    EXPECT_EQ(Message(kGood, std::string("a: 1\nname: ") + letter),
              "(line 2): found letters in another encoding, allowed UTF-8");
  }
  for (const char* letter : {"W\u00FCrfel", "\u2265", "\uFFFD", "\U0001F3B2"}) {
    EXPECT_THAT(Message(kGood, std::string("name: ") + letter), Not(HasSubstr("encoding")));
  }
  EXPECT_THAT(Message(kGood, "a: 1\n---\nb: 2\n"),
              HasSubstr("found a second YAML document, allowed one (no --- lines, nothing "));
  EXPECT_THAT(
      Message(kGood, std::string_view("\0\0\0\x20"
                                      "ftypisom",
                                      12)),
      HasSubstr("found a binary file, allowed a text file in YAML of at most 1048576 bytes"));
  EXPECT_EQ(InputErrorOf([] { ReadExperiment("no/experiment.yaml"); }),
            "no/experiment.yaml: cannot be read: No such file or directory");
}

class ReadBodyTest : public ::testing::Test {
 protected:
  MarkedBody Read(const std::string& text) { return ReadBody(folder_.Write("body.yaml", text)); }
  std::string Message(const std::string& text) {
    return InputErrorOf([&] { Read(text); });
  }
  TemporaryFolder folder_;
};

// Truth for all: what the text says.
TEST_F(ReadBodyTest, ReadsEveryShape) {
  EXPECT_EQ(
      std::get<solver::Sphere>(Read("{shape: sphere, radius: 0.02, mass: 1}").body.shape).radius,
      0.02);
  const auto cylinder = std::get<solver::Cylinder>(
      Read("{shape: cylinder, radius: 0.02, length: 0.3, mass: 1}").body.shape);
  EXPECT_EQ(cylinder.radius, 0.02);
  EXPECT_EQ(cylinder.length, 0.3);
  const auto capsule = std::get<solver::Capsule>(
      Read("{shape: capsule, radius: 0.02, length: 0.3, mass: 1}").body.shape);
  EXPECT_EQ(capsule.radius, 0.02);
  EXPECT_EQ(capsule.length, 0.3);
  EXPECT_EQ(std::get<solver::Ellipsoid>(
                Read("{shape: ellipsoid, semi_axes: [0.1, 0.2, 0.3], mass: 1}").body.shape)
                .semi_axes,
            Vector3d(0.1, 0.2, 0.3));
  EXPECT_EQ(std::get<solver::Ellipse>(
                Read("{shape: ellipse, semi_axes: [0.035, 0.025], mass: 1}").body.shape)
                .semi_axes,
            Eigen::Vector2d(0.035, 0.025));
}

// A body for `percuss fit` needs no markers.
TEST_F(ReadBodyTest, ReadsABodyAloneOrInsideAnExperiment) {
  const MarkedBody alone = Read("shape: sphere\nradius: 0.02\nmass: 0.1\n");
  EXPECT_TRUE(alone.markers.empty());
  EXPECT_NEAR(alone.body.inertia(2, 2), 0.4 * 0.1 * 0.0004, 1e-15);  // 2/5 m r^2
  const MarkedBody inside = ReadBody(fs::path(PERCUSS_DATA_DIR) / "bar-drop/experiment.yaml");
  EXPECT_EQ(inside.markers.size(), 6u);
}

TEST_F(ReadBodyTest, TakesTheInertiaGiven) {
  const std::string box = "shape: box\nsize: [0.3, 0.2, 0.1]\nmass: 2\ninertia: ";
  EXPECT_EQ(Read(box + "[0.01, 0.02, 0.025]").body.inertia,
            Matrix3d(Vector3d(0.01, 0.02, 0.025).asDiagonal()));
  Matrix3d full;
  full << 0.01, 0.001, 0.002, 0.001, 0.02, 0.003, 0.002, 0.003, 0.025;
  EXPECT_EQ(Read(box + "[[0.01, 0.001, 0.002], [0.001, 0.02, 0.003], [0.002, 0.003, 0.025]]")
                .body.inertia,
            full);
}

TEST_F(ReadBodyTest, TakesAFlatness) {
  const std::string box = "shape: box\nsize: [0.1, 0.1, 0.1]\nmass: 1\n";
  EXPECT_EQ(Read(box).body.flatness, solver::Body().flatness);
  EXPECT_EQ(Read(box + "flatness: 0.001").body.flatness, 0.001);
  EXPECT_THAT(Message(box + "flatness: -0.001"),
              HasSubstr("flatness (line 4): found -0.001, allowed"));
}

// The planar body of the ellipse data set: I = m k^2 about the axis it turns about.
TEST_F(ReadBodyTest, TakesARadiusOfGyration) {
  const std::string ellipse =
      "shape: ellipse\nsemi_axes: [0.035, 0.025]\nmass: 0.0364\nradius_of_gyration: ";
  EXPECT_NEAR(Read(ellipse + "0.0192").body.inertia(1, 1), 0.0364 * 0.0192 * 0.0192, 1e-18);
  EXPECT_THAT(Message(ellipse + "19.2"),
              HasSubstr("radius_of_gyration (line 4): found 19.2, allowed a number above 0"));
  EXPECT_THAT(Message(ellipse + "0.1"), HasSubstr("farthest from the centre"));
  EXPECT_THAT(Message(ellipse + "0.0192\ninertia: [1e-6, 1e-6, 1e-6]"),
              HasSubstr("radius_of_gyration (line 4): found both inertia and radius_of_gyration, "
                        "allowed one of them"));
}

// A loaded die: corners and markers are counted from the middle, the mass centre is beside it.
TEST_F(ReadBodyTest, PutsTheMassCentreOfABoxWhereItIsStated) {
  const std::string box = "shape: box\nsize: [0.4, 0.2, 0.1]\nmass: 2\n";
  const std::string inertia = "inertia: [0.01, 0.02, 0.025]\n";
  const MarkedBody body =
      Read(box + inertia +
           "mass_centre: [0.05, -0.02, 0.01]\nmarkers: {A: [0.1, 0, 0]}\nmarker_diameter: 0.01\n");
  const Vector3d c(0.05, -0.02, 0.01);
  EXPECT_EQ(body.p_FB, c);
  EXPECT_EQ(body.p_PB, c);
  EXPECT_LT((body.markers[0].p_BM - (Vector3d(0.1, 0.0, 0.0) - c)).norm(), 1e-15);
  for (const Vector3d& direction : {Vector3d(1, 2, 3), Vector3d(-1, 2, -3), Vector3d(-2, -1, 1)}) {
    const Vector3d corner = direction.cwiseSign().cwiseProduct(Vector3d(0.2, 0.1, 0.05));
    EXPECT_LT((solver::SupportPoint(body.body.shape, direction) - (corner - c)).norm(), 1e-15);
  }
  // Faces are turned outwards: the volume, by tetrahedra from the mass centre, is that of the box.
  const auto& mesh = std::get<solver::ConvexMesh>(body.body.shape);
  double volume = 0.0;
  for (const auto& [i, j, k] : mesh.triangles) {
    volume += mesh.vertices[i].dot(mesh.vertices[j].cross(mesh.vertices[k])) / 6.0;
  }
  EXPECT_NEAR(volume, 0.4 * 0.2 * 0.1, 1e-15);
  EXPECT_EQ(body.body.inertia, Matrix3d(Vector3d(0.01, 0.02, 0.025).asDiagonal()));

  EXPECT_THAT(
      Message(box + inertia + "mass_centre: [0.05, -0.12, 0.01]\n"),
      HasSubstr("mass_centre (line 5): found (0.05, -0.12, 0.01), which is outside, allowed "
                "a place inside the shape [m]"));
  EXPECT_THAT(Message(box + "mass_centre: [0.05, 0, 0]\n"),
              HasSubstr("inertia (line 1): found none beside mass_centre, allowed"));
  EXPECT_THAT(Message("shape: sphere\nradius: 0.1\nmass: 2\nmass_centre: [0.05, 0, 0]\n"),
              HasSubstr("mass_centre"));
}

// Markers of a mesh are measured in the axes of its file, like its vertices.
TEST_F(ReadBodyTest, ShiftsMeshAndMarkersToTheMassCentre) {
  folder_.Write("shapes/tetrahedron.obj",
                "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 0 0 100\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  const std::string text =
      "shape: mesh\nfile: shapes/tetrahedron.obj\nscale: 0.001\nmass: 0.2\n"
      "markers: {A1: [0.03, 0.03, 0]}\nmarker_diameter: 0.005\n";
  const MarkedBody body = Read(text);
  const auto& mesh = std::get<solver::ConvexMesh>(body.body.shape);
  EXPECT_LT((mesh.vertices[0] - Vector3d(-0.025, -0.025, -0.025)).norm(), 1e-15);
  EXPECT_LT((body.markers[0].p_BM - Vector3d(0.005, 0.005, -0.025)).norm(), 1e-15);

  const MarkedBody stated =
      Read(text + "mass_centre: [0.02, 0.03, 0.01]\ninertia: [3e-4, 3e-4, 3e-4]\n");
  EXPECT_LT(
      (std::get<solver::ConvexMesh>(stated.body.shape).vertices[0] - Vector3d(-0.02, -0.03, -0.01))
          .norm(),
      1e-15);
  EXPECT_LT((stated.markers[0].p_BM - Vector3d(0.01, 0.0, -0.01)).norm(), 1e-15);

  std::string millimetres = text;
  millimetres.replace(millimetres.find("scale: 0.001\n"), 13, "");
  EXPECT_THAT(Message(millimetres), HasSubstr("(for a file in millimetres add scale: 0.001)"));
  std::string missing = text;
  missing.replace(missing.find("tetrahedron"), 11, "none");
  EXPECT_THAT(Message(missing), HasSubstr("none.obj, which does not exist, allowed a convex mesh"));
}

TEST_F(ReadBodyTest, TellsBandsFromRoundMarkers) {
  const auto read = [&](const std::string& text) {
    return ReadBody(folder_.Write("body.yaml", text));
  };
  const auto rod = [](const std::string& markers, const std::string& more = "") {
    return "{shape: cylinder, radius: 0.005, length: 0.3, mass: 0.17, marker_diameter: 0.009, "
           "markers: {A: [0, 0, -0.1], B: [0, 0, 0.02], C: " +
           markers + "}" + more + "}";
  };
  EXPECT_TRUE(read(rod("[0, 0, 0.12]")).HasBands());
  EXPECT_EQ(read(rod("[0, 0, 0.12]", ", sigma: {spin: 20}")).sigma.spin, 20.0);
  EXPECT_FALSE(read("{shape: box, size: [0.3, 0.1, 0.1], mass: 1, marker_diameter: 0.01, "
                    "markers: {A: [0, 0, -0.04], B: [0, 0, 0.01], C: [0, 0, 0.04]}}")
                   .HasBands());
  EXPECT_THAT(InputErrorOf([&] { read(rod("[0.005, 0, 0.12]")); }),
              HasSubstr("2 of 3 markers on the axis of the cylinder"));
  EXPECT_THAT(InputErrorOf([&] { read(rod("[0, 0, 0.12]", ", inertia: [1e-3, 1.1e-3, 2e-4]")); }),
              HasSubstr("moments that differ across the axis"));
  EXPECT_THAT(InputErrorOf([&] {
                read(
                    "{shape: sphere, radius: 0.05, mass: 0.1, sigma: {spin: 1}, marker_diameter: "
                    "0.01, markers: {A: [0, 0, 0.05], B: [0, 0.05, 0], C: [0.05, 0, 0]}}");
              }),
              HasSubstr("a spin of a body whose turning the markers show"));
}

TEST_F(ReadBodyTest, NamesMarkersThatAreWrong) {
  const std::string sphere = "shape: sphere\nradius: 0.02\nmass: 0.1\n";
  EXPECT_THAT(Message(sphere + "marker_diameter: 0.004"),
              HasSubstr("found nothing, allowed markers, because marker_diameter is given"));
  EXPECT_THAT(Message(sphere + "markers: {'A,1': [0, 0, 0.02]}\nmarker_diameter: 0.004"),
              HasSubstr("(line 4): found the name A,1, allowed a plain name"));
  EXPECT_THAT(Message("- 1\n- 2\n"),
              HasSubstr("(line 1): found [1, 2], allowed a map with shape, its lengths and mass"));
}

// Truth: by hand.
TEST(NearestWord, CountsInsertionsDeletionsReplacementsAndSwaps) {
  const std::vector<std::string_view> known = {"left", "right", "surface", "frame_rate"};
  EXPECT_EQ(NearestWord("lefft", known), "left");
  EXPECT_EQ(NearestWord("rihgt", known), "right");
  EXPECT_EQ(NearestWord("Surface", known), "surface");
  EXPECT_EQ(NearestWord("FrameRate", known), "frame_rate");
  EXPECT_EQ(NearestWord("form", {"foxy", "from"}), "from");  // one swap against two replacements
  EXPECT_EQ(NearestWord("xyz", known), "");
  EXPECT_EQ(NearestWord("", known), "");
  EXPECT_EQ(NearestWord("a", {}), "");
}

}  // namespace
}  // namespace percuss::capture
