// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Calibrations of other programs: there and back, against OpenCV where it is the library that wrote
// them, against the conventions that each format documents, and broken ones.

#include "calibration/foreign/foreign_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Geometry>
#include <cstdlib>
#include <functional>
#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>
#include <sstream>

#include "base/error.h"
#include "base/files/files.h"

namespace percuss::calibration {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector2d;
using Eigen::Vector3d;
using ::testing::HasSubstr;

constexpr double kReach = 1e-6;  // [px] largest difference of a projected point

/// A folder that is removed with the test.
class ForeignFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("percuss-foreign-{}-{}", ::getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path Write(const std::string& name, const std::string& text) const {
    WriteFileAtomically(folder_ / name, text);
    return folder_ / name;
  }

  fs::path folder_;
};

Camera MakeCamera(LensModel lens, std::initializer_list<double> numbers, int width = 1280,
                  int height = 720) {
  Camera camera{.width = width, .height = height, .lens = lens, .intrinsics = {}};
  std::copy(numbers.begin(), numbers.end(), camera.intrinsics.begin());
  return camera;
}

Pose MakePose(const Vector3d& rotation, const Vector3d& t) {
  return {RotationFromVector(rotation), t};
}

/// Two cameras that look at the origin of their frame from some metres away.
ForeignRig TwoCameras(const Camera& left, const Camera& right) {
  return {.format = "",
          .cameras = {{"left", left, MakePose({0.4, -0.3, 0.1}, {0.11, -0.07, 1.9})},
                      {"right", right, MakePose({0.5, 0.6, -0.2}, {-0.21, 0.05, 2.2})}}};
}

ForeignRig BrownRig(double k3) {
  return TwoCameras(MakeCamera(LensModel::kBrown,
                               {1403.25, 1401.5, 651.125, 355.0625, -0.21, 0.13, 3e-4, -7e-4, k3}),
                    MakeCamera(LensModel::kBrown, {1398.7, 1397.1, 633.3, 362.9, -0.19, 0.11, -5e-4,
                                                   2e-4, -0.5 * k3}));
}

ForeignRig RationalRig() {
  return TwoCameras(MakeCamera(LensModel::kRational, {903.2, 902.1, 640.1, 361.2, 0.3, -0.1, 1e-4,
                                                      2e-4, 0.01, 0.6, -0.05, 0.02}),
                    MakeCamera(LensModel::kRational, {899.1, 900.3, 630.7, 352.2, 0.2, -0.1, 3e-4,
                                                      1e-4, 0.02, 0.5, -0.04, 0.01}));
}

ForeignRig FisheyeRig() {
  return TwoCameras(
      MakeCamera(LensModel::kFisheye, {612.2, 611.4, 644.0, 351.0, 0.02, -0.01, 3e-3, -1e-3}),
      MakeCamera(LensModel::kFisheye, {615.2, 614.4, 634.0, 358.0, 0.03, -0.02, 2e-3, -2e-3}));
}

ForeignRig PinholeRig() {
  return TwoCameras(MakeCamera(LensModel::kBrown, {1403.25, 1401.5, 651.125, 355.0625}),
                    MakeCamera(LensModel::kBrown, {1398.7, 1397.1, 633.3, 362.9}));
}

/// Places about the origin of the frame, all before both cameras.
std::vector<Vector3d> Places() {
  std::vector<Vector3d> places;
  for (int k = 0; k < 125; ++k)
    places.emplace_back(0.15 * (k % 5 - 2), 0.1 * (k / 5 % 5 - 2), 0.12 * (k / 25 - 2));
  return places;
}

Vector2d PixelOf(const ForeignCamera& camera, const Vector3d& place) {
  return Project(camera.camera, camera.camera_from_frame * place);
}

/// Largest distance between pixels of the cameras as read and as `truth` says.
double LargestDifference(
    const ForeignRig& rig,
    const std::function<Vector2d(std::size_t camera, const Vector3d& place)>& truth) {
  double largest = 0.0;
  for (std::size_t c = 0; c < rig.cameras.size(); ++c) {
    for (const Vector3d& place : Places())
      largest = std::fmax(largest, (PixelOf(rig.cameras[c], place) - truth(c, place)).norm());
  }
  return largest;
}

void PrintReach(const std::string& format, double largest) {
  fmt::print("{:<24} largest difference of a projected point {:.2g} px (bound {:g})\n", format,
             largest, kReach);
  EXPECT_LT(largest, kReach) << format;
}

Pose Between(const ForeignRig& rig) {
  return rig.cameras[1].camera_from_frame * rig.cameras[0].camera_from_frame.Inverse();
}

void ExpectSamePose(const Pose& a, const Pose& b, const std::string& what) {
  EXPECT_LT((a.R - b.R).cwiseAbs().maxCoeff(), 1e-12) << what;
  EXPECT_LT((a.t - b.t).cwiseAbs().maxCoeff(), 1e-12) << what;
}

TEST_F(ForeignFiles, ComeBackAsTheyWereWritten) {
  struct Case {
    std::string_view format, file;
    ForeignRig rig;
    bool frame = true;  // formats without a frame of their own keep where the cameras stand
  };
  const std::vector<Case> cases = {
      {"opencv", "a.yaml", BrownRig(0.04), false},
      {"opencv", "b.yaml", RationalRig(), false},
      {"opencv", "c.yml", FisheyeRig(), false},
      {"kalibr", "d.yaml", BrownRig(0.0), false},
      {"kalibr", "e.yaml", FisheyeRig(), false},
      {"mrcal", "f.cameramodel", BrownRig(0.04)},
      {"mrcal", "g.cameramodel", RationalRig()},
      {"colmap", "h", BrownRig(0.0)},
      {"colmap", "i", RationalRig()},
      {"colmap", "j", FisheyeRig()},
      {"anipose", "k.toml", BrownRig(0.04)},
      {"anipose", "l.toml", RationalRig()},
      {"anipose", "m.toml", FisheyeRig()},
      {"pose2sim", "n.toml", BrownRig(0.0)},
      {"pose2sim", "o.toml", FisheyeRig()},
      {"dlt", "p.csv", PinholeRig()},
  };
  for (const Case& one : cases) {
    const std::string what = fmt::format("{} {}", one.format, one.file);
    std::vector<fs::path> files;
    for (const NamedText& text : ForeignTexts(one.rig, one.format, folder_ / one.file)) {
      WriteFileAtomically(text.file, text.text);
      files.push_back(text.file);
    }
    if (one.format == "colmap") files = {folder_ / one.file};
    const ForeignRig read = ReadForeignRig(files, {.size = {{1280, 720}}});
    ASSERT_EQ(read.cameras.size(), 2u) << what;
    EXPECT_TRUE(read.notes.empty()) << what;
    for (std::size_t c = 0; c < 2; ++c) {
      const Camera &was = one.rig.cameras[c].camera, &is = read.cameras[c].camera;
      EXPECT_EQ(is.width, was.width) << what;
      EXPECT_EQ(is.height, was.height) << what;
      for (int k = 0; k < kNumIntrinsics; ++k)
        EXPECT_NEAR(is.intrinsics[k], was.intrinsics[k],
                    1e-12 * (1.0 + std::abs(was.intrinsics[k])))
            << what << " place " << k;
      if (one.frame)
        ExpectSamePose(read.cameras[c].camera_from_frame, one.rig.cameras[c].camera_from_frame,
                       what);
    }
    ExpectSamePose(Between(read), Between(one.rig), what);
    // To rounding of some thousand pixels.
    const ForeignRig& rig = one.rig;
    const Pose moved = one.frame ? Pose{} : rig.cameras[0].camera_from_frame;
    const double largest = LargestDifference(read, [&](std::size_t c, const Vector3d& place) {
      return PixelOf(rig.cameras[c], moved.Inverse() * place);
    });
    if (one.frame) EXPECT_LT(largest, 1e-9) << what;
  }
}

cv::Mat MatOf(const Eigen::MatrixXd& matrix) {
  cv::Mat result(static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols()), CV_64F);
  for (int i = 0; i < result.rows; ++i) {
    for (int j = 0; j < result.cols; ++j) result.at<double>(i, j) = matrix(i, j);
  }
  return result;
}

cv::Mat MatrixOfCamera(const Camera& camera) {
  const auto& c = camera.intrinsics;
  return (cv::Mat_<double>(3, 3) << c[0], 0, c[2], 0, c[1], c[3], 0, 0, 1);
}

cv::Mat CoefficientsOf(const Camera& camera) {
  const auto count = static_cast<int>(DistortionNames(camera.lens).size());
  cv::Mat result(1, count, CV_64F);
  for (int k = 0; k < count; ++k) result.at<double>(0, k) = camera.intrinsics[4 + k];
  return result;
}

/// By OpenCV, from its own matrices.
Vector2d OpenCvPixel(bool fisheye, const cv::Mat& K, const cv::Mat& D, const cv::Mat& R,
                     const cv::Mat& t, const Vector3d& place) {
  cv::Mat vector;
  cv::Rodrigues(R, vector);
  std::vector<cv::Point2d> pixels;
  const std::vector<cv::Point3d> points = {{place.x(), place.y(), place.z()}};
  if (fisheye) {
    cv::fisheye::projectPoints(points, pixels, vector, t, K, D);
  } else {
    cv::projectPoints(points, vector, t, K, D, pixels);
  }
  return {pixels[0].x, pixels[0].y};
}

TEST_F(ForeignFiles, OfOpenCvProjectAsItDoes) {
  for (const bool xml : {false, true}) {
    for (const ForeignRig& rig : {BrownRig(0.04), RationalRig(), FisheyeRig()}) {
      const bool fisheye = rig.cameras[0].camera.lens == LensModel::kFisheye;
      const Pose pose = Between(rig);
      const std::string ending = xml ? ".xml" : ".yml";
      const fs::path intrinsics = folder_ / ("intrinsics" + ending),
                     extrinsics = folder_ / ("extrinsics" + ending);
      {  // as the sample stereo_calib.cpp writes them
        cv::FileStorage file(intrinsics.string(), cv::FileStorage::WRITE);
        file << "M1" << MatrixOfCamera(rig.cameras[0].camera) << "D1"
             << CoefficientsOf(rig.cameras[0].camera) << "M2"
             << MatrixOfCamera(rig.cameras[1].camera) << "D2"
             << CoefficientsOf(rig.cameras[1].camera);
        if (fisheye) file << "fisheye_model" << 1;
        cv::FileStorage other(extrinsics.string(), cv::FileStorage::WRITE);
        other << "R" << MatOf(pose.R) << "T" << MatOf(pose.t) << "Q" << cv::Mat::eye(4, 4, CV_64F);
      }
      const ForeignRig read = ReadForeignRig({intrinsics, extrinsics}, {.size = {{1280, 720}}});
      ASSERT_EQ(read.cameras.size(), 2u);
      const Vector3d away(0.0, 0.0, 2.0);
      const double largest = LargestDifference(
          ForeignRig{.format = "",
                     .cameras = {{"a", read.cameras[0].camera, {Eigen::Matrix3d::Identity(), away}},
                                 {"b", read.cameras[1].camera,
                                  read.cameras[1].camera_from_frame *
                                      Pose{Eigen::Matrix3d::Identity(), away}}}},
          [&](std::size_t c, const Vector3d& place) {
            const Camera& camera = rig.cameras[c].camera;
            const Pose at = c == 0 ? Pose{} : pose;
            return OpenCvPixel(fisheye, MatrixOfCamera(camera), CoefficientsOf(camera), MatOf(at.R),
                               MatOf(at.t), place + away);
          });
      PrintReach(fmt::format("OpenCV {} {}", xml ? "XML" : "YAML",
                             capture::Name(rig.cameras[0].camera.lens)),
                 largest);
    }
  }
}

TEST_F(ForeignFiles, ForOpenCvAreReadByIt) {
  const ForeignRig rig = BrownRig(0.04);
  const fs::path file = folder_ / "ours.yaml";
  WriteFileAtomically(file, ForeignTexts(rig, "opencv", file)[0].text);
  cv::FileStorage storage(file.string(), cv::FileStorage::READ);
  ASSERT_TRUE(storage.isOpened());
  cv::Mat M2, D2, R, T;
  storage["M2"] >> M2;
  storage["D2"] >> D2;
  storage["R"] >> R;
  storage["T"] >> T;
  ASSERT_EQ(M2.type(), CV_64F);
  ASSERT_EQ(D2.total(), 5u);
  const Pose first = rig.cameras[0].camera_from_frame;
  double largest = 0.0;
  for (const Vector3d& place : Places()) {
    largest = std::fmax(
        largest,
        (OpenCvPixel(false, M2, D2, R, T, first * place) - PixelOf(rig.cameras[1], place)).norm());
  }
  PrintReach("OpenCV reads ours", largest);
}

TEST_F(ForeignFiles, OfOneCameraOfOpenCvAndRos) {
  const Camera camera = BrownRig(0.04).cameras[0].camera;
  const fs::path file = folder_ / "camera.xml";
  {  // as the sample camera_calibration.cpp
    cv::FileStorage storage(file.string(), cv::FileStorage::WRITE);
    storage << "calibration_time"
            << "Tue"
            << "image_width" << 1280 << "image_height" << 720 << "board_width" << 9 << "flags" << 4
            << "fisheye_model" << 0 << "camera_matrix" << MatrixOfCamera(camera)
            << "distortion_coefficients" << CoefficientsOf(camera).t() << "avg_reprojection_error"
            << 0.21;
  }
  const ForeignRig read = ReadForeignRig({file});
  ASSERT_EQ(read.cameras.size(), 1u);
  EXPECT_EQ(read.cameras[0].name, "camera");
  EXPECT_EQ(read.cameras[0].camera.width, 1280);
  EXPECT_EQ(read.cameras[0].camera.intrinsics, camera.intrinsics);

  const fs::path ros = Write("head.yaml", R"(image_width: 640
image_height: 480
camera_name: head
camera_matrix: {rows: 3, cols: 3, data: [500.5, 0, 320.25, 0, 501, 241, 0, 0, 1]}
distortion_model: plumb_bob
distortion_coefficients: {rows: 1, cols: 5, data: [-0.2, 0.1, 0.001, 0.002, 0]}
rectification_matrix: {rows: 3, cols: 3, data: [1, 0, 0, 0, 1, 0, 0, 0, 1]}
)");
  const Camera head = ReadForeignRig({ros}).cameras[0].camera;
  EXPECT_EQ(head.height, 480);
  EXPECT_EQ(head.intrinsics,
            (std::array<double, kNumIntrinsics>{500.5, 501, 320.25, 241, -0.2, 0.1, 0.001, 0.002}));
}

// Files that OpenCV's own samples wrote (data/stereo_chessboard_opencv).
TEST_F(ForeignFiles, OfOpenCvSamples) {
  const fs::path data = fs::path(PERCUSS_DATA_DIR) / "stereo_chessboard_opencv";
  const Camera left = ReadForeignRig({data / "left_intrinsics.yml"}).cameras[0].camera;
  EXPECT_EQ(left.width, 640);
  EXPECT_EQ(left.intrinsics[0], 5.3591573396163199e+02);
  Write("extrinsics.yml",
        "%YAML:1.0\nR: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n"
        "   data: [ 1., 0., 0., 0., 1., 0., 0., 0., 1. ]\n"
        "T: !!opencv-matrix\n   rows: 3\n   cols: 1\n   dt: d\n   data: [ -3.3, 0., 0. ]\n");
  const ForeignRig rig =
      ReadForeignRig({data / "intrinsics.yml", folder_ / "extrinsics.yml"}, {.unit = 0.025});
  ASSERT_EQ(rig.cameras.size(), 2u);
  EXPECT_EQ(rig.cameras[1].camera.intrinsics[4], -1.6916358306948096e-01);
  EXPECT_NEAR(rig.cameras[1].camera_from_frame.t.x(), -0.0825, 1e-15);
  EXPECT_EQ(rig.cameras[1].camera.width, 0);  // stereo_calib does not say it
}

// Kalibr's documented models: radtan is OpenCV's with four coefficients, equi its fisheye.
TEST_F(ForeignFiles, OfKalibrChainTheirTransforms) {
  const fs::path file = Write("camchain.yaml", R"(cam0:
  cam_overlaps: [1, 2]
  camera_model: pinhole
  distortion_coeffs: [-0.28, 0.07, 0.0002, 0.00002]
  distortion_model: radtan
  intrinsics: [458.6, 457.3, 367.2, 248.4]
  resolution: [752, 480]
  rostopic: /cam0/image_raw
cam1:
  T_cn_cnm1:
  - [0.0, -1.0, 0.0, -0.1]
  - [1.0, 0.0, 0.0, 0.02]
  - [0.0, 0.0, 1.0, 0.03]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: pinhole
  distortion_coeffs: [0.01, -0.02, 0.003, -0.001]
  distortion_model: equidistant
  intrinsics: [457.6, 456.1, 380.0, 255.2]
  resolution: [752, 480]
cam2:
  T_cn_cnm1:
  - [1.0, 0.0, 0.0, -0.2]
  - [0.0, 1.0, 0.0, 0.0]
  - [0.0, 0.0, 1.0, 0.0]
  - [0.0, 0.0, 0.0, 1.0]
  camera_model: pinhole
  distortion_coeffs: []
  distortion_model: none
  intrinsics: [450.0, 450.0, 370.0, 240.0]
  resolution: [752, 480]
)");
  const ForeignRig rig = ReadForeignRig({file});
  ASSERT_EQ(rig.cameras.size(), 3u);
  const cv::Mat still = cv::Mat::zeros(3, 1, CV_64F), one = cv::Mat::eye(3, 3, CV_64F);
  double largest = 0.0;
  for (const Vector3d& place : Places()) {
    const Vector3d p0 = place + Vector3d(0, 0, 2);
    const Vector3d p1(-p0.y() - 0.1, p0.x() + 0.02, p0.z() + 0.03);
    const Vector3d p2 = p1 - Vector3d(0.2, 0, 0);
    const Vector2d truth[] = {
        OpenCvPixel(false, (cv::Mat_<double>(3, 3) << 458.6, 0, 367.2, 0, 457.3, 248.4, 0, 0, 1),
                    (cv::Mat_<double>(1, 4) << -0.28, 0.07, 0.0002, 0.00002), one, still, p0),
        OpenCvPixel(true, (cv::Mat_<double>(3, 3) << 457.6, 0, 380.0, 0, 456.1, 255.2, 0, 0, 1),
                    (cv::Mat_<double>(1, 4) << 0.01, -0.02, 0.003, -0.001), one, still, p1),
        Vector2d(450.0 * p2.x() / p2.z() + 370.0, 450.0 * p2.y() / p2.z() + 240.0)};
    for (int c = 0; c < 3; ++c)
      largest = std::fmax(largest, (PixelOf(rig.cameras[c], p0) - truth[c]).norm());
  }
  PrintReach("Kalibr", largest);
}

// mrcal: LENSMODEL_OPENCV8 is OpenCV's model; extrinsics are a Rodrigues vector and t, from the
// reference to the camera.
TEST_F(ForeignFiles, OfMrcalAreDictsOfPython) {
  const std::string text = R"({
    'lensmodel':  'LENSMODEL_OPENCV8',

    # intrinsics are fx,fy,cx,cy,distortion0,distortion1,....
    'intrinsics': [ 1761.181055, 1761.250444, 1965.706996, 1087.518797, -0.01266096516, 0.03590794372, -0.0002547045941, 0.0005275929652, 0.01968883397, 0.01482863541, -0.0562239888, 0.0500223357,],

    'valid_intrinsics_region': [
        [ 0.0, 0.0 ],
        [ 4000.0, 0.0 ],
    ],

    # extrinsics are rt_fromref
    "extrinsics": ( 2e-2, -3.0717378e-01, -5e-3, 1.325187, .01, 3e-1, ),

    'imagersize': [ 4000, 2200,],
    'icam_intrinsics': 0,

    'optimization_inputs': b'P)h>@6aWAK2mk{8\'001Na0RR910RR'
}
)";
  const ForeignRig rig = ReadForeignRig({Write("camera-0.cameramodel", text)});
  ASSERT_EQ(rig.cameras.size(), 1u);
  EXPECT_EQ(rig.cameras[0].name, "camera-0");
  EXPECT_EQ(rig.cameras[0].camera.width, 4000);
  const cv::Mat vector = (cv::Mat_<double>(3, 1) << 2e-2, -3.0717378e-01, -5e-3);
  cv::Mat R;
  cv::Rodrigues(vector, R);
  const cv::Mat K =
      (cv::Mat_<double>(3, 3) << 1761.181055, 0, 1965.706996, 0, 1761.250444, 1087.518797, 0, 0, 1);
  const cv::Mat D = (cv::Mat_<double>(1, 8) << -0.01266096516, 0.03590794372, -0.0002547045941,
                     0.0005275929652, 0.01968883397, 0.01482863541, -0.0562239888, 0.0500223357);
  const cv::Mat t = (cv::Mat_<double>(3, 1) << 1.325187, 0.01, 0.3);
  double largest = 0.0;
  for (const Vector3d& place : Places()) {
    const Vector3d before = place + Vector3d(-1.0, 0.1, 2.0);
    largest = std::fmax(
        largest, (PixelOf(rig.cameras[0], before) - OpenCvPixel(false, K, D, R, t, before)).norm());
  }
  PrintReach("mrcal", largest);
}

// COLMAP: p_cam = R(q) p_world + t, pixels from the corner of the first one, which has its centre
// at (0.5, 0.5).
TEST_F(ForeignFiles, OfColmapCountPixelsFromTheCorner) {
  Write("cameras.txt",
        "# Camera list with one line of data per camera:\n"
        "1 SIMPLE_RADIAL 1920 1080 1500.0 960.0 540.0 -0.05\n"
        "2 RADIAL 1920 1080 1490.0 955.0 545.0 -0.05 0.01\n"
        "7 PINHOLE 1280 720 1000 1001 640 360\n");
  Write("images.txt",
        "# Image list with two lines of data per image:\n"
        "1 0.8 0.6 0 0 0.1 0.2 3.0 1 left/0001.png\n"
        "100.5 20.5 -1 3.5 4.5 12\n"
        "2 1 0 0 0 -0.1 0.2 3.0 2 right/0001.png\n"
        "\n"
        "3 0 0 0 1 0.3 0.1 2.0 7 top/0001.png\n"
        "1 2 -1\n");
  const ForeignRig rig = ReadForeignRig({folder_});
  ASSERT_EQ(rig.cameras.size(), 3u);
  EXPECT_EQ(rig.cameras[1].name, "right_0001");
  const double largest = LargestDifference(rig, [](std::size_t c, const Vector3d& p) {
    // q = (0.8, 0.6, 0, 0) turns about x by atan2(24, 7); (0, 0, 0, 1) by half a turn about z.
    Vector3d q = p;
    if (c == 0) q = {p.x(), 0.28 * p.y() - 0.96 * p.z(), 0.96 * p.y() + 0.28 * p.z()};
    if (c == 2) q = {-p.x(), -p.y(), p.z()};
    q += c == 0   ? Vector3d(0.1, 0.2, 3.0)
         : c == 1 ? Vector3d(-0.1, 0.2, 3.0)
                  : Vector3d(0.3, 0.1, 2.0);
    const double u = q.x() / q.z(), v = q.y() / q.z(), r2 = u * u + v * v;
    const double bend = c == 0 ? 1 - 0.05 * r2 : c == 1 ? 1 - 0.05 * r2 + 0.01 * r2 * r2 : 1.0;
    const double fx = c == 0 ? 1500 : c == 1 ? 1490 : 1000, fy = c == 2 ? 1001 : fx;
    const double cx = c == 0 ? 960 : c == 1 ? 955 : 640, cy = c == 0 ? 540 : c == 1 ? 545 : 360;
    return Vector2d(fx * u * bend + cx - 0.5, fy * v * bend + cy - 0.5);
  });
  PrintReach("COLMAP", largest);
}

// MATLAB: [u v 1] w = [X Y Z 1] [R; t] K' with rows from the left, the first pixel at (1, 1).
TEST_F(ForeignFiles, OfMatlabMultiplyRows) {
  const auto text = [](bool newer) {
    const std::string K1 =
        newer ? R"("K": [[1000, 0, 641], [0, 1002, 361], [0, 0, 1]])"
              : R"("IntrinsicMatrix": [[1000, 0, 0], [0, 1002, 0], [641, 361, 1]])";
    const std::string K2 = newer
                               ? R"("K": [[990, 0, 631], [0, 991, 351], [0, 0, 1]])"
                               : R"("IntrinsicMatrix": [[990, 0, 0], [0, 991, 0], [631, 351, 1]])";
    const std::string pose =
        newer
            ? R"("PoseCamera2": {"Dimensionality": 3, "R": [[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]], "Translation": [-120, 3, 5]})"
            : R"("RotationOfCamera2": [[0.8, 0.6, 0], [-0.6, 0.8, 0], [0, 0, 1]], "TranslationOfCamera2": [-120, 3, 5])";
    return fmt::format(
        R"({{"CameraParameters1": {{"RadialDistortion": [-0.1, 0.02], "TangentialDistortion": [0.001, -0.002], "ImageSize": [720, 1280], {}}}, "CameraParameters2": {{"RadialDistortion": [-0.2, 0.03, 0.01], "TangentialDistortion": [0, 0], "ImageSize": [720, 1280], {}}}, {}, "WorldUnits": "millimeters"}})",
        K1, K2, pose);
  };
  for (const bool newer : {false, true}) {
    const ForeignRig rig = ReadForeignRig({Write("stereo.json", text(newer))});
    ASSERT_EQ(rig.cameras.size(), 2u);
    EXPECT_EQ(rig.cameras[0].camera.width, 1280);
    double largest = 0.0;
    for (const Vector3d& place : Places()) {
      const Vector3d p1 = place + Vector3d(0, 0, 2);
      // Rows: x2 = x1 R + t, in millimetres.
      const Vector3d p2(0.8 * p1.x() - 0.6 * p1.y() - 0.12, 0.6 * p1.x() + 0.8 * p1.y() + 0.003,
                        p1.z() + 0.005);
      const auto pixel = [](const Vector3d& p, double fx, double fy, double cx, double cy,
                            double k1, double k2, double k3, double t1, double t2) {
        const double x = p.x() / p.z(), y = p.y() / p.z(), r2 = x * x + y * y;
        const double bend = 1 + k1 * r2 + k2 * r2 * r2 + k3 * r2 * r2 * r2;
        return Vector2d(fx * (x * bend + 2 * t1 * x * y + t2 * (r2 + 2 * x * x)) + cx - 1,
                        fy * (y * bend + t1 * (r2 + 2 * y * y) + 2 * t2 * x * y) + cy - 1);
      };
      largest = std::fmax(largest, (PixelOf(rig.cameras[0], p1) -
                                    pixel(p1, 1000, 1002, 641, 361, -0.1, 0.02, 0, 0.001, -0.002))
                                       .norm());
      largest = std::fmax(largest, (PixelOf(rig.cameras[1], p1) -
                                    pixel(p2, 990, 991, 631, 351, -0.2, 0.03, 0.01, 0, 0))
                                       .norm());
    }
    PrintReach(newer ? "MATLAB from R2022b" : "MATLAB", largest);
  }
}

TEST_F(ForeignFiles, OfNewerMrcalNameTheDirection) {
  const ForeignRig rig =
      ReadForeignRig({Write("a.cameramodel", R"({ "lensmodel": "LENSMODEL_PINHOLE",
  "intrinsics": (1000, 1000, 640, 360), "rt_cam_ref": (0, 0, 0, 0.5, 0, 1.), "imagersize": (1280, 720) })")});
  EXPECT_EQ(rig.cameras[0].camera_from_frame.t, Vector3d(0.5, 0.0, 1.0));
}

// The program itself, where it is installed.
TEST_F(ForeignFiles, ForMrcalAreReadByIt) {
  if (std::system("/usr/bin/python3 -c 'import mrcal' > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "python3-mrcal is not installed";
  for (const ForeignRig& rig : {BrownRig(0.04), RationalRig()}) {
    std::string script = "import mrcal, numpy as np\n";
    for (const NamedText& text : ForeignTexts(rig, "mrcal", folder_)) {
      WriteFileAtomically(text.file, text.text);
      script += fmt::format(
          "m = mrcal.cameramodel('{}')\n"
          "for p in np.loadtxt('{}'):\n"
          "    q = mrcal.project(mrcal.transform_point_Rt(m.extrinsics_Rt_fromref(), p), "
          "*m.intrinsics())\n"
          "    print(repr(float(q[0])), repr(float(q[1])))\n",
          text.file.string(), (folder_ / "places.txt").string());
    }
    std::string places;
    for (const Vector3d& p : Places()) places += fmt::format("{} {} {}\n", p.x(), p.y(), p.z());
    Write("places.txt", places);
    Write("project.py", script);
    const fs::path out = folder_ / "pixels.txt";
    ASSERT_EQ(std::system(fmt::format("/usr/bin/python3 {} > {}", (folder_ / "project.py").string(),
                                      out.string())
                              .c_str()),
              0);
    std::istringstream pixels(ReadFile(out));
    double largest = 0.0;
    for (const ForeignCamera& camera : rig.cameras) {
      for (const Vector3d& place : Places()) {
        Vector2d pixel;
        ASSERT_TRUE(pixels >> pixel.x() >> pixel.y());
        largest = std::fmax(largest, (PixelOf(camera, place) - pixel).norm());
      }
    }
    PrintReach(fmt::format("mrcal itself, {}", capture::Name(rig.cameras[0].camera.lens)), largest);
  }
}

TEST_F(ForeignFiles, OfAniposeAndCaliscopeAreInTheUnitThatIsStated) {
  const std::string table = R"(name = "A"
size = [ 1280, 720,]
matrix = [ [ 1000.5, 0.0, 640.0,], [ 0.0, 1001.0, 360.0,], [ 0.0, 0.0, 1.0,],]
distortions = [ -0.1, 0.0, 0.0, 0.0, 0.0,]
rotation = [ 0.1, 0.2, 0.3,]
translation = [ 10.0, 20.0, 2000.0,]
)";
  const ForeignRig rig = ReadForeignRig(
      {Write("calibration.toml", "[cam_0]\n" + table + "\n[metadata]\nadjusted = false\n")},
      {.unit = 1e-3});
  ASSERT_EQ(rig.cameras.size(), 1u);
  EXPECT_EQ(rig.cameras[0].name, "A");
  cv::Mat R;
  const cv::Mat vector = (cv::Mat_<double>(3, 1) << 0.1, 0.2, 0.3);
  cv::Rodrigues(vector, R);
  PrintReach("Anipose", LargestDifference(rig, [&](std::size_t, const Vector3d& place) {
               return OpenCvPixel(false,
                                  (cv::Mat_<double>(3, 3) << 1000.5, 0, 640, 0, 1001, 360, 0, 0, 1),
                                  (cv::Mat_<double>(1, 5) << -0.1, 0, 0, 0, 0), R,
                                  (cv::Mat_<double>(3, 1) << 0.01, 0.02, 2.0), place);
             }));
  const ForeignRig caliscope = ReadForeignRig({Write("camera_array.toml", R"([cameras.0]
cam_id = 0
size = [1280, 720]
matrix = [[1000.5, 0.0, 640.0], [0.0, 1001.0, 360.0], [0.0, 0.0, 1.0]]
distortions = [-0.1, 0.0, 0.0, 0.0, 0.0]
translation = [0.01, 0.02, 2.0]
rotation = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
)")});
  EXPECT_EQ(caliscope.cameras[0].name, "cam_0");
  EXPECT_EQ(caliscope.cameras[0].camera_from_frame.R(1, 0), 1.0);
}

// Qualisys: rows rij of the transform are the axes of the camera in the room, which looks along
// its -z with y up; (x, y, z) is where it stands [mm]; 64 subpixels in a pixel.
TEST_F(ForeignFiles, OfQualisysLookBackwards) {
  const ForeignRig rig = ReadForeignRig({Write("rig.qca.txt", R"(<?xml version="1.0"?>
<calibration calibrated="true"><results std-dev="0.4"/><cameras>
<camera active="1" serial="26580" model="Miqus Video">
<fov_video left="0" top="0" right="1919" bottom="1079"/>
<transform x="0" y="0" z="3000" r11="1" r12="0" r13="0" r21="0" r22="1" r23="0" r31="0" r32="0" r33="1"/>
<intrinsic focallength="9.27" focalLengthU="107840" focalLengthV="107904" centerPointU="60832" centerPointV="32704" skew="0" radialDistortion1="-0.045" radialDistortion2="0.14" radialDistortion3="0" tangentalDistortion1="0.0006" tangentalDistortion2="-0.0004"/>
</camera>
<camera active="0" serial="1"/>
</cameras></calibration>
)")});
  ASSERT_EQ(rig.cameras.size(), 1u);
  EXPECT_EQ(rig.cameras[0].name, "26580");
  EXPECT_EQ(rig.cameras[0].camera.height, 1080);
  PrintReach("Qualisys", LargestDifference(rig, [](std::size_t, const Vector3d& place) {
               // It looks down from 3 m: depth 3 - z, y of the picture against y of the room.
               return OpenCvPixel(false,
                                  (cv::Mat_<double>(3, 3) << 1685, 0, 950.5, 0, 1686, 511, 0, 0, 1),
                                  (cv::Mat_<double>(1, 4) << -0.045, 0.14, 0.0006, -0.0004),
                                  cv::Mat::eye(3, 3, CV_64F), cv::Mat::zeros(3, 1, CV_64F),
                                  Vector3d(place.x(), -place.y(), 3.0 - place.z()));
             }));
}

std::vector<double> Coefficients(const ForeignCamera& camera, double skew, bool upwards) {
  const auto& c = camera.camera.intrinsics;
  Eigen::Matrix3d K;
  K << c[0], skew, c[2] + 1.0, 0, c[1], c[3] + 1.0, 0, 0, 1;
  Eigen::Matrix<double, 3, 4> P;
  P << camera.camera_from_frame.R, camera.camera_from_frame.t;
  P = (K * P).eval();
  if (upwards) P.row(1) = (camera.camera.height + 1.0) * P.row(2) - P.row(1);
  P /= P(2, 3);
  std::vector<double> L;
  for (int k = 0; k < 11; ++k) L.push_back(P(k / 4, k % 4));
  return L;
}

TEST_F(ForeignFiles, OfDltAreDecomposed) {
  const ForeignRig rig = PinholeRig();
  for (const bool upwards : {false, true}) {
    std::vector<double> L[] = {Coefficients(rig.cameras[0], 0.0, upwards),
                               Coefficients(rig.cameras[1], 0.0, upwards)};
    std::string text;
    for (int k = 0; k < 11; ++k) text += fmt::format("{},{}\n", L[0][k], L[1][k]);
    const ForeignRig read = ReadForeignRig({Write("dltCoefs.csv", text)}, {.size = {{1280, 720}}});
    EXPECT_TRUE(read.notes.empty());
    PrintReach(upwards ? "DLT, y upwards" : "DLT",
               LargestDifference(read, [&](std::size_t c, const Vector3d& p) {
                 const std::vector<double>& l = L[c];
                 const double w = l[8] * p.x() + l[9] * p.y() + l[10] * p.z() + 1.0;
                 const double u = (l[0] * p.x() + l[1] * p.y() + l[2] * p.z() + l[3]) / w;
                 const double v = (l[4] * p.x() + l[5] * p.y() + l[6] * p.z() + l[7]) / w;
                 return Vector2d(u - 1.0, upwards ? 720.0 - v : v - 1.0);
               }));
  }
}

TEST_F(ForeignFiles, OfDltWithASkewAreTheNearestCameras) {
  ForeignRig rig = PinholeRig();
  const auto text = [&](double skew) {
    std::string rows;
    for (const ForeignCamera& camera : rig.cameras) {
      const std::vector<double> L = Coefficients(camera, skew, false);
      for (int k = 0; k < 11; ++k) rows += fmt::format("{}{}", L[k], k == 10 ? "\n" : " ");
    }
    return rows;
  };
  const ForeignRig read = ReadForeignRig({Write("a.txt", text(2.0))}, {.size = {{1280, 720}}});
  ASSERT_EQ(read.notes.size(), 2u);
  EXPECT_THAT(read.notes[0], HasSubstr("skew of 2 px"));
  // Of a shear s y / fy half goes into a turn about the axis, the rest stays: s h / (4 fy).
  for (const Vector3d& place : Places()) {
    const Pose& pose = rig.cameras[0].camera_from_frame;
    const Vector3d p = pose * place;
    const Vector2d skewed = PixelOf(rig.cameras[0], place) + Vector2d(2.0 * p.y() / p.z(), 0.0);
    EXPECT_LT((PixelOf(read.cameras[0], place) - skewed).norm(), 0.5);
  }
  EXPECT_THROW(ReadForeignRig({Write("b.txt", text(20.0))}, {.size = {{1280, 720}}}), InputError);
}

TEST_F(ForeignFiles, TakeTheNearestLensThatAFormatHas) {
  const ForeignRig rig = BrownRig(0.04);
  EXPECT_FALSE(CanHold("kalibr", rig.cameras[0].camera));
  EXPECT_TRUE(CanHold("colmap", rig.cameras[0].camera));
  try {
    ForeignTexts(rig, "kalibr", "a.yaml");
    FAIL() << "k3 has no place";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("left: found k3 = 0.04"));
  }
  const ForeignRig nearest = WithNearestLenses(rig, "kalibr");
  ASSERT_EQ(nearest.notes.size(), 2u);
  const NearestLens lens = NearestLensFor("kalibr", rig.cameras[0].camera);
  EXPECT_GT(lens.largest_px, 0.0);
  EXPECT_LT(lens.largest_px, 0.1);
  // No worse anywhere in the picture than it says; leaving k3 out without refitting is.
  Camera cut = rig.cameras[0].camera;
  cut.intrinsics[8] = 0.0;
  double worst = 0.0, worst_cut = 0.0;
  for (int k = 0; k < 25; ++k) {
    const Vector2d pixel(1279.0 * (k % 5) / 4, 719.0 * (k / 5) / 4);
    const Vector3d ray = Unproject(rig.cameras[0].camera, pixel).homogeneous();
    worst = std::fmax(worst, (Project(lens.camera, ray) - pixel).norm());
    worst_cut = std::fmax(worst_cut, (Project(cut, ray) - pixel).norm());
  }
  EXPECT_LE(worst, lens.largest_px * 1.0001);
  EXPECT_GT(worst_cut, 2.0 * lens.largest_px);
  EXPECT_LT(NearestLensFor("mrcal", FisheyeRig().cameras[0].camera).largest_px, 0.05);
}

TEST_F(ForeignFiles, ThatAreWrongSayWhere) {
  const auto kalibr = [](const std::string& model, const std::string& lens,
                         const std::string& numbers) {
    return fmt::format(
        "cam0:\n  camera_model: {}\n  intrinsics: {}\n  distortion_model: {}\n  "
        "distortion_coeffs: [0, 0, 0, 0]\n  resolution: [752, 480]\n",
        model, numbers, lens);
  };
  const auto toml = [](const std::string& matrix, const std::string& distortions,
                       const std::string& rotation) {
    return fmt::format(
        "[cam_0]\nname = \"a\"\nsize = [1280, 720]\nmatrix = {}\ndistortions = {}\nrotation = {}\n"
        "translation = [0.0, 0.0, 1.0]\n",
        matrix, distortions, rotation);
  };
  const std::string K = "[[1000.0, 0.0, 640.0], [0.0, 1000.0, 360.0], [0.0, 0.0, 1.0]]";
  struct Case {
    std::string file, text, says;
  };
  const std::vector<Case> cases = {
      {"a.yaml", kalibr("omni", "radtan", "[1, 1, 1, 1]"), "cam0.camera_model: found \"omni\""},
      {"b.yaml", kalibr("pinhole", "fov", "[1, 1, 1, 1]"), "cam0.distortion_model: found \"fov\""},
      {"c.yaml", kalibr("pinhole", "radtan", "[-1, 1, 1, 1]"),
       "cam0.intrinsics: found a focal length of -1"},
      {"d.yaml", kalibr("pinhole", "radtan", "[1, 1, 1]"),
       "cam0.intrinsics: found 3 numbers, allowed 4 x 1"},
      {"e.yaml", kalibr("pinhole", "radtan", "[1, 1, 1, x]"), "cam0.intrinsics[3]: found \"x\""},
      {"f.yaml", "other: 1\n", "cam0"},
      {"g.yaml", "{", "found broken YAML"},
      {"h.yml",
       "%YAML:1.0\n---\nM1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ 1., 0., "
       "1., 0., 1., 1., 0., 0. ]\n",
       "M1.data: found 8 numbers, allowed 3 x 3"},
      {"i.yml",
       "%YAML:1.0\n---\nM1: !!opencv-matrix\n   rows: 3\n   cols: 3\n   dt: d\n   data: [ 1., 0., "
       "1., 0., 1., 1., 0., 0., 1. ]\nD1: !!opencv-matrix\n   rows: 1\n   cols: 14\n   dt: d\n   "
       "data: [ 0,0,0,0,0,0,0,0,0.5,0,0,0,0,0 ]\n",
       "D1: found s1 = 0.5"},
      {"j.xml", "<opencv_storage><a>1</a>", "found no XML"},
      {"k.toml",
       toml("[[1000.0, 2.0, 640.0], [0.0, 1000.0, 360.0], [0.0, 0.0, 1.0]]", "[]",
            "[0.0, 0.0, 0.0]"),
       "cam_0.matrix: found a skew of 2"},
      {"l.toml", toml(K, "[0.1, 0.2, 0.3]", "[0.0, 0.0, 0.0]"),
       "cam_0.distortions: found 3 coefficients"},
      {"m.toml", toml(K, "[]", "[[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]"),
       "cam_0.rotation: found a matrix"},
      {"n.toml", toml(K, "[nan, 0.0]", "[0.0, 0.0, 0.0]"), "cam_0.distortions[0]"},
      {"o.toml", "[cam_0\n", "o.toml: line 1: found broken TOML"},
      {"p.cameramodel", "{ 'lensmodel': 'LENSMODEL_CAHVOR', }",
       "lensmodel: found \"LENSMODEL_CAHVOR\""},
      {"q.cameramodel", "{ 'lensmodel': 'LENSMODEL_PINHOLE',\n 'intrinsics': [1, 1, 0], }",
       "intrinsics: found 3 numbers, allowed 4"},
      {"r.cameramodel", "{ 'lensmodel':\n os.system('x') }", "line 2: found os.system"},
      {"s.json", "{\"CameraParameters1\": {\"K\": [[1,0,0],[0,1,0],[5,5,1]]}}",
       "CameraParameters1.K: found a matrix whose last row"},
      {"t.csv", "1,2\n3,4\n", "found 2 rows of 2 numbers, allowed 11 rows"},
      {"u.csv", "1,2\n3\n", "line 2: found 1 numbers, allowed 2"},
      {"v.qca.txt",
       "<calibration><cameras><camera serial=\"9\"><intrinsic/></camera></cameras></calibration>",
       "<intrinsic>: found no focalLengthU"},
      {"w.xyz", "1", "found no calibration that we know"},
  };
  for (const Case& one : cases) {
    try {
      ReadForeignRig({Write(one.file, one.text)});
      ADD_FAILURE() << one.file << " was read";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(one.says)) << one.file;
      EXPECT_THAT(error.what(), HasSubstr(one.file));
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  }
}

TEST_F(ForeignFiles, OfColmapThatAreWrongSayWhichLine) {
  Write("cameras.txt", "1 THIN_PRISM_FISHEYE 10 10 1 1 1 1 0 0 0 0 0 0 0 0\n");
  try {
    ReadForeignRig({folder_});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cameras.txt: line 1: MODEL: found THIN_PRISM_FISHEYE"));
  }
}

}  // namespace
}  // namespace percuss::calibration
