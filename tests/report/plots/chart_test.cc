// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: places of marks by hand, from the grid lines that the drawing itself states.

#include "report/plots/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <regex>

#include "report/plots/law_plots.h"

namespace percuss::report {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Place of each number of the x axis [px], by its text.
std::map<double, double> NumbersOfX(const std::string& svg) {
  std::map<double, double> numbers;
  const std::regex text(
      "<text x=\"([0-9.]+)\" y=\"[0-9.]+\" text-anchor=\"middle\">(-?[0-9.e+-]+)<");
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), text); it != std::sregex_iterator();
       ++it)
    numbers[std::stod((*it)[2])] = std::stod((*it)[1]);
  return numbers;
}

/// Left end of the mark that says a text; the mark is a square.
double LeftOf(const std::string& svg, const std::string& says) {
  const std::size_t at = svg.find("<title>" + says + "</title>");
  if (at == std::string::npos) return kNaN;
  const std::size_t mark = svg.find("class=\"mark\" d=\"M", at);
  return std::stod(svg.substr(mark + std::string("class=\"mark\" d=\"M").size()));
}

Chart TwoPoints() {
  ChartSeries series{.title = "a & b", .mark = Mark::kSquare};
  series.points = {{.x = 1, .y = 10, .says = "first <b>", .address = "#trial-1"},
                   {.x = 3, .y = 20, .x_reach = 0.5, .says = "second"}};
  return {.id = "id", .caption = "c", .x_label = "x [m]", .y_label = "y", .series = {series}};
}

TEST(Chart, PutsMarksWhereTheGridSays) {
  const std::string svg = ChartFigure(TwoPoints()).svg;
  const auto numbers = NumbersOfX(svg);
  ASSERT_TRUE(numbers.contains(1) && numbers.contains(3)) << svg;
  const double half = 0.85 * 5;  // of a mark of size 5
  EXPECT_NEAR(LeftOf(svg, "first &lt;b&gt;"), numbers.at(1) - half, 0.11);
  EXPECT_NEAR(LeftOf(svg, "second"), numbers.at(3) - half, 0.11);
}

TEST(Chart, SaysAndLeadsAndShowsTextsAsTheyAre) {
  Chart chart = TwoPoints();
  chart.series[0].points[0].address = "a\"b";
  chart.series[0].points[0].y = 0;  // its row
  chart.series[0].points[1].y = 1;
  chart.rows = {"<i>", "two"};
  const std::string svg = ChartFigure(chart).svg;
  EXPECT_THAT(svg, HasSubstr("<a href=\"a&quot;b\"><title>first &lt;b&gt;</title>"));
  EXPECT_THAT(svg, HasSubstr(">a &amp; b</text>"));
  EXPECT_THAT(svg, HasSubstr(">&lt;i&gt;</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<i>")));
}

TEST(Chart, LeavesOutWhatIsNoNumber) {
  Chart chart = TwoPoints();
  chart.series[0].points[1].y = kNaN;
  EXPECT_THAT(ChartFigure(chart).svg, Not(HasSubstr("second")));
  EXPECT_THAT(ChartFigure(chart).svg, Not(HasSubstr("nan")));
  chart.series[0].points[0].x = INFINITY;
  EXPECT_EQ(ChartFigure(chart).problem, kNoNumbers);
  EXPECT_EQ(ChartFigure({.id = "empty"}).problem, kNoNumbers);
}

TEST(Chart, OfOneValueHasARange) {
  Chart chart = TwoPoints();
  chart.series[0].points = {{.x = 2, .y = 2, .says = "alone"}};
  const std::string svg = ChartFigure(chart).svg;
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  EXPECT_GT(LeftOf(svg, "alone"), 0);
}

TEST(ImpactPlots, ShowWhatEachImpactSays) {
  RunFolder run;
  run.fit.emplace().impacts = {{.trial = "slip",
                                .approach = {2.0, 0.001},
                                .slip = {1.5, 0.01},
                                .e_n = {0.5, 0.00056},
                                .impulse_ratio = {0.3, 0.002}},
                               {.trial = "half measured", .approach = {2.0, 0.001}}};
  const auto nowhere = [](const std::string&) { return std::string(); };
  const Figure restitution = RestitutionFigure(run, nowhere);
  EXPECT_THAT(restitution.svg,
              HasSubstr("<title>slip: 0.50000 ± 0.00056 at 2.0000 ± 0.0010 m/s</title>"));
  EXPECT_THAT(restitution.svg, Not(HasSubstr("half measured")));
  EXPECT_THAT(FrictionFigure(run, 0.3, nowhere).svg, HasSubstr("<title>slip: 0.3000 ± 0.0020"));
  run.fit->impacts.erase(run.fit->impacts.begin());
  EXPECT_EQ(RestitutionFigure(run, nowhere).problem, kNoNumbers);
}

TEST(ResidualFigure, CountsWhatLiesWithinTheInterval) {
  LawFit law;
  law.law = "stronge";
  TrialComparison& trial = law.trials.emplace_back();
  trial.trial = "a";
  trial.v_measured = trial.w_measured = {0, 0, 0};
  trial.v_predicted = {0.1, -0.19, 0.3};
  trial.w_predicted = {1, 0, 0};
  trial.v_difference_sigma = {0.1, 0.1, 0.1};
  trial.w_difference_sigma = {1, kNaN, 1};
  const Figure figure = ResidualFigure(law, [](const std::string&) { return "#a"; });
  EXPECT_THAT(figure.caption, HasSubstr("Of 5, 4 lie between"));
  EXPECT_THAT(figure.svg, HasSubstr("<a href=\"#a\"><title>a: vz 3.0 sigma</title>"));
}

}  // namespace
}  // namespace percuss::report
