// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "capture/experiment/mesh_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/temporary_folder.h"

namespace percuss::capture {
namespace {

using Eigen::Vector3d;
using ::percuss::testing::InputErrorOf;
using ::percuss::testing::TemporaryFolder;
using ::testing::HasSubstr;

// A box from (1, 2, 3) to (3, 5, 7), faces as quadrilaterals, outwards.
constexpr const char* kBox = R"(# a box
v 1 2 3
v 3 2 3
v 3 5 3
v 1 5 3
v 1 2 7
v 3 2 7
v 3 5 7
v 1 5 7
f 4 3 2 1
f 5 6 7 8
f 1/1 2/1 6/1 5/1
f 2//1 3//1 7//1 6//1
f 3/1/1 4/1/1 8/1/1 7/1/1
f -4 -1 -5 -8
)";

// Truth: the closed form of the box, its centre and m (b^2 + c^2) / 12.
TEST(ReadConvexMesh, TakesABoxToItsMassCentre) {
  const TemporaryFolder folder;
  // The last face counts backwards from vertex 8: 5 8 4 1.
  const MeshFile mesh = ReadConvexMesh(folder.Write("box.obj", kBox), 0.01);
  EXPECT_LT((mesh.p_FBcm - Vector3d(0.02, 0.035, 0.05)).norm(), 1e-12);
  ASSERT_EQ(mesh.mesh.vertices.size(), 8u);
  EXPECT_EQ(mesh.mesh.triangles.size(), 12u);
  EXPECT_LT((mesh.mesh.vertices[0] - Vector3d(-0.01, -0.015, -0.02)).norm(), 1e-12);
  const Eigen::Matrix3d inertia = solver::UniformInertia(mesh.mesh, 0.6);
  const Eigen::Matrix3d expected =
      Vector3d(0.6 * (9 + 16) / 12e4, 0.6 * (4 + 16) / 12e4, 0.6 * (4 + 9) / 12e4).asDiagonal();
  EXPECT_LT((inertia - expected).norm(), 1e-12);
}

// Inside out: the same solid.
TEST(ReadConvexMesh, TurnsFacesOutwards) {
  const TemporaryFolder folder;
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  const MeshFile out =
      ReadConvexMesh(folder.Write("out.obj", tetrahedron + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"));
  const MeshFile in =
      ReadConvexMesh(folder.Write("in.obj", tetrahedron + "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"));
  EXPECT_LT((out.p_FBcm - Vector3d(0.25, 0.25, 0.25)).norm(), 1e-12);
  EXPECT_LT((in.p_FBcm - out.p_FBcm).norm(), 1e-12);
  const Eigen::Matrix3d inertia = solver::UniformInertia(out.mesh, 1.0);
  EXPECT_GT(inertia(0, 0), 0.0);
  EXPECT_LT((solver::UniformInertia(in.mesh, 1.0) - inertia).norm(), 1e-12);
}

// Programs that export every face by itself repeat its corners.
TEST(ReadConvexMesh, JoinsVerticesAtOnePlace) {
  const TemporaryFolder folder;
  const MeshFile mesh = ReadConvexMesh(folder.Write("soup.obj",
                                                    "v 0 0 0\nv 0 1 0\nv 1 0 0\nf 1 2 3\n"
                                                    "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 4 5 6\n"
                                                    "v 0 0 0\nv 0 0 1\nv 0 1 0\nf 7 8 9\n"
                                                    "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 10 11 12\n"));
  EXPECT_EQ(mesh.mesh.vertices.size(), 4u);
}

TEST(ReadConvexMesh, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto message = [&](const std::string& text) {
    const auto file = folder.Write("bad.obj", text);
    return InputErrorOf([&] { ReadConvexMesh(file); });
  };
  EXPECT_THAT(message("v 1 2\n"),
              HasSubstr("bad.obj: (line 1): found \"v 1 2\", allowed v and three numbers"));
  EXPECT_THAT(message("v 0 0 0\nf 1 2 3\n"),
              HasSubstr("bad.obj: (line 2): found vertex 2, allowed a vertex number from 1 to 1"));
  EXPECT_THAT(message("v 0 0 0\nf one 2 3\n"), HasSubstr("found vertex one"));
  EXPECT_THAT(message("solid stl\n"),
              HasSubstr("found 0 vertices and 0 triangles, allowed at least 4 of each"));

  const std::string box = kBox;
  EXPECT_THAT(message(box.substr(0, box.find("f -4"))), HasSubstr("found a surface with holes"));
  EXPECT_THAT(message("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n"),
              HasSubstr("allowed a solid with a volume"));
  // The roof of an octahedron pushed in below its middle.
  EXPECT_THAT(message("v 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nv 0 0 -1\nv 0 0 -0.5\n"
                      "f 1 2 6\nf 2 3 6\nf 3 4 6\nf 4 1 6\nf 2 1 5\nf 3 2 5\nf 4 3 5\nf 1 4 5\n"),
              HasSubstr("allowed a convex body"));
}

}  // namespace
}  // namespace percuss::capture
