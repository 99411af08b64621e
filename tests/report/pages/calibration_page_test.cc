// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0

// Source of truth: calibration.json and corners.csv of a sample run.

#include "report/calibration/calibration_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>
#include <regex>

#include "calibration/rig/triangulation.h"
#include "report/calibration/picture_maps.h"
#include "report/page/html.h"
#include "tests/report/page_reader.h"
#include "tests/report/sample_run.h"

namespace percuss::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RunFolder ReadSample(const SampleRun& run) {
  const TemporaryFolder folder;
  run.Write(folder.Path());
  return ReadRunFolder(folder.Path());
}

std::string PageOf(const RunFolder& run) {
  return ToHtml(CalibrationDocument("drops", *run.calibration, run.corners));
}

std::string Between(const std::string& text, const std::string& from, const std::string& to) {
  const std::size_t start = text.find(from);
  if (start == std::string::npos) return "";
  return text.substr(start, text.find(to, start) - start);
}

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

/// The numbers in the cells of a map.
std::vector<double> NumbersIn(const std::string& figure) {
  static const std::regex kNumber("class=\"in-cell\"[^>]*>([^<]*)<");
  std::vector<double> numbers;
  for (std::sregex_iterator it(figure.begin(), figure.end(), kNumber), end; it != end; ++it)
    numbers.push_back(std::stod((*it)[1]));
  return numbers;
}

TEST(CalibrationPage, BeginsWithHowGoodItIs) {
  const RunFolder run = ReadSample(SampleRun());
  const std::string html = PageOf(run);
  EXPECT_EQ(FindMarkupFault(html), "");
  const std::string answer = Between(html, "<div class=\"answer\">", "<div class=\"sights\">");
  EXPECT_THAT(answer, HasSubstr("<i>rms</i> = " + FormatSignificant(run.calibration->rms_px, 3)));
  EXPECT_THAT(answer, HasSubstr(FormatSignificant(run.calibration->quality.held_out.rms_px, 3) +
                                " px on views left out"));
  const double sigma = 1000 * BaselineSigma(*run.calibration, 1);
  EXPECT_THAT(answer, HasSubstr("<i>baseline</i> = " +
                                FormatValue(1000 * run.calibration->cameras[1].from_first.t.norm(),
                                            sigma)));
  EXPECT_THAT(answer, HasSubstr("± " + FormatSigma(sigma) + " mm"));
  EXPECT_THAT(answer, HasSubstr("This calibration is good"));
}

TEST(CalibrationPage, SaysWhatIsPoorAndWhatWouldHelp) {
  SampleRun run;
  run.calibration["verdict"] = "poor";
  run.calibration["verdict_reasons"] = {"only 4 views", "corners cover 30 %"};
  run.calibration["quality"]["next_view"] = {{"text", "left half, tilted"}, {"sigma_ratio", 0.8}};
  const std::string html = PageOf(ReadSample(run));
  EXPECT_THAT(html, HasSubstr("This calibration is poor: only 4 views; corners cover 30 %."));
  EXPECT_THAT(html, HasSubstr("(sigmas 20 % smaller): left half, tilted."));
}

// Every corner of corners.csv is counted in one cell, and a cell without any is crossed out.
TEST(CalibrationPage, CoverageCountsTheCorners) {
  SampleRun sample;
  sample.corners_csv =
      "# percuss corners 1\n"
      "camera,view,corner,x_px,y_px,residual_x_px,residual_y_px\n"
      "left,1,1,10,10,0.1,0\nleft,1,2,20,12,0.1,0\nleft,1,3,1270,710,0,0.1\n"
      "right,1,1,640,360,0.1,0\n";
  const RunFolder run = ReadSample(sample);
  const calibration::Camera& camera = run.calibration->cameras[0].camera;
  ASSERT_EQ(camera.width, 1280);
  const Coverage coverage = CoverageOf(camera, run.corners[0]);
  EXPECT_EQ(coverage.corners.front(), 2);
  EXPECT_EQ(coverage.corners.back(), 1);
  EXPECT_EQ(coverage.NumEmpty(), Coverage::kColumns * Coverage::kRows - 2);
  const std::string left = Between(PageOf(run), "<figure id=\"coverage-left\"", "</figure>");
  EXPECT_THAT(NumbersIn(left), ::testing::ElementsAre(2, 1));
  EXPECT_EQ(CountOf(left, "class=\"empty\""), static_cast<std::size_t>(coverage.NumEmpty()));
  EXPECT_THAT(left, HasSubstr("3 in all"));
}

TEST(CalibrationPage, NamesThePartsThatNoBoardCovered) {
  calibration::Camera camera{.width = 1200, .height = 800};
  std::vector<CornerFacts> corners;
  for (int y = 50; y < 800; y += 100) {
    for (int x = 50; x < 1200; x += 100) {
      if (x < 800 || y > 300) corners.push_back({static_cast<double>(x), static_cast<double>(y)});
    }
  }
  EXPECT_EQ(UncoveredParts(CoverageOf(camera, corners)), "top right");
}

// The longest arrow is the largest mean, enlarged by what the caption says.
TEST(CalibrationPage, ArrowsAreMeanResidualsEnlarged) {
  SampleRun sample;
  sample.corners_csv =
      "# percuss corners 1\n"
      "camera,view,corner,x_px,y_px,residual_x_px,residual_y_px\n"
      "left,1,1,100,100,0.5,0\nleft,1,2,104,100,0.3,0\n"
      "left,1,3,900,500,0,-0.05\nright,1,1,640,360,0.1,0\n";
  const RunFolder run = ReadSample(sample);
  const std::string left = Between(PageOf(run), "<figure id=\"residuals-left\"", "</figure>");
  EXPECT_EQ(CountOf(left, "<path class=\"arrow"), 2u);
  // 1/16 of the picture is 80 px: 0.4 px enlarged 200 times.
  EXPECT_THAT(left, HasSubstr("200 times as long"));
  EXPECT_THAT(left, HasSubstr("the longest is 0.40 px"));
  std::smatch arrow;
  ASSERT_TRUE(std::regex_search(left, arrow, std::regex("d=\"M[0-9. ]+l([0-9.-]+) ([0-9.-]+)m")));
  EXPECT_NEAR(std::stod(arrow[1]), 200 * 0.4 * 408 / 1280, 0.01);
  EXPECT_EQ(std::stod(arrow[2]), 0.0);
  // 0.4 px in two corners is beyond chance, 0.05 px in one is not.
  EXPECT_EQ(CountOf(left, "arrow loud"), 1u) << run.calibration->corner_sigma_px;
}

TEST(CalibrationPage, SigmasAreThoseOfTheFile) {
  const RunFolder run = ReadSample(SampleRun());
  const std::string map =
      Between(PageOf(run), "<figure id=\"projection-sigma-right\"", "</figure>");
  const auto& sigmas = run.calibration->quality.predicted.projection_sigma_px[1].values;
  const std::vector<double> shown = NumbersIn(map);
  std::vector<double> finite;
  for (const double sigma : sigmas) {
    if (std::isfinite(sigma)) finite.push_back(sigma);
  }
  ASSERT_EQ(shown.size(), finite.size());
  for (std::size_t k = 0; k < shown.size(); ++k) EXPECT_NEAR(shown[k], 1000 * finite[k], 0.51);
}

// Truth: the spread of points triangulated with 2000 calibrations drawn from the covariance; of so
// many the standard deviation is known to 1.6 %.
TEST(CalibrationPage, PlacesAreAsSureAsDrawnCalibrationsSay) {
  RunFolder run = ReadSample(SampleRun());
  calibration::RigCalibration& rig = *run.calibration;
  rig.cameras[1].from_first.R.transposeInPlace();  // towards what the left camera sees
  rig.quality.predicted.volume_lowest = {-0.06, -0.06, 0.0};
  rig.quality.predicted.volume_highest = {0.06, 0.06, 0.1};
  const std::vector<double> shown =
      NumbersIn(Between(PageOf(run), "<figure id=\"place-sigma\"", "</figure>"));
  ASSERT_EQ(shown.size(), 144u);
  const Eigen::Vector3d p_W(-0.055, 0.055, 0.0);  // the first cell: left, far
  std::vector<Eigen::Vector2d> pixels;
  for (std::size_t c = 0; c < 2; ++c)
    pixels.push_back(
        calibration::ProjectPoint({rig.cameras[c].camera, rig.CameraFromWorld(c)}, p_W)->pixel);
  const Eigen::VectorXd sigma = rig.covariance.diagonal().cwiseSqrt();
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  double squares = 0.0;
  constexpr int kDraws = 2000;
  for (int draw = 0; draw < kDraws; ++draw) {
    Eigen::VectorXd delta(sigma.size());
    for (Eigen::Index k = 0; k < delta.size(); ++k) delta[k] = sigma[k] * normal(random);
    const calibration::RigCalibration drawn = Perturbed(rig, delta);
    std::vector<calibration::Sight> sights;
    for (std::size_t c = 0; c < 2; ++c)
      sights.push_back({{drawn.cameras[c].camera, drawn.CameraFromWorld(c)}, pixels[c]});
    squares += (calibration::Triangulate(sights)->p_W - p_W).squaredNorm();
  }
  EXPECT_NEAR(shown[0], 1e6 * std::sqrt(squares / kDraws), 0.08 * shown[0]);
}

TEST(CalibrationPage, ShowsNamesAsTheyAre) {
  RunFolder run = ReadSample(SampleRun());
  const std::string name = "<img src=x onerror=alert(1)>'\"&../";
  run.calibration->cameras[1].name = name;
  run.calibration->views[0].images[0].file = name;
  run.calibration->verdict = "poor";
  run.calibration->verdict_reasons = {name};
  run.calibration->quality.next_view.text = name;
  run.calibration->quality.pattern.findings = {name};
  const std::string html = ToHtml(CalibrationDocument(name, *run.calibration, run.corners));
  EXPECT_EQ(FindMarkupFault(html), "");
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_GE(CountOf(html, "&lt;img src=x onerror=alert(1)&gt;&#39;&quot;&amp;../"), 8u);
}

TEST(CalibrationPage, SaysWhatIsMissing) {
  SampleRun sample;
  sample.corners_csv.clear();
  const std::string html = PageOf(ReadSample(sample));
  EXPECT_THAT(html, HasSubstr("No plot: corners.csv is missing."));
  EXPECT_THAT(html, Not(HasSubstr("No board covered")));
}

}  // namespace
}  // namespace percuss::report
