// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: geometry, and the motion of the made-up run.

#include "report/scene/scene.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "report/page/html.h"
#include "report/scene/convex_hull.h"
#include "report/sections/sections.h"
#include "tests/report/plate_run.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

/// Of a closed surface whose faces turn outwards.
double Volume(const std::vector<Eigen::Vector3d>& points, const std::vector<Triangle>& faces) {
  double volume = 0;
  for (const Triangle& face : faces)
    volume += points[face[0]].dot(points[face[1]].cross(points[face[2]])) / 6;
  return volume;
}

std::vector<Eigen::Vector3d> BoxCorners() {
  std::vector<Eigen::Vector3d> corners;
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.02, 0.02}) {
      for (const double z : {-0.01, 0.01}) corners.push_back({x, y, z});
    }
  }
  return corners;
}

TEST(ConvexHull, OfABoxHasTwelveTrianglesAndItsVolume) {
  std::vector<Eigen::Vector3d> points = BoxCorners();
  points.push_back({0.01, 0.003, -0.002});  // within
  points.push_back({0.05, 0.01, 0.01});     // on a face
  const auto faces = ConvexHullOf(points);
  EXPECT_EQ(faces.size(), 12u);
  EXPECT_NEAR(Volume(points, faces), 0.2 * 0.04 * 0.02, 1e-12);
}

TEST(ConvexHull, OfPointsOnASphereHoldsAlmostAllOfIt) {
  constexpr int kPoints = 400;
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < kPoints; ++k) {
    const double z = 1 - (2.0 * k + 1) / kPoints, r = std::sqrt(1 - z * z), turn = 2.39996 * k;
    points.push_back(0.05 * Eigen::Vector3d(r * std::cos(turn), r * std::sin(turn), z));
  }
  const auto faces = ConvexHullOf(points);
  EXPECT_EQ(faces.size(), 2u * kPoints - 4);  // Euler, all points on the surface
  const double ball = 4 * std::numbers::pi / 3 * std::pow(0.05, 3);
  EXPECT_GT(Volume(points, faces), 0.97 * ball);
  EXPECT_LT(Volume(points, faces), ball);
}

TEST(ConvexHull, OfAPlateWithoutThicknessOrOfABrokenNumberIsEmpty) {
  std::vector<Eigen::Vector3d> points = BoxCorners();
  points[3].y() = kNaN;
  EXPECT_TRUE(ConvexHullOf(points).empty());
  for (Eigen::Vector3d& point : points = BoxCorners()) point.z() = 0;
  EXPECT_TRUE(ConvexHullOf(points).empty());
  EXPECT_TRUE(ConvexHullOf({}).empty());
}

TEST(ViewerScene, HoldsTheFlightsAsTheyWereAndAsTheLawHasThem) {
  const RunFolder run = MadeUpRun();
  const auto scene = nlohmann::json::parse(ViewerScene(run, run.trials, "stronge"));
  ASSERT_EQ(scene["impacts"].size(), 1u);
  const auto& impact = scene["impacts"][0];
  EXPECT_EQ(impact["name"], "a");
  // From half a frame before the first frame of the flight, with 1 m/s along x, and back.
  const double begin = impact["begin"], end = impact["end"];
  EXPECT_NEAR(begin, (kFirst - kImpact - 0.5) * kInterval, 1e-5);
  EXPECT_NEAR(impact["before"][0][0].get<double>(), begin, 1e-5);
  EXPECT_NEAR(impact["before"].back()[0].get<double>(), 0, 1e-5);
  EXPECT_NEAR(impact["after"].back()[0].get<double>(), -end, 1e-5);
  // The law sends it along y.
  const auto& law = impact["laws"][0];
  EXPECT_EQ(law["name"], "stronge");
  EXPECT_NEAR(law["after"].back()[0].get<double>(), 0, 1e-5);
  EXPECT_NEAR(law["after"].back()[1].get<double>(), end, 1e-5);
  EXPECT_NEAR(impact["contact"][0].get<double>(), 0.02, 1e-5);
}

TEST(ViewerScene, StartsWithTheLawThatIsAskedFor) {
  RunFolder run = MadeUpRun();
  run.fit->laws.push_back(run.fit->laws[0]);
  run.fit->laws[1].law = "newton";
  const auto scene = nlohmann::json::parse(ViewerScene(run, run.trials, "newton"));
  EXPECT_EQ(scene["impacts"][0]["laws"][0]["name"], "newton");
  EXPECT_EQ(scene["impacts"][0]["laws"][1]["name"], "stronge");
}

TEST(ViewerScene, IsEmptyWithoutABodyOrAFlight) {
  RunFolder run = MadeUpRun();
  EXPECT_EQ(ViewerScene(run, {}, ""), "");
  run.trials[0].pictures.outline.clear();
  EXPECT_EQ(ViewerScene(run, run.trials, ""), "");
  run = MadeUpRun();
  run.trials[0].impacts[0].after.reset();
  EXPECT_EQ(ViewerScene(run, run.trials, ""), "");
}

// Of 14 trials 12 have plots in the report; a mark of the others leads to a page beside it, once
// that is written.
TEST(PageOfDrop, IsThereForTrialsThatTheReportHasNoRoomFor) {
  const TemporaryFolder folder;
  RunFolder run = MadeUpRun();
  run.path = folder.Path();
  const TrialFacts like = run.trials[0];
  run.trials.clear();
  run.impacts.resize(1);
  run.fit->laws[0].trials.clear();
  for (int k = 0; k < 14; ++k) {
    TrialFacts& trial = run.trials.emplace_back(like);
    trial.name = trial.pictures.impacts[0].trial = "t" + std::to_string(k) + "<b>";
    trial.folder = folder.Path() / "tracks" / ("t " + std::to_string(k));
    run.impacts.push_back(run.impacts[0]);
    run.impacts.back().trial = trial.name;
    TrialComparison& comparison = run.fit->laws[0].trials.emplace_back();
    comparison.trial = trial.name;
    comparison.velocity_error = k == 3 || k == 7 ? 0.01 : 0.02;  // the best explained
  }
  EXPECT_EQ(TrialsWithPages(run), (std::vector<std::size_t>{3, 7}));
  EXPECT_EQ(PlacesOfTrials(run)("t3<b>"), "");
  const auto page = PageOfDrop(run, run.trials[3]);
  ASSERT_TRUE(page);
  const std::string html = ToHtml(*page);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("t3&lt;b&gt;"), std::string::npos);
  EXPECT_NE(html.find("\"name\":\"t3\\u003cb>\""), std::string::npos);
  WriteText(run.trials[3].folder / kPageOfDrop, html);
  EXPECT_EQ(PlacesOfTrials(run)("t3<b>"), "tracks/t%203/drop.html");
  EXPECT_EQ(PlacesOfTrials(run)("t4<b>"), "#trial-5");
  run.trials[3].pictures.outline.clear();
  EXPECT_FALSE(PageOfDrop(run, run.trials[3]));
}

}  // namespace
}  // namespace percuss::report
