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

#include "calibration/chessboard.h"
#include "calibration/verdict.h"
#include "capture/error.h"
#include "capture/tone.h"
#include "tests/calibration/synthetic_rig.h"

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
  for (int k = 0; k < num_pairs; ++k) {
    experiment.calibration.left.push_back(folder / fmt::format("calibration/left/{:02d}.png", k));
    experiment.calibration.right.push_back(folder / fmt::format("calibration/right/{:02d}.png", k));
  }
  experiment.calibration.surface_left = folder / "calibration/surface/left.png";
  experiment.calibration.surface_right = folder / "calibration/surface/right.png";
  return experiment;
}

class CalibrateStereoFiles : public testing::Test {
 protected:
  CalibrateStereoFiles()
      : folder_(fs::path(testing::TempDir()) /
                (std::string("calibrate-") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::create_directories(folder_);
  }
  ~CalibrateStereoFiles() override { fs::remove_all(folder_); }

  fs::path Write(const std::string& name, const cv::Mat& image) const {
    cv::imwrite((folder_ / name).string(), image);
    return folder_ / name;
  }

  fs::path folder_;
};

template <typename Error>
std::string MessageOf(const capture::Experiment& experiment) {
  try {
    CalibrateStereo(experiment, {.num_folds = 0});
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
TEST(CalibrateStereo, AgreesWithTheTruthOfBarDrop) {
  const StereoCalibration calibration = CalibrateStereo(BarDrop(18));
  const nlohmann::json truth =
      nlohmann::json::parse(std::ifstream(fs::path(PERCUSS_DATA_DIR) / "bar-drop" / "truth.json"));
  const char* const names[] = {"fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3"};
  const auto sigma = [&](int place) { return std::sqrt(calibration.covariance(place, place)); };
  for (int side = 0; side < 2; ++side) {
    const Camera& camera = side == 0 ? calibration.left : calibration.right;
    for (int k = 0; k < kNumIntrinsics; ++k) {
      const double value = truth["cameras"][side == 0 ? "left" : "right"][names[k]];
      const double found = camera.intrinsics[static_cast<std::size_t>(k)];
      EXPECT_NEAR(found, value, 3.0 * sigma(9 * side + k)) << names[k] << " of camera " << side;
      EXPECT_LT(sigma(9 * side + k), k < 2 ? 0.2 : 0.5) << names[k];
    }
  }
  const Pose stereo = PoseFromJson(truth["stereo"]);
  EXPECT_LT(AngleBetween(calibration.right_from_left.R, stereo.R), 0.02 / 180.0 * M_PI);
  EXPECT_NEAR(calibration.right_from_left.t.norm(), stereo.t.norm(),
              3.0 * BaselineSigma(calibration));
  EXPECT_LT(BaselineSigma(calibration), 0.0002 * stereo.t.norm());
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(calibration.right_from_left.t[k], stereo.t[k], 3.0 * sigma(21 + k));
  }
  const Pose left_from_world = PoseFromJson(truth["world_to_left"]);
  EXPECT_LT(AngleBetween(calibration.world_from_left.R, left_from_world.R.transpose()), 0.5e-3);
  EXPECT_LT((calibration.world_from_left.Inverse().t - left_from_world.t).norm(), 0.2e-3);
  EXPECT_LT(calibration.rms_px, 0.04);
  EXPECT_LT(calibration.rms_px_heldout, 1.05 * calibration.rms_px);
  EXPECT_EQ(calibration.verdict, "ok");
  ASSERT_EQ(calibration.views.size(), 19U);
  EXPECT_EQ(calibration.views.front().left, "calibration/left/00.png");
  EXPECT_EQ(calibration.views.back().right, "calibration/surface/right.png");
  for (const ViewReport& view : calibration.views) EXPECT_TRUE(view.used) << view.reason;
}

// Source of truth: other programs on these photographs (the README of the data): focal lengths of
// 534 to 542 px by model and corner detector, a baseline of 3.34 squares. The held-out bounds are
// what cv::stereoCalibrate reaches with the same folds. The first pair stands in for the surface.
TEST(CalibrateStereo, HandlesRealPhotographs) {
  const fs::path folder = fs::path(PERCUSS_DATA_DIR) / "stereo_chessboard_opencv";
  capture::Experiment experiment;
  experiment.file = folder / "experiment.yaml";
  experiment.board = {.columns = 9, .rows = 6, .square = 0.025};
  for (int k = 1; k <= 14; ++k) {
    if (k == 10) continue;
    experiment.calibration.left.push_back(folder / fmt::format("images/left{:02d}.jpg", k));
    experiment.calibration.right.push_back(folder / fmt::format("images/right{:02d}.jpg", k));
  }
  experiment.calibration.surface_left = experiment.calibration.left[0];
  experiment.calibration.surface_right = experiment.calibration.right[0];
  const StereoCalibration calibration = CalibrateStereo(experiment);
  for (const Camera& camera : {calibration.left, calibration.right}) {
    EXPECT_NEAR(camera.intrinsics[0], 538.0, 6.0);
    EXPECT_NEAR(camera.intrinsics[1], 538.0, 6.0);
  }
  EXPECT_NEAR(calibration.right_from_left.t.norm() / 0.025, 3.34, 0.02);
  EXPECT_LT(calibration.rms_px, 0.185);
  EXPECT_LT(calibration.quality.heldout_median_px, 0.182);
  EXPECT_LT(calibration.quality.heldout_p90_px, 0.352);
  EXPECT_LE(calibration.quality.num_rejected_corners, 42);  // 3 %
}

TEST_F(CalibrateStereoFiles, GoesOnWithoutAViewThatShowsNoBoardAndNamesIt) {
  capture::Experiment experiment = BarDrop(5);
  experiment.calibration.right[2] = Write("blank.png", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  const StereoCalibration calibration = CalibrateStereo(experiment, {.num_folds = 0});
  EXPECT_FALSE(calibration.views[2].used);
  EXPECT_EQ(calibration.views[2].reason, "right image: no chessboard of 9 x 6 inner corners found");
  EXPECT_TRUE(std::isnan(calibration.views[2].rms_left_px));
  EXPECT_EQ(calibration.quality.num_views, 5);
  EXPECT_LT(calibration.rms_px, 0.05);
  EXPECT_TRUE(std::isnan(calibration.rms_px_heldout));
}

TEST_F(CalibrateStereoFiles, NamesAPairWhoseImagesDoNotBelongTogether) {
  capture::Experiment experiment = BarDrop(6);
  experiment.calibration.right[3] = experiment.calibration.right[5];
  const StereoCalibration calibration = CalibrateStereo(experiment, {.num_folds = 0});
  EXPECT_FALSE(calibration.views[3].used);
  EXPECT_THAT(calibration.views[3].reason, HasSubstr("does not fit the other views"));
  EXPECT_TRUE(calibration.views[5].used);
  EXPECT_LT(calibration.rms_px, 0.05);
}

TEST_F(CalibrateStereoFiles, NamesAMirroredImage) {
  capture::Experiment experiment = BarDrop(6);
  cv::Mat image = cv::imread(experiment.calibration.right[1].string(), cv::IMREAD_GRAYSCALE);
  cv::Mat mirrored(image.size(), image.type());
  for (int x = 0; x < image.cols; ++x) image.col(x).copyTo(mirrored.col(image.cols - 1 - x));
  experiment.calibration.right[1] = Write("mirrored.png", mirrored);
  const StereoCalibration calibration = CalibrateStereo(experiment, {.num_folds = 0});
  EXPECT_FALSE(calibration.views[1].used);
  EXPECT_THAT(calibration.views[1].reason, HasSubstr("does not fit the other views"));
}

// Source of truth: the corner that was painted over. Corner (4, 2) of the left image of pair 1 gets
// a corner drawn 3 px beside it.
TEST_F(CalibrateStereoFiles, NamesACornerThatDoesNotFit) {
  capture::Experiment experiment = BarDrop(6);
  const StereoCalibration clean = CalibrateStereo(experiment, {.num_folds = 0});
  ASSERT_THAT(clean.views[1].reason, Not(HasSubstr("left image")));
  cv::Mat image = cv::imread(experiment.calibration.left[1].string(), cv::IMREAD_GRAYSCALE);
  const capture::Tone tone;
  const BoardCorners corners =
      FindBoard(image, capture::Linearise(image, capture::LightOfGrey(tone)), experiment.board);
  ASSERT_TRUE(corners.found);
  const Eigen::Vector2d corner = corners.pixels[2 * 9 + 4];
  const cv::Rect patch(static_cast<int>(corner.x()) - 9, static_cast<int>(corner.y()) - 9, 19, 19);
  image(patch).clone().copyTo(image(patch + cv::Point(3, 0)));
  experiment.calibration.left[1] = Write("spoilt.png", image);
  const StereoCalibration calibration = CalibrateStereo(experiment, {.num_folds = 0});
  EXPECT_TRUE(calibration.views[1].used);
  EXPECT_THAT(calibration.views[1].reason,
              HasSubstr("1 of 54 corners rejected in the left image (corner (4, 2) is off by "));
  EXPECT_EQ(calibration.num_corners, clean.num_corners - 1);
  EXPECT_NEAR(calibration.left.intrinsics[0], clean.left.intrinsics[0], 0.05);
}

// A camera that mirrors all its pictures, as phones' front cameras do.
TEST_F(CalibrateStereoFiles, RefusesACameraThatMirrors) {
  capture::Experiment experiment = BarDrop(8);
  const auto mirror = [&](fs::path& file) {
    const cv::Mat image = cv::imread(file.string(), cv::IMREAD_GRAYSCALE);
    cv::Mat mirrored(image.size(), image.type());
    for (int x = 0; x < image.cols; ++x) image.col(x).copyTo(mirrored.col(image.cols - 1 - x));
    file = Write(file.filename(), mirrored);
  };
  for (fs::path& file : experiment.calibration.right) mirror(file);
  mirror(experiment.calibration.surface_right);
  EXPECT_THAT(MessageOf<DataError>(experiment), HasSubstr("mirrored"));
}

TEST_F(CalibrateStereoFiles, NamesACorruptImage) {
  capture::Experiment experiment = BarDrop(4);
  std::ifstream source(experiment.calibration.left[1], std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(source)), {});
  const fs::path file = folder_ / "cut.png";
  std::ofstream(file, std::ios::binary) << content.substr(0, content.size() / 3);
  experiment.calibration.left[1] = file;
  EXPECT_THAT(MessageOf<InputError>(experiment),
              HasSubstr(file.string() + ": cannot be read (the file ends before the image does)"));
  std::ofstream(file, std::ios::binary) << "not an image";
  EXPECT_THAT(MessageOf<InputError>(experiment),
              HasSubstr(file.string() + ": cannot be read (not an image)"));
  const fs::path jpeg = Write("whole.jpg", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  experiment.calibration.left[1] = jpeg;
  fs::resize_file(jpeg, fs::file_size(jpeg) - 100);
  EXPECT_THAT(MessageOf<InputError>(experiment),
              HasSubstr(jpeg.string() + ": cannot be read (the file ends before the image does)"));
  fs::remove(jpeg);
  EXPECT_THAT(MessageOf<InputError>(experiment), HasSubstr(jpeg.string()));
}

TEST_F(CalibrateStereoFiles, NamesAnImageOfAnotherSize) {
  capture::Experiment experiment = BarDrop(4);
  experiment.calibration.right[2] = Write("small.png", cv::Mat(480, 640, CV_8UC1, cv::Scalar(90)));
  EXPECT_THAT(MessageOf<InputError>(experiment),
              AllOf(HasSubstr("small.png: image size 640 x 480 px"), HasSubstr("1280 x 720 px")));
}

TEST_F(CalibrateStereoFiles, NeedsThreePairs) {
  EXPECT_THAT(MessageOf<DataError>(BarDrop(2)), HasSubstr("found 2 pairs of images, at least 3"));
  capture::Experiment experiment = BarDrop(3);
  experiment.calibration.left[1] = Write("blank.png", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("found in 2 of 3 pairs, at least 3"), HasSubstr("blank.png")));
}

TEST_F(CalibrateStereoFiles, NeedsTheBoardInTheSurfacePair) {
  capture::Experiment experiment = BarDrop(3);
  experiment.calibration.surface_right =
      Write("bare.png", cv::Mat(720, 1280, CV_8UC1, cv::Scalar(90)));
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("bare.png: surface pair: right image: no chessboard of 9 x 6")));
}

TEST(CalibrateStereo, SaysWhichBoardItSeesIfNotTheDescribedOne) {
  capture::Experiment experiment = BarDrop(3);
  experiment.board.rows = 5;
  experiment.board.columns = 8;
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("no chessboard of 8 x 5 inner corners in any of the 8 images"),
                    HasSubstr("left/00.png"), HasSubstr("shows 9 x 6 inner corners")));
}

TEST(CalibrateStereo, RefusesABoardWhoseEndsLookAlike) {
  capture::Experiment experiment = BarDrop(3);
  experiment.board.columns = 8;
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("8 x 6"), HasSubstr("one odd and one even number")));
}

TEST(CalibrateStereo, RefusesWhatItCannotDo) {
  capture::Experiment experiment = BarDrop(3);
  experiment.board.type = capture::Board::Type::kCharuco;
  EXPECT_THAT(MessageOf<InputError>(experiment), HasSubstr("board.type"));
  experiment = BarDrop(3);
  experiment.calibration.right.pop_back();
  EXPECT_THAT(MessageOf<InputError>(experiment), HasSubstr("3 left and 2 right images"));
  EXPECT_THROW(CalibrateStereo(BarDrop(3), {.num_threads = 0}), std::invalid_argument);
  EXPECT_THROW(CalibrateStereo(BarDrop(3), {.num_folds = 1}), std::invalid_argument);
}

// Boards that are only shifted leave the focal length open: every focal length fits with its own
// distance. The answer must name the poses that are missing.
TEST_F(CalibrateStereoFiles, SaysThatParallelBoardsDetermineNothing) {
  StereoBundle bundle = ParallelBoards(5, 31);
  capture::Experiment experiment;
  experiment.file = folder_ / "experiment.yaml";
  experiment.board = {.columns = 9, .rows = 6, .square = kSyntheticSquare};
  for (Camera& camera : bundle.cameras) {
    camera.width = 640;
    camera.height = 360;
    for (std::size_t k = 0; k < 4; ++k) camera.intrinsics[k] *= 0.5;
  }
  for (std::size_t v = 0; v < bundle.views.size(); ++v) {
    const Pose& board_from_left = bundle.views[v].board_from_left;
    const Pose board_from_right = board_from_left * bundle.right_from_left.Inverse();
    const fs::path left =
        Write(fmt::format("left{}.png", v), RenderBoard(bundle.cameras[0], board_from_left, 9, 6));
    const fs::path right = Write(fmt::format("right{}.png", v),
                                 RenderBoard(bundle.cameras[1], board_from_right, 9, 6));
    if (v + 1 == bundle.views.size()) {
      experiment.calibration.surface_left = left;
      experiment.calibration.surface_right = right;
    } else {
      experiment.calibration.left.push_back(left);
      experiment.calibration.right.push_back(right);
    }
  }
  EXPECT_THAT(MessageOf<DataError>(experiment),
              AllOf(HasSubstr("parallel within"), HasSubstr("tilted by 20 to 45 deg")));
}

TEST(CalibrateStereo, ReportsProgress) {
  std::set<std::string> steps;
  double last = 0.0;
  CalibrateStereo(BarDrop(3), {.num_folds = 0, .progress = [&](const std::string& step, double f) {
                                 steps.insert(step);
                                 last = f;
                               }});
  EXPECT_THAT(steps, testing::IsSupersetOf({"finding the board", "adjusting"}));
  EXPECT_EQ(last, 1.0);
}

}  // namespace
}  // namespace percuss::calibration
