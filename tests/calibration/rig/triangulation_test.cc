// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/rig/triangulation.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/solver/law/table.h"

namespace percuss::calibration {
namespace {

/// A printed 3 x 3 matrix, or a row, of data/sun2017/camera_calibration.csv.
Eigen::Matrix3d PrintedMatrix(const std::string& camera, const std::string& quantity) {
  const Table table(std::string(PERCUSS_DATA_DIR) + "/sun2017/camera_calibration.csv");
  Eigen::Matrix3d matrix = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table.Text(i, "camera") != camera || table.Text(i, "quantity") != quantity) continue;
    matrix(static_cast<int>(table.Number(i, "row")) - 1,
           static_cast<int>(table.Number(i, "col")) - 1) = table.Number(i, "value");
  }
  return matrix;
}

/// The thesis writes points as rows, x' = x R + t and pixels x K; without its distortion.
View PrintedView(const std::string& camera) {
  const Eigen::Matrix3d K = PrintedMatrix(camera, "K_printed").transpose();
  View view;
  view.camera.width = 1440;
  view.camera.height = 1080;
  view.camera.intrinsics = {K(0, 0), K(1, 1), K(0, 2), K(1, 2)};
  if (camera == "3D_camera2") {
    view.camera_from_world = {
        .R = PrintedMatrix(camera, "relative_R").transpose(),
        .t = 1e-3 * PrintedMatrix(camera, "relative_t_mm").row(0).transpose()};
  }
  return view;
}

// Truth: the worked example of the digest of sun2017, 7.3.10, Tables 4.2 and 4.3: pixels to 0.001
// px, in the axes of camera 1. Depth moves by 2.3 mm per pixel of disparity: 0.0005 px in each of
// four coordinates are below 0.005 mm.
TEST(Triangulate, GoldenPairOfTheThesisGivesBackThePoint) {
  const Eigen::Vector3d truth(-0.421, 0.142, 0.912);
  std::array<Sight, 2> sights = {
      Sight{.view = PrintedView("3D_camera1"), .pixel = {243.680, 562.601}},
      Sight{.view = PrintedView("3D_camera2"), .pixel = {278.388, 499.363}}};
  for (const Sight& sight : sights) {
    const auto projected = ProjectPoint(sight.view, truth);
    ASSERT_TRUE(projected);
    EXPECT_LT((projected->pixel - sight.pixel).cwiseAbs().maxCoeff(), 5.1e-4);
  }
  const auto found = Triangulate(sights);
  ASSERT_TRUE(found);
  EXPECT_LT((found->p_W - truth).norm(), 5e-6);
  EXPECT_LT(found->error_px, 1e-3);
}

}  // namespace
}  // namespace percuss::calibration
