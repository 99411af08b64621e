// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/calibrate.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <set>

#include "base/error.h"
#include "calibration/quality/verdict.h"
#include "calibration/rig/triangulation.h"
#include "calibration/targets/calibration_error.h"
#include "calibration/targets/chessboard.h"
#include "capture/video/tone.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

capture::Experiment BarDrop(int num_pairs) {
  const fs::path folder = fs::path(PERCUSS_DATA_DIR) / "bar-drop";
  capture::Experiment experiment;
  experiment.file = folder / "experiment.yaml";
  experiment.board = {.columns = 9, .rows = 6, .square = 0.023};
  for (const char* side : {"left", "right"}) {
    capture::CalibrationCamera camera;
    camera.name = side;
    for (int k = 0; k < num_pairs; ++k) {
      camera.images.push_back(folder / fmt::format("calibration/{}/{:02d}.png", side, k));
    }
    camera.surface = folder / fmt::format("calibration/surface/{}.png", side);
    experiment.calibration.cameras.push_back(camera);
  }
  return experiment;
}

class CalibrateRigFiles : public testing::Test {
 protected:
  CalibrateRigFiles()
      : folder_(fs::path(testing::TempDir()) /
                (std::string("calibrate-") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~CalibrateRigFiles() override { fs::remove_all(folder_); }

  fs::path Write(const std::string& name, const cv::Mat& image) const {
    cv::imwrite((folder_ / name).string(), image);
    return folder_ / name;
  }

  fs::path folder_;
};

template <typename Error>
std::string MessageOf(const capture::Experiment& experiment) {
  try {
    CalibrateRig(experiment, {.num_folds = 0});
  } catch (const Error& error) {
    return error.what();
  }
  return "no error of this kind";
}

Pose PoseFromJson(const nlohmann::json& json) {
  Pose pose;
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) pose.R(r, c) = json["R"][r][c];
    pose.t[r] = json["t"][r];
  }
  return pose;
}

double AngleBetween(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return Eigen::AngleAxisd(a * b.transpose()).angle();
}

// Source of truth: truth.json of the rendering program. Each parameter must lie within three of its
// own sigmas; the absolute bounds are those that drop-test work needs.
TEST(CalibrateRig, AgreesWithTheTruthOfBarDrop) {
  const RigCalibration calibration = CalibrateRig(BarDrop(18));
  const nlohmann::json truth =
      nlohmann::json::parse(std::ifstream(fs::path(PERCUSS_DATA_DIR) / "bar-drop" / "truth.json"));
  const char* const names[] = {"fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"};
  const auto sigma = [&](int place) { return std::sqrt(calibration.covariance(place, place)); };
  for (int side = 0; side < 2; ++side) {
    const Camera& camera = calibration.cameras[static_cast<std::size_t>(side)].camera;
    const int first = calibration.Places().Intrinsics(side);
    for (int k = 0; k < 9; ++k) {
      const double value = truth["cameras"][side == 0 ? "left" : "right"][names[k]];
      const double found = camera.intrinsics[static_cast<std::size_t>(k)];
      EXPECT_NEAR(found, value, 3.0 * sigma(first + k)) << names[k] << " of camera " << side;
      EXPECT_LT(sigma(first + k), k < 2 ? 0.2 : 0.5) << names[k];
    }
  }
  const Pose stereo = PoseFromJson(truth["stereo"]);
  EXPECT_LT(AngleBetween(calibration.cameras[1].from_first.R, stereo.R), 0.02 / 180.0 * M_PI);
  EXPECT_NEAR(calibration.cameras[1].from_first.t.norm(), stereo.t.norm(),
              3.0 * BaselineSigma(calibration, 1));
  EXPECT_LT(BaselineSigma(calibration, 1), 0.0002 * stereo.t.norm());
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(calibration.cameras[1].from_first.t[k], stereo.t[k],
                3.0 * sigma(calibration.Places().CameraPose(1) + 3 + k));
  }
  const Pose left_from_world = PoseFromJson(truth["world_to_left"]);
  EXPECT_LT(AngleBetween(calibration.world_from_first.R, left_from_world.R.transpose()), 0.5e-3);
  EXPECT_LT((calibration.world_from_first.Inverse().t - left_from_world.t).norm(), 0.2e-3);
  EXPECT_LT(calibration.rms_px, 0.04);
  EXPECT_LT(calibration.quality.held_out.rms_px, 1.05 * calibration.rms_px);
  EXPECT_EQ(calibration.verdict, "ok");
  ASSERT_EQ(calibration.views.size(), 19U);
  EXPECT_EQ(calibration.views.front().images[0].file, "calibration/left/00.png");
  EXPECT_EQ(calibration.views.back().images[1].file, "calibration/surface/right.png");
  for (const ViewReport& view : calibration.views) EXPECT_TRUE(view.used) << view.reason;
}

// A board is as large as it was printed (but for what it is bent), and all of it is in the picture;
// the last one lies on the surface, its first corner (top left) the origin.
TEST(CalibrateRig, SaysWhereTheBoardsStood) {
  const capture::Experiment experiment = BarDrop(6);
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  const double length = (experiment.board.columns - 1) * experiment.board.square,
               width = (experiment.board.rows - 1) * experiment.board.square;
  for (const ViewReport& view : calibration.views) {
    ASSERT_TRUE(view.board);
    const auto& [a, b, c, d] = *view.board;
    EXPECT_NEAR((b - a).norm(), length, 1e-9);
    EXPECT_NEAR((d - a).norm(), width, 1e-9);
    EXPECT_LT((a + c - b - d).norm(), 1e-9);
    for (std::size_t side = 0; side < 2; ++side) {
      const CalibratedCamera& camera = calibration.cameras[side];
      for (const Eigen::Vector3d& corner : *view.board) {
        const auto seen = ProjectPoint({camera.camera, calibration.CameraFromWorld(side)}, corner);
        ASSERT_TRUE(seen);
        EXPECT_TRUE((seen->pixel.array() > 0.0).all() && seen->pixel.x() < camera.camera.width &&
                    seen->pixel.y() < camera.camera.height)
            << seen->pixel.transpose();
      }
    }
  }
  const auto& surface = *calibration.views.back().board;
  EXPECT_LT((surface[0] - Eigen::Vector3d(0.0, -width, 0.0)).norm(), 1e-9);
  EXPECT_LT((surface[2] - Eigen::Vector3d(length, 0.0, 0.0)).norm(), 1e-9);
}

// Source of truth: other programs on these photographs (the README of the data): focal lengths of
// 534 to 542 px by model and corner detector, a baseline of 3.34 squares. The held-out bounds are
// below what cv::stereoCalibrate reaches with the same folds (0.182 and 0.352 px). The last pair
// stands in for the surface.
TEST(CalibrateRig, HandlesRealPhotographs) {
  const fs::path folder = fs::path(PERCUSS_DATA_DIR) / "stereo_chessboard_opencv";
  capture::Experiment experiment;
  experiment.file = folder / "experiment.yaml";
  experiment.board = {.columns = 9, .rows = 6, .square = 0.025};
  for (const char* side : {"left", "right"}) {
    capture::CalibrationCamera camera;
    camera.name = side;
    for (int k = 1; k <= 13; ++k) {
      if (k != 10) camera.images.push_back(folder / fmt::format("images/{}{:02d}.jpg", side, k));
    }
    camera.surface = folder / fmt::format("images/{}14.jpg", side);
    experiment.calibration.cameras.push_back(camera);
  }
  const RigCalibration calibration = CalibrateRig(experiment);
  for (const CalibratedCamera& camera : calibration.cameras) {
    EXPECT_NEAR(camera.camera.intrinsics[0], 538.0, 6.0);
    EXPECT_NEAR(camera.camera.intrinsics[1], 538.0, 6.0);
  }
  EXPECT_NEAR(calibration.cameras[1].from_first.t.norm() / 0.025, 3.34, 0.02);
  EXPECT_LT(calibration.rms_px, 0.185);
  EXPECT_LT(calibration.quality.held_out.median_px, 0.172);
  EXPECT_LT(calibration.quality.held_out.p90_px, 0.325);
  EXPECT_LE(calibration.quality.num_rejected_corners, 42);  // 3 %
}

// Source of truth: truth.json. One camera alone, the surface picture taken as one of the plane of
// motion: x of W along the columns, z against the rows, y away from the camera's side of the board.
TEST(CalibrateRig, PlacesThePlaneOfMotionWithOneCamera) {
  capture::Experiment experiment = BarDrop(18);
  experiment.planar = true;
  experiment.calibration.cameras.pop_back();
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  const nlohmann::json truth =
      nlohmann::json::parse(std::ifstream(fs::path(PERCUSS_DATA_DIR) / "bar-drop" / "truth.json"));
  ASSERT_EQ(calibration.cameras.size(), 1U);
  const double focal = truth["cameras"]["left"]["fx"];
  EXPECT_NEAR(calibration.cameras[0].camera.intrinsics[0], focal,
              4.0 * std::sqrt(calibration.covariance(0, 0)));
  const Pose left_from_board = PoseFromJson(truth["world_to_left"]);
  Eigen::Matrix3d board_from_plane;  // columns: x, y, z of the plane of motion in board axes
  board_from_plane << 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0;
  const Eigen::Matrix3d left_from_world = left_from_board.R * board_from_plane;
  EXPECT_LT(AngleBetween(calibration.world_from_first.R, left_from_world.transpose()), 1e-3);
  EXPECT_LT((calibration.world_from_first.Inverse().t - left_from_board.t).norm(), 0.5e-3);
  // Covariance of the world's t in its own axes: the depth, along y, is least certain.
  const int t = calibration.Places().World() + 3;
  EXPECT_GT(calibration.covariance(t + 1, t + 1), calibration.covariance(t, t));
}

TEST_F(CalibrateRigFiles, GoesOnWithoutAViewThatShowsNoBoardAndNamesIt) {
  capture::Experiment experiment = BarDrop(5);
  experiment.calibration.cameras[1].images[2] =
      Write("blank.png", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  EXPECT_FALSE(calibration.views[2].used);
  EXPECT_EQ(calibration.views[2].reason, "right image: no chessboard of 9 x 6 inner corners found");
  EXPECT_TRUE(std::isnan(calibration.views[2].images[0].rms_px));
  EXPECT_EQ(calibration.quality.num_views, 5);
  EXPECT_LT(calibration.rms_px, 0.05);
  EXPECT_TRUE(std::isnan(calibration.quality.held_out.rms_px));
}

TEST_F(CalibrateRigFiles, NamesAPairWhoseImagesDoNotBelongTogether) {
  capture::Experiment experiment = BarDrop(6);
  experiment.calibration.cameras[1].images[3] = experiment.calibration.cameras[1].images[5];
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  EXPECT_FALSE(calibration.views[3].used);
  EXPECT_THAT(calibration.views[3].reason, HasSubstr("does not fit the other views"));
  EXPECT_TRUE(calibration.views[5].used);
  EXPECT_LT(calibration.rms_px, 0.05);
}

TEST_F(CalibrateRigFiles, NamesAMirroredImage) {
  capture::Experiment experiment = BarDrop(6);
  cv::Mat image =
      cv::imread(experiment.calibration.cameras[1].images[1].string(), cv::IMREAD_GRAYSCALE);
  cv::Mat mirrored(image.size(), image.type());
  for (int x = 0; x < image.cols; ++x) image.col(x).copyTo(mirrored.col(image.cols - 1 - x));
  experiment.calibration.cameras[1].images[1] = Write("mirrored.png", mirrored);
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  EXPECT_FALSE(calibration.views[1].used);
  EXPECT_THAT(calibration.views[1].reason, HasSubstr("does not fit the other views"));
}

// Source of truth: the corner that was painted over. Corner (4, 2) of the left image of pair 1 gets
// a corner drawn 3 px beside it.
TEST_F(CalibrateRigFiles, NamesACornerThatDoesNotFit) {
  capture::Experiment experiment = BarDrop(6);
  const RigCalibration clean = CalibrateRig(experiment, {.num_folds = 0});
  ASSERT_THAT(clean.views[1].reason, Not(HasSubstr("left image")));
  cv::Mat image =
      cv::imread(experiment.calibration.cameras[0].images[1].string(), cv::IMREAD_GRAYSCALE);
  const capture::Tone tone;
  const BoardCorners corners =
      FindBoard(image, capture::Linearise(image, capture::LightOfGrey(tone)), experiment.board);
  ASSERT_TRUE(corners.found);
  const Eigen::Vector2d corner = corners.pixels[2 * 9 + 4];
  const cv::Rect patch(static_cast<int>(corner.x()) - 9, static_cast<int>(corner.y()) - 9, 19, 19);
  image(patch).clone().copyTo(image(patch + cv::Point(3, 0)));
  experiment.calibration.cameras[0].images[1] = Write("spoilt.png", image);
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  EXPECT_TRUE(calibration.views[1].used);
  EXPECT_THAT(calibration.views[1].reason,
              HasSubstr("1 of 54 corners rejected in the left image (corner (4, 2) is off by "));
  EXPECT_EQ(calibration.num_corners, clean.num_corners - 1);
  EXPECT_NEAR(calibration.cameras[0].camera.intrinsics[0], clean.cameras[0].camera.intrinsics[0],
              0.05);
}

// A camera that mirrors all its pictures, as phones' front cameras do.
TEST_F(CalibrateRigFiles, RefusesACameraThatMirrors) {
  capture::Experiment experiment = BarDrop(8);
  const auto mirror = [&](fs::path& file) {
    const cv::Mat image = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
    cv::Mat mirrored(image.size(), image.type());
    for (int x = 0; x < image.cols; ++x) image.col(x).copyTo(mirrored.col(image.cols - 1 - x));
    file = Write(file.filename(), mirrored);
  };
  for (fs::path& file : experiment.calibration.cameras[1].images) mirror(file);
  mirror(experiment.calibration.cameras[1].surface);
  EXPECT_THAT(MessageOf<DataError>(experiment), HasSubstr("mirrored"));
}

TEST_F(CalibrateRigFiles, NamesACorruptImage) {
  capture::Experiment experiment = BarDrop(4);
  std::ifstream source(experiment.calibration.cameras[0].images[1], std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(source)), {});
  const fs::path file = folder_ / "cut.png";
  std::ofstream(file, std::ios::binary) << content.substr(0, content.size() / 3);
  experiment.calibration.cameras[0].images[1] = file;
  EXPECT_THAT(MessageOf<InputError>(experiment),
              HasSubstr(file.string() + ": cannot be read (the file ends before the image does)"));
  std::ofstream(file, std::ios::binary) << "not an image";
  EXPECT_THAT(MessageOf<InputError>(experiment),
              HasSubstr(file.string() + ": cannot be read (not an image)"));
  const fs::path jpeg = Write("whole.jpg", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  experiment.calibration.cameras[0].images[1] = jpeg;
  fs::resize_file(jpeg, fs::file_size(jpeg) - 100);
  EXPECT_THAT(MessageOf<InputError>(experiment),
              HasSubstr(jpeg.string() + ": cannot be read (the file ends before the image does)"));
  fs::remove(jpeg);
  EXPECT_THAT(MessageOf<InputError>(experiment), HasSubstr(jpeg.string()));
}

TEST_F(CalibrateRigFiles, NamesAnImageOfAnotherSize) {
  capture::Experiment experiment = BarDrop(4);
  experiment.calibration.cameras[1].images[2] =
      Write("small.png", cv::Mat(480, 640, CV_8UC1, cv::Scalar(90)));
  EXPECT_THAT(MessageOf<InputError>(experiment),
              AllOf(HasSubstr("small.png: image size 640 x 480 px"), HasSubstr("1280 x 720 px")));
}

TEST_F(CalibrateRigFiles, NeedsThreeViews) {
  EXPECT_THAT(MessageOf<DataError>(BarDrop(2)), HasSubstr("found 2 views, at least 3"));
  capture::Experiment experiment = BarDrop(3);
  experiment.calibration.cameras[0].images[1] =
      Write("blank.png", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("found in 2 of 3 views, at least 3"), HasSubstr("blank.png")));
}

TEST_F(CalibrateRigFiles, NeedsTheBoardInTheSurfaceView) {
  capture::Experiment experiment = BarDrop(3);
  experiment.calibration.cameras[1].surface =
      Write("bare.png", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("bare.png: surface view: right image: no chessboard of 9 x 6")));
}

TEST(CalibrateRig, SaysWhichBoardItSeesIfNotTheDescribedOne) {
  capture::Experiment experiment = BarDrop(3);
  experiment.board.rows = 5;
  experiment.board.columns = 8;
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("no chessboard of 8 x 5 inner corners in any of the 8 images"),
                    HasSubstr("left/00.png"), HasSubstr("shows 9 x 6 inner corners")));
  try {
    CalibrateRig(experiment, {.num_folds = 0});
    FAIL() << "no error";
  } catch (const CalibrationError& error) {
    EXPECT_TRUE(error.Fault().board_not_found);
    EXPECT_FALSE(error.Fault().surface_view);
    EXPECT_EQ(error.Fault().other_board, (std::array{9, 6}));
  }
}

TEST(CalibrateRig, RefusesWhatItCannotDo) {
  capture::Experiment experiment = BarDrop(3);
  experiment.calibration.cameras[1].images.pop_back();
  EXPECT_THAT(MessageOf<InputError>(experiment), HasSubstr("3 left and 2 right images"));
  EXPECT_THROW(CalibrateRig(BarDrop(3), {.num_threads = 0}), std::invalid_argument);
  EXPECT_THROW(CalibrateRig(BarDrop(3), {.num_folds = 1}), std::invalid_argument);
}

// Colour cannot tell the ends of 8 x 6 corners apart. Source of truth: the rendered rig. Numbering
// must agree between the cameras, and the remark says how W was placed.
TEST_F(CalibrateRigFiles, PlacesABoardWhoseEndsLookAlikeAndSaysHow) {
  Bundle bundle = SyntheticBundle(7, 33);
  capture::Experiment experiment;
  experiment.file = folder_ / "experiment.yaml";
  experiment.board = {.columns = 8, .rows = 6, .square = kSyntheticSquare};
  experiment.calibration.cameras.resize(2);
  for (std::size_t c = 0; c < 2; ++c) {
    capture::CalibrationCamera& listed = experiment.calibration.cameras[c];
    listed.name = c == 0 ? "left" : "right";
    Camera& camera = bundle.cameras[c];
    camera.width = 640;
    camera.height = 360;
    for (std::size_t k = 0; k < 4; ++k) camera.intrinsics[k] *= 0.5;
    for (std::size_t v = 0; v < bundle.views.size(); ++v) {
      const Pose board_from_camera =
          bundle.views[v].board_from_first * bundle.camera_from_first[c].Inverse();
      const fs::path file = Write(fmt::format("{}{}.png", listed.name, v),
                                  RenderBoard(camera, board_from_camera, 8, 6));
      if (v + 1 == bundle.views.size()) {
        listed.surface = file;
      } else {
        listed.images.push_back(file);
      }
    }
  }
  const RigCalibration calibration = CalibrateRig(experiment, {.num_folds = 0});
  EXPECT_THAT(calibration.views.back().reason, HasSubstr("looks the same from both ends"));
  EXPECT_EQ(calibration.quality.num_views, 7);
  for (std::size_t c = 0; c < 2; ++c) {
    const int place = calibration.Places().Intrinsics(static_cast<int>(c));
    EXPECT_NEAR(calibration.cameras[c].camera.intrinsics[0], bundle.cameras[c].intrinsics[0],
                4.0 * std::sqrt(calibration.covariance(place, place)));
  }
  EXPECT_NEAR(calibration.cameras[1].from_first.t.norm(), bundle.camera_from_first[1].t.norm(),
              4.0 * BaselineSigma(calibration, 1));
  // x of W points to the right in the left picture of the surface.
  EXPECT_GT(calibration.world_from_first.R(0, 0), 0.0);
}

// Boards that are only shifted leave the focal length open: every focal length fits with its own
// distance. The answer must name the poses that are missing.
TEST_F(CalibrateRigFiles, SaysThatParallelBoardsDetermineNothing) {
  Bundle bundle = ParallelBoards(5, 31);
  capture::Experiment experiment;
  experiment.file = folder_ / "experiment.yaml";
  experiment.board = {.columns = 9, .rows = 6, .square = kSyntheticSquare};
  experiment.calibration.cameras.resize(2);
  experiment.calibration.cameras[0].name = "left";
  experiment.calibration.cameras[1].name = "right";
  for (Camera& camera : bundle.cameras) {
    camera.width = 640;
    camera.height = 360;
    for (std::size_t k = 0; k < 4; ++k) camera.intrinsics[k] *= 0.5;
  }
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    const Pose& board_from_first = bundle.views[v].board_from_first;
    const Pose board_from_right = board_from_first * bundle.camera_from_first[1].Inverse();
    const fs::path left =
        Write(fmt::format("left{}.png", v), RenderBoard(bundle.cameras[0], board_from_first, 9, 6));
    const fs::path right = Write(fmt::format("right{}.png", v),
                                 RenderBoard(bundle.cameras[1], board_from_right, 9, 6));
    if (v + 1 == bundle.views.size()) {
      experiment.calibration.cameras[0].surface = left;
      experiment.calibration.cameras[1].surface = right;
    } else {
      experiment.calibration.cameras[0].images.push_back(left);
      experiment.calibration.cameras[1].images.push_back(right);
    }
  }
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("parallel within"), HasSubstr("tilted by 20 to 45 deg")));
}

TEST(CalibrateRig, ReportsProgress) {
  std::set<std::string> steps;
  double last = 0.0;
  CalibrateRig(BarDrop(3), {.num_folds = 0, .progress = [&](const std::string& step, double f) {
                              steps.insert(step);
                              last = f;
                            }});
  EXPECT_THAT(steps, testing::IsSupersetOf({"finding the board", "adjusting"}));
  EXPECT_EQ(last, 1.0);
}

}  // namespace
}  // namespace percuss::calibration
