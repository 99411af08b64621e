// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Source of truth: a solid ball of 1 kg, whose contact mass is (2/7, 2/7, 1) kg whatever its
// radius, and the geometry of impulse space (chatterjee1997 3.2 to 3.4) by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <regex>
#include <utility>
#include <vector>

#include "report/plots/plots.h"

namespace percuss::report {
namespace {

using Eigen::Vector3d;
using testing::HasSubstr;
using testing::Not;

/// 1 m/s along the surface against t, 2 m/s into it; friction is mu until it sticks.
ImpulseDiagram BallImpact() {
  ImpulseDiagram impulse;
  impulse.trial = "ball";
  impulse.normal = Vector3d::UnitZ();
  impulse.tangent = Vector3d::UnitX();
  impulse.contact_velocity = {-1.0, 0.0, -2.0};
  impulse.inverse_contact_mass = Vector3d(3.5, 3.5, 1.0).asDiagonal();
  impulse.friction = 0.2;
  impulse.measured = impulse.predicted = {2.0 / 7.0, 0.0, 3.0};
  impulse.path = {Vector3d::Zero(), {2.0 / 7.0, 0.0, 10.0 / 7.0}, impulse.predicted};
  impulse.compression_end = {2.0 / 7.0, 0.0, 2.0};
  return impulse;
}

/// From places in a drawing to numbers, by the first and last number of an axis.
struct AxisOfDrawing {
  double place = 0.0, number = 0.0, per_place = 0.0;
  double At(double where) const { return number + per_place * (where - place); }
};

AxisOfDrawing ReadAxis(const std::string& svg, const std::regex& text, int place, int number) {
  std::vector<std::pair<double, double>> marks;
  for (auto it = std::sregex_iterator(svg.begin(), svg.end(), text); it != std::sregex_iterator();
       ++it)
    marks.emplace_back(std::stod((*it)[place]), std::stod((*it)[number]));
  EXPECT_GE(marks.size(), 2u);
  const auto [first, first_number] = marks.front();
  const auto [last, last_number] = marks.back();
  return {first, first_number, (last_number - first_number) / (last - first)};
}

/// The points of a path of the drawing, as impulses [N s].
std::vector<Eigen::Vector2d> PointsOf(const std::string& svg, const std::string& path) {
  const AxisOfDrawing x = ReadAxis(
      svg, std::regex("<text x=\"([0-9.]+)\" y=\"[0-9.]+\" text-anchor=\"middle\">(-?[0-9.]+)<"), 1,
      2);
  const AxisOfDrawing y = ReadAxis(
      svg, std::regex("<text x=\"[0-9.]+\" y=\"([0-9.]+)\" text-anchor=\"end\">(-?[0-9.]+)<"), 1,
      2);
  std::vector<Eigen::Vector2d> points;
  const std::regex place("[ML]([0-9.]+) ([0-9.]+)");
  for (auto it = std::sregex_iterator(path.begin(), path.end(), place);
       it != std::sregex_iterator(); ++it) {
    // Numbers of the y axis stand 4 px below their lines.
    points.emplace_back(1e-3 * x.At(std::stod((*it)[1])), 1e-3 * y.At(std::stod((*it)[2]) + 4.0));
  }
  return points;
}

/// What follows the last `class` of the drawing up to the end of its path; that of the legend comes
/// first.
std::string LastPath(const std::string& svg, const std::string& css_class) {
  const std::string start = "class=\"" + css_class + "\" d=\"";
  const std::size_t from = svg.rfind(start) + start.size();
  return svg.substr(from, svg.find('"', from) - from);
}

double EnergyGain(const Eigen::Vector2d& p) {
  return -p.x() - 2.0 * p.y() + 0.5 * (3.5 * p.x() * p.x() + p.y() * p.y());
}

TEST(ImpulseFigures, FillWhatAnyLawCouldAnswer) {
  const auto figures = ImpulseFigures({{"stronge", {BallImpact()}}}, "ball", 1);
  ASSERT_EQ(figures.size(), 2u);
  const std::string& svg = figures[0].svg;
  for (const char* title : {"possible by any law", "no energy lost", "most compressed",
                            "no slip left", "friction cone", "stronge", "measured"})
    EXPECT_THAT(svg, HasSubstr(std::string(">") + title + "</text>"));
  const auto region = PointsOf(svg, LastPath(svg, "area"));
  ASSERT_GT(region.size(), 10u);
  constexpr double kPixel = 0.02;  // [N s]
  double lowest = 1e9, highest = 0.0;
  for (const Eigen::Vector2d& p : region) {
    EXPECT_LE(std::abs(p.x()), 0.2 * p.y() + kPixel) << p.transpose();
    EXPECT_GE(p.y(), 2.0 - kPixel) << p.transpose();
    EXPECT_LE(EnergyGain(p), 4.0 * kPixel) << p.transpose();
    lowest = std::min(lowest, p.y());
    highest = std::max(highest, p.y());
  }
  EXPECT_NEAR(lowest, 2.0, kPixel);
  EXPECT_NEAR(highest, 2.0 + std::sqrt(4.0 + 1.0 / 3.5), kPixel);
}

// Nothing is left of the drawing of a law without a place in impulse space but its cone.
TEST(ImpulseFigures, AreAsBeforeWhereNoContactIsKnown) {
  ImpulseDiagram impulse = BallImpact();
  impulse.inverse_contact_mass.setConstant(kNaN);
  const std::string svg = ImpulseFigures({{"stronge", {impulse}}}, "ball", 1)[0].svg;
  EXPECT_THAT(svg, HasSubstr(">friction cone</text>"));
  for (const char* title : {"possible by any law", "no energy lost", "no slip left"})
    EXPECT_THAT(svg, Not(HasSubstr(title)));
}

// All of what is near the end is possible: a region would only be a background.
TEST(ImpulseFigures, LeaveOutARegionThatIsEverywhere) {
  ImpulseDiagram impulse = BallImpact();
  impulse.covariance = 1e-8 * Eigen::Matrix3d::Identity();
  const auto figures = ImpulseFigures({{"stronge", {impulse}}}, "ball", 1);
  EXPECT_THAT(figures[1].svg, Not(HasSubstr("possible by any law")));
  EXPECT_THAT(figures[1].svg, HasSubstr(">no slip left</text>"));
}

}  // namespace
}  // namespace percuss::report
