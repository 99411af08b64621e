// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Experiments whose cameras another program calibrated: the calibration of bar-drop, written in
// foreign formats, must come back with W where it was, and its covariance must hold over draws.

#include "calibration/taken_over.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <filesystem>
#include <random>

#include "base/error.h"
#include "base/files/files.h"
#include "calibration/board_pose.h"
#include "calibration/calibrate.h"
#include "calibration/foreign/foreign_files.h"
#include "calibration/rig/parameter_derivatives.h"
#include "calibration/stated_covariance.h"
#include "tests/calibration/bundle/synthetic_rig.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// bar-drop calibrated here, once, and a folder for files.
struct Native {
  Native() : folder(fs::temp_directory_path() / fmt::format("percuss-taken-{}", ::getpid())) {
    fs::create_directories(folder);
    const fs::path data = fs::path(PERCUSS_DATA_DIR) / "bar-drop";
    experiment.file = data / "experiment.yaml";
    experiment.board = {.columns = 9, .rows = 6, .square = 0.023};
    for (const char* side : {"left", "right"}) {
      capture::CalibrationCamera& camera = experiment.calibration.cameras.emplace_back();
      camera.name = side;
      for (int k = 0; k < 10; ++k)
        camera.images.push_back(data / fmt::format("calibration/{}/{:02d}.png", side, k));
      camera.surface = data / fmt::format("calibration/surface/{}.png", side);
    }
    rig = CalibrateRig(experiment, {.num_folds = 0});
  }
  ~Native() { fs::remove_all(folder); }

  /// The experiment with a file in place of pictures.
  capture::Experiment With(const std::string& name, const std::string& text) const {
    WriteFileAtomically(folder / name, text);
    capture::Experiment changed = experiment;
    changed.calibration.file.files = {folder / name};
    for (capture::CalibrationCamera& camera : changed.calibration.cameras) camera.images.clear();
    return changed;
  }
  capture::Experiment InToml(double unit = 1.0) const {
    ForeignRig foreign = ForeignRigOf(rig);
    for (ForeignCamera& camera : foreign.cameras) camera.camera_from_frame.t /= unit;
    return With("rig.toml", ForeignTexts(foreign, "anipose", "rig.toml")[0].text);
  }

  fs::path folder;
  capture::Experiment experiment;
  RigCalibration rig;
};
const Native& TheNative() {
  static const Native native;
  return native;
}

template <typename Error>
std::string MessageOf(const capture::Experiment& experiment) {
  try {
    CalibrateRig(experiment);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error of this kind";
}

Eigen::VectorXd Sigmas(const RigCalibration& rig) { return rig.covariance.diagonal().cwiseSqrt(); }

TEST(TakeOverRig, FindsTheSurfaceWithTheCamerasAsTheyAre) {
  const Native& native = TheNative();
  capture::Experiment experiment = native.InToml();
  experiment.calibration.file.sigma_px = 0.05;
  std::vector<MeasuredResidual> corners;
  const RigCalibration rig = CalibrateRig(experiment, {}, &corners);
  EXPECT_THAT(rig.source, HasSubstr("rig.toml (Anipose)"));
  EXPECT_TRUE(rig.notes.empty());
  EXPECT_EQ(rig.verdict, "ok");
  EXPECT_EQ(rig.num_corners, std::ssize(corners));
  EXPECT_GT(rig.num_corners, 100);
  EXPECT_LT(rig.rms_px, 2.0 * native.rig.rms_px + 0.01);
  for (std::size_t c = 0; c < 2; ++c)
    EXPECT_EQ(rig.cameras[c].camera.intrinsics, native.rig.cameras[c].camera.intrinsics);
  // The surface picture alone says where W is; the other views pulled at it, too.
  const Pose between = rig.world_from_first * native.rig.world_from_first.Inverse();
  const int world = rig.Places().World();
  const Eigen::VectorXd sigmas = Sigmas(native.rig);
  EXPECT_LT(Eigen::AngleAxisd(between.R).angle(), 3.0 * sigmas.segment<3>(world).norm());
  EXPECT_LT(between.t.norm(), 3.0 * sigmas.segment<3>(world + 3).norm());
  ASSERT_EQ(rig.views.size(), 1u);
  EXPECT_TRUE(rig.views[0].used && rig.views[0].board);
}

// A file of ours says what is not known of its cameras; what W adds must be what it adds here.
TEST(TakeOverRig, KeepsTheCovarianceOfAFileOfOurs) {
  const Native& native = TheNative();
  const RigCalibration rig =
      CalibrateRig(native.With("calibration.json", CalibrationJson(native.rig, {})));
  EXPECT_TRUE(rig.notes.empty());
  const int world = rig.Places().World();
  EXPECT_TRUE(rig.covariance.topLeftCorner(world, world)
                  .isApprox(native.rig.covariance.topLeftCorner(world, world), 1e-12));
  const Eigen::VectorXd is = Sigmas(rig), was = Sigmas(native.rig);
  for (int k = world; k < world + 6; ++k) {
    EXPECT_GT(is[k], 0.7 * was[k]) << k - world;
    EXPECT_LT(is[k], 2.0 * was[k]) << k - world;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(rig.covariance);
  EXPECT_GT(eigen.eigenvalues()[0], -1e-9 * eigen.eigenvalues().tail<1>()[0]);
  // Where the board lay its image is known, whatever the cameras' errors: they go with those of W.
  for (std::size_t camera = 0; camera < 2; ++camera) {
    const auto sigma = [&](const RigCalibration& one) {
      const auto by = PixelByParameters(one, camera, {0.09, -0.05, 0.0});
      return std::sqrt((by * one.covariance * by.transpose()).trace());
    };
    EXPECT_LT(sigma(rig), 3.0 * sigma(native.rig));
    EXPECT_LT(sigma(rig), 0.1);
  }
}

TEST(TakeOverRig, TakesADefaultAndSaysSo) {
  const RigCalibration rig = CalibrateRig(TheNative().InToml());
  ASSERT_EQ(rig.notes.size(), 1u);
  EXPECT_THAT(rig.notes[0], AllOf(HasSubstr("0.3 px"), HasSubstr("calibration.sigma_px")));
  capture::Experiment stated = TheNative().InToml();
  stated.calibration.file.sigma_px = 0.03;
  const Eigen::VectorXd wide = Sigmas(rig), narrow = Sigmas(CalibrateRig(stated));
  EXPECT_NEAR(wide[0] / narrow[0], 10.0, 1.0);
  const std::string text = CalibrationJson(rig, {});
  WriteFileAtomically(TheNative().folder / "again.json", text);
  const RigCalibration again = ReadCalibration(TheNative().folder / "again.json");
  EXPECT_EQ(again.source, rig.source);
  EXPECT_EQ(again.notes, rig.notes);
}

TEST(TakeOverRig, WantsTheUnitOfTheBoard) {
  capture::Experiment millimetres = TheNative().InToml(1e-3);
  EXPECT_THAT(
      MessageOf<InputError>(millimetres),
      AllOf(HasSubstr("experiment.yaml: calibration.unit: found"), HasSubstr("allowed unit: mm")));
  millimetres.calibration.file.unit = 1e-3;
  const RigCalibration rig = CalibrateRig(millimetres);
  EXPECT_NEAR(rig.cameras[1].from_first.t.norm(), TheNative().rig.cameras[1].from_first.t.norm(),
              1e-12);
}

TEST(TakeOverRig, SaysWhatDoesNotFit) {
  const Native& native = TheNative();
  capture::Experiment exchanged = native.InToml();
  exchanged.calibration.cameras[0].name_in_file = "right";
  exchanged.calibration.cameras[1].name_in_file = "left";
  EXPECT_THAT(MessageOf<DataError>(exchanged), HasSubstr("are left and right exchanged"));

  capture::Experiment unknown = native.InToml();
  unknown.calibration.cameras[0].name_in_file = "cam9";
  EXPECT_THAT(MessageOf<InputError>(unknown),
              HasSubstr("calibration.left: found cam9, allowed a camera of the file: left, right"));

  ForeignRig half = ForeignRigOf(native.rig);
  for (ForeignCamera& camera : half.cameras) {
    camera.camera.width /= 2;
    camera.camera.height /= 2;
  }
  EXPECT_THAT(
      MessageOf<InputError>(native.With("half.toml", ForeignTexts(half, "anipose", "")[0].text)),
      AllOf(HasSubstr("calibration.file: found the left camera of"),
            HasSubstr("surface/left.png has")));

  // Up or down no place of the board explains it; inwards it only seems smaller.
  const auto turned = [&](const Eigen::Vector3d& by) {
    ForeignRig moved = ForeignRigOf(native.rig);
    Pose& right = moved.cameras[1].camera_from_frame;
    right = Pose{RotationFromVector(by), Eigen::Vector3d::Zero()} * right;
    return native.With("moved.toml", ForeignTexts(moved, "anipose", "")[0].text);
  };
  EXPECT_THAT(MessageOf<DataError>(turned({0.01, 0.0, 0.0})),
              HasSubstr("was a camera moved or refocused since"));
  const RigCalibration inwards = CalibrateRig(turned({0.0, 0.003, 0.0}));
  ASSERT_EQ(inwards.notes.size(), 2u);
  EXPECT_THAT(inwards.notes[1], HasSubstr("times its stated size"));
}

TEST(TakeOverRig, IsAskedForByTheKeysOfTheExperiment) {
  const fs::path folder = TheNative().folder / "keys";
  for (const char* name : {"a.cameramodel", "b.cameramodel", "left.png", "right.png"})
    WriteFileAtomically(folder / name, "x");
  const auto read = [&](const std::string& keys) {
    WriteFileAtomically(
        folder / "experiment.yaml",
        "board: {type: chessboard, columns: 9, rows: 6, square: 0.023}\ncalibration: {" + keys +
            ", surface: {left: left.png, right: right.png}}\n");
    return capture::ReadExperiment(folder / "experiment.yaml",
                                   capture::ExperimentNeeds::kCalibration);
  };
  const auto complaint = [&](const std::string& keys) -> std::string {
    try {
      read(keys);
    } catch (const InputError& error) {
      return error.what();
    }
    return "read";
  };
  const capture::CalibrationImages images =
      read("file: '*.cameramodel', left: b, right: a, unit: cm, sigma_px: 0.2").calibration;
  ASSERT_EQ(images.file.files.size(), 2u);
  EXPECT_EQ(images.file.files[1].filename(), "b.cameramodel");
  EXPECT_EQ(images.file.unit, 0.01);
  EXPECT_EQ(images.file.sigma_px, 0.2);
  ASSERT_EQ(images.cameras.size(), 2u);
  EXPECT_EQ(images.cameras[0].name_in_file, "b");
  EXPECT_TRUE(images.cameras[0].images.empty());
  EXPECT_EQ(images.cameras[1].surface.filename(), "right.png");
  EXPECT_EQ(read("file: [b.cameramodel, a.cameramodel], unit: 0.5").calibration.file.unit, 0.5);
  // One camera where the surface is seen by one.
  const std::string one =
      "board: {type: chessboard, columns: 9, rows: 6, square: 0.023}\ncalibration: {file: "
      "a.cameramodel, surface: {left: left.png}";
  WriteFileAtomically(folder / "one.yaml", one + "}\n");
  EXPECT_EQ(capture::ReadExperiment(folder / "one.yaml", capture::ExperimentNeeds::kCalibration)
                .calibration.cameras.size(),
            1u);
  WriteFileAtomically(folder / "one.yaml", one + ", right: b}\n");
  EXPECT_THROW(capture::ReadExperiment(folder / "one.yaml", capture::ExperimentNeeds::kCalibration),
               InputError);
  EXPECT_THAT(complaint("file: c.toml"), HasSubstr("calibration.file (line 2): found"));
  EXPECT_THAT(complaint("file: a.cameramodel, unit: mile"),
              HasSubstr("calibration.unit (line 2): found mile, allowed m, cm, mm, in"));
  EXPECT_THAT(complaint("file: a.cameramodel, sigma_px: 0"),
              HasSubstr("calibration.sigma_px (line 2): found 0, allowed a number above 0"));
  EXPECT_THAT(complaint("file: a.cameramodel, lens: brown"),
              HasSubstr("calibration.lens (line 2): found an unknown key"));
}

TEST(StatedCovariance, HasTheStatedProjectionError) {
  const Bundle bundle = SyntheticBundle(2, 1);
  Bundle surface = bundle;
  surface.views = {bundle.views.back()};
  for (const double sigma : {0.02, 0.5}) {
    const Eigen::MatrixXd covariance = StatedCovariance(surface, sigma);
    EXPECT_NEAR(ProjectionRms(surface, covariance), sigma, 1e-9 * sigma);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
    EXPECT_GT(eigen.eigenvalues()[0], -1e-12 * eigen.eigenvalues().tail<1>()[0]);
    // As from pictures: focal lengths of one camera go together.
    const double fx_fy = covariance(0, 1) / std::sqrt(covariance(0, 0) * covariance(1, 1));
    EXPECT_GT(fx_fy, 0.5);
  }
}

// Cameras that err as stated and corners that err by noise: the pose of the board errs as said, and
// with the cameras as said.
TEST(BoardPose, ErrsAsItsCovarianceSays) {
  constexpr double kSigmaPx = 0.2, kNoisePx = 0.05;
  constexpr int kDraws = 200;
  const Bundle exact = SyntheticBundle(2, 3);
  Bundle surface = exact;
  surface.views = {exact.views.back()};
  const Eigen::MatrixXd stated = StatedCovariance(surface, kSigmaPx);
  const Eigen::Index size = stated.rows();
  const ParameterPlaces places{2};
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(stated);
  const Eigen::MatrixXd root =
      eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  surface.pixel_sigma_px = kNoisePx;
  const PoseInformation information = InformationOfPose(surface);
  const Eigen::MatrixXd by_cameras = -information.ByRig().leftCols(size);
  const Eigen::Matrix<double, 6, 6> noise = information.pose.inverse();
  const Eigen::MatrixXd all = by_cameras * stated * by_cameras.transpose() + noise;

  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  double chi2_all = 0.0, chi2_noise = 0.0;
  for (int draw = 0; draw < kDraws; ++draw) {
    Eigen::VectorXd c(size);
    for (double& value : c) value = normal(random);
    c = (root * c).eval();
    Bundle truth = surface;
    for (int camera = 0; camera < 2; ++camera) {
      for (int k = 0; k < kNumIntrinsics; ++k)
        truth.cameras[camera].intrinsics[k] += c[places.Intrinsics(camera) + k];
    }
    truth.camera_from_first[1] =
        Moved(truth.camera_from_first[1], c.segment<6>(places.CameraPose(1)));
    ProjectCorners(&truth);
    AddNoise(&truth, kNoisePx, 100 + draw);
    Bundle estimate = surface;
    estimate.views = truth.views;
    AdjustBoardPose(&estimate);
    const Pose& is = estimate.views[0].board_from_first;
    const Pose& was = surface.views[0].board_from_first;
    const Eigen::AngleAxisd turn(was.R * is.R.transpose());
    Eigen::Matrix<double, 6, 1> d;
    d << turn.angle() * turn.axis(), was.t - is.t;
    const Eigen::Matrix<double, 6, 1> left = d - by_cameras * c;
    chi2_all += d.dot(all.ldlt().solve(d)) / kDraws;
    chi2_noise += left.dot(noise.ldlt().solve(left)) / kDraws;
  }
  // Six degrees of freedom; the mean of 200 has a standard deviation of sqrt(12 / 200) = 0.24.
  EXPECT_NEAR(chi2_all, 6.0, 1.0);
  EXPECT_NEAR(chi2_noise, 6.0, 1.0);
}

}  // namespace
}  // namespace percuss::calibration
