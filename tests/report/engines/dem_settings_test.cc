// SPDX-FileCopyrightText: 2026 The Percuss authors
// SPDX-License-Identifier: Apache-2.0
//
// Truth: the contact forces that each code documents, integrated with the numbers read from the
// lines that are written for it; and the lines by hand.

#include "report/engines/dem_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "tests/report/engines/engine_drop.h"

namespace percuss::report {
namespace {

using ::testing::HasSubstr;

constexpr double kPi = std::numbers::pi;

std::string InputOf(const RunFolder& run, const std::string& code) {
  for (const DemInput& input : CalcDemSettings(run).inputs) {
    if (input.code == code) return input.text;
  }
  ADD_FAILURE() << code;
  return "";
}

/// The number after the first `before` in a text.
double NumberAfter(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before << " in " << text;
  return at == std::string::npos ? kNaN : std::stod(text.substr(at + before.size()));
}

/// Share of the approach speed that is left of a mass when the overlap x of the contact with the
/// force f(x, x') against it ends, pulling or not: by Runge-Kutta steps.
double LeftAfter(double mass, double speed, double step,
                 const std::function<double(double x, double v)>& force) {
  double x = 0, v = speed;
  const auto pull = [&](double at, double rate) { return at > 0 ? -force(at, rate) / mass : 0.0; };
  while (true) {
    const double k1 = pull(x, v), k2 = pull(x + 0.5 * step * v, v + 0.5 * step * k1);
    const double k3 = pull(x + 0.5 * step * (v + 0.5 * step * k1), v + 0.5 * step * k2);
    const double k4 = pull(x + step * (v + 0.5 * step * k2), v + step * k3);
    const double dx = step * (v + step * (k1 + k2 + k3) / 6);
    v += step * (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    x += dx;
    if (x <= 0) return -v / speed;
  }
}

constexpr double kSteps = 1e-7;   // [s], of contacts that last some milliseconds
constexpr double kModulus = 1e7;  // [Pa] of both bodies together
constexpr double kSpeeds[] = {0.3, 3};
constexpr double kCoefficients[] = {0.1, 0.55, 0.95};

// LIGGGHTS-PUBLIC, gran model hertz: S_n = 2 Y sqrt(R x), gamma_n = -2 sqrt(5/6) beta sqrt(S_n m).
TEST(DemSettings, LiggghtsReturnsTheRestitutionAtEverySpeed) {
  for (const double e : kCoefficients) {
    const std::string text = InputOf(RunWith(0.26, e), "LIGGGHTS");
    const double set = NumberAfter(text, "coefficientRestitution peratomtypepair 2 ");
    const double beta = std::log(set) / std::hypot(std::log(set), kPi);
    const auto force = [&](double x, double v) {
      const double stiffness = 2 * kModulus * std::sqrt(kBallRadius * x);
      return 2.0 / 3.0 * stiffness * x -
             2 * std::sqrt(5.0 / 6.0) * beta * std::sqrt(stiffness * kBallMass) * v;
    };
    for (const double speed : kSpeeds)
      EXPECT_NEAR(LeftAfter(kBallMass, speed, kSteps, force), e, 1e-3) << e << " " << speed;
  }
}

// YADE, MindlinPhys: c = -2 sqrt(5/6) ln e / sqrt((ln e)^2 + pi^2) sqrt(2 E sqrt(R)) sqrt(m)
// x^(1/4)
TEST(DemSettings, YadeReturnsTheRestitutionAtEverySpeed) {
  for (const double e : kCoefficients) {
    const double set = NumberAfter(InputOf(RunWith(0.26, e), "YADE"), "MindlinPhys(en=");
    const double root = std::sqrt(kBallRadius), log_e = std::log(set);
    const double alpha = -std::sqrt(5.0 / 6.0) * 2 * log_e / std::sqrt(log_e * log_e + kPi * kPi) *
                         std::sqrt(2 * kModulus * root);
    const auto force = [&](double x, double v) {
      return 4.0 / 3.0 * kModulus * root * std::pow(x, 1.5) +
             alpha * std::sqrt(kBallMass) * std::pow(x, 0.25) * v;
    };
    for (const double speed : kSpeeds)
      EXPECT_NEAR(LeftAfter(kBallMass, speed, kSteps, force), e, 1e-3) << e << " " << speed;
  }
}

// MercuryDPM, setCollisionTimeAndRestitutionCoefficient(t, e, m): c = -m ln e / t,
// k = m ((pi / t)^2 + (c / m)^2) / 2. The body alone moves.
TEST(DemSettings, MercuryReturnsTheRestitutionOfABodyOnAWall) {
  constexpr double kTime = 1e-3;
  for (const double e : kCoefficients) {
    RunFolder run = RunWith(0.26, e);
    run.experiment.emplace().mass = kBallMass;
    const std::string text = InputOf(run, "MercuryDPM");
    const std::string call = "setCollisionTimeAndRestitutionCoefficient(tc, ";
    const double set = NumberAfter(text, call);
    const std::string rest = text.substr(text.find(call) + call.size());
    const double mass = NumberAfter(rest, ", ");
    const double c = -mass * std::log(set) / kTime;
    const double k = 0.5 * mass * (std::pow(kPi / kTime, 2) + std::pow(c / mass, 2));
    EXPECT_NEAR(LeftAfter(kBallMass, 1, kSteps, [&](double x, double v) { return k * x + c * v; }),
                e, 1e-3)
        << e;
  }
  EXPECT_THAT(InputOf(RunWith(0.26, 0.5), "MercuryDPM"),
              HasSubstr("(tc, 0.5, 2.0 * species->getMassFromRadius(r));"));
}

// MFiX, linear spring and dashpot on a wall: eta = 2 sqrt(k m) |ln e| / sqrt(pi^2 + (ln e)^2).
TEST(DemSettings, MfixReturnsTheRestitutionOfABodyOnAWall) {
  constexpr double kStiffness = 1e6;
  for (const double e : kCoefficients) {
    const double set =
        NumberAfter(InputOf(RunWith(0.26, e), "MFiX-DEM"), "DES_EN_WALL_INPUT(1) = ");
    const double eta = 2 * std::sqrt(kStiffness * kBallMass) * std::abs(std::log(set)) /
                       std::hypot(kPi, std::log(set));
    const auto force = [&](double x, double v) { return kStiffness * x + eta * v; };
    EXPECT_NEAR(LeftAfter(kBallMass, 1, kSteps, force), e, 1e-3) << e;
  }
}

// By hand: every line whole, as the codes read them.
TEST(DemSettings, LinesOfEachCodeByHand) {
  RunFolder run = RunWith(0.25, 0.64);
  run.experiment.emplace().mass = 0.2;
  EXPECT_THAT(
      InputOf(run, "LIGGGHTS"),
      HasSubstr("\nfix e all property/global coefficientRestitution peratomtypepair 2 0.64 0.64 "
                "0.64 0.64\n"
                "fix mu all property/global coefficientFriction peratomtypepair 2 0.25 0.25 0.25 "
                "0.25\n"
                "pair_style gran model hertz tangential history\n"));
  // atan(0.25) = 0.244979 rad
  EXPECT_THAT(InputOf(run, "YADE"), HasSubstr("\nFrictMat(frictionAngle=0.244979)\n"
                                              "Ip2_FrictMat_FrictMat_MindlinPhys(en=0.64)"));
  EXPECT_THAT(InputOf(run, "MercuryDPM"),
              HasSubstr("\nspecies->setCollisionTimeAndRestitutionCoefficient(tc, 0.64, 0.4);\n"));
  EXPECT_THAT(InputOf(run, "MercuryDPM"),
              HasSubstr("\nspecies->setSlidingFrictionCoefficient(0.25);\n"));
  EXPECT_THAT(InputOf(run, "MFiX-DEM"), HasSubstr("\nDES_COLL_MODEL = 'LSD'\n"
                                                  "MEW_W = 0.25\n"
                                                  "DES_EN_WALL_INPUT(1) = 0.64\n"));
}

TEST(DemSettings, TakeTheLawThatGoesThroughTheContactInTime) {
  RunFolder run = RunWith(0.16, 0.49);
  run.fit->laws.front().law = "newton";
  run.fit->laws.push_back(RunWith(0.25, 0.64).fit->laws.front());
  const DemSettings dem = CalcDemSettings(run);
  ASSERT_EQ(dem.settings.size(), 8u);
  for (const EngineSetting& setting : dem.settings) {
    EXPECT_EQ(setting.law, "stronge") << setting.setting;
    EXPECT_LT(setting.ci95[0], setting.value) << setting.setting;
    EXPECT_GT(setting.ci95[1], setting.value) << setting.setting;
  }
  EXPECT_NEAR(dem.settings[2].value, std::atan(0.25), 1e-12);
  EXPECT_EQ(dem.settings[2].unit, "rad");
  EXPECT_NEAR(dem.settings[2].ci95[0], std::atan(0.248), 1e-12);
  for (fitting::LawFit& law : run.fit->laws)
    law.parameters[0].status = fitting::ParameterStatus::kLowerBound;
  EXPECT_TRUE(CalcDemSettings(run).settings.empty());
  EXPECT_TRUE(CalcDemSettings(run).inputs.empty());
  EXPECT_TRUE(CalcDemSettings({}).inputs.empty());
}

}  // namespace
}  // namespace percuss::report
