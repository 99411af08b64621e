// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/thesis/thesis_stereo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "tests/solver/law/table.h"

namespace percuss::calibration::thesis {
namespace {

using ::testing::HasSubstr;

// A printed matrix of data/sun2017/camera_calibration.csv.
Eigen::MatrixXd Printed(const std::string& camera, const std::string& quantity, int rows,
                        int columns) {
  static const Table table(std::string(PERCUSS_DATA_DIR) + "/sun2017/camera_calibration.csv");
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Constant(rows, columns, kNaN);
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.Text(i, "camera") != camera || table.Text(i, "quantity") != quantity) continue;
    matrix(static_cast<int>(table.Number(i, "row")) - 1,
           static_cast<int>(table.Number(i, "col")) - 1) = table.Number(i, "value");
  }
  return matrix;
}

Pose PrintedPose(const std::string& camera, const std::string& R, const std::string& t_mm) {
  return {.R = Printed(camera, R, 3, 3), .t = 1e-3 * Printed(camera, t_mm, 1, 3)};
}

Intrinsics PrintedLens(const std::string& camera) {
  const Eigen::MatrixXd K = Printed(camera, "K_printed", 3, 3);
  const Eigen::MatrixXd k = Printed(camera, "distortion_k1_k2", 1, 2);
  return {.f_x = K(0, 0),
          .f_y = K(1, 1),
          .skew = K(1, 0),
          .c_x = K(2, 0),
          .c_y = K(2, 1),
          .k1 = k(0, 0),
          .k2 = k(0, 1)};
}

const Pose kIdentity = {.R = Eigen::Matrix3d::Identity(), .t = Eigen::RowVector3d::Zero()};

// Both cameras of Table 4.3; world = axes of camera 1.
std::array<Camera, 2> PrintedCameras() {
  return {
      Camera{PrintedLens("3D_camera1"), kIdentity},
      Camera{PrintedLens("3D_camera2"), PrintedPose("3D_camera2", "relative_R", "relative_t_mm")}};
}

// Truth: Table 4.3 from Table 4.2, sun2017: within 0.0006 and 0.9 mm (last digits of the printed
// tables: 0.0005 of R at 0.9 m, 0.5 mm of t).
TEST(RelativePose, OfTable42IsThatOfTable43) {
  const Pose camera1 = PrintedPose("3D_camera1", "R_printed", "t_printed_mm");
  const Pose camera2 = PrintedPose("3D_camera2", "R_printed", "t_printed_mm");
  const Pose printed = PrintedPose("3D_camera2", "relative_R", "relative_t_mm");
  const Pose relative = RelativePose(camera1, camera2);
  EXPECT_LT((relative.R - printed.R).cwiseAbs().maxCoeff(), 0.00065);
  EXPECT_LT((relative.t - printed.t).cwiseAbs().maxCoeff(), 0.95e-3);

  // The printed matrices read as column form, R12 = R2 R1', t12 = t2 - R12 t1.
  const Eigen::Matrix3d R_column = camera2.R * camera1.R.transpose();
  const Eigen::RowVector3d t_column = camera2.t - (R_column * camera1.t.transpose()).transpose();
  EXPECT_LT((t_column - Eigen::RowVector3d(0.1758, -0.0027, 0.0803)).norm(), 0.2e-3);
  EXPECT_GT((t_column - printed.t).norm(), 0.5);
  EXPECT_GT((R_column - printed.R).cwiseAbs().maxCoeff(), 0.02);
}

// Digest of sun2017, 2.17, from the printed tables: baseline and its angle, fields of view (both
// ways by the first focal length), and what a pixel is at 0.9 m, along and across the view.
TEST(RelativePose, OfTable43HasTheGeometryOfTheDigest) {
  const auto cameras = PrintedCameras();
  const Pose& second = cameras[1].pose;
  const double baseline = second.t.norm();
  EXPECT_NEAR(1e3 * baseline, 345.5, 0.051);
  const double angle = std::acos(0.5 * (second.R.trace() - 1.0));
  EXPECT_NEAR(angle * 180.0 / M_PI, 16.98, 5.1e-3);
  struct View {
    const char* camera;
    double width, height, across, down;
  };
  for (const View& view : {View{"3D_camera1", 1280, 720, 62.2, 37.5},
                           {"3D_camera2", 1280, 720, 65.8, 40.0},
                           {"2D_camera1", 800, 450, 56.7, 33.8}}) {
    const Intrinsics lens = PrintedLens(view.camera);
    const auto field = [&](double pixels) {
      return 2.0 * std::atan(0.5 * pixels / lens.f_x) * 180.0 / M_PI;
    };
    EXPECT_NEAR(field(view.width), view.across, 0.051) << view.camera;
    EXPECT_NEAR(field(view.height), view.down, 0.051) << view.camera;
  }
  const double f = 0.5 * (cameras[0].intrinsics.f_x + cameras[1].intrinsics.f_x);
  EXPECT_NEAR(1e3 * 0.9 * 0.9 / (f * baseline), 2.29, 5.1e-3);
  EXPECT_NEAR(1e3 * 0.9 / f, 0.88, 5.1e-3);
  // That is for cameras side by side; with these, turned and one behind, a pixel of the second is a
  // tenth more or less.
  const Eigen::RowVector3d truth(0.0, 0.0, 0.9);
  std::array<Eigen::Vector2d, 2> pixels = {Project(cameras[0], truth), Project(cameras[1], truth)};
  pixels[1].x() += 1.0;
  const double depth = Triangulate(cameras, pixels).linear.z() - truth.z();
  EXPECT_NEAR(1e3 * std::abs(depth), 2.29, 0.23);
}

// Truth: camera 2 from camera 1 exact in each view; one view turned off by a known angle.
TEST(RelativePosesOfViews, TakesFirstAndMeanOverTheViewsBothHave) {
  const Pose truth = {
      .R = Eigen::AngleAxisd(0.3, Eigen::Vector3d(0.1, 1.0, 0.05).normalized()).toRotationMatrix(),
      .t = {-0.34, -0.02, 0.06}};
  std::vector<Pose> camera1(4), camera2(4);
  for (std::size_t v = 0; v < 4; ++v) {
    const double angle = 0.2 * static_cast<double>(v);
    camera1[v] = {.R = Eigen::AngleAxisd(angle, Eigen::Vector3d::UnitX()).toRotationMatrix(),
                  .t = {0.1 * angle, 0.0, 0.9}};
    camera2[v] = {.R = camera1[v].R * truth.R, .t = camera1[v].t * truth.R + truth.t};
  }
  camera2[0] = Pose{};
  const RelativePoses exact = RelativePosesOfViews(camera1, camera2);
  EXPECT_TRUE(exact.views[0].R.hasNaN());
  for (const Pose& pose : {exact.first, exact.mean, exact.views[2]}) {
    EXPECT_LT((pose.R - truth.R).norm(), 1e-14);
    EXPECT_LT((pose.t - truth.t).norm(), 1e-14);
  }
  EXPECT_LT(exact.rotation_spread, 1e-14);

  // Two views turned by +a and -a about an axis: mean as before, spread a; t moved likewise.
  constexpr double kAngle = 1e-3;
  for (const int sign : {1, -1}) {
    Pose& pose = camera2[sign > 0 ? 1 : 2];
    const Eigen::Matrix3d turn =
        Eigen::AngleAxisd(sign * kAngle, Eigen::Vector3d::UnitY()).toRotationMatrix();
    pose.R = pose.R * turn;
    pose.t = camera1[sign > 0 ? 1 : 2].t * truth.R * turn + truth.t +
             sign * Eigen::RowVector3d(0.0, 0.0, 0.003);
  }
  camera2[3] = Pose{};
  const RelativePoses turned = RelativePosesOfViews(camera1, camera2);
  EXPECT_LT((turned.mean.R - truth.R).norm(), 1e-12);
  EXPECT_LT((turned.mean.t - truth.t).norm(), 1e-12);
  EXPECT_NEAR(turned.rotation_spread, kAngle, 1e-12);
  EXPECT_NEAR(turned.translation_spread, 0.003, 1e-12);
  EXPECT_NEAR(turned.first.t.z() - truth.t.z(), 0.003, 1e-12);

  EXPECT_TRUE(RelativePosesOfViews({Pose{}}, {Pose{}}).mean.R.hasNaN());
  EXPECT_THROW(RelativePosesOfViews(camera1, {}), std::invalid_argument);
}

// Truth: worked example from the printed matrices, pixels to 0.001 px. Depth moves by 2.3 mm per
// pixel of disparity: 0.0005 px in each of four coordinates are below 0.005 mm.
TEST(Triangulate, GoldenPairGivesBackThePoint) {
  auto cameras = PrintedCameras();
  for (Camera& camera : cameras) camera.intrinsics.k1 = camera.intrinsics.k2 = 0.0;
  const Eigen::RowVector3d truth(-0.421, 0.142, 0.912);
  const std::array<Eigen::Vector2d, 2> pixels = {Eigen::Vector2d(243.680, 562.601),
                                                 Eigen::Vector2d(278.388, 499.363)};
  const Eigen::RowVector3d in_camera2 = truth * cameras[1].pose.R + cameras[1].pose.t;
  EXPECT_LT((1e3 * in_camera2 - Eigen::RowVector3d(-483.377, 127.324, 1054.961)).norm(), 1e-3);
  for (int i = 0; i < 2; ++i) {
    EXPECT_LT((Project(cameras[i], truth) - pixels[i]).cwiseAbs().maxCoeff(), 0.00051);
  }
  const Triangulation result = Triangulate(cameras, pixels);
  EXPECT_EQ(result.reason, "");
  EXPECT_LT((result.point - truth).norm(), 5e-6);
  EXPECT_LT((result.linear - truth).norm(), 5e-6);
  EXPECT_LT(result.reprojection_error_px, 0.001);
}

// Truth: points projected with the printed lenses, distortion and all.
TEST(Triangulate, UndoesTheDistortion) {
  auto cameras = PrintedCameras();
  cameras[0].intrinsics.skew = 5.0;
  for (const Eigen::RowVector3d& truth :
       {Eigen::RowVector3d(-0.2, 0.1, 0.9), Eigen::RowVector3d(0.25, -0.2, 1.1),
        Eigen::RowVector3d(0.0, 0.0, 0.7)}) {
    const Triangulation result =
        Triangulate(cameras, {Project(cameras[0], truth), Project(cameras[1], truth)});
    EXPECT_LT((result.linear - truth).norm(), 1e-12);
    EXPECT_LT((result.point - truth).norm(), 1e-12);
  }
}

// Truth: the polynomial itself, up to 99.9 % of the fold, by hand rho^2 = (-3 k1 - sqrt(9 k1^2 -
// 20 k2)) / (10 k2), or up to rho = 3 where it always grows.
TEST(Undistorted, InvertsTheDistortionUpToTheFold) {
  struct Lens {
    double k1, k2, end;
  };
  for (const Lens& lens :
       {Lens{0.238, -0.597, 0.8429}, Lens{-0.4, 0.02, 0.9491}, Lens{1.5, -1.0, 1.0412},
        Lens{-0.3, 0.0, 1.0540}, Lens{0.5, 0.2, 3.0}, Lens{-0.3, 0.1, 3.0}}) {
    const Intrinsics c = {.f_x = 800.0,
                          .f_y = 900.0,
                          .skew = 3.0,
                          .c_x = 640.0,
                          .c_y = 360.0,
                          .k1 = lens.k1,
                          .k2 = lens.k2};
    for (const double share : {0.0, 0.3, 0.9, 0.999}) {
      const double rho = share * lens.end;
      const double radial = 1.0 + lens.k1 * std::pow(rho, 2) + lens.k2 * std::pow(rho, 4);
      const Eigen::Vector2d ray(0.8 * rho, -0.6 * rho);
      const Eigen::Vector2d centre(640.0, 360.0);
      const Eigen::Vector2d pinhole(800.0 * ray.x() + 3.0 * ray.y(), 900.0 * ray.y());
      const Eigen::Vector2d back = Undistorted(c, centre + radial * pinhole);
      // Near the fold the inverse is as steep as 1 / (1 - share).
      EXPECT_LT((back - centre - pinhole).norm(), 1e-9) << lens.k1 << " " << rho;
    }
  }
}

// Truth: the refined point is a minimum: no neighbour has a smaller sum of squares in the images.
TEST(Triangulate, MinimisesTheReprojectionError) {
  const auto cameras = PrintedCameras();
  const Eigen::RowVector3d truth(-0.2, 0.1, 0.9);
  std::array<Eigen::Vector2d, 2> pixels = {Project(cameras[0], truth), Project(cameras[1], truth)};
  pixels[0] += Eigen::Vector2d(0.5, 1.0);
  pixels[1] += Eigen::Vector2d(-0.3, -2.0);
  const auto cost = [&](const Eigen::RowVector3d& point) {
    return (Project(cameras[0], point) - pixels[0]).squaredNorm() +
           (Project(cameras[1], point) - pixels[1]).squaredNorm();
  };
  const Triangulation result = Triangulate(cameras, pixels);
  EXPECT_LT(cost(result.point), cost(result.linear));
  for (int axis = 0; axis < 3; ++axis) {
    for (const double step : {-1e-6, 1e-6}) {
      EXPECT_GT(cost(result.point + step * Eigen::RowVector3d::Unit(axis)), cost(result.point));
    }
  }
  EXPECT_NEAR(result.reprojection_error_px,
              0.5 * ((Project(cameras[0], result.point) - pixels[0]).norm() +
                     (Project(cameras[1], result.point) - pixels[1]).norm()),
              1e-12);
}

TEST(Triangulate, SaysWhyThereIsNoPoint) {
  auto cameras = PrintedCameras();
  const Eigen::Vector2d pixel(640.0, 360.0);
  EXPECT_THAT(Triangulate(cameras, {Eigen::Vector2d(kNaN, 1.0), pixel}).reason,
              HasSubstr("camera 1"));
  // Beyond the fold: rho = 0.8425 is the largest the lens shows, at about 0.7285.
  EXPECT_TRUE(std::isnan(Undistorted(cameras[0].intrinsics, {733.0 + 1060.0 * 0.74, 396.0}).x()));
  EXPECT_THAT(Triangulate(cameras, {Eigen::Vector2d(733.0 + 1060.0 * 0.74, 396.0), pixel}).reason,
              HasSubstr("camera 1"));
  cameras[1].intrinsics = cameras[0].intrinsics;
  cameras[1].pose = {.R = Eigen::Matrix3d::Identity(), .t = {-0.3, 0.0, 0.0}};
  EXPECT_THAT(Triangulate(cameras, {pixel, pixel}).reason, HasSubstr("parallel"));
  const Triangulation behind = Triangulate(cameras, {pixel, Eigen::Vector2d(700.0, 360.0)});
  EXPECT_THAT(behind.reason, HasSubstr("behind"));
  EXPECT_TRUE(behind.point.hasNaN());
}

// Truth: the printed Tables 4.2 and 4.3.
TEST(Tables, ShowTheRowVectorFormOfTheThesis) {
  const Camera camera1 = {PrintedLens("3D_camera1"),
                          PrintedPose("3D_camera1", "R_printed", "t_printed_mm")};
  EXPECT_EQ(CameraTable("Camera 1", camera1),
            "Camera 1: w [x y 1] = [X Y Z 1] [R; t] K\n"
            "  K [px]           1060.00        0.00        0.00\n"
            "                      0.00     1070.00        0.00\n"
            "                    733.00      396.00        1.00\n"
            "  R                 0.9840      0.0050      0.1760\n"
            "                    0.0190      0.9910     -0.1310\n"
            "                   -0.1750      0.1330      0.9760\n"
            "  t [mm]            -31.10      -49.60      890.00\n");
  const auto cameras = PrintedCameras();
  EXPECT_EQ(StereoTable({cameras[0].intrinsics, cameras[1].intrinsics}, {0.4686, 0.3992},
                        cameras[1].pose),
            "Camera 1\n"
            "  k1, k2            0.2380     -0.5970\n"
            "  error [px]        0.4686\n"
            "  R                 1.0000      0.0000      0.0000\n"
            "                    0.0000      1.0000      0.0000\n"
            "                    0.0000      0.0000      1.0000\n"
            "  t [mm]              0.00        0.00        0.00\n"
            "Camera 2\n"
            "  k1, k2            0.1310     -0.1570\n"
            "  error [px]        0.3992\n"
            "  R                 0.9566      0.0311     -0.2897\n"
            "                   -0.0375      0.9992     -0.0166\n"
            "                    0.2889      0.0267      0.9570\n"
            "  t [mm]           -338.80      -25.82       62.57\n");
}

}  // namespace
}  // namespace percuss::calibration::thesis
