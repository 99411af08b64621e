// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

#include "report/overlay/frame_strips.h"

#include <gtest/gtest.h>

#include <regex>

#include "tests/report/view_from_above.h"

namespace percuss::report {
namespace {

// A flat plate of 40 x 20 mm in the surface, 10 ms after an impact at 1 s.
TrialFacts Plate() {
  TrialFacts trial{.name = "a"};
  for (const double x : {-0.02, 0.02}) {
    for (const double y : {-0.01, 0.01}) trial.pictures.outline.push_back({x, y, 0});
  }
  trial.pictures.inertia.setIdentity();
  ImpactPictures impact{.trial = "a", .time = 1.0, .gravity = {0, 0, 0}};
  impact.place = {.position = {0, 0, 0}};
  PictureFacts picture{
      .jpeg = "jpeg", .camera = "left", .moment = "after", .frame = 12, .time = 1.01};
  picture.region_px = {200, 100, 240, 280};
  picture.place = {.position = {0, 0, 0}};
  picture.markers = {{319.5, 239.5}};
  impact.pictures.push_back(picture);
  trial.pictures.impacts.push_back(impact);
  return trial;
}

LawFit Law() {
  LawFit law;
  law.law = "stronge";
  TrialComparison& comparison = law.trials.emplace_back();
  comparison.trial = "a";
  comparison.v_predicted = {1.0, 0, 0};
  comparison.w_predicted = {0, 0, 0};
  return law;
}

// Smallest and largest x of a polygon.
std::pair<double, double> Reach(const std::string& html, const std::string& css_class) {
  std::smatch polygon;
  std::regex_search(html, polygon, std::regex("class=\"" + css_class + "\" points=\"([^\"]*)\""));
  const std::string points = polygon[1];
  std::pair<double, double> reach = {1e9, -1e9};
  const std::regex pair("([-0-9.]+),([-0-9.]+)");
  for (std::sregex_iterator it(points.begin(), points.end(), pair), end; it != end; ++it) {
    reach.first = std::min(reach.first, std::stod((*it)[1]));
    reach.second = std::max(reach.second, std::stod((*it)[1]));
  }
  return reach;
}

// Truth by hand: 20 mm at 1 m are 20 px from the centre 319.5, whose pixel begins at 319; the body
// flies 1 m/s * 10 ms = 10 mm further. SVG counts from the corner of the first pixel of the region.
TEST(FrameStrips, DrawTheOutlineAsMeasuredAndAsPredicted) {
  const LawFit law = Law();
  const Figures strips = FrameStrips(Plate(), 1, &law, OneView());
  ASSERT_EQ(strips.figures.size(), 1u);
  const std::string& html = strips.figures[0].svg;
  EXPECT_NEAR(Reach(html, "measured").first, 300 - 200, 0.051);
  EXPECT_NEAR(Reach(html, "measured").second, 340 - 200, 0.051);
  EXPECT_NEAR(Reach(html, "predicted").first, 310 - 200, 0.051);
  EXPECT_NEAR(Reach(html, "predicted").second, 350 - 200, 0.051);
  EXPECT_NE(html.find("cx=\"120.0\" cy=\"140.0\""), std::string::npos);
  EXPECT_NE(html.find("base64,anBlZw=="), std::string::npos);
  EXPECT_NE(html.find("frame 12, +10.0 ms"), std::string::npos);
  EXPECT_NE(strips.figures[0].caption.find("as law stronge predicts"), std::string::npos);
}

TEST(FrameStrips, PredictNothingBeforeTheImpactOrWithoutALaw) {
  TrialFacts before = Plate();
  before.pictures.impacts[0].pictures[0].time = 0.99;
  const LawFit law = Law();
  const Figures strips = FrameStrips(before, 1, &law, OneView());
  EXPECT_EQ(strips.figures[0].svg.find("predicted"), std::string::npos);
  EXPECT_NE(strips.figures[0].svg.find("−10.0 ms"), std::string::npos);
  const Figures without = FrameStrips(Plate(), 1, nullptr, OneView());
  EXPECT_EQ(without.figures[0].svg.find("predicted"), std::string::npos);
  EXPECT_EQ(without.figures[0].caption.find("dashed"), std::string::npos);
}

TEST(FrameStrips, AreNoneWithoutPicturesOrCameras) {
  EXPECT_TRUE(FrameStrips({.name = "a"}, 1, nullptr, OneView()).figures.empty());
  EXPECT_TRUE(FrameStrips(Plate(), 1, nullptr, {}).figures.empty());
}

}  // namespace
}  // namespace percuss::report
