// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/motion/motion_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "report/motion/motion_scene.h"
#include "report/page/html.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

using Eigen::Vector3d;
using testing::HasSubstr;
using testing::Not;

Eigen::Matrix3d FrameOf(const Vector3d& t1, const Vector3d& t2) {
  Eigen::Matrix3d frame;
  frame << t1, t2, t1.cross(t2);
  return frame;
}

/// A cube of 0.2 m goes from x = 0 to 1 at a height of 0.5, over a floor and towards a wall at
/// x = 2.
MotionFacts CubeBeforeAWall() {
  MotionFacts motion{.name = "cube.yaml", .times = {0.0, 0.5, 1.0}};
  MotionBody cube{.name = "cube"};
  for (int k = 0; k < 8; ++k)
    cube.outline.push_back({k & 1 ? 0.1 : -0.1, k & 2 ? 0.1 : -0.1, k & 4 ? 0.1 : -0.1});
  for (const double x : {0.0, 0.5, 1.0}) cube.poses.push_back({.p_WB = {x, 0.0, 0.5}});
  motion.bodies.push_back(cube);
  motion.surfaces.push_back({.name = "floor"});
  motion.surfaces.push_back({.name = "wall",
                             .frame = FrameOf(Vector3d::UnitZ(), Vector3d::UnitY()),
                             .point = {2.0, 0.0, 0.0}});
  motion.kinetic = {1.0, 1.0, 1.0};
  motion.potential = {-3.0, -3.0, -3.0};
  return motion;
}

std::vector<Vector3d> RimOf(const Json& surface) {
  std::vector<Vector3d> rim;
  for (const Json& p : surface["rim"]) rim.emplace_back(p[0], p[1], p[2]);
  return rim;
}

TEST(MotionScene, PatchesLieBelowTheMotionAndEndAtOtherSurfaces) {
  const Json scene = Json::parse(MotionScene(CubeBeforeAWall()));
  Eigen::AlignedBox3d floor, wall;
  for (const Vector3d& p : RimOf(scene["surfaces"][0])) floor.extend(p);
  for (const Vector3d& p : RimOf(scene["surfaces"][1])) wall.extend(p);
  EXPECT_DOUBLE_EQ(floor.min().z(), 0.0);
  EXPECT_DOUBLE_EQ(floor.max().z(), 0.0);
  // As far as the corners of the cube, and a little more; nowhere near the wall.
  EXPECT_LT(floor.min().x(), -0.17);
  EXPECT_GT(floor.max().x(), 1.17);
  EXPECT_LT(floor.max().x(), 1.5);
  EXPECT_DOUBLE_EQ(wall.min().x(), 2.0);
  EXPECT_GT(wall.min().z(), 0.0);
  EXPECT_GT(wall.max().z(), 0.67);

  MotionFacts low = CubeBeforeAWall();
  for (MotionPose& pose : low.bodies[0].poses) pose.p_WB.z() = 0.1;
  wall.setEmpty();
  for (const Vector3d& p : RimOf(Json::parse(MotionScene(low))["surfaces"][1])) wall.extend(p);
  EXPECT_DOUBLE_EQ(wall.min().z(), 0.0);
}

TEST(MotionScene, HoldsHullsPosesAndEnergyFromItsLowest) {
  const Json scene = Json::parse(MotionScene(CubeBeforeAWall()));
  EXPECT_EQ(scene["bodies"][0]["faces"].size(), 12u);
  EXPECT_EQ(scene["bodies"][0]["poses"][1], Json::parse("[0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]"));
  EXPECT_EQ(scene["energy"]["potential"], Json::parse("[0.0, 0.0, 0.0]"));
  EXPECT_EQ(scene["energy"]["kinetic"][0], 1.0);
}

// Names come from files: nothing in them is markup, and nothing ends the element with the scene.
TEST(MotionPage, IsOnePageWhateverNamesHold) {
  MotionFacts motion = CubeBeforeAWall();
  motion.name = motion.bodies[0].name = "</script><b>&\xff";
  motion.impacts.push_back({.time = 0.5,
                            .num_points = 4,
                            .energy_before = 1.0,
                            .energy_after = 0.5,
                            .impulses = {{.on = motion.bodies[0].name,
                                          .from = "floor",
                                          .position = Vector3d::Zero(),
                                          .impulse = Vector3d::UnitZ()}}});
  const std::string html = ToHtml(MotionDocument(motion));
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_THAT(html, Not(HasSubstr("<b>")));
  EXPECT_THAT(html, HasSubstr("1 body: 1 impact in 1 s"));
  EXPECT_THAT(html, HasSubstr("&lt;/script&gt;&lt;b&gt;"));
}

TEST(MotionPage, SaysModesAndDurationsWhereTheyAreKnown) {
  MotionFacts motion = CubeBeforeAWall();
  motion.impacts.push_back({.time = 0.5, .num_points = 2});
  MotionImpulse impulse{.on = "cube",
                        .from = "floor",
                        .position = Vector3d::Zero(),
                        .impulse = Vector3d::UnitZ(),
                        .modes = "slip, stick"};
  motion.impacts[0].impulses = {impulse, impulse};
  motion.impacts[0].impulses[1].modes = "slip";
  EXPECT_THAT(ToHtml(MotionDocument(motion)),
              AllOf(HasSubstr("slip, stick; slip"), Not(HasSubstr("duration"))));
  motion.impacts[0].impulses[0].duration = 1.25e-4;
  motion.impacts[0].impulses[1].duration = 1.125e-4;
  EXPECT_THAT(ToHtml(MotionDocument(motion)),
              AllOf(HasSubstr("duration"), HasSubstr("0.000125"), Not(HasSubstr("0.0001125"))));
}

// A table on a page without files beside it says where the rest is.
TEST(MotionPage, SaysWhereAllImpactsAre) {
  MotionFacts motion = CubeBeforeAWall();
  motion.impacts.resize(100, {.time = 0.5, .num_points = 1});
  const std::string html = ToHtml(MotionDocument(motion));
  EXPECT_THAT(html, HasSubstr("The first 60 of 100 impacts; percuss simulate --json prints all."));
  EXPECT_THAT(html, Not(HasSubstr("impacts.csv")));
}

}  // namespace
}  // namespace percuss::report
